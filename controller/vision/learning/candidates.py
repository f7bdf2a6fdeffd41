"""Where a disc of known size could lie: every edge votes for the two points one radius away along its own direction.

A straight line spreads its votes along two lines, a circle puts all of its votes on its centre, and a pale disc on
pale wood needs no common brightness, only an outline. Must not know classes or colours.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.vision.learning.ground import Floats32, Slopes


@dataclass(frozen=True, eq=False)
class Edges:
    """Edge pixels of a flat picture: columns, rows, unit directions, weights 0…1."""

    columns: Floats32
    rows: Floats32
    dx: Floats32
    dy: Floats32
    weight: Floats32
    side: int


def edges_of(slopes: Slopes, usable: NDArray[np.bool_]) -> Edges:
    """The edge pixels among fresh slopes, wherever `usable`."""
    noise, strength = slopes.noise, slopes.strength
    rows, columns = np.nonzero((strength > 3.0 * noise) & usable)
    m = strength[rows, columns]
    return Edges(
        columns.astype(np.float32),
        rows.astype(np.float32),
        slopes.right[rows, columns] / m,
        slopes.down[rows, columns] / m,
        (m / (m + 6.0 * noise)).astype(np.float32),
        strength.shape[0],
    )


def votes_for(edges: Edges, radius_px: float, blur: float) -> Floats32:
    """The share of a circle's outline, 0…about 1, that votes for each grid pixel as the centre of such a disc."""
    side = edges.side
    total = np.zeros(side * side, dtype=np.float64)
    for sign in (1.0, -1.0):
        c = np.rint(edges.columns + sign * radius_px * edges.dx).astype(np.int64)
        r = np.rint(edges.rows + sign * radius_px * edges.dy).astype(np.int64)
        inside = (c >= 0) & (c < side) & (r >= 0) & (r < side)
        total += np.bincount(r[inside] * side + c[inside], weights=edges.weight[inside], minlength=side * side)
    field = cv2.GaussianBlur(total.reshape(side, side).astype(np.float32), (0, 0), blur)
    # A full outline of edges about two and a half pixels wide, spread by the blur.
    full = 2.0 * np.pi * radius_px * 2.5 / (2.0 * np.pi * blur * blur + 1.0)
    return np.asarray(field / full, dtype=np.float32)
