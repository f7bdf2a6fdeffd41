"""A board that was told to be another one is named by what does not shrink with its side."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from calibration.board import Board
from calibration.measures import measures_of
from calibration.other_board import SAME_SIDE, resembles
from calibration.presets import PRESETS

LAWFUL = PRESETS["international"]


def seen(true: Board, told: Board) -> dict[str, Any]:
    """What a perfect camera measures of a board, in the millimetres of the one that it is told to be."""
    smaller = told.half_mm / true.half_mm
    return {name: (np.array(value) * smaller).tolist() for name, value in measures_of(true).items()}


def named(true: Board, told: Board, said_mm: float | None = None) -> tuple[str, bool] | None:
    coin_mm = true.coin_diameter_mm * told.half_mm / true.half_mm
    found = resembles(seen(true, told), told, coin_mm, said_mm)
    return None if found is None else (found.preset, found.sure)


@pytest.mark.parametrize("told", ["home-28-inch", "home-26-inch", "home-24-inch"])
def test_a_lawful_board_is_no_smaller_one(told: str) -> None:
    assert named(LAWFUL, PRESETS[told]) == ("international", True)


@pytest.mark.parametrize("true", ["home-28-inch", "home-26-inch", "home-24-inch"])
def test_a_smaller_board_is_no_lawful_one(true: str) -> None:
    found = named(PRESETS[true], LAWFUL)
    assert found is not None
    assert found[0].startswith("home-")
    assert found[1]


@pytest.mark.parametrize("name", PRESETS)
def test_a_board_is_what_it_was_told_to_be(name: str) -> None:
    assert named(PRESETS[name], PRESETS[name]) is None


def test_sides_that_a_ruler_hardly_tells_apart_are_not_disputed() -> None:
    smallest = PRESETS["international-735"]
    assert 1.0 - smallest.half_mm / LAWFUL.half_mm < SAME_SIDE
    assert named(smallest, LAWFUL) is None
    assert named(LAWFUL, smallest) is None


@pytest.mark.parametrize("coin_mm", [29.0, 31.8, 33.0])
def test_a_set_of_pieces_from_elsewhere_makes_no_other_board(coin_mm: float) -> None:
    assert named(replace(LAWFUL, coin_diameter_mm=coin_mm), LAWFUL) is None


def test_a_maker_who_paints_the_large_circle_on_a_small_board_is_not_refused() -> None:
    small = PRESETS["home-26-inch"]
    painted = replace(small, outer_circle_diameter_mm=LAWFUL.outer_circle_diameter_mm * small.half_mm / LAWFUL.half_mm)
    found = named(painted, small)
    assert found is None or not found[1]


def test_coins_that_a_person_measured_speak_for_every_board() -> None:
    # On a board called home-26-inch lawful coins seem 27.7 mm wide. Who says that they are so has such a board.
    told = PRESETS["home-26-inch"]
    assert named(LAWFUL, told, said_mm=LAWFUL.coin_diameter_mm) == ("international", True)
    found = named(LAWFUL, told, said_mm=27.7)
    assert found is None or not found[1]
