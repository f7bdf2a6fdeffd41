"""What a visitor breaks while the simulated board plays: the camera unplugged or hung elsewhere, a blind beam, a
flickering lamp, a piece of another colour. Switches for any thread, asked by the board at every picture. Knows no rules
and no pages.
"""

from __future__ import annotations

import threading
from math import pi, sin
from typing import Literal, get_args

from controller.events.beams import Beam
from controller.events.words import Pocket

Breakage = Literal["camera", "moved", "beam", "lamp", "colour"]
BREAKAGES: tuple[Breakage, ...] = get_args(Breakage)
BLINDED: tuple[tuple[Pocket, Beam], ...] = (("NE", "upper"), ("NE", "lower"))
"""The beams that something hangs in: one alone is made up for by the other."""
MOVED: tuple[tuple[float, float, float], float] = ((25.0, -15.0, 60.0), 5.0)
"""How the camera hangs then, in mm and degrees from before: farther than vision follows, the whole board in view."""
FLICKER_HZ, FLICKER_SHARE = 2.3, 0.35
"""A tube about to fail, slow enough that each picture has one brightness."""


class Breaking:
    """What is broken now."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._broken: frozenset[Breakage] = frozenset()

    @property
    def now(self) -> frozenset[Breakage]:
        """What is broken at this moment."""
        return self._broken

    def set(self, what: Breakage, broken: bool) -> None:
        """Breaks or fixes one thing."""
        with self._guard:
            self._broken = self._broken | {what} if broken else self._broken - {what}

    def light(self, t_s: float) -> float:
        """How bright the lamp is at a time, of its own brightness."""
        return 1.0 + FLICKER_SHARE * sin(2 * pi * FLICKER_HZ * t_s) if "lamp" in self._broken else 1.0
