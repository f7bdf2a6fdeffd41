"""Which parts of the daemon must go on, how long each may be silent, and what follows when one does not.

A part that is dead or silent for too long is a standing fault for everybody to see, and the service manager's watchdog
is fed no more, so that it starts the daemon anew. Supervision has a thread of its own: a desk that hangs cannot say so.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping

from controller.supervision.heartbeat import Heartbeat, SupervisedThread
from controller.table.machine.notify import notify

LIMITS_S: Mapping[str, float] = {
    "desk": 5.0,
    # One write; SQLite itself waits two seconds for a file that is held.
    "scribe": 10.0,
    # A node that has to be found anew sits in its bootloader; a write waits for the scribe.
    "pockets": 15.0,
    # The desk may take ten seconds over a call.
    "calls": 15.0,
    # A name that cannot be resolved takes the resolver this long.
    "broker": 30.0,
    "web": 10.0,
    "panel": 10.0,
    "supervision": 5.0,
}
"""Part → how long it may go without a beat before the process had better be started anew.

Camera, node and broker themselves are not here: they come back by themselves, and the table is degraded meanwhile.
"""

LOOK_S = 0.5

FIX = "Fix: it is started anew by itself; if not, `systemctl restart carrom`"

Troubles = Mapping[str, str]
"""Part → what is wrong with it, in a sentence that stays the same as long as it is wrong."""


class Supervision:
    """Looks after heartbeats. `interval_s`: how often the service manager wants a sign of life, None without one."""

    def __init__(
        self,
        interval_s: float | None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._interval = interval_s
        self._changed: Callable[[Troubles], None] = lambda _troubles: None
        self._now = now
        self._fed = float("-inf")
        self._told: Troubles = {}
        self._parts: tuple[Heartbeat, ...] = ()
        self._stopping = threading.Event()
        self._thread = SupervisedThread("supervision", self._work, self._stopping, now)

    def watch(self, *parts: Heartbeat) -> None:
        """Looks after these too. Raises KeyError for a part that has no limit."""
        for part in parts:
            LIMITS_S[part.name]
        self._parts = (*self._parts, *parts)

    def forget(self, part: Heartbeat) -> None:
        """Looks after this part no more: it was ended on purpose."""
        self._parts = tuple(one for one in self._parts if one is not part)

    def start(self, changed: Callable[[Troubles], None] = lambda _troubles: None) -> None:
        """Starts looking. `changed(troubles)` is called from supervision's own thread whenever something begins or
        ceases to be wrong."""
        self._changed = changed
        self.watch(self._thread)
        self._thread.start()

    def stop(self) -> None:
        """Looks no more."""
        self._stopping.set()
        self._thread.join()

    def troubles(self) -> Troubles:
        """Returns what is wrong now. Any thread."""
        found = {}
        for part in self._parts:
            if part.died_of:
                found[part.name] = f"the daemon's {part.name} has died ({part.died_of}). {FIX}"
            elif part.silent_s() > LIMITS_S[part.name]:
                found[part.name] = f"the daemon's {part.name} hangs. {FIX}"
        return found

    def running(self) -> tuple[str, ...]:
        """Returns the names of the threads that still run."""
        return tuple(part.name for part in self._parts if isinstance(part, SupervisedThread) and part.alive)

    def feed(self) -> bool:
        """Feeds the watchdog if it is time and nothing is wrong. Returns whether it was fed."""
        now = self._now()
        if self._interval is None or now - self._fed < self._interval / 2 or self.troubles():
            return False
        self._fed = now
        return notify("WATCHDOG=1")

    def look(self) -> None:
        """Looks once: tells what has changed, feeds the watchdog."""
        troubles = self.troubles()
        if troubles != self._told:
            self._told = troubles
            self._changed(troubles)
        self.feed()

    def _work(self, beat: Callable[[], None]) -> None:
        while not self._stopping.wait(LOOK_S):
            beat()
            self.look()
