"""A shaken board: most pieces shift together, which no stroke does."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.observation import BoardSeen, SeenPiece, StrokeSeen
from controller.vision.following.motion_window import MotionWindow
from controller.vision.following.stroke import stroke_of

LYING = [(-200.0, 100.0), (-50.0, 220.0), (0.0, 0.0), (31.5, 0.0), (120.0, -80.0), (210.0, 150.0), (-120.0, -200.0)]


def board(places: list[tuple[float, float]], t_ns: int) -> BoardSeen:
    kinds = ("white", "black", "queen", "white", "black", "white", "black")
    pieces = (SeenPiece(kind, x, y, 0.4) for kind, (x, y) in zip(kinds, places, strict=True))  # type: ignore[arg-type]
    return BoardSeen(t_ns, t_ns, tuple(pieces))


def between(before: list[tuple[float, float]], after: list[tuple[float, float]]) -> StrokeSeen | None:
    first, last = board(before, 0), board(after, 10**9)
    return stroke_of(MotionWindow(first, last, (), 0, 10**9, 10**9, "match", 16_666_667, {}), DEFAULT_BOARD)


@pytest.mark.parametrize("shift", [(2.0, 0.0), (0.0, -5.0), (9.0, 6.0)])
def test_pieces_that_shift_together_were_shaken(shift: tuple[float, float]) -> None:
    rng = np.random.default_rng(1)
    after = [(x + shift[0] + rng.normal(0, 0.2), y + shift[1] + rng.normal(0, 0.2)) for x, y in LYING]
    seen = between(LYING, after)
    assert seen is not None
    assert seen.struck is None
    assert abs(seen.shake_mm - np.hypot(*shift)) < 0.5


def test_two_looks_at_a_still_board_say_nothing() -> None:
    rng = np.random.default_rng(2)
    after = [(x + rng.normal(0, 0.3), y + rng.normal(0, 0.3)) for x, y in LYING]
    assert between(LYING, after) is None
