"""What each grade of camera says of the same stroke: what it may not say is not said, or said to be unsure."""

from __future__ import annotations

import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.observation import BoardSeen, SeenPiece, StrokeSeen
from controller.events.words import Grade
from controller.shots.contacts import contacts_of
from controller.shots.facts import StrokeContext
from controller.shots.limits import Limits
from controller.vision.following.grade import grade_of
from controller.vision.following.motion_window import MotionWindow, Placement
from controller.vision.following.stroke import stroke_of
from controller.vision.following.tracks import Measurement, PieceTrack

FPS60, FPS30 = 16_666_667, 33_333_333
PLACED = SeenPiece("striker", 0.0, -252.6, 0.6)
WHITE = SeenPiece("white", -34.0, 0.0, 0.6)
BLACK = SeenPiece("black", 34.0, 30.0, 0.6)


@pytest.mark.parametrize(
    ("frame_ns", "px_per_mm", "shutter", "allows", "grade"),
    [
        (FPS60, 1.3, "global", "match", "match"),
        (FPS60, 1.3, "rolling", "match", "club"),
        (FPS60, 1.2, "global", "match", "club"),
        (FPS60, 0.69, "global", "match", "basic"),
        (FPS30, 1.3, "global", "match", "basic"),
        # Without lens, empty or opening picture the calibration allows no more, whatever the camera.
        (FPS60, 1.3, "global", "club", "club"),
        (FPS60, 1.3, "global", "basic", "basic"),
        (FPS30, 1.3, "global", "club", "basic"),
    ],
)
def test_the_worst_of_camera_and_calibration_counts(
    frame_ns: int, px_per_mm: float, shutter: str, allows: Grade, grade: Grade
) -> None:
    assert grade_of(frame_ns, px_per_mm, shutter, allows) == grade  # type: ignore[arg-type]


def hit(number: int, start: SeenPiece, aside: float) -> PieceTrack:
    """A piece that was grazed between the sixth and the seventh picture and runs off sideways."""
    marks = [Measurement((6 + k) * FPS60, start.x_mm + aside * 9.4 * k, start.y_mm + 3.4 * k) for k in range(1, 7)]
    return PieceTrack(number, start.piece, 15.5, start, 6 * FPS60, marks=marks, life="still")


def stroke(grade: Grade, rough_mm: float = 0.0) -> StrokeSeen:
    """The striker runs north at 2.4 m/s and grazes a white and, three quarters of a picture later, a black."""
    striker = PieceTrack(1, "striker", 20.65, PLACED, 0, life="still")
    striker.marks = [Measurement(k * FPS60, 0.0, -252.6 + 40.0 * k) for k in range(1, 13)]
    tracks = (striker, hit(2, WHITE, -1.0), hit(3, BLACK, 1.0))
    ends = tuple(SeenPiece(track.piece, *track.last[1:], 0.6) for track in tracks)
    made = stroke_of(
        MotionWindow(
            before=BoardSeen(0, 0, (PLACED, WHITE, BLACK)),
            after=BoardSeen(12 * FPS60, 12 * FPS60, ends),
            tracks=tracks,
            began_ns=0,
            ended_ns=12 * FPS60,
            published_ns=12 * FPS60,
            grade=grade,
            frame_ns=FPS60,
            placements={1: Placement(0, PLACED, 200.0)},
            rough_mm=rough_mm,
        ),
        DEFAULT_BOARD,
    )
    assert made is not None
    assert made.struck is not None
    return made


@pytest.mark.parametrize(
    ("grade", "touches_seen", "order_said"),
    [("match", True, True), ("club", True, False), ("basic", False, False)],
)
def test_touches_closer_than_a_grade_can_tell_apart_have_no_certain_order(
    grade: Grade, touches_seen: bool, order_said: bool
) -> None:
    said = stroke(grade)
    assert said.grade == grade
    assert said.touches_seen == touches_seen
    assert {touch.touched for touch in said.touches} == {"white", "black"}
    first, second = said.touches
    assert 0.5 * FPS60 < second.t_ns - first.t_ns < FPS60
    assert all(touch.certain == order_said for touch in said.touches)
    # Contacts that are not seen by the grade are not ruled on.
    assert (contacts_of(StrokeContext(DEFAULT_BOARD, said, "south", Limits())).value is not None) == touches_seen
