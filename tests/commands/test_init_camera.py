"""`carrom init` asks the camera for its modes and writes the one of the best grade."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from calibration.board import DEFAULT_BOARD
from controller.cli import main
from controller.commands.cameras.asked_cameras import MOST_ENTRIES, listed, offered, v4l2_modes
from controller.commands.cameras.camera_grade import best_mode
from controller.commands.cameras.camera_modes import Mode
from controller.commands.cameras.init_camera import CameraKeys, camera_keys
from controller.config import CameraSection, load_config
from controller.events.errors import DeviceError
from tests.commands.said_cameras import IMX219, IMX296, IMX477_IMX708, WEBCAM_4K, WEBCAM_30, WEBCAM_60, Driver, S

HALF = DEFAULT_BOARD.half_mm


def keys(
    device: str = "0",
    *,
    text: str = "",
    driver: Mapping[str, Mapping[tuple[int, int], Sequence[tuple[int, int]]]] | None = None,
) -> CameraKeys:
    """What `carrom init` writes of a camera that says this of itself."""
    kind = "csi" if driver is None else "v4l2"
    camera = CameraSection.model_validate({"kind": kind, "device": device})
    return camera_keys(camera, HALF, lambda: text, lambda _device: offered(Driver(driver or {})))


@pytest.mark.parametrize(
    ("text", "device", "written", "grade"),
    [
        (IMX296, "0", {"width": 1456, "height": 1088, "fps": 60, "shutter": "global"}, "match"),
        # The whole sensor is seen from lower than its middle, at the same grade.
        (IMX477_IMX708, "1", {"width": 2304, "height": 1296, "fps": 56, "shutter": "rolling"}, "club"),
        # Too slow in all modes but the smallest.
        (IMX477_IMX708, "0", {"width": 1332, "height": 990, "fps": 60}, "club"),
        # The first where the configuration names none.
        (IMX477_IMX708, "/dev/carrom/camera", {"width": 1332, "height": 990, "fps": 60}, "club"),
        # Of two formats of its pixels the faster one.
        (IMX219, "0", {"width": 1640, "height": 1232, "fps": 60}, "club"),
    ],
)
def test_a_camera_on_the_pis_own_connector(text: str, device: str, written: dict[str, object], grade: str) -> None:
    found = keys(device, text=text)
    assert found.values == written
    assert f": grade {grade} " in found.says
    assert ("does not tell its shutter" in found.says) == ("shutter" not in written)


@pytest.mark.parametrize(
    ("driver", "written", "grade"),
    [
        (WEBCAM_60, {"width": 1280, "height": 720, "fps": 60.0}, "club"),
        # Finer than 720 rows, and less to decode than 2160, which are too slow besides.
        (WEBCAM_4K, {"width": 1920, "height": 1080, "fps": 60.0}, "club"),
        # All too slow: neither the finest, which is slower still, nor the smallest.
        (WEBCAM_30, {"width": 1280, "height": 720, "fps": 30.0}, "basic"),
        ({"YUYV": {(640, 480): [S[30]], (1280, 720): [S[10]]}}, {"width": 640, "height": 480, "fps": 30.0}, "basic"),
        # More pictures than the grade wants are only more to decode.
        ({"MJPG": {(1280, 800): [S[120], S[60], S[50]]}}, {"width": 1280, "height": 800, "fps": 60.0}, "club"),
        # Too rough for club however fast.
        ({"MJPG": {(640, 480): [S[60]], (1280, 720): [S[30]]}}, {"width": 1280, "height": 720, "fps": 30.0}, "basic"),
    ],
)
def test_a_usb_camera(
    driver: Mapping[str, Mapping[tuple[int, int], Sequence[tuple[int, int]]]], written: dict[str, object], grade: str
) -> None:
    found = keys("/dev/video0", driver=driver)
    assert found.values == written
    assert f": grade {grade} " in found.says
    assert 'set camera.shutter = "global" where its sheet says so' in found.says


def test_the_grade_goes_before_what_is_less_to_decode() -> None:
    fine, rough = Mode(1456, 1088, 60.38, (0, 0, 1456, 1088)), Mode(1152, 864, 60.38, (0, 0, 1456, 1088))
    assert best_mode([rough, fine], "global", HALF) == fine
    assert best_mode([rough, fine], "rolling", HALF) == rough


def test_a_usb_camera_that_a_global_shutter_makes_better_is_told_so() -> None:
    found = keys("/dev/video0", driver={"MJPG": {(1600, 1200): [S[60]]}})
    assert "shutter" not in found.values
    assert "grade club" in found.says
    assert found.says.endswith("where its sheet says so: grade match")


def test_what_a_usb_camera_names_is_read_to_its_end_and_no_farther() -> None:
    assert offered(Driver({"MJPG": {(1280, 720): [S[60], (333_333, 10_000_000)], (640, 480): [S[120]]}})) == [
        Mode(1280, 720, 60.0),
        Mode(1280, 720, 30.0),
        Mode(640, 480, 120.0),
    ]
    assert len(offered(Driver({"MJPG": {(1280, 720): [S[60]]}}, endless=True))) == MOST_ENTRIES**2
    assert offered(Driver({"MJPG": {(32, 2592): [S[60]]}}, kind=3)) == []


@pytest.mark.parametrize(
    "found",
    [
        keys(text=""),
        keys(text="No cameras available!\n"),
        keys("1", text=IMX296),
        keys(text="0 : imx296 [1456x1088] (/base)\n    Modes: 'SRGGB10_CSI2P' : 1456x1088\n"),
        keys("/dev/video0", driver={}),
        # Smaller than the configuration takes.
        keys("/dev/video0", driver={"MJPG": {(160, 120): [S[30]], (0, 0): [S[30]]}}),
    ],
)
def test_of_a_camera_that_tells_nothing_nothing_is_written_and_one_line_says_what_to_set(found: CameraKeys) -> None:
    assert found.values == {}
    assert "\n" not in found.says
    assert "Fix: set camera.width, camera.height, camera.fps" in found.says
    assert 'camera.shutter = "global"' in found.says


def test_a_network_camera_tells_no_modes_and_no_camera_is_no_line() -> None:
    network = camera_keys(CameraSection(kind="mjpeg", url="http://10.0.0.7/stream"), HALF)
    assert (network.values, "Fix: set camera.fps" in network.says) == ({}, True)
    assert camera_keys(CameraSection(kind="none"), HALF) == CameraKeys({}, "")


def test_a_device_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match="No such file"):
        v4l2_modes(str(tmp_path / "video0"))
    # A file is no camera: it knows none of the questions.
    (tmp_path / "file").touch()
    assert v4l2_modes(str(tmp_path / "file")) == []


def test_libcameras_list_is_read_in_words_and_modes() -> None:
    first, second = listed(IMX477_IMX708)
    assert (first.number, first.model, len(first.modes)) == ("0", "imx477", 4)
    assert (second.number, second.model) == ("1", "imx708_wide_noir")
    assert second.modes[0] == Mode(1536, 864, 120.13, (768, 432, 3072, 1728))
    assert [mode.fps for mode in listed(IMX219)[0].modes] == [206.65, 83.70, 47.57, 21.19]


@pytest.mark.live
def test_what_init_found_stands_in_the_file_with_the_grade(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = tmp_path / "bin" / "rpicam-hello"
    said.parent.mkdir()
    said.write_text(f"#!/bin/sh\ncat <<'END'\n{IMX296}END\n")
    said.chmod(0o755)
    monkeypatch.setenv("PATH", f"{said.parent}:/usr/bin:/bin")
    answers = '{"camera": "csi:0", "pockets": "none"}'
    monkeypatch.setattr("sys.stdin.read", lambda: answers, raising=False)
    file = tmp_path / "carrom.toml"
    assert main(["init", "--answers", "--out", str(file)]) == 0
    camera = load_config(file).camera
    assert (camera.kind, camera.width, camera.height, camera.fps, camera.shutter) == ("csi", 1456, 1088, 60.0, "global")
    (line,) = [line for line in file.read_text().splitlines() if "grade" in line]
    assert line.startswith("# imx296, 1456 x 1088, 60 a second: grade match ")
    assert line.removeprefix("# ") in capsys.readouterr().out
