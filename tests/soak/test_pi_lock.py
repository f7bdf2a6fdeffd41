"""The Pi's lock can be installed on a Pi: for each Python that Debian 12 and 13 have, every package in it has a wheel
for aarch64 (the installer builds nothing). Asks the package index."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.wheels import ROOT, pip_for_a_pi

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1200)]


@pytest.mark.parametrize("python", ["3.11", "3.13"])
def test_every_package_of_the_lock_has_a_wheel_for_a_pi(tmp_path: Path, python: str) -> None:
    done = pip_for_a_pi(python, ROOT / "requirements-pi.lock", tmp_path, "--dry-run")
    errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
    assert (done.returncode, errors) == (0, []), done.stderr[-2000:]
