"""Recorded input through the same follower: every frame of a recording in, observations out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from calibration.board import DEFAULT_BOARD, Board
from calibration.camera import CameraModel
from controller.events.errors import ConfigError
from controller.events.observation import EyesHealth, Observation
from controller.vision.finding.find import Finding, find
from controller.vision.following.asking import Find, at_once, beside, one_thread
from controller.vision.following.follower import Follower
from controller.vision.following.registration import Registrar, Registration
from controller.vision.following.under_way import Eyes
from controller.vision.looks import Looks
from controller.vision.sources.frame import EndOfRecordingError, Frame, FrameSource


def finder(looks: Looks) -> Find:
    """Ties the finder to one set of pieces."""

    def sight(frame: Frame, model: CameraModel) -> Finding:
        return find(frame.luma, lambda: frame.bgr, model, looks)

    return sight


def follower_for(
    model: CameraModel,
    looks: Looks,
    board: Board = DEFAULT_BOARD,
    shutter: Literal["global", "rolling"] = "rolling",
    *,
    live: bool = False,
) -> Follower:
    """Builds the follower of one table. With `live` the finder works beside it, so that no frame waits."""
    find, registrar = finder(looks), Registrar(board, looks)

    def check(frame: Frame, model: CameraModel, sight: Finding) -> Registration:
        return registrar.check(frame.luma, model, sight)

    thread = one_thread() if live else None
    return Follower(
        Eyes(
            model,
            at_once(find) if thread is None else beside(find, thread),
            board,
            shutter,
            looks.coin_diameter_mm / 2.0,
            looks.striker_diameter_mm / 2.0,
            at_once(check) if thread is None else beside(check, thread),
        )
    )


def follow_recording(
    source: FrameSource,
    model: CameraModel,
    looks: Looks,
    board: Board = DEFAULT_BOARD,
    *,
    from_zero: bool = True,
) -> Iterator[Observation]:
    """Follows a recording from its first frame to its last; the last picture is taken as rest.

    With `from_zero` times count from the middle of the first frame's exposure. Raises DeviceError if the recording
    cannot be read, or holds pictures of another size than the camera model's.
    """
    follower = follower_for(model, looks, board)
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
            _check_size(frame, model)
            if first is None:
                first = frame.t_ns if from_zero else 0
            frame.t_ns -= first
            yield from follower.step(frame)
        for said in follower.finish():
            yield said if not isinstance(said, EyesHealth) else replace(said, camera="ok")
    finally:
        source.close()


def _check_size(frame: Frame, model: CameraModel) -> None:
    height, width = frame.luma.shape[:2]
    if (width, height) != model.size:
        raise ConfigError(
            f"frame {frame.number} is {width} x {height}, the calibration was made for {model.size[0]} x "
            f"{model.size[1]}. Mend: calibrate with pictures of this size"
        )
