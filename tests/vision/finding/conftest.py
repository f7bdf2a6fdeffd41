"""A calibrated table of one look, for the tests that share it; calibrating takes seconds."""

from __future__ import annotations

import cv2
import pytest

from calibration.board import DEFAULT_BOARD
from controller.simulator.looks import LOOKS
from controller.simulator.stills import calibration_set
from controller.vision.calibration_file import Calibration
from controller.vision.guided_calibration import Inputs, calibrate


@pytest.fixture(scope="session")
def table() -> Calibration:
    cv2.setNumThreads(1)
    pictures = calibration_set(LOOKS["fast"], seed=5, views=8)
    lens = [cv2.cvtColor(p, cv2.COLOR_BGR2GRAY) for p in pictures.lens]
    return calibrate(Inputs(lens=lens, empty=pictures.empty, opening=pictures.opening, board=DEFAULT_BOARD)).calibration
