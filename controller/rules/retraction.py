"""Strokes taken back: voids, replayed strokes and boards."""

from __future__ import annotations

from dataclasses import replace

from controller.events.errors import EventError
from controller.events.match import Event, Pause, Resume, RoundOver, Seats, Shot, Void
from controller.rules import progress
from controller.rules.acted import acted
from controller.rules.book import Clause
from controller.rules.chain import rule_again, taken_from
from controller.rules.draft import Draft, finish
from controller.rules.entry import Amend, Entry
from controller.rules.ruled import Books

_SURVIVE_A_VOID = (Seats, Pause, Resume, RoundOver)
"""Events that stay true when a stroke before them is taken back: where people sit, whether play is stopped."""


def void(last: Entry, seq: int, asked: Void, books: Books, event: Event | None = None) -> Entry:
    """Takes back the latest stroke and everything after it; some clauses start the board again besides."""
    play = last.after
    clause = None if asked.clause is None else play.book.find(asked.clause)
    restart = clause is not None and clause.consequence == "replay_board"
    target: Entry | None = None
    for entry in last.back():
        if isinstance(entry.event, Shot) and not entry.ruling.void and not entry.voided:
            target = entry
            break
        if _ended_the_trial(entry):
            break
    if target is not None and restart and not _same_board(last, target):
        target = None
    if target is None and not restart:
        raise EventError("there is no stroke to take back")
    return void_from(last, seq, event or asked, target, clause, books)


def _ended_the_trial(entry: Entry) -> bool:
    """Says whether a trial board was forgotten here: its strokes are none of the match."""
    return entry.before is not None and entry.before.trial_from is not None and entry.after.trial_from is None


def _same_board(last: Entry, stroke: Entry) -> bool:
    """Says whether the board that the stroke belongs to is still the one on the table."""
    for entry in last.back():
        if entry is stroke:
            return True
        before = entry.before
        if before is not None and before.phase == "over" and entry.after.phase == "play":
            return False
    return False


def void_from(last: Entry, seq: int, event: Event, target: Entry | None, clause: Clause | None, books: Books) -> Entry:
    """Takes back everything from an entry on; a clause that replays the board starts it again."""
    chain = last
    if target is not None:
        mark = Amend(seq, "void")
        entries = [
            one if isinstance(one.event, _SURVIVE_A_VOID) else replace(one, amends=(*one.amends, mark))
            for one in taken_from(last, target)
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
        after = progress.replay_board(after, draft, clause.id, last.after.board)
    ruling = finish(draft, seq, event.event, last.after, after)
    return acted(seq, event, last, chain, ruling, after, chain.after)
