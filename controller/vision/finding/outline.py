"""Where exactly a disc lies: its rim and rings compared, ray by ray, with what this class of piece shows.

A disc 8 mm high seen from above shows its top and, on the side towards the camera, a strip of its wall; its shadow
adds one more edge outside. So each class has a *rim*: how brightness changes along a ray from inside the top to its
rim. It is laid over the picture at every small shift, and the shift at which most rays agree is the centre. Must not
know rules or colours.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Floats
from controller.vision.finding.ground import Floats32, Ground, Slopes

RAYS = 60
STEP_MM = 0.4
OWN = 0.6
INSIDE_MM = 10.0
"""How far inside the rim a piece's rings are compared."""
BEYOND_MM = 1.2
REACH_MM = 3.2
"""How far a first guess may be wrong along one ray."""

ANGLES = np.arange(RAYS) * (2.0 * np.pi / RAYS)
UNIT = np.stack((np.cos(ANGLES), np.sin(ANGLES)), 1)
RIM_MM = np.arange(-round(INSIDE_MM / STEP_MM), round(BEYOND_MM / STEP_MM) + 1) * STEP_MM
"""Distances from the rim at which a rim is described."""


@dataclass(frozen=True, eq=False)
class Rim:
    """How brightness changes outward along a ray, at `RIM_MM` from the rim.

    `signed` answers to brighter (+) or darker (−) outward, `either` to any change. Scaled so that a piece that
    shows exactly this scores 1 on a ray. `signed` may be one rim or one for each disc. `rests_on`: where the rim
    is seen on the side towards the camera: at the `top`, at the wall's foot (`far`), or at `either`.
    """

    signed: Floats
    either: Floats
    rests_on: str = "either"


def _bump(width: float) -> Floats:
    bump = np.exp(-0.5 * (RIM_MM / width) ** 2)
    scaled: Floats = bump / bump.sum()
    return scaled


DARK_RIM = Rim(1.6 * _bump(0.6), np.zeros(len(RIM_MM)), "far")
BRIGHT_RIM = Rim(-1.6 * _bump(0.7), np.zeros(len(RIM_MM)))
# An outline of either sign must stand out from what lies beside it: grain and noise have edges at every distance.
ANY_RIM = Rim(np.zeros(len(RIM_MM)), 2.2 * (_bump(0.7) - 1.0 / len(RIM_MM)))


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
    swell_mm: Floats


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
    distance = np.arange(round((outer - inner) / STEP_MM) + 1) * STEP_MM + inner
    ring = UNIT[:, :, None] * distance[None, None, :]
    n = len(xy)
    if n == 0:
        return np.zeros((0, RAYS, len(distance)), dtype=np.float32)
    shape = (n * RAYS, len(distance))
    columns = ((xy[:, 0, None, None] + ring[None, :, 0]) * ground.scale + ground.middle).astype(np.float32)
    rows = (ground.middle - (xy[:, 1, None, None] + ring[None, :, 1]) * ground.scale).astype(np.float32)
    whole, part = cv2.convertMaps(columns.reshape(shape), rows.reshape(shape), cv2.CV_16SC2)
    right = cv2.remap(
        slopes.right if fresh else slopes.all_right, whole, part, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    down = cv2.remap(
        slopes.down if fresh else slopes.all_down, whole, part, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    right, down = right.reshape(n, RAYS, -1), down.reshape(n, RAYS, -1)
    ux, uy = UNIT[None, :, 0, None].astype(np.float32), UNIT[None, :, 1, None].astype(np.float32)
    slope = ux * right - uy * down
    # Neighbouring rays look at nearly the same edge: a light average along the rim quiets the noise.
    slope = 0.5 * slope + 0.25 * (np.roll(slope, 1, 1) + np.roll(slope, -1, 1))
    # A strong disc is judged by its own strength, so that the steepest place of an edge counts, not any slope.
    strength = np.abs(slope)
    own = np.median(strength.max(2), 1)
    limit = np.maximum(4.0 * slopes.noise, OWN * own).astype(np.float32)[:, None, None]
    limited: Floats32 = (slope / (strength + limit)).astype(np.float32)
    return limited


_WIDE_MM = np.arange(-2.8, 2.81, 0.4)
_NEAR_MM = np.arange(-0.8, 0.81, 0.2)


def fit_outlines(
    ground: Ground,
    slopes: Slopes,
    xy: Floats,
    radius_mm: Floats,
    rim: Rim,
    *,
    wide: bool = True,
    swell_mm: Floats | tuple[float, ...] = (0.0,),
    limit_mm: float = np.inf,
) -> Outlines:
    """Fits N discs of one class (centres (N, 2) in mm, radii (N,)) to the fresh slopes of a flat picture.

    `wide`: the guesses may be off by 2.8 mm; False: by 0.8 mm. `swell_mm`: by how much the rim may seem larger
    than the disc (a bevel in the lamp's light makes it seem smaller), in steps to be tried. `limit_mm`: no centre
    lies farther from the board's middle, east-west or north-south.
    """
    xy = np.asarray(xy, dtype=np.float64).copy()
    n = len(xy)
    if n == 0:
        none = np.zeros(0)
        return Outlines(xy.reshape(0, 2), none, none, np.zeros((0, RAYS)), np.zeros((0, 2, 2)), none)
    swells = np.asarray(swell_mm, dtype=np.float64)
    agreement = np.zeros((n, RAYS))
    covariance = np.zeros((n, 2, 2))
    swell = np.zeros(n)
    for span in (_WIDE_MM, _NEAR_MM) if wide else (_NEAR_MM,):
        shifts = np.stack(np.meshgrid(span, span), -1).reshape(-1, 2)
        match, reach = _matches(ground, slopes, xy, radius_mm, rim, span[-1] * 1.5 + np.abs(swells).max())
        along = shifts @ UNIT.T
        along = (along[None, :, :] + swells[:, None, None]).reshape(-1, RAYS)
        place = (along + reach) / STEP_MM
        low = np.clip(np.floor(place).astype(np.int64), 0, match.shape[2] - 2)
        part = (place - low).astype(np.float32)
        rays = np.arange(RAYS)[None, :]
        # (N, swells × shifts, RAYS): the agreement of each ray if the centre were there.
        at = match[:, rays, low] * (1.0 - part) + match[:, rays, low + 1] * part
        total = at.sum(2)
        if np.isfinite(limit_mm):
            outside = (np.abs(xy[:, None, :] + shifts[None]) > limit_mm).any(2)
            # The last place inside is a crest, not a slope: fall off steeply beyond it, but smoothly.
            total -= np.tile(np.where(outside, 20.0, 0.0), (1, len(swells))).astype(np.float32)
        best = np.argmax(total, 1)
        which = best // len(shifts)
        swell = swells[which]
        layer = total.reshape(n, len(swells), len(shifts))[np.arange(n), which]
        step, covariance = _crest(layer, best % len(shifts), span)
        xy += step
        agreement = np.take_along_axis(at, best[:, None, None], 1)[:, 0, :].astype(np.float64)
    return Outlines(xy, agreement.mean(1), (agreement > 0.35).mean(1), agreement, covariance, swell)


COHERENT_MM = (-2.4, 0.8)


def near_rim(ground: Ground, slopes: Slopes, xy: Floats, radius_mm: float) -> Floats32:
    """The rays' brightness changes about the rim, `COHERENT_MM` from it: (N, RAYS, distances)."""
    # Taken from longer rays, so that what is weak beside the rest of the disc stays weak.
    rays = along_rays(ground, slopes, xy, radius_mm - INSIDE_MM, radius_mm + COHERENT_MM[1])
    return rays[:, :, round((COHERENT_MM[0] + INSIDE_MM) / STEP_MM) :]


def coherence(rays: Floats32, free: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """How round a thing is, by the `free` rays (N, RAYS) of `near_rim`.

    Returns how much alike the rays are, 0 for chance and 1 for perfectly alike, and how clear what they have in
    common is, 1 for a good rim; both (N,).
    """
    weight = free[:, :, None].astype(np.float32)
    count = np.maximum(weight.sum(1), 1.0)
    mean = (rays * weight).sum(1) / count
    energy = ((rays**2) * weight).sum(1) / count
    share = (mean**2).sum(1) / (energy.sum(1) + 1e-6)
    chance = 1.0 / count[:, 0]
    alike = np.asarray((share - chance) / (1.0 - chance), dtype=np.float64)
    return alike, np.sqrt(np.asarray((mean**2).sum(1), dtype=np.float64))


def likeness(ground: Ground, slopes: Slopes, xy: Floats, radius_mm: float, rim: Rim) -> Floats:
    """How much the mean ray of each of N discs is like what was learnt, times how much of its rays the mean is.

    About 0.5 and more for a piece, less for chance; noise that hides every single ray leaves their mean. Zero where
    no signed rim was learnt.
    """
    if not len(xy) or rim.signed.ndim != 1 or not rim.signed.any():
        return np.zeros(len(xy))
    rays = along_rays(ground, slopes, xy, radius_mm - INSIDE_MM, radius_mm + BEYOND_MM).astype(np.float64)
    mean = rays.mean(1)
    size = np.sqrt((mean**2).sum(1))
    alike = (mean @ rim.signed) / (size * np.sqrt((rim.signed**2).sum()) + 1e-9)
    whole = np.sqrt((rays**2).sum(2).mean(1)) + 1e-9
    like: Floats = np.maximum(alike, 0.0) * size / whole
    return like


def own_rims(ground: Ground, slopes: Slopes, xy: Floats, radius_mm: float) -> Rim:
    """What each of N discs (centres (N, 2)) itself shows about its rim, for pieces of which nothing was learnt."""
    rays = along_rays(ground, slopes, xy, radius_mm - INSIDE_MM, radius_mm + BEYOND_MM)
    mean = rays.mean(1).astype(np.float64)
    scale = np.maximum((mean**2).sum(1, keepdims=True), 0.2)
    return Rim(mean / scale, np.zeros(len(RIM_MM)), "top")


def _matches(
    ground: Ground, slopes: Slopes, xy: Floats, radius_mm: Floats, rim: Rim, reach: float
) -> tuple[Floats32, float]:
    """Agreement with the rim when it is moved along each ray: (N, RAYS, moves from −reach to +reach in STEP_MM)."""
    top, far = rim_radii(ground, xy, radius_mm)
    widest = float((far - radius_mm[:, None]).max())
    moves = round(reach / STEP_MM)
    inner = float(radius_mm.min()) - INSIDE_MM - moves * STEP_MM
    outer = float(radius_mm.max()) + widest + BEYOND_MM + (moves + 1) * STEP_MM
    slope = along_rays(ground, slopes, xy, inner, outer)
    n, rays, steps = slope.shape
    rows = slope.reshape(n * rays, steps)
    # Correlation with the rim for every place at once; the anchor is the rim itself.
    anchor = (round(INSIDE_MM / STEP_MM), 0)
    shape = (n, rays, steps)
    match = np.zeros(shape, dtype=np.float32)
    if rim.signed.ndim == 2:
        for k in range(n):
            kernel = rim.signed[k].astype(np.float32)[None, :]
            match[k] = cv2.filter2D(slope[k], cv2.CV_32F, kernel, anchor=anchor, borderType=cv2.BORDER_CONSTANT)
    elif rim.signed.any():
        kernel = rim.signed.astype(np.float32)[None, :]
        match += cv2.filter2D(rows, cv2.CV_32F, kernel, anchor=anchor, borderType=cv2.BORDER_CONSTANT).reshape(shape)
    if rim.either.any():
        kernel = rim.either.astype(np.float32)[None, :]
        found = cv2.filter2D(np.abs(rows), cv2.CV_32F, kernel, anchor=anchor, borderType=cv2.BORDER_CONSTANT)
        match += found.reshape(shape)
    match = np.clip(match, -0.5, 1.0)
    ends = np.arange(-moves, moves + 1)

    def around(radii: Floats) -> Floats32:
        place = (radii[:, :, None] - inner) / STEP_MM + ends
        low = np.clip(np.floor(place).astype(np.int64), 0, steps - 2)
        part = (place - low).astype(np.float32)
        taken: Floats32 = np.take_along_axis(match, low, 2) * (1 - part) + np.take_along_axis(match, low + 1, 2) * part
        return taken

    if rim.rests_on == "either":
        return np.maximum(around(top), around(far)), moves * STEP_MM
    return around(top if rim.rests_on == "top" else far), moves * STEP_MM


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
