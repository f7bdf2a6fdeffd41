"""An empty board painted once for all the tests that look at it: painting takes as long as fifty of its pictures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from unittest import mock

import numpy as np

from controller.simulator import camera
from controller.simulator.lens import Lens, View
from controller.simulator.looks import Look
from controller.simulator.marks import EmptyBoard, paint


@lru_cache(maxsize=4)
def _painted(look: Look, seed: int, lens: Lens, turn: bytes, centre: bytes) -> EmptyBoard:
    return paint(View(lens, np.frombuffer(turn).reshape(3, 3), np.frombuffer(centre)), look, seed)


def repainted(view: View, look: Look, seed: int = 0) -> EmptyBoard:
    """What `paint` returns, painted anew only where nobody asked for the same lately; the caller may draw into it."""
    kept = _painted(look, seed, view.lens, view.turn.tobytes(), view.centre.tobytes())
    return replace(kept, image=kept.image.copy(), shade=kept.shade.copy())


def once() -> Iterator[None]:
    """Has every simulated camera of a session paint so: the body of a fixture."""
    with mock.patch.object(camera, "paint", repainted):
        yield
