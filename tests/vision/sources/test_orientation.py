"""A picture's EXIF orientation is read alike at every door: files, recordings, streams; colour, grey and reduced."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from controller.vision.pictures import picture_of
from controller.vision.sources.frame import Frame
from controller.vision.sources.recorded import FolderSource


def board() -> np.ndarray:
    """A picture (BGR) whose eight ways to lie all differ."""
    picture = np.full((48, 64, 3), 40, np.uint8)
    picture[:16, :40] = 220
    picture[:32, :8] = 220
    return picture


def tagged(picture: np.ndarray, orientation: int) -> bytes:
    """A JPEG whose pixels are the picture's and whose tag says that it lies otherwise."""
    done, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 95])
    assert done
    tiff = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0" + bytes([orientation, 0]) + b"\0" * 6
    said = b"Exif\0\0" + tiff
    jpeg = data.tobytes()
    return jpeg[:2] + b"\xff\xe1" + (len(said) + 2).to_bytes(2, "big") + said + jpeg[2:]


LIES = {
    1: lambda p: p,
    2: np.fliplr,
    3: lambda p: np.rot90(p, 2),
    4: np.flipud,
    5: lambda p: np.swapaxes(p, 0, 1),
    6: lambda p: np.rot90(p, -1),
    7: lambda p: np.rot90(np.swapaxes(p, 0, 1), 2),
    8: lambda p: np.rot90(p, 1),
}
"""How the camera was held, by the tag's value (EXIF 2.32, table 6)."""


@pytest.mark.parametrize("orientation", list(LIES))
def test_every_door_turns_a_picture_alike(orientation: int, tmp_path: Path) -> None:
    wanted = LIES[orientation](board())[..., 0].astype(int)
    file = tmp_path / "1.jpg"
    file.write_bytes(tagged(board(), orientation))
    source = FolderSource(tmp_path)
    source.open()
    recorded = source.read(1.0)
    assert recorded is not None
    streamed = Frame(0, jpeg=file.read_bytes())
    reduced = streamed.reduced(2)
    assert reduced is not None
    doors = [picture_of(file)[..., 0], picture_of(file, cv2.IMREAD_GRAYSCALE)]
    doors += [recorded.luma, recorded.bgr[..., 0], streamed.luma, streamed.bgr[..., 0]]
    for door, seen in enumerate(doors):
        assert seen.shape == wanted.shape, door
        assert np.abs(seen.astype(int) - wanted).max() < 40, door
    assert np.abs(reduced.astype(int) - wanted[::2, ::2]).max() < 60
