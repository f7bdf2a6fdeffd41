"""The hub under load: a real mosquitto, `carrom hub` in its own process, many pretended tables, open pages.

Each table plays a stroke every ten seconds and says what a table says: the board as it changes, ruling, scoreboard,
the stroke clock each second, health. Measured from the scoreboard's publishing to its arrival on an open page.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tests.bench.figure import Figure
from tests.bench.hall import Hall, Load, measured, speaker
from tests.mqtt.broker import MOSQUITTO, Mosquitto

CLUB, FEDERATION = 60, (200, 500, 2000)
PAGES = 5
SOON_S, MOST_OF_A_CORE = 0.2, 0.25


def run(long: bool, parts: tuple[str, ...] = ("club", "federation")) -> Iterable[Figure]:
    """Yields the figures. Parts: `club` (60 tables) and `federation` (the curve to 2000)."""
    if MOSQUITTO is None:
        yield Figure("hub", "host", "not measured", note="mosquitto is not installed")
        return
    for_s = 120.0 if long else 30.0
    if "club" in parts:
        load = _at_one_broker(CLUB, for_s)
        at_95 = load.at(0.95)
        value = f"{1000 * load.at(0.5):.0f} ms median, {1000 * at_95:.0f} ms at 95 % of {len(load.took_s)}"
        yield Figure(f"stroke to the hub's page, {CLUB} tables", "host", value, "below 200 ms at 95 %", at_95 < SOON_S)
        share = load.share_of_core
        yield Figure(
            "hub's processor", "host", f"{100 * share:.0f} % of a core", "at most 25 %", share <= MOST_OF_A_CORE
        )
    if "federation" in parts:
        for tables in FEDERATION:
            load = _at_one_broker(tables, for_s)
            value = (
                f"{1000 * load.at(0.95):.0f} ms at 95 % of {len(load.took_s)}, "
                f"{100 * load.share_of_core:.0f} % of a core, {load.memory_mb:.0f} MB, "
                f"{load.page_mbit_s:.2f} Mbit/s a page"
            )
            yield Figure(f"hub with {tables} tables", "host", value)


def _at_one_broker(tables: int, for_s: float) -> Load:
    with tempfile.TemporaryDirectory() as name:
        broker = Mosquitto(Path(name), "allow_anonymous true", "max_queued_messages 0").start()
        try:
            hall = ["tests.bench.bench_hub", str(broker.port), str(tables)]
            return measured(Path(name), f'host = "127.0.0.1"\nport = {broker.port}', tables, hall, PAGES, for_s)
        finally:
            broker.kill()


if __name__ == "__main__":
    client = speaker()
    client.connect("127.0.0.1", int(sys.argv[1]), 60)
    Hall([(client, [f"table{number}" for number in range(int(sys.argv[2]))])]).play()
