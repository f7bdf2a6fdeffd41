"""Files that commands write."""

from __future__ import annotations

import os
from pathlib import Path

from controller.events.doors import fix_of
from controller.events.errors import DeviceError


def write_whole(path: Path, body: bytes) -> None:
    """Writes a file so that under its name there is the old one or the new one, never a part. Raises DeviceError."""
    # A name that is a link stays one.
    path = path.resolve()
    fresh = path.with_name(f".{path.name}.new")
    try:
        with fresh.open("wb") as stream:
            stream.write(body)
            stream.flush()
            os.fsync(stream.fileno())
        fresh.replace(path)
    except OSError as error:
        raise DeviceError(
            f"{path}: {error.strerror}. Fix: {fix_of(error, 'name a file that can be written')}"
        ) from error
