"""What the pieces and the board of one table look like: sizes, tones, and the empty board as the camera sees it.

A tone is how a piece's top differs from the bare surface beside it, as logarithms of the ratio in blue, green and
red: a lamp that dims or turns warm scales both alike and leaves the tone. Must not know rules or cameras.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.board import Board
from calibration.camera import CameraModel, Floats
from controller.vision.naming_head import Head

Pixels = NDArray[np.uint8]

TONE_OFFSET = 12.0
"""Grey levels added before the logarithm, so that noise in the dark does not become a tone."""


def tone(colour: ArrayLike, surface: ArrayLike) -> Floats:
    """The tone of BGR colours (…, 3) against the surface's (…, 3), shape (…, 3)."""
    above = np.asarray(colour, dtype=np.float64) + TONE_OFFSET
    below = np.asarray(surface, dtype=np.float64) + TONE_OFFSET
    ratio: Floats = np.log(above / below)
    return ratio


@dataclass(frozen=True)
class Look:
    """How one class looks.

    `mean` (b, g, r) is its tone, `spread` one standard deviation of each from piece to piece. `signed` and `either`
    are its rim as `controller/vision/learning/outline.py` describes it; empty where it was not learnt.
    """

    mean: tuple[float, float, float]
    spread: tuple[float, float, float]
    signed: tuple[float, ...] = ()
    either: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Looks:
    """Everything the finder knows of how this table looks.

    Sizes in mm; `striker_diameter_mm` is the expected one, another is found too. `known`: the tones were learnt
    from this set (False: what coins look like anywhere). `sizes_known`: the diameters were measured.
    `thickness_known`: both thicknesses were given or measured, not supposed. `sharp_edges`: the pieces' tops end in
    sharp edges, as moulded ones may; turned ones are rounded there. `empty` is the
    bare board in BGR, shape (h, w, 3), taken with `empty_model`; None where there is no such picture. `head`: how the
    nets' answers are weighed on this table, None where that was not learnt.
    """

    coin_diameter_mm: float
    coin_thickness_mm: float
    striker_diameter_mm: float
    striker_thickness_mm: float
    tones: dict[str, Look] = field(default_factory=dict)
    known: bool = False
    sizes_known: bool = False
    thickness_known: bool = False
    sharp_edges: bool = False
    empty: Pixels | None = None
    empty_model: CameraModel | None = None
    head: Head | None = None


ANY_TONES = {
    "black": Look((-1.25, -1.35, -1.4), (0.45, 0.45, 0.45)),
    "queen": Look((-0.6, -1.1, -0.15), (0.45, 0.45, 0.3)),
    "white": Look((0.0, 0.0, 0.0), (0.35, 0.25, 0.25)),
}
"""Where nothing was learnt: black, red, and light wood against a light wooden board."""


def looks_of(board: Board) -> Looks:
    """What is supposed of a table of which nothing was learnt: pieces of its board's sizes, in anybody's colours."""
    return Looks(
        coin_diameter_mm=board.coin_diameter_mm,
        coin_thickness_mm=board.coin_thickness_mm,
        striker_diameter_mm=board.striker_diameter_mm,
        striker_thickness_mm=board.striker_thickness_mm,
        tones=dict(ANY_TONES),
    )
