"""The facts of a stroke that the camera alone can see: heading, lines left and crossed, rest; contacts apart.

`CAMERA` has them by their names: a new one is a function here, and an entry there. Must not know of pockets' beams or
rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import asin, ceil, cos, degrees, dist, radians, sin
from typing import Any

from calibration.board import Board, board_to_seat, seat_to_board
from controller.events.match import Doubt
from controller.events.observation import StrikerSeen, StrokeSeen, Track
from controller.events.words import Heading, Seat
from controller.shots.limits import MS, Limits
from controller.shots.odds import chance_above
from controller.shots.outputs import Clearance
from controller.shots.placement import clearance, lines_touched, margins


def blind_within(stroke: StrokeSeen) -> bool:
    """Says whether pictures are missing between first motion and rest, beyond a frame here and there."""
    return any(until - since > 120 * MS for since, until in stroke.blind)


_SET_OUT_NS = 60 * MS
"""A first motion known no better than this was hidden."""


def seen_to_set_out(struck: StrikerSeen) -> bool:
    """Says whether the striker was seen to set out: else what moved or was touched before it is not known."""
    return struck.u_first_motion_ns <= _SET_OUT_NS


def striker_track(stroke: StrokeSeen) -> Track | None:
    """Returns the striker's track, by its number or by its class."""
    wanted = stroke.struck.track if stroke.struck is not None else None
    for track in stroke.tracks:
        if track.track == wanted and wanted is not None:
            return track
    return next((track for track in stroke.tracks if track.piece == "striker"), None)


def pieces_that_moved(stroke: StrokeSeen) -> list[Track]:
    """Returns the tracks of coins that the stroke moved, hands left out."""
    own = striker_track(stroke)
    return [track for track in stroke.tracks if track is not own and not carried(track)]


def carried(track: Track) -> bool:
    """Says whether a hand moved this piece; of one that nobody saw move, a hand somewhere says nothing."""
    return track.by_hand and len(track.samples) >= 2


@dataclass(frozen=True, slots=True)
class StrokeContext:
    """A stroke as the camera saw it, and what its facts are read against.

    `still_on`: a striker that touches so many base lines has not left them. `needs`: the facts that tonight's book asks
    for. `fallen`: how many coins were read to have fallen.
    """

    board: Board
    stroke: StrokeSeen
    seat: Seat
    limits: Limits
    still_on: int = 1
    needs: frozenset[str] = frozenset()
    fallen: int = 0


@dataclass(frozen=True, slots=True)
class Call:
    """What the camera says of one fact. `value` None: nobody saw it.

    `doubt`: where it does not know well enough. `note`: in words, how close it was, or why it says nothing.
    `clearances`: measured distances to a line on which the fact hangs, where they are small.
    """

    value: Any
    doubt: Doubt | None = None
    note: str = ""
    clearances: tuple[Clearance, ...] = ()


NOT_SEEN = Call(None)

CAME_BACK_MM = 15.0
"""First seen this far behind where a striker can be placed it had been struck backward, or was placed out of order."""

CAME_BACK = 0.9
"""How likely it is then that it was struck backward."""


def heading_of(of: StrokeContext) -> Call:
    """Reads whether the striker set out away from the seat; sideways is forward.

    One that nobody saw lie may have come off the cushion behind.
    """
    stroke, seat, limits = of.stroke, of.seat, of.limits
    struck = stroke.struck
    if struck is None or struck.heading_deg is None:
        return NOT_SEEN
    back = seat_to_board(seat, 0.0, 1.0)
    towards = cos(radians(struck.heading_deg)) * back[0] + sin(radians(struck.heading_deg)) * back[1]
    behind_deg = degrees(asin(max(-1.0, min(1.0, towards))))
    u_deg = struck.u_heading_deg if struck.u_heading_deg is not None else limits.heading_deg
    backward = chance_above(behind_deg, max(u_deg, 0.1))
    value: Heading = "backward" if backward > 0.5 else "forward"
    seen_to_lie = struck.placed is not None and struck.placed.u95_mm <= limits.placement_u95_mm
    if value == "forward" and not seen_to_lie:
        return _came_back(of.board, stroke, seat)
    if min(backward, 1 - backward) < limits.doubt_floor:
        return Call(value)
    side = "behind" if behind_deg > 0 else "before"
    note = f"heading: {abs(behind_deg):.1f} ± {2 * u_deg:.1f}° {side} sideways, too close to call"
    odds: list[tuple[Heading, float]] = [("forward", round(1 - backward, 4)), ("backward", round(backward, 4))]
    return Call(value, Doubt("heading", tuple(sorted(odds, key=lambda pair: -pair[1])), "camera"), note)


def _came_back(board: Board, stroke: StrokeSeen, seat: Seat) -> Call:
    track = striker_track(stroke)
    if track is None or not track.samples:
        return NOT_SEEN
    first = track.samples[0]
    off = -margins(board, seat, *first.at).outer
    if off < CAME_BACK_MM or board_to_seat(seat, *first.at)[1] < board.base_circle_from_centre_mm:
        return NOT_SEEN
    odds: tuple[tuple[Heading, float], ...] = (("backward", CAME_BACK), ("forward", round(1 - CAME_BACK, 4)))
    note = f"heading: first seen {off:.0f} mm behind the outer base line, not seen to set out"
    return Call("backward", Doubt("heading", odds, "camera"), note)


LEFT_THE_BOARD = ("pocket", "frame")
"""A track that ended so crossed every line."""

STILL_ON_MM = 1.0
"""A striker that overlaps a line by less than this somewhere on its way may as well have left it."""


def left_baseline(of: StrokeContext) -> Call:
    """Returns whether the striker left its base lines; False while it never touched fewer than `still_on` of them.

    Goes by its path from picture to picture, straight between two; one that fell or went over the frame has left. Too
    close to call counts as left. None where it went far and no picture shows whether it ran along the lines.
    """
    board, stroke, seat, still_on = of.board, of.stroke, of.seat, of.still_on
    track, struck = striker_track(stroke), stroke.struck
    if struck is None:
        return NOT_SEEN
    if track is not None and track.went in LEFT_THE_BOARD:
        return Call(True)
    path = [point.at for point in track.samples] if track is not None else []
    error = STILL_ON_MM
    if track is not None and track.end is not None:
        path.append(track.end.at)
        error = max(error, track.end.u95_mm)
    if struck.placed is not None:
        path.insert(0, struck.placed.at)
        if lines_touched(board, seat, *path[0]) < still_on:
            return Call(struck.left_by_mm > board.striker_diameter_mm)
    if not path:
        return NOT_SEEN
    overlap = min(_overlap(board, seat, still_on, x, y) for x, y in _dense(path))
    if overlap <= -error:
        return Call(True)
    seen = max(dist(place, path[0]) for place in path)
    if struck.placed is None or struck.left_by_mm > seen + board.striker_diameter_mm or blind_within(stroke):
        return Call(True) if overlap <= 0 else NOT_SEEN
    if overlap >= error:
        return Call(False)
    on, lines = "still on" if overlap > 0 else "off", "both base lines" if still_on == 2 else "its base lines"
    return Call(True, clearances=(clearance("left_baseline", -overlap, error, "too close", f"striker: {on} {lines}"),))


def _overlap(board: Board, seat: Seat, still_on: int, x_mm: float, y_mm: float) -> float:
    """Returns how far a striker overlaps so many of its base lines; negative where it touches fewer."""
    found = margins(board, seat, x_mm, y_mm)
    return sorted((found.outer, found.inner), reverse=True)[still_on - 1]


def _dense(path: list[tuple[float, float]], step_mm: float = 5.0) -> Iterator[tuple[float, float]]:
    """Yields the points of a path and of the straight ways between them."""
    yield path[0]
    for (x, y), (to_x, to_y) in pairwise(path):
        steps = max(1, ceil(dist((x, y), (to_x, to_y)) / step_mm))
        for index in range(1, steps + 1):
            yield x + (to_x - x) * index / steps, y + (to_y - y) * index / steps


def crossed_baseline(of: StrokeContext) -> Call:
    """Returns how many coins reached an inner base line on any side: their edge touched it, or they fell.

    A coin within the error of the line counts, and is noted if all hangs on it. None when pictures are missing and none
    was seen to, and where a hand may have displaced the only ones that did.
    """
    board, stroke = of.board, of.stroke
    reach = board.inner_line_y_mm[1] - board.coin_diameter_mm / 2
    crossed, shoved = 0, False
    close = ""
    for track in pieces_that_moved(stroke):
        if track.went in LEFT_THE_BOARD:
            crossed += 1
            continue
        error = 0.5
        spots = [point.at for point in track.samples]
        if track.end is not None:
            spots.append(track.end.at)
            error = max(error, track.end.u95_mm)
        beyond = max((max(abs(x), abs(y)) - reach for x, y in spots), default=-error - 1)
        if beyond < -error:
            continue
        if track.by_hand:
            shoved = True
        elif beyond > 0:
            crossed += 1
        else:
            close = f"{track.piece}: short of a base line by {-beyond:.1f} ± {error:.1f} mm"
    crossed = max(crossed, of.fallen)
    if crossed:
        return Call(crossed)
    if close:
        return Call(1, note=f"{close}, too close to call: taken as crossed")
    return Call(None if shoved or blind_within(stroke) else 0)


def all_at_rest(of: StrokeContext) -> Call:
    """Returns whether everything lay still when the striker was struck.

    Vision's «no» is believed if a piece was seen to move before the striker did and not by a hand.
    """
    stroke, struck = of.stroke, of.stroke.struck
    if stroke.all_at_rest is not False or struck is None:
        return Call(stroke.all_at_rest)
    if not seen_to_set_out(struck):
        return NOT_SEEN
    for track in pieces_that_moved(stroke):
        early = struck.first_motion_ns - track.first_ns
        if early > 3 * struck.u_first_motion_ns + 30 * MS and track.last_ns >= struck.first_motion_ns:
            return Call(False)
    return NOT_SEEN


CAMERA: Mapping[str, Callable[[StrokeContext], Call]] = {
    "heading": heading_of,
    "left_baseline": left_baseline,
    "all_at_rest": all_at_rest,
    "crossed_baseline": crossed_baseline,
}
"""The facts of this module by their names in the shot, where they are described with the grade that can tell them."""
