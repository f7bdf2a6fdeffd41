"""The ring of pictures that the vision process writes and others read: fixed slots of JPEGs in one memory-mapped file.

A picture is named by its number, which never repeats while the file or its writer lives. A slot carries its number
before and after it is filled; a reader looks at it before and after it copies, so that a picture overwritten meanwhile
is "gone", never mixed. Must not decode anything.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import shutil
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from controller.events.errors import ConfigError, DeviceError

MAGIC = b"CARROM-R"
_HEADER = struct.Struct("<8sIIq")
"""Magic, slots, bytes a slot, number of the newest picture (-1: none)."""
HEADER_BYTES = 64
_SLOT = struct.Struct("<qqqII")
"""Number (-1 while being written), time, exposure, length, unused."""
SLOT_HEADER_BYTES = 40
_NUMBER = struct.Struct("<q")
_NEWEST_AT = 16
MOST_OF_FREE = 0.75
"""The runtime folder is memory that the whole system shares (`/run`, a tenth of what a Debian has)."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture of the ring: the camera's own JPEG, its time (middle of the exposure) and exposure in ns."""

    number: int
    t_ns: int
    exposure_ns: int
    jpeg: bytes


def room(path: Path, wanted_bytes: int) -> int:
    """Returns how many bytes a ring at `path` gets where so many are wanted: what is free, or what it has already."""
    there = path.stat().st_size if path.is_file() else 0
    free = shutil.disk_usage(path.parent).free
    return min(wanted_bytes, max(there, round(MOST_OF_FREE * free)))


class RingWriter:
    """Writes pictures. One writer a file; `open` makes the file or continues one of the same shape.

    Where `ring_bytes` are not to be had, it keeps fewer pictures; `missing` says how many bytes it lacks.
    """

    def __init__(self, path: Path, *, ring_bytes: int, slot_bytes: int) -> None:
        self._path = path
        self._slot_bytes = (slot_bytes + SLOT_HEADER_BYTES + 63) // 64 * 64
        self._wanted = ring_bytes
        self._slots = 0
        self._map: mmap.mmap | None = None
        self._file: os.stat_result | None = None
        self._next = 0

    @property
    def size(self) -> int:
        """Bytes of the file, 0 before it is open."""
        return HEADER_BYTES + self._slots * self._slot_bytes if self._slots else 0

    @property
    def missing(self) -> int:
        """Bytes that it was to have, and has not got."""
        return (self._slots_in(self._wanted) - self._slots) * self._slot_bytes if self._slots else 0

    def open(self) -> None:
        """Opens or makes the file, and its folder. Raises DeviceError where folder or memory do not allow it."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            fix = "Fix: set table.runtime to a folder that this user may write"
            raise DeviceError(f"{self._path.parent}: cannot be made: {error}. {fix}") from error
        # Readers may still hold the old file; a new one beside it leaves theirs whole.
        fresh = self._path.with_name(self._path.name + ".new")
        try:
            before = _shape(self._path)
            self._slots = self._slots_in(room(self._path, self._wanted))
            if before is not None:
                self._next = max(self._next, before[2] + 1)
            if before is None or before[:2] != (self._slots, self._slot_bytes):
                if before is not None:
                    # Both are there for a moment.
                    free = shutil.disk_usage(self._path.parent).free
                    self._slots = min(self._slots, self._slots_in(round(MOST_OF_FREE * free)))
                self._make(fresh)
                fresh.replace(self._path)
            with self._path.open("r+b") as file:
                self._file = os.fstat(file.fileno())
                self._map = mmap.mmap(file.fileno(), self.size)
        except (OSError, ValueError) as error:
            with contextlib.suppress(OSError):
                fresh.unlink()
            raise DeviceError(
                f"{self._path}: the ring of pictures cannot be made: {error}. Fix: free memory or lower camera.ring_mb"
            ) from error

    def _make(self, file: Path) -> None:
        """Makes an empty ring."""
        handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o640)
        try:
            os.posix_fallocate(handle, 0, self.size)
            os.pwrite(handle, _HEADER.pack(MAGIC, self._slots, self._slot_bytes, self._next - 1), 0)
            for slot in range(self._slots):
                os.pwrite(handle, _NUMBER.pack(-1), HEADER_BYTES + slot * self._slot_bytes)
        finally:
            os.close(handle)

    def _slots_in(self, ring_bytes: int) -> int:
        return max(2, (ring_bytes - HEADER_BYTES) // self._slot_bytes)

    def put(self, jpeg: bytes, t_ns: int, exposure_ns: int = 0) -> int | None:
        """Writes a picture and returns its number; None for one that is larger than a slot.

        A file that was taken away, replaced or cut short is made anew, with its folder; numbers go on. Raises
        DeviceError where it cannot be, and tries again with the next picture.
        """
        if not self._is_there():
            self.close()
            self.open()
        if self._map is None or len(jpeg) > self._slot_bytes - SLOT_HEADER_BYTES:
            return None
        number, self._next = self._next, self._next + 1
        at = HEADER_BYTES + (number % self._slots) * self._slot_bytes
        _NUMBER.pack_into(self._map, at, -1)
        body = at + SLOT_HEADER_BYTES
        self._map[body : body + len(jpeg)] = jpeg
        _SLOT.pack_into(self._map, at, -1, t_ns, exposure_ns, len(jpeg), 0)
        _NUMBER.pack_into(self._map, at, number)
        _NUMBER.pack_into(self._map, _NEWEST_AT, number)
        return number

    def _is_there(self) -> bool:
        """Whether readers find the file that is written into: a map must not be touched beyond the end of its file."""
        try:
            there = self._path.stat()
        except OSError:
            return False
        whole = self._map is not None and there.st_size >= self.size
        return whole and self._file is not None and os.path.samestat(there, self._file)

    def close(self) -> None:
        """Closes the map; the file stays for its readers."""
        if self._map is not None:
            self._map.close()
        self._map = None


class RingReader:
    """Reads pictures by number. The writer may come, go and start anew at any time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._map: mmap.mmap | None = None
        self._file: os.stat_result | None = None
        self._slots = 0
        self._slot_bytes = 0

    def newest(self) -> int | None:
        """Returns the newest picture's number, or None while there is none."""
        if not self._attach() or self._map is None:
            return None
        number: int = _NUMBER.unpack_from(self._map, _NEWEST_AT)[0]
        return number if number >= 0 else None

    def picture(self, number: int) -> Picture | None:
        """Returns a picture, or None if it is not there any more, or not yet."""
        if number < 0 or not self._attach() or self._map is None:
            return None
        at = HEADER_BYTES + (number % self._slots) * self._slot_bytes
        found, t_ns, exposure_ns, length, _ = _SLOT.unpack_from(self._map, at)
        if found != number or length > self._slot_bytes - SLOT_HEADER_BYTES:
            return None
        body = at + SLOT_HEADER_BYTES
        jpeg = self._map[body : body + length]
        if _NUMBER.unpack_from(self._map, at)[0] != number:
            return None
        return Picture(number, t_ns, exposure_ns, jpeg)

    def span(self, first: int, last: int) -> list[Picture]:
        """Returns the pictures from `first` to `last` that are still there."""
        newest = self.newest()
        if newest is None:
            return []
        oldest = max(first, newest - self._slots + 1)
        kept = (self.picture(number) for number in range(oldest, min(last, newest) + 1))
        return [picture for picture in kept if picture is not None]

    def close(self) -> None:
        """Closes the map."""
        if self._map is not None:
            self._map.close()
        self._map, self._file = None, None

    def _attach(self) -> bool:
        try:
            there = self._path.stat()
        except OSError:
            return self._map is not None
        # A map must not be touched beyond the end of a file that was cut short.
        same = self._file is not None and os.path.samestat(there, self._file)
        if self._map is not None and same and there.st_size >= len(self._map):
            return True
        self.close()
        shape = _shape(self._path)
        if shape is None:
            return False
        self._slots, self._slot_bytes, _, size = shape
        try:
            with self._path.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
        except (OSError, ValueError):
            return False
        self._file = there
        return True


def save_clip(pictures: Iterable[Picture], folder: Path) -> int:
    """Writes pictures as a folder that `carrom watch` reads (JPEGs and `times.jsonl`). Returns how many.

    Raises ConfigError when the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        count = 0
        with (folder / "times.jsonl").open("w", encoding="utf-8") as times:
            for picture in pictures:
                name = f"{picture.number:09d}.jpg"
                (folder / name).write_bytes(picture.jpeg)
                row = {"image": name, "t_ns": picture.t_ns, "exposure_ns": picture.exposure_ns}
                times.write(json.dumps(row) + "\n")
                count += 1
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be written: {error}. Fix: check evidence.folder") from error
    return count


def _shape(path: Path) -> tuple[int, int, int, int] | None:
    """Returns (slots, bytes a slot, newest, file size), or None where there is no ring."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEADER.size)
            size = os.fstat(file.fileno()).st_size
    except OSError:
        return None
    if len(head) < _HEADER.size:
        return None
    magic, slots, slot_bytes, newest = _HEADER.unpack(head)
    if magic != MAGIC or slots < 1 or slot_bytes <= SLOT_HEADER_BYTES or size != HEADER_BYTES + slots * slot_bytes:
        return None
    return slots, slot_bytes, newest, size
