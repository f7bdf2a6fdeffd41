"""`python -m scripts.teach.traced OUT FIRST COUNT` path-traces COUNT tables from seed FIRST on, one file a table.

A file holds what `boards.draw` returns: pictures laid flat, the empty board, and where each piece's top lies.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from controller.simulator.pieces import opening
from controller.vision.finding.flat import flat_for
from controller.vision.grid import points_mm
from controller.vision.looks import looks_of
from scripts.teach.boards import SeenBy, random_look, tops, write_looks
from scripts.teach.traced.contents import about, measures, position
from scripts.teach.traced.develop import camera_for, develop, on_another_day
from scripts.teach.traced.scene import DAYS, Scene

STILLS = 8
SAME_DAY = 0.35
"""How often a picture is taken in the light in which the board was shown empty."""
SEEN_FROM_MM = 4.0
"""How high above the board it is checked what covers it."""


def draw(seed: int) -> dict[str, Any]:
    """One table's pictures laid flat and their truth, as `boards.draw` gives them."""
    rng = np.random.default_rng(seed)
    look = random_look(rng)
    board = measures(rng)
    look = replace(look, pieces=replace(look.pieces, board=board))
    scene = Scene(look, board, rng)
    lens = scene.view.lens
    bare = scene.render({}, {}, seed)
    camera = camera_for(bare, rng)
    model: Any = SeenBy(scene.view, rng.normal(0, 0.12, 2), (lens.width, lens.height))
    diameter = look.pieces.coin_diameter_mm + float(rng.normal(0, 0.15))
    looks = replace(
        looks_of(board),
        coin_diameter_mm=diameter,
        coin_thickness_mm=look.pieces.coin_thickness_mm + float(rng.normal(0, 0.25)),
    )
    flat = flat_for(model, looks, board)
    empty = flat.lay(develop(bare, camera, rng))
    flats, truths, covers = [], [], []
    half = flat.side // 2
    grid = points_mm(half, flat.scale / 2)
    over = np.column_stack((grid, np.full(len(grid), SEEN_FROM_MM)))
    for k in range(STILLS):
        lying = position(look.pieces, rng)[0] if k else opening(look.pieces, rng, float(rng.uniform(0, 60)))
        day = 0 if rng.random() < SAME_DAY else int(rng.integers(1, DAYS))
        light = scene.render(lying, about(lying, look.pieces, rng) if k else {}, seed + k + 1, day=day)
        today = replace(camera, gain=camera.gain * float(np.exp(rng.normal(0, 0.06))))
        if day:
            today = on_another_day(camera, light, rng)
        flats.append(flat.lay(develop(light, today, rng)))
        covers.append(scene.covers(over).reshape(half, half))
        truths.append(tops(scene.shown(lying), lying, look.pieces, scene.view, flat.z_mm))
    flat_for.cache_clear()
    return {
        "flats": np.stack(flats),
        "empty": empty,
        "truths": truths,
        "covers": np.stack(covers),
        "measures": board,
        "board": flat.board,
        "scale": flat.scale,
        "side": flat.side,
        "centre_mm": np.asarray(scene.view.centre),
        "coin_mm": diameter,
        "striker_mm": look.pieces.striker_diameter_mm,
    }


if __name__ == "__main__":
    write_looks(draw)
