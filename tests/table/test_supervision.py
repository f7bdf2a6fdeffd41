"""The watchdog is fed by real progress and by nothing else."""

from __future__ import annotations

import os
import socket
import threading
from dataclasses import dataclass

import pytest

from controller.supervision.heartbeat import Heartbeat
from controller.table.machine.notify import notify, watchdog_seconds
from controller.table.machine.supervision import LIMITS_S, Supervision
from tests.patience import PATIENCE_S


@pytest.fixture
def manager(tmp_path, monkeypatch):
    """A service manager's end of the socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.settimeout(60)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        yield listening


@dataclass
class Clock:
    """The machine's clock, set by hand."""

    s: float = 100.0

    def __call__(self) -> float:
        return self.s


@pytest.mark.live
def test_the_watchdog_is_fed_twice_in_its_interval_while_all_go_on(manager) -> None:
    now = Clock()
    desk, watched = Heartbeat("desk", now), Supervision(10.0, now)
    watched.watch(desk)
    assert watched.feed()
    assert manager.recv(100) == b"WATCHDOG=1"
    assert not watched.feed(), "too soon"
    now.s += 5.0
    desk.beat()
    assert watched.feed()


@pytest.mark.live
@pytest.mark.parametrize("name", LIMITS_S)
def test_whoever_stands_still_is_said_and_lets_the_watchdog_bite(manager, name) -> None:
    now = Clock()
    part, watched = Heartbeat(name, now), Supervision(4.0, now)
    watched.watch(part)
    now.s += LIMITS_S[name] - 0.1
    assert not watched.troubles()
    now.s += 0.2
    assert f"{name} hangs" in watched.troubles()[name]
    assert not watched.feed()
    part.beat()
    assert not watched.troubles()
    assert watched.feed()


@pytest.mark.live
def test_whoever_has_died_is_said_for_good(manager) -> None:
    now = Clock()
    part, watched = Heartbeat("scribe", now), Supervision(4.0, now)
    watched.watch(part)
    part.died_of = "ValueError: x"
    assert "scribe has died (ValueError: x)" in watched.troubles()["scribe"]
    assert not watched.feed()


def test_a_part_without_a_limit_cannot_be_watched() -> None:
    with pytest.raises(KeyError):
        Supervision(None).watch(Heartbeat("somebody"))


def test_supervision_looks_by_itself_and_tells_what_has_changed() -> None:
    now, told, news = Clock(), [], threading.Event()
    part, watched = Heartbeat("desk", now), Supervision(None, now)
    watched.watch(part)

    def changed(troubles) -> None:
        told.append(tuple(troubles))
        news.set()

    watched.start(changed)
    part.died_of = "ValueError: x"
    assert news.wait(PATIENCE_S)
    watched.stop()
    assert told == [("desk",)]


def test_without_a_service_manager_nothing_is_said(monkeypatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    assert not notify("READY=1")
    assert not Supervision(None).feed()


def test_the_watchdogs_interval_is_ours_only_if_it_is_meant_for_us(monkeypatch) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "20000000")
    monkeypatch.delenv("WATCHDOG_PID", raising=False)
    assert watchdog_seconds() == 20.0
    monkeypatch.setenv("WATCHDOG_PID", str(os.getpid() + 1))
    assert watchdog_seconds() is None


@pytest.mark.live
def test_a_manager_that_is_gone_stops_nobody(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "nobody"))
    assert not notify("WATCHDOG=1")
