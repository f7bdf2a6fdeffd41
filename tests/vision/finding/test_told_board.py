"""A board that is told to be another one: refused, or no line is called, and what to say instead is named."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD, Board
from calibration.measures import board_of
from calibration.presets import PRESETS
from controller.vision.calibration_inputs import Inputs
from controller.vision.guided_calibration import Made, calibrate
from controller.vision.posing import RefusedError
from tests.bench.eyes import random_tables
from tests.bench.eyes.calibrating import GRID

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.long]

OWN = board_of(
    {
        "side_mm": 724.0,
        "outer_line_mm": [106.5, 110.0],
        "inner_line_mm": [136.8, 137.9],
        "line_half_length_mm": 214.0,
        "pocket_radius_mm": 26.0,
        "coin_diameter_mm": 29.0,
        "striker_diameter_mm": 39.0,
    }
)
"""A board of which no preset is a likeness."""


@cache
def table(seed: int, board: Board) -> random_tables.Drawn:
    cv2.setNumThreads(1)
    return random_tables.draw(seed, board=board)


def inputs(seed: int, true: Board, told: Board) -> Inputs:
    drawn = table(seed, true)
    lens = [cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) for picture in drawn.lens]
    return Inputs(told, lens, drawn.empty, drawn.opening, south=drawn.south)


def off_mm(made: Made, drawn: random_tables.Drawn) -> float:
    """Of the places of pieces all over the board, the mean."""
    px = drawn.view.project(np.concatenate((GRID, np.full((len(GRID), 1), 8.0)), 1))
    return float(np.hypot(*(made.calibration.model.to_plane(px, 8.0) - GRID).T).mean())


def test_a_lawful_board_called_a_home_board_is_refused_and_its_own_name_said() -> None:
    with pytest.raises(RefusedError, match="--board international") as refused:
        calibrate(inputs(732_006, DEFAULT_BOARD, PRESETS["home-26-inch"]))
    assert refused.value.report.size


def test_coins_that_a_person_measured_tell_the_side() -> None:
    given = replace(inputs(732_006, DEFAULT_BOARD, DEFAULT_BOARD), coin_diameter_mm=28.0)
    with pytest.raises(RefusedError, match=r"the side is about 66\d mm, or --coin-diameter is wrong"):
        calibrate(given)


def test_of_a_board_of_its_own_measures_the_side_is_enough() -> None:
    # Its lines lie 5 mm off those of the laws, farther than any fit reaches.
    told = board_of({"preset": "international-735", "side_mm": 724.0})
    made = calibrate(replace(inputs(730_013, OWN, told), side_said=True))
    found = made.calibration.board
    assert found.outer_line_mm == pytest.approx(OWN.outer_line_mm, abs=0.6)
    assert found.inner_line_mm == pytest.approx(OWN.inner_line_mm, abs=0.6)
    assert found.line_half_length_mm == pytest.approx(OWN.line_half_length_mm, abs=0.6)
    assert off_mm(made, table(730_013, OWN)) < 0.5


def test_pictures_too_soft_for_the_base_circles_call_no_line() -> None:
    given = inputs(732_006, DEFAULT_BOARD, DEFAULT_BOARD)
    assert given.empty is not None
    assert given.opening is not None
    soft = [cv2.GaussianBlur(picture, (0, 0), 2.2) for picture in (given.empty, given.opening)]
    made = calibrate(replace(given, empty=soft[0], opening=soft[1]))
    assert made.calibration.grade == "basic"
    assert any("most base circles are not seen" in line for line in made.says)


def test_a_misread_edge_measures_nothing() -> None:
    # The shade on this frame's top looks like the edge of the surface; the pockets do not lie in its corners.
    made = calibrate(inputs(731_005, PRESETS["home-28-inch"], PRESETS["home-28-inch"]))
    assert off_mm(made, table(731_005, PRESETS["home-28-inch"])) < 0.5
    assert not made.calibration.measured
