"""An umpire's act with and without a crowd of viewers: a real daemon, and the crowd in a process of its own."""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from controller.commands.demo.leash import leashed
from tests.bench.figure import Figure
from tests.web.client import Client

VIEWERS = 200
WORSE = 1.3
"""The limit: an act may take so many times as long with the crowd."""
STROKES = 40
"""A match under way: its state is as large as states get."""
ROUNDS = 4


def run(acts: int) -> Iterator[Figure]:
    """Yields the figures. `acts`: how many are timed in each round, with and without; an even number."""
    with tempfile.TemporaryDirectory() as folder, _daemon(Path(folder)) as umpire:
        for number in range(STROKES):
            seat = ("south", "north")[number % 2]
            umpire.post("/act", {"event": "shot", "seat": seat, "contacts": [{"with": "white", "at": [0, number]}]})
        alone, watched = [], []
        # In turns: a busy machine is busy for both.
        for _ in range(ROUNDS):
            alone += _acts(umpire, acts)
            with _crowd(umpire.port):
                watched += _acts(umpire, acts)
    for name, took in (("alone", alone), (f"with {VIEWERS} viewers", watched)):
        spread = f"{1000 * _at(took, 0.5):.1f} ms median, {1000 * _at(took, 0.95):.1f} ms at 95 % of {len(took)}"
        yield Figure(f"umpire's act {name}", "host", spread)
    for share in (0.5, 0.95):
        ratio = _at(watched, share) / _at(alone, share)
        name = f"umpire's act, viewers to none, at {100 * share:.0f} %"
        yield Figure(name, "host", f"{ratio:.2f} times", f"at most {WORSE}", ratio <= WORSE)


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
def _daemon(folder: Path) -> Iterator[Client]:
    for name in ("run", "state"):
        (folder / name).mkdir()
    (folder / "pin").write_text("471100")
    (folder / "carrom.toml").write_text(
        f'[table]\nruntime = "{folder / "run"}"\nstate = "{folder / "state"}"\n[camera]\nkind = "none"\n'
        f'[pockets]\nkind = "none"\n[mqtt]\nenabled = false\n'
        f'[web]\nhost = "127.0.0.1"\nport = 0\npin_file = "{folder / "pin"}"\n'
    )
    command = [sys.executable, "-m", "controller.cli", "run", "--config", str(folder / "carrom.toml")]
    port = folder / "state" / "http-port"
    with (folder / "log").open("wb") as log, subprocess.Popen(leashed(command), stdout=log, stderr=log) as daemon:
        try:
            while not (port.exists() and port.read_text().endswith("\n")):
                assert daemon.poll() is None, (folder / "log").read_text()
                time.sleep(0.05)
            client = Client(int(port.read_text()))
            assert client.login("471100").status == 200
            yield client
        finally:
            daemon.terminate()


@contextlib.contextmanager
def _crowd(port: int) -> Iterator[None]:
    command = [sys.executable, "-m", "tests.bench.crowd", str(port)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as crowd:
        assert crowd.stdout is not None
        assert crowd.stdin is not None
        assert crowd.stdout.readline() == b"ready\n"
        yield
        crowd.stdin.close()


def _watch(port: int) -> None:
    """Opens the viewers' streams, says `ready` once each has the state, and reads until standard input ends."""
    # On a real table the viewers' work is done elsewhere.
    os.nice(19)
    choose, links = selectors.DefaultSelector(), []
    for _ in range(VIEWERS):
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
            key.fileobj.recv(1 << 20)  # type: ignore[union-attr]


if __name__ == "__main__":
    _watch(int(sys.argv[1]))
