"""How good a camera's pictures are: focus, saturation, flicker, measured on the playing surface. Must not know cameras.

Arrays in, figures out; what to make of them is the caller's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import Board
from calibration.camera import CameraModel, Floats
from calibration.markings import markings_of

Luma = NDArray[np.uint8]
Mask = NDArray[np.bool_]

SATURATED = 250
BANDS = 12
"""Strips of the picture in which the light is followed: a rolling shutter shows the mains as bands that wander."""

PAINT_MM = 2.0


@dataclass(frozen=True, eq=False)
class Surface:
    """Where a picture (h, w) shows the playing surface, and where on it base lines and circles are painted."""

    whole: Mask
    paint: Mask


def surface_of(model: CameraModel, board: Board) -> Surface:
    """The surface as one camera sees it."""
    return Surface(surface_mask(model, board), _paint_mask(model, board))


def surface_mask(model: CameraModel, board: Board) -> Mask:
    """Returns which pixels show the playing surface, shape (H, W)."""
    half = board.half_mm
    edge = np.linspace(-half, half, 16)
    side = np.full_like(edge, half)
    round_ = [(edge, -side), (side, edge), (edge[::-1], side), (-side, edge[::-1])]
    corners = np.concatenate([np.stack(pair, axis=1) for pair in round_])
    width, height = model.size
    mask = np.zeros((height, width), np.uint8)
    cv2.fillPoly(mask, [np.round(model.project_plane(corners)).astype(np.int32)], 1)
    return mask.astype(bool)


def _paint_mask(model: CameraModel, board: Board) -> Mask:
    markings = markings_of(board, 3.0)
    wanted = [k for k, name in enumerate(markings.names) if "base" in name]
    xy = markings.xy[np.isin(markings.group, wanted)]
    width, height = model.size
    mask = np.zeros((height, width), np.uint8)
    reach = max(round(PAINT_MM * model.px_per_mm), 1)
    for x, y in np.round(model.project_plane(xy)).astype(int):
        cv2.circle(mask, (int(x), int(y)), reach, 1, -1)
    return mask.astype(bool)


def sharpness(luma: Luma, surface: Mask) -> float:
    """Returns the share of the differences between neighbouring pixels that smoothing over three pixels takes away.

    After Crete et al., The blur effect (2007): what is sharp loses much by being blurred once more.
    """
    picture = luma.astype(np.float32)
    shares = []
    for axis, kernel in ((1, (3, 1)), (0, (1, 3))):
        inside = surface[:, 1:] & surface[:, :-1] if axis else surface[1:] & surface[:-1]
        fine = np.abs(np.diff(picture, axis=axis))[inside]
        # Below this a difference is noise, which is sharp in any picture.
        told = fine > 12.0
        if not told.any():
            continue
        coarse = np.abs(np.diff(cv2.blur(picture, kernel), axis=axis))[inside]
        shares.append(float(np.maximum(fine - coarse, 0.0)[told].sum() / fine[told].sum()))
    return min(shares, default=0.0)


def saturated(luma: Luma, where: Mask) -> tuple[int, float]:
    """How many pixels of a part of the picture are white, and their share of it."""
    total = int(np.count_nonzero(where))
    white = int(np.count_nonzero(luma[where] >= SATURATED))
    return white, white / total if total else 0.0


def band_means(luma: Luma, where: Mask | None) -> Floats:
    """The mean brightness of each strip of a picture, where the mask allows, (BANDS,); NaN for an empty strip."""
    edges = np.linspace(0, luma.shape[0], BANDS + 1).astype(int)
    means = np.full(BANDS, np.nan)
    for k, (top, bottom) in enumerate(pairwise(edges)):
        strip = luma[top:bottom] if where is None else luma[top:bottom][where[top:bottom]]
        if strip.size:
            means[k] = float(strip.mean())
    return means


def flicker(bands: Sequence[Floats]) -> float:
    """By what share the light varies from picture to picture: one deviation, in a quarter of the strips at least."""
    if len(bands) < 2:
        return 0.0
    each = np.stack(bands)
    each = each[:, ~np.isnan(each).any(0)]
    if not each.size:
        return 0.0
    # A hand that moves darkens few of the strips, a lamp all of them.
    spread = np.std(each, axis=0) / np.maximum(each.mean(0), 1.0)
    return float(np.percentile(spread, 75))
