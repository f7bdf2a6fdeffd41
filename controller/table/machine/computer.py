"""What the machine says of itself: how hot it is, and whether its supply holds. Reads, and judges nothing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

LOW_NOW, LOW_SINCE = 1 << 0, 1 << 16
SLOWED_NOW, SLOWED_SINCE = 0b1110, 0b1110 << 16
"""Bits of `vcgencmd get_throttled`, now and since the start: under-voltage; capped, throttled, at its limit of heat."""


def memory_bytes() -> int:
    """Returns how much memory the machine has, all in all."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def temperature(system: Path = Path("/sys")) -> float | None:
    """Returns the processor's temperature in °C, None where the machine does not tell."""
    try:
        return int((system / "class/thermal/thermal_zone0/temp").read_text()) / 1000
    except (OSError, ValueError):
        return None


def throttled(system: Path = Path("/sys")) -> int | None:
    """Returns the bits of `vcgencmd get_throttled`, or what the kernel knows of them; None on other machines."""
    if shutil.which("vcgencmd"):
        try:
            done = subprocess.run(["vcgencmd", "get_throttled"], check=False, capture_output=True, text=True, timeout=5)
            said = done.stdout
        except (OSError, subprocess.TimeoutExpired):
            said = ""
        if found := re.fullmatch(r"throttled=(0x[0-9a-fA-F]+)\s*", said):
            return int(found[1], 16)
    for sensor in sorted((system / "class/hwmon").glob("hwmon*")):
        try:
            if (sensor / "name").read_text().strip() == "rpi_volt":
                return LOW_NOW if int((sensor / "in0_lcrit_alarm").read_text()) else 0
        except (OSError, ValueError):
            continue
    return None
