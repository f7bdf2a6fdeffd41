"""Triangle meshes in mm: what a lathe makes, and boxes. Arrays in and out; must not know a renderer."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

ROUND = 64
"""Corners of what is turned."""


@dataclass(frozen=True, eq=False)
class Body:
    """`corners` (N, 3) mm; `faces` (M, 3) indices; `uv` (N, 2) each corner's place on its texture seen from above."""

    corners: Array
    faces: npt.NDArray[np.int64]
    uv: Array

    def moved(self, x_mm: float, y_mm: float, turn: float = 0.0, z_mm: float = 0.0) -> Array:
        """The corners turned about z and moved, (N, 3)."""
        spin = np.array(((cos(turn), -sin(turn), 0.0), (sin(turn), cos(turn), 0.0), (0.0, 0.0, 1.0)))
        return self.corners @ spin.T + (x_mm, y_mm, z_mm)


def turned(profile: list[tuple[float, float]], texture_half_mm: float) -> Body:
    """What a lathe makes of a profile of radius and height in mm, from below to the middle of the top."""
    angle = np.arange(ROUND) * 2 * pi / ROUND
    rings = np.array(profile)
    corners = np.stack(
        (
            rings[:, :1] * np.cos(angle),
            rings[:, :1] * np.sin(angle),
            np.broadcast_to(rings[:, 1:], (len(rings), ROUND)),
        ),
        2,
    ).reshape(-1, 3)
    a = np.arange(ROUND)
    b = (a + 1) % ROUND
    strips = []
    for ring in range(len(rings) - 1):
        low, high = ring * ROUND, (ring + 1) * ROUND
        strips += [np.stack((low + a, low + b, high + b), 1), np.stack((low + a, high + b, high + a), 1)]
    return Body(corners, np.concatenate(strips), corners[:, :2] / (2 * texture_half_mm) + 0.5)


def box(half: tuple[float, float, float], at: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Body:
    """A box of half sizes `half` about `at`."""
    signs = np.array([(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)], dtype=np.float64)
    quads = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))
    # Each side has corners of its own, so that its edges are sharp.
    corners = np.concatenate([signs[list(quad)] for quad in quads]) * half + at
    faces = np.concatenate([np.array(((0, 1, 2), (0, 2, 3))) + 4 * k for k in range(6)])
    return Body(corners, faces, (signs[np.concatenate([list(quad) for quad in quads]), :2] + 1) / 2)


def coin(
    radius: float,
    high: float,
    rim: float,
    grooves: list[tuple[float, float, float]],
    dish: float,
    texture_half_mm: float,
) -> Body:
    """A turned piece: `rim` the radius of its rounded edge, `grooves` (radius, depth, half width), `dish` how far its
    middle lies above the face."""
    profile = [(0.0, 0.0), (radius - rim, 0.0)]
    profile += [(radius - rim + rim * sin(a), rim - rim * cos(a)) for a in np.linspace(0.3, pi / 2, 4)]
    profile += [(radius - rim + rim * cos(a), high - rim + rim * sin(a)) for a in np.linspace(0.0, pi / 2, 6)]
    inner = radius - rim
    for at, deep, wide in sorted(grooves, reverse=True):
        if inner - 0.3 > at + wide and at > wide:
            profile += [(at + wide, high), (at, high - deep), (at - wide, high)]
            inner = at - wide
    profile.append((0.0, high + dish))
    return turned(profile, texture_half_mm)
