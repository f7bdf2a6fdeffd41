"""Flags: what the camera finds strange about a stroke and a person has to confirm. Must not know what a flag costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import dist
from typing import get_args

from calibration.board import Board, board_to_seat
from controller.events.observation import BoardSeen, Hand, SeenPiece, StrokeSeen, Track
from controller.events.words import Flag, Seat
from controller.shots.facts import carried, striker_track
from controller.shots.handled import driven, hands_at, stopped, taken
from controller.shots.limits import MS, Limits
from controller.shots.shapes import within


def flags_of(
    board: Board,
    stroke: StrokeSeen,
    seat: Seat,
    replaced: int,
    replacements: int,
    elapsed_s: float | None,
    limits: Limits,
    fell: frozenset[str] = frozenset(),
    moved_before: bool = False,
) -> tuple[Flag, ...]:
    """Returns the flags of a stroke in the order of the words.

    `fell`: names of the pieces that were read to have fallen: no hand removed those. `replaced`: how often the striker
    was put down anew in this turn; `replacements`: how often it may be. `moved_before`: a coin lay elsewhere already.
    """
    struck = stroke.struck
    assert struck is not None
    found: set[Flag] = {"piece_moved_before"} if moved_before else set()
    own = striker_track(stroke)
    coins = [track for track in stroke.tracks if track is not own]
    began = struck.first_motion_ns
    for track in coins:
        if _lay_shoved(track, stroke, began - struck.u_first_motion_ns, limits):
            found.add("piece_moved_before")
        if carried(track) and _went_mm(track) > limits.nudge_mm:
            found.add("piece_moved_before" if track.last_ns <= began else "hand_touched_piece")
        if f"track {track.track}" not in fell and any(met(track, stroke, board) for met in (taken, stopped)):
            found.add("moving_piece_removed")
    if _arms(hands_at(stroke, began) or _hands_soon(stroke, began), board.half_mm, limits) > 1:
        found.add("two_hands")
    if (struck.hand_follow_mm or 0.0) > limits.push_mm:
        found.add("push")
    if own is not None and "striker" not in fell and any(met(own, stroke, board) for met in (taken, stopped, driven)):
        found.add("striker_touched")
    if stroke.shake_mm > limits.shake_mm:
        found.add("shake")
    for hand in hands_at(stroke, began):
        found.update(_reaches(hand, seat, limits))
    if replaced > replacements:
        found.add("replaced")
    if elapsed_s is not None and elapsed_s > limits.delay_s:
        found.add("delay")
    return tuple(sorted(found, key=_ORDER.index))


_ORDER: tuple[Flag, ...] = get_args(Flag)


def times_placed(boards: Sequence[BoardSeen], since_ns: int, until_ns: int, same_mm: float) -> int:
    """Returns how often the striker was found lying somewhere new between two times."""
    places: list[SeenPiece] = []
    for seen in sorted(boards, key=lambda seen: seen.t_ns):
        if not since_ns <= seen.t_ns <= until_ns or seen.hands:
            continue
        for piece in seen.strikers:
            if not places or piece.apart_mm(places[-1]) > same_mm:
                places.append(piece)
    return len(places)


def _went_mm(track: Track) -> float:
    """Returns how far a piece got from where it lay, if that was seen."""
    if track.start is None:
        return 0.0
    return max((dist(point.at, track.start.at) for point in track.samples), default=0.0)


def _lay_shoved(track: Track, stroke: StrokeSeen, before_ns: int, limits: Limits) -> bool:
    """Says whether a piece was seen beside its place, at a hand, while the striker still lay there.

    Or it was seen off its place, and lies beside it: what it was followed by was the hand.
    """
    start, end = track.start, track.end
    if start is None:
        return False
    lies_beside = end is not None and _beside(start, end.at, limits)
    return any(
        point.t_ns <= before_ns
        and (lies_beside or _beside(start, point.at, limits))
        and dist(point.at, start.at) > limits.nudge_mm
        and any(
            within(hand.outline, *point.at, _HAND_AT_MM)
            for seen in stroke.hands
            if abs(seen.t_ns - point.t_ns) < _HAND_STAYS_NS
            for hand in seen.hands
        )
        for point in track.samples
    )


def _beside(start: SeenPiece, at: tuple[float, float], limits: Limits) -> bool:
    """Says whether a place is as far from where a piece lay as a hand shoves it."""
    return limits.nudge_mm < dist(at, start.at) < limits.shoved_mm


_HAND_STAYS_NS = 250 * MS
"""A hand that displaced a piece lies there so long before or after it is reported again."""
_HAND_SAID_NS = 60 * MS
"""What is first reported so soon after was there already."""
_HAND_AT_MM = 30.0
"""A striker this near to a hand's outline may be at its finger: its own disc reaches 21 mm."""


def _hands_soon(stroke: StrokeSeen, t_ns: int) -> tuple[Hand, ...]:
    """Returns the hands first reported just after a time: reports come ten times a second, never two at once."""
    soon = [seen for seen in stroke.hands if t_ns < seen.t_ns <= t_ns + _HAND_SAID_NS]
    return min(soon, key=lambda seen: seen.t_ns).hands if soon else ()


def _arms(hands: Sequence[Hand], half_mm: float, limits: Limits) -> int:
    """Returns how many arms reach in over the playing surface.

    A fingertip that shows apart from its hand reaches in from nowhere; what stays on the frame and the table is as well
    an arm's shadow.
    """
    arms = 0
    hands = [hand for hand in hands if _over_surface(hand, half_mm)]
    for side in {hand.side for hand in hands if hand.side is not None}:
        reach = ([board_to_seat(side, *point)[0] for point in hand.outline] for hand in hands if hand.side == side)
        spans = sorted((min(across), max(across)) for across in reach)
        begins: float | None = None
        for first, last in spans:
            if begins is None or last - begins > limits.arm_mm:
                arms, begins = arms + 1, first
    return arms


def _over_surface(hand: Hand, half_mm: float) -> bool:
    return any(max(abs(x), abs(y)) < half_mm for x, y in hand.outline)


def _reaches(hand: Hand, seat: Seat, limits: Limits) -> Iterator[Flag]:
    """Yields what a hand of this seat's player reaches over: the opponent's half, or far over a line of the arrows
    beside this seat, near its own edge of the board."""
    if hand.side not in (None, seat):
        return
    spots = [board_to_seat(seat, x, y) for x, y in hand.outline]
    if any(away < -limits.half_mm for _, away in spots):
        yield "over_half"
    if any(away > 0 and (abs(across) - away) / 2**0.5 > limits.diagonal_mm for across, away in spots):
        yield "body_over_diagonal"
