"""What the detector and the nets that see patches say together: names, and what only one of them sees.

What one sees and the other does not is never reported as a piece: its place is reported as hidden.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Floats
from controller.events.observation import Point
from controller.vision.finding.candidates import OVERLAP_MM, Discs, possible_at
from controller.vision.finding.detector import UPRIGHT, Detected
from controller.vision.finding.flat import Flat
from controller.vision.finding.nets import KINDS
from controller.vision.grid import Roi
from controller.vision.looks import Looks

QUEEN = KINDS.index("queen")
STRIKER = KINDS.index("striker") - 1
"""The striker's place among the shares of pieces."""
ALONE_NONE = 0.2
"""Odds of nothing below which the detector alone sees a piece. On 347 boards of 57 path-traced tables that it was not
trained on, 50 of 76 places seen so were pieces. With half of it seven boards are worse; with twice as much four are
better, and 21 places more are reported as hidden, for four pieces."""
RATHER_NONE = 0.5
"""Odds of nothing below which the detector rather sees a piece."""
LEAST = 1e-4
"""So little of a class no net denies."""


def named_by_both(discs: Discs, seen: Detected, looks: Looks) -> Discs:
    """The discs, their classes by the odds of the nets of patches times those of the detector, where it sees one; that
    a piece lies there is as sure as to the one that doubts it more."""
    odds, (met, place) = discs.odds.copy(), _nearest(discs, seen)
    theirs = seen.odds[place]
    none = np.maximum(odds[met, :1], theirs[:, :1])
    odds[met] = np.concatenate((none, (1.0 - none) * _by_both(odds[met, 1:], theirs[:, 1 : len(KINDS)])), 1)
    odds = _one_queen(odds)
    return Discs(discs.xy, odds, discs.spread_mm, radii_mm(odds, looks))


def denied(discs: Discs, seen: Detected) -> NDArray[np.bool_]:
    """Where the detector sees none of the discs."""
    return ~_nearest(discs, seen)[0]


def lie_flat(discs: Discs, upright: Floats) -> NDArray[np.bool_]:
    """Which discs are not where the detector sees a piece stand on its edge, `upright` (N, 2)."""
    return np.asarray((_gaps(discs.xy, upright) >= discs.radius_mm[:, None]).all(1), dtype=np.bool_)


def unmet(flat: Flat, seen: Detected, discs: Discs, looks: Looks, roi: Roi | None) -> bool:
    """Whether the detector rather sees a piece than none anywhere where none of the `discs` lies."""
    coin_mm = looks.coin_diameter_mm / 2.0
    rather = (seen.odds[:, 0] + seen.odds[:, UPRIGHT] < RATHER_NONE) & possible_at(flat.measures, seen.xy, coin_mm, roi)
    return bool((rather & (_gaps(seen.xy, discs.xy) > coin_mm / 2.0).all(1)).any())


def seen_alone(flat: Flat, seen: Detected, discs: Discs, looks: Looks, roi: Roi | None) -> Discs:
    """The pieces that the detector sees where none of the `discs` lies."""
    odds = seen.odds[:, : len(KINDS)] / seen.odds[:, : len(KINDS)].sum(1, keepdims=True)
    radius = radii_mm(odds, looks)
    alone = (_gaps(seen.xy, discs.xy) > radius[:, None] + discs.radius_mm[None] - OVERLAP_MM).all(1)
    alone &= seen.odds[:, 0] + seen.odds[:, UPRIGHT] < ALONE_NONE
    alone &= possible_at(flat.measures, seen.xy, looks.coin_diameter_mm / 2.0, roi)
    return Discs(seen.xy, odds, seen.spread_mm, radius).part(alone)


def outlines_of(discs: Discs) -> tuple[tuple[Point, ...], ...]:
    """Discs as polygons in mm."""
    turns = np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)
    rim = np.column_stack((np.cos(turns), np.sin(turns)))
    around = discs.xy[:, None] + discs.radius_mm[:, None, None] * rim
    return tuple(tuple((round(float(x), 1), round(float(y), 1)) for x, y in disc) for disc in around)


def radii_mm(odds: Floats, looks: Looks) -> Floats:
    """The radii of discs (N,) of the likeliest class, odds (N, 5)."""
    striker = odds[:, 1:].argmax(1) == STRIKER
    return np.asarray(np.where(striker, looks.striker_diameter_mm, looks.coin_diameter_mm) / 2.0, dtype=np.float64)


def _nearest(discs: Discs, seen: Detected) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Which of N discs one of the detector's places lies within half a radius of, (N,), and which place, for those."""
    if not len(seen.xy):
        return np.zeros(len(discs.xy), dtype=np.bool_), np.zeros(0, dtype=np.int64)
    gaps = _gaps(discs.xy, seen.xy)
    met = np.asarray(gaps.min(1) < discs.radius_mm / 2.0, dtype=np.bool_)
    return met, gaps.argmin(1)[met]


def _by_both(these: Floats, those: Floats) -> Floats:
    """Shares of white, black, queen and striker (N, 4) of two witnesses' odds."""
    one, other = (LEAST + odds / np.maximum(odds.sum(1, keepdims=True), LEAST) for odds in (these, those))
    shares = one * other
    return np.asarray(shares / shares.sum(1, keepdims=True), dtype=np.float64)


def _one_queen(odds: Floats) -> Floats:
    """Odds (N, 5) given that a board has one queen at most: of several likely ones the likeliest takes the others'."""
    against = odds[:, QUEEN] / np.maximum(1.0 - odds[:, QUEEN], LEAST)
    queen = against / (1.0 + against.sum())
    named = odds * ((1.0 - queen) / np.maximum(1.0 - odds[:, QUEEN], LEAST))[:, None]
    named[:, QUEEN] = queen
    return np.asarray(named, dtype=np.float64)


def _gaps(these: Floats, those: Floats) -> Floats:
    """How far N places lie from M others, (N, M)."""
    return np.asarray(np.hypot(*np.moveaxis(these[:, None] - those[None], -1, 0)), dtype=np.float64)
