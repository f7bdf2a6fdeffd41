"""What a hand did to a piece that ran: took it, stopped it, drove it anew.

A hand hides what it touches, so what it did shows in the run before and after. A free piece loses speed within limits;
one that comes to rest sooner than any board brakes, or is faster than it can be, was met by something. Where no
cushion, no pocket and no other piece is on its way, and a hand is, it was the hand. Must not know what that costs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import dist, hypot

from calibration.board import Board
from controller.events.observation import Hand, Sample, StrokeSeen, Track
from controller.shots.limits import MS
from controller.shots.shapes import Point, to_segment, within

RUNS_MM_S = 200.0
"""A piece so fast is seen to run within a few pictures: places tremble by a millimetre."""
SPAN_NS = 45 * MS
"""A run before and after is measured over this much: three pictures at 60 a second."""
MOST_BRAKE_MM_S2 = 1300.0
"""What an unpowdered board takes off: friction of 0.13."""
MOST_SPAN_NS = 3 * SPAN_NS
"""Over more the run may have been another."""
SHORT = 0.6
"""What comes less far than this share of what the strongest braking leaves was stopped."""
DRIVEN_MM_S = 250.0
"""What is faster by this than it was has been driven: more than a place's tremor makes of a speed."""
HIDDEN_S = 0.15
"""A piece is hidden so long where a hand lies over it, not where one only passes."""
HAND_MM = 35.0
"""The farthest from a hand's outline that the middle of a piece is which it meets: a striker's radius, and what a
hand's shadow and a late report of it leave open."""
NEAR_MM = 10.0
"""What is this near to a piece may be what it met: of two moving pieces each place is known to some millimetres."""
TAKEN_MM_S = 120.0
"""Slower than this a piece comes to rest before a hand is there."""
AFTER_NS = 150 * MS
"""What a finger does to a striker so soon after it has set off is the flick."""


@dataclass(frozen=True, slots=True)
class _Span:
    """A stretch of a track from its last place before something to its first place after, with the velocities there."""

    last: Sample
    first: Sample
    before: Point
    after: Point

    @property
    def seconds(self) -> float:
        return (self.first.t_ns - self.last.t_ns) / 1e9

    @property
    def way_mm(self) -> float:
        return dist(self.last.at, self.first.at)

    def covers(self, t_ns: int) -> bool:
        """Whether a time is within it, or shortly before or after."""
        return self.last.t_ns - SPAN_NS < t_ns < self.first.t_ns + SPAN_NS

    def free_mm(self, brake_mm_s2: float) -> float:
        """How far the run before leads within the span under this braking."""
        speed = hypot(*self.before)
        seconds = min(self.seconds, speed / brake_mm_s2)
        return speed * seconds - 0.5 * brake_mm_s2 * seconds**2

    @property
    def leads_to(self) -> Point:
        """Where the run before leads within the span, as far as it must come at least."""
        speed = max(1.0, hypot(*self.before))
        share = self.free_mm(MOST_BRAKE_MM_S2) / speed
        return (self.last.x_mm + self.before[0] * share, self.last.y_mm + self.before[1] * share)


def taken(track: Track, stroke: StrokeSeen, _board: Board) -> bool:
    """Says whether a hand took a piece that still ran by itself: the last it was seen free of every hand."""
    free = [point for point in track.samples if not _held(point, stroke)]
    if track.vanished is None or track.vanished.how != "hand" or len(free) < 2:
        return False
    one, two = free[-2:]
    seconds = (two.t_ns - one.t_ns) / 1e9
    soon = track.vanished.t_ns - two.t_ns < 250 * MS
    return soon and 0 < seconds < 0.2 and dist(two.at, one.at) / seconds > TAKEN_MM_S


def stopped(track: Track, stroke: StrokeSeen, board: Board) -> bool:
    """Says whether a hand stopped a piece that ran."""
    for span in _spans(track):
        runs, slower = hypot(*span.before), hypot(*span.after)
        short = span.way_mm < SHORT * span.free_mm(MOST_BRAKE_MM_S2)
        if runs > RUNS_MM_S and slower < runs / 2 and short and _by_hand(span, track, stroke, board):
            return True
    return False


def driven(own: Track, stroke: StrokeSeen, board: Board) -> bool:
    """Says whether a hand drove the striker anew once it had run."""
    assert stroke.struck is not None
    since_ns = stroke.struck.first_motion_ns + AFTER_NS
    for span in _spans(own):
        faster = hypot(*span.after) > hypot(*span.before) + DRIVEN_MM_S
        if span.last.t_ns > since_ns and faster and _by_hand(span, own, stroke, board):
            return True
    return False


def ran_under_hand(track: Track, stroke: StrokeSeen) -> bool:
    """Says whether a piece ran on where a hand hid it: whether that touched it nobody saw."""
    return any(
        span.seconds > HIDDEN_S and hypot(*span.before) > RUNS_MM_S and _at_hand(stroke, span.last.t_ns, span.last.at)
        for span in _spans(track)
    )


def hands_at(stroke: StrokeSeen, t_ns: int) -> tuple[Hand, ...]:
    """Returns the hands over the board at a time: the last report before it, as long as that is recent."""
    known = [seen for seen in stroke.hands if seen.t_ns <= t_ns + 20 * MS]
    if not known:
        return stroke.before.hands if t_ns - stroke.before.t_ns < 500 * MS else ()
    return max(known, key=lambda seen: seen.t_ns).hands


def _held(point: Sample, stroke: StrokeSeen) -> bool:
    return any(within(hand.outline, *point.at, 10.0) for hand in hands_at(stroke, point.t_ns))


def _spans(track: Track) -> Iterator[_Span]:
    """Yields each stretch of a track about as long as takes to see a run; where it was hidden, up to where it
    shows again, and in the end to where it lies."""
    path = list(track.samples)
    if track.end is not None and path:
        # At rest: nobody sees when it came to lie there, and it has no speed.
        t_ns = path[-1].t_ns + 1000 * MS
        path += [Sample(t_ns + step * SPAN_NS, *track.end.at) for step in range(2)]
    for index, last in enumerate(path[:-2]):
        earlier = next((one for one in reversed(path[:index]) if SPAN_NS <= last.t_ns - one.t_ns < MOST_SPAN_NS), None)
        later = _first(path[index + 1 :], last.t_ns + SPAN_NS)
        after = _first(path[index + 1 :], later.t_ns + SPAN_NS) if later is not None else None
        if earlier is not None and later is not None and after is not None and after.t_ns - later.t_ns < MOST_SPAN_NS:
            yield _Span(last, later, _velocity(earlier, last), _velocity(later, after))


def _first(path: Sequence[Sample], from_ns: int) -> Sample | None:
    return next((one for one in path if one.t_ns >= from_ns), None)


def _velocity(one: Sample, two: Sample) -> Point:
    seconds = (two.t_ns - one.t_ns) / 1e9
    return ((two.x_mm - one.x_mm) / seconds, (two.y_mm - one.y_mm) / seconds)


def _by_hand(span: _Span, track: Track, stroke: StrokeSeen, board: Board) -> bool:
    """Says whether only a hand can have changed a run on the way from a span's last place: it was there, and no
    cushion, no pocket and no other piece was."""
    radius, at, to = board.radius_mm(track.piece), span.last.at, span.leads_to
    if max(max(map(abs, spot)) for spot in (at, to, span.first.at)) > board.half_mm - radius - NEAR_MM:
        return False
    if any(to_segment(*pocket, at, to) < board.pocket_radius_mm + radius for pocket in board.pockets_mm.values()):
        return False
    reach = radius + board.striker_diameter_mm / 2.0 + NEAR_MM
    if any(to_segment(*other, at, to) < reach for other in _others(track, span, stroke)):
        return False
    spots = ((span.last.t_ns, at), (span.first.t_ns, span.first.at), (span.last.t_ns + SPAN_NS, to))
    return any(_at_hand(stroke, t_ns, spot) for t_ns, spot in spots)


def _at_hand(stroke: StrokeSeen, t_ns: int, at: Point) -> bool:
    return any(within(hand.outline, *at, HAND_MM) for hand in hands_at(stroke, t_ns))


def _others(track: Track, span: _Span, stroke: StrokeSeen) -> Iterator[Point]:
    """Yields where pieces may have been that met it in a span: those that moved then, and a striker that lies heavy."""
    if track.piece != "striker":
        yield from (piece.at for board in (stroke.before, stroke.after) for piece in board.strikers)
    for other in stroke.tracks:
        if other is track:
            continue
        yield from (point.at for point in other.samples if span.covers(point.t_ns))
        if other.start is not None and span.covers(other.first_ns):
            yield other.start.at
