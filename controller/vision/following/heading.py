"""Which way the striker set out, and how surely: by the straight beginning of its path, where it lay and what it met.

Its first pictures are often half hidden behind the finger, and a coin met at once may bend the path before it is seen;
then that it met that coin says most. Marks in, an angle with its error out; must not know seats.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import asin, atan2, cos, degrees, hypot, radians, sin, sqrt

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


CERTAIN = 4.0
"""A direction that a meeting rules out is as good as so many standard errors away."""

LAY_MM = 1.0
"""Places of striker and coin together are no farther off than this."""


THROW_MM = 3.0
"""Friction turns a struck piece off the line through both middles: as if it had been met so far aside."""

ROLLED_MM = 30.0
"""A struck piece seen to run less far straight on tells no direction."""


@dataclass(frozen=True, slots=True)
class Met:
    """What the striker met first and when: a piece that lay at `at`, `reach_mm` the sum of both radii.

    `ran`: how that piece was seen to run then; nothing where others lay against it.
    """

    t_ns: int
    at: Point | None = None
    reach_mm: float = 0.0
    ran: tuple[Measurement, ...] = ()


def heading_of(run: Sequence[Measurement], lay: Point | None, met: Met | None = None) -> Heading | None:
    """Returns the direction of first motion of a striker that lay there and ran so; None where nothing tells it.

    `lay` is None where nobody saw it lie. `met`: what it met first, if that is known: what follows tells no more, but
    for the one mark that there has to be; and it can only have set out so that it did meet that piece, which ran away
    from where it was then. Where two of these disagree, neither is believed further than half of that.
    """
    found = _by_marks(run, lay, met.t_ns if met is not None else None)
    if found is None or lay is None or met is None:
        return found
    if run[0].t_ns >= met.t_ns:
        found = _after_the_meeting(found, run[0], lay, met)
    struck_away = _by_what_it_struck(lay, met)
    if struck_away is not None:
        both = _together(found, struck_away)
        found = both if both.u_deg < found.u_deg else found
    return _so_that_it_met(found, lay, met)


def _after_the_meeting(found: Heading, first: Measurement, lay: Point, met: Met) -> Heading:
    """The direction to a mark that shows where the striker was after it had met a piece, which turned it."""
    if met.at is None:
        return found
    far, seen = hypot(met.at[0] - lay[0], met.at[1] - lay[1]), hypot(first.x_mm - lay[0], first.y_mm - lay[1])
    free = far - met.reach_mm
    if free < LAY_MM or seen <= free:
        return found
    turned = _widest_deg(far, met) / 2.0 * (1.0 - free / seen)
    return Heading(found.deg, hypot(found.u_deg, turned))


def _widest_deg(far_mm: float, met: Met) -> float:
    """How far beside the middle of a piece so far off it may aim and still meet it."""
    return degrees(asin(min(1.0, (met.reach_mm + LAY_MM) / far_mm)))


def _by_what_it_struck(lay: Point, met: Met) -> Heading | None:
    """The direction to where its middle was as it met the piece: on that piece's path run backwards."""
    if met.at is None or not met.ran:
        return None
    away = _from_its_place(met.ran, met.at)
    if away is None or hypot(met.ran[-1].x_mm - met.at[0], met.ran[-1].y_mm - met.at[1]) < ROLLED_MM:
        return None
    x = met.at[0] - met.reach_mm * cos(radians(away.deg)) - lay[0]
    y = met.at[1] - met.reach_mm * sin(radians(away.deg)) - lay[1]
    far = hypot(x, y)
    if far < ROLLED_MM:
        return None
    return Heading(degrees(atan2(y, x)), degrees(hypot(THROW_MM, met.reach_mm * radians(away.u_deg)) / far))


def _so_that_it_met(found: Heading, lay: Point, met: Met) -> Heading:
    """A direction no surer and no farther off than that it led to the piece that was met."""
    if met.at is None:
        return found
    dx, dy = met.at[0] - lay[0], met.at[1] - lay[1]
    far = hypot(dx, dy)
    if far <= met.reach_mm + LAY_MM:
        return found
    half = _widest_deg(far, met)
    off = (found.deg - degrees(atan2(dy, dx)) + 180.0) % 360.0 - 180.0
    if abs(off) > half:
        # What the marks say and what was met exclude each other.
        return Heading(found.deg, max(found.u_deg, abs(off) - half))
    return Heading(found.deg, min(found.u_deg, (half + abs(off)) / CERTAIN))


def _by_marks(run: Sequence[Measurement], lay: Point | None, met_ns: int | None) -> Heading | None:
    if met_ns is not None:
        run = [mark for mark in run if mark.t_ns < met_ns] or run[:1]
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
