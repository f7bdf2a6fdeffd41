"""The dues: who owes what, what is paid now, and which pieces lie on the board again for it.

Old debts are paid first, out of whatever a side has in hand; what cannot be paid stays owed, or is forgotten where the
book waives fines. Must not know why anybody owes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from calibration.board import Board
from controller.events.expectation import ToPlace
from controller.events.ruling import Due, Within
from controller.events.words import Piece
from controller.rules.draft import Draft
from controller.rules.play import Play, changed


def ring_of(board: Board) -> Within:
    """Where dues are placed: inside the outer circle, not on the centre circle (laws 84a, 89b)."""
    return Within((0.0, 0.0), board.centre_circle_diameter_mm / 2, board.outer_circle_diameter_mm / 2)


@dataclass(frozen=True, slots=True)
class NewDue:
    """Pieces that a side owes from now on; `waived`: only what it has in hand."""

    side: int
    pieces: int
    why: str
    waived: bool = False


def settle(play: Play, new: Sequence[NewDue], draft: Draft) -> Play:
    """Pays old debts, then the new dues, as far as the hands reach; the rest is put on the account."""
    play = with_had(play)
    if any(play.owed):
        for side, owed in enumerate(play.owed):
            payable = min(owed, play.hand(side))
            if payable and not ("paid" in play.book.roles and play.book.role("paid") is None):
                why = draft.why("paid", play.book.role("owed") or play.book.role("due"))
                play = _pay(play, side, payable, draft)
                play = play.but(owed=changed(play.owed, side, owed - payable))
                draft.dues.append(Due(play.match.sides[side], payable, 0, why, ring_of(play.match.board)))
                draft.cite(why)
    for due in new:
        if due.pieces <= 0 or due.why in play.book.off:
            continue
        paid = min(due.pieces, play.hand(due.side))
        rest = 0 if due.waived else due.pieces - paid
        if paid:
            play = _pay(play, due.side, paid, draft)
        if rest:
            play = play.but(owed=changed(play.owed, due.side, play.owed[due.side] + rest))
            draft.cite_role("owed")
        draft.cite(due.why)
        if paid or rest:
            draft.dues.append(
                Due(play.match.sides[due.side], paid, rest, due.why, ring_of(play.match.board) if paid else None)
            )
        else:
            draft.notes.append("nothing in hand: the fine is waived")
    if sum(owed > 0 for owed in play.owed) > 1:
        draft.cite_role("both_owe")
    return play


def with_had(play: Play) -> Play:
    """Notes which sides have something in hand: they had, however the hand is emptied later (icf-95c)."""
    if all(had or not play.hand(side) for side, had in enumerate(play.had)):
        return play
    return play.but(had=tuple(had or play.hand(side) > 0 for side, had in enumerate(play.had)))


def _pay(play: Play, side: int, pieces: int, draft: Draft) -> Play:
    """Takes pieces from a side's hand and puts them on the list of what has to be placed."""
    if not play.by_colour:
        return _pay_pocketed(play, side, pieces, draft)
    colour = play.colour(side)
    assert colour is not None
    play = _with_back(play, colour, pieces)
    return play.order(_placing(play, side, colour, pieces))


def _pay_pocketed(play: Play, side: int, pieces: int, draft: Draft) -> Play:
    """The piece pocketed last goes back, and its points go with it."""
    for _ in range(pieces):
        hand = play.hands[side]
        at = max(i for i, piece in enumerate(hand) if piece != "queen")
        piece = hand[at]
        worth = int(play.book.policy[f"worth_{piece}"])
        play = _with_back(play, piece, 1)
        play = play.but(
            hands=changed(play.hands, side, hand[:at] + hand[at + 1 :]),
            score=changed(play.score, side, max(0, play.score[side] - worth)),
        ).order(_placing(play, side, piece, 1))
        draft.notes.append(f"the due is a {piece} piece")
    return play


def _with_back(play: Play, piece: Piece, pieces: int) -> Play:
    if piece == "white":
        return play.but(white_left=play.white_left + pieces)
    return play.but(black_left=play.black_left + pieces)


def _placing(play: Play, side: int, piece: Piece, pieces: int) -> tuple[ToPlace, ...]:
    """What has to be placed: in icf by the player to the right of the one on turn, else by an opponent."""
    turn = play.turn
    placer = None
    if turn is not None:
        player = turn if play.side(turn) != side else play.next_player(turn)
        placer = play.seat(player)
    within = ring_of(play.match.board)
    ring = (within.centre, within.inner_mm, within.outer_mm)
    return (ToPlace(piece, "due", placer, None, ring, play.match.sides[side]),) * pieces
