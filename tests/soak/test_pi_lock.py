"""The Pi's lock can be installed on a Pi: for each Python that Debian 12 and 13 have, every package in it has a wheel
for aarch64 (the installer builds nothing). Asks the package index."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.markers import Marker

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1200)]

MARKED = re.compile(r"^\S+==\S+ ; (?P<marker>.+?) \\$")
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
        "--ignore-requires-python",  # that, too, it asks of the Python that it runs in
        "--target",
        str(tmp_path),
    ]
    command += ["--only-binary=:all:", "--require-hashes", "-r", str(_lock_for(python, tmp_path))]
    command += ["--python-version", python, "--implementation", "cp"]
    for kind in (abi, "abi3", "none"):
        command += ["--abi", kind]
    for platform in platforms:
        command += ["--platform", platform]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
    assert (done.returncode, errors) == (0, []), done.stderr[-2000:]


def _lock_for(python: str, folder: Path) -> Path:
    """The lock without what it leaves out on a Pi with that Python: pip itself asks the Python that it runs in."""
    pi = {"python_version": python, "python_full_version": f"{python}.0", "platform_machine": "aarch64"}
    kept, wanted = [], True
    for line in (ROOT / "requirements-pi.lock").read_text().splitlines():
        if not line.startswith(" "):
            marked = MARKED.match(line)
            wanted = marked is None or Marker(marked["marker"]).evaluate(pi)
        if wanted:
            kept.append(re.sub(r" ; .* \\$", r" \\", line))
    path = folder / "lock.txt"
    path.write_text("\n".join(kept) + "\n")
    return path
