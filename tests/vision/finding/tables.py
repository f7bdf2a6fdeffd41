"""Simulated tables that were calibrated from their pictures, with the camera that takes more of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.board import DEFAULT_BOARD
from controller.simulator.camera import Camera
from controller.simulator.looks import LOOKS
from controller.simulator.stills import CalibrationSet
from controller.vision.calibration_file import Calibration
from controller.vision.finding import Finding, find
from controller.vision.guided_calibration import Made
from tests.vision.finding.conftest import calibrated


@dataclass(frozen=True)
class Table:
    pictures: CalibrationSet
    camera: Camera
    made: Made

    @property
    def calibration(self) -> Calibration:
        return self.made.calibration

    def find(self, picture: np.ndarray) -> Finding:
        return find(picture, self.calibration.model, self.calibration.looks, board=DEFAULT_BOARD)


def table_of(name: str) -> Table:
    once = calibrated(name)
    return Table(once.pictures, Camera(LOOKS[name], 5), once.made)
