"""How a turn is lost, and what becomes of a queen that still waited for her cover. Must not know why it is lost."""

from __future__ import annotations

from controller.events.expectation import ToPlace
from controller.events.ruling import Returned
from controller.rules.draft import Draft
from controller.rules.placing import queen_spot
from controller.rules.play import Play


def lose_turn(play: Play, draft: Draft) -> Play:
    """Passes the turn on. A pending queen whose cover stroke was not made goes back to the centre."""
    if play.turn is None:
        return play
    following = play.next_player(play.turn)
    if play.queen == "pending":
        play = queen_back(play, draft.why("queen_uncovered", play.book.role("queen_back")), draft)
    draft.cite_role("turn_lost")
    return play.but(turn=following, strokes=0, turns=play.turns + 1, tries=0)


def queen_back(play: Play, why: str, draft: Draft) -> Play:
    """Puts a queen that lies in a pocket back on the board."""
    play = play.but(queen="board", queen_side=None, queen_pocket=None, queen_in=True)
    spot = queen_spot(play, play.next_player(play.turn) if play.turn is not None else None)
    draft.returned.append(Returned("queen", None, why, spot))
    draft.cite(why)
    return play.order((ToPlace("queen", why, None, spot),))
