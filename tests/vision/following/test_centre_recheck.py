"""A queen on the board's red middle, as bright as its paint: only a look tells whether she lies there."""

from __future__ import annotations

from dataclasses import replace
from math import hypot

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from calibration.camera import CameraModel
from controller.events.observation import BoardSeen, Observation, SeenPiece, StrokeSeen
from controller.simulator import hands
from controller.simulator.camera import Camera
from controller.simulator.looks import LOOKS
from controller.simulator.motion import Pose
from controller.simulator.pieces import names_of
from controller.simulator.scene import Reel
from controller.simulator.stills import still
from controller.vision.finding.find import Finding
from controller.vision.following.eyes import Answer, Eyes, Roi, at_once
from controller.vision.following.follower import Follower
from controller.vision.following.hands import Hands, no_hands
from controller.vision.following.rest_state import CentreRecheck
from controller.vision.following.tracks import Measurement, PieceTrack
from controller.vision.following.view import View, view_for
from controller.vision.sources.frame import Frame
from tests.vision.following.simulated import Episode, frames, model_of, true_finder

pytestmark = pytest.mark.slow
PALE = LOOKS["pale"]
LOOK = replace(
    PALE, coins=replace(PALE.coins, queen=PALE.board.discs, rings=0.0, grooves=(), petals=0, tone_spread=0.0)
)
"""Paint and queen as alike as they can be."""

QUEEN = next(name for name in LOOK.pieces.names if name >= 0 and LOOK.pieces.piece(name) == "queen")
OTHERS = {
    name: Pose(120.0 + 40.0 * i, -60.0, 0.0, 0.0)
    for i, name in enumerate(names_of(LOOK.pieces, "white", LOOK.pieces.names)[:3])
}


LIES = Pose(0.3, -0.2, 0.0, 0.0)


def watched(how: str, rois: list[Roi] | None = None) -> list[Observation]:
    """A hand puts the queen onto the middle or takes her from there, held where she shows or hidden in the fist.

    `rois`: takes the parts of the board that were looked at.
    """
    reel, camera = Reel(), Camera(LOOK, 3)
    for name, pose in {**OTHERS, **({QUEEN: LIES} if "taken" in how else {})}.items():
        reel.lie(name, -1.0, pose)
    if "fist" in how:
        hands.cover(reel, "south", (0.0, 10.0), 1.0, 1.6)
        if "taken" in how:
            reel.away(QUEEN, 1.3)
        elif "shows nothing" not in how:
            reel.lie(QUEEN, 1.3, LIES)
        end = 2.3
    elif "taken" in how:
        end = hands.take_away(reel, "south", QUEEN, (LIES.x_mm, LIES.y_mm), 0.6)
    else:
        end = hands.put_down(reel, "south", QUEEN, LIES, 0.6)
    episode = Episode(LOOK, reel, camera, [], end + 1.2)
    empty = cv2.cvtColor(still(camera, {}).picture, cv2.COLOR_BGR2GRAY)
    true = true_finder(episode)

    def find(frame: Frame, model: CameraModel | None = None) -> Finding:
        sight = true(frame, model)
        laid = "shows nothing" in how and frame.t_ns > 1.3e9
        return replace(sight, pieces=(*sight.pieces, SeenPiece("queen", 0.3, -0.2, 0.5))) if laid else sight

    finder = at_once(find)

    def part(frame: Frame, model: CameraModel, roi: Roi) -> Answer:
        if rois is not None:
            rois.append(roi)
        return finder(frame, model)

    follower = Follower(Eyes(model_of(camera.view), finder, part=part, empty=empty, board=DEFAULT_BOARD))
    said: list[Observation] = []
    for frame in frames(episode):
        said += follower.step(frame)
    return said + follower.finish()


def in_the_middle(board: BoardSeen) -> list[str]:
    return [piece.piece for piece in board.pieces if hypot(piece.x_mm, piece.y_mm) < 4.0]


@pytest.mark.long
@pytest.mark.parametrize("how", ["put back", "put back out of a fist", "put back out of a fist, and shows nothing"])
def test_a_queen_put_back_onto_the_middle_is_found(how: str) -> None:
    boards = [item for item in watched(how) if isinstance(item, BoardSeen)]
    assert in_the_middle(boards[0]) == []
    assert in_the_middle(boards[-1]) == ["queen"]
    assert len(boards[-1].pieces) == 4


@pytest.mark.long
def test_only_the_part_around_it_is_looked_at() -> None:
    rois: list[Roi] = []
    watched("put back out of a fist", rois)
    west, south, east, north = rois[-1]
    assert west < 0.0 < east
    assert south < 0.0 < north
    assert (east - west) * (north - south) < 150.0**2


@pytest.mark.parametrize("how", ["taken", "taken in a fist"])
def test_a_queen_taken_from_the_middle_lies_there_no_more(how: str) -> None:
    said = watched(how)
    boards = [item for item in said if isinstance(item, BoardSeen)]
    assert in_the_middle(boards[0]) == ["queen"]
    assert in_the_middle(boards[-1]) == []
    assert len(boards[-1].pieces) == 3
    assert not any(item.struck for item in said if isinstance(item, StrokeSeen))


# -- when it is looked at


@pytest.fixture(scope="module")
def view() -> View:
    return view_for(model_of(Camera(LOOK, 3).view), DEFAULT_BOARD)


def hand_at(view: View, x_mm: float, y_mm: float) -> Hands:
    mask = no_hands(view).mask.copy()
    u, v = (round(part) for part in view.px(x_mm, y_mm))
    cv2.circle(mask, (u, v), 8, 255, -1)
    return Hands(mask, (np.array([[u, v], [u + 1, v], [u, v + 1]]),))


def run(*marks: tuple[float, float]) -> PieceTrack:
    return PieceTrack(1, "white", 15.5, None, 0, marks=[Measurement(k, x, y) for k, (x, y) in enumerate(marks)])


@pytest.mark.parametrize(
    ("run_by", "asks"),
    [
        ([(150.0, 0.0)], False),
        ([(150.0, 0.0), (30.0, 0.0)], True),
        ([(150.0, 30.0), (-150.0, 30.0)], True),
        ([(150.0, 60.0), (-150.0, 60.0)], False),
        ([(150.0, 0.0), (90.0, 0.0)], False),
    ],
)
def test_a_piece_that_ran_by_may_have_met_what_lies_there(view, run_by, asks) -> None:
    middle = CentreRecheck()
    middle.notice(view, no_hands(view), [run(*run_by)])
    assert middle.asks(view, no_hands(view)) is asks


def test_under_a_hand_it_waits_until_it_can_be_seen(view) -> None:
    middle, none = CentreRecheck(), no_hands(view)
    middle.notice(view, hand_at(view, 200.0, 0.0), ())
    assert not middle.asks(view, none)
    over = hand_at(view, 0.0, 0.0)
    middle.notice(view, over, ())
    assert not middle.asks(view, over)
    middle.seen(view, over, None)
    middle.notice(view, none, ())
    assert middle.asks(view, none)


@pytest.mark.parametrize(("roi", "asks"), [(None, False), ((-40, -40, 60, 60), False), ((40, 40, 160, 160), True)])
def test_a_look_that_takes_it_in_is_enough(view, roi, asks) -> None:
    middle, none = CentreRecheck(), no_hands(view)
    middle.notice(view, hand_at(view, 0.0, 0.0), ())
    middle.seen(view, none, roi)
    assert middle.asks(view, none) is asks
