"""`python -m scripts.teach.traced OUT FIRST COUNT` path-traces COUNT tables from seed FIRST on, one file a table.

A file holds what `boards.draw` returns: pictures laid flat, the empty board, and where each piece's top lies.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from calibration.board import DEFAULT_BOARD, Board
from controller.simulator.motion import Pose
from controller.simulator.pieces import QUEEN, PieceSet, is_free, opening
from controller.simulator.stills import random_position
from controller.vision.finding.flat import flat_for
from controller.vision.grid import points_mm
from controller.vision.looks import looks_of
from scripts.teach.boards import SEATS, Rng, SeenBy, random_look, tops, write_looks
from scripts.teach.traced.develop import camera_for, develop, on_another_day
from scripts.teach.traced.scene import DAYS, EDGES, Scene

STILLS = 8
SAME_DAY = 0.35
"""How often a picture is taken in the light in which the board was shown empty."""
REACHED, TWO_ARMS, THINGS, STANDS = 0.45, 0.08, 0.06, 0.04
"""How often a picture has an arm over the board, a second one, each thing that people put down, and each of some pieces
on its edge."""
ROOM_MM = {"phone": 84.0, "tin": 25.0, "card": 52.0}
"""How far things reach from their middle; none is put down upon a piece."""
AT_A_PIECE = 0.6
"""How often a hand is at a piece, as players' hands are."""
NO_QUEEN = 0.3
OTHER_BOARD = 0.3
"""How many boards have measures of their own."""
SEEN_FROM_MM = 4.0
"""How high above the board it is looked what covers it."""


def draw(seed: int) -> dict[str, Any]:
    """One table's pictures laid flat and their truth, as `boards.draw` gives them."""
    rng = np.random.default_rng(seed)
    look = random_look(rng)
    board = _board(rng)
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
        lying = (
            opening(look.pieces, rng, float(rng.uniform(0, 60)))
            if k == 0
            else random_position(rng, look.pieces, striker=SEATS[int(rng.integers(4))] if rng.random() < 0.75 else None)
        )
        if k and rng.random() < NO_QUEEN:
            lying.pop(QUEEN, None)
        day = 0 if rng.random() < SAME_DAY else int(rng.integers(1, DAYS))
        light = scene.render(lying, _about(lying, look.pieces, rng) if k else {}, seed + k + 1, day=day)
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


def _about(lying: dict[int, Pose], pieces: PieceSet, rng: Rng) -> dict[str, tuple[float, float, float]]:
    """What else is over the board in one picture: x, y and turn by name."""
    wanted = [("arm0", REACHED), ("arm1", TWO_ARMS), *((name, THINGS) for name in ("phone", "tin", "card"))]
    wanted += [(f"edge{name}", STANDS) for name in EDGES]
    found = {}
    for name, share in wanted:
        if rng.random() >= share:
            continue
        x, y = (float(v) for v in rng.uniform(-330, 330, 2))
        turn = float(rng.uniform(0, 6.28))
        room = ROOM_MM.get(name, pieces.coin_diameter_mm / 2 if name.startswith("edge") else None)
        if room and not is_free(x, y, room, lying, pieces, 4.0):
            continue
        if name.startswith("arm"):
            if lying and rng.random() < AT_A_PIECE:
                at = list(lying.values())[int(rng.integers(len(lying)))]
                x, y = at.x_mm + float(rng.normal(0, 45)), at.y_mm + float(rng.normal(0, 45))
            # An arm comes over the frame that is nearest.
            turn = float(np.arctan2(y, x) + rng.normal(0, 0.5))
        found[name] = (x, y, turn)
    return found


def _board(rng: Rng) -> Board:
    """The laws' board, or one of measures that boards in shops have."""
    if rng.random() >= OTHER_BOARD:
        return DEFAULT_BOARD
    half = float(rng.uniform(355, 375))
    outer = float(rng.uniform(95, 110))
    wide = float(rng.uniform(1.0, 6.0))
    circle = float(rng.uniform(29, 35))
    inner = outer + circle - float(rng.uniform(0.5, 1.5))
    return replace(
        DEFAULT_BOARD,
        half_mm=half,
        pocket_radius_mm=float(rng.uniform(21, 27)),
        outer_line_mm=(outer, outer + wide),
        inner_line_mm=(inner, inner + float(rng.uniform(0.8, 2.0))),
        line_half_length_mm=float(rng.uniform(205, 225)),
        base_circle_diameter_mm=circle,
        base_disc_diameter_mm=circle * float(rng.uniform(0.7, 0.9)),
        centre_circle_diameter_mm=float(rng.uniform(29, 35)),
        outer_circle_diameter_mm=float(rng.uniform(150, 180)),
        arrow_line_width_mm=float(rng.uniform(0.8, 2.0)),
    )


if __name__ == "__main__":
    write_looks(draw)
