"""From one picture to the pieces on the board: places, what lies there, and which of them can be together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import hypot
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import Board
from calibration.camera import CameraModel, Floats
from controller.events.observation import Foreign, Hand, Point, SeenPiece
from controller.events.words import Piece, Pocket
from controller.vision.finding.agreement import denied, lie_flat, named_by_both, outlines_of, seen_alone, unmet
from controller.vision.finding.among import tones_among
from controller.vision.finding.candidates import (
    LEAST_ODDS,
    OVERLAP_MM,
    RIM_MM,
    Discs,
    candidates,
    on_the_board,
    places_in,
    tones_of,
)
from controller.vision.finding.changed import changes, light_beside, still_drawn, unchanged
from controller.vision.finding.detector import Answer, Detected, asked, detected, shown
from controller.vision.finding.errors import ERRORS, SHADE_MM
from controller.vision.finding.fallen import fallen
from controller.vision.finding.flat import Flat, Floats32, cells_log, flat_for, half_log
from controller.vision.finding.nets import KINDS, Places, fingerprint, what
from controller.vision.finding.outlines import dark_discs
from controller.vision.finding.painted import (
    FREE,
    PERHAPS_MIDDLE,
    about_middle,
    edges_of,
    just_on_paint,
    looks_like_paint,
    many_painted,
    only_one_queen,
    places_of,
)
from controller.vision.finding.placing import Lying, Placed, placed
from controller.vision.finding.shade import evened, light_steps, lit_board
from controller.vision.finding.sizes import measured
from controller.vision.finding.tones import witnessed
from controller.vision.finding.unseen import standing, unseen_in
from controller.vision.finding.views import (
    middle_changes,
    middle_tones,
    patch_views,
    tones_at,
    tops,
)
from controller.vision.finding.weighing import weighed
from controller.vision.grid import Roi
from controller.vision.looks import ANY_TONES, Looks, Pixels
from controller.vision.naming_head import Head

QUEEN = KINDS.index("queen")
SURELY_NOTHING = 0.97
"""Odds of nothing from which on a place is not weighed: one of 2 312 pieces on held-out tables had more."""
FAINT_NONE = 0.1
"""Odds of nothing that the second net may leave where the first one rather sees nothing. On development looks it left
0.015 at most of pieces, and 0.28 or more of what was none."""
IN_SHADE = 0.2
"""What lies where the board about it is darker by this (logarithms) than its light is taken for is examined again."""
SURE_SHARE = 0.95
"""A class with less of the odds than this is asked about again among the others."""
SURE_ANEW = 0.1
"""Odds of nothing that a piece may have which is seen only once hard shadows are taken out. Of all that was found so on
looks held out of training hardly any had more, and more was false on others' tables."""
LEAST_SPREAD = 4.0
"""Grey levels; a picture more even than this shows a lens cap, a dead lamp or the sun, and no board."""
DOUBTED = 0.05
"""Odds from which on another class is named as well."""
HOLE_MM = 10.0
"""What is seen this near to a pocket's centre is the dark hole itself: on renders the nets call it a striker up to
8.7 mm from there. A striker could lie down to 8.3, and hardly ever does."""
MOUTH_MORE_MM = 0.54
"""What is less sure over a pocket's mouth, where a rim may be as dark as what lies below."""

_INNER = np.array([(r * np.cos(a), r * np.sin(a)) for r in (0.35, 0.7, 0.95) for a in np.arange(0, 6.2, 0.7854)])


@dataclass(frozen=True, eq=False)
class Finding:
    """What one picture shows. Points in mm on the board; `hidden`: where nothing can be detected."""

    pieces: tuple[SeenPiece, ...]
    hidden: tuple[tuple[Point, ...], ...] = ()
    hands: tuple[Hand, ...] = ()
    foreign: tuple[Foreign, ...] = ()


def find(
    picture: Pixels,
    model: CameraModel,
    looks: Looks,
    board: Board,
    *,
    roi: Roi | None = None,
    tell: Callable[[Lying], object] = lambda lying: None,
) -> Finding:
    """Finds the pieces in one picture.

    `picture` (h, w, 3) BGR uint8. `roi`: (west, south, east, north) in mm, where to look; everywhere without it.
    `tell` hears where the nets alone see the pieces, in their order, before outlines move them.
    """
    if not looks.sizes_known:
        looks = measured(model, looks, board, picture)
    flat = flat_for(model, looks, board)
    laid = flat.lay(picture)
    if float(laid[::8, ::8].std()) < LEAST_SPREAD:
        return Finding((), (_whole(board),))
    discs, surface, answer, seen_whole = _by_all(flat, laid, looks, roi)
    if looks.head is not None and looks.head.nets == fingerprint():
        discs = named_by_head(flat, laid, surface, discs, looks.head)
    upright = standing(flat, seen_whole)
    discs = discs.part(lie_flat(discs, upright))
    alone = less_paint(flat, laid, surface, seen_alone(flat, seen_whole, discs, looks, roi), looks)
    doubtful = perhaps_bare(flat, laid, discs) | denied(discs, seen_whole)
    doubted = discs.part(doubtful).and_also(alone)
    discs = discs.part(~doubtful)
    there = np.concatenate((discs.xy, discs.radius_mm[:, None]), 1)
    rest = unseen_in(flat, laid, answer, there)
    above = ~fallen(flat, laid, there)
    discs, there = discs.part(above), there[above]
    shares = shown_of(there, rest.hidden)
    seen = lying(flat, discs, looks)
    tell(seen)
    lie = placed(flat, picture, looks, seen)
    pieces = tuple(piece for piece in _seen(flat, looks, discs, lie, shares) if _can_rest(board, piece))
    hidden = rest.hidden + outlines_of(doubted)
    return Finding(pieces + _on_edge(upright), hidden, rest.hands, rest.foreign)


@dataclass(frozen=True, eq=False)
class DiscFeatures:
    """What a table's own looks are learnt from: each disc's place (N, 2) in mm on the board, the nets' shares of
    `naming_head.NAMES` (N, 4), tone (N, 3) and saturated shares (N, 3); `left`: which a head does not name (N,)."""

    xy: Floats
    shares: Floats
    tones: Floats
    burnt: Floats
    left: NDArray[np.bool_]


def disc_features(picture: Pixels, model: CameraModel, looks: Looks, board: Board) -> DiscFeatures:
    """What the nets and the tones say of every disc in a picture (h, w, 3) BGR, before a head is asked."""
    if not looks.sizes_known:
        looks = measured(model, looks, board, picture)
    flat = flat_for(model, looks, board)
    laid = flat.lay(picture)
    discs, surface, _, _ = _by_all(flat, laid, looks, None)
    tones, burnt = tops(flat, laid, surface, discs.xy)
    return DiscFeatures(discs.xy, _among_pieces(discs.odds), tones, burnt, _painted_queens(flat, discs))


def named_by_head(flat: Flat, laid: Pixels, surface: NDArray[np.float32], discs: Discs, head: Head) -> Discs:
    """The same discs, named by this table's own head; a likely queen on painted discs is left as she is."""
    if not len(discs.xy):
        return discs
    tones, burnt = tops(flat, laid, surface, discs.xy)
    named = (1.0 - discs.odds[:, :1]) * head.named(_among_pieces(discs.odds), tones, burnt)
    odds = np.concatenate((discs.odds[:, :1], named), 1)
    odds = np.where(_painted_queens(flat, discs)[:, None], discs.odds, odds)
    return Discs(discs.xy, odds, discs.spread_mm, discs.radius_mm)


def _by_all(
    flat: Flat, laid: Pixels, looks: Looks, roi: Roi | None
) -> tuple[Discs, NDArray[np.float32], Answer, Detected]:
    """What all nets together see, the surface's light, the detector's answer, and the places in it."""
    half, cells = half_log(laid), cells_log(laid)
    answer = asked(shown(flat, laid, half, cells, tones_of(looks) if looks.known else None))
    seen = detected(flat, answer, looks.coin_diameter_mm / 2.0)
    discs, surface = _discs(flat, laid, half, cells, looks, roi, places_in(flat, half, answer, looks, roi), seen)
    return named_by_both(discs, seen, looks), surface, answer, seen


def _discs(
    flat: Flat,
    laid: Pixels,
    half: Floats32,
    cells: Floats32,
    looks: Looks,
    roi: Roi | None,
    places: Places,
    seen: Detected,
) -> tuple[Discs, NDArray[np.float32]]:
    """What may lie there by nets and witnesses, and the surface's light.

    Where hard shadows lie on the board, and the detector sees more than is found, what is not sure is examined again as
    it would be in even light: the other nets never saw what is pale in the sun lie as grey as the shade about it. What
    the detector does not see either is no piece in any light.
    """
    discs, surface = _at_sight(flat, laid, cells, places, looks, roi)
    if flat.empty is None or not looks.known or not unmet(flat, seen, discs, looks, roi):
        return discs, surface
    light = light_steps(flat, half, cells, np.concatenate((discs.xy, discs.radius_mm[:, None]), 1))
    if light is None:
        return discs, surface
    even = evened(laid, light)
    again, _ = _at_sight(flat, even, cells_log(even), places, looks, roi, discs)
    gaps = np.hypot(*np.moveaxis(again.xy[:, None] - discs.xy[None], -1, 0))
    known = (gaps < looks.coin_diameter_mm / 2.0).any(1)
    believed = lit_board(flat, light, again.xy) & (known | (again.odds[:, 0] < SURE_ANEW))
    return together(discs.and_also(again.part(believed))), surface


def _at_sight(
    flat: Flat,
    laid: Pixels,
    cells: Floats32,
    places: Places,
    looks: Looks,
    roi: Roi | None,
    found: Discs | None = None,
) -> tuple[Discs, NDArray[np.float32]]:
    """The same of one picture as it is; `cells`, `places`, `found` as in `candidates`."""
    asked = candidates(flat, laid, cells, places, looks, roi, found)
    if flat.empty is not None and looks.known:
        likely = asked.discs.odds[:, 0] < SURELY_NOTHING
        discs = together(weighed(flat, laid, asked.part(likely), looks))
        return less_paint(flat, laid, asked.surface, discs, looks), asked.surface
    sure = (asked.heat.max(1) > 0.0) | (asked.discs.odds[:, 0] < FAINT_NONE)
    discs = together(asked.discs.part(sure))
    discs = less_paint(flat, laid, asked.surface, discs, looks)
    discs = named_alike(flat, laid, asked.surface, discs, known=looks.known)
    if looks.known:
        discs = witnessed_by_tone(flat, laid, asked.surface, discs, looks)
    discs = less_unchanged(flat, laid, asked.surface, discs, looks)
    return less_shade(flat, laid, discs, looks), asked.surface


def named_alike(flat: Flat, laid: Pixels, surface: NDArray[np.float32], discs: Discs, *, known: bool) -> Discs:
    """The same discs, named by what white and black look like among them today.

    Where a set's tones are `known` only those are named anew that are in doubt, and no likely queen on painted discs or
    about the middle: how she looks under a lamp's mirror image there, whites and blacks elsewhere do not say.
    """
    shares = discs.odds[:, 1:] / np.maximum(discs.odds[:, 1:].sum(1, keepdims=True), 1e-9)
    by_paint = just_on_paint(discs.xy, places_of(flat.measures)) | about_middle(discs.xy)
    returned = (shares.argmax(1) == QUEEN - 1) & by_paint
    doubtful = (shares.max(1) < SURE_SHARE) & ~returned
    anew = np.nonzero(doubtful)[0] if known else np.arange(len(discs.xy))
    if not len(anew):
        return discs
    tones = tones_among(tones_at(flat, laid, surface, discs.xy), discs.odds)
    if tones is None:
        return discs
    views = patch_views(flat, laid, surface, discs.xy[anew], tones, known=True)
    named = what(views).odds[:, 1:]
    odds = discs.odds.copy()
    odds[anew, 1:] = (1.0 - odds[anew, :1]) * named / named.sum(1, keepdims=True)
    return Discs(discs.xy, odds, discs.spread_mm, discs.radius_mm)


def together(discs: Discs) -> Discs:
    """The likeliest discs that can lie beside each other."""
    discs = discs.part(discs.odds[:, 0] < 1.0 - LEAST_ODDS)
    kept: list[int] = []
    for i in np.argsort(discs.odds[:, 0] + 0.05 * discs.spread_mm):
        gaps = np.hypot(*(discs.xy[kept] - discs.xy[i]).T)
        if (gaps >= discs.radius_mm[kept] + discs.radius_mm[i] - OVERLAP_MM).all():
            kept.append(int(i))
    return discs.part(np.array(kept, dtype=np.int64))


def less_paint(flat: Flat, laid: Pixels, surface: NDArray[np.float32], discs: Discs, looks: Looks) -> Discs:
    """The discs without those that are only painted."""
    kinds = discs.odds.argmax(1)
    queens = kinds == QUEEN
    painted = places_of(flat.measures)
    if flat.empty is None:
        return discs.part(~many_painted(queens | (kinds == KINDS.index("black")), discs.xy, painted))
    discs = discs.part(~only_one_queen(queens, discs.xy, painted))
    told = np.nonzero((discs.odds.argmax(1) == QUEEN) & just_on_paint(discs.xy, painted))[0]
    radius_mm, least = edges_of(flat.measures, discs.xy[told])
    bare = still_drawn(flat, laid, discs.xy[told], radius_mm) >= least
    discs = discs.part(~np.isin(np.arange(len(discs.xy)), told[bare]))
    # Where nothing is the likeliest single answer, and yet not likely, the likeliest piece is held against the paint.
    kinds = 1 + discs.odds[:, 1:].argmax(1)
    on_paint = (kinds != KINDS.index("striker")) & just_on_paint(discs.xy, painted)
    if not looks.known or not on_paint.any():
        return discs
    gaps = np.hypot(*np.moveaxis(painted[:-1, None] - discs.xy[None], -1, 0))
    free = painted[:-1][(gaps > 2 * discs.radius_mm).all(1)]
    if len(free) < FREE:
        return discs
    views = patch_views(flat, laid, surface, np.concatenate((discs.xy[on_paint], free)), ANY_TONES, known=False)
    n, tones, changes = int(on_paint.sum()), middle_tones(views), middle_changes(views)
    # A queen is held against the other discs; what is told to be white or black also against its own when it lay bare,
    # for some middles are of another colour. That one and a queen upon it may be too alike to be told apart so.
    others, before = np.median(tones[n:], 0), tones[:n] - changes[:n] + np.median(changes[n:], 0)
    known = tones_of(looks)
    paint = np.zeros(len(discs.xy), dtype=np.bool_)
    paint[on_paint] = [
        looks_like_paint(
            tones[i], (others,) if kind == QUEEN else (others, before[i]), np.array(known[KINDS[kind]].mean)
        )
        for i, kind in enumerate(kinds[on_paint])
    ]
    return discs.part(~paint)


def perhaps_bare(flat: Flat, laid: Pixels, discs: Discs) -> NDArray[np.bool_]:
    """Which discs may be the bare middle or a queen that covers just its paint: nothing shows the difference."""
    likely = (discs.odds[:, 1:].argmax(1) == QUEEN - 1) & just_on_paint(discs.xy, places_of(flat.measures)[-1:])
    if flat.empty is None:
        return np.zeros_like(likely)
    if likely.any():
        at = discs.xy[likely]
        likely[likely] = still_drawn(flat, laid, at, edges_of(flat.measures, at)[0]) >= PERHAPS_MIDDLE
    return np.asarray(likely, dtype=np.bool_)


def witnessed_by_tone(flat: Flat, laid: Pixels, surface: NDArray[np.float32], discs: Discs, looks: Looks) -> Discs:
    """The same discs, their classes also by what their tone says; a likely queen on painted discs is left as she is."""
    if not len(discs.xy):
        return discs
    tones, burnt = tops(flat, laid, surface, discs.xy)
    odds = np.where(
        _painted_queens(flat, discs)[:, None], discs.odds, witnessed(discs.odds, tones, burnt, tones_of(looks))
    )
    return Discs(discs.xy, odds, discs.spread_mm, discs.radius_mm)


def less_unchanged(flat: Flat, laid: Pixels, surface: NDArray[np.float32], discs: Discs, looks: Looks) -> Discs:
    """The discs without those where nothing has changed since the board lay empty, and without those that are none
    once they are examined by the light just beside them: a finger's or a sleeve's end in its own shadow."""
    if flat.empty is None or not len(discs.xy):
        return discs
    there = np.concatenate((discs.xy, discs.radius_mm[:, None]), 1)
    change = changes(flat, laid, there)
    none = unchanged(change)
    light = light_beside(flat, surface, there, change)
    for i in np.nonzero((light.mean(1) < -IN_SHADE) & ~none)[0]:
        below = surface + light[i].astype(np.float32)
        views = patch_views(flat, laid, below, discs.xy[i : i + 1], tones_of(looks), known=looks.known)
        none[i] = what(views).odds[0, 0] > LEAST_ODDS
    return discs.part(~none)


def _painted_queens(flat: Flat, discs: Discs) -> NDArray[np.bool_]:
    """Which are likely queens on painted discs."""
    likely = discs.odds[:, 1:].argmax(1) == QUEEN - 1
    return np.asarray(
        likely & (just_on_paint(discs.xy, places_of(flat.measures)) | about_middle(discs.xy)), dtype=np.bool_
    )


def _among_pieces(odds: Floats) -> Floats:
    """Odds (N, 5) as shares of the pieces' classes alone, (N, 4)."""
    return np.asarray(odds[:, 1:] / np.maximum(odds[:, 1:].sum(1, keepdims=True), 1e-9), dtype=np.float64)


def less_shade(flat: Flat, laid: Pixels, discs: Discs, looks: Looks) -> Discs:
    """The discs without those blacks that are shade, a sleeve or a hand: dark, but with no disc's outline."""
    black = discs.odds.argmax(1) == KINDS.index("black")
    there = np.concatenate((discs.xy, discs.radius_mm[:, None]), 1)
    shown = np.ones(len(discs.xy), dtype=np.bool_)
    contrast = -float(np.mean(tones_of(looks)["black"].mean))
    shown[black] = dark_discs(flat, laid, there[black], there[~black], contrast)
    return discs.part(shown)


def shown_of(discs: Floats, hidden: Sequence[Sequence[Point]]) -> Floats:
    """The share of each disc, (N, 3) x, y and radius in mm, that lies outside all hidden polygons: (N,)."""
    if not hidden or not len(discs):
        return np.ones(len(discs))
    points = (discs[:, None, :2] + _INNER[None] * discs[:, 2, None, None]).reshape(-1, 2)
    free = np.ones(len(points), dtype=np.bool_)
    for polygon in hidden:
        corners = np.array(polygon, dtype=np.float32).reshape(-1, 1, 2)
        near = ((points >= corners.min((0, 1))) & (points <= corners.max((0, 1)))).all(1) & free
        for i in np.nonzero(near)[0]:
            free[i] = cv2.pointPolygonTest(corners, (float(points[i, 0]), float(points[i, 1])), False) < 0
    return np.asarray(free.reshape(len(discs), -1).mean(1), dtype=np.float64)


def _whole(board: Board) -> tuple[Point, ...]:
    half = board.half_mm
    return ((-half, -half), (half, -half), (half, half), (-half, half))


def lying(flat: Flat, discs: Discs, looks: Looks) -> Lying:
    """The discs as pieces of their class, down from the plane of the coins' tops.

    A striker's own top is higher or lower than that, so its ray comes down nearer to the camera or farther from it.
    """
    kinds = discs.odds[:, 1:].argmax(1)
    striker = kinds == KINDS.index("striker") - 1
    thick = np.where(striker, looks.striker_thickness_mm, looks.coin_thickness_mm)
    radius = np.where(striker, looks.striker_diameter_mm, looks.coin_diameter_mm) / 2.0
    foot, height = flat.model.centre_mm[:2], flat.model.centre_mm[2]
    xy = foot + (discs.xy - foot) * ((height - thick) / (height - flat.z_mm))[:, None]
    coin, other = (ERRORS.sharp, ERRORS.sharp) if looks.sharp_edges else (ERRORS.coin, ERRORS.striker)
    below = np.where(striker, other.mean_mm, coin.mean_mm)
    below_sd = np.where(striker, other.sd_mm, coin.sd_mm)
    return Lying(xy, discs.spread_mm, radius, thick, below, below_sd, np.array(SHADE_MM)[kinds])


def _seen(flat: Flat, looks: Looks, discs: Discs, lie: Placed, shares_seen: Floats) -> Iterator[SeenPiece]:
    """The discs as pieces; `shares_seen` (N,): as from `shown_of`."""
    xy = on_the_board(flat.measures, lie.xy, discs.radius_mm)
    odds = discs.odds[:, 1:] / discs.odds[:, 1:].sum(1, keepdims=True)
    order = np.argsort(-odds, 1)
    each = zip(*(part.tolist() for part in (xy, odds, order, discs.odds[:, 0], lie.u95_mm, shares_seen)), strict=True)
    for (x, y), likely, best, none, u95_mm, share_seen in each:
        mouth = _mouth(flat.measures, x, y, looks.coin_diameter_mm / 2.0)
        doubt = tuple((cast(Piece, KINDS[1 + k]), round(likely[k], 3)) for k in best if likely[k] > DOUBTED)
        yield SeenPiece(
            cast(Piece, KINDS[1 + best[0]]),
            round(x, 2),
            round(y, 2),
            round(hypot(u95_mm, MOUTH_MORE_MM if mouth is not None else 0.0), 2),
            confidence=round(likely[best[0]] * (1.0 - none), 3),
            visible=round(share_seen, 2),
            in_mouth=mouth,
            odds=doubt if len(doubt) > 1 else (),
        )


def _can_rest(board: Board, piece: SeenPiece) -> bool:
    """Says whether a piece may lie where it is seen: nearer to a pocket's centre it would tip in."""
    _, far = board.nearest_pocket(piece.x_mm, piece.y_mm)
    return far > max(HOLE_MM, board.rests_from_mm(piece.piece) - RIM_MM)


def _on_edge(places: Floats) -> tuple[SeenPiece, ...]:
    """Pieces that stand on their edge; which they are is not to be seen from above."""
    return tuple(
        SeenPiece("unknown", round(float(x), 2), round(float(y), 2), 3.0, confidence=0.5, upright=True)
        for x, y in places
    )


def _mouth(board: Board, x: float, y: float, radius_mm: float) -> Pocket | None:
    """The pocket whose mouth a piece hangs over, if its centre is within a coin's radius of the rim."""
    pocket, far = board.nearest_pocket(x, y)
    return cast(Pocket, pocket) if far < board.pocket_radius_mm + radius_mm else None
