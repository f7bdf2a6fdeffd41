"""Decides whether a stroke was played: once, from the boards at rest before and after first, then from what ran.

Vision reports what the striker was if one was played (`StrokeSeen.struck`). It knows no seats, and a hand that puts
the striker down or takes it away may look like a run. So no stroke was played with a striker that lay where nobody
plays from, that lies where it lay or was put down by a line, or that is gone while every coin lies where it lay,
unless it set out from a line. Of a striker that lies in the field vision may have missed the run: it was played if
coins moved, or if it confidently lay placed and no hand was with it. What then stays open is asked (`machine`). Must
not read the stroke; what is not known of its striker stays unseen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import dist

from calibration.board import SEATS, Board
from controller.events.observation import FOUND_AGAIN_MM, RAN_MM, Sample, SeenPiece, StrikerSeen, StrokeSeen, Track
from controller.shots.confident import is_confident
from controller.shots.facts import striker_track

BASE_LINE_MM = 80.0
"""Farther from every base line than this nobody plays: one that waits at the edge lies some 100 mm from the next."""
PLACED_MM = 20.0
"""A striker whose middle is this near to a base line overlaps it: it lies placed, well or badly."""
MOVED_MM = 15.0
"""A sleeve or a bumped table moves a coin by less than its radius; what a striker hits goes farther, as a rule."""
MANY_PICTURES = 15
"""What a hand puts down or takes is followed in fewer pictures."""
SETS_OUT_MM = 100.0
"""In the first picture that shows it run a struck striker is no farther from where it lay."""
CARRIED_NS = 250_000_000
"""In this much time without a picture a hand may have put the striker elsewhere before it was struck."""
PACE_MM_S = 150.0
"""No striker that was played is slower in the mean."""


def with_striker(stroke: StrokeSeen, board: Board, seats: Sequence[str]) -> StrokeSeen:
    """Returns the stroke with its striker, without one where none was played.

    `seats`: those that somebody plays from.
    """
    if stroke.struck is not None and _was_played(stroke, stroke.struck, board, seats):
        return _as_seen(stroke, stroke.struck, board, seats)
    stroke = replace(stroke, struck=None, touches=(), touches_seen=False, all_at_rest=True)
    own = _ran_unseen(stroke, board, seats)
    return stroke if own is None else _played_unseen(stroke, own, board)


def _was_played(stroke: StrokeSeen, struck: StrikerSeen, board: Board, seats: Sequence[str]) -> bool:
    """Says whether a stroke was played with what vision reports as struck."""
    own = striker_track(stroke)
    if own is None or not own.samples:
        return True
    lay, end, followed = struck.placed or own.start, own.end, len(own.samples) >= MANY_PICTURES
    if lay is not None:
        carried = dist(lay.at, own.samples[0].at) > SETS_OUT_MM
        by_a_line = _by_a_line(board, seats, lay) or (carried and _by_a_line(board, seats, own.samples[0]))
        lay_before = any(lay.apart_mm(one) < RAN_MM for one in stroke.before.strikers)
        if lay_before and not by_a_line and struck.u_first_motion_ns < CARRIED_NS:
            return False
        lay = None if carried else lay
    if end is not None:
        elsewhere = not lies_placed(board, end, seats) if lay is None else end.apart_mm(lay) > FOUND_AGAIN_MM
        return end.piece == "striker" and (elsewhere or followed)
    if any(moved_by_itself(track) for track in stroke.tracks if track is not own):
        return True
    # One that a hand passes across the board runs as long; of that one nobody saw it lie placed.
    return (followed and own.went != "hand") or (lay is not None and lies_placed(board, lay, seats))


def _as_seen(stroke: StrokeSeen, struck: StrikerSeen, board: Board, seats: Sequence[str]) -> StrokeSeen:
    """Returns a stroke that was played, without what vision reports of a start that was not seen."""
    elsewhere = struck.placed is not None and not _by_a_line(board, seats, struck.placed)
    if struck.u_first_motion_ns < CARRIED_NS and not elsewhere:
        return stroke
    hidden_ns = max(struck.u_first_motion_ns, struck.first_motion_ns - stroke.began_ns)
    struck = replace(struck, placed=None, gap_mm=None, heading_deg=None, speed_mm_s=None, hand_follow_mm=None)
    struck = replace(struck, u_first_motion_ns=hidden_ns)
    return replace(stroke, struck=struck, touches_seen=False, all_at_rest=None)


def _ran_unseen(stroke: StrokeSeen, board: Board, seats: Sequence[str]) -> Track | None:
    """Returns the track of a striker that can only have been played to where it lies, though its run was not seen."""
    if not all(lies_placed(board, lay, seats) for lay in stroke.before.strikers):
        return None
    for track in stroke.tracks:
        lies = track.end
        if lies is None or lies not in stroke.after.strikers or lies_placed(board, lies, seats) or track.by_hand:
            continue
        coins_moved = any(moved_by_itself(other) for other in stroke.tracks if other is not track)
        if coins_moved or rests_apart(stroke, board, seats):
            return track
    return None


def _played_unseen(stroke: StrokeSeen, own: Track, board: Board) -> StrokeSeen:
    """Returns the stroke as one of the striker of a track, of which little more than its rests is known."""
    lay = own.start if own.start is not None and own.start.piece == "striker" else None
    assert own.end is not None
    gap_mm, far_mm, first_ns, blind = None, 0.0, stroke.began_ns, stroke.blind
    if lay is not None:
        gap_mm = min((piece.apart_mm(lay) - board.touching_mm for piece in stroke.before.coins), default=None)
        far_mm, first_ns = own.end.apart_mm(lay), own.first_ns
        # When it set out nobody saw; no slower than what is played it may have run as far as it lies now.
        hidden_ns = round(far_mm / PACE_MM_S * 1e9)
    else:
        hidden_ns = own.first_ns - stroke.began_ns
        blind = (*blind, (stroke.began_ns, own.first_ns))
    struck = StrikerSeen(
        placed=lay,
        gap_mm=gap_mm,
        first_motion_ns=first_ns,
        u_first_motion_ns=max(1, hidden_ns),
        heading_deg=None,
        speed_mm_s=None,
        left_by_mm=far_mm,
        track=own.track,
    )
    return replace(stroke, struck=struck, blind=blind, all_at_rest=None)


def rests_apart(stroke: StrokeSeen, board: Board, seats: Sequence[str]) -> bool:
    """Says whether the striker confidently lay placed, and confidently lies off every base line now."""
    lay, lies = (next(filter(is_confident, seen.strikers), None) for seen in (stroke.before, stroke.after))
    if lay is None or lies is None or lies.apart_mm(lay) < RAN_MM:
        return False
    return lies_placed(board, lay, seats) and not lies_placed(board, lies)


def lies_placed(board: Board, piece: SeenPiece, seats: Sequence[str] = SEATS) -> bool:
    """Says whether a striker lies on a base line of one of these seats, well or badly."""
    return board.from_line_mm(*piece.at, seats) < PLACED_MM


def _by_a_line(board: Board, seats: Sequence[str], spot: SeenPiece | Sample) -> bool:
    return board.from_line_mm(*spot.at, seats) < BASE_LINE_MM


def moved_by_itself(track: Track) -> bool:
    """Says whether a coin lies elsewhere than before, or is gone, and no hand was seen to do it."""
    if track.start is None or track.start.piece == "striker" or track.by_hand:
        return False
    if track.end is not None:
        return track.end.apart_mm(track.start) > MOVED_MM
    return bool(track.samples) and track.went != "hand"
