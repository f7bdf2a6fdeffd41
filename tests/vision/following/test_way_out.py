"""How a piece that lies nowhere went: by where it was seen last, and by the hands beside it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.observation import BoardSeen, SeenPiece
from controller.events.words import Piece
from controller.vision.following.hands import HandTrace
from controller.vision.following.motion_window import MotionWindow
from controller.vision.following.stroke import stroke_of
from controller.vision.following.tracks import Association, Measurement, PieceTrack
from controller.vision.following.way_out import vanished_of
from tests.vision.following.hands import ALL_OVER

FRAME_NS = 16_666_667
POCKET_MM = DEFAULT_BOARD.pocket_centre_mm
EARLY = HandTrace(((-300_000_000, ALL_OVER.outlines_mm[0][1]),))


def window(hands: HandTrace) -> MotionWindow:
    board = BoardSeen(0, 0, ())
    return MotionWindow(board, board, (), 0, 60 * FRAME_NS, 60 * FRAME_NS, "match", FRAME_NS, {}, hands)


def lost(kind: Piece | None, *places: tuple[float, float], by_hand: bool = False) -> Association:
    """A piece that lay in the middle (None: that came into view) and was followed along some places."""
    lay = SeenPiece(kind, 0.0, 0.0, 0.5) if kind is not None else None
    marks = [Measurement(k * FRAME_NS, *at, by_hand) for k, at in enumerate(places, 1)]
    name: Piece = kind or "unknown"
    return Association(lay, None, PieceTrack(1, name, DEFAULT_BOARD.radius_mm(name), lay, 0, marks=marks), name)


def beside(away_mm: float) -> tuple[float, float]:
    """A place so far from the rim of the NE pocket, on the way from the middle."""
    at = POCKET_MM - (DEFAULT_BOARD.pocket_radius_mm + away_mm) / 2**0.5
    return (at, at)


@pytest.mark.parametrize("hands", [HandTrace(), ALL_OVER])
@pytest.mark.parametrize("towards", [True, False])
def test_a_coin_that_vanished_beside_a_pocket_fell_whatever_its_way_there_and_whoever_was_near(
    hands: HandTrace, towards: bool
) -> None:
    before = beside(120.0) if towards else beside(20.0)
    went = vanished_of(lost("white", before, beside(60.0)), window(hands), DEFAULT_BOARD)
    assert went is not None
    assert (went.how, went.near) == ("pocket", "NE")


@pytest.mark.parametrize(
    ("by_hand", "hands", "how"),
    [
        (False, HandTrace(), "unknown"),
        (True, HandTrace(), "hand"),
        (False, ALL_OVER, "hand"),
        (False, EARLY, "unknown"),
    ],
)
def test_one_lost_on_its_way_to_a_pocket_may_lie_anywhere(by_hand: bool, hands: HandTrace, how: str) -> None:
    item = lost("white", beside(300.0), beside(150.0), by_hand=by_hand)
    went = vanished_of(item, window(hands), DEFAULT_BOARD)
    assert went is not None
    assert (went.how, went.near, went.at) == (how, None, beside(150.0))


@pytest.mark.parametrize("kind", ["striker", None])
@pytest.mark.parametrize(
    ("away_mm", "hands", "how"),
    [
        (60.0, ALL_OVER, "hand"),
        (60.0, HandTrace(), "pocket"),
        (-5.0, ALL_OVER, "pocket"),
    ],
)
def test_beside_a_pocket_a_hand_takes_the_striker_and_what_it_brought(
    kind: Piece | None, away_mm: float, hands: HandTrace, how: str
) -> None:
    went = vanished_of(lost(kind, beside(200.0), beside(away_mm)), window(hands), DEFAULT_BOARD)
    assert went is not None
    assert went.how == how


@pytest.mark.parametrize("kind", ["white", "striker"])
def test_what_was_last_seen_over_the_frame_left_the_board_though_a_pocket_and_a_hand_are_near(kind: Piece) -> None:
    went = vanished_of(lost(kind, (300.0, 300.0), (330.0, 372.0)), window(ALL_OVER), DEFAULT_BOARD)
    assert went is not None
    assert went.how == "frame"


@pytest.mark.parametrize(("hands", "how"), [(HandTrace(), "unknown"), (ALL_OVER, "hand")])
@pytest.mark.parametrize("followed", [True, False])
def test_what_nobody_saw_go_went_with_a_hand_if_one_was_at_it(hands: HandTrace, how: str, followed: bool) -> None:
    item = lost("white")
    if not followed:
        item = Association(item.start, None, None, "white")
    went = vanished_of(item, window(hands), DEFAULT_BOARD)
    assert went is not None
    assert (went.how, went.at) == (how, (0.0, 0.0))
    # One whose track began set out when it was seen last; of another it is not known when it went.
    assert (went.t_ns, went.u_ns) == ((0, FRAME_NS) if followed else (30 * FRAME_NS, 30 * FRAME_NS))


def test_what_lies_on_the_board_went_nowhere() -> None:
    item = lost("white", beside(60.0))
    assert (
        vanished_of(Association(item.start, item.start, item.track, "white"), window(HandTrace()), DEFAULT_BOARD)
        is None
    )


@pytest.mark.parametrize(
    ("kind", "to", "hands", "told"),
    [
        ("unknown", beside(150.0), HandTrace(), False),
        ("unknown", beside(150.0), ALL_OVER, False),
        ("unknown", beside(-5.0), HandTrace(), True),
        ("unknown", (100.0, 380.0), HandTrace(), True),
        ("striker", beside(150.0), HandTrace(), True),
    ],
    ids=["lost", "in a hand", "fell", "over the frame", "the striker"],
)
def test_what_came_from_nowhere_and_went_nowhere_was_no_piece(
    kind: Piece, to: tuple[float, float], hands: HandTrace, told: bool
) -> None:
    marks = [Measurement(k * FRAME_NS, to[0] * k / 12, to[1] * k / 12) for k in range(1, 13)]
    track = PieceTrack(1, kind, DEFAULT_BOARD.radius_mm(kind), None, 0, marks=marks)
    said = stroke_of(replace(window(hands), tracks=(track,)), DEFAULT_BOARD)
    assert (said is not None and [one.track for one in said.tracks] == [1]) is told
