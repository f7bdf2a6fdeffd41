"""The match as a chain of entries: one more event at its end, or an earlier one corrected.

The cost of an ordinary event does not depend on the length of the match; of a correction, only on how far back it
reaches. What reaches back is in `appeals` (calls about a stroke, answers), `retraction` (voids) and here (overrides,
corrections, verdicts on challenges); all rule again by `chain`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from controller.events.codec import event_from_json
from controller.events.errors import EventError
from controller.events.match import (
    Answer,
    Call,
    Challenge,
    Correct,
    Event,
    Override,
    Position,
    SetPosition,
    Start,
    Timeout,
    Verdict,
    Void,
)
from controller.events.ruling import Challenged
from controller.rules import challenges
from controller.rules.acted import acted
from controller.rules.appeals import NO_FOUL, answer, call
from controller.rules.chain import cited, echo, entry_at, find, rule_again, taken_from, without_effect
from controller.rules.draft import Draft, finish
from controller.rules.entry import Amend, Entry, Played, Raw, with_reason
from controller.rules.retraction import void
from controller.rules.ruled import Books, rule_entry

NOTHING = SetPosition(Position())
"""What stands in the place of an event that was taken back."""


def extend(last: Entry | None, seq: int, event: Event, books: Books) -> Entry:
    """Returns the chain with one more event. Raises EventError, with nothing changed, if it cannot apply."""
    if isinstance(event, Start):
        if last is not None:
            raise EventError("start: a match begins with it")
        return rule_entry(None, seq, event, books)
    if last is None:
        raise EventError("no match is under way: the first event is a start")
    challenges.refuse_play(last.after, event)
    acts = _ACTS.get(type(event))
    if acts is not None:
        entry: Entry | None = acts(last, seq, event, books)
        if entry is not None:
            return replace(entry, ruling=with_reason(entry.ruling, event))
    return rule_entry(last, seq, event, books)


def override(last: Entry, seq: int, asked: Override, books: Books) -> Entry:
    """Sets parts of a ruling; what followed is ruled on again. Refused if the pieces do not add up."""
    target = find(last, asked.seq)
    if target.done:
        raise EventError(f"seq: event {asked.seq} re-ruled another one; override that one")
    entries = taken_from(last, target)
    entries[0] = replace(entries[0], amends=(*entries[0].amends, Amend(seq, "override", asked.set)))
    one = entries[0]
    first = rule_entry(target.previous, one.seq, one.event, books, one.amends, one.numbers, one.played)
    chain = rule_again(first, entries[1:], books) if len(entries) > 1 else first
    draft = Draft(chain.after.book)
    draft.cite_role("override")
    draft.cite(*first.ruling.cites)
    return acted(seq, asked, last, chain, finish(draft, seq, "override", last.after, chain.after))


def correct(last: Entry, seq: int, asked: Correct, books: Books) -> Entry:
    """Replaces an event; everything after it is ruled on again as played."""
    shown, chain = _replaced(last, seq, asked.seq, _read(asked.replacement), books)
    _keep_verdicts(last, chain)
    return cited(echo(seq, asked, last, chain, shown), "correction")


def challenge(last: Entry, seq: int, asked: Challenge, books: Books) -> None:
    """Refuses a challenge that its side may not make now; one that it may is an event of its own."""
    challenges.admit(last.after, asked)


def verdict(last: Entry, seq: int, given: Verdict, books: Books) -> Entry:
    """Decides a challenge. An upheld one replaces the stroke, or takes back what a person or a clock ruled after it."""
    asked = challenges.to_decide(last.after, given)
    upheld, chain = given.result == "upheld", last
    if upheld:
        told = given.replacement
        number, event = _taken_back(last, asked) if told is None else (asked.stroke, _read(told))
        _, chain = _replaced(last, seq, number, event, books)
    after = challenges.decided(chain.after, given, seq)
    entry = echo(seq, given, last, chain, entry_at(chain, asked.stroke) if upheld else None, after)
    return cited(entry, "correction", "appeal") if upheld else cited(entry, "appeal")


def _taken_back(last: Entry, asked: Challenged) -> tuple[int, Event]:
    """What an upheld challenge takes back, and what stands in its place: the latest call of a foul, answer that
    confirmed one, or timeout, between the stroke and the challenge.
    """
    confirmed = {amend.source for amend in find(last, asked.stroke).amends if amend.kind == "confirm"}
    for entry in last.back():
        if entry.seq <= asked.stroke:
            break
        event = entry.event
        if entry.seq > asked.seq or entry.voided:
            continue
        if isinstance(event, Answer) and entry.seq in confirmed:
            return entry.seq, replace(event, choice=NO_FOUL)
        if isinstance(event, Timeout) or (isinstance(event, Call) and event.action in (None, "foul")):
            return entry.seq, NOTHING
    what = f"no call, confirmed foul or timeout after event {asked.stroke} can be taken back"
    raise EventError(f"with is missing, and {what}. Fix: give event {asked.stroke} as it should have been")


def _keep_verdicts(last: Entry, chain: Entry) -> None:
    """Refuses a correction after which a verdict decides nothing: its challenge is gone, or another decides it."""
    for old, now in zip(last.back(), chain.back(), strict=True):
        if old is now:
            return
        given = now.event
        if isinstance(given, Verdict) and not now.voided and challenges.spoken_of(now.after, now.seq) is None:
            what = f"event {now.seq} is a verdict, and would not decide challenge {given.challenge} any more"
            raise EventError(f"seq: {what}. Fix: put one of these two right first")


def _read(replacement: dict[str, Any]) -> Event:
    try:
        return event_from_json(replacement)
    except EventError as error:
        raise EventError(f"with: {error}") from error


def _replaced(last: Entry, seq: int, number: int, event: Event, books: Books) -> tuple[Entry, Entry]:
    """The entry of event `number` with another event in it, and the chain ruled on again from there.

    `seq`: the event that replaces it. Raises EventError where that cannot be.
    """
    target = find(last, number)
    if isinstance(event, Start) != (target.previous is None):
        raise EventError("with: a start stands at the beginning of a match and nowhere else")
    if isinstance(event, Correct):
        raise EventError("with: a correction is not replaced by another; correct the event itself")
    first, entries = _taken_apart(last, target)
    at = next(i for i, one in enumerate(entries) if one.seq == target.seq)
    chain = _rule_all(first.previous, entries[:at], books)
    old = entries[at]
    kept = (*old.amends, Amend(seq, "was", (old.event, old.done)))
    acts = _ACTS.get(type(event))
    done = None if acts is None or chain is None else acts(chain, target.seq, event, books)
    if done is not None:
        shown = replace(done, amends=(*done.amends, *kept))
    else:
        shown = rule_entry(chain, target.seq, event, books, kept, old.numbers, Played(old.played.turn))
    return shown, _rule_all(shown, entries[at + 1 :], books) or shown


def _taken_apart(last: Entry, target: Entry) -> tuple[Entry, list[Raw]]:
    """The entries to rule on again. What acted on earlier ones, and is not to stand any more, is undone there first."""
    undone = _undone(last, target)
    first = target
    for entry in last.back():
        if entry.seq < first.seq and any(amend.source in undone for amend in entry.amends):
            first = entry
    entries = taken_from(last, first)
    for source in undone:
        entries = [_without(one, source) for one in entries]
    return first, entries


def _undone(last: Entry, target: Entry) -> list[int]:
    """The numbers of the events that act no more: the one replaced, and those that one of these put somewhere else."""
    undone = [target.seq] if target.done else []
    for source in undone:
        for entry in last.back():
            replaced = [amend.source for amend in entry.amends if amend.kind == "was"]
            if entry.done and replaced[-1:] == [source]:
                undone.append(entry.seq)
    return undone


def _without(one: Raw, source: int) -> Raw:
    """An entry without what a later event had added to it. What that event replaced stands again, or is what the next
    correction of the entry replaced."""
    amends = tuple(amend for amend in one.amends if amend.source != source)
    if len(amends) == len(one.amends):
        return one
    replaced = [amend for amend in one.amends if amend.kind == "was"]
    at = next((i for i, amend in enumerate(replaced) if amend.source == source), None)
    if at is None:
        return replace(one, amends=amends)
    if replaced[-1].source != source:
        following = replaced[at + 1]
        earlier = replace(following, value=replaced[at].value)
        return replace(one, amends=tuple(earlier if amend is following else amend for amend in amends))
    event, acted = replaced[at].value
    return replace(one, event=event, amends=amends, done=False, anew=acted)


def _rule_all(last: Entry | None, entries: list[Raw], books: Books) -> Entry | None:
    """Rules on entries again; those that stand anew act on what is before them once more."""
    for one in entries:
        if one.anew and last is not None:
            try:
                entry = extend(last, one.seq, one.event, books)
                last = replace(entry, amends=one.amends)
            except EventError as error:
                last = without_effect(last, one, error)
        else:
            last = rule_again(last, [one], books)
    return last


_ACTS: dict[type, Callable[[Entry, int, Any, Books], Entry | None]] = {
    Call: call,
    Answer: answer,
    Void: void,
    Override: override,
    Correct: correct,
    Challenge: challenge,
    Verdict: verdict,
}
