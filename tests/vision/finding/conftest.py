"""A calibrated table of one look, for the tests that share it; calibrating takes seconds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import cv2
import pytest

from calibration.board import DEFAULT_BOARD
from controller.simulator.looks import LOOKS
from controller.simulator.stills import CalibrationSet, calibration_set
from controller.vision.calibration_file import Calibration
from controller.vision.calibration_inputs import Inputs
from controller.vision.guided_calibration import Made, calibrate


@dataclass(frozen=True, eq=False)
class Calibrated:
    """A simulated table's pictures (read-only), and what was made from them."""

    pictures: CalibrationSet
    made: Made


@cache
def calibrated(name: str) -> Calibrated:
    """The table of a look."""
    cv2.setNumThreads(1)
    pictures = calibration_set(LOOKS[name], seed=5, views=8)
    for picture in (*pictures.lens, pictures.empty, pictures.opening):
        picture.flags.writeable = False
    lens = [cv2.cvtColor(p, cv2.COLOR_BGR2GRAY) for p in pictures.lens]
    made = calibrate(Inputs(lens=lens, empty=pictures.empty, opening=pictures.opening, board=DEFAULT_BOARD))
    return Calibrated(pictures, made)


@pytest.fixture(scope="session")
def fast() -> Calibrated:
    return calibrated("fast")


@pytest.fixture(scope="session")
def table(fast: Calibrated) -> Calibration:
    return fast.made.calibration
