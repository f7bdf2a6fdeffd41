"""The striker's first direction and its error: from the straight start of its path, where it lay and what it met.

Its first pictures are often half hidden behind the finger, and a coin met at once may bend the path before it is seen;
then that it met that coin says most. Marks in, an angle with its error out; must not know seats.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import atan2, cos, degrees, hypot, radians, sin, sqrt

from controller.vision.following.free_runs import MARK_MM, split
from controller.vision.following.tracks import Measurement

Point = tuple[float, float]

LEG_MARKS = 4
"""A stretch of fewer marks has no direction of its own: the first of them may show half a striker."""

AWAY_MM = 8.0
"""As long as the marks lie this near to one line through where it lay, it has met nothing that turned it."""

ASIDE_MM = 6.0
"""A finger and its shadow draw the marks of a striker aside by up to this, all of them the same way."""

ALIKE = 2.0
"""Errors of marks in a row are alike: their mean is no surer than that of so many times fewer, squared."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A direction in degrees, anticlockwise from east, with its standard error."""

    deg: float
    u_deg: float


def heading_of(run: Sequence[Measurement], lay: Point | None, met_ns: int | None = None) -> Heading | None:
    """Returns the direction of first motion of a striker that lay there and ran so; None where nothing tells it.

    `lay` is None where nobody saw it lie. `met_ns`: when it met something first, if it did: what follows tells no more.
    Where its path and where it lay disagree, the surer is no surer than half of that.
    """
    if met_ns is not None:
        run = [mark for mark in run if mark.t_ns < met_ns]
    path = _along_its_path(run)
    placed = _from_its_place(run, lay) if lay is not None else None
    return _together(path, placed) if path is not None and placed is not None else path or placed


def _together(one: Heading, two: Heading) -> Heading:
    """The surer of two, no surer than half of what they are apart."""
    surer = min(one, two, key=lambda found: found.u_deg)
    apart = (one.deg - two.deg + 180.0) % 360.0 - 180.0
    return Heading(surer.deg, hypot(surer.u_deg, apart / 2.0))


def _along_its_path(run: Sequence[Measurement]) -> Heading | None:
    marks = split(run)[0] if run else ()
    if len(marks) < LEG_MARKS:
        return None
    spots = _spots(marks)
    middle = (sum(x for x, _ in spots) / len(spots), sum(y for _, y in spots) / len(spots))
    deg, along, across = _line(spots, middle)
    scatter = max(MARK_MM, across / sqrt(len(spots) - 2))
    return Heading(deg, degrees(ALIKE * scatter / along)) if along > 0.0 else None


def _from_its_place(run: Sequence[Measurement], lay: Point) -> Heading | None:
    spots = _spots(run)
    straight = 0
    for count in range(1, len(spots) + 1):
        (x, y), before = spots[count - 1], spots[: count - 1]
        far = hypot(x - lay[0], y - lay[1])
        if any(_aside(spot, lay, (x, y)) >= AWAY_MM * max(far, 1.0) for spot in before):
            break
        straight = count
    if not straight:
        return None
    deg, along, across = _line(spots[:straight], lay)
    if along <= 0.0:
        return None
    far = max(hypot(x - lay[0], y - lay[1]) for x, y in spots[:straight])
    return Heading(deg, degrees(hypot(ASIDE_MM, across / sqrt(straight)) / far))


def _spots(marks: Sequence[Measurement]) -> list[Point]:
    return [(mark.x_mm, mark.y_mm) for mark in marks]


def _aside(spot: Point, lay: Point, to: Point) -> float:
    """How far a place lies beside the line from `lay` to `to`, times that line's length."""
    return abs((spot[0] - lay[0]) * (to[1] - lay[1]) - (spot[1] - lay[1]) * (to[0] - lay[0]))


def _line(spots: Sequence[Point], through: Point) -> tuple[float, float, float]:
    """The line through a place that passes the others nearest: direction onwards, and the spread along and across."""
    xx = sum((x - through[0]) ** 2 for x, _ in spots)
    yy = sum((y - through[1]) ** 2 for _, y in spots)
    xy = sum((x - through[0]) * (y - through[1]) for x, y in spots)
    deg = degrees(atan2(2.0 * xy, xx - yy)) / 2.0
    ux, uy = cos(radians(deg)), sin(radians(deg))
    onwards = (spots[-1][0] - through[0]) * ux + (spots[-1][1] - through[1]) * uy
    turn = hypot(xx - yy, 2.0 * xy)
    along, across = sqrt(max(0.0, (xx + yy + turn) / 2.0)), sqrt(max(0.0, (xx + yy - turn) / 2.0))
    if onwards < 0.0:
        deg += 180.0 if deg <= 0.0 else -180.0
    return deg, along, across
