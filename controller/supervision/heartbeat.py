"""What supervision sees of a part of a process: when it last went on, and what it died of.

Judged by the machine's own monotonic clock: a simulated board may stand still, a process may not. Must not know how
long a part may be silent.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

log = logging.getLogger(__name__)

STOP_S = 2.0
"""So long an ending waits for one thread; a thread that hangs then is left behind, and reported so."""


class Heartbeat:
    """One part that must go on. It calls `beat()`; whoever supervises reads `silent_s()` and `died_of`."""

    def __init__(self, name: str, now: Callable[[], float] = time.monotonic) -> None:
        self.name = name
        self.now = now
        self._beat = now()
        self.died_of = ""
        """Why it goes on no more; empty while it lives."""

    def beat(self) -> None:
        """Says that it has gone on. Any thread."""
        self._beat = self.now()

    def silent_s(self) -> float:
        """Returns for how many seconds it has not gone on."""
        return self.now() - self._beat


class SupervisedThread(Heartbeat):
    """A thread with a heartbeat. Whatever ends it before `stopping` is set is kept in `died_of` and logged.

    `work(beat)` runs in the thread, calls `beat()` whenever it has gone on, idle or not, and returns once `stopping` is
    set. The thread is a daemon thread: one that hangs does not hold up the process's end.
    """

    def __init__(
        self,
        name: str,
        work: Callable[[Callable[[], None]], None],
        stopping: threading.Event,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(name, now)
        self._work = work
        self._stopping = stopping
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Starts it; to be called once."""
        self.beat()
        self._thread = threading.Thread(target=self._run, name=self.name, daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._thread is not None and self._thread.is_alive()

    def join(self, timeout_s: float = STOP_S) -> bool:
        """Waits for its end; returns False, and says so in the log, if it has not come in time."""
        if self._thread is not None:
            self._thread.join(timeout_s)
        if self.alive:
            log.error("%s does not end", self.name)
        return not self.alive

    def _run(self) -> None:
        try:
            self._work(self.beat)
        except BaseException as error:
            self.died_of = f"{type(error).__name__}: {' '.join(str(error).split())}"
            log.exception("%s has died", self.name)
        else:
            if not self._stopping.is_set():
                self.died_of = "it ended though nobody had asked it to"
                log.error("%s has ended though nobody had asked it to", self.name)
