"""One piece followed through a motion window: where it was seen when, which part it ran by itself, how it ended.

Plain values in mm and ns; no pixels. The pictures are read in `tracker.py`, the paths in `free_runs.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from math import dist, hypot
from typing import Literal

from calibration.board import Board
from controller.events.observation import SeenPiece, Vanished
from controller.events.words import Piece

Life = Literal["moving", "still", "gone"]


@dataclass(frozen=True, slots=True)
class Measurement:
    """One measurement of a piece. `by_hand`: a hand touched its outline in that picture."""

    t_ns: int
    x_mm: float
    y_mm: float
    by_hand: bool = False

    @property
    def at(self) -> tuple[float, float]:
        """Where it was seen."""
        return (self.x_mm, self.y_mm)


@dataclass(slots=True)
class PieceTrack:
    """A piece that moves or has moved.

    `began_ns`: the last picture in which it lay still, or the first of one that came into view. `tone`: mean
    brightness of its top, to tell it from others.
    """

    number: int
    piece: Piece
    radius_mm: float
    start: SeenPiece | None
    began_ns: int
    tone: float | None = None
    marks: list[Measurement] = field(default_factory=list)
    life: Life = "moving"
    missed: int = 0
    steady: int = 0
    vx: float = 0.0
    vy: float = 0.0
    hole_open: bool = False
    """Its old place has been seen empty and belongs to the still scene."""

    @property
    def last(self) -> tuple[int, float, float]:
        """Time and place last known."""
        if self.marks:
            mark = self.marks[-1]
            return (mark.t_ns, *mark.at)
        assert self.start is not None
        return (self.began_ns, *self.start.at)

    @property
    def at(self) -> tuple[float, float]:
        """Where it was seen last."""
        return self.last[1:]

    @property
    def speed(self) -> float:
        """Speed in mm/s."""
        return hypot(self.vx, self.vy)

    @property
    def travelled_mm(self) -> float:
        """How far it got from where it was first known."""
        first = self.start.at if self.start else self.marks[0].at
        return max((dist(mark.at, first) for mark in self.marks), default=0.0)

    def add(self, mark: Measurement, speed: tuple[float, float] | None = None) -> None:
        """Adds a measurement. Its speed is that since the last one, or `speed` where a meeting lay between."""
        known = bool(self.marks) or self.start is not None
        t0, x0, y0 = self.last if known else (mark.t_ns, *mark.at)
        dt = (mark.t_ns - t0) / 1e9
        if speed is not None:
            self.vx, self.vy = speed
        elif dt > 0:
            self.vx, self.vy = (mark.x_mm - x0) / dt, (mark.y_mm - y0) / dt
        self.marks.append(mark)
        self.missed = 0


FLICK_MM_S = 120.0
"""Slower than this nothing was struck: a hand put it there."""

FLICK_MM = 4.0
"""A struck piece is seen to run farther than places tremble."""


def free_run(track: PieceTrack) -> list[Measurement]:
    """The marks from where a piece ran by itself: those after the last slow or hand-held one before its fastest."""
    marks = track.marks
    if len(marks) < 2:
        return []
    pace = [0.0]
    for a, b in pairwise(marks):
        pace.append(dist(b.at, a.at) / max(1e-3, (b.t_ns - a.t_ns) / 1e9))
    # One quick step among others is a picture in which another piece was taken for this one; alone it may be all that
    # was seen of a run.
    top = max(map(min, pairwise(pace[1:])), default=0.0)
    if top < FLICK_MM_S:
        top = max(pace)
    if top < FLICK_MM_S:
        return []
    first = next(index for index, value in enumerate(pace) if value >= 0.5 * top)
    # The mark before the first quick step is where it set off, unless a hand still carried it.
    return marks[first if marks[first - 1].by_hand else first - 1 :]


def looks_struck(track: PieceTrack) -> bool:
    """Whether it ran by itself as only a struck or hit piece does."""
    run = [mark for mark in free_run(track) if not mark.by_hand]
    return len(run) >= 2 and dist(run[-1].at, run[0].at) > FLICK_MM


@dataclass(frozen=True, slots=True, eq=False)
class Association:
    """How one piece went from the board before to the board after: where it lay and lies; None where not known.

    `track` is None for one that nobody saw move. `odds`: what it may be, if detections and track leave more than one.
    `placed`: how the striker lay, where the track is one that came out of a hand and was played. `number`: its track's
    in the stroke. `vanished`: how it went, where it lies nowhere. `in_sight`: it was followed into the last
    picture and shows in it.
    """

    start: SeenPiece | None
    end: SeenPiece | None
    track: PieceTrack | None
    piece: Piece = "unknown"
    confidence: float = 0.5
    odds: tuple[tuple[Piece, float], ...] = ()
    placed: SeenPiece | None = None
    number: int = 0
    vanished: Vanished | None = None
    in_sight: bool = False

    @property
    def run(self) -> list[Measurement]:
        """The marks from where it ran by itself."""
        return free_run(self.track) if self.track is not None else []

    @property
    def ran(self) -> bool:
        """Whether it ran by itself as only a struck or hit piece does."""
        return self.track is not None and looks_struck(self.track)

    @property
    def went(self) -> str:
        """How it vanished; empty where it did not."""
        return self.vanished.how if self.vanished is not None else ""


STILL_FRAMES = 4
NEAR_MM = 30.0
STEPS = 1.5
"""What was lost farther from a pocket than this, and than so many pictures' way, was not lost by falling."""

TIPPED_MM = 1.0
"""A piece this much nearer to a pocket's centre than any can lie is falling, whatever its place's error."""

OVER_MM = 8.0
"""Beyond a cushion by more than a fast piece, seen smeared, is placed wrongly (up to 6 mm)."""

LOST_NS = 250_000_000
"""A piece lost for so long is gone."""


def life_of(track: PieceTrack, board: Board, t_ns: int, under_hand: Callable[[], float]) -> Life:
    """What a moving piece does at `t_ns`: it moves on, lies still, or is gone and no longer searched for.

    `under_hand`: its share under a hand where it was.
    """
    t0, x, y = track.last
    if not track.marks and track.start is None:
        return "moving"
    pocket, away = board.nearest_pocket(x, y)
    if away < board.rests_from_mm(track.piece) - TIPPED_MM and track.marks:
        return "gone"
    if track.missed == 0:
        return "still" if track.steady >= STILL_FRAMES else "moving"
    dt = (t_ns - t0) / 1e9
    # It can only have come as far as its speed allows, with room for a push by another.
    reach = track.speed * dt * 1.3 + 30.0
    due = track.missed >= 2 or away < 2.5 * board.pocket_radius_mm
    if due and away < board.pocket_radius_mm + reach and _leads_to(track, board.pockets_mm[pocket]):
        return "gone"
    if track.missed >= 2 and (over_frame(track.at, track.radius_mm, board) or under_hand() > 0.3):
        return "gone"
    return "gone" if t_ns - t0 > LOST_NS else "moving"


def over_frame(at: tuple[float, float], radius_mm: float, board: Board) -> bool:
    """Whether a piece's middle is so far beyond where it can lie that no error of its place explains it."""
    return max(map(abs, at)) > board.half_mm - radius_mm + OVER_MM


def lost_on_its_way(track: PieceTrack, board: Board) -> bool:
    """Whether a piece that left its place was lost where it would have been seen once more before it came to a pocket.

    Then it may lie anywhere, where the small picture does not show it.
    """
    if track.life != "gone" or track.start is None or not track.marks or track.marks[-1].by_hand:
        return False
    step = dist(track.marks[-2].at, track.at) if len(track.marks) > 1 else 0.0
    _, away = board.nearest_pocket(*track.at)
    return away - board.pocket_radius_mm > max(NEAR_MM, STEPS * step)


def _leads_to(track: PieceTrack, centre: tuple[float, float]) -> bool:
    x, y = track.at
    dx, dy = centre[0] - x, centre[1] - y
    away, speed = hypot(dx, dy), track.speed
    if away < 30.0:
        return True
    return speed > 30.0 and (dx * track.vx + dy * track.vy) / (away * speed) > 0.85
