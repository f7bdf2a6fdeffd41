"""How large the coins are on a board of which nothing was measured: the size at which most is taken for a piece.

Must not know what the pieces are.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from calibration.board import Board
from calibration.camera import CameraModel
from controller.vision.finding.flat import flat_for, half_log
from controller.vision.finding.nets import where
from controller.vision.finding.views import board_view
from controller.vision.looks import Looks, Pixels

DIAMETERS_MM = (27.0, 28.5, 30.0, 31.0, 32.5, 34.0, 36.0)
"""Home sets are smaller or larger than the laws allow, and clicked corners make a board seem so."""


def measured(model: CameraModel, looks: Looks, board: Board, picture: Pixels) -> Looks:
    """The looks with the diameters that a picture (BGR) shows, the striker in its usual share."""
    share = looks.striker_diameter_mm / looks.coin_diameter_mm
    best, found = -1.0, looks
    for diameter in DIAMETERS_MM:
        tried = replace(looks, coin_diameter_mm=diameter, striker_diameter_mm=diameter * share)
        flat = flat_for.__wrapped__(model, tried, board)
        heat = where(flat, board_view(flat, half_log(flat.lay(picture)))).heat[:, 0].astype(np.float64)
        total = float((1.0 / (1.0 + np.exp(-heat)) ** 2).sum())
        if total > best:
            best, found = total, tried
    return found
