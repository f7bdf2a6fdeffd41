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
from controller.events.assignment import DEAREST, assign
from controller.events.observation import SeenPiece
from controller.events.words import SET, Piece
from controller.vision.following.class_counts import KINDS, MOST_SURE, SURE, called, together, weights_of
from controller.vision.following.rest import SAME_PLACE_MM, UNMOVED_MM
from controller.vision.following.stitch import stitch_tracks
from controller.vision.following.tracks import Link, PieceTrack, looks_struck

NEAR_MM = 25.0
"""A track that broke off may have run on for as long as this without being seen."""

BROKEN_MM = 8.0
"""A track that ends farther than this from where a piece lies may be another one's."""

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
    free_ends = list(ends)
    free_starts = list(starts)
    for track in tracks:
        if track.start is not None and track.start in free_starts:
            free_starts.remove(track.start)
    if strikers:
        # One that lay there before was taken and placed anew, whoever saw it.
        free_starts = [piece for piece in free_starts if piece.piece != "striker"]
    matched = _match([track for track in tracks if not _went(track)], free_ends)
    broken = [track for track in tracks if track.number not in matched and not _fell(track)]
    matched |= _match(broken, [end for end in free_ends if not _in(end, matched.values())], NEAR_MM * 4)
    links = []
    for track in tracks:
        end = matched.get(track.number)
        if end is not None:
            free_ends = [other for other in free_ends if other is not end]
        links.append(Link(track, track.start, end, strikers.get(track.number)))
    links = _stayed([*links, *_unseen_moves(free_starts, free_ends)])
    links = _where_they_were_seen(links, in_sight)
    unmoved = Counter(piece.piece for piece in before if not _in(piece, starts))
    return _named(_rejoined(stitch_tracks(links, board, frame_ns)), unmoved, struck=bool(strikers))


def _in(piece: SeenPiece, pieces: Iterable[SeenPiece]) -> bool:
    return any(piece is other for other in pieces)


def _went(track: PieceTrack) -> bool:
    return track.ended is not None


def _fell(track: PieceTrack) -> bool:
    return track.ended is not None and track.ended.how in ("pocket", "frame")


def _without_unmoved(
    before: Sequence[SeenPiece], after: Sequence[SeenPiece], tracks: Sequence[PieceTrack]
) -> tuple[list[SeenPiece], list[SeenPiece]]:
    started = [track.start for track in tracks if track.start is not None]
    starts, ends = list(before), list(after)
    still = [piece for piece in before if piece not in started]
    for i, j in assign(_gaps(still, after, SAME_PLACE_MM), SAME_PLACE_MM):
        starts.remove(still[i])
        ends.remove(after[j])
    return starts, ends


OTHER_CLASS_MM = 15.0
"""A piece that a detection calls something else than its track was taken for is as good as this much farther away."""


def _match(tracks: Sequence[PieceTrack], ends: Sequence[SeenPiece], reach_mm: float = NEAR_MM) -> dict[int, SeenPiece]:
    """The ends that tracks run into, by the tracks' numbers."""
    costs = {}
    for number, track in enumerate(tracks):
        _, x, y = track.last
        for index, end in enumerate(ends):
            gap = hypot(end.x_mm - x, end.y_mm - y)
            other = track.piece not in ("unknown", end.piece) and end.piece != "unknown"
            if gap <= reach_mm:
                costs[number, index] = gap + (OTHER_CLASS_MM if other else 0.0)
    return {tracks[i].number: ends[j] for i, j in assign(costs, reach_mm + 2 * OTHER_CLASS_MM)}


def _gaps(
    ones: Sequence[SeenPiece], others: Sequence[SeenPiece], reach_mm: float, *, alike: bool = False
) -> dict[tuple[int, int], float]:
    return {
        (i, j): gap
        for i, one in enumerate(ones)
        for j, other in enumerate(others)
        if (gap := one.apart_mm(other)) < reach_mm and (not alike or one.piece == other.piece)
    }


def _unseen_moves(starts: Iterable[SeenPiece], ends: Iterable[SeenPiece]) -> list[Link]:
    """Pieces that moved while nobody could see them: same class, the least way in all; the rest came or went."""
    left, found = list(starts), list(ends)
    pairs = assign(_gaps(left, found, DEAREST, alike=True))
    gone, come = {i for i, _ in pairs}, {j for _, j in pairs}
    return [
        *(Link(None, left[i], found[j]) for i, j in pairs),
        *(Link(None, piece, None) for i, piece in enumerate(left) if i not in gone),
        *(Link(None, None, piece) for j, piece in enumerate(found) if j not in come),
    ]


def _stayed(links: Sequence[Link]) -> list[Link]:
    """A piece found where one of its class lay has stayed there, whatever was followed away from it and back to it."""
    out = list(links)
    for lost in links:
        start = lost.start
        if start is None or lost.end is not None:
            continue
        for came in out:
            end = came.end
            if came.start is None and end is not None and end.piece == start.piece and start.apart_mm(end) < UNMOVED_MM:
                out = [link for link in out if link is not lost and link is not came]
                out.append(Link(None, start, end))
                break
    return out


def _where_they_were_seen(links: Sequence[Link], in_sight: frozenset[int]) -> list[Link]:
    """A piece that was followed into the last picture is where it was seen there, though a detection missed it.

    Not where a detection found a coin too many, or one out of nowhere fell: then it may be that one, and what was
    followed a shadow.
    """
    if any(link.end is not None and link.end.piece != "striker" and _from_nowhere(link) for link in links):
        return list(links)
    for link in links:
        track = link.track
        nowhere = link.start is None and link.placed is None and link.end is None
        if nowhere and track is not None and _fell(track) and len(track.marks) > 2:
            return list(links)
    ends = [link.end for link in links if link.end is not None]
    out = []
    for link in links:
        seen = None
        if link.end is None and link.track is not None and link.track.number in in_sight and not _went(link.track):
            seen = _where_it_was_seen(link, link.track)
        free = seen is not None and not any(_overlap(seen, other) for other in ends)
        out.append(replace(link, end=seen) if free else link)
    return out


def _overlap(one: SeenPiece, two: SeenPiece) -> bool:
    return one.apart_mm(two) < (STRIKER_OVERLAP_MM if "striker" in (one.piece, two.piece) else OVERLAP_MM)


def _where_it_was_seen(link: Link, track: PieceTrack) -> SeenPiece | None:
    _, x, y = track.last
    if link.placed is not None:
        return SeenPiece("striker", x, y, FOLLOWED_U95_MM, confidence=0.9, visible=0.5)
    return SeenPiece("unknown", x, y, FOLLOWED_U95_MM, visible=0.5) if link.start is not None else None


def _rejoined(links: Sequence[Link]) -> list[Link]:
    """A piece that went nowhere and one that came from nowhere are one piece, whatever a detection calls them.

    So are a striker that ran and was lost under the hand, and one that shows a moment later.
    """
    lost = [link for link in links if link.start is not None and link.end is None and _vanished(link.track)]
    came = [link for link in links if link.end is not None and _from_nowhere(link)]
    costs = {
        (i, j): _way_between(one.track, one.start, two.end)
        + (DEAREST / 100 if one.start.piece != two.end.piece else 0.0)
        for i, one in enumerate(lost)
        for j, two in enumerate(came)
        if one.start is not None and two.end is not None and not _coin_and_striker(one.start, two.end)
    }
    pairs = [(lost[i], came[j]) for i, j in assign(costs)]
    left = [two for two in came if not any(two is taken for _, taken in pairs)]
    pairs += [(one, two) for one in links for two in left if _shows_again(one, two)][:1]
    out = list(links)
    for one, two in pairs:
        out = [link for link in out if link is not one and link is not two]
        track = _one_way(one, two)
        own = track is not None and one.track is not None and track.number == one.track.number
        out.append(Link(track, one.start, two.end, one.placed if own else None))
    return out


HIDDEN_NS = 300_000_000
"""A striker that is lost under the hand that flicked it shows again within this; a hand that carries it takes longer.
"""


def _shows_again(one: Link, two: Link) -> bool:
    """Whether the second is the striker that was placed, ran, and was lost."""
    first, second = one.track, two.track
    if first is None or second is None or two.end is None or two.end.piece != "striker" or one.end is not None:
        return False
    if one.placed is None or _fell(first) or not looks_struck(first) or not second.marks:
        return False
    return 0 < second.marks[0].t_ns - first.marks[-1].t_ns < HIDDEN_NS


def _one_way(one: Link, two: Link) -> PieceTrack | None:
    """The two halves of a track that broke off (it stood on its edge, perhaps) and went on: what met the piece met it
    in the first half. Where they overlap in time, or it is not known where the first began, the longer one is the
    track.
    """
    first, second = one.track, two.track
    if first is None or second is None:
        return first or second
    known = first.start is not None or one.placed is not None
    if not known or not second.marks or (first.marks and first.marks[-1].t_ns >= second.marks[0].t_ns):
        return first if len(first.marks) >= len(second.marks) else second
    return replace(first, marks=[*first.marks, *second.marks], ended=second.ended, life=second.life)


def _coin_and_striker(start: SeenPiece, end: SeenPiece) -> bool:
    """Whether two detections surely saw a coin and a striker: they differ in size, and a striker may come unseen."""
    sure = min(start.confidence, end.confidence) >= SURE and not start.odds and not end.odds
    return sure and "unknown" not in (start.piece, end.piece) and (start.piece == "striker") != (end.piece == "striker")


def _vanished(track: PieceTrack | None) -> bool:
    return track is None or track.ended is None or track.ended.how == "unknown"


def _from_nowhere(link: Link) -> bool:
    track = link.track
    if link.start is not None or link.placed is not None:
        return False
    return track is None or not (track.start is not None or any(mark.by_hand for mark in track.marks[:2]))


def _way_between(track: PieceTrack | None, start: SeenPiece, end: SeenPiece) -> float:
    x, y = track.last[1:] if track is not None and track.marks else (start.x_mm, start.y_mm)
    return hypot(end.x_mm - x, end.y_mm - y)


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
