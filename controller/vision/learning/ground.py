"""The bare board under today's light: the picture laid flat at the pieces' height, less what an empty board shows.

Works out once per camera model where every point of a flat grid lies in the picture. Must not know pieces' classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel, Floats
from controller.vision.looks import Looks, Pixels

Floats32 = NDArray[np.float32]

BOARD_HALF_MM = 370.0
MARGIN_MM = 14.0
CELL = 8
"""Side in grid pixels of the cells in which the light is measured."""


@dataclass(frozen=True, eq=False)
class Ground:
    """A flat grid at height `z_mm` with `scale` px per mm, and how it maps into the picture.

    Grid pixel (column, row) is board point ((column − middle) / scale, (middle − row) / scale). `empty_colour` is the
    bare board on this grid in BGR uint8, `empty_slopes` its slopes and their strength; None without an empty picture.
    `seen` marks grid pixels that lie inside the picture.
    """

    model: CameraModel
    z_mm: float
    scale: float
    side: int
    maps: tuple[NDArray[np.int16], NDArray[np.uint16]]
    seen: NDArray[np.bool_]
    shrink: float
    empty_colour: Pixels | None
    empty_slopes: tuple[Floats32, Floats32, Floats32] | None

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

    def flatten(self, picture: Pixels) -> Pixels:
        """Lays a picture (h, w) or (h, w, 3) flat onto the grid."""
        if self.shrink > 1.15:
            # The grid is coarser than the picture here: without this, fine grain would alias into false edges.
            sigma = 0.45 * self.shrink
            picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), sigma), dtype=np.uint8)
        flat = cv2.remap(picture, self.maps[0], self.maps[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(flat, dtype=np.uint8)

    def fresh_slopes(self, flat: Pixels) -> Slopes:
        """The flat picture's slopes without those that the bare board shows in the same place and direction."""
        right, down = slopes_of(flat)
        noise = _noise(right, down)
        if self.empty_slopes is None:
            return Slopes(right, down, noise, right, down)
        ex, ey, strength = self.empty_slopes
        # A printed line seen again differs by sharpness and by the light's colour, but not in its direction; a piece
        # over it differs by more than the line.
        again = np.clip((right * ex + down * ey) / (ex * ex + ey * ey + 1e-3), 0.5, 1.5)
        off = cv2.magnitude(right - again * ex, down - again * ey)
        share = np.clip((off / (strength + 0.3) - 0.6) * 2.5, 0.0, 1.0)
        return Slopes(right * share, down * share, noise, right, down)


@dataclass(frozen=True, eq=False)
class Slopes:
    """Brightness change of the logarithm per grid pixel, to the right and downwards, (side, side) each.

    `noise`: one standard deviation of either where nothing is. `all_right` and `all_down` still have what the bare
    board shows.
    """

    right: Floats32
    down: Floats32
    noise: float
    all_right: Floats32
    all_down: Floats32

    @cached_property
    def fresh(self) -> Floats32:
        """Both slopes beside each other, (side, side, 2)."""
        return np.asarray(cv2.merge((self.right, self.down)), dtype=np.float32)

    @cached_property
    def whole(self) -> Floats32:
        """Both slopes with what the bare board shows, (side, side, 2)."""
        return np.asarray(cv2.merge((self.all_right, self.all_down)), dtype=np.float32)

    @cached_property
    def strength(self) -> Floats32:
        """The steepest change per grid pixel."""
        return np.asarray(cv2.magnitude(self.right, self.down), dtype=np.float32)


LOG_OFFSET = 24.0
_LOGARITHM = (80.0 * np.log((np.arange(256) + LOG_OFFSET) / LOG_OFFSET)).astype(np.float32)
"""Brightness as the finder compares it: a lamp's strength drops out, and leaving a black piece for its shadow is as
clear a step as leaving the shadow for the light. The offset keeps the noise of dark places small."""


def _noise(right: Floats32, down: Floats32) -> float:
    # 1.18 is the median of a Rayleigh variate; most of a board is bare, so the median is noise and grain.
    return max(float(np.median(cv2.magnitude(right, down)[8:-8:5, 8:-8:3])) / 1.18, 0.1)


def slopes_of(flat: Pixels) -> tuple[Floats32, Floats32]:
    """Slopes of a flat picture's logarithm, to the right and downwards."""
    calm = cv2.GaussianBlur(cv2.LUT(flat, _LOGARITHM), (0, 0), 0.9)
    right = cv2.Sobel(calm, cv2.CV_32F, 1, 0, scale=0.125)
    down = cv2.Sobel(calm, cv2.CV_32F, 0, 1, scale=0.125)
    return np.asarray(right, dtype=np.float32), np.asarray(down, dtype=np.float32)


@lru_cache(maxsize=4)
def ground_for(model: CameraModel, looks: Looks) -> Ground:
    """The grid for one model and one table's looks; kept, because building it takes some tens of milliseconds."""
    z = looks.coin_thickness_mm
    scale = float(np.clip(model.px_per_mm * 1.12, 0.8, 1.35))
    half = BOARD_HALF_MM + MARGIN_MM
    side = int(np.ceil(2 * half * scale / CELL)) * CELL
    middle = (side - 1) / 2.0
    columns, rows = np.meshgrid(np.arange(side, dtype=np.float64), np.arange(side, dtype=np.float64))
    xy = np.stack(((columns.ravel() - middle) / scale, (middle - rows.ravel()) / scale), 1)
    px = model.project_plane(xy, z)
    seen = model.in_picture(px).reshape(side, side)
    maps = _fixed(px, side)
    blank = Ground(model, z, scale, side, maps, seen, model.px_per_mm / scale, None, None)
    if looks.empty is None or looks.empty_model is None:
        return blank
    # The empty picture may have been taken before the camera was nudged: follow each ray to the surface and look
    # where the old pose saw that point.
    old = px if looks.empty_model is model else looks.empty_model.project_plane(model.to_plane(px, 0.0), 0.0)
    then = Ground(model, z, scale, side, _fixed(old, side), seen, blank.shrink, None, None)
    colour = then.flatten(looks.empty)
    luma = np.asarray(cv2.cvtColor(colour, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    ex, ey = slopes_of(luma)
    # Sharper or softer than before, an edge is also a little beside itself.
    strength = np.asarray(cv2.dilate(cv2.magnitude(ex, ey), np.ones((3, 3), np.uint8)), dtype=np.float32)
    return Ground(model, z, scale, side, maps, seen, blank.shrink, colour, (ex, ey, strength))


def _fixed(px: Floats, side: int) -> Any:
    x = np.clip(px[:, 0], -30000, 30000).astype(np.float32).reshape(side, side)
    y = np.clip(px[:, 1], -30000, 30000).astype(np.float32).reshape(side, side)
    return cv2.convertMaps(x, y, cv2.CV_16SC2)
