"""Where pieces may lie and what the second net says of each place: candidates, before they are held against each other.

Places come from the detector, or from the first net where empty board or tones are not known. Must not know what
becomes of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.board import Board
from calibration.camera import Floats
from controller.vision.finding.detector import Answer, proposed
from controller.vision.finding.flat import Flat, Floats32
from controller.vision.finding.nets import KINDS, LEAST_HEAT, Places, what, where
from controller.vision.finding.views import board_view, on_board, patch_views, surface_log
from controller.vision.grid import Roi
from controller.vision.looks import ANY_TONES, Look, Looks, Pixels

SURELY = 0.5
"""Logit beyond which a place is taken to hide the surface while its light is measured."""
FAR_PX = 1.5
"""A piece so far beside the middle of its patch is examined again."""
LEAST_ODDS = 0.5
RIM_MM = 2.2
"""By how much a piece on a pocket's rim may seem to lie nearer to the pocket's centre than it does: up to 2.1 on seven
drawn looks, where a dark hole takes the place of its shadow."""
CUSHION_MM = 0.8
"""By how much a piece may seem to lie in the cushion."""
SURELY_NONE = 0.2
"""Odds of nothing below which a disc is taken to lie there while other places are examined."""
AROUND_SHARE = 0.6
"""By how much of what a single answer states four are off that are asked about a striker, on the development looks."""
PLACE_OFF_MM = 6.0
"""How far a place may lie from the piece."""
AROUND_MM = 60.0
OVERLAP_MM = 3.0
"""How far two found discs may seem to overlap; more and one of them is not there."""

_BESIDE_MM = np.array(((1.2, 1.2), (1.2, -1.2), (-1.2, -1.2), (-1.2, 1.2)))


@dataclass(frozen=True, eq=False)
class Discs:
    """What may lie there: centres (N, 2) in mm on the grid's plane, odds (N, 5), spread (N,) in mm, radii (N,)."""

    xy: Floats
    odds: Floats
    spread_mm: Floats
    radius_mm: Floats

    def part(self, which: NDArray[np.bool_] | NDArray[np.int64]) -> Discs:
        """Some of them."""
        return Discs(self.xy[which], self.odds[which], self.spread_mm[which], self.radius_mm[which])

    def and_also(self, other: Discs) -> Discs:
        """These and others."""
        return Discs(
            np.concatenate((self.xy, other.xy)),
            np.concatenate((self.odds, other.odds)),
            np.concatenate((self.spread_mm, other.spread_mm)),
            np.concatenate((self.radius_mm, other.radius_mm)),
        )


@dataclass(frozen=True, eq=False)
class Candidates:
    """What was asked about: discs, their places' logits (N, 2), what the second one's last layer goes by
    (N, SEEN), and the surface's light, as `surface_log`."""

    discs: Discs
    heat: Floats32
    seen: Floats32
    surface: Floats32

    def part(self, which: NDArray[np.bool_]) -> Candidates:
        """Some of them."""
        return Candidates(self.discs.part(which), self.heat[which], self.seen[which], self.surface)


def places_in(flat: Flat, half: Floats32, answer: Answer, looks: Looks, roi: Roi | None) -> Places:
    """Where something may lie in a picture, `half` as from `half_log`. `answer`: the detector's about it."""
    if flat.empty is not None and looks.known:
        return _and_the_middle(proposed(flat, answer))
    return _and_the_middle(where(flat, board_view(flat, half), roi and _about(roi)))


def candidates(
    flat: Flat,
    laid: Pixels,
    cells: Floats32,
    places: Places,
    looks: Looks,
    roi: Roi | None,
    found: Discs | None = None,
) -> Candidates:
    """Every place that is asked about, with the second net's answer. `laid`: the picture on the grid,
    `cells` as from `cells_log`.

    `found`: what the picture has shown already. What is sure of it is not asked about again.
    """
    radii = np.where(places.heat[:, 1] > places.heat[:, 0], looks.striker_diameter_mm, looks.coin_diameter_mm) / 2.0
    sure = places.heat.max(1) > SURELY
    coin_mm = looks.coin_diameter_mm / 2.0
    surface = surface_log(flat, cells, np.concatenate((places.xy, radii[:, None]), 1)[sure])
    possible = possible_at(flat.measures, places.xy, coin_mm, roi)
    if found is not None:
        possible &= ~_covered(places.xy, found, coin_mm)
    likely, likely_seen = look_at(flat, laid, surface, places.xy[possible & sure], looks)
    doubtful = np.nonzero(possible & ~sure)[0]
    doubtful = doubtful[~_covered(places.xy[doubtful], likely, coin_mm)]
    doubted, doubted_seen = look_at(flat, laid, surface, places.xy[doubtful], looks)
    heat = np.concatenate((places.heat[possible & sure], places.heat[doubtful]))
    return Candidates(likely.and_also(doubted), heat, np.concatenate((likely_seen, doubted_seen)), surface)


def look_at(flat: Flat, laid: Pixels, surface: NDArray[np.float32], xy: Floats, looks: Looks) -> tuple[Discs, Floats32]:
    """What lies at N places, each examined again where it turns out to lie, and what the net goes by (N, SEEN)."""
    tones = tones_of(looks)
    answers = what(patch_views(flat, laid, surface, xy, tones, known=looks.known))
    odds, sigma, seen = answers.odds.copy(), answers.sigma_px.copy(), answers.seen.copy()
    at = xy + on_board(flat, xy, answers.step_px)
    far = (np.hypot(*answers.step_px.T) > FAR_PX) & (odds[:, 0] < 0.9)
    if far.any():
        views = patch_views(flat, laid, surface, at[far], tones, known=looks.known)
        again = what(views)
        at[far] += on_board(flat, at[far], again.step_px)
        odds[far], sigma[far], seen[far] = again.odds, again.sigma_px, again.seen
    striker = (odds[:, 1:].argmax(1) == KINDS.index("striker") - 1) & (odds[:, 0] < 1.0 - LEAST_ODDS)
    if striker.any():
        at[striker] = _from_all_around(flat, laid, surface, at[striker], tones, known=looks.known)
        sigma[striker] *= AROUND_SHARE
    radius = np.where(striker, looks.striker_diameter_mm, looks.coin_diameter_mm) / 2.0
    return Discs(on_the_board(flat.measures, at, radius), odds, sigma / flat.scale, radius), seen


def _from_all_around(
    flat: Flat, laid: Pixels, surface: NDArray[np.float32], xy: Floats, tones: Mapping[str, Look], *, known: bool
) -> Floats:
    """Where N strikers lie, (N, 2) in mm: the mean of what is answered a little beside each, half of it mirrored.

    What the net errs by differs with where a patch is cut, and across the viewing ray mirrors with it.
    """
    beside = (xy[:, None] + _BESIDE_MM).reshape(-1, 2)
    views = patch_views(flat, laid, surface, beside, tones, known=known)
    views[1::2] = views[1::2, :, ::-1].copy()
    steps = what(views).step_px
    steps[1::2, 1] *= -1.0
    at = beside + on_board(flat, beside, steps)
    return np.asarray(at.reshape(len(xy), len(_BESIDE_MM), 2).mean(1), dtype=np.float64)


def _and_the_middle(places: Places) -> Places:
    """The middle is asked about whatever is seen there: a queen differs little from its paint."""
    if (np.hypot(*places.xy.T) < PLACE_OFF_MM).any():
        return places
    faint = np.full((1, 2), LEAST_HEAT, dtype=np.float32)
    return Places(np.concatenate((places.xy, np.zeros((1, 2)))), np.concatenate((places.heat, faint)))


def possible_at(board: Board, xy: Floats, radius: float, roi: Roi | None) -> NDArray[np.bool_]:
    """Which places a piece's centre can be at."""
    corner = np.hypot(*(np.abs(xy) - board.pocket_centre_mm).T)
    nearest = board.rests_from_mm("striker") - RIM_MM
    possible = (np.abs(xy) < board.half_mm - radius + 5.0).all(1) & (corner > nearest)
    if roi is not None:
        possible &= (xy[:, 0] >= roi[0]) & (xy[:, 1] >= roi[1]) & (xy[:, 0] <= roi[2]) & (xy[:, 1] <= roi[3])
    return np.asarray(possible, dtype=np.bool_)


def _about(roi: Roi) -> Roi:
    """A part of the board with what lies around it: its pieces hide the surface by whose light it is seen."""
    return roi[0] - AROUND_MM, roi[1] - AROUND_MM, roi[2] + AROUND_MM, roi[3] + AROUND_MM


def _covered(xy: Floats, discs: Discs, radius_mm: float) -> NDArray[np.bool_]:
    """At which places nothing can lie, because of what certainly lies there already."""
    surely = discs.part(discs.odds[:, 0] < SURELY_NONE)
    gaps = np.hypot(*np.moveaxis(xy[:, None] - surely.xy[None], -1, 0))
    return np.asarray((gaps < surely.radius_mm + radius_mm - OVERLAP_MM - PLACE_OFF_MM).any(1), dtype=np.bool_)


def on_the_board(board: Board, xy: Floats, radius: Floats) -> Floats:
    """No piece lies in a cushion."""
    limit = (board.half_mm - radius + CUSHION_MM)[:, None]
    return np.asarray(np.clip(xy, -limit, limit), dtype=np.float64)


def tones_of(looks: Looks) -> Mapping[str, Look]:
    """The tones of all classes: those learnt of this set, for the others those of any."""
    return {**ANY_TONES, **looks.tones}
