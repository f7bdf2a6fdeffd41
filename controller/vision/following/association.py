"""Who is who at a motion window's end: tracks against the boards before and after.

Nothing is lost and nothing made on the way: what lay there before either lies there now, or fell, or was taken. So
classes that got mixed up where pieces met are put right by counting. Pure values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import hypot, sqrt

from calibration.board import Board
from controller.events.assignment import assign
from controller.events.observation import SeenPiece
from controller.events.words import SET, Piece
from controller.vision.following.class_counts import KINDS, MOST_SURE, called, together, weights_of
from controller.vision.following.rest import SAME_PLACE_MM, UNMOVED_MM
from controller.vision.following.stitch import BROKEN_MM, stitch_tracks
from controller.vision.following.tracks import Link, PieceTrack

OVERLAP_MM = 24.0
STRIKER_OVERLAP_MM = 29.0
"""Nothing else lies so near to a piece, or to the striker: 7 mm less than the sum of the radii."""

FOLLOWED_U95_MM = 8.0
"""How well the place of a piece is known that only the following saw, in the small picture."""

NOBODY: Mapping[int, SeenPiece] = {}

STRIKER_SURE = 0.99
"""How sure it is that what was seen placed and struck is the striker."""

ASTRAY = ((3, 0.03), (6, 0.1), (999, 0.3))
"""Where so many moved at once, this is how often a way is mixed up with another one's."""


@dataclass(frozen=True, slots=True, eq=False)
class Association:
    """How one piece went from the board before to the board after.

    `track` is None for one that nobody saw move. `odds`: what it may be, if counting leaves more than one.
    """

    start: SeenPiece | None
    end: SeenPiece | None
    track: PieceTrack | None
    piece: Piece
    confidence: float
    odds: tuple[tuple[Piece, float], ...] = ()


def associate(
    before: Sequence[SeenPiece],
    after: Sequence[SeenPiece],
    tracks: Sequence[PieceTrack],
    board: Board,
    frame_ns: int,
    strikers: Mapping[int, SeenPiece] = NOBODY,
    in_sight: frozenset[int] = frozenset(),
) -> list[Association]:
    """Pairs the pieces before with those after through the tracks.

    `strikers`: by their numbers the tracks known to be the striker's, and how it lay before. `in_sight`: of those that
    show in the last picture; where no detection found one there, its end is one that `after` does not hold. Returns one
    entry for each piece that moved, came or went; pieces that lie as they lay are left out.
    """
    starts, ends = _without_unmoved(before, after, tracks)
    lying = [piece for piece in before if not _in(piece, starts)]
    unmoved = Counter(piece.piece for piece in lying)
    if strikers:
        # One that lay there before was taken and placed anew, whoever saw it.
        began = [track.start for track in tracks if track.start is not None]
        starts = [piece for piece in starts if piece.piece != "striker" or _in(piece, began)]
    links = stitch_tracks(starts, ends, tracks, board, frame_ns, strikers, in_sight, lying)
    links = _where_they_were_seen(links, in_sight, after)
    return _named(links, unmoved, struck=bool(strikers))


def _in(piece: SeenPiece, pieces: Iterable[SeenPiece]) -> bool:
    return any(piece is other for other in pieces)


def _fell(track: PieceTrack) -> bool:
    return track.ended is not None and track.ended.how in ("pocket", "frame")


def _without_unmoved(
    before: Sequence[SeenPiece], after: Sequence[SeenPiece], tracks: Sequence[PieceTrack]
) -> tuple[list[SeenPiece], list[SeenPiece]]:
    """The rests before and after of what may have moved.

    A piece found just where one of its class lay has stayed there, whatever was tracked away from it: an arm went by.
    Of one that nothing was tracked from, neither its class nor its place need agree so well.
    """
    started = [track.start for track in tracks if track.start is not None]
    alike = {
        (i, j): gap
        for i, one in enumerate(before)
        for j, other in enumerate(after)
        if (gap := one.apart_mm(other)) < (UNMOVED_MM if one in started else SAME_PLACE_MM)
        and (one.piece == other.piece or one not in started)
    }
    unmoved = assign(alike, SAME_PLACE_MM)
    gone, come = {i for i, _ in unmoved}, {j for _, j in unmoved}
    return (
        [piece for i, piece in enumerate(before) if i not in gone],
        [piece for j, piece in enumerate(after) if j not in come],
    )


def _where_they_were_seen(links: Sequence[Link], in_sight: frozenset[int], after: Sequence[SeenPiece]) -> list[Link]:
    """A piece that was followed into the last picture is where it was seen there, though a detection missed it.

    Not where a detection found a coin too many, or one out of nowhere fell: then it may be that one, and what was
    followed a shadow. Nor where another piece was detected: then that is what was followed in the end.
    """
    if any(link.end is not None and link.end.piece != "striker" and _from_nowhere(link) for link in links):
        return list(links)
    for link in links:
        track = link.track
        nowhere = link.start is None and link.placed is None and link.end is None
        if nowhere and track is not None and _fell(track) and len(track.marks) > 2:
            return list(links)
    out = []
    for link in links:
        seen = None
        if link.end is None and link.track is not None and link.track.number in in_sight and link.track.ended is None:
            seen = _where_it_was_seen(link, link.track)
        free = seen is not None and not any(_overlap(seen, other) for other in after)
        out.append(replace(link, end=seen) if free else link)
    return out


def _overlap(one: SeenPiece, two: SeenPiece) -> bool:
    return one.apart_mm(two) < (STRIKER_OVERLAP_MM if "striker" in (one.piece, two.piece) else OVERLAP_MM)


def _where_it_was_seen(link: Link, track: PieceTrack) -> SeenPiece | None:
    _, x, y = track.last
    if link.placed is not None:
        return SeenPiece("striker", x, y, FOLLOWED_U95_MM, confidence=0.9, visible=0.5)
    return SeenPiece("unknown", x, y, FOLLOWED_U95_MM, visible=0.5) if link.start is not None else None


def _from_nowhere(link: Link) -> bool:
    track = link.track
    if link.start is not None or link.placed is not None:
        return False
    return track is None or not (track.start is not None or any(mark.by_hand for mark in track.marks[:2]))


def _named(links: Sequence[Link], unmoved: Mapping[Piece, int], *, struck: bool) -> list[Association]:
    """Names them all together: what each was, what a detection of its end says, and that nobody is twice."""
    moved = sum(link.track is not None and link.start is not None for link in links)
    pool = Counter(link.start.piece for link in links if link.start is not None)
    own: Piece = "striker"
    exchanged = pool + Counter(own for link in links if link.start is None and link.placed is not None)
    counted = [link for link in links if not _is_stray(link)]
    detections = [_class_weights(link, exchanged, moved) for link in counted]
    new = [detection for detection, link in zip(detections, counted, strict=True) if link.start is None]
    room = _with_new(pool, unmoved, new, struck=struck)
    weights = iter(together(detections, room, all_used=True))
    out = []
    for link in links:
        track, start, end = link.track, link.start, link.end
        if _is_stray(link):
            out.append(Association(start, end, track, end.piece if end is not None else link.piece, 0.5))
            continue
        named = called(end or start or SeenPiece("unknown", 0.0, 0.0, 0.0), next(weights))
        named = named if end is None else _not_outvoted(end, named)
        out.append(Association(start, end, track, named.piece, named.confidence, named.odds))
    return out


COUNTED_OTHERWISE = 0.3
"""How much counting weighs against the surest detection of a piece that lies still."""


def _not_outvoted(seen: SeenPiece, named: SeenPiece) -> SeenPiece:
    """A piece that lies in plain sight is what the surest detection says; where counts and trajectories say otherwise
    it is asked.

    What does not add up then is what fell, or what another detection said, as likely as this detection.
    """
    if seen.piece in ("unknown", named.piece) or seen.odds or seen.confidence < MOST_SURE:
        return named
    weights = dict.fromkeys(KINDS, 0.0) | {seen.piece: 1.0 - COUNTED_OTHERWISE, named.piece: COUNTED_OTHERWISE}
    return called(seen, weights)


def _with_new(
    pool: Mapping[Piece, int],
    unmoved: Mapping[Piece, int],
    detections: Sequence[Mapping[Piece, float]],
    *,
    struck: bool,
) -> dict[Piece, int]:
    """How many of each class there are with what came from nowhere: each the likeliest of which a set has more.

    `struck`: one of those is the striker, though another one lies there that may be it.
    """
    room = {kind: pool.get(kind, 0) for kind in KINDS}
    for detection in detections:
        free = [
            kind for kind in KINDS if room[kind] + unmoved.get(kind, 0) < SET[kind] + (struck and kind == "striker")
        ]
        room[max(free or KINDS, key=lambda kind: detection[kind])] += 1
    return room


def _is_stray(link: Link) -> bool:
    """Something of which neither a detection nor its track says what it is."""
    if link.placed is not None:
        return False
    if link.end is not None:
        return link.end.upright or (link.end.piece == "unknown" and link.start is None)
    return link.start is None and link.piece == "unknown"


def _class_weights(link: Link, pool: Mapping[Piece, int], moved: int) -> dict[Piece, float]:
    """What one piece may be: by what it was and how surely it was followed, and by the detection of where it lies.

    `pool`: what moved, with which it may have been exchanged. Two have to go astray for that, but it happens once: each
    carries the root of how likely it is.
    """
    seen = weights_of(link.end) if link.end is not None else dict.fromkeys(KINDS, 1.0)
    if link.placed is not None:
        was = {kind: STRIKER_SURE if kind == "striker" else 1.0 - STRIKER_SURE for kind in KINDS}
    elif link.start is None:
        sure = 1.0 if link.piece == "unknown" else 4.0
        return {kind: seen[kind] * (sure if kind == link.piece else 1.0) for kind in KINDS}
    else:
        was = weights_of(link.start)
    astray = _astray(link, moved)
    all_moved = sum(pool.values())
    return {
        kind: seen[kind] * (sqrt(1.0 - astray) * was[kind] + sqrt(astray) * pool.get(kind, 0) / all_moved)
        for kind in KINDS
    }


def _astray(link: Link, moved: int) -> float:
    """How likely a track was mixed up with another one."""
    if link.track is None:
        return 0.3
    if link.end is not None and link.track.marks:
        _, x, y = link.track.last
        if hypot(link.end.x_mm - x, link.end.y_mm - y) > BROKEN_MM:
            return 0.3
    return next(share for most, share in ASTRAY if moved <= most)
