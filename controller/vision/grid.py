"""A flat grid over the board at one height, and how it lies in a camera's picture.

Finding pieces and learning their looks rectify pictures in the same way. Must not know what is searched for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from calibration.board import Board
from calibration.camera import CameraModel, Floats
from controller.vision.looks import Pixels

MARGIN_MM = 14.0
CELL = 8
"""Side in grid pixels of the cells in which the light is measured."""

Roi = tuple[float, float, float, float]
"""West, south, east and north in mm: the part of the board that is examined."""
Maps = tuple[Any, Any]
"""Where in a picture each grid pixel lies, as `cv2.remap` takes it."""


@dataclass(frozen=True, eq=False)
class Grid:
    """A grid at height `z_mm` with `scale` px per mm, `side` px wide and high, and how it maps into the picture.

    Grid pixel (column, row) is board point ((column - middle) / scale, (middle - row) / scale). `shrink`: how many
    picture pixels lie in one of the grid. `measures`: the board's.
    """

    model: CameraModel
    measures: Board
    z_mm: float
    scale: float
    side: int
    maps: Maps
    shrink: float

    @property
    def middle(self) -> float:
        """The grid coordinate of the board's middle."""
        return (self.side - 1) / 2.0

    def to_grid(self, xy_mm: Floats) -> Floats:
        """Points (N, 2) in mm on this plane to grid columns and rows (N, 2)."""
        return np.stack((xy_mm[:, 0] * self.scale + self.middle, self.middle - xy_mm[:, 1] * self.scale), 1)

    def to_mm(self, grid: Floats) -> Floats:
        """Grid columns and rows (N, 2) to points in mm (N, 2)."""
        return np.stack(((grid[:, 0] - self.middle) / self.scale, (self.middle - grid[:, 1]) / self.scale), 1)

    def lay(self, picture: Pixels) -> Pixels:
        """Lays a picture (h, w) or (h, w, 3) flat onto the grid."""
        return laid(picture, self.maps, self.shrink)


def laid(picture: Pixels, maps: Maps, shrink: float) -> Pixels:
    """A picture laid flat through maps of its own."""
    if shrink > 1.15:
        # The grid is coarser than the picture here: without this, fine grain would alias into false edges.
        part, calm = _part_of(picture, maps, 2.0 * shrink + 2.0), np.empty_like(picture)
        cv2.GaussianBlur(picture[part], (0, 0), 0.45 * shrink, dst=calm[part])
        picture = calm
    flat = cv2.remap(picture, maps[0], maps[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(flat, dtype=np.uint8)


def _part_of(picture: Pixels, maps: Maps, more_px: float) -> tuple[slice, slice]:
    """Rows and columns of the picture that a grid lies in, whose rim is the outermost of it, with `more_px` about."""
    rim = np.concatenate((maps[0][0], maps[0][-1], maps[0][:, 0], maps[0][:, -1])).astype(np.int64)
    low, high = rim.min(0) - int(more_px), rim.max(0) + int(more_px) + 2
    (left, top), (right, bottom) = (np.clip(at, 0, picture.shape[1::-1]) for at in (low, high))
    return slice(int(top), int(bottom)), slice(int(left), int(right))


def points_mm(side: int, scale: float) -> Floats:
    """The board points of all grid pixels, row by row, (side * side, 2)."""
    middle = (side - 1) / 2.0
    columns, rows = np.meshgrid(np.arange(side, dtype=np.float64), np.arange(side, dtype=np.float64))
    return np.stack(((columns.ravel() - middle) / scale, (middle - rows.ravel()) / scale), 1)


def maps_of(px: Floats, side: int) -> Maps:
    """Places in a picture of all grid pixels, (side * side, 2), as maps."""
    x, y = (np.clip(px[:, k], -30000, 30000).astype(np.float32).reshape(side, side) for k in (0, 1))
    return cv2.convertMaps(x, y, cv2.CV_16SC2)


def maps_then(model: CameraModel, then: CameraModel, px: Floats, side: int, maps: Maps) -> Maps:
    """The maps for an empty picture that the camera took when it hung like `then`, before it was nudged.

    Each ray is followed to the surface, and read where the old pose saw that point. `px`, `maps`: as they are now.
    """
    return maps if then is model else maps_of(then.project_plane(model.to_plane(px, 0.0), 0.0), side)
