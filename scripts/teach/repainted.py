"""Whites turned into further queens, and strikers with further rings, laid over flat pictures.

A table has one queen and one striker among some twenty pieces, so that a net sees few of their colours in few lights.
Flat pictures and arrays in and out; must not know how they were drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from controller.vision.finding.flat import Flat
from controller.vision.finding.nets import KINDS
from controller.vision.looks import TONE_OFFSET, Look

Rng = np.random.Generator
Array = npt.NDArray[Any]

WHITE, QUEEN, STRIKER = (KINDS.index(kind) for kind in ("white", "queen", "striker"))
FREE = 0.97
"""Share of a top from which on it is free to be painted."""
QUEENS, MOST_QUEENS = 0.5, 3
"""How often, and up to how many whites become queens."""
RINGS = 0.6
"""How often a striker gets up to `MOST_RINGS` further rings."""
MOST_RINGS = 4
UNLIKE = 0.12
"""Logarithms by which a queen that was painted so differs from the table's own."""
SATURATED = 250
"""Of what is as bright the colour below is not known: it is left as it is."""
GAMMA = 2.2
SUBPIXEL = 4
"""Bits of a pixel's fraction in which places are given to OpenCV."""


def repainted(
    flat: Flat, colour: Array, truth: Array, radii_mm: Array, tones: Mapping[str, Look], rng: Rng
) -> tuple[Array, Array]:
    """A flat picture (side, side, 3) uint8 and its truth (N, 4) after painting; `tones`: the classes' own."""
    colour, truth = colour.copy(), truth.copy()
    free = truth[:, 3] >= FREE
    if rng.random() < QUEENS:
        whites = rng.permutation(np.nonzero(free & (truth[:, 0] == WHITE))[0])
        dye = np.array(tones["queen"].mean) - np.array(tones["white"].mean)
        for i in whites[: int(rng.integers(1, MOST_QUEENS + 1))]:
            unlike = rng.normal(0, UNLIKE) + rng.normal(0, UNLIKE / 2, 3)
            _dyed(colour, _share(flat, truth[i, 1:3], radii_mm[WHITE], 0.0), dye + unlike)
            truth[i, 0] = QUEEN
    for i in np.nonzero(free & (truth[:, 0] == STRIKER))[0]:
        for _ in range(int(rng.integers(1, MOST_RINGS + 1)) if rng.random() < RINGS else 0):
            inner, outer = np.sort(rng.uniform(0.05, 0.95, 2)) * radii_mm[STRIKER]
            ink = np.log(rng.uniform(0.05, 1.0, 3)) / GAMMA
            _dyed(colour, _share(flat, truth[i, 1:3], outer, inner), ink)
    return colour, truth


def _dyed(colour: Array, share: tuple[Array, tuple[slice, slice]], dye: Array) -> None:
    """Multiplies a part of a picture by exp(dye), as far as `share` says and the camera showed its colour."""
    weight, place = share
    part = colour[place].astype(np.float32)
    known = weight[..., None] * (part.max(2, keepdims=True) < SATURATED)
    new = (part + TONE_OFFSET) * np.exp(known * dye.astype(np.float32)) - TONE_OFFSET
    colour[place] = np.clip(new + 0.5, 0, 255).astype(np.uint8)


def _share(flat: Flat, xy_mm: Array, outer_mm: float, inner_mm: float) -> tuple[Array, tuple[slice, slice]]:
    """How much of each pixel a ring covers, soft by a pixel, and where in the picture that part lies."""
    column, row = flat.to_grid(xy_mm[None])[0]
    reach = int(np.ceil(outer_mm * flat.scale)) + 2
    top, left = max(round(float(row)) - reach, 0), max(round(float(column)) - reach, 0)
    size = (max(min(flat.side - top, 2 * reach + 1), 0), max(min(flat.side - left, 2 * reach + 1), 0))
    mask = np.zeros(size, dtype=np.uint8)
    at = (round((float(column) - left) * 2**SUBPIXEL), round((float(row) - top) * 2**SUBPIXEL))
    for radius_mm, ink in ((outer_mm, 255), (inner_mm, 0)):
        if radius_mm > 0.0:
            cv2.circle(mask, at, round(radius_mm * flat.scale * 2**SUBPIXEL), ink, -1, cv2.LINE_AA, SUBPIXEL)
    soft = cv2.GaussianBlur(mask, (0, 0), 0.6).astype(np.float32) / np.float32(255.0)
    return soft, (slice(top, top + size[0]), slice(left, left + size[1]))
