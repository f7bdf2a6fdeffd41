"""The eyes' end of the line to the daemon: one observation a line, connected again for ever.

A thread of its own does the waiting, so that a daemon that is away or slow never holds the camera back, unless that
is asked for. What cannot be delivered while the daemon is away is dropped, except the newest board and the strokes. The
latest strokes are said again on each new connection: a daemon that was killed may have read them and not written down.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections import deque
from pathlib import Path

from controller.events.observation import BoardSeen, HandsSeen, Moving, Observation, StrokeSeen
from controller.events.wire import observation_to_line

RETRY_S = 0.2
KEPT_STROKES = 20
SAID_AGAIN = 3
LOSSY_ABOVE = 64
"""With so many lines waiting, live positions and hands are no longer news."""

SEND_TIMEOUT_S = 10.0


class DaemonLink:
    """Sends observations. With `hold` a full line holds the sender until the daemon has read on."""

    def __init__(self, path: Path, *, hold: bool = False) -> None:
        self._path = path
        self._hold = hold
        self._condition = threading.Condition()
        self._waiting: deque[Observation] = deque()
        self._said: deque[StrokeSeen] = deque(maxlen=SAID_AGAIN)
        self._connected = False
        self._sending = False
        self._stop = False
        self._thread: threading.Thread | None = None
        self.dropped = 0

    def start(self) -> None:
        """Starts connecting."""
        self._thread = threading.Thread(target=self._work, name="daemon-link", daemon=True)
        self._thread.start()

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
        with self._condition:
            if not self._connected:
                self._waiting.append(observation)
                self._forget_old()
            else:
                if self._hold:
                    self._condition.wait_for(
                        lambda: len(self._waiting) < LOSSY_ABOVE or not self._connected or self._stop
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
            self._stop = True
            self._condition.notify_all()
        if self._thread is not None:
            self._thread.join(timeout=2.0)

    def _forget_old(self) -> None:
        """Keeps the newest board and the last strokes, in their order."""
        strokes = [item for item in self._waiting if isinstance(item, StrokeSeen)][-KEPT_STROKES:]
        board = next((item for item in reversed(self._waiting) if isinstance(item, BoardSeen)), None)
        kept = [item for item in self._waiting if item is board or any(item is stroke for stroke in strokes)]
        self.dropped += len(self._waiting) - len(kept)
        self._waiting = deque(kept)

    def _work(self) -> None:
        while not self._stop:
            channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            channel.settimeout(SEND_TIMEOUT_S)
            try:
                channel.connect(str(self._path))
                self._set_connected(True)
                self._send_from(channel)
            except OSError:
                pass
            finally:
                with contextlib.suppress(OSError):
                    channel.close()
                self._set_connected(False)
            with self._condition:
                self._condition.wait_for(lambda: self._stop, RETRY_S)

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

    def _send_from(self, channel: socket.socket) -> None:
        while True:
            with self._condition:
                # Without news the other end's leaving would go unnoticed: look now and then.
                self._condition.wait_for(lambda: bool(self._waiting) or self._stop, RETRY_S)
                if self._stop:
                    return
                item = self._waiting.popleft() if self._waiting else None
                self._sending = item is not None
                self._condition.notify_all()
            if item is None:
                if _closed(channel):
                    return
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


def _closed(channel: socket.socket) -> bool:
    """The daemon never speaks on this line: something to read means that it hung up."""
    channel.setblocking(False)
    try:
        return channel.recv(1) == b""
    except BlockingIOError:
        return False
    finally:
        channel.settimeout(SEND_TIMEOUT_S)
