"""Who is who at an episode's end: tracks against the boards before and after.

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
from controller.events.words import Piece
from controller.vision.following.linking import relink
from controller.vision.following.naming import KINDS, MOST_SURE, SAID, SET, called, together, weights_of
from controller.vision.following.tracks import Followed

SAME_MM = 2.5
"""A piece found this near to where one lay, or where a track ended, is that piece."""

NEAR_MM = 25.0
"""A track that broke off may have run on for as long as this without being seen."""

BROKEN_MM = 8.0
"""A track that ends farther than this from where a piece lies may be another one's."""

STAYED_MM = 1.5
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
class Settled:
    """How one piece went from the board before to the board after.

    `track` is None for one that nobody saw move. `odds`: what it may be, if counting leaves more than one.
    """

    start: SeenPiece | None
    end: SeenPiece | None
    track: Followed | None
    piece: Piece
    confidence: float
    odds: tuple[tuple[Piece, float], ...] = ()


def settle(
    before: Sequence[SeenPiece],
    after: Sequence[SeenPiece],
    tracks: Sequence[Followed],
    board: Board,
    frame_ns: int,
    strikers: Mapping[int, SeenPiece] = NOBODY,
    in_sight: frozenset[int] = frozenset(),
) -> list[Settled]:
    """Pairs the pieces before with those after through the tracks.

    `strikers`: by their numbers the tracks known to be the striker's, and how it lay before. `in_sight`: of those
    that show in the last picture; where no look found one there, its end is one that `after` does not hold. Returns one
    entry for each piece that moved, came or went; pieces that lie as they lay are left out.
    """
    starts, ends = _without_unmoved(before, after, tracks)
    joined: list[tuple[Followed | None, SeenPiece | None, SeenPiece | None]] = []
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
    for track in tracks:
        end = matched.get(track.number)
        if end is not None:
            free_ends = [other for other in free_ends if other is not end]
        joined.append((track, track.start, end))
    joined += _unseen_moves(free_starts, free_ends)
    joined = _stayed(joined)
    joined = _where_they_were_seen(joined, in_sight, strikers)
    named = [(track, start, end, _name(track, start, strikers)) for track, start, end in joined]
    unmoved = Counter(piece.piece for piece in before if not _in(piece, starts))
    return _named(_rejoined(relink(named, board, frame_ns, strikers), strikers), unmoved, strikers)


def _in(piece: SeenPiece, pieces: Iterable[SeenPiece]) -> bool:
    return any(piece is other for other in pieces)


def _name(track: Followed | None, start: SeenPiece | None, strikers: Mapping[int, SeenPiece]) -> Piece:
    if track is not None and track.number in strikers:
        return "striker"
    return _claim(track, start)


def _went(track: Followed) -> bool:
    return track.ended is not None


def _fell(track: Followed) -> bool:
    return track.ended is not None and track.ended.how in ("pocket", "frame")


def _without_unmoved(
    before: Sequence[SeenPiece], after: Sequence[SeenPiece], tracks: Sequence[Followed]
) -> tuple[list[SeenPiece], list[SeenPiece]]:
    started = [track.start for track in tracks if track.start is not None]
    starts, ends = list(before), list(after)
    still = [piece for piece in before if piece not in started]
    for i, j in assign(_gaps(still, after, SAME_MM), SAME_MM):
        starts.remove(still[i])
        ends.remove(after[j])
    return starts, ends


OTHER_CLASS_MM = 15.0
"""A piece that a look calls something else than its track was taken for is as good as this much farther away."""


def _match(tracks: Sequence[Followed], ends: Sequence[SeenPiece], reach_mm: float = NEAR_MM) -> dict[int, SeenPiece]:
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


ANYWHERE = 1e6
"""A cost that no way on a board comes near: whatever may be paired is."""


def _unseen_moves(
    starts: Iterable[SeenPiece], ends: Iterable[SeenPiece]
) -> list[tuple[Followed | None, SeenPiece | None, SeenPiece | None]]:
    """Pieces that moved while nobody could see them: same class, the least way in all; the rest came or went."""
    left, found = list(starts), list(ends)
    pairs = assign(_gaps(left, found, ANYWHERE, alike=True), ANYWHERE)
    out: list[tuple[Followed | None, SeenPiece | None, SeenPiece | None]]
    out = [(None, left[i], found[j]) for i, j in pairs]
    gone, come = {i for i, _ in pairs}, {j for _, j in pairs}
    out += [(None, piece, None) for i, piece in enumerate(left) if i not in gone]
    out += [(None, None, piece) for j, piece in enumerate(found) if j not in come]
    return out


def _stayed(
    items: Sequence[tuple[Followed | None, SeenPiece | None, SeenPiece | None]],
) -> list[tuple[Followed | None, SeenPiece | None, SeenPiece | None]]:
    """A piece found where one of its class lay has stayed there, whatever was followed away from it and back to it."""
    out = list(items)
    for lost in items:
        start = lost[1]
        if start is None or lost[2] is not None:
            continue
        for came in out:
            end = came[2]
            if came[1] is None and end is not None and end.piece == start.piece and start.apart_mm(end) < STAYED_MM:
                out = [item for item in out if item is not lost and item is not came]
                out.append((None, start, end))
                break
    return out


def _where_they_were_seen(
    items: Sequence[tuple[Followed | None, SeenPiece | None, SeenPiece | None]],
    in_sight: frozenset[int],
    strikers: Mapping[int, SeenPiece],
) -> list[tuple[Followed | None, SeenPiece | None, SeenPiece | None]]:
    """A piece that was followed into the last picture is where it was seen there, though a look missed it.

    Not where a look found a coin too many, or one out of nowhere fell: then it may be that one, and what was followed a
    shadow.
    """
    ends = [end for _, _, end in items if end is not None]
    found = [(track, end) for track, start, end in items if start is None and end is not None]
    if any(end.piece != "striker" and _from_nowhere(track, strikers) for track, end in found):
        return list(items)
    lost = [track for track, start, end in items if start is None and end is None and track is not None]
    if any(_fell(track) and len(track.marks) > 2 and not _is_one(track, strikers) for track in lost):
        return list(items)
    out = []
    for track, start, end in items:
        if end is None and track is not None and track.number in in_sight and not _went(track):
            seen = _where_it_was_seen(track, start, strikers)
            end = None if seen is None or any(_overlap(seen, other) for other in ends) else seen  # noqa: PLW2901
        out.append((track, start, end))
    return out


def _overlap(one: SeenPiece, two: SeenPiece) -> bool:
    return one.apart_mm(two) < (STRIKER_OVERLAP_MM if "striker" in (one.piece, two.piece) else OVERLAP_MM)


def _where_it_was_seen(track: Followed, start: SeenPiece | None, strikers: Mapping[int, SeenPiece]) -> SeenPiece | None:
    _, x, y = track.last
    if track.number in strikers:
        return SeenPiece("striker", x, y, FOLLOWED_U95_MM, confidence=0.9, visible=0.5)
    return SeenPiece("unknown", x, y, FOLLOWED_U95_MM, visible=0.5) if start is not None else None


def _rejoined(
    items: Sequence[tuple[Followed | None, SeenPiece | None, SeenPiece | None]], strikers: Mapping[int, SeenPiece]
) -> list[tuple[Followed | None, SeenPiece | None, SeenPiece | None]]:
    """A piece that went nowhere and one that came from nowhere are one piece, whatever a look calls them."""
    lost = [item for item in items if item[1] is not None and item[2] is None and _vanished(item[0])]
    came = [item for item in items if item[1] is None and item[2] is not None and _from_nowhere(item[0], strikers)]
    costs = {
        (i, j): _way_between(track, start, end) + (ANYWHERE / 100 if start.piece != end.piece else 0.0)
        for i, (track, start, _) in enumerate(lost)
        for j, (_, _, end) in enumerate(came)
        if start is not None and end is not None and not _coin_and_striker(start, end)
    }
    out = list(items)
    for i, j in assign(costs, ANYWHERE):
        track = _one_way(lost[i][0], came[j][0])
        out = [item for item in out if item is not lost[i] and item is not came[j]]
        out.append((track, lost[i][1], came[j][2]))
    return out


def _one_way(first: Followed | None, second: Followed | None) -> Followed | None:
    """The two halves of a way that broke off (it stood on its edge, perhaps) and went on: what met the piece met it in
    the first half. Where they overlap in time the longer one is the way."""
    if first is None or second is None:
        return first or second
    if first.start is None or not second.marks or (first.marks and first.marks[-1].t_ns >= second.marks[0].t_ns):
        return first if len(first.marks) >= len(second.marks) else second
    return replace(first, marks=[*first.marks, *second.marks], ended=second.ended, life=second.life)


def _coin_and_striker(start: SeenPiece, end: SeenPiece) -> bool:
    """Whether two looks surely saw a coin and a striker: they differ in size, and a striker may come unseen."""
    sure = min(start.confidence, end.confidence) >= SAID and not start.odds and not end.odds
    return sure and "unknown" not in (start.piece, end.piece) and (start.piece == "striker") != (end.piece == "striker")


def _vanished(track: Followed | None) -> bool:
    return track is None or track.ended is None or track.ended.how == "unknown"


def _from_nowhere(track: Followed | None, strikers: Mapping[int, SeenPiece]) -> bool:
    if track is None:
        return True
    return track.start is None and track.number not in strikers and not any(mark.by_hand for mark in track.marks[:2])


def _way_between(track: Followed | None, start: SeenPiece, end: SeenPiece) -> float:
    x, y = track.last[1:] if track is not None and track.marks else (start.x_mm, start.y_mm)
    return hypot(end.x_mm - x, end.y_mm - y)


def _named(
    joined: Sequence[tuple[Followed | None, SeenPiece | None, SeenPiece | None]],
    unmoved: Mapping[Piece, int],
    strikers: Mapping[int, SeenPiece],
) -> list[Settled]:
    """Names them all together: what each was, what a look at its end says, and that nobody is twice."""
    moved = sum(track is not None and start is not None for track, start, _ in joined)
    pool = Counter(start.piece for _, start, _ in joined if start is not None)
    own: Piece = "striker"
    exchanged = pool + Counter(own for track, start, _ in joined if start is None and _is_one(track, strikers))
    counted = [item for item in joined if not _is_stray(*item, strikers)]
    looks = [_look(track, start, end, exchanged, moved, strikers) for track, start, end in counted]
    new = [look for look, (_, start, _) in zip(looks, counted, strict=True) if start is None]
    room = _with_new(pool, unmoved, new, struck=bool(strikers))
    weights = iter(together(looks, room, all_used=True))
    out = []
    for track, start, end in joined:
        if _is_stray(track, start, end, strikers):
            piece = end.piece if end is not None else _claim(track, start)
            out.append(Settled(start, end, track, piece, 0.5))
            continue
        named = called(end or start or SeenPiece("unknown", 0.0, 0.0, 0.0), next(weights))
        named = named if end is None else _not_outvoted(end, named)
        out.append(Settled(start, end, track, named.piece, named.confidence, named.odds))
    return out


COUNTED_OTHERWISE = 0.3
"""How much counting weighs against the surest look at a piece that lies still."""


def _not_outvoted(seen: SeenPiece, named: SeenPiece) -> SeenPiece:
    """A piece that lies in plain sight is what the surest look says; where counts and ways say otherwise it is asked.

    What does not add up then is what fell, or what another look said, as likely as this look.
    """
    if seen.piece in ("unknown", named.piece) or seen.odds or seen.confidence < MOST_SURE:
        return named
    weights = dict.fromkeys(KINDS, 0.0) | {seen.piece: 1.0 - COUNTED_OTHERWISE, named.piece: COUNTED_OTHERWISE}
    return called(seen, weights)


def _with_new(
    pool: Mapping[Piece, int], unmoved: Mapping[Piece, int], looks: Sequence[Mapping[Piece, float]], *, struck: bool
) -> dict[Piece, int]:
    """How many of each class there are with what came from nowhere: each the likeliest of which a set has more.

    `struck`: one of those is the striker, though another one lies there that may be it.
    """
    room = {kind: pool.get(kind, 0) for kind in KINDS}
    for look in looks:
        free = [
            kind for kind in KINDS if room[kind] + unmoved.get(kind, 0) < SET[kind] + (struck and kind == "striker")
        ]
        room[max(free or KINDS, key=lambda kind: look[kind])] += 1
    return room


def _claim(track: Followed | None, start: SeenPiece | None) -> Piece:
    if start is not None:
        return start.piece
    return track.piece if track is not None else "unknown"


def _is_stray(
    track: Followed | None, start: SeenPiece | None, end: SeenPiece | None, strikers: Mapping[int, SeenPiece]
) -> bool:
    """Something of which neither a look nor its way says what it is."""
    if _is_one(track, strikers):
        return False
    if end is not None:
        return end.upright or (end.piece == "unknown" and start is None)
    return start is None and _claim(track, start) == "unknown"


def _look(
    track: Followed | None,
    start: SeenPiece | None,
    end: SeenPiece | None,
    pool: Mapping[Piece, int],
    moved: int,
    strikers: Mapping[int, SeenPiece],
) -> dict[Piece, float]:
    """What one piece may be: by what it was and how surely it was followed, and by the look at where it lies.

    `pool`: what moved, with which it may have been exchanged. Two have to go astray for that, but it happens once: each
    carries the root of how likely it is.
    """
    seen = weights_of(end) if end is not None else dict.fromkeys(KINDS, 1.0)
    if _is_one(track, strikers):
        was = {kind: STRIKER_SURE if kind == "striker" else 1.0 - STRIKER_SURE for kind in KINDS}
    elif start is None:
        claim = _claim(track, start)
        sure = 1.0 if claim == "unknown" else 4.0
        return {kind: seen[kind] * (sure if kind == claim else 1.0) for kind in KINDS}
    else:
        was = weights_of(start)
    astray = _astray(track, end, moved)
    all_moved = sum(pool.values())
    return {
        kind: seen[kind] * (sqrt(1.0 - astray) * was[kind] + sqrt(astray) * pool.get(kind, 0) / all_moved)
        for kind in KINDS
    }


def _is_one(track: Followed | None, strikers: Mapping[int, SeenPiece]) -> bool:
    return track is not None and track.number in strikers


def _astray(track: Followed | None, end: SeenPiece | None, moved: int) -> float:
    """How likely a way was mixed up with another one's."""
    if track is None:
        return 0.3
    if end is not None and track.marks:
        _, x, y = track.last
        if hypot(end.x_mm - x, end.y_mm - y) > BROKEN_MM:
            return 0.3
    return next(share for most, share in ASTRAY if moved <= most)
