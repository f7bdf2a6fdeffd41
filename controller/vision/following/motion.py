"""The motion model: pieces slide with friction and rebound with loss. Predicts tracks and gates what they may be.

Between two pictures a striker may hit a piece and both be elsewhere than straight on: `Prediction` runs all discs on to
the next picture, and `cost_of` weighs what has changed there against it. The values are an ordinary powdered board's.
They only say where to look next and bound what a path too short to tell may have done; what a longer path shows of its
own braking is fitted from it. Pure values: mm, mm/s, seconds. Masses by area: a disc of the same thickness and wood
weighs as its area, a striker is denser.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import dist, hypot

import numpy as np

from calibration.board import Board
from controller.events.observation import SeenPiece
from controller.vision.following.tracks import PieceTrack

BRAKE_MM_S2 = 450.0
"""What friction takes off a sliding piece: a coefficient of 0.046. Boards measured lie between 0.03 and 0.13."""

LEAST_BRAKE_MM_S2 = 300.0
"""What even a freshly powdered board takes off (0.03): no piece runs on farther than this lets it."""

BOUNCE = 0.85
"""The share of their closing speed with which two pieces part."""

CUSHION_BOUNCE = 0.7
"""The share of its speed towards a cushion with which a piece comes off it."""

FASTEST_MM_S = 9000.0
"""Nobody flicks a striker faster; what seems to be is two pieces."""

STRIKER_MASS = 2.7
"""What a striker weighs in coins: 15 g to 5.5 g by the laws."""


STEP_MM = 4.0
"""How far the fastest disc goes in one step of the little simulation: less than a coin's radius."""


@dataclass(slots=True)
class Disc:
    """One piece in the little simulation. `met_s`: when it last met something, None if it did not."""

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


@dataclass(frozen=True, slots=True)
class Rests:
    """A piece that lies still, as the tracker knows it: its place in mm and who it is."""

    piece: SeenPiece
    radius_mm: float
    track: int | None = None


class Prediction:
    """`ahead` by the tracks' numbers, `hit` by the resting pieces.

    `last_dt`: seconds between the last two pictures; `before_ns`: when the one before was taken.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        self.ahead: dict[int, Disc] = {}
        self.hit: dict[Rests, Disc] = {}
        self._last_ns = 0
        self.last_dt = 0.0
        self.before_ns = 0

    def predict(self, t_ns: int, moving: Sequence[PieceTrack], resting: Sequence[Rests]) -> None:
        """Runs everything known on to this picture's time: where to look, and who may have been hit."""
        self.ahead.clear()
        self.hit = {}
        gap_ns = t_ns - self._last_ns
        dt = self.last_dt = gap_ns / 1e9 if self._last_ns else 0.0
        self.before_ns, self._last_ns = self._last_ns or t_ns, t_ns
        if not moving:
            # Nothing that rests is hit by nothing.
            return
        discs: list[Disc] = []
        late: list[tuple[Disc, float]] = []
        for track in moving:
            disc, since_ns = self.of(track), t_ns - track.last[0]
            if since_ns < 2 * max(1, gap_ns):
                discs.append(disc)
            else:
                late.append((disc, since_ns / 1e9))
        still = [Disc(*rests.piece.at, 0.0, 0.0, rests.radius_mm, self._mass(rests.radius_mm)) for rests in resting]
        run([*discs, *still], dt, self._board.half_mm)
        for disc, since in late:
            run([disc], since, self._board.half_mm)
        self.hit = {rests: disc for rests, disc in zip(resting, still, strict=True) if disc.met_s is not None}

    def _mass(self, radius_mm: float) -> float:
        middle_mm = (self._board.coin_diameter_mm + self._board.striker_diameter_mm) / 4.0
        return STRIKER_MASS if radius_mm > middle_mm else 1.0

    def of(self, track: PieceTrack) -> Disc:
        """Where a track should be; where it was last if nothing was predicted."""
        disc = self.ahead.get(track.number)
        if disc is None:
            disc = Disc(*track.at, track.vx, track.vy, track.radius_mm, self._mass(track.radius_mm))
            self.ahead[track.number] = disc
        return disc


def along_and_across(velocity: tuple[float, float], dx: float, dy: float) -> tuple[float, float, float]:
    """How far a way leads along a velocity and across it, and the speed, at least 1 mm/s."""
    vx, vy = velocity
    speed = max(1.0, hypot(vx, vy))
    return (dx * vx + dy * vy) / speed, abs(dx * vy - dy * vx) / speed, speed


ASTRAY_MM = 18.0
ASTRAY_SHARE = 0.3
"""A piece that met nothing is found within this much of where it should be, the share being of its way."""

DOUBTFUL = 60.0
"""What it costs, in mm of miss, to leave a lost piece lost. No pair costs more, however far it misses: a poor one more
or less must not take a good one apart."""

TONE_SHARE = 0.7
"""A blob's tone is that of this share of the radius of the piece that it may be."""


@dataclass(frozen=True, slots=True)
class Blob:
    """Something that has changed: its place in mm, its area in px, and what a length in mm is in px there.

    `tone`: its brightness within a radius in mm, asked for only where the place alone does not exclude it.
    """

    at: tuple[float, float]
    area: float
    px_per_mm: float
    tone: Callable[[float], float]


def cost_of(
    track: PieceTrack,
    blob: Blob,
    t_ns: int,
    exposure_ns: int,
    top_mm_s: float,
    prediction: Prediction,
) -> float | None:
    """What it costs to take a blob for a lost track, below `DOUBTFUL`; None where it cannot be that one.

    `top_mm_s`: the speed of the fastest track.
    """
    dt = max(1e-3, (t_ns - track.last[0]) / 1e9)
    gap = dist(blob.at, track.at)
    # Nothing is faster than what drives it, but a first picture knows no speed yet.
    top = max(1.3 * top_mm_s + 300.0, 6000.0 if track.piece in ("striker", "unknown") else 800.0)
    if gap > min(FASTEST_MM_S, top) * dt + 2.0 * track.radius_mm:
        return None
    ahead = prediction.of(track)
    miss = dist(blob.at, (ahead.x, ahead.y))
    sure = track.speed > 100.0 and track.missed == 0 and ahead.met_s is None
    share = ASTRAY_SHARE if len(track.marks) >= 2 else 2.0 * ASTRAY_SHARE
    if sure and miss > share * track.speed * dt + ASTRAY_MM:
        return None
    miss = min(miss, gap + 10.0)
    radius = track.radius_mm * blob.px_per_mm
    full = np.pi * radius**2
    streak = 2.0 * radius * (gap / dt * exposure_ns / 1e9) * blob.px_per_mm
    cost = miss + 8.0 * abs(float(np.log(max(blob.area, 1.0) / full)))
    cost += 40.0 * max(0.0, float(np.log(max(blob.area, 1.0) / (full + streak))))
    if track.tone is not None:
        cost += 0.6 * abs(track.tone - blob.tone(TONE_SHARE * track.radius_mm))
    return float(cost / (1.0 + cost / DOUBTFUL))


def speed_to(track: PieceTrack, at: tuple[float, float], t_ns: int) -> tuple[float, float]:
    """The speed in mm/s that takes a track to a place by `t_ns`."""
    t0, x0, y0 = track.last
    dt = (t_ns - t0) / 1e9
    return ((at[0] - x0) / dt, (at[1] - y0) / dt) if dt > 0 else (0.0, 0.0)
