"""What may have lain on the board: what was seen, and what the book has, where they differ.

Must not know what moved since, nor what became of it.
"""

from __future__ import annotations

from calibration.board import Board
from controller.events.expectation import Expectation
from controller.events.observation import BoardSeen
from controller.shots.limits import Limits
from controller.shots.odds import Count, count_of, counts_of, minus
from controller.shots.opening import lies_in_pack


def book_counts(expectation: Expectation | None) -> list[Count]:
    """Returns the counts that may rightly lie on the board now: with all, some or none of what waits to be placed."""
    if expectation is None:
        return []
    counts = [count_of(expectation.on_board)]
    for waiting in expectation.to_place:
        one = count_of(((waiting.piece, 1),))
        counts += [minus(count, one) for count in counts]
    return list(dict.fromkeys(count for count in counts if min(count) >= 0))


_BOOK_AGAINST_MORE = 0.95
_BOOK_AGAINST_OTHERS = 0.98
_BOOK_AGAINST_FEWER = 0.5
_BOOK_OF_A_PACK = 0.9999
"""How far the book is believed where vision confidently sees a piece too many, one of another class, or one too few.

What lay wrong was reported at a rest; vision errs more often than that is missed. But a piece that is not seen may have
been taken, or have fallen without a beam interruption. In a complete pack vision may take gaps for pieces, as in the
short one of sixes.
"""
_PLACED_UNSEEN = 0.5
"""What waits to be placed, and is not seen to lie there, does so as often as it was not placed: players seldom forget
it, and a queen on her own painted circle is easily missed."""


def prior_counts(
    board: BoardSeen, expectation: Expectation | None, limits: Limits, size: Board, *, appeared: bool = False
) -> tuple[tuple[Count, float], ...]:
    """Returns what may have lain on the board, with weights. `appeared`: something set out from where nothing was seen.

    The book's count, if detections allow it. Where the two differ both are kept: vision may have missed or invented a
    piece, or taken one for another, or somebody may have put one there or taken one away.
    """
    seen = counts_of(board.pieces, limits.class_floor)
    best_seen = max(seen, key=lambda count: (seen[count], count))
    book = book_counts(expectation)
    if not book:
        return ((best_seen, 1.0),)
    best = max(book, key=lambda count: (seen.get(count, 0.0), -sum(map(abs, minus(count, best_seen))), count))
    if seen.get(best, 0.0) > 1e-3:
        placed = [count for count in book if sum(count) == sum(best) + 1 and min(minus(count, best)) >= 0]
        if not (appeared and placed):
            return ((best, 1.0),)
        return ((best, 1.0 - _PLACED_UNSEEN), *((count, _PLACED_UNSEEN / len(placed)) for count in placed))
    if board.hidden or board.hands:
        short = [count for count in book if min(minus(count, best_seen)) >= 0]
        if short:
            return ((min(short, key=lambda count: sum(minus(count, best_seen))), 1.0),)
    more = sum(best_seen) - sum(best)
    trust = _BOOK_AGAINST_OTHERS if not more else _BOOK_AGAINST_MORE if more > 0 else _BOOK_AGAINST_FEWER
    if more > 0 and expectation is not None and expectation.opening and _one_pack(board, best_seen, best, size):
        trust = _BOOK_OF_A_PACK
    return ((best, trust), (best_seen, 1 - trust))


def _one_pack(board: BoardSeen, seen: Count, book: Count, size: Board) -> bool:
    """Says whether all of the book's pieces lie in the opening arrangement, and nothing beside it."""
    return min(minus(seen, book)) >= 0 and all(lies_in_pack(piece, size) for piece in board.coins)
