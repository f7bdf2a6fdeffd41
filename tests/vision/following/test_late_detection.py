"""A stroke that sets off while a slow computer still detects or explains what moved before is followed all the same."""

from __future__ import annotations

from functools import cache

import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.observation import StrikerSeen, StrokeSeen
from controller.simulator import hands
from controller.simulator.camera import Camera
from controller.simulator.looks import LOOKS
from controller.simulator.motion import Pose
from controller.simulator.physics import Material
from controller.simulator.players import Stroke, play_out
from controller.simulator.scene import Reel
from controller.vision.following.eyes import Eyes
from controller.vision.following.follower import Follower
from controller.vision.following.stroke import stroke_of
from controller.vision.sources.frame import Frame
from tests.bench.pictured import LateAnswers
from tests.vision.following.simulated import Episode, frames, model_of, true_finder

pytestmark = [pytest.mark.slow, pytest.mark.long]

MS = 1_000_000
RUNS_S, STRUCK_S = 1.3, 2.0


@cache
def episode_of() -> tuple[Episode, tuple[Frame, ...]]:
    """A stroke before which a coin that has no part in it ran 60 mm; that lies still 0.4 s before."""
    look, reel = LOOKS["pale-club"], Reel()
    before, after = Pose(180.0, 90.0, 0.0, 2.0), Pose(240.0, 90.0, 0.0, 2.0)
    lying = {5: Pose(100.0, -120.0, 0.0, 0.4), 12: Pose(-60.0, 40.0, 0.0, 1.1), 14: before}
    for name, pose in lying.items():
        reel.lie(name, -1.0, pose)
    stroke = Stroke("south", (-40.0, -252.6), (520.0, 490.0))
    motion = play_out(stroke, lying | {14: after}, look.pieces, Material(), seed=1)
    placed_s, _ = hands.bring_striker(reel, stroke, 0.2, 0.4)
    reel.lie(14, RUNS_S - 0.01, before)
    reel.follow(14, RUNS_S, lambda t: Pose(180.0 + 200.0 * (t - RUNS_S), 90.0, 0.0, 2.0))
    reel.lie(14, RUNS_S + 0.3, after)
    hands.flick(reel, stroke, motion, look.pieces, placed_s, STRUCK_S)
    episode = Episode(look, reel, Camera(look, 3), [], STRUCK_S + max(motion.end_s, motion.rest_s) + 0.5)
    return episode, tuple(frames(episode))


@cache
def stroke_seen(detected_ms: int, explained_ms: int = 0) -> tuple[StrokeSeen, StrikerSeen]:
    """The stroke as it is seen where each detection and explanation takes so long, on the pictures' own time."""
    episode, pictures = episode_of()
    detects, explains = LateAnswers(detected_ms * MS), LateAnswers(explained_ms * MS)
    follower = Follower(
        Eyes(
            model_of(episode.camera.view),
            detects.ask(true_finder(episode)),
            board=DEFAULT_BOARD,
            shutter="global",
            explain=explains.ask(stroke_of),
        )
    )
    film = explains.clocked(detects.clocked(iter(pictures)))
    seen = [one for frame in film for one in follower.step(frame)] + follower.finish()
    (stroke,) = [one for one in seen if isinstance(one, StrokeSeen) and one.struck is not None]
    assert stroke.struck is not None
    return stroke, stroke.struck


@pytest.mark.parametrize(("detected_ms", "explained_ms"), [(150, 0), (400, 0), (800, 0), (0, 400), (150, 600)])
def test_it_is_seen_from_where_it_lay_to_what_it_touched(detected_ms: int, explained_ms: int) -> None:
    (at_once, first), (late, struck) = stroke_seen(0), stroke_seen(detected_ms, explained_ms)
    assert first.placed is not None
    assert struck.placed is not None
    assert struck.placed.apart_mm(first.placed) < 1.0
    assert struck.first_motion_ns == pytest.approx(first.first_motion_ns, abs=2 * MS)
    assert [touch.touched for touch in late.touches] == [touch.touched for touch in at_once.touches] != []
    assert late.lost_frames == 0
