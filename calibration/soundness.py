"""Whether a camera model and a board can be real. Numbers in, one word of doubt out.

A file may be whole, of the right shapes and finite, and still put every piece in the wrong place: that is found here,
before anything is measured with it. Must not know files, pictures or how a model is fitted.
"""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from calibration.board import Board
from calibration.camera import CameraModel, Floats
from calibration.measures import unlikely

SIDES_PX = (16, 16384)
FOCAL = (0.1, 20.0)
"""Focal length in picture widths: wider than any fisheye that a pinhole can stand for, longer than any telephoto."""

CENTRE = 1.0
"""The lens's middle lies within the picture, or so many picture widths from it where the picture is a crop."""

FARTHEST_MM = 20_000.0
THERE_AND_BACK_MM = 1.0
"""Into the picture and back to the board; a lens model that bends back on itself does not return."""

NOT_A_TURN = 1e-3
MEASURES_MM = (0.1, 2000.0)
HALF_MM = (200.0, 1000.0)


def unsound_model(model: CameraModel, board: Board) -> str:
    """Returns what cannot be of a camera above this board, "" where nothing speaks against it."""
    K, R, (w, h) = model.K, model.R, model.size
    if not (SIDES_PX[0] <= w <= SIDES_PX[1] and SIDES_PX[0] <= h <= SIDES_PX[1]):
        return f"size {w}×{h} is of no picture"
    if not all(FOCAL[0] * w <= K[i, i] <= FOCAL[1] * w for i in (0, 1)):
        return f"K has focal lengths {K[0, 0]:.4g} and {K[1, 1]:.4g} px, which no lens has in {w}×{h} px"
    if abs(K[0, 0] - K[1, 1]) > 0.5 * K[0, 0] or abs(K[0, 1]) > 0.1 * K[0, 0]:
        return "K has pixels that are far from square"
    if K[1, 0] or K[2, 0] or K[2, 1] or K[2, 2] != 1.0:
        return "K is no camera matrix: its last row must be 0 0 1, and below the diagonal 0"
    if not (-CENTRE * w <= K[0, 2] <= (1 + CENTRE) * w and -CENTRE * h <= K[1, 2] <= (1 + CENTRE) * h):
        return "K has its middle far outside the picture"
    if np.abs(R @ R.T - np.eye(3)).max() > NOT_A_TURN or np.linalg.det(R) < 0:
        return "R_board_to_camera is no rotation"
    eyes = (-R.T @ model.t, model.centre_mm)
    if not all(np.isfinite(eye).all() and np.abs(eye).max() < FARTHEST_MM and eye[2] > 0 for eye in eyes):
        return "t_mm does not put the camera above the board, within 20 m of it"
    return _bends_back(model, board)


def _bends_back(model: CameraModel, board: Board) -> str:
    """What of the board the picture shows must be found again where it was."""
    side = np.linspace(-board.half_mm, board.half_mm, 9)
    spots: Floats = np.stack(np.meshgrid(side, side), -1).reshape(-1, 2)
    ahead = (np.concatenate((spots, np.zeros((len(spots), 1))), 1) @ model.R.T + model.t)[:, 2] > 0
    with np.errstate(all="ignore"):
        seen = model.project_plane(spots)
        shown = ahead & np.isfinite(seen).all(1) & model.in_picture(np.nan_to_num(seen))
        if np.count_nonzero(shown) < 4:
            return "the board does not lie in the picture"
        off = np.hypot(*(model.to_plane(seen[shown]) - spots[shown]).T)
    if not (off < THERE_AND_BACK_MM).all():
        return "dist bends the picture back on itself: a place on the board is not found again where it was"
    return ""


def unsound_board(board: Board) -> str:
    """Returns which measure no board has, "" where all can be."""
    for one in fields(board):
        value = getattr(board, one.name)
        for part in value if isinstance(value, tuple) else (value,):
            if not MEASURES_MM[0] <= part <= MEASURES_MM[1]:
                return f"board.{one.name} is {part:g} mm"
    if not HALF_MM[0] <= board.half_mm <= HALF_MM[1]:
        return f"board.half_mm is {board.half_mm:g} mm"
    if doubt := unlikely(board):
        return f"board: {doubt}"
    return ""
