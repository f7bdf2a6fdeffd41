"""The stroke clock: how long the side on turn has left, for displays, warnings and `elapsed`.

Pure: times in ns of the one clock come in. It never rules: the engine does, on `elapsed` and on `timeout`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from controller.mqtt.payloads import Clock


@dataclass(frozen=True, slots=True)
class StrokeClock:
    """`since_ns`: when the present stroke's time began; None while the clock stands."""

    limit_s: float | None = None
    since_ns: int | None = None

    def started(self, t_ns: int) -> StrokeClock:
        """Starts the clock anew at `t_ns`."""
        return replace(self, since_ns=t_ns)

    def stopped(self) -> StrokeClock:
        """Stops it: between boards, in a pause, while a stroke runs."""
        return replace(self, since_ns=None)

    def left_s(self, now_ns: int) -> float | None:
        """Seconds left, not below 0; None while it stands or where the book has no limit."""
        if self.since_ns is None or self.limit_s is None:
            return None
        return max(0.0, self.limit_s - (now_ns - self.since_ns) / 1e9)

    def payload(self, now_ns: int) -> Clock:
        """The `clock` part of the `score` payload."""
        left = self.left_s(now_ns)
        return Clock(self.since_ns is not None, None if left is None else round(left, 1), self.limit_s)
