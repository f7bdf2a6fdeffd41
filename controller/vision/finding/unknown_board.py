"""What can be known of a board nobody has shown empty: its paint looks the same from all four sides, its pieces do not.

The picture laid flat is compared with itself turned by quarters; what three sides agree on is taken for the empty
board. The pieces' size is what most round edges agree on. Must not know classes.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import cv2
import numpy as np

from calibration.camera import CameraModel
from controller.vision.finding.candidates import edges_of, peaks, votes_for
from controller.vision.finding.ground import Floats32, Ground, Slopes, cells, slopes_of
from controller.vision.looks import Pixels

RADII_MM = np.arange(13.5, 18.6, 0.5)
PAINT_TOLERANCE_PX = 7
"""By how much paint may be off, because corners are clicked and boards are not exact."""


def with_own_paint(ground: Ground, picture: Pixels) -> Ground:
    """The ground with an empty board supposed from one picture (BGR) of a board with few pieces on it."""
    to_surface, from_surface = _surface_maps(ground.model, ground.z_mm, ground.scale, ground.side)
    if ground.shrink > 1.15:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.45 * ground.shrink), dtype=np.uint8)
    flat = cv2.remap(picture, *to_surface, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    quarters = np.sort(np.stack([np.rot90(flat, k) for k in range(4)]), 0)
    paint = ((quarters[1].astype(np.uint16) + quarters[2]) // 2).astype(np.uint8)
    colour = np.asarray(
        cv2.remap(paint, *from_surface, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8
    )
    luma = np.asarray(cv2.cvtColor(colour, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    right, down = slopes_of(luma)
    reach = np.ones((PAINT_TOLERANCE_PX, PAINT_TOLERANCE_PX), np.uint8)
    strength = np.asarray(cv2.dilate(cv2.magnitude(right, down), reach), dtype=np.float32)
    grey = luma.astype(np.float32)
    return replace(
        ground,
        empty=grey,
        empty_colour=colour,
        empty_cells=cells(grey),
        empty_slopes=(right, down, strength),
        supposed=True,
    )


def coin_radius_mm(ground: Ground, slopes: Slopes, usual_mm: float) -> float:
    """The radius that the most round edges agree on; the usual one if hardly anything is round."""
    edges = edges_of(slopes, ground.seen)
    best, radius = 0.0, usual_mm
    for r in RADII_MM:
        field = votes_for(edges, float(r) * ground.scale, 1.2)
        _, heights = peaks(field, 0.12, 8.0 * ground.scale, 24)
        total = float((heights**2).sum()) * (1.0 - 0.02 * abs(float(r) - usual_mm))
        if total > best and len(heights) >= 2:
            best, radius = total, float(r)
    return radius


@lru_cache(maxsize=2)
def _surface_maps(
    model: CameraModel, z_mm: float, scale: float, side: int
) -> tuple[tuple[Floats32, Floats32], tuple[Floats32, Floats32]]:
    """Where each point of a grid on the surface lies in the picture, and each point of the grid at `z_mm` on it."""
    middle = (side - 1) / 2.0
    columns, rows = np.meshgrid(np.arange(side, dtype=np.float64), np.arange(side, dtype=np.float64))
    xy = np.stack(((columns.ravel() - middle) / scale, (middle - rows.ravel()) / scale), 1)
    px = np.clip(model.project_plane(xy, 0.0), -30000, 30000).astype(np.float32).reshape(side, side, 2)
    below = model.to_plane(model.project_plane(xy, z_mm), 0.0)
    grid = np.stack((below[:, 0] * scale + middle, middle - below[:, 1] * scale), 1).astype(np.float32)
    grid = grid.reshape(side, side, 2)
    return (
        (np.ascontiguousarray(px[..., 0]), np.ascontiguousarray(px[..., 1])),
        (np.ascontiguousarray(grid[..., 0]), np.ascontiguousarray(grid[..., 1])),
    )
