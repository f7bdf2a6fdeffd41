"""A coin that rattles in a pocket's jaws, stands on its edge there and falls back has not fallen: it is followed to
where it lies, or said to be unseen, and never told as pocketed."""

from __future__ import annotations

from functools import cache
from math import hypot

import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.observation import BoardSeen, Observation, StrokeSeen
from controller.simulator.camera import Camera
from controller.simulator.looks import LOOKS
from controller.simulator.motion import Pose
from controller.simulator.scene import Reel
from controller.vision.following.eyes import Eyes, at_once
from controller.vision.following.follower import Follower
from controller.vision.sources.frame import Frame
from tests.vision.following.simulated import Episode, model_of, true_finder

WHITE, BLACK = 5, 12
SET_OFF_S, JAWS_S, BACK_S, STILL_S = 0.6, 0.9, 1.4, 1.5
PATH_MM = 160.0
"""How far it runs straight into the jaws of NE."""
BACK_MM = 24.0
"""How far from there it comes to lie."""


def pose_at(t_s: float) -> Pose:
    """Where the coin is: on its way along the diagonal, on edge between the jaws, and falling back."""
    x, y = DEFAULT_BOARD.pockets_mm["NE"]
    near = DEFAULT_BOARD.pocket_radius_mm + 3.0
    if t_s < JAWS_S:
        near += PATH_MM * (JAWS_S - max(t_s, SET_OFF_S)) / (JAWS_S - SET_OFF_S)
    elif t_s < BACK_S:
        near += 3.0 * (1 if int((t_s - JAWS_S) / 0.07) % 2 else -1)
    else:
        near += BACK_MM * (min(t_s, STILL_S) - BACK_S) / (STILL_S - BACK_S)
    along = near / hypot(1.0, 1.0)
    return Pose(x - along, y - along, 0.0, 4.0 * t_s)


@cache
def seen(name: int) -> tuple[Observation, ...]:
    look, reel = LOOKS["pale"], Reel()
    reel.lie(name, -1.0, pose_at(0.0))
    reel.lie(name + 1, -1.0, Pose(-120.0, 90.0, 0.0, 0.0))
    reel.follow(name, SET_OFF_S, pose_at)
    reel.lie(name, STILL_S, pose_at(STILL_S))
    episode = Episode(look, reel, Camera(look, 3), [], 2.6)
    follower = Follower(Eyes(model_of(episode.camera.view), at_once(true_finder(episode)), board=DEFAULT_BOARD))
    said: list[Observation] = []
    for number in range(round(episode.end_s * look.rig.fps)):
        t_s = number / look.rig.fps
        on_edge = frozenset({name}) if JAWS_S <= t_s < BACK_S else frozenset()
        shot = episode.camera.take(reel, t_s, upright=on_edge)
        # A finder of lying pieces finds none that stands.
        episode.seen[round(t_s * 1e9)] = tuple(one for one in shot.pieces if not (on_edge and one.name == name))
        said += follower.step(Frame(round(t_s * 1e9), number, jpeg=shot.jpeg(look.rig.jpeg), exposure_ns=8_000_000))
    return (*said, *follower.finish())


@pytest.mark.long
@pytest.mark.parametrize("name", [WHITE, BLACK])
def test_a_coin_that_rattles_in_the_jaws_and_falls_back_lies_there(name: int) -> None:
    strokes = [one for one in seen(name) if isinstance(one, StrokeSeen)]
    assert not [track for one in strokes for track in one.tracks if track.vanished and track.vanished.how == "pocket"]
    lies = pose_at(STILL_S)
    last = [one for one in seen(name) if isinstance(one, BoardSeen)][-1]
    assert len(last.pieces) == 2
    assert min(hypot(one.x_mm - lies.x_mm, one.y_mm - lies.y_mm) for one in last.pieces) < 1.5


@pytest.mark.parametrize("name", [WHITE, BLACK])
def test_it_is_followed_from_where_it_lay_to_where_it_lies(name: int) -> None:
    tracks = [track for one in seen(name) if isinstance(one, StrokeSeen) for track in one.tracks]
    whole = [track for track in tracks if track.start is not None and track.end is not None]
    assert whole
    lay, lies = pose_at(0.0), pose_at(STILL_S)
    assert hypot(whole[0].start.x_mm - lay.x_mm, whole[0].start.y_mm - lay.y_mm) < 2.0
    assert hypot(whole[-1].end.x_mm - lies.x_mm, whole[-1].end.y_mm - lies.y_mm) < 2.0
