"""The hub under load: a real mosquitto, `carrom hub` in its own process, many pretended tables, open pages.

Each table plays a stroke every ten seconds and says what a table says: the board as it changes, ruling, scoreboard,
the stroke clock each second, health. Measured from the scoreboard's publishing to its arrival on an open page.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from controller.commands.demo.leash import leashed
from controller.mqtt.payloads import plain, stamped
from controller.mqtt.scoreboard import MatchInfo, score
from controller.table.process.daemon import HEALTH_SECONDS
from tests.bench.figure import Figure
from tests.mqtt.broker import MOSQUITTO, Mosquitto
from tests.mqtt.rulings import ruling
from tests.web.client import Client
from tests.web.pretend import PIECES

CLUB, FEDERATION = 60, (50, 100, 200, 500)
STROKE_S = 10.0
BOARDS = 8
"""Boards told during a stroke: the pieces' places change while they run."""
PAGES = 5
SOON_S, MOST_OF_A_CORE = 0.2, 0.25


@dataclass(frozen=True)
class Load:
    """What was measured with so many tables."""

    took_s: list[float]
    share_of_core: float
    memory_mb: float


def run(long: bool, parts: tuple[str, ...] = ("club", "federation")) -> Iterable[Figure]:
    """Yields the figures. Parts: `club` (60 tables) and `federation` (the curve to 500)."""
    if MOSQUITTO is None:
        yield Figure("hub", "host", "not measured", note="mosquitto is not installed")
        return
    for_s = 120.0 if long else 30.0
    if "club" in parts:
        load = _measured(CLUB, for_s)
        at_95 = _at(load.took_s, 0.95)
        value = f"{1000 * _at(load.took_s, 0.5):.0f} ms median, {1000 * at_95:.0f} ms at 95 % of {len(load.took_s)}"
        yield Figure(f"stroke to the hub's page, {CLUB} tables", "host", value, "below 200 ms at 95 %", at_95 < SOON_S)
        share = load.share_of_core
        yield Figure(
            "hub's processor", "host", f"{100 * share:.0f} % of a core", "at most 25 %", share <= MOST_OF_A_CORE
        )
    if "federation" in parts:
        for tables in FEDERATION:
            load = _measured(tables, for_s)
            value = (
                f"{1000 * _at(load.took_s, 0.95):.0f} ms at 95 % of {len(load.took_s)}, "
                f"{100 * load.share_of_core:.0f} % of a core, {load.memory_mb:.0f} MB"
            )
            yield Figure(f"hub with {tables} tables", "host", value)


def _at(took: list[float], share: float) -> float:
    return sorted(took)[min(len(took) - 1, int(share * len(took)))]


def _measured(tables: int, for_s: float) -> Load:
    with tempfile.TemporaryDirectory() as name:
        broker = Mosquitto(Path(name), "allow_anonymous true", "max_queued_messages 0").start()
        try:
            with _hub(Path(name), broker.port) as (hub, port), _hall(broker.port, tables):
                with _pages(port, PAGES - 1):
                    stream = Client(port).stream()
                    while _online(next(stream)) < tables:
                        pass
                    began, used = time.monotonic(), _processor_s(hub)
                    took = list(_seen(stream, began, began + for_s))
                    share = (_processor_s(hub) - used) / (time.monotonic() - began)
                    stream.close()
                return Load(took, share, _memory_mb(hub))
        finally:
            broker.kill()


def _online(told: tuple[str, Any]) -> int:
    kind, tiles = told
    return sum(tile["online"] for tile in tiles) if kind == "state" else 0


def _seen(stream: Iterator[tuple[str, list]], since: float, until: float) -> Iterator[float]:
    """How long each stroke published between these times took to the page."""
    known: set[str] = set()
    for kind, tiles in stream:
        now = time.monotonic()
        if now > until:
            return
        if kind != "state":
            continue
        for tile in tiles:
            told = tile["says"]
            if told and told not in known:
                known.add(told)
                if float(told.split()[-1]) >= since:
                    yield now - float(told.split()[-1])


@contextlib.contextmanager
def _hub(folder: Path, broker: int) -> Iterator[tuple[int, int]]:
    """A hub: its process and its pages' port."""
    file = folder / "hub.toml"
    file.write_text(
        f'[mqtt]\nhost = "127.0.0.1"\nport = {broker}\n'
        '[web]\nhost = "127.0.0.1"\nport = 0\nconnections_per_address = 64\n'
    )
    command = [sys.executable, "-m", "controller.cli", "hub", "--config", str(file)]
    with subprocess.Popen(leashed(command), stdout=subprocess.PIPE, text=True) as hub:
        try:
            assert hub.stdout is not None
            said = hub.stdout.readline()
            port = re.search(r":(\d+)/$", said.strip())
            assert port, said
            yield hub.pid, int(port[1])
        finally:
            hub.terminate()


@contextlib.contextmanager
def _hall(broker: int, tables: int) -> Iterator[None]:
    """The tables, in a process of their own, playing."""
    command = [sys.executable, "-m", "tests.bench.bench_hub", str(broker), str(tables)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as hall:
        try:
            assert hall.stdout is not None
            assert hall.stdout.readline() == b"playing\n"
            yield
        finally:
            hall.kill()


@contextlib.contextmanager
def _pages(port: int, count: int) -> Iterator[None]:
    """Other open pages, that read whatever comes."""
    streams = [Client(port).stream() for _ in range(count)]
    over = threading.Event()

    def read(stream: Iterator) -> None:
        for _ in stream:
            if over.is_set():
                return

    threads = [threading.Thread(target=read, args=(stream,), daemon=True) for stream in streams]
    for thread in threads:
        thread.start()
    yield
    over.set()
    for thread in threads:
        thread.join()


def _processor_s(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _memory_mb(process: int) -> float:
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
    assert found
    return int(found[1]) / 1024


class _Hall:
    """Tables that play: what each says in its ten seconds, spread evenly."""

    def __init__(self, port: int, tables: int) -> None:
        self._client = paho.Client(CallbackAPIVersion.VERSION2)
        self._client.max_inflight_messages_set(1000)
        self._client.connect("127.0.0.1", port, 60)
        self._client.loop_start()
        self._infos = [
            MatchInfo(f"table{number}", f"m-{number}", "icf", {"south": {"south": "Asha"}, "north": {"north": "Ben"}})
            for number in range(tables)
        ]
        self._seq = 0
        self._does = {"board": self._board, "stroke": self._stroke, "clock": self._clock, "health": self._health}
        for info in self._infos:
            self._say(info, "availability", "online")
            self._health(info)
            self._score(info)

    def play(self) -> None:
        """Plays on and on."""
        boards = [("board", 0.05 * number) for number in range(BOARDS)]
        healths = [("health", HEALTH_SECONDS * number) for number in range(int(STROKE_S / HEALTH_SECONDS))]
        clocks = [("clock", 1.4 + number) for number in range(8)]
        plan = sorted(
            ((at + STROKE_S * number / len(self._infos)) % STROKE_S, number, what)
            for number in range(len(self._infos))
            for what, at in [*boards, ("stroke", 0.4), *clocks, *healths]
        )
        began = time.monotonic()
        while True:
            for at, number, what in plan:
                time.sleep(max(0.0, began + at - time.monotonic()))
                self._does[what](self._infos[number])
            began += STROKE_S

    def _say(self, info: MatchInfo, kind: str, body: object, retain: bool = True) -> None:
        text = body if isinstance(body, str) else json.dumps(body)
        self._client.publish(f"carrom/{info.table}/{kind}", text, 1, retain)

    def _board(self, info: MatchInfo) -> None:
        moved = time.monotonic() % 1
        pieces = [{"piece": piece, "x": x + moved, "y": y} for piece, x, y in PIECES]
        self._say(info, "board", {"t": time.time(), "moving": True, "pieces": pieces})

    def _stroke(self, info: MatchInfo) -> None:
        self._seq += 1
        self._say(info, "ruling", stamped(ruling(seq=self._seq), time.time()), retain=False)
        self._score(info)

    def _score(self, info: MatchInfo) -> None:
        body = plain(score(ruling(seq=self._seq), info, time.time()))
        body["last"]["says"] = f"{info.table} at {time.monotonic()}"
        self._say(info, "score", body)

    def _clock(self, info: MatchInfo) -> None:
        # The number of one second for all tables: each changes, at a moment of its own.
        self._say(info, "score/clock", str(int(time.monotonic()) % 15))

    def _health(self, info: MatchInfo) -> None:
        self._say(info, "health", {"t": time.time(), "armed": "armed", "name": info.table.title(), "page": ""})


if __name__ == "__main__":
    hall = _Hall(int(sys.argv[1]), int(sys.argv[2]))
    print("playing", flush=True)
    hall.play()
