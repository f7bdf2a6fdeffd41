"""Where found pieces lie: the net's place, the height that outlines stand for, and the outline in the picture itself.

A turned piece shows no edge of its top face: away from the camera its outline is the rounding's, a little below the
top, towards the camera the rounding's just above the board. So the outline's middle stands at half the thickness, and
the outline is sought in the change from the empty board on both sides at once. The net's place is what is known before;
a weak outline changes nothing. Must not know odds or classes' tones.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel, Floats
from controller.vision.finding.errors import ERRORS
from controller.vision.finding.flat import Flat, Floats32, brightness, logarithm, median
from controller.vision.looks import Looks, Pixels

RAYS = 48
_TURNS = np.arange(RAYS) * (2.0 * np.pi / RAYS)
_UNIT = np.stack((np.cos(_TURNS), np.sin(_TURNS)), 1)
STEP_MM = 0.35
_OUT_MM = np.arange(-12, 13) * STEP_MM
"""Along each ray, from where the outline is expected."""
_WELL = 6
"""So many of those at either end are well inside and well beyond."""
ROUNDING_MM = 1.2
"""How a turned piece's edge is rounded, about; where the middle of its outline lies does not depend on it."""
FINE_MM = 0.3
_SPAN = np.arange(-6, 7) * FINE_MM
_SHIFTS = np.stack([part.ravel() for part in np.meshgrid(_SPAN, _SPAN)], 1)
NEAR_MM = 17.0
"""About one place so wide a camera is as good as affine."""
_ENDS = np.array(((0.0, 0.0), (NEAR_MM, 0.0), (-NEAR_MM, 0.0), (0.0, NEAR_MM), (0.0, -NEAR_MM)))
OUTLINE_TELLS = 150.0
"""What a whole, plain outline tells, as a logarithm of odds. A third less or two thirds more costs or gains 0.01 mm."""
FAINT = 0.2
"""An edge of so much (logarithms a mm) counts half; where what is about the piece is rougher, twice its median does."""
PLAIN = 0.4
"""What a top's brightness differs by from the board about it (logarithms) if its outline is to count half: of a pale
piece on pale wood rings and shadow are plainer than the outline."""
HIDDEN_SHARE = 0.2
"""What a ray counts on which another piece or a cushion begins."""
BESIDE_MM, CLEAR_MM = 2.0, 1.5
SHADE_AT = slice(15, 21)
"""The steps of a ray, 1 to 3 mm beyond the outline, on which a piece's own shadow is seen."""
SHADE_RAYS = RAYS // 4
"""So many rays must be free to say where it is."""
SHADE_FEW = 2.0
"""Of so few pieces the shadows are believed by half."""


@dataclass(frozen=True, eq=False)
class Lying:
    """N pieces as the nets see them.

    `xy` (N, 2) in mm: where they would lie if the net saw their tops' rims. `sd_mm` (N,): what it states. `radius_mm`,
    `thick_mm` (N,); `below_mm`, `below_sd_mm` (N,): how far below the top the outlines stand that the net goes by.
    `shade_mm` (N,): how far each seems to lie towards its shaded side, for a slope of 1 in the light.
    """

    xy: Floats
    sd_mm: Floats
    radius_mm: Floats
    thick_mm: Floats
    below_mm: Floats
    below_sd_mm: Floats
    shade_mm: Floats


@dataclass(frozen=True, eq=False)
class Placed:
    """Where N pieces lie: `xy` (N, 2) in mm, `u95_mm` (N,) the radius that holds a true centre in 95 % of cases.

    `var` (N,): the mean variance of either axis in mm² by net and outline alone; `shown` (N,): how much of a plain
    outline there is, 0 to 1.
    """

    xy: Floats
    u95_mm: Floats
    var: Floats
    shown: Floats


def slant(flat: Flat, xy: Floats) -> Floats:
    """By how many mm a mm of height moves what is seen at N places, (N, 2): away from below the camera."""
    foot, height = flat.model.centre_mm[:2], flat.model.centre_mm[2]
    return np.asarray((xy - foot) / height, dtype=np.float64)


def placed(flat: Flat, picture: Pixels, looks: Looks, lying: Lying) -> Placed:
    """Where pieces lie in a picture (h, w, 3) BGR."""
    if not len(lying.xy):
        none = np.zeros(0)
        return Placed(lying.xy, none, none, none)
    lean = slant(flat, lying.xy)
    share, shown, light = _agreement(flat, picture, looks, lying)
    own = lying.sd_mm[:, None, None] ** 2 * np.eye(2)[None]
    wide = own + lying.below_sd_mm[:, None, None] ** 2 * lean[:, :, None] * lean[:, None, :]
    off = _SHIFTS[None] - (lying.below_mm[:, None] * lean)[:, None]
    before = -0.5 * np.einsum("nsi,nij,nsj->ns", off, np.linalg.inv(wide), off)
    at, var = _crest(OUTLINE_TELLS * share * shown[:, None] + before)
    at += lying.shade_mm[:, None] * light
    return Placed(lying.xy + at, ERRORS.u95_mm(var, lying.sd_mm), var, shown)


def _agreement(flat: Flat, picture: Pixels, looks: Looks, lying: Lying) -> tuple[Floats, Floats, Floats]:
    """The share of an outline that is met at each shift of N pieces, (N, shifts), how plain it is, (N,), and where the
    light comes from, as `slope_of_light`."""
    n, steps = len(lying.xy), len(_OUT_MM)
    radii = _outline(flat, lying)[:, :, None] + _OUT_MM
    off = _UNIT[None, :, None] * radii[..., None]
    change = _log(picture, flat.model, flat.z_mm, lying.xy, off)
    bare = looks.empty is not None and looks.empty_model is not None
    if bare:
        change -= _log_empty(flat, looks, lying.xy, off)
    inside, beyond = (median(change[:, :, well].reshape(n, -1, 3)) for well in (slice(_WELL), slice(-_WELL, None)))
    contrast = np.abs(inside - beyond).mean(1)
    slope = change[:, :, 2:] - change[:, :, :-2]
    slope *= 0.5 / STEP_MM
    slope *= slope
    steep = np.sqrt(slope[..., 0] + slope[..., 1] + slope[..., 2])
    steep = np.concatenate((steep[:, :, :1], steep, steep[:, :, -1:]), 2)
    usual = median(steep[:, ::2, ::2].reshape(n, -1, 1))[:, None]
    edge = _calm(steep / (steep + np.maximum(2.0 * usual, FAINT)))
    free = _free(flat.measures.half_mm, lying, lying.xy[:, None] + off[:, :, steps // 2])
    # Without the empty board paint cannot be told from shade.
    light = slope_of_light(brightness(change[:, :, SHADE_AT].mean(2)), bare & (free > HIDDEN_SHARE))
    edge *= (free / free.sum(1, keepdims=True))[:, :, None]
    share = edge.reshape(n, -1) @ _MET
    shown = contrast**2 / (contrast**2 + PLAIN**2)
    return np.asarray(share, dtype=np.float64), np.asarray(shown, dtype=np.float64), light


def slope_of_light(beside: Floats32, free: NDArray[np.bool_]) -> Floats:
    """How much lighter the board is beside the pieces on the side that the light comes from than in the mean, (2,).

    `beside` (N, RAYS): its brightness, in logarithms, along the rays of N pieces, `free` (N, RAYS): which of them see
    it. One shadow is overlaid by paint and neighbours; lamps make all of them alike, so the median counts.
    """
    rays = np.column_stack((np.ones(RAYS), _UNIT))
    free = free[(enough := free.sum(1) >= SHADE_RAYS)]
    if not len(free):
        return np.zeros(2)
    normal = np.einsum("nr,ri,rj->nij", free, rays, rays)
    seen = np.einsum("nr,nr,ri->ni", free, beside[enough], rays)
    slopes = np.linalg.solve(normal, seen[..., None])[:, 1:, 0]
    return np.asarray(np.median(slopes, 0) * len(slopes) / (len(slopes) + SHADE_FEW), dtype=np.float64)


def _outline(flat: Flat, lying: Lying) -> Floats:
    """How far from N middles the outline appears on the grid's plane along each ray, (N, RAYS)."""
    height, lean = flat.model.centre_mm[2], slant(flat, lying.xy)
    reach = np.zeros((len(lying.xy), RAYS))
    for at in (lying.thick_mm - ROUNDING_MM, np.full(len(lying.xy), ROUNDING_MM)):
        share = (height - flat.z_mm) / (height - at)
        off = lean * height * (share - 1.0)[:, None]
        along = off @ _UNIT.T
        across = off[:, :1] * _UNIT[:, 1] - off[:, 1:] * _UNIT[:, 0]
        radius = (lying.radius_mm * share)[:, None]
        reach = np.maximum(reach, along + np.sqrt(np.maximum(radius**2 - across**2, 0.0)))
    return reach


def _free(half_mm: float, lying: Lying, rim: Floats) -> Floats:
    """What each ray counts, (N, RAYS). `rim` (N, RAYS, 2): where the outlines are expected."""
    out = rim + _UNIT[None] * BESIDE_MM
    off_x, off_y = (out[:, :, None, axis] - lying.xy[:, axis] for axis in (0, 1))
    own = np.eye(len(lying.xy), dtype=np.bool_)[:, None]
    clear = off_x * off_x + off_y * off_y > (lying.radius_mm + CLEAR_MM) ** 2
    free = (clear | own).all(2) & (np.abs(out) < half_mm - 1.0).all(2)
    return np.where(free, 1.0, HIDDEN_SHARE)


def _log(picture: Pixels, model: CameraModel, z_mm: float, xy: Floats, off: Floats) -> Floats32:
    """What a picture shows at `off` (N, …, 2) mm beside N places at a height, in logarithms (N, …, 3)."""
    px = model.project_plane((xy[:, None] + _ENDS).reshape(-1, 2), z_mm)
    return _sampled(picture, px.reshape(-1, 5, 2), off)


def _log_empty(flat: Flat, looks: Looks, xy: Floats, off: Floats) -> Floats32:
    """The same of the empty board, where the camera that took it saw what lies behind those points."""
    assert looks.empty is not None
    assert looks.empty_model is not None
    px = flat.model.project_plane((xy[:, None] + _ENDS).reshape(-1, 2), flat.z_mm)
    if looks.empty_model is not flat.model:
        px = looks.empty_model.project_plane(flat.model.to_plane(px, 0.0), 0.0)
    return _sampled(looks.empty, px.reshape(-1, 5, 2), off)


def _sampled(picture: Pixels, px: Floats, off: Floats) -> Floats32:
    """`px` (N, 5, 2): a place and what lies NEAR_MM east, west, north and south of it, in the picture."""
    east, north = (px[:, 1] - px[:, 2]) / (2 * NEAR_MM), (px[:, 3] - px[:, 4]) / (2 * NEAR_MM)
    to_px = np.stack((east, north, px[:, 0]), 1).astype(np.float32)[:, None, None]
    x, y = off[..., :1].astype(np.float32), off[..., 1:].astype(np.float32)
    where = (to_px[..., 2, :] + x * to_px[..., 0, :] + y * to_px[..., 1, :]).reshape(-1, off.shape[2], 2)
    seen = cv2.remap(picture, where, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return logarithm(np.asarray(seen, dtype=np.uint8)).reshape(*off.shape[:3], 3)


def _calm(edge: Floats32) -> Floats32:
    """A little smoothed, along rays and between them."""
    n, rays, steps = edge.shape
    round_ = np.concatenate((edge[:, -1:], edge, edge[:, :1]), 1).reshape(-1, steps)
    calm = cv2.GaussianBlur(round_, (0, 0), sigmaX=0.5 / STEP_MM, sigmaY=0.5, borderType=cv2.BORDER_REPLICATE)
    return np.asarray(calm.reshape(n, rays + 2, steps)[:, 1:-1], dtype=np.float32)


def _met() -> Floats32:
    """The share of each step of all rays that an outline meets at each shift, (rays · steps, shifts): on each ray it
    lies between two steps."""
    place = (_UNIT @ _SHIFTS.T) / STEP_MM + len(_OUT_MM) // 2
    low = np.clip(np.floor(place), 0, len(_OUT_MM) - 2)
    past = place - low
    step = np.arange(len(_OUT_MM))[:, None]
    share = np.where(step == low[:, None], 1.0 - past[:, None], np.where(step == low[:, None] + 1, past[:, None], 0.0))
    return np.asarray(share.reshape(-1, len(_SHIFTS)), dtype=np.float32)


_MET = _met()


def _crest(total: Floats) -> tuple[Floats, Floats]:
    """The top of a paraboloid through the 3×3 values about each highest: shifts (N, 2) and mean variance (N,)."""
    k, each = len(_SPAN), np.arange(len(total))
    best = total.argmax(1)
    row, column = np.clip(best // k, 1, k - 2), np.clip(best % k, 1, k - 2)
    field = total.reshape(-1, k, k)
    f = {(i, j): field[each, row + i, column + j] for i in (-1, 0, 1) for j in (-1, 0, 1)}
    gx, gy = (f[0, 1] - f[0, -1]) / 2, (f[1, 0] - f[-1, 0]) / 2
    xx = np.minimum(f[0, 1] - 2 * f[0, 0] + f[0, -1], -1e-3)
    yy = np.minimum(f[1, 0] - 2 * f[0, 0] + f[-1, 0], -1e-3)
    xy = (f[1, 1] - f[1, -1] - f[-1, 1] + f[-1, -1]) / 4
    xy = np.clip(xy, -0.8 * np.sqrt(xx * yy), 0.8 * np.sqrt(xx * yy))
    det = xx * yy - xy * xy
    dx, dy = np.clip(-(yy * gx - xy * gy) / det, -1, 1), np.clip(-(xx * gy - xy * gx) / det, -1, 1)
    shift = np.stack((_SPAN[column] + dx * FINE_MM, _SPAN[row] + dy * FINE_MM), 1)
    return shift, np.asarray(-(xx + yy) / (2.0 * det) * FINE_MM**2, dtype=np.float64)
