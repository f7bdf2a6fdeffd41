"""A frame and the protocol of everything that yields frames.

A frame is luma plus lazy colour with the time of its exposure; the camera's own JPEG is kept when there is one, so
that a picture is never encoded twice. Must not know what is on the pictures.
"""

from __future__ import annotations

from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.events.errors import DeviceError, UnreadableError
from controller.vision.picture_size import scans_of
from controller.vision.pictures import TooLargeError, decoded, picture_in

Image = NDArray[np.uint8]
_REDUCED = {
    2: cv2.IMREAD_REDUCED_GRAYSCALE_2,
    4: cv2.IMREAD_REDUCED_GRAYSCALE_4,
    8: cv2.IMREAD_REDUCED_GRAYSCALE_8,
}
NO_JPEG = "a picture of the stream is no JPEG. Fix: set the camera to MJPEG"


def other_size(size_px: tuple[int, int], calibrated_px: tuple[int, int]) -> str:
    """What is wrong with pictures of a size, both as (width, height) in px; empty if they are as calibrated."""
    if size_px == calibrated_px:
        return ""
    now, then = (" × ".join(map(str, size)) for size in (size_px, calibrated_px))
    return f"pictures of {now}, calibrated with {then}. Fix: set camera.width and camera.height, or calibrate again"


class EndOfRecordingError(Exception):
    """A recorded source has no further frame; live sources never raise it."""


class Frame:
    """One picture.

    `t_ns`: middle of the exposure of the middle row. `row_ns`: time from one row to the next where the shutter
    rolls, 0 where it is global. `number` counts the source's frames from 0, so that a gap is a lost frame.
    Decoded lazily and once: `luma` (H, W) and `bgr` (H, W, 3), both uint8. Raises DeviceError from `luma` or `bgr`
    when the JPEG cannot be decoded.
    """

    __slots__ = ("_bgr", "_luma", "exposure_ns", "jpeg", "number", "row_ns", "t_ns")

    def __init__(
        self,
        t_ns: int,
        number: int = 0,
        *,
        jpeg: bytes | None = None,
        luma: Image | None = None,
        bgr: Image | None = None,
        exposure_ns: int = 0,
        row_ns: float = 0.0,
    ) -> None:
        self.t_ns = t_ns
        self.number = number
        self.jpeg = jpeg
        self.exposure_ns = exposure_ns
        self.row_ns = row_ns
        self._luma = luma
        self._bgr = bgr

    @property
    def luma(self) -> Image:
        """The brightness, (H, W)."""
        if self._luma is None:
            if self._bgr is not None:
                self._luma = cv2.cvtColor(self._bgr, cv2.COLOR_BGR2GRAY)
            else:
                self._luma = _decode(self.jpeg, cv2.IMREAD_GRAYSCALE)
        return self._luma

    def judged(self) -> tuple[Image, str]:
        """The brightness, and what the decoder says of the camera's JPEG: one line, empty if it is in order.

        Raises as `luma` does.
        """
        if self.jpeg is None:
            return self.luma, ""
        try:
            return decoded(self.jpeg, cv2.IMREAD_GRAYSCALE)
        except UnreadableError as error:
            raise _unusable(error) from error

    def reduced(self, by: int) -> Image | None:
        """The brightness at 1/`by` of the size, each pixel the mean of `by` × `by`, straight from the JPEG.

        That is cheaper than decoding it all. None where there is no JPEG or it has no such size: `by` is 2, 4 or 8.
        Raises DeviceError when the JPEG cannot be decoded.
        """
        flag = _REDUCED.get(by)
        return _decode(self.jpeg, flag) if self.jpeg is not None and flag is not None else None

    @property
    def bgr(self) -> Image:
        """The colours, (H, W, 3) in OpenCV's order; grey three times where the camera gives no colour."""
        if self._bgr is None:
            if self.jpeg is not None:
                self._bgr = _decode(self.jpeg, cv2.IMREAD_COLOR)
            else:
                self._bgr = cv2.cvtColor(self.luma, cv2.COLOR_GRAY2BGR)
        return self._bgr

    def small_bgr(self) -> Image:
        """The colours at an eighth of the size; cheaper than all of them. Raises as `bgr`."""
        if self._bgr is None and self.jpeg is not None:
            return _decode(self.jpeg, cv2.IMREAD_REDUCED_COLOR_8)
        height, width = self.bgr.shape[:2]
        small = cv2.resize(self.bgr, (-(-width // 8), -(-height // 8)), interpolation=cv2.INTER_AREA)
        return np.asarray(small, np.uint8)

    def pixels(self) -> bytes:
        """What the pixels come from, without decoding them: equal in two pictures that show the very same."""
        return scans_of(self.jpeg) if self.jpeg is not None else self.luma.tobytes()

    def encoded(self, quality: int = 85) -> bytes:
        """Returns the camera's own JPEG, or makes one."""
        if self.jpeg is None:
            done, buffer = cv2.imencode(".jpg", self.bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])
            if not done:
                raise DeviceError(f"frame {self.number} cannot be encoded as JPEG. Fix: check the camera's format")
            self.jpeg = buffer.tobytes()
        return self.jpeg


def _decode(jpeg: bytes | None, flags: int) -> Image:
    try:
        return picture_in(jpeg or b"", flags)
    except UnreadableError as error:
        raise _unusable(error) from error


def _unusable(error: UnreadableError) -> DeviceError:
    if isinstance(error, TooLargeError):
        return DeviceError(f"a picture of the stream {error}. Fix: set the camera to a size it has")
    return DeviceError(NO_JPEG)


class FrameSource(Protocol):
    """Anything that yields frames. One thread opens, reads and closes it.

    `live`: frames come by themselves and are lost if nobody reads; a recording waits.
    """

    live: bool

    def open(self) -> None:
        """Opens it. Raises DeviceError, saying what and how to repair it, if that is impossible now."""
        ...

    def read(self, timeout_s: float) -> Frame | None:
        """Returns the next frame, or None if none came in time.

        Raises DeviceError when the source is gone and must be opened anew, EndOfRecordingError after a
        recording's last frame.
        """
        ...

    def close(self) -> None:
        """Releases it; harmless when it is not open."""
        ...
