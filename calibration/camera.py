"""The camera model: lens and pose, and the way from pixels to millimetres on any height above the board.

Arrays in, arrays out. Must not know cameras, files or pieces. Pixel (0, 0) is the centre of the top-left pixel. The
board's frame is that of `calibration/board.py`; heights count up from the playing surface.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CameraModel:
    """Pinhole with Brown-Conrady distortion above a board.

    `K` 3×3 in px, `dist` (k1, k2, p1, p2, k3), `R` 3×3 and `t` 3 in mm take board coordinates to camera coordinates,
    `size` is (width, height) of the picture in px. `eye` 3 in mm, in camera coordinates: the point from which heights
    are seen, where it was fitted apart from what lies on the surface; None: the lens's own centre. Two models are equal
    only if they are the same object, so that whatever is worked out once for a model may be kept with it.
    """

    K: Floats
    dist: Floats
    R: Floats
    t: Floats
    size: tuple[int, int]
    eye: Floats | None = None

    @cached_property
    def centre_mm(self) -> Floats:
        """The place from which heights are seen in board coordinates, shape (3,)."""
        place: Floats = self.R.T @ ((0.0 if self.eye is None else self.eye) - self.t)
        return place

    @cached_property
    def px_per_mm(self) -> float:
        """Pixels per millimetre on the surface, mean over both directions, at the middle of the board."""
        return float(1.0 / self.mm_per_px(np.zeros((1, 2)))[0])

    def project(self, points_xyz_mm: ArrayLike) -> Floats:
        """Board points, shape (N, 3) in mm, to picture points, shape (N, 2) in px."""
        points = np.ascontiguousarray(np.asarray(points_xyz_mm, dtype=np.float64).reshape(-1, 3))
        if self.eye is not None:
            # Down the ray onto the surface: that is what the lens is fitted to.
            share = points[:, 2:] / self.centre_mm[2]
            on = (points[:, :2] - self.centre_mm[:2] * share) / (1.0 - share)
            points = np.concatenate((on, np.zeros((len(on), 1))), 1)
        seen = points @ self.R.T + self.t
        x, y = seen[:, 0] / seen[:, 2], seen[:, 1] / seen[:, 2]
        k1, k2, p1, p2, k3 = self.dist[:5]
        rr = x * x + y * y
        radial = 1.0 + rr * (k1 + rr * (k2 + rr * k3))
        xd = x * radial + 2.0 * p1 * x * y + p2 * (rr + 2.0 * x * x)
        yd = y * radial + p1 * (rr + 2.0 * y * y) + 2.0 * p2 * x * y
        return np.stack((self.K[0, 0] * xd + self.K[0, 1] * yd + self.K[0, 2], self.K[1, 1] * yd + self.K[1, 2]), 1)

    def project_plane(self, points_xy_mm: ArrayLike, z_mm: float = 0.0) -> Floats:
        """Points at one height, shape (N, 2) in mm, to picture points, shape (N, 2) in px."""
        xy = np.asarray(points_xy_mm, dtype=np.float64).reshape(-1, 2)
        return self.project(np.concatenate((xy, np.full((len(xy), 1), z_mm)), 1))

    def to_plane(self, points_px: ArrayLike, z_mm: float = 0.0) -> Floats:
        """Picture points, shape (N, 2) in px, to where their rays meet the plane `z_mm`, shape (N, 2) in mm."""
        points = np.ascontiguousarray(np.asarray(points_px, dtype=np.float64).reshape(-1, 1, 2))
        if not len(points):
            return np.zeros((0, 2))
        sharp = (cv2.TERM_CRITERIA_COUNT + cv2.TERM_CRITERIA_EPS, 30, 1e-9)
        flat = cv2.undistortPoints(points, self.K, self.dist, criteria=sharp).reshape(-1, 2)
        rays = np.concatenate((flat, np.ones((len(flat), 1))), 1) @ self.R
        lens = -self.R.T @ self.t
        if self.eye is None:
            far = (z_mm - lens[2]) / rays[:, 2]
            met: Floats = lens[:2] + rays[:, :2] * far[:, None]
            return met
        on = lens[:2] - rays[:, :2] * (lens[2] / rays[:, 2])[:, None]
        raised: Floats = on + (self.centre_mm[:2] - on) * (z_mm / self.centre_mm[2])
        return raised

    def mm_per_px(self, points_xy_mm: ArrayLike, z_mm: float = 0.0) -> Floats:
        """Millimetres that one pixel spans at board points (N, 2), mean over both directions, shape (N,)."""
        xy = np.asarray(points_xy_mm, dtype=np.float64).reshape(-1, 2)
        here = self.project_plane(xy, z_mm)
        east = self.project_plane(xy + np.array((1.0, 0.0)), z_mm) - here
        north = self.project_plane(xy + np.array((0.0, 1.0)), z_mm) - here
        area = np.abs(east[:, 0] * north[:, 1] - east[:, 1] * north[:, 0])
        spans: Floats = 1.0 / np.sqrt(np.maximum(area, 1e-12))
        return spans

    def u_mm(self, points_xy_mm: ArrayLike, u_px: float, z_mm: float = 0.0) -> Floats:
        """What an error of `u_px` in the picture comes to on the board at points (N, 2), in mm, shape (N,)."""
        return self.mm_per_px(points_xy_mm, z_mm) * u_px

    def lean(self, points_xy_mm: ArrayLike, z_mm: float) -> Floats:
        """How far a point at height `z_mm` above (N, 2) appears displaced on the surface, shape (N, 2) in mm."""
        xy = np.asarray(points_xy_mm, dtype=np.float64).reshape(-1, 2)
        away: Floats = (xy - self.centre_mm[:2]) * (z_mm / (self.centre_mm[2] - z_mm))
        return away

    def in_picture(self, points_px: ArrayLike, margin_px: float = 0.0) -> NDArray[np.bool_]:
        """Which picture points (N, 2) lie inside the picture by at least `margin_px`."""
        px = np.asarray(points_px, dtype=np.float64).reshape(-1, 2)
        w, h = self.size
        inside: NDArray[np.bool_] = (
            (px[:, 0] >= margin_px)
            & (px[:, 0] <= w - 1 - margin_px)
            & (px[:, 1] >= margin_px)
            & (px[:, 1] <= h - 1 - margin_px)
        )
        return inside

    def posed(self, R: Floats, t: Floats) -> CameraModel:
        """The same lens in another pose."""
        return replace(self, R=R, t=t)


def rotation_vector(model: CameraModel) -> Floats:
    """The model's rotation as a Rodrigues vector, shape (3,)."""
    vector, _ = cv2.Rodrigues(model.R)
    flat: Floats = np.asarray(vector, dtype=np.float64).reshape(3)
    return flat
