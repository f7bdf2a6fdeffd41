"""From straight pictures to what the camera hands over: lens, exposure, vignette, white balance, noise, JPEG.

Arrays in, JPEG bytes out. Knows no table.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from tests.bench.second.lens import View
from tests.bench.second.scene import Box, Size
from tests.bench.second.tables import Eye

Picture = npt.NDArray[np.uint8]
_LINEAR = ((np.arange(256) / 255.0) ** 2.2).astype(np.float32)
_STEPS = 4096


class Sensor:
    """One camera's sensor behind its lens; its noise comes from its seed."""

    def __init__(self, eye: Eye, view: View, size: Size, seed: int) -> None:
        left, right, top, bottom = size.window
        self._x = (view.rays[..., 0] - left) / (right - left) * size.width - 0.5
        self._y = (view.rays[..., 1] - top) / (bottom - top) * size.height - 0.5
        far = np.hypot(*view.rays.transpose(2, 0, 1))
        shade = 1.0 - eye.vignette * (far / far.max()) ** 2
        self._gain = (shade[..., None] * np.array(eye.gains[::-1])).astype(np.float32)
        self._quality, self._noise = eye.jpeg, eye.noise
        self._rng = np.random.default_rng((seed, 24))
        self._grain = self._rng.normal(0.0, 1.0, (eye.height + 97, eye.width + 131, 3)).astype(np.float32)
        self._as_shown = (np.linspace(0.0, 1.0, _STEPS) ** (eye.gamma / 2.2) * 255.0).astype(np.float32)
        self._shown = np.zeros((eye.height, eye.width, 3), dtype=np.float32)
        self._noisy = np.zeros_like(self._shown)
        self._before: list[Box] = [(0, 0, size.width, size.height)]

    def take(self, straight: Sequence[Picture], anew: Sequence[Box]) -> bytes:
        """Exposes straight pictures (RGB) one after another, for the same time each, as one JPEG.

        `anew`: the boxes in which they differ from one another and from those of the call before.
        """
        boxes = [*self._before, *anew]
        if boxes:
            x0, y0, x1, y1 = np.array(boxes).T
            self._expose(straight, (int(x0.min()), int(y0.min()), int(x1.max()), int(y1.max())))
        # What was blurred is not as it was when it stands still again.
        self._before = list(anew) if len(straight) > 1 else []
        h, w = self._shown.shape[:2]
        dy, dx = int(self._rng.integers(98)), int(self._rng.integers(132))
        noise = cv2.multiply(self._grain[dy : dy + h, dx : dx + w], self._noisy)
        pixels = cv2.add(self._shown, noise, dtype=cv2.CV_8U)
        return bytes(cv2.imencode(".jpg", pixels, (cv2.IMWRITE_JPEG_QUALITY, self._quality))[1])

    def _expose(self, straight: Sequence[Picture], box: Box) -> None:
        """Brings a box of the straight pictures up to date in what is shown."""
        x0, y0, x1, y1 = box
        within = (self._x > x0 - 2) & (self._x < x1 + 2) & (self._y > y0 - 2) & (self._y < y1 + 2)
        rows, columns = np.flatnonzero(within.any(axis=1)), np.flatnonzero(within.any(axis=0))
        if not len(rows):
            return
        part = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        # A little more of the straight pictures, that the lens's bending draws in.
        at_x, at_y = self._x[part], self._y[part]
        height, width = straight[0].shape[:2]
        a0, b0 = max(int(at_x.min()) - 2, 0), max(int(at_y.min()) - 2, 0)
        a1, b1 = min(int(at_x.max()) + 3, width), min(int(at_y.max()) + 3, height)
        light = sum((_LINEAR[one[b0:b1, a0:a1]] for one in straight), np.float32(0.0)) / np.float32(len(straight))
        seen = cv2.remap(np.ascontiguousarray(light[..., ::-1]), at_x - a0, at_y - b0, cv2.INTER_LINEAR)
        seen = np.clip(seen * self._gain[part], 0.0, 1.0)
        self._shown[part] = self._as_shown[(seen * (_STEPS - 1)).astype(np.uint16)]
        self._noisy[part] = self._noise * (0.6 + 0.8 * np.sqrt(seen))
