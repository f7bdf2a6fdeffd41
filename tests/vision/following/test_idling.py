"""Pictures of a quiet board wait; nothing that happens is missed or told otherwise because they did."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.errors import DeviceError
from controller.events.observation import Observation, StrokeSeen
from controller.vision.following.eyes import Eyes, at_once
from controller.vision.following.follower import MOST, Follower, Idling
from controller.vision.sources.frame import Frame
from tests.vision.following.simulated import Episode, drawn, model_of, true_finder

pytestmark = pytest.mark.slow

MS = 1_000_000


def test_only_a_quiet_board_lets_pictures_wait_and_not_for_long() -> None:
    idling = Idling()
    assert not idling.may_wait(Frame(33 * MS), 33 * MS)
    idling.seen(Frame(0), quiet=True)
    assert idling.may_wait(Frame(33 * MS), 33 * MS)
    assert not idling.may_wait(Frame(99 * MS), 33 * MS)
    idling.seen(Frame(0), quiet=False)
    assert not idling.may_wait(Frame(33 * MS), 33 * MS)


def test_no_more_wait_than_can_be_caught_up_with() -> None:
    idling = Idling()
    idling.seen(Frame(0), quiet=True)
    for number in range(1, 20):
        frame = Frame(number * MS)
        if idling.may_wait(frame, MS):
            idling.wait(frame, number)
    assert len(idling.taken()) == MOST
    assert idling.taken() == []


def follow(episode: Episode, taken: Sequence[Frame], *, patient: bool) -> tuple[list[Observation], int]:
    """What is said, and how many pictures were decoded."""
    follower = Follower(Eyes(model_of(episode.camera.view), at_once(true_finder(episode)), board=DEFAULT_BOARD))
    if not patient:
        follower._idling.may_wait = lambda frame, frame_ns: False  # type: ignore[method-assign]
    said = []
    looked = 0
    for frame in taken:
        again = Counting(frame)
        said += follower.step(again)
        looked += again.decoded
    return said + follower.finish(), looked


class Counting(Frame):
    """A frame that knows whether anybody looked at it at once."""

    __slots__ = ("decoded",)

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame.t_ns, frame.number, jpeg=frame.jpeg, exposure_ns=frame.exposure_ns)
        self.decoded = 0

    def reduced(self, by: int) -> np.ndarray | None:
        self.decoded = 1
        return super().reduced(by)


def test_a_stroke_is_told_the_same_with_half_the_quiet_pictures() -> None:
    episode, taken = drawn("pale", 11, 1)
    (patient, few), (hasty, all_) = (follow(episode, taken, patient=way) for way in (True, False))
    assert few < all_
    told, again = ([one for one in said if isinstance(one, StrokeSeen)] for said in (patient, hasty))
    assert len(told) == len(again) >= 1
    for one, other in zip(told, again, strict=True):
        assert (one.began_ns, one.ended_ns) == (other.began_ns, other.ended_ns)
        assert [(t.piece, t.vanished and t.vanished.near) for t in one.tracks] == [
            (t.piece, t.vanished and t.vanished.near) for t in other.tracks
        ]


def test_a_broken_picture_among_those_that_wait_costs_only_itself() -> None:
    episode, taken = drawn("pale", 11, 1)
    follower = Follower(Eyes(model_of(episode.camera.view), at_once(true_finder(episode)), board=DEFAULT_BOARD))
    said: list[Observation] = []
    for number, frame in enumerate(taken):
        broken = number % 7 == 3
        try:
            said += follower.step(Frame(frame.t_ns, frame.number, jpeg=b"no picture") if broken else frame)
        except DeviceError:
            assert broken
    said += follower.finish()
    (stroke,) = [one for one in said if isinstance(one, StrokeSeen) and one.struck is not None]
    assert {t.piece for t in stroke.tracks if t.vanished and t.vanished.how == "pocket"} == {
        fall.piece for fall in episode.played[0].motion.falls
    }
