"""What the striker met first, from tracks written by hand: pieces whose beginning was not followed cleanly."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.observation import BoardSeen, SeenPiece, StrikerSeen
from controller.vision.following.motion_window import MotionWindow
from controller.vision.following.touches import missed_one, touches_of
from controller.vision.following.tracks import Association, Measurement, PieceTrack

FRAME_NS = 16_666_667
MS = 1_000_000
STRUCK = StrikerSeen(SeenPiece("striker", 10.0, 252.0, 0.5), 60.0, 356 * MS, MS, 244.0, 4000.0, 450.0, 15.0, 1)


def ran(number: int, piece: str, start: tuple[float, float] | None, marks: Sequence[tuple[float, float, float]]):
    """A piece that was followed: where it lay, then `(ms, x, y)` a picture."""
    seen = None if start is None else SeenPiece(piece, *start, 0.5)
    radius = DEFAULT_BOARD.radius_mm(piece)
    seen_at = [Measurement(round(ms * MS), x, y) for ms, x, y in marks]
    track = PieceTrack(number, piece, radius, seen, seen_at[0].t_ns - FRAME_NS, marks=seen_at)
    return Association(seen, None, track, piece, 1.0, number=number)


def told(striker: Association, others: Sequence[Association]):
    """The touches, and whether one was missed."""
    board = BoardSeen(0, 0, ())
    items = [striker, *others]
    tracks = tuple(item.track for item in items if item.track is not None)
    window = MotionWindow(board, board, tracks, 300 * MS, 800 * MS, 900 * MS, "match", FRAME_NS, {})
    touches = touches_of(striker, items, STRUCK, window, DEFAULT_BOARD)
    return touches, missed_one(striker, items, touches, window, DEFAULT_BOARD)


def times(first_ms: float, *places: tuple[float, float]):
    return [(first_ms + k * FRAME_NS / MS, x, y) for k, (x, y) in enumerate(places)]


INTO_THE_CORNER = times(
    383.0, (-34, 147), (-64, 86), (-98, 18), (-126, -42), (-153, -107), (-188, -163), (-221, -230), (-245, -291),
    (-261, -345), (-262, -314), (-275, -278), (-280, -234), (-291, -192), (-297, -150), (-303, -108),
)  # fmt: skip
"""A fast striker that meets a coin by the corner, then the cushion beside it."""
OUT_OF_THE_CORNER = times(516.3, (-326, -327), (-324, -352), (-298, -351), (-264, -340), (-232, -329), (-199, -320))
"""The coin, which has been to the corner's cushions and back before its marks lie on one run."""


def test_a_piece_is_met_before_the_first_picture_in_which_it_has_moved() -> None:
    coin = ran(2, "black", (-294.0, -318.0), OUT_OF_THE_CORNER)
    touches, missed = told(ran(1, "striker", None, INTO_THE_CORNER), [coin])
    assert [touch.touched for touch in touches][:2] == ["black", "cushion"]
    assert touches[0].t_ns <= round(516.3 * MS)
    assert not missed


@pytest.mark.parametrize("coins", [1, 0], ids=["met", "unseen"])
def test_a_bend_in_the_open_without_a_touch_is_one_that_was_missed(coins: int) -> None:
    """It turns by some 45 degrees in the middle of the board, then runs on to a white far off."""
    way = [(0.0, 200.0 - 30 * k) for k in range(8)] + [(-21.0 * k, -10.0 - 21.0 * k) for k in range(1, 8)]
    off = times(383.0 + 7.5 * FRAME_NS / MS, (35.0, -45.0), (48.0, -58.0), (60.0, -70.0))
    met = ran(2, "black", (25.6, -35.6), off)
    hit_ms = 383.0 + 14.5 * FRAME_NS / MS
    other = ran(3, "white", (-170.0, -182.0), times(hit_ms, (-190.0, -202.0), (-205.0, -217.0), (-220.0, -232.0)))
    touches, missed = told(ran(1, "striker", None, times(383.0, *way)), [met, other][1 - coins :])
    assert [touch.touched for touch in touches] == (["black", "white"] if coins else ["white"])
    assert missed is (coins == 0)


def test_a_piece_that_was_not_seen_for_a_while_was_met_where_the_path_first_led_over_it() -> None:
    """A black at a corner is grazed, lost for five pictures, and met again by the striker off the cushion."""
    run = [(188 + 36.0 * k, 234 + 12.0 * k) for k in range(-3, 4)] + [(326, 278), (349, 280), (330, 279)]
    run += [(330 - 20.0 * k, 279 - 6.5 * k) for k in range(1, 9)]
    first_ms = 383.0
    lost_ms, seen_ms = (first_ms + k * FRAME_NS / MS for k in (6, 12))
    black = ran(2, "black", (312.2, 309.1), times(seen_ms, (297, 329), (284, 331), (270, 334), (255, 339)))
    assert black.track is not None
    black.track.began_ns = round(lost_ms * MS)
    touches, _ = told(ran(1, "striker", None, times(first_ms, *run)), [black])
    assert [touch.touched for touch in touches] == ["black", "cushion"]
    assert all(touch.certain for touch in touches)
    black.track.began_ns = round((seen_ms - FRAME_NS / MS) * MS)
    touches, _ = told(ran(1, "striker", None, times(first_ms, *run)), [black])
    assert [touch.touched for touch in touches] == ["cushion", "black"], "it lay there until a picture before"


@pytest.mark.parametrize(
    ("at", "missed"), [((25.0, -36.0), False), ((8.0, -78.0), True)], ids=["beside it", "beside another"]
)
def test_a_path_that_turns_elsewhere_than_beside_the_piece_reported_met_another(
    at: tuple[float, float], missed: bool
) -> None:
    """It turns beside a coin; one behind that sets off as well, which the striker did not come near."""
    way = [(0.0, 200.0 - 30 * k) for k in range(8)] + [(-21.0 * k, -10.0 + 8.0 * k) for k in range(1, 8)]
    off = times(383.0 + 8.2 * FRAME_NS / MS, *((at[0] + 13 * k, at[1] - 13 * k) for k in (1, 2, 3)))
    touches, found = told(ran(1, "striker", None, times(383.0, *way)), [ran(2, "black", at, off)])
    assert [touch.touched for touch in touches] == ["black"]
    assert found is missed


@pytest.mark.parametrize(("early_ms", "missed"), [(100.0, True), (-40.0, False)])
def test_what_moved_before_the_piece_met_first_was_met_by_something(early_ms: float, missed: bool) -> None:
    way = [(0.0, 200.0 - 30 * k) for k in range(12)]
    hit_ms = 383.0 + 9 * FRAME_NS / MS
    met = ran(2, "black", (0.0, -108.0), times(hit_ms, (0.0, -118.0), (0.0, -138.0), (0.0, -158.0)))
    far = ran(3, "white", (200.0, 0.0), times(hit_ms - early_ms, (206.0, 0.0), (212.0, 0.0), (218.0, 0.0)))
    touches, found = told(ran(1, "striker", None, times(383.0, *way)), [met, far])
    assert [touch.touched for touch in touches] == ["black"]
    assert found is missed


@pytest.mark.parametrize(
    ("at", "missed"),
    [((38.0, 20.0), True), ((44.0, 20.0), False), ((38.0, -120.0), False)],
    ids=["grazed", "passed", "behind the piece met first"],
)
def test_a_piece_that_the_path_led_over_and_that_has_moved_since_may_have_been_met_first(
    at: tuple[float, float], missed: bool
) -> None:
    """A graze moves it too little to be seen at once; what moved it later is not known."""
    way = [(0.0, 200.0 - 30 * k) for k in range(12)]
    hit_ms = 383.0 + 9 * FRAME_NS / MS
    met = ran(2, "black", (0.0, -108.0), times(hit_ms, (0.0, -118.0), (0.0, -138.0), (0.0, -158.0)))
    x, y = at
    late = ran(3, "white", at, times(hit_ms + 100.0, (x + 6.0, y), (x + 12.0, y), (x + 18.0, y)))
    touches, found = told(ran(1, "striker", None, times(383.0, *way)), [met, late])
    assert [touch.touched for touch in touches] == ["black"]
    assert found is missed
