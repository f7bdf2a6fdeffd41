"""A side leaves the match: forfeit, disqualification. Of two the other one wins; of three or four the others play on.

Must not know which clause or action it was.
"""

from __future__ import annotations

from dataclasses import replace

from controller.events.ruling import Given
from controller.events.words import GivenHow, Seat
from controller.rules import progress
from controller.rules.draft import Draft
from controller.rules.play import Ended, Play, changed
from controller.rules.turns import lose_turn


def leave_match(
    play: Play, player: Seat, how: GivenHow, why: str | None, draft: Draft, game_only: bool = False
) -> Play:
    """A side forfeits, is disqualified or concedes: the other one wins; among three or four the others play on."""
    side = play.side(player)
    # Between two games the next one is not played.
    game = play.game + 1 if play.game_over else play.game
    given = (*play.given, Given(play.match.sides[side], how, "game" if game_only else "match", game, why))
    play = play.but(given=given, trial_from=play.trial_from and play.trial_from.but(given=given))
    if len(play.match.sides) - len(play.out) > 2:
        return _take_out(play, side, why, draft)
    winner = other_side(play, player)
    if len(play.match.sides) > 2:
        play = play.but(out=(*play.out, side))
    return progress.win_match(play, winner, why, draft, game_only=game_only)


def other_side(play: Play, player: Seat) -> int | None:
    """The side that wins when a player's side is out: the other one, or of several the one that leads."""
    side = play.side(player)
    playing = {play.side(one) for one in play.tie} or set(range(len(play.match.sides)))
    others = [i for i in sorted(playing) if i != side and i not in play.out]
    best = max(play.score[i] for i in others)
    leaders = [i for i in others if play.score[i] == best]
    return leaders[0] if len(leaders) == 1 or len(others) == 1 else None


def _take_out(play: Play, side: int, why: str | None, draft: Draft) -> Play:
    """A side of more than two leaves the match; the others play on, and it stands last in the ranking."""
    draft.cite(why)
    draft.notes.append(f"{play.match.sides[side]} is out: the others play on")
    if play.trial_from is not None:
        play = play.but(trial_from=_passed_on(_out(play.trial_from, side), draft))
    play = _out(play, side)
    if play.phase == "over":
        return _out_between_boards(play, side, draft)
    if any(play.side(player) == side for player in play.tie):
        winner = next(play.side(player) for player in play.tie if play.side(player) != side)
        return progress.end_board(play, Ended(winner, 0, why), draft)
    return _passed_on(play, draft)


def _out(play: Play, side: int) -> Play:
    waiting = tuple(player for player in play.waiting if play.side(player) != side)
    return play.but(out=(*play.out, side), owed=changed(play.owed, side, 0), waiting=waiting)


def _passed_on(play: Play, draft: Draft) -> Play:
    """The turn of a side that is out passes on; her pending queen goes back."""
    if play.turn is None or play.side(play.turn) not in play.out:
        return play
    return lose_turn(play, draft)


def _out_between_boards(play: Play, side: int, draft: Draft) -> Play:
    """A side leaves before a tie-break board: without it the tie may be decided, or others play it."""
    ended = play.ended
    if ended is None or all(play.side(player) != side for player in ended.tied):
        return play.but(turn=play.next_player(play.breaker)) if play.trial_from is not None else play
    tied = tuple(player for player in ended.tied if play.side(player) != side)
    play = play.but(asks=tuple(one for one in play.asks if one.about != "colour"))
    if len(tied) > 1:
        return play.but(ended=replace(ended, tied=tied, colours=()), turn=tied[1])
    winner = play.side(tied[0])
    return progress.win_game(play.but(ended=replace(ended, tied=(), colours=(), winner=winner)), winner, draft)
