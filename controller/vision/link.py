"""The vision process's end of the line to the daemon: one observation or order a line; it reconnects for ever.

A thread of its own does the waiting, so that a daemon that is away or slow never holds the camera back, unless that
is asked for. What cannot be delivered while the daemon is away is dropped, except the newest board and the strokes. The
latest strokes are sent again on each new connection: a daemon that was killed may have read them and not written down.
Strokes are kept in a file as well, so that a vision process that dies before the daemon is back has lost nothing.
"""

from __future__ import annotations

import contextlib
import json
import logging
import socket
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path

from controller.events.doors import json_value
from controller.events.errors import PeerError
from controller.events.observation import BoardSeen, HandsSeen, Moving, Observation, StrokeSeen
from controller.events.orders import Order, order_from_line
from controller.events.wire import observation_from_line, observation_to_line
from controller.supervision.heartbeat import SupervisedThread

log = logging.getLogger(__name__)

RETRY_S = 0.2
KEPT_STROKES = 20
SAID_AGAIN = 3
LOSSY_ABOVE = 64
"""With so many lines waiting, live positions and hands are no longer news."""

SEND_TIMEOUT_S = 10.0


class DaemonLink:
    """Sends observations. With `hold` a full line holds the sender until the daemon has read on.

    `kept`: the file of the latest strokes; `clock`: what tells this run of the table's clock from others: strokes of
    another one are none of now. `ordered`: called with each order, in the link's thread.
    """

    def __init__(self, path: Path, *, hold: bool = False, kept: Path | None = None, clock: str = "") -> None:
        self._path = path
        self.ordered: Callable[[Order], object] = lambda order: None
        self._kept = kept
        self._clock = clock
        self._strokes: deque[str] = deque()
        self._hold = hold
        self._condition = threading.Condition()
        self._waiting: deque[Observation] = deque()
        self._said: deque[StrokeSeen] = deque(maxlen=SAID_AGAIN)
        self._connected = False
        self._sending = False
        self._stopping = threading.Event()
        self.thread = SupervisedThread("link", self._work, self._stopping)
        """For supervision."""
        self.dropped = 0

    def start(self) -> None:
        """Starts connecting; the strokes that an earlier process has kept are sent first."""
        self._waiting.extend(self._read_kept())
        self.thread.start()

    @property
    def connected(self) -> bool:
        """Whether the daemon is there."""
        return self._connected

    def await_daemon(self, timeout_s: float) -> bool:
        """Waits until the daemon is there; False if it did not come in time."""
        with self._condition:
            return self._condition.wait_for(lambda: self._connected, timeout_s)

    def send(self, observation: Observation) -> None:
        """Hands over an observation; does not wait, except with `hold`."""
        if isinstance(observation, StrokeSeen):
            self._keep(observation)
        with self._condition:
            if not self._connected:
                self._waiting.append(observation)
                self._forget_old()
            else:
                if self._hold:
                    self._condition.wait_for(
                        lambda: len(self._waiting) < LOSSY_ABOVE or not self._connected or self._stopping.is_set()
                    )
                elif len(self._waiting) >= LOSSY_ABOVE and isinstance(observation, Moving | HandsSeen):
                    self.dropped += 1
                    return
                self._waiting.append(observation)
            self._condition.notify_all()

    def drain(self, timeout_s: float) -> bool:
        """Waits until everything has been handed to the daemon; False if that took too long."""
        with self._condition:
            return self._condition.wait_for(lambda: not self._waiting and not self._sending, timeout_s)

    def stop(self) -> None:
        """Ends the thread and the connection."""
        with self._condition:
            self._stopping.set()
            self._condition.notify_all()
        self.thread.join()

    def _keep(self, stroke: StrokeSeen) -> None:
        """Writes the latest strokes down before the newest is sent: in memory, where the daemon's socket is."""
        if self._kept is None:
            return
        self._strokes.append(observation_to_line(stroke))
        while len(self._strokes) > (SAID_AGAIN if self._connected else KEPT_STROKES):
            self._strokes.popleft()
        fresh = self._kept.with_name(self._kept.name + ".new")
        try:
            lines = [json.dumps({"clock": self._clock}), *self._strokes]
            fresh.write_text("\n".join(lines) + "\n", encoding="utf-8")
            fresh.replace(self._kept)
        except OSError as error:
            log.warning("%s: strokes cannot be kept: %s", self._kept, error)

    def _read_kept(self) -> list[StrokeSeen]:
        if self._kept is None:
            return []
        try:
            first, *lines = self._kept.read_text(encoding="utf-8").splitlines()
            if json_value(first) != {"clock": self._clock}:
                return []
            seen = [observation_from_line(line.encode()) for line in lines]
            self._strokes.extend(lines)
        except FileNotFoundError:
            return []
        except (OSError, ValueError, PeerError) as error:
            log.warning("%s: strokes that were kept cannot be read: %s", self._kept, error)
            return []
        return [stroke for stroke in seen if isinstance(stroke, StrokeSeen)]

    def _forget_old(self) -> None:
        """Keeps the newest board and the last strokes, in their order."""
        strokes = [item for item in self._waiting if isinstance(item, StrokeSeen)][-KEPT_STROKES:]
        board = next((item for item in reversed(self._waiting) if isinstance(item, BoardSeen)), None)
        kept = [item for item in self._waiting if item is board or any(item is stroke for stroke in strokes)]
        self.dropped += len(self._waiting) - len(kept)
        self._waiting = deque(kept)

    def _work(self, beat: Callable[[], None]) -> None:
        while not self._stopping.is_set():
            beat()
            channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            channel.settimeout(SEND_TIMEOUT_S)
            try:
                channel.connect(str(self._path))
                self._set_connected(True)
                self._send_from(channel, beat)
            except OSError:
                pass
            finally:
                with contextlib.suppress(OSError):
                    channel.close()
                self._set_connected(False)
            with self._condition:
                self._condition.wait_for(self._stopping.is_set, RETRY_S)

    def _set_connected(self, connected: bool) -> None:
        with self._condition:
            self._connected = connected
            if connected:
                self._waiting.extendleft(reversed(self._said))
                self._said.clear()
            else:
                self._sending = False
                self._forget_old()
            self._condition.notify_all()

    def _send_from(self, channel: socket.socket, beat: Callable[[], None]) -> None:
        heard = b""
        while True:
            beat()
            said = _said(channel)
            if said == b"":
                return
            if said is not None:
                *lines, heard = (heard + said).split(b"\n")
                self._take(lines)
            with self._condition:
                # Without news the other end's leaving would go unnoticed: look now and then.
                self._condition.wait_for(lambda: bool(self._waiting) or self._stopping.is_set(), RETRY_S)
                if self._stopping.is_set():
                    return
                item = self._waiting.popleft() if self._waiting else None
                self._sending = item is not None
                self._condition.notify_all()
            if item is None:
                continue
            try:
                channel.sendall(observation_to_line(item).encode() + b"\n")
            except OSError:
                with self._condition:
                    self._waiting.appendleft(item)
                raise
            with self._condition:
                self._sending = False
                if isinstance(item, StrokeSeen):
                    self._said.append(item)
                self._condition.notify_all()

    def _take(self, lines: list[bytes]) -> None:
        for line in lines:
            try:
                order = order_from_line(line)
            except PeerError as error:
                log.warning("%s", error)
                continue
            self.ordered(order)


def _said(channel: socket.socket) -> bytes | None:
    """What the daemon has sent since, b"" if it hung up, None if nothing."""
    channel.setblocking(False)
    try:
        return channel.recv(4096)
    except BlockingIOError:
        return None
    finally:
        channel.settimeout(SEND_TIMEOUT_S)
