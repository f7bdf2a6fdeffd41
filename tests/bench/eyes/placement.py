"""A placed striker near its limits: is it judged rightly beyond 1.0 mm, and how wide is the band of too close to call?

Strikers are drawn within 3 mm of a limit (base lines, base circle, arrow) on simulated tables; what the eyes see is
judged as the table judges it, and compared with the same limits at the true place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from math import pi

import numpy as np

from calibration.board import Board, seat_to_board
from controller.events.observation import SeenPiece
from controller.events.words import Seat
from controller.shots.limits import Limits
from controller.shots.placement import judge, margins
from controller.simulator.camera import Camera
from controller.simulator.looks import LOOKS
from controller.simulator.motion import Pose
from controller.simulator.pieces import STRIKER, is_free
from controller.simulator.stills import random_position, still
from tests.bench.eyes.boards import calibrated
from tests.bench.eyes.tally import finder
from tests.bench.figure import Figure, share

FACTS = ("outer", "inner", "circle", "arrow")
EDGES_MM = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0)
SEATS: tuple[Seat, ...] = ("south", "east", "north", "west")


@dataclass
class Judged:
    """One verdict beside its truth: the true margin in mm, what was said, and whether that is wrong."""

    fact: str
    margin: float
    sure: str

    @property
    def wrong(self) -> bool:
        return self.sure != "too close" and (self.sure == "yes") != (self.margin > 0)


@dataclass
class Placed:
    """All verdicts, and each striker's error beside its distance from the camera's foot."""

    verdicts: list[Judged] = field(default_factory=list)
    errors: list[tuple[float, float]] = field(default_factory=list)
    lost: int = 0
    total: int = 0


def run(names: tuple[str, ...], what: str, each: int) -> Iterator[Figure]:
    """Yields the figures of `each` placements on every look."""
    seen = Placed()
    for name in names:
        _look(name, each, seen)
    yield Figure(f"{what}: placed striker found", "sim", share(seen.total - seen.lost, seen.total))
    for fact in (*FACTS, "all"):
        mine = [v for v in seen.verdicts if fact in (v.fact, "all")]
        far = [v for v in mine if abs(v.margin) > 1.0]
        right = sum(not v.wrong and v.sure != "too close" for v in far)
        yield Figure(
            f"{what}: {fact}, more than 1.0 mm from the limit, called rightly",
            "sim",
            share(right, len(far)),
            "99.5 %",
            right >= 0.995 * len(far),
            f"wrong {sum(v.wrong for v in far)}, too close to call {sum(v.sure == 'too close' for v in far)}",
        )
    near = [v for v in seen.verdicts if abs(v.margin) <= 1.0]
    yield Figure(f"{what}: within 1.0 mm, called wrongly", "sim", share(sum(v.wrong for v in near), len(near)))
    band = [abs(v.margin) for v in seen.verdicts if v.sure == "too close"]
    if band:
        yield Figure(
            f"{what}: band of too close to call", "sim", f"95 % within ±{np.percentile(band, 95):.2f} mm of a limit"
        )
    for low, high in pairwise(EDGES_MM):
        mine = [v for v in seen.verdicts if low <= abs(v.margin) < high]
        if mine:
            yield Figure(
                f"{what}: {low:g} to {high:g} mm from the limit",
                "sim",
                f"wrong {share(sum(v.wrong for v in mine), len(mine))}",
                note=f"too close to call {share(sum(v.sure == 'too close' for v in mine), len(mine))}",
            )
    for low, high in ((0, 200), (200, 260), (260, 300), (300, 360)):
        mine = [error for distance, error in seen.errors if low <= distance < high]
        if mine:
            yield Figure(
                f"{what}: striker {low} to {high} mm from the camera's foot",
                "sim",
                f"error {np.mean(mine):.2f} mm, 95 % {np.percentile(mine, 95):.2f}",
                note=f"{len(mine)} placements",
            )


def _look(name: str, each: int, seen: Placed) -> None:
    look = LOOKS[name]
    table = calibrated(name)
    see, camera, rng = finder(table.calibration), Camera(look, 1), np.random.default_rng(7)
    board = Board(striker_diameter_mm=look.pieces.striker_diameter_mm)
    foot = table.calibration.model.centre_mm[:2]
    for k in range(each):
        seat = SEATS[k % 4]
        x, y = _near_a_limit(board, seat, rng, FACTS[(k // 4) % 4])
        lying = {STRIKER: Pose(x, y, 0.0, float(rng.uniform(0, 2 * pi)))}
        for piece, pose in random_position(rng, look.pieces, int(rng.integers(3, 12))).items():
            if is_free(pose.x_mm, pose.y_mm, look.pieces.radius(piece), lying, look.pieces, 1.0):
                lying[piece] = pose
        found = see(still(camera, lying).picture)
        striker = next((p for p in found.pieces if p.piece == "striker"), None)
        seen.total += 1
        if striker is None or np.hypot(striker.x_mm - x, striker.y_mm - y) > 8.0:
            seen.lost += 1
            continue
        error = float(np.hypot(striker.x_mm - x, striker.y_mm - y))
        seen.errors.append((float(np.hypot(x - foot[0], y - foot[1])), error))
        compare(board, seat, striker, (x, y), seen)


def _near_a_limit(board: Board, seat: Seat, rng: np.random.Generator, fact: str) -> tuple[float, float]:
    """A place within 3 mm of one limit, anywhere along it where a player may think of placing."""
    reach = board.striker_diameter_mm / 2.0
    for _ in range(10_000):
        x, away = float(rng.uniform(-238, 238)), float(rng.uniform(228, 278))
        at = seat_to_board(seat, x, away)
        found = margins(board, seat, *at)
        circle = min(abs(found.covers), abs(found.clears))
        gap = {"outer": found.outer, "inner": found.inner, "circle": circle, "arrow": found.arrow}[fact]
        if abs(gap) < 3.0 and found.outer > -4.0 and found.inner > -4.0 and max(map(abs, at)) < board.half_mm - reach:
            return at
    raise AssertionError(f"no place near the limit of {fact}")


def compare(board: Board, seat: Seat, striker: SeenPiece, true: tuple[float, float], seen: Placed) -> None:
    """Judges a striker where it is seen, beside its limits at the true place, as far as those are within 3 mm."""
    said = judge(board, seat, striker, None, ("clear", "covered"), Limits())
    truth = margins(board, seat, *true)
    bases = iter(("outer", "inner"))
    for clearance in said.clearances:
        if clearance.fact == "placement.lines":
            fact = next(bases)
            margin = getattr(truth, fact)
        elif clearance.fact == "placement.circle":
            fact = "circle"
            margin = truth.covers if abs(truth.covers) < abs(truth.clears) else truth.clears
        elif clearance.fact == "placement.arrow":
            fact, margin = "arrow", truth.arrow
        else:
            continue
        if abs(margin) < 3.0:
            seen.verdicts.append(Judged(fact, margin, clearance.in_order))
