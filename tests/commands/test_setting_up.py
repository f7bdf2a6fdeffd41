"""`make` that sets itself up says each step in plain words, and nothing of pip's own concerns but its errors."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.live

ROOT = Path(__file__).parents[2]
PIP = """#!/bin/sh
case " $* " in *" -qq "*) ;; *) echo "WARNING: something about pip" >&2;; esac
case "$*" in *"$REFUSED"*) echo "ERROR: no such package" >&2; exit 1;; esac
"""


def set_up(venv: Path, refused: str) -> subprocess.CompletedProcess[str]:
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").write_text(PIP)
    (venv / "bin" / "python").chmod(0o755)
    command = ["make", "--no-print-directory", "setup", f"VENV={venv}"]
    return subprocess.run(
        command,
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "REFUSED": refused},
        capture_output=True,
        text=True,
        check=False,
    )


def test_each_step_is_said_and_no_warning_of_pips(tmp_path: Path) -> None:
    said = set_up(tmp_path / "venv", "nothing at all")
    assert (said.returncode, said.stderr) == (0, "")
    assert [line.split(":")[0] for line in said.stdout.splitlines()] == ["setting up, this once"] * 2
    assert (tmp_path / "venv" / ".demo").exists()


def test_what_really_fails_is_shown_and_ends_it(tmp_path: Path) -> None:
    said = set_up(tmp_path / "venv", "requirements.lock")
    assert said.returncode != 0
    assert "ERROR: no such package" in said.stderr
    assert not (tmp_path / "venv" / ".demo").exists()
