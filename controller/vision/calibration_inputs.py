"""What a calibration is made from: the pictures that a person took, and what that person measured.

Values only; the steps are in `guided_calibration.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from calibration.board import Board
from calibration.camera import Floats
from calibration.target import Lens, Target
from controller.vision.looks import Pixels
from controller.vision.naming_head import Head

USUAL_TARGET = Target()


@dataclass(frozen=True, eq=False)
class Inputs:
    """What a calibration is made from; everything but one picture of the board may be missing.

    `lens`: luma pictures of the target. `empty`, `opening`, `image`: BGR; `openings`: more of the opening;
    `scattered`: the whole set and one striker pushed about. `corners`: inner corners of the playing surface in px, NW
    NE SE SW (4, 2). `south`: the edge of the picture at which the south seat sits. `flat`, `on_coins`, `on_striker`:
    luma pictures of the target lying on the bare board, on coins, on the striker. Sizes in mm; None: as the laws have
    it, or measured. `sharp_edges`: as `Looks`. `known_lens`: of this very camera, from an earlier calibration, instead
    of `lens`; `head`: this table's own names from there, kept if of these nets and no worse at the opening's pieces.
    `side_said`: a person gave the board's side, it is not only a preset's.
    """

    board: Board
    lens: Sequence[Pixels] = ()
    empty: Pixels | None = None
    opening: Pixels | None = None
    openings: Sequence[Pixels] = ()
    scattered: Sequence[Pixels] = ()
    image: Pixels | None = None
    corners: Floats | None = None
    south: str = "bottom"
    flat: Sequence[Pixels] = ()
    on_coins: Sequence[Pixels] = ()
    on_striker: Sequence[Pixels] = ()
    target: Target = USUAL_TARGET
    coin_diameter_mm: float | None = None
    coin_thickness_mm: float | None = None
    striker_diameter_mm: float | None = None
    striker_thickness_mm: float | None = None
    sharp_edges: bool = False
    known_lens: Lens | None = None
    head: Head | None = None
    side_said: bool = False
