"""Infers the striker of a stroke in which vision named none, though something moved freely.

Whether a striker that it knows was struck, vision decides (`vision/following/striker.py`); here only what it cannot
know is added. What moved freely, came from no piece that lay there and set off from a base line was the striker,
whatever its class. Where pictures are missing and the striker lies there that did not lie there before, beside
pieces that no hand has moved, it was played meanwhile. A striker whose first motion fell into such a time may have been
carried somewhere else and struck there: where it lay says nothing. One that is gone from the line of a seat that nobody
plays from was taken by a hand, for vision knows no seats. One that confidently lay placed, and confidently lies off
every line now, was played however little of its run was seen, unless a hand was seen with it: then only a person knows.
Must not read the stroke; what is not known of its striker stays unseen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import dist
from statistics import median

from calibration.board import SEATS, Board
from controller.events.observation import RAN_MM, RUN_PICTURES, Sample, SeenPiece, StrikerSeen, StrokeSeen, Track
from controller.shots import confident

BASE_LINE_MM = 60.0
"""A track that begins this near to a base line set out from it: a picture later it is as far away."""
PLACED_MM = 20.0
"""A striker whose middle is this near to a base line overlaps it: it lies placed, well or badly."""
PACE_MM_S = 150.0
MOVED_MM = 15.0
CARRIED_NS = 250_000_000
"""In this much time without a picture a hand may have put the striker elsewhere before it was struck."""
_SET_OUT_MM = 2 * BASE_LINE_MM
"""A struck striker that is first seen this far from where it lay is by no base line any more."""
GAP_NS = 300_000_000
"""A stroke in which everything runs to rest takes longer than this."""


def infer_striker(stroke: StrokeSeen, board: Board, seats: Sequence[str]) -> StrokeSeen:
    """Returns the stroke with its striker, where vision named none and one was struck; else the stroke itself.

    `seats`: those that somebody plays from.
    """
    struck = stroke.struck
    if struck is not None:
        own = next((track for track in stroke.tracks if track.track == struck.track), None)
        if own is not None and _came_to_rest_meanwhile(stroke, struck, board, seats):
            hidden_ns = max(1, struck.first_motion_ns - stroke.began_ns)
            return _played(stroke, own.track, stroke.began_ns, hidden_ns, left_by_mm=struck.left_by_mm)
        if own is None or not own.samples or not _was_held(own, struck, board, seats):
            return _set_out_unseen(stroke, struck)
        # By a line, but of nobody who plays: vision knows no seats.
        taken = replace(own, start=own.start or struck.placed)
        tracks = tuple(taken if track is own else track for track in stroke.tracks)
        stroke = replace(stroke, tracks=tracks, struck=None, touches=(), touches_seen=False, all_at_rest=True)
    strikers = [track for track in stroke.tracks if track.piece == "striker"]
    # Nothing else sets out while a hand takes the striker from the field: what came and went was that hand.
    held = any(
        track.start is not None and track.end is None and track.went == "hand" and not _near(board, seats, track.start)
        for track in strikers
    )
    likely = [
        track
        for track in stroke.tracks
        if track.start is None
        and ran_by_itself(track)
        and _near(board, seats, track.samples[0])
        and not (track.end is None and (held or _lay_elsewhere(track, stroke)))
    ]
    if not likely:
        ran = rests_apart(stroke, board, seats)
        return _played_unseen(stroke) if ran is None or ran.held else _played_in_sight(stroke, ran, board)
    own = min(likely, key=lambda track: (track.piece != "striker", track.first_ns))
    one = own.samples[0]
    far = max(dist(point.at, one.at) for point in own.samples)
    tracks = tuple(replace(track, piece="striker", odds=()) if track is own else track for track in stroke.tracks)
    u_ns = own.samples[1].t_ns - one.t_ns
    return _played(replace(stroke, tracks=tracks), own.track, own.first_ns, u_ns, left_by_mm=far)


def _played(
    stroke: StrokeSeen,
    track: int,
    first_ns: int,
    u_ns: int,
    *,
    left_by_mm: float,
    placed: SeenPiece | None = None,
    gap_mm: float | None = None,
) -> StrokeSeen:
    """Returns the stroke as one of the striker of a track, of which little more than that it was played is known."""
    struck = StrikerSeen(
        placed=placed,
        gap_mm=gap_mm,
        first_motion_ns=first_ns,
        u_first_motion_ns=u_ns,
        heading_deg=None,
        speed_mm_s=None,
        left_by_mm=left_by_mm,
        track=track,
    )
    return replace(stroke, struck=struck, touches=(), touches_seen=False, all_at_rest=None)


def _lay_elsewhere(track: Track, stroke: StrokeSeen) -> bool:
    """Says whether the striker lay far from where a track begins, so shortly before that no hand can have put it there.

    What comes and goes so is the hand that takes the striker away.
    """
    soon = track.first_ns - stroke.began_ns < CARRIED_NS
    return soon and any(dist(track.samples[0].at, lay.at) > _SET_OUT_MM for lay in stroke.before.strikers)


def _near(board: Board, seats: Iterable[str], spot: Sample | SeenPiece) -> bool:
    """Says whether a place is near a base line of one of these seats."""
    return board.from_line_mm(*spot.at, seats) < BASE_LINE_MM


@dataclass(frozen=True, slots=True)
class RestsApart:
    """A striker that confidently lay placed, `lay`, and confidently lies off every base line now, `lies`.

    `own`: its track, None if nothing was followed. `held`: it went with a hand, or nobody saw how it went.
    """

    lay: SeenPiece
    lies: SeenPiece
    own: Track | None

    @property
    def held(self) -> bool:
        """Says whether a hand may have carried it there."""
        return self.own is None or self.own.by_hand or self.own.went == "hand"


def lies_placed(board: Board, piece: SeenPiece, seats: Sequence[str] = SEATS) -> bool:
    """Says whether a striker lies on a base line of one of these seats, well or badly."""
    return board.from_line_mm(*piece.at, seats) < PLACED_MM


def rests_apart(stroke: StrokeSeen, board: Board, seats: Sequence[str]) -> RestsApart | None:
    """Returns where the striker lay placed and where it lies now, if both are confidently seen and only a stroke, or a
    hand, takes it there."""
    lay, lies = (next(filter(confident.is_confident, seen.strikers), None) for seen in (stroke.before, stroke.after))
    if lay is None or lies is None or lies.apart_mm(lay) < RAN_MM:
        return None
    if not lies_placed(board, lay, seats) or lies_placed(board, lies):
        return None
    strikers = [track for track in stroke.tracks if track.piece == "striker"]
    if any(track.by_hand or track.went == "hand" for track in strikers):
        return RestsApart(lay, lies, None)
    from_there = (track for track in strikers if track.start == lay)
    return RestsApart(lay, lies, next(from_there, None))


def _played_in_sight(stroke: StrokeSeen, ran: RestsApart, board: Board) -> StrokeSeen:
    """Returns the stroke as one of the striker that lay placed and lies elsewhere now, with what its rests tell."""
    lay, own, far = ran.lay, ran.own, ran.lies.apart_mm(ran.lay)
    assert own is not None
    gaps = [piece.apart_mm(lay) - board.touching_mm for piece in stroke.before.coins]
    # When it set out nobody saw; no slower than what is played it may have run as far as it lies now.
    hidden_ns = max(1, round(far / PACE_MM_S * 1e9))
    gap_mm = min(gaps, default=None)
    return _played(stroke, own.track, own.first_ns, hidden_ns, left_by_mm=far, placed=lay, gap_mm=gap_mm)


def _was_held(own: Track, struck: StrikerSeen, board: Board, seats: Sequence[str]) -> bool:
    """Says whether what vision reports as struck was taken away, from by a line that nobody plays from."""
    lay = own.start or struck.placed
    nobodys = set(SEATS) - set(seats)
    if lay is None or own.end is not None or _near(board, seats, lay) or not _near(board, nobodys, lay):
        return False
    return not _near(board, seats, own.samples[0]) or (own.went == "hand" and len(own.samples) < RUN_PICTURES)


def _came_to_rest_meanwhile(stroke: StrokeSeen, struck: StrikerSeen, board: Board, seats: Sequence[str]) -> bool:
    """Returns whether a striker is thought placed where it lay still for a moment after it was played.

    It did not lie there before, nobody plays from there, and others ran long before it set out: how it was played was
    lost among them.
    """
    lay = struck.placed
    if lay is None or _near(board, seats, lay) or any(one.apart_mm(lay) < RAN_MM for one in stroke.before.strikers):
        return False
    since = struck.first_motion_ns - struck.u_first_motion_ns - CARRIED_NS
    others = (track for track in stroke.tracks if track.track != struck.track)
    return any(track.first_ns < since and ran_by_itself(track) for track in others)


def _set_out_unseen(stroke: StrokeSeen, struck: StrikerSeen) -> StrokeSeen:
    """Returns the stroke without the facts of a striker whose start was not seen, if it was not."""
    if struck.u_first_motion_ns < CARRIED_NS:
        return stroke
    struck = replace(struck, placed=None, gap_mm=None, heading_deg=None, speed_mm_s=None, hand_follow_mm=None)
    return replace(stroke, struck=struck, touches_seen=False, all_at_rest=None)


def _played_unseen(stroke: StrokeSeen) -> StrokeSeen:
    """Returns the stroke as one that was played while pictures were missing, if all the rest says so."""
    if not _pictures_missing(stroke):
        return stroke
    arrived = next(iter(stroke.after.strikers), None)
    if arrived is None or any(piece.apart_mm(arrived) < RAN_MM for piece in stroke.before.strikers):
        return stroke
    own = next((track for track in stroke.tracks if track.piece == "striker" and not track.by_hand), None)
    others = [track for track in stroke.tracks if track is not own and not track.by_hand and _went(track)]
    if own is None or not others:
        return stroke
    hidden_ns = max(1, own.first_ns - stroke.began_ns)
    blind = (*stroke.blind, (stroke.began_ns, own.first_ns))
    return _played(replace(stroke, blind=blind), own.track, stroke.began_ns, hidden_ns, left_by_mm=0.0)


def _pictures_missing(stroke: StrokeSeen) -> bool:
    """Says whether there are far fewer pictures than the points of the tracks are apart, or vision reports so."""
    if any(until - since > GAP_NS for since, until in stroke.blind):
        return True
    apart = (after.t_ns - before.t_ns for track in stroke.tracks for before, after in pairwise(track.samples))
    steps = [step for step in apart if step > 0]
    if not steps:
        return False
    span = stroke.ended_ns - stroke.began_ns
    return span > GAP_NS and stroke.frames < 0.6 * span / median(steps)


def _went(track: Track) -> bool:
    """Says whether a piece is certainly elsewhere than before, or gone."""
    if track.start is None:
        return False
    if track.end is None:
        return track.vanished is not None
    return track.end.apart_mm(track.start) > MOVED_MM


def ran_by_itself(track: Track) -> bool:
    """Says whether a piece was seen to run by itself, and fast enough for one that was played."""
    if track.by_hand or not track.samples:
        return False
    one = track.samples[0]
    if max(dist(point.at, one.at) for point in track.samples) < RAN_MM:
        return False
    return _fastest(track.samples) > PACE_MM_S


def _fastest(path: tuple[Sample, ...]) -> float:
    """Returns the greatest pace in mm/s over a few points of a path, the quickest step between them left out.

    Two may be one spot seen twice; and one quick step alone is a jump onto something else.
    """
    best = 0.0
    for first in range(len(path) - 2):
        steps = [
            (dist(after.at, before.at), (after.t_ns - before.t_ns) / 1e9)
            for before, after in pairwise(path[first : first + 4])
        ]
        steps.remove(max(steps))
        seconds = sum(step[1] for step in steps)
        if seconds > 0:
            best = max(best, sum(step[0] for step in steps) / seconds)
    return best
