"""The motion model for prediction, fits and stitching: pieces slide with friction and rebound with loss.

Between two pictures a striker may hit a piece and both be elsewhere than straight on: `Prediction` runs all discs on to
the next picture. The values are an ordinary powdered board's. They only say where to look next and bound what a path
too short to tell may have done; what a longer path shows of its own braking is fitted from it. Pure values: mm, mm/s,
seconds. Masses by area: a disc of the same thickness and wood weighs as its area, a striker is denser.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot

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


@dataclass(frozen=True, slots=True)
class Rests:
    """A piece that lies still, as the tracker knows it: its place in mm and who it is."""

    piece: SeenPiece
    radius_mm: float
    track: int | None = None


class Prediction:
    """`ahead` by the tracks' numbers (resting pieces below zero), `hit` by the resting pieces.

    `last_dt`: seconds between the last two pictures; `before_ns`: when the one before was taken.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        self.ahead: dict[int, Disc] = {}
        self.hit: dict[Rests, Disc] = {}
        self._last_ns = 0
        self.last_dt = 0.0
        self.before_ns = 0

    def foresee(self, t_ns: int, tracks: Sequence[PieceTrack], resting: Sequence[Rests]) -> None:
        """Runs everything known on to this picture's time: where to look, and who may have been hit."""
        self.ahead.clear()
        if not any(track.life == "moving" for track in tracks):
            # Nothing that rests is hit by nothing.
            self.hit = {}
            self.last_dt = (t_ns - self._last_ns) / 1e9 if self._last_ns else 0.0
            self.before_ns, self._last_ns = self._last_ns or t_ns, t_ns
            return
        discs: list[tuple[Disc, float]] = []
        late: list[tuple[Disc, float]] = []
        for track in tracks:
            if track.life != "moving":
                continue
            t0, x, y = track.last
            disc = Disc(track.number, x, y, track.vx, track.vy, track.radius_mm, self._mass(track.radius_mm))
            self.ahead[track.number] = disc
            (discs if t_ns - t0 < 2 * max(1, t_ns - self._last_ns) else late).append((disc, (t_ns - t0) / 1e9))
        dt = (t_ns - self._last_ns) / 1e9 if self._last_ns else 0.0
        for index, rests in enumerate(resting):
            disc = Disc(
                -1 - index, rests.piece.x_mm, rests.piece.y_mm, 0.0, 0.0, rests.radius_mm, self._mass(rests.radius_mm)
            )
            self.ahead[disc.key] = disc
            discs.append((disc, dt))
        run([disc for disc, _ in discs], dt, self._board.half_mm)
        for disc, since in late:
            run([disc], since, self._board.half_mm)
        self.hit = {
            rests: self.ahead[-1 - index]
            for index, rests in enumerate(resting)
            if self.ahead[-1 - index].met_s is not None
        }
        self.last_dt, self.before_ns, self._last_ns = dt, self._last_ns or t_ns, t_ns

    def _mass(self, radius_mm: float) -> float:
        middle_mm = (self._board.coin_diameter_mm + self._board.striker_diameter_mm) / 4.0
        return STRIKER_MASS if radius_mm > middle_mm else 1.0

    def of(self, track: PieceTrack) -> Disc:
        """Where a track should be; where it was last if nothing was predicted."""
        disc = self.ahead.get(track.number)
        if disc is None:
            _, x, y = track.last
            disc = Disc(track.number, x, y, track.vx, track.vy, track.radius_mm, 1.0)
            self.ahead[track.number] = disc
        return disc
