"""Whether finding at rest keeps memory: the same pictures again and again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from controller.simulator.camera import Camera
from controller.simulator.looks import LOOKS
from controller.simulator.stills import random_position, still
from tests.bench.eyes.boards import calibrated
from tests.bench.eyes.tally import finder
from tests.bench.figure import Figure

LIMIT_KB = 2048


def run(findings: int) -> Iterator[Figure]:
    """Yields how much memory grew over the second half of so many findings.

    The 100 000 frames of the requirement are followed by the bench of following; here it is the finder alone.
    """
    look = LOOKS["pale"]
    table = calibrated("pale", views=6)
    see, camera, rng = finder(table.calibration), Camera(look, 1), np.random.default_rng(3)
    taken = [still(camera, random_position(rng, look.pieces, striker="south")).picture for _ in range(8)]
    early = 0
    for k in range(findings):
        see(taken[k % len(taken)])
        if k == findings // 2:
            early = _resident_kb()
    grown = _resident_kb() - early
    name = f"memory grown over the second half of {findings} findings"
    yield Figure(name, "sim", f"{grown / 1024:.1f} MiB", "≤ 2 MiB", grown < LIMIT_KB)


def _resident_kb() -> int:
    gc.collect()
    line = next(row for row in Path("/proc/self/status").read_text().splitlines() if row.startswith("VmRSS"))
    return int(line.split()[1])
