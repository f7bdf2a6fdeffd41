"""Pretended tables that play, and a hub's page that shows them: how long a stroke takes from one to the other."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from controller.commands.demo.leash import leashed
from controller.mqtt.payloads import Clock, plain, stamped
from controller.mqtt.scoreboard import MatchInfo, score
from controller.table.process.daemon import HEALTH_SECONDS
from tests.mqtt.rulings import ruling
from tests.web.client import Client
from tests.web.pretend import PIECES

STROKE_S = 10.0
BOARDS = 8
"""Boards told during a stroke: the pieces' places change while they run."""


@dataclass(frozen=True)
class Load:
    """What was measured with so many tables: each stroke's time to the page, and the hub's process."""

    took_s: list[float]
    share_of_core: float
    memory_mb: float
    page_mbit_s: float
    """What one page is sent."""

    def at(self, share: float) -> float:
        """The time within which this share of the strokes was on the page, in s."""
        return sorted(self.took_s)[min(len(self.took_s) - 1, int(share * len(self.took_s)))]


def measured(folder: Path, mqtt: str, tables: int, hall: list[str], pages: int, for_s: float) -> Load:
    """Starts a hub whose `[mqtt]` is this text, and `hall`: a module of this folder that plays, and its arguments.
    Measures once all tables are on a page, while `pages` are open."""
    with _hub(folder, mqtt) as (hub, port), _playing(hall), _pages(port, pages - 1):
        page = Client(port)
        stream = page.stream()
        online: dict[str, bool] = {}
        while sum(online.values()) < tables:
            online |= {tile["table"]: tile["online"] for tile in _tiles(next(stream))}
        began, used, received = time.monotonic(), _processor_s(hub), page.received
        took = list(_seen(stream, began, began + for_s))
        passed_s = time.monotonic() - began
        share = (_processor_s(hub) - used) / passed_s
        stream.close()
        return Load(took, share, _memory_mb(hub), (page.received - received) * 8e-6 / passed_s)


def _tiles(told: tuple[str, Any]) -> list[dict[str, Any]]:
    kind, body = told
    return body if kind in ("state", "tiles") else []


def _seen(stream: Iterator[tuple[str, Any]], since: float, until: float) -> Iterator[float]:
    """How long each stroke published between these times took to the page."""
    known: set[str] = set()
    for told in stream:
        now = time.monotonic()
        if now > until:
            return
        for tile in _tiles(told):
            says = tile["says"]
            if says and says not in known:
                known.add(says)
                if float(says.split()[-1]) >= since:
                    yield now - float(says.split()[-1])


@contextlib.contextmanager
def _hub(folder: Path, mqtt: str) -> Iterator[tuple[int, int]]:
    """A hub: its process and its pages' port."""
    file = folder / "hub.toml"
    file.write_text(f'[mqtt]\n{mqtt}\n[web]\nhost = "127.0.0.1"\nport = 0\nconnections_per_address = 64\n')
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
def _playing(hall: list[str]) -> Iterator[None]:
    """The tables, in a process of their own, playing."""
    command = [sys.executable, "-m", *hall]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"playing\n"
            yield
        finally:
            process.kill()


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


def speaker() -> paho.Client:
    """A client that may say much before the first of it is confirmed."""
    client = paho.Client(CallbackAPIVersion.VERSION2)
    client.max_inflight_messages_set(1000)
    return client


class Hall:
    """Tables that play: what each says in its ten seconds, spread evenly.

    `clubs`: who speaks for which tables, a connected client and their ids. `live`: what goes out unconfirmed and is not
    kept, as a venue's second bridge has it.
    """

    def __init__(self, clubs: list[tuple[paho.Client, list[str]]], live: tuple[str, ...] = ()) -> None:
        self._live = live
        self._clients: dict[str, paho.Client] = {}
        for client, tables in clubs:
            client.loop_start()
            self._clients |= dict.fromkeys(tables, client)
        self._infos = [
            MatchInfo(table, f"m-{table}", "icf", {"south": {"south": "Asha"}, "north": {"north": "Ben"}})
            for table in self._clients
        ]
        self._seq = 0
        self._says: dict[str, str] = {}
        self._does = {
            "board": self._board,
            "moves": self._moves,
            "stroke": self._stroke,
            "clock": self._clock,
            "health": self._health,
        }
        for info in self._infos:
            self._say(info, "availability", "online")
            self._health(info)
            self._says[info.table] = f"{info.table} at {time.monotonic()}"
            self._score(info, Clock(limit=15.0))

    def play(self) -> None:
        """Says "playing" on standard output, and plays on and on."""
        print("playing", flush=True)
        boards = [("board", 0.05 * number) for number in range(BOARDS)]
        healths = [("health", HEALTH_SECONDS * number) for number in range(int(STROKE_S / HEALTH_SECONDS))]
        clocks = [("clock", 1.4 + number) for number in range(8)]
        plan = sorted(
            ((at + STROKE_S * number / len(self._infos)) % STROKE_S, number, what)
            for number in range(len(self._infos))
            for what, at in [*boards, ("moves", 0.0), ("stroke", 0.4), *clocks, *healths]
        )
        began = time.monotonic()
        while True:
            for at, number, what in plan:
                time.sleep(max(0.0, began + at - time.monotonic()))
                self._does[what](self._infos[number])
            began += STROKE_S

    def _say(self, info: MatchInfo, kind: str, body: object, retain: bool = True) -> None:
        text = body if isinstance(body, str) else json.dumps(body)
        kept = kind not in self._live
        self._clients[info.table].publish(f"carrom/{info.table}/{kind}", text, int(kept), retain and kept)

    def _board(self, info: MatchInfo) -> None:
        moved = time.monotonic() % 1
        pieces = [{"piece": piece, "x": x + moved, "y": y} for piece, x, y in PIECES]
        self._say(info, "board", {"t": time.time(), "moving": True, "pieces": pieces})

    def _moves(self, info: MatchInfo) -> None:
        # The stroke clock stands.
        self._score(info, Clock(True, 6.0, 15.0))

    def _stroke(self, info: MatchInfo) -> None:
        self._seq += 1
        self._says[info.table] = f"{info.table} at {time.monotonic()}"
        self._say(info, "ruling", stamped(ruling(seq=self._seq), time.time()), retain=False)
        self._score(info, Clock(True, 15.0, 15.0, time.time() + 15.0))

    def _score(self, info: MatchInfo, clock: Clock) -> None:
        body = plain(score(ruling(seq=self._seq), info, time.time(), clock=clock))
        body["last"]["says"] = self._says[info.table]
        self._say(info, "score", body)

    def _clock(self, info: MatchInfo) -> None:
        # The number of one second for all tables: each changes, at a moment of its own.
        self._say(info, "score/clock", str(int(time.monotonic()) % 15))

    def _health(self, info: MatchInfo) -> None:
        self._say(info, "health", {"t": time.time(), "armed": "armed", "name": info.table.title(), "page": ""})
