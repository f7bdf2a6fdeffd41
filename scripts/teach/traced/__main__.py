"""`python -m scripts.teach.traced OUT FIRST COUNT` path-traces COUNT tables from seed FIRST on, one file a table.

A file holds what `boards.draw` returns: pictures laid flat, the empty board, and where each piece's top lies.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from calibration.board import DEFAULT_BOARD, Board
from controller.simulator.pieces import opening
from controller.simulator.stills import random_position
from controller.vision.finding.flat import flat_for
from controller.vision.looks import looks_of
from scripts.teach.boards import SEATS, Rng, SeenBy, random_look, tops, write_looks
from scripts.teach.traced.develop import camera_for, develop
from scripts.teach.traced.scene import Scene

STILLS = 6
ANOTHER_LAMP = 0.35
"""How often the board was shown empty under a lamp of another strength."""
REACHED, TWO_ARMS, THINGS = 0.4, 0.06, 0.1
"""How often a picture has an arm over the board, a second one, and each thing that people put down."""


def draw(seed: int) -> dict[str, Any]:
    """One table's pictures laid flat and their truth, as `boards.draw` gives them."""
    rng = np.random.default_rng(seed)
    look = random_look(rng)
    scene = Scene(look, Board(), rng)
    lens = scene.view.lens
    bare = scene.render({}, {}, seed)
    camera = camera_for(bare, rng)
    if rng.random() < ANOTHER_LAMP:
        bare = scene.render({}, {}, seed, lamps=float(np.exp(rng.normal(0, 0.5))))
    model: Any = SeenBy(scene.view, rng.normal(0, 0.12, 2), (lens.width, lens.height))
    diameter = look.pieces.coin_diameter_mm + float(rng.normal(0, 0.15))
    looks = replace(
        looks_of(DEFAULT_BOARD),
        coin_diameter_mm=diameter,
        coin_thickness_mm=look.pieces.coin_thickness_mm + float(rng.normal(0, 0.25)),
    )
    flat = flat_for(model, looks, DEFAULT_BOARD)
    empty = flat.lay(develop(bare, camera, rng))
    flats, truths = [], []
    for k in range(STILLS):
        lying = (
            opening(look.pieces, rng, float(rng.uniform(0, 60)))
            if k == 0
            else random_position(rng, look.pieces, striker=SEATS[int(rng.integers(4))] if rng.random() < 0.75 else None)
        )
        light = scene.render(lying, _about(scene, rng) if k else {}, seed + k + 1)
        today = replace(camera, gain=camera.gain * float(np.exp(rng.normal(0, 0.06))))
        flats.append(flat.lay(develop(light, today, rng)))
        truths.append(tops(scene.shown(lying), lying, look.pieces, scene.view, flat.z_mm))
    flat_for.cache_clear()
    return {
        "flats": np.stack(flats),
        "empty": empty,
        "truths": truths,
        "board": flat.board,
        "scale": flat.scale,
        "side": flat.side,
        "centre_mm": np.asarray(scene.view.centre),
        "coin_mm": diameter,
        "striker_mm": look.pieces.striker_diameter_mm,
    }


def _about(scene: Scene, rng: Rng) -> dict[str, tuple[float, float, float]]:
    """What else is over the board in one picture: x, y and turn by name."""
    wanted = [("arm0", REACHED), ("arm1", TWO_ARMS), *((name, THINGS) for name in ("phone", "tin", "card"))]
    found = {}
    for name, share in wanted:
        if rng.random() < share:
            x, y = (float(v) for v in rng.uniform(-330, 330, 2))
            # An arm comes over the frame that is nearest; what is put down lies anyhow.
            turn = (
                float(np.arctan2(y, x) + rng.normal(0, 0.4)) if name.startswith("arm") else float(rng.uniform(0, 6.28))
            )
            found[name] = (x, y, turn)
    return found


if __name__ == "__main__":
    write_looks(draw)
