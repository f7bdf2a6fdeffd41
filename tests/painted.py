"""An empty board painted once for all the tests that look at it: painting takes as long as fifty of its pictures.

Whatever lies on it, and however the same camera takes its pictures, it is the same empty board.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from unittest import mock

import numpy as np

from calibration.board import Board
from controller.simulator import camera
from controller.simulator.lens import Lens, View
from controller.simulator.looks import BoardLook, Light, Look, on_board
from controller.simulator.marks import EmptyBoard, paint


@lru_cache(maxsize=8)
def _painted(
    drawn: BoardLook, light: Light, board: Board, seed: int, lens: Lens, turn: bytes, centre: bytes
) -> EmptyBoard:
    bare = on_board(Look("", drawn, light=light), board)
    return paint(View(lens, np.frombuffer(turn).reshape(3, 3), np.frombuffer(centre)), bare, seed)


def repainted(view: View, look: Look, seed: int = 0) -> EmptyBoard:
    """What `paint` returns, painted anew only where nobody asked for the same lately; the caller may draw into it."""
    key = look.board, look.light, look.pieces.board, seed, view.lens, view.turn.tobytes(), view.centre.tobytes()
    kept = _painted(*key)
    return replace(kept, image=kept.image.copy(), shade=kept.shade.copy())


def once() -> Iterator[None]:
    """Has every simulated camera of a session paint so."""
    with mock.patch.object(camera, "paint", repainted):
        yield
