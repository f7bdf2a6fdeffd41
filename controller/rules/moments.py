"""The events that are no stroke and no word about one: drops, timeouts, passes, pauses, claims, seats, next board …

A table of event → function `(play, seq, event, draft, as_played) -> play`; each raises EventError when it cannot
apply. Calls are in `calls`, questions in `questions`, corrections in `history`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from controller.events import match
from controller.events.errors import EventError
from controller.events.match import Drop, Pocketed, Shot
from controller.events.ruling import Returned
from controller.events.words import Seat
from controller.rules import challenges, progress
from controller.rules.account import NewDue, settle
from controller.rules.draft import Draft
from controller.rules.leaving import leave_match
from controller.rules.opening import rotate, take_position
from controller.rules.outcome import apply_outcome
from controller.rules.play import Play, changed
from controller.rules.stroke import make_case
from controller.rules.strokes import resolver
from controller.rules.turns import lose_turn, take_turn


def _under_way(play: Play) -> None:
    if play.phase == "done":
        raise EventError("the match is over")
    if play.phase == "over":
        raise EventError("the board is over")


def _on_turn(play: Play, seat: Seat, what: str, draft: Draft, as_played: bool) -> tuple[Play, Seat]:
    """The state in which a player loses time or passes, and the player: on turn now, or when it came about."""
    _under_way(play)
    if play.paused:
        raise EventError(f"play is stopped: nobody can {what}. Fix: resume first")
    player = play.chairs.get(seat)
    if player is None:
        raise EventError(f"seat: nobody sits at {seat}")
    if as_played and play.side(player) not in play.out:
        play = take_turn(play, player, draft)
    if player != play.turn:
        raise EventError(f"seat: {seat} is not on turn and cannot {what}")
    draft.seat, draft.about_turn = seat, True
    return play, player


def _timeout(play: Play, seq: int, event: match.Timeout, draft: Draft, as_played: bool) -> Play:
    """The stroke clock ran out: by policy the turn passes, a foul, or (icf-50) a foul that is technical at first."""
    play, player = _on_turn(play, event.seat, "run out of time", draft, as_played)
    side, policy = play.side(player), play.book.policy
    missed = play.missed[side] + 1
    play = play.but(missed=changed(play.missed, side, missed))
    clause = play.book.role("missed_turn")
    if policy["missed_limit"] and missed >= policy["missed_limit"] and (out := play.book.role("missed_out")):
        draft.notes.append(f"{missed} turns missed in a row: out")
        return leave_match(play, player, "forfeit", out, draft)
    if clause is not None and policy["missed_turn"] != "passes":
        draft.foul(clause)
        technical = policy["missed_turn"] == "technical" and play.strokes == 0
        role = "technical" if technical else "due"
        draft.cite_role(role)
        due = NewDue(side, 1, play.book.role(role) or clause, bool(policy["fines_waived"]))
        play = settle(play, (due,), draft)
        if technical:
            return play
    else:
        draft.cite(clause)
    return lose_turn(play, draft)


def _pass(play: Play, seq: int, event: match.Pass, draft: Draft, as_played: bool) -> Play:
    """The player on turn passes; after so many passes in a row the board is replayed (icf-137)."""
    play, _ = _on_turn(play, event.seat, "pass", draft, as_played)
    passes = play.passes + 1
    limit = play.book.policy["pass_limit"]
    if limit and passes >= limit and (clause := play.book.role("passes")):
        draft.notes.append(f"{passes} passes in a row: the board is replayed")
        return progress.replay_board(play, draft, clause)
    draft.cite_role("pass")
    return lose_turn(play, draft).but(passes=passes)


_BY_CAUSE = {"tilt": "drop_shaken", "shake": "drop_shaken", "outside": "drop_outside", "vibration": "drop_vibration"}


def _drop(play: Play, seq: int, event: Drop, draft: Draft, as_played: bool) -> Play:
    """A piece fell with no stroke: from the rim it counts, as the book says; otherwise it is put back."""
    _under_way(play)
    lying = {"white": play.white_left, "black": play.black_left, "queen": int(play.queen_in)}
    if lying.get(event.piece, 0) < 1:
        raise EventError(f"piece: no {event.piece} lies on the board")
    draft.about_turn = True
    rule = play.book.policy["rim_drop"]
    disturbed = event.cause in ("vibration", "tilt", "shake", "outside")
    counts = event.on_rim and rule != "never" and (rule == "always" or not disturbed)
    role = "drop_queen" if event.piece == "queen" and "drop_queen" in play.book.roles else "drop"
    if counts and role in play.book.roles and play.book.role(role) is None:
        counts = False
    if not counts:
        why = play.book.role(_BY_CAUSE.get(event.cause, "drop_restored")) or draft.why(
            "drop_restored", play.book.role("jump")
        )
        owner = play.owner(event.piece)
        side = None if owner is None else play.match.sides[owner]
        draft.cite(why)
        draft.returned.append(Returned(event.piece, side, why))
        draft.notes.append("fell with no stroke: put back where it was")
        return play
    draft.cite_role(role)
    assert play.turn is not None
    return _drop_counts(play, event, play.turn, draft)


def _drop_counts(play: Play, event: Drop, player: Seat, draft: Draft) -> Play:
    """It counts as properly pocketed for its owner; the turn stays where it is."""
    seat = play.seat(player)
    shot = Shot(seat=seat or "south", pocketed=(Pocketed(event.piece, event.pocket),))
    case = make_case(play, player, shot, (), False, drop=True)
    outcome = replace(resolver(play.book.resolver).drop(case), keep=True)
    roles = [r for r in ("turn_kept",) if r in play.book.roles]
    cited = list(draft.cites)
    after = apply_outcome(play, case, outcome, player, draft)
    if after.phase == "play":
        kept = {play.book.roles[r] for r in roles} - set(cited) - set(outcome.cites)
        draft.cites = [clause for clause in draft.cites if clause not in kept]
        after = after.but(turn=play.turn, strokes=play.strokes, quiet=play.quiet)
    return after


def _seen(play: Play, seq: int, event: match.Seen, draft: Draft, as_played: bool) -> Play:
    """The camera saw something: a clause may start the board again, block it, or wait for the umpire's word."""
    if play.phase == "done":
        raise EventError("the match is over")
    clauses = play.book.by_seen.get(event.what, ())
    if not clauses:
        draft.notes.append(f"seen: {event.what.replace('_', ' ')}")
    for clause in clauses:
        draft.cite(clause.id)
        if clause.autonomy == "note":
            draft.notes.append(clause.says)
        elif clause.kind == "flag" and clause.autonomy == "confirm" and clause.consequence != "steps":
            draft.foul(clause.id, to_confirm=True)
        elif clause.consequence == "replay_board" and clause.autonomy == "confirm" and play.phase == "play":
            draft.confirm.append(clause.id)
        elif clause.consequence == "replay_board" and play.phase == "play":
            draft.notes.append(clause.then or clause.says)
            play = progress.replay_board(play, draft, clause.id)
        else:
            draft.notes.append(clause.then or clause.says)
            if event.what == "wrong_rack" and clause.id == play.book.role("wrong_rack") and not play.break_done:
                play = play.but(blocked=clause.id)
    return play


def _placed(play: Play, seq: int, event: match.Placed, draft: Draft, as_played: bool) -> Play:
    return play.but(rest=event.pieces, to_place=(), blocked=None)


def _claim(play: Play, seq: int, event: match.Claim, draft: Draft, as_played: bool) -> Play:
    """Points on demand, in full or in part, until the next board opens (icf-87b)."""
    ended = play.ended
    if play.phase == "play" or ended is None:
        raise EventError("points on demand are claimed after a board is over and before the next opens")
    winner = ended.winner
    if event.points > ended.demand or winner is None:
        raise EventError(f"points: {ended.demand} may be claimed, not {event.points}")
    draft.cite_role("claim")
    ended = replace(
        ended,
        points=ended.points + event.points,
        demand=ended.demand - event.points,
        claimed=ended.claimed + event.points,
    )
    score = changed(play.score, winner, play.score[winner] + event.points)
    return progress.judge(play.but(ended=ended, score=score), draft)


def _next_board(play: Play, seq: int, event: match.NextBoard, draft: Draft, as_played: bool) -> Play:
    return progress.open_board(play, draft, event.first)


def _seats(play: Play, seq: int, event: match.Seats, draft: Draft, as_played: bool) -> Play:
    return rotate(play, event.seats)


def _pause(play: Play, seq: int, event: match.Pause, draft: Draft, as_played: bool) -> Play:
    if play.phase == "done":
        raise EventError("the match is over")
    if play.paused:
        raise EventError("play is stopped already")
    return play.but(paused=True)


def _resume(play: Play, seq: int, event: match.Resume, draft: Draft, as_played: bool) -> Play:
    if not play.paused:
        raise EventError("play is not stopped")
    return play.but(paused=False)


def _play(play: Play, seq: int, event: match.Play, draft: Draft, as_played: bool) -> Play:
    """«Play»: ends a trial board, opens the board for its break, lifts a stop."""
    if play.phase == "done":
        raise EventError("the match is over")
    if play.trial_from is not None:
        # forgotten with the trial board: its pieces and scores; not who sits where, what was answered, the round's end
        known = {waiting.ask for waiting in play.asks}
        asks = tuple(waiting for waiting in play.trial_from.asks if waiting.ask in known)
        play = play.trial_from.but(chairs=play.chairs, asks=asks, round_over=play.round_over)
    elif play.phase == "over":
        play = progress.open_board(play, draft)
    draft.cite_role("play_called")
    return play.but(ready=True, blocked=None, paused=False)


def _trial(play: Play, seq: int, event: match.Trial, draft: Draft, as_played: bool) -> Play:
    """A trial board: ruled on as any, not scored, and forgotten with the next «play»."""
    if play.trial_from is None and (play.last is not None or play.phase != "play"):
        raise EventError("a trial board comes before the first stroke of the match")
    before = play.trial_from or play
    return progress.fresh_board(before, before.breaker).but(trial_from=before, chairs=play.chairs)


def _round_over(play: Play, seq: int, event: match.RoundOver, draft: Draft, as_played: bool) -> Play:
    """The round's time is over: the board under way is the last one; between boards the match is decided at once."""
    if play.phase == "done":
        raise EventError("the match is over")
    draft.cite_role("round_over")
    play = play.but(round_over=True)
    if play.phase == "over" and play.ended is not None:
        return progress.judge(play, draft)
    draft.notes.append("the round's time is over: this board is the last")
    return play


def _challenge(play: Play, seq: int, event: match.Challenge, draft: Draft, as_played: bool) -> Play:
    """A side asks for another look. Whether it may is decided once, when it comes: `challenges.admit`."""
    draft.seat = event.seat
    draft.cite_role("appeal")
    return challenges.put(play, seq, event)


def _set(play: Play, seq: int, event: match.SetPosition, draft: Draft, as_played: bool) -> Play:
    """Rescue: play on from here; what the position does not say stays. One that says nothing sets nothing: with it
    stands, in the place of an event that was taken back, that nothing happened.
    """
    if event.position == match.Position():
        return play
    if play.phase != "play":
        ended = play
        play = ended.but(phase="play", ended=None, game_over=False, winner=None, games=ended.won_before)
        play = play.but(given=ended.still_given())
        play = play.but(score=ended.opened, turn=ended.turn or ended.breaker)
    draft.cite_role("override")
    return take_position(play, event.position).but(blocked=None, to_place=(), ordered=(), rest=None)


Moment = Callable[[Play, int, Any, Draft, bool], Play]
MOMENTS: Mapping[type, Moment] = {
    match.Timeout: _timeout,
    match.Pass: _pass,
    match.Drop: _drop,
    match.Seen: _seen,
    match.Placed: _placed,
    match.Claim: _claim,
    match.NextBoard: _next_board,
    match.Seats: _seats,
    match.Pause: _pause,
    match.Resume: _resume,
    match.Play: _play,
    match.Trial: _trial,
    match.RoundOver: _round_over,
    match.Challenge: _challenge,
    match.SetPosition: _set,
}
