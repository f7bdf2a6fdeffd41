"""Asks a camera for its modes: libcamera for those on the Pi's own connectors, the driver (V4L2) for the others.

Looks, and changes nothing. The installer imports it before anything is installed: the standard library alone.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import struct
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from controller.commands.cameras.camera_modes import Mode
from controller.events.errors import DeviceError

LIST = ("rpicam-hello", "--list-cameras")
LIST_S = 10.0

MJPG, YUYV = (int.from_bytes(code, "little") for code in (b"MJPG", b"YUYV"))
"""The first is what the vision process asks for; the second is what it gets where a camera does not compress."""

ENUM_FRAMESIZES, ENUM_FRAMEINTERVALS = 0xC02C564A, 0xC034564B
"""VIDIOC_ENUM_FRAMESIZES and VIDIOC_ENUM_FRAMEINTERVALS of linux/videodev2.h."""

DISCRETE = 1
"""Type of an entry that stands for one size or one interval, in both enumerations."""

MOST_ENTRIES = 256
"""A camera has some twenty; one that never ends its list is not read for ever."""

_CAMERA = re.compile(r"\s*(\d+) : ([^\[\n]*)")
_MODE = re.compile(r"(\d+)x(\d+) \[(\d+(?:\.\d+)?) fps - \((\d+), (\d+)\)/(\d+)x(\d+) crop\]")


@dataclass(frozen=True, slots=True)
class Listed:
    """A camera in libcamera's list: its number, its model (`imx708_wide`), its modes."""

    number: str
    model: str
    modes: tuple[Mode, ...]


def csi_list(command: Sequence[str] = LIST) -> str:
    """Returns libcamera's list of cameras as it prints it; empty where there is no libcamera, or it does not answer."""
    if shutil.which(command[0]) is None:
        return ""
    try:
        return subprocess.run(command, check=False, capture_output=True, text=True, timeout=LIST_S).stdout
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return ""


def listed(text: str) -> list[Listed]:
    """Reads libcamera's list. A mode that several formats of its pixels have is of the fastest."""
    found: list[Listed] = []
    for line in text.splitlines():
        if camera := _CAMERA.match(line):
            found.append(Listed(camera[1], camera[2].strip() or "camera", ()))
        elif found:
            modes = {(one.width_px, one.height_px, one.crop_px): one for one in found[-1].modes}
            for words in _MODE.findall(line):
                width, height, fps, *crop = words
                x, y, w, h = map(int, crop)
                mode = Mode(int(width), int(height), float(fps), (x, y, w, h))
                same = (mode.width_px, mode.height_px, mode.crop_px)
                modes[same] = max(mode, modes.get(same, mode), key=lambda one: one.fps)
            found[-1] = Listed(found[-1].number, found[-1].model, tuple(modes.values()))
    return found


def v4l2_modes(device: str) -> list[Mode]:
    """Returns what a driver offers. `device`: a path, or N of /dev/videoN. Raises DeviceError if it does not open."""
    try:
        camera = os.open(f"/dev/video{device}" if device.isdecimal() else device, os.O_RDWR | os.O_NONBLOCK)
    except OSError as error:
        raise DeviceError(f"{device}: {error.strerror}") from error
    try:
        return offered(lambda request, entry: fcntl.ioctl(camera, request, entry))
    finally:
        os.close(camera)


def offered(control: Callable[[int, bytearray], object]) -> list[Mode]:
    """Returns each size with each rate that a driver offers, compressed where it can compress.

    `control`: an ioctl on the device; fills the entry in place and raises OSError after the last one.
    """
    for pixels in (MJPG, YUYV):
        found = []
        for size in _entries(control, ENUM_FRAMESIZES, (pixels,), 8):
            kind, width, height = size[:3]
            if kind != DISCRETE:
                break
            for interval in _entries(control, ENUM_FRAMEINTERVALS, (pixels, width, height), 8):
                kind, over, under = interval[:3]
                if over:
                    # Of a range the shortest interval stands first.
                    found.append(Mode(width, height, round(under / over, 2)))
                if kind != DISCRETE:
                    break
        if found:
            return found
    return []


def _entries(
    control: Callable[[int, bytearray], object], request: int, of: tuple[int, ...], words: int
) -> Iterator[tuple[int, ...]]:
    """Yields what an enumeration tells after its index and `of`: the entry's type, its values, two reserved words."""
    for index in range(MOST_ENTRIES):
        entry = bytearray(struct.pack(f"={1 + len(of)}I{4 * (words + 1)}x", index, *of))
        try:
            control(request, entry)
        except OSError:
            return
        yield struct.unpack_from(f"={words + 1}I", entry, 4 * (1 + len(of)))
