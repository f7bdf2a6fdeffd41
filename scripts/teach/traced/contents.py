"""What one picture of a table shows: the board's measures, how the pieces lie, and what else is over the board."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from calibration.board import DEFAULT_BOARD, Board
from controller.events.words import Seat
from controller.simulator.motion import Pose
from controller.simulator.pieces import QUEEN, PieceSet, is_free
from controller.simulator.stills import random_position
from scripts.teach.boards import SEATS, Rng
from scripts.teach.traced.scene import EDGES

PLACED = 0.75
"""How many pictures have a striker on a base line."""
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


def position(pieces: PieceSet, rng: Rng) -> tuple[dict[int, Pose], Seat | None]:
    """Pieces as they lie in play, and at whose base line the striker lies placed."""
    seat: Seat | None = SEATS[int(rng.integers(4))] if rng.random() < PLACED else None
    lying = random_position(rng, pieces, striker=seat)
    if rng.random() < NO_QUEEN:
        lying.pop(QUEEN, None)
    return lying, seat


def about(lying: dict[int, Pose], pieces: PieceSet, rng: Rng) -> dict[str, tuple[float, float, float]]:
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


def measures(rng: Rng) -> Board:
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
