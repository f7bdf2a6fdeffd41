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
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import Any

from controller.events.errors import CarromError, ConfigError, DeviceError
from controller.vision.calibration_file import Calibration
from controller.vision.finding import find
from controller.vision.overlay import board_lines, figures, overlay
from controller.vision.quality import surface_of
from controller.vision.ring import RingReader
from controller.vision.sources.capture import Capture
from controller.vision.sources.frame import EndOfRecordingError, Frame, FrameSource

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
        if (width, height) != calibration.model.size:
            wanted = " × ".join(map(str, calibration.model.size))
            raise ConfigError(f"pictures of {width} × {height}, calibrated with {wanted}. Mend: calibrate again")
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


class Page:
    """The page of a live view at `url`. Raises DeviceError if the port is taken."""

    def __init__(self, view: LiveView, port: int, host: str = "127.0.0.1") -> None:
        try:
            self._server = ThreadingHTTPServer((host, port), _handler(view))
        except OSError as error:
            raise DeviceError(f"port {port} cannot be used: {error.strerror}. Mend: choose another --http") from error
        self._server.daemon_threads = True
        self.url = f"http://{host}:{self._server.server_address[1]}/"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True, name="live-view")

    def start(self) -> None:
        """Begins to answer."""
        self._thread.start()

    def stop(self) -> None:
        """Ends answering."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


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
    page = Page(view, port)
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


def _handler(view: LiveView) -> type[BaseHTTPRequestHandler]:
    page = files("controller.commands").joinpath("live_view.html").read_bytes()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            if path == "/":
                self._answer("text/html; charset=utf-8", page)
            elif path == "/state.json":
                self._answer("application/json", json.dumps(view.state()).encode())
            elif path == "/picture.jpg" and (jpeg := view.jpeg()):
                self._answer("image/jpeg", jpeg)
            else:
                self.send_error(404)

        def _answer(self, kind: str, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

    return Handler
