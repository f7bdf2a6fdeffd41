"""The camera model and the fits, on pictures drawn by the simulator's own lens."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from calibration.camera import CameraModel
from calibration.markings import markings_of
from calibration.pose import FitError, fit_pose, moved_mm, reregister
from calibration.search import pose_from_corners, turn_south
from calibration.target import Target, TargetError, drawing, find_corners, fit_lens


@cache
def _model() -> CameraModel:
    K = np.array(((910.0, 0, 641.0), (0, 910.0, 357.0), (0, 0, 1)))
    tilt = np.radians(3.0)
    down = np.diag((1.0, -1.0, -1.0))
    R = np.array(((1, 0, 0), (0, np.cos(tilt), -np.sin(tilt)), (0, np.sin(tilt), np.cos(tilt)))) @ down
    return CameraModel(K, np.array((-0.09, 0.01, 0.0004, -0.0003, 0.0)), R, np.array((4.0, -6.0, 1150.0)), (1280, 720))


GRID = np.stack(np.meshgrid(np.linspace(-370, 370, 7), np.linspace(-370, 370, 7)), -1).reshape(-1, 2)


@pytest.mark.parametrize("z", [0.0, 8.0, 20.0])
def test_a_point_goes_to_the_picture_and_back(z: float) -> None:
    model = _model()
    assert np.abs(model.to_plane(model.project_plane(GRID, z), z) - GRID).max() < 1e-6


@pytest.mark.parametrize("z", [0.0, 8.0, 20.0])
def test_heights_are_seen_from_where_they_are_said_to_be(z: float) -> None:
    plain = _model()
    beside = replace(plain, eye=plain.R @ (plain.centre_mm + np.array((20.0, -10.0, 5.0))) + plain.t)
    assert beside.centre_mm == pytest.approx(plain.centre_mm + np.array((20.0, -10.0, 5.0)))
    assert np.abs(beside.to_plane(beside.project_plane(GRID, z), z) - GRID).max() < 1e-6
    px = plain.project_plane(GRID)
    on, raised = beside.to_plane(px), beside.to_plane(px, z)
    assert np.abs(on - GRID).max() < 1e-6, "what lies on the surface stays"
    assert np.allclose(raised, on + (beside.centre_mm[:2] - on) * z / beside.centre_mm[2])


def test_a_piece_in_the_corner_leans_outward_by_its_height() -> None:
    model = _model()
    corner = np.array(((340.0, 340.0),))
    seen = model.to_plane(model.project_plane(corner, 8.0), 0.0) - corner
    assert np.allclose(seen, model.lean(corner, 8.0), atol=1e-6)
    assert 3.0 < np.hypot(*seen[0]) < 5.0


def test_a_pixels_error_is_told_in_millimetres() -> None:
    model = _model()
    assert model.u_mm(np.zeros((1, 2)), 2.0)[0] == pytest.approx(2.0 / model.px_per_mm, rel=1e-6)
    assert model.px_per_mm == pytest.approx(910.0 / 1150.0, rel=0.01)


def test_the_pose_comes_back_from_four_corners() -> None:
    model = _model()
    square = np.array(((-1, 1), (1, 1), (1, -1), (-1, -1))) * 370.0
    found = pose_from_corners(model.project_plane(square), 370.0, model.K, model.dist, model.size)
    assert moved_mm(model, found, DEFAULT_BOARD.half_mm) < 0.01


@pytest.mark.parametrize(("south", "quarters"), [("bottom", 0), ("left", 1), ("top", 2), ("right", 3)])
def test_south_sits_where_it_is_said_to_sit(south: str, quarters: int) -> None:
    turned = turn_south(_model(), south)
    middle, seat = turned.project_plane(np.array(((0.0, 0.0), (0.0, -300.0))))
    toward = (seat - middle) / np.hypot(*(seat - middle))
    wanted = {"bottom": (0, 1), "left": (-1, 0), "top": (0, -1), "right": (1, 0)}[south]
    assert toward @ np.array(wanted) > 0.95


@cache
def _drawn(model: CameraModel, *, pale_paint: bool = False) -> np.ndarray:
    """A board with its strokes painted by distance, at the model's view; no code of the fit is used. Read-only."""
    h, w = model.size[1], model.size[0]
    rows, columns = np.mgrid[0:h, 0:w]
    xy = model.to_plane(np.stack((columns.ravel(), rows.ravel()), 1).astype(float), 0.0)
    x, y = xy[:, 0], xy[:, 1]
    paint = np.zeros(len(x))
    for u, v in ((x, y), (x, -y), (y, x), (y, -x)):
        on = np.abs(u) < 219.1
        paint = np.maximum(paint, on * np.clip(3.0 - np.abs(v - 266.0), 0, 1))
        paint = np.maximum(paint, on * np.clip(1.25 - np.abs(v - 237.45), 0, 1))
        for cx in (-219.1, 219.1):
            r = np.hypot(u - cx, v - 252.6)
            paint = np.maximum(paint, np.clip(1.1 - np.abs(r - 15.5), 0, 1))
    paint = np.maximum(paint, np.clip(1.1 - np.abs(np.hypot(x, y) - 84.5), 0, 1))
    for s in (1, -1):
        along, off = (x + s * y) / np.sqrt(2), (x - s * y) / np.sqrt(2)
        paint = np.maximum(paint, (np.abs(along) > 152) * (np.abs(along) < 419) * np.clip(1.25 - np.abs(off), 0, 1))
    base, ink = (70, 200) if pale_paint else (190, 40)
    inside = (np.abs(x) < 370) & (np.abs(y) < 370)
    picture = np.where(inside, base + (ink - base) * paint, 60).reshape(h, w)
    noise = np.random.default_rng(3).normal(0, 2.0, picture.shape)
    drawn = np.clip(picture + noise, 0, 255).astype(np.uint8)
    drawn.flags.writeable = False
    return drawn


@pytest.mark.parametrize("pale_paint", [False, True])
def test_the_pose_is_fitted_to_the_paint_to_two_tenths_of_a_millimetre(pale_paint: bool) -> None:
    model = _model()
    picture = _drawn(model, pale_paint=pale_paint)
    off = model.posed(model.R, model.t + np.array((4.0, -3.0, 6.0)))
    assert moved_mm(model, off, DEFAULT_BOARD.half_mm) > 3.0
    fit = fit_pose(picture, off, markings_of(DEFAULT_BOARD))
    # The picture is sampled without smoothing, so a stroke's edge is known to a fifth of a pixel.
    assert moved_mm(model, fit.model, DEFAULT_BOARD.half_mm) < 0.2
    assert fit.residual_mm < 0.2
    assert fit.covered > 0.8


def test_a_nudged_camera_is_followed_and_a_steady_one_left_alone() -> None:
    model = _model()
    markings = markings_of(DEFAULT_BOARD)
    nudged = model.posed(model.R, model.t + np.array((1.5, 0.0, 0.0)))
    followed, _ = reregister(model, _drawn(nudged), markings)
    assert moved_mm(nudged, followed, DEFAULT_BOARD.half_mm) < 0.25
    settled = fit_pose(_drawn(model), model, markings).model
    same, _ = reregister(settled, _drawn(model), markings)
    assert same is settled


def test_a_picture_without_a_board_is_refused() -> None:
    blank = np.random.default_rng(0).normal(120, 3, (720, 1280)).astype(np.uint8)
    with pytest.raises(FitError):
        fit_pose(blank, _model(), markings_of(DEFAULT_BOARD))


def test_the_target_is_drawn_in_true_size_in_both_formats() -> None:
    svg = drawing(Target()).decode()
    assert 'width="297mm"' in svg
    assert 'viewBox="0 0 297 210"' in svg
    # A 40 mm square and a marker's module of 30/7 mm.
    assert "h40.0000v40.0000" in svg
    assert f"h{30 / 7:.4f}" in svg
    assert drawing(Target(), pdf=True).startswith(b"%PDF-1.4")
    assert len({drawing(Target()), drawing(Target(square_mm=35.0, marker_mm=25.0))}) == 2


def test_corners_are_where_a_pixels_centre_is_a_whole_number() -> None:
    import cv2

    board = cv2.aruco.CharucoBoard((7, 5), 40.0, 30.0, cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_100))
    drawn = board.generateImage((700, 500), marginSize=0, borderBits=1)
    numbers, places = find_corners(cv2.copyMakeBorder(drawn, 50, 50, 50, 50, cv2.BORDER_CONSTANT, value=255), Target())
    true = board.getChessboardCorners()[numbers][:, :2] / 40.0 * 100.0 + 49.5
    assert np.abs((places - true).mean(0)).max() < 0.1


@pytest.mark.parametrize("older", [False, True], ids=["newer", "older"])
@pytest.mark.parametrize(("across", "down"), [(8, 6), (5, 8), (7, 5), (6, 9)])
def test_a_bought_target_of_either_pattern_is_found(across: int, down: int, older: bool) -> None:
    import cv2

    board = cv2.aruco.CharucoBoard(
        (across, down), 40.0, 30.0, cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_100)
    )
    board.setLegacyPattern(older)
    drawn = board.generateImage((across * 60, down * 60), marginSize=0, borderBits=1)
    framed = cv2.copyMakeBorder(drawn, 50, 50, 50, 50, cv2.BORDER_CONSTANT, value=255)
    numbers, places = find_corners(framed, Target(across, down))
    assert len(numbers) == (across - 1) * (down - 1)
    true = board.getChessboardCorners()[numbers][:, :2] / 40.0 * 60.0 + 49.5
    assert np.abs((places - true).mean(0)).max() < 0.1


def test_lens_pictures_without_a_target_are_refused() -> None:
    with pytest.raises(TargetError, match="0 of 4"):
        fit_lens([np.full((480, 640), 128, np.uint8)] * 4, Target())
