"""Rulings on boards of other measures: where pieces are put back, where dues go, what lies behind a line."""

from __future__ import annotations

import json
from math import hypot

import pytest

from calibration.measures import board_of
from calibration.presets import PRESETS
from controller.commands.rule import rule_line
from controller.events.codec import ruling_to_json
from controller.rules import begin
from controller.rules.shelf import load_books

BOOKS = load_books()
START = {"event": "start", "book": "icf", "seats": {"south": "Asha", "north": "Ben"}, "first": "south"}


def ruled(events: list[dict], board: str = "international") -> dict:
    state, said = begin(BOOKS), {}
    for event in events:
        state, ruling = rule_line(state, json.dumps(event), "icf", board)
        said = ruling_to_json(ruling)
    return said


@pytest.mark.parametrize("preset", PRESETS)
def test_a_due_goes_between_this_boards_circles(preset: str) -> None:
    start = {**START, "position": {"left": {"white": 5, "black": 7}, "break_done": True, "turn": "south"}}
    said = ruled([start, {"event": "shot", "seat": "south", "pocketed": [{"piece": "striker"}]}], preset)
    board = PRESETS[preset]
    within = said["dues"][0]["within"]
    assert within["inner_mm"] == board.centre_circle_diameter_mm / 2
    assert within["outer_mm"] == board.outer_circle_diameter_mm / 2


@pytest.mark.parametrize("preset", PRESETS)
def test_a_piece_put_back_beside_others_touches_and_overlaps_none(preset: str) -> None:
    coin = PRESETS[preset].coin_diameter_mm
    start = {**START, "board": {"preset": preset}, "position": {"left": {"white": 5, "black": 7}, "break_done": True}}
    shot = {
        "event": "shot",
        "seat": "south",
        "off_board": ["black"],
        "rest": [{"piece": "white", "x": 10.0, "y": 0.0}, {"piece": "white", "x": -40.0, "y": 40.0}],
    }
    x, y = ruled([start, shot])["returned"][0]["to"]
    assert hypot(x - 10.0, y) == pytest.approx(coin, abs=0.02)


def test_behind_the_line_is_behind_this_boards_line() -> None:
    # 190 mm towards the player: behind the inner line of a 24-inch board, well before the laws' one.
    shot = {"event": "shot", "seat": "south", "contacts": [{"with": "white", "at": [0, -190]}]}
    fouls = {
        preset: ruled([{**START, "book": "campus"}, shot], preset)["fouls"]
        for preset in ("international", "home-24-inch")
    }
    assert not fouls["international"]
    assert fouls["home-24-inch"]


def test_the_starts_own_board_wins_over_the_option() -> None:
    own = {"preset": "home-26-inch", "outer_circle_mm": 150}
    start = {**START, "board": own, "position": {"left": {"white": 5, "black": 7}, "break_done": True}}
    said = ruled([start, {"event": "shot", "seat": "south", "pocketed": [{"piece": "striker"}]}], "home-24-inch")
    assert said["dues"][0]["within"]["inner_mm"] == board_of(own).centre_circle_diameter_mm / 2
    assert said["dues"][0]["within"]["outer_mm"] == 75.0


@pytest.mark.parametrize(
    "board", [{"preset": "none"}, {"side_mm": 74}, {"sides": 3}, {"outer_line_mm": [5, 2]}, [], "x"]
)
def test_a_start_on_no_real_board_is_refused_in_one_line(board: object) -> None:
    said = ruled([{**START, "board": board}])
    assert "board" in said["error"]
    assert "\n" not in said["error"]
