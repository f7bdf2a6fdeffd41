"""`carrom camera`: heights and grades, held against the geometry by which pictures are taken."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from calibration.camera import CameraModel
from controller.cli import main
from controller.commands.camera import (
    MARGIN_MM,
    Optics,
    hung,
    lamps_beyond_mm,
    lowest_mm,
    models,
    through_lens,
)

HALF = DEFAULT_BOARD.half_mm


def test_from_the_least_height_the_camera_model_sees_the_whole_board_and_no_more() -> None:
    size = (1456, 1088)
    optics = Optics(size, 60.0, "global", through_lens(size, 3.45, 6.0))
    height = lowest_mm(optics, HALF)
    focal_px = 6.0 / 0.00345
    matrix = np.array([[focal_px, 0, size[0] / 2], [0, focal_px, size[1] / 2], [0, 0, 1]])
    camera = CameraModel(matrix, np.zeros(5), np.diag([1.0, -1.0, -1.0]), np.array([0.0, 0.0, height]), size)
    edge = HALF + MARGIN_MM
    (top,) = camera.project(np.array([[0.0, edge, 0.0]]))
    assert top[1] == pytest.approx(0.0, abs=0.5)
    at = hung(optics, height)
    assert at.px_per_mm == pytest.approx(camera.px_per_mm, rel=0.01)
    assert at.grade == "match"
    assert hung(optics, 2 * height).grade == "club"


@pytest.mark.parametrize(
    ("fps", "shutter", "scale", "grade"),
    [
        (60.0, "global", 1.0, "match"),
        (60.0, "rolling", 1.0, "club"),
        (30.0, "global", 1.0, "basic"),
        (60.0, "global", 3.0, "basic"),
    ],
)
def test_the_grade_is_the_eyes_own(fps: float, shutter: str, scale: float, grade: str) -> None:
    optics = Optics((1456, 1088), fps, shutter, through_lens((1456, 1088), 3.45, 6.0))  # type: ignore[arg-type]
    assert hung(optics, scale * lowest_mm(optics, HALF)).grade == grade


def test_a_lamp_at_the_limit_mirrors_in_the_edge_of_what_is_seen() -> None:
    height, lamp = 1200.0, 900.0
    away = lamps_beyond_mm(height, lamp, HALF)
    # The lamp's mirror image lies as deep below the surface; the straight line from it to the camera cuts the surface.
    cut = away * height / (height + lamp)
    assert cut == pytest.approx(HALF + MARGIN_MM)
    assert away == pytest.approx(385.0 * (height + lamp) / height)


def test_every_camera_of_the_list_sees_the_board_from_below_a_ceiling(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["camera"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(models())
    for name, values in models().items():
        assert values["source"]
        assert main(["camera", name]) == 0
    assert {line.split()[5] for line in lines} == {"match", "club", "basic"}


def test_each_cameras_figures_stand_in_the_source_that_it_names() -> None:
    for name, values in models().items():
        says = values["source"]
        width, height = values["size"]
        assert "Hardware specification" in says or "worked out" in says, name
        if "Hardware specification" in says:
            assert f"{width} x {height}" in says, name
        if "pixel_um" in values:
            assert f"{values['pixel_um']} um" in says
        elif "worked out" not in says:
            assert all(f"{angle:g} " in says or f"{angle:g}," in says for angle in values["field_deg"]), name


def test_fields_that_were_worked_out_are_what_they_are_said_to_be() -> None:
    whole, cropped = models()["cm3"]["field_deg"], models()["cm3-720"]["field_deg"]
    share = 3072 / 4608
    worked_out = [2 * np.degrees(np.arctan(share * np.tan(np.radians(angle / 2)))) for angle in whole]
    assert worked_out == pytest.approx(cropped, abs=0.05)
    corner = np.tan(np.radians(78 / 2)) / np.hypot(16, 9)
    webcam = [2 * np.degrees(np.arctan(corner * side)) for side in (16, 9)]
    assert webcam == pytest.approx(models()["webcam"]["field_deg"], abs=0.5)


def test_too_low_is_said_and_is_exit_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["camera", "gs", "--height", "600"]) == 1
    assert "too low" in capsys.readouterr().out
    assert main(["camera", "gs", "--height", "600", "--lens", "2.7"]) == 0


@pytest.mark.parametrize(
    "words",
    [
        ["leica"],
        ["gs", "--lens", "0"],
        ["cm3", "--lens", "6"],
        ["webcam", "--field", "70"],
        ["webcam", "--field", "170x100"],
        ["webcam", "--size", "axb"],
        ["gs", "--height", "nan"],
        ["gs", "--lamp", "-1"],
        ["gs", "--fps", "0"],
    ],
)
def test_what_is_no_camera_is_one_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["camera", *words]) == 2
    line = capsys.readouterr().err
    assert "Mend:" in line
    assert line.count("\n") == 1
