"""A recorded match, ruled again as the table ruled it: what `replay` and `export` have in common."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from controller.commands.installed import add_config
from controller.config import load_config
from controller.events.errors import ConfigError
from controller.journal import Difference, Entry, Journal, MatchRow, replay
from controller.rules.book import Book
from controller.rules.shelf import load_books
from controller.table.match.ruled_match import Taken
from controller.table.match.umpire import Umpire


@dataclass(frozen=True, slots=True)
class Recorded:
    """One match of a journal."""

    row: MatchRow
    entries: tuple[Entry, ...]


JOURNAL = "the file of [table] state, journal.sqlite"


def add_journal_arguments(parser: argparse.ArgumentParser, journal: str = JOURNAL) -> None:
    """Adds the arguments that name a recorded match. `journal`: what the file may be."""
    parser.add_argument("journal", type=Path, metavar="JOURNAL", help=journal)
    parser.add_argument("--match", metavar="ID", help="one match of the journal")
    add_config(parser, "the table's configuration: its house books and its clauses' autonomy", required=False)


def recorded(args: argparse.Namespace, *, latest_only: bool) -> list[Recorded]:
    """Returns the asked match, or the latest, or all of them. Raises ConfigError if there is none."""
    with Journal(args.journal, read_only=True) as journal:
        rows = journal.matches()
        if not rows:
            raise ConfigError(f"{args.journal}: no match is recorded in it. Fix: name another journal")
        if args.match is not None:
            rows = tuple(row for row in rows if row.match == args.match)
            if not rows:
                known = ", ".join(row.match for row in journal.matches()[-5:])
                raise ConfigError(f"{args.journal}: there is no match {args.match}. Fix: one of {known}")
        elif latest_only:
            name = journal.latest_match()
            rows = tuple(row for row in rows if row.match == name)
        return [Recorded(row, journal.events(row.match)) for row in rows]


def umpire_for(entries: Sequence[Entry], config: Path | None) -> Umpire:
    """Returns an umpire who knows the match's book; a house book may stand in the table's configuration."""
    book = str(entries[0].event.get("book", ""))
    return Umpire(books_with(config, [book] if book.endswith(".toml") else []))


@dataclass(frozen=True, slots=True)
class RuledAgain:
    """What ruling a match again has found. `count`: events that could be ruled; `refused`: why the next one could not,
    "" where there was none."""

    differences: tuple[Difference, ...]
    count: int
    refused: str

    @property
    def same(self) -> bool:
        """Whether every event was ruled as it was recorded."""
        return not self.differences and not self.refused


def ruled_again(
    entries: Sequence[Entry], umpire: Umpire, shown: Callable[[dict[str, Any]], dict[str, Any]] = lambda ruling: ruling
) -> RuledAgain:
    """Rules the entries of a match again, in order, until one is refused. `shown`: what of a ruling is compared."""
    found: list[Difference] = []
    for count, entry in enumerate(entries):
        taken = umpire.take_again(entry.event)
        if not isinstance(taken, Taken):
            refused = f"event {entry.seq} ({entry.event.get('event')}) can no longer apply: {taken.error}"
            return RuledAgain(tuple(found), count, refused)
        found.extend(replay([replace(entry, ruling=shown(entry.ruling))], partial(_ruling, shown(taken.ruling))))
    return RuledAgain(tuple(found), len(entries), "")


def difference_in_words(one: Difference) -> str:
    """Says what a ruling was and what it is now."""
    return f"event {one.seq} ({one.event}): {one.field} was {said(one.recorded)}, is now {said(one.now)}"


def _ruling(ruling: dict[str, Any], _event: dict[str, Any]) -> dict[str, Any]:
    return ruling


def books_with(config: Path | None, house: Sequence[str] = ()) -> dict[str, Book]:
    """Returns the official books, the given house books, and the one of the table's configuration."""
    own = load_config(config).match.book if config is not None else ""
    return load_books([*house, own] if own.endswith(".toml") and own not in house else house)


def said(value: Any) -> str:
    """A value of a ruling in one word or two."""
    if value is None:
        return "nothing"
    return str(value).lower() if isinstance(value, bool) else str(value)
