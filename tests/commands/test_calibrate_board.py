"""Which board `carrom calibrate` takes the one in the picture for: options first, then `[board]`, then the laws'."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from controller.cli import main
from controller.commands import installed as machine
from controller.vision.calibration_file import load


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The configuration of a table whose board has measures of its own."""
    path = tmp_path / "carrom.toml"
    path.write_text('[board]\npreset = "home-28-inch"\nside_mm = 724.0\npocket_radius_mm = 26.0\n')
    monkeypatch.setattr(machine, "SYSTEM", tmp_path)
    return path


def calibrated(tmp_path: Path, *options: str) -> tuple[float, float]:
    """Side and pocket radius in mm of the board of a calibration from four corners of a bare picture."""
    cv2.imwrite(str(tmp_path / "bare.png"), np.full((360, 480), 128, dtype=np.uint8))
    out = tmp_path / "calibration.json"
    corners = "100,40 380,40 380,320 100,320"
    taken = ("--image", str(tmp_path / "bare.png"), "--corners", corners, "--out", str(out))
    assert main(["calibrate", *taken, *options]) == 0
    board = load(out).board
    return 2 * board.half_mm, board.pocket_radius_mm


def test_the_installed_table_says_its_board(
    tmp_path: Path, installed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert calibrated(tmp_path) == (724.0, 26.0)
    assert f"[board] of {installed}" in capsys.readouterr().err


def test_a_configuration_that_is_named_wins_over_the_installed_one(tmp_path: Path, installed: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text("[board]\nside_mm = 735.0\n")
    assert calibrated(tmp_path, "--config", str(other)) == (735.0, 22.25)


def test_options_win_over_both(tmp_path: Path, installed: Path) -> None:
    assert calibrated(tmp_path, "--board", "home-26-inch") == (660.4, 21.0)
    assert calibrated(tmp_path, "--side", "720") == (720.0, 26.0)


def test_a_side_alone_is_of_the_nearest_preset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "SYSTEM", tmp_path / "none")
    assert calibrated(tmp_path, "--side", "650") == (650.0, 21.0)


def test_a_table_that_has_never_run_gets_its_folder_with_the_calibration(tmp_path: Path) -> None:
    """As `carrom init` makes one in a folder of one's own."""
    config, out = tmp_path / "carrom.toml", tmp_path / "state" / "calibration.json"
    config.write_text(f'[camera]\ncalibration = "{out}"\n')
    cv2.imwrite(str(tmp_path / "bare.png"), np.full((360, 480), 128, dtype=np.uint8))
    taken = ["--image", str(tmp_path / "bare.png"), "--corners", "100,40 380,40 380,320 100,320"]
    assert main(["calibrate", *taken, "--config", str(config)]) == 0
    assert load(out).grade == "basic"


def test_a_place_that_cannot_be_written_is_said_before_anybody_lays_a_board(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    away = tmp_path / "away" / "calibration.json"
    (tmp_path / "pictures").mkdir()
    assert main(["calibrate", "--source", str(tmp_path / "pictures"), "--out", str(away)]) == 2
    said = capsys.readouterr()
    assert said.out == "", "nothing is asked for"
    why = "cannot be written there (No such file or directory)"
    assert said.err == f"carrom calibrate: {away}: {why}. Fix: choose another --out\n"
