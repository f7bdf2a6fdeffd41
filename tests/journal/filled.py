"""Journals with many events, written in one commit: a test of their reading waits for no disk."""

from __future__ import annotations

from collections.abc import Iterable

from controller.journal import Entry, Journal
from controller.journal.journal import row_of


def fill(journal: Journal, entries: Iterable[Entry]) -> None:
    """The first entry of each match is appended, and the others lie behind it as if they had been."""
    rows, begun = [], set[str]()
    for entry in entries:
        if entry.match in begun:
            rows.append(row_of(entry))
        else:
            begun.add(entry.match)
            journal.append(entry.match, entry.seq, entry.event, entry.ruling, entry.t_unix, entry.source)
    with journal.writing() as connection:
        connection.executemany(
            "INSERT INTO events(match, seq, t_unix, source, event, ruling) VALUES (?, ?, ?, ?, ?, ?)", rows
        )
