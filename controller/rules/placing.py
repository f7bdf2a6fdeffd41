"""Where returned pieces go, as far as the board is known: from the positions at rest to spots in mm.

Without positions after the stroke nothing is known but an empty board, or one whose centre is known to be free.
"""

from __future__ import annotations

from controller.events.words import Seat
from controller.rules.play import Play
from controller.rules.respot import spot_for, spot_touching

Point = tuple[float, float]


def others_at(play: Play, alone: bool = False) -> list[Point] | None:
    """The centres of the pieces at rest, None where nobody knows them. The striker is lifted before pieces go back.

    `alone`: nothing else lies on the board, so nothing can be in the way.
    """
    if play.rest is not None:
        return [(piece.x, piece.y) for piece in play.rest if piece.piece != "striker"]
    return [] if alone else None


def queen_spot(play: Play, following: Seat | None) -> Point | None:
    """Where the queen goes when she goes back alone; `following`: the player who plays next."""
    return spots(play, 1, following, play.white_left + play.black_left == 0)[0]


def spots(play: Play, pieces: int, following: Seat | None, alone: bool = False) -> list[Point | None]:
    """Where so many pieces go in turn: the first to the centre, the others touching it, away from who plays next."""
    others = others_at(play, alone)
    if others is None:
        return [None] * pieces
    board, seat = play.match.board, play.seat(following) or "south"
    found: list[Point | None] = []
    first: Point | None = None
    for _ in range(pieces):
        at = spot_for(board, others, seat) if first is None else spot_touching(board, first, others, seat)
        first = first or at
        others = [*others, at]
        found.append(at)
    return found
