"""The computer's part of `carrom check`: room and speed of its disk, its heat, its supply."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from controller.commands.findings import Finding, unwritable
from controller.config import Config
from controller.events.doors import fix_of
from controller.table.machine.computer import LOW_NOW, LOW_SINCE, SLOWED_NOW, SLOWED_SINCE, temperature, throttled
from controller.table.machine.health import HOT_C, LEAST_DISK_BYTES

SYNCS = 16
"""So many small writes are tried; a card shows its worst within them."""
SYNC_BYTES = 4096
SLOW_COMMIT_S = 0.1
"""A ruling is published as saved after its write; later than a tenth of a second, people see it lag."""

SUPPLY = "Fix: the maker's own supply on its own cable, and lamps and other hungry things on another one"
SET_CLOCK = "connect it to the net once, and sudo timedatectl set-ntp true; without a net, a battery for its clock"
OLDEST_UNIX = 1_735_689_600
"""The beginning of 2025: a Pi without a battery begins in the year in which its system was made, or in 1970."""
AIR = "Fix: a cooler on the processor, and air around the case"


def probe_disk(config: Config) -> Iterator[Finding]:
    """Yields a line for each folder that the table writes in: rights, room, and how long a saved write takes."""
    for name, folder in (("state", config.table.state), ("runtime", config.table.runtime)):
        there = next((place for place in (folder, *folder.parents) if place.is_dir()), Path("/"))
        free = shutil.disk_usage(there).free
        if error := unwritable(there):
            cannot, fix = "written", "give it to the user who runs carrom"
            if there != folder:
                cannot, fix = "made", f"set [table] {name} to a writable folder"
            says = f"{folder}: cannot be {cannot} ({error.strerror}). Fix: {fix_of(error, fix)}"
            yield Finding("disk", "fail", says)
        elif name == "runtime" and (less := _pictures(config)):
            got, wanted = less
            says = f"{folder}: {free // 2**20} MB free, so the latest pictures get {got} MB of {wanted}"
            fix = "lower camera.ring_mb, or a computer with more memory"
            yield Finding("disk", "warn", f"{says}: clips may lack their beginning. Fix: {fix}")
        elif name == "state" and free < LEAST_DISK_BYTES:
            says = f"{folder}: {free // 2**20} MB free. Fix: make room, a match needs about 50 MB"
            yield Finding("disk", "fail", says)
        elif name == "state":
            yield keeps_up(folder, free, commit_times(there))
        else:
            yield Finding("disk", "ok", f"{folder}: {free // 2**20} MB free")


def _pictures(config: Config) -> tuple[int, int] | None:
    """How many MB the ring of pictures gets in the runtime folder, which mostly is memory, and how many it wants;
    None where it gets them."""
    if config.camera.kind == "none":
        return None
    # Imported here: a table without a camera never needs OpenCV.
    from controller.vision.eyes import RING
    from controller.vision.ring import room

    wanted = config.camera.ring_mb
    if not config.table.runtime.is_dir():
        return None
    got = room(config.table.runtime / RING, wanted * 2**20) // 2**20
    return (got, wanted) if got < wanted else None


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
    return Finding("disk", "warn", f"{says}: rulings will lag. Fix: a card rated A2, or a USB disk for [table] state")


def probe_clock(
    _config: Config, told: Callable[[], str] | None = None, now: Callable[[], float] = time.time
) -> Iterator[Finding]:
    """Yields whether the wall's clock is right: rulings are dated by it. `told`: what systemd says, `yes` or `no`."""
    if now() < OLDEST_UNIX:
        says = f"it is {time.strftime('%Y-%m-%d', time.gmtime(now()))} here"
        yield Finding("clock", "fail", f"{says}. Fix: {SET_CLOCK}")
        return
    synchronised = (told or synchronised_by_systemd)()
    if synchronised == "no":
        says = "nobody sets it: dates of rulings may be wrong, play is timed by another one"
        yield Finding("clock", "warn", f"{says}. Fix: {SET_CLOCK}")
    elif synchronised == "yes":
        yield Finding("clock", "ok", "set by the network")
    else:
        yield Finding("clock", "ok", "whether the network sets it this machine does not tell")


def synchronised_by_systemd() -> str:
    """Returns `yes`, `no`, or nothing where systemd cannot be asked."""
    command = ["timedatectl", "show", "--property=NTPSynchronized", "--value"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=5, check=False).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


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
