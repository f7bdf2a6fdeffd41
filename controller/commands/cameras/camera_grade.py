"""Which mode of a camera reaches the best grade: for `carrom camera`, `carrom init`. Must not look at the machine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from controller.commands.cameras.camera_modes import Mode
from controller.events.words import GRADES, Grade
from controller.vision.following.grade import SLOWEST_NS, grade_of

MARGIN_MM = 15.0
"""Seen beyond the playing surface on each side: a coin at the cushion leans out of the picture by less."""

ENOUGH_FPS = 60.0
"""The grades want 55; more pictures only keep the processor busy."""


ENOUGH_PX_PER_MM = 1.0
"""Beyond it more resolution is worth less than a wider part of the sensor or fewer pixels to decode."""


def finest_px_per_mm(size_px: tuple[int, int], half_mm: float) -> float:
    """Returns px/mm from the least height that shows all of a board of this half side; no lens changes it."""
    return min(size_px) / (2.0 * (half_mm + MARGIN_MM))


def reached(mode: Mode, shutter: Literal["global", "rolling"], half_mm: float) -> Grade:
    """Returns the best grade that a camera in this mode can have."""
    return grade_of(round(1e9 / mode.fps), finest_px_per_mm((mode.width_px, mode.height_px), half_mm), shutter)


def best_mode(modes: Sequence[Mode], shutter: Literal["global", "rolling"], half_mm: float) -> Mode:
    """Returns the mode of the best grade.

    Of several it is the one that shows most of the board in a second, up to the rate of the grades and
    `ENOUGH_PX_PER_MM`. Then the one that sees most of the sensor, because
    the camera hangs lower; then the one with the least to decode.
    """

    def worth(mode: Mode) -> tuple[float, ...]:
        fine = finest_px_per_mm((mode.width_px, mode.height_px), half_mm)
        return (
            GRADES.index(reached(mode, shutter, half_mm)),
            min(mode.fps * SLOWEST_NS / 1e9, 1.0) * min(fine / ENOUGH_PX_PER_MM, 1.0) ** 2,
            math.prod(mode.part_px) if mode.crop_px else 0,
            -mode.width_px * mode.height_px,
            -mode.fps,
        )

    return max(modes, key=worth)


def rate_of(mode: Mode) -> float:
    """Returns the pictures a second to ask a sensor for that gives any rate up to its mode's."""
    return min(ENOUGH_FPS, math.floor(mode.fps)) if mode.fps >= 1 else mode.fps
