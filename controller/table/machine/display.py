"""Whether one of the table's own displays shows its score. Pure; the time comes in."""

from __future__ import annotations

from collections.abc import Callable

from controller.mqtt.payloads import Display

PATIENCE_S = 10.0
"""So long a display may be away before it is missed: a page that is reloaded, a browser that starts anew."""


class DisplayWatch:
    """Counts the displays that follow the table's pages. `expected`: the table has one; `now`: seconds, monotonic."""

    def __init__(self, expected: bool, now: Callable[[], float]) -> None:
        self._expected, self._now = expected, now
        self._count, self._left_s = 0, now()

    def shown(self, count: int) -> None:
        """So many displays follow from now on; from any thread."""
        if count < self._count:
            self._left_s = self._now()
        self._count = count

    @property
    def says(self) -> Display | None:
        """How it stands; None where no display is expected."""
        if not self._expected:
            return None
        return "on" if self._count or self._now() - self._left_s < PATIENCE_S else "none"
