"""The board at rest: since when the picture is still, and what of an earlier detection still holds.

Must not know tracks in motion or what is published of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

import cv2

from controller.events.observation import SeenPiece
from controller.vision.finding.find import Finding
from controller.vision.following.class_counts import agreed
from controller.vision.following.view import AROUND
from controller.vision.sources.frame import Image

SAME_PLACE_MM = 2.5
"""A piece at rest that is found this near to where one lay, or where a track ended, is that piece."""

UNMOVED_MM = 1.5
"""… and this near to it nobody has touched it."""

SAME_MM = 6.0
"""A piece found this near to one that nobody touched is that one."""

CREPT_MM = 1.0
"""Farther off than this and than both detections' errors, it shifted without being seen to move: a shaken board."""

OVERLAP_MM = 20.0
"""What is found this near to a piece that nobody touched is no other piece."""


class MotionGate:
    """Since when a picture, hands left out, has not changed; and since when not even the hands moved."""

    def __init__(self) -> None:
        self._still: Image | None = None
        self._whole: Image | None = None
        self._hands: Image | None = None
        self.since_ns = 0
        self.whole_since_ns = 0

    def update(self, small: Image, hands: Image, limit: Image, board: Image, t_ns: int) -> int:
        """Takes the next small picture; returns since when everything but the hands is still."""
        if self._still is None or self._hands is None or self._whole is None:
            self._still, self._whole, self._hands = small.copy(), small.copy(), hands
            self.since_ns = self.whole_since_ns = t_ns
            return t_ns
        if hands is not self._hands:
            # Where a hand has gone, what lies there now is what must stay.
            cv2.copyTo(small, cv2.bitwise_and(self._hands, cv2.bitwise_not(hands)), self._still)
            self._hands = hands
        if _moved(small, self._whole, limit, board):
            self._whole, self.whole_since_ns = small.copy(), t_ns
            if _moved(small, self._still, limit, cv2.bitwise_and(board, cv2.bitwise_not(hands))):
                self._still, self.since_ns = small.copy(), t_ns
        return self.since_ns


def _moved(small: Image, still: Image, limit: Image, where: Image) -> bool:
    moved = cv2.bitwise_and(cv2.compare(cv2.absdiff(small, still), limit, cv2.CMP_GT), where)
    return cv2.countNonZero(moved) >= 4 and cv2.countNonZero(cv2.erode(moved, AROUND)) > 0


def carried(
    sight: Finding,
    before: Sequence[SeenPiece],
    untouched: Collection[SeenPiece],
    bare: Callable[[SeenPiece], bool],
    seems_bare: Callable[[SeenPiece], bool],
) -> Finding:
    """What nobody touched lies there and is what it was: another detection makes its place surer, and may raise a
    doubt.

    `untouched`: the pieces of `before` whose picture has not changed. `bare`: whether the bare board is to be
    seen where a detection says a piece lies: then it was never there. `seems_bare`: the same, as far as it takes for a
    piece that a detection misses.
    """
    kept: list[SeenPiece] = []
    found = list(sight.pieces)
    for piece in before:
        if piece not in untouched:
            continue
        same = nearest(found, piece)
        if same is not None:
            found.remove(same)
            # What was not detected now is in the finding as it was: no detection counts twice.
            kept.append(piece if same is piece else _surer(agreed(piece, same), same))
        elif not seems_bare(piece) and sum(_overlap(piece, other) for other in found) < 2:
            # Two that a detection sees where one was thought to lie have taken its place, however alike that looks.
            kept.append(piece)
    new = [piece for piece in found if not lies_in(kept, piece, OVERLAP_MM) and not bare(piece)]
    return replace(sight, pieces=(*kept, *new))


def _overlap(one: SeenPiece, two: SeenPiece) -> bool:
    return one.apart_mm(two) < OVERLAP_MM


def nearest(pieces: Sequence[SeenPiece], piece: SeenPiece, reach_mm: float = SAME_MM) -> SeenPiece | None:
    """The one of the pieces that lies where `piece` does."""
    gaps = [(other.apart_mm(piece), other) for other in pieces]
    gap, found = min(gaps, key=lambda one: one[0], default=(reach_mm, None))
    return found if gap < reach_mm else None


def lies_in(pieces: Sequence[SeenPiece], piece: SeenPiece, reach_mm: float = SAME_MM) -> bool:
    """Whether one of the pieces lies where `piece` does."""
    return nearest(pieces, piece, reach_mm) is not None


def _surer(before: SeenPiece, now: SeenPiece) -> SeenPiece:
    if now.apart_mm(before) > max(CREPT_MM, before.u95_mm + now.u95_mm):
        return replace(
            before, x_mm=now.x_mm, y_mm=now.y_mm, u95_mm=now.u95_mm, visible=now.visible, in_mouth=now.in_mouth
        )
    weight = now.u95_mm**-2 if now.u95_mm > 0 else 1.0
    old = before.u95_mm**-2 if before.u95_mm > 0 else 1.0
    share = weight / (weight + old)
    return replace(
        before,
        x_mm=before.x_mm + share * (now.x_mm - before.x_mm),
        y_mm=before.y_mm + share * (now.y_mm - before.y_mm),
        u95_mm=min(before.u95_mm, now.u95_mm),
        visible=now.visible,
        in_mouth=now.in_mouth,
    )
