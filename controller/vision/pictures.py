"""The one reader of pictures: from files, from cameras and from recordings. OpenCV's own file functions crash on names
that are no UTF-8 and say nothing of why.

A picture's EXIF orientation is obeyed, in colour, in grey and reduced alike, as browsers do with the same JPEGs: a
calibration and what is followed by it see the board from one side. Must not know what is in a picture.
"""

from __future__ import annotations

import glob
from pathlib import Path

import cv2
import numpy as np

from controller.events.doors import why_not
from controller.events.errors import ConfigError, UnreadableError
from controller.vision.decoder_warnings import tell, warnings_caught
from controller.vision.looks import Pixels
from controller.vision.picture_size import MOST_PIXELS, size_of


class TooLargeError(UnreadableError):
    """A picture has more pixels than are taken."""


LARGEST_BYTES = 256 * 2**20
"""Ten times an uncompressed picture of the largest camera that a table can be given."""


KINDS = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".tif", ".tiff", ".webp"})


def pictures_in(folder: Path) -> list[Path]:
    """The pictures of a folder by their endings, in no order. Hidden files are none: a Mac puts one beside each."""
    return [path for path in folder.iterdir() if path.suffix.lower() in KINDS and not path.name.startswith(".")]


def pictures_named(said: str) -> list[Path]:
    """The pictures that an option names, in the order of their names: a file, a folder's, or those of a pattern.

    What is there as it is written is meant: brackets are a choice of letters only where nothing has them in its name.
    """
    for pattern in (glob.escape(said), said.replace("[", "[[]"), said):
        # Path.glob takes no absolute pattern.
        if found := [Path(one) for one in sorted(glob.glob(pattern))]:  # noqa: PTH207
            return [file for one in found for file in (sorted(pictures_in(one)) if one.is_dir() else [one])]
    return []


def picture_of(path: str | Path, flags: int = cv2.IMREAD_COLOR) -> Pixels:
    """Reads a picture. Raises UnreadableError, to be written after the path."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(LARGEST_BYTES + 1)
    except FileNotFoundError as error:
        raise UnreadableError("no such picture") from error
    except (OSError, ValueError) as error:
        raise UnreadableError(f"cannot be read: {why_not(error)}") from error
    if len(data) > LARGEST_BYTES:
        raise UnreadableError(f"is too long; at most {LARGEST_BYTES} bytes are taken")
    return picture_in(data, flags)


def write_picture(path: str, picture: Pixels) -> None:
    """Writes a picture in the format that the name ends with. Raises ConfigError."""
    try:
        fine = cv2.imwrite(path, picture)
    except cv2.error:
        fine = False
    if not fine:
        raise ConfigError(f"{path}: the picture cannot be written there. Fix: a .png in a folder that exists")


def picture_in(data: bytes, flags: int = cv2.IMREAD_COLOR) -> Pixels:
    """Decodes a picture; that it is damaged is logged, seldom. Raises UnreadableError."""
    picture, warned = decoded(data, flags)
    tell(warned)
    return picture


def decoded(data: bytes, flags: int = cv2.IMREAD_COLOR) -> tuple[Pixels, str]:
    """Decodes a picture; the decoder's warnings in one line, empty if it is in order.

    Raises UnreadableError; TooLargeError, before anything is decoded, for one that says it has too many pixels.
    """
    size = size_of(data)
    if size is not None and size[0] * size[1] > MOST_PIXELS:
        most = MOST_PIXELS // 10**6
        raise TooLargeError(f"says that it is {size[0]} × {size[1]} pixels; at most {most} million are taken")
    with warnings_caught() as warned:
        try:
            picture = cv2.imdecode(np.frombuffer(data, np.uint8), flags) if size is not None else None
        except cv2.error:
            # Damaged in a way it did not expect.
            picture = None
    if picture is None:
        raise UnreadableError("cannot be read as a picture")
    return np.asarray(picture, dtype=np.uint8), warned.says
