"""The board laid flat at the height of the pieces' tops, on a grid on which every coin is equally large.

Works out once per camera model where every point of the grid lies in the picture, and what the empty board shows
there. Must not know pieces' classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel, Floats
from controller.vision.looks import TONE_OFFSET, Looks, Pixels

Floats32 = NDArray[np.float32]

COIN_PX = 13.0
"""A coin's radius on the grid."""
BOARD_HALF_MM = 370.0
MARGIN_MM = 14.0
CELL = 8
"""Side in grid pixels of the cells in which the light is measured."""
WOOD_MM = 62.0
"""Over how much the bare wood's colour is the median: wider than anything painted."""

LOGARITHM = np.log(np.arange(256) + TONE_OFFSET).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Empty:
    """The bare board on a grid: BGR uint8, its logarithm at half the grid's size (3, n, n), and of each cell the
    logarithms of what is there and of the bare wood around, (n, n, 3)."""

    colour: Pixels
    half_log: Floats32
    cells_log: Floats32
    wood_log: Floats32


@dataclass(frozen=True, eq=False)
class Flat:
    """A flat grid at height `z_mm` with `scale` px per mm, and how it maps into the picture.

    Grid pixel (column, row) is board point ((column - middle) / scale, (middle - row) / scale). `shrink`: how many
    picture pixels lie in one of the grid. `board`: which pixels at half size lie on the board and in the picture.
    """

    model: CameraModel
    z_mm: float
    scale: float
    side: int
    maps: tuple[Any, Any]
    shrink: float
    board: NDArray[np.uint8]
    empty: Empty | None

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
        """Lays a picture (h, w, 3) flat onto the grid."""
        return _lay(picture, self.maps, self.shrink)


def _lay(picture: Pixels, maps: tuple[Any, Any], shrink: float) -> Pixels:
    if shrink > 1.15:
        # The grid is coarser than the picture here: without this, fine grain would alias into false edges.
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.45 * shrink), dtype=np.uint8)
    flat = cv2.remap(picture, maps[0], maps[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(flat, dtype=np.uint8)


def logarithm(colour: Pixels) -> Floats32:
    """Logarithms as `looks.tone` compares them."""
    return np.asarray(cv2.LUT(colour, LOGARITHM), dtype=np.float32)


def cells_log(colour: Pixels) -> Floats32:
    """Logarithms of the means over cells of CELL × CELL grid pixels."""
    n = colour.shape[0] // CELL
    return logarithm(np.asarray(cv2.resize(colour, (n, n), interpolation=cv2.INTER_AREA), dtype=np.uint8))


def halved(colour: Pixels) -> Pixels:
    """A flat picture at half the grid's size."""
    n = colour.shape[0] // 2
    return np.asarray(cv2.resize(colour, (n, n), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def half_log(colour: Pixels) -> Floats32:
    """Logarithms of a flat picture at half the grid's size, a plane for each colour: (3, n, n)."""
    small = halved(colour)
    planes = np.empty((3, *small.shape[:2]), dtype=np.float32)
    for channel, plane in enumerate(cv2.split(small)):
        cv2.LUT(plane, LOGARITHM, planes[channel])
    return planes


def empty_of(colour: Pixels, scale: float) -> Empty:
    """What is needed of an empty board laid flat."""
    n = colour.shape[0] // CELL
    small = np.asarray(cv2.resize(colour, (n, n), interpolation=cv2.INTER_AREA), dtype=np.uint8)
    wood = cv2.medianBlur(small, round(WOOD_MM * scale / CELL) | 1)
    return Empty(colour, half_log(colour), logarithm(small), logarithm(np.asarray(wood, dtype=np.uint8)))


@lru_cache(maxsize=4)
def flat_for(model: CameraModel, looks: Looks) -> Flat:
    """The grid for one model and one table's looks; kept, because building it takes some tens of milliseconds."""
    z = looks.coin_thickness_mm
    scale = COIN_PX / (looks.coin_diameter_mm / 2.0)
    side = int(np.ceil(2 * (BOARD_HALF_MM + MARGIN_MM) * scale / CELL / 2)) * CELL * 2
    middle = (side - 1) / 2.0
    columns, rows = np.meshgrid(np.arange(side, dtype=np.float64), np.arange(side, dtype=np.float64))
    xy = np.stack(((columns.ravel() - middle) / scale, (middle - rows.ravel()) / scale), 1)
    px = model.project_plane(xy, z)
    there = model.in_picture(px) & (np.abs(xy).max(1) < BOARD_HALF_MM + 4.0)
    board = np.ascontiguousarray(there.reshape(side, side)[::2, ::2].astype(np.uint8))
    maps, shrink = _fixed(px, side), model.px_per_mm / scale
    empty = None
    if looks.empty is not None and looks.empty_model is not None:
        # The empty picture may have been taken before the camera was nudged: follow each ray to the surface and look
        # where the old pose saw that point.
        same = looks.empty_model is model
        then = maps if same else _fixed(looks.empty_model.project_plane(model.to_plane(px, 0.0), 0.0), side)
        empty = empty_of(_lay(looks.empty, then, shrink), scale)
    return Flat(model, z, scale, side, maps, shrink, board, empty)


def _fixed(px: Floats, side: int) -> tuple[Any, Any]:
    x = np.clip(px[:, 0], -30000, 30000).astype(np.float32).reshape(side, side)
    y = np.clip(px[:, 1], -30000, 30000).astype(np.float32).reshape(side, side)
    return cv2.convertMaps(x, y, cv2.CV_16SC2)
