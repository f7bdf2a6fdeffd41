"""What colour the bare surface has under each piece right now: the empty board's colour times today's light.

The light is measured on what is not covered by pieces. Must not know classes.
"""

from __future__ import annotations

import cv2
import numpy as np

from calibration.camera import Floats
from controller.vision.grid import CELL
from controller.vision.learning.ground import Floats32, Ground
from controller.vision.looks import TONE_OFFSET, Pixels

_INNER = np.array([(r * np.cos(a), r * np.sin(a)) for r in (0.1, 0.3, 0.48, 0.64) for a in np.arange(0, 6.2, 0.5236)])
"""Where a piece's colour is read, in shares of its radius."""


def tones_of(ground: Ground, flat_colour: Pixels, xy: Floats, radius_mm: Floats, covered: Floats) -> Floats:
    """The tones of N discs (centres (N, 2) in mm), shape (N, 3): see `looks.tone`.

    `flat_colour` is the picture on the grid, BGR. `covered` (M, 3): x, y and radius in mm of everything that hides
    the surface.
    """
    if not len(xy):
        return np.zeros((0, 3))
    ratio = _against_wood(ground, flat_colour, surface_of(ground, flat_colour, covered), xy, radius_mm)
    # The darker part of a top is its own colour, the brighter may be a lamp's mirror image.
    order = np.argsort(ratio.sum(2), 1)
    own = order[:, : ratio.shape[1] * 6 // 10]
    middle: Floats = np.median(np.take_along_axis(ratio, own[:, :, None], 1), 1)
    return middle


def _against_wood(ground: Ground, flat_colour: Pixels, surface: Floats32, xy: Floats, radius_mm: Floats) -> Floats:
    """Logarithms of colours to the bare wood's at points all over each of N discs: (N, points, 3)."""
    points = xy[:, None, :] + _INNER[None] * radius_mm[:, None, None]
    grid = ground.to_grid(points.reshape(-1, 2)).astype(np.float32)
    maps = grid[:, 0].reshape(len(xy), -1), grid[:, 1].reshape(len(xy), -1)
    seen = cv2.remap(flat_colour, *maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float64)
    small = (maps[0] + 0.5) / CELL - 0.5, (maps[1] + 0.5) / CELL - 0.5
    under = cv2.remap(surface, *small, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float64)
    ratio: Floats = np.log((seen + TONE_OFFSET) / (under + TONE_OFFSET))
    return ratio


def surface_of(ground: Ground, flat_colour: Pixels, covered: Floats) -> Floats32:
    """The bare wood's colour under today's light, BGR, one value a cell; `covered` as for `tones_of`."""
    n = ground.side // CELL
    now = cv2.resize(flat_colour, (n, n), interpolation=cv2.INTER_AREA).astype(np.float32)
    bare = np.ones((n, n), dtype=np.uint8)
    places = (ground.to_grid(covered[:, :2]) + 0.5) / CELL - 0.5
    for (column, row), radius in zip(places, covered[:, 2], strict=True):
        reach = max(round((radius + 3.0) * ground.scale / CELL), 1)
        cv2.circle(bare, (round(column), round(row)), reach, 0, -1)
    edge = int(np.ceil(20.0 * ground.scale / CELL))
    bare[:edge] = bare[-edge:] = 0
    bare[:, :edge] = bare[:, -edge:] = 0
    weight = bare.astype(np.float32)
    if ground.empty_colour is None:
        value = np.log(now + TONE_OFFSET)
    else:
        before = cv2.resize(ground.empty_colour, (n, n), interpolation=cv2.INTER_AREA).astype(np.float32)
        value = np.log((now + TONE_OFFSET) / (before + TONE_OFFSET))
    # A hand or a lamp's mirror image is no light: values far from the board's middle count little.
    middle = np.median(value[bare > 0], 0) if (bare > 0).any() else np.zeros(3, dtype=np.float32)
    odd = np.abs(value - middle).mean(2)
    weight *= 1.0 / (1.0 + (odd / 0.5) ** 4)
    total = np.full((n, n, 3), 0.0, dtype=np.float32)
    norm = np.full((n, n), 0.0, dtype=np.float32)
    for sigma_mm, trust in ((24.0, 1.0), (80.0, 0.02)):
        sigma = sigma_mm * ground.scale / CELL
        total += trust * cv2.GaussianBlur(value * weight[:, :, None], (0, 0), sigma)
        norm += trust * cv2.GaussianBlur(weight, (0, 0), sigma)
    smooth = (total + 1e-4 * middle) / (norm + 1e-4)[:, :, None]
    if ground.empty_colour is None:
        return np.asarray(np.exp(smooth) - TONE_OFFSET, dtype=np.float32)
    # What a piece hides may be a painted disc; its tone is told against the bare wood around.
    wide = round(62.0 * ground.scale / CELL) | 1
    bare_wood = cv2.medianBlur(np.clip(before, 0, 255).astype(np.uint8), wide).astype(np.float32)
    return np.asarray(np.exp(smooth) * (bare_wood + TONE_OFFSET) - TONE_OFFSET, dtype=np.float32)
