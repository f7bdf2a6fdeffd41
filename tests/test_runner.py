"""What `make test` makes of tests that fail, fail once, leave something, or do what only the live tier may."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.live
ROOT = Path(__file__).parent.parent
ONCE = """
def test_once{number}(request):
    seen = request.path.with_suffix(".seen{number}")
    known = seen.exists()
    seen.touch()
    assert known, "the port was taken"
"""
LIVE = "import pytest\npytestmark = pytest.mark.live\n"


def ran(folder: Path, text: str, *more: str) -> tuple[int, str]:
    """Runs a file of tests as `make test` does. Returns the exit status and all that was printed."""
    (folder / "test_some.py").write_text(text)
    (folder / "conftest.py").write_text(
        "from tests.conftest import *\nfrom tests.conftest import _leaves_nothing, _nothing_live"
    )
    (folder / "pytest.ini").write_text("[pytest]\naddopts = -q\nmarkers =\n live:\n soak:\n timeout:\n")
    environment = {**os.environ, "GIT_DIR": str(folder / "no repository"), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests", *more, "-n", "0", "test_some.py"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout


def test_a_live_test_that_passes_alone_is_green_and_named(tmp_path):
    status, said = ran(tmp_path, LIVE + ONCE.format(number=1) + "def test_other():\n    pass\n")
    assert status == 0, said
    assert "test_some.py::test_once1: AssertionError: the port was taken" in said
    assert "\nFLAKY " in said
    assert said.endswith("2 passed, 0 failed, 0 skipped\n")


def test_a_third_is_red(tmp_path):
    status, said = ran(tmp_path, LIVE + "".join(ONCE.format(number=number) for number in range(3)))
    assert status == 1
    assert said.endswith("0 passed, 3 failed, 0 skipped\n")


def test_a_deterministic_test_is_not_tried_again(tmp_path):
    status, said = ran(tmp_path, ONCE.format(number=1), "--fast")
    assert status == 1
    assert "FLAKY" not in said
    assert said.endswith("0 passed, 1 failed, 0 skipped\n")


def test_a_skipped_test_is_named_with_its_reason(tmp_path):
    status, said = ran(tmp_path, 'import pytest\ndef test_it():\n    pytest.skip("no lamp")\n')
    assert status == 0
    assert "test_some.py::test_it: Skipped: no lamp" in said


FORBIDDEN = {
    'subprocess.run(["true"])': "it started a process",
    "time.sleep(0.01)": "it slept",
    'socket.create_server(("127.0.0.1", 0)).close()': "it listened on a port",
    "threading.Thread(target=threading.Event().wait, daemon=True, name='left').start()": "it left thread left",
    'open("{outside}", "w").close()': "it left file {outside}",
    "signal.signal(signal.SIGHUP, signal.SIG_IGN)": "it left handler of SIGHUP",
}
"""What no deterministic test may do, and what is said of it."""


def test_a_deterministic_test_may_not_compute_for_long(tmp_path):
    text = "import tests.tiers\ntests.tiers.LIMIT_S = {limit}\ndef test_it():\n    sum(range(10**6))\n"
    status, said = ran(tmp_path, text.format(limit=0.0), "--fast")
    assert status == 1
    assert "test_it: AssertionError: it took 0 s of the processor, 0 are allowed" in said
    assert ran(tmp_path, text.format(limit=20.0), "--fast")[0] == 0


def test_what_a_deterministic_test_may_not_do_fails_it(tmp_path, monkeypatch):
    monkeypatch.setenv("CARROM_TEST_PATIENCE", "0.1")
    outside = Path("/var/tmp/left-by-a-test")
    text = "import signal, socket, subprocess, threading, time\n"
    for number, what in enumerate(FORBIDDEN):
        text += f"def test_{number}():\n    {what.format(outside=outside)}\n"
    try:
        status, said = ran(tmp_path, text, "--fast")
    finally:
        outside.unlink(missing_ok=True)
    assert status == 1, said
    told = [line for line in said.splitlines() if line.startswith("FAILED test_some.py") and ": " in line]
    for number, says in enumerate(FORBIDDEN.values()):
        assert any(f"test_{number}: " in line and says.format(outside=outside) in line for line in told), (says, said)
