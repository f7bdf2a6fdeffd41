"""The small picture of a board at rest: what of it is bare, what a hand leaves to be seen, how much is saturated.

Pictures in, pictures out; must not know tracks or time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import numpy as np

from controller.events.observation import SeenPiece
from controller.vision.finding.find import Finding
from controller.vision.following.hands import Hands
from controller.vision.following.view import View
from controller.vision.sources.frame import Image

SATURATED = 252


def saturated_share(small: Image, view: View) -> float:
    """The share of the playing surface that is as bright as the camera can say."""
    white = cv2.bitwise_and(cv2.compare(small, SATURATED, cv2.CMP_GE), view.surface)
    return float(cv2.countNonZero(white) / max(1, cv2.countNonZero(view.surface)))


def covered_by(sight: Finding, hands: Hands, view: View, radius_mm: Callable[[SeenPiece], float]) -> Image:
    """Where the bare board is not to be seen: a mask of pieces with their shadows' rims, hands and all hidden parts."""
    covered = hands.mask.copy()
    for piece in sight.pieces:
        _fill(covered, piece, view, radius_mm(piece) + 5.0)
    for polygon in (*sight.hidden, *(hand.outline for hand in sight.hands)):
        if len(polygon) >= 3:
            cv2.fillPoly(covered, [view.outline_px(np.array(polygon, np.float64), 0.0)], 255)
    return covered


def without_hands(
    small: Image,
    scene: Image,
    hands: Hands,
    pieces: Sequence[SeenPiece],
    view: View,
    radius_mm: Callable[[SeenPiece], float],
) -> Image:
    """The scene as it lies: where hands are as it was before, but with the pieces seen beside or between fingers."""
    if not hands.any:
        return small
    still = small.copy()
    cv2.copyTo(scene, hands.mask, still)
    for piece in pieces:
        mask = np.zeros_like(still)
        _fill(mask, piece, view, radius_mm(piece) + 1.0)
        cv2.copyTo(small, mask, still)
    return still


def same_there(
    before: Image, now: Image, limit: Image, view: View, at_mm: tuple[float, float], reach_mm: float
) -> bool:
    """Whether two small pictures show the same around a place. `limit`: what counts as change, per pixel."""
    u, v = view.px(*at_mm)
    half = round(view.radius_px(reach_mm)) + 1
    rows = slice(max(0, round(v) - half), round(v) + half + 1)
    columns = slice(max(0, round(u) - half), round(u) + half + 1)
    a, b, most = before[rows, columns], now[rows, columns], limit[rows, columns]
    if not a.size:
        return False
    moved = cv2.compare(cv2.absdiff(a, b), most, cv2.CMP_GT)
    return cv2.countNonZero(moved) * 12 < a.size


def _fill(mask: Image, piece: SeenPiece, view: View, radius_mm: float) -> None:
    u, v = view.px(piece.x_mm, piece.y_mm)
    centre = (round(u * 16), round(v * 16))
    cv2.circle(mask, centre, round(view.radius_px(radius_mm) * 16), 255, -1, cv2.LINE_8, 4)
