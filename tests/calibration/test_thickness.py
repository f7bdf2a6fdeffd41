"""Thickness by the target that lies on the board and then on pieces, in the simulator's own projection."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from calibration.target import Target, TargetError
from calibration.thickness import raised_by
from controller.events.errors import ConfigError
from controller.simulator.camera import Camera
from controller.simulator.looks import LOOKS
from controller.simulator.stills import charuco_view, still, target_on_board
from controller.vision.calibration_inputs import Inputs
from controller.vision.guided_calibration import calibrate
from tests.vision.following.simulated import model_of

pytestmark = pytest.mark.slow


def grey(picture: np.ndarray) -> np.ndarray:
    return cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)


@pytest.fixture(scope="module")
def camera() -> Camera:
    return Camera(LOOKS["pale"], 1)


def laid(camera: Camera, z_mm: float, seed: int, at: tuple[float, float] = (12.0, -30.0)) -> np.ndarray:
    return grey(target_on_board(camera, at, z_mm, np.random.default_rng(seed)))


@pytest.fixture(scope="module")
def flat(camera: Camera) -> np.ndarray:
    return laid(camera, 0.0, 1)


@pytest.fixture(scope="module")
def raised(camera: Camera) -> np.ndarray:
    return laid(camera, 8.0, 2)


def test_what_lies_under_the_target_is_measured_within_what_is_stated(camera: Camera, flat, raised) -> None:
    model = model_of(camera.view)
    for z, picture in ((8.0, raised), (10.5, laid(camera, 10.5, 12))):
        found = raised_by([flat], [picture], model, Target())
        assert abs(found.height_mm - z) < max(0.5, 3 * found.u_mm)
        assert 0.02 < found.u_mm < 0.9


def test_the_size_of_the_print_drops_out(camera: Camera, flat, raised) -> None:
    shrunk = Target(square_mm=39.2, marker_mm=29.4)
    found = raised_by([flat], [raised], model_of(camera.view), shrunk)
    assert abs(found.height_mm - 8.0) < max(0.5, 3 * found.u_mm)


def test_a_target_carried_away_or_not_to_be_seen_is_refused(camera: Camera, flat) -> None:
    model = model_of(camera.view)
    with pytest.raises(TargetError, match="carried"):
        raised_by([flat], [laid(camera, 8.0, 2, (-180.0, 160.0))], model, Target())
    with pytest.raises(TargetError, match="corners"):
        raised_by([flat], [np.full((720, 1280), 120, np.uint8)], model, Target())


@pytest.mark.parametrize("axis", [0, 1])
def test_a_camera_that_mirrors_is_told_by_lens_and_thickness(camera: Camera, flat, raised, axis: int) -> None:
    """Nothing else tells: the board looks the same in a mirror. A blank picture among them hides nothing."""
    rng = np.random.default_rng(3)
    blank = np.full(flat.shape, 120, np.uint8)
    lens = [blank, *(cv2.flip(grey(charuco_view(camera.look, rng)), axis) for _ in range(4))]
    with pytest.raises(ConfigError, match=r"^--lens: the camera mirrors its pictures.*Fix: switch mirror") as caught:
        calibrate(Inputs(DEFAULT_BOARD, lens, still(camera, {}).picture))
    assert "print the target" not in str(caught.value)
    with pytest.raises(TargetError, match="mirrors"):
        raised_by([flat], [cv2.flip(raised, axis)], model_of(camera.view), Target())


@pytest.mark.long
def test_thickness_is_given_measured_or_supposed_and_that_is_said(camera: Camera, flat, raised) -> None:
    rng = np.random.default_rng(2)
    lens = [grey(charuco_view(camera.look, rng)) for _ in range(6)]
    corners = camera.view.project(np.array(((-370.0, 370, 0), (370, 370, 0), (370, -370, 0), (-370, -370, 0))))
    inputs = Inputs(DEFAULT_BOARD, lens, still(camera, {}).picture, corners=corners)
    supposed = calibrate(inputs)
    (said,) = [line for line in supposed.says if "thickness" in line]
    assert "coin 8 mm, striker 9 mm" in said
    assert "each wrong mm moves a piece by up to 0.5 mm" in said
    assert "--coin-thickness and --striker-thickness" in said
    assert not supposed.calibration.looks.thickness_known
    low, high = [flat, laid(camera, 0.0, 5)], [raised, laid(camera, 8.0, 6)]
    inputs = replace(inputs, striker_thickness_mm=9.5, flat=low, on_coins=high)
    made = calibrate(inputs)
    (said,) = [line for line in made.says if "thickness" in line]
    assert "(95 %), by the target on it" in said
    assert made.calibration.looks.coin_thickness_mm == pytest.approx(8.0, abs=0.9)
    assert made.calibration.looks.striker_thickness_mm == 9.5
    assert made.calibration.looks.thickness_known
    # What is refused hangs on the target alone.
    inputs = replace(inputs, empty=None, image=inputs.empty)
    with pytest.raises(ConfigError, match="--flat"):
        calibrate(replace(inputs, flat=()))
    with pytest.raises(ConfigError, match="no piece's thickness"):
        calibrate(replace(inputs, on_coins=low))
