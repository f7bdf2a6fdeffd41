"""Associates tracks with the pieces at rest before and after a motion window, and describes how each piece went.

What lay there before either lies there now, or fell, or was taken. Must not count how many there are of a class: that
is weighed once, in `controller.shots`, against the book. Pure values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import dist

from calibration.board import Board
from controller.events.assignment import assign
from controller.events.observation import Sample, SeenPiece, Track
from controller.events.words import Piece
from controller.vision.following.detection_fusion import KINDS, SAME_PLACE_MM, called, weights_of
from controller.vision.following.free_runs import set_off
from controller.vision.following.hands import HandTrace
from controller.vision.following.motion_window import MotionWindow
from controller.vision.following.stitch import BROKEN_MM, coin_and_striker, stitch_tracks
from controller.vision.following.tracks import Association, Measurement, PieceTrack, looks_struck

OVERLAP_MM = 7.0
"""Two pieces lie no nearer to each other than the sum of their radii less this: the errors of their places."""

FOLLOWED_U95_MM = 8.0
"""How well the place of a piece is known that only the following saw, in the small picture."""

NOBODY: Mapping[int, SeenPiece] = {}
NO_HANDS = HandTrace()

ASTRAY = 0.05
LIKELY_ASTRAY = 0.3
"""How often another piece lies where one was followed to; the second where the way there was not seen whole, or where
a piece of its class is seen to lie at the end of another one's track.
"""


def associate(
    before: Sequence[SeenPiece],
    after: Sequence[SeenPiece],
    tracks: Sequence[PieceTrack],
    board: Board,
    frame_ns: int,
    trace: HandTrace = NO_HANDS,
    strikers: Mapping[int, SeenPiece] = NOBODY,
    in_sight: frozenset[int] = frozenset(),
) -> list[Association]:
    """Pairs the pieces before with those after through the tracks.

    `strikers`: by their numbers the tracks known to be the striker's, and how it lay before. `in_sight`: of those that
    show in the last picture; where no detection found one there, its end is one that `after` does not hold. Returns one
    entry for each piece that moved, came or went; pieces that lie as they lay are left out.
    """
    starts, ends = _without_unmoved(before, after, tracks)
    if strikers:
        # One that lay there before was taken and placed anew, whoever saw it.
        began = [track.start for track in tracks if track.start is not None]
        starts = [piece for piece in starts if piece.piece != "striker" or _in(piece, began)]
    links = stitch_tracks(starts, ends, tracks, board, frame_ns, trace, strikers, in_sight)
    links = [_where_it_was_seen(link, after, board) for link in links]
    exchanged = _exchanged(links)
    return [_named(link, exchanged) for link in links]


def _in(piece: SeenPiece, pieces: Iterable[SeenPiece]) -> bool:
    return any(piece is other for other in pieces)


def _without_unmoved(
    before: Sequence[SeenPiece], after: Sequence[SeenPiece], tracks: Sequence[PieceTrack]
) -> tuple[list[SeenPiece], list[SeenPiece]]:
    """The rests before and after of what may have moved.

    A piece found just where one of its class lay has stayed there, whatever was tracked away from it: an arm went by.
    Of one that nothing was tracked from, its class need not agree.
    """
    started = [track.start for track in tracks if track.start is not None]
    alike = {
        (i, j): gap
        for i, one in enumerate(before)
        for j, other in enumerate(after)
        if (gap := one.apart_mm(other)) < SAME_PLACE_MM and (one.piece == other.piece or one not in started)
    }
    unmoved = assign(alike, SAME_PLACE_MM)
    gone, come = {i for i, _ in unmoved}, {j for _, j in unmoved}
    return (
        [piece for i, piece in enumerate(before) if i not in gone],
        [piece for j, piece in enumerate(after) if j not in come],
    )


def _where_it_was_seen(link: Association, after: Sequence[SeenPiece], board: Board) -> Association:
    """A piece that was followed into the last picture is where it was seen there, though a detection missed it.

    Not where another piece was detected: then that is what was followed in the end.
    """
    track, striker = link.track, link.placed is not None
    if link.end is not None or track is None or not link.in_sight:
        return link
    if link.start is None and not striker:
        return link
    kind: Piece = "striker" if striker else "unknown"
    seen = SeenPiece(kind, *track.at, FOLLOWED_U95_MM, confidence=0.9 if striker else 1.0, visible=0.5)
    clear_mm = board.radius_mm(kind) - OVERLAP_MM
    free = all(seen.apart_mm(other) >= clear_mm + board.radius_mm(other.piece) for other in after)
    return replace(link, end=seen) if free else link


def _exchanged(links: Iterable[Association]) -> frozenset[Piece]:
    """Returns the classes that are seen at the end of another one's track, or of one that began nowhere: a piece of
    theirs was lost on its way.
    """
    return frozenset(
        link.end.piece
        for link in links
        if link.end is not None and link.placed is None and (link.start is None or link.end.piece != link.start.piece)
    )


def _named(link: Association, exchanged: frozenset[Piece]) -> Association:
    """Names one piece by what it was where it set out and what it is seen to be where it lies now.

    A sure detection of a striker or a coin holds against any track. The tracks of `exchanged` classes are less sure.
    """
    track, end = link.track, link.end
    lay = replace(link.placed, piece="striker", confidence=1.0, odds=()) if link.placed is not None else link.start
    if lay is None or (end is not None and (end.upright or coin_and_striker(lay, end))):
        if end is None:
            return replace(link, piece=track.piece if track is not None else "unknown")
        return replace(link, piece=end.piece, confidence=end.confidence, odds=end.odds)
    astray = LIKELY_ASTRAY if lay.piece in exchanged else _astray(link)
    was = weights_of(lay)
    seen = weights_of(end) if end is not None else dict.fromkeys(KINDS, 1.0)
    named = called(
        end or lay, {kind: seen[kind] * ((1.0 - astray) * was[kind] + astray / len(KINDS)) for kind in KINDS}
    )
    return replace(link, piece=named.piece, confidence=named.confidence, odds=named.odds)


def _astray(link: Association) -> float:
    """How likely another piece than this lies where it was followed to."""
    if link.track is None:
        return LIKELY_ASTRAY
    broken = link.end is not None and link.track.marks and dist(link.end.at, link.track.at) > BROKEN_MM
    return LIKELY_ASTRAY if broken else ASTRAY


MOST_SAMPLES = 60
"""More points of a path tell no fact better, and would fill the wire."""


def track_of(item: Association, window: MotionWindow) -> Track:
    """Tells one piece's way."""
    track, start, end = item.track, item.start, item.end
    told = Track(
        item.number,
        item.piece,
        start,
        end,
        window.began_ns,
        window.ended_ns,
        vanished=item.vanished,
        confidence=item.confidence,
        odds=item.odds,
    )
    if track is None:
        places = [piece for piece in (start, end) if piece is not None]
        return replace(told, by_hand=any(_handled(window, *piece.at) for piece in places))
    marks = track.marks
    first = marks[0].t_ns if marks else track.began_ns
    if start is not None:
        first = set_off(start.at, marks, track.began_ns)[0]
    return replace(
        told,
        first_ns=first,
        last_ns=marks[-1].t_ns if marks else track.began_ns,
        samples=_thinned(marks),
        by_hand=_by_hand(track, window),
    )


def _handled(window: MotionWindow, x_mm: float, y_mm: float) -> bool:
    return window.hand_trace.over(x_mm, y_mm, 0, window.published_ns)


def _by_hand(track: PieceTrack, window: MotionWindow) -> bool:
    if looks_struck(track):
        return False
    if not track.marks:
        return track.start is not None and _handled(window, *track.start.at)
    first, held = track.marks[0], sum(mark.by_hand for mark in track.marks)
    brought = track.start is None and (held > 0 or _handled(window, *first.at))
    return brought or held * 2 > len(track.marks)


def _thinned(marks: Sequence[Measurement]) -> tuple[Sample, ...]:
    step = max(1, -(-len(marks) // MOST_SAMPLES))
    kept = list(marks[::step])
    if marks and kept[-1] is not marks[-1]:
        kept.append(marks[-1])
    return tuple(Sample(mark.t_ns, round(mark.x_mm, 2), round(mark.y_mm, 2)) for mark in kept)
