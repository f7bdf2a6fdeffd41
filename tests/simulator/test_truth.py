"""The true facts of a stroke: placement to the tenth of a millimetre, contacts, falls, heading, base lines crossed."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD, seat_to_board
from controller.events.words import Seat
from controller.simulator.motion import Motion, Pose
from controller.simulator.physics import Material
from controller.simulator.pieces import (
    is_legal_spot,
    on_arrow,
    opening,
    pieces_of,
    placement_circle,
    placement_lines,
)
from controller.simulator.players import Stroke, play_out
from controller.simulator.strokes import prepare
from controller.simulator.truth import true_placement, true_shot

PIECES = pieces_of(DEFAULT_BOARD)
R = 20.65
SEATS: tuple[Seat, ...] = ("south", "east", "north", "west")


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize(
    ("away", "lines"),
    [
        (252.6, "both"),
        (263.5 - R + 0.1, "both"),
        (263.5 - R - 0.1, "one"),
        (238.2 + R - 0.1, "both"),
        (238.2 + R + 0.1, "one"),
        (268.5 + R + 0.1, "none"),
    ],
)
def test_lines_touched(seat: Seat, away: float, lines: str) -> None:
    assert placement_lines(seat, *seat_to_board(seat, 30.0, away), R, DEFAULT_BOARD) == lines


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize(
    ("off", "circle"), [(0.0, "covered"), (4.7, "covered"), (4.8, "partial"), (36.5, "partial"), (36.6, "clear")]
)
def test_circles(seat: Seat, off: float, circle: str) -> None:
    assert placement_circle(*seat_to_board(seat, 219.1 - off, 252.6), R, DEFAULT_BOARD) == circle


def test_the_arrow_and_legal_spots() -> None:
    assert not on_arrow(219.1, -252.6, R, DEFAULT_BOARD)
    toward = 2.35 * 2**-0.5
    assert on_arrow(219.1 + toward, -252.6 + toward, R, DEFAULT_BOARD)
    assert is_legal_spot("south", 219.1, -252.6, R, DEFAULT_BOARD)
    assert not is_legal_spot("south", 200.0, -252.6, R, DEFAULT_BOARD)
    assert is_legal_spot("south", 100.0, -252.6, R, DEFAULT_BOARD)
    assert not is_legal_spot("north", 100.0, -252.6, R, DEFAULT_BOARD)


def test_touching_is_contact_and_nothing_more() -> None:
    near = {2: Pose(0.0, -252.6 + R + 15.5 + 0.02, 0.0, 0.0)}
    apart = {2: Pose(0.0, -252.6 + R + 15.5 + 0.3, 0.0, 0.0)}
    assert true_placement("south", (0.0, -252.6), near, PIECES).touching is True
    assert true_placement("south", (0.0, -252.6), apart, PIECES).touching is False


def shot_of(stroke: Stroke, lying: dict[int, Pose]) -> tuple[Motion, object]:
    motion = play_out(stroke, lying, PIECES, Material())
    return motion, true_shot(stroke.seat, motion, PIECES, stroke.at_mm, 12.0, 3.0)


def test_a_coin_pocketed_straight() -> None:
    lying = {2: Pose(300.0, 300.0, 0.0, 0.0), 12: Pose(-200.0, 0.0, 0.0, 0.0)}
    stroke = Stroke("south", (219.1, -252.6), (0.0, 0.0))
    dx, dy = 300 - 25.5 - 219.1, 300 - 25.5 + 252.6
    far = (dx * dx + dy * dy) ** 0.5
    motion, shot = shot_of(Stroke("south", stroke.at_mm, (dx / far * 1500, dy / far * 1500)), lying)
    assert [p.piece for p in shot.pocketed] == ["white"]
    assert shot.pocketed[0].pocket == "NE"
    assert shot.pocketed[0].t == pytest.approx(12.0 + motion.falls[0].t_s, abs=1e-3)
    assert shot.contacts[0].touched == "white"
    assert shot.contacts[0].at == (300.0, 300.0)
    assert shot.heading == "forward"
    assert shot.left_baseline is True
    assert shot.placement.circle == "covered"
    assert [(p.piece, p.x, p.y) for p in shot.rest] == [("black", -200.0, 0.0)]
    assert shot.crossed_baseline == 1


def test_a_back_shot_and_a_slip() -> None:
    _, back = shot_of(Stroke("north", (0.0, 252.6), (0.0, 700.0)), {})
    assert back.heading == "backward"
    assert back.contacts[0].touched == "cushion"
    _, slip = shot_of(Stroke("south", (0.0, -252.6), (0.0, 120.0)), {})
    assert slip.left_baseline is False
    assert slip.contacts == ()


def test_the_break_counts_what_crossed() -> None:
    import numpy as np

    lying = opening(PIECES, np.random.default_rng(0))
    _, soft = shot_of(Stroke("south", (0.0, -252.6), (0.0, 650.0)), lying)
    _, hard = shot_of(Stroke("south", (0.0, -252.6), (150.0, 3400.0)), lying)
    assert soft.crossed_baseline == 0
    assert hard.crossed_baseline >= 3
    assert len(soft.rest) == 19


@pytest.mark.parametrize(("aside_mm", "hands"), [(115.0, 1), (150.0, 2)])
def test_what_shoves_a_piece_far_beside_the_striker_is_the_other_hand(aside_mm: float, hands: int) -> None:
    stroke = Stroke("south", (-100.0, -252.6), (0.0, 900.0))
    lying = {5: Pose(-100.0 + aside_mm, -150.0, 0.0, 0.0)}
    rng = np.random.default_rng(1)
    played = prepare(stroke, lying, PIECES, Material(), rng, frozenset({"hand_touched_piece"}))
    assert played.flags == ("piece_moved_before", "two_hands")[:hands]
