"""An installer that is killed, wherever that happens: what it had made is taken off again, and the rest goes on."""

from __future__ import annotations

import itertools
import os
import pty
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from installer import layout
from installer.__main__ import main
from installer.machine import Machine

from tests.install.debian import CARROM, debian, everything, folders

ROOT = Path(__file__).parents[2]
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
CHANGES = frozenset({"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.symlink", "os.link", "os.chmod"})
PROGRAM = """#!/bin/sh
while [ "$1" != --out ]; do shift; done
[ -e "$2" ] || { echo "[table]" > "$2"; echo 'id = "table1"' >> "$2"; }
"""
"""Stands for `carrom init`: writes the configuration if there is none."""


class Killed(BaseException):
    """The power went: nothing more is done, not even what a `finally` would do."""


class Power:
    """Counts the changes below a folder and goes away before one of them."""

    def __init__(self) -> None:
        self.root = ""
        self.left = -1
        sys.addaudithook(self._hear)

    @contextmanager
    def until(self, root: Path, changes: int) -> Iterator[None]:
        """Lets so many changes below `root` be made."""
        self.root, self.left = str(root), changes
        try:
            yield
        finally:
            self.root = ""

    def _hear(self, event: str, args: tuple[Any, ...]) -> None:
        if not self.root or not (event in CHANGES or (event == "open" and (args[2] or 0) & WRITES)):
            return
        if not any(str(arg).startswith(self.root) for arg in args[:2]):
            return
        if self.left <= 0:
            raise Killed
        self.left -= 1


@pytest.fixture(scope="module")
def power() -> Power:
    return Power()


@pytest.fixture
def few_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program of two files: the others are copied in the same way."""
    two = [("install", ROOT / "install"), ("systemd/carrom.service", ROOT / "systemd/carrom.service")]
    monkeypatch.setattr(layout, "source_files", lambda *_: iter(two))


def made(folder: Path) -> Path:
    root = debian(folder)
    program = root.with_name(f"{root.name}-carrom")
    program.write_text(PROGRAM)
    program.chmod(0o755)
    theirs = root / "etc/mosquitto/conf.d/carrom.conf"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("max_connections 7\n")
    (root / "etc/udev/rules.d").mkdir(parents=True)
    (root / "etc/udev/rules.d/70-carrom.rules").write_text("# a stranger's\n")
    return root


def on(root: Path, *words: str) -> int:
    return main(["--root", str(root), "--program", f"{root}-carrom", *words])


def every_step(tmp_path: Path, power: Power, *before: str, words: tuple[str, ...]) -> Iterator[Path]:
    """Yields a machine for each change that `words` make, killed there; the last one was not killed."""
    for count in itertools.count():
        root = made(tmp_path / f"m{count}")
        if before:
            assert on(root, *before) == 0
        try:
            with power.until(root, count):
                assert on(root, *words) == 0
        except Killed:
            yield root
        else:
            assert count > 20, "or nothing is counted"
            return


@pytest.mark.live
@pytest.mark.usefixtures("few_files")
@pytest.mark.long
def test_killed_at_any_step_and_removed_nothing_is_left(tmp_path: Path, power: Power) -> None:
    untouched = made(tmp_path / "untouched")
    for root in every_step(tmp_path, power, words=("--yes", "--kiosk")):
        assert on(root, "--remove") == 0
        assert everything(root) == everything(untouched), root.name
        assert folders(root) == folders(untouched), root.name


@pytest.mark.long
@pytest.mark.live
@pytest.mark.usefixtures("few_files")
def test_killed_at_any_step_and_run_again_it_is_whole(tmp_path: Path, power: Power) -> None:
    whole = made(tmp_path / "whole")
    assert on(whole, "--yes") == 0
    # Passwords are drawn anew.
    drawn = ("etc/carrom/passwords", "etc/carrom/mqtt-password", "etc/mosquitto/carrom.passwd", "record.json")
    for root in every_step(tmp_path, power, words=("--yes",)):
        assert on(root, "--yes") == 0
        after = everything(root)
        assert after.keys() == everything(whole).keys(), root.name
        assert {path for path in after if after[path] != everything(whole)[path] and not path.endswith(drawn)} == set()
        assert on(root, "--remove") == 0


@pytest.mark.long
@pytest.mark.live
@pytest.mark.usefixtures("few_files")
def test_a_removal_that_is_killed_goes_on_when_it_is_run_again(tmp_path: Path, power: Power) -> None:
    untouched = made(tmp_path / "untouched")
    for root in every_step(tmp_path, power, "--yes", words=("--remove",)):
        assert on(root, "--remove") == 0
        assert everything(root) == everything(untouched), root.name
        assert folders(root) == folders(untouched), root.name


# questions ------------------------------------------------------------------------------------------------------------


def typed(root: Path, do: Callable[[int, Callable[[str], str]], None], *words: str) -> tuple[int, str]:
    """Runs the installer on a terminal; `do` gets the terminal, and what waits until it says something."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "installer", "--root", str(root), "--program", CARROM, *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'systemd'}"},
    )
    os.close(theirs)
    said = ""

    def more() -> bool:
        nonlocal said
        try:
            said += os.read(ours, 65536).decode()
        except OSError:
            return False
        return True

    def until(text: str) -> str:
        nonlocal said
        while text not in said:
            assert more(), said
        heard, _, said = said.partition(text)
        return heard

    do(ours, until)
    while more():
        pass
    os.close(ours)
    return child.wait(), said


@pytest.mark.live
def test_a_wrong_answer_is_asked_again_and_the_others_stand(tmp_path: Path) -> None:
    root = debian(tmp_path / "machine")

    def answers(terminal: int, until: Callable[[str], str]) -> None:
        for question, answer in (
            ("Rulebook", "icv\n"),
            ("'icv' is no rulebook", ""),
            ("Rulebook", "club\n"),
            ("south", "Asha\n"),
            ("north", "Ben\n"),
            ("camera", "the blue one\n"),
            ("'the blue one' is neither", ""),
            ("camera", "none\n"),
            ("beams", ""),
        ):
            until(question)
            os.write(terminal, answer.encode())
        assert everything(root).keys() == everything(debian(tmp_path / "untouched")).keys(), "nothing is changed yet"
        os.write(terminal, b"none\n")

    code, said = typed(root, answers)
    assert code == 0, said
    config = (root / "etc/carrom/carrom.toml").read_text()
    for line in ('book = "club"', '"south" = "Asha"', '"north" = "Ben"', 'kind = "none"'):
        assert line in config


def test_ctrl_c_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = debian(tmp_path / "machine")
    before = everything(root)

    def stopped(_question: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", stopped)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    assert main(["--root", str(root), "--program", CARROM]) == 130
    assert capsys.readouterr().err.count("\n") == 1
    assert everything(root) == before


@pytest.mark.live
def test_answers_outlive_a_step_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is asked twice because the network was away."""
    root = made(tmp_path / "machine")
    said = iter(["club", "Asha", "Ben", "none", "none", ""])
    monkeypatch.setattr("builtins.input", lambda _question: next(said))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    run = Machine.run

    def no_network(self: Machine, *words: str, **more: Any) -> None:
        if "pip" in words:
            raise OSError("the network is unreachable")
        run(self, *words, **more)

    monkeypatch.setattr(Machine, "run", no_network)
    assert main(["--root", str(root), "--program", CARROM]) == 2
    monkeypatch.setattr(Machine, "run", run)
    assert main(["--root", str(root), "--program", CARROM]) == 0
    assert '"south" = "Asha"' in (root / "etc/carrom/carrom.toml").read_text()
