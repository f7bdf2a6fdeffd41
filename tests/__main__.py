"""`make test`: the deterministic tier, then the live one. `--fast`: the first alone. `--long`: the long tier alone,
noting what passed; `--changed`: of it the modules that have not passed as they are (`tests/changed.py`). All else is
handed to pytest.

What fails in the live tier is run once more, alone in a fresh process after all else has ended. If it passes then, the
run is green and says `FLAKY`, with what went wrong first; `tests/flaky.md` must name it by the next commit. More than
two in a run are a fault. In the deterministic tier nothing is run again. A tier that hangs says where, and is red.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests import changed, inherited
from tests.flaky import remember
from tests.tiers import REPORT

NOTHING_COLLECTED = 5
"""pytest's exit status where the arguments chose no test of a tier."""

MOST_FLAKY = 2
LONGEST_S = 45 * 60.0
"""Two quiet cores take six minutes for the longer tier. Each test has a limit of its own, which ends nothing
that is stuck in a library, or between tests."""

TIERS = {"deterministic": "not live and not long and not soak", "live": "live and not long and not soak"}
WORKERS = {"deterministic": 2, "live": 4, "long": 3}
"""The suite is made for two cores. Half of the time a live test waits: for a page, a broker, a process."""
DEALT = ("--dist", "loadscope", "--no-loadscope-reorder")
"""A module stays on one worker: its tests share a browser, a calibration or drawn pictures."""


@dataclass
class Outcome:
    """What came of a run of pytest. `failed`: each test's cause; `skipped`: each one's reason."""

    status: int
    passed: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)

    @property
    def green(self) -> bool:
        return self.status in (0, NOTHING_COLLECTED)


def run(*arguments: str) -> Outcome:
    """Runs pytest in a process of its own; what it prints goes to our own output."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        told = {**os.environ, REPORT: str(report)}
        # Tests see hangups as everywhere; who starts the run with `nohup` is still served, by a session of its own.
        apart = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        command = [sys.executable, "-m", "pytest", *arguments]
        with subprocess.Popen(command, env=told, start_new_session=apart) as child:
            try:
                child.wait(LONGEST_S)
            except KeyboardInterrupt:
                if apart:
                    child.send_signal(signal.SIGINT)
                raise
            except subprocess.TimeoutExpired:
                print(f"-- it hangs after {LONGEST_S:.0f} s, and is ended; where each worker is:", flush=True)
                for worker in Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split():
                    # Python's fault handler prints what each thread does.
                    os.kill(int(worker), signal.SIGABRT)
                child.kill()
        status = child.returncode
        return Outcome(status, **json.loads(report.read_text())) if report.exists() else Outcome(status)


def main(arguments: Sequence[str]) -> int:
    """Returns 0 if what ran is green."""
    if (small := inherited.too_small()) is not None:
        print(small, file=sys.stderr)
        return 2
    parser = argparse.ArgumentParser(prog="make test", add_help=False, allow_abbrev=False)
    for option in ("--fast", "--long", "--changed"):
        parser.add_argument(option, action="store_true")
    ours, more = parser.parse_known_args(arguments)
    if ours.long:
        return _long(more, only_changed=ours.changed)
    outcomes = []
    for tier in ["deterministic"] if ours.fast else TIERS:
        print(f"-- {tier} tier", flush=True)
        outcomes.append(run("-m", TIERS[tier], "-n", str(WORKERS[tier]), *DEALT, *more))
    first, flaky = outcomes[-1], dict[str, str]()
    if not ours.fast and first.status == 1 and 0 < len(first.failed) <= MOST_FLAKY:
        print("-- what failed in the live tier, once more and alone", flush=True)
        again = {name: run("-m", "live", name) for name in first.failed}
        flaky = {name: first.failed[name] for name, outcome in again.items() if outcome.status == 0}
        if len(flaky) == len(first.failed):
            first.status = 0
    return _tell(outcomes, flaky)


def _long(more: Sequence[str], *, only_changed: bool) -> int:
    modules = changed.long_modules()
    if only_changed:
        modules = changed.changed(modules)
    print(f"-- long tier: {len(modules)} modules", flush=True)
    if not modules:
        return 0
    outcome = run("-m", "long and not soak", "-n", str(WORKERS["long"]), *DEALT, *modules, *more)
    if not more and outcome.status in (0, 1):
        failed = {name.partition("::")[0] for name in outcome.failed}
        changed.note(module for module in modules if module not in failed)
    return _tell([outcome], {})


def _tell(outcomes: Sequence[Outcome], flaky: dict[str, str]) -> int:
    failed = [(name, cause) for outcome in outcomes for name, cause in outcome.failed.items() if name not in flaky]
    for name, cause in failed:
        print(f"FAILED {name}: {cause}")
    for name, cause in flaky.items():
        print(f"FLAKY {name}: {cause}")
    if flaky:
        remember(flaky)
        print("passed at the second try; name them in tests/flaky.md, with the mechanism")
    skipped = sum(len(outcome.skipped) for outcome in outcomes)
    passed = sum(outcome.passed for outcome in outcomes) + len(flaky)
    print(f"{passed} passed, {len(failed)} failed, {skipped} skipped")
    if all(outcome.status == NOTHING_COLLECTED for outcome in outcomes):
        return NOTHING_COLLECTED
    return 0 if all(outcome.green for outcome in outcomes) else 1


if __name__ == "__main__":
    # With SIGCHLD ignored every run would seem to end well; a hangup that was ignored for the run is none for it.
    inherited.replace(signal.SIGHUP)
    sys.exit(main(sys.argv[1:]))
