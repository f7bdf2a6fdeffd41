"""Where exactly a disc lies: its rim and rings compared, ray by ray, with what this class of piece shows.

A disc 8 mm high seen from above shows its top and, on the side towards the camera, a strip of its wall; its shadow
adds one more edge outside. So each class has a *rim*: how brightness changes along a ray from inside the top to its
rim. It is laid over the picture at every small shift, and the shift at which most rays agree is the centre. Must not
know rules or colours.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Floats
from controller.vision.learning.ground import Floats32, Ground, Slopes

RAYS = 60
STEP_MM = 0.4
OWN = 0.6
INSIDE_MM = 10.0
"""How far inside the rim a piece's rings are compared."""
BEYOND_MM = 1.2

ANGLES = np.arange(RAYS) * (2.0 * np.pi / RAYS)
UNIT = np.stack((np.cos(ANGLES), np.sin(ANGLES)), 1)
RIM_MM = np.arange(-round(INSIDE_MM / STEP_MM), round(BEYOND_MM / STEP_MM) + 1) * STEP_MM
"""Distances from the rim at which a rim is described."""


@dataclass(frozen=True, eq=False)
class Rim:
    """How brightness changes outward along a ray, at `RIM_MM` from the rim.

    `signed` answers to brighter (+) or darker (−) outward, `either` to any change. Scaled so that a piece that
    shows exactly this scores 1 on a ray. `rests_on`: where the rim
    is seen on the side towards the camera: at the `top`, at the wall's foot (`far`), or at `either`.
    """

    signed: Floats
    either: Floats
    rests_on: str = "either"


# An outline of either sign must stand out from what lies beside it: grain and noise have edges at every distance.


@dataclass(frozen=True, eq=False)
class Outlines:
    """Measured outlines of N discs.

    `xy` (N, 2) centres in mm on the grid's plane; `score` (N,) agreement with the rim, mean over rays, about 1 for
    a perfect one; `cover` (N,) share of rays that agree; `rays` (N, RAYS) agreement of each ray; `covariance`
    (N, 2, 2) of the centre in mm².
    """

    xy: Floats
    score: Floats
    cover: Floats
    rays: Floats
    covariance: Floats


def rim_radii(ground: Ground, xy: Floats, radius_mm: Floats) -> tuple[Floats, Floats]:
    """Distances from each disc's top centre to the top's rim and to the farther of rim and foot, both (N, RAYS)."""
    height = ground.model.centre_mm[2]
    shrink = ground.z_mm / height
    foot = -(xy - ground.model.centre_mm[:2]) * shrink
    along = foot @ UNIT.T
    across = foot[:, :1] * UNIT[:, 1] - foot[:, 1:] * UNIT[:, 0]
    reach = np.sqrt(np.maximum((radius_mm[:, None] * (1.0 - shrink)) ** 2 - across**2, 0.0))
    top = np.repeat(radius_mm[:, None], RAYS, 1)
    return top, np.maximum(top, along + reach)


def along_rays(
    ground: Ground, slopes: Slopes, xy: Floats, inner: float, outer: float, *, fresh: bool = True
) -> Floats32:
    """Brightness change outward along every ray, softly limited to −1…1: (N, RAYS, distances `inner` to `outer`).

    `fresh`: without what the bare board shows.
    """
    return _sampled(ground, slopes, xy, np.full((1, 1), inner), round((outer - inner) / STEP_MM) + 1, fresh=fresh)


def _sampled(
    ground: Ground, slopes: Slopes, xy: Floats, start: Floats, steps: int, *, every: int = 1, fresh: bool = True
) -> Floats32:
    """`along_rays` with a distance of its own at which each ray begins, (N, RAYS); only each `every`-th ray."""
    n = len(xy)
    unit = UNIT[::every].astype(np.float32)
    if n == 0:
        return np.zeros((0, len(unit), steps), dtype=np.float32)
    begins = start[:, ::every] if start.shape[1] > 1 else start
    # In grid pixels from here on.
    distance = ((begins[:, :, None] + np.arange(steps) * STEP_MM) * ground.scale).astype(np.float32)
    centre = ground.to_grid(xy).astype(np.float32)
    columns = centre[:, 0, None, None] + unit[None, :, 0, None] * distance
    rows = centre[:, 1, None, None] - unit[None, :, 1, None] * distance
    shape = (n * len(unit), steps)
    both = cv2.remap(
        slopes.fresh if fresh else slopes.whole,
        columns.reshape(shape),
        rows.reshape(shape),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    ).reshape(n, len(unit), steps, 2)
    slope = both[..., 0] * unit[None, :, 0, None]
    slope -= both[..., 1] * unit[None, :, 1, None]
    # Neighbouring rays look at nearly the same edge: a light average along the rim quiets the noise.
    wrapped = np.concatenate((slope[:, -1:], slope, slope[:, :1]), 1)
    slope = 0.5 * slope
    slope += 0.25 * wrapped[:, :-2]
    slope += 0.25 * wrapped[:, 2:]
    # A strong disc is judged by its own strength, so that the steepest place of an edge counts, not any slope.
    strength = np.abs(slope)
    own = np.median(strength.max(2), 1)
    limit = np.maximum(4.0 * slopes.noise, OWN * own).astype(np.float32)[:, None, None]
    limited: Floats32 = slope / (strength + limit)
    return limited


@dataclass(frozen=True)
class _Pass:
    """One search over square shifts of `span` (in mm, both ways alike), with each `every`-th ray."""

    span: tuple[float, ...]
    every: int

    @property
    def moves(self) -> int:
        """By how many steps a rim moves along a ray at most."""
        return round(self.span[-1] * 1.5 / STEP_MM)


_WIDE = _Pass(tuple(round(0.7 * k, 2) for k in range(-4, 5)), 2)
_NEAR = _Pass(tuple(round(0.2 * k, 2) for k in range(-5, 6)), 1)


@lru_cache(maxsize=4)
def _places(which: _Pass) -> tuple[NDArray[np.int64], Floats32, Floats32]:
    """What shifting a disc means for its rays: lower move (S, rays), share of the next, and all at once.

    The last is a matrix (rays × moves, S) that turns the agreement of each ray at each move into the sum of all rays
    at each shift.
    """
    span = np.array(which.span)
    shifts = np.stack(np.meshgrid(span, span), -1).reshape(-1, 2)
    unit = UNIT[:: which.every]
    place = (shifts @ unit.T) / STEP_MM + which.moves
    count = 2 * which.moves + 1
    low = np.clip(np.floor(place).astype(np.int64), 0, count - 2)
    part = (place - low).astype(np.float32)
    sums = np.zeros((len(unit), count, len(shifts)), dtype=np.float32)
    s, r = np.meshgrid(np.arange(len(shifts)), np.arange(len(unit)), indexing="ij")
    sums[r, low, s] += 1.0 - part
    sums[r, low + 1, s] += part
    return low, part, sums.reshape(len(unit) * count, len(shifts))


def fit_outlines(
    ground: Ground,
    slopes: Slopes,
    xy: Floats,
    radius_mm: Floats,
    rim: Rim | None,
    *,
    wide: bool = True,
) -> Outlines:
    """Fits N discs of one class (centres (N, 2) in mm, radii (N,)) to the fresh slopes of a flat picture.

    `rim`: None takes what each disc itself shows about its rim, for pieces of which nothing was learnt. `wide`: the
    guesses may be off by 2.8 mm; False: by 1 mm.
    """
    xy = np.asarray(xy, dtype=np.float64).copy()
    n = len(xy)
    if n == 0:
        none = np.zeros(0)
        return Outlines(xy.reshape(0, 2), none, none, np.zeros((0, RAYS)), np.zeros((0, 2, 2)))
    agreement = np.zeros((n, RAYS))
    covariance = np.zeros((n, 2, 2))
    for which in (_WIDE, _NEAR) if wide else (_NEAR,):
        low, part, sums = _places(which)
        match = _matches(ground, slopes, xy, radius_mm, rim, which)
        total = match.reshape(n, -1) @ sums
        best = np.argmax(total, 1)
        step, covariance = _crest(total, best, np.array(which.span))
        xy += step
        if which is _NEAR:
            at = np.take_along_axis(match, low[best][:, :, None], 2)[:, :, 0] * (1.0 - part[best])
            at += np.take_along_axis(match, low[best][:, :, None] + 1, 2)[:, :, 0] * part[best]
            agreement = at.astype(np.float64)
    return Outlines(xy, agreement.mean(1), (agreement > 0.35).mean(1), agreement, covariance)


def _matches(ground: Ground, slopes: Slopes, xy: Floats, radius_mm: Floats, rim: Rim | None, which: _Pass) -> Floats32:
    """Agreement with the rim when it is moved along each ray: (N, rays, moves both ways)."""
    top, far = rim_radii(ground, xy, radius_mm)
    rests_on = "top" if rim is None else rim.rests_on
    if rests_on == "either" and rim is not None:
        each = [_agreement(ground, slopes, xy, radii, rim, which) for radii in (top, far)]
        return np.asarray(np.maximum(*each), dtype=np.float32)
    return _agreement(ground, slopes, xy, top if rests_on == "top" else far, rim, which)


def _agreement(ground: Ground, slopes: Slopes, xy: Floats, radii: Floats, rim: Rim | None, which: _Pass) -> Floats32:
    """`_matches` where the rim lies at `radii` (N, RAYS)."""
    moves, size = which.moves, len(RIM_MM)
    start = radii - INSIDE_MM - moves * STEP_MM
    slope = _sampled(ground, slopes, xy, start, size + 2 * moves, every=which.every)
    if rim is None:
        mean = slope[:, :, moves : moves + size].mean(1).astype(np.float64)
        own = mean / np.maximum((mean**2).sum(1, keepdims=True), 0.2)
        match = slope @ np.stack([_moved(tuple(signed), moves) for signed in own])
        return np.asarray(np.clip(match, -0.5, 1.0), dtype=np.float32)
    match = np.zeros((*slope.shape[:2], 2 * moves + 1), dtype=np.float32)
    if rim.signed.any():
        match += slope @ _moved(tuple(rim.signed), moves)
    if rim.either.any():
        match += np.abs(slope) @ _moved(tuple(rim.either), moves)
    return np.asarray(np.clip(match, -0.5, 1.0), dtype=np.float32)


def _moved(kernel: tuple[float, ...], moves: int) -> Floats32:
    """A matrix (samples, moves both ways) whose product with a ray compares it with the kernel at every move."""
    moved = np.zeros((len(kernel) + 2 * moves, 2 * moves + 1), dtype=np.float32)
    for m in range(2 * moves + 1):
        moved[m : m + len(kernel), m] = kernel
    return moved


def _crest(total: Floats32, best: NDArray[np.int64], span: Floats) -> tuple[Floats, Floats]:
    """The top of a paraboloid through the 3×3 totals around each best shift: steps (N, 2), covariance (N, 2, 2)."""
    k = len(span)
    n = len(best)
    row, column = np.clip(best // k, 1, k - 2), np.clip(best % k, 1, k - 2)
    surface = total.reshape(n, k, k).astype(np.float64)
    each = np.arange(n)
    f = {(i, j): surface[each, row + i, column + j] for i in (-1, 0, 1) for j in (-1, 0, 1)}
    h = span[1] - span[0]
    gx, gy = (f[0, 1] - f[0, -1]) / (2 * h), (f[1, 0] - f[-1, 0]) / (2 * h)
    xx = np.minimum((f[0, 1] - 2 * f[0, 0] + f[0, -1]) / h**2, -0.3)
    yy = np.minimum((f[1, 0] - 2 * f[0, 0] + f[-1, 0]) / h**2, -0.3)
    xy = (f[1, 1] - f[1, -1] - f[-1, 1] + f[-1, -1]) / (4 * h * h)
    xy = np.clip(xy, -0.8 * np.sqrt(xx * yy), 0.8 * np.sqrt(xx * yy))
    det = xx * yy - xy * xy
    dx = np.clip(-(yy * gx - xy * gy) / det, -h, h)
    dy = np.clip(-(xx * gy - xy * gx) / det, -h, h)
    covariance = np.empty((n, 2, 2))
    covariance[:, 0, 0], covariance[:, 1, 1] = -yy / det, -xx / det
    covariance[:, 0, 1] = covariance[:, 1, 0] = xy / det
    return np.stack((span[column] + dx, span[row] + dy), 1), covariance
