"""Corners, where no paint is: held by cushions and pockets, or doubted."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from calibration.markings import markings_of, where_seen
from calibration.pose import LENS_GIVES, fit_pose, moved_mm
from calibration.target import Lens
from controller.vision.posing import Posed, pose_for
from tests.calibration.test_camera import _drawn, _model

pytestmark = pytest.mark.long

MODEL = _model()
SQUARE = np.array(((-1, 1), (1, 1), (1, -1), (-1, -1)), dtype=np.float64)


def lens(bent: float = 0.0, open_by: float = 1.0) -> Lens:
    """The lens by a target whose pictures leave it open, `bent` more than it is."""
    f = MODEL.K[0, 0]
    gives = open_by * LENS_GIVES * np.array((f, f, f, 1.0, 1.0, 1.0, 1.0))
    dist = MODEL.dist + np.array((bent, 0.0, 0.0, 0.0, 0.0))
    return Lens(MODEL.K, dist, MODEL.size, 0.1, 8, np.diag(gives**2))


def posed(luma: np.ndarray, by: Lens) -> tuple[Posed, list[str]]:
    says: list[str] = []
    picture = cv2.cvtColor(luma, cv2.COLOR_GRAY2BGR)
    corners = MODEL.project_plane(SQUARE * DEFAULT_BOARD.half_mm) + 2.0
    return pose_for(picture, by, DEFAULT_BOARD, "bottom", corners, says, lambda line: None, measuring=True), says


def inside(half_mm: float) -> np.ndarray:
    """Which points of the picture lie in a square about the middle of the board."""
    mask = np.zeros(MODEL.size[::-1], dtype=np.uint8)
    cv2.fillPoly(mask, [np.rint(MODEL.project_plane(SQUARE * half_mm)).astype(np.int32)], 1)
    return mask > 0


def test_cushions_hold_the_corners_where_the_lens_is_known_badly() -> None:
    found, says = posed(_drawn(MODEL), lens(0.1, 10.0))
    # By the paint alone, within this lens, they lie 8 mm off.
    assert moved_mm(MODEL, found.model, DEFAULT_BOARD.half_mm) < 0.6
    assert found.fit is not None
    assert moved_mm(MODEL, found.model, DEFAULT_BOARD.half_mm) < 2.0 * found.fit.u_mm < 1.0
    assert not found.unsure, says
    assert not found.board_doubt, says


def test_corners_that_neither_paint_nor_cushions_tell_of_are_doubted() -> None:
    # The wood goes on where cushions and frame were.
    found, says = posed(np.where(inside(345.0), _drawn(MODEL), np.uint8(190)), lens(0.0, 20.0))
    assert found.unsure
    assert any("corners may lie" in line and "Fix: " in line for line in says)


def test_lines_that_all_lie_nearer_by_one_ratio_are_doubted() -> None:
    nearer = MODEL.posed(MODEL.R, MODEL.t * (1.0, 1.0, 1.006))
    found, says = posed(np.where(inside(340.0), _drawn(nearer), _drawn(MODEL)), lens())
    assert found.measured is not None
    assert found.measured.one_ratio == pytest.approx(-0.006, abs=0.001)
    assert " too near: the side is another than 740 mm" in found.board_doubt
    assert found.board_doubt in says


def test_cushions_that_no_camera_puts_beside_the_paint_are_doubted() -> None:
    bent = replace(MODEL, dist=MODEL.dist + np.array((0.05, 0.0, 0.0, 0.0, 0.0)))
    found, says = posed(np.where(inside(330.0), _drawn(MODEL), _drawn(bent)), lens(0.0, 20.0))
    assert "cushions" in found.board_doubt
    assert found.board_doubt in says


def test_paint_is_searched_for_again_where_a_picture_showed_it() -> None:
    luma, markings = _drawn(MODEL), markings_of(DEFAULT_BOARD)
    aside = MODEL.posed(MODEL.R, MODEL.t + np.array((0.6, 0.0, 0.0)))
    assert moved_mm(aside, fit_pose(luma, aside, markings).model, DEFAULT_BOARD.half_mm) > 0.5
    again = fit_pose(luma, aside, where_seen(luma, aside, markings))
    assert moved_mm(aside, again.model, DEFAULT_BOARD.half_mm) < 0.1
