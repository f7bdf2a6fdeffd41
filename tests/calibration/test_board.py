"""Boards of other measures: presets, single measures, and what no board has."""

from __future__ import annotations

from dataclasses import replace
from math import hypot, inf, nan

import pytest

from calibration.board import Board
from calibration.measures import MEASURES, board_in_use, board_of, measures_of
from calibration.presets import PRESETS


def test_the_laws_board_has_the_laws_derived_places() -> None:
    board = Board()
    assert board.pocket_centre_mm == 347.75
    assert board.base_circle_from_centre_mm == pytest.approx(252.6)
    assert board.base_circle_along_mm == 219.1
    assert board.rests_from_mm("white") == pytest.approx(15.96, abs=0.01)
    assert board.rests_from_mm("striker") == pytest.approx(8.28, abs=0.01)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_presets_measures_say_the_same_board_again(preset: str) -> None:
    said = measures_of(PRESETS[preset])
    assert tuple(sorted(said)) == tuple(sorted(MEASURES))
    assert board_of(said) == board_of({"preset": preset}) == PRESETS[preset]


@pytest.mark.parametrize("preset", PRESETS)
def test_a_striker_on_a_base_circle_lies_on_both_lines_of_every_preset(preset: str) -> None:
    board = PRESETS[preset]
    middle, radius = board.base_circle_from_centre_mm, board.striker_diameter_mm / 2
    assert middle + radius > min(board.outer_line_y_mm)
    assert middle - radius < max(board.inner_line_y_mm)
    pocket, far = board.nearest_pocket(board.half_mm, board.half_mm)
    assert (pocket, far) == ("NE", pytest.approx(2**0.5 * board.pocket_radius_mm))


def test_a_measure_that_is_said_wins_over_the_preset() -> None:
    board = board_of({"preset": "home-26-inch", "side_mm": 664, "arrow_mm": [130, 370, 2]})
    assert (board.half_mm, board.arrow_radii_mm, board.arrow_line_width_mm) == (332.0, (130.0, 370.0), 2.0)
    assert board.pocket_centre_mm == 332.0 - board.pocket_radius_mm
    assert board.coin_diameter_mm == PRESETS["home-26-inch"].coin_diameter_mm


@pytest.mark.parametrize(
    "said",
    [
        {"preset": "imperial"},
        {"preset": 3},
        {"pockets_mm": 22},
        {"side_mm": "740"},
        {"side_mm": True},
        {"side_mm": nan},
        {"side_mm": inf},
        {"side_mm": 74},
        {"side_mm": -740},
        {"side_mm": 10**400},
        {"pocket_radius_mm": 15},
        {"pocket_radius_mm": 300},
        {"outer_line_mm": 101.5},
        {"outer_line_mm": [106.5, 101.5]},
        {"outer_line_mm": [101.5, 106.5, 3]},
        {"inner_line_mm": [101.5, 103.0]},
        {"inner_line_mm": [400, 402]},
        {"line_half_length_mm": 369},
        {"base_disc_mm": 40},
        {"outer_circle_mm": 20},
        {"arrow_mm": [152.5, 419.5]},
        {"arrow_mm": [419.5, 152.5, 1.5]},
        {"arrow_mm": [152.5, 600, 1.5]},
        {"striker_diameter_mm": 25},
        {"coin_thickness_mm": 60},
    ],
)
def test_what_no_board_has_is_said_in_one_line_that_names_it(said: dict) -> None:
    with pytest.raises(ValueError, match="Fix:") as caught:
        board_of(said)
    says = str(caught.value)
    assert "\n" not in says
    assert next(iter(said)) in says


def test_the_calibrations_board_is_played_on_where_nothing_is_configured() -> None:
    calibrated = PRESETS["home-24-inch"]
    assert board_in_use({}, calibrated) == (calibrated, "")


def test_a_configured_board_wins_and_a_calibration_for_another_is_named() -> None:
    said = {"preset": "home-28-inch"}
    assert board_in_use(said, PRESETS["home-28-inch"]) == (PRESETS["home-28-inch"], "")
    board, doubt = board_in_use(said, Board())
    assert board == PRESETS["home-28-inch"]
    assert "side_mm 711.2 and 740" in doubt
    assert "Fix:" in doubt
    assert "\n" not in doubt


def test_what_was_measured_wins_over_the_preset_and_what_is_written_wins_over_both() -> None:
    laws = PRESETS["international"]
    calibrated = replace(laws, outer_line_mm=(103.5, 108.5), pocket_radius_mm=23.0)
    measured = ("outer_line_mm", "pocket_radius_mm")
    assert board_in_use({"preset": "international"}, calibrated, measured) == (calibrated, "")
    board, doubt = board_in_use({"outer_line_mm": [101.5, 106.5]}, calibrated, measured)
    assert board == replace(laws, pocket_radius_mm=23.0)
    assert "outer_line_mm 101.5 to 106.5 and 103.5 to 108.5" in doubt


def test_what_was_measured_on_a_surface_of_another_size_is_not_used() -> None:
    calibrated = replace(PRESETS["international"], outer_line_mm=(103.5, 108.5))
    board, doubt = board_in_use({"preset": "home-28-inch"}, calibrated, ("outer_line_mm",))
    assert board == PRESETS["home-28-inch"]
    assert doubt


def test_what_was_measured_gives_way_to_what_is_written_where_they_cannot_be_together() -> None:
    calibrated = replace(PRESETS["international"], inner_line_mm=(110.0, 111.5))
    board, doubt = board_in_use({"outer_line_mm": [106.0, 111.0]}, calibrated, ("inner_line_mm",))
    assert board.outer_line_mm == (106.0, 111.0)
    assert board.inner_line_mm == PRESETS["international"].inner_line_mm
    assert doubt


@pytest.mark.parametrize("x", [-300.0, -0.1, 0.0, 12.5])
@pytest.mark.parametrize("y", [-80.0, 0.0, 365.0])
def test_the_nearest_pocket_is_the_one_of_four_that_is_least_far(x: float, y: float) -> None:
    pocket, far = Board().nearest_pocket(x, y)
    away = {name: hypot(x - east, y - north) for name, (east, north) in Board().pockets_mm.items()}
    assert (far, away[pocket]) == (min(away.values()),) * 2
