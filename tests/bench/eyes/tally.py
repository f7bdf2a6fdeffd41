"""Counts over many boards whose truth is known, and the figures that come of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import cv2
import numpy as np

from calibration.board import DEFAULT_BOARD, Board
from controller.vision.calibration_file import Calibration
from controller.vision.finding import Finding, find
from tests.bench.figure import Figure, share

Truth = tuple[str, float, float, float]
"""Class, x and y in mm, visible share."""

MATCH_MM = 8.0
LEAST_VISIBLE = 0.5
"""A piece of which less is seen counts neither way."""
ONE_IN_700 = 1.0 / 700.0


@dataclass
class Tally:
    """Counts over many boards. `seconds`: CPU time of each finding; `matched`: class, x, y of those in `errors`.

    `total`: the pieces that count; `hidden`: those left out because the finding says that nothing is known there.
    """

    errors: list[float] = field(default_factory=list)
    stated: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    matched: list[tuple[str, float, float]] = field(default_factory=list)
    total: int = 0
    hidden: int = 0
    missed: int = 0
    false: int = 0
    misnamed: int = 0
    boards: int = 0
    right: int = 0

    def add(self, truths: list[Truth], found: Finding) -> None:
        """Counts one board; what lies in `hidden` or is mostly covered counts neither way."""
        left = list(found.pieces)
        before = (self.missed, self.false, self.misnamed)
        for kind, x, y, visible in truths:
            if visible < LEAST_VISIBLE:
                continue
            if hidden(x, y, found):
                self.hidden += 1
                continue
            self.total += 1
            best = min(left, key=lambda p: np.hypot(p.x_mm - x, p.y_mm - y), default=None)
            gap = np.inf if best is None else float(np.hypot(best.x_mm - x, best.y_mm - y))
            if best is None or gap > MATCH_MM:
                self.missed += 1
                continue
            left.remove(best)
            self.misnamed += best.piece != kind
            if visible >= 0.95:
                self.errors.append(gap)
                self.stated.append(best.u95_mm)
                self.matched.append((kind, x, y))
        known = [(x, y) for _, x, y, _ in truths]
        self.false += sum(
            not hidden(p.x_mm, p.y_mm, found)
            and min((np.hypot(p.x_mm - x, p.y_mm - y) for x, y in known), default=99.0) > MATCH_MM
            for p in left
        )
        self.boards += 1
        self.right += before == (self.missed, self.false, self.misnamed)

    def timed(self, look: Callable[[np.ndarray], Finding], picture: np.ndarray) -> Finding:
        """Runs a finder on a picture (BGR) and keeps its CPU time."""
        began = time.process_time()
        found = look(picture)
        self.seconds.append(time.process_time() - began)
        return found

    def figures(self, source: str, where: str, boards_wanted: float) -> Iterator[Figure]:
        """Everything counted, against the limits of the requirement."""
        if not self.boards:
            return
        errors, stated = np.array(self.errors or [np.nan]), np.array(self.stated or [np.nan])
        mean, high = float(errors.mean()), float(np.percentile(errors, 99))
        seen = f"{len(errors)} pieces visible ≥ 95 %"
        yield Figure(f"{where}: centre error, mean", source, f"{mean:.2f} mm", "0.4 mm", mean <= 0.4, seen)
        yield Figure(f"{where}: centre error, 99th percentile", source, f"{high:.2f} mm", "1.0 mm", high <= 1.0, seen)
        held = int((errors <= stated).sum())
        part = held / max(len(errors), 1)
        yield Figure(
            f"{where}: stated 95 % holds", source, share(held, len(errors)), "93 to 97 %", 0.93 <= part <= 0.97
        )
        for name, count in (("missed", self.missed), ("false", self.false), ("misnamed", self.misnamed)):
            fine = count <= ONE_IN_700 * self.total
            yield Figure(f"{where}: {name}", source, share(count, self.total), "1 in 700", fine)
        yield Figure(f"{where}: left out as hidden", source, share(self.hidden, self.total + self.hidden))
        fine = self.right >= boards_wanted * self.boards
        wanted = f"{100 * boards_wanted:.1f} %"
        yield Figure(f"{where}: whole board right", source, share(self.right, self.boards), wanted, fine)
        yield from self.speed(source, where)

    def speed(self, source: str, where: str) -> Iterator[Figure]:
        """How long finding took, in CPU time."""
        middle, worst = 1000 * float(np.median(self.seconds)), 1000 * max(self.seconds)
        yield Figure(f"{where}: finding, median CPU", source, f"{middle:.0f} ms", "25 ms", middle <= 25)
        yield Figure(f"{where}: finding, worst CPU", source, f"{worst:.0f} ms", "60 ms", worst <= 60)

    def line(self) -> str:
        """All of it in one line, for what is only compared with."""
        errors = self.errors or [float("nan")]
        return (
            f"missed {share(self.missed, self.total)}, false {self.false}, misnamed {self.misnamed}, boards right "
            f"{self.right}/{self.boards}, error {np.mean(errors):.2f} mm (99 %: {np.percentile(errors, 99):.2f}), CPU "
            f"{1000 * float(np.median(self.seconds)):.0f} ms (worst {1000 * max(self.seconds):.0f})"
        )


def hidden(x: float, y: float, found: Finding) -> bool:
    """Whether nothing is said about a place."""
    return any(
        cv2.pointPolygonTest(np.array(p, dtype=np.float32).reshape(-1, 1, 2), (x, y), False) >= 0 for p in found.hidden
    )


def grey(picture: np.ndarray) -> np.ndarray:
    """The brightness of a picture, as the eyes get it."""
    return cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)


def finder(calibration: Calibration, board: Board = DEFAULT_BOARD) -> Callable[[np.ndarray], Finding]:
    """The real finder, tied to a calibration."""
    return lambda picture: find(picture, calibration.model, calibration.looks, board=board)
