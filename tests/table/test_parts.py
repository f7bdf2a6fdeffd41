"""Every thread of the daemon and the eyes: killed inside it is said, hanging it is said, idle it is not."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from controller.journal.journal import Journal
from controller.journal.scribe import Scribe
from controller.mqtt.client import Broker, TableClient
from controller.panel.panel import Panel
from controller.pockets.beam_map import beam_map
from controller.pockets.gpio_port import GpioPockets
from controller.pockets.serial_port import SerialPockets
from controller.supervision.heartbeat import SupervisedThread
from controller.table.machine.supervision import LIMITS_S, Supervision
from controller.vision.link import DaemonLink
from controller.vision.sources.capture import Capture
from controller.web.feed import Feed
from controller.web.server import WebServer
from tests.panel.simulated_pins import SimulatedPins
from tests.patience import PATIENCE_S, until

pytestmark = pytest.mark.live

Inside = Callable[[], None]
"""Called in the part's own thread."""


class Killed(SystemExit):
    """What no handler of ours catches."""


@contextlib.contextmanager
def scribe(folder: Path, inside: Inside) -> Iterator[SupervisedThread]:
    class Held(Journal):
        def append(self, *args: Any, **more: Any) -> None:
            inside()

    with Held(folder / "j") as journal:
        made = Scribe(journal)
        made.start()
        made.append("m", 1, {"event": "play"}, {}, 1.0)
        yield made.thread
        made.stop(0)


@contextlib.contextmanager
def serial_pockets(_folder: Path, inside: Inside) -> Iterator[SupervisedThread]:
    made = SerialPockets(
        port="auto",
        beams=beam_map(),
        now_ns=time.monotonic_ns,
        store=lambda _edges: None,
        emit=lambda _event: None,
        ports=lambda: inside() or (),
    )
    made.start()
    yield made.thread
    made.stop()


@contextlib.contextmanager
def gpio_pockets(_folder: Path, inside: Inside) -> Iterator[SupervisedThread]:
    lines = SimpleNamespace(
        open=inside, levels=dict, wait=lambda s: (threading.Event().wait(s) and ()) or (), close=lambda: None
    )
    made = GpioPockets(
        lines=lines,
        beams=beam_map(),
        now_ns=time.monotonic_ns,
        store=lambda _edges: None,
        emit=lambda _event: None,
    )
    made.start()
    yield made.thread
    made.stop()


@contextlib.contextmanager
def panel(_folder: Path, inside: Inside) -> Iterator[SupervisedThread]:
    class Pins(SimulatedPins):
        def open(self, *_: Any) -> None:
            inside()

    made = Panel(Pins(), now_ns=time.monotonic_ns, lamp=1)
    made.start()
    yield made.thread
    made.stop()


@contextlib.contextmanager
def broker(_folder: Path, inside: Inside) -> Iterator[SupervisedThread]:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        made = TableClient(
            Broker("127.0.0.1", nobody.getsockname()[1]), "t", on_change=lambda state: state.says and inside()
        )
        made.start()
        yield made.threads[0]
        # Its last word, `stopped`, is told too.
        made._on_change = None
        made.stop()


@contextlib.contextmanager
def calls(_folder: Path, inside: Inside) -> Iterator[SupervisedThread]:
    made = TableClient(Broker("127.0.0.1", 1), "t", now=lambda: inside() or 1.0)
    made._calls.put(SimpleNamespace(payload=b'{"event": "play", "id": "a", "t": 1}', properties=None))
    made.threads[1].start()
    yield made.threads[1]
    made._stopping.set()
    made._calls.put(None)
    made.threads[1].join()


@contextlib.contextmanager
def web(_folder: Path, inside: Inside) -> Iterator[SupervisedThread]:
    async def app(_scope: Any, _receive: Any, _send: Any) -> None:
        # Beside the request: what goes wrong in one is the server's to answer.
        asyncio.get_running_loop().call_soon(inside)

    made = WebServer(app, Feed(), "127.0.0.1", 0)
    port = made.start()
    with socket.create_connection(("127.0.0.1", port)) as asks:
        asks.sendall(b"GET / HTTP/1.0\r\n\r\n")
        yield made.thread
    made.stop()


@contextlib.contextmanager
def link(_folder: Path, inside: Inside) -> Iterator[SupervisedThread]:
    class Nowhere:
        def __str__(self) -> str:
            inside()
            return "/nowhere"

    made = DaemonLink(Nowhere())  # type: ignore[arg-type]
    made.start()
    yield made.thread
    made.stop()


@contextlib.contextmanager
def capture(_folder: Path, inside: Inside) -> Iterator[SupervisedThread]:
    class Watched(Capture):
        def _await_trouble(self, *args: Any) -> None:
            inside()

    made = Watched(lambda: SimpleNamespace(live=True, open=lambda: None, read=lambda _s: None, close=lambda: None))
    made.start()
    yield made.thread
    made.stop()


PARTS = [scribe, serial_pockets, gpio_pockets, panel, broker, calls, web, link, capture]
parts = pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)


def watching(thread: SupervisedThread) -> Supervision:
    watched = Supervision(4.0)
    # The eyes' own two are looked after by the eyes.
    if thread.name in LIMITS_S:
        watched.watch(thread)
    return watched


@parts
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_thread_that_is_killed_is_said(part, tmp_path) -> None:
    def inside() -> None:
        raise Killed("here")

    with part(tmp_path, inside) as thread:
        until(lambda: thread.died_of, "it has died")
        assert thread.died_of == "Killed: here"
        assert (thread.name in watching(thread).troubles()) == (thread.name in LIMITS_S)


@parts
def test_a_thread_that_hangs_is_said(part, tmp_path) -> None:
    entered, go = threading.Event(), threading.Event()

    def inside() -> None:
        entered.set()
        go.wait(PATIENCE_S)

    with part(tmp_path, inside) as thread:
        try:
            assert entered.wait(PATIENCE_S)
            # Later, and it has not gone on: others than its own thread do not beat for it.
            thread.now = lambda: time.monotonic() + 1000
            assert thread.silent_s() > max(LIMITS_S.values())
            troubles = watching(thread).troubles()
            assert "hangs" in troubles.get(thread.name, "hangs")
        finally:
            go.set()


@parts
def test_a_thread_that_has_nothing_to_do_goes_on(part, tmp_path) -> None:
    with part(tmp_path, lambda: None) as thread:
        thread.now = lambda: time.monotonic() + 1000
        until(lambda: thread.silent_s() < 1, "it beats though nothing happens")
        assert not watching(thread).troubles()
