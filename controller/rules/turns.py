"""How a turn passes on, and what becomes of a queen that still waited for her cover. Must not know why it does."""

from __future__ import annotations

from controller.events.expectation import ToPlace
from controller.events.ruling import Returned
from controller.events.words import Seat
from controller.rules import progress
from controller.rules.draft import Draft
from controller.rules.placing import queen_spot
from controller.rules.play import Ended, Play


def begin_turn(play: Play, player: Seat) -> Play:
    """Begins a player's turn: strokes and tries to break of the turn before were another's."""
    return play.but(turn=player, strokes=0, tries=0, turns=play.turns + 1)


def give_turn(play: Play, player: Seat) -> Play:
    """Gives the turn to a player; one who has it goes on with it."""
    return play if player == play.turn else begin_turn(play, player)


def lose_turn(play: Play, draft: Draft) -> Play:
    """Passes the turn on. A pending queen whose cover stroke was not made goes back to the centre. Where a board has so
    many turns and no more, it is over."""
    if play.turn is None:
        return play
    limit = play.book.policy.get("board_turns", 0)
    if limit and play.turns >= limit:
        return progress.end_board(play, Ended(None, 0, play.book.role("turn_lost")), draft)
    following = play.next_player(play.turn)
    play = _uncovered(play, draft)
    draft.cite_role("turn_lost")
    return begin_turn(play, following)


def take_turn(play: Play, player: Seat, draft: Draft) -> Play:
    """Puts a player on turn who was on turn when he played, whoever the state now says (a ruling made again)."""
    draft.turn = player
    if player == play.turn:
        return play
    if play.queen_side != play.side(player):
        play = _uncovered(play, draft)
    return begin_turn(play, player)


def _uncovered(play: Play, draft: Draft) -> Play:
    if play.queen != "pending":
        return play
    return queen_back(play, draft.why("queen_uncovered", play.book.role("queen_back")), draft)


def queen_back(play: Play, why: str, draft: Draft) -> Play:
    """Puts a queen that lies in a pocket back on the board."""
    play = play.but(queen="board", queen_side=None, queen_pocket=None, queen_in=True)
    spot = queen_spot(play, play.next_player(play.turn) if play.turn is not None else None)
    draft.returned.append(Returned("queen", None, why, spot))
    draft.cite(why)
    return play.order((ToPlace("queen", why, None, spot),))
