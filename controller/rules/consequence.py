"""What follows when a clause applies by itself, outside the outcome of a stroke: a foul of its own, a warning, a board
or match lost.

Used by calls, flags, timeouts and strokes that do not count. Must not know how the clause came to be applied.
"""

from __future__ import annotations

from controller.events.errors import EventError
from controller.events.match import Call
from controller.events.words import Seat
from controller.rules import progress
from controller.rules.account import NewDue, settle
from controller.rules.book import Clause
from controller.rules.draft import Draft
from controller.rules.leaving import leave_match, other_side
from controller.rules.play import Ended, Play
from controller.rules.turns import lose_turn


def apply_clause(
    play: Play, clause: Clause, player: Seat, draft: Draft, fined: bool = False, game_only: bool = False
) -> Play:
    """Applies a clause's own consequence against a player.

    `fined`: the stroke has cost a due already. `game_only`: a clause that loses the match loses the game alone.
    """
    consequence = clause.consequence
    draft.cite(clause.id)
    if consequence in ("none", "steps", "checklist", "restore"):
        draft.notes.append(clause.then or clause.says)
        return play
    if consequence == "warn" or (consequence == "warn_then_foul" and (play.side(player), clause.id) not in play.warned):
        play = play.but(warned=(*play.warned, (play.side(player), clause.id)))
        draft.notes.append(f"warning: {clause.says}")
        return play
    if consequence == "board_lost":
        return lose_board(play, clause, player, draft)
    if consequence == "draw":
        return draw_board(play, clause.id, draft)
    if consequence == "deduct":
        return deduct(play, player, 1, clause.id, draft)
    if consequence in ("forfeit", "disqualify"):
        draft.foul(clause.id)
        return leave_match(play, player, consequence, clause.id, draft, game_only)
    return own_foul(play, clause, player, draft, fined)


def own_foul(play: Play, clause: Clause, player: Seat, draft: Draft, fined: bool = False) -> Play:
    """A foul of its own: one due, and the turn if that side has it; a technical foul keeps the turn."""
    if clause.id in play.book.off:
        return play
    draft.foul(clause.id)
    if play.phase != "play" or play.turn is None:
        draft.notes.append("the board is over: no due")
        return play
    if play.tie and play.colour(play.side(player)) is None:
        draft.notes.append(f"{play.seat(player)} does not play on this board: no due")
        return play
    by_player = bool(play.book.policy["technical"])
    on_turn = player == play.turn if by_player else play.side(player) == play.side(play.turn)
    if by_player and (not on_turn or play.strokes == 0):
        role, keeps = ("technical" if on_turn else "technical_other"), True
    else:
        role, keeps = "due", not on_turn
    draft.cite_role(role)
    why = play.book.role(role) or play.book.role("due") or clause.id
    if not fined:
        waived = bool(play.book.policy["fines_waived"])
        play = settle(play, (NewDue(play.side(player), 1, why, waived),), draft)
    return play if keeps else lose_turn(play, draft)


def lose_board(play: Play, clause: Clause, player: Seat, draft: Draft) -> Play:
    """The board goes to the other side by the offender's own pieces, and the queen if she is on the board."""
    if play.phase != "play":
        raise EventError(f"{clause.id}: no board is under way")
    draft.foul(clause.id)
    side = play.side(player)
    winner = other_side(play, player)
    colour = play.colour(side)
    own = 0 if colour is None else play.left(colour)
    limit = play.book.policy["queen_from"]
    worth = 0
    if play.queen == "board" and winner is not None and not (limit and play.opened[winner] >= limit):
        worth = int(play.book.policy["queen_points"])
    out_of_turn = clause.id == play.book.role("out_of_turn")
    if out_of_turn and play.book.policy.get("gap_51") == "opponent" and winner is not None:
        theirs = play.colour(winner)
        own = own if theirs is None else play.left(theirs)
    return progress.end_board(play, Ended(winner, own + worth, clause.id), draft)


def draw_board(play: Play, why: str | None, draft: Draft) -> Play:
    """The board ends level by agreement. `why`: the clause that speaks of it, None if none of the book does."""
    if play.phase != "play":
        raise EventError("no board is under way")
    if not play.book.policy["draws"]:
        raise EventError("this book allows no draw (policy draws)")
    if why is None:
        draft.notes.append(progress.AGREED)
    return progress.end_board(play, Ended(None, 0, why, agreed=True), draft)


def deduct(play: Play, player: Seat, points: int, why: str | None, draft: Draft) -> Play:
    """Takes points off a side's score, not below 0."""
    side = play.side(player)
    draft.cite(why)
    left = max(0, play.score[side] - points)
    score = (*play.score[:side], left, *play.score[side + 1 :])
    opened = (*play.opened[:side], max(0, play.opened[side] - points), *play.opened[side + 1 :])
    play = play.but(score=score, opened=opened)
    return progress.judge_again(play, draft)


def act(play: Play, call: Call, clause: Clause | None, player: Seat | None, draft: Draft) -> Play:
    """Applies the action that a call names instead of its clause's own consequence. Raises EventError if it cannot."""
    action = call.action
    named = None if clause is None else clause.id
    if action == "draw":
        return draw_board(play, named or play.book.role("drawn"), draft)
    if player is None:
        raise EventError(f"seat is missing: whom is the {action} against?")
    if action == "warn":
        draft.cite(named)
        draft.notes.append(f"warning: {clause.says}" if clause else "warning")
        return play if clause is None else play.but(warned=(*play.warned, (play.side(player), clause.id)))
    if action == "deduct":
        why = named or _said_by(play, action, draft)
        return deduct(play, player, 1 if call.points is None else call.points, why, draft)
    if action in ("forfeit", "disqualify", "concede"):
        if play.phase == "done":
            raise EventError("the match is over")
        why = named or _said_by(play, action, draft)
        return leave_match(play, player, action, why, draft, of_game(play, call, why))
    if clause is None:
        raise EventError("clause is missing: a foul needs its clause")
    return own_foul(play, clause, player, draft)


def _said_by(play: Play, action: str, draft: Draft) -> str | None:
    """The clause that speaks of an action; None, with a note, where none does: it is the umpire's word."""
    why = play.book.role(action)
    if why is None:
        draft.notes.append(f"{action} {progress.ON_HIS_WORD}")
    return why


def of_game(play: Play, call: Call, why: str | None) -> bool:
    """Says whether a call gives up the game alone: it says so, or the book does of a forfeit."""
    by_book = why is not None and why == play.book.role("forfeit") and play.book.policy.get("forfeits") == "game"
    return call.of == "game" or (call.of is None and by_book)
