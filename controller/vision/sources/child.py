"""A CSI camera through a child process that writes JPEG after JPEG to its standard output (`rpicam-vid`).

libcamera's Python lives in the system's interpreter and stays out of ours. The child is ended with us.
"""

from __future__ import annotations

import os
import select
import subprocess
import time
from collections import deque
from collections.abc import Callable, Sequence

from controller.events.errors import DeviceError, PeerError
from controller.vision.sources.frame import Frame
from controller.vision.sources.multipart import MultipartReader

CHUNK = 256 * 1024

AWB_GAINS = "1.8,1.7"
"""Red and blue, as under an ordinary lamp: what matters is that they stay, colours are learnt as this camera shows
them."""


def rpicam_command(
    camera: str, width: int, height: int, fps: float, exposure_us: int | None, gain: float | None
) -> list[str]:
    """Returns the `rpicam-vid` call: MJPEG to standard output, focus and white balance locked.

    Exposure and gain are locked where they are given; without them the camera regulates both.
    """
    call = ["rpicam-vid", "--codec", "mjpeg", "--timeout", "0", "--nopreview", "--flush", "--output", "-"]
    call += ["--camera", camera if camera.isdigit() else "0", "--width", str(width), "--height", str(height)]
    call += ["--framerate", f"{fps:g}", "--denoise", "off", "--autofocus-mode", "manual"]
    call += ["--awbgains", AWB_GAINS]
    if exposure_us is not None:
        call += ["--shutter", str(exposure_us)]
    if gain is not None:
        call += ["--gain", f"{gain:g}"]
    return call


class ChildSource:
    """Frames from a child's standard output; the newest one where several have come."""

    live = True

    def __init__(
        self,
        command: Sequence[str],
        now_ns: Callable[[], int],
        *,
        exposure_ns: int = 0,
        row_ns: float = 0.0,
        newest_only: bool = True,
    ) -> None:
        self._command = list(command)
        self._now_ns = now_ns
        self._exposure_ns = exposure_ns
        self._row_ns = row_ns
        self._newest_only = newest_only
        self._child: subprocess.Popen[bytes] | None = None
        self._reader = MultipartReader()
        self._waiting: deque[tuple[int, bytes]] = deque()
        self._number = 0
        self._last_ns = -1
        self.skipped = 0

    def open(self) -> None:
        """Starts the child."""
        self.close()
        try:
            self._child = subprocess.Popen(
                self._command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
            )
        except OSError as error:
            raise DeviceError(
                f"{self._command[0]} cannot be started: {error.strerror}. Fix: install it or set camera.command"
            ) from error
        assert self._child.stdout is not None
        os.set_blocking(self._child.stdout.fileno(), False)
        self._reader = MultipartReader()

    def read(self, timeout_s: float) -> Frame | None:
        """Returns the next frame (the newest with `newest_only`)."""
        if self._child is None or self._child.stdout is None:
            raise DeviceError(f"{self._command[0]} does not run. Fix: open it first")
        deadline = time.monotonic() + timeout_s
        stdout = self._child.stdout
        while True:
            left = max(0.0, deadline - time.monotonic())
            hurry = bool(self._waiting)
            if hurry and (not self._newest_only or left <= 0):
                return self._frame()
            if not select.select([stdout], [], [], 0.0 if hurry else left)[0]:
                return self._frame() if hurry else None
            data = stdout.read(CHUNK)
            if data == b"":
                if self._waiting:
                    return self._frame()
                code = self._child.wait()
                raise DeviceError(f"{self._command[0]} ended with code {code}. Fix: run it by hand to see why")
            if data:
                now = self._now_ns()
                try:
                    self._waiting.extend((now, part.body) for part in self._reader.feed(data))
                except PeerError as error:
                    raise DeviceError(f"{self._command[0]}: {error}") from error

    def _frame(self) -> Frame:
        while self._newest_only and len(self._waiting) > 1:
            self._waiting.popleft()
            self._number += 1
            self.skipped += 1
        arrived_ns, jpeg = self._waiting.popleft()
        number, self._number = self._number, self._number + 1
        # Several may come in one gulp; no two were exposed at once.
        self._last_ns = max(arrived_ns - self._exposure_ns // 2, self._last_ns + 1)
        return Frame(
            self._last_ns,
            number,
            jpeg=jpeg,
            exposure_ns=self._exposure_ns,
            row_ns=self._row_ns,
        )

    def close(self) -> None:
        """Ends the child."""
        if self._child is not None:
            self._child.kill()
            self._child.wait()
            if self._child.stdout is not None:
                self._child.stdout.close()
        self._child = None
        self._waiting.clear()
