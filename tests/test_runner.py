"""What `make test` makes of tests that fail, fail once, leave something, or do what only the live tier may."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import dealing, isolation, leaks  # noqa: F401  # what the runs below have by the suite's conftest
from tests.__main__ import main

pytestmark = [pytest.mark.live, pytest.mark.long]
ROOT = Path(__file__).parent.parent
ONCE = """
def test_once{number}(request):
    seen = request.path.with_suffix(".seen{number}")
    known = seen.exists()
    seen.touch()
    assert known, "the port was taken"
"""
INI = "[pytest]\naddopts = -q -p no:schemathesis\nmarkers =\n live:\n long:\n soak:\n timeout:\n"
LIVE = "import pytest\npytestmark = pytest.mark.live\n"


def ran(
    folder: Path, text: str, *more: str, workers: int = 0, inherits: Callable[[], None] | None = None
) -> tuple[int, str]:
    """Runs files of tests as `make test` does. Returns the exit status and all that was printed.

    `inherits` does to the runner's process what another starter would have done."""
    (folder / "test_some.py").write_text(text)
    (folder / "conftest.py").write_text(
        "from tests.conftest import *\nfrom tests.conftest import _leaves_nothing, _nothing_live"
    )
    (folder / "pytest.ini").write_text(INI)
    environment = {**os.environ, "GIT_DIR": str(folder / "no repository"), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests", *more, "-n", str(workers), "."]
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, preexec_fn=inherits)
    return done.returncode, done.stdout


def test_a_live_test_that_passes_alone_is_green_and_named(tmp_path):
    status, said = ran(tmp_path, LIVE + ONCE.format(number=1) + "def test_other():\n    pass\n")
    assert status == 0, said
    assert "test_some.py::test_once1: AssertionError: the port was taken" in said
    assert "\nFLAKY " in said
    assert said.endswith("2 passed, 0 failed, 0 skipped\n")


def test_long_tests_are_left_out(tmp_path):
    heavy = "import pytest\n@pytest.mark.long\ndef test_heavy():\n    raise AssertionError\n"
    status, said = ran(tmp_path, heavy + "def test_other():\n    pass\n")
    assert (status, "\n1 passed, 0 failed, 0 skipped\n" in said) == (0, True), said


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
        "import threading\ndef test_stuck(tmp_path):\n    open('hangs', 'w').close(), threading.Event().wait()\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", UNTIL_IT_HANGS]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert "-- it hangs after 2700 s, and is ended" in done.stdout
    assert done.stdout.endswith("\nFalse\n"), done.stdout
    assert 'test_it.py", line 3 in test_stuck' in done.stderr


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


def hostile() -> None:
    """What `nohup`, a shell's background job and a careless build server hand on."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGCHLD, signal.SIGUSR1):
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGALRM})
    os.umask(0o077)
    low = {resource.RLIMIT_NOFILE: 128, resource.RLIMIT_CORE: 1 << 20, resource.RLIMIT_FSIZE: 1 << 20}
    for limit, soft in low.items():
        resource.setrlimit(limit, (soft, resource.getrlimit(limit)[1]))
    os.close(0)
    os.close(2)


SHOWS = """
import os, pathlib, re, resource, sys
print(*re.findall("(?m)^(SigBlk|SigIgn|Umask):\\t(.*)$", pathlib.Path("/proc/self/status").read_text()))
print([resource.getrlimit(limit)[0] for limit in (resource.RLIMIT_NOFILE, resource.RLIMIT_CORE, resource.RLIMIT_FSIZE)])
print("JOURNAL_STREAM" in os.environ, None in (sys.stdin, sys.stdout, sys.stderr))
"""
SEES = f"""
import os, pathlib, subprocess, sys
def test_it(tmp_path):
    shown = subprocess.run([sys.executable, "-c", {SHOWS!r}], stdout=subprocess.PIPE, text=True).stdout
    pathlib.Path(os.environ["SEEN"]).write_text(f"{{shown}}{{os.getsid(0) != int(os.environ['SESSION'])}}")
"""


@pytest.mark.parametrize("workers", [0, 1])
def test_what_the_tests_inherit_is_the_same_whoever_starts_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    seen = []
    monkeypatch.setenv("SESSION", str(os.getsid(0)))
    for starter in (None, hostile):
        if starter:
            monkeypatch.setenv("JOURNAL_STREAM", "8:1")
        monkeypatch.setenv("SEEN", str(tmp_path / f"seen{len(seen)}"))
        status, said = ran(tmp_path, LIVE + SEES, workers=workers, inherits=starter)
        assert (status, said.splitlines()[-1]) == (0, "1 passed, 0 failed, 0 skipped"), said
        seen.append(Path(os.environ["SEEN"]).read_text())
    # A hangup that the starter had ignored still does not end the run: no terminal hangs it up.
    assert [one.splitlines()[-1] for one in seen] == ["False", "True"]
    assert seen[0].splitlines()[:-1] == seen[1].splitlines()[:-1]


def test_too_little_room_is_said_before_anything_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    usage = shutil.disk_usage("/")
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage._replace(free=8 << 20))
    assert main(["--fast"]) == 2
    assert "has 8 MiB free; the tests take up to" in capsys.readouterr().err
