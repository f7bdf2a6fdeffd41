"""A recording is followed at the cost of its pictures, and one of another size is said by its size."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from calibration.camera import CameraModel
from controller.commands.follower import follow_recording
from controller.events.errors import CarromError
from controller.simulator.camera import Camera
from controller.simulator.looks import LOOKS
from controller.simulator.stills import still
from controller.vision.looks import looks_of
from controller.vision.sources.frame import EndOfRecordingError, Frame
from tests.vision.following.simulated import model_of

pytestmark = pytest.mark.slow

FRAME_NS = 33_000_000


class Counted(Frame):
    """Counts how often it was decoded in grey and in full."""

    decoded = 0

    @property
    def luma(self) -> np.ndarray:
        Counted.decoded += self._luma is None
        return super().luma


class Pictures:
    """A recording of these pictures."""

    live = False

    def __init__(self, jpegs: Sequence[bytes]) -> None:
        self._frames = [Counted(n * FRAME_NS, n, jpeg=jpeg) for n, jpeg in enumerate(jpegs)]

    def open(self) -> None:
        pass

    def read(self, timeout_s: float) -> Frame | None:
        if not self._frames:
            raise EndOfRecordingError
        return self._frames.pop(0)

    def close(self) -> None:
        pass


def jpeg(picture: np.ndarray) -> bytes:
    done, data = cv2.imencode(".jpg", picture)
    assert done
    return data.tobytes()


@pytest.fixture(scope="module")
def seen() -> tuple[np.ndarray, CameraModel]:
    """A picture of the empty board, and the camera that took it."""
    camera = Camera(LOOKS["fast"], 3)
    return np.asarray(still(camera, {}).picture), model_of(camera.view)


def test_a_picture_is_not_decoded_for_its_size(seen) -> None:
    empty, model = seen
    Counted.decoded = 0
    list(follow_recording(Pictures([jpeg(empty)] * 30), model, looks_of(DEFAULT_BOARD), DEFAULT_BOARD))
    assert Counted.decoded <= 6, "the first, and what is looked at closely"


@pytest.mark.parametrize("first", [0, 1, 20])
def test_pictures_of_another_size_are_said_by_it(seen, first: int) -> None:
    empty, model = seen
    height, width = empty.shape[:2]
    turned = jpeg(np.rot90(empty))
    pictures = [jpeg(empty)] * first + [turned] * 20
    with pytest.raises(CarromError, match=f"pictures of {height} × {width}, calibrated with {width} × {height}. Fix:"):
        list(follow_recording(Pictures(pictures), model, looks_of(DEFAULT_BOARD), DEFAULT_BOARD))
