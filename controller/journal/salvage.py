"""What can be read of a journal that is damaged, or was taken away while it was open, is written into a new one.

The damaged file is set aside under another name and never changed or deleted. Rows are read one by one from both ends,
so that one bad page costs what stands on it; what is known otherwise fills the holes. Must not know what a match needs
to go on: see `table.resuming`.
"""

from __future__ import annotations

import logging
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

from controller.events.doors import RECORD, json_object
from controller.events.errors import DeviceError, UnreadableError
from controller.journal.file import DURABLE, TROUBLES, DamagedError, GoneError, as_text
from controller.journal.journal import Entry, Journal, row_of
from controller.journal.schema import COLUMNS, check_names, make, remove

log = logging.getLogger(__name__)

Row = tuple[Any, ...]

_BODIES = {"events": slice(5, 7), "observed": slice(7, 8)}
"""Which columns of a table hold a JSON object."""

_MOST_BETWEEN = 100_000
"""Rows that are tried one by one: a number that is rubbish must not keep the table waiting."""

_HEAD_BYTES = 4096
"""The first page: the file's header, and where each table begins."""
_FORMATS = slice(18, 20)
_VALID_FOR = slice(92, 96)
"""Says for which state of the file its header's count of pages holds; zeros: the file's own length counts."""


def open_or_salvage(journal: Journal) -> str:
    """Opens a journal for writing, now or once it can be; a damaged one is set aside, and what can be read of it saved
    into a new one.

    Returns what happened, in one line; empty if the journal is whole. Raises CarromError for a file that is not ours
    to write.
    """
    try:
        journal.open_waiting()
    except DamagedError as error:
        with _copied(journal.path) as source:
            says = _anew(journal, source, (), error.why)
        log.error("%s", says)
        return says
    return ""


def salvage(journal: Journal, known: Sequence[Entry], trouble: DamagedError | GoneError) -> str:
    """Writes an open journal anew after a trouble, from what can still be read through it and the entries `known`.

    Returns what happened, in one line. Raises CarromError where it cannot be written; it may be tried again then.
    """
    if journal.waits_for:
        # It was found damaged when nothing could be written: what is open is not it.
        with _copied(journal.path) as source:
            says = _anew(journal, source, known, trouble.why)
    else:
        says = _anew(journal, journal.salvaging(), known, trouble.why)
    log.error("%s", says)
    return says


def free_name(path: Path, word: str) -> Path:
    """Returns a name beside a file that no file has yet: its own, the word and a number."""
    names = (path.with_name(f"{path.name}.{word}-{number}") for number in count(1))
    return next(name for name in names if not name.exists())


def set_aside(path: Path, own_log: bool) -> Path | None:
    """Gives a journal another name, with its log; returns it, None where nothing was there. `own_log`: false where the
    log there is another file's, which would be read as a part of it."""
    to = free_name(path, "damaged")
    for ending in (*DURABLE, "-journal"):
        file = path.with_name(path.name + ending)
        with suppress(FileNotFoundError):
            file.rename(to.with_name(to.name + ending) if own_log or not ending else free_name(file, "damaged"))
    path.with_name(path.name + "-shm").unlink(missing_ok=True)
    return to if to.exists() else None


def _anew(journal: Journal, source: sqlite3.Connection | None, known: Sequence[Entry], why: str) -> str:
    path = journal.path
    fresh = path.with_name(path.name + ".new")
    try:
        remove(fresh)
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(fresh, isolation_level=None)) as to:
            make(to)
            saved = _filled(to, source, known, journal.place)
        aside = journal.start_over(fresh, set_aside)
    except (OSError, sqlite3.Error) as error:
        if isinstance(error, DeviceError):
            raise
        raise DeviceError(
            f"{path}: {why}, and cannot be written anew ({error}). Fix: make room on the disk, let this user write "
            "there"
        ) from error
    there = f"; it lies in {aside.name} now" if aside is not None else ""
    what = f"{saved} {'event' if saved == 1 else 'events'} could be saved into a new one"
    return f"{path}: {why}{there}; {what}"


def _filled(to: sqlite3.Connection, source: sqlite3.Connection | None, known: Sequence[Entry], place: str) -> int:
    """Fills a new journal with every row that can be read, and with what is known. Returns how many events it has."""
    to.execute("BEGIN IMMEDIATE")
    matches = list(_rows(source, "matches"))
    events = list(_rows(source, "events"))
    events += [(None, *row_of(entry)) for entry in known]
    # A match without a row of its own began with its first event.
    matches += [(match, t_unix, place) for _id, match, _seq, t_unix, *_bodies in events]
    for table, rows in (
        ("matches", matches),
        ("events", events),
        ("observed", _rows(source, "observed")),
        ("moved", _rows(source, "moved")),
        ("chain", _rows(source, "chain")),
    ):
        marks = ", ".join("?" * len(COLUMNS[table].split(",")))
        for row in rows:
            # What no journal of ours would have taken is none of its rows.
            with suppress(sqlite3.IntegrityError, sqlite3.InterfaceError, sqlite3.DataError, OverflowError):
                to.execute(f"INSERT OR IGNORE INTO {table} ({COLUMNS[table]}) VALUES ({marks})", row)
    to.execute("COMMIT")
    return int(to.execute("SELECT count(*) FROM events").fetchone()[0])


def _rows(source: sqlite3.Connection | None, table: str) -> Iterator[Row]:
    """The rows of a table in their order, as far as they can be read: from both ends, and between them one by one."""
    if source is None:
        return
    select = f"SELECT rowid, {COLUMNS[table]} FROM {table}"
    source.text_factory = as_text
    first = list(_until_trouble(source, f"{select} ORDER BY rowid"))
    last = list(_until_trouble(source, f"{select} ORDER BY rowid DESC"))[::-1]
    from_, to = (first[-1][0] + 1 if first else 1), (last[0][0] if last else 0)
    between = (
        _until_trouble(source, f"{select} WHERE rowid = {rowid}")
        for rowid in range(from_, min(to, from_ + _MOST_BETWEEN))
    )
    found = {row[0]: row[1:] for rows in (first, *between, last) for row in rows}
    yield from (found[rowid] for rowid in sorted(found) if _readable(table, found[rowid]))


def _until_trouble(source: sqlite3.Connection, sql: str) -> Iterator[Row]:
    with suppress(*TROUBLES):
        yield from source.execute(sql)


def _readable(table: str, row: Row) -> bool:
    try:
        for body in row[_BODIES.get(table, slice(0))]:
            json_object(body, RECORD)
    except (UnreadableError, TypeError):
        return False
    return True


@contextmanager
def _copied(path: Path) -> Iterator[sqlite3.Connection]:
    """A copy of a damaged file, open to read what is left. A first page that is lost is lent by a new journal: tables
    begin at the same pages in all of them."""
    copy, lent = (path.with_name(f"{path.name}.{word}") for word in ("copy", "lent"))
    try:
        for ending in DURABLE:
            with suppress(FileNotFoundError):
                shutil.copyfile(path.with_name(path.name + ending), copy.with_name(copy.name + ending))
        if not _has_tables(copy):
            Journal(lent).open().close()
            _lend_head(copy, lent.read_bytes()[:_HEAD_BYTES])
        with closing(_to_read(copy)) as source:
            yield source
    except OSError as error:
        if isinstance(error, DeviceError):
            raise
        raise DeviceError(
            f"{path}: is damaged and cannot be copied ({error.strerror}). Fix: make room on the disk, let this user "
            "read it"
        ) from error
    finally:
        for file in (copy, lent):
            remove(file)
        lent.with_name(lent.name + ".lock").unlink(missing_ok=True)


def _to_read(copy: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(copy, isolation_level=None)
    # Otherwise a file that is shorter than it says is not read at all.
    with suppress(*TROUBLES):
        connection.execute("PRAGMA writable_schema = ON")
    return connection


def _has_tables(copy: Path) -> bool:
    with closing(_to_read(copy)) as connection:
        try:
            check_names(connection, 1)
        except TROUBLES:
            return False
    return True


def _lend_head(copy: Path, head: bytes) -> None:
    lent = bytearray(head)
    lent[_VALID_FOR] = bytes(4)
    assert lent[_FORMATS] == b"\2\2", "a journal is in write-ahead mode"
    with copy.open("r+b") as file:
        file.write(lent)
