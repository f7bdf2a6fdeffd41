"""A pocket node on a serial port: the thin shell round `Link`. One thread; it looks for its node for ever.

Two clocks: `now_ns` is the table's and the only one that edges, pings and silence are judged by (it may stand still or
run fast). The machine's own clock says how often the link is served and how long a silent port is tried, no more.
Must not know what an edge means.
"""

from __future__ import annotations

import contextlib
import logging
import os
import random
import select
import termios
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

import serial
from serial.tools import list_ports

from controller.events.beams import BeamEdge, BeamHealth, PocketEvent
from controller.pockets.beam_map import BeamMap
from controller.pockets.beam_watch import BeamWatch
from controller.pockets.conversation import State, Step
from controller.pockets.link import Link
from controller.pockets.messages import BAUD, RING
from controller.pockets.source import Emit, NowNs, SourceReport, Store
from controller.supervision.heartbeat import SupervisedThread

_log = logging.getLogger(__name__)

TICK_S = (0.03, 0.12)
PRESSING_S = (0.01, 0.04)
"""Irregular on purpose: see `Link.tick`."""
GATHER_S = 0.04
"""So long a reading may wait for more to come: a busy node then costs a fraction of the wake-ups."""
LOOK_S = 0.25
PATIENCE_S = 4.0
"""A Nano that was reset by the opening of its port sits two seconds in its bootloader."""
KEPT_UNSAVED = 20_000
AUTO = "auto"
IN_USE = "another program has the port"


def find_ports() -> list[str]:
    """Returns the ports on which a node may hang: the udev rule's names first, then every USB serial port."""
    named = sorted(str(path) for path in Path("/dev/carrom").glob("node*"))
    seen = {str(Path(name).resolve()) for name in named}
    usb = sorted(port.device for port in list_ports.comports() if port.vid is not None)
    return named + [name for name in usb if name not in seen]


class SerialPockets:
    """Reads one node, found by its id, on whatever port it turns up.

    `port`: a path, or "auto". `node`: the id it must say in its hello; empty takes any. `held(epoch)` gives the number
    after the newest edge of that boot in the journal, None for an unknown boot.
    """

    def __init__(
        self,
        *,
        port: str,
        beams: BeamMap,
        now_ns: NowNs,
        store: Store,
        emit: Emit,
        node: str = "",
        held: Callable[[str], int | None] = lambda epoch: None,
        ports: Callable[[], Sequence[str]] = find_ports,
    ) -> None:
        self._port = port
        self._node = node.lower()
        self._now_ns = now_ns
        self._store = store
        self._emit = emit
        self._ports = ports
        self._link = Link(beams, held)
        self._beams = beams
        self._watch = BeamWatch(beams)
        self._masked = 0
        self._stop = threading.Event()
        self._thread = SupervisedThread("pockets", self._run, self._stop)
        self._serial: serial.Serial | None = None
        self._writing = threading.Lock()
        # A clock that may run fast would make a short wait long.
        self._gather_s = GATHER_S if now_ns is time.monotonic_ns else 0.0
        self._unsaved: deque[BeamEdge] = deque(maxlen=KEPT_UNSAVED)
        self._trouble = ""
        self._where = ""
        self._read_bytes = 0
        self._written_bytes = 0

    # life -------------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begins to look for the node."""
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread and closes the port."""
        self._stop.set()
        self._thread.join()

    @property
    def thread(self) -> SupervisedThread:
        """The thread, for supervision."""
        return self._thread

    @property
    def link(self) -> Link:
        """The conversation, to look at."""
        return self._link

    def report(self) -> SourceReport:
        """Returns how the link is doing."""
        node, link, places = self._link.node, self._link, sorted(self._beams.places.items())
        return SourceReport(
            where=self._where or self._port,
            link=link.state.value,
            says=self._trouble or link.steadiness.says(self._now_ns()),
            restarts=link.steadiness.restarts,
            node=node.id if node else "",
            firmware=node.firmware if node else "",
            edges=link.counters.edges,
            lost=link.counters.lost,
            damaged=link.bad + link.counters.node_bad,
            residual_ns=link.clock.residual_ns,
            rate_ppm=link.clock.rate_ppm,
            read_bytes=self._read_bytes,
            written_bytes=self._written_bytes,
            fitted=self._beams.fitted,
            unwatched=tuple(place for sensor, place in places if not link.sensors.use >> sensor & 1),
            noise=link.sensors.counts_by_place,
            margins={place: link.sensors.margins[sensor] for sensor, place in places} if link.sensors.margins else {},
        )

    def send(self, name: str, **values: int) -> bool:
        """Sends `mask`, `set` or `get` to the node; False if no port is open. Any thread."""
        return self._write(self._link.tell(name, **values))

    # the thread -------------------------------------------------------------------------------------------------------

    def _run(self, beat: Callable[[], None]) -> None:
        while not self._stop.is_set():
            beat()
            for name in self._candidates():
                with contextlib.suppress(OSError, ValueError, termios.error):
                    self._converse(name, beat)
                if self._stop.is_set():
                    return
            self._take(self._link.tick(self._now_ns()))
            self._stop.wait(LOOK_S)

    def _candidates(self) -> Sequence[str]:
        if self._port != AUTO:
            return [self._port] if Path(self._port).exists() or "://" in self._port else []
        return self._ports()

    def _open(self, name: str) -> serial.Serial:
        try:
            port = serial.serial_for_url(name, BAUD, timeout=0, write_timeout=1.0, exclusive=True)
        except (OSError, ValueError, termios.error) as error:
            self._complain(f"{name}: {_plainly(error)}")
            raise
        self._keep_modem_lines(port)
        port.reset_input_buffer()
        return port

    @staticmethod
    def _keep_modem_lines(port: serial.Serial) -> None:
        """Leaves DTR up when the port is closed: the next opening then does not reset the node's board.

        A pty has no modem lines and an adapter may refuse; nothing hangs on it: a reset is just a new boot.
        """
        if port.fd is None:
            return
        with contextlib.suppress(OSError, termios.error):
            settings = termios.tcgetattr(port.fd)
            settings[2] &= ~termios.HUPCL
            termios.tcsetattr(port.fd, termios.TCSANOW, settings)

    def _converse(self, name: str, beat: Callable[[], None]) -> None:
        """Talks on one port until it goes, the node turns out to be another's, or nobody answers."""
        port = self._open(name)
        since = tick_at = read_at = time.monotonic()
        try:
            self._read_bytes = self._written_bytes = 0
            self._serial, self._where = port, name
            self._take(self._link.opened(self._now_ns()))
            while not self._stop.is_set():
                beat()
                if self._gather_s and not self._link.expects_pong:
                    time.sleep(max(0.0, read_at + self._gather_s - time.monotonic()))
                data = _read(port, max(0.0, tick_at - time.monotonic()))
                if data:
                    read_at = time.monotonic()
                    self._take(self._link.received(data, self._now_ns()))
                    self._read_bytes += len(data)
                if time.monotonic() >= tick_at:
                    self._take(self._link.tick(self._now_ns()))
                    tick_at = time.monotonic() + random.uniform(*TICK_S)
                if self._link.is_pressing:
                    tick_at = min(tick_at, time.monotonic() + random.uniform(*PRESSING_S))
                if self._settled():
                    since = time.monotonic()
                elif self._is_foreign() or time.monotonic() - since > PATIENCE_S:
                    return
        finally:
            with self._writing:
                self._serial = None
            with contextlib.suppress(OSError):
                port.close()
            self._take(self._link.closed(self._now_ns()))

    def _settled(self) -> bool:
        return self._link.state in (State.ALIGNING, State.RESUMING, State.RUNNING) and not self._is_foreign()

    def _is_foreign(self) -> bool:
        node = self._link.node
        foreign = bool(self._node) and node is not None and node.id != self._node
        if foreign and node is not None:
            self._complain(f"{self._where}: node {node.id} is there, {self._node} is wanted")
        return foreign

    def _write(self, data: bytes) -> bool:
        with self._writing:
            if self._serial is None:
                return False
            if data:
                self._serial.write(data)
                self._written_bytes += len(data)
            return True

    def _take(self, step: Step) -> None:
        """Sends, saves, acknowledges, reports: in that order, so pings are prompt and nothing unsaved is reported."""
        self._write(step.out)
        self._unsaved.extend(step.edges)
        # Edges of inputs that are no beams here bring no event, and yet must leave the node's ring.
        if not self._unsaved or self._save():
            self._write(self._link.stored())
        for event in step.events:
            for told in self._watch.see(event):
                self._emit(self._with_trouble(told))
            if isinstance(event, BeamHealth) and event.link == "up":
                self._mask()

    def _mask(self) -> None:
        """One chattering beam must not drown seven: the node passes it over until it has been quiet for a while.

        Sent with each beat until the node does so, and afterwards until it listens again.
        """
        drowning = self._watch.drowning
        unheard = sum(1 << sensor for sensor, place in self._beams.places.items() if place in drowning)
        self._masked = unheard | self._masked & ~self._link.sensors.use
        if unheard & self._link.sensors.use or self._masked & ~unheard:
            self._write(self._link.tell("mask", use=0xFF & ~unheard))

    def _save(self) -> bool:
        """Returns whether the node may forget what it sent.

        A full disk must not blind the beams: once half the node's ring waits, it may forget all the same, and the
        health report says so for as long as it lasts.
        """
        try:
            self._store(tuple(self._unsaved))
        except Exception as error:
            # Whoever stores is somebody else, with errors of his own; play goes on whatever befell him.
            self._complain(f"edges cannot be saved: {_plainly(error)}")
            return len(self._unsaved) > RING // 2
        self._unsaved.clear()
        self._trouble = ""
        return True

    def _with_trouble(self, event: PocketEvent) -> PocketEvent:
        if not isinstance(event, BeamHealth) or not self._trouble or not self._unsaved:
            return event
        says = "; ".join(part for part in (self._trouble, event.says) if part)
        return BeamHealth(
            event.t_ns,
            event.link,
            event.blocked,
            event.blind,
            event.full,
            event.residual_ns,
            event.noise,
            says,
        )

    def _complain(self, says: str) -> None:
        """Says a trouble once in the log, however often it comes, and keeps it for the report."""
        if says != self._trouble:
            _log.warning("%s", says)
        self._trouble = says


def _read(port: serial.Serial, timeout_s: float) -> bytes:
    """Returns what there is, waiting for the first byte; nothing if none came in time. Raises OSError once it is gone.

    pyserial's own read asks the kernel five times for what two calls give.
    """
    ready, _, _ = select.select([port.fileno()], [], [], timeout_s)
    if not ready:
        return b""
    data = os.read(port.fileno(), 4096)
    if not data:
        raise serial.SerialException("the port hung up")
    return data


def _plainly(error: BaseException) -> str:
    text = str(error) or type(error).__name__
    if "Could not exclusively lock" in text:
        return f"{IN_USE}. Fix: close it (a serial monitor, a second carrom)"
    if "Permission denied" in text:
        return "no right to open the port. Fix: add the user to the group dialout"
    return text.splitlines()[0]
