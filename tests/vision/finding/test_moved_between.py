"""A stand that was nudged between the empty and the opening picture, and pictures that hardly show the markings."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from controller.vision.calibration_inputs import Inputs
from controller.vision.guided_calibration import calibrate
from controller.vision.looks import Pixels
from controller.vision.posing import RefusedError
from tests.bench.eyes import random_tables
from tests.bench.eyes.tally import grey
from tests.vision.finding.conftest import Calibrated

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def shifted(picture: Pixels, px: float) -> Pixels:
    height, width = picture.shape[:2]
    return cv2.warpAffine(
        picture, np.float64(((1, 0, px), (0, 1, 0))), (width, height), borderMode=cv2.BORDER_REPLICATE
    )


def inputs(fast: Calibrated, by_mm: float) -> Inputs:
    pictures = fast.pictures
    opening = shifted(pictures.opening, by_mm * fast.made.calibration.model.px_per_mm)
    return Inputs(DEFAULT_BOARD, [grey(one) for one in pictures.lens], pictures.empty, opening)


@pytest.mark.long
@pytest.mark.parametrize(("by_mm", "told"), [(0.0, False), (1.0, True)])
def test_a_small_nudge_is_said_and_allowed_for(fast: Calibrated, by_mm: float, told: bool) -> None:
    says = [line for line in calibrate(inputs(fast, by_mm)).says if "the camera moved" in line]
    assert bool(says) is told
    assert all(line.endswith("between the two pictures; allowed for") for line in says)
    assert [float(line.split()[4]) for line in says] == pytest.approx([by_mm] * len(says), abs=0.2)


def test_a_camera_that_moved_is_refused(fast: Calibrated) -> None:
    with pytest.raises(RefusedError, match="the camera moved by 5"):
        calibrate(inputs(fast, 5.0))


@pytest.mark.long
@pytest.mark.parametrize("by_mm", [0.0, 6.0])
def test_where_the_markings_hardly_show_no_fit_to_them_tells_that_the_camera_moved(by_mm: float) -> None:
    """In the sun 8 of 100 of them are found, by a fit 3 mm off. A camera that did move is refused all the same."""
    table = random_tables.draw(710_113)
    given = Inputs(DEFAULT_BOARD, [grey(one) for one in table.lens], table.empty, table.opening, south=table.south)
    given = replace(given, opening=shifted(table.opening, by_mm * table.model.px_per_mm))
    if by_mm:
        with pytest.raises(RefusedError, match="Fix: take both from the same stand"):
            calibrate(given)
    else:
        says = calibrate(given).says
        assert not any(line.startswith("the camera moved") for line in says)
        assert any("too few of the markings to tell whether the camera moved" in line for line in says)
