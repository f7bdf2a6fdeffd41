"""The chain of a match and everything that reaches back into it: calls about a stroke, answers, voids, overrides,
corrections.

Each of them amends an earlier entry and re-rules from there on as played: a seat that struck counts as on turn. What
it did is kept with the entry it changed, so that it survives later corrections and is not done twice. The cost of an
ordinary event does not depend on the length of the match; of a correction, only on how far back it reaches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from controller.events.codec import event_from_json
from controller.events.errors import EventError
from controller.events.match import (
    Answer,
    Call,
    Correct,
    Event,
    Override,
    Pause,
    Resume,
    RoundOver,
    Seats,
    Shot,
    Start,
    Void,
)
from controller.events.words import Seat
from controller.rules import progress
from controller.rules.book import Clause
from controller.rules.draft import Draft, finish
from controller.rules.entry import Amend, Entry, Raw, raw
from controller.rules.play import OpenAsk, Play
from controller.rules.questions import NONE, REPLAY
from controller.rules.ruled import Books, rule_entry

_SURVIVE_A_VOID = (Seats, Pause, Resume, RoundOver)
"""Events that stay true when a stroke before them is taken back: where people sit, whether play is stopped."""


def extend(last: Entry | None, seq: int, event: Event, books: Books) -> Entry:
    """Returns the chain with one more event. Raises EventError, with nothing changed, if it cannot apply."""
    if isinstance(event, Start):
        if last is not None:
            raise EventError("start: a match begins with it")
        return rule_entry(None, seq, event, books)
    if last is None:
        raise EventError("no match is under way: the first event is a start")
    acts = _ACTS.get(type(event))
    if acts is not None:
        entry: Entry | None = acts(last, seq, event, books)
        if entry is not None:
            return entry
    return rule_entry(last, seq, event, books)


def rule_again(last: Entry | None, entries: Iterable[Raw], books: Books) -> Entry:
    """Rules on taken-out entries again, after `last`, as played. What cannot apply any more stays, without effect."""
    for one in entries:
        if one.done:
            assert last is not None
            last = _done_again(last, one)
            continue
        try:
            last = rule_entry(last, one.seq, one.event, books, one.amends, one.numbers, one.on_turn)
        except EventError as error:
            if last is None:
                raise
            note = f"does not apply any more: {error}"
            last = _without_effect(last, one, note)
    assert last is not None
    return last


def _without_effect(last: Entry, one: Raw, note: str | None) -> Entry:
    draft = Draft(last.after.book, void=True)
    if note is not None:
        draft.notes.append(note)
    ruling = finish(draft, one.seq, one.event.event, last.after, last.after)
    return Entry(one.seq, one.event, last.after, last.after, ruling, last, one.amends, False, one.numbers)


def _done_again(last: Entry, one: Raw) -> Entry:
    """An event that acted on earlier entries: what it did is with them; a board it replayed is replayed again."""
    before = last.after
    draft = Draft(before.book, void=one.ruling.void)
    draft.cites.extend(one.ruling.cites)
    draft.notes.extend(one.ruling.notes)
    after = before
    clause = _replaying(before, one.event)
    if clause is not None and not any(amend.kind == "void" for amend in one.amends):
        after = progress.replay_board(before, draft, clause.id)
    ruling = finish(draft, one.seq, one.event.event, before, after)
    return Entry(one.seq, one.event, before, after, ruling, last, one.amends, True, one.numbers)


def _replaying(play: Play, event: Event) -> Clause | None:
    """The clause by which a void or a call starts the board again, if it does."""
    if not isinstance(event, Void | Call) or event.clause is None:
        return None
    clause = play.book.find(event.clause)
    return clause if clause.consequence == "replay_board" else None


def find(last: Entry, seq: int) -> Entry:
    """Finds an entry by its seq. Raises EventError if there is none."""
    for entry in last.back():
        if entry.seq == seq:
            return entry
        if entry.seq < seq:
            break
    raise EventError(f"seq: no event {seq} has been ruled on")


def _from(last: Entry, first: Entry) -> list[Raw]:
    taken = []
    for entry in last.back():
        taken.append(raw(entry))
        if entry is first:
            break
    return taken[::-1]


def amend(last: Entry, target: Entry, amends: tuple[Amend, ...], books: Books) -> Entry:
    """Returns the chain with amends added to one entry and everything from there on ruled on again."""
    entries = _from(last, target)
    entries[0] = replace(entries[0], amends=entries[0].amends + amends)
    return rule_again(target.previous, entries, books)


def _echo(seq: int, event: Event, last: Entry, changed: Entry, shown: Entry | None, **more: Any) -> Entry:
    """The entry of an event that re-ruled an earlier one: its ruling shows the re-ruled one and the state now."""
    draft = Draft(changed.after.book, **more)
    draft.about_turn = True
    if shown is not None:
        ruling = shown.ruling
        draft.fouls.extend(ruling.fouls)
        draft.cite(*ruling.cites)
        draft.returned.extend(ruling.returned)
        draft.dues.extend(ruling.dues)
        draft.asks.extend(ruling.asks)
        draft.notes.extend(ruling.notes)
        draft.provisional, draft.unseen = ruling.provisional, ruling.unseen
        draft.seat = draft.seat or ruling.seat
        draft.void = draft.void or ruling.void
    ruling = finish(draft, seq, event.event, last.after, changed.after)
    if shown is not None and shown.ruling.turn_kept is not None and ruling.turn_kept is not None:
        ruling = replace(ruling, turn_kept=shown.ruling.turn_kept)
    return Entry(seq, event, last.after, changed.after, ruling, changed, (), True)


def _still(chain: Entry, seq: int) -> Entry | None:
    return next((entry for entry in chain.back() if entry.seq == seq), None)


# --- calls -----------------------------------------------------------------------------------------------------------


def _call(last: Entry, seq: int, call: Call, books: Books) -> Entry | None:
    """A call that concerns an earlier stroke; None if it stands by itself."""
    play = last.after
    if call.clause is None or call.action not in (None, "foul", "wave_off"):
        return None
    clause = play.book.find(call.clause)
    player: Seat | None = None
    if call.seat is not None:
        player = play.chairs.get(call.seat)
        if player is None:
            raise EventError(f"seat: nobody sits at {call.seat}")
    raised = _raised(play, clause.id, call.seat)
    if call.action == "wave_off":
        return None if raised is None else _decide(last, seq, call, raised, "waive", books)
    if clause.consequence in ("replay_stroke", "replay_board") and call.action is None:
        return _void(last, seq, Void(call.clause), books, call)
    latest = None if clause.consequence in ("none", "warn", "warn_then_foul") else play.last
    if raised is not None:
        stale = latest is not None and raised.seq < latest[0]
        if not stale:
            return _decide(last, seq, call, raised, "confirm", books)
    if not clause.about_stroke or latest is None:
        return None
    if player is None:
        raise EventError("seat is missing: whom is the call against?")
    if latest[1] == player:
        target = find(last, latest[0])
        chain = amend(last, target, (Amend(seq, "confirm", clause.id),), books)
        return _in_time(_echo(seq, call, last, chain, _still(chain, latest[0]), seat=call.seat))
    late = play.book.role("stale_call")
    if late is not None:
        raise EventError(f"{clause.id} is about a stroke, and another has been played since ({late})")
    return None


def _in_time(entry: Entry) -> Entry:
    """Cites the clause by which a call about a stroke is taken until the next one."""
    role = entry.after.book.role("appeal")
    if role is None:
        return entry
    return replace(entry, ruling=replace(entry.ruling, cites=(*entry.ruling.cites, role)))


def _raised(play: Play, clause: str, seat: Seat | None) -> OpenAsk | None:
    """The open question whether a clause was broken, the latest one of that seat."""
    for waiting in reversed(play.asks):
        if waiting.about == "foul" and waiting.key == clause and seat in (None, waiting.seat, waiting.seat or seat):
            return waiting
    return None


def _decide(last: Entry, seq: int, event: Call | Answer, raised: OpenAsk, kind: Any, books: Books) -> Entry | None:
    """Confirms or waives what was raised; what no stroke raised (a shaken board) is a call of its own."""
    target = find(last, raised.seq)
    if kind == "confirm" and not isinstance(target.event, Shot):
        return None
    chain = amend(last, target, (Amend(seq, kind, raised.key),), books)
    if not isinstance(target.event, Shot):
        chain = _closed(chain, raised)
    shown = _still(chain, raised.seq)
    entry = _echo(seq, event, last, chain, shown, seat=event.seat)
    if kind == "waive":
        ruling = entry.ruling
        cites = tuple(dict.fromkeys([*ruling.cites, raised.key]))
        entry = replace(entry, ruling=replace(ruling, cites=cites))
    return entry


def _closed(chain: Entry, raised: OpenAsk) -> Entry:
    asks = tuple(waiting for waiting in chain.after.asks if waiting.ask != raised.ask)
    return replace(chain, after=replace(chain.after, asks=asks))


# --- answers ---------------------------------------------------------------------------------------------------------

_YES = ("foul", "confirm", "confirmed", "yes", True)
_NO = ("no foul", "wave_off", "no", False, NONE)


def _answer(last: Entry, seq: int, answer: Answer, books: Books) -> Entry | None:
    """The answer to an open question: a correction underneath the ruling that asked it."""
    play = last.after
    waiting = next((one for one in play.asks if str(one.ask) == str(answer.ask)), None)
    if waiting is None:
        raise EventError(f"ask: question {answer.ask} is not open")
    if waiting.about == "colour":
        return None
    choice = answer.choice
    if isinstance(choice, list):
        choice = next((one for one in waiting.choices if one == choice or _tupled(one) == _tupled(choice)), choice)
    if choice == REPLAY:
        return _void_from(last, seq, answer, find(last, waiting.seq), None, books)
    if waiting.about == "foul":
        if any(choice is one or choice == one for one in (*_YES, waiting.key)):
            decided = _decide(last, seq, answer, waiting, "confirm", books)
            if decided is None:
                raise EventError(f"choice: whom is {waiting.key} against? Call it with its seat")
            return decided
        if any(choice is one or choice == one for one in _NO):
            return _decide(last, seq, answer, waiting, "waive", books)
        raise EventError(f"choice must be one of {', '.join(waiting.choices)}, not {answer.choice!r}")
    if not any(type(choice) is type(one) and choice == one for one in waiting.choices):
        raise EventError(f"choice must be one of {', '.join(map(str, waiting.choices))}, not {answer.choice!r}")
    target = find(last, waiting.seq)
    chain = amend(last, target, (Amend(seq, "answer", (waiting.key, choice)),), books)
    shown = _still(chain, waiting.seq)
    if shown is not None and any("does not apply any more" in note for note in shown.ruling.notes):
        raise EventError(f"choice: {answer.choice!r} cannot be: {shown.ruling.notes[-1].partition(': ')[2]}")
    return _echo(seq, answer, last, chain, shown)


def _tupled(value: Any) -> Any:
    return tuple(_tupled(one) for one in value) if isinstance(value, list | tuple) else value


# --- voids -----------------------------------------------------------------------------------------------------------


def _void(last: Entry, seq: int, void: Void, books: Books, event: Event | None = None) -> Entry:
    """Takes back the latest stroke and everything after it; some clauses start the board again besides."""
    play = last.after
    clause = None if void.clause is None else play.book.find(void.clause)
    restart = clause is not None and clause.consequence == "replay_board"
    target: Entry | None = None
    for entry in last.back():
        if isinstance(entry.event, Shot) and not entry.ruling.void and not entry.voided:
            target = entry
            break
    if target is not None and restart and not _same_board(last, target):
        target = None
    if target is None and not restart:
        raise EventError("there is no stroke to take back")
    return _void_from(last, seq, event or void, target, clause, books)


def _same_board(last: Entry, stroke: Entry) -> bool:
    """Says whether the board that the stroke belongs to is still the one on the table."""
    for entry in last.back():
        if entry is stroke:
            return True
        before = entry.before
        if before is not None and before.phase == "over" and entry.after.phase == "play":
            return False
    return False


def _void_from(last: Entry, seq: int, event: Event, target: Entry | None, clause: Clause | None, books: Books) -> Entry:
    chain = last
    if target is not None:
        mark = Amend(seq, "void")
        entries = [
            one if isinstance(one.event, _SURVIVE_A_VOID) else replace(one, amends=(*one.amends, mark))
            for one in _from(last, target)
        ]
        chain = rule_again(target.previous, entries, books)
    draft = Draft(chain.after.book, void=True)
    draft.seat = getattr(event, "seat", None)
    after = chain.after
    if clause is not None:
        draft.cite(clause.id)
        draft.notes.extend(clause.steps[:1])
    else:
        draft.cite_role("replay_stroke")
    if clause is not None and clause.consequence == "replay_board":
        if after.phase == "done":
            raise EventError("the match is over")
        after = progress.replay_board(after, draft, clause.id)
    ruling = finish(draft, seq, event.event, last.after, after)
    return Entry(seq, event, chain.after, after, ruling, chain, (), True)


# --- overrides and corrections ---------------------------------------------------------------------------------------


def _override(last: Entry, seq: int, override: Override, books: Books) -> Entry:
    """Sets parts of a ruling; what followed is ruled on again. Refused if the pieces do not add up."""
    target = find(last, override.seq)
    if target.done:
        raise EventError(f"seq: event {override.seq} re-ruled another one; override that one")
    entries = _from(last, target)
    entries[0] = replace(entries[0], amends=(*entries[0].amends, Amend(seq, "override", override.set)))
    one = entries[0]
    first = rule_entry(target.previous, one.seq, one.event, books, one.amends, one.numbers, one.on_turn)
    chain = rule_again(first, entries[1:], books) if len(entries) > 1 else first
    draft = Draft(chain.after.book)
    draft.cite_role("override")
    draft.cite(*first.ruling.cites)
    if override.reason:
        draft.notes.append(override.reason)
    ruling = finish(draft, seq, "override", last.after, chain.after)
    return Entry(seq, override, last.after, chain.after, ruling, chain, (), True)


def _correct(last: Entry, seq: int, correct: Correct, books: Books) -> Entry:
    """Replaces an event; everything after it is ruled on again as played."""
    target = find(last, correct.seq)
    try:
        event = event_from_json(correct.replacement)
    except EventError as error:
        raise EventError(f"with: {error}") from error
    if isinstance(event, Start) != (target.previous is None):
        raise EventError("with: a start stands at the beginning of a match and nowhere else")
    if isinstance(event, Correct):
        raise EventError("with: a correction is not replaced by another; correct the event itself")
    first, entries = _taken_apart(last, target)
    at = next(i for i, one in enumerate(entries) if one.seq == target.seq)
    chain = rule_again(first.previous, entries[:at], books) if at else first.previous
    old = entries[at]
    kept = (*old.amends, Amend(seq, "was", old.event))
    acts = _ACTS.get(type(event))
    done = None if acts is None or chain is None else acts(chain, target.seq, event, books)
    if done is not None:
        shown = replace(done, amends=(*done.amends, *kept))
    else:
        shown = rule_entry(chain, target.seq, event, books, kept, old.numbers)
    chain = rule_again(shown, entries[at + 1 :], books) if len(entries) > at + 1 else shown
    entry = _echo(seq, correct, last, chain, shown)
    role = chain.after.book.role("correction")
    if role is not None:
        entry = replace(entry, ruling=replace(entry.ruling, cites=(*entry.ruling.cites, role)))
    return entry


def _taken_apart(last: Entry, target: Entry) -> tuple[Entry, list[Raw]]:
    """The entries to rule on again. An event that acted on earlier ones is undone there first."""
    first = target
    if target.done:
        for entry in last.back():
            if any(amend.source == target.seq for amend in entry.amends):
                first = entry if entry.seq < first.seq else first
    entries = _from(last, first)
    if target.done:
        entries = [_without(one, target.seq) for one in entries]
    return first, entries


def _without(one: Raw, source: int) -> Raw:
    """An entry without what a later event had said about it."""
    was = next((amend.value for amend in one.amends if amend.kind == "was" and amend.source == source), one.event)
    amends = tuple(amend for amend in one.amends if amend.source != source)
    return replace(one, event=was, amends=amends) if len(amends) != len(one.amends) else one


_ACTS: dict[type, Callable[[Entry, int, Any, Books], Entry | None]] = {
    Call: _call,
    Answer: _answer,
    Void: _void,
    Override: _override,
    Correct: _correct,
}
