"""The foul lamp lights the board a little, and the camera must not take that for play: shown on simulated pictures."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import pytest

from controller.events.observation import BoardSeen, HandsSeen, MotionBegan, StrokeSeen
from controller.panel.orders import LampRule
from controller.vision.sources.frame import Frame
from tests.vision.following.simulated import frames, strokes
from tests.vision.following.test_strokes import follow

pytestmark = pytest.mark.long

LIT_FROM_S, SECONDS = 1.0, 5.0


def glow(height: int, width: int) -> np.ndarray:
    """A red lamp at one edge of the board: up to a tenth more red there, falling off across it."""
    fall_off = np.linspace(1.0, 0.15, width, dtype=np.float32)[None, :, None]
    return 1.0 + fall_off * np.array((0.02, 0.03, 0.10), np.float32) * np.ones((height, 1, 1), np.float32)


def lit_as_ruled(shown: Iterator[Frame]) -> Iterator[Frame]:
    """The pictures with the lamp as its rule has it: asked for at one second, on a board that lies still."""
    rule = LampRule(lit_ns=1_500_000_000)
    rule.still(True)
    asked = False
    for frame in shown:
        if frame.t_ns >= LIT_FROM_S * 1e9 and not asked:
            rule.light(frame.t_ns)
            asked = True
        rule.step(frame.t_ns)
        picture = frame.bgr
        if rule.lit:
            picture = np.clip(picture * glow(*picture.shape[:2]), 0, 255).astype(np.uint8)
        done, jpeg = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 92])
        assert done
        yield Frame(frame.t_ns, frame.number, jpeg=jpeg.tobytes(), exposure_ns=frame.exposure_ns)


@pytest.mark.slow
def test_the_lamp_going_on_and_off_is_neither_play_nor_a_hand() -> None:
    episode = strokes("pale", 6, 0)
    episode.end_s = SECONDS
    said = follow(episode, list(lit_as_ruled(frames(episode))))
    boards = [item for item in said if isinstance(item, BoardSeen)]
    assert not [item for item in said if isinstance(item, StrokeSeen | MotionBegan)]
    assert not [item for item in said if isinstance(item, HandsSeen) and item.hands]
    assert len({tuple(sorted(piece.piece for piece in board.pieces)) for board in boards}) == 1
    assert boards[-1].t_ns > 2.5e9, "the board was seen after the lamp had gone out"
