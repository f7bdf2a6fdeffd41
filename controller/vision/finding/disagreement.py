"""Where the detector contradicts the nets that see patches: what it rules out, and what it alone sees.

What one sees and the other does not is told to nobody as a piece: the place is one about which nothing can be said.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Floats
from controller.events.observation import Point
from controller.vision.finding.candidates import OVERLAP_MM, Discs, possible_at
from controller.vision.finding.detector import UPRIGHT, Answer, places
from controller.vision.finding.flat import Flat
from controller.vision.finding.nets import KINDS
from controller.vision.finding.unseen import covered
from controller.vision.grid import Roi
from controller.vision.looks import Looks

ALONE_NONE = 0.2
"""Odds of nothing below which the detector alone sees a piece. On 34 path-traced tables that it was not taught on 25 of
the 37 pieces that the nets of patches had missed were seen so, and 9 times there was none."""
COVERED = 0.7
"""What a hand covers by more is no piece that is seen: of 3 877 pieces on 40 path-traced tables two were, which were
half visible, and of 16 other things six."""


def lie_free(flat: Flat, answer: Answer, discs: Discs, upright: Floats) -> NDArray[np.bool_]:
    """Which discs are neither under a hand nor where the detector sees a piece stand on its edge, `upright` (N, 2)."""
    there = np.concatenate((discs.xy, discs.radius_mm[:, None]), 1)
    stand = (_gaps(discs.xy, upright) < discs.radius_mm[:, None]).any(1)
    return np.asarray((covered(flat, answer.hand, there) < COVERED) & ~stand, dtype=np.bool_)


def seen_alone(flat: Flat, answer: Answer, discs: Discs, looks: Looks, roi: Roi | None) -> Discs:
    """The pieces that the detector sees where none of the `discs` lies."""
    told = places(flat, answer, looks.coin_diameter_mm / 2.0)
    odds = told.odds[:, : len(KINDS)] / told.odds[:, : len(KINDS)].sum(1, keepdims=True)
    striker = odds[:, 1:].argmax(1) == KINDS.index("striker") - 1
    radius = np.where(striker, looks.striker_diameter_mm, looks.coin_diameter_mm) / 2.0
    alone = (_gaps(told.xy, discs.xy) > radius[:, None] + discs.radius_mm[None] - OVERLAP_MM).all(1)
    alone &= told.odds[:, 0] + told.odds[:, UPRIGHT] < ALONE_NONE
    alone &= possible_at(flat.measures, told.xy, looks.coin_diameter_mm / 2.0, roi)
    return Discs(told.xy, odds, told.spread_mm, radius).part(alone)


def outlines_of(discs: Discs) -> tuple[tuple[Point, ...], ...]:
    """Discs as polygons in mm."""
    turns = np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)
    rim = np.column_stack((np.cos(turns), np.sin(turns)))
    around = discs.xy[:, None] + discs.radius_mm[:, None, None] * rim
    return tuple(tuple((round(float(x), 1), round(float(y), 1)) for x, y in disc) for disc in around)


def _gaps(these: Floats, those: Floats) -> Floats:
    """How far N places lie from M others, (N, M)."""
    return np.asarray(np.hypot(*np.moveaxis(these[:, None] - those[None], -1, 0)), dtype=np.float64)
