"""The simulated clock: a file of one little-endian int64, nanoseconds, that others read through a memory map."""

from __future__ import annotations

import mmap
import struct
from pathlib import Path

EPOCH_NS = 1_000_000_000_000
"""The clock's time at a match's start: well above zero, as a monotonic clock's is."""


class ClockFile:
    """Writes the simulated time. Make it before anybody opens the file; it begins at `begin_ns`."""

    def __init__(self, path: Path, begin_ns: int = EPOCH_NS) -> None:
        path.write_bytes(struct.pack("<q", begin_ns))
        with path.open("r+b") as stream:
            self._memory = mmap.mmap(stream.fileno(), 8)
        self._now = begin_ns

    def set(self, t_ns: int) -> None:
        """Moves the clock on; it never goes back."""
        if t_ns > self._now:
            self._now = t_ns
            # One aligned store of eight bytes: a reader sees the old time or the new one.
            self._memory[0:8] = struct.pack("<q", t_ns)

    def now_ns(self) -> int:
        """The simulated time."""
        return self._now

    def close(self) -> None:
        """Lets go of the file; its last time stays."""
        self._memory.close()
