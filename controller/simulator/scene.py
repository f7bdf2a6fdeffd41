"""What is there to be seen at a moment: pieces with their poses, arms over the board, and how it all moves.

A `Reel` is the script of an episode: for every piece the parts of its way (lying, carried, running), for every arm
its path. It answers what the scene is at any time, so that a camera may expose as it likes. Knows no camera.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from controller.events.words import Seat
from controller.simulator.motion import Motion, Pose

PoseAt = Callable[[float], Pose | None]


class ArmPose(NamedTuple):
    """A hand over the board: fingertip, height of the fingers, and how far the hand is turned from straight in."""

    seat: Seat
    x_mm: float
    y_mm: float
    z_mm: float
    slant: float = 0.0
    left: bool = False


@dataclass(frozen=True, slots=True)
class ArmPath:
    """Fingertip positions over time; between two it moves smoothly. The arm is seen from the first to the last.

    `stops`: (t_s, x_mm, y_mm, z_mm), times rising.
    """

    seat: Seat
    stops: tuple[tuple[float, float, float, float], ...]
    slant: float = 0.0
    left: bool = False

    def at(self, t_s: float) -> ArmPose | None:
        """The arm at a time, None while it is away."""
        if not self.stops or not self.stops[0][0] <= t_s <= self.stops[-1][0]:
            return None
        k = min(bisect_right(self.stops, t_s, key=_first), len(self.stops) - 1)
        before, after = self.stops[max(k - 1, 0)], self.stops[k]
        span = after[0] - before[0]
        u = (t_s - before[0]) / span if span > 0 else 1.0
        u = min(max(u, 0.0), 1.0)
        u = u * u * (3 - 2 * u)
        x, y, z = (before[i] + (after[i] - before[i]) * u for i in (1, 2, 3))
        return ArmPose(self.seat, x, y, z, self.slant, self.left)


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything at one moment: piece number → pose, and the arms over the board."""

    t_s: float
    pieces: dict[int, Pose]
    arms: tuple[ArmPose, ...] = ()


@dataclass(slots=True)
class Reel:
    """The script of an episode, times in seconds since the match's start. Built part by part, then read."""

    parts: dict[int, list[tuple[float, PoseAt, bool]]] = field(default_factory=dict)
    arms: list[ArmPath] = field(default_factory=list)

    def lie(self, name: int, t_s: float, pose: Pose) -> None:
        """From `t_s` on the piece lies still."""
        self._add(name, t_s, lambda _t: pose, False)

    def away(self, name: int, t_s: float) -> None:
        """From `t_s` on the piece is hidden: in a pocket, on the frame, in a closed hand."""
        self._add(name, t_s, lambda _t: None, False)

    def follow(self, name: int, t_s: float, pose_at: PoseAt) -> None:
        """From `t_s` on the piece moves as the function says."""
        self._add(name, t_s, pose_at, True)

    def play(self, motion: Motion, t_s: float) -> None:
        """From `t_s` on all discs of a run move as the physics says."""
        for name in motion.names:
            if motion.moves(name):
                self._add(name, t_s, _played(motion, name, t_s), True)
                end = t_s + motion.end_s
                last = motion.sample(name, motion.end_s + 1.0)
                if last is None:
                    self.away(name, end)
                else:
                    self.lie(name, end, last)

    def carry(self, name: int, arm: ArmPath, from_s: float, to_s: float, rest: Pose | None) -> None:
        """The piece goes with an arm's fingertips, and then lies at `rest` (None: it is gone)."""

        def held(t: float) -> Pose | None:
            hand = arm.at(t)
            return None if hand is None else Pose(hand.x_mm, hand.y_mm, max(hand.z_mm - 20.0, 0.0), 0.0)

        self._add(name, from_s, held, True)
        if rest is None:
            self.away(name, to_s)
        else:
            self.lie(name, to_s, rest)

    def scene(self, t_s: float) -> Scene:
        """What is there at a time."""
        pieces = {}
        for name in self.parts:
            part = self._part(name, t_s)
            pose = None if part is None else part[1](t_s)
            if pose is not None:
                pieces[name] = pose
        arms = tuple(seen for arm in self.arms if (seen := arm.at(t_s)) is not None)
        return Scene(t_s, pieces, arms)

    def moving(self, t0_s: float, t1_s: float) -> set[int]:
        """The pieces that may move within a span."""
        found = set()
        for name, parts in self.parts.items():
            first, last = self._index(name, t0_s), self._index(name, t1_s)
            if any(parts[k][2] for k in range(max(first, 0), last + 1)) or first != last:
                a, b = self.pose(name, t0_s), self.pose(name, t1_s)
                middle = self.pose(name, (t0_s + t1_s) / 2)
                if not (a == b == middle):
                    found.add(name)
        return found

    def forget_before(self, t_s: float) -> None:
        """Drops what lies wholly in the past, so that a long match does not grow."""
        for name, parts in self.parts.items():
            first = max(self._index(name, t_s), 0)
            del parts[:first]
        self.arms[:] = [arm for arm in self.arms if arm.stops and arm.stops[-1][0] >= t_s]

    def pose(self, name: int, t_s: float) -> Pose | None:
        """Where a piece is at a time, None while it is hidden."""
        part = self._part(name, t_s)
        return None if part is None else part[1](t_s)

    def _add(self, name: int, t_s: float, pose_at: PoseAt, moves: bool) -> None:
        parts = self.parts.setdefault(name, [])
        while parts and parts[-1][0] > t_s:
            parts.pop()
        parts.append((t_s, pose_at, moves))

    def _index(self, name: int, t_s: float) -> int:
        return bisect_right(self.parts[name], t_s, key=_first) - 1

    def _part(self, name: int, t_s: float) -> tuple[float, PoseAt, bool] | None:
        k = self._index(name, t_s)
        return None if k < 0 else self.parts[name][k]


def _played(motion: Motion, name: int, t_s: float) -> PoseAt:
    return lambda t: motion.sample(name, t - t_s)


def _first(item: Iterable[object]) -> float:
    return item[0]  # type: ignore[index, no-any-return]
