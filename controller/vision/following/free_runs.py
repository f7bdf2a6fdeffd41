"""Fits free motion: when a piece started, what the striker met, when something fell.

A free piece runs straight and loses speed evenly (Coulomb friction), so between two meetings its path is a line with
a parabola in time. Pure: marks in, times and places with their errors out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import dist, hypot, sqrt

from calibration.board import Board
from controller.vision.following.motion import BRAKE_MM_S2, along_and_across
from controller.vision.following.tracks import Measurement

MARK_MM = 1.0
"""Error of one measured place of a moving piece."""


BEND_MM = 4.0
"""A mark that lies farther than this from where the free run before it leads does not belong to it."""

AIM_MM = 8.0
"""A path that passes farther than this beside where a piece lay was bent on the way and does not tell when it left."""


@dataclass(frozen=True, slots=True)
class Leg:
    """A stretch of free run through marks `first` to `last`: x(t) = x0 + vx·s + ½·ax·s², s = t − t0 in seconds.

    `u_mm`: scatter of the marks about it, at least what a mark is good for.
    """

    t0_ns: int
    x0: float
    y0: float
    vx: float
    vy: float
    ax: float
    ay: float
    first_ns: int
    last_ns: int
    marks: int
    u_mm: float

    def at(self, t_ns: float) -> tuple[float, float]:
        """The place at a time."""
        s = (t_ns - self.t0_ns) / 1e9
        return (self.x0 + self.vx * s + 0.5 * self.ax * s * s, self.y0 + self.vy * s + 0.5 * self.ay * s * s)

    def velocity(self, t_ns: float) -> tuple[float, float]:
        """The velocity at a time, mm/s."""
        s = (t_ns - self.t0_ns) / 1e9
        return (self.vx + self.ax * s, self.vy + self.ay * s)

    def speed(self, t_ns: float) -> float:
        """The speed at a time, mm/s."""
        return hypot(*self.velocity(t_ns))


def leg_through(marks: Sequence[Measurement], brake: float = BRAKE_MM_S2) -> Leg | None:
    """Fits a free run with a known braking through at least two marks; None for fewer or for one place."""
    if len(marks) < 2:
        return None
    first, last = marks[0], marks[-1]
    span = (last.t_ns - first.t_ns) / 1e9
    if span <= 0:
        return None
    dx, dy = last.x_mm - first.x_mm, last.y_mm - first.y_mm
    length = hypot(dx, dy)
    if length < 1e-6:
        return None
    # It cannot brake below standstill within the stretch.
    brake = min(brake, 2.0 * length / (span * span))
    ax, ay = -brake * dx / length, -brake * dy / length
    n = len(marks)
    # One pass over sums, since this is asked hundreds of times at a break's end; places count from the first mark.
    st = sx = sy = stt = stx = sty = squares = 0.0
    for mark in marks:
        t = (mark.t_ns - first.t_ns) / 1e9
        half = 0.5 * t * t
        x, y = mark.x_mm - first.x_mm - ax * half, mark.y_mm - first.y_mm - ay * half
        st, sx, sy = st + t, sx + x, sy + y
        stt, stx, sty, squares = stt + t * t, stx + t * x, sty + t * y, squares + x * x + y * y
    below = stt - st * st / n
    vx, vy = (stx - st * sx / n) / below, (sty - st * sy / n) / below
    x0, y0 = first.x_mm + (sx - vx * st) / n, first.y_mm + (sy - vy * st) / n
    missed = squares - (sx * sx + sy * sy) / n - (vx * vx + vy * vy) * below
    scatter = sqrt(max(0.0, missed / n))
    return Leg(first.t_ns, x0, y0, vx, vy, ax, ay, first.t_ns, last.t_ns, n, max(MARK_MM, scatter))


def split(marks: Sequence[Measurement]) -> tuple[tuple[Measurement, ...], ...]:
    """Cuts a path where it bends or jumps in speed: each piece runs freely. Single marks are pieces of their own."""
    return _split(tuple(marks))


@lru_cache(maxsize=256)
def _split(marks: tuple[Measurement, ...]) -> tuple[tuple[Measurement, ...], ...]:
    # At a motion window's end the same paths are asked about again and again.
    legs: list[list[Measurement]] = []
    current: list[Measurement] = []
    for mark in marks:
        if len(current) >= 2:
            leg = leg_through(current[-4:])
            if leg is not None:
                allowed = BEND_MM + 0.06 * leg.speed(mark.t_ns) * (mark.t_ns - current[-1].t_ns) / 1e9
                if dist(mark.at, leg.at(mark.t_ns)) > allowed:
                    legs.append(current)
                    current = []
            elif dist(mark.at, current[-1].at) > BEND_MM:
                legs.append(current)
                current = []
        current.append(mark)
    if current:
        legs.append(current)
    return tuple(tuple(leg) for leg in legs)


def set_off(at: tuple[float, float], marks: Sequence[Measurement], still_ns: int | None) -> tuple[int, int]:
    """When a piece left its place: its first free run traced back. Returns (time, error) in ns.

    `still_ns`: the last time it was seen lying there.
    """
    run = split(marks)[0] if marks else []
    first = marks[0].t_ns if marks else (still_ns or 0)
    leg = leg_through(run[:5])
    if leg is None or leg.speed(leg.first_ns) < 20.0 or _beside(leg, at) > AIM_MM:
        early = still_ns if still_ns is not None else first
        return ((early + first) // 2, max(1, (first - early) // 2))
    # Back along the line, with friction: d = v·s + ½·b·s² at s before the first mark.
    vx, vy = leg.velocity(leg.first_ns)
    speed = hypot(vx, vy)
    x, y = leg.at(leg.first_ns)
    gap = max(0.0, ((x - at[0]) * vx + (y - at[1]) * vy) / speed)
    brake = hypot(leg.ax, leg.ay)
    s = (sqrt(speed * speed + 2.0 * brake * gap) - speed) / brake
    t = leg.first_ns - round(s * 1e9)
    if still_ns is not None:
        t = max(t, still_ns)
    return (t, round(2.0 * leg.u_mm / speed * 1e9) + 500_000)


def _beside(leg: Leg, at: tuple[float, float]) -> float:
    """How far a place lies beside a path run backwards."""
    x, y = leg.at(leg.first_ns)
    dx, dy = x - at[0], y - at[1]
    _, away, _ = along_and_across(leg.velocity(leg.first_ns), dx, dy)
    # From far off the direction of a short run is not known that well.
    return max(0.0, away - 0.05 * hypot(dx, dy))


def into_pocket(
    marks: Sequence[Measurement], centre: tuple[float, float], radius_mm: float, frame_ns: int, pace_mm_s: float = 0.0
) -> tuple[int, int, tuple[float, float]]:
    """When a piece's centre passed a pocket's rim. Returns (time, error, place).

    `pace_mm_s`: its speed where one sighting alone does not tell it.
    """
    last = marks[-1]
    inside = dist(last.at, centre) < radius_mm
    if inside:
        for before, after in pairwise(reversed(marks)):
            d0 = dist(after.at, centre)
            if d0 >= radius_mm:
                d1 = dist(before.at, centre)
                share = (d0 - radius_mm) / max(1e-6, d0 - d1)
                t = after.t_ns + round(share * (before.t_ns - after.t_ns))
                place = (
                    after.x_mm + share * (before.x_mm - after.x_mm),
                    after.y_mm + share * (before.y_mm - after.y_mm),
                )
                return (t, (before.t_ns - after.t_ns) // 3, place)
        return (last.t_ns, frame_ns, last.at)
    leg = leg_through(split(marks)[-1][-4:])
    gap = dist(last.at, centre) - radius_mm
    speed = leg.speed(last.t_ns) if leg is not None else pace_mm_s
    if speed < 40.0:
        return (last.t_ns + frame_ns, 2 * frame_ns, last.at)
    dt = min(gap / speed, 0.3)
    share = gap / (gap + radius_mm)
    place = (last.x_mm + share * (centre[0] - last.x_mm), last.y_mm + share * (centre[1] - last.y_mm))
    t = last.t_ns + round(dt * 1e9)
    return (t, max(frame_ns // 3, round((0.15 if leg is not None else 0.3) * dt * 1e9)), place)


def meeting(leg: Leg, at: tuple[float, float], from_ns: int, to_ns: int, reach_mm: float) -> tuple[int, float] | None:
    """When a path first came within reach of a piece that lay at `at`. Returns (time, how far it misses it, mm): less
    than 0 where it leads over it.
    """
    if to_ns < from_ns:
        return None
    steps = 48
    times = [from_ns + (to_ns - from_ns) * k // steps for k in range(steps + 1)]
    gaps = [dist(leg.at(t), at) - reach_mm for t in times]
    closest = min(gaps)
    return (next(t for t, gap in zip(times, gaps, strict=True) if gap <= max(0.0, closest) + 1.0), closest)


def cushion_between(
    before: Leg, after: Leg, board: Board, radius_mm: float
) -> tuple[int, int, tuple[float, float]] | None:
    """Where a path bent at a cushion between two legs: (time, error, point on the cushion); None if it did not."""
    wall = board.half_mm - radius_mm
    bx, by = before.velocity(before.last_ns)
    ax, ay = after.velocity(after.first_ns)
    for axis, (v0, v1) in enumerate(((bx, ax), (by, ay))):
        if v0 * v1 >= 0 or abs(v0) < 30.0:
            continue
        side = 1.0 if v0 > 0 else -1.0
        here = before.at(before.last_ns)[axis]
        there = after.at(after.first_ns)[axis]
        s0 = max(0.0, (wall - side * here) / abs(v0))
        s1 = max(0.0, (wall - side * there) / max(30.0, abs(v1)))
        window = (after.first_ns - before.last_ns) / 1e9
        if abs(s0 + s1 - window) > 0.5 * window + 0.012:
            continue
        t = before.last_ns + round(window * s0 / max(1e-6, s0 + s1) * 1e9)
        x, y = before.at(t)
        at = (side * board.half_mm, y) if axis == 0 else (x, side * board.half_mm)
        return (t, round(2.0 * before.u_mm / max(50.0, abs(v0)) * 1e9) + 500_000, at)
    return None
