"""The league under load: three real nats-servers as `carrom broker --cluster` makes them, forty clubs, a hub.

Each club is a connection to one of the nodes, as its bridges are, and speaks for its tables; they play as in
`bench_hub`. Everything is on this machine.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout
from io import StringIO
from itertools import cycle
from pathlib import Path
from statistics import linear_regression

import paho.mqtt.client as paho

from controller.mqtt.broker import tls_context
from controller.mqtt.league_files import LIVE
from tests.bench.figure import Figure
from tests.bench.hall import Hall, measured, speaker
from tests.mqtt.made_league import NATS, NODES, MadeLeague

CLUBS = 40
TABLES = (40, 100, 200, 500)
WANTED, SOON_S = 500, 0.3
RECKONED = 2000
"""More tables than one machine can play here."""
PAGES = 2


def run(long: bool, parts: tuple[str, ...] = ()) -> Iterable[Figure]:
    """Yields the figures. Parts: numbers of tables, else the curve to 500."""
    if NATS is None:
        yield Figure("league", "host", "not measured", note="nats-server is not installed")
        return
    sizes, late_s, shares = [], [], []
    for tables in map(int, parts) if parts else TABLES:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            with redirect_stdout(StringIO()):
                league = MadeLeague(folder, _list(tables))
            try:
                league.start()
                (folder / "hub-password").write_text(league.password("hall"))
                mqtt = (
                    f'host = "{NODES[0]}"\nport = {league.port}\nothers = ["{NODES[1]}:{league.port}"]\ntls = true\n'
                    f'ca_file = "{folder}/league/league.crt"\nuser = "hall"\npassword_file = "{folder}/hub-password"'
                )
                hall = ["tests.bench.bench_league", name, str(league.port), str(tables)]
                load = measured(folder, mqtt, tables, hall, PAGES, 120.0 if long else 30.0)
            finally:
                league.kill()
        at_95 = load.at(0.95)
        value = f"{1000 * load.at(0.5):.0f} ms median, {1000 * at_95:.0f} ms at 95 % of {len(load.took_s)}"
        reached = {"wanted": "below 300 ms at 95 %", "reached": at_95 < SOON_S} if tables == WANTED else {}
        note = f"hub {100 * load.share_of_core:.0f} % of a core"
        yield Figure(f"stroke to a hub's page, {tables} tables of {CLUBS} clubs", "host", value, note=note, **reached)
        sizes, late_s, shares = [*sizes, tables], [*late_s, at_95], [*shares, load.share_of_core]
    if len(sizes) > 1:
        (slope_s, at_95), (slope, share) = (linear_regression(sizes, measured_at) for measured_at in (late_s, shares))
        yield Figure(
            f"the same, {RECKONED} tables, reckoned by the slope",
            "host",
            f"{1000 * (at_95 + slope_s * RECKONED):.0f} ms at 95 %, {100 * (share + slope * RECKONED):.0f} % of a core",
            note=f"{1e6 * slope_s:.0f} ms and {1e5 * slope:.1f} % of a core for each 1 000 tables",
        )


def _clubs(tables: int) -> Iterator[tuple[str, list[str]]]:
    """Each club's name and its tables' ids, as even as may be."""
    for club in range(CLUBS):
        yield f"club{club}", [f"club{club}-{table}" for table in range(club, tables, CLUBS)]


def _list(tables: int) -> str:
    """The secretary's list."""
    nodes = ", ".join(f'"{node}"' for node in NODES)
    venues = (f'[[venue]]\nname = "{club}"\ntables = {ids}\n'.replace("'", '"') for club, ids in _clubs(tables))
    return f'[league]\nnodes = [{nodes}]\n\n{"".join(venues)}\n[[person]]\nname = "hall"\nrole = "hub"\n'


def _connected(folder: Path, port: int, node: str, club: str) -> paho.Client:
    passwords = dict(line.split() for line in (folder / "league" / "passwords").read_text().splitlines())
    client = speaker()
    client.username_pw_set(club, passwords[club])
    client.tls_set_context(tls_context(folder / "league" / "league.crt"))
    client.connect(node, port, 60)
    return client


if __name__ == "__main__":
    where, at, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    named = zip(_clubs(count), cycle(NODES[::-1]), strict=False)
    Hall([(_connected(where, at, node, club), ids) for (club, ids), node in named if ids], LIVE).play()
