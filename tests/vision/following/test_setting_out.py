"""How a striker set out and came back: pushed under a finger, and off a cushion that its path turns at softly."""

from __future__ import annotations

from dataclasses import replace

import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.observation import BoardSeen, SeenPiece, StrokeSeen
from controller.shots.played import with_striker
from controller.vision.following.hands import HandTrace
from controller.vision.following.motion_window import MotionWindow, Placement
from controller.vision.following.stroke import stroke_of
from controller.vision.following.tracks import Measurement, PieceTrack
from tests.vision.following.hands import ALL_OVER, STEP_NS, beyond

FRAME_NS = 16_666_667
PLACED = SeenPiece("striker", 0.0, 252.6, 0.5)


def played(
    marks: list[Measurement],
    *coins: tuple[SeenPiece, SeenPiece],
    stays_mm: float = -10.0,
    other_mm: float = -10.0,
    lay: bool = True,
) -> StrokeSeen:
    """A stroke of north's; `coins`: how they lay before and after, and nobody saw them run.

    The hand is seen 62 mm beyond the striker's place until that comes out, and so far as it `stays_mm` from then on;
    another hand was seen so far as `other_mm` all the time.

    `lay`: whether the striker was seen to lie placed.
    """

    def hand(t_ns: int) -> float:
        if t_ns < marks[0].t_ns - 150_000_000:
            return PLACED.y_mm - other_mm
        return PLACED.y_mm - max(other_mm, stays_mm, 62.0 if t_ns <= marks[0].t_ns + STEP_NS else stays_mm)

    _, x, y = marks[-1].t_ns, marks[-1].x_mm, marks[-1].y_mm
    end = SeenPiece("striker", x, y, 0.5)
    before = BoardSeen(0, 0, (PLACED,))
    striker = PieceTrack(1, "striker", 20.65, None, marks[0].t_ns - FRAME_NS, marks=marks)
    made = stroke_of(
        MotionWindow(
            before=replace(before, pieces=tuple(lay for lay, _ in coins)),
            after=BoardSeen(marks[-1].t_ns, marks[-1].t_ns, (end, *(lies for _, lies in coins))),
            tracks=(striker,),
            began_ns=marks[0].t_ns - FRAME_NS,
            ended_ns=marks[-1].t_ns,
            published_ns=marks[-1].t_ns,
            grade="club",
            frame_ns=FRAME_NS,
            placements={1: Placement(min(marks[0].t_ns - 3 * FRAME_NS, 5 * FRAME_NS), PLACED, None)} if lay else {},
            hand_trace=beyond(hand),
        ),
        DEFAULT_BOARD,
    )
    assert made is not None
    assert made.struck is not None
    return made


def straight(pictures_hidden: int, mm_each: float, first: int = 1) -> list[Measurement]:
    """Seen `first` times, hidden for so many pictures, then seen in each."""
    steps = [*range(11 - first, 11), *range(11 + pictures_hidden, 21 + pictures_hidden)]
    return [Measurement(k * FRAME_NS, 0.0, 252.6 - (k - 6) * mm_each) for k in steps]


@pytest.mark.parametrize("lay", [True, False])
def test_how_far_a_hand_came_with_a_striker_that_nobody_saw_lie_is_not_known(lay: bool) -> None:
    struck = played(straight(0, 14.0, 0), lay=lay).struck
    assert struck is not None
    assert (struck.hand_follow_mm is not None) is lay


@pytest.mark.parametrize(
    ("stays_mm", "other_mm", "pushed"),
    [(-10.0, -10.0, False), (30.0, -10.0, False), (50.0, -10.0, True), (50.0, 60.0, False)],
)
@pytest.mark.parametrize(
    ("first", "hidden", "mm_each"),
    [(0, 2, 25.0), (1, 8, 10.0), (3, 8, 10.0), (0, 5, 12.0)],
    ids=["fast", "hidden behind a finger", "seen thrice before", "hidden from the start"],
)
def test_a_striker_that_came_out_of_a_hand_far_along_its_way_was_pushed(
    first: int, hidden: int, mm_each: float, stays_mm: float, other_mm: float, pushed: bool
) -> None:
    struck = played(straight(hidden, mm_each, first), stays_mm=stays_mm, other_mm=other_mm).struck
    assert struck is not None
    assert (struck.hand_follow_mm > 45.0) is pushed


def test_what_came_off_the_cushion_behind_set_out_backward() -> None:
    """At 2.4 m/s: two pictures of it on its way to the cushion, ten on its way back and on over the board."""
    there = [Measurement(k * FRAME_NS, 0.5, 252.6 + (k - 6) * 40.0) for k in (7, 8)]
    back = [Measurement(k * FRAME_NS, -0.5, 332.0 - (k - 9) * 36.0) for k in range(9, 19)]
    found = played([*there, *back])
    assert [touch.touched for touch in found.touches] == ["cushion"]
    struck = found.struck
    assert struck is not None
    assert struck.heading_deg == pytest.approx(90.0, abs=5.0)


TIP = [Measurement(k * FRAME_NS, x, -224.4) for k, x in ((5, 45.4), (7, 53.6), (8, 57.8), (9, 62.9), (10, 77.7))]
JUMP = [Measurement(k * FRAME_NS, x, y) for k, x, y in ((5, -129.4, 286.0), (12, -108.3, -241.5))]
SHADOW = [
    Measurement(k * FRAME_NS, x, y)
    for k, x, y in ((5, 62.9, 131.4), (6, 64.8, 131.7), (7, 68.3, 134.4), (8, 68.9, 135))
]
"""What was followed for a striker that a hand took: the hand's tip, the last of it and then such a tip, a shadow."""

BACK = [
    Measurement(5 * FRAME_NS, 55.0, -220.0),
    *(Measurement(k * FRAME_NS, 52.0, -43.0 + 0.3 * (k % 2)) for k in range(15, 21)),
]
"""A fingertip that went by, and the spot where the striker had lain for long after."""

GLIMPSE = [Measurement(k * FRAME_NS, x, y) for k, x, y in ((5, 20.0, 150.0), (6, 19.0, 235.0), (7, 18.0, 322.0))]
"""An arm that leaves, followed for the striker it took away."""

OFF = [Measurement(k * FRAME_NS, 50.0, -160.0 + 8.0 * k) for k in range(5, 12)]
"""One seen for long, but from far off where it lay."""

NEAR = [replace(mark, y_mm=mark.y_mm - 250.0) for mark in GLIMPSE]
LEFT = [
    Measurement(5 * FRAME_NS, 198.0, 173.0),
    Measurement(7 * FRAME_NS, 123.0, 328.0, True),
    Measurement(8 * FRAME_NS, 117.0, 400.0),
]
RUN = [Measurement(k * FRAME_NS, 57.0, -240.0 + 15.0 * k) for k in range(1, 20)]
FIELD, LINE, BEHIND = (57.0, -26.0), (57.0, -250.0), (-130.0, 309.0)
UNSEEN = [(LINE, marks, end) for marks in (SHADOW, GLIMPSE, NEAR, RUN, OFF) for end in ("lost", "lies")]
"""What was seen to lie placed just before was played, unless it went in a hand."""


@pytest.mark.parametrize(
    ("lay", "marks", "end", "struck"),
    [
        (FIELD, TIP, "in a hand", False),
        (FIELD, JUMP, "lost", False),
        (FIELD, LEFT, "lost", False),
        (FIELD, SHADOW, "lost", False),
        (LINE, SHADOW, "lost", False),
        (BEHIND, TIP, "in a hand", False),
        (FIELD, BACK, "lost", False),
        (FIELD, SHADOW, "lies", False),
        (LINE, SHADOW, "lies", True),
        (LINE, GLIMPSE, "in a hand", False),
        (LINE, GLIMPSE, "lost", False),
        (LINE, NEAR, "lost", False),
        (LINE, RUN, "in a hand", True),
        (LINE, OFF, "in a hand", False),
        (FIELD, OFF, "lost", False),
        (LINE, RUN, "lost", True),
        (FIELD, RUN, "lost", True),
        (FIELD, RUN, "lies", True),
    ],
)
@pytest.mark.parametrize("looked_back", [False, True])
def test_a_striker_that_was_taken_from_where_it_had_come_to_rest_was_not_struck(
    lay, marks, end, struck, looked_back
) -> None:
    """One that ran from a base line was, though it was last seen elsewhere: a hand had carried it there."""
    start, last = SeenPiece("striker", *lay, 0.5), marks[-1]
    lies = (SeenPiece("striker", last.x_mm, last.y_mm, 0.5),) if end == "lies" else ()
    track = PieceTrack(1, "striker", 20.65, start, 0, marks=list(marks), life="still" if lies else "gone")
    said = stroke_of(
        MotionWindow(
            before=BoardSeen(0, 0, (start,)),
            after=BoardSeen(last.t_ns, last.t_ns, lies),
            tracks=(track,),
            began_ns=0,
            ended_ns=last.t_ns,
            published_ns=last.t_ns,
            grade="basic",
            frame_ns=FRAME_NS,
            placements={1: Placement(0, start, None)} if looked_back and (lay, marks, end) not in UNSEEN else {},
            hand_trace=ALL_OVER if end == "in a hand" else HandTrace(),
        ),
        DEFAULT_BOARD,
    )
    assert said is not None
    assert (with_striker(said, DEFAULT_BOARD, ("south", "north")).struck is not None) is struck


AS_SEEN = (
    (0.0, 192.0),
    (0.9, 202.0),
    (1.8, 212.0),
    (2.7, 222.0),
    (3.6, 232.0),
    (4.4, 241.0),
    (5.2, 251.0),
    (6.0, 260.3),
    (10.2, 276.0),
    (9.1, 281.5),
    (10.5, 291.0),
    (12.1, 303.6),
    (14.4, 313.4),
    (16.7, 322.7),
    (17.1, 332.3),
    (18.3, 339.6),
    (19.2, 338.0),
    (20.3, 332.6),
    (21.9, 327.0),
    (22.1, 319.5),
    (22.4, 313.0),
    (22.5, 308.5),
    (22.6, 302.7),
    (23.1, 296.7),
    (23.9, 290.2),
    (23.3, 285.0),
    (23.4, 279.9),
    (27.4, 275.1),
    (30.7, 270.2),
    (29.7, 266.5),
    (29.2, 262.9),
    (28.9, 259.2),
)
"""The end of a striker's path as it was seen 60 times a second, trembling: it came off a cushion."""


@pytest.mark.parametrize(("short_mm", "touched"), [(0.0, True), (60.0, False)])
def test_a_trembling_path_that_turns_back_before_a_cushion_touched_it(short_mm: float, touched: bool) -> None:
    marks = [Measurement((k + 9) * FRAME_NS, x, short_mm - y) for k, (x, y) in enumerate(AS_SEEN)]
    cushions = [touch for touch in played(marks).touches if touch.touched == "cushion"]
    assert bool(cushions) is touched


@pytest.mark.parametrize("lay", [True, False], ids=["seen to lie", "not seen to lie"])
@pytest.mark.parametrize(
    ("from_mm", "known"), [(240.0, True), (322.0, False)], ids=["over its line", "off its cushion"]
)
def test_what_one_met_that_came_in_sight_behind_its_line_is_not_known(lay: bool, from_mm: float, known: bool) -> None:
    """One that was flicked backward under the hand comes out from the cushion, which nobody saw it touch."""
    marks = [Measurement((8 + k) * FRAME_NS, 5.0, from_mm - 12.0 * k) for k in range(12)]
    assert played(marks, lay=lay).touches_seen is (lay or known)
