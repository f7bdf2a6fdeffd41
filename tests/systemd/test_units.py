"""The service units: accepted by systemd's own reader, and shut in as far as devices and a network allow."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

UNITS = sorted((Path(__file__).parents[2] / "systemd").glob("*.service"))


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_exposure_is_at_most_1_7(unit: Path) -> None:
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=17", str(unit)],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "SYSTEMD_PAGER": "cat", "LC_ALL": "C.UTF-8"},
    )
    level = re.search(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)
    assert level, done.stderr
    assert done.returncode == 0
    assert float(level[1]) <= 1.7


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_systemd_reads_every_line(unit: Path, tmp_path: Path) -> None:
    # The program of the installed place is not on this machine; everything else must be understood.
    here = tmp_path / unit.name
    here.write_text(re.sub(r"(?m)^ExecStart=\S+", "ExecStart=/bin/true", unit.read_text()))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", str(here)], capture_output=True, text=True)
    complaints = [line for line in done.stderr.splitlines() if unit.name in line and "User=" not in line]
    assert complaints == []


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_it_is_watched(unit: Path) -> None:
    text = unit.read_text()
    assert "Type=notify" in text
    assert re.search(r"(?m)^WatchdogSec=\d", text)
    assert "BindsTo=dev-" not in text, "a table starts without its devices and waits for them"


def test_the_eyes_may_read_what_processor_they_have() -> None:
    """ONNX Runtime dies as it starts on a Pi where /proc/cpuinfo is hidden; seen on an emulated Cortex-A72."""
    (eyes,) = [unit for unit in UNITS if unit.name == "carrom-eyes.service"]
    text = eyes.read_text()
    assert not re.search(r"(?m)^ProcSubset=pid", text)
    assert not re.search(r"(?m)^InaccessiblePaths=.*(/proc|/sys)", text)
