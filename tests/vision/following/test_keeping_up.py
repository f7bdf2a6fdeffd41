"""A computer that does not keep up with its camera: it says so, claims less, and nothing that it claims is wrong."""

from __future__ import annotations

from collections import Counter
from functools import cache
from math import hypot

import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.observation import EyesHealth, Observation, StrokeSeen
from controller.vision.following.eyes import Eyes, at_once
from controller.vision.following.follower import BEHIND, Follower
from tests.vision.following.simulated import drawn, model_of, true_finder

pytestmark = pytest.mark.slow


@cache
def followed(every: int, only_while_moving: bool = False) -> tuple[list[Observation], StrokeSeen]:
    """A stroke before a camera of 60 pictures a second of which the follower gets each `every`th."""
    episode, pictures = drawn("pale-club", 11, 1)
    began, ended = episode.played[0].struck_s - 0.3, episode.played[0].rest_s
    follower = Follower(
        Eyes(model_of(episode.camera.view), at_once(true_finder(episode)), board=DEFAULT_BOARD, shutter="global")
    )
    said: list[Observation] = []
    for frame in pictures:
        idle = only_while_moving and not began < frame.t_ns / 1e9 < ended
        if idle or frame.number % every == 0:
            said += follower.step(frame)
    said += [*follower.finish(), follower.health(pictures[-1].t_ns)]
    (stroke,) = [one for one in said if isinstance(one, StrokeSeen) and one.struck is not None]
    return said, stroke


def last_health(said: list[Observation]) -> EyesHealth:
    return [one for one in said if isinstance(one, EyesHealth)][-1]


@pytest.mark.long
def test_with_every_picture_nothing_is_said_of_it() -> None:
    said, stroke = followed(1)
    assert last_health(said).fps == pytest.approx(60.0, abs=1.0)
    assert (stroke.grade, stroke.touches_seen, stroke.lost_frames) == (last_health(said).grade, True, 0)
    assert stroke.grade != "basic"
    assert BEHIND not in last_health(said).warnings


@pytest.mark.parametrize("every", [2, 5])
def test_with_a_half_or_a_fifth_of_them_less_is_claimed(every: int) -> None:
    """Of every second picture none is missing for long: it is the rate that was reached which counts."""
    said, stroke = followed(every)
    health = last_health(said)
    assert health.fps == pytest.approx(60.0 / every, rel=0.1)
    assert health.grade == "basic"
    assert BEHIND in health.warnings
    assert (stroke.grade, stroke.touches_seen) == ("basic", False)
    assert stroke.lost_frames >= (every - 1) * (stroke.frames - 1)


def test_left_out_while_all_moves_it_counts_for_that_stroke() -> None:
    """PieceTrack at rest and not in the rush: what is said of the stroke goes by the stroke's own pictures."""
    _, stroke = followed(5, only_while_moving=True)
    assert (stroke.grade, stroke.touches_seen) == ("basic", False)


@pytest.mark.parametrize(("every", "only_while_moving"), [(2, False), (5, False), (5, True)])
def test_what_is_claimed_is_true(every: int, only_while_moving: bool) -> None:
    episode, _ = drawn("pale-club", 11, 1)
    _, whole = followed(1)
    _, stroke = followed(every, only_while_moving)
    fell = Counter(
        (track.piece, track.vanished.near)
        for track in stroke.tracks
        if track.vanished is not None and track.vanished.how == "pocket"
    )
    assert fell <= Counter((fall.piece, fall.pocket) for fall in episode.played[0].motion.falls)
    assert len(stroke.after.pieces) == len(whole.after.pieces)
    assert stroke.struck is not None
    assert whole.struck is not None
    assert abs(stroke.struck.first_motion_ns - whole.struck.first_motion_ns) <= (
        stroke.struck.u_first_motion_ns + whole.struck.u_first_motion_ns
    )
    assert whole.struck.placed is not None
    if stroke.struck.placed is not None:
        x, y = whole.struck.placed.x_mm, whole.struck.placed.y_mm
        apart = hypot(stroke.struck.placed.x_mm - x, stroke.struck.placed.y_mm - y)
        assert apart <= stroke.struck.placed.u95_mm + whole.struck.placed.u95_mm
