"""Board against book: which pieces are missing or too many, in words for the umpire. Must not rule on anything."""

from __future__ import annotations

from dataclasses import dataclass

from controller.events.expectation import Expectation
from controller.events.match import Drop
from controller.events.observation import BoardSeen, StrokeSeen
from controller.events.words import Piece
from controller.shots.limits import Limits
from controller.shots.odds import count_of, counts_of, minus, pieces_of
from controller.shots.outputs import Choice, Mismatch
from controller.shots.prior_counts import book_counts
from controller.shots.state import ShotState


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs: pieces that should lie there and do not, and the other way round. `waiting`: not yet placed."""

    missing: tuple[Piece, ...] = ()
    extra: tuple[Piece, ...] = ()
    waiting: tuple[Piece, ...] = ()

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
    return Difference(missing, extra, pieces_of(minus(full, nearest)))


def difference_at_stroke(state: ShotState, stroke: StrokeSeen) -> Mismatch | None:
    """Returns what was wrong with the board when it was struck, if it has not been reported yet."""
    expectation = state.expectation
    if expectation is None or not expectation.play or expectation.opening:
        return None
    found = difference(stroke.before, expectation, state.limits)
    standing = state.standing
    if (
        standing is not None
        and standing.said
        and (standing.missing, standing.extra)
        == (
            found.missing or found.waiting,
            found.extra,
        )
    ):
        return None
    if found.waiting and found.agrees:
        return due_not_placed(found.waiting, stroke.began_ns, True)
    if found.agrees:
        return None
    return worded(found, stroke.began_ns, stroke.picture_before, True)


def due_not_placed(waiting: tuple[Piece, ...], t_ns: int, late: bool) -> Mismatch:
    """Words for pieces that should have been placed before the stroke."""
    says = f"{listed(waiting)} still to be placed"
    if late:
        says = f"played while {listed(waiting)} had not been placed"
    return Mismatch("due_not_placed", t_ns, says, missing=waiting, late=late)


def worded(found: Difference, t_ns: int, picture: int | None, late: bool) -> Mismatch:
    """Puts a difference into words, with a question where an event could settle it."""
    when = "when it was struck" if late else "now"
    if found.missing and found.extra:
        says = f"{listed(found.missing)} should lie on the board {when}, {listed(found.extra)} should not"
        return Mismatch("wrong_piece", t_ns, says, found.missing, found.extra, late=late, picture=picture)
    if found.extra:
        says = f"more lies on the board {when} than the book knows: {listed(found.extra)}"
        return Mismatch("extra", t_ns, says, (), found.extra, late=late, picture=picture)
    says = f"missing from the board {when}: {listed(found.missing)}"
    question = ""
    choices: tuple[Choice, ...] = ()
    if len(found.missing) == 1:
        piece = found.missing[0]
        question = f"Where is the {piece} piece that is missing?"
        choices = (
            Choice("it fell into a pocket with no stroke", Drop(piece)),
            Choice("it fell in the last stroke: correct the stroke"),
            Choice("it is in somebody's hand and will be put back"),
            Choice("it lies on the board"),
        )
    return Mismatch("missing", t_ns, says, found.missing, (), question, choices, late, False, picture)


def listed(pieces: tuple[Piece, ...]) -> str:
    """Writes pieces as words: «white, 2 black»."""
    words = []
    for kind in dict.fromkeys(pieces):
        count = pieces.count(kind)
        words.append(kind if count == 1 else f"{count} {kind}")
    return ", ".join(words)
