"""The same table under another light than it was calibrated in: dimmer, warmer, brighter, the lamp hung elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from controller.simulator.camera import Camera
from controller.simulator.looks import LOOKS, Light
from controller.simulator.stills import random_position, still
from tests.bench.eyes.boards import calibrated
from tests.bench.eyes.tally import Tally, finder
from tests.bench.figure import Figure


def run(name: str, boards: int) -> Iterator[Figure]:
    """Yields the counts of `boards` boards in each light."""
    look = LOOKS[name]
    table = calibrated(name)
    see = finder(table.calibration)
    lamp = look.light
    others: dict[str, Light] = {
        "as calibrated": lamp,
        "a third darker": replace(lamp, level=lamp.level * 0.67),
        "warm": replace(lamp, colour=(255, 206, 150), level=lamp.level * 0.9),
        "lamp elsewhere": replace(lamp, at_mm=(-260.0, 200.0, 1300.0)),
    }
    for what, light in others.items():
        camera, rng, mine = Camera(replace(look, light=light), 1), np.random.default_rng(4), Tally()
        for _ in range(boards):
            frame = still(camera, random_position(rng, look.pieces, striker="south"))
            truths = [(p.piece, p.x_mm, p.y_mm, p.visible) for p in frame.pieces]
            mine.add(truths, mine.timed(see, frame.picture))
        yield Figure(f"another light, {name}: {what}", "sim", mine.line())
