"""A recorded match, ruled again as the table ruled it: what `replay` and `export` have in common."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from controller.commands.installed import add_config
from controller.config import load_config
from controller.events.errors import ConfigError
from controller.journal import Entry, Journal, MatchRow
from controller.rules.shelf import load_books
from controller.table.match.umpire import Umpire


@dataclass(frozen=True, slots=True)
class Recorded:
    """One match of a journal."""

    row: MatchRow
    entries: tuple[Entry, ...]


def add_journal_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments that name a recorded match."""
    parser.add_argument("journal", type=Path, metavar="JOURNAL", help="the file of [table] state, journal.sqlite")
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
    house: list[str | Path] = [book] if book.endswith(".toml") else []
    if config is not None:
        settings = load_config(config)
        if settings.match.book.endswith(".toml") and settings.match.book not in house:
            house.append(settings.match.book)
    return Umpire(load_books(house))


def said(value: Any) -> str:
    """A value of a ruling in one word or two."""
    if value is None:
        return "nothing"
    return str(value).lower() if isinstance(value, bool) else str(value)
