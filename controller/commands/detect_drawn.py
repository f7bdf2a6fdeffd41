"""What `carrom detect --draw` writes: the picture with the board's lines and what was found outlined in it."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from controller.vision.calibration_file import Calibration
from controller.vision.finding import Finding
from controller.vision.looks import Pixels
from controller.vision.overlay import board_lines, overlay

Colour = tuple[int, int, int]
"""Blue, green, red; those of the live view."""
LINES: Colour = (255, 209, 127)
PIECES: dict[str, Colour] = {
    "white": (207, 246, 255),
    "black": (138, 224, 65),
    "queen": (110, 75, 255),
    "striker": (63, 210, 255),
}
UNKNOWN: Colour = (255, 75, 208)
AREAS: dict[str, Colour] = {"hidden": (90, 90, 255), "hands": (64, 166, 255), "foreign": UNKNOWN}
SHIFT = 3
"""Bits of a pixel's fraction in OpenCV's drawing functions."""
WIDTH_PX = 900
"""A picture so wide gets lines of one pixel; a wider one lines as much thicker."""


def drawn(picture: Pixels, found: Finding, calibration: Calibration) -> Pixels:
    """Returns a copy of a picture (height × width × 3) with outlines; each piece has its name's first letter."""
    page = picture.copy()
    thick = max(1, round(page.shape[1] / WIDTH_PX))
    for paths in board_lines(calibration.model, calibration.board).values():
        for path in paths:
            _outline(page, path, LINES, thick, closed=False)
    seen = overlay(found, calibration)
    for kind, colour in AREAS.items():
        for path in seen[kind]:
            _outline(page, path, colour, thick)
    for piece in seen["pieces"]:
        colour = PIECES.get(piece["piece"], UNKNOWN)
        _outline(page, piece["outline"], colour, 2 * thick)
        middle = np.mean(piece["outline"], axis=0).round().astype(int)
        at = (int(middle[0]) - 4 * thick, int(middle[1]) + 4 * thick)
        for shade, width in (((0, 0, 0), 3 * thick), (colour, thick)):
            cv2.putText(page, piece["piece"][0], at, cv2.FONT_HERSHEY_SIMPLEX, 0.45 * thick, shade, width, cv2.LINE_AA)
    return page


def _outline(page: Pixels, path: Sequence[Sequence[float]], colour: Colour, thick: int, *, closed: bool = True) -> None:
    points = (np.array(path) * 2**SHIFT).round().astype(np.int32)
    cv2.polylines(page, [points], closed, colour, thick, cv2.LINE_AA, SHIFT)
