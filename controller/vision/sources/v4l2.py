"""A USB camera through V4L2, with exposure, gain, focus and white balance locked.

The driver's own buffers are kept short and OpenCV's select gives up after a second, so that an unplugged camera is
noticed. MJPEG is asked for and kept undecoded where the camera speaks it.
"""

from __future__ import annotations

import fcntl
import os
import struct
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

os.environ.setdefault("OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT", "1")

import cv2
import numpy as np

from controller.events.doors import whole_number
from controller.events.errors import DeviceError
from controller.vision.decoder_warnings import tell, warnings_caught
from controller.vision.sources.frame import Frame

V4L2_MANUAL = 1
"""`auto_exposure` of the UVC driver: 1 is manual, 3 is aperture priority."""

SILENT_S = 0.9
"""A grab that fails after this long only ran into OpenCV's select: nothing came, but the camera is there."""

OLDEST_NS = 5_000_000_000
"""A picture that waited in the driver is at most so old; a stamp beyond that is of another clock."""

MOST_DEVICES = 256
"""The kernel's own limit of /dev/videoN."""

AUTO_GAIN = 0x00980912
SET_CONTROL = 0xC008561C
"""VIDIOC_S_CTRL, for the one automatic that OpenCV has no name for."""


@dataclass(frozen=True, slots=True)
class V4l2Settings:
    """What is asked of the camera. None leaves a value as the camera has it, after switching its automatics off."""

    device: str
    width: int = 1280
    height: int = 720
    fps: float = 60.0
    exposure_us: int | None = None
    gain: float | None = None
    row_ns: float = 0.0


class V4l2Source:
    """Frames of a V4L2 device."""

    live = True

    def __init__(self, settings: V4l2Settings, now_ns: Callable[[], int]) -> None:
        self._settings = settings
        self._now_ns = now_ns
        self._camera: Any = None
        self._jpeg = False
        self._number = 0
        self._exposure_ns = 0

    def open(self) -> None:
        """Opens the device and locks what the camera would otherwise change by itself."""
        self.close()
        wanted = self._settings
        number = whole_number(wanted.device)
        device: str | int = number if 0 <= number < MOST_DEVICES else wanted.device
        if isinstance(device, str) and not os.path.exists(device):  # noqa: PTH110 - a link into /dev
            raise DeviceError(f"camera {device}: no such device. Fix: plug it in or set camera.device")
        camera = cv2.VideoCapture(device, cv2.CAP_V4L2)
        if not camera.isOpened():
            camera.release()
            raise DeviceError(
                f"camera {device}: cannot be opened. "
                "Fix: close other programs, join group video, or name the first of its nodes"
            )
        camera.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        camera.set(cv2.CAP_PROP_FRAME_WIDTH, wanted.width)
        camera.set(cv2.CAP_PROP_FRAME_HEIGHT, wanted.height)
        camera.set(cv2.CAP_PROP_FPS, wanted.fps)
        camera.set(cv2.CAP_PROP_BUFFERSIZE, 2)
        size = (round(camera.get(cv2.CAP_PROP_FRAME_WIDTH)), round(camera.get(cv2.CAP_PROP_FRAME_HEIGHT)))
        if size != (wanted.width, wanted.height):
            camera.release()
            raise DeviceError(
                f"camera {device}: gives {size[0]} x {size[1]}, not {wanted.width} x {wanted.height}. "
                "Fix: set camera.width and camera.height to a size it offers, and calibrate again"
            )
        self._jpeg = round(camera.get(cv2.CAP_PROP_FOURCC)) == cv2.VideoWriter.fourcc(*"MJPG") and bool(
            camera.set(cv2.CAP_PROP_CONVERT_RGB, 0)
        )
        self._lock(camera)
        self._camera = camera

    def _lock(self, camera: Any) -> None:
        camera.set(cv2.CAP_PROP_AUTOFOCUS, 0)
        camera.set(cv2.CAP_PROP_AUTO_WB, 0)
        camera.set(cv2.CAP_PROP_AUTO_EXPOSURE, V4L2_MANUAL)
        _switch_off(self._settings.device, AUTO_GAIN)
        if self._settings.exposure_us is not None:
            # UVC counts exposure in 100 µs.
            camera.set(cv2.CAP_PROP_EXPOSURE, max(1, round(self._settings.exposure_us / 100)))
        if self._settings.gain is not None:
            camera.set(cv2.CAP_PROP_GAIN, self._settings.gain)
        self._exposure_ns = max(0, round(camera.get(cv2.CAP_PROP_EXPOSURE))) * 100_000

    def read(self, timeout_s: float) -> Frame | None:
        """Returns the next frame. Waits as long as OpenCV's own select: a second, whatever `timeout_s` says."""
        if self._camera is None:
            raise DeviceError(f"camera {self._settings.device} is not open. Fix: open it first")
        began_s = time.monotonic()
        if not self._camera.grab():
            if time.monotonic() - began_s >= SILENT_S:
                return None
            raise DeviceError(f"camera {self._settings.device} gives no picture. Fix: check its cable")
        arrived_ns = self._stamp()
        with warnings_caught() as warned:
            done, data = self._camera.retrieve()
        tell(warned.says)
        if not done or data is None:
            raise DeviceError(f"camera {self._settings.device} gives a broken picture. Fix: check its cable")
        number, self._number = self._number, self._number + 1
        t_ns = arrived_ns - self._exposure_ns // 2
        picture = np.asarray(data, np.uint8)
        return Frame(
            t_ns,
            number,
            jpeg=_first_jpeg(picture.tobytes()) if self._jpeg else None,
            bgr=None if self._jpeg else picture,
            exposure_ns=self._exposure_ns,
            row_ns=self._settings.row_ns,
        )

    def _stamp(self) -> int:
        # The driver stamps its buffers with the monotonic clock at the end of the exposure; some OpenCV versions
        # report 0, and a camera that stamps by another clock is off by more than a frame can be old.
        driver = round(self._camera.get(cv2.CAP_PROP_POS_MSEC) * 1e6)
        # The two clocks side by side: whatever came between them would be in the frame's time.
        now, monotonic = self._now_ns(), time.monotonic_ns()
        age = monotonic - driver
        return now - age if 0 <= age < OLDEST_NS else now

    def close(self) -> None:
        """Releases the device."""
        if self._camera is not None:
            self._camera.release()
        self._camera = None


def _switch_off(device: str, control: int) -> None:
    """Sets a control to 0 where the camera has it."""
    with suppress(OSError):
        camera = os.open(f"/dev/video{device}" if device.isdigit() else device, os.O_RDWR | os.O_NONBLOCK)
        try:
            fcntl.ioctl(camera, SET_CONTROL, struct.pack("Ii", control, 0))
        finally:
            os.close(camera)


def _first_jpeg(buffer: bytes) -> bytes:
    """The JPEG at a driver's buffer's beginning: OpenCV hands out all of it, with what older pictures left there."""
    scan = buffer.find(b"\xff\xda")
    end = buffer.find(b"\xff\xd9", scan) if scan >= 0 else -1
    return buffer[: end + 2] if end >= 0 else buffer
