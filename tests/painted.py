"""An empty board, and its camera's noise, drawn once for all the tests that look at it: that takes as long as fifty of
its pictures.

Whatever lies on it, and however the same camera takes its pictures, it is the same empty board.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any
from unittest import mock

import numpy as np

from calibration.board import Board
from controller.simulator import camera
from controller.simulator.lens import Lens, View
from controller.simulator.looks import BoardLook, Light, Look, Rig, on_board
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


really_noise = camera.noise_banks
_noise: dict[tuple[bytes, str, Rig], tuple[list[camera.Picture], dict[str, Any]]] = {}
KEPT = 4
"""Twelve megabytes each."""


def noise(rng: np.random.Generator, empty: camera.Picture, rig: Rig) -> list[camera.Picture]:
    """What `noise_banks` returns, with the generator left as that leaves it; nobody draws into it."""
    key = empty.tobytes(), str(rng.bit_generator.state), rig
    if key not in _noise:
        if len(_noise) == KEPT:
            del _noise[next(iter(_noise))]
        _noise[key] = really_noise(rng, empty, rig), dict(rng.bit_generator.state)
    banks, rng.bit_generator.state = _noise[key]
    return banks


def once() -> Iterator[None]:
    """Has every simulated camera of a session paint so."""
    with mock.patch.object(camera, "paint", repainted), mock.patch.object(camera, "noise_banks", noise):
        yield
