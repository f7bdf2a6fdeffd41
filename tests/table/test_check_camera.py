"""What `carrom check` says of the camera and its pictures."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from calibration.camera import CameraModel
from controller.commands.check_camera import Looked, grade_reached, pictures_fit, sharpness, surface_mask
from controller.config import CameraSection
from controller.simulator.looks import LOOKS
from controller.simulator.stills import calibration_set
from controller.vision.calibration_file import Calibration, save
from controller.vision.looks import looks_of
from controller.vision.ring import RingWriter
from tests.table.checking import checked


@pytest.fixture(scope="module")
def still() -> np.ndarray:
    return calibration_set(LOOKS["pale"], 1, 1).opening


def model(width: int = 1280, height: int = 720, px_per_mm: float = 0.9) -> CameraModel:
    """A camera straight above the middle of the board."""
    focal = 1200.0
    K = np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1.0]])
    return CameraModel(
        K, np.zeros(5), np.diag([1.0, -1.0, -1.0]), np.array([0.0, 0.0, focal / px_per_mm]), (width, height)
    )


def write_pictures(folder: Path, still: np.ndarray) -> Path:
    for number in range(6):
        cv2.imwrite(str(folder / "pictures" / f"{number:04d}.jpg"), still)
    return folder / "pictures"


@pytest.mark.live
def test_the_camera_is_looked_through_and_its_pictures_are_judged(folder, capsys, still) -> None:
    height, width = still.shape[:2]
    save(
        folder / "calibration.json",
        Calibration(model(width, height, 1.2), board=DEFAULT_BOARD, looks=looks_of(DEFAULT_BOARD)),
    )
    path = write_pictures(folder, still)
    text = f'kind = "folder"\npath = "{path}"\ncalibration = "{folder / "calibration.json"}"'
    code, out = checked(folder, capsys, camera=text)
    assert code == 0
    assert f"ok    camera: folder, {width} × {height}, 6 pictures" in out
    assert "ok    pictures: 1.20 px/mm" in out
    assert "ok    camera's grade: " in out


@pytest.mark.live
def test_pictures_of_another_size_than_calibrated_fail(folder, capsys, still) -> None:
    save(folder / "calibration.json", Calibration(model(640, 480), board=DEFAULT_BOARD, looks=looks_of(DEFAULT_BOARD)))
    path = write_pictures(folder, still)
    text = f'kind = "folder"\npath = "{path}"\ncalibration = "{folder / "calibration.json"}"'
    code, out = checked(folder, capsys, camera=text)
    assert code == 1
    assert "calibrated with 640 × 480. Fix: set camera.width" in out


@pytest.mark.live
def test_while_the_eyes_run_their_pictures_are_looked_at(folder, capsys, still, monkeypatch) -> None:
    height, width = still.shape[:2]
    jpeg = cv2.imencode(".jpg", still)[1].tobytes()
    writer = RingWriter(folder / "run" / "pictures.ring", ring_bytes=40 * len(jpeg), slot_bytes=2 * len(jpeg))
    writer.open()
    for number in range(10):
        writer.put(jpeg, number * 20_000_000)

    def sleep(seconds: float) -> None:
        # While the camera's probe waits, the next picture comes; other parts and threads sleep as ever.
        writer.put(jpeg, 200_000_000)

    clock = SimpleNamespace(sleep=sleep, monotonic=time.monotonic)
    monkeypatch.setattr("controller.commands.check_camera.time", clock)
    code, out = checked(folder, capsys, camera='kind = "v4l2"\ndevice = "/dev/nowhere"\nfps = 50')
    writer.close()
    assert "ok    camera: v4l2" in out
    assert "(the eyes' own), 50.0 a second" in out
    assert f"{width} × {height}" in out
    assert code == 1, "there is no calibration"


def judged(picture: np.ndarray, levels: tuple[float, ...] = (100.0, 100.0), px_per_mm: float = 1.2) -> list[str]:
    height, width = picture.shape
    looked = Looked((0, 1), picture, tuple(np.full(12, level) for level in levels), "")
    return [found.says for found in pictures_fit(looked, model(width, height, px_per_mm), DEFAULT_BOARD)]


def test_what_spoils_pictures_is_said_with_its_fix(still) -> None:
    luma = cv2.cvtColor(still, cv2.COLOR_BGR2GRAY)
    assert len(judged(luma)) == 1
    assert "out of focus" in judged(cv2.GaussianBlur(luma, (0, 0), 3))[0]
    white = luma.copy()
    height, width = luma.shape
    cv2.circle(white, (width // 2, height // 2), 120, 255, -1)
    assert "is white. Fix: move the lamp" in judged(white)[0]
    assert "the light flickers by 10%. Fix:" in judged(luma, (90.0, 110.0, 90.0, 110.0))[0]


@pytest.mark.parametrize(
    ("px_per_mm", "fps", "shutter", "allows", "grade"),
    [
        (0.69, 60.0, "global", "match", "basic"),
        (0.70, 60.0, "rolling", "match", "club"),
        (0.78, 60.0, "rolling", "club", "club"),
        (1.25, 60.0, "global", "match", "match"),
        (1.25, 60.0, "global", "basic", "basic"),
        (1.25, 30.0, "global", "match", "basic"),
    ],
)
def test_the_check_names_the_cameras_grade_and_wants_no_finer_camera_than_club_needs(
    still, px_per_mm, fps, shutter, allows, grade
) -> None:
    luma = cv2.cvtColor(still, cv2.COLOR_BGR2GRAY)
    seen = model(*luma.shape[::-1], px_per_mm)
    calibration = Calibration(seen, board=DEFAULT_BOARD, looks=looks_of(DEFAULT_BOARD), grade=allows)
    looked = Looked(tuple(round(k * 1e9 / fps) for k in range(4)), luma, (), "")
    found = grade_reached(looked, CameraSection(shutter=shutter), calibration)
    assert (found.part, found.state) == ("camera's grade", "ok")
    assert found.says.startswith(f"{grade}: {px_per_mm:.2f} px/mm, {fps:.1f} pictures a second, {shutter} shutter")
    too_few = [says for says in judged(luma, px_per_mm=px_per_mm) if "px/mm on the surface are too few" in says]
    assert [says[:9] for says in too_few] == (["0.69 px/m"] if px_per_mm < 0.7 else [])


def test_sharpness_falls_with_blur_and_the_surface_is_where_it_is(still) -> None:
    luma = cv2.cvtColor(still, cv2.COLOR_BGR2GRAY)
    height, width = luma.shape
    surface = surface_mask(model(width, height), DEFAULT_BOARD)
    assert surface.sum() == pytest.approx((740 * 0.9) ** 2, rel=0.01)
    values = [sharpness(cv2.GaussianBlur(luma, (0, 0), sigma), surface) for sigma in (0.5, 1.0, 2.0, 4.0)]
    assert values == sorted(values, reverse=True)
