"""What the striker touched, in order: cushions where its path bends, pieces that set off where it came by.

Values in, values out; no pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import atan2, degrees, dist

from calibration.board import Board
from controller.events.observation import StrikerSeen, Touch
from controller.vision.following.free_runs import Leg, cushion_between, leg_through, meeting, set_off, split
from controller.vision.following.grade import CLAIMED
from controller.vision.following.motion_window import MotionWindow
from controller.vision.following.tracks import Association, Measurement, PieceTrack

TURN_MM = 4.0
CUSHION_MM = 8.0
"""A path that comes this near to a cushion, and turns back by more than its noise, touched it."""
SAME_TURN_NS = 60_000_000
"""Two turns nearer to each other in time are one meeting, seen in two pictures at 30 a second."""


def touches_of(
    striker: Association,
    associations: Sequence[Association],
    struck: StrikerSeen,
    window: MotionWindow,
    board: Board,
) -> tuple[Touch, ...]:
    """The striker's touches."""
    assert striker.track is not None
    run = striker.run
    legs = [leg for leg in (leg_through(part) for part in split(run)) if leg is not None]
    if not legs:
        return ()
    touches = []
    for before, after in pairwise(legs):
        if (hit := cushion_between(before, after, board, striker.track.radius_mm)) is not None:
            t_ns, error_ns, at = hit
            touches.append(Touch(t_ns, error_ns, "cushion", at))
    for turned in _turned(run, board, striker.track.radius_mm):
        if all(abs(turned.t_ns - touch.t_ns) > SAME_TURN_NS for touch in touches):
            touches.append(turned)
    for item in associations:
        if item is not striker and (touch := _met(item, legs, striker.track.radius_mm, struck, window)) is not None:
            touches.append(touch)
    touches.sort(key=lambda touch: touch.t_ns)
    return tuple(_certain(touches, round(CLAIMED[window.grade].apart * window.frame_ns)))


MOVED_MM = 3.0
"""A piece seen this far from where it lay has been touched: places of what moves are known to a millimetre or two."""
BEND_DEG = 20.0
"""Two legs whose directions differ by more were bent by something: fast pieces are seen smeared, up to 6 mm off."""
LEAST_MM = 25.0
"""A shorter leg tells no direction."""

STEP_NS = 2_000_000
"""A path is sampled this often: the fastest striker runs less than its radius in between."""
CROSSING_DEG = (20.0, 140.0)
"""Where a path turns by less or by more than this its legs cross at no certain place."""
ASIDE_MM = 18.0
"""A met piece lies no farther than this, beyond touching, from where the legs cross: of thirty breaks of another
simulator all lay within 14 mm, and its neighbours begin at 27 mm."""

GRAZE_MM = 3.0
"""Where a path comes as near to a piece as this beyond touching, it may have grazed it: the error of what moves."""


def missed_one(
    striker: Association,
    associations: Sequence[Association],
    touches: Sequence[Touch],
    window: MotionWindow,
    board: Board,
) -> bool:
    """Returns whether a touch was missed before the first piece that the striker is reported to have met.

    Then another piece has moved a picture before that one had (only the striker moves at first), its path leads over
    where another lay that has moved since, it turns elsewhere than beside that one, or in the open where no touch is
    reported.
    """
    assert striker.track is not None
    met = next((touch for touch in touches if touch.touched != "cushion"), None)
    moved = {
        item.number: t_ns
        for item in associations
        if item is not striker and (t_ns := _moved_ns(item.track)) is not None
    }
    if met is not None and met.track in moved:
        latest = moved[met.track] - round(1.5 * window.frame_ns)
        if any(t_ns < latest for t_ns in moved.values()):
            return True
    legs = [leg for leg in map(leg_through, split(striker.run)) if leg is not None]
    untouched = moved.keys() - {touch.track for touch in touches}
    lay = [item.track for item in associations if item.number in untouched and item.track is not None]
    if any(_runs_over(track, legs, met, striker.track.radius_mm) for track in lay):
        return True
    if met is not None and _turns_elsewhere(legs, touches, met, board, window.frame_ns):
        return True
    return _bends_unmet(legs, touches, met, board.half_mm - striker.track.radius_mm - CUSHION_MM, window.frame_ns)


def _runs_over(track: PieceTrack, legs: Sequence[Leg], met: Touch | None, striker_mm: float) -> bool:
    """Whether the striker's path to the first piece met leads over where this one lay."""
    assert track.start is not None
    at, reach_mm = track.start.at, striker_mm + track.radius_mm + GRAZE_MM
    return any(
        dist(leg.at(t_ns), at) < reach_mm
        for leg in legs
        for t_ns in range(leg.first_ns, leg.last_ns if met is None else min(leg.last_ns, met.t_ns), STEP_NS)
    )


def _bends_unmet(
    legs: Sequence[Leg], touches: Sequence[Touch], met: Touch | None, limit_mm: float, frame_ns: int
) -> bool:
    for before, after in pairwise(legs):
        if met is not None and after.first_ns > met.t_ns:
            return False
        since, until = before.last_ns - frame_ns, after.first_ns + frame_ns
        ends = (before.at(before.last_ns), after.at(after.first_ns))
        if any(since <= touch.t_ns <= until for touch in touches) or any(max(map(abs, end)) > limit_mm for end in ends):
            continue
        if min(map(_length_mm, (before, after))) > LEAST_MM and _turned_deg(before, after) > BEND_DEG:
            return True
    return False


def _turns_elsewhere(legs: Sequence[Leg], touches: Sequence[Touch], met: Touch, board: Board, frame_ns: int) -> bool:
    """Whether the path turns when it is reported to have met a piece, and not beside that piece."""
    for before, after in pairwise(legs):
        since, until = before.last_ns - frame_ns, after.first_ns + frame_ns
        at_cushion = any(touch.touched == "cushion" and since <= touch.t_ns <= until for touch in touches)
        if at_cushion or not since <= met.t_ns <= until or min(map(_length_mm, (before, after))) < LEAST_MM:
            continue
        crossing = _crossing(before, after)
        if crossing is not None and dist(crossing, met.at) > board.touching_mm + ASIDE_MM:
            return True
    return False


def _crossing(before: Leg, after: Leg) -> tuple[float, float] | None:
    """Where two legs cross; None where they turn by too little or too much to tell."""
    if not CROSSING_DEG[0] < _turned_deg(before, after) < CROSSING_DEG[1]:
        return None
    (px, py), (vx, vy) = before.at(before.last_ns), before.velocity(before.last_ns)
    (qx, qy), (wx, wy) = after.at(after.first_ns), after.velocity(after.first_ns)
    s = ((qx - px) * wy - (qy - py) * wx) / (vx * wy - vy * wx)
    return (px + s * vx, py + s * vy)


def _moved_ns(track: PieceTrack | None) -> int | None:
    """The first picture in which a piece is seen away from where it lay, by no hand; None if there is none."""
    if track is None or track.start is None:
        return None
    moved = (mark for mark in track.marks if dist(mark.at, track.start.at) > MOVED_MM)
    return next((mark.t_ns for mark in moved if not mark.by_hand), None)


def _length_mm(leg: Leg) -> float:
    return dist(leg.at(leg.first_ns), leg.at(leg.last_ns))


def _turned_deg(before: Leg, after: Leg) -> float:
    (ax, ay), (bx, by) = before.velocity(before.last_ns), after.velocity(after.first_ns)
    return abs(degrees(atan2(ax * by - ay * bx, ax * bx + ay * by)))


def _turned(run: Sequence[Measurement], board: Board, radius_mm: float) -> list[Touch]:
    """Cushions before which the path turns back, though it bends too softly to be cut there."""
    touches = []
    limit = board.half_mm - radius_mm
    for before, last, mark, after in zip(run, run[1:], run[2:], run[4:], strict=False):
        for axis in ("x_mm", "y_mm"):
            side = 1.0 if getattr(mark, axis) > 0 else -1.0
            a, b, c, near = (side * getattr(one, axis) for one in (before, mark, after, last))
            if b - a > TURN_MM and b - c > TURN_MM and limit - b < CUSHION_MM + 0.6 * max(0.0, b - near):
                at = (side * board.half_mm, mark.y_mm) if axis == "x_mm" else (mark.x_mm, side * board.half_mm)
                touches.append(Touch(mark.t_ns, mark.t_ns - last.t_ns, "cushion", at))
    return touches


def _met(
    item: Association, legs: Sequence[Leg], striker_mm: float, struck: StrikerSeen, window: MotionWindow
) -> Touch | None:
    """When the striker's path reached a piece that then set off: never after the first picture in which it had moved.

    Its own first marks say when it set off only where they lie on one free run. Where they do not, it may have been
    met at any time since it was last seen lying: first where the path leads over it, or else where it comes nearest,
    with an error that covers the other times at which it may have been met.
    """
    track = item.track
    if track is None or track.start is None or not track.marks:
        return None
    reach = striker_mm + track.radius_mm
    at = track.start.at
    off, error = set_off(at, track.marks, track.began_ns)
    latest = _moved_ns(track) or track.marks[-1].t_ns
    off = min(max(off, struck.first_motion_ns), latest)
    slack = max(1.5 * window.frame_ns, float(error))
    frame_ns = window.frame_ns
    found: list[tuple[float, int, float]] = []
    for index, leg in enumerate(legs):
        start = leg.first_ns if index else struck.first_motion_ns
        end = legs[index + 1].first_ns if index + 1 < len(legs) else leg.last_ns + frame_ns
        near = meeting(leg, at, max(start, round(off - slack)), min(end, round(off + slack), latest), reach)
        if near is None:
            continue
        t, gap = near
        allowed = 3.0 + 2.0 * leg.u_mm + 0.15 * leg.speed(t) * frame_ns / 1e9
        if gap <= allowed:
            found.append((gap, t, leg.speed(t)))
    if not found:
        return None
    over = next((one for one in found if one[0] < -GRAZE_MM), None)
    _, t, speed = over or min(found, key=lambda one: max(0.0, one[0]))
    open_ns = 0 if over else max(abs(other - t) for _, other, _ in found)
    return Touch(t, round(3.0 / max(50.0, speed) * 1e9) + 1_000_000 + open_ns, item.piece, at, item.number)


def _certain(touches: Sequence[Touch], apart_ns: int) -> list[Touch]:
    """Two touches closer than `apart_ns`, or than their errors, have no certain order."""
    out = list(touches)
    for index in range(1, len(out)):
        before, after = out[index - 1], out[index]
        if after.t_ns - before.t_ns <= max(before.u_ns + after.u_ns, apart_ns):
            out[index - 1] = replace(before, certain=False)
            out[index] = replace(after, certain=False)
    return out
