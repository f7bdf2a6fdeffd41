"""What is known of the striker in a stroke: where it lay, when it set off, where to, and how far a hand went along.

Values in, values out; no pixels. Knows that a striker is struck from near a base line, but no rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import atan2, cos, degrees, dist, hypot, radians, sin, sqrt

from calibration.board import SEATS, Board, board_to_seat
from controller.events.observation import SeenPiece, StrikerSeen, Touch
from controller.vision.following.free_runs import MARK_MM, Leg, leg_through, set_off, split
from controller.vision.following.motion_window import MotionWindow, Placement
from controller.vision.following.tracks import FLICK_MM, Association, Measurement

NEAR_LINE_MM = 40.0
"""A striker that lies nearer to a base line than its own width was put there to be played, however badly."""
BESIDE_ENDS_MM = 41.0
"""So far beyond the ends of a base line a path run backwards may cross it: its heading is rough."""


def struck_item(associations: Sequence[Association], window: MotionWindow, board: Board) -> Association | None:
    """The item that was struck, if any was: the striker, running by itself.

    Of several, one that did not lie off the lines, and that lies there still, goes first. A hand that carries the
    striker may look the same: whether a stroke was played is decided in shots.
    """

    def rank(item: Association) -> tuple[bool, bool, int]:
        placement = window.placements.get(item.number)
        lay = placement.piece if placement is not None else item.start
        off_lines = lay is not None and board.from_line_mm(*lay.at) > NEAR_LINE_MM
        return off_lines, item.end is None, item.run[0].t_ns

    named = [item for item in associations if item.piece == "striker" or item.number in window.placements]
    return min((item for item in named if item.ran), key=rank, default=None)


def placement_of(item: Association, window: MotionWindow, board: Board) -> Placement | None:
    """Where the struck striker had been placed; None if nobody saw."""
    seen = window.placements.get(item.number)
    if seen is not None:
        return seen
    if item.start is not None and item.start.piece == "striker":
        others = [piece for piece in window.before.pieces if piece is not item.start]
        return Placement(
            window.before.t_ns, item.start, gap_to_nearest(item.start, others, board), window.before.picture
        )
    return None


def gap_to_nearest(striker: SeenPiece, others: Sequence[SeenPiece], board: Board) -> float | None:
    """Free space in mm between the striker and the nearest other piece; None if there is none."""
    gaps = [striker.apart_mm(piece) - board.touching_mm for piece in others if piece.piece != "striker"]
    return min(gaps, default=None)


def striker_seen(item: Association, placement: Placement | None, window: MotionWindow) -> StrikerSeen:
    """The striker's facts but for its heading, which waits for what it touched."""
    run = item.run
    leg = leg_through(split(run)[0][:5] if run else ())
    placed: SeenPiece | None = None
    if placement is not None:
        at = placement.piece.at
        first, error = set_off(at, run, placement.t_ns)
        # Between two pictures a finger may push before it flicks: a path run backwards is no surer than that.
        error = max(error, window.frame_ns // 3)
        lay = placement.piece
        placed = replace(lay, u95_mm=max(lay.u95_mm, window.rough_mm))
    else:
        at = run[0].at
        # It came out from under a hand: when it was struck was not seen.
        first, error = run[0].t_ns - 2 * window.frame_ns, 5 * window.frame_ns
    return StrikerSeen(
        placed=placed,
        gap_mm=placement.gap_mm if placement is not None else None,
        first_motion_ns=first,
        u_first_motion_ns=error,
        heading_deg=None,
        speed_mm_s=leg.speed(first) if leg is not None else None,
        left_by_mm=max((dist(mark.at, at) for mark in run), default=0.0),
        # Of one that nobody saw lie nobody knows how far a hand had come with it before it showed.
        hand_follow_mm=followed_mm(run, at, first, window) if placement is not None else None,
        track=item.number,
    )


def headed(
    struck: StrikerSeen, item: Association, placement: Placement | None, touches: Sequence[Touch]
) -> StrikerSeen:
    """The striker's facts with which way it set out, before it touched anything."""
    lay = placement.piece.at if placement is not None else None
    heading = heading_of(item.run, lay, touches[0].t_ns if touches else None)
    return replace(struck, heading_deg=heading.deg, u_heading_deg=heading.u_deg) if heading is not None else struck


def crossed_line_ns(leg: Leg, board: Board) -> int | None:
    """When the path run backwards crossed the middle of a base line; None if it leads back to none."""
    board_away = board.base_circle_from_centre_mm
    best: int | None = None
    for seat in SEATS:
        _, back = board_to_seat(seat, leg.x0, leg.y0)
        _, toward = board_to_seat(seat, leg.vx, leg.vy)
        if toward > -40.0 or back > board_away + 20.0:
            continue
        t = leg.t0_ns + round((board_away - back) / toward * 1e9)
        x, y = leg.at(t)
        along = abs(board_to_seat(seat, x, y)[0])
        if along < board.line_half_length_mm + BESIDE_ENDS_MM and (best is None or t > best):
            best = t
    return best


def saw_it_set_out(item: Association, placement: Placement | None, board: Board) -> bool:
    """Whether the striker was seen to lie, or its path leads back to a base line. Else it came from somewhere unseen,
    and may have met something on the way: backward to the cushion, as a rule."""
    first = leg_through(split(item.run)[0][:5])
    return placement is not None or (first is not None and crossed_line_ns(first, board) is not None)


def all_at_rest(
    associations: Sequence[Association], striker: Association | None, struck: StrikerSeen | None, window: MotionWindow
) -> bool | None:
    """Whether everything lay still when the striker was struck; None if that was not seen."""
    if striker is None or struck is None:
        return True
    if any(a <= struck.first_motion_ns <= b for a, b in window.blind):
        return None
    early = struck.first_motion_ns - 3 * window.frame_ns - struck.u_first_motion_ns
    for item in associations:
        if item is striker or not item.ran:
            continue
        run = item.run
        if run[0].t_ns < early and run[-1].t_ns > early:
            return False
    return True


Point = tuple[float, float]

HEADING_MARKS = 4
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

    Its first pictures are often half hidden behind the finger, and a coin met at once may bend the path before it is
    seen; then that it met that coin says most.

    `lay` is None where nobody saw it lie. `met_ns`: when it met something first, if it did: what follows tells no more.
    Where its path and where it lay disagree, the surer is no surer than half of that.
    """
    if met_ns is not None:
        run = [mark for mark in run if mark.t_ns < met_ns]
    path = _along_its_path(run)
    placed = _from_its_place(run, lay) if lay is not None else None
    if path is None or placed is None:
        return path or placed
    surer = min(path, placed, key=lambda found: found.u_deg)
    apart = (path.deg - placed.deg + 180.0) % 360.0 - 180.0
    return Heading(surer.deg, hypot(surer.u_deg, apart / 2.0))


def _along_its_path(run: Sequence[Measurement]) -> Heading | None:
    marks = split(run)[0] if run else ()
    if len(marks) < HEADING_MARKS:
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
        *before, last = spots[:count]
        if any(_aside(spot, lay, last) >= AWAY_MM * max(dist(last, lay), 1.0) for spot in before):
            break
        straight = count
    if not straight:
        return None
    deg, along, across = _line(spots[:straight], lay)
    if along <= 0.0:
        return None
    far = max(dist(spot, lay) for spot in spots[:straight])
    return Heading(deg, degrees(hypot(ASIDE_MM, across / sqrt(straight)) / far))


def _spots(marks: Sequence[Measurement]) -> list[Point]:
    return [mark.at for mark in marks]


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


STEP_MM = 5.0
MOST_MM = 100.0
FINGER_WIDE_MM = 10.0
"""The hand is searched for in such steps along that direction up to so far, and so far to both sides, in mm."""
TIP_MM = 13.0
"""In the picture a finger that touches the striker ends so far behind its middle."""
FREE_NS = (20_000_000, 150_000_000)
EARLIER_NS = (400_000_000, 250_000_000)
"""When the hand is measured: after the striker was first seen to run free, and before it seemed to set out."""


def followed_mm(run: Sequence[Measurement], at: tuple[float, float], first_ns: int, window: MotionWindow) -> float:
    """How far in mm a hand has come along the striker's way when it runs free: after a flick it stays where it was.

    `at`, `first_ns`: from where and when the striker set out.
    """
    far = next((mark for mark in run if dist(mark.at, at) > FLICK_MM), None)
    if far is None:
        return 0.0
    way = dist(far.at, at)
    ux, uy = (far.x_mm - at[0]) / way, (far.y_mm - at[1]) / way
    after = (run[0].t_ns + FREE_NS[0], run[0].t_ns + FREE_NS[1])
    before = (first_ns - EARLIER_NS[0], first_ns - EARLIER_NS[1])
    for step in range(round(MOST_MM / STEP_MM), 0, -1):
        along = step * STEP_MM
        for aside in (0.0, -FINGER_WIDE_MM, FINGER_WIDE_MM):
            x, y = at[0] + ux * along - uy * aside, at[1] + uy * along + ux * aside
            # What lay there all the time is another hand.
            if window.hand_trace.over(x, y, *after) and not window.hand_trace.over(x, y, *before):
                return along + TIP_MM
    return 0.0
