"""Measures shifts far below a pixel over many edges together: of a creeping piece, or of the whole camera.

An edge that moves by a tenth of a pixel changes no pixel by much; all edges of one piece, or of board, frame and paint,
show how much the picture has shifted, turned and grown. Only then the markings are measured.
Pictures in, numbers out; must not know tracks, pieces' names or time.
"""

from __future__ import annotations

from math import ceil, hypot, sqrt

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.vision.sources.frame import Image

SURE = 4.0
"""A shift counts if it is so many times its own error."""

LEAST_SLOPE = 4.0
"""Grey levels a pixel: flatter than this shows no shift."""


def shift_px(before: Image, now: Image, u: float, v: float, radius_px: float) -> float:
    """How far what lies within a radius has certainly shifted between two pictures, in px; 0 where that does not show.

    A piece that is brighter or darker than before has not shifted. `u`, `v`: its middle in px.
    """
    reach = ceil(radius_px) + 2
    i, j = round(u), round(v)
    height, width = before.shape
    if not (reach < i < width - reach - 1 and reach < j < height - reach - 1):
        return 0.0
    rows, columns = slice(j - reach - 1, j + reach + 2), slice(i - reach - 1, i + reach + 2)
    was, there = before[rows, columns].astype(np.float64), now[rows, columns].astype(np.float64)
    mean = (was + there) / 2.0
    gx, gy = (mean[1:-1, 2:] - mean[1:-1, :-2]) / 2.0, (mean[2:, 1:-1] - mean[:-2, 1:-1]) / 2.0
    side = np.arange(-reach, reach + 1)
    near = (side[None, :] ** 2 + side[:, None] ** 2 <= (radius_px + 1.5) ** 2) & (np.hypot(gx, gy) > LEAST_SLOPE)
    count = int(near.sum())
    if count < 12:
        return 0.0
    off = (there - was)[1:-1, 1:-1][near]
    terms = np.stack((gx[near], gy[near], np.ones(count)), 1)
    found, *_ = np.linalg.lstsq(terms, off, rcond=None)
    rest = off - terms @ found
    try:
        spread = np.linalg.inv(terms.T @ terms)
    except np.linalg.LinAlgError:
        return 0.0
    error = sqrt(float(rest @ rest) / (count - 3) * float(spread[0, 0] + spread[1, 1]))
    shift = hypot(float(found[0]), float(found[1]))
    return shift if shift > SURE * error else 0.0


Floats = NDArray[np.float64]

STEEP = 5.0
"""Grey levels a pixel from which on a slope tells of a shift."""

MOST = 2500
LEAST = 300
STRAY = 6.0
"""Grey levels by which a pixel may miss what a shift explains before it is taken for something that lies there now."""

BANDS = 9
"""The picture is felt in so many bands from top to bottom: a tilt shifts them differently."""

FITTING = 0.6
"""The share of pixels that one shift must explain."""


class Nudge:
    """One still picture to compare with. `covered`: 255 where pieces, hands or other things lie."""

    def __init__(self, still: Image, board: Image, covered: Image) -> None:
        right = cv2.Sobel(still, cv2.CV_32F, 1, 0, scale=0.125)
        down = cv2.Sobel(still, cv2.CV_32F, 0, 1, scale=0.125)
        steep = (cv2.magnitude(right, down) > STEEP) & (board > 0) & (cv2.dilate(covered, np.ones((5, 5))) == 0)
        steep[:2] = steep[-2:] = False
        steep[:, :2] = steep[:, -2:] = False
        at = np.flatnonzero(steep)
        self._at = at[:: max(1, len(at) // MOST)]
        rows, columns = np.divmod(self._at, still.shape[1])
        height, width = still.shape
        self._half = max(height, width) / 2.0
        x, y = (columns - width / 2.0) / self._half, (rows - height / 2.0) / self._half
        gx, gy = right.ravel()[self._at], down.ravel()[self._at]
        self._was = still.ravel()[self._at].astype(np.float64)
        # To the right, down, turned, grown; brighter by an amount, and by a share that may change from band to band of
        # rows: under a rolling shutter a lamp's ripple is no shift.
        place = rows * ((BANDS - 1) / max(1, height - 1))
        bands = [np.maximum(0.0, 1.0 - np.abs(place - k)) * self._was / 100.0 for k in range(BANDS)]
        terms = (gx, gy, gy * x - gx * y, gx * x + gy * y, np.ones_like(x), *bands)
        self._terms: Floats = np.stack(terms, 1).astype(np.float64)

    def moved_px(self, small: Image) -> float | None:
        """How far the picture has moved anywhere on the board, in small pixels; None where that is open."""
        if len(self._at) < LEAST:
            return None
        off = small.ravel()[self._at].astype(np.float64) - self._was
        fitting = np.abs(off - np.median(off)) < 4.0 * STRAY
        values: Floats = np.zeros(self._terms.shape[1])
        for _ in range(3):
            if np.count_nonzero(fitting) < FITTING * len(off):
                return None
            terms = self._terms[fitting]
            values = np.asarray(np.linalg.lstsq(terms.T @ terms, terms.T @ off[fitting], rcond=None)[0])
            fitting = np.abs(off - self._terms @ values) < STRAY
        dx, dy, turned, grown = values[:4]
        corners = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))
        return float(max(np.hypot(dx - turned * y + grown * x, dy + turned * x + grown * y) for x, y in corners))
