"""From one picture to the pieces on the board: candidates, classes, outlines, and which of them can be together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from calibration.board import DEFAULT_BOARD
from calibration.camera import CameraModel, Floats
from controller.events.observation import BoardSeen, Foreign, Hand, Point, SeenPiece
from controller.events.words import Piece, Pocket
from controller.vision.finding.candidates import edges_of, peaks, votes_for
from controller.vision.finding.ground import BOARD_HALF_MM, Floats32, Ground, Slopes, ground_for, redness_slopes
from controller.vision.finding.outline import (
    ANY_RIM,
    BRIGHT_RIM,
    DARK_RIM,
    RED_RIM,
    UNIT,
    Outlines,
    Rim,
    along_rays,
    coherence,
    fit_outlines,
    likeness,
    near_rim,
    shown,
)
from controller.vision.finding.surface import changed, surface_of, tones_of
from controller.vision.finding.unknown_board import coin_radius_mm, with_own_paint
from controller.vision.finding.unseen import unseen_in
from controller.vision.looks import ANY_TONES, Look, Looks, Pixels

CLASSES = ("white", "black", "queen")
MOST_COINS, MOST_STRIKERS = 48, 40
"""How many of the best votes are looked at closely; nineteen coins were always among the best thirty."""
LIKELY_VOTES = 0.07
"""Votes beyond which something most likely hides the surface."""
ENCLOSED_BY = 4
"""Touching pieces about a queen on paint; the opening arrangement has six."""
LEAST_CHANGE, SLIGHT_CHANGE, LEAST_OUTLINE = 0.2, 0.04, 0.35
"""Mean difference from the empty board, as logarithms, beyond which paint is surely covered; or less, but then with
so much of an outline. Bare discs differ by 0.02."""
DARK_LEVEL = -0.35
"""Tone, as logarithm, below which a piece's wall is darker than the surface."""
LEAST_SCORE = 0.42
LEAST_ROUND = 0.58
ROUND_SHARES = (0.6, 0.4)
LIKE_EMPTY = 0.5
"""Correlation with the empty board's own slopes beyond which a round thing is printed."""
SECTORS = 12
STRIKER_SHARE = 1.333
STRIKER_LARGER = (1.2, 1.45)
"""A striker's size in coins where nothing was measured, and what else is seen on boards at home."""
SAME_CENTRE_MM = 4.0
USUAL_TONE = 7.0
MOST_STRAY_MM = 4.0
USUAL_CIRCLE_MM = 12.0
PAINT_SHIFTS_MM = tuple((x, y) for x in (0.0, 1.6, -1.6) for y in (0.0, 1.6, -1.6))
CUSHION_MM = 0.8
"""By how much a piece may seem to lie in the cushion."""
"""Agreement with its rim that a piece needs, mean over all rays."""
POCKET_CENTRE_MM, POCKET_RADIUS_MM = 347.75, 22.25
OVERLAP_MM = 2.6
"""How far two found discs may seem to overlap; more and one of them is not there."""


@dataclass(frozen=True, eq=False)
class Finding:
    """What one picture shows. Points in mm on the board; `hidden` says where nothing can be said."""

    pieces: tuple[SeenPiece, ...]
    hidden: tuple[tuple[Point, ...], ...] = ()
    hands: tuple[Hand, ...] = ()
    foreign: tuple[Foreign, ...] = ()


@dataclass(frozen=True, eq=False)
class Discs:
    """Fitted candidates of one kind: see `Outlines`; `kind` names the class of each, `tone` (N, 3).

    `by_roundness`: the score says how round it is, not how well it agrees with what was learnt.
    `like`: how much its mean ray is like what was learnt, where that counts for half of the score; else NaN.
    `oddness`: how far its tone is from its class's, in squared deviations. `own_edges`: its outline was seen in
    what no neighbour shows, so neighbours take nothing of it.
    """

    xy: Floats
    radius_mm: Floats
    score: Floats
    cover: Floats
    spread_mm: Floats
    rays: Floats
    rim: Floats32
    kind: NDArray[np.str_]
    odds: Floats
    tone: Floats
    by_roundness: NDArray[np.bool_]
    like: Floats
    oddness: Floats
    own_edges: NDArray[np.bool_]


def find(
    luma: Pixels,
    colour: Callable[[], Pixels],
    model: CameraModel,
    looks: Looks,
    *,
    before: BoardSeen | None = None,
    roi: tuple[float, float, float, float] | None = None,
) -> Finding:
    """Finds the pieces in one picture.

    `luma` (h, w) uint8; `colour` gives the same picture as BGR (h, w, 3) and is called once. `before`: what was
    seen last. `roi`: (west, south, east, north) in mm, where to look; everywhere without it.
    """
    ground = ground_for(model, looks)
    flat = ground.flatten(luma)
    picture = colour()
    if ground.empty is None:
        ground = with_own_paint(ground, picture)
    slopes = ground.fresh_slopes(flat)
    if not looks.sizes_known:
        radius = coin_radius_mm(ground, slopes, looks.coin_diameter_mm / 2.0)
        looks = replace(looks, coin_diameter_mm=2.0 * radius, striker_diameter_mm=2.0 * radius * STRIKER_SHARE)
    flat_colour = ground.flatten(picture)
    discs = _discs(ground, slopes, flat_colour, looks, roi)
    chosen = _together(discs)
    pieces = tuple(_seen(ground, looks, discs, i) for i in chosen)
    there = np.concatenate((discs.xy[chosen], discs.radius_mm[chosen, None]), 1)
    surface = surface_of(ground, flat_colour, there)
    rest = unseen_in(ground, flat, flat_colour, surface, there, looks.coin_diameter_mm)
    return Finding(pieces + _on_edge(rest.upright), rest.hidden, rest.hands, rest.foreign)


def rim_for(look: Look) -> Rim:
    """The rim of a class: as learnt, or from how much darker or brighter than the surface it is.

    A dark piece's wall is dark too, so towards the camera its outline is the wall's foot; a pale one's is its top.
    """
    level = float(np.mean(look.mean))
    if level < DARK_LEVEL:
        # What a dark piece shows inside its rim is the lamp's mirror image: it was learnt under another lamp.
        return DARK_RIM
    if look.signed:
        return Rim(np.array(look.signed), np.array(look.either), "top")
    return BRIGHT_RIM if level > 0.35 else ANY_RIM


def _discs(
    ground: Ground,
    slopes: Slopes,
    flat_colour: Pixels,
    looks: Looks,
    roi: tuple[float, float, float, float] | None,
) -> Discs:
    edges = edges_of(slopes, ground.seen)
    coin, striker = looks.coin_diameter_mm / 2.0, looks.striker_diameter_mm / 2.0
    found, heights = [], []
    for radius, most in ((coin, MOST_COINS), (striker, MOST_STRIKERS)):
        field = votes_for(edges, radius * ground.scale, 1.2)
        places, height = peaks(field, 0.015, 4.0 * ground.scale, most)
        xy = ground.to_mm(places)
        on_board = (np.abs(xy) < 370.0 - radius + 4.0).all(1)
        corner = np.hypot(*(np.abs(xy) - POCKET_CENTRE_MM).T)
        on_board &= corner > POCKET_RADIUS_MM - 3.0
        if roi is not None:
            on_board &= _within(xy, roi)
        found.append(xy[on_board])
        heights.append(height[on_board])
    likely = [
        np.concatenate((xy, np.full((len(xy), 1), r)), 1)[height > LIKELY_VOTES]
        for xy, r, height in zip(found, (coin, striker), heights, strict=True)
    ]
    covered = np.concatenate(likely)
    tones = tones_of(ground, flat_colour, found[0], np.full(len(found[0]), coin), covered)
    kinds, odds, oddness = classify(tones, looks)
    limit = BOARD_HALF_MM - coin + CUSHION_MM
    parts: list[Discs] = []
    dark = tones.mean(1) < DARK_LEVEL
    for kind, darker in ((kind, darker) for kind in CLASSES for darker in (False, True)):
        mine = np.nonzero((kinds == kind) & (dark == darker))[0]
        if not len(mine):
            continue
        # What was learnt in a lamp's mirror image is not what a dark piece shows beside it.
        rim = DARK_RIM if darker else rim_for(looks.tones.get(kind, ANY_TONES[kind]))
        size = np.full(len(mine), coin)
        fitted = fit_outlines(ground, slopes, found[0][mine], size, rim, limit_mm=limit)
        rays = shown(ground, slopes, fitted.xy, coin)
        discs = _as_discs(rays, fitted, coin, kinds[mine], odds[mine], tones[mine], oddness[mine])
        if _telling(rim):
            like = likeness(rays, rim)
            discs = replace(discs, score=0.5 * (discs.score + like), like=like)
        if ground.supposed:
            discs = replace(discs, score=np.where(_printed(ground, slopes, discs, only_circles=True), 0.0, discs.score))
        parts.append(discs)
        # In a lamp's mirror image a piece shows nothing that was learnt, but it is as round as ever.
        strange = np.nonzero((fitted.score < 0.5) & (heights[0][mine] > 0.1))[0]
        if len(strange):
            again = mine[strange]
            own = _own_fit(ground, slopes, found[0][again], coin, limit)
            rays = shown(ground, slopes, own.xy, coin)
            discs = _as_discs(rays, own, coin, kinds[again], odds[again], tones[again], oddness[again])
            parts.append(
                replace(discs, score=_roundness(ground, slopes, discs), by_roundness=np.ones(len(again), bool))
            )
    parts.append(_red(ground, slopes, flat_colour, looks, found[0][kinds == "queen"], covered, roi))
    parts.append(_strikers(ground, slopes, found[1], striker))
    if not looks.sizes_known:
        for larger in STRIKER_LARGER:
            outsize = larger * striker
            places, _ = peaks(votes_for(edges, outsize * ground.scale, 1.2), 0.1, 4.0 * ground.scale, 8)
            parts.append(_strikers(ground, slopes, ground.to_mm(places), outsize))
    return Discs(*(np.concatenate([getattr(p, name) for p in parts]) for name in Discs.__dataclass_fields__))


def _red(
    ground: Ground,
    slopes: Slopes,
    flat_colour: Pixels,
    looks: Looks,
    xy: Floats,
    covered: Floats,
    roi: tuple[float, float, float, float] | None,
) -> Discs:
    """Queens by their redness alone, also where the paint under them is as red: at candidates and on painted discs.

    Paint is told from a queen by looking just as the empty board does; without an empty board this finds nothing.
    """
    radius = looks.coin_diameter_mm / 2.0
    if ground.empty_colour is not None and not ground.supposed:
        paint = np.array((*DEFAULT_BOARD.base_circles_mm, (0.0, 0.0)))
        xy = np.concatenate((xy, paint if roi is None else paint[_within(paint, roi)]))
    else:
        # Paint could not be told from a queen.
        xy = xy[:0]
    size = np.full(len(xy), radius)
    red = redness_slopes(flat_colour)
    fitted = fit_outlines(ground, red, xy, size, RED_RIM, limit_mm=BOARD_HALF_MM - radius + CUSHION_MM)
    covered = np.concatenate((covered, np.concatenate((xy, size[:, None]), 1)))
    tones = tones_of(ground, flat_colour, fitted.xy, size, covered)
    kinds, odds, oddness = classify(tones, looks)
    discs = _as_discs(shown(ground, red, fitted.xy, radius), fitted, radius, kinds, odds, tones, oddness)
    # Her outline in brightness, less the paint's: a shadow that falls on a bare disc has none.
    outline = fit_outlines(ground, slopes, fitted.xy, size, ANY_RIM, wide=False)
    change = changed(ground, flat_colour, fitted.xy, size, covered)
    there = (change > LEAST_CHANGE) | ((change > SLIGHT_CHANGE) & (outline.cover > LEAST_OUTLINE))
    # Today's lamp may colour bare paint unlike the day it was shown empty: only pieces all round prove a queen there.
    paint = np.array((*DEFAULT_BOARD.base_circles_mm, (0.0, 0.0)))
    on_paint = np.hypot(*np.moveaxis(fitted.xy[:, None] - paint[None], -1, 0)).min(1) < SAME_CENTRE_MM
    gaps = np.hypot(*np.moveaxis(fitted.xy[:, None] - covered[None, : -len(xy), :2], -1, 0))
    there &= ~on_paint | ((np.abs(gaps - 2.0 * radius) < SAME_CENTRE_MM).sum(1) >= ENCLOSED_BY)
    score = np.where(there & (kinds == "queen"), fitted.score, 0.0)
    return replace(discs, score=score, own_edges=np.ones(len(xy), dtype=np.bool_))


def _within(xy: Floats, roi: tuple[float, float, float, float]) -> NDArray[np.bool_]:
    return (xy[:, 0] >= roi[0]) & (xy[:, 1] >= roi[1]) & (xy[:, 0] <= roi[2]) & (xy[:, 1] <= roi[3])


def _telling(rim: Rim) -> bool:
    """Whether a rim has a pattern of its own, brighter here and darker there, that chance seldom shows."""
    return float((rim.signed**2).sum()) > 2.0 * float((rim.either**2).sum()) and rim.rests_on == "top"


def _as_discs(
    rays: Floats32,
    fitted: Outlines,
    radius: float,
    kinds: NDArray[np.str_],
    odds: Floats,
    tones: Floats,
    oddness: Floats,
) -> Discs:
    n = len(fitted.xy)
    return Discs(
        fitted.xy,
        np.full(n, radius),
        fitted.score,
        fitted.cover,
        np.sqrt(np.trace(fitted.covariance, axis1=1, axis2=2) / 2.0),
        fitted.rays,
        near_rim(rays),
        kinds,
        odds,
        tones,
        np.zeros(n, dtype=np.bool_),
        np.full(n, np.nan),
        oddness,
        np.zeros(n, dtype=np.bool_),
    )


def _own_fit(ground: Ground, slopes: Slopes, xy: Floats, radius: float, limit: float) -> Outlines:
    """Fits discs of which nothing was learnt: what a candidate itself shows about its rim is looked for again."""
    size = np.full(len(xy), radius)
    first = fit_outlines(ground, slopes, xy, size, None, wide=False, limit_mm=limit)
    fitted = first
    for _ in range(2):
        fitted = fit_outlines(ground, slopes, fitted.xy, size, None, wide=False, limit_mm=limit)
    # Ornaments can pull a centre away step by step; the votes of the whole outline cannot be that wrong.
    strayed = np.hypot(*(fitted.xy - xy).T) > MOST_STRAY_MM
    if strayed.any():
        kept = {
            name: np.where(
                strayed.reshape((-1,) + (1,) * (getattr(first, name).ndim - 1)),
                getattr(first, name),
                getattr(fitted, name),
            )
            for name in Outlines.__dataclass_fields__
        }
        fitted = Outlines(**kept)
    return fitted


def _roundness(ground: Ground, slopes: Slopes, discs: Discs) -> Floats:
    """How much like any disc: how alike its rays are and how clear its rim, 0…1. Printed circles count nothing."""
    if not len(discs.xy):
        return np.zeros(0)
    alike, clear = coherence(discs.rim, np.ones(discs.rim.shape[:2], dtype=np.bool_))
    score = ROUND_SHARES[0] * alike + ROUND_SHARES[1] * np.minimum(clear / 1.3, 1.0)
    return np.where(_printed(ground, slopes, discs), 0.0, score)


def _printed(ground: Ground, slopes: Slopes, discs: Discs, *, only_circles: bool = False) -> NDArray[np.bool_]:
    """Which candidates look just as the empty board does there; `only_circles`: if a circle usually is there."""
    if ground.empty_slopes is None or not len(discs.xy):
        return np.zeros(len(discs.xy), dtype=np.bool_)
    radius = float(discs.radius_mm[0])
    right, down, _ = ground.empty_slopes
    bare = Slopes(right, down, slopes.noise, right, down)
    now = along_rays(ground, slopes, discs.xy, radius - 8.0, radius + 1.0, fresh=False)
    # The cushion is there with and without a piece beside it.
    rim = discs.xy[:, None, :] + UNIT[None] * (radius + 3.0)
    inner = (np.abs(rim[:, :, 0]) < BOARD_HALF_MM) & (np.abs(rim[:, :, 1]) < BOARD_HALF_MM)
    now *= inner[:, :, None]
    same = np.zeros(len(discs.xy), dtype=np.bool_)
    # Base circles are about as large as pieces; where they usually are, paint may lie a little elsewhere.
    usual = np.array(DEFAULT_BOARD.base_circles_mm)
    circle = np.hypot(*np.moveaxis(discs.xy[:, None] - usual[None], -1, 0)).min(1) < USUAL_CIRCLE_MM
    for k, shift in enumerate(PAINT_SHIFTS_MM if ground.supposed else PAINT_SHIFTS_MM[:1]):
        then = along_rays(ground, bare, discs.xy + np.array(shift), radius - 8.0, radius + 1.0)
        then *= inner[:, :, None]
        size = np.sqrt((now**2).sum((1, 2)) * (then**2).sum((1, 2)) + 1e-6)
        alike = (now * then).sum((1, 2)) / size > LIKE_EMPTY
        same |= alike & (circle | (k == 0 and not only_circles))
    return same


def _strikers(ground: Ground, slopes: Slopes, xy: Floats, radius: float) -> Discs:
    """Strikers come in any look, but each is round, and larger than the pieces."""
    fitted = _own_fit(ground, slopes, xy, radius, BOARD_HALF_MM - radius + CUSHION_MM)
    n = len(xy)
    rays = shown(ground, slopes, fitted.xy, radius)
    discs = _as_discs(rays, fitted, radius, np.full(n, "striker"), np.ones(n), np.zeros((n, 3)), np.zeros(n))
    return replace(discs, score=_roundness(ground, slopes, discs), by_roundness=np.ones(n, dtype=np.bool_))


def classify(tones: Floats, looks: Looks) -> tuple[NDArray[np.str_], Floats, Floats]:
    """The likeliest class of each tone (N, 3), its probability (N,), and the squared deviation from it (N,).

    A lamp mirrored in the lacquer lifts a piece's level more than it bleaches its colour, so the level may vary
    more than redness and blueness.
    """
    seen = _hue(tones)
    known = np.array([_hue(np.array([looks.tones.get(kind, ANY_TONES[kind]).mean]))[0] for kind in CLASSES])
    # The darker a piece, the less its colour is to be trusted.
    vague = 0.16 * np.maximum(-0.8 - seen[:, 0], 0.0)[:, None, None] * np.array((0.0, 1.0, 1.0))
    distance = ((seen[:, None, :] - known[None]) / (_HUE_SPREAD[None] + vague)) ** 2
    # Nothing is too dark for the darkest class.
    darkest = int(np.argmin(known[:, 0]))
    distance[seen[:, 0] < known[darkest, 0], darkest, 0] = 0.0
    cost = np.minimum(distance, 16.0).sum(2)
    likely = np.exp(-0.5 * (cost - cost.min(1, keepdims=True)))
    likely /= likely.sum(1, keepdims=True)
    best = np.argmin(cost, 1)
    each = np.arange(len(tones))
    return np.array(CLASSES)[best], likely[each, best], cost[each, best]


_HUE_SPREAD = np.array(((0.30, 0.14, 0.14), (0.40, 0.14, 0.14), (0.40, 0.2, 0.2)))


def _hue(tones: Floats) -> Floats:
    """Level, redness and blueness of tones (N, 3) given as blue, green, red."""
    return np.stack((tones.mean(1), tones[:, 2] - tones[:, 1], tones[:, 0] - tones[:, 1]), 1)


def _together(discs: Discs) -> list[int]:
    """Which candidates are there: the best first, and nothing that better ones explain."""
    chosen: list[int] = []
    inside = (np.abs(discs.xy) < 370.0 - discs.radius_mm[:, None] + 2.0).all(1)
    # A disc whose centre is over the hole has fallen.
    inside &= np.hypot(*(np.abs(discs.xy) - POCKET_CENTRE_MM).T) > POCKET_RADIUS_MM - 1.5
    if not len(discs.xy):
        return chosen
    discs = _striker_or_coin(discs)
    rim = discs.xy[:, None, :] + UNIT[None] * discs.radius_mm[:, None, None]
    free = np.ones(rim.shape[:2], dtype=np.bool_)
    score = np.where(inside, discs.score - _one_sided(discs, free), 0.0)
    while True:
        i = int(np.argmax(score))
        if score[i] < LEAST_SCORE:
            return chosen
        if discs.by_roundness[i] and score[i] < LEAST_ROUND:
            score[i] = 0.0
            continue
        chosen.append(i)
        if discs.kind[i] == "striker":
            # There is one striker on a board.
            score[discs.kind == "striker"] = 0.0
        away = np.hypot(*(discs.xy - discs.xy[i]).T)
        score[away < discs.radius_mm + discs.radius_mm[i] - OVERLAP_MM] = 0.0
        # Edges in and at the edge of a piece that is there are its own; they speak for no other.
        free &= np.hypot(rim[:, :, 0] - discs.xy[i, 0], rim[:, :, 1] - discs.xy[i, 1]) > discs.radius_mm[i] + 2.0
        near = (score > 0) & ~discs.own_edges & (away < discs.radius_mm + discs.radius_mm[i] + 6.0)
        share = free[near].mean(1)
        own = (discs.rays[near] * free[near]).sum(1) / np.maximum(free[near].sum(1), 1)
        alike, clear = coherence(discs.rim[near], free[near])
        rounds = ROUND_SHARES[0] * alike + ROUND_SHARES[1] * np.minimum(clear / 1.3, 1.0)
        own = np.where(np.isnan(discs.like[near]), own, 0.5 * (own + discs.like[near]))
        own = np.where(discs.by_roundness[near], rounds, own)
        # With little of its own outline left, more of it must agree.
        score[near] = np.minimum(own, discs.score[near] + 0.1) - 0.25 * np.maximum(0.75 - share, 0.0)
        score[near] -= _one_sided(discs, free)[near]


def _striker_or_coin(discs: Discs) -> Discs:
    """Settles places where a coin and a striker are seen round the same centre: one of the two loses its score.

    A coin's soft shadow is round too, and a striker has rings inside. What agrees with what was learnt of the coins,
    or has just the tone of its class, is a coin.
    """
    score = discs.score.copy()
    striker = discs.kind == "striker"
    _, clear = coherence(discs.rim, np.ones(discs.rim.shape[:2], dtype=np.bool_))
    for i in np.nonzero(striker)[0]:
        # At a cushion the larger disc is kept farther from it.
        larger = discs.radius_mm[i] - discs.radius_mm
        kept_off = np.abs(discs.xy[i]).max() > BOARD_HALF_MM - discs.radius_mm[i] - 1.0
        same = ~striker & (np.hypot(*(discs.xy - discs.xy[i]).T) < SAME_CENTRE_MM + kept_off * larger)
        coin = same & ~discs.by_roundness & (discs.score > 0.6)
        coin &= ~np.isnan(discs.like) | (discs.oddness < USUAL_TONE) | (clear[i] < 0.7)
        # A queen's redness ends at her own rim; a red striker's would not.
        coin |= same & discs.own_edges & (discs.score > 0.7)
        # Or its own rim is all round and what a striker would show is faint.
        coin |= same & discs.by_roundness & (discs.score > discs.score[i] + 0.15) & (clear[i] < 0.8)
        if coin.any():
            score[i] = 0.0
        elif score[i] > LEAST_ROUND:
            score[same] = 0.0
    return replace(discs, score=score)


def _one_sided(discs: Discs, free: NDArray[np.bool_]) -> Floats:
    """What a candidate loses because whole sides of it agree with nothing: a shadow's edge is no disc."""
    n = len(discs.xy)
    sectors = np.where(free, discs.rays, 0.0).reshape(n, SECTORS, -1).sum(2)
    count = free.reshape(n, SECTORS, -1).sum(2)
    known = count > 0
    fine = (sectors > 0.2 * count) & known
    share = fine.sum(1) / np.maximum(known.sum(1), 1)
    lost: Floats = 0.5 * np.maximum(0.75 - share, 0.0)
    return lost


def _seen(ground: Ground, looks: Looks, discs: Discs, i: int) -> SeenPiece:
    xy = discs.xy[i]
    kind = str(discs.kind[i])
    if kind == "striker" and looks.striker_thickness_mm != ground.z_mm:
        # Found on the plane of the coins' tops; its own top is higher, so its ray comes down nearer to the camera.
        higher = ground.model.centre_mm[2] - looks.striker_thickness_mm
        share = higher / (ground.model.centre_mm[2] - ground.z_mm)
        xy = ground.model.centre_mm[:2] + (xy - ground.model.centre_mm[:2]) * share
    x, y = float(xy[0]), float(xy[1])
    return SeenPiece(
        cast(Piece, kind),
        round(x, 2),
        round(y, 2),
        round(_u95(ground, discs, i, x, y), 2),
        confidence=round(float(discs.odds[i]), 3),
        visible=round(float(discs.cover[i]), 2),
        in_mouth=_mouth(x, y),
    )


def _u95(ground: Ground, discs: Discs, i: int, x: float, y: float) -> float:
    """The radius that holds a centre in 95 % of cases, in mm, as measured on simulated tables.

    It grows with the pixel's size and with how blunt the agreement is; where a cushion or a pocket is as dark as a
    piece, one side of its outline is not to be seen.
    """
    # What no pixel makes smaller: the camera's own error, the thickness, the light from one side.
    u = 0.33 + 0.36 / ground.model.px_per_mm + 0.6 * float(discs.spread_mm[i])
    if discs.by_roundness[i] and discs.kind[i] != "striker":
        u += 0.8
    if _mouth(x, y):
        u += 0.5
    if discs.kind[i] in ("black", "queen"):
        if BOARD_HALF_MM - max(abs(x), abs(y)) < discs.radius_mm[i] + 3.0:
            u += 0.7
        if _mouth(x, y):
            u += 0.9
    return u


def _on_edge(places: Floats) -> tuple[SeenPiece, ...]:
    """Pieces that stand on their edge; which they are is not to be seen from above."""
    return tuple(
        SeenPiece("unknown", round(float(x), 2), round(float(y), 2), 3.0, confidence=0.5, upright=True)
        for x, y, _ in places
    )


def _mouth(x: float, y: float) -> Pocket | None:
    """The pocket whose mouth a piece hangs over, if its centre is within a piece's radius of the rim."""
    for name, cx, cy in (("NE", 1, 1), ("NW", -1, 1), ("SW", -1, -1), ("SE", 1, -1)):
        if np.hypot(x - cx * 347.75, y - cy * 347.75) < 22.25 + 15.5:
            return cast(Pocket, name)
    return None
