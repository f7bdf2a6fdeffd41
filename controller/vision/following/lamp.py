"""Whether the lamp flickers more than following compensates: then no picture comes to rest, and no stroke is read.

Brightness in, a yes or no out. Must not know pieces or what is published.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from controller.vision.following.background import FLICKER_MOST
from controller.vision.sources.frame import Image

SWINGS, WITHIN_NS = 5, 3_000_000_000
"""So many changes of direction in so short a time are a lamp's: one who leans over the board and back makes two."""

STEP = 16
"""Of the small picture each so-manieth pixel both ways is enough for how bright it is."""


class LampWatch:
    """Follows how bright the levelled pictures are, each with its time in ns."""

    def __init__(self) -> None:
        self._turned_ns: deque[int] = deque(maxlen=SWINGS)
        self._extreme = 0.0
        self._rises = True

    def take(self, small: Image, t_ns: int) -> None:
        """Takes the next small picture (h, w)."""
        level = float(np.median(small[::STEP, ::STEP]))
        further = level >= self._extreme if self._rises else level <= self._extreme
        if further:
            self._extreme = level
        elif abs(level - self._extreme) > FLICKER_MOST * max(level, self._extreme):
            self._turned_ns.append(t_ns)
            self._extreme, self._rises = level, not self._rises

    def flickers(self, t_ns: int) -> bool:
        """Whether it has flickered up to a time."""
        return len(self._turned_ns) == SWINGS and t_ns - self._turned_ns[0] < WITHIN_NS
