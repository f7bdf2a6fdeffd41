"""A third net weighs what the other two say of a place against what the picture shows there: outline, tone and light.

The second net sees a patch by the light that is supposed for it, and names by what lies about it as well. What speaks
for a disc of just this size, and for its class, is measured here as numbers, and how much each counts was learnt on
drawn and path-traced boards (`scripts/teach/`). Needs an empty board and learnt tones. Must not know pictures' files,
nor what becomes of the answers.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Floats
from controller.vision.finding.among import tones_among
from controller.vision.finding.candidates import LEAST_ODDS, Candidates, Discs, tones_of
from controller.vision.finding.changed import light_beside, now_and_before, steps, unchanged_about
from controller.vision.finding.flat import Flat, Floats32, brightness, logarithm, median
from controller.vision.finding.nets import KINDS, verdicts
from controller.vision.finding.outlines import UNIT
from controller.vision.finding.painted import places_of
from controller.vision.finding.tones import witnessed
from controller.vision.finding.views import TOLD, tops
from controller.vision.grid import CELL
from controller.vision.looks import Looks, Pixels

STRIKER = KINDS.index("striker")
NOTHING = np.eye(len(KINDS))[0]
_INSIDE, _RIM, _BEYOND = slice(0, 5), slice(3, 10), slice(10, 15)
"""Of the places along a ray, from 6 mm within the outline to 5 mm beyond it; those of the rim are slopes."""
_SHARES = (0.1, 0.25, 0.5, 0.75, 0.9)
_SMALL = 0.01
"""Logarithms of a step; less is noise."""
LEAST_SLOPE = 0.02
RINGS_MM = (6.0, 12.0, 18.0)
"""So far beyond a disc it is checked whether the board is as it should be: a knuckle has a hand about it."""
OTHER_MM = 2.0
HUE_STEP, LEVEL_STEP = 0.2, 0.5
"""Logarithms of colour ratios and of brightness from which on a point is not the board in light or soft shade."""
PAINT_MM = 30.0
"""Farther from a painted disc's middle it makes no difference how far."""


def weighed(flat: Flat, laid: Pixels, asked: Candidates, looks: Looks) -> Discs:
    """The candidates with odds that all there is to be seen speaks for."""
    if not len(asked.discs.xy):
        return asked.discs
    about = _about(flat, laid, asked.discs)
    odds = verdicts(_features(flat, laid, asked, looks, about))
    # By construction, however sure the nets are: where nothing steps at the outline nothing was put.
    odds[unchanged_about(flat, laid, about.discs, about.change)] = NOTHING
    striker = odds[:, 1:].argmax(1) == STRIKER - 1
    radius = np.where(striker, looks.striker_diameter_mm, looks.coin_diameter_mm) / 2.0
    return Discs(asked.discs.xy, odds, asked.discs.spread_mm, radius)


def features(flat: Flat, laid: Pixels, asked: Candidates, looks: Looks) -> Floats32:
    """What is known of N candidates, (N, FEATURES)."""
    return _features(flat, laid, asked, looks, _about(flat, laid, asked.discs))


@dataclass(frozen=True, eq=False)
class _About:
    """Discs (N, 3) x, y, radius in mm; what is seen along rays about each, `now` and on the empty board `before`, and
    their logarithms' difference, as `changes` gives it."""

    discs: Floats
    now: Pixels
    before: Pixels
    change: Floats32


def _about(flat: Flat, laid: Pixels, discs: Discs) -> _About:
    rounds = np.concatenate((discs.xy, discs.radius_mm[:, None]), 1)
    now, before = now_and_before(flat, laid, rounds)
    return _About(rounds, now, before, logarithm(now) - logarithm(before))


def _features(flat: Flat, laid: Pixels, asked: Candidates, looks: Looks, about: _About) -> Floats32:
    assert flat.empty is not None
    xy, radius_mm, odds, spread_mm = asked.discs.xy, asked.discs.radius_mm, asked.discs.odds, asked.discs.spread_mm
    n, surface, tones = len(xy), asked.surface, tones_of(looks)
    light = light_beside(flat, surface, about.discs, about.change)
    tone, burnt = tops(flat, laid, surface, xy)
    paint, _ = tops(flat, flat.empty.colour, flat.empty.wood_log, xy)
    off = tone[:, None] - np.array([tones[kind].mean for kind in TOLD])[None]
    level = off.mean(2, keepdims=True)
    said = np.log(np.maximum(odds, 1e-5))
    heard = np.log(np.maximum(witnessed(odds, tone, burnt, tones), 1e-5))
    alike = tones_among(tone, odds)
    others = np.zeros((n, 2, 3)) if alike is None else tone[:, None] - np.array([alike[k].mean for k in TOLD[:2]])
    among = others.mean(2, keepdims=True)
    painted = np.hypot(*np.moveaxis(xy[:, None] - places_of(flat.measures)[None], -1, 0)).min(1)
    half = flat.measures.half_mm
    columns = (
        said - said.mean(1, keepdims=True),
        heard[:, 1:4] - said[:, 1:4],
        np.full((n, 1), alike is not None),
        among[..., 0],
        (others - among).reshape(n, -1),
        asked.heat,
        asked.seen,
        np.log(spread_mm)[:, None],
        (radius_mm > looks.coin_diameter_mm / 2.0 + 2.0)[:, None],
        light,
        light.mean(1, keepdims=True),
        tone,
        burnt,
        level[..., 0],
        (off - level).reshape(n, -1),
        paint,
        np.minimum(painted, PAINT_MM)[:, None] / PAINT_MM,
        np.minimum(np.hypot(*xy.T), PAINT_MM)[:, None] / PAINT_MM,
        np.abs(xy).max(1, keepdims=True) / half,
        _of_outline(about.change),
        _of_surroundings(flat, laid, surface, about.discs, odds[:, 0] < LEAST_ODDS),
        _as_before(about.now, about.before),
    )
    return np.concatenate([np.asarray(part, dtype=np.float32) for part in columns], 1)


def _of_outline(change: Floats32) -> Floats32:
    """What speaks for a disc's outline, of changes as from `changes`, (N, rays, places, 3): (N, M)."""
    inside, beyond = change[:, :, _INSIDE].mean(2), change[:, :, _BEYOND].mean(2)
    step = brightness(np.abs(inside - beyond))
    rise = brightness(inside - beyond)
    slope = brightness(np.abs(change[:, :, 2:] - change[:, :, :-2]))
    rim = slope[:, :, _RIM]
    edge, at = rim.max(2), rim.argmax(2)
    faint = edge < np.maximum(0.35 * median(edge[..., None]), LEAST_SLOPE)
    about = _quantiles(slope[:, :, 9:].max(2))[:, 2:], _quantiles(slope[:, :, :3].max(2))[:, 2:]
    parts = (
        _quantiles(step),
        _quantiles(edge),
        rise.mean(1, keepdims=True),
        np.abs(rise.mean(1, keepdims=True)) / (np.abs(rise).mean(1, keepdims=True) + _SMALL),
        at.std(1, keepdims=True),
        median(at[..., None].astype(np.float32)),
        _longest(faint)[:, None] / faint.shape[1],
        np.log(steps(change) + _SMALL / 2)[:, None],
        *about,
        brightness(inside).std(1, keepdims=True),
        brightness(beyond).std(1, keepdims=True),
        inside.std(1).mean(1, keepdims=True),
    )
    return np.concatenate([np.asarray(part, dtype=np.float32) for part in parts], 1)


def _of_surroundings(flat: Flat, laid: Pixels, surface: Floats32, discs: Floats, likely: NDArray[np.bool_]) -> Floats32:
    """Whether the board about N discs is the board that was shown empty, where no `likely` disc lies: (N, M)."""
    assert flat.empty is not None
    n, rays = len(discs), len(UNIT)
    far = discs[:, 2, None] + np.array(RINGS_MM)[None]
    xy = discs[:, None, None, :2] + UNIT[None, None] * far[:, :, None, None]
    grid = flat.to_grid(xy.reshape(-1, 2)).astype(np.float32)
    columns, rows = (part.reshape(-1, rays) for part in grid.T)
    now, before = (
        logarithm(cv2.remap(colour, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))
        for colour in (laid, flat.empty.colour)
    )
    light = surface - flat.empty.wood_log
    across, down = ((part + 0.5) / CELL - 0.5 for part in (columns, rows))
    supposed = cv2.remap(light, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    off = (now - before - supposed).reshape(n, len(RINGS_MM), rays, 3)
    hue = np.maximum(np.abs(off[..., 2] - off[..., 1]), np.abs(off[..., 0] - off[..., 1]))
    lighter = brightness(off)
    level = np.abs(lighter)
    free = (np.abs(xy) < flat.measures.half_mm - OTHER_MM).all(3)
    off_x, off_y = (xy[..., None, axis] - discs[likely, axis] for axis in (0, 1))
    own = (np.arange(n)[:, None] == np.nonzero(likely)[0][None])[:, None, None]
    free &= ((off_x * off_x + off_y * off_y > (discs[likely, 2] + OTHER_MM) ** 2) | own).all(3)
    strange = ((hue > HUE_STEP) | (level > LEVEL_STEP)) & free
    count = np.maximum(free.sum(2), 1)
    every = np.maximum(free.sum((1, 2)), 1)
    parts = (
        strange.sum(2) / count,
        free.mean(2),
        ((hue * free).sum((1, 2)) / every)[:, None],
        ((level * free).sum((1, 2)) / every)[:, None],
        ((lighter * free).sum((1, 2)) / every)[:, None],
        _longest(strange.any(1))[:, None] / rays,
    )
    return np.concatenate([np.asarray(part, dtype=np.float32) for part in parts], 1)


def _as_before(now: Pixels, before: Pixels) -> Floats32:
    """How well what lay there before, in other light, explains what is seen now, as `now_and_before`: (N, M).

    A lamp that is mirrored adds the same light to wood and paint, another lamp's light multiplies both: a brightness is
    a multiple of what it was and a little more. A piece hides what was there.
    """
    # A plane for each colour: numpy's sums along an axis before so short a last one take several times as long.
    shape = (len(now), 3, *now.shape[1:3])
    y, x = (np.moveaxis(part, 3, 1).reshape(*shape[:2], -1).astype(np.float32) for part in (now, before))
    level = y.mean(2, keepdims=True)
    dx, dy = x - x.mean(2, keepdims=True), y - level
    both, own = (np.einsum("nkp,nkp->nk", dx, part)[..., None] / np.float32(dx.shape[2]) for part in (dy, dx))
    factor = np.clip(both / (own + 4.0), 0.0, 3.0)
    rest, total = (part / (level + 10.0) for part in (dy - factor * dx, dy))
    # Their means are zero.
    left = [np.einsum("nkp,nkp->n", part, part) / part[0].size for part in (rest, total)]
    rest = np.moveaxis(rest.reshape(shape), 1, 3)
    edge = brightness(np.abs(rest[:, :, 2:] - rest[:, :, :-2]))[:, :, _RIM].max(2)
    parts = (
        np.log(left[0] + 1e-4)[:, None],
        np.log((left[0] + 1e-4) / (left[1] + 1e-4))[:, None],
        factor.mean((1, 2))[:, None],
        np.log(own.mean((1, 2)) + 1.0)[:, None],
        np.log(steps(np.asarray(rest, dtype=np.float32)) + _SMALL / 2)[:, None],
        _quantiles(edge),
    )
    return np.concatenate([np.asarray(part, dtype=np.float32) for part in parts], 1)


def _quantiles(value: Floats32) -> Floats32:
    """Logarithms of the quantiles round the outline, (N, 5)."""
    # Sorted once: numpy's own quantiles take several times as long for so few rays.
    at = np.array(_SHARES) * (value.shape[1] - 1)
    low, ordered = at.astype(np.int64), np.sort(value, 1)
    between = ordered[:, low] + (at - low) * (ordered[:, low + 1] - ordered[:, low])
    return np.asarray(np.log(between + _SMALL), dtype=np.float32)


def _longest(faint: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The longest run of true rays round each outline, (N,)."""
    count = faint.shape[1]
    at = np.arange(1, 2 * count + 1)
    # Twice round, each ray less the last one before it that is not true.
    run = at - np.maximum.accumulate(np.where(np.tile(faint, 2), 0, at), 1)
    return np.asarray(np.minimum(run.max(1), count), dtype=np.int64)
