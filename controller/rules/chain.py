"""Ruling again: a stretch of the chain taken out, amended, and ruled on as played.

What a later event did to an entry is kept with that entry (`Amend`), so that it survives later corrections and is not
done twice. Must not know why anything is ruled on again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from controller.events.errors import EventError
from controller.events.match import Answer, Call, Correct, Event, Override, Verdict, Void
from controller.rules import challenges, progress
from controller.rules.acted import acted
from controller.rules.book import Clause
from controller.rules.draft import FALLS, NO_LONGER, Draft, finish
from controller.rules.entry import Amend, Entry, Raw, raw
from controller.rules.play import Play
from controller.rules.ruled import Books, rule_entry, words_about


def rule_again(last: Entry | None, entries: Iterable[Raw], books: Books) -> Entry:
    """Rules on taken-out entries again, after `last`, as played. What cannot apply any more stays, without effect."""
    for one in entries:
        if one.done:
            assert last is not None
            last = _done_again(last, one)
            continue
        try:
            last = rule_entry(last, one.seq, one.event, books, one.amends, one.numbers, one.played)
        except EventError as error:
            if last is None:
                raise
            last = without_effect(last, one, error)
    assert last is not None
    return last


def without_effect(last: Entry, one: Raw, error: EventError) -> Entry:
    """Keeps an event in the chain that cannot apply any more; its ruling says why, and which fouls fall with it."""
    draft = Draft(last.after.book, void=True)
    draft.notes.append(f"{NO_LONGER}: {error}")
    if confirmed := words_about(one.amends).confirmed:
        draft.notes.append(FALLS + ", ".join(confirmed))
    ruling = finish(draft, one.seq, one.event.event, last.after, last.after)
    done = one.done or isinstance(one.event, Void | Override | Correct | Verdict)
    return Entry(one.seq, one.event, last.after, last.after, ruling, last, one.amends, done, one.numbers, one.played)


def _done_again(last: Entry, one: Raw) -> Entry:
    """An event that acted on earlier entries: what it did is with them; a board it replayed is replayed again, a
    challenge it decided is decided again."""
    before = last.after
    said = one.ruling
    draft = Draft(before.book, void=said.void, seat=said.seat, provisional=said.provisional, unseen=said.unseen)
    draft.cites.extend(said.cites)
    draft.notes.extend(said.notes)
    draft.fouls.extend(said.fouls)
    draft.returned.extend(said.returned)
    draft.dues.extend(said.dues)
    after = before
    clause = _replaying(before, one)
    if clause is not None and not any(amend.kind == "void" for amend in one.amends):
        after = progress.replay_board(before, draft, clause.id, said.board.number)
    if isinstance(one.event, Verdict):
        after = challenges.decided(before, one.event, one.seq)
    ruling = replace(
        finish(draft, one.seq, one.event.event, before, after),
        turn_kept=said.turn_kept,
        changed=said.changed,
        place_now=said.place_now,
        take_off=said.take_off,
    )
    return Entry(one.seq, one.event, before, after, ruling, last, one.amends, True, one.numbers, one.played)


def _replaying(play: Play, one: Raw) -> Clause | None:
    """The clause by which a void, a call or an answer starts the board again, if it does."""
    named = [one.event.clause] if isinstance(one.event, Void | Call) else []
    if isinstance(one.event, Answer) and one.ruling.void:
        named = list(one.ruling.cites)
    clauses = [play.book.find(clause) for clause in named if clause is not None]
    return next((clause for clause in clauses if clause.consequence == "replay_board"), None)


def find(last: Entry, seq: int) -> Entry:
    """Finds an entry by its seq. Raises EventError if there is none."""
    for entry in last.back():
        if entry.seq == seq:
            return entry
        if entry.seq < seq:
            break
    raise EventError(f"seq: no event {seq} has been ruled on")


def taken_from(last: Entry, first: Entry) -> list[Raw]:
    """Takes the entries from `first` to the last out of the chain, in order."""
    taken = []
    for entry in last.back():
        taken.append(raw(entry))
        if entry is first:
            break
    return taken[::-1]


def amend(last: Entry, target: Entry, amends: tuple[Amend, ...], books: Books) -> Entry:
    """Returns the chain with amends added to one entry and everything from there on ruled on again."""
    entries = taken_from(last, target)
    # an answer is about the stroke itself: who struck, whether it was out of turn
    played = entries[0].played
    put_back = played.put_back and all(amend.kind not in ("answer", "counts") for amend in amends)
    entries[0] = replace(entries[0], amends=entries[0].amends + amends, played=replace(played, put_back=put_back))
    return rule_again(target.previous, entries, books)


def echo(
    seq: int, event: Event, last: Entry, changed: Entry, shown: Entry | None, after: Play | None = None, **more: Any
) -> Entry:
    """The entry of an event that re-ruled an earlier one: its ruling shows the re-ruled one and the state now.

    `after`: the state now, where the event does more to it than to rule again.
    """
    after = after or changed.after
    draft = Draft(after.book, about_turn=shown is not None, **more)
    if shown is not None:
        ruling = shown.ruling
        draft.fouls.extend(ruling.fouls)
        draft.cite(*ruling.cites)
        draft.returned.extend(ruling.returned)
        draft.dues.extend(ruling.dues)
        still_open = {waiting.ask for waiting in after.asks}
        draft.asks.extend(one for one in ruling.asks if one.ask in still_open)
        draft.notes.extend(ruling.notes)
        draft.provisional, draft.unseen = ruling.provisional, ruling.unseen
        draft.seat = draft.seat or ruling.seat
        draft.void = draft.void or ruling.void
    ruling = finish(draft, seq, event.event, last.after, after)
    if shown is not None and shown.ruling.turn_kept is not None and ruling.turn_kept is not None:
        ruling = replace(ruling, turn_kept=shown.ruling.turn_kept)
    return acted(seq, event, last, changed, ruling, after)


def cited(entry: Entry, *roles: str) -> Entry:
    """The entry with the clauses of more situations cited, as far as the book has them."""
    clauses = tuple(clause for role in roles if (clause := entry.after.book.role(role)) is not None)
    return replace(entry, ruling=replace(entry.ruling, cites=(*entry.ruling.cites, *clauses))) if clauses else entry


def entry_at(chain: Entry, seq: int) -> Entry | None:
    """Returns the entry of a number, None if the chain has none."""
    return next((entry for entry in chain.back() if entry.seq == seq), None)
