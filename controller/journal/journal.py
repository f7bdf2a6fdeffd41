"""The journal's file: append-only SQLite with what was felt (`observed`) and what happened (`events`).

Write-ahead: what is in here survives a power cut (WAL, synchronous=FULL, one commit a call). Nothing is ever changed
or deleted, and triggers see to it; a correction is one more event. One writer at a time, held by a lock beside the
file; readers may come and go. Must not know the network or how a ruling comes about: events and rulings are JSON.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from controller.events.beams import BeamEdge, BeamGap
from controller.events.doors import RECORD, json_object, json_value
from controller.events.errors import ConfigError, DeviceError, EventError, UnreadableError

APPLICATION_ID = 0x43415252
"""«CARR», in the file's header: tells our journals from other SQLite files."""

FORMAT = 1
BUSY_S = 2.0
"""How long a commit waits for another process that holds the file (a backup, a copy being made)."""

_SCHEMA = """
CREATE TABLE observed(
  id INTEGER PRIMARY KEY, node TEXT NOT NULL, boot TEXT NOT NULL, seq INTEGER, kind TEXT NOT NULL,
  t_ns INTEGER NOT NULL, t_unix REAL NOT NULL, body TEXT NOT NULL, UNIQUE (node, boot, seq)
) STRICT;
CREATE TABLE matches(
  match TEXT PRIMARY KEY, began REAL NOT NULL, place TEXT NOT NULL
) STRICT;
CREATE TABLE events(
  id INTEGER PRIMARY KEY, match TEXT NOT NULL REFERENCES matches(match), seq INTEGER NOT NULL CHECK (seq > 0),
  t_unix REAL NOT NULL, source TEXT NOT NULL, event TEXT NOT NULL, ruling TEXT NOT NULL, UNIQUE (match, seq)
) STRICT;
CREATE TRIGGER observed_stays BEFORE DELETE ON observed BEGIN SELECT raise(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER observed_is_kept BEFORE UPDATE ON observed
  BEGIN SELECT raise(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER events_stay BEFORE DELETE ON events BEGIN SELECT raise(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER events_are_kept BEFORE UPDATE ON events
  BEGIN SELECT raise(ABORT, 'the journal is append-only'); END;
"""

_EDGE = TypeAdapter(BeamEdge)
_GAP = TypeAdapter(BeamGap)


@dataclass(frozen=True, slots=True)
class Entry:
    """One event with what was ruled on it, as they were written. `source`: who said so (eyes, umpire, …)."""

    match: str
    seq: int
    t_unix: float
    source: str
    event: dict[str, Any]
    ruling: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Noted:
    """What the table's clock said with an entry. `began`: its match began then; `read`: what was felt until then is
    part of it or of entries before. `clock`: what tells that run of the clock from others.
    """

    kind: Literal["began", "read"]
    clock: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class MatchRow:
    """One match of the file: when it began and was last written to (Unix seconds), how many events it has."""

    match: str
    began: float
    latest: float
    events: int
    place: str
    book: str
    seats: dict[str, str]


class Journal:
    """One journal file. Opened by `open()` (or `with`), for writing or only for reading.

    Methods may be called from any thread. Errors: ConfigError where the file is no journal of ours, DeviceError
    where the disk or its permissions are to blame, EventError where an event contradicts what is written.
    """

    def __init__(self, path: Path | str, *, read_only: bool = False, place: str = "") -> None:
        self.path = Path(path)
        self.read_only = read_only
        self.place = place
        self._connection: sqlite3.Connection | None = None
        self._guard = threading.Lock()
        self._lock_fd: int | None = None

    def open(self) -> Journal:
        """Opens the file, making it if it is not there (not when reading only), and returns itself."""
        if self.read_only:
            self._connection = self._open_to_read()
        else:
            self._claim()
            try:
                self._connection = self._open_to_write()
            except BaseException:
                self._release()
                raise
        return self

    def close(self) -> None:
        """Closes the file and lets another writer in. May be called twice."""
        with self._guard:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
        self._release()

    def __enter__(self) -> Journal:
        return self.open()

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- what was felt

    def store_edges(self, edges: Iterable[BeamEdge | BeamGap], node: str = "pockets") -> int:
        """Writes beam edges and gaps; durable on return, so the node may be told to forget them.

        An edge that is already there (same node, boot and seq) is not doubled. Returns how many were new.
        """
        now = time.time()
        rows = [
            (
                node,
                edge.boot,
                edge.seq if isinstance(edge, BeamEdge) else None,
                "edge" if isinstance(edge, BeamEdge) else "gap",
                edge.t_ns,
                now,
                (_EDGE if isinstance(edge, BeamEdge) else _GAP).dump_json(edge).decode(),  # type: ignore[arg-type]
            )
            for edge in edges
        ]
        if not rows:
            return 0
        with self._writing() as connection:
            before = connection.total_changes
            connection.executemany(
                "INSERT INTO observed(node, boot, seq, kind, t_ns, t_unix, body) VALUES (?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT DO NOTHING",
                rows,
            )
            return connection.total_changes - before

    def last_seq(self, boot: str, node: str = "pockets") -> int | None:
        """Returns the highest edge number written for a node's boot, None if there is none."""
        row = self._read("SELECT max(seq) FROM observed WHERE node = ? AND boot = ?", (node, boot))[0]
        return None if row[0] is None else int(row[0])

    def edges(self, since_unix: float = 0.0, node: str = "pockets") -> tuple[BeamEdge | BeamGap, ...]:
        """Returns what was felt, written since a Unix time, in the order it was written."""
        rows = self._read(
            "SELECT kind, body FROM observed WHERE node = ? AND t_unix >= ? ORDER BY id", (node, since_unix)
        )
        try:
            return tuple((_EDGE if kind == "edge" else _GAP).validate_python(json_value(body)) for kind, body in rows)
        except (UnreadableError, ValidationError) as error:
            raise self._unreadable("an edge", error) from error

    # -- what happened

    def append(
        self,
        match: str,
        seq: int,
        event: Mapping[str, Any],
        ruling: Mapping[str, Any],
        t_unix: float,
        source: str = "",
        noted: Noted | None = None,
    ) -> None:
        """Writes one event with its ruling; durable on return. `noted`: what the table's clock said; see `noted`.
        `seq` must be higher than all that the match has. Writing the very same entry again changes nothing (a
        commit whose outcome was unknown may be repeated). Raises EventError if another entry has that number.
        """
        row = (_writable(match), seq, float(t_unix), _writable(source), _to_json(event), _to_json(ruling))
        with self._writing() as connection:
            latest = connection.execute("SELECT max(seq) FROM events WHERE match = ?", (match,)).fetchone()[0]
            if latest is not None and seq <= latest:
                there = connection.execute(
                    "SELECT match, seq, t_unix, source, event, ruling FROM events WHERE match = ? AND seq = ?",
                    (match, seq),
                ).fetchone()
                if there == row:
                    return
                raise EventError(
                    f"{self.path}: match {match} has {latest} events already; event {seq} cannot be written over. "
                    "Mend: read the journal again before going on"
                )
            connection.execute(
                "INSERT INTO matches(match, began, place) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                (match, float(t_unix), self.place),
            )
            connection.execute(
                "INSERT INTO events(match, seq, t_unix, source, event, ruling) VALUES (?, ?, ?, ?, ?, ?)", row
            )
            if noted is not None:
                connection.execute(
                    "INSERT INTO observed(node, boot, seq, kind, t_ns, t_unix, body) VALUES (?, ?, ?, ?, ?, ?, ?) "
                    "ON CONFLICT DO NOTHING",
                    ("table", row[0], seq, noted.kind, noted.t_ns, row[2], _to_json({"clock": noted.clock})),
                )

    def noted(self, match: str, kind: str, clock: str) -> int | None:
        """Returns what was noted last of a match, ns on that clock; None if nothing was, or of another clock."""
        rows = self._read(
            "SELECT t_ns, body, seq FROM observed WHERE node = 'table' AND boot = ? AND kind = ? "
            "ORDER BY seq DESC LIMIT 1",
            (match, kind),
        )
        if not rows:
            return None
        t_ns, body, seq = rows[0]
        return int(t_ns) if self._body(match, seq, body).get("clock") == clock else None

    def checkpoint(self) -> None:
        """Moves what is in the write-ahead log into the file itself, which then holds everything.

        A reader in the middle of something leaves the rest of it to the next time.
        """
        with self._guard:
            if self._connection is None or self.read_only:
                raise DeviceError(f"{self.path}: the journal is not open for writing")
            try:
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            except sqlite3.DatabaseError as error:
                raise self._trouble(error) from error

    def events(self, match: str) -> tuple[Entry, ...]:
        """Returns a match's entries in order; empty if there is no such match."""
        rows = self._read(
            "SELECT match, seq, t_unix, source, event, ruling FROM events WHERE match = ? ORDER BY seq", (match,)
        )
        return tuple(
            Entry(match, number, t_unix, source, *(self._body(match, number, body) for body in (event, ruling)))
            for match, number, t_unix, source, event, ruling in rows
        )

    def matches(self) -> tuple[MatchRow, ...]:
        """Returns the file's matches, oldest first."""
        rows = self._read(
            "SELECT matches.match, began, max(t_unix), count(*), place, "
            "(SELECT event FROM events AS first WHERE first.match = matches.match ORDER BY seq LIMIT 1) "
            "FROM matches JOIN events USING (match) GROUP BY matches.match ORDER BY min(events.id)"
        )
        found = []
        for match, began, latest, count, place, first in rows:
            start = self._body(match, 1, first)
            seats = start.get("seats")
            book = str(start.get("book", ""))
            found.append(
                MatchRow(match, began, latest, count, place, book, dict(seats) if isinstance(seats, dict) else {})
            )
        return tuple(found)

    def last_event(self, match: str) -> int:
        """Returns the number of a match's last event, 0 if there is no such match."""
        return int(self._read("SELECT coalesce(max(seq), 0) FROM events WHERE match = ?", (match,))[0][0])

    def latest_match(self) -> str | None:
        """Returns the match that was begun last, None in an empty journal."""
        rows = self._read("SELECT match FROM events ORDER BY id DESC LIMIT 1")
        return str(rows[0][0]) if rows else None

    def _body(self, match: str, seq: int, text: str) -> dict[str, Any]:
        try:
            return json_object(text, RECORD)
        except UnreadableError as error:
            raise self._unreadable(f"event {seq} of match {match}", error) from error

    def _unreadable(self, row: str, error: ValueError) -> ConfigError:
        says = str(error).splitlines()[0]
        return ConfigError(
            f"{self.path}: {row} {says}. Mend: move the file away, a new one is made, or set another [table] state"
        )

    # -- the file

    def _claim(self) -> None:
        beside = self.path.with_name(self.path.name + ".lock")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            fd = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise DeviceError(
                f"{self.path}: cannot be written ({error.strerror}). Mend: give this user the folder, or set another "
                "[table] state"
            ) from error
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(fd)
            raise DeviceError(
                f"{self.path}: another carrom is writing it. Mend: stop that one, or set another [table] state"
            ) from error
        self._lock_fd = fd

    def _release(self) -> None:
        # The lock file stays: removing it would let two writers lock two different files of one name.
        if self._lock_fd is not None:
            os.close(self._lock_fd)
            self._lock_fd = None

    def _open_to_write(self) -> sqlite3.Connection:
        try:
            connection = _connect(self.path.as_posix(), uri=False)
            try:
                _check_file(connection, self.path)
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("PRAGMA foreign_keys = ON")
                if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
                    connection.executescript(
                        f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA application_id = {APPLICATION_ID}; "
                        f"PRAGMA user_version = {FORMAT}; COMMIT;"
                    )
            except BaseException:
                connection.close()
                raise
        except sqlite3.DatabaseError as error:
            raise self._trouble(error) from error
        return connection

    def _open_to_read(self) -> sqlite3.Connection:
        if not self.path.is_file():
            raise ConfigError(f"{self.path}: there is no such journal. Mend: name the file, or set [table] state")
        try:
            # A journal on a disk that cannot be written has no room for the shared index that WAL wants;
            # then nobody else writes it either.
            for flags in ("mode=ro", "mode=ro&immutable=1"):
                connection = _connect(f"{self.path.absolute().as_uri()}?{flags}", uri=True)
                try:
                    _check_file(connection, self.path)
                except sqlite3.OperationalError:
                    connection.close()
                    if "immutable" in flags or os.access(self.path.parent, os.W_OK):
                        raise
                except BaseException:
                    connection.close()
                    raise
                else:
                    return connection
        except sqlite3.DatabaseError as error:
            raise self._trouble(error) from error
        raise AssertionError("unreachable")

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One commit: everything inside is durable when it is left, or nothing of it is there."""
        with self._guard:
            connection = self._connection
            if connection is None or self.read_only:
                raise DeviceError(f"{self.path}: the journal is not open for writing")
            try:
                connection.execute("BEGIN IMMEDIATE")
                yield connection
                connection.execute("COMMIT")
            except (sqlite3.IntegrityError, sqlite3.DataError, sqlite3.InterfaceError, OverflowError) as error:
                # What is to be written is to blame, not the disk: tried again it would be refused again.
                raise EventError(
                    f"{self.path}: cannot be written: {error}. Mend: enter it in another way; see the log"
                ) from error
            except sqlite3.DatabaseError as error:
                raise self._trouble(error) from error
            finally:
                # SQLite rolls back by itself on some errors and not on others.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def _read(self, sql: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        with self._guard:
            if self._connection is None:
                raise DeviceError(f"{self.path}: the journal is closed")
            try:
                return self._connection.execute(sql, values).fetchall()
            except sqlite3.DatabaseError as error:
                raise self._trouble(error) from error

    def _trouble(self, error: sqlite3.DatabaseError) -> ConfigError | DeviceError:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            return ConfigError(
                f"{self.path}: is no journal, or is damaged ({error}). Mend: move the file away, a new one is made, or "
                f"set another [table] state; `sqlite3 {self.path.name} .recover` reads what is left of the old one"
            )
        mend = {
            sqlite3.SQLITE_FULL: "make room on the disk",
            sqlite3.SQLITE_BUSY: "stop the program that holds the file (a backup, an editor)",
            sqlite3.SQLITE_READONLY: "let this user write the file and its folder",
            sqlite3.SQLITE_CANTOPEN: "check that the path is a file and this user may read and write it",
        }.get(code, "check the disk (`dmesg`) and the space on it")
        return DeviceError(f"{self.path}: {error}. Mend: {mend}")


def _connect(where: str, *, uri: bool) -> sqlite3.Connection:
    return sqlite3.connect(where, uri=uri, timeout=BUSY_S, isolation_level=None, check_same_thread=False)


def _check_file(connection: sqlite3.Connection, path: Path) -> None:
    found = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if found != APPLICATION_ID and (tables or version):
        raise ConfigError(
            f"{path}: is an SQLite file, but no journal of ours. Mend: name another file, or set another [table] state"
        )
    if version > FORMAT:
        raise ConfigError(
            f"{path}: was written by a newer carrom (format {version}, this one reads {FORMAT}). Mend: update carrom, "
            "or set another [table] state"
        )
    says = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if says != "ok":
        first = str(says).strip().splitlines()[-1]
        raise ConfigError(
            f"{path}: is damaged ({first}). Mend: move the file away, a new one is made, or set another [table] state; "
            f"`sqlite3 {path.name} .recover` reads what is left of the old one"
        )


def _to_json(body: Mapping[str, Any]) -> str:
    try:
        text = _writable(json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")))
        # Only what can be read back is written: one row that cannot be would keep the table from starting again.
        json_object(text, RECORD)
    except (TypeError, ValueError, RecursionError) as error:
        raise EventError(f"an event that is no JSON cannot be written down: {error}") from error
    return text


def _writable(text: str) -> str:
    """Half a character that slipped through all doors becomes "?": it must not cost the entry it stands in."""
    return text.encode("utf-8", "replace").decode()
