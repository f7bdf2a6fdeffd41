"""A set unlike any that the eyes know is noticed when it is calibrated, and said; what is refused is shown."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from controller.simulator.looks import LOOKS, CoinLook
from controller.simulator.stills import CalibrationSet, calibration_set
from controller.vision.calibration_inputs import Inputs
from controller.vision.guided_calibration import calibrate
from controller.vision.posing import RefusedError

pytestmark = [pytest.mark.slow, pytest.mark.long]

ALIKE = CoinLook(white=(170, 110, 110), black=(110, 135, 110), queen=(120, 120, 150))
"""Reddish and greenish pieces, equally bright."""


@pytest.fixture(scope="module")
def pictures() -> CalibrationSet:
    cv2.setNumThreads(1)
    return calibration_set(replace(LOOKS["fast"], coins=ALIKE), seed=5, views=8)


def inputs(pictures: CalibrationSet) -> Inputs:
    lens = [cv2.cvtColor(p, cv2.COLOR_BGR2GRAY) for p in pictures.lens]
    return Inputs(DEFAULT_BOARD, lens, pictures.empty, pictures.opening)


def test_a_set_that_the_eyes_cannot_name_is_said_and_the_grade_is_lower(pictures: CalibrationSet) -> None:
    made = calibrate(inputs(pictures))
    assert made.calibration.grade == "basic", "with pieces that it knows this camera is of the grade club"
    (line,) = [line for line in made.says if "know such a set badly" in line]
    assert "--scattered" in line
    assert "Fix:" in line


def test_an_opening_from_another_stand_is_refused_with_a_picture_of_what_is_missing(pictures: CalibrationSet) -> None:
    h, w = pictures.opening.shape[:2]
    moved = cv2.warpAffine(
        pictures.opening, np.array(((1, 0, 25.0), (0, 1, 0))), (w, h), borderMode=cv2.BORDER_REPLICATE
    )
    with pytest.raises(RefusedError, match="from the same stand") as caught:
        calibrate(replace(inputs(pictures), opening=moved))
    assert caught.value.report.shape[0] > h
    assert caught.value.report.shape[1] == w
    drawn = np.abs(caught.value.report[:h].astype(int) - moved).max(2) > 60
    assert np.count_nonzero(drawn) > 200, "the markings are drawn over it"


def test_an_opening_that_is_none_is_refused_with_a_picture_of_where_it_should_be(pictures: CalibrationSet) -> None:
    with pytest.raises(RefusedError, match="no opening arrangement") as caught:
        calibrate(replace(inputs(pictures), opening=pictures.empty))
    h = pictures.empty.shape[0]
    assert caught.value.report.shape[0] > h
    assert np.count_nonzero(np.abs(caught.value.report[:h].astype(int) - pictures.empty).max(2) > 60) > 200
