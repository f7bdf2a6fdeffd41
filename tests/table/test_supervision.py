"""The watchdog is fed by real progress and by nothing else."""

from __future__ import annotations

import os
import socket

import pytest

from controller.table.notify import notify, watchdog_seconds
from controller.table.supervision import LIMITS_S, Supervision


@pytest.fixture
def manager(tmp_path, monkeypatch):
    """A service manager's end of the socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.settimeout(10)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        yield listening


def test_the_watchdog_is_fed_twice_in_its_interval_while_the_desk_goes_on(manager) -> None:
    now = [100.0]
    watched = Supervision(10.0, lambda: now[0])
    assert watched.feed()
    assert manager.recv(100) == b"WATCHDOG=1"
    assert not watched.feed(), "too soon"
    now[0] += 5.0
    watched.progressed("desk")
    assert watched.feed()


def test_a_desk_that_stands_still_lets_the_watchdog_bite(manager) -> None:
    now = [100.0]
    watched = Supervision(4.0, lambda: now[0])
    now[0] += LIMITS_S["desk"] + 0.1
    assert watched.stuck() == ("desk",)
    assert not watched.feed()
    watched.progressed("desk")
    assert watched.feed()


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


def test_a_manager_that_is_gone_stops_nobody(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "nobody"))
    assert not notify("WATCHDOG=1")
