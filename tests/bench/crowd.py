"""An umpire's act with and without a crowd of viewers or of slow clients, and when the ruling is on every viewer's
screen: a real daemon, and the crowd in a process of its own.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.figure import Figure
from tests.web.client import Client
from tests.web.daemon import bare_daemon

VIEWERS = 200
WORSE = 1.3
"""The limit: an act may take so many times as long with the crowd."""
STROKES = 40
"""A match under way: its state is as large as states get."""
ROUNDS = 4
HALL = 50
"""Screens that look at one table, …"""
SHOWN_S = 0.300
"""… and how soon 95 % of all rulings are to be on all of them."""
SPACED_S = 0.4
"""Rulings come farther apart than two states told to everybody."""
_STATE = re.compile(rb'event: state\ndata: \{"score":\{"seq":(\d+)')


def run(acts: int) -> Iterator[Figure]:
    """Yields the figures. `acts`: how many are timed in each round, with and without; an even number."""
    with tempfile.TemporaryDirectory() as folder, bare_daemon(Path(folder)) as umpire:
        for number in range(STROKES):
            seat = ("south", "north")[number % 2]
            umpire.post("/act", {"event": "shot", "seat": seat, "contacts": [{"with": "white", "at": [0, number]}]})
        alone, watched, beset = [], [], []
        # In turns: a busy machine is busy for both.
        for _ in range(ROUNDS):
            alone += _acts(umpire, acts)
            with _crowd(umpire.port, VIEWERS):
                watched += _acts(umpire, acts)
            with _apart("tests.web.slow_clients", umpire.port, VIEWERS):
                beset += _acts(umpire, acts)
        first, last = _shown(umpire, acts)
    crowds = ((f"with {VIEWERS} viewers", watched), (f"with {VIEWERS} slow clients", beset))
    for name, took in (("alone", alone), *crowds):
        spread = f"{1000 * _at(took, 0.5):.1f} ms median, {1000 * _at(took, 0.95):.1f} ms at 95 % of {len(took)}"
        yield Figure(f"umpire's act {name}", "host", spread)
    for crowd, took in crowds:
        for share in (0.5, 0.95):
            ratio = _at(took, share) / _at(alone, share)
            name = f"umpire's act, {crowd} to none, at {100 * share:.0f} %"
            yield Figure(name, "host", f"{ratio:.2f} times", f"at most {WORSE}", ratio <= WORSE)
    for which, took, wanted in (("first", first, None), ("last", last, SHOWN_S)):
        spread = f"{1000 * _at(took, 0.5):.0f} ms median, {1000 * _at(took, 0.95):.0f} ms at 95 %"
        name = f"umpire's act to the ruling on the {which} of {HALL} screens"
        limit = f"95 % below {1000 * wanted:.0f} ms" if wanted else ""
        yield Figure(name, "host", f"{spread} of {len(took)}", limit, _at(took, 0.95) < wanted if wanted else None)


def _shown(umpire: Client, count: int) -> tuple[list[float], list[float]]:
    """From an act's sending to the first and to the last viewer's having the whole state with its ruling."""
    first, last = [], []
    with _crowd(umpire.port, HALL, telling=True) as crowd:
        assert crowd.stdout is not None
        for number in range(count):
            time.sleep(SPACED_S)
            began = time.monotonic()
            seq = umpire.post("/act", {"event": ("pause", "resume")[number % 2]}).json["seq"]
            came: list[float] = []
            while len(came) < HALL:
                shown, at = json.loads(crowd.stdout.readline())
                came += [at - began] if shown == seq else []
            first.append(min(came))
            last.append(max(came))
    return first, last


def _acts(umpire: Client, count: int) -> list[float]:
    took = []
    for number in range(count):
        event = {"event": ("pause", "resume")[number % 2]}
        began = time.perf_counter()
        said = umpire.post("/act", event)
        took.append(time.perf_counter() - began)
        assert said.status == 200, said.body
    return took


def _at(took: list[float], share: float) -> float:
    return sorted(took)[min(len(took) - 1, int(share * len(took)))]


@contextlib.contextmanager
def _crowd(port: int, viewers: int, *, telling: bool = False) -> Iterator[subprocess.Popen[bytes]]:
    with _apart("tests.bench.crowd", port, viewers, *(["tell"] if telling else [])) as crowd:
        yield crowd


@contextlib.contextmanager
def _apart(module: str, port: int, count: int, *more: str) -> Iterator[subprocess.Popen[bytes]]:
    """A crowd in a process of its own, once it is there."""
    command = [sys.executable, "-m", module, str(port), str(count), *more]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as crowd:
        assert crowd.stdout is not None
        assert crowd.stdin is not None
        assert crowd.stdout.readline() == b"ready\n"
        yield crowd
        crowd.stdin.close()


def _watch(port: int, viewers: int, *, telling: bool) -> None:
    """Opens the viewers' streams, says `ready` once each has the state, and reads until standard input ends.

    `telling`: a line `[seq, when]` whenever a viewer has a whole state, by the machine's monotonic clock.
    """
    # On a real table the viewers' work is done elsewhere.
    os.nice(19)
    choose, links = selectors.DefaultSelector(), []
    rests: dict[socket.socket, bytes] = {}
    for _ in range(viewers):
        link = socket.create_connection(("127.0.0.1", port))
        link.sendall(b"GET /events HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n")
        said = b""
        while b"event: state" not in said:
            said += link.recv(65536)
        choose.register(link, selectors.EVENT_READ)
        links.append(link)
    choose.register(sys.stdin, selectors.EVENT_READ)
    print("ready", flush=True)
    while True:
        for key, _ in choose.select():
            if key.fileobj is sys.stdin:
                return
            assert isinstance(key.fileobj, socket.socket)
            said = key.fileobj.recv(1 << 20)
            if telling:
                at = time.monotonic()
                *whole, rests[key.fileobj] = (rests.get(key.fileobj, b"") + said).split(b"\n\n")
                for state in filter(None, map(_STATE.search, whole)):
                    print(json.dumps([int(state[1]), at]), flush=True)


if __name__ == "__main__":
    _watch(int(sys.argv[1]), int(sys.argv[2]), telling="tell" in sys.argv[3:])
