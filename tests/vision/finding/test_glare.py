"""Light that saturates the picture hides what lies in it, not what it surrounds, nor what one colour still shows."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from controller.vision.finding import find
from controller.vision.looks import Pixels
from tests.vision.finding.conftest import Calibrated

pytestmark = pytest.mark.slow

HALF_MM = DEFAULT_BOARD.half_mm


def saturated(fast: Calibrated, mm: list[tuple[float, float]], but: list[tuple[float, float]]) -> Pixels:
    """The opening picture, saturated within one polygon of the board and not within another."""
    model, picture = fast.made.calibration.model, fast.pictures.opening.copy()
    mask = np.zeros(picture.shape[:2], np.uint8)
    for points, value in ((mm, 1), (but, 0)):
        if points:
            cv2.fillPoly(mask, [np.rint(model.project_plane(np.array(points))).astype(np.int32)], value)
    picture[mask > 0] = 255
    return picture


def square(half_mm: float, x: float = 0.0, y: float = 0.0) -> list[tuple[float, float]]:
    return [(x + half_mm * a, y + half_mm * b) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]


@pytest.mark.parametrize(
    ("outer_mm", "inner_mm", "seen"),
    [(HALF_MM + 40.0, HALF_MM + 1.0, 19), (200.0, 150.0, 19), (200.0, 40.0, 0)],
    ids=["a pale frame in the sun", "a ring about the arrangement", "glare up to the middle"],
)
def test_what_glare_surrounds_is_seen_where_enough_of_the_board_shows(
    fast: Calibrated, outer_mm: float, inner_mm: float, seen: int
) -> None:
    calibration = fast.made.calibration
    picture = saturated(fast, square(outer_mm), square(inner_mm))
    found = find(picture, calibration.model, calibration.looks, DEFAULT_BOARD)
    assert found.hidden
    assert sum(piece.visible > 0.9 for piece in found.pieces) == seen


@pytest.mark.parametrize("burnt", ["green", "green and red", "green and blue"])
def test_a_green_board_is_not_glare(fast: Calibrated, burnt: str) -> None:
    """Where green alone is saturated the other colours show what lies there."""
    calibration, at = fast.made.calibration, (180.0, -120.0)
    mask = (saturated(fast, square(60.0, *at), []) != fast.pictures.opening).any(2)
    picture = fast.pictures.opening.copy()
    for channel, name in enumerate(("blue", "green", "red")):
        picture[mask, channel] = 255 if name in burnt else 120
    found = find(picture, calibration.model, calibration.looks, DEFAULT_BOARD)
    glare = [one for one in found.hidden if one not in [thing.outline for thing in found.foreign]]
    assert bool(glare) is (burnt != "green")
