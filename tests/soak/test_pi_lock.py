"""The Pi's lock can be installed on a Pi: for each Python that Debian 12 and 13 have, every package in it has a wheel
for aarch64 (the installer builds nothing). Asks the package index."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1200)]

ROOT = Path(__file__).parents[2]
GLIBC = (17, 24, 26, 27, 28, 31, 34, 35, 36)
"""The C library of Debian 12 is 2.36; wheels name an older one, from the year in which they were first so built."""


@pytest.mark.parametrize("python", ["3.11", "3.13"])
def test_every_package_of_the_lock_has_a_wheel_for_a_pi(tmp_path: Path, python: str) -> None:
    abi = f"cp{python.replace('.', '')}"
    platforms = [f"manylinux_2_{minor}_aarch64" for minor in reversed(GLIBC)] + ["manylinux2014_aarch64"]
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--dry-run",
        "--ignore-installed",
        "--target",
        str(tmp_path),
    ]
    command += ["--only-binary=:all:", "--require-hashes", "-r", str(ROOT / "requirements-pi.lock")]
    command += ["--python-version", python, "--implementation", "cp"]
    for kind in (abi, "abi3", "none"):
        command += ["--abi", kind]
    for platform in platforms:
        command += ["--platform", platform]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
    assert (done.returncode, errors) == (0, []), done.stderr[-2000:]
