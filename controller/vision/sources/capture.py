"""Keeps a source open for ever and hands on its newest frame.

One thread opens, reads and reopens; nobody else ever blocks on a camera. A source that gives nothing for a second is
stalled: it is left to its own thread, which ends when its call returns, and opened anew in another one. Must not know
what the frames show.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Literal

from controller.events.errors import DeviceError
from controller.supervision.heartbeat import SupervisedThread
from controller.vision.sources.frame import EndOfRecordingError, Frame, FrameSource

log = logging.getLogger(__name__)

State = Literal["opening", "ok", "stalled", "lost", "ended"]
STALLED_S = 0.8
"""Noticed within a second, with some room for the thread that looks."""

FIRST_FRAME_S = 5.0
"""A camera may take this long from opening to its first picture."""

LET_GO_S = 0.5
"""A source that was only silent ends its call in this time; opened before that, the camera would still be busy."""

BACK_OFF_S = (0.1, 0.2, 0.5, 1.0, 2.0)


class Capture:
    """The newest frame of a source.

    `make` builds a fresh source each time. With `keep_all` the reader waits until the frame before has been taken,
    so nothing is dropped and the sender feels the back-pressure.
    """

    def __init__(self, make: Callable[[], FrameSource], *, keep_all: bool = False) -> None:
        self._make = make
        self._keep_all = keep_all
        self._condition = threading.Condition()
        self._slot: Frame | None = None
        self._generation = 0
        self._state: State = "opening"
        self._says = ""
        self._dropped = 0
        self._seen = 0
        self._expected: int | None = None
        self._last_sign_s = 0.0
        self._had_frame = False
        self._reading = False
        self._stop = threading.Event()
        self.thread = SupervisedThread("capture", self._supervise, self._stop)
        """For supervision: the one that looks after the reader."""

    def start(self) -> None:
        """Starts reading."""
        self.thread.start()

    def stop(self) -> None:
        """Ends reading; a thread stuck in a driver is left behind."""
        self._stop.set()
        with self._condition:
            self._generation += 1
            self._condition.notify_all()
        self.thread.join()

    @property
    def state(self) -> State:
        """How the source is."""
        return self._state

    @property
    def says(self) -> str:
        """The last trouble in words, with the way out; empty while all is well."""
        return self._says

    @property
    def dropped(self) -> int:
        """Frames that nobody took before the next one came, and those the source itself skipped."""
        return self._dropped

    @property
    def seen(self) -> int:
        """Frames that came."""
        return self._seen

    def newest(self, timeout_s: float) -> Frame | None:
        """Takes the newest frame; None if none came in time. Raises EndOfRecordingError once a recording is over."""
        with self._condition:
            self._condition.wait_for(lambda: self._slot is not None or self._state == "ended", timeout_s)
            frame, self._slot = self._slot, None
            self._condition.notify_all()
            if frame is None and self._state == "ended":
                raise EndOfRecordingError
            return frame

    def _supervise(self, beat: Callable[[], None]) -> None:
        failures = 0
        while not self._stop.is_set():
            beat()
            if self._state == "ended":
                self._stop.wait(LET_GO_S)
                continue
            with self._condition:
                self._generation += 1
                mine = self._generation
                self._expected = None
                self._had_frame = False
                self._last_sign_s = time.monotonic()
            worker = threading.Thread(target=self._work, args=(mine,), name=f"capture-{mine}", daemon=True)
            worker.start()
            self._await_trouble(mine, beat)
            worker.join(LET_GO_S)
            failures = 0 if self._had_frame else failures + 1
            self._stop.wait(BACK_OFF_S[min(failures, len(BACK_OFF_S) - 1)])

    def _await_trouble(self, mine: int, beat: Callable[[], None]) -> None:
        with self._condition:
            while self._generation == mine and not self._stop.is_set() and self._state != "ended":
                beat()
                limit = STALLED_S if self._had_frame else FIRST_FRAME_S
                silent = time.monotonic() - self._last_sign_s
                # While the reader waits for us (keep_all) or for a recording, silence says nothing of the camera.
                if self._reading and silent > limit:
                    self._state = "stalled"
                    self._says = f"the camera has given no picture for {silent:.1f} s. Fix: check its cable"
                    self._generation += 1
                    return
                self._condition.wait(0.1)

    def _work(self, mine: int) -> None:
        source = self._make()
        # Opening may hang in a driver just as reading may.
        self._reading = source.live
        try:
            source.open()
            while self._generation == mine:
                self._reading = source.live
                frame = source.read(STALLED_S / 2)
                if frame is not None and not self._put(frame, mine):
                    return
        except EndOfRecordingError:
            self._leave(mine, "ended", "")
        except DeviceError as error:
            self._leave(mine, "lost", str(error))
        except Exception as error:
            log.exception("the camera's reader failed")
            self._leave(mine, "lost", f"{type(error).__name__}: {error}. Fix: look at the log of the eyes")
        finally:
            source.close()

    def _put(self, frame: Frame, mine: int) -> bool:
        with self._condition:
            if self._keep_all:
                self._reading = False
                self._condition.wait_for(lambda: self._slot is None or self._generation != mine)
            if self._generation != mine:
                return False
            if self._slot is not None:
                self._dropped += 1
            if self._expected is not None and frame.number > self._expected:
                self._dropped += frame.number - self._expected
            self._expected = frame.number + 1
            self._slot = frame
            self._seen += 1
            self._had_frame = True
            self._last_sign_s = time.monotonic()
            self._state, self._says = "ok", ""
            self._condition.notify_all()
            return True

    def _leave(self, mine: int, state: State, says: str) -> None:
        with self._condition:
            if self._generation == mine:
                self._state, self._says = state, says
                self._generation += 1
                self._condition.notify_all()
