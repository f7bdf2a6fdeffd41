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
INI = "[pytest]\naddopts = -q -p no:schemathesis\nmarkers =\n live:\n soak:\n timeout:\n"
LIVE = "import pytest\npytestmark = pytest.mark.live\n"


def ran(folder: Path, text: str, *more: str, workers: int = 0) -> tuple[int, str]:
    """Runs files of tests as `make test` does. Returns the exit status and all that was printed."""
    (folder / "test_some.py").write_text(text)
    (folder / "conftest.py").write_text(
        "from tests.conftest import *\nfrom tests.conftest import _leaves_nothing, _nothing_live"
    )
    (folder / "pytest.ini").write_text(INI)
    environment = {**os.environ, "GIT_DIR": str(folder / "no repository"), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests", *more, "-n", str(workers), "."]
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


def test_a_worker_that_dies_fails_one_test_and_all_others_run(tmp_path):
    # Enough finished modules, and modules of one test, for xdist's own dealing to wait for ever.
    (tmp_path / "test_first.py").write_text(LIVE + "".join(f"def test_{number}():\n    pass\n" for number in range(9)))
    for number in range(12):
        (tmp_path / f"test_other_{number}.py").write_text(LIVE + "def test_alone():\n    pass\n")
    dies = ONCE.format(number=1).replace('assert known, "the port was taken"', "known or os.abort()")
    status, said = ran(tmp_path, LIVE + "import os\n" + dies + "def test_after():\n    pass\n", workers=1)
    assert status == 0, said
    assert "FLAKY test_some.py::test_once1: worker 'gw0' crashed while running" in said
    assert "\n23 passed, 0 failed, 0 skipped\n" in said


UNTIL_IT_HANGS = """
import subprocess, time
from pathlib import Path
from tests import __main__ as runner
really = subprocess.Popen.wait
def wait(child, timeout=None):
    assert timeout in (None, runner.LONGEST_S)
    while timeout and not Path("hangs").exists():
        time.sleep(0.02)
    if timeout:
        raise subprocess.TimeoutExpired("pytest", timeout)
    return really(child)
subprocess.Popen.wait = wait
print(runner.run("-n", "1", ".").green)
"""


def test_a_run_that_hangs_says_where_and_is_red(tmp_path):
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_it.py").write_text(
        "import threading\ndef test_stuck(tmp_path):\n    open('hangs', 'w').close()\n    threading.Event().wait()\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", UNTIL_IT_HANGS]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert "-- it hangs after 2700 s, and is ended" in done.stdout
    assert done.stdout.endswith("\nFalse\n"), done.stdout
    assert 'test_it.py", line 4 in test_stuck' in done.stderr


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
