"""The board is looked at before its rest is complete; what moves on in between is looked at again."""

from __future__ import annotations

from math import hypot

from controller.events.observation import Observation, StrokeSeen
from controller.simulator.camera import Camera
from controller.simulator.looks import LOOKS
from controller.simulator.motion import Pose
from controller.simulator.scene import Reel
from controller.vision.finding.find import Finding
from controller.vision.following.asking import at_once
from controller.vision.following.course import REST_NS
from controller.vision.following.follower import Follower
from controller.vision.following.under_way import Eyes
from controller.vision.sources.frame import Frame
from tests.vision.following.simulated import Episode, model_of, true_finder

BLACK = 12
SET_OFF_S, STOPS_S = 0.8, 1.3
LOOK = LOOKS["pale-club"]


def seen(pause_s: float = 0.0) -> tuple[list[Observation], list[int]]:
    """A coin slides 50 mm and stops, after `pause_s` slides on as far. Returns what was said, and which were asked."""

    def pose(t_s: float) -> Pose:
        first = min(max(t_s - SET_OFF_S, 0.0), STOPS_S - SET_OFF_S)
        then = min(max(t_s - STOPS_S - pause_s, 0.0), 0.5) if pause_s else 0.0
        return Pose(60.0 + 100.0 * (first + then), 40.0, 0.0, 0.0)

    reel = Reel()
    reel.lie(BLACK, -1.0, Pose(60.0, 40.0, 0.0, 0.0))
    reel.lie(BLACK + 1, -1.0, Pose(-120.0, 90.0, 0.0, 0.0))
    reel.follow(BLACK, SET_OFF_S, pose)
    episode = Episode(LOOK, reel, Camera(LOOK, 3), [], 3.0)
    find, asked = true_finder(episode), []

    def noted(frame: Frame, model: object = None) -> Finding:
        asked.append(frame.t_ns)
        return find(frame)

    follower = Follower(Eyes(model_of(episode.camera.view), at_once(noted)))
    said: list[Observation] = []
    for number in range(round(episode.end_s * LOOK.rig.fps)):
        t_s = number / LOOK.rig.fps
        shot = episode.camera.take(reel, t_s)
        episode.seen[round(t_s * 1e9)] = shot.pieces
        said += follower.step(Frame(round(t_s * 1e9), number, jpeg=shot.jpeg(LOOK.rig.jpeg), exposure_ns=8_000_000))
    return said, asked


def test_the_answer_is_there_when_the_rest_is_complete() -> None:
    said, asked = seen()
    (stroke,) = [item for item in said if isinstance(item, StrokeSeen)]
    assert stroke.t_ns - stroke.ended_ns >= REST_NS
    looks = [t_ns for t_ns in asked if SET_OFF_S * 1e9 < t_ns <= stroke.t_ns]
    assert len(looks) == 1
    assert stroke.t_ns - looks[0] > 0.3 * REST_NS, "asked in time for an answer"


def test_what_moves_on_is_looked_at_again_where_it_lies() -> None:
    said, asked = seen(pause_s=0.2)
    (stroke,) = [item for item in said if isinstance(item, StrokeSeen)]
    (track,) = stroke.tracks
    assert track.end is not None
    assert hypot(track.end.x_mm - 160.0, track.end.y_mm - 40.0) < 1.5
    again_s = STOPS_S + 0.2
    assert stroke.ended_ns > again_s * 1e9
    assert any(again_s * 1e9 < t_ns <= stroke.t_ns for t_ns in asked)
