"""How well the eyes calibrate and find: on simulated tables, on renders, on photographs of real boards.

`EYES` names the parts to run, all of them without it (see `PARTS`); each takes
a few minutes. `RENDERS`, `PHOTOS` and `STROKES` name the folders (default ../shared/renders, ../shared/real and
../shared/strokes). Nothing is tuned to them, nor to the simulator's kept looks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import cv2

from controller.simulator.looks import DEVELOPMENT, MEASURED_ONLY
from tests.bench.eyes import (
    boards,
    calibrating,
    light,
    memory,
    middle,
    other_boards,
    placement,
    retouched,
    still_pictures,
)
from tests.bench.figure import Figure

PARTS: dict[str, Callable[[bool], Iterator[Figure]]] = {
    "photographs": lambda long: still_pictures.photographs(Path(os.environ.get("PHOTOS", "../shared/real"))),
    "renders": lambda long: still_pictures.renders(Path(os.environ.get("RENDERS", "../shared/renders"))),
    "calibration": lambda long: calibrating.renders(
        Path(os.environ.get("RENDERS", "../shared/renders")), Path(os.environ.get("STROKES", "../shared/strokes"))
    ),
    "calibration-drawn": lambda long: calibrating.drawn(200 if long else 12),
    "calibration-boards": lambda long: other_boards.run(60 if long else 6),
    "calibration-sides": lambda long: other_boards.by_side(60 if long else 12),
    "strokes": lambda long: still_pictures.strokes(Path(os.environ.get("STROKES", "../shared/strokes"))),
    "nets": lambda long: retouched.nets(Path(os.environ.get("RENDERS", "../shared/renders"))),
    "queenless": lambda long: retouched.queenless(Path(os.environ.get("RENDERS", "../shared/renders"))),
    "kept": lambda long: boards.run(MEASURED_ONLY, "kept looks", 1000 if long else 80),
    "known": lambda long: boards.run(DEVELOPMENT, "known looks", 1000 if long else 120),
    "middle": lambda long: middle.run(DEVELOPMENT, "about the middle", 60 if long else 12),
    "kept-middle": lambda long: middle.run(MEASURED_ONLY, "about the middle, kept looks", 60 if long else 12),
    "placement": lambda long: placement.run(("birch-match", "pale"), "placement", 400 if long else 48),
    "kept-placement": lambda long: placement.run(("kept-sun",), "placement, kept look", 800 if long else 48),
    "light": lambda long: light.run("birch-match", 100 if long else 12),
    "memory": lambda long: memory.run(1000 if long else 60),
}


def run(long: bool) -> Iterable[Figure]:
    """Yields the figures of the parts named by EYES."""
    cv2.setNumThreads(1)
    names = os.environ.get("EYES", "").replace(",", " ").split() or list(PARTS)
    for name in names:
        if name not in PARTS:
            yield Figure(name, "host", "no such part", note=f"EYES may name: {', '.join(PARTS)}")
            continue
        yield from PARTS[name](long)
