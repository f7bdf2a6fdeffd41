"""A table's follower, built of the finder and what it is calibrated with; and recordings through the same follower."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Literal, Protocol

import cv2
import numpy as np

from calibration.board import Board
from calibration.camera import CameraModel
from calibration.pose import moved_mm
from controller.events.errors import ConfigError
from controller.events.observation import EyesHealth, Observation, StrokeSeen
from controller.events.words import Grade
from controller.vision.finding.find import Finding, find
from controller.vision.following.eyes import A, Eyes, Q, Roi, at_once
from controller.vision.following.follower import Follower
from controller.vision.following.motion_window import MotionWindow
from controller.vision.following.registration import Registrar, Registration
from controller.vision.following.stroke import stroke_of
from controller.vision.looks import Looks
from controller.vision.picture_watch import PictureWatch
from controller.vision.sources.frame import EndOfRecordingError, Frame, FrameSource, other_size

SAME_VIEW_MM = 0.5
"""An empty picture taken with a camera that hung no farther off shows each place where it is now."""


def follower_for(
    model: CameraModel,
    looks: Looks,
    board: Board,
    shutter: Literal["global", "rolling"] = "rolling",
    *,
    live: bool = False,
    allows: Grade = "match",
) -> Follower:
    """Builds the follower of one table.

    With `live` detections and explanations are worked out beside it, so that no frame waits. `allows`: the best grade
    its calibration allows.
    """
    thread = ThreadPoolExecutor(1, thread_name_prefix="finder") if live else None

    def ask(work: Callable[Q, A]) -> Callable[Q, Future[A]]:
        return at_once(work) if thread is None else partial(thread.submit, work)

    return Follower(eyes_for(model, looks, board, shutter, ask, allows))


class Asking(Protocol):
    """Whoever has work done: turns it into a question that is answered some time."""

    def __call__(self, work: Callable[Q, A], /) -> Callable[Q, Future[A]]:
        """Wraps the work."""
        ...


def eyes_for(
    model: CameraModel,
    looks: Looks,
    board: Board,
    shutter: Literal["global", "rolling"] = "rolling",
    ask: Asking = at_once,
    allows: Grade = "match",
) -> Eyes:
    """What a table's follower is built on. `ask`: who detects and explains, and when."""
    registrar = Registrar(board, looks)

    def sight(frame: Frame, model: CameraModel) -> Finding:
        return find(frame.bgr, model, looks, board)

    def part(frame: Frame, model: CameraModel, roi: Roi) -> Finding:
        return find(frame.bgr, model, looks, board, roi=roi)

    def check(frame: Frame, model: CameraModel, sight: Finding) -> Registration:
        return registrar.check(frame.luma, model, sight)

    def explanation(window: MotionWindow, board: Board) -> StrokeSeen | None:
        return stroke_of(window, board)

    empty = None
    then = looks.empty_model
    if looks.empty is not None and then is not None and moved_mm(then, model, board.half_mm) < SAME_VIEW_MM:
        empty = np.asarray(cv2.cvtColor(looks.empty, cv2.COLOR_BGR2GRAY), np.uint8)
    return Eyes(
        model,
        ask(sight),
        # What was learnt of the pieces' sizes is surer than what the board's measures say of them.
        replace(board, coin_diameter_mm=looks.coin_diameter_mm, striker_diameter_mm=looks.striker_diameter_mm),
        shutter,
        ask(check),
        ask(part),
        empty,
        allows,
        ask(explanation),
    )


def follow_recording(
    source: FrameSource,
    model: CameraModel,
    looks: Looks,
    board: Board,
    *,
    allows: Grade = "match",
) -> Iterator[Observation]:
    """Follows a recording from its first frame to its last; the last picture is taken as rest.

    Times count from the middle of the first frame's exposure. Raises ConfigError if it begins with a
    picture of another size than the camera model's, DeviceError if it cannot be read or a later one has another size.
    """
    follower, watch = follower_for(model, looks, board, allows=allows), PictureWatch(live=False)
    source.open()
    first: int | None = None
    try:
        while True:
            try:
                frame = source.read(5.0)
            except EndOfRecordingError:
                break
            if frame is None:
                continue
            if first is None:
                _check_size(frame, model)
                first = frame.t_ns
            frame.t_ns -= first
            watch.take(frame)
            yield from (watch.seen(one) for one in follower.step(frame))
        for said in follower.finish():
            yield watch.seen(said) if not isinstance(said, EyesHealth) else replace(said, camera="ok")
    finally:
        source.close()


def _check_size(frame: Frame, model: CameraModel) -> None:
    height, width = frame.luma.shape[:2]
    if wrong := other_size((width, height), model.size):
        raise ConfigError(f"frame {frame.number}: {wrong}")
