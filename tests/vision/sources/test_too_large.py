"""A picture that says it is huge is refused by its head: nothing is decoded, and the size is said."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest

from controller.events.errors import DeviceError, UnreadableError
from controller.vision.picture_size import size_of
from controller.vision.pictures import picture_of
from controller.vision.sources.frame import Frame

SIDE = 9000
"""Decoded in half a second, were it decoded; the next kilobyte may say 32 000."""
FLAT = np.full((48, 64, 3), 120, np.uint8)


def encoded(ending: str) -> bytes:
    return bytes(cv2.imencode(ending, FLAT)[1])


def huge_jpeg(progressive: bool = False) -> bytes:
    data = bytes(cv2.imencode(".jpg", FLAT, [cv2.IMWRITE_JPEG_PROGRESSIVE, int(progressive)])[1])
    at = data.index(b"\xff\xc2" if progressive else b"\xff\xc0")
    return data[: at + 5] + struct.pack(">HH", SIDE, SIDE) + data[at + 9 :]


def with_a_thumbnail(data: bytes) -> bytes:
    """Whose own size stands before the picture's; and a remark, and a byte that belongs to nothing."""
    inner = encoded(".jpg")
    segments = b"\xff\xe1" + struct.pack(">H", len(inner) + 2) + inner + b"\xff\xfe\x00\x04ab" + b"\x07\xff"
    return data[:2] + segments + data[2:]


def huge_png() -> bytes:
    head = b"IHDR" + struct.pack(">IIBBBBB", SIDE, SIDE, 8, 2, 0, 0, 0)
    data = encoded(".png")
    return data[:12] + head + struct.pack(">I", zlib.crc32(head)) + data[33:]


def huge_bmp() -> bytes:
    data = encoded(".bmp")
    return data[:18] + struct.pack("<ii", SIDE, SIDE) + data[26:]


HUGE = {
    "jpeg": huge_jpeg(),
    "progressive": huge_jpeg(progressive=True),
    "thumbnail": with_a_thumbnail(huge_jpeg()),
    "png": huge_png(),
    "bmp": huge_bmp(),
}


@pytest.mark.parametrize("kind", HUGE)
def test_a_picture_that_says_it_is_huge_is_refused_with_its_size(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "huge"
    path.write_bytes(HUGE[kind])
    with pytest.raises(UnreadableError, match="9000 × 9000 pixels; at most 64 million"):
        picture_of(path)
    for look in (lambda: Frame(0, jpeg=HUGE[kind]).luma, Frame(0, jpeg=HUGE[kind]).judged):
        with pytest.raises(DeviceError, match=r"9000 × 9000 .*Fix:"):
            look()


@pytest.mark.parametrize("ending", [".jpg", ".png", ".bmp", ".tif", ".webp", ".ppm"])
def test_the_size_of_each_kind_is_read(ending: str, tmp_path: Path) -> None:
    data = encoded(ending)
    assert size_of(data) == size_of(with_a_thumbnail(data) if ending == ".jpg" else data) == (64, 48)
    path = tmp_path / f"a{ending}"
    path.write_bytes(data)
    assert picture_of(path).shape == FLAT.shape


@pytest.mark.parametrize(
    "data", [b"", b"\xff\xd8\xff", b"\xff\xd8" + b"\xff" * 99, b"GIF89a", b"\x89PNG\r\n\x1a\n" * 9]
)
def test_what_has_no_size_is_no_picture(data: bytes) -> None:
    assert size_of(data) is None
