"""A source kept open for ever: newest frame wins, stalls are noticed within a second, nobody is ever blocked."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from controller.events.errors import DeviceError
from controller.vision.sources.capture import Capture
from controller.vision.sources.frame import EndOfRecordingError, Frame
from tests.patience import PATIENCE_S
from tests.vision.sources.streams import picture

pytestmark = pytest.mark.live


class Scripted:
    """A source that does what its script says; `wait` blocks like a driver that hangs."""

    live = True

    def __init__(self, script: list[object], hang: threading.Event, live: bool = True) -> None:
        self._script = list(script)
        self._hang = hang
        self.live = live
        self._number = 0

    def open(self) -> None:
        if self._script and self._script[0] == "hang in open":
            self._script.pop(0)
            self._hang.wait(60)
        if self._script and isinstance(self._script[0], OSError):
            raise self._script.pop(0)  # type: ignore[misc]

    def read(self, timeout_s: float) -> Frame | None:
        if not self._script:
            raise DeviceError("unplugged. Fix: plug it in")
        step = self._script.pop(0)
        if step == "hang":
            self._hang.wait(60)
            return None
        if step == "end":
            raise EndOfRecordingError
        if step == "wait":
            time.sleep(0)
            return None
        self._number = int(step)  # type: ignore[call-overload]
        return Frame(self._number * 1000, self._number, bgr=picture(0))

    def close(self) -> None:
        pass


def scripts(*all_scripts: list[object], live: bool = True) -> tuple[Callable[[], Scripted], threading.Event]:
    hang = threading.Event()
    left = list(all_scripts)
    return (lambda: Scripted(left.pop(0) if left else [], hang, live)), hang


def until(capture: Capture, wanted: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while capture.state != wanted:
        assert time.monotonic() < deadline, f"still {capture.state}, wanted {wanted}"
        capture.newest(0.05)


def test_an_unplugged_camera_is_opened_again() -> None:
    make, hang = scripts([1], [DeviceError("busy. Fix: wait")], [2, "hang"])
    capture = Capture(make, keep_all=True)
    capture.start()
    first = capture.newest(PATIENCE_S)
    second = capture.newest(PATIENCE_S)
    assert first is not None
    assert second is not None
    assert (first.number, second.number) == (1, 2)
    hang.set()
    capture.stop()


def test_a_camera_that_stays_away_is_tried_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.vision.sources.capture.BACK_OFF_S", (0.0, 0.001))
    make, hang = scripts(*[[DeviceError("gone. Fix: plug it in")] for _ in range(60)], [4, "hang"])
    capture = Capture(make)
    capture.start()
    frame = capture.newest(PATIENCE_S)
    assert frame is not None
    assert frame.number == 4
    hang.set()
    capture.stop()


def test_a_camera_that_hangs_is_noticed_within_a_second_and_replaced() -> None:
    make, hang = scripts([1, "hang"], [7, "hang"])
    capture = Capture(make, keep_all=True)
    capture.start()
    assert capture.newest(PATIENCE_S) is not None
    began = time.monotonic()
    until(capture, "stalled")
    # A limit that the requirement sets; a loaded machine only makes it later, so the margin is for that.
    assert time.monotonic() - began < 5.0
    assert "Fix" in capture.says
    again = capture.newest(PATIENCE_S)
    assert again is not None
    assert again.number == 7
    assert capture.state == "ok"
    hang.set()
    capture.stop()


def test_a_camera_that_hangs_while_it_is_opened_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.vision.sources.capture.FIRST_FRAME_S", 0.3)
    make, hang = scripts(["hang in open"], [3, "hang"])
    capture = Capture(make, keep_all=True)
    capture.start()
    frame = capture.newest(PATIENCE_S)
    assert frame is not None
    assert frame.number == 3
    hang.set()
    capture.stop()


def test_a_lost_camera_says_why() -> None:
    make, _ = scripts([])
    capture = Capture(make)
    capture.start()
    until(capture, "lost")
    assert capture.says == "unplugged. Fix: plug it in"
    capture.stop()


def test_newest_wins_and_the_rest_is_counted() -> None:
    make, hang = scripts([0, 1, 2, 5, "hang"])
    capture = Capture(make)
    capture.start()
    deadline = time.monotonic() + PATIENCE_S
    while capture.seen < 4:
        assert time.monotonic() < deadline
    frame = capture.newest(PATIENCE_S)
    assert frame is not None
    assert frame.number == 5
    # Three were never taken, two never came.
    assert capture.dropped == 5
    hang.set()
    capture.stop()


def test_a_recording_gives_every_frame_and_ends() -> None:
    make, _ = scripts([*range(20), "end"], live=False)
    capture = Capture(make, keep_all=True)
    capture.start()
    frames = [capture.newest(PATIENCE_S) for _ in range(20)]
    got = [frame.number for frame in frames if frame is not None]
    with pytest.raises(EndOfRecordingError):
        capture.newest(PATIENCE_S)
    assert got == list(range(20))
    assert capture.dropped == 0
    capture.stop()


def test_asking_without_a_frame_comes_back() -> None:
    make, hang = scripts(["hang"])
    capture = Capture(make)
    capture.start()
    assert capture.newest(0.05) is None
    hang.set()
    capture.stop()
