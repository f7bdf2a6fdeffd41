"""The guided calibration at a live camera: the simulator's stream, and someone who does as told before it."""

from __future__ import annotations

import threading
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from controller import cli
from controller.commands import calibrate
from controller.simulator.camera import Camera
from controller.simulator.looks import LOOKS
from controller.simulator.mjpeg import MjpegServer
from controller.simulator.stills import charuco_view, still
from controller.vision.calibration_file import load
from controller.vision.calibration_inputs import Inputs
from controller.vision.guided_calibration import Made
from controller.vision.live_calibration import EMPTY, LENS_STEPS, Guidance, LiveCalibration, steps_for
from tests.vision.volunteer import Volunteer

LOOK = LOOKS["pale"]
EVERY_NS = 200_000_000


@pytest.mark.live
def test_someone_who_does_as_told_ends_with_a_calibration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    volunteer, server = Volunteer(LOOK), MjpegServer(in_step=True)
    server.start()

    def stream() -> None:
        number = 0
        server.wait_for_client(60)
        while not volunteer.done.is_set():
            jpeg = cv2.imencode(".jpg", volunteer.frame(), [cv2.IMWRITE_JPEG_QUALITY, 92])[1].tobytes()
            server.offer(jpeg, number * EVERY_NS, 8_000_000)
            number += 1

    thread = threading.Thread(target=stream, daemon=True)
    thread.start()
    monkeypatch.setattr("builtins.print", volunteer.hears)
    out = tmp_path / "table.json"
    words = ["calibrate", "--live", "--source", server.url, "--out", str(out), "--coin-thickness", "8"]
    code = cli.main([*words, "--striker-thickness", "9"])
    volunteer.done.set()
    server.stop()
    thread.join(60)
    monkeypatch.undo()
    assert code == 0, volunteer.said
    made = load(out)
    assert made.grade == "club"
    assert made.looks.known
    assert made.looks.thickness_known
    assert made.made["lens_pictures"] == len(LENS_STEPS)
    grid = np.stack(np.meshgrid(np.linspace(-350, 350, 5), np.linspace(-350, 350, 5)), -1).reshape(-1, 2)
    px = volunteer.camera.view.project(np.concatenate((grid, np.full((25, 1), 8.0)), 1))
    assert np.hypot(*(made.model.to_plane(px, 8.0) - grid).T).mean() < 0.5
    asked = [line for line in volunteer.said if line.startswith("→")]
    assert len(asked) >= len(LENS_STEPS) + 2


def shown(live: LiveCalibration, picture: np.ndarray, from_s: float) -> list[Guidance]:
    told: list[Guidance] = []
    for k in range(8):
        told += live.look(picture, round((from_s + 0.2 * k) * 1e9))
    return told


def test_what_is_shown_wrongly_is_refused_with_the_reason() -> None:
    inputs = Inputs(board=DEFAULT_BOARD)
    live = LiveCalibration(inputs, steps_for(inputs))
    (first,) = live.begin()
    assert first == Guidance("do", "1 of 12: show the target in the upper left of the picture")
    rng = np.random.default_rng(1)
    blank = still(Camera(LOOK, 1), {}).picture
    (said,) = shown(live, blank, 0.0)
    assert said.kind == "refused"
    assert "0 of the target's corners" in said.says
    (said,) = shown(live, charuco_view(LOOK, rng, (0.33, 0.33), 5.0), 3.0)
    assert said.kind == "refused"
    assert "lower right" in said.says
    mirrored = np.ascontiguousarray(charuco_view(LOOK, rng, (-0.33, -0.33), 5.0)[:, ::-1])
    (said,) = shown(live, mirrored, 4.7)
    assert said.kind == "refused"
    assert "mirrors its pictures" in said.says
    taken, after = shown(live, charuco_view(LOOK, rng, (-0.33, -0.33), 5.0), 6.4)
    assert (taken.kind, after.kind) == ("taken", "do")
    assert "upper right" in after.says
    assert live.made is None


def test_what_moves_is_not_taken() -> None:
    live = LiveCalibration(Inputs(board=DEFAULT_BOARD), steps_for(Inputs(board=DEFAULT_BOARD)))
    rng = np.random.default_rng(2)
    moving = [charuco_view(LOOK, rng, (-0.33, -0.33), 5.0) for _ in range(3)]
    for k in range(12):
        assert live.look(moving[k % 3], k * EVERY_NS) == ()


def test_a_board_that_cannot_be_used_is_refused_and_may_be_shown_again() -> None:
    live = LiveCalibration(Inputs(board=DEFAULT_BOARD), (EMPTY,))
    bare = still(Camera(LOOK, 1), {}).picture
    (said,) = shown(live, cv2.GaussianBlur(bare, (0, 0), 5), 0.0)
    assert "out of focus" in said.says
    (said,) = shown(live, np.where(bare > 120, 255, bare).astype(np.uint8), 3.0)
    assert "is white. Fix: move the lamp" in said.says
    assert live.step is EMPTY


def test_only_what_is_missing_is_asked_for() -> None:
    lens = [np.zeros((4, 4), np.uint8)]
    assert [step.part for step in steps_for(Inputs(lens=lens, board=DEFAULT_BOARD), thickness=True)] == [
        "empty", "flat", "on_coins", "on_striker", "opening",
    ]  # fmt: skip


def test_without_a_camera_it_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["calibrate", "--live", "--out", str(tmp_path / "x.json")]) == 2
    assert "no camera is named. Fix:" in capsys.readouterr().err
    words = ["calibrate", "--source", str(tmp_path), "--out", str(tmp_path / "x.json")]
    (tmp_path / "0.jpg").write_bytes(cv2.imencode(".jpg", np.zeros((48, 64, 3), np.uint8))[1].tobytes())
    assert cli.main(words) == 2
    said = capsys.readouterr().err
    assert "wanted next: show the target in the upper left" in said
    assert said.count("\n") == 1


def test_the_configuration_says_where_the_calibration_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[str] = []
    monkeypatch.setattr(calibrate, "guide", lambda *_, **__: Made(calibration=None, says=(), report=None))
    monkeypatch.setattr(calibrate, "save", lambda place, _: kept.append(place))
    config = tmp_path / "carrom.toml"
    config.write_text(f'[camera]\nkind = "folder"\npath = "{tmp_path}"\ncalibration = "{tmp_path}/table.json"\n')
    assert cli.main(["calibrate", "--config", str(config)]) == 0
    assert kept == [f"{tmp_path}/table.json"]
