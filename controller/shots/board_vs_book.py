"""Board against book: what was placed, what is missing, too many or elsewhere, and the opening arrangement.

In words for the umpire. What differs is reported once it has lasted, and withdrawn when it fits again. Must not rule on
anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import dist

from controller.events.assignment import assign
from controller.events.expectation import Expectation, ToPlace
from controller.events.match import Drop, Placed, RestPiece, Seen
from controller.events.observation import BoardSeen, SeenPiece, StrokeSeen
from controller.events.words import Piece
from controller.shots.limits import Limits, S
from controller.shots.odds import COINS, count_of, counts_of, likeliest, minus, odds_of, pieces_of
from controller.shots.opening import opening_faults
from controller.shots.outputs import Choice, Kind, Mismatch, Output, PlacedRead, Ready, SeenRead
from controller.shots.placement import lines_touched
from controller.shots.played import lies_placed
from controller.shots.prior_counts import book_counts
from controller.shots.state import Discrepancy, ShotState, Step, accounted, alert, awaits_ruling

OTHER_CLASS_MM = 2.0
"""So much farther is a piece of another class: two detections may name one piece differently."""
OPENING_LASTS_NS = 2 * S
"""A pack is put right piece by piece: what is wrong with it is reported later than other differences."""
SPREAD = 0.6
"""Of this share of the pieces the rest may be hidden, but they were not cleared away."""

_COUNTED: frozenset[Kind] = frozenset({"missing", "extra", "wrong_piece"})
_PLACED: frozenset[Kind] = _COUNTED | {"due_not_placed", "moved"}


@dataclass(frozen=True, slots=True)
class Change:
    """How a board differs from an earlier one. `moved`: pairs of before and after."""

    added: tuple[SeenPiece, ...]
    removed: tuple[SeenPiece, ...]
    moved: tuple[tuple[SeenPiece, SeenPiece], ...]


def change(before: BoardSeen, after: BoardSeen, same_mm: float) -> Change:
    """Matches the coins of two boards by the least way in all, each class with its own; far pairs are moves."""
    old, new = before.coins, after.coins
    costs = {}
    for i, one in enumerate(old):
        for j, two in enumerate(new):
            apart = one.apart_mm(two)
            if one.piece == two.piece:
                costs[i, j] = apart
            elif apart <= same_mm:
                costs[i, j] = apart + OTHER_CLASS_MM
    pairs = assign(costs)
    left, right = set(range(len(old))) - {i for i, _ in pairs}, set(range(len(new))) - {j for _, j in pairs}
    moved = [(old[i], new[j]) for i, j in pairs if old[i].apart_mm(new[j]) > same_mm]
    return Change(tuple(new[j] for j in sorted(right)), tuple(old[i] for i in sorted(left)), tuple(moved))


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs: pieces that should lie there and do not, and the other way round. `waiting`: not yet placed.
    `counts`: of each kind that differs, how many lie there and how many the book has."""

    missing: tuple[Piece, ...] = ()
    extra: tuple[Piece, ...] = ()
    waiting: tuple[Piece, ...] = ()
    counts: tuple[tuple[Piece, int, int], ...] = ()

    @property
    def agrees(self) -> bool:
        """Says whether the board is one that the book knows."""
        return not self.missing and not self.extra


def difference(board: BoardSeen, expectation: Expectation, limits: Limits) -> Difference:
    """Compares the pieces seen with the book's. What waits to be placed may lie there or not."""
    seen = counts_of(board.pieces, limits.class_floor)
    full = count_of(expectation.on_board)
    book = book_counts(expectation)
    likely = max(book, key=lambda count: (seen.get(count, 0.0), count))
    if seen.get(likely, 0.0) > 1e-2:
        return Difference(waiting=pieces_of(minus(full, likely)))
    best = max(seen, key=lambda count: (seen[count], count))
    nearest = min(book, key=lambda count: (sum(map(abs, minus(count, best))), count))
    apart = minus(nearest, best)
    missing = pieces_of(apart)
    if board.hidden or board.hands:
        # What cannot be seen is not missing; only what is too many is known.
        missing = ()
    extra = pieces_of((-apart[0], -apart[1], -apart[2]))
    differs = {*missing, *extra}
    counts = tuple(one for one in zip(COINS, best, nearest, strict=True) if one[0] in differs)
    return Difference(missing, extra, pieces_of(minus(full, nearest)), counts)


def compare(state: ShotState, board: BoardSeen, book: Expectation) -> Step:
    """Reports what has differed from the book for long enough; withdraws it when it fits again."""
    found = difference(board, book, state.limits)
    if not found.agrees:
        said = worded(found, board.t_ns, board.picture, False)
    elif found.waiting and _striker_put_down(state, board):
        said = due_not_placed(found.waiting, board.t_ns, False)
    elif off := _moved(state, board, book):
        said = Mismatch("moved", board.t_ns, "; ".join(off), picture=board.picture)
    else:
        return withdraw(state, board, _COUNTED if found.waiting else _PLACED)
    return _once_it_lasts(state, board, said, state.limits.persist_ns)


def _once_it_lasts(state: ShotState, board: BoardSeen, said: Mismatch, lasts_ns: int) -> Step:
    """Reports once what has differed in the same way for so long. Of another difference nothing holds any more."""
    standing = state.standing
    over: tuple[Output, ...] = ()
    if standing is None or (standing.kind, standing.missing, standing.extra) != (said.kind, said.missing, said.extra):
        standing = Discrepancy(said.kind, said.missing, said.extra, board.since_ns)
        state, over = withdraw(state, board, _PLACED)
    if standing.said or state.rested_ns(board, standing.since_ns) < lasts_ns:
        return replace(state, standing=standing), over
    state, outputs = alert(replace(state, standing=replace(standing, said=True)), said)
    return state, (*over, *outputs)


def withdraw(state: ShotState, board: BoardSeen, kinds: frozenset[Kind]) -> Step:
    """Withdraws the reports that hold no more."""
    taken_back = tuple(
        Mismatch(kind, board.t_ns, "board and book agree again", resolved=True, picture=board.picture)
        for kind in sorted(state.open & kinds)
    )
    return replace(state, standing=None, open=state.open - kinds), taken_back


def _moved(state: ShotState, board: BoardSeen, book: Expectation) -> list[str]:
    """Compares piece by piece with where the book has everything lying, once nothing waits to be placed."""
    if not book.rest_mm or book.to_place or board.hidden:
        return []
    lies = BoardSeen(0, 0, tuple(SeenPiece(piece, x, y, 0.0) for piece, x, y in book.rest_mm))
    return [
        f"{want.piece} lies {want.apart_mm(now):.0f} mm from where it should ({want.x_mm:.0f}, {want.y_mm:.0f})"
        for want, now in change(lies, board, state.limits.restored_mm).moved
        if all(dist(want.at, (x, y)) >= state.limits.nudge_mm for x, y in state.put)
    ]


def _striker_put_down(state: ShotState, board: BoardSeen) -> bool:
    """Says whether a striker lies on a base line: put there, not left there by the last stroke."""
    left = [piece for last in state.concluded[-1:] for piece in last.stroke.after.strikers]
    return any(
        lies_placed(state.board, piece) and not any(piece.apart_mm(lay) < state.limits.same_place_mm for lay in left)
        for piece in board.strikers
    )


def placed(state: ShotState, board: BoardSeen, book: Expectation, found: Change) -> Step:
    """Pieces came onto the board while some were waiting to be placed: reported once all of them lie there."""
    waiting = list(book.to_place)
    if len(found.added) != len(waiting):
        return state, ()
    notes: list[str] = []
    for piece in found.added:
        place = _place_for(piece, waiting, state.limits)
        if place is None:
            return state, ()
        waiting.remove(place)
        notes += _off_place(piece, place, state)
    agreed = difference(board, book, state.limits)
    if not agreed.agrees or agreed.waiting:
        return state, ()
    notes += [f"{before.piece} moved {before.apart_mm(after):.0f} mm meanwhile" for before, after in found.moved]
    lying = tuple(_lying(piece, state.limits) for piece in board.coins)
    fresh = tuple(_lying(piece, state.limits) for piece in found.added)
    put = (*state.put, *((one.x, one.y) for one in fresh))
    read = PlacedRead(Placed(lying), board.since_ns, fresh, tuple(notes), board.picture)
    return awaits_ruling(replace(accounted(state, board), put=put)), (read,)


def _place_for(piece: SeenPiece, waiting: Sequence[ToPlace], limits: Limits) -> ToPlace | None:
    """Returns what a piece was placed as: its class must fit, and the nearest place is meant."""
    odds = odds_of(piece.piece, piece.odds, limits.class_floor)
    fitting = [place for place in waiting if odds.get(place.piece, 0.0) > 0.02]
    return min(fitting, key=lambda place: (-round(odds[place.piece], 1), _off_by(piece, place)), default=None)


def _off_by(piece: SeenPiece, place: ToPlace) -> float:
    """Returns how far a piece lies from its spot, or from the ring in which it may lie, in mm."""
    ring = place.within if place.at_mm is None else (place.at_mm, 0.0, 0.0)
    if ring is None:
        return 0.0
    (x, y), inner, outer = ring
    off = dist(piece.at, (x, y))
    return max(0.0, inner - off, off - outer)


def _off_place(piece: SeenPiece, place: ToPlace, state: ShotState) -> list[str]:
    """Returns words if a piece was put where it should not lie; a few millimetres are not nagged about."""
    sure = piece.u95_mm
    if place.at_mm is not None:
        off = _off_by(piece, place)
        return [f"{piece.piece} lies {off:.0f} mm off its spot"] if off > state.limits.nudge_mm + sure else []
    if place.within is None:
        return []
    (x, y), inner, outer = place.within
    off, radius = dist(piece.at, (x, y)), state.board.coin_diameter_mm / 2
    if off + radius > outer + sure:
        return [f"{piece.piece} lies {off + radius - outer:.1f} mm outside the circle it may be placed in"]
    if off - radius < inner - sure:
        return [f"{piece.piece} covers the centre circle by {inner - off + radius:.1f} mm"]
    return []


def _lying(piece: SeenPiece, limits: Limits) -> RestPiece:
    kind = likeliest(odds_of(piece.piece, piece.odds, limits.class_floor))
    return RestPiece(kind, round(piece.x_mm, 1), round(piece.y_mm, 1))


def opening(state: ShotState, board: BoardSeen, book: Expectation) -> Step:
    """Reports what is wrong with the opening arrangement once somebody has put it up, and that a board may begin."""
    faults = opening_faults(board, book, state.board)
    if faults is None:
        spread = len(board.coins) >= SPREAD * sum(count_of(book.on_board))
        if not (state.racked and spread and not board.hidden):
            return withdraw(state, board, _PLACED)
        # It stood, now the pieces lie about, and no stroke was read in between.
        says = "the opening arrangement is broken up and no break was counted: was it played?"
        said = Mismatch("unseen_change", board.t_ns, says, picture=board.picture)
        return _once_it_lasts(state, board, said, OPENING_LASTS_NS)
    state = replace(state, racked=True, broken=False)
    if not faults:
        state, right = withdraw(state, board, state.open)
        seat = book.turn
        # Whoever breaks has placed the striker: reported once.
        placed = seat and any(lines_touched(state.board, seat, *one.at) == 2 for one in board.strikers)
        if seat is None or not placed or state.ready_at == book.seq:
            return state, right
        return replace(state, ready_at=book.seq), (*right, Ready(board.since_ns, seat))
    says = "; ".join(faults)
    said = Mismatch("not_set_up", board.t_ns, says, picture=board.picture)
    state, outputs = _once_it_lasts(state, board, said, OPENING_LASTS_NS)
    if outputs and book.tournament:
        outputs = (*outputs, SeenRead(Seen("wrong_rack"), board.t_ns, says, board.picture))
    return state, outputs


def difference_at_stroke(state: ShotState, stroke: StrokeSeen) -> Mismatch | None:
    """Returns what was wrong with the board when it was struck, if it has not been reported yet."""
    book, standing = state.expectation, state.standing
    if book is None or not book.play or book.opening:
        return None
    found = difference(stroke.before, book, state.limits)
    differs = (found.missing or found.waiting, found.extra)
    if standing is not None and standing.said and (standing.missing, standing.extra) == differs:
        return None
    if found.agrees:
        return due_not_placed(found.waiting, stroke.began_ns, True) if found.waiting else None
    return worded(found, stroke.began_ns, stroke.picture_before, True)


def due_not_placed(waiting: tuple[Piece, ...], t_ns: int, late: bool) -> Mismatch:
    """Words for pieces that should have been placed before the stroke."""
    says = f"{listed(waiting)} still to be placed"
    if late:
        says = f"played while {listed(waiting)} had not been placed"
    return Mismatch("due_not_placed", t_ns, says, missing=waiting)


def _counted(piece: Piece, seen: int, known: int, late: bool) -> str:
    if late:
        return f"{seen} {piece} lay here when it was struck, the score says {known}"
    if seen == 1:
        return f"{seen} {piece} lies here, the score says {known}"
    return f"{seen} {piece} lie here, the score says {known}"


def worded(found: Difference, t_ns: int, picture: int | None, late: bool) -> Mismatch:
    """Puts a difference into words, with a question where an event could settle it."""
    says = "; ".join(_counted(*one, late) for one in found.counts)
    kind: Kind = "wrong_piece" if found.missing and found.extra else "extra" if found.extra else "missing"
    question = ""
    choices: tuple[Choice, ...] = ()
    if kind == "missing" and len(found.missing) == 1:
        piece, question = found.missing[0], says
        choices = (
            Choice("it fell into a pocket with no stroke", Drop(piece)),
            Choice("it fell in the last stroke: correct the stroke"),
            Choice("it is in somebody's hand and will be put back"),
            Choice("it lies on the board"),
        )
    told = Mismatch(kind, t_ns, says, found.missing, found.extra, question, choices, picture=picture)
    return replace(told, counts=found.counts, late=late)


def listed(pieces: tuple[Piece, ...]) -> str:
    """Writes pieces as words: «white, 2 black»."""
    words = []
    for kind in dict.fromkeys(pieces):
        count = pieces.count(kind)
        words.append(kind if count == 1 else f"{count} {kind}")
    return ", ".join(words)
