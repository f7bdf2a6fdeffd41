"""What still showed in a stroke's last picture, as where a recording is cut, did not fall."""

from __future__ import annotations

import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.observation import BoardSeen, SeenPiece, StrokeSeen
from controller.vision.following.hands import HandTrace
from controller.vision.following.motion_window import MotionWindow, Placement
from controller.vision.following.stroke import stroke_of
from controller.vision.following.tracks import Measurement, PieceTrack
from tests.vision.following.hands import ALL_OVER

FRAME_NS = 33_333_333
WHITE = SeenPiece("white", 100.0, 100.0, 0.5)
PLACED = SeenPiece("striker", -100.0, -252.0, 0.5)


def run(number: int, start: SeenPiece | None, kind: str, x: float, y: float, dx: float, dy: float) -> PieceTrack:
    marks = [Measurement((3 + k) * FRAME_NS, x + k * dx, y + k * dy) for k in range(6)]
    speed = (dx / FRAME_NS * 1e9, dy / FRAME_NS * 1e9)
    radius = 20.65 if kind == "striker" else 15.5
    return PieceTrack(number, kind, radius, start, 2 * FRAME_NS, marks=marks, vx=speed[0], vy=speed[1])  # type: ignore[arg-type]


def cut(in_sight: frozenset[int], *, hand: bool = True) -> StrokeSeen:
    """A stroke whose last picture shows a white and the striker running towards NE, and in which no look found them."""
    end = 8 * FRAME_NS
    striker = run(1, None, "unknown", -90.0, -200.0, 78.0, 90.0)
    white = run(2, WHITE, "white", 130.0, 130.0, 35.0, 35.0)
    made = stroke_of(
        MotionWindow(
            before=BoardSeen(0, 0, (WHITE,)),
            after=BoardSeen(end, end, ()),
            tracks=(striker, white),
            began_ns=2 * FRAME_NS,
            ended_ns=end,
            published_ns=end,
            grade="basic",
            frame_ns=FRAME_NS,
            placements={1: Placement(FRAME_NS, PLACED, None)} if hand else {},
            hand_trace=ALL_OVER if hand else HandTrace(),
            in_sight=in_sight,
        ),
        DEFAULT_BOARD,
    )
    assert made is not None
    return made


def test_what_still_shows_has_not_fallen() -> None:
    said = cut(frozenset({1, 2}))
    assert [track.vanished for track in said.tracks] == [None, None]
    ends = {track.piece: track.end for track in said.tracks}
    assert ends["white"] is not None
    assert ends["striker"] is not None
    assert (ends["white"].x_mm, ends["white"].y_mm) == (305.0, 305.0)
    assert {piece.piece for piece in said.after.pieces} == {"white", "striker"}


def test_what_shows_no_more_beside_a_pocket_has_fallen() -> None:
    said = cut(frozenset({1}), hand=False)
    (white,) = [track for track in said.tracks if track.piece == "white"]
    assert white.vanished is not None
    assert (white.vanished.how, white.vanished.near) == ("pocket", "NE")


@pytest.mark.parametrize(("x_mm", "stays"), [(330.0, False), (345.0, True)])
def test_a_coin_followed_to_where_the_striker_lies_is_not_there(x_mm: float, *, stays: bool) -> None:
    # Their centres are 36 mm apart where they touch; a track may be a few beside its piece, not half a piece.
    end = 8 * FRAME_NS
    made = stroke_of(
        MotionWindow(
            before=BoardSeen(0, 0, (WHITE,)),
            after=BoardSeen(end, end, (SeenPiece("striker", x_mm, 305.0, 0.5),)),
            tracks=(
                run(1, None, "unknown", x_mm - 390.0, -145.0, 78.0, 90.0),
                run(2, WHITE, "white", 130.0, 130.0, 35.0, 35.0),
            ),
            began_ns=2 * FRAME_NS,
            ended_ns=end,
            published_ns=end,
            grade="match",
            frame_ns=FRAME_NS,
            placements={1: Placement(FRAME_NS, PLACED, None)},
            in_sight=frozenset({2}),
        ),
        DEFAULT_BOARD,
    )
    assert made is not None
    assert ("white" in {piece.piece for piece in made.after.pieces}) is stays
