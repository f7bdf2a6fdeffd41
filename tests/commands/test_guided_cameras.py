"""A camera built by the guide is graded as the guide promises: from its table to what the vision process says."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from calibration.camera import CameraModel
from controller.cli import main
from controller.commands.camera import Picture, optics_of
from controller.commands.cameras.asked_cameras import offered
from controller.commands.cameras.camera_grade import MARGIN_MM
from controller.commands.cameras.camera_modes import mode_for
from controller.commands.cameras.init_camera import camera_keys
from controller.commands.cameras.known_cameras import cameras
from controller.config import CameraSection
from controller.vision.following.grade import grade_of
from tests.commands.said_cameras import IMX296, IMX708, Driver, S

GUIDE = (Path(__file__).parents[2] / "docs" / "build.md").read_text(encoding="utf-8")
GUIDED = re.findall(r"(?m)^\| .+ \| `(\S+)` \| (\d+) × (\d+), (\d+) \| (\d+) \| ([\d.]+) \| \*(\w+)\* \|$", GUIDE)
"""Of each camera in the guide: id, picture, pictures a second, least height in mm, px/mm, grade."""

FIRST = {row[0]: row for row in reversed(GUIDED)}
"""By id, what the guide promises where nothing is set by hand."""

LISTS = {"gs": IMX296, "cm3": IMX708}
OFFERS = {
    "webcam": {"MJPG": {(1280, 720): [S[60], S[30]], (640, 480): [S[60]]}},
    "webcam-30": {"MJPG": {(1280, 720): [S[30]], (640, 480): [S[30]]}},
}
"""What the guide's cameras say when they are asked."""


def asked(name: str) -> CameraSection:
    """The configuration of a camera of the guide as `carrom init` makes it."""
    plugged = CameraSection(kind="csi", device="0") if name in LISTS else CameraSection(kind="v4l2")
    found = camera_keys(
        plugged, DEFAULT_BOARD.half_mm, lambda: LISTS[name], lambda _device: offered(Driver(OFFERS[name]))
    )
    return plugged.model_copy(update=dict(found.values))


def hung(name: str, camera: CameraSection, height_mm: float) -> CameraModel:
    """The camera as a calibration finds it, straight above the board's middle."""
    known, size = cameras()[name], (camera.width, camera.height)
    modes = known.sensor.modes
    optics = optics_of(known, Picture(size, camera.fps, mode_for(modes, size, camera.fps)))
    fx, fy = (px / 2.0 / tan for px, tan in zip(size, optics.half_tan, strict=True))
    matrix = np.array([[fx, 0.0, size[0] / 2.0], [0.0, fy, size[1] / 2.0], [0.0, 0.0, 1.0]])
    return CameraModel(matrix, np.zeros(5), np.diag([1.0, -1.0, -1.0]), np.array([0.0, 0.0, height_mm]), size)


def graded(model: CameraModel, camera: CameraSection) -> str:
    """What the vision process says of this camera, all its pictures kept up with."""
    return grade_of(round(1e9 / camera.fps), model.px_per_mm, camera.shutter)


def sees_the_board(model: CameraModel) -> bool:
    edge = DEFAULT_BOARD.half_mm + MARGIN_MM
    corners = model.project(np.array([[x, y, 0.0] for x in (-edge, edge) for y in (-edge, edge)]))
    # The guide's heights are whole millimetres.
    return bool((corners >= -0.5).all() and (corners <= np.array(model.size) + 0.5).all())


def test_the_guides_table_is_what_the_command_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["camera"]) == 0
    said = re.findall(r"(?m)^(\S+) +(\d+) x (\d+) +(\d+)/s +(\d+) mm +([\d.]+) px/mm +(\w+)", capsys.readouterr().out)
    assert set(FIRST) == {*LISTS, *OFFERS}
    assert [row for row in said if row in GUIDED] == GUIDED


@pytest.mark.parametrize("name", list(FIRST))
def test_what_init_asks_for_sees_the_board_and_is_graded_as_promised(name: str) -> None:
    _, width, height, fps, least_mm, px_per_mm, grade = FIRST[name]
    camera = asked(name)
    assert (camera.width, camera.height, camera.fps) == (int(width), int(height), float(fps))
    model = hung(name, camera, float(least_mm))
    assert sees_the_board(model)
    assert not sees_the_board(hung(name, camera, 0.99 * float(least_mm)))
    assert model.px_per_mm == pytest.approx(float(px_per_mm), rel=0.03)
    assert graded(model, camera) == grade


@pytest.mark.parametrize("row", [row for row in GUIDED if row not in FIRST.values()])
def test_what_is_set_by_hand_from_the_table_sees_the_board_and_is_graded_as_promised(row: tuple[str, ...]) -> None:
    name, width, height, fps, least_mm, _, grade = row
    camera = asked(name).model_copy(update={"width": int(width), "height": int(height), "fps": float(fps)})
    model = hung(name, camera, float(least_mm))
    assert sees_the_board(model)
    assert graded(model, camera) == grade


def test_the_stand_that_is_drawn_for_match_is_graded_match() -> None:
    (lens, height) = re.findall(r"carrom camera gs --lens (\d+) --height (\d+)", GUIDE)[0]
    assert float(lens) == cameras()["gs"].lens_mm
    camera = asked("gs")
    model = hung("gs", camera, float(height))
    assert sees_the_board(model)
    assert graded(model, camera) == "match"
    # What a configuration without size and shutter makes of the same camera.
    bare = CameraSection(kind="csi", device="0")
    assert not sees_the_board(hung("gs", bare, float(height)))
    assert graded(model, bare) == "club"
