"""Where the pieces should be in the next picture: discs that slide, meet and rebound, for a few hundredths of a second.

Between two pictures a striker may hit a piece and both be elsewhere than their straight ways lead. This only tells
where to look; what is believed is what is seen. Pure values: mm, mm/s, seconds. Masses by area: a disc of the same
thickness and wood weighs as its area, a striker is denser.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot

from controller.vision.following.motion import BOUNCE, BRAKE_MM_S2, CUSHION_BOUNCE

STEP_MM = 4.0
"""How far the fastest disc goes in one step of the little simulation: less than a coin's radius."""


@dataclass(slots=True)
class Disc:
    """One piece in the little simulation. `met_s`: when it last met something, None if it did not."""

    key: int
    x: float
    y: float
    vx: float
    vy: float
    radius: float
    mass: float
    met_s: float | None = None


def run(discs: Sequence[Disc], dt: float, wall_mm: float) -> None:
    """Moves the discs on by `dt` seconds, in place. `wall_mm`: from the middle of the board to the cushions."""
    top = max((hypot(disc.vx, disc.vy) for disc in discs), default=0.0)
    if top <= 0.0 or dt <= 0.0:
        return
    pairs = _within_reach(discs, top * dt)
    steps = max(1, min(40, int(top * dt / STEP_MM) + 1))
    h = dt / steps
    for step in range(steps):
        for disc in discs:
            if disc.vx or disc.vy:
                disc.x += disc.vx * h
                disc.y += disc.vy * h
        now = (step + 1) * h
        for a, b in pairs:
            _meet(a, b, now)
        for disc in discs:
            if disc.vx or disc.vy:
                _rebound(disc, wall_mm - disc.radius, now)
    for disc in discs:
        speed = hypot(disc.vx, disc.vy)
        if speed > 0.0:
            keep = max(0.0, 1.0 - BRAKE_MM_S2 * dt / speed)
            disc.vx, disc.vy = disc.vx * keep, disc.vy * keep


def _within_reach(discs: Sequence[Disc], reach: float) -> list[tuple[Disc, Disc]]:
    moving = [bool(disc.vx or disc.vy) for disc in discs]
    pairs = []
    for i, a in enumerate(discs):
        for j in range(i + 1, len(discs)):
            b = discs[j]
            # Two that lie still may be hit by a third: a chain reaches no further than the fastest does.
            far = a.radius + b.radius + (2.0 * reach if moving[i] or moving[j] else 0.5)
            if abs(a.x - b.x) < far and abs(a.y - b.y) < far:
                pairs.append((a, b))
    return pairs


def _meet(a: Disc, b: Disc, now: float) -> None:
    dx, dy = b.x - a.x, b.y - a.y
    touch = a.radius + b.radius
    gap = dx * dx + dy * dy
    if gap >= touch * touch or gap == 0.0:
        return
    away = gap**0.5
    nx, ny = dx / away, dy / away
    closing = (a.vx - b.vx) * nx + (a.vy - b.vy) * ny
    if closing <= 0.0:
        return
    push = (1.0 + BOUNCE) * closing / (1.0 / a.mass + 1.0 / b.mass)
    a.vx -= push / a.mass * nx
    a.vy -= push / a.mass * ny
    b.vx += push / b.mass * nx
    b.vy += push / b.mass * ny
    a.met_s = b.met_s = now


def _rebound(disc: Disc, wall: float, now: float) -> None:
    # One far beyond the cushion is on the frame and not thrown back.
    if wall < abs(disc.x) < wall + 60.0 and disc.x * disc.vx > 0:
        edge = wall if disc.x > 0 else -wall
        disc.x, disc.vx, disc.met_s = edge + (edge - disc.x) * CUSHION_BOUNCE, -disc.vx * CUSHION_BOUNCE, now
    if wall < abs(disc.y) < wall + 60.0 and disc.y * disc.vy > 0:
        edge = wall if disc.y > 0 else -wall
        disc.y, disc.vy, disc.met_s = edge + (edge - disc.y) * CUSHION_BOUNCE, -disc.vy * CUSHION_BOUNCE, now
