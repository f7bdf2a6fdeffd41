"""The small picture on which following works, and its way to millimetres and back.

A frame's luma is cut to the board with a margin and shrunk by a whole number, so that a coin is some twelve pixels
wide whatever the camera; everything later happens there. Must not know tracks or time.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil, floor

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import Board
from calibration.camera import CameraModel
from controller.events.errors import DeviceError
from controller.vision.sources.frame import Frame, Image, other_size

PX_PER_MM = 0.36
"""What the small picture has at least, so that a coin is eleven pixels wide."""

MARGIN_MM = 25.0
"""What is watched beyond the wooden frame: hands come from there."""

AROUND = np.ones((3, 3), np.uint8)
"""A pixel and those that touch it: the finest structure that is more than noise."""

BODY_MM = 4.0
"""Height at which the visible body of a piece, top and side together, has its middle."""

_GRID_PX = 8
_GRID_MM = 20.0
_REACH_MM = 560.0
_PLACES = 500


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A frame with the small picture cut from it, and its number in the ring of JPEGs."""

    frame: Frame
    small: Image
    number: int | None = None

    @property
    def t_ns(self) -> int:
        """When it was taken."""
        return self.frame.t_ns


@dataclass(frozen=True, eq=False)
class View:
    """One camera's small picture: its cut, its scale, its masks and its two look-up tables.

    `cut` is (left, top, right, bottom) in px of the full picture, whole multiples of the scale. Masks are uint8, 255
    inside, in the small picture.
    """

    model: CameraModel
    board: Board
    cut: tuple[int, int, int, int]
    scale: int

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the small picture."""
        left, top, right, bottom = self.cut
        return ((right - left) // self.scale, (bottom - top) // self.scale)

    @cached_property
    def px_per_mm(self) -> float:
        """Pixels of the small picture per mm at the middle of the board."""
        return self.model.px_per_mm / self.scale

    def shrink(self, frame: Frame) -> Image:
        """Cuts and shrinks a frame's luma, and smooths it by a pixel.

        Raises DeviceError if the frame cannot be decoded or has another size than the camera model's.
        """
        left, top, right, bottom = self.cut
        scale = self.scale
        reduced = frame.reduced(scale)
        picture = frame.luma if reduced is None else reduced
        size = self.model.size if reduced is None else tuple(-(-side // scale) for side in self.model.size)
        if picture.shape[1::-1] != size:
            height, width = frame.luma.shape
            raise DeviceError(other_size((width, height), self.model.size))
        if reduced is not None:
            part = reduced[top // scale : bottom // scale, left // scale : right // scale]
        else:
            part = picture[top:bottom, left:right]
            if scale > 1:
                part = cv2.resize(part, self.size, interpolation=cv2.INTER_AREA)
        small: Image = cv2.blur(part, (3, 3))
        return small

    def to_small(self, points_px: NDArray[np.float64]) -> NDArray[np.float64]:
        """Full-picture pixels, shape (N, 2), to small ones."""
        left, top, _, _ = self.cut
        moved: NDArray[np.float64] = (points_px - (left, top) + 0.5) / self.scale - 0.5
        return moved

    def outline_px(self, points_mm: NDArray[np.float64], z_mm: float) -> NDArray[np.int32]:
        """A polygon in mm, shape (N, 2), at one height to whole small pixels."""
        small = self.to_small(self.model.project_plane(points_mm, z_mm))
        whole: NDArray[np.int32] = np.rint(small).astype(np.int32)
        return whole

    def px(self, x_mm: float, y_mm: float) -> tuple[float, float]:
        """A piece's place in mm to the small picture."""
        known, place = self._px_known, (x_mm, y_mm)
        at = known.get(place)
        if at is None:
            if len(known) > _PLACES:
                known.clear()
            gx, gy = (x_mm + _REACH_MM) / _GRID_MM, (y_mm + _REACH_MM) / _GRID_MM
            at = known[place] = _between(self._px_table, gx, gy)
        return at

    def mm(self, u: float, v: float) -> tuple[float, float]:
        """A place in the small picture to a piece's place in mm."""
        return _between(self._mm_table, u / _GRID_PX, v / _GRID_PX)

    def outline_mm(self, points_px: NDArray[np.int32]) -> NDArray[np.float64]:
        """A polygon in the small picture, shape (N, 2), to pieces' places in mm: what `mm` says of each corner."""
        table = self._mm_array
        place = points_px / _GRID_PX
        cell = np.clip(place.astype(int), 0, np.subtract(table.shape[1::-1], 2))
        i, j = cell.T
        a, b = (place - cell).T[:, :, None]
        mm: NDArray[np.float64] = (
            (1 - a) * (1 - b) * table[j, i]
            + a * (1 - b) * table[j, i + 1]
            + (1 - a) * b * table[j + 1, i]
            + a * b * table[j + 1, i + 1]
        )
        return mm

    def radius_px(self, radius_mm: float) -> float:
        """A length in mm in small pixels, at the middle of the board."""
        return radius_mm * self.px_per_mm

    def prepare(self) -> None:
        """Works out all masks and tables now: the first hand over the board is no time for it."""
        self.px(0.0, 0.0)
        self.outline_mm(np.zeros((1, 2), np.int32))
        for mask in (self.surface, self.board_mask, self.outside, self.rim, self.pocket_holes):
            mask.setflags(write=False)

    @cached_property
    def _px_known(self) -> dict[tuple[float, float], tuple[float, float]]:
        """Places asked for lately: what lies on the board is asked for in every picture."""
        return {}

    @cached_property
    def _px_table(self) -> list[list[tuple[float, float]]]:
        count = round(2 * _REACH_MM / _GRID_MM) + 1
        axis = np.arange(count) * _GRID_MM - _REACH_MM
        xx, yy = np.meshgrid(axis, axis)
        points = np.stack((xx.ravel(), yy.ravel()), 1)
        return _table(self.to_small(self.model.project_plane(points, BODY_MM)), count)

    @cached_property
    def _mm_table(self) -> list[list[tuple[float, float]]]:
        width, height = self.size
        columns, rows = width // _GRID_PX + 2, height // _GRID_PX + 2
        uu, vv = np.meshgrid(np.arange(columns) * _GRID_PX, np.arange(rows) * _GRID_PX)
        left, top, _, _ = self.cut
        small = np.stack((uu.ravel(), vv.ravel()), 1).astype(np.float64)
        full = (small + 0.5) * self.scale - 0.5 + (left, top)
        return _table(self.model.to_plane(full, BODY_MM), columns)

    @cached_property
    def _mm_array(self) -> NDArray[np.float64]:
        return np.array(self._mm_table)

    @cached_property
    def surface(self) -> Image:
        """The playing surface."""
        return self._filled(_square(self.board.half_mm), 0.0)

    @cached_property
    def board_mask(self) -> Image:
        """Surface and wooden frame."""
        half = self.board.half_mm + self.board.frame_width_mm
        return self._filled(_square(half), self.board.frame_height_mm)

    @cached_property
    def outside(self) -> Image:
        """What lies beyond the frame, and the picture's own rim: where hands come in."""
        beyond: Image = cv2.bitwise_not(self.board_mask)
        beyond[:2], beyond[-2:], beyond[:, :2], beyond[:, -2:] = 255, 255, 255, 255
        return beyond

    @cached_property
    def rim(self) -> Image:
        """The wooden frame with the cushions' edge, and all beyond."""
        inner: Image = cv2.erode(self.surface, np.ones((5, 5), np.uint8))
        rim: Image = cv2.bitwise_not(inner)
        return rim

    @cached_property
    def pocket_holes(self) -> Image:
        """The holes of the pockets, in which fallen pieces may show."""
        mask = np.zeros(self.size[::-1], np.uint8)
        angles = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
        rim = np.stack((np.cos(angles), np.sin(angles)), 1) * (self.board.pocket_radius_mm + 1.0)
        for centre in self.board.pockets_mm.values():
            cv2.fillPoly(mask, [self.outline_px(rim + centre, 0.0)], 255)
        return mask

    def _filled(self, corners_mm: NDArray[np.float64], z_mm: float) -> Image:
        mask = np.zeros(self.size[::-1], np.uint8)
        # Straight edges bend in the picture, so each is drawn through many points.
        steps = np.linspace(0.0, 1.0, 16, endpoint=False)[:, None]
        edge = [a + (b - a) * steps for a, b in zip(corners_mm, np.roll(corners_mm, -1, 0), strict=True)]
        cv2.fillPoly(mask, [self.outline_px(np.concatenate(edge), z_mm)], 255)
        return mask


def view_for(model: CameraModel, board: Board) -> View:
    """Chooses cut and scale for a camera."""
    half = board.half_mm + board.frame_width_mm + MARGIN_MM
    corners = model.project_plane(_square(half), board.frame_height_mm)
    width, height = model.size
    scale = max(1, floor(model.px_per_mm / PX_PER_MM))
    left, top = max(0, floor(float(corners[:, 0].min()))), max(0, floor(float(corners[:, 1].min())))
    right, bottom = min(width, ceil(float(corners[:, 0].max()))), min(height, ceil(float(corners[:, 1].max())))
    left, top, right, bottom = (edge - edge % scale for edge in (left, top, right, bottom))
    return View(model, board, (left, top, right, bottom), scale)


def _square(half_mm: float) -> NDArray[np.float64]:
    return np.array([(-half_mm, -half_mm), (half_mm, -half_mm), (half_mm, half_mm), (-half_mm, half_mm)])


def _table(points: NDArray[np.float64], columns: int) -> list[list[tuple[float, float]]]:
    pairs = [(float(a), float(b)) for a, b in points]
    return [pairs[start : start + columns] for start in range(0, len(pairs), columns)]


def _between(table: list[list[tuple[float, float]]], column: float, row: float) -> tuple[float, float]:
    """Interpolates between a table's four neighbours; beyond its edge the last cell goes on."""
    i = min(max(int(column), 0), len(table[0]) - 2)
    j = min(max(int(row), 0), len(table) - 2)
    a, b = column - i, row - j
    (x0, y0), (x1, y1) = table[j][i], table[j][i + 1]
    (x2, y2), (x3, y3) = table[j + 1][i], table[j + 1][i + 1]
    p, q, r, s = (1 - a) * (1 - b), a * (1 - b), (1 - a) * b, a * b
    return (p * x0 + q * x1 + r * x2 + s * x3, p * y0 + q * y1 + r * y2 + s * y3)
