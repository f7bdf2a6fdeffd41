"""How fast pictures come, and which never came."""

from __future__ import annotations

from collections import deque

from controller.vision.sources.frame import Frame

BLIND_FACTOR = 2.5
"""A gap between pictures longer than this many usual ones is a span that nobody saw."""

_KNOWN = 5


class Pace:
    """The usual time between pictures. `frames` counts those that came."""

    def __init__(self) -> None:
        self.frames = 0
        self._gaps: deque[int] = deque(maxlen=31)

    @property
    def frame_ns(self) -> int:
        """Usual time between pictures."""
        return sorted(self._gaps)[len(self._gaps) // 2] if self._gaps else 33_333_333

    def take(self, frame: Frame, last: Frame | None) -> tuple[int, bool]:
        """Counts a picture; returns how many are missing before it, and whether nobody saw that span."""
        self.frames += 1
        if last is None:
            return 0, False
        gap = frame.t_ns - last.t_ns
        numbered = max(0, frame.number - last.number - 1)
        blind = len(self._gaps) >= _KNOWN and gap > BLIND_FACTOR * self.frame_ns
        missing = max(numbered, round(gap / self.frame_ns) - 1) if blind else numbered
        self._gaps.append(gap // (missing + 1))
        return missing, blind
