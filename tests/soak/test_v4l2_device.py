"""Real V4L2 devices: a USB camera on the kernel's own UVC driver, and a camera without MJPEG (vivid).

In a virtual machine, for a machine that runs tests rarely has a camera or the kernel modules. Two to four minutes.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
from pathlib import Path

import pytest

from tests.soak.v4l2.checks import CHECKS, MARK
from tests.soak.v4l2.machine import build, run

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]


def missing() -> str:
    for program in ("qemu-system-x86_64", "debootstrap"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    if os.geteuid() != 0:
        return "building the virtual machine's system needs root"
    if (sys.version_info[:2], platform.machine()) != ((3, 11), "x86_64"):
        return "NumPy is taken from here: the virtual machine has Python 3.11 on x86_64"
    return ""


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[bool, str]]:
    reason = missing()
    if reason:
        pytest.skip(reason)
    folder: Path = tmp_path_factory.mktemp("machine")
    try:
        console = run(*build(folder))
    finally:
        shutil.rmtree(folder)
    lines = [line.partition(MARK)[2] for line in console.splitlines() if MARK in line]
    results = {name: (well, says) for name, well, says in map(json.loads, lines)}
    assert results, f"nothing came from the virtual machine:\n{console[-3000:]}"
    return results


@pytest.mark.parametrize("name", [check.__name__ for check in CHECKS])
def test_v4l2(seen: dict[str, tuple[bool, str]], name: str) -> None:
    assert name in seen, f"never came to it, but to {list(seen)}"
    well, says = seen[name]
    print(f"\n{name}: {says}")
    assert well, says
