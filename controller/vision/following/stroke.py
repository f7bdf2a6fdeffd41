"""Makes one `StrokeSeen` of a motion window: tracks, the striker, what it touched, what fell when, a shaken board.

Values in, one value out; no pixels. Must not know rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from math import dist, hypot
from statistics import median

from calibration.board import Board
from controller.events.observation import BoardSeen, Sample, SeenPiece, StrikerSeen, StrokeSeen, Touch, Track
from controller.vision.following.association import associate, track_of
from controller.vision.following.detection_fusion import SAME_PLACE_MM, nearest
from controller.vision.following.grade import CLAIMED
from controller.vision.following.motion_window import MotionWindow
from controller.vision.following.striker import (
    all_at_rest,
    headed,
    placement_of,
    saw_it_set_out,
    striker_seen,
    struck_item,
)
from controller.vision.following.touches import missed_one, touches_of
from controller.vision.following.tracks import Association, PieceTrack
from controller.vision.following.way_out import vanished_of

LEAST_MM = 1.5
"""A smaller common shift is the error of two detections; no shake so small is of any account (`Limits.shake_mm`)."""

LEAST_PIECES = 4
TOGETHER_SHARE = 0.6
APART_SHARE = 0.4
"""A piece shifts with the others if it ends within this share of the shift of where they would have taken it."""


def shake_of(before: Sequence[SeenPiece], after: Sequence[SeenPiece], associations: Sequence[Association]) -> float:
    """How far most pieces shifted together, in mm; 0 where they did not.

    `associations`: how those went that moved, came or went; the others are paired by place.
    """
    shifts = _shifts(before, after, associations)
    if len(shifts) < LEAST_PIECES:
        return 0.0
    middle = (median(dx for dx, _ in shifts), median(dy for _, dy in shifts))
    size = hypot(*middle)
    if size < LEAST_MM:
        return 0.0
    room = max(LEAST_MM, APART_SHARE * size)
    together = sum(dist(shift, middle) <= room for shift in shifts)
    return round(size, 1) if together >= max(LEAST_PIECES, TOGETHER_SHARE * len(shifts)) else 0.0


def _shifts(
    before: Sequence[SeenPiece], after: Sequence[SeenPiece], associations: Sequence[Association]
) -> list[tuple[float, float]]:
    went = {item.start: item.end for item in associations if item.start is not None}
    shifts = []
    for piece in before:
        if piece.piece == "striker":
            continue
        end = went[piece] if piece in went else nearest(after, piece)
        if end is not None:
            shifts.append((end.x_mm - piece.x_mm, end.y_mm - piece.y_mm))
    return shifts


def stroke_of(window: MotionWindow, board: Board) -> StrokeSeen | None:
    """Builds the observation; None if in the end nothing moved, came or went."""
    everything = associate(
        window.before.pieces,
        window.after.pieces,
        [track for track in window.tracks if not (window.pushed and _lies_still(track, window))],
        board,
        window.frame_ns,
        window.hand_trace,
        {number: placement.piece for number, placement in window.placements.items()},
        window.in_sight,
    )
    shake_mm = shake_of(window.before.pieces, window.after.pieces, everything)
    everything, after = _named(everything, window)
    window = replace(window, after=after)
    everything = [replace(item, vanished=vanished_of(item, window, board)) for item in everything]
    associations = _numbered([item for item in everything if not _nothing(item, window)], window)
    if not associations and not shake_mm:
        return None
    striker = struck_item(associations, window, board)
    tracks = tuple(_shoved(track_of(item, window), window) for item in associations)
    struck: StrikerSeen | None = None
    touches: tuple[Touch, ...] = ()
    touches_seen = CLAIMED[window.grade].touches
    placement = None
    if striker is not None:
        placement = placement_of(striker, window, board)
        struck = striker_seen(striker, placement, window)
        touches = touches_of(striker, associations, struck, window, board)
        touches_seen &= saw_it_set_out(striker, placement, board)
        touches_seen &= not missed_one(striker, associations, touches, window, board)
        struck = headed(struck, striker, placement, touches)
    return StrokeSeen(
        t_ns=window.published_ns,
        began_ns=window.began_ns,
        ended_ns=window.ended_ns,
        grade=window.grade,
        before=window.before,
        after=window.after,
        tracks=tracks,
        touches=touches,
        struck=struck,
        hands=window.hands,
        all_at_rest=all_at_rest(associations, striker, struck, window),
        touches_seen=touches_seen,
        shake_mm=shake_mm,
        frames=window.frames,
        lost_frames=window.lost_frames,
        blind=window.blind,
        picture_placed=placement.picture if placement is not None else None,
        picture_before=window.before.picture,
        picture_after=window.after.picture,
    )


def _named(everything: Sequence[Association], window: MotionWindow) -> tuple[list[Association], BoardSeen]:
    """The board after as its pieces are called when all that is known of their trajectories is weighed."""
    out, pieces = [], list(window.after.pieces)
    for item in everything:
        end = item.end
        if end is not None and not any(piece is end for piece in pieces):
            # Only the following saw it there.
            pieces.append(end)
        if end is not None and (end.piece, end.odds) != (item.piece, item.odds):
            renamed = replace(end, piece=item.piece, confidence=item.confidence, odds=item.odds)
            pieces = [renamed if piece is end else piece for piece in pieces]
            item = replace(item, end=renamed)  # noqa: PLW2901
        out.append(item)
    return out, replace(window.after, pieces=tuple(pieces))


def _shoved(track: Track, window: MotionWindow) -> Track:
    """The track, from where a hand had displaced its piece before the stroke, if one had."""
    for shove in window.shoved:
        if track.start == shove.piece and (not track.samples or shove.t_ns < track.samples[0].t_ns):
            first = Sample(shove.t_ns, round(shove.x_mm, 2), round(shove.y_mm, 2))
            return replace(track, first_ns=min(shove.t_ns, track.first_ns), samples=(first, *track.samples))
    return track


def _lies_still(track: PieceTrack, window: MotionWindow) -> bool:
    """Whether a piece that seemed to move when the camera was pushed lies where it lay."""
    start = track.start
    return start is not None and any(
        piece.piece == start.piece and piece.apart_mm(start) < SAME_PLACE_MM for piece in window.after.pieces
    )


def _nothing(item: Association, window: MotionWindow) -> bool:
    """A track that went nowhere: a shadow, a glint, or a piece that only trembled."""
    track = item.track
    if item.start is not None and item.end is not None:
        moved = item.start.apart_mm(item.end)
        return moved < 0.5 and (track is None or track.travelled_mm < 3.0)
    if item.start is None and item.end is None:
        if window.pushed:
            return track is None or track.number not in window.placements
        if item.piece != "striker" and item.went in ("hand", "unknown"):
            return True
        return track is None or len(track.marks) < 3 or track.travelled_mm < 20.0
    return False


def _numbered(associations: Sequence[Association], window: MotionWindow) -> list[Association]:
    """The same with the numbers of their tracks, and ones beyond those where nobody followed."""
    beyond = count(max((track.number for track in window.tracks), default=0) + 1)
    known = [item.track.number if item.track is not None else 0 for item in associations]
    return [replace(item, number=number or next(beyond)) for item, number in zip(associations, known, strict=True)]
