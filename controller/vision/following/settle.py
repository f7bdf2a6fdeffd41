"""Who is who at an episode's end: tracks against the boards before and after.

Nothing is lost and nothing made on the way: what lay there before either lies there now, or fell, or was taken. So
classes that got mixed up where pieces met are put right by counting. Pure values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from math import hypot

from calibration.board import Board
from controller.events.observation import SeenPiece
from controller.events.words import Piece
from controller.vision.following.linking import relink
from controller.vision.following.tracks import Followed

SAME_MM = 2.5
"""A piece found this near to where one lay, or where a track ended, is that piece."""

NEAR_MM = 25.0
"""A track that broke off may have run on for as long as this without being seen."""


@dataclass(frozen=True, slots=True)
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
    strikers: frozenset[int] = frozenset(),
) -> list[Settled]:
    """Pairs the pieces before with those after through the tracks.

    `strikers`: numbers of tracks known to be the striker's though they came out of a hand. Returns one entry for each
    piece that moved, came or went; pieces that lie as they lay are left out.
    """
    starts, ends = _without_unmoved(before, after, tracks)
    joined: list[tuple[Followed | None, SeenPiece | None, SeenPiece | None]] = []
    free_ends = list(ends)
    free_starts = list(starts)
    for track in tracks:
        if track.start is not None and track.start in free_starts:
            free_starts.remove(track.start)
    matched = _match([track for track in tracks if not _went(track)], free_ends)
    broken = [track for track in tracks if id(track) not in matched and not _fell(track)]
    matched |= _match(broken, [end for end in free_ends if not _in(end, matched.values())], NEAR_MM * 4)
    for track in tracks:
        end = matched.get(id(track))
        if end is not None:
            free_ends = [other for other in free_ends if other is not end]
        joined.append((track, track.start, end))
    joined += _unseen_moves(free_starts, free_ends)
    named = [(track, start, end, _name(track, start, strikers)) for track, start, end in joined]
    return _count_classes(relink(named, board, frame_ns))


def _in(piece: SeenPiece, pieces: Iterable[SeenPiece]) -> bool:
    return any(piece is other for other in pieces)


def _name(track: Followed | None, start: SeenPiece | None, strikers: frozenset[int]) -> Piece:
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
    for piece in before:
        if piece in started:
            continue
        same = min(ends, key=lambda end: _gap(piece, end), default=None)
        if same is not None and _gap(piece, same) < SAME_MM:
            starts.remove(piece)
            ends.remove(same)
    return starts, ends


def _match(tracks: Sequence[Followed], ends: Sequence[SeenPiece], reach_mm: float = NEAR_MM) -> dict[int, SeenPiece]:
    pairs = []
    for track in tracks:
        _, x, y = track.last
        for index, end in enumerate(ends):
            gap = hypot(end.x_mm - x, end.y_mm - y)
            if gap > reach_mm:
                continue
            other = track.piece not in ("unknown", end.piece) and end.piece != "unknown"
            pairs.append((gap + (15.0 if other else 0.0), id(track), index))
    matched: dict[int, SeenPiece] = {}
    taken: set[int] = set()
    for _, key, index in sorted(pairs):
        if key not in matched and index not in taken:
            matched[key] = ends[index]
            taken.add(index)
    return matched


def _unseen_moves(
    starts: Iterable[SeenPiece], ends: Iterable[SeenPiece]
) -> list[tuple[Followed | None, SeenPiece | None, SeenPiece | None]]:
    """Pieces that moved while nobody could see them: same class, nearest first; the rest came or went."""
    left, found = list(starts), list(ends)
    out: list[tuple[Followed | None, SeenPiece | None, SeenPiece | None]] = []
    pairs = sorted(
        ((_gap(a, b), i, j) for i, a in enumerate(left) for j, b in enumerate(found) if a.piece == b.piece),
    )
    used_a: set[int] = set()
    used_b: set[int] = set()
    for _, i, j in pairs:
        if i not in used_a and j not in used_b:
            used_a.add(i)
            used_b.add(j)
            out.append((None, left[i], found[j]))
    out += [(None, piece, None) for i, piece in enumerate(left) if i not in used_a]
    out += [(None, None, piece) for j, piece in enumerate(found) if j not in used_b]
    return out


def _count_classes(
    joined: Sequence[tuple[Followed | None, SeenPiece | None, SeenPiece | None]],
) -> list[Settled]:
    started = Counter(start.piece for _, start, _ in joined if start is not None)
    ended = Counter(end.piece for _, _, end in joined if end is not None)
    gone = [(track, start) for track, start, end in joined if end is None]
    claimed = Counter(_claim(track, start) for track, start in gone)
    missing = started - ended
    known_missing: Counter[Piece] = Counter({piece: count for piece, count in missing.items() if piece != "unknown"})
    renamed: dict[int, tuple[Piece, float, tuple[tuple[Piece, float], ...]]] = {}
    if claimed != known_missing and sum(known_missing.values()) >= 1:
        renamed = _rename(gone, known_missing)
    out = []
    index = 0
    for track, start, end in joined:
        if end is not None:
            piece, confidence = end.piece, end.confidence
            if start is not None and start.piece == piece:
                confidence = max(confidence, start.confidence)
            elif piece == "unknown" and start is not None:
                piece = start.piece
            out.append(Settled(start, end, track, piece, confidence))
            continue
        name, confidence, odds = renamed.get(
            index, (_claim(track, start), start.confidence if start is not None else 0.5, ())
        )
        index += 1
        out.append(Settled(start, None, track, name, confidence, odds))
    return [_consistent(item) for item in out]


def _claim(track: Followed | None, start: SeenPiece | None) -> Piece:
    if start is not None:
        return start.piece
    return track.piece if track is not None else "unknown"


def _rename(
    gone: Sequence[tuple[Followed | None, SeenPiece | None]], missing: Counter[Piece]
) -> dict[int, tuple[Piece, float, tuple[tuple[Piece, float], ...]]]:
    """Gives the missing classes to the tracks that ended, changing as few claims as possible."""
    names = list(missing.elements())
    size = min(len(names), len(gone))
    if len(gone) > 6:
        # More than a handful gone at once is clearing up, not a stroke.
        return {}
    pool: list[Piece] = list(names)
    while len(pool) < len(gone):
        pool.append("unknown")
    best: tuple[int, tuple[Piece, ...]] | None = None
    ties: set[tuple[Piece, ...]] = set()
    for order in set(permutations(pool, len(gone))):
        kept = sum(_claim(*item) == name for item, name in zip(gone, order, strict=True))
        sure = sum(1 for item, name in zip(gone, order, strict=True) if name != "unknown" or item[1] is None)
        score = 10 * kept + sure
        if best is None or score > best[0]:
            best, ties = (score, order), {order}
        elif score == best[0]:
            ties.add(order)
    if best is None or size == 0:
        return {}
    out: dict[int, tuple[Piece, float, tuple[tuple[Piece, float], ...]]] = {}
    for index, name in enumerate(best[1]):
        options = Counter(order[index] for order in ties)
        total = sum(options.values())
        odds = tuple((piece, count / total) for piece, count in options.most_common())
        claim = _claim(*gone[index])
        sure = len(odds) == 1
        confidence = 0.95 if sure and claim == name else (0.9 if sure else odds[0][1])
        out[index] = (odds[0][0] if not sure else name, confidence, () if sure else odds)
    return out


def _consistent(item: Settled) -> Settled:
    """A start of another class than the end means that two tracks were mixed up: the start is then not its own."""
    if item.start is not None and item.piece not in (item.start.piece, "unknown") and item.start.piece != "unknown":
        return replace(item, confidence=min(item.confidence, 0.7))
    return item


def _gap(a: SeenPiece, b: SeenPiece) -> float:
    return hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm)
