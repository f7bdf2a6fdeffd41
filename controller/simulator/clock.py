"""The simulated clock: a file of one little-endian int64, nanoseconds, that others read."""

from __future__ import annotations

import os
import struct
import threading
from pathlib import Path

EPOCH_NS = 1_000_000_000_000
"""The clock's time at a match's start: well above zero, as a monotonic clock's is."""


class ClockFile:
    """Writes the simulated time. Make it before anybody opens the file; it begins at `EPOCH_NS`."""

    def __init__(self, path: Path) -> None:
        path.write_bytes(struct.pack("<q", EPOCH_NS))
        self._file = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
        self._now = EPOCH_NS
        # A node in this process must not have a later time than a daemon that asks it in between.
        self._one_time = threading.Lock()

    def set(self, t_ns: int) -> None:
        """Moves the clock on; it never goes back."""
        with self._one_time:
            if t_ns > self._now:
                # Eight bytes in one write: a reader sees the old time or the new one.
                os.pwrite(self._file, struct.pack("<q", t_ns), 0)
                self._now = t_ns

    def now_ns(self) -> int:
        """The simulated time."""
        with self._one_time:
            return self._now

    def close(self) -> None:
        """Lets go of the file; its last time stays."""
        os.close(self._file)
