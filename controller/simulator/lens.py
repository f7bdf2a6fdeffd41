"""The simulated camera's lens and pose: from millimetres to pixels and back.

Richer on purpose than any lens model that is fitted: a rational radial part, tangential and thin-prism terms, and
glass that sits a little off the axis. Pixel (0, 0) is the centre of the top-left pixel. Knows nothing of boards.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import cos, radians, sin

import cv2
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Lens:
    """Focal length in px; `radial`: k1 … k6 (numerator, then denominator); `prism`: s1 … s4.

    `off_axis`: where the distortion's own centre lies, in units of the focal length.
    """

    width: int = 1280
    height: int = 720
    focal_px: float = 905.0
    aspect: float = 1.0
    centre_px: tuple[float, float] = (640.0, 360.0)
    radial: tuple[float, float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    tangential: tuple[float, float] = (0.0, 0.0)
    prism: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    off_axis: tuple[float, float] = (0.0, 0.0)

    def distort(self, flat: Array) -> Array:
        """Ideal image coordinates (n, 2), in focal lengths, to those the glass makes of them."""
        x, y = flat[..., 0] - self.off_axis[0], flat[..., 1] - self.off_axis[1]
        r2 = x * x + y * y
        k1, k2, k3, k4, k5, k6 = self.radial
        stretch = (1 + r2 * (k1 + r2 * (k2 + r2 * k3))) / (1 + r2 * (k4 + r2 * (k5 + r2 * k6)))
        p1, p2 = self.tangential
        s1, s2, s3, s4 = self.prism
        xd = x * stretch + 2 * p1 * x * y + p2 * (r2 + 2 * x * x) + r2 * (s1 + s2 * r2)
        yd = y * stretch + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y + r2 * (s3 + s4 * r2)
        return np.stack((xd + self.off_axis[0], yd + self.off_axis[1]), axis=-1)

    def undistort(self, seen: Array) -> Array:
        """The inverse of `distort`, by fixed-point iteration (exact to 1e-10 for any lens built here)."""
        flat = np.array(seen, dtype=np.float64)
        for _ in range(40):
            error = seen - self.distort(flat)
            flat += error
            if np.abs(error).max() < 1e-11:
                break
        return flat

    def to_pixels(self, seen: Array) -> Array:
        """Distorted coordinates in focal lengths to pixels."""
        scale = np.array((self.focal_px, self.focal_px * self.aspect))
        return np.asarray(seen * scale + np.array(self.centre_px))

    def from_pixels(self, uv: Array) -> Array:
        """Pixels to distorted coordinates in focal lengths."""
        scale = np.array((self.focal_px, self.focal_px * self.aspect))
        return np.asarray((uv - np.array(self.centre_px)) / scale)


@dataclass(frozen=True, slots=True)
class Mount:
    """Where the camera hangs: `over_mm` the point on the surface it looks at, tilt and its direction, roll."""

    height_mm: float = 1150.0
    over_mm: tuple[float, float] = (0.0, 0.0)
    tilt_deg: float = 0.0
    tilt_towards_deg: float = 0.0
    roll_deg: float = 0.0


@dataclass(frozen=True)
class View:
    """A lens on a mount: the whole projection.

    `turn`: world to camera (3, 3); `centre`: the camera's place in the board frame, mm.
    """

    lens: Lens
    turn: Array
    centre: Array

    @cached_property
    def _rows(self) -> list[list[float]]:
        return [[float(v) for v in row] for row in self.turn]

    @cached_property
    def _at(self) -> tuple[float, float, float]:
        return float(self.centre[0]), float(self.centre[1]), float(self.centre[2])

    @classmethod
    def hang(cls, lens: Lens, mount: Mount) -> View:
        """Points the camera: looks at `over_mm` from `height_mm` up, tilted and rolled as the mount says."""
        tilt, towards = radians(mount.tilt_deg), radians(mount.tilt_towards_deg)
        down = np.array((sin(tilt) * cos(towards), sin(tilt) * sin(towards), -cos(tilt)))
        centre = np.array((*mount.over_mm, 0.0)) - down * (mount.height_mm / cos(tilt))
        roll = radians(mount.roll_deg)
        right = np.array((cos(roll), sin(roll), 0.0))
        right -= down * float(right @ down)
        right /= np.linalg.norm(right)
        return cls(lens, np.stack((right, np.cross(down, right), down)), centre)

    def nudged(self, shift_mm: tuple[float, float, float], turn_deg: float) -> View:
        """The same camera after a knock: moved, and turned about its own axis."""
        a = radians(turn_deg)
        about = np.array(((cos(a), -sin(a), 0.0), (sin(a), cos(a), 0.0), (0.0, 0.0, 1.0)))
        return View(self.lens, about @ self.turn, self.centre + np.array(shift_mm))

    def project(self, points_mm: Array) -> Array:
        """Points in the board frame (n, 3) to pixels (n, 2)."""
        local = (np.asarray(points_mm, dtype=np.float64) - self.centre) @ self.turn.T
        return self.lens.to_pixels(self.lens.distort(local[..., :2] / local[..., 2:3]))

    def pixel(self, x_mm: float, y_mm: float, z_mm: float) -> tuple[float, float]:
        """One point to its pixel: `project` for a single point, many times faster."""
        (r0, r1, r2), (c0, c1, c2) = self._rows, self._at
        dx, dy, dz = x_mm - c0, y_mm - c1, z_mm - c2
        depth = r2[0] * dx + r2[1] * dy + r2[2] * dz
        lens = self.lens
        ox, oy = lens.off_axis
        x = (r0[0] * dx + r0[1] * dy + r0[2] * dz) / depth - ox
        y = (r1[0] * dx + r1[1] * dy + r1[2] * dz) / depth - oy
        q = x * x + y * y
        k1, k2, k3, k4, k5, k6 = lens.radial
        stretch = (1 + q * (k1 + q * (k2 + q * k3))) / (1 + q * (k4 + q * (k5 + q * k6)))
        p1, p2 = lens.tangential
        s1, s2, s3, s4 = lens.prism
        u = x * stretch + 2 * p1 * x * y + p2 * (q + 2 * x * x) + q * (s1 + s2 * q) + ox
        v = y * stretch + p1 * (q + 2 * y * y) + 2 * p2 * x * y + q * (s3 + s4 * q) + oy
        return u * lens.focal_px + lens.centre_px[0], v * lens.focal_px * lens.aspect + lens.centre_px[1]

    def on_plane(self, uv: Array, z_mm: float = 0.0) -> Array:
        """Pixels (n, 2) to the points (n, 2) where their rays meet the plane at a height."""
        flat = self.lens.undistort(self.lens.from_pixels(np.asarray(uv, dtype=np.float64)))
        rays = np.concatenate((flat, np.ones((*flat.shape[:-1], 1))), axis=-1) @ self.turn
        return np.asarray(self.centre[:2] + rays[..., :2] * ((z_mm - self.centre[2]) / rays[..., 2:3]))

    def px_per_mm(self) -> float:
        """Scale on the surface in the middle of the board."""
        a = self.project(np.array(((-10.0, 0.0, 0.0), (10.0, 0.0, 0.0), (0.0, -10.0, 0.0), (0.0, 10.0, 0.0))))
        return float((np.linalg.norm(a[1] - a[0]) + np.linalg.norm(a[3] - a[2])) / 40.0)

    def ground(self, step: float = 1.0) -> npt.NDArray[np.float32]:
        """For every pixel (or, with `step` 0.5, quarter pixel) the point of the surface it sees: (h, w, 2) in mm."""
        n_x, n_y = round(self.lens.width / step), round(self.lens.height / step)
        # Sampled on a grid coarser than the pixels and filled in by bicubics: the lens is smooth.
        every = 8
        us = np.arange(-2 * every, self.lens.width + 3 * every, every, dtype=np.float64)
        vs = np.arange(-2 * every, self.lens.height + 3 * every, every, dtype=np.float64)
        coarse = self.on_plane(np.stack(np.meshgrid(us, vs), axis=-1).reshape(-1, 2)).reshape(len(vs), len(us), 2)
        first = -0.5 + step / 2
        u = (first + step * np.arange(n_x) - us[0]) / every
        v = (first + step * np.arange(n_y) - vs[0]) / every
        return _bicubic(coarse.astype(np.float32), u, v)


def _bicubic(grid: npt.NDArray[np.float32], u: Array, v: Array) -> npt.NDArray[np.float32]:
    """Catmull-Rom on a regular grid, rows and columns apart."""
    across = _along(_along(grid, v).transpose(1, 0, 2), u)
    return np.asarray(cv2.transpose(across), dtype=np.float32)


def _along(values: npt.NDArray[np.float32], at: Array) -> npt.NDArray[np.float32]:
    """Catmull-Rom along the first axis, at places `at` in order: (len(at), ...) from (n, ...)."""
    k = np.floor(at).astype(int)
    f = (at - k).astype(np.float32)
    flat = np.ascontiguousarray(values).reshape(len(values), -1)
    result = np.empty((len(at), flat.shape[1]), dtype=np.float32)
    # All places between two grid points share their cubic.
    starts = np.flatnonzero(np.diff(k, prepend=k[0] - 1))
    for first, last in pairwise((*starts.tolist(), len(at))):
        p0, p1, p2, p3 = flat[k[first] - 1 : k[first] + 3]
        share, part = f[first:last, None], result[first:last]
        np.multiply(share, 3 * (p1 - p2) + p3 - p0, out=part)
        part += 2 * p0 - 5 * p1 + 4 * p2 - p3
        part *= share
        part += p2 - p0
        part *= 0.5 * share
        part += p1
    return result.reshape(len(at), *values.shape[1:])
