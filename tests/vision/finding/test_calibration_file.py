"""The calibration file and the two commands: what is written is read again, and bad input is one clear line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from calibration.camera import CameraModel
from calibration.target import Lens
from controller import cli
from controller.events.errors import ConfigError
from controller.vision.calibration_file import Calibration, before, load, put_back, put_in_force, save
from controller.vision.looks import ANY_TONES, Look, looks_of


def _calibration() -> Calibration:
    K = np.array(((900.0, 0, 320.0), (0, 900.0, 240.0), (0, 0, 1)))
    pose = np.diag((1.0, -1.0, -1.0)), np.array((0.0, 0.0, 1100.0))
    model = CameraModel(K, np.zeros(5), *pose, (640, 480), np.array((3.0, -4.0, 1.0)))
    empty = np.full((480, 640, 3), 130, np.uint8)
    tones = {**ANY_TONES, "white": Look((0.1, 0.0, -0.1), (0.1, 0.1, 0.1), (0.5, -0.5), (0.0, 0.1))}
    return Calibration(
        model,
        looks=replace(
            looks_of(DEFAULT_BOARD),
            coin_diameter_mm=30.5,
            coin_thickness_mm=7.5,
            tones=tones,
            known=True,
            sharp_edges=True,
            empty=empty,
            empty_model=model,
        ),
        board=DEFAULT_BOARD,
    )


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    save(path, _calibration())
    again = load(path)
    assert np.allclose(again.model.K, _calibration().model.K)
    assert again.model.size == (640, 480)
    assert again.model.centre_mm == pytest.approx((3.0, 4.0, 1099.0))
    assert again.looks.coin_thickness_mm == 7.5
    assert again.looks.sharp_edges
    assert again.looks.tones["white"].signed == (0.5, -0.5)
    assert again.looks.empty is not None
    assert abs(int(again.looks.empty[100, 100, 0]) - 130) < 3


def test_the_lens_is_kept_for_the_day_the_camera_hangs_otherwise(tmp_path: Path) -> None:
    path, model = tmp_path / "table.json", _calibration().model
    lens = Lens(model.K, np.array((-0.1, 0.02, 0.001, 0.0, 0.0)), model.size, 0.21, 11, np.diag(np.arange(1.0, 8.0)))
    save(path, replace(_calibration(), lens=lens))
    again = load(path).lens
    assert again is not None
    assert np.allclose(again.covariance, lens.covariance)
    assert np.allclose(again.dist, lens.dist)
    assert (again.size, again.pictures, again.rms_px) == (model.size, 11, 0.21)
    assert pytest.approx(model.K) == load(path).model.K
    content = json.loads(path.read_text())
    for key, wrong in (("covariance", [[1.0]]), ("dist", [0.0]), ("size", [1, 1])):
        path.write_text(json.dumps({**content, "lens": {**content["lens"], key: wrong}}))
        with pytest.raises(ConfigError, match="lens"):
            load(path)


def test_a_new_calibration_comes_into_force_whole_and_the_old_one_can_be_put_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "table.json"
    put_in_force(path, _calibration())
    assert not before(path).exists(), "there was none"
    put_in_force(path, replace(_calibration(), grade="club"))
    assert (load(path).grade, load(before(path)).grade) == ("club", "basic")
    put_back(path)
    assert (load(path).grade, load(before(path)).grade) == ("basic", "club")
    put_back(path)
    assert load(path).grade == "club"

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    # The disk is full, or the power goes, while the new one is written.
    monkeypatch.setattr("controller.vision.calibration_file.os.fsync", full)
    with pytest.raises(ConfigError, match="No space left"):
        put_in_force(path, replace(_calibration(), grade="match"))
    monkeypatch.undo()
    assert load(path).grade == "club"


def test_what_was_measured_is_loaded_with_its_errors(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    board = replace(DEFAULT_BOARD, outer_line_mm=(103.5, 108.5))
    measured, u95 = {"outer_line_mm": [103.5, 108.5]}, {"outer_line_mm": [0.3, 0.3]}
    save(path, replace(_calibration(), board=board, measured=measured, measured_u95=u95))
    again = load(path)
    assert again.board == board
    assert (again.measured, again.measured_u95) == (measured, u95)
    content = json.loads(path.read_text())
    del content["measured"], content["measured_u95"]
    path.write_text(json.dumps(content))
    assert not load(path).measured, "a file from before anything was measured is read all the same"


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda c: c.update(measured={"outer_line_mm": [95, 100]}, measured_u95={"outer_line_mm": [1, 1]}), "measured"),
        (lambda c: c.update(measured={"outer_line_mm": [101.5, 106.5]}), "measured"),
        (lambda c: c.update(measured={"width": 1}, measured_u95={"width": 1}), "width"),
        (lambda c: c.update(version=99), "version"),
        (lambda c: c.update(kind="cake"), "kind"),
        (lambda c: c.pop("looks"), "looks"),
        (lambda c: c["camera"].update(K=[[1, 2], [3, 4]]), "camera.K"),
        (lambda c: c.update(grade="splendid"), "splendid"),
    ],
)
def test_a_spoilt_file_says_what_is_wrong(tmp_path: Path, spoil, says: str) -> None:
    path = tmp_path / "table.json"
    save(path, _calibration())
    content = json.loads(path.read_text())
    spoil(content)
    path.write_text(json.dumps(content))
    with pytest.raises(ConfigError, match=says) as error:
        load(path)
    assert "Fix:" in str(error.value)
    assert "\n" not in str(error.value)


def _refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert cli.main(list(words)) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "Traceback" not in said
    return said


def test_bad_input_of_the_commands_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "out.json")
    blank = str(tmp_path / "blank.png")
    cv2.imwrite(blank, np.random.default_rng(1).normal(120, 4, (480, 640, 3)).astype(np.uint8))
    assert "no such picture" in _refused(capsys, "calibrate", "--lens", str(tmp_path / "*.jpg"), "--out", out)
    assert "--out" in _refused(capsys, "calibrate", "--empty", blank)
    assert "no pictures" in _refused(capsys, "calibrate", "--out", out)
    corners = ("calibrate", "--image", blank, "--out", out, "--corners")
    assert "four points" in _refused(capsys, *corners, "1,2 3,4")
    assert "not the corners" in _refused(capsys, *corners, "0,0 1,1 2,2 3,3")
    assert "board" in _refused(capsys, "calibrate", "--empty", blank, "--out", out)
    assert "as .svg or .pdf" in _refused(capsys, "calibrate", "--print-target", str(tmp_path / "t.txt"))
    assert "no such file" in _refused(capsys, "detect", "--calibration", out, blank)
    save(out, _calibration())
    assert "no such picture" in _refused(capsys, "detect", "--calibration", out, str(tmp_path / "none.png"))
    small = str(tmp_path / "small.png")
    cv2.imwrite(small, np.zeros((100, 100, 3), np.uint8))
    assert "640×480" in _refused(capsys, "detect", "--calibration", out, small)


def test_four_corners_make_a_calibration_and_say_what_it_costs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture, out = str(tmp_path / "board.png"), str(tmp_path / "out.json")
    board = np.full((480, 640, 3), (60, 90, 120), np.uint8)
    cv2.rectangle(board, (120, 40), (520, 440), (140, 190, 220), -1)
    cv2.circle(board, (220, 140), 8, (30, 30, 30), -1, cv2.LINE_AA)
    cv2.circle(board, (400, 300), 8, (30, 30, 30), -1, cv2.LINE_AA)
    cv2.imwrite(picture, board)
    report = str(tmp_path / "report.png")
    words = ["--corners", "120,40 520,40 520,440 120,440", "--image", picture, "--out", out, "--report", report]
    assert cli.main(["calibrate", *words]) == 0
    assert "3 mm" in capsys.readouterr().out
    assert cv2.imread(report) is not None
    assert cli.main(["detect", "--calibration", out, picture]) == 0
    line = json.loads(capsys.readouterr().out)
    assert set(line) == {"image", "pieces", "hidden"}
    places = sorted((round(p["x"] / 10), round(p["y"] / 10)) for p in line["pieces"])
    assert len(places) == 2
    assert abs(places[0][0] + 18) <= 1
    assert abs(places[0][1] - 18) <= 1
    assert {p["piece"] for p in line["pieces"]} == {"black"}
