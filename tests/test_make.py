"""What `make` does on a computer that is not set up yet."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.live
MAKEFILE = Path(__file__).parent.parent / "Makefile"
WITHOUT_VENV = f"""#!/bin/sh
# Debian's Python without python3-venv: an environment without pip is left behind, and the exit status is 1.
[ "$1 $2" = "-m venv" ] || exec {sys.executable} "$@"
{sys.executable} -m venv --without-pip "$3" ${{4:+"$4"}}
exit 1
"""


@pytest.mark.long
def test_an_environment_without_pip_is_made_anew_once_it_can_be(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text(WITHOUT_VENV)
    python.chmod(0o755)

    def make(python: Path | str) -> subprocess.CompletedProcess[str]:
        command = ["make", "-f", MAKEFILE, f"PYTHON={python}", ".venv/.pip"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    for _ in range(2):
        done = make(python)
        assert done.returncode != 0
        assert "Fix: apt install python3-venv" in done.stderr
    done = make(sys.executable)
    assert done.returncode == 0, done.stderr
    subprocess.run([tmp_path / ".venv/bin/python", "-m", "pip", "--version"], check=True, capture_output=True)
