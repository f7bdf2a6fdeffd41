"""How a match goes on: a board ends, scores count, games and the match are won, the next board opens.

Must not know strokes. Break order: it alternates board by board, except after a drawn board that is replayed; each
game is begun by the player after the one who began the game before (law 49).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from controller.events.errors import EventError
from controller.events.words import Piece, Seat
from controller.rules.draft import Draft
from controller.rules.play import Ended, Play, changed
from controller.rules.questions import HOLD_NOTHING_UP

ON_HIS_WORD = "on the umpire's word: no clause of this book speaks of it"
AGREED = f"drawn by agreement, {ON_HIS_WORD}"
"""The notes on what the umpire says and on a draw for which the book has no clause."""


def end_board(play: Play, ended: Ended, draft: Draft) -> Play:
    """Ends the board: points to the winner, then game and match if they are decided. Nothing is placed; debts lapse."""
    draft.cite(ended.why)
    if any(play.owed):
        draft.cite_role("lapsed")
    # the turn is over with the board: whoever is on turn in it again, if it is opened again, has his own strokes
    play = play.nothing_to_place().but(phase="over", owed=(0,) * len(play.owed), strokes=0, tries=0)
    if play.trial_from is not None:
        play = play.but(ended=replace(ended, points=0, demand=0))
        draft.notes.append("trial board: not scored")
        return play.but(turn=_next_breaker(play))
    if play.book.hands == "pocketed":
        return _end_of_pieces(play, ended, draft)
    winner, points = ended.winner, ended.points
    cap = play.book.policy["board_cap"]
    if cap:
        demand = max(0, min(ended.demand, cap - min(points, cap)))
        if points > cap or demand < ended.demand:
            draft.cite_role("lapsed")
        points, ended = min(points, cap), replace(ended, demand=demand)
    if play.book.game == "board":
        points = 0
    ended = replace(ended, points=points)
    score = play.score
    if winner is not None:
        gain = 1 if play.book.game == "board" else points
        score = changed(score, winner, score[winner] + gain)
    return judge(play.but(ended=ended, score=score), draft)


def _end_of_pieces(play: Play, ended: Ended, draft: Draft) -> Play:
    """Family and point: the points are on the score already; whoever has most wins, or a tie-break board decides."""
    if ended.agreed:
        # a draw by agreement is nobody's, whoever leads; there is one board, so the match ends with it
        return win_game(play.but(ended=replace(ended, points=0)), None, draft)
    if ended.winner is None:
        still_in = [side for side in range(len(play.score)) if side not in play.out]
        best = max(play.score[side] for side in still_in)
        leaders = [side for side in still_in if play.score[side] == best]
        if len(leaders) == 1:
            ended = replace(ended, winner=leaders[0])
        else:
            tied = _one_a_side(play, leaders)
            draft.cite_role("tie_break")
            decides = play.book.role("tie_break") is not None
            ended = replace(ended, tied=tied if decides else ())
    elif play.waiting:
        sides = [ended.winner, *map(play.side, play.waiting)]
        ended = replace(ended, winner=None, tied=_one_a_side(play, sides))
    play = play.but(ended=replace(ended, points=0))
    if ended.tied:
        # the first of them chooses the colour, the other breaks (world-24)
        return play.but(turn=ended.tied[1])
    return win_game(play, ended.winner, draft)


def _one_a_side(play: Play, sides: Sequence[int]) -> tuple[Seat, ...]:
    """One player of each of the sides, in turn order from the match's first breaker."""
    order = [play.game_breaker]
    everybody = play.but(tie={})
    while (following := everybody.next_player(order[-1])) not in order:
        order.append(following)
    found: dict[int, Seat] = {}
    for player in order:
        if play.side(player) in sides:
            found.setdefault(play.side(player), player)
    return tuple(found.values())


def judge_again(play: Play, draft: Draft) -> Play:
    """Says anew whether game and match are decided when the score of a finished board was set right."""
    if play.ended is None or play.ended.given or play.book.hands != "colour":
        return play
    return judge(play, draft)


def judge(play: Play, draft: Draft) -> Play:
    """Says after a finished board (or a claim, or a deduction) whether game and match are decided."""
    play = play.but(phase="over", game_over=False, winner=None, games=play.won_before)
    policy = play.book.policy
    best = max(play.score)
    leader = play.score.index(best) if play.score.count(best) == 1 else None
    if play.book.game == "board":
        winner = play.ended.winner if play.ended else None
        if winner is not None:
            return win_game(play, winner, draft)
        if play.ended is not None and play.ended.agreed and policy["games"] == 1:
            # the match is this one board, and nobody's
            return win_game(play, None, draft)
        return play.but(turn=_next_breaker(play))
    enough = policy["points"] and best >= policy["points"]
    # Where boards are turns, everybody has had as many before one is decided.
    even = not policy.get("board_turns") or play.board % len(play.score) == 0
    full = policy["boards"] and play.board >= policy["boards"] and even
    if not (enough or full or play.round_over):
        return play.but(turn=_next_breaker(play))
    if leader is None:
        draft.cite_role("extra_board")
        draft.notes.append("level: one more board, a toss for the break only")
        return play.but(turn=_next_breaker(play))
    draft.cite_role("game_won")
    return win_game(play, leader, draft)


def win_game(play: Play, side: int | None, draft: Draft) -> Play:
    """Ends the game for a side (nobody where None), and the match if that decides it."""
    play = play.but(game_over=True)
    if side is None:
        return play.but(phase="done", turn=None)
    games = changed(play.won_before, side, play.won_before[side] + 1)
    play = play.but(games=games)
    if games[side] * 2 > play.book.policy["games"] or play.round_over:
        draft.cite_role("match_won")
        return play.but(phase="done", winner=side, turn=None)
    return play.but(turn=play.next_player(play.game_breaker))


def _next_breaker(play: Play) -> Seat:
    if play.ended is not None and play.ended.replay:
        return play.breaker
    return play.next_player(play.breaker)


def win_match(play: Play, side: int | None, why: str | None, draft: Draft, game_only: bool = False) -> Play:
    """Ends the match (or only the game) for a side without playing the board out: forfeit, disqualification."""
    draft.cite(why)
    finished = play.game_over
    play = play.nothing_to_place().but(
        phase="over",
        ended=replace(play.ended or Ended(side, 0, why), given=True, demand=0),
        owed=(0,) * len(play.owed),
        paused=False,
        strokes=0,
        tries=0,
    )
    if play.trial_from is not None:
        play = play.trial_from.but(phase="over", ended=Ended(side, 0, why, given=True), out=play.out)
    if game_only:
        if finished:
            raise EventError("the game is over; the next one has not begun")
        return win_game(play.but(games=play.won_before), side, draft)
    games = play.games if finished else play.won_before
    if side is not None and not finished:
        games = changed(games, side, games[side] + 1)
    if side is not None and play.book.game == "board" and play.book.hands == "colour":
        play = play.but(score=changed(play.opened, side, play.opened[side] + 1))
    return play.but(phase="done", game_over=True, games=games, winner=side, turn=None)


def open_board(play: Play, draft: Draft, first: Seat | None = None) -> Play:
    """Opens the next board, with the next game if one is over. `first`: the physical seat that won the toss.

    Raises EventError if the board is not over, the match is, or questions about it are still open.
    """
    if play.phase == "done":
        raise EventError("the match is over")
    if play.phase != "over" or play.ended is None:
        raise EventError("the board is not over")
    waiting = [one.ask for one in play.asks if one.about not in HOLD_NOTHING_UP]
    if waiting:
        raise EventError(f"a board's end needs all answers: question {waiting[0]} is open")
    if play.ended.tied:
        _, second, *rest = play.ended.tied
        opened = fresh_board(play.but(board=play.board + 1), second)
        # set up without the queen: she stays with the side that has covered her
        tie = dict(play.ended.colours)
        return opened.but(tie=tie, waiting=tuple(rest), queen="covered", queen_side=play.queen_side, queen_in=False)
    breaker = _next_breaker(play)
    if play.game_over:
        breaker = play.next_player(play.game_breaker)
        play = play.but(
            game=play.game + 1, board=0, game_breaker=breaker, score=(0,) * len(play.score), game_over=False
        )
    if first is not None:
        if first not in play.chairs:
            raise EventError(f"first: nobody sits at {first}")
        breaker = play.chairs[first]
        if play.board == 0:
            play = play.but(game_breaker=breaker)
    draft.cite_role("next_board" if len(play.chairs) == 2 else "next_board_teams", "white_breaks", "other_colour")
    number = play.board if play.trial_from is not None else play.board + 1
    return fresh_board(play.but(board=number), breaker)


def fresh_board(play: Play, breaker: Seat) -> Play:
    """Returns the state at a board's start: all pieces on the board, the breaker on turn. Scores stay."""
    pieces = play.book.pieces
    sides = len(play.score)
    if play.side(breaker) in play.out:
        breaker = play.next_player(breaker)
    nobody: tuple[tuple[Piece, ...], ...] = ((),) * sides
    return play.but(
        phase="play",
        turn=breaker,
        breaker=breaker,
        white=play.side(breaker) if play.book.colours == "breaker white" else None,
        white_left=pieces["white"],
        black_left=pieces["black"],
        queen="board",
        queen_in=bool(pieces["queen"]),
        queen_side=None,
        queen_pocket=None,
        owed=(0,) * sides,
        hands=nobody,
        had=(False,) * sides,
        robbed=(0,) * sides,
        opened=play.score,
        won_before=play.games,
        break_done=False,
        tries=0,
        strokes=0,
        turns=1,
        quiet=0,
        passes=0,
        ended=None,
        game_over=False,
        ready=False,
        blocked=None,
        rest=None,
        to_place=(),
        ordered=(),
        # what was seen on the board before is of no account on this one
        asks=tuple(one for one in play.asks if one.about != "seen"),
        rack=play.rack + 1,
        tie={},
        waiting=(),
    )


def replay_board(play: Play, draft: Draft, clause: str | None, number: int | None = None) -> Play:
    """Starts the board again with the same break; what it has scored so far is taken back.

    `number`: the board on the table, where the stroke that was taken back had opened it by itself.
    """
    if play.phase == "over" and number is not None and number != play.board:
        play = open_board(play, Draft(play.book))
    draft.cite(clause or play.book.role("replay_board"))
    play = play.but(score=play.opened, games=play.won_before, winner=None, given=play.still_given())
    return fresh_board(play, play.breaker)
