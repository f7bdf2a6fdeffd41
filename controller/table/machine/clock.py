"""The one clock everything inside runs on: the machine's monotonic clock, or the simulated board's.

A simulated clock is a file of one little-endian int64, nanoseconds, that the simulator writes and everybody else
reads; not through a memory map, which ends the process where the file is cut short. It stands still while the simulator
thinks and may run faster than real time. Nobody who judges play looks at any other clock; only supervision (is a
process alive?) does.
"""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Callable
from pathlib import Path

from controller.events.errors import ConfigError
from controller.supervision.steady import boot_id

NowNs = Callable[[], int]


def open_clock(file: Path | None) -> NowNs:
    """Returns the clock to run on. Raises ConfigError if the simulated clock's file cannot be read."""
    if file is None:
        return time.monotonic_ns
    try:
        clock = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
        latest: int = struct.unpack("<q", os.pread(clock, 8, 0))[0]
    except (OSError, struct.error) as error:
        raise ConfigError(f"{file}: no simulated clock there ({error}). Fix: remove [clock] file") from error

    def now_ns() -> int:
        nonlocal latest
        raw = os.pread(clock, 8, 0)
        # It never goes back: a file that was cut short, or filled with zeros since, tells no time.
        latest = max(latest, struct.unpack("<q", raw)[0]) if len(raw) == 8 else latest
        return latest

    return now_ns


def clock_name(file: Path | None) -> str:
    """Returns what tells one run of the clock from another: a machine that starts anew counts from zero again."""
    if file is not None:
        return str(file.absolute())
    return boot_id()


class WallClock:
    """Turns monotonic times into Unix seconds for people and payloads.

    The offset is taken anew now and then, because a Pi without a battery clock jumps when it finds the network.
    """

    def __init__(self, now_ns: NowNs, unix: Callable[[], float] = time.time) -> None:
        self._now_ns = now_ns
        self._unix = unix

    def unix_of(self, t_ns: int) -> float:
        """Returns the Unix time in seconds at which the monotonic time `t_ns` was, by today's offset."""
        return self._unix() - (self._now_ns() - t_ns) / 1e9
