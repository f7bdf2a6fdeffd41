"""The bare board under today's light: the picture laid flat at the pieces' height, less what an empty board shows.

Works out once per camera model where every point of a flat grid lies in the picture. Must not know pieces' classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import Board
from calibration.camera import CameraModel
from controller.vision.grid import CELL, MARGIN_MM, Grid, laid, maps_of, maps_then, points_mm
from controller.vision.looks import Looks, Pixels

Floats32 = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Ground(Grid):
    """The grid with the bare board on it.

    `seen` marks grid pixels that lie inside the picture. `empty_colour` is the bare board in BGR uint8, `empty_slopes`
    its slopes and their strength; None without an empty picture.
    """

    seen: NDArray[np.bool_]
    empty_colour: Pixels | None
    empty_slopes: tuple[Floats32, Floats32, Floats32] | None

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
def ground_for(model: CameraModel, looks: Looks, board: Board) -> Ground:
    """The grid for one model, one table's looks and board; kept, because building it takes tens of milliseconds."""
    z = looks.coin_thickness_mm
    scale = float(np.clip(model.px_per_mm * 1.12, 0.8, 1.35))
    half = board.half_mm + MARGIN_MM
    side = int(np.ceil(2 * half * scale / CELL)) * CELL
    px = model.project_plane(points_mm(side, scale), z)
    seen = model.in_picture(px).reshape(side, side)
    maps, shrink = maps_of(px, side), model.px_per_mm / scale
    if looks.empty is None or looks.empty_model is None:
        return Ground(model, board, z, scale, side, maps, shrink, seen, None, None)
    colour = laid(looks.empty, maps_then(model, looks.empty_model, px, side, maps), shrink)
    luma = np.asarray(cv2.cvtColor(colour, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    ex, ey = slopes_of(luma)
    # Sharper or softer than before, an edge is also a little beside itself.
    strength = np.asarray(cv2.dilate(cv2.magnitude(ex, ey), np.ones((3, 3), np.uint8)), dtype=np.float32)
    return Ground(model, board, z, scale, side, maps, shrink, seen, colour, (ex, ey, strength))
