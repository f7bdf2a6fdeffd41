"""Discs that slide, hit, spin and fall on a square board: an event-driven simulation, exact between events.

Between two events every disc slides on a straight line with a constant deceleration (Coulomb friction), so its
path is a parabola in time, contacts are roots of quartics, and any moment can be sampled afterwards without a time
step. Collisions conserve momentum; energy never grows. Simplified: friction on the surface does not couple spin
and sliding; pieces neither roll nor tip, except into a pocket or off the board. Knows no rules, players or cameras.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import atan2, copysign, cos, hypot, inf, sin, sqrt

import numpy as np
import numpy.typing as npt

from calibration.board import Board
from controller.events.words import Piece, Pocket
from controller.simulator.motion import Fall, Hit, Leap, Motion, Segment

GRAVITY_MM_S2 = 9810.0
_SLOW_MM_S = 3.0
"""Slower impacts bounce without loss: otherwise dense clusters collide infinitely often in finite time."""
_APPROACH_MM_S = 1e-3
_MOST_EVENTS = 20_000


@dataclass(frozen=True, slots=True)
class Material:
    """What slides on what. `leap_odds`: chance that a hard impact (from `leap_mm_s`) throws a piece off the board."""

    surface_friction: float = 0.085
    piece_restitution: float = 0.92
    cushion_restitution: float = 0.78
    piece_friction: float = 0.12
    cushion_friction: float = 0.15
    leap_odds: float = 0.0
    leap_mm_s: float = 1800.0

    @property
    def slowing_mm_s2(self) -> float:
        """Deceleration of a sliding piece."""
        return self.surface_friction * GRAVITY_MM_S2


@dataclass(frozen=True, slots=True)
class Disc:
    """A piece on the surface at time zero: `name` is the caller's own, unique number."""

    name: int
    piece: Piece
    x_mm: float
    y_mm: float
    radius_mm: float
    mass_g: float
    angle_rad: float = 0.0


def run(
    discs: Sequence[Disc],
    struck: dict[int, tuple[float, float, float]],
    board: Board,
    material: Material | None = None,
    seed: int = 0,
) -> Motion:
    """Runs the discs to rest.

    `struck`: velocity (mm/s, mm/s) and spin (rad/s) of the discs that move at time zero, by name. `seed` only
    decides leaps. Raises ValueError if two discs overlap by more than 0.05 mm or one lies beyond the cushions.
    """
    world = _World(discs, board, material or Material(), np.random.default_rng(seed))
    for name, (vx, vy, spin) in struck.items():
        world.set_moving(name, vx, vy, spin)
    return world.to_rest()


class _World:
    """The state of one run; times are seconds since its start."""

    def __init__(self, discs: Sequence[Disc], board: Board, material: Material, rng: np.random.Generator) -> None:
        self.discs = list(discs)
        self.board = board
        self.material = material
        self.rng = rng
        self.index = {disc.name: i for i, disc in enumerate(self.discs)}
        n = len(self.discs)
        self.p = np.array([(d.x_mm, d.y_mm) for d in self.discs], dtype=np.float64).reshape(n, 2)
        self.v = np.zeros((n, 2))
        self.a = np.zeros((n, 2))
        self.angle = np.array([d.angle_rad for d in self.discs])
        self.spin = np.zeros(n)
        self.radius = np.array([d.radius_mm for d in self.discs])
        self.mass = np.array([d.mass_g for d in self.discs])
        self.on_board = np.ones(n, dtype=bool)
        self.now = 0.0
        self.solo = np.full(n, inf)
        self.solo_kind: list[tuple[str, float, float, Pocket | None]] = [("none", 0.0, 0.0, None)] * n
        self.pair = np.full((n, n), inf)
        self.segments: list[list[Segment]] = [[] for _ in self.discs]
        self.hits: list[Hit] = []
        self.falls: list[Fall] = []
        self.leaps: list[Leap] = []
        self._refuse_impossible()
        for i in range(n):
            self._record(i)

    def _refuse_impossible(self) -> None:
        reach = self.radius[:, None] + self.radius[None, :]
        apart = np.hypot(*(self.p[:, None, :] - self.p[None, :, :]).transpose(2, 0, 1)) + np.eye(len(self.p)) * 1e9
        if np.any(apart < reach - 0.05):
            i, j = np.argwhere(apart < reach - 0.05)[0]
            raise ValueError(f"discs {self.discs[i].name} and {self.discs[j].name} overlap; place them apart")
        limit = self.board.half_mm - self.radius[:, None] + 0.05
        if np.any(np.abs(self.p) > limit):
            raise ValueError("a disc lies beyond a cushion; place it on the board")

    def set_moving(self, name: int, vx: float, vy: float, spin: float) -> None:
        i = self.index[name]
        self.v[i] = (vx, vy)
        self.spin[i] = spin

    def to_rest(self) -> Motion:
        moving = np.hypot(self.v[:, 0], self.v[:, 1]) > 0
        for i in np.flatnonzero(moving | (self.spin != 0)):
            self._set_out(int(i))
        self._predict([int(i) for i in np.flatnonzero(moving)])
        for _ in range(_MOST_EVENTS):
            solo_at = int(np.argmin(self.solo)) if len(self.discs) else 0
            pair_at = int(np.argmin(self.pair)) if len(self.discs) else 0
            t_solo = self.solo[solo_at] if len(self.discs) else inf
            t_pair = self.pair.flat[pair_at] if len(self.discs) else inf
            if min(t_solo, t_pair) == inf:
                break
            if t_pair <= t_solo:
                self._advance(t_pair)
                self._meet(*divmod(pair_at, len(self.discs)))
            else:
                self._advance(t_solo)
                self._solo_event(solo_at)
        else:
            raise RuntimeError("the discs do not come to rest: too many events")
        self._advance(self._spins_end())
        return Motion(
            names=tuple(d.name for d in self.discs),
            pieces=tuple(d.piece for d in self.discs),
            radii_mm=tuple(d.radius_mm for d in self.discs),
            segments=tuple(tuple(s) for s in self.segments),
            hits=tuple(self.hits),
            falls=tuple(self.falls),
            leaps=tuple(self.leaps),
            rest_s=self.now,
            spin_slowing=tuple(float(self._spin_slowing(i)) for i in range(len(self.discs))),
        )

    # -- between events

    def _advance(self, t: float) -> None:
        t = float(t)
        dt = max(t - self.now, 0.0)
        self.now = max(t, self.now)
        if dt:
            self.p += self.v * dt + self.a * (0.5 * dt * dt)
            self.v += self.a * dt
            for i in np.flatnonzero(self.spin):
                slow = self._spin_slowing(int(i))
                end = abs(self.spin[i]) / slow
                span = min(dt, end)
                sign = copysign(1.0, self.spin[i])
                self.angle[i] += self.spin[i] * span - 0.5 * sign * slow * span * span
                self.spin[i] = 0.0 if dt >= end else self.spin[i] - sign * slow * dt

    def _spin_slowing(self, i: int) -> float:
        """Angular deceleration of a uniform disc that spins in place."""
        return float(4.0 / 3.0 * self.material.slowing_mm_s2 / self.radius[i])

    def _spins_end(self) -> float:
        spans = [abs(self.spin[i]) / self._spin_slowing(i) for i in range(len(self.discs)) if self.on_board[i]]
        return self.now + float(max(spans, default=0.0))

    def _record(self, i: int) -> None:
        self.segments[i].append(
            Segment(
                self.now, *_xy(self.p[i]), *_xy(self.v[i]), *_xy(self.a[i]),
                float(self.angle[i]), float(self.spin[i]),
            )
        )  # fmt: skip

    def _set_out(self, i: int) -> None:
        speed = hypot(*self.v[i])
        if speed < 1e-9:
            self.v[i] = self.a[i] = 0.0
        else:
            self.a[i] = -self.v[i] / speed * self.material.slowing_mm_s2
        self._record(i)

    # -- predictions

    def _predict(self, changed: Sequence[int]) -> None:
        for i in changed:
            self._predict_solo(i)
        for i in changed:
            self._predict_pairs(i)

    def _predict_solo(self, i: int) -> None:
        """The next thing that happens to a disc by itself: it stops, meets a cushion, or passes a pocket's lip."""
        speed = hypot(*self.v[i])
        if not self.on_board[i] or speed == 0.0:
            self.solo[i] = inf
            return
        slow = self.material.slowing_mm_s2
        ux, uy = self.v[i] / speed
        x, y = self.p[i]
        reach = speed * speed / (2 * slow)
        best, kind = reach, ("stop", 0.0, 0.0, None)
        limit = self.board.half_mm - self.radius[i]
        for at, u, nx, ny in ((x, ux, 1.0, 0.0), (y, uy, 0.0, 1.0)):
            if u:
                side = copysign(1.0, u)
                s = max((side * limit - at) / u, 0.0)
                if s < best:
                    best, kind = s, ("cushion", side * nx, side * ny, None)
        lip = self.board.pocket_radius_mm
        for pocket, (cx, cy) in self.board.pockets_mm.items():
            along = (cx - x) * ux + (cy - y) * uy
            off = (cx - x) * uy - (cy - y) * ux
            if abs(off) < lip:
                s = along - sqrt(lip * lip - off * off)
                if -1e-6 < s < best + 1e-9 and along > 0:
                    best, kind = max(s, 0.0), ("fall", 0.0, 0.0, pocket)  # type: ignore[assignment]
        self.solo_kind[i] = kind
        self.solo[i] = self.now + (speed - sqrt(max(speed * speed - 2 * slow * best, 0.0))) / slow

    def _predict_pairs(self, i: int) -> None:
        """When a disc meets each other one, as far as both keep their present course until then."""
        self.pair[i, :] = self.pair[:, i] = inf
        if not self.on_board[i]:
            return
        others = np.flatnonzero(self.on_board)
        others = others[others != i]
        if not len(others):
            return
        dp, dv, da = self.p[others] - self.p[i], self.v[others] - self.v[i], self.a[others] - self.a[i]
        reach = self.radius[others] + self.radius[i]
        horizon = np.minimum(self.solo[others], self.solo[i]) - self.now
        far = np.einsum("ij,ij->i", dp, dp)
        c0 = far - reach * reach
        c1 = 2 * np.einsum("ij,ij->i", dp, dv)
        closest = np.sqrt(far) - reach
        speed = np.hypot(dv[:, 0], dv[:, 1])
        pull = np.hypot(da[:, 0], da[:, 1])
        touching = c0 < 1e-6 * reach
        finite = np.isfinite(horizon)
        span = np.where(finite, horizon, 0.0)
        keep = finite & (closest <= speed * span + 0.5 * pull * span * span + 1e-6)
        now = touching & (c1 < -2 * reach * _APPROACH_MM_S)
        for j in others[now]:
            self._note_pair(i, int(j), self.now)
        keep &= ~now & (span > 0)
        if not np.any(keep):
            return
        k = np.flatnonzero(keep)
        h = span[k]
        # f(s) = |dp + dv s h + da s² h²/2|² - reach², s in (0, 1]; solved for u = 1/s, whose largest root is the first.
        f0 = np.maximum(c0[k], 1e-9 * reach[k])
        f1 = np.where(touching[k], np.maximum(c1[k], 0.0), c1[k]) * h
        f2 = (speed[k] ** 2 + np.einsum("ij,ij->i", dp[k], da[k])) * h**2
        f3 = np.einsum("ij,ij->i", dv[k], da[k]) * h**3
        f4 = 0.25 * pull[k] ** 2 * h**4
        companion = np.zeros((len(k), 4, 4))
        companion[:, 0, 0], companion[:, 0, 1], companion[:, 0, 2], companion[:, 0, 3] = (
            -f1 / f0, -f2 / f0, -f3 / f0, -f4 / f0,
        )  # fmt: skip
        companion[:, (1, 2, 3), (0, 1, 2)] = 1.0
        roots = np.linalg.eigvals(companion)
        real = np.abs(roots.imag) <= 1e-7 * (1 + np.abs(roots.real))
        u = np.where(real & (roots.real >= 1.0 - 1e-9), roots.real, 0.0).max(axis=1)
        for j, first, length in zip(others[k], u, h, strict=True):
            if first > 0:
                self._note_pair(i, int(j), self.now + length / first)

    def _note_pair(self, i: int, j: int, t: float) -> None:
        self.pair[min(i, j), max(i, j)] = t

    # -- events

    def _solo_event(self, i: int) -> None:
        kind, nx, ny, pocket = self.solo_kind[i]
        if kind == "stop":
            self.v[i] = self.a[i] = 0.0
            self._record(i)
        elif kind == "fall" and pocket is not None:
            self._fall(i, pocket)
        else:
            self._cushion(i, nx, ny)
        self._predict([i])

    def _fall(self, i: int, pocket: Pocket) -> None:
        self.falls.append(
            Fall(
                self.now,
                self.discs[i].name,
                self.discs[i].piece,
                pocket,
                *_xy(self.p[i]),
                *_xy(self.v[i]),
                self.board,
            )
        )
        self._take_off(i)

    def _take_off(self, i: int) -> None:
        self.on_board[i] = False
        self.v[i] = self.a[i] = 0.0
        self.spin[i] = 0.0
        self.solo[i] = inf
        self._record(i)

    def _cushion(self, i: int, nx: float, ny: float) -> None:
        n = np.array((nx, ny))
        along = np.array((-ny, nx))
        vn = float(self.v[i] @ n)
        speed = abs(vn)
        self.hits.append(Hit(self.now, self.discs[i].name, None, *_xy(self.p[i] + n * self.radius[i]), speed))
        if self._leaps(i, speed):
            return
        e = 1.0 if speed < _SLOW_MM_S else self.material.cushion_restitution
        dvn = (1 + e) * speed
        # The wall stands still; the contact point of a spinning disc slides along it.
        slip = float(self.v[i] @ along) + self.spin[i] * self.radius[i]
        change = min(self.material.cushion_friction * dvn, abs(slip) / 3.0)
        self.v[i] -= n * dvn + along * copysign(change, slip)
        self.spin[i] -= 2.0 * copysign(change, slip) / self.radius[i]
        self._set_out(i)

    def _meet(self, i: int, j: int) -> None:
        between = self.p[j] - self.p[i]
        n = between / hypot(*between)
        along = np.array((-n[1], n[0]))
        dv = self.v[j] - self.v[i]
        speed = -float(dv @ n)
        self.pair[i, j] = inf
        if speed <= 0:
            return
        at = self.p[i] + n * self.radius[i]
        self.hits.append(Hit(self.now, self.discs[i].name, self.discs[j].name, *_xy(at), speed))
        share = 1 / self.mass[i] + 1 / self.mass[j]
        e = 1.0 if speed < _SLOW_MM_S else self.material.piece_restitution
        normal = (1 + e) * speed / share
        slip = float(dv @ along) - self.spin[j] * self.radius[j] - self.spin[i] * self.radius[i]
        drag = copysign(min(self.material.piece_friction * normal, abs(slip) / (3 * share)), slip)
        self.v[i] += (-n * normal + along * drag) / self.mass[i]
        self.v[j] += (n * normal - along * drag) / self.mass[j]
        for k in (i, j):
            self.spin[k] += 2 * drag / (self.mass[k] * self.radius[k])
        changed = []
        for k in (i, j):
            if not self._leaps(k, speed):
                self._set_out(k)
            changed.append(k)
        self._predict(changed)

    def _leaps(self, i: int, speed: float) -> bool:
        """Now and then a hard impact throws a piece over the frame. Returns whether it did."""
        odds = self.material.leap_odds
        if odds == 0.0 or speed < self.material.leap_mm_s or self.rng.random() >= odds:
            return False
        heading = atan2(self.v[i, 1], self.v[i, 0]) + float(self.rng.normal(0, 0.15))
        v = 0.5 * hypot(*self.v[i]) + 600.0
        self.leaps.append(
            Leap(
                self.now, self.discs[i].name, self.discs[i].piece, *_xy(self.p[i]),
                v * cos(heading), v * sin(heading), float(self.rng.uniform(900.0, 1500.0)), self.board,
            )
        )  # fmt: skip
        self._take_off(i)
        self._predict([i])
        return True


def _xy(row: npt.NDArray[np.float64]) -> tuple[float, float]:
    return float(row[0]), float(row[1])
