"""The tiers of the suite. `-m "not live"`: deterministic; `-m live`: real processes, brokers, browsers and ports; `-m
long`: what is heavy in either.

A test of the deterministic tier that starts a process, opens a connection, listens or sleeps fails, with what it did:
whether it passes would hang on how busy the machine is. This module is a part of the suite's `conftest`.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import urllib3.util.connection  # noqa: F401  # binds a port when it is first imported, to see whether there is IPv6

LIMIT_S, SLOW_S = 20.0, 120.0
"""What a test of the deterministic tier, and a slow one, may take of the processor: on a busy machine that is no more
than on a quiet one. How long a test may hang is the timeout of `pyproject.toml`."""
SLOWER = float(os.environ.get("CARROM_TEST_SLOWER", "1"))
"""How many times slower an emulated processor is allowed to be."""

WHOLE = ("tests/e2e/", "tests/test_")
"""Here single tests take longest, and most of the processor: dealt first, others wait beside them."""

REPORT = "CARROM_TEST_REPORT"
"""Environment: the file that the outcome of a run is written to, for `python -m tests`."""

NOT_HERE = {
    "subprocess.Popen": "started a process",
    "os.fork": "started a process",
    "socket.bind": "listened on a port",
    "socket.connect": "opened a connection",
}
"""Python's audit events that no deterministic test may cause."""

_done: list[str] = []
_others: set[int | None] | None = None
"""Threads that were there before the test; None while no test of the deterministic tier runs."""


def _sleep(seconds: float) -> None:
    """Stands for `time.sleep`, for which Python 3.11 has no audit event."""
    if _others is None or threading.get_ident() in _others:
        _really_sleep(seconds)
    else:
        _done.append(f"slept: {seconds} s")


def _audit(event: str, args: tuple[Any, ...]) -> None:
    if _others is not None and event in NOT_HERE and threading.get_ident() not in _others:
        _done.append(f"{NOT_HERE[event]}: {str(args[:2])[:200]}")


sys.addaudithook(_audit)
_really_sleep = time.sleep


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever drives a browser or talks to a broker is live; marked before pytest chooses by marks. In their order:
    whole programs, then the modules of most tests, so that no long one is left for the end."""
    for item in items:
        if item.get_closest_marker("browser") or item.get_closest_marker("broker"):
            item.add_marker("live")
    many = Counter(item.path for item in items)
    items.sort(key=lambda item: (not item.nodeid.startswith(WHOLE), -many[item.path]))


def is_live(item: pytest.Item) -> bool:
    """Whether a test may start processes, listen and sleep."""
    return any(item.get_closest_marker(name) for name in ("live", "soak"))


@pytest.fixture(autouse=True)
def _nothing_live(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fails a test of the deterministic tier that does what only the live tier may, or computes for too long."""
    global _others
    if is_live(request.node):
        yield
        return
    _done.clear()
    monkeypatch.setattr(time, "sleep", _sleep)
    _others = {thread.ident for thread in threading.enumerate()} - {threading.get_ident()}
    began_s = time.process_time()
    yield
    used_s = time.process_time() - began_s
    _others = None
    limit_s = (SLOW_S if request.node.get_closest_marker("slow") else LIMIT_S) * SLOWER
    assert used_s <= limit_s, f"it took {used_s:.0f} s of the processor, {limit_s:.0f} are allowed"
    assert not _done, f"it {_done[0]}; mark it live, or hand in what it waits for"


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Names every skipped test with its reason, and writes the outcome down for the runner."""
    stats = terminalreporter.stats
    skipped = {report.nodeid: str(report.longrepr[2]) for report in stats.get("skipped", ())}
    for name, reason in skipped.items():
        terminalreporter.write_line(f"SKIPPED {name}: {reason}")
    if REPORT not in os.environ:
        return
    failed = {report.nodeid: _cause(report) for what in ("failed", "error") for report in stats.get(what, ())}
    outcome = {"passed": len(stats.get("passed", ())), "failed": failed, "skipped": skipped}
    Path(os.environ[REPORT]).write_text(json.dumps(outcome))


def _cause(report: Any) -> str:
    """The first line of what went wrong."""
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash is not None else str(report.longrepr)
    return text.strip().split("\n")[0][:300]
