"""Where hands are, and where they were in the last seconds: what vanished there was taken by one.

Must not know tracks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import cv2

from controller.vision.following.hands import Hands, hands_in, no_hands
from controller.vision.following.view import View
from controller.vision.sources.frame import Image

CORE_NS = 300_000_000
"""So long a part that came off a hand in the picture still counts as hand."""

LATELY_NS = 2_000_000_000
"""What vanished without being seen to move, where a hand was that lately, was taken by it."""
LATELY_STEP_NS = 30_000_000
ABOUT_NS = 90_000_000
"""Hands are remembered in such steps; where they were about a time is where they were so long before and after."""


class HandsLately:
    """The hands over one board."""

    def __init__(self, view: View) -> None:
        self.none = no_hands(view)
        self.now = self.none
        self._lately: deque[tuple[int, Image]] = deque()
        self._core: Hands | None = None
        self._core_ns = 0
        self.under_way_ns: int | None = None
        """When what is under way began: however long it takes, the hands of then are remembered to its end."""

    def look(
        self, changed: Image, view: View, pieces_mm: Sequence[tuple[float, float]], t_ns: int, *, quiet: bool
    ) -> Hands:
        """Finds the hands in a mask of change. `quiet`: nothing has changed at all. `pieces_mm`: see `hands_in`."""
        before = self._core if self._core is not None and t_ns - self._core_ns < CORE_NS else self.none
        hands = self.none if quiet else hands_in(changed, view, pieces_mm, self.none, before)
        if hands.any and (not self._lately or t_ns - self._lately[-1][0] >= LATELY_STEP_NS):
            self._lately.append((t_ns, hands.mask))
        since_ns = t_ns if self.under_way_ns is None else self.under_way_ns
        while self._lately and since_ns - self._lately[0][0] > LATELY_NS:
            self._lately.popleft()
        if hands.entering:
            self._core, self._core_ns = hands, t_ns
        self.now = hands
        return hands

    def taken(self, u: float, v: float, from_ns: int, to_ns: int) -> bool:
        """Whether a hand was over a place in the small picture between two times, as far as that is remembered."""
        i, j = round(u), round(v)
        height, width = self.none.mask.shape
        return (
            0 <= i < width
            and 0 <= j < height
            and any(mask[j, i] for t_ns, mask in self._lately if from_ns <= t_ns <= to_ns)
        )

    def mask_at(self, t_ns: int) -> Image:
        """Where hands were about a time, as far as that is remembered: a mask, 255 there."""
        mask = self.none.mask
        for seen_ns, seen in self._lately:
            if abs(seen_ns - t_ns) <= ABOUT_NS:
                mask = cv2.bitwise_or(mask, seen)
        return mask
