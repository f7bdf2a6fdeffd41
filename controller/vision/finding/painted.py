"""What is paint and no queen: the discs in the middle and in the base circles are as large as one, and as red.

Under another lamp than the empty board's they look as changed as if something lay there. Must not know pictures.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from calibration.board import Board
from calibration.camera import Floats

JUST_ON_PAINT_MM = 3.0
ABOUT_MIDDLE_MM = 45.0
"""So near to the middle a piece may lie partly on its paint, or on the rings about it."""
EDGE_MM = 0.3
"""So far beyond a painted disc's radius its edge is examined: half of it as a camera blurs it."""
STILL_DRAWN, STILL_MIDDLE, PERHAPS_MIDDLE = 0.7, 0.99, 0.93
"""Correlation of slopes from which on what was drawn is what is seen, in the base circles and in the middle. On drawn
tables, under mirrored lamps and in hard shade, 112 queens that lay on painted discs have 0.53 at most, all but 1 in 10
of 1 662 bare discs in the base circles 0.87 or more. In the middle, painted as wide as a queen, 51 of 57 queens have
less than PERHAPS_MIDDLE, the others 0.963 to 0.98, as bare paint has under other lamps than the empty board's."""
ON_PAINT_MM, MANY_PAINTED = 10.0, 3
JUST_LIKE, FAR_RATHER = 0.15, 0.4
"""Paint differs from paint by less than this (logarithms), and by so much less than from the piece. A queen that a lamp
is mirrored on is as far from both, and is kept."""
FREE = 3
"""So many base circles must be seen free to say what paint looks like today."""


def places_of(board: Board) -> Floats:
    """The middles of the painted discs (9, 2) in mm, the board's own middle last."""
    return np.array((*board.base_circles_mm, (0.0, 0.0)))


def edges_of(board: Board, xy: Floats) -> tuple[Floats, Floats]:
    """Within how many mm of N places (N, 2) their paint shows its edge, and how alike it looks if bare, (N,) each.

    In the base circles that is well within a piece. The middle is painted as far as its circle, as wide as a queen:
    within it the paint may be plain, and her own outline is like its edge.
    """
    middle = about_middle(xy)
    diameter_mm = np.where(middle, board.centre_circle_diameter_mm, board.base_disc_diameter_mm)
    return diameter_mm / 2.0 + EDGE_MM, np.where(middle, STILL_MIDDLE, STILL_DRAWN)


def just_on_paint(xy: Floats, places: Floats, within_mm: float = JUST_ON_PAINT_MM) -> NDArray[np.bool_]:
    """Which of N places (N, 2) lie on the middle of one of the painted discs, `places` (M, 2), (N,)."""
    off = np.hypot(*np.moveaxis(xy[:, None] - places[None], -1, 0))
    return np.asarray(off.min(1) < within_mm, dtype=np.bool_)


def about_middle(xy: Floats) -> NDArray[np.bool_]:
    """Which places (N, 2) are about the board's own middle, (N,)."""
    return np.asarray(np.hypot(*xy.T) < ABOUT_MIDDLE_MM, dtype=np.bool_)


def only_one_queen(queens: NDArray[np.bool_], xy: Floats, places: Floats) -> NDArray[np.bool_]:
    """Which of N pieces are paint: of several queens one that lies just on paint, redder now than when it lay empty."""
    painted = queens & just_on_paint(xy, places)
    return painted if painted.any() and (queens & ~painted).any() else np.zeros_like(painted)


def many_painted(red: NDArray[np.bool_], xy: Floats, places: Floats) -> NDArray[np.bool_]:
    """Which of N pieces are paint, without an empty board: where several discs are taken for pieces, all of them."""
    painted = red & just_on_paint(xy, places, ON_PAINT_MM)
    return painted if painted.sum() >= MANY_PAINTED else np.zeros_like(painted)


def looks_like_paint(tone: Floats, paints: Iterable[Floats], piece: Floats) -> bool:
    """Whether a tone (3,) is that of one of the paints it may be, (3,) each, far rather than the piece's, (3,)."""
    off = min(float(np.linalg.norm(tone - paint)) for paint in paints)
    return off < JUST_LIKE and off < FAR_RATHER * float(np.linalg.norm(tone - piece))
