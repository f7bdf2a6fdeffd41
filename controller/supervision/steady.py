"""The clock of everything that lasts: it goes on as time does, however the wall's clock is set meanwhile.

A Pi without a battery begins in the past and jumps when it finds the network; somebody sets a clock by hand. Who is let
in for a day, waits a minute or has been asked since a quarter of an hour must not notice.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from controller.events.reading import FromJson, Number

Seconds = Callable[[], float]


def boot_id() -> str:
    """Returns what tells one start of the machine from another; empty where nothing does."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


@dataclass(frozen=True, slots=True)
class Moment(FromJson):
    """When something was kept, by each clock there is, in seconds. `boot`: the machine's start that `monotonic` counts
    from."""

    boot: str
    monotonic: Number
    wall: Number
    now: Number


class SteadyClock:
    """Unix seconds as they were at the start, and from then on by the machine's own clock.

    `wall`: the wall's clock; `monotonic`: seconds since the machine was started; `boot`: which start that was.
    """

    def __init__(self, wall: Seconds = time.time, monotonic: Seconds = time.monotonic, boot: str | None = None) -> None:
        self._wall, self._monotonic = wall, monotonic
        self._boot = boot_id() if boot is None else boot
        self._ahead = wall() - monotonic()

    def now(self) -> float:
        """Returns the time, for comparing and reckoning."""
        return self._monotonic() + self._ahead

    def shown(self, t: float) -> float:
        """Returns a time of this clock as the wall's clock has it today, for people."""
        return self._wall() + t - self.now()

    def moment(self) -> Moment:
        """Returns this moment, to be kept beside the times that were kept then."""
        return Moment(self._boot, self._monotonic(), self._wall(), self.now())

    def carried(self, kept: Moment) -> float:
        """Returns what is to be added to a time that an earlier process kept together with its moment.

        Between two starts of the machine only the wall's clock tells how long it was; one that went back tells nothing.
        """
        if kept.boot == self._boot != "":
            passed = self._monotonic() - kept.monotonic
        else:
            passed = max(0.0, self._wall() - kept.wall)
        return self.now() - (kept.now + passed)
