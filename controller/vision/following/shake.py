"""Whether the board was shaken: most of its pieces shifted together.

Values in, one value out; no pixels, no time.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot
from statistics import median

from controller.events.observation import SeenPiece
from controller.vision.following.settle import Settled

LEAST_MM = 0.8
"""A smaller common shift is the error of two looks."""

LEAST_PIECES = 4
TOGETHER_SHARE = 0.6
APART_MM = 1.5
APART_SHARE = 0.4
"""A piece shifts with the others if it ends within this of where they would have taken it."""

SAME_MM = 4.0


def shake_of(before: Sequence[SeenPiece], after: Sequence[SeenPiece], settled: Sequence[Settled]) -> float:
    """How far most pieces shifted together, in mm; 0 where they did not.

    `settled`: how those went that moved, came or went; the others are paired by place.
    """
    shifts = _shifts(before, after, settled)
    if len(shifts) < LEAST_PIECES:
        return 0.0
    dx, dy = median(shift[0] for shift in shifts), median(shift[1] for shift in shifts)
    size = hypot(dx, dy)
    if size < LEAST_MM:
        return 0.0
    room = max(APART_MM, APART_SHARE * size) if size > APART_MM else size / 2.0
    together = sum(hypot(x - dx, y - dy) <= room for x, y in shifts)
    return round(size, 1) if together >= max(LEAST_PIECES, TOGETHER_SHARE * len(shifts)) else 0.0


def _shifts(
    before: Sequence[SeenPiece], after: Sequence[SeenPiece], settled: Sequence[Settled]
) -> list[tuple[float, float]]:
    went = {item.start: item.end for item in settled if item.start is not None}
    shifts = []
    for piece in before:
        if piece.piece == "striker":
            continue
        if piece in went:
            end = went[piece]
        else:
            end = min(after, key=piece.apart_mm, default=None)
            if end is not None and piece.apart_mm(end) > SAME_MM:
                end = None
        if end is not None:
            shifts.append((end.x_mm - piece.x_mm, end.y_mm - piece.y_mm))
    return shifts
