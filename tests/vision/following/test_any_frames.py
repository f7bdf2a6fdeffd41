"""Any pictures in any order give observations, never an exception; what is said stays possible."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.observation import BoardSeen, SeenPiece, StrokeSeen
from controller.vision.finding.find import Finding
from controller.vision.following.eyes import Eyes, at_once
from controller.vision.following.follower import Follower
from controller.vision.sources.frame import Frame
from tests.vision.following.simulated import Episode, drawn, model_of

pytestmark = pytest.mark.slow
KINDS = ("white", "black", "queen", "striker", "unknown")


@cache
def taken() -> tuple[Episode, list[Frame]]:
    episode, pictures = drawn("pale", 11, 1)
    return episode, list(pictures[::2])


def wild(rng: np.random.Generator, count: int) -> Iterator[Frame]:
    """Pictures of a stroke in leaps, and in between what no camera should send; times run on, stop or leap back."""
    _, good = taken()
    height, width = good[0].luma.shape
    t, at = 0, 0
    for number in range(count):
        t += int(rng.choice([33, 33, 33, 33, 200, 3000, 0, -50])) * 1_000_000
        at = int(rng.integers(len(good))) if rng.random() < 0.15 else (at + 1) % len(good)
        kind = rng.random()
        if kind < 0.85:
            yield Frame(t, number, jpeg=good[at].jpeg, exposure_ns=8_000_000)
        elif kind < 0.9:
            yield Frame(t, number, luma=np.full((height, width), int(rng.integers(256)), np.uint8))
        elif kind < 0.95:
            yield Frame(t, number, luma=cv2.flip(good[at].luma, -1), row_ns=20_000.0)
        else:
            yield Frame(t, number, luma=rng.integers(0, 256, (height, width), np.uint8))


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_nothing_breaks_it(seed: int) -> None:
    rng = np.random.default_rng(seed)

    def guess(*_: object) -> Finding:
        if rng.random() < 0.2:
            raise ValueError("too dark")
        return Finding(
            tuple(
                SeenPiece(str(rng.choice(KINDS)), *rng.uniform(-380, 380, 2), 0.5, float(rng.random()))  # type: ignore[arg-type]
                for _ in range(int(rng.integers(0, 26)))
            )
        )

    model = model_of(taken()[0].camera.view)
    follower = Follower(Eyes(model, at_once(guess), part=at_once(guess), empty=taken()[1][0].luma, board=DEFAULT_BOARD))
    said = []
    for number, frame in enumerate(wild(rng, 150)):
        said += follower.step(frame)
        if number % 60 == 59:
            follower.forget()
    said += follower.finish()
    assert said
    for one in said:
        boards = [one] if isinstance(one, BoardSeen) else [one.before, one.after] if isinstance(one, StrokeSeen) else []
        for board in boards:
            assert all(0.0 <= piece.confidence <= 1.0 for piece in board.pieces)
            for piece in board.pieces:
                assert not piece.odds or sum(weight for _, weight in piece.odds) == pytest.approx(1.0, abs=0.01)
