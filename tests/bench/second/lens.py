"""The second simulator's own lens: where each pixel of its picture looks, by the angle of the ray, on a leaning sensor.

Not the model that calibration fits: the radius is a polynomial of the ray's angle, and the sensor stands a little off
square, so that what is fitted can come near and never meet it. Pure arrays.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from tests.bench.second.tables import Eye

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class View:
    """A camera that hangs. `turn`: rows are its right, down and forward in the world; `centre_mm`: where it is.

    `rays`: (h, w, 2), the slopes to the right and down of what each pixel sees.
    """

    turn: Floats
    centre_mm: Floats
    rays: npt.NDArray[np.float32]

    @property
    def window(self) -> tuple[float, float, float, float]:
        """The slopes that the picture spans: left, right, top, bottom."""
        x, y = self.rays[..., 0], self.rays[..., 1]
        return (float(x.min()), float(x.max()), float(y.min()), float(y.max()))


def hang(eye: Eye) -> View:
    """Hangs an eye over its board."""
    turn, tilt = np.radians(eye.tilt_to_deg), np.radians(eye.tilt_deg)
    forward = np.array((np.sin(tilt) * np.cos(turn), np.sin(tilt) * np.sin(turn), -np.cos(tilt)))
    centre = np.array((*eye.aims_mm, 0.0)) - forward * eye.above_mm / np.cos(tilt)
    roll = np.radians(eye.roll_deg)
    right = np.array((np.cos(roll), np.sin(roll), 0.0))
    right -= forward * (right @ forward)
    right /= np.linalg.norm(right)
    return View(np.stack((right, np.cross(forward, right), forward)), centre, rays(eye))


def rays(eye: Eye) -> npt.NDArray[np.float32]:
    """The slopes of every pixel's ray."""
    x, y = np.meshgrid(np.arange(eye.width, dtype=np.float64), np.arange(eye.height, dtype=np.float64))
    x = (x - (eye.width - 1) / 2 - eye.off_px[0]) / eye.focal_px
    y = (y - (eye.height - 1) / 2 - eye.off_px[1]) / eye.focal_px
    lean = cv2.Rodrigues(np.radians(np.array((*eye.lean_deg, 0.0))))[0]
    flat = np.stack((x, y, np.ones_like(x)), axis=-1) @ lean.T
    x, y = flat[..., 0] / flat[..., 2], flat[..., 1] / flat[..., 2]
    lands = np.hypot(x, y)
    b3, b5 = eye.bend
    angle = lands.copy()
    for _ in range(8):
        miss = angle + b3 * angle**3 + b5 * angle**5 - lands
        angle -= miss / (1.0 + 3.0 * b3 * angle**2 + 5.0 * b5 * angle**4)
    grow = np.where(lands > 1e-9, np.tan(angle) / np.maximum(lands, 1e-9), 1.0)
    return np.stack((x * grow, y * grow), axis=-1).astype(np.float32)
