"""The simulated table on boards of other measures: what is drawn, where pieces bounce and fall, where strikers lie."""

from __future__ import annotations

from dataclasses import replace
from math import hypot

import numpy as np
import pytest

from calibration.board import Board, seat_to_board
from controller.simulator.looks import LOOKS, on_board
from controller.simulator.marks import painted_wood
from controller.simulator.motion import Pose
from controller.simulator.physics import Disc, Material, run
from controller.simulator.pieces import STRIKER, is_free, is_legal_spot, opening, pieces_of, to_seat
from controller.simulator.players import Stroke, break_stroke, free_spots
from controller.simulator.strokes import prepare
from controller.simulator.truth import true_placement
from tests.boards import BOARDS

LOOK = LOOKS["pale-club"]


@pytest.fixture(params=list(BOARDS))
def board(request: pytest.FixtureRequest) -> Board:
    return BOARDS[request.param]


def test_they_differ_in_every_kind_of_measure() -> None:
    assert len({board.half_mm for board in BOARDS.values()}) >= 4
    for name in ("outer_line_mm", "inner_line_mm", "pocket_radius_mm", "base_circle_diameter_mm", "frame_width_mm"):
        assert len({getattr(board, name) for board in BOARDS.values()}) >= 4, name
    assert len({board.outer_circle_diameter_mm for board in BOARDS.values()}) >= 3


def test_the_marks_are_drawn_where_this_boards_measures_say(board: Board) -> None:
    half = int(board.half_mm)
    x, y = np.meshgrid(np.arange(-half, half + 1, dtype=np.float32), np.arange(-half, half + 1, dtype=np.float32))
    plain = LOOK.board.__class__(**{**{f: getattr(LOOK.board, f) for f in LOOK.board.__slots__}, "grain": 0.0})
    drawn = painted_wood(np.dstack((x, y)), plain, np.random.default_rng(1), 1.0, board).mean(2)

    def level(at: tuple[float, float]) -> float:
        return float(drawn[round(at[1]) + half, round(at[0]) + half])

    bare = float(np.median(drawn))
    for seat in ("south", "east", "north", "west"):
        for far, near in (board.outer_line_y_mm, board.inner_line_y_mm):
            assert level(seat_to_board(seat, 60.0, (far + near) / 2)) < 0.8 * bare
            assert level(seat_to_board(seat, 60.0, far + 4.0)) > 0.9 * bare
    for circle in board.base_circles_mm:
        assert level(circle) < 0.8 * bare
    assert level((0.0, board.outer_circle_diameter_mm / 2)) < 0.97 * bare


def test_a_coin_falls_where_the_pockets_mouth_is_and_nowhere_else(board: Board) -> None:
    radius = board.coin_diameter_mm / 2
    c = board.pocket_centre_mm
    for short_mm, falls in ((board.pocket_radius_mm - 1.0, True), (board.pocket_radius_mm + 1.0, False)):
        # It comes to rest that far from the pocket's centre, from the middle of the board.
        way, slow = 120.0, Material().slowing_mm_s2
        speed = (2 * slow * way) ** 0.5
        start = c - (short_mm + way) * 2**-0.5
        coin = Disc(1, "white", start, start, radius, 5.4)
        motion = run([coin], {1: (speed * 2**-0.5, speed * 2**-0.5, 0.0)}, board)
        assert bool(motion.falls) == falls
        assert all(fall.pocket == "NE" for fall in motion.falls)


def test_a_coin_bounces_off_this_boards_cushion(board: Board) -> None:
    radius = board.coin_diameter_mm / 2
    motion = run([Disc(1, "white", 0.0, 0.0, radius, 5.4)], {1: (1500.0, 0.0, 0.0)}, board)
    assert motion.hits[0].x_mm == pytest.approx(board.half_mm)


def test_players_place_the_striker_lawfully_and_unlawfully_by_this_boards_lines(board: Board) -> None:
    pieces, rng = pieces_of(board), np.random.default_rng(5)
    lying = opening(pieces, rng)
    radius = pieces.radius(STRIKER)
    for seat in ("south", "east"):
        spots = free_spots(seat, lying, pieces, rng)
        assert len(spots) >= 6
        assert all(is_legal_spot(seat, x, y, radius, board) for x, y in spots)
        # Along the line as far as its circles: the two ends are among them.
        along = sorted(to_seat(seat, x, y)[0] for x, y in spots)
        assert -along[0] == pytest.approx(board.base_circle_along_mm) == along[-1]
        for fault, fact, value in (("one_line", "lines", "one"), ("cut_circle", "circle", "partial")):
            stroke = Stroke(seat, spots[0], seat_to_board(seat, 0.0, -900.0))
            played = prepare(stroke, lying, pieces, Material(), np.random.default_rng(3), frozenset({fault}))
            assert fault in played.faults
            assert getattr(true_placement(seat, played.placed_mm, lying, pieces), fact) == value


def test_a_look_is_put_on_another_board_with_pieces_of_its_sizes(board: Board) -> None:
    look = on_board(LOOK, board)
    assert look.pieces.board is board
    assert look.pieces.coin_diameter_mm == board.coin_diameter_mm
    assert look.board is LOOK.board
    near = board.nearest_pocket(board.half_mm, board.half_mm)[1]
    assert near == pytest.approx(hypot(board.pocket_radius_mm, board.pocket_radius_mm))


def test_the_striker_of_a_second_break_is_not_put_upon_a_piece_that_lies_at_the_line(board: Board) -> None:
    pieces = replace(LOOK.pieces, board=board)
    rack = opening(pieces, np.random.default_rng(0))
    for seed in range(40):
        rng = np.random.default_rng(seed)
        x, y = seat_to_board("south", float(rng.uniform(-90, 90)), board.base_circle_from_centre_mm)
        lying = rack | {12: Pose(x, y, 0.0, 0.0)}
        at = break_stroke("south", lying, pieces, rng).at_mm
        assert is_free(*at, pieces.radius(STRIKER), lying, pieces)
