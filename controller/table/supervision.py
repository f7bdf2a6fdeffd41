"""Who must show progress how often, and what the service manager is told: a table, and the watchdog fed from it.

The watchdog is fed only while every part that must go on has gone on within its limit. Judged by the machine's own
monotonic clock: a simulated board may stand still, a process may not.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from controller.table.notify import notify

LIMITS_S: Mapping[str, float] = {
    "desk": 5.0,
}
"""Part → how long it may go without progress before the process had better be started anew.

Camera, node and broker are not here: they come back by themselves, and the table is degraded meanwhile.
"""


class Supervision:
    """Feeds the service manager's watchdog. `interval_s`: what it wants; None without one."""

    def __init__(self, interval_s: float | None, now: Callable[[], float] = time.monotonic) -> None:
        self._interval = interval_s
        self._now = now
        self._fed = float("-inf")
        self._progress = dict.fromkeys(LIMITS_S, now())

    def progressed(self, part: str) -> None:
        """A part has got something done."""
        self._progress[part] = self._now()

    def stuck(self) -> tuple[str, ...]:
        """The parts that have gone without progress for longer than their limit."""
        now = self._now()
        return tuple(part for part, limit in LIMITS_S.items() if now - self._progress[part] > limit)

    def feed(self) -> bool:
        """Feeds the watchdog if it is time and nothing is stuck. Returns whether it was fed."""
        now = self._now()
        if self._interval is None or now - self._fed < self._interval / 2 or self.stuck():
            return False
        self._fed = now
        return notify("WATCHDOG=1")
