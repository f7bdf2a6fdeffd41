"""An episode of motion becomes one `StrokeSeen`: tracks, the striker's facts, what it touched, what fell when.

Values in, one value out; no pixels. Must not know rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from calibration.board import Board
from controller.events.observation import BoardSeen, Sample, StrikerSeen, StrokeSeen, Touch, Track
from controller.vision.following.episode import Episode
from controller.vision.following.grade import SAYS
from controller.vision.following.settle import Settled, settle
from controller.vision.following.shake import shake_of
from controller.vision.following.striker import all_at_rest, headed, placement_of, striker_seen, struck_item
from controller.vision.following.touching import touches_of
from controller.vision.following.tracks import Followed
from controller.vision.following.ways import track_of

PUSHED_SAME_MM = 1.5


def stroke_of(episode: Episode, board: Board) -> StrokeSeen | None:
    """Builds the observation; None if in the end nothing moved, came or went."""
    everything = settle(
        episode.before.pieces,
        episode.after.pieces,
        [track for track in episode.tracks if not (episode.pushed and _lies_still(track, episode))],
        board,
        episode.frame_ns,
        {number: placement.piece for number, placement in episode.placements.items()},
        episode.in_sight,
    )
    shake_mm = shake_of(episode.before.pieces, episode.after.pieces, everything)
    everything, after = _named(everything, episode)
    episode = replace(episode, after=after)
    settled = [item for item in everything if not _nothing(item, episode)]
    if not settled and not shake_mm:
        return None
    numbers = _numbers(settled, episode)
    striker = struck_item(settled, episode, board)
    tracks = tuple(_shoved(track_of(item, numbers[item], episode, board), episode) for item in settled)
    struck: StrikerSeen | None = None
    touches: tuple[Touch, ...] = ()
    placement = None
    if striker is not None:
        placement = placement_of(striker, episode, board)
        struck = striker_seen(striker, placement, numbers[striker], episode, board)
        touches = touches_of(striker, settled, numbers, struck, episode, board)
        moved = {numbers[item]: item for item in settled}
        struck = headed(struck, striker, placement, touches, moved, episode, board)
    return StrokeSeen(
        t_ns=episode.said_ns,
        began_ns=episode.began_ns,
        ended_ns=episode.ended_ns,
        grade=episode.grade,
        before=episode.before,
        after=episode.after,
        tracks=tracks,
        touches=touches,
        struck=struck,
        hands=episode.hands,
        all_at_rest=all_at_rest(settled, striker, struck, episode),
        touches_seen=SAYS[episode.grade].touches,
        shake_mm=shake_mm,
        frames=episode.frames,
        lost_frames=episode.lost_frames,
        blind=episode.blind,
        picture_placed=placement.picture if placement is not None else None,
        picture_before=episode.before.picture,
        picture_after=episode.after.picture,
    )


def _named(everything: Sequence[Settled], episode: Episode) -> tuple[list[Settled], BoardSeen]:
    """The board after as its pieces are called when all that is known of their ways is weighed."""
    out, pieces = [], list(episode.after.pieces)
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
    return out, replace(episode.after, pieces=tuple(pieces))


def _shoved(track: Track, episode: Episode) -> Track:
    """The track with where a hand had shoved its piece before the stroke, if one had."""
    for shove in episode.shoved:
        if track.start == shove.piece and (not track.samples or shove.t_ns < track.samples[0].t_ns):
            first = Sample(shove.t_ns, round(shove.x_mm, 2), round(shove.y_mm, 2))
            return replace(track, first_ns=min(shove.t_ns, track.first_ns), samples=(first, *track.samples))
    return track


def _lies_still(track: Followed, episode: Episode) -> bool:
    """Whether a piece that seemed to move when the camera was pushed lies where it lay."""
    start = track.start
    return start is not None and any(
        piece.piece == start.piece and piece.apart_mm(start) < PUSHED_SAME_MM for piece in episode.after.pieces
    )


def _nothing(item: Settled, episode: Episode) -> bool:
    """A track that went nowhere: a shadow, a glint, or a piece that only trembled."""
    track = item.track
    if item.start is not None and item.end is not None:
        moved = item.start.apart_mm(item.end)
        return moved < 0.5 and (track is None or track.travelled_mm < 3.0)
    if item.start is None and item.end is None:
        if episode.pushed:
            return track is None or track.number not in episode.placements
        return track is None or len(track.marks) < 3 or track.travelled_mm < 20.0
    return False


def _numbers(settled: Sequence[Settled], episode: Episode) -> dict[Settled, int]:
    highest = max((track.number for track in episode.tracks), default=0)
    numbers = {}
    for item in settled:
        if item.track is None or item.track.number == 0:
            highest += 1
            numbers[item] = highest
        else:
            numbers[item] = item.track.number
    return numbers
