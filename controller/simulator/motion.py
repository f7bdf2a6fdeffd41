"""What a run of the physics leaves behind: every disc's path, sampled at any time, and what happened on the way.

Times are seconds since the run's start, lengths millimetres in the board frame. Knows no rules and no cameras.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from math import copysign, hypot, inf, sqrt
from typing import NamedTuple

from calibration.board import Board
from controller.events.beams import Beam
from controller.events.words import Piece, Pocket

GRAVITY_MM_S2 = 9810.0
BEAM_DEPTH_MM: dict[Beam, float] = {"upper": 14.0, "lower": 34.0}
"""How far below the playing surface each pocket's beams run."""
_GONE_MM = -90.0


class Segment(NamedTuple):
    """A stretch with constant acceleration (mm/s²), from `t_s` until the disc's next segment."""

    t_s: float
    x_mm: float
    y_mm: float
    vx: float
    vy: float
    ax: float
    ay: float
    angle_rad: float
    spin: float


class Pose(NamedTuple):
    """Where a piece is: `z_mm` is the height of its underside; `tilt` how far it has tipped (0 flat, 1 on edge)."""

    x_mm: float
    y_mm: float
    z_mm: float
    angle_rad: float
    tilt: float = 0.0


@dataclass(frozen=True, slots=True)
class Hit:
    """Two discs met, or one a cushion (`other` None), at the point of contact with a normal speed."""

    t_s: float
    name: int
    other: int | None
    x_mm: float
    y_mm: float
    speed_mm_s: float


@dataclass(frozen=True, slots=True)
class Fall:
    """A disc's centre passed a pocket's lip; it is in the pocket."""

    t_s: float
    name: int
    piece: Piece
    pocket: Pocket
    x_mm: float
    y_mm: float
    vx: float
    vy: float
    board: Board

    @property
    def tip_s(self) -> float:
        """How long it takes to lose its footing: fast pieces shoot over the lip, slow ones topple."""
        return min(max(9.0 / max(hypot(self.vx, self.vy), 1.0), 0.004), 0.06)

    def pose(self, t_s: float, angle_rad: float) -> Pose | None:
        """Where it is `t_s` into the run, or None once it is no longer visible."""
        since = t_s - self.t_s
        drop = max(since - self.tip_s, 0.0)
        z = -0.5 * GRAVITY_MM_S2 * drop * drop
        if z < _GONE_MM:
            return None
        cx, cy = self.board.pockets_mm[self.pocket]
        x, y = self.x_mm + self.vx * since, self.y_mm + self.vy * since
        # The net and the far wall hold it inside the bore.
        off, bore = hypot(x - cx, y - cy), max(self.board.pocket_radius_mm - 10.0 + z * 0.3, 3.0)
        if since > 0 and off > bore:
            first = hypot(self.x_mm - cx, self.y_mm - cy)
            keep = max(bore / off, 1.0 - since * 30.0) if first > bore else bore / off
            x, y = cx + (x - cx) * keep, cy + (y - cy) * keep
        return Pose(x, y, z, angle_rad, min(max(since, 0.0) / (self.tip_s + 0.05), 1.0) * 0.7)

    def crossing_s(self, beam: Beam, thickness_mm: float, diameter_mm: float) -> tuple[float, float]:
        """When the piece breaks a beam and when it lets it go again."""
        depth = BEAM_DEPTH_MM[beam]
        # A toppling piece goes down edge first: its height in the bore is between flat and upright.
        height = thickness_mm + 0.45 * (diameter_mm - thickness_mm)
        lean = 0.3 * (diameter_mm - thickness_mm)
        start = self.t_s + self.tip_s
        into = start + sqrt(2 * max(depth - lean, 1.0) / GRAVITY_MM_S2)
        out = start + sqrt(2 * (depth - lean + height) / GRAVITY_MM_S2)
        return into, out


@dataclass(frozen=True, slots=True)
class Leap:
    """A disc was thrown off the board, with its upward speed."""

    t_s: float
    name: int
    piece: Piece
    x_mm: float
    y_mm: float
    vx: float
    vy: float
    vz: float
    board: Board

    def pose(self, t_s: float, angle_rad: float) -> Pose | None:
        """Where it is in the air, or None once it is well below the board."""
        since = t_s - self.t_s
        z = self.vz * since - 0.5 * GRAVITY_MM_S2 * since * since
        if z < -60.0 or since > 1.0:
            return None
        x, y = self.x_mm + self.vx * since, self.y_mm + self.vy * since
        outside = max(abs(x), abs(y)) > self.board.half_mm
        return Pose(x, y, z if outside else max(z, 25.0 if since > 0.02 else 0.0), angle_rad + 6.0 * since)

    @property
    def gone_s(self) -> float:
        """When it passes over the frame's inner edge."""
        half = self.board.half_mm
        spans = [
            (copysign(half, v) - at) / v
            for at, v in ((self.x_mm, self.vx), (self.y_mm, self.vy))
            if v
        ]  # fmt: skip
        return self.t_s + min(spans, default=inf)


@dataclass(frozen=True, slots=True)
class Motion:
    """One run from the first motion to rest.

    The tuples `names`, `pieces`, `radii_mm`, `segments` and `spin_slowing` run over the discs. `rest_s`: when the
    last disc stopped, spinning included; what falls or flies is hidden by `end_s`.
    """

    names: tuple[int, ...]
    pieces: tuple[Piece, ...]
    radii_mm: tuple[float, ...]
    segments: tuple[tuple[Segment, ...], ...]
    hits: tuple[Hit, ...]
    falls: tuple[Fall, ...]
    leaps: tuple[Leap, ...]
    rest_s: float
    spin_slowing: tuple[float, ...]

    def sample(self, name: int, t_s: float) -> Pose | None:
        """A disc's pose at a time (before zero: its start), or None where it has left the board for good."""
        i = self.names.index(name)
        path = self.segments[i]
        gone = self._gone(name)
        if gone is not None and t_s >= gone.t_s:
            return gone.pose(t_s, path[-1].angle_rad)
        return Pose(*self._at(i, t_s), 0.0, self._angle(i, t_s))

    def velocity(self, name: int, t_s: float) -> tuple[float, float]:
        """A disc's velocity in mm/s."""
        i = self.names.index(name)
        s = self._segment(i, t_s)
        dt = max(t_s - s.t_s, 0.0)
        return s.vx + s.ax * dt, s.vy + s.ay * dt

    def moves(self, name: int) -> bool:
        """Whether the disc moved or spun at all."""
        return (
            any(s.vx or s.vy or s.spin for s in self.segments[self.names.index(name)]) or self._gone(name) is not None
        )

    def first_motion_s(self, name: int) -> float | None:
        """When a disc first moved; None if it never did."""
        for s in self.segments[self.names.index(name)]:
            if s.vx or s.vy or s.spin:
                return s.t_s
        gone = self._gone(name)
        return None if gone is None else gone.t_s

    @property
    def end_s(self) -> float:
        """When nothing moves any more, in the pockets' mouths and in the air included."""
        falls = [f.t_s + f.tip_s + sqrt(2 * -_GONE_MM / GRAVITY_MM_S2) for f in self.falls]
        return max([self.rest_s, *falls, *(leap.t_s + 0.6 for leap in self.leaps)])

    def resting(self) -> dict[int, Pose]:
        """Where every disc that stayed on the board lies in the end."""
        poses = {name: self.sample(name, self.end_s + 1.0) for name in self.names if self._gone(name) is None}
        return {name: pose for name, pose in poses.items() if pose is not None}

    def _gone(self, name: int) -> Fall | Leap | None:
        for fall in self.falls:
            if fall.name == name:
                return fall
        for leap in self.leaps:
            if leap.name == name:
                return leap
        return None

    def _segment(self, i: int, t_s: float) -> Segment:
        return self.segments[i][max(bisect_right(self.segments[i], t_s, key=_start) - 1, 0)]

    def _at(self, i: int, t_s: float) -> tuple[float, float]:
        s = self._segment(i, t_s)
        dt = max(t_s - s.t_s, 0.0)
        return s.x_mm + s.vx * dt + 0.5 * s.ax * dt * dt, s.y_mm + s.vy * dt + 0.5 * s.ay * dt * dt

    def _angle(self, i: int, t_s: float) -> float:
        s = self._segment(i, t_s)
        if not s.spin:
            return s.angle_rad
        dt = min(max(t_s - s.t_s, 0.0), abs(s.spin) / self.spin_slowing[i])
        return s.angle_rad + s.spin * dt - 0.5 * copysign(self.spin_slowing[i], s.spin) * dt * dt


def _start(segment: Segment) -> float:
    return segment.t_s
