"""The power cut at every step of something: before each SQL statement that matters and before a file gets its name."""

from __future__ import annotations

import os
import signal
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

SHARED_MEMORY = Path("/dev/shm")


@pytest.fixture
def quick_path() -> Iterator[Path]:
    """A folder on which durability costs nothing: it is paid for at every step of every try."""
    with tempfile.TemporaryDirectory(dir=SHARED_MEMORY if SHARED_MEMORY.is_dir() else None) as folder:
        yield Path(folder)


def cuts(work: Callable[[], object], prepare: Callable[[], object], words: tuple[str, ...] = ("",)) -> Iterator[int]:
    """Does the work in a child that is killed at step 1, 2, … until it is no longer cut short.

    `prepare` makes the files anew before each try; after each the caller looks at what is left. Yields the step.
    `words`: with which the statements begin that count as steps, all by default.
    """
    step = 0
    while True:
        step += 1
        prepare()
        child = os.fork()
        if child == 0:
            _killed_at(step, work, words)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0, "the work itself failed"
            return
        assert os.WTERMSIG(status) == signal.SIGKILL
        yield step


def _killed_at(step: int, work: Callable[[], object], words: tuple[str, ...]) -> None:
    done = 0

    def one_more(statement: str) -> None:
        nonlocal done
        done += statement.startswith(words)
        if done == step:
            os.kill(os.getpid(), signal.SIGKILL)

    connect, replace = sqlite3.connect, Path.replace

    def traced(*args, **kwargs):
        connection = connect(*args, **kwargs)
        connection.set_trace_callback(one_more)
        return connection

    def named(self, target):
        one_more(words[0])
        return replace(self, target)

    sqlite3.connect, Path.replace = traced, named
    code = 1
    try:
        work()
        code = 0
    finally:
        os._exit(code)
