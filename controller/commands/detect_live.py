"""`carrom detect --live`: a page with the camera's picture and what is found in it drawn over it.

A process of its own, at low priority: where the vision process runs it reads its ring and costs it nothing, otherwise
it reads the camera itself. It finds at most twice a second and only while somebody looks.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

from controller.commands.served_page import HTML, JSON, Answer, ServedPage
from controller.events.errors import CarromError, ConfigError
from controller.vision.calibration_file import Calibration
from controller.vision.finding import find
from controller.vision.overlay import board_lines, figures, overlay
from controller.vision.quality import surface_of
from controller.vision.ring import RingReader
from controller.vision.sources.capture import Capture
from controller.vision.sources.frame import EndOfRecordingError, Frame, FrameSource, other_size

EVERY_S = 0.5
LOOKED_AT_S = 3.0
"""Without a request for so long nobody looks, and nothing is searched for."""

WAIT_S = 0.2
LOW_PRIORITY = 10

Newest = Callable[[], Frame | None]


class LiveView:
    """Finds in the newest picture again and again; what was found last can be asked for by any thread."""

    def __init__(self, calibration: Calibration, newest: Newest, trouble: Callable[[], str] = lambda: "") -> None:
        self._calibration = calibration
        self._newest = newest
        self._trouble = trouble
        self._surface = surface_of(calibration.model, calibration.board)
        self._lock = threading.Lock()
        self._times: deque[int] = deque(maxlen=60)
        width, height = calibration.model.size
        self._state: dict[str, Any] = {"number": None, "width": width, "height": height, "says": "no picture yet"}
        self._jpeg = b""
        self._asked_s = 0.0
        self._stop = threading.Event()

    def state(self) -> dict[str, Any]:
        """What was found last; says that somebody looks."""
        self._asked_s = time.monotonic()
        with self._lock:
            return {**self._state, "says": self._trouble() or self._state["says"]}

    def jpeg(self) -> bytes:
        """The picture in which it was found."""
        with self._lock:
            return self._jpeg

    def stop(self) -> None:
        """Ends `run`."""
        self._stop.set()

    def run(self) -> None:
        """Finds until it is stopped."""
        due_s = 0.0
        frame: Frame | None = None
        while not self._stop.is_set():
            newer = self._newest()
            if newer is not None:
                frame = newer
                self._times.append(newer.t_ns)
            now = time.monotonic()
            if frame is None or now < due_s or now - self._asked_s > LOOKED_AT_S:
                if newer is None:
                    self._stop.wait(0.02)
                continue
            due_s = now + EVERY_S
            try:
                self._look(frame)
            except CarromError as error:
                with self._lock:
                    self._state = {**self._state, "says": str(error)}
            frame = None

    def _look(self, frame: Frame) -> None:
        calibration = self._calibration
        height, width = frame.bgr.shape[:2]
        if wrong := other_size((width, height), calibration.model.size):
            raise ConfigError(wrong)
        began = time.thread_time()
        found = find(frame.bgr, calibration.model, calibration.looks, calibration.board)
        spent_ms = (time.thread_time() - began) * 1e3
        span_s = (self._times[-1] - self._times[0]) / 1e9 if len(self._times) > 1 else 0.0
        state = {
            "number": frame.number,
            "width": width,
            "height": height,
            "says": "",
            "fps": round((len(self._times) - 1) / span_s, 1) if span_s > 0 else 0.0,
            "found_ms": round(spent_ms, 1),
            "lines": board_lines(calibration.model, calibration.board),
            **figures(frame.luma, self._surface, calibration.model, calibration.grade),
            **overlay(found, calibration),
        }
        jpeg = frame.encoded()
        with self._lock:
            self._state, self._jpeg = state, jpeg


def from_ring(path: Path) -> Newest:
    """The newest picture of the ring, each once."""
    ring = RingReader(path)
    last: list[int | None] = [None]

    def newest() -> Frame | None:
        number = ring.newest()
        if number is None or number == last[0]:
            return None
        last[0] = number
        picture = ring.picture(number)
        if picture is None:
            return None
        return Frame(picture.t_ns, number, jpeg=picture.jpeg, exposure_ns=picture.exposure_ns)

    return newest


def from_capture(capture: Capture) -> Newest:
    """The newest picture of a camera; a recording's last one stays."""

    def newest() -> Frame | None:
        try:
            return capture.newest(WAIT_S)
        except EndOfRecordingError:
            time.sleep(WAIT_S)
            return None

    return newest


def page_of(view: LiveView, port: int, host: str = "127.0.0.1") -> ServedPage:
    """The page of a live view. Raises DeviceError if the port is taken."""
    html = files("controller.commands").joinpath("live_view.html").read_bytes()

    def get(path: str) -> Answer | None:
        if path == "/":
            return HTML, html
        if path == "/state.json":
            return JSON, json.dumps(view.state()).encode()
        return ("image/jpeg", jpeg) if path == "/picture.jpg" and (jpeg := view.jpeg()) else None

    return ServedPage(host, port, get)


def serve(calibration: Calibration, ring: Path | None, make: Callable[[], FrameSource] | None, port: int) -> int:
    """Serves the page until it is interrupted."""
    os.nice(LOW_PRIORITY)
    capture = Capture(make) if make is not None else None
    if capture is not None:
        capture.start()
        view = LiveView(calibration, from_capture(capture), lambda: capture.says)
    else:
        assert ring is not None
        view = LiveView(calibration, from_ring(ring))
    page = page_of(view, port)
    page.start()
    print(f"live view: {page.url} (end with Ctrl-C)", flush=True)
    try:
        view.run()
    except KeyboardInterrupt:
        view.stop()
    finally:
        page.stop()
        if capture is not None:
            capture.stop()
    return 0
