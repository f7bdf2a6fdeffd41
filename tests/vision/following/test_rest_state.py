"""What was followed into the last picture lies there, but not where a hand had just been: it may have been the hand."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.observation import BoardSeen, SeenPiece, StrokeSeen
from controller.simulator import hands
from controller.simulator.camera import Camera
from controller.simulator.looks import LOOKS
from controller.simulator.motion import Pose
from controller.simulator.physics import Material
from controller.simulator.pieces import STRIKER
from controller.simulator.players import Stroke, play_out
from controller.simulator.scene import Reel
from controller.vision.finding.find import Finding
from controller.vision.following.eyes import Eyes, at_once
from controller.vision.following.follower import Follower
from controller.vision.following.motion import Rests
from controller.vision.following.rest_state import RestState
from controller.vision.following.tracks import Measurement, PieceTrack
from controller.vision.following.view import view_for
from controller.vision.sources.frame import Frame
from tests.posed import model_from_pose
from tests.vision.following.simulated import Episode, frames, model_of, true_finder

MIDDLE = np.array(((900.0, 0.0, 640.0), (0.0, 900.0, 360.0), (0.0, 0.0, 1.0)))
MODEL = model_from_pose(MIDDLE, np.zeros(5), np.zeros(3), np.array((0.0, 0.0, 1150.0)), (1280, 720))
MS = 1_000_000
SINCE_NS = 3_000 * MS
RESTS, RUNS, FREE = (60.0, -40.0), (95.0, 30.0), (-200.0, 120.0)
"""Where two tracks ended on a hand's way, one at rest, one still running; and one that ended far from it."""


def in_sight(hand_ms_before: int) -> frozenset[int]:
    """The tracks said to show in a plain picture, when a hand was last over the board so long before all lay still."""
    plain = np.full((720, 1280), 150, np.uint8)
    view = view_for(MODEL, DEFAULT_BOARD)
    small = view.shrink(Frame(0, luma=plain))
    standing = RestState(Eyes(MODEL, at_once(lambda *_: Finding(())), board=DEFAULT_BOARD), view, small)
    for number, at in ((1, RESTS), (2, FREE)):
        standing.tracker.resting.append(Rests(SeenPiece("striker", *at, 1.5), 20.65, number))
    marks = [Measurement(SINCE_NS + k * MS, *RUNS) for k in (0, 33)]
    standing.tracker.tracks.append(PieceTrack(3, "striker", 20.65, None, SINCE_NS, marks=marks))
    arm = np.zeros_like(small)
    corners = [view.px(x, y) for x, y in ((40.0, -460.0), (120.0, -460.0), (120.0, 60.0), (40.0, 60.0))]
    cv2.fillPoly(arm, [np.rint(corners).astype(np.int32)], 255)
    none = np.zeros_like(small)
    for t_ns, changed in ((SINCE_NS - hand_ms_before * MS, arm), (SINCE_NS, none)):
        seen = standing.hands.update(changed, view, (), t_ns, quiet=changed is none)
        assert seen.any is (changed is arm)
    return standing.ended_in_sight(small, SINCE_NS, ())


@pytest.mark.parametrize(
    ("hand_ms_before", "believed"), [(50, {2}), (450, {2}), (550, {1, 2, 3})], ids=["just now", "lately", "long ago"]
)
def test_what_was_followed_to_where_a_hand_had_just_been_is_not_believed(
    hand_ms_before: int, believed: set[int]
) -> None:
    assert in_sight(hand_ms_before) == believed


@pytest.mark.parametrize(("under_way", "remembered"), [(True, True), (False, False)])
def test_the_hand_that_struck_is_remembered_until_all_lies_still_however_long_that_takes(
    under_way: bool, remembered: bool
) -> None:
    plain = np.full((720, 1280), 150, np.uint8)
    view = view_for(MODEL, DEFAULT_BOARD)
    hands = RestState(
        Eyes(MODEL, at_once(lambda *_: Finding(())), board=DEFAULT_BOARD), view, view.shrink(Frame(0, luma=plain))
    ).hands
    arm = np.zeros_like(hands.none.mask)
    corners = [view.px(x, y) for x, y in ((40.0, -460.0), (120.0, -460.0), (120.0, 60.0), (40.0, 60.0))]
    cv2.fillPoly(arm, [np.rint(corners).astype(np.int32)], 255)
    assert hands.update(arm, view, (), SINCE_NS, quiet=False).any
    hands.under_way_ns = SINCE_NS if under_way else None
    for seconds in range(1, 6):
        hands.update(np.zeros_like(arm), view, (), SINCE_NS + seconds * 1_000 * MS, quiet=True)
    assert hands.trace.over(80.0, -100.0, 0, SINCE_NS + MS) is remembered


@pytest.mark.long
def test_a_striker_that_a_hand_took_as_it_came_to_rest_lies_there_no_more() -> None:
    # On a dark board the tip of the hand that goes away with it runs just as a striker would.
    look, reel, struck_s = LOOKS["lacquer-dark"], Reel(), 0.9
    lying = {5: Pose(200.0, 120.0, 0.0, 0.4), 12: Pose(-220.0, 100.0, 0.0, 1.0)}
    stroke = Stroke("south", (0.0, -252.6), (-30.0, 520.0))
    motion = play_out(stroke, lying, look.pieces, Material())
    for name, pose in lying.items():
        reel.lie(name, -1.0, pose)
    placed_s, _ = hands.bring_striker(reel, stroke, 0.1, 0.3)
    hands.flick(reel, stroke, motion, look.pieces, placed_s, struck_s)
    left = motion.sample(STRIKER, motion.rest_s)
    assert left is not None
    out_s = hands.take_away(reel, "north", STRIKER, (left.x_mm, left.y_mm), struck_s + motion.rest_s - 0.39)
    episode = Episode(look, reel, Camera(look, 3), [], out_s + 0.6)
    follower = Follower(Eyes(model_of(episode.camera.view), at_once(true_finder(episode)), board=DEFAULT_BOARD))
    said = [item for frame in frames(episode) for item in follower.step(frame)] + follower.finish()
    last = [item for item in said if isinstance(item, StrokeSeen)][-1]
    board = [item for item in said if isinstance(item, BoardSeen)][-1]
    for seen in (last.after, board):
        assert sorted(piece.piece for piece in seen.pieces) == ["black", "white"]
