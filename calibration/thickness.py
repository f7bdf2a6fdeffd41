"""How thick the pieces are: the lens target lies on the bare board in one picture, and on pieces in another.

What is raised by its own thickness comes nearer to the camera and looks larger; how much larger tells the height, and
the true size of the print drops out. Outlines, wall strips and pieces at the cushions do not tell it to a millimetre.
Arrays in, millimetres out; must not know files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel, Floats
from calibration.target import Target, TargetError, board_corners, enough_corners

LEAST_CORNERS = 12
MOST_BENT_MM = 0.45
"""A sheet whose corners lie farther from a plane's than this (rms) is bent, tilted or another target."""

MOST_APART_MM = 150.0
"""Farther apart the lens's own error counts for more than it may."""

LENS_SHARE = 2e-4
"""By how much a fitted lens may be wrong in scale between two places of the board, one standard deviation."""


@dataclass(frozen=True)
class Raised:
    """By how much the target was raised, and one standard deviation of it, in mm."""

    height_mm: float
    u_mm: float


def raised_by(
    flat: Sequence[NDArray[np.uint8]], raised: Sequence[NDArray[np.uint8]], model: CameraModel, target: Target
) -> Raised:
    """Measures the height of what the target lies on, from pictures (h, w) uint8 of it flat on the board and raised.

    `model` is the calibrated camera. Raises TargetError where a picture does not show the target well enough, it is
    bent, or it was carried too far between the pictures.
    """
    low = [_laid(picture, model, target) for picture in flat]
    high = [_laid(picture, model, target) for picture in raised]
    apart = max(float(np.hypot(*(a.middle - b.middle))) for a in low for b in high)
    if apart > MOST_APART_MM:
        raise TargetError(f"the target was carried {apart:.0f} mm between the pictures; it should stay where it is")
    before = float(np.mean([sheet.scale for sheet in low]))
    after = float(np.mean([sheet.scale for sheet in high]))
    height = float(model.centre_mm[2])
    shares = [np.sqrt(sum(sheet.u_scale**2 for sheet in sheets)) / len(sheets) for sheets in (low, high)]
    u_mm = height * float(np.hypot(np.hypot(*shares), LENS_SHARE * apart / MOST_APART_MM))
    return Raised(height * (1.0 - before / after), u_mm)


@dataclass(frozen=True, eq=False)
class _Laid:
    """A sheet as it seems to lie on the surface: `scale` to its true size and its error, `middle` in mm."""

    scale: float
    u_scale: float
    middle: Floats


def _laid(picture: NDArray[np.uint8], model: CameraModel, target: Target) -> _Laid:
    numbers, places = enough_corners(picture, target, LEAST_CORNERS)
    true = board_corners(target)[numbers]
    seen = model.to_plane(places, 0.0)
    # The similarity that takes the print to the board; y runs down on the print and up on the board.
    here, there = true[:, 0] - 1j * true[:, 1], seen[:, 0] + 1j * seen[:, 1]
    a, b = here - here.mean(), there - there.mean()
    factor = (np.conj(a) * b).sum() / (np.abs(a) ** 2).sum()
    off = np.abs(b - factor * a)
    rms = float(np.sqrt((off**2).sum() / (2 * len(off) - 4)))
    if rms > MOST_BENT_MM:
        raise TargetError(f"the target's corners lie {rms:.2f} mm off a plane: is it bent, or does it rock?")
    u = rms / float(np.sqrt((np.abs(a) ** 2).sum()))
    return _Laid(float(np.abs(factor)), u, np.array((there.mean().real, there.mean().imag)))
