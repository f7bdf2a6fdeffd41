"""Which of several strikers that ran is reported as struck."""

from __future__ import annotations

from dataclasses import replace

import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.observation import BoardSeen, SeenPiece
from controller.vision.following.motion_window import MotionWindow, Placement
from controller.vision.following.striker import struck_item
from controller.vision.following.tracks import Association, Measurement, PieceTrack

FRAME_NS = 16_666_667
LINE, FIELD = (57.0, -250.0), (57.0, -20.0)


def ran(number: int, lay: tuple[float, float], first: int, *, lies: bool) -> Association:
    """A striker that lay there and ran north from a picture on, to lie on the board or not."""
    start = SeenPiece("striker", *lay, 0.5)
    marks = [Measurement((first + k) * FRAME_NS, lay[0], lay[1] + 15.0 * k) for k in range(12)]
    track = PieceTrack(number, "striker", 20.65, start, marks[0].t_ns, marks=marks)
    end = SeenPiece("striker", *marks[-1].at, 0.5) if lies else None
    return Association(start, end, track, "striker", number=number)


def struck(*items: Association, placed: int = 0) -> int:
    board = BoardSeen(0, 0, ())
    placements = {item.number: Placement(0, item.start, None) for item in items if item.number == placed and item.start}
    told = MotionWindow(board, board, (), 0, 60 * FRAME_NS, 60 * FRAME_NS, "match", FRAME_NS, placements)
    found = struck_item(items, told, DEFAULT_BOARD)
    assert found is not None
    return found.number


@pytest.mark.parametrize(
    ("one", "two", "number"),
    [
        (ran(1, FIELD, 2, lies=True), ran(2, LINE, 20, lies=False), 2),
        (ran(1, LINE, 2, lies=False), ran(2, LINE, 20, lies=True), 2),
        (ran(1, LINE, 2, lies=True), ran(2, LINE, 20, lies=True), 1),
    ],
)
def test_it_lay_by_a_line_rather_than_in_the_field_lies_there_still_rather_than_not_and_ran_first(
    one: Association, two: Association, number: int
) -> None:
    assert struck(one, two) == struck(two, one) == number


def test_what_was_followed_as_a_coin_is_it_only_if_it_was_seen_placed() -> None:
    coin, striker = replace(ran(1, LINE, 2, lies=True), piece="white"), ran(2, LINE, 20, lies=True)
    assert struck(coin, striker) == 2
    assert struck(coin, striker, placed=1) == 1
