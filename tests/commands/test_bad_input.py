"""Bad input of any kind: one line that says what, where and how to fix it; exit 2; no traceback."""

from __future__ import annotations

import contextlib
import io
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from calibration.camera import CameraModel
from controller.cli import main
from controller.journal.journal import Journal
from controller.vision.calibration_file import Calibration, save
from controller.vision.looks import looks_of

pytestmark = pytest.mark.live


@dataclass(frozen=True)
class Done:
    """A command that has ended: its exit code, and what it printed as an error."""

    code: int
    stderr: str


PROCESSES = ("run", "eyes", "demo", "hub")
"""They take a process for themselves: its signals, and its end."""


def carrom(*words: str, cwd: Path) -> Done:
    if words and words[0] in PROCESSES:
        command = [sys.executable, "-m", "controller.cli", *words]
        ended = subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=120)
        return Done(ended.returncode, ended.stderr)
    printed = io.StringIO()
    with contextlib.chdir(cwd), contextlib.redirect_stderr(printed), contextlib.redirect_stdout(io.StringIO()):
        try:
            code = main(words)
        except SystemExit as ended:
            code = int(ended.code or 0)
    return Done(code, printed.getvalue())


def refused(done: Done, *says: str, code: int = 2) -> None:
    lines = done.stderr.strip().splitlines()
    assert done.code == code, done.stderr
    assert "Traceback" not in done.stderr
    assert len(lines) == 1, done.stderr
    for word in (*says, "Fix:"):
        assert word in lines[0], lines[0]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["calibrat"], "carrom calibrat: there is no such command. Fix: carrom calibrate"),
        (["xyzzy"], "carrom xyzzy: there is no such command. Fix: carrom --help lists them"),
        ([], "carrom: the following arguments are required: COMMAND. Fix: carrom --help shows what can be typed"),
        (["pockets", "--lern"], "carrom pockets: unrecognized arguments: --lern. Fix: carrom pockets --help shows"),
        (["record"], "--config"),
        (["check"], "are required: --config. Fix: --config FILE; carrom init makes one"),
    ],
)
def test_what_cannot_be_typed_is_one_line(words: list[str], says: str, tmp_path: Path) -> None:
    refused(carrom(*words, cwd=tmp_path), says)


def test_a_configuration_that_lies_here_is_named(tmp_path: Path) -> None:
    (tmp_path / "carrom.toml").touch()
    refused(carrom("check", cwd=tmp_path), "are required: --config. Fix: --config carrom.toml")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "carrom.toml"
    path.write_text(
        f'[table]\nruntime = "{tmp_path}/run"\nstate = "{tmp_path}/state"\n'
        f'[camera]\nkind = "folder"\npath = "{tmp_path}"\ncalibration = "{tmp_path}/nowhere.json"\n'
        '[pockets]\nkind = "none"\n[mqtt]\nenabled = false\n[web]\nhost = "127.0.0.1"\nport = 0\n'
    )
    return path


@pytest.fixture
def occupied() -> Iterator[int]:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


def test_eyes_with_a_calibration_that_is_none(config: Path, tmp_path: Path) -> None:
    (tmp_path / "nowhere.json").write_text("{}")
    refused(carrom("eyes", "--config", str(config), cwd=tmp_path), "nowhere.json")


def test_an_unknown_book(config: Path, tmp_path: Path) -> None:
    config.write_text(config.read_text() + '[match]\nbook = "rugby"\n')
    refused(carrom("run", "--config", str(config), cwd=tmp_path), "rugby")
    refused(carrom("books", "show", "rugby", cwd=tmp_path), "rugby")
    refused(carrom("demo", "--book", "rugby", "--headless", cwd=tmp_path), "rugby")


def test_an_occupied_port(config: Path, tmp_path: Path, occupied: int) -> None:
    refused(carrom("demo", "--headless", "--http", str(occupied), cwd=tmp_path), str(occupied))
    config.write_text(config.read_text().replace("port = 0", f"port = {occupied}"))
    refused(carrom("run", "--config", str(config), cwd=tmp_path), str(occupied), code=1)


def test_a_journal_that_another_table_holds(config: Path, tmp_path: Path) -> None:
    """It may be let go: the daemon is started again after 1."""
    journal = tmp_path / "state" / "journal.sqlite"
    journal.parent.mkdir()
    with Journal(journal):
        done = carrom("run", "--config", str(config), cwd=tmp_path)
    refused(done, str(journal), "another carrom", "[table] state", code=1)


def test_an_unknown_key(config: Path, tmp_path: Path) -> None:
    config.write_text(config.read_text() + "[evidence]\nbudget_gb = 1\n")
    line = str(len(config.read_text().splitlines()))
    for command in ("run", "eyes", "check"):
        done = carrom(command, "--config", str(config), cwd=tmp_path)
        refused(done, f"{config}:{line}:", "evidence.budget_gb", "budget_mb")


def test_a_broken_video(config: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.mp4").write_bytes(b"no video at all" * 100)
    K = np.array([[1000.0, 0, 640], [0, 1000.0, 360], [0, 0, 1]])
    model = CameraModel(K, np.zeros(5), np.diag([1.0, -1.0, -1.0]), np.array([0.0, 0.0, 1100.0]), (1280, 720))
    save(tmp_path / "calibration.json", Calibration(model, board=DEFAULT_BOARD, looks=looks_of(DEFAULT_BOARD)))
    watch = ("watch", "--calibration", "calibration.json", "--video")
    refused(carrom(*watch, "broken.mp4", cwd=tmp_path), "broken.mp4")
    refused(carrom(*watch, "nowhere.mp4", cwd=tmp_path), "nowhere.mp4")
    (tmp_path / "empty").mkdir()
    refused(carrom(*watch, "empty", cwd=tmp_path), "empty")


def test_a_calibration_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "calibration.json").write_text("{}")
    done = carrom("watch", "--calibration", "calibration.json", "--video", "any.mp4", cwd=tmp_path)
    refused(done, "calibration.json")


def test_pictures_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(b"no picture at all")
    done = carrom(
        "calibrate", "--corners", "0,0 1,0 1,1 0,1", "--image", "picture.png", "--out", "c.json", cwd=tmp_path
    )
    refused(done, "picture.png")


def test_files_that_are_not_there(tmp_path: Path) -> None:
    refused(carrom("replay", "nowhere.sqlite", cwd=tmp_path), "nowhere.sqlite")
    refused(carrom("rule", "nowhere.jsonl", cwd=tmp_path), "nowhere.jsonl")
    refused(carrom("hub", "--config", "nowhere.toml", cwd=tmp_path), "nowhere.toml")


def test_a_house_book_with_an_error_names_its_line(tmp_path: Path) -> None:
    (tmp_path / "house.toml").write_text('id = "house"\ntitle = "House"\nextends = "icf"\n\n[policy]\npionts = 15\n')
    refused(carrom("books", "show", "house.toml", cwd=tmp_path), "house.toml", "pionts", "6")
