"""The end of the process, whatever hangs: SIGTERM is received by a thread of its own, which waits only so long.

Signals come in over a socket that the interpreter's C handler writes to: the main thread may be stuck in anything. Must
not know what the daemon is made of.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import socket
import threading
from collections.abc import Callable

log = logging.getLogger(__name__)

LIMIT_S = 4.0
"""So long everything may take to end in order; with what follows it stays below five seconds."""

SIGNALS = (signal.SIGTERM, signal.SIGINT)
BEGUN = 0
"""No signal has this number."""


class Ending:
    """Made in the main thread. `asked()` is called when a signal comes; if the process is still there `limit_s` later,
    `last_words()` is called and the process leaves with exit code `code`. Both are called from the ending's own thread.
    """

    def __init__(
        self,
        asked: Callable[[], object],
        last_words: Callable[[], object],
        limit_s: float = LIMIT_S,
        leave: Callable[[int], object] = os._exit,
    ) -> None:
        self._asked = asked
        self._last_words = last_words
        self._limit_s = limit_s
        self._leave = leave
        self._near, self._far = socket.socketpair()
        self.code = 1
        """With what the process leaves if it has to be ended; the daemon sets it once everything is in order."""

    def listen(self) -> None:
        """Begins to hear signals. To be called from the main thread."""
        self._far.setblocking(False)
        for number in SIGNALS:
            signal.signal(number, lambda *_: None)
        signal.set_wakeup_fd(self._far.fileno(), warn_on_full_buffer=False)
        threading.Thread(target=self._wait, name="ending", daemon=True).start()

    def begin(self) -> None:
        """It is ending already, asked or not: from now on the same limit holds."""
        with contextlib.suppress(OSError):
            self._far.send(bytes([BEGUN]))

    def _wait(self) -> None:
        came: bytes = b""
        while not any(number in (*SIGNALS, BEGUN) for number in came):
            came = self._near.recv(64)
        if BEGUN not in came:
            self._try(self._asked)
        threading.Event().wait(self._limit_s)
        self._try(self._last_words)
        self._leave(self.code)

    @staticmethod
    def _try(call: Callable[[], object]) -> None:
        try:
            call()
        except Exception:
            log.exception("the end goes on without this")
