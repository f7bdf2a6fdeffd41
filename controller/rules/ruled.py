"""Rules on one event at the end of a chain: the one place where event kinds meet their functions.

`rule_entry` is used both for new events and when a correction re-rules old ones. Must not know chains beyond the entry
before; events that act on earlier entries are in `history`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from controller.events.errors import EventError
from controller.events.match import Answer, Call, Drop, Event, Shot, Start
from controller.events.ruling import Question
from controller.events.words import Seat
from controller.rules import consequence
from controller.rules.account import with_had
from controller.rules.book import Book, Clause
from controller.rules.consequence import apply_clause
from controller.rules.contradiction import open_facts
from controller.rules.draft import Draft, finish
from controller.rules.entry import Amend, Entry, Played, with_reason
from controller.rules.moments import MOMENTS
from controller.rules.opening import begin_match
from controller.rules.override import override_play
from controller.rules.play import Play
from controller.rules.questions import (
    COUNTS,
    NONE,
    PLAY_ON,
    REPLAY,
    SET_UP_ANEW,
    STAYS_VOID,
    Uncertain,
    ask,
    is_uncertain,
    not_open,
    question_about,
    refuse_unreadable,
    rule_readings,
    with_facts,
)
from controller.rules.stroke import NOTHING_SAID, Words, rule_stroke
from controller.rules.tiebreak import ask_colour, choose_colour

Books = Mapping[str, Book]
Numbers = tuple[tuple[str, int | str], ...]


def rule_entry(
    previous: Entry | None,
    seq: int,
    event: Event,
    books: Books,
    amends: tuple[Amend, ...] = (),
    numbers: Numbers = (),
    played: Played | None = None,
) -> Entry:
    """Rules on one event after `previous`, under what later events say about it.

    `played`: how it came about, None if it has just come.

    Raises EventError, with nothing changed, if it cannot apply.
    """
    if isinstance(event, Start):
        after = begin_match(event, books)
        draft = Draft(after.book)
        draft.cite_role("white_breaks", "other_colour")
        before: Play | None = None
    else:
        if previous is None:
            raise EventError("no match is under way: the first event is a start")
        before = previous.after
        draft = Draft(before.book)
        as_played = played is not None and played.turn is not None and _whose(before, event) == played.turn
        put_back = played is not None and played.put_back
        if amends and any(amend.kind == "void" for amend in amends):
            draft.void = True
            after = before
        elif isinstance(event, Shot):
            if any(waiting.about == "blank" for waiting in before.asks):
                open_ask = next(waiting.ask for waiting in before.asks if waiting.about == "blank")
                raise EventError(f"question {open_ask} has no likely answer: answer it before the next stroke")
            after, draft, numbers = _rule_shot(before, seq, event, amends, numbers, as_played, put_back)
        elif isinstance(event, Drop) and event.piece == "unknown":
            after, draft, numbers = _rule_drop(before, seq, event, amends, numbers, as_played)
        elif isinstance(event, Call):
            after = rule_call(before, event, draft)
        elif isinstance(event, Answer):
            after = _rule_answer(before, event, draft)
        else:
            after = MOMENTS[type(event)](before, seq, event, draft, as_played)
            _without_waived(draft, amends)
            if draft.confirm:
                after, numbers = _ask_to_confirm(after, seq, draft, numbers, None)
        if after.ended is not None and after.ended.tied and after.ended.tied != (before.ended and before.ended.tied):
            numbers, number = _number(numbers, f"colour:{after.ended.tied[0]}", seq)
            after = ask_colour(after, seq, number, draft)
    for amend in amends:
        if amend.kind == "override":
            after = override_play(after, amend.value, draft)
    after = with_had(after)
    ruling = with_reason(finish(draft, seq, event.event, before, after), event)
    if played is None:
        whose = _whose(before, event) if before is not None and not draft.void else None
        turn = before.turn if before is not None and before.phase == "play" else None
        played = Played(whose or turn, draft.put_back)
    return Entry(seq, event, before, after, ruling, previous, amends, False, numbers, played)


def _whose(play: Play, event: Event) -> Seat | None:
    """The player whom an event tells of: who sits where it says, or who is on turn if it names no seat."""
    seat = getattr(event, "seat", None)
    return play.turn if seat is None else play.chairs.get(seat)


def words_about(amends: Sequence[Amend]) -> Words:
    """People's calls about a stroke's clauses: of each the last one."""
    last = {amend.value: amend.kind for amend in amends if amend.kind in ("confirm", "foul", "waive")}
    waived = tuple(clause for clause, kind in last.items() if kind == "waive")
    fouled = frozenset(clause for clause, kind in last.items() if kind == "foul")
    return Words(tuple(clause for clause in last if clause not in waived), waived, fouled)


def _without_waived(draft: Draft, amends: Sequence[Amend]) -> None:
    """Takes out what a camera raised without a stroke and the umpire has waved away."""
    if waived := words_about(amends).waived:
        draft.confirm = [clause for clause in draft.confirm if clause not in waived]
        draft.fouls = [foul for foul in draft.fouls if foul.clause not in waived]


def _rule_shot(
    play: Play,
    seq: int,
    shot: Shot,
    amends: tuple[Amend, ...],
    numbers: Numbers,
    as_played: bool,
    put_back: bool,
) -> tuple[Play, Draft, Numbers]:
    words = words_about(amends) if amends else NOTHING_SAID

    def rule(reading: Shot) -> tuple[Play, Draft]:
        draft = Draft(play.book)
        return rule_stroke(play, seq, reading, words, draft, as_played, put_back), draft

    if not is_uncertain(shot):
        after, draft = rule(shot)
        after, numbers = _ask_besides(after, seq, shot, draft, numbers, amends)
        return after, draft, numbers
    refuse_unreadable(shot)
    lying = play if play.phase == "play" else begin_next(play)
    answered = _answered(lying, shot, amends)
    uncertain = open_facts(lying, shot, answered)

    def nothing() -> tuple[Play, Draft]:
        draft = Draft(play.book)
        draft.about_turn, draft.unseen = True, shot.unseen
        draft.seat = None if shot.seat == "unknown" else shot.seat
        return play, draft

    (after, draft), asked = rule_readings(shot, answered, uncertain, rule, nothing)
    after, numbers = _ask_facts(after, seq, shot, draft, numbers, asked)
    after, numbers = _ask_besides(after, seq, shot, draft, numbers, amends)
    return after, draft, numbers


def _ask_besides(
    play: Play, seq: int, shot: Shot, draft: Draft, numbers: Numbers, amends: Sequence[Amend]
) -> tuple[Play, Numbers]:
    """Asks what no fact of the stroke leaves open: fouls to confirm, and whether one that was put back counts."""
    if draft.confirm:
        play, numbers = _ask_to_confirm(play, seq, draft, numbers, shot.seat)
    if draft.was_on_turn and all(amend.kind != "stays" for amend in amends):
        numbers, number = _number(numbers, "put back", seq)
        question = f"Stroke {seq} by {shot.seat} was put back as out of turn, and it was its turn. Does it count?"
        seat = None if shot.seat == "unknown" else shot.seat
        choices = (STAYS_VOID, COUNTS, NONE, REPLAY)
        play = ask(play, draft, Question(number, question, choices, "put back", "put back", seq, seat))
    return play, numbers


def begin_next(play: Play) -> Play:
    """The state in which the next stroke is made: what a stroke that opens a board by itself will find."""
    from controller.rules.progress import open_board

    return play if play.phase == "done" else open_board(play, Draft(play.book))


def _rule_drop(
    play: Play, seq: int, drop: Drop, amends: tuple[Amend, ...], numbers: Numbers, as_played: bool
) -> tuple[Play, Draft, Numbers]:
    def rule(reading: Drop) -> tuple[Play, Draft]:
        draft = Draft(play.book)
        return MOMENTS[Drop](play, seq, reading, draft, as_played), draft

    answered = _answered(play, drop, amends)
    uncertain = open_facts(play, drop, answered)
    (after, draft), asked = rule_readings(drop, answered, uncertain, rule, lambda: (play, Draft(play.book)))
    after, numbers = _ask_facts(after, seq, drop, draft, numbers, asked)
    return after, draft, numbers


def event_as_it_stands(entry: Entry) -> Event:
    """Returns an entry's event with what was answered about it as its facts; what is still in doubt stays so."""
    event, before = entry.event, entry.before
    answers = any(amend.kind == "answer" for amend in entry.amends)
    if not answers or before is None or entry.voided or not isinstance(event, Shot | Drop):
        return event
    try:
        lying = _lying(before, event)
    except EventError:
        lying = before  # a correction has opened a question of the board before
    answered = _answered(lying, event, entry.amends)
    told: Shot | Drop = with_facts(event, answered) if answered else event
    return told


def _lying(play: Play, event: Shot | Drop) -> Play:
    return begin_next(play) if isinstance(event, Shot) and play.phase != "play" else play


def as_answered(play: Play, event: Shot | Drop, amends: Sequence[Amend]) -> Shot | Drop | None:
    """Returns an event with the answers about it as its facts; None where it holds doubts besides that stay."""
    lying = _lying(play, event)
    answered = _answered(lying, event, amends)
    if open_facts(lying, event, answered):
        return None
    decided: Shot | Drop = with_facts(event, answered)
    return None if is_uncertain(decided) else decided


def _answered(play: Play, event: Shot | Drop, amends: Sequence[Amend]) -> list[tuple[str, Any]]:
    """The answers to what this event leaves open, and to what those answers open: a correction that says a fact has
    settled what was asked about it."""
    answers = [amend.value for amend in amends if amend.kind == "answer"]
    if not answers:
        return []
    still_open = {one.path for one in open_facts(play, event, ())}
    taken = [(path, choice) for path, choice in answers if path in still_open]
    if len(taken) == len(answers):
        return taken
    still_open |= {one.path for one in open_facts(play, event, taken)}
    return [(path, choice) for path, choice in answers if path in still_open]


def _number(numbers: Numbers, key: str, seq: int) -> tuple[Numbers, int | str]:
    """The id of a question: the first has the seq of its ruling, further ones `seq.1`, `seq.2`."""
    for known, number in numbers:
        if known == key:
            return numbers, number
    number = seq if not numbers else f"{seq}.{len(numbers)}"
    return (*numbers, (key, number)), number


def _ask_facts(
    play: Play, seq: int, event: Shot | Drop, draft: Draft, numbers: Numbers, asked: Sequence[Uncertain]
) -> tuple[Play, Numbers]:
    for one in asked:
        numbers, number = _number(numbers, one.path, seq)
        about: Literal["fact", "blank"] = "fact" if one.weighted else "blank"
        seat = event.seat if isinstance(event, Shot) and event.seat != "unknown" else None
        choices = (*(choice for choice in one.choices if choice != NONE), NONE, REPLAY)
        question = question_about(one, event)
        play = ask(play, draft, Question(number, question, choices, about, one.path, seq, seat))
    draft.provisional = bool(asked) and all(one.weighted for one in asked)
    return play, numbers


def _ask_to_confirm(
    play: Play, seq: int, draft: Draft, numbers: Numbers, seat: Seat | Literal["unknown"] | None
) -> tuple[Play, Numbers]:
    named = None if seat == "unknown" else seat
    for spelled in draft.confirm:
        numbers, number = _number(numbers, f"foul:{spelled}", seq)
        clause = play.book.clauses[spelled]
        question = f"{spelled}: {clause.says}?"
        if clause.consequence == "replay_board":
            asked = Question(number, question, (PLAY_ON, SET_UP_ANEW), "seen", spelled, seq, named)
        else:
            asked = Question(number, question, ("foul", "no foul", NONE, REPLAY), "foul", spelled, seq, named)
        play = ask(play, draft, asked)
    return play, numbers


OWN_ANSWERS: Mapping[str, Callable[[Play, Question, Answer, Draft], Play]] = {"colour": choose_colour}
"""Questions whose answer is an event of its own and corrects no earlier ruling, by what they are about."""


def _rule_answer(play: Play, answer: Answer, draft: Draft) -> Play:
    """An answer that changes no earlier ruling: an event of its own, or one side's word of two."""
    waiting = next((one for one in play.asks if str(one.ask) == str(answer.ask)), None)
    if waiting is None:
        raise not_open(answer.ask)
    if waiting.about in OWN_ANSWERS:
        return OWN_ANSWERS[waiting.about](play, waiting, answer, draft)
    if answer.seat is None:
        raise not_open(answer.ask)
    draft.seat = answer.seat
    draft.notes.append("the other side has still to answer")
    said = said_by(play, waiting, answer.seat, answer.choice)
    return play.but(asks=tuple(replace(one, said=said) if one is waiting else one for one in play.asks))


def said_by(play: Play, waiting: Question, seat: Seat, choice: Any) -> tuple[tuple[int, Any], ...]:
    """What the sides have answered so far, with one more answer. Raises EventError for an empty seat."""
    player = play.chairs.get(seat)
    if player is None:
        raise EventError(f"seat: nobody sits at {seat}")
    side = play.side(player)
    return (*((other, word) for other, word in waiting.said if other != side), (side, choice))


def rule_call(play: Play, call: Call, draft: Draft) -> Play:
    """Rules on a call that stands by itself (not one about a stroke). Raises EventError if it cannot apply."""
    clause: Clause | None = None
    if call.clause is not None:
        clause = play.book.find(call.clause)
    player: Seat | None = None
    if call.seat is not None:
        player = play.chairs.get(call.seat)
        if player is None:
            raise EventError(f"seat: nobody sits at {call.seat}")
    draft.seat, draft.about_turn = call.seat, True
    if call.action == "wave_off":
        if clause is None:
            raise EventError("clause is missing: what is waved off?")
        draft.cite(clause.id)
        draft.notes.append(f"waved off: {clause.says}")
        return play.but(blocked=None) if play.blocked == clause.id else play
    if call.action is not None and (call.action != "foul" or clause is None):
        if player is not None and play.side(player) in play.out:
            raise EventError(f"seat: {call.seat} is out of the match")
        return consequence.act(play, call, clause, player, draft)
    if clause is None:
        raise EventError("clause is missing: a call names its clause or an action")
    if call.action is None and clause.consequence == "draw":
        return consequence.draw_board(play, clause.id, draft)
    if clause.consequence == "none" and call.action is None:
        draft.cite(clause.id)
        return play
    if player is None:
        raise EventError("seat is missing: whom is the call against?")
    play = play.but(asks=tuple(one for one in play.asks if not (one.key == clause.id and one.seat is None)))
    if play.phase == "done":
        raise EventError("the match is over")
    if play.side(player) in play.out:
        raise EventError(f"seat: {call.seat} is out of the match")
    if call.action == "foul":
        return consequence.own_foul(play, clause, player, draft)
    if clause.consequence == "deduct":
        return consequence.deduct(play, player, call.points or 1, clause.id, draft)
    return apply_clause(play, clause, player, draft, game_only=consequence.of_game(play, call, clause.id))
