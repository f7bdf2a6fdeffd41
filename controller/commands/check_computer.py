"""The computer's part of `carrom check`: room and speed of its disk, its heat, its supply."""

from __future__ import annotations

import os
import shutil
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from controller.commands.findings import Finding, writable
from controller.config import Config
from controller.table.computer import LOW_NOW, LOW_SINCE, SLOWED_NOW, SLOWED_SINCE, temperature, throttled
from controller.table.health import HOT_C, LEAST_DISK_BYTES

SYNCS = 16
"""So many small writes are tried; a card shows its worst within them."""
SYNC_BYTES = 4096
BLOCK_BYTES = 512
"""What a file's blocks are counted in, whatever its file system has."""
SLOW_COMMIT_S = 0.1
"""A ruling is told as saved after its write; later than a tenth of a second, people see it lag."""

SUPPLY = "Mend: the maker's own supply on its own cable, and lamps and other hungry things on another one"
AIR = "Mend: a cooler on the processor, and air around the case"


def probe_disk(config: Config) -> Iterator[Finding]:
    """Yields a line for each folder that the table writes in: rights, room, and how long a saved write takes."""
    for name, folder in (("state", config.table.state), ("runtime", config.table.runtime)):
        there = next((place for place in (folder, *folder.parents) if place.is_dir()), Path("/"))
        free = shutil.disk_usage(there).free
        if not writable(there):
            mend = "give it to the user who runs carrom"
            if there != folder:
                yield Finding(
                    "disk", "fail", f"{folder}: cannot be made. Mend: set [table] {name} to a writable folder"
                )
            else:
                yield Finding("disk", "fail", f"{folder}: cannot be written. Mend: {mend}")
        elif name == "runtime" and free < (wanted := _pictures(config)):
            says = f"{folder}: {free // 2**20} MB free, the latest pictures want {wanted // 2**20}"
            yield Finding("disk", "fail", f"{says}. Mend: lower camera.ring_mb")
        elif name == "state" and free < LEAST_DISK_BYTES:
            says = f"{folder}: {free // 2**20} MB free. Mend: make room, a match needs about 50 MB"
            yield Finding("disk", "fail", says)
        elif name == "state":
            yield keeps_up(folder, free, commit_times(there))
        else:
            yield Finding("disk", "ok", f"{folder}: {free // 2**20} MB free")


def _pictures(config: Config) -> int:
    """How many bytes the eyes' ring of pictures still needs in the runtime folder, which mostly is memory."""
    if config.camera.kind == "none":
        return 0
    # Imported here: a table without a camera never needs OpenCV.
    from controller.vision.eyes import RING

    ring = config.table.runtime / RING
    there = ring.stat().st_blocks * BLOCK_BYTES if ring.is_file() else 0
    return max(0, config.camera.ring_mb * 2**20 - there)


def commit_times(
    folder: Path, sync: Callable[[int], None] = os.fsync, now: Callable[[], float] = time.perf_counter
) -> list[float]:
    """Returns how many seconds each of some small writes took until it was safe from a power cut."""
    file = folder / ".carrom-check"
    times = []
    try:
        with file.open("wb", buffering=0) as stream:
            for _ in range(SYNCS):
                stream.write(bytes(SYNC_BYTES))
                began = now()
                sync(stream.fileno())
                times.append(now() - began)
    finally:
        file.unlink(missing_ok=True)
    return times


def keeps_up(folder: Path, free_bytes: int, times_s: Sequence[float]) -> Finding:
    """Judges the journal's disk by its room and by the times that writes took."""
    middle, worst = statistics.median(times_s), max(times_s)
    says = f"{folder}: {free_bytes // 2**20} MB free, a write is safe after {middle * 1e3:.0f} ms"
    says += f", {worst * 1e3:.0f} at most"
    if middle <= SLOW_COMMIT_S:
        return Finding("disk", "ok", says)
    return Finding("disk", "warn", f"{says}: rulings will lag. Mend: a card rated A2, or a USB disk for [table] state")


def probe_computer(_config: Config, system: Path = Path("/sys")) -> Iterator[Finding]:
    """Yields what heat or the supply do to the computer, or one line that both are in order."""
    heat, bits = temperature(system), throttled(system)
    found = [] if bits is None else list(power(bits))
    if heat is not None and heat >= HOT_C:
        found.append(f"{heat:.0f} °C: it slows itself down. {AIR}")
    yield from (Finding("computer", "warn", says) for says in found)
    if not found:
        warm = "temperature not told" if heat is None else f"{heat:.0f} °C"
        supply = "supply not told by this machine" if bits is None else "no under-voltage since it was started"
        yield Finding("computer", "ok", f"{warm}, {supply}")


def power(bits: int) -> Iterator[str]:
    """Yields what a Raspberry Pi says of its supply and of having been slowed down."""
    if bits & LOW_NOW:
        yield f"the supply's voltage is too low now. {SUPPLY}"
    elif bits & LOW_SINCE:
        yield f"the supply's voltage was too low since the start. {SUPPLY}"
    if bits & SLOWED_NOW:
        yield f"it is slowed down now, by heat or for want of voltage. {AIR}"
    elif bits & SLOWED_SINCE:
        yield f"it was slowed down since the start, by heat or for want of voltage. {AIR}"
