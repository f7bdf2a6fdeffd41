"""Where hands are, and where they were in the last seconds: what vanished there was taken by one.

A hand is what has changed and is connected with what lies beyond the frame: a mask, and polygons out of a mask of
change. Must not know tracks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot

import cv2
import numpy as np

from calibration.board import SEATS, board_to_seat
from controller.events.observation import Hand, Point
from controller.events.words import Seat
from controller.vision.following.view import AROUND, View
from controller.vision.sources.frame import Image

Outline = tuple[Point, ...]

_WIDE = np.ones((7, 7), np.uint8)
STAYS_SHARE = 0.75
ROUND_SHARE = 0.6
_ENTER_PX = 6
"""Changed pixels beyond the frame below which nobody reaches in."""


@dataclass(frozen=True, slots=True, eq=False)
class Hands:
    """The hands of one picture: `mask` is 255 where one is, with a rim for its shadow's edge."""

    mask: Image
    outlines: tuple[np.ndarray, ...]
    entering: bool = False
    """At least one of them reaches in from beyond the frame in this very picture."""

    @property
    def any(self) -> bool:
        """Whether there is a hand."""
        return bool(self.outlines)

    def over(self, u: float, v: float) -> bool:
        """Whether one is over a place in the small picture."""
        height, width = self.mask.shape
        return bool(self.mask[min(max(round(v), 0), height - 1), min(max(round(u), 0), width - 1)])

    def described(self, view: View) -> tuple[Hand, ...]:
        """The hands in mm, with the side they came in from."""
        return tuple(_describe(outline, view) for outline in self.outlines)


@dataclass(frozen=True, slots=True)
class HandTrace:
    """Where hands were, as far as that is remembered: for each time in ns their outlines in mm, oldest first."""

    outlines_mm: tuple[tuple[int, tuple[Outline, ...]], ...] = ()

    def over(self, x_mm: float, y_mm: float, from_ns: int, to_ns: int) -> bool:
        """Whether a hand was over a place between two times."""
        return any(
            cv2.pointPolygonTest(np.array(outline, np.float32), (x_mm, y_mm), False) >= 0
            for t_ns, outlines in self.outlines_mm
            if from_ns <= t_ns <= to_ns
            for outline in outlines
        )


def no_hands(view: View) -> Hands:
    """The empty case."""
    return Hands(np.zeros(view.size[::-1], np.uint8), ())


def hands_in(
    changed: Image, view: View, loose_pieces_mm: Sequence[tuple[float, float]], empty: Hands, before: Hands
) -> Hands:
    """Finds the hands in a mask of change.

    `loose_pieces_mm`: where pieces lie or move; a broad blob that holds none of them is a hand or an arm even if it
    does not reach beyond the frame (a sleeve of the table's colour). `before`: the hands a moment ago; what has
    come apart from one and lies where it was is still part of it.
    """
    # On the dark frame and its edges a hand shows gaps, on the surface it does not.
    joined = cv2.bitwise_or(changed, cv2.bitwise_and(cv2.dilate(changed, _WIDE), view.rim))
    outlines, _ = cv2.findContours(joined, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    striker = np.pi * view.radius_px(view.board.striker_diameter_mm / 2.0) ** 2
    found = []
    reaching = False
    entering = cv2.countNonZero(cv2.bitwise_and(changed, view.outside)) >= _ENTER_PX
    for outline in outlines:
        if len(outline) < 4:
            continue
        area = cv2.contourArea(outline)
        if area < 0.2 * striker:
            continue
        reaches = entering and area > 0.35 * striker and _reaches_in(outline, view)
        reaching = reaching or reaches
        broad = area > 3.5 * striker and _broad(outline, view, loose_pieces_mm)
        if reaches or broad or (before.any and _was_hand(outline, before.mask)):
            found.append(outline)
    if not found:
        return empty
    mask = np.zeros_like(changed)
    cv2.drawContours(mask, found, -1, 255, -1)
    return Hands(cv2.dilate(mask, AROUND, iterations=2), tuple(found), reaching)


def _was_hand(outline: np.ndarray, before: Image) -> bool:
    """Whether it lies where a hand was and is not round: a fingertip that came off it, not a piece it lets go."""
    _, radius = cv2.minEnclosingCircle(outline)
    if cv2.contourArea(outline) > ROUND_SHARE * np.pi * radius * radius:
        return False
    left, top, width, height = cv2.boundingRect(outline)
    mask = np.zeros((height, width), np.uint8)
    cv2.drawContours(mask, [outline], -1, 255, -1, offset=(-left, -top))
    within = cv2.countNonZero(cv2.bitwise_and(mask, before[top : top + height, left : left + width]))
    return within > STAYS_SHARE * cv2.countNonZero(mask)


def _reaches_in(outline: np.ndarray, view: View) -> bool:
    points = outline.reshape(-1, 2)
    beyond = view.outside[points[:, 1], points[:, 0]] > 0
    if int(beyond.sum()) < 2:
        return False
    return bool((view.board_mask[points[:, 1], points[:, 0]] > 0).any())


def _broad(outline: np.ndarray, view: View, pieces_mm: Sequence[tuple[float, float]]) -> bool:
    for at in pieces_mm:
        u, v = view.px(*at)
        if cv2.pointPolygonTest(outline, (u, v), False) >= 0:
            return False
    left, top, width, height = cv2.boundingRect(outline)
    mask = np.zeros((height + 2, width + 2), np.uint8)
    cv2.drawContours(mask, [outline], -1, 255, -1, offset=(1 - left, 1 - top))
    inner = float(cv2.distanceTransform(mask, cv2.DIST_L2, 3).max())
    return inner > 1.25 * view.radius_px(view.board.striker_diameter_mm / 2.0)


def _in_mm(outline: np.ndarray, view: View, within_px: float) -> Outline:
    """An outline in mm, without the corners that lie this near to the line between others."""
    slim = cv2.approxPolyDP(outline, within_px, True).reshape(-1, 2)
    return tuple((round(x, 1), round(y, 1)) for x, y in view.outline_mm(slim).tolist())


def _describe(outline: np.ndarray, view: View) -> Hand:
    polygon = _in_mm(outline, view, 2.0)
    points = outline.reshape(-1, 2)
    beyond = points[view.outside[points[:, 1], points[:, 0]] > 0]
    if not len(beyond):
        return Hand(polygon, None)
    u, v = beyond.mean(0)
    return Hand(polygon, side_of(*view.mm(float(u), float(v))))


def side_of(x_mm: float, y_mm: float) -> Seat | None:
    """The seat at whose edge a point lies; None at a corner."""
    depth = sorted(((board_to_seat(seat, x_mm, y_mm)[1], seat) for seat in SEATS), reverse=True)
    if depth[0][0] - depth[1][0] < 0.02 * hypot(x_mm, y_mm):
        return None
    return depth[0][1]  # type: ignore[return-value]


CORE_NS = 300_000_000
"""So long a part that came off a hand in the picture still counts as hand."""

LATELY_NS = 2_000_000_000
"""What vanished without being seen to move, where a hand was that lately, was taken by it."""
LATELY_STEP_NS = 30_000_000
ABOUT_NS = 90_000_000
"""Hands are remembered in such steps; where they were about a time is where they were so long before and after."""
RIM_PX = 0.5
"""Corners of a remembered outline that lie nearer than this to the line between others say nothing more."""


class HandsLately:
    """The hands over one board."""

    def __init__(self, view: View) -> None:
        self.none = no_hands(view)
        self.now = self.none
        self._lately: deque[tuple[int, Hands, tuple[Outline, ...]]] = deque()
        self._core: Hands | None = None
        self._core_ns = 0
        self.under_way_ns: int | None = None
        """When what is under way began: however long it takes, the hands of then are remembered to its end."""

    def update(
        self, changed: Image, view: View, pieces_mm: Sequence[tuple[float, float]], t_ns: int, *, quiet: bool
    ) -> Hands:
        """Finds the hands in a mask of change. `quiet`: nothing has changed at all. `pieces_mm`: see `hands_in`."""
        before = self._core if self._core is not None and t_ns - self._core_ns < CORE_NS else self.none
        hands = self.none if quiet else hands_in(changed, view, pieces_mm, self.none, before)
        if hands.any and (not self._lately or t_ns - self._lately[-1][0] >= LATELY_STEP_NS):
            rims, _ = cv2.findContours(hands.mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
            self._lately.append((t_ns, hands, tuple(_in_mm(rim, view, RIM_PX) for rim in rims)))
        since_ns = t_ns if self.under_way_ns is None else self.under_way_ns
        while self._lately and since_ns - self._lately[0][0] > LATELY_NS:
            self._lately.popleft()
        if hands.entering:
            self._core, self._core_ns = hands, t_ns
        self.now = hands
        return hands

    @property
    def trace(self) -> HandTrace:
        """Where they were, as far as that is remembered."""
        return HandTrace(tuple((t_ns, outlines) for t_ns, _, outlines in self._lately))

    def mask_at(self, t_ns: int) -> Image:
        """Where hands were about a time, as far as that is remembered: a mask, 255 there."""
        mask = self.none.mask
        for seen_ns, seen, _ in self._lately:
            if abs(seen_ns - t_ns) <= ABOUT_NS:
                mask = cv2.bitwise_or(mask, seen.mask)
        return mask
