"""Matches leave a journal whole, without a row of it ever being deleted: a new file is written without them.

The new file is held against the old one row by row and then takes its name in one step; what was moved out lies in
journals of its own by then, and the file as it was before beside it. Whatever happens in between, every match is in
the journal, in the archive, or in both. Must not know when a match may go: see `due`'s caller.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from urllib.parse import quote

from controller.events.errors import CarromError, ConfigError, DeviceError
from controller.journal.journal import Journal, MatchRow
from controller.journal.mark import marked_match
from controller.journal.schema import APPLICATION_ID, has, make, remove, settle

DAY_S = 86_400.0
STAYING = 2
"""The latest matches, which always stay: a restart goes on with the last one, and knows by the one before which strokes
have been ruled on. All others have ended, finished or not."""

_HEADER = slice(68, 72)
"""Where SQLite keeps the application id."""


@dataclass(frozen=True, slots=True)
class MovedOut:
    """What left a journal: the matches, and the files they lie in now (none where they were deleted for good)."""

    matches: tuple[str, ...]
    archives: tuple[Path, ...]


def due(rows: Sequence[MatchRow], now_unix: float, keep_days: float) -> tuple[str, ...]:
    """Returns the matches whose last event is older than so many days, none for 0. `rows`: oldest first."""
    if keep_days <= 0:
        return ()
    return tuple(row.match for row in rows[:-STAYING] if row.latest < now_unix - keep_days * DAY_S)


def before_of(path: Path) -> Path:
    """Returns where the journal lies as it was before matches were moved out last."""
    return path.with_name(path.name + ".before")


def move_out(journal: Journal, names: Collection[str], archive: Path | None, now_unix: float) -> MovedOut:
    """Moves matches out of a journal that is open for writing, into the folder `archive`, a journal each; None: they
    are deleted for good, and so is the copy that an earlier call left.

    Raises ConfigError for a match that cannot go, DeviceError where the disk or another reader of the file is to
    blame; the journal has all its matches then.
    """
    rows = journal.matches()
    _check(journal, names, rows)
    gone = tuple(row.match for row in rows if row.match in set(names))
    if not gone:
        return MovedOut((), ())
    path = journal.path
    fresh = path.with_name(path.name + ".pruned")
    into = [_archive_file(archive, journal.place, match) for match in gone] if archive is not None else []
    archives = tuple(extract(path, match, to) for match, to in zip(gone, into, strict=False))
    kept = frozenset(row.match for row in rows) - set(gone)
    with _in_words(path):
        try:
            with _written(path, fresh) as connection:
                _copy(connection, kept, _felt_without(connection, gone, kept))
                moved = [(match, now_unix, file.name) for match, file in zip_longest(gone, archives, fillvalue=Path())]
                connection.execute("INSERT INTO moved SELECT * FROM old.moved ORDER BY rowid")
                connection.executemany("INSERT INTO moved VALUES (?, ?, ?)", moved)
            journal.replace_by(fresh, before_of(path) if archive is not None else None)
            if archive is None:
                remove(before_of(path))
        finally:
            remove(fresh)
    return MovedOut(gone, archives)


def extract(path: Path, match: str, to: Path) -> Path:
    """Writes one match, with what was felt in it, as a journal of its own; returns it. The journal stays as it is.

    Raises DeviceError.
    """
    fresh = to.with_name(to.name + ".new")
    with _in_words(to):
        to.parent.mkdir(parents=True, exist_ok=True)
        try:
            with _written(path, fresh) as connection:
                _copy(connection, {match}, _felt_in(connection, match))
            settle(fresh, to)
        finally:
            remove(fresh)
    return to


@contextmanager
def _in_words(path: Path) -> Iterator[None]:
    try:
        yield
    except CarromError:
        raise
    except (OSError, sqlite3.DatabaseError) as error:
        says = getattr(error, "strerror", None) or error
        raise DeviceError(
            f"{path}: cannot be written, no match was moved: {says}. Fix: make room on the disk, let this user write "
            "there, or name another folder"
        ) from error


def forget_archived(folder: Path, journal: Path, older_than_unix: float) -> tuple[Path, ...]:
    """Deletes what was moved out before a Unix time: archived journals and the journal's copy of before. Files that
    are no journals of ours stay. Returns what is gone."""
    found = sorted(folder.glob("*.sqlite")) if folder.is_dir() else []
    old = [file for file in (*found, before_of(journal)) if _is_ours(file) and file.stat().st_mtime < older_than_unix]
    for file in old:
        remove(file)
    return tuple(old)


def _check(journal: Journal, names: Collection[str], rows: Sequence[MatchRow]) -> None:
    known = {row.match for row in rows}
    for name in names:
        if name not in known:
            raise ConfigError(f"{journal.path}: there is no match {name}. Fix: `carrom journal list` names them")
        if name in {row.match for row in rows[-STAYING:]} | {journal.latest_match(), marked_match(journal.path)}:
            raise ConfigError(
                f"{journal.path}: match {name} is one of the two latest, which the table goes on from. "
                "Fix: wait until two more have begun"
            )


def _archive_file(archive: Path, place: str, match: str) -> Path:
    return archive / (quote("-".join(filter(None, (place, match))), safe=" ") + ".sqlite")


@contextmanager
def _written(path: Path, fresh: Path) -> Iterator[sqlite3.Connection]:
    """A new journal that is being filled from the one at `path` (attached as `old`), in one transaction. Held against
    it row by row when the block is left: `chosen` and `felt` say what was to be taken over."""
    remove(fresh)
    with closing(sqlite3.connect(fresh, isolation_level=None)) as connection:
        make(connection)
        connection.execute("ATTACH ? AS old", (path.as_posix(),))
        connection.execute("CREATE TEMP TABLE chosen(match TEXT PRIMARY KEY)")
        connection.execute("CREATE TEMP TABLE felt(id INTEGER PRIMARY KEY)")
        connection.execute(_SPANS)
        connection.execute("BEGIN IMMEDIATE")
        yield connection
        connection.execute("COMMIT")
        for table, chosen in _taken(connection):
            then = connection.execute(f"SELECT * FROM old.{table} WHERE {chosen} ORDER BY 1")
            now = connection.execute(f"SELECT * FROM main.{table} ORDER BY 1")
            if any(one != other for one, other in zip_longest(then, now)):
                raise sqlite3.DatabaseError(f"the new file's {table} are not the old one's")
        says = connection.execute("PRAGMA main.quick_check(1)").fetchone()[0]
        if says != "ok":
            raise sqlite3.DatabaseError(f"the new file is damaged ({says})")


# What was felt belongs to the match that had begun: by the order in which it was written, since the wall's clock may
# have jumped. The table's own notes (node `table`) name their match.
_SPANS = """CREATE TEMP TABLE spans AS
  SELECT boot AS match, id AS since, lead(id, 1, 9223372036854775807) OVER (ORDER BY id) AS until
  FROM old.observed WHERE node = 'table' AND kind = 'began'"""
_THEIRS = """
  SELECT id FROM old.observed WHERE node = 'table' AND boot IN ({names})
  UNION SELECT id FROM old.observed JOIN spans ON id >= since AND id < until
  WHERE node <> 'table' AND match IN ({names})"""

_TAKEN = {
    "matches": "match IN (SELECT match FROM chosen)",
    "events": "match IN (SELECT match FROM chosen)",
    "chain": "match IN (SELECT match FROM chosen)",
    "observed": "id IN (SELECT id FROM felt)",
}


def _copy(connection: sqlite3.Connection, matches: Collection[str], felt: str) -> None:
    """Takes matches over with their numbers, and the rows of `observed` that the question `felt` names."""
    connection.executemany("INSERT INTO chosen VALUES (?)", [(match,) for match in matches])
    connection.execute(f"INSERT INTO felt {felt}")
    for table, chosen in _taken(connection):
        connection.execute(f"INSERT INTO main.{table} SELECT * FROM old.{table} WHERE {chosen} ORDER BY 1")


def _taken(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """The tables that are taken over, and which rows of each: an older file that is only read lacks some."""
    version = connection.execute("PRAGMA old.user_version").fetchone()[0]
    return ((table, chosen) for table, chosen in _TAKEN.items() if has(table, version))


def _felt_in(connection: sqlite3.Connection, match: str) -> str:
    return _THEIRS.format(names=_quoted(connection, [match]))


def _felt_without(connection: sqlite3.Connection, gone: Collection[str], kept: Collection[str]) -> str:
    names = _quoted(connection, gone)
    began = {match for (match,) in connection.execute("SELECT match FROM spans")}
    if not set(kept) <= began:
        # Where nobody noted when a match that stays began, what was felt may be its own: all of it stays.
        theirs = f"SELECT id FROM old.observed WHERE node = 'table' AND boot IN ({names})"
    else:
        # Of every run of a node the highest number stays: by it the node is told from where on it is to send.
        latest = "SELECT id, max(seq) FROM old.observed WHERE seq IS NOT NULL AND node <> 'table' GROUP BY node, boot"
        theirs = f"SELECT id FROM ({_THEIRS.format(names=names)}) EXCEPT SELECT id FROM ({latest})"
    return f"SELECT id FROM old.observed EXCEPT SELECT id FROM ({theirs})"


def _quoted(connection: sqlite3.Connection, texts: Iterable[str]) -> str:
    return ", ".join(connection.execute("SELECT quote(?)", (text,)).fetchone()[0] for text in texts)


def _is_ours(file: Path) -> bool:
    try:
        with file.open("rb") as stream:
            head = stream.read(_HEADER.stop)
    except OSError:
        return False
    return head[_HEADER] == APPLICATION_ID.to_bytes(4, "big")
