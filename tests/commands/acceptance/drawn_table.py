"""A simulated table that proves itself: drawn pictures, strikers where the gauge has them, through the real finder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from calibration.board import DEFAULT_BOARD
from calibration.camera import CameraModel
from controller.commands.acceptance.plan import Spot
from controller.simulator.camera import Camera, Picture
from controller.simulator.looks import LOOKS
from controller.simulator.motion import Pose
from controller.simulator.stills import still
from controller.vision.calibration_file import Calibration
from controller.vision.looks import ANY_TONES, looks_of
from tests.vision.following.simulated import model_of

STRIKER = 0
SHADOW_MM = 6.0


@dataclass(frozen=True, eq=False)
class DrawnTable:
    """A camera above a simulated board, and its true calibration."""

    camera: Camera
    calibration: Calibration

    def picture(self, spots: Sequence[Spot], off_mm: tuple[float, float] = (0.0, 0.0)) -> Picture:
        """The board with a striker at each spot, pushed aside by `off_mm`."""
        poses = [Pose(spot.x_mm + off_mm[0], spot.y_mm + off_mm[1], 0.0, 0.3) for spot in spots]
        if not poses:
            return still(self.camera, {}).picture
        pictures = [still(self.camera, {STRIKER: pose}).picture for pose in poses]
        if len(pictures) == 1:
            return pictures[0]
        # The simulated set has one striker: the second one is another picture's, about its place.
        ground = self.camera.view.ground(1.0)
        away = [np.hypot(ground[..., 0] - pose.x_mm, ground[..., 1] - pose.y_mm) for pose in poses]
        reach = DEFAULT_BOARD.striker_diameter_mm / 2 + SHADOW_MM
        second = (away[1] < away[0]) & (away[1] < reach)
        return np.where(second[..., None], pictures[1], pictures[0])

    def dark(self) -> Picture:
        """The bare board with its lamps off."""
        return np.asarray(self.picture(()) * 0.3, dtype=np.uint8)


@cache
def drawn_table(look: str = "birch-match") -> DrawnTable:
    """A table with its true calibration, of grade *match*."""
    camera = Camera(LOOKS[look], 1)
    model = model_of(camera.view)
    bare = still(camera, {}).picture
    looks = replace(looks_of(DEFAULT_BOARD), tones=ANY_TONES, sizes_known=True, empty=bare, empty_model=model)
    return DrawnTable(camera, Calibration(model, looks=looks, grade="match", board=DEFAULT_BOARD))


def shifted(calibration: Calibration, x_mm: float) -> Calibration:
    """The same calibration with its board so far to the east of where it is."""
    model: CameraModel = calibration.model
    moved = replace(model, t=model.t - model.R @ np.array((x_mm, 0.0, 0.0)).reshape(model.t.shape))
    return replace(calibration, model=moved)
