"""Whether a calibration's pictures show what they are said to: an empty board, an opening arrangement.

Each check raises with what is wrong, and shows it. Must not know files or cameras.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from calibration.board import Board
from calibration.camera import CameraModel
from controller.events.observation import SeenPiece
from controller.vision.finding import find
from controller.vision.learning.opening import Learnt
from controller.vision.looks import Looks, Pixels
from controller.vision.posing import RefusedError

SURE = 0.9
SAME_MM = 8.0
MOST_LIKE_PIECES = 3
"""A maker's name or a star may look like a piece or three where no empty picture tells; more of them are pieces."""

LEAST_RACKED = 10
"""Of nineteen; glare may hide some. In pictures of anything else three lie by chance where the opening has pieces."""


def check_empty(
    empty: Pixels, model: CameraModel, looks: Looks, board: Board, opening: Pixels | None, says: list[str]
) -> tuple[SeenPiece, ...]:
    """What looks like pieces on a board that is said to be empty (BGR). Raises RefusedError where it is not empty.

    What the opening picture shows at the same place, outside of the arrangement, is printed there.
    """
    plain = replace(looks, empty=None, empty_model=None, sizes_known=True)
    seen = [
        piece
        for piece in find(empty, model, plain, board).pieces
        # The middle is painted, and nothing but an empty picture tells it from a queen.
        if piece.confidence >= SURE and np.hypot(piece.x_mm, piece.y_mm) > SAME_MM
    ]
    if opening is not None:
        later = find(opening, model, plain, board).pieces
        seen = [
            p
            for p in seen
            if np.hypot(p.x_mm, p.y_mm) < board.outer_circle_diameter_mm / 2.0 or not any(_same(p, q) for q in later)
        ]
    if len(seen) > MOST_LIKE_PIECES:
        text = f"{len(seen)} pieces lie on the board in the picture that is said to show it empty"
        raise RefusedError(
            f"{text}. Mend: take all pieces off and take --empty again", _circled(empty, model, seen, text)
        )
    for piece in seen:
        says.append(
            f"at {piece.x_mm:.0f}, {piece.y_mm:.0f} mm the empty board shows what looks like a {piece.piece}: if one "
            "lies there take it off and calibrate again; if it is printed all is well"
        )
    return tuple(seen)


def check_rack(opening: Pixels, model: CameraModel, learnt: Learnt, board: Board) -> None:
    """Whether an opening arrangement lies where it was learnt from, in a picture (BGR). Raises RefusedError if none."""
    pieces = find(opening, model, learnt.looks, board).pieces
    racked = sum(any(np.hypot(p.x_mm - x, p.y_mm - y) < SAME_MM for p in pieces) for x, y in learnt.places.tolist())
    if racked < LEAST_RACKED:
        text = f"the opening picture shows no opening arrangement: {racked} of its nineteen pieces are in place"
        raise RefusedError(
            f"{text}. Mend: set up all nineteen pieces in the middle, touching, and take --opening again",
            _circled(opening, model, list(pieces), text),
        )


def _same(one: SeenPiece, other: SeenPiece) -> bool:
    return float(np.hypot(one.x_mm - other.x_mm, one.y_mm - other.y_mm)) < SAME_MM


def _circled(picture: Pixels, model: CameraModel, pieces: list[SeenPiece], says: str) -> Pixels:
    page = picture.copy()
    for piece in pieces:
        at = model.project(np.array(((piece.x_mm, piece.y_mm, 8.0),)))[0]
        radius = 20.0 * model.px_per_mm
        cv2.circle(page, (round(float(at[0])), round(float(at[1]))), round(radius), (60, 60, 235), 2, cv2.LINE_AA)
    foot = np.full((42, page.shape[1], 3), 24, dtype=np.uint8)
    cv2.putText(foot, says, (12, 26), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (235, 235, 235), 1, cv2.LINE_AA)
    return np.concatenate((page, foot))
