"""Whether a piece still creeps: how far it shifted between two small pictures, far below a pixel.

Whether a picture is still is decided pixel by pixel (`rest.py`), and an edge that moves by a tenth of a pixel changes
none by much; all edges of one piece together tell. Pictures in, numbers out; must not know tracks or time.
"""

from __future__ import annotations

from math import ceil, hypot, sqrt

import numpy as np

from controller.vision.sources.frame import Image

SURE = 4.0
"""A shift counts if it is so many times its own error."""

LEAST_SLOPE = 4.0
"""Grey levels a pixel: flatter than this shows no shift."""


def shift_px(before: Image, now: Image, u: float, v: float, radius_px: float) -> float:
    """How far what lies within a radius has surely shifted between two pictures, in px; 0 where that does not show.

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
