"""What a picture says before it is decoded: how large it is, and which part of a JPEG its pixels come from.

A picture of 1 kB that says 32 000 x 32 000 takes gigabytes and seconds within one call of the decoder, in which the
process hears nothing. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO

from PIL import Image, UnidentifiedImageError

MOST_PIXELS = 64_000_000
"""8192 x 7812: more than any camera in a table's reach has; in colour 192 MB, which the smallest computer still has."""

JPEG = b"\xff\xd8\xff"
FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""The markers of a JPEG behind which its size stands (ITU T.81, table B.1)."""
ALONE = frozenset({0x01, *range(0xD0, 0xDA)})
"""Markers without a segment."""
SCAN = 0xDA

# Nothing is decoded here, and the limit is ours.
Image.MAX_IMAGE_PIXELS = None


def size_of(data: bytes) -> tuple[int, int] | None:
    """Returns width and height in px; None for what is no picture that can be read."""
    if data.startswith(JPEG):
        return _size_of_jpeg(data)
    try:
        with Image.open(BytesIO(data)) as picture:
            return picture.size
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError, ArithmeticError):
        return None


def scans_of(jpeg: bytes) -> bytes:
    """Returns what of a JPEG its pixels come from: without remarks, thumbnails and what was written behind its end."""
    begin = next((at for marker, at in _segments(jpeg) if marker == SCAN), 0)
    end = jpeg.find(b"\xff\xd9", begin)
    return jpeg[begin : end if end >= 0 else len(jpeg)]


def _size_of_jpeg(data: bytes) -> tuple[int, int] | None:
    """Of a camera's every picture, so without Pillow, which also wants tables and remarks to be in order."""
    at = next((at for marker, at in _segments(data) if marker in FRAMES), len(data))
    if at + 9 > len(data):
        return None
    return int.from_bytes(data[at + 7 : at + 9], "big"), int.from_bytes(data[at + 5 : at + 7], "big")


def _segments(data: bytes) -> Iterator[tuple[int, int]]:
    """Markers up to the first scan's, and where each is, as the decoder finds them: other bytes are passed over."""
    at = 2
    while (at := data.find(b"\xff", at)) >= 0 and at + 4 <= len(data):
        marker = data[at + 1]
        if marker in (0x00, 0xFF) or marker in ALONE:
            at += 1 if marker == 0xFF else 2
            continue
        yield marker, at
        if marker == SCAN:
            return
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
