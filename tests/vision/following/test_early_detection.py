"""The board is looked at before its rest is complete; what moves on in between is looked at again."""

from __future__ import annotations

from functools import cache
from math import hypot

import pytest

from calibration.board import DEFAULT_BOARD
from calibration.camera import CameraModel
from controller.events.observation import Observation, StrokeSeen
from controller.simulator.camera import Camera
from controller.simulator.looks import LOOKS
from controller.simulator.motion import Pose
from controller.simulator.scene import Reel
from controller.vision.finding.find import Finding
from controller.vision.following.eyes import Eyes, at_once
from controller.vision.following.follower import Follower
from controller.vision.following.registration import Registration
from controller.vision.following.session import CREEP_MM, REST_NS, SAME_MM
from controller.vision.sources.frame import Frame
from tests.vision.following.simulated import Episode, model_of, true_finder

pytestmark = pytest.mark.slow

BLACK = 12
SET_OFF_S, STOPS_S = 0.8, 1.3
LOOK = LOOKS["pale-club"]
CLOCK_NS = 59_000_000_000


@cache
def played(pause_s: float, creeps_s: float) -> tuple[Episode, list[tuple[int, bytes]]]:
    """A coin slides 50 mm and stops, after `pause_s` slides on as far; or creeps on, 2 mm a second, for `creeps_s`.

    Returns the pictures with their times: the same ones are looked at by several tests.
    """

    def pose(t_s: float) -> Pose:
        first = min(max(t_s - SET_OFF_S, 0.0), STOPS_S - SET_OFF_S)
        then = min(max(t_s - STOPS_S - pause_s, 0.0), 0.5) if pause_s else 0.0
        crept = min(max(t_s - STOPS_S, 0.0), creeps_s)
        return Pose(60.0 + 100.0 * (first + then) + 2.0 * crept, 40.0, 0.0, 0.0)

    reel = Reel()
    reel.lie(BLACK, -1.0, Pose(60.0, 40.0, 0.0, 0.0))
    reel.lie(BLACK + 1, -1.0, Pose(-120.0, 90.0, 0.0, 0.0))
    reel.follow(BLACK, SET_OFF_S, pose)
    episode = Episode(LOOK, reel, Camera(LOOK, 3), [], 3.0)
    pictures = []
    for number in range(round(episode.end_s * LOOK.rig.fps)):
        t_s = number / LOOK.rig.fps
        shot = episode.camera.take(reel, t_s)
        episode.seen[round(t_s * 1e9)] = shot.pieces
        pictures.append((round(t_s * 1e9), shot.jpeg(LOOK.rig.jpeg)))
    return episode, pictures


def seen(
    pause_s: float = 0.0, creeps_s: float = 0.0, *, clock_ns: int = 0, content: bool = True
) -> tuple[list[Observation], list[int], list[int]]:
    """Follows what was played. The camera's clock begins at `clock_ns`. `content`: the markings lie as they did.

    Returns what was said, in which pictures pieces were looked for, and in which the camera's place was measured; all
    on a clock that began at 0.
    """
    episode, pictures = played(pause_s, creeps_s)
    find, asked, checked = true_finder(episode, noise_mm=0.01, every_ns=CLOCK_NS), [], []

    def noted(frame: Frame, model: object = None) -> Finding:
        asked.append(frame.t_ns % CLOCK_NS)
        return find(frame)

    def hangs(frame: Frame, model: CameraModel, sight: Finding) -> Registration:
        checked.append(frame.t_ns % CLOCK_NS)
        return Registration("kept" if content else "doubtful", model, 0.1)

    follower = Follower(Eyes(model_of(episode.camera.view), at_once(noted), check=at_once(hangs), board=DEFAULT_BOARD))
    said: list[Observation] = []
    for number, (t_ns, jpeg) in enumerate(pictures):
        said += follower.step(Frame(clock_ns + t_ns, number, jpeg=jpeg, exposure_ns=8_000_000))
    return said, asked, checked


def test_the_answer_is_there_when_the_rest_is_complete() -> None:
    said, asked, _ = seen()
    (stroke,) = [item for item in said if isinstance(item, StrokeSeen)]
    assert stroke.t_ns - stroke.ended_ns >= REST_NS
    looks = [t_ns for t_ns in asked if SET_OFF_S * 1e9 < t_ns <= stroke.t_ns]
    assert len(looks) == 1
    assert stroke.t_ns - looks[0] > 0.3 * REST_NS, "asked in time for an answer"


def test_so_is_that_to_where_the_camera_hangs_when_it_is_time_to_measure_that() -> None:
    """It was not measured since the clock began: a minute ago when the coin stops, less while nothing goes on."""
    said, asked, checked = seen(clock_ns=CLOCK_NS)
    (stroke,) = [item for item in said if isinstance(item, StrokeSeen)]
    said_ns = stroke.t_ns - CLOCK_NS
    (check,) = [t_ns for t_ns in checked if SET_OFF_S * 1e9 < t_ns <= said_ns]
    assert [t_ns for t_ns in asked if SET_OFF_S * 1e9 < t_ns <= said_ns] == [check]
    assert said_ns - check > 0.3 * REST_NS, "asked in time for an answer"


def test_a_doubt_about_the_camera_is_not_looked_past() -> None:
    said, _, checked = seen(content=False)
    (stroke,) = [item for item in said if isinstance(item, StrokeSeen)]
    assert any(SET_OFF_S * 1e9 < t_ns <= stroke.t_ns for t_ns in checked)


def test_what_moves_on_is_looked_at_again_where_it_lies() -> None:
    said, asked, _ = seen(pause_s=0.2)
    (stroke,) = [item for item in said if isinstance(item, StrokeSeen)]
    (track,) = stroke.tracks
    assert track.end is not None
    assert hypot(track.end.x_mm - 160.0, track.end.y_mm - 40.0) < 1.5
    again_s = STOPS_S + 0.2
    assert stroke.ended_ns > again_s * 1e9
    assert any(again_s * 1e9 < t_ns <= stroke.t_ns for t_ns in asked)


@pytest.mark.long
@pytest.mark.parametrize(("creeps_s", "looks"), [(0.18, 1), (0.4, 2)], ids=["lay by then", "crept on"])
def test_what_crept_is_looked_at_again_only_if_it_crept_on_after_it_was_looked_at(creeps_s: float, looks: int) -> None:
    said, asked, _ = seen(creeps_s=creeps_s)
    (stroke,) = [item for item in said if isinstance(item, StrokeSeen)]
    assert stroke.ended_ns >= 1e9 * (STOPS_S + creeps_s - CREEP_MM / 2.0) - 1e6, "it crept by 0.3 mm after that"
    assert len([t_ns for t_ns in asked if SET_OFF_S * 1e9 < t_ns <= stroke.t_ns]) == looks
    (track,) = stroke.tracks
    assert track.end is not None
    assert track.end.x_mm == pytest.approx(110.0 + 2.0 * creeps_s, abs=SAME_MM + 0.05)
