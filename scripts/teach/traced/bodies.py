"""Triangle meshes in mm: what a lathe makes, boxes, arms with fingers. Arrays in and out; must not know a renderer."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Rng = np.random.Generator

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


def arm(seat_turn: float, hand: tuple[float, float, float], rng: Rng) -> tuple[Body, Body]:
    """A forearm from over the frame to a hand at `hand` in mm with bent fingers: (skin, sleeve)."""
    back = np.array((cos(seat_turn), sin(seat_turn), 0.0))
    wrist = np.array(hand) + back * 60 + np.array((0.0, 0.0, 25.0))
    elbow = wrist + back * float(rng.uniform(220, 300)) + np.array((*rng.normal(0, 40, 2), float(rng.uniform(60, 180))))
    skin = [_tube([elbow, wrist], [38.0, 27.0]), _tube([wrist, np.array(hand) + np.array((0, 0, 18.0))], [29.0, 34.0])]
    side = np.array((-back[1], back[0], 0.0))
    for k in range(5):
        off = (k - 2) * 17.0
        root = np.array(hand) + side * off + (0, 0, 18.0)
        bent = float(rng.uniform(0.2, 1.0))
        knuckle = root - back * 28 + (0, 0, 6.0 * bent)
        tip = knuckle - back * 26 * bent - np.array((0, 0, min(24.0 * (1.2 - bent), 20.0)))
        skin.append(_tube([root, knuckle, tip], [9.5, 8.5, 7.0]))
    cuff = wrist + (elbow - wrist) * float(rng.uniform(0.0, 0.9))
    return _joined(skin), _tube([elbow + (elbow - wrist) * 1.5, elbow, cuff], [62.0, 52.0, 44.0])


def _tube(path: list[Array], radii: list[float], round_: int = 14) -> Body:
    """A tube with capped, rounded ends along a path."""
    points, sizes = [path[0], *path, path[-1]], [0.01, *radii, 0.01]
    along = np.array(path[-1]) - np.array(path[0])
    along = along / max(float(np.linalg.norm(along)), 1e-9)
    points[0], points[-1] = path[0] - along * radii[0] * 0.6, path[-1] + along * radii[-1] * 0.6
    helper = np.array((0.0, 0.0, 1.0)) if abs(along[2]) < 0.9 else np.array((1.0, 0.0, 0.0))
    u = np.cross(along, helper)
    u /= np.linalg.norm(u)
    v = np.cross(along, u)
    angle = np.arange(round_) * 2 * pi / round_
    circle = np.cos(angle)[:, None] * u + np.sin(angle)[:, None] * v
    corners = np.concatenate([point + size * circle for point, size in zip(points, sizes, strict=True)])
    a, strips = np.arange(round_), []
    b = (a + 1) % round_
    for ring in range(len(points) - 1):
        low, high = ring * round_, (ring + 1) * round_
        strips += [np.stack((low + a, low + b, high + b), 1), np.stack((low + a, high + b, high + a), 1)]
    return Body(corners, np.concatenate(strips), np.zeros((len(corners), 2)))


def _joined(bodies: list[Body]) -> Body:
    first, faces = 0, []
    for body in bodies:
        faces.append(body.faces + first)
        first += len(body.corners)
    return Body(
        np.concatenate([b.corners for b in bodies]), np.concatenate(faces), np.concatenate([b.uv for b in bodies])
    )
