"""The tables of a journal, format by format, and how an older file is brought up to the present one.

A file of an older format is copied beside itself first, then changed in one transaction: a power cut leaves the old
file or the new one, never something between. Must not know what stands in the rows.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path

log = logging.getLogger(__name__)

APPLICATION_ID = 0x43415252
"""«CARR», in the file's header: tells our journals from other SQLite files."""


def _stays(table: str, not_deleted: str, not_changed: str) -> tuple[str, ...]:
    """Triggers of these names that keep a table's rows as they are."""
    return tuple(
        f"CREATE TRIGGER {name} BEFORE {what} ON {table} BEGIN SELECT raise(ABORT, 'the journal is append-only'); END"
        for name, what in ((not_deleted, "DELETE"), (not_changed, "UPDATE"))
    )


STEPS: Mapping[int, tuple[str, ...]] = {
    1: (
        "CREATE TABLE observed("
        "id INTEGER PRIMARY KEY, node TEXT NOT NULL, boot TEXT NOT NULL, seq INTEGER, kind TEXT NOT NULL, "
        "t_ns INTEGER NOT NULL, t_unix REAL NOT NULL, body TEXT NOT NULL, UNIQUE (node, boot, seq)) STRICT",
        "CREATE TABLE matches(match TEXT PRIMARY KEY, began REAL NOT NULL, place TEXT NOT NULL) STRICT",
        "CREATE TABLE events("
        "id INTEGER PRIMARY KEY, match TEXT NOT NULL REFERENCES matches(match), seq INTEGER NOT NULL CHECK (seq > 0), "
        "t_unix REAL NOT NULL, source TEXT NOT NULL, event TEXT NOT NULL, ruling TEXT NOT NULL, "
        "UNIQUE (match, seq)) STRICT",
        *_stays("observed", "observed_stays", "observed_is_kept"),
        *_stays("events", "events_stay", "events_are_kept"),
    ),
    2: (
        *_stays("matches", "matches_stay", "matches_are_kept"),
        # What left the file says so: an append-only journal must not grow shorter in silence.
        "CREATE TABLE moved(match TEXT PRIMARY KEY, t_unix REAL NOT NULL, archive TEXT NOT NULL) STRICT",
        *_stays("moved", "moved_stay", "moved_are_kept"),
    ),
    3: (
        # Apart from the events: what was written before there was a chain stays as it is.
        "CREATE TABLE chain(id INTEGER PRIMARY KEY, match TEXT NOT NULL, seq INTEGER NOT NULL, salt TEXT NOT NULL, "
        "hash TEXT NOT NULL, UNIQUE (match, seq)) STRICT",
        *_stays("chain", "chain_stays", "chain_is_kept"),
    ),
}
"""Format n: what has to be done to a file of format n - 1 (0: an empty one)."""

COLUMNS = {
    "matches": "match, began, place",
    "events": "id, match, seq, t_unix, source, event, ruling",
    "observed": "id, node, boot, seq, kind, t_ns, t_unix, body",
    "moved": "match, t_unix, archive",
    "chain": "id, match, seq, salt, hash",
}
"""The tables of the present format."""

SINCE = {"moved": 2, "chain": 3}
"""The first format that has a table, where that is not 1."""

FORMAT = max(STEPS)


def format_of(connection: sqlite3.Connection) -> int:
    """Returns the format a file says it has, 0 for an empty one."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def has(table: str, version: int) -> bool:
    """Returns whether files of that format have a table."""
    return SINCE.get(table, 1) <= version


def check_names(connection: sqlite3.Connection, version: int) -> None:
    """Raises what SQLite says where a table or a column of that format is missing: its name was damaged."""
    for table, columns in COLUMNS.items():
        if has(table, version):
            connection.execute(f"SELECT {columns} FROM {table} LIMIT 0")


def make(connection: sqlite3.Connection) -> None:
    """Makes an empty file a journal of the present format, all of it or nothing."""
    _steps(connection, 0)


def bring_up(connection: sqlite3.Connection, path: Path) -> None:
    """Brings a journal of an older format up to the present one; its copy of before lies beside it (`backup_of`).

    Raises sqlite3.DatabaseError or OSError; the file is as it was then.
    """
    before = format_of(connection)
    backup = backup_of(path, before)
    copy(connection, backup)
    _steps(connection, before)
    log.warning("%s: brought from format %d to %d; as it was before it lies in %s", path, before, FORMAT, backup)


def backup_of(path: Path, version: int) -> Path:
    """Returns where the copy of a journal lies that was of this format before it was brought up."""
    return path.with_name(f"{path.name}.format-{version}")


def copy(connection: sqlite3.Connection, to: Path) -> None:
    """Writes a whole copy of an open journal: durable under its name, or not there."""
    fresh = to.with_name(to.name + ".new")
    remove(fresh)
    with closing(sqlite3.connect(fresh, isolation_level=None)) as target:
        connection.backup(target)
        # The copy says that it is in write-ahead mode, like the original; alone it shall be one plain file.
        target.execute("PRAGMA journal_mode = DELETE")
    settle(fresh, to)


def settle(fresh: Path, to: Path) -> None:
    """Gives a finished file its name, durably: whoever looks finds what was there before, or all of the new one."""
    with fresh.open("rb") as stream:
        os.fsync(stream.fileno())
    fresh.replace(to)
    folder = os.open(to.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def remove(path: Path) -> None:
    """Removes a database file that was left unfinished, with what SQLite may have put beside it."""
    for ending in ("", "-journal", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            path.with_name(path.name + ending).unlink()


def _steps(connection: sqlite3.Connection, before: int) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        for version in range(before + 1, FORMAT + 1):
            for statement in STEPS[version]:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
