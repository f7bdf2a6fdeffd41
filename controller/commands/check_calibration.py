"""The calibration's part of `carrom check`: whether there is one, how good it is, and what others may use of it."""

from __future__ import annotations

from collections.abc import Iterator

from calibration.measures import board_in_use
from controller.commands.findings import Finding
from controller.config import CameraSection, Config
from controller.events.errors import CarromError
from controller.events.words import Grade
from controller.vision.calibration_file import Calibration, load
from controller.vision.following.grade import grade_of
from controller.vision.learning.own_names import other_nets


def probe_calibration(config: Config) -> Iterator[Finding]:
    """Yields one line about the calibration. Raises ConfigError for a file that is none."""
    file = config.camera.calibration
    if not file.is_file():
        yield Finding("calibration", "fail", f"{file}: there is no calibration. Fix: make one with carrom calibrate")
        return
    calibration = load(file)
    figures = ", ".join(f"{name} {value:.2f}" for name, value in calibration.residuals.items())
    _, doubt = board_in_use(config.board.said(), calibration.board, calibration.measured)
    if doubt:
        yield Finding("board", "fail", f"{file}: {doubt}")
    if says := other_nets(calibration.looks):
        yield Finding("calibration", "warn", f"{file}: {says}")
    yield Finding("calibration", "ok", f"{file}: grade {calibration.grade}{'; ' + figures if figures else ''}")


def usable(config: Config) -> Calibration | None:
    """Returns the table's calibration, None where there is none to use: why is printed once, by its own line."""
    if config.camera.kind == "none" or not config.camera.calibration.is_file():
        return None
    try:
        return load(config.camera.calibration)
    except CarromError:
        return None


def grade_with(calibration: Calibration, camera: CameraSection, fps: float) -> Grade:
    """Returns the grade that this camera gives at so many pictures a second."""
    return grade_of(round(1e9 / fps), calibration.model.px_per_mm, camera.shutter, calibration.grade)
