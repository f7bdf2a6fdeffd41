"""A lamp that flickers deeper than following evens out is reported; light that changes otherwise is not."""

from __future__ import annotations

from collections.abc import Callable
from math import pi, sin

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.observation import EyesHealth
from controller.vision.following.background import LampWatch
from controller.vision.following.eyes import Eyes, at_once
from controller.vision.following.follower import FLICKERS, Follower
from controller.vision.sources.frame import Frame
from tests.vision.following.simulated import drawn, model_of, true_finder

pytestmark = pytest.mark.long

S = 1_000_000_000


@pytest.mark.parametrize(
    ("light", "flickers"),
    [
        (lambda t: 1.0 + 0.3 * sin(2 * pi * 2.3 * t), True),
        (lambda t: 0.6 if t % 0.5 < 0.1 else 1.0, True),
        (lambda t: 1.0 + 0.06 * sin(2 * pi * 2.3 * t), False),
        (lambda t: 1.0 - 0.08 * t, False),
        (lambda t: 0.5 if 2.0 < t < 3.0 else 1.0, False),
    ],
    ids=["a tube about to fail", "dips", "a ripple", "dusk", "somebody leans over the board"],
)
def test_only_a_deep_and_fast_change_is_a_flicker(light: Callable[[float], float], flickers: bool) -> None:
    watch = LampWatch()
    for number in range(5 * 30):
        watch.take(np.full((64, 64), 150 * light(number / 30), np.uint8), number * S // 30)
    assert watch.flickers(5 * S) is flickers


@pytest.mark.slow
def test_the_umpire_is_told_while_it_lasts() -> None:
    episode, pictures = drawn("pale-club", 11, 1)
    model = model_of(episode.camera.view)
    lies = true_finder(episode)(pictures[0], model)
    follower = Follower(Eyes(model, at_once(lambda _frame, _model: lies), board=DEFAULT_BOARD))
    step_ns = pictures[1].t_ns - pictures[0].t_ns
    told: list[tuple[float, bool]] = []
    for number in range(9 * S // step_ns):
        still = pictures[min(number, 20)].luma
        t_s = number * step_ns / S
        light = 1.0 + 0.35 * sin(2 * pi * 2.3 * t_s) if 1.0 < t_s < 5.0 else 1.0
        luma = cv2.convertScaleAbs(still, alpha=light)
        for said in follower.step(Frame(pictures[0].t_ns + number * step_ns, number, luma=luma)):
            if isinstance(said, EyesHealth):
                told.append((t_s, FLICKERS in said.warnings))
    assert not any(said for t_s, said in told if t_s < 1.0)
    assert [said for t_s, said in told if 2.5 < t_s < 5.0] == [True, True]
    assert not told[-1][1]
