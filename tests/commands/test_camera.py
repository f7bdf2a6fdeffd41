"""`carrom camera`: heights and grades, held against the geometry by which pictures are taken."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from calibration.camera import CameraModel
from controller.cli import main
from controller.commands.camera import Optics, Picture, hung, lamps_beyond_mm, lowest_mm, optics_of
from controller.commands.cameras.camera_grade import MARGIN_MM
from controller.commands.cameras.camera_modes import mode_for
from controller.commands.cameras.known_cameras import cameras, sensors

HALF = DEFAULT_BOARD.half_mm


def seen_by(size_px: tuple[int, int], *, name: str = "gs", fps: float = 60.0) -> Optics:
    """What a picture of this size shows, from the mode that `rpicam-vid` takes it from."""
    camera = cameras()[name]
    return optics_of(camera, Picture(size_px, fps, mode_for(camera.sensor.modes, size_px, fps)))


def true_camera(optics: Optics, focal_px: float, height_mm: float) -> CameraModel:
    w, h = optics.size
    matrix = np.array([[focal_px, 0, w / 2], [0, focal_px, h / 2], [0, 0, 1]])
    return CameraModel(matrix, np.zeros(5), np.diag([1.0, -1.0, -1.0]), np.array([0.0, 0.0, height_mm]), (w, h))


@pytest.mark.parametrize(("size_px", "focal_px"), [((1456, 1088), 6.0 / 0.00345), ((1456, 819), 6.0 / 0.00345)])
def test_from_the_least_height_the_camera_model_sees_the_whole_board_and_no_more(
    size_px: tuple[int, int], focal_px: float
) -> None:
    optics = seen_by(size_px)
    height = lowest_mm(optics, HALF)
    camera = true_camera(optics, focal_px, height)
    (top,) = camera.project(np.array([[0.0, HALF + MARGIN_MM, 0.0]]))
    assert top[1] == pytest.approx(0.0, abs=0.5)
    assert hung(optics, height).px_per_mm == pytest.approx(camera.px_per_mm, rel=0.01)


def test_the_farther_from_the_board_the_lower_the_grade() -> None:
    optics = seen_by((1456, 1088))
    height = lowest_mm(optics, HALF)
    assert [hung(optics, times * height).grade for times in (1.0, 2.0, 3.0)] == ["match", "club", "basic"]


def test_a_picture_of_another_shape_is_cut_from_the_mode(capsys: pytest.CaptureFixture[str]) -> None:
    at = hung(seen_by((1280, 720)), 1250.0)
    # 1456 x 819 of 3.45 µm behind 6 mm of lens, 1250 mm away.
    assert at.shows_mm == pytest.approx((1046.5, 588.7), abs=0.1)
    assert main(["camera", "gs", "--size", "1280x720", "--height", "1250"]) == 1
    said = capsys.readouterr().out.splitlines()
    assert "sensor mode 1456 × 1088: sees 1456 × 819 of its 1456 × 1088 pixels" in said[2]
    assert said[-1] == (
        "too low: 770 × 770 mm must be seen. Fix: hang it at 1635 mm or higher, or --size 1456x1088 --fps 60"
    )
    assert not any(line.startswith("grade") for line in said)


@pytest.mark.parametrize(
    ("size_px", "fps", "taken_from"),
    [
        ((1280, 720), 60.0, 1536),
        ((1920, 1080), 50.0, 2304),
        ((2304, 1296), 56.0, 2304),
        # Faster than the mode of this size: a smaller one, drawn larger.
        ((2304, 1296), 60.0, 1536),
        ((1536, 864), 30.0, 1536),
        ((4608, 2592), 10.0, 4608),
    ],
)
def test_the_mode_is_the_one_that_rpicam_takes(size_px: tuple[int, int], fps: float, taken_from: int) -> None:
    assert mode_for(cameras()["cm3"].sensor.modes, size_px, fps).width_px == taken_from


def test_each_mode_has_its_own_field_of_view() -> None:
    whole, cropped = seen_by((2304, 1296), name="cm3", fps=56.0), seen_by((1280, 720), name="cm3")
    assert whole.half_tan == pytest.approx([np.tan(np.radians(angle / 2)) for angle in (66.0, 41.0)])
    # It reads 3072 x 1728 of 4608 x 2592 pixels.
    assert cropped.half_tan == pytest.approx([2 / 3 * tan for tan in whole.half_tan])
    assert lowest_mm(cropped, HALF) == pytest.approx(1.5 * lowest_mm(whole, HALF))


def test_pixels_that_the_mode_does_not_have_make_nothing_finer() -> None:
    larger, own = (seen_by(size, name="cm3") for size in ((2304, 1296), (1536, 864)))
    assert (larger.size, larger.half_tan) == ((1536, 864), own.half_tan)


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
    optics = Optics((1456, 1088), fps, shutter, seen_by((1456, 1088)).half_tan)  # type: ignore[arg-type]
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
    assert {line.split()[0] for line in lines} == set(cameras())
    assert len(lines) == sum(len(camera.sensor.modes) for camera in cameras().values())
    assert {line.split()[9] for line in lines} == {"match", "club", "basic"}
    for name in cameras():
        assert main(["camera", name]) == 0
        # The first of a camera's lines is what the command takes where nothing is asked for.
        first = next(line.split() for line in lines if line.split()[0] == name)
        said = capsys.readouterr().out
        assert f"picture {first[1]} × {first[3]}, {first[4].removesuffix('/s')} a second" in said
        assert f"grade: {first[9]}," in said


def test_each_figure_stands_in_the_source_that_it_names() -> None:
    for name, sensor in sensors().items():
        for mode in sensor.modes:
            x, y, w, h = mode.crop_px or (0, 0, 0, 0)
            shown = f"{mode.width_px}x{mode.height_px} [{mode.fps:.2f} fps - ({x}, {y})/{w}x{h} crop]"
            assert shown in sensor.source, name
            assert max(x + w, y + h) <= max(sensor.pixels_px)
        assert f"{sensor.pixels_px[0]} x {sensor.pixels_px[1]} pixels" in sensor.source
        assert not sensor.pixel_um or f"{sensor.pixel_um} um" in sensor.source
    for name, camera in cameras().items():
        assert "documentation" in camera.source or "worked out" in camera.source, name
        if camera.listed and camera.field_deg:
            assert all(f"{angle:g} degrees" in camera.source for angle in camera.field_deg), name


def test_a_field_that_was_worked_out_is_what_it_is_said_to_be() -> None:
    corner = np.tan(np.radians(78 / 2)) / np.hypot(16, 9)
    webcam = [2 * np.degrees(np.arctan(corner * side)) for side in (16, 9)]
    assert webcam == pytest.approx(cameras()["webcam"].field_deg, abs=0.5)


def test_too_low_is_said_with_the_lens_that_would_see_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["camera", "gs", "--height", "600"]) == 1
    said = capsys.readouterr().out
    assert "hang it at 1231 mm or higher, or a lens of 2.9 mm or shorter" in said
    assert main(["camera", "gs", "--height", "600", "--lens", "2.9"]) == 0
    assert main(["camera", "gs", "--height", "600", "--lens", "3.0"]) == 1


def test_too_low_for_a_mode_is_said_with_the_mode_that_sees_it(capsys: pytest.CaptureFixture[str]) -> None:
    low = ["camera", "cm3", "--height", "1100"]
    assert main([*low, "--size", "1280x720", "--fps", "60"]) == 1
    assert capsys.readouterr().out.endswith("hang it at 1545 mm or higher, or --size 2304x1296 --fps 56\n")
    assert main([*low, "--size", "2304x1296", "--fps", "56"]) == 0


@pytest.mark.parametrize(
    "words",
    [
        ["leica"],
        ["gs", "--lens", "0"],
        ["cm3", "--lens", "6"],
        ["webcam", "--field", "70"],
        ["webcam", "--field", "170x100"],
        ["webcam", "--size", "axb"],
        ["gs", "--size", "0.2x100"],
        ["gs", "--height", "nan"],
        ["gs", "--lamp", "-1"],
        ["gs", "--fps", "0"],
    ],
)
def test_what_is_no_camera_is_one_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["camera", *words]) == 2
    line = capsys.readouterr().err
    assert "Fix:" in line
    assert line.count("\n") == 1
