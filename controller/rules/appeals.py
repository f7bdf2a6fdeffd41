"""Words about an earlier ruling: calls about a stroke, confirmations, appeals waved away, answers to questions.

Each is a correction underneath: the stroke is ruled on again with the call or answer, and so is what followed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from controller.events.errors import EventError
from controller.events.match import FACTS, Answer, Call, Shot, Void
from controller.events.ruling import Question
from controller.events.words import Seat
from controller.rules.chain import amend, cited, echo, entry_at, find
from controller.rules.draft import NO_LONGER
from controller.rules.entry import Amend, Entry
from controller.rules.play import Play
from controller.rules.questions import COUNTS, NONE, PLAY_ON, REPLAY, not_open
from controller.rules.retraction import void, void_from
from controller.rules.ruled import OWN_ANSWERS, Books, said_by


def call(last: Entry, seq: int, said: Call, books: Books) -> Entry | None:
    """A call that concerns an earlier stroke; None if it stands by itself."""
    play = last.after
    if said.clause is None or said.action not in (None, "foul", "wave_off"):
        return None
    clause = play.book.find(said.clause)
    player: Seat | None = None
    if said.seat is not None:
        player = play.chairs.get(said.seat)
        if player is None:
            raise EventError(f"seat: nobody sits at {said.seat}")
    raised = _raised(play, clause.id, player)
    if said.action == "wave_off":
        if raised is not None:
            return _decide(last, seq, said, raised, "waive", books)
        return _take_back(last, seq, said, clause.id, player, books)
    if clause.consequence in ("replay_stroke", "replay_board") and said.action is None:
        return void(last, seq, Void(said.clause), books, said)
    latest = None if clause.consequence in ("none", "warn", "warn_then_foul") else play.last
    late = play.book.role("stale_call") if clause.about_stroke else None
    if raised is not None and (late is None or latest is None or raised.seq >= latest[0]):
        return _decide(last, seq, said, raised, "foul" if said.action == "foul" else "confirm", books)
    if not clause.about_stroke or latest is None:
        return None
    if player is None:
        raise EventError("seat is missing: whom is the call against?")
    if latest[1] == player:
        target = find(last, latest[0])
        chain = amend(last, target, (Amend(seq, "foul" if said.action == "foul" else "confirm", clause.id),), books)
        # by the book's clause that takes a call about a stroke until the next one
        return cited(echo(seq, said, last, chain, entry_at(chain, latest[0]), seat=said.seat), "appeal")
    if late is not None:
        raise EventError(f"{clause.id} is about a stroke, and another has been played since ({late})")
    return None


def _take_back(last: Entry, seq: int, said: Call, clause: str, player: Seat | None, books: Books) -> Entry | None:
    """Waves away a foul that the latest stroke was ruled with; None if it was not."""
    latest = last.after.last
    if latest is None or player not in (None, latest[1]):
        return None
    target = find(last, latest[0])
    if all(foul.clause != clause for foul in target.ruling.fouls):
        return None
    chain = amend(last, target, (Amend(seq, "waive", clause),), books)
    return echo(seq, said, last, chain, entry_at(chain, latest[0]), seat=said.seat)


def _raised(play: Play, clause: str, player: Seat | None) -> Question | None:
    """The open question whether a clause was broken, the latest one about that player."""
    for waiting in reversed(play.asks):
        about_him = player is None or waiting.seat in (None, player)
        if about_him and waiting.about in ("foul", "seen") and waiting.key == clause:
            return waiting
    return None


def _decide(last: Entry, seq: int, event: Call | Answer, raised: Question, kind: Any, books: Books) -> Entry | None:
    """Confirms or waives what was raised; what no stroke raised (a shaken board) is a call of its own."""
    target = find(last, raised.seq)
    if kind != "waive" and not isinstance(target.event, Shot):
        return None
    chain = amend(last, target, (Amend(seq, kind, raised.key),), books)
    shown = entry_at(chain, raised.seq)
    entry = echo(seq, event, last, chain, shown, seat=event.seat)
    if kind == "waive":
        ruling = entry.ruling
        cites = tuple(dict.fromkeys([*ruling.cites, raised.key]))
        entry = replace(entry, ruling=replace(ruling, cites=cites))
    return entry


_YES = ("foul", "confirm", "confirmed", "yes", True)
NO_FOUL = "no foul"
"""The answer that waves a raised foul away."""
_NO = (NO_FOUL, "wave_off", "no", False, NONE)


def answer(last: Entry, seq: int, given: Answer, books: Books) -> Entry | None:
    """The answer to an open question: a correction underneath the ruling that asked it."""
    play = last.after
    waiting = next((one for one in play.asks if str(one.ask) == str(given.ask)), None)
    if waiting is None:
        raise not_open(given.ask)
    if waiting.about in OWN_ANSWERS:
        return None
    choice = _checked(waiting, given.choice)
    if given.seat is not None and play.book.policy["officiating"] == "players":
        agreed = _agreed(play, waiting, given.seat, choice)
        if agreed is None:
            return None
        choice = agreed
    if choice == REPLAY:
        return void_from(last, seq, given, find(last, waiting.seq), None, books)
    if waiting.about == "foul":
        if choice == _YES[0]:
            decided = _decide(last, seq, given, waiting, "confirm", books)
            if decided is None:
                raise EventError(f"choice: whom is {waiting.key} against? Call it with its seat")
            return decided
        return _decide(last, seq, given, waiting, "waive", books)
    if waiting.about == "put back":
        return _decide(last, seq, given, waiting, "counts" if choice == COUNTS else "stays", books)
    if waiting.about == "seen" and choice == PLAY_ON:
        return _decide(last, seq, given, waiting, "waive", books)
    target = find(last, waiting.seq)
    if waiting.about == "seen":
        return void_from(last, seq, given, target, play.book.clauses[waiting.key], books)
    chain = amend(last, target, (Amend(seq, "answer", (waiting.key, choice)),), books)
    shown = entry_at(chain, waiting.seq)
    why = () if shown is None else (note for note in shown.ruling.notes if note.startswith(NO_LONGER))
    for note in why:
        raise EventError(f"choice: {given.choice!r} cannot be: {note.partition(': ')[2]}")
    return echo(seq, given, last, chain, shown)


def _checked(waiting: Question, choice: Any) -> Any:
    """Returns the choice as the question words it. Raises EventError for one that it does not offer."""
    if waiting.about == "foul":
        if any(choice is one or choice == one for one in (*_YES, waiting.key)):
            return _YES[0]
        if any(choice is one or choice == one for one in _NO):
            return _NO[0]
    for one in waiting.choices:
        if type(one) is type(choice) and one == choice:
            return one
    raise EventError(f"choice must be one of {', '.join(map(str, waiting.choices))}, not {choice!r}")


def _agreed(play: Play, waiting: Question, seat: Seat, choice: Any) -> Any:
    """Where the players officiate: the common answer, or, without agreement, what the book takes as legal.

    None while a side has not answered yet.
    """
    said = said_by(play, waiting, seat, choice)
    if len(said) < len(play.match.sides) - len(play.out):
        return None
    answers = [_checked(waiting, answer) for _, answer in said]
    if all(answer == answers[0] for answer in answers):
        return answers[0]
    in_order = FACTS[waiting.key].in_order if waiting.key in FACTS else "no foul"
    return in_order if in_order in waiting.choices else waiting.choices[0]
