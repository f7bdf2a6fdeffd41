"""A supervised thread cannot die, end or hang without supervision seeing it."""

from __future__ import annotations

import threading

import pytest

from controller.supervision.heartbeat import SupervisedThread
from tests.patience import PATIENCE_S


class Killed(BaseException):
    """What no ordinary handler catches."""


@pytest.mark.parametrize("killer", [ValueError("broken\ntext"), Killed("gone"), SystemExit(0)])
def test_whatever_kills_it_is_kept(killer) -> None:
    def work(_beat):
        raise killer

    thread = SupervisedThread("scribe", work, threading.Event())
    thread.start()
    assert thread.join(PATIENCE_S)
    assert thread.died_of == f"{type(killer).__name__}: {' '.join(str(killer).split())}"


def test_one_that_ends_unasked_has_died_too() -> None:
    thread = SupervisedThread("scribe", lambda beat: beat(), threading.Event())
    thread.start()
    assert thread.join(PATIENCE_S)
    assert "nobody had asked" in thread.died_of


def test_one_that_ends_when_it_is_asked_has_not() -> None:
    stopping = threading.Event()
    thread = SupervisedThread("scribe", lambda _beat: stopping.wait(PATIENCE_S), stopping)
    thread.start()
    stopping.set()
    assert thread.join(PATIENCE_S)
    assert thread.died_of == ""


def test_one_that_hangs_is_silent_and_left_behind() -> None:
    now, go = [0.0], threading.Event()
    thread = SupervisedThread("scribe", lambda _beat: go.wait(PATIENCE_S), threading.Event(), lambda: now[0])
    thread.start()
    now[0] = 12.0
    assert thread.silent_s() == 12.0
    assert not thread.join(0)
    thread.beat()
    assert thread.silent_s() == 0.0
    go.set()
