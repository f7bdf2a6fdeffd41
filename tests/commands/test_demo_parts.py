"""The demo's parts: its brokers come up and go, fallen processes come back, and the tally tells right from wrong."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from controller.commands.demo import broker as brokers
from controller.commands.demo.stage import Stage
from controller.commands.demo.tally import Tally, judge
from controller.events.errors import DeviceError
from tests.patience import PATIENCE_S


def connects(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.live
@pytest.mark.parametrize("name", ["mosquitto", "embedded"])
def test_the_demo_brings_its_own_broker(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if name == "embedded":
        monkeypatch.setattr(brokers, "mosquitto_program", lambda: None)
    broker = brokers.start_broker(tmp_path)
    try:
        assert broker.name == name
        assert connects(broker.port)
    finally:
        broker.stop()
    assert not connects(broker.port)


@pytest.mark.live
def test_a_broker_that_dies_is_one_line_with_a_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(brokers, "mosquitto_program", lambda: "/bin/false")
    with pytest.raises(DeviceError, match=r"did not come up on port \d+: it said nothing. Fix: name a running one"):
        brokers.start_broker(tmp_path)


def test_an_outside_broker_is_left_alone(tmp_path: Path) -> None:
    broker = brokers.start_broker(tmp_path, "somewhere:1884")
    assert (broker.host, broker.port) == ("somewhere", 1884)
    with pytest.raises(DeviceError, match="HOST:PORT"):
        brokers.start_broker(tmp_path, "1884")


class Waiting:
    """Stands for `sleep` between restarts: counts them and lets the test go on at the third."""

    def __init__(self) -> None:
        self.times = 0
        self.third = threading.Event()

    def __call__(self, _seconds: float) -> None:
        self.times += 1
        if self.times == 3:
            self.third.set()


@pytest.mark.live
def test_what_falls_is_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    waiting = Waiting()
    stage = Stage(tmp_path, sleep=waiting)
    child = stage.start("eyes")
    assert waiting.third.wait(PATIENCE_S)
    stage.stop()
    assert child.starts >= 3
    assert child.codes[:3] == [1, 1, 1]


@pytest.mark.live
def test_what_says_why_it_cannot_run_is_not(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    child = stage.start("check", "check", "--config", str(tmp_path / "none.toml"))
    watcher = stage._watchers[0]
    watcher.join(PATIENCE_S)
    assert not watcher.is_alive()
    stage.stop()
    assert child.starts == 1
    assert stage.trouble is not None
    assert "there is no such file" in stage.trouble


@pytest.mark.live
def test_ctrl_c_in_the_middle_of_a_start_leaves_no_child_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, started = subprocess.Popen, []

    def interrupted(*args: Any, **more: Any) -> Any:
        started.append(real(*args, **more))
        signal.raise_signal(signal.SIGINT)
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", interrupted)
    monkeypatch.setattr(sys, "executable", "/bin/cat")
    stage = Stage(tmp_path)
    # As in a demo of its own: what ran here before may have taken the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            stage.start("eyes")
    finally:
        signal.signal(signal.SIGINT, before)
        stage.stop()
    assert [child.poll() is not None for child in started] == [True]


SHOT = {"event": "shot", "seat": "south", "pocketed": [{"piece": "white", "pocket": "NE"}]}
RULING = {
    "seq": 2,
    "turn": "south",
    "turn_kept": True,
    "queen": "board",
    "left": {"white": 8, "black": 9, "queen": 1},
    "fouls": [],
    "board": {"number": 1, "over": False, "winner": None, "points": 0},
}
FOUL = {"clause": "icf-130a", "says": "", "status": "ruled"}


def test_the_same_is_no_error() -> None:
    stroke = judge(1, SHOT, RULING, SHOT, RULING, noticed=False)
    assert (stroke.wrong, stroke.ruled, stroke.silent, stroke.false_fouls) == ((), (), False, ())


def test_another_ruling_is_silent_unless_asked_or_noticed() -> None:
    seen = SHOT | {"pocketed": [{"piece": "black", "pocket": "NE"}]}
    ruled = RULING | {"left": {"white": 9, "black": 8, "queen": 1}, "turn": "north", "turn_kept": False}
    assert judge(1, SHOT, RULING, seen, ruled, noticed=False).silent
    assert not judge(1, SHOT, RULING, seen, ruled, noticed=True).silent
    asked = ruled | {"asks": [{"ask": 2}], "provisional": True}
    stroke = judge(1, SHOT, RULING, seen, asked, noticed=False)
    assert not stroke.silent
    assert stroke.wrong == ("pocketed",)
    assert set(stroke.ruled) == {"turn", "turn_kept", "left"}


def test_a_missed_stroke_is_silent_too() -> None:
    tally = Tally([judge(1, SHOT, RULING, None, None, noticed=False)])
    assert (tally.silent, tally.agreeing) == (1, 0)


def test_a_false_foul_is_one_that_was_ruled() -> None:
    raised = RULING | {"fouls": [FOUL | {"status": "to confirm"}]}
    assert judge(1, SHOT, RULING, SHOT, raised, noticed=False).false_fouls == ()
    ruled = RULING | {"fouls": [FOUL]}
    assert judge(1, SHOT, RULING, SHOT, ruled, noticed=False).false_fouls == ("icf-130a",)


def test_what_nobody_watched_is_not_wrong() -> None:
    true = SHOT | {"placement": {"lines": "one"}}
    assert judge(1, true, RULING, SHOT, RULING, noticed=False).wrong == ("placement.lines",)
    assert judge(1, true, RULING, SHOT | {"unseen": ["placement"]}, RULING, noticed=False).wrong == ()


def test_a_ruling_that_lacks_only_what_was_said_to_be_unseen_is_not_silent() -> None:
    true = SHOT | {"placement": {"lines": "one"}}
    ruled_with = RULING | {"fouls": [FOUL], "turn": "north"}
    said = SHOT | {"unseen": ["placement"]}
    stroke = judge(1, true, ruled_with, said, RULING, noticed=False, watched=RULING)
    assert (stroke.unwatched, stroke.silent) == (True, False)
    otherwise = judge(1, true, ruled_with, said, RULING | {"queen": "pending"}, noticed=False, watched=RULING)
    assert (otherwise.unwatched, otherwise.silent) == (False, True)
