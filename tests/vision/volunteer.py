"""Somebody who does what the guided calibration says, before the simulator's camera."""

from __future__ import annotations

import threading

import numpy as np
import numpy.typing as npt

from controller.simulator.camera import Camera
from controller.simulator.looks import Look
from controller.simulator.pieces import opening
from controller.simulator.stills import charuco_view, still

Picture = npt.NDArray[np.uint8]


class Volunteer:
    """Stands at the board: does what was said last, and holds still until the next is said."""

    def __init__(self, look: Look) -> None:
        self.camera = Camera(look, 1)
        self.rng = np.random.default_rng(3)
        self.said: list[str] = []
        self.done = threading.Event()
        self._shows: Picture = still(self.camera, {}).picture

    def hears(self, line: str) -> None:
        """Hears a line of the command."""
        self.said.append(line)
        if line.startswith("→"):
            self._shows = self._acts(line)

    def _acts(self, line: str) -> Picture:
        look = self.camera.look
        if "opening" in line:
            return still(self.camera, opening(look.pieces, self.rng)).picture
        if "take all pieces off" in line:
            return still(self.camera, {}).picture
        if "tilt" in line:
            return charuco_view(look, self.rng, (0.0, 0.0), 30.0)
        x = -0.33 if "left" in line else 0.33 if "right" in line else 0.0
        y = -0.33 if "upper" in line else 0.33 if "lower" in line else 0.0
        return charuco_view(look, self.rng, (x, y), 8.0)

    def frame(self) -> Picture:
        """What the camera sees now, with a little noise."""
        noise = self.rng.integers(-2, 3, (*self._shows.shape[:2], 1))
        return np.asarray(np.clip(self._shows.astype(np.int16) + noise, 0, 255), dtype=np.uint8)
