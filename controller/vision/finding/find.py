"""From one picture to the pieces on the board: places, what lies there, and which of them can be together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import Board
from calibration.camera import CameraModel, Floats
from controller.events.observation import Foreign, Hand, Point, SeenPiece
from controller.events.words import Piece, Pocket
from controller.vision.finding.among import tones_among
from controller.vision.finding.changed import changes, light_beside, unchanged
from controller.vision.finding.errors import ERRORS
from controller.vision.finding.flat import Flat, flat_for, half_log
from controller.vision.finding.nets import KINDS, LEAST_HEAT, Places, fingerprint, what, where
from controller.vision.finding.outlines import dark_discs
from controller.vision.finding.painted import (
    FREE,
    about_middle,
    just_on_paint,
    looks_like_paint,
    many_painted,
    only_one_queen,
    places_of,
)
from controller.vision.finding.placing import Lying, Placed, placed
from controller.vision.finding.sizes import measured
from controller.vision.finding.tones import witnessed
from controller.vision.finding.unseen import unseen_in
from controller.vision.finding.views import (
    board_view,
    middle_changes,
    middle_tones,
    on_board,
    patch_views,
    surface_log,
    tones_at,
    tops,
)
from controller.vision.looks import ANY_TONES, Look, Looks, Pixels
from controller.vision.naming_head import Head

QUEEN = KINDS.index("queen")
SURELY = 0.5
"""Logit beyond which a place is taken to hide the surface while its light is measured."""
FAR_PX = 1.5
"""A piece so far beside the middle of its patch is looked at again."""
LEAST_ODDS = 0.5
CUSHION_MM = 0.8
"""By how much a piece may seem to lie in the cushion."""
OVERLAP_MM = 3.0
"""How far two found discs may seem to overlap; more and one of them is not there."""
SURELY_NONE = 0.2
"""Odds of nothing below which a disc is taken to lie there while other places are looked at."""
FAINT_NONE = 0.1
"""Odds of nothing that the second net may leave where the first one rather sees nothing. On development looks it left
0.015 at most of pieces, and 0.28 or more of what was none."""
AROUND_SHARE = 0.6
"""By how much of what a single answer states four are off that are asked about a striker, on the development looks."""
PLACE_OFF_MM = 6.0
"""How far the first net's place may lie from the piece."""
IN_SHADE = 0.2
"""What lies where the board about it is darker by this (logarithms) than its light is taken for is looked at again."""
SURE_SHARE = 0.95
"""A class with less of the odds than this is asked about again among the others."""
AROUND_MM = 60.0
LEAST_SPREAD = 4.0
"""Grey levels; a picture more even than this shows a lens cap, a dead lamp or the sun, and no board."""
DOUBTED = 0.05
"""Odds from which on another class is named as well."""
MOUTH_MORE_MM = 0.54
"""What is less sure over a pocket's mouth, where a rim may be as dark as what lies below."""

_BESIDE_MM = np.array(((1.2, 1.2), (1.2, -1.2), (-1.2, -1.2), (-1.2, 1.2)))
_INNER = np.array([(r * np.cos(a), r * np.sin(a)) for r in (0.35, 0.7, 0.95) for a in np.arange(0, 6.2, 0.7854)])


@dataclass(frozen=True, eq=False)
class Finding:
    """What one picture shows. Points in mm on the board; `hidden` says where nothing can be said."""

    pieces: tuple[SeenPiece, ...]
    hidden: tuple[tuple[Point, ...], ...] = ()
    hands: tuple[Hand, ...] = ()
    foreign: tuple[Foreign, ...] = ()


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


def find(
    picture: Pixels,
    model: CameraModel,
    looks: Looks,
    board: Board,
    *,
    roi: tuple[float, float, float, float] | None = None,
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
    half = half_log(laid)
    discs, surface = _discs(flat, laid, half, looks, roi)
    if looks.head is not None and looks.head.nets == fingerprint():
        discs = named_by_head(flat, laid, surface, discs, looks.head)
    discs = less_shade(flat, laid, discs, looks)
    there = np.concatenate((discs.xy, discs.radius_mm[:, None]), 1)
    rest = unseen_in(flat, laid, half, surface, there, looks.coin_diameter_mm)
    shares = shown_of(there, rest.hidden)
    seen = lying(flat, discs, looks)
    tell(seen)
    lie = placed(flat, picture, looks, seen)
    pieces = tuple(_seen(flat, looks, discs, lie, i, shares[i]) for i in range(len(discs.xy)))
    return Finding(pieces + _on_edge(rest.upright), rest.hidden, rest.hands, rest.foreign)


@dataclass(frozen=True, eq=False)
class Told:
    """What a table's own looks are learnt from: each disc's place (N, 2) in mm on the board, the nets' shares of
    `naming_head.NAMES` (N, 4), tone (N, 3) and saturated shares (N, 3); `left`: which a head does not name (N,)."""

    xy: Floats
    shares: Floats
    tones: Floats
    burnt: Floats
    left: NDArray[np.bool_]


def told(picture: Pixels, model: CameraModel, looks: Looks, board: Board) -> Told:
    """What the nets and the tones say of every disc in a picture (h, w, 3) BGR, before a head is heard."""
    if not looks.sizes_known:
        looks = measured(model, looks, board, picture)
    flat = flat_for(model, looks, board)
    laid = flat.lay(picture)
    discs, surface = _discs(flat, laid, half_log(laid), looks, None)
    discs = less_shade(flat, laid, discs, looks)
    tones, burnt = tops(flat, laid, surface, discs.xy)
    return Told(discs.xy, _among_pieces(discs.odds), tones, burnt, _painted_queens(flat, discs))


def named_by_head(flat: Flat, laid: Pixels, surface: NDArray[np.float32], discs: Discs, head: Head) -> Discs:
    """The same discs, named as this table's own pieces taught; a likely queen on painted discs is left as she is."""
    if not len(discs.xy):
        return discs
    tones, burnt = tops(flat, laid, surface, discs.xy)
    named = (1.0 - discs.odds[:, :1]) * head.named(_among_pieces(discs.odds), tones, burnt)
    odds = np.concatenate((discs.odds[:, :1], named), 1)
    odds = np.where(_painted_queens(flat, discs)[:, None], discs.odds, odds)
    return Discs(discs.xy, odds, discs.spread_mm, discs.radius_mm)


def _discs(
    flat: Flat, laid: Pixels, half: NDArray[np.float32], looks: Looks, roi: tuple[float, float, float, float] | None
) -> tuple[Discs, NDArray[np.float32]]:
    """What may lie there by nets and witnesses, and the surface's light."""
    places = _and_the_middle(where(flat, board_view(flat, half), roi and _about(roi)))
    radii = np.where(places.heat[:, 1] > places.heat[:, 0], looks.striker_diameter_mm, looks.coin_diameter_mm) / 2.0
    heat = places.heat.max(1)
    sure = heat > SURELY
    surface = surface_log(flat, laid, np.concatenate((places.xy, radii[:, None]), 1)[sure])
    possible = _possible(flat.measures, places.xy, looks.coin_diameter_mm / 2.0, roi)
    likely = look_at(flat, laid, surface, places.xy[possible & sure], looks)
    doubtful = np.nonzero(possible & ~sure)[0]
    doubtful = doubtful[~_covered(places.xy[doubtful], likely, looks.coin_diameter_mm / 2.0)]
    doubted = look_at(flat, laid, surface, places.xy[doubtful], looks)
    doubted = doubted.part((heat[doubtful] > 0.0) | (doubted.odds[:, 0] < FAINT_NONE))
    discs = together(likely.and_also(doubted))
    discs = less_paint(flat, laid, surface, discs, looks)
    discs = named_alike(flat, laid, surface, discs, known=looks.known)
    if looks.known:
        discs = witnessed_by_tone(flat, laid, surface, discs, looks)
    return less_unchanged(flat, laid, surface, discs, looks), surface


def look_at(flat: Flat, laid: Pixels, surface: NDArray[np.float32], xy: Floats, looks: Looks) -> Discs:
    """What lies at N places, each looked at again where it turns out to lie."""
    tones = _tones(looks)
    answers = what(patch_views(flat, laid, surface, xy, tones, known=looks.known), about_middle=about_middle(xy))
    odds, sigma = answers.odds.copy(), answers.sigma_px.copy()
    at = xy + on_board(flat, xy, answers.step_px)
    far = (np.hypot(*answers.step_px.T) > FAR_PX) & (odds[:, 0] < 0.9)
    if far.any():
        views = patch_views(flat, laid, surface, at[far], tones, known=looks.known)
        again = what(views, about_middle=about_middle(xy[far]))
        at[far] += on_board(flat, at[far], again.step_px)
        odds[far], sigma[far] = again.odds, again.sigma_px
    striker = (odds[:, 1:].argmax(1) == KINDS.index("striker") - 1) & (odds[:, 0] < 1.0 - LEAST_ODDS)
    if striker.any():
        at[striker] = _from_all_around(flat, laid, surface, at[striker], tones, known=looks.known)
        sigma[striker] *= AROUND_SHARE
    radius = np.where(striker, looks.striker_diameter_mm, looks.coin_diameter_mm) / 2.0
    return Discs(_inside(flat.measures, at, radius), odds, sigma / flat.scale, radius)


def _from_all_around(
    flat: Flat, laid: Pixels, surface: NDArray[np.float32], xy: Floats, tones: Mapping[str, Look], *, known: bool
) -> Floats:
    """Where N strikers lie, (N, 2) in mm: the mean of what is answered a little beside each, half of it mirrored.

    What the net errs by differs with where a patch is cut, and across the line of sight mirrors with it.
    """
    beside = (xy[:, None] + _BESIDE_MM).reshape(-1, 2)
    views = patch_views(flat, laid, surface, beside, tones, known=known)
    views[1::2] = views[1::2, :, ::-1].copy()
    steps = what(views).step_px
    steps[1::2, 1] *= -1.0
    at = beside + on_board(flat, beside, steps)
    return np.asarray(at.reshape(len(xy), len(_BESIDE_MM), 2).mean(1), dtype=np.float64)


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
    named = what(views, about_middle=about_middle(discs.xy[anew])).odds[:, 1:]
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
    known = _tones(looks)
    paint = np.zeros(len(discs.xy), dtype=np.bool_)
    paint[on_paint] = [
        looks_like_paint(
            tones[i], (others,) if kind == QUEEN else (others, before[i]), np.array(known[KINDS[kind]].mean)
        )
        for i, kind in enumerate(kinds[on_paint])
    ]
    return discs.part(~paint)


def witnessed_by_tone(flat: Flat, laid: Pixels, surface: NDArray[np.float32], discs: Discs, looks: Looks) -> Discs:
    """The same discs, their classes also by what their tone says; a likely queen on painted discs is left as she is."""
    if not len(discs.xy):
        return discs
    tones, burnt = tops(flat, laid, surface, discs.xy)
    odds = np.where(
        _painted_queens(flat, discs)[:, None], discs.odds, witnessed(discs.odds, tones, burnt, _tones(looks))
    )
    return Discs(discs.xy, odds, discs.spread_mm, discs.radius_mm)


def less_unchanged(flat: Flat, laid: Pixels, surface: NDArray[np.float32], discs: Discs, looks: Looks) -> Discs:
    """The discs without those where nothing has changed since the board lay empty, and without those that are none
    once they are looked at by the light just beside them: a finger's or a sleeve's end in its own shadow."""
    if flat.empty is None or not len(discs.xy):
        return discs
    there = np.concatenate((discs.xy, discs.radius_mm[:, None]), 1)
    change = changes(flat, laid, there)
    none = unchanged(change)
    light = light_beside(flat, surface, there, change)
    for i in np.nonzero((light.mean(1) < -IN_SHADE) & ~none)[0]:
        below = surface + light[i].astype(np.float32)
        views = patch_views(flat, laid, below, discs.xy[i : i + 1], _tones(looks), known=looks.known)
        none[i] = what(views, about_middle=about_middle(discs.xy[i : i + 1])).odds[0, 0] > LEAST_ODDS
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
    contrast = -float(np.mean(_tones(looks)["black"].mean))
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


def _tones(looks: Looks) -> Mapping[str, Look]:
    return {**ANY_TONES, **looks.tones}


def _and_the_middle(places: Places) -> Places:
    """The middle is asked about whatever the first net sees there: a queen differs little from its paint."""
    if (np.hypot(*places.xy.T) < PLACE_OFF_MM).any():
        return places
    faint = np.full((1, 2), LEAST_HEAT, dtype=np.float32)
    return Places(np.concatenate((places.xy, np.zeros((1, 2)))), np.concatenate((places.heat, faint)))


def _whole(board: Board) -> tuple[Point, ...]:
    half = board.half_mm
    return ((-half, -half), (half, -half), (half, half), (-half, half))


def _possible(
    board: Board, xy: Floats, radius: float, roi: tuple[float, float, float, float] | None
) -> NDArray[np.bool_]:
    """Which places a piece's centre can be at."""
    corner = np.hypot(*(np.abs(xy) - board.pocket_centre_mm).T)
    possible = (np.abs(xy) < board.half_mm - radius + 5.0).all(1) & (corner > board.pocket_radius_mm - 4.0)
    if roi is not None:
        possible &= (xy[:, 0] >= roi[0]) & (xy[:, 1] >= roi[1]) & (xy[:, 0] <= roi[2]) & (xy[:, 1] <= roi[3])
    return np.asarray(possible, dtype=np.bool_)


def _about(roi: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    """A part of the board with what lies around it: its pieces hide the surface by whose light it is seen."""
    return roi[0] - AROUND_MM, roi[1] - AROUND_MM, roi[2] + AROUND_MM, roi[3] + AROUND_MM


def _covered(xy: Floats, discs: Discs, radius_mm: float) -> NDArray[np.bool_]:
    """At which places nothing can lie, because of what surely lies there already."""
    surely = discs.part(discs.odds[:, 0] < SURELY_NONE)
    gaps = np.hypot(*np.moveaxis(xy[:, None] - surely.xy[None], -1, 0))
    return np.asarray((gaps < surely.radius_mm + radius_mm - OVERLAP_MM - PLACE_OFF_MM).any(1), dtype=np.bool_)


def _inside(board: Board, xy: Floats, radius: Floats) -> Floats:
    """No piece lies in a cushion."""
    limit = (board.half_mm - radius + CUSHION_MM)[:, None]
    return np.asarray(np.clip(xy, -limit, limit), dtype=np.float64)


def lying(flat: Flat, discs: Discs, looks: Looks) -> Lying:
    """The discs as pieces of their class, down from the plane of the coins' tops.

    A striker's own top is higher or lower than that, so its ray comes down nearer to the camera or farther from it.
    """
    striker = discs.odds[:, 1:].argmax(1) == KINDS.index("striker") - 1
    thick = np.where(striker, looks.striker_thickness_mm, looks.coin_thickness_mm)
    radius = np.where(striker, looks.striker_diameter_mm, looks.coin_diameter_mm) / 2.0
    foot, height = flat.model.centre_mm[:2], flat.model.centre_mm[2]
    xy = foot + (discs.xy - foot) * ((height - thick) / (height - flat.z_mm))[:, None]
    coin, other = (ERRORS.sharp, ERRORS.sharp) if looks.sharp_edges else (ERRORS.coin, ERRORS.striker)
    below = np.where(striker, other.mean_mm, coin.mean_mm)
    below_sd = np.where(striker, other.sd_mm, coin.sd_mm)
    return Lying(xy, discs.spread_mm, radius, thick, below, below_sd)


def _seen(flat: Flat, looks: Looks, discs: Discs, lie: Placed, i: int, share_seen: float) -> SeenPiece:
    radius = discs.radius_mm[i : i + 1]
    xy, odds = _inside(flat.measures, lie.xy[i : i + 1], radius)[0], discs.odds[i, 1:] / discs.odds[i, 1:].sum()
    order = np.argsort(-odds)
    kind = KINDS[1 + int(order[0])]
    x, y = float(xy[0]), float(xy[1])
    mouth = _mouth(flat.measures, x, y, looks.coin_diameter_mm / 2.0)
    doubt = tuple((cast(Piece, KINDS[1 + int(k)]), round(float(odds[k]), 3)) for k in order if odds[k] > DOUBTED)
    return SeenPiece(
        cast(Piece, kind),
        round(x, 2),
        round(y, 2),
        round(float(np.hypot(lie.u95_mm[i], MOUTH_MORE_MM if mouth is not None else 0.0)), 2),
        confidence=round(float(odds[order[0]] * (1.0 - discs.odds[i, 0])), 3),
        visible=round(float(share_seen), 2),
        in_mouth=mouth,
        odds=doubt if len(doubt) > 1 else (),
    )


def _on_edge(places: Floats) -> tuple[SeenPiece, ...]:
    """Pieces that stand on their edge; which they are is not to be seen from above."""
    return tuple(
        SeenPiece("unknown", round(float(x), 2), round(float(y), 2), 3.0, confidence=0.5, upright=True)
        for x, y, _ in places
    )


def _mouth(board: Board, x: float, y: float, radius_mm: float) -> Pocket | None:
    """The pocket whose mouth a piece hangs over, if its centre is within a coin's radius of the rim."""
    pocket, far = board.nearest_pocket(x, y)
    return cast(Pocket, pocket) if far < board.pocket_radius_mm + radius_mm else None
