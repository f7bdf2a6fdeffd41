"""The file of a season's matches: SQLite in WAL mode, opened for each reading and writing alone.

So the hub, another hub and `carrom season` share it; SQLite lets one of them write at a time. What follows from the
matches is `season`'s matter. Results are in it, and what the club's desk decided; nothing else.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from pydantic import ValidationError

from controller.events.doors import name_key
from controller.events.errors import ConfigError, DeviceError
from controller.hub.desk import Act, walked_over
from controller.hub.said import ResultSaid
from controller.hub.season import FORGOTTEN, Kept, without

BUSY_S = 5.0
"""So long one waits for another who writes."""
MOST_RESULTS = 200_000
"""With those that were corrected. More than any season has: somebody who makes matches up must not fill the disk."""
APPLICATION_ID = 0x43415253
"""«CARS», in the file's header: tells a season from other SQLite files."""
FORMAT = 2
"""Since 2 there are the desk's acts; a file of format 1 is brought up by the first of them."""
MOST_ACTS = 20_000
"""More than any season has."""

_OF_ACT = "fixture, what, at_s, until, place, result"
_ACTS = (
    "CREATE TABLE acts(id INTEGER PRIMARY KEY, fixture TEXT NOT NULL UNIQUE, what TEXT NOT NULL, "
    "at_s REAL NOT NULL, until TEXT NOT NULL, place TEXT NOT NULL, result TEXT) STRICT",
    f"PRAGMA user_version = {FORMAT}",
)
_TABLES = (
    f"PRAGMA application_id = {APPLICATION_ID}",
    "CREATE TABLE matches(id INTEGER PRIMARY KEY, match TEXT NOT NULL, place TEXT NOT NULL, "
    "forgotten INTEGER NOT NULL DEFAULT 0, result TEXT NOT NULL) STRICT",
    "CREATE INDEX matches_by_name ON matches(match)",
    "CREATE TABLE replaced(id INTEGER PRIMARY KEY, kept INTEGER NOT NULL REFERENCES matches(id), "
    "result TEXT NOT NULL) STRICT",
    *_ACTS,
)


class SeasonFile:
    """A season's matches on disk. All methods raise ConfigError and DeviceError, which say how to repair it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def put(self, results: Iterable[tuple[str, ResultSaid]], *, missing_only: bool = False) -> int:
        """Keeps results, each with its table's id, all or none. Returns how many the file did not know.

        A result read again changes nothing; one that ended later, or says something else, takes the place of what was
        kept, unless only what is missing is wanted.
        """
        if not self.path.exists():
            self._make()
        with self._opened() as connection, _writing(connection):
            return sum(self._put(connection, table, result, missing_only) for table, result in results)

    def matches(self) -> list[Kept]:
        """All matches and the walkovers that hold, in the order in which they ended."""
        with self._opened(write=False) as connection:
            before: dict[int, list[ResultSaid]] = {}
            for kept, body in connection.execute("SELECT kept, result FROM replaced ORDER BY id"):
                before.setdefault(kept, []).append(self._read(body))
            found = [
                Kept(place, self._read(body), tuple(before.get(row, ())))
                for row, place, body in connection.execute("SELECT id, place, result FROM matches ORDER BY id")
            ]
            found += [Kept(act.table, result) for act in self._acts(connection) if (result := walked_over(act))]
        return sorted(found, key=lambda one: one.result.end)

    def decide(self, act: Act) -> bool:
        """Keeps an act of the desk in the place of the one about the same fixture. Returns whether it changes anything;
        one that says the same again leaves the first as it is."""
        if not self.path.exists():
            self._make()
        with self._opened() as connection, _writing(connection):
            if not _has_acts(connection):
                for statement in _ACTS:
                    connection.execute(statement)
            acts = {one.fixture: one for one in self._acts(connection)}
            before = acts.get(act.fixture)
            if act.repeats(before) or (act.what == "undone" and before is None):
                return False
            if before is None and len(acts) >= MOST_ACTS:
                raise DeviceError(f"{self.path}: holds {MOST_ACTS} acts. Mend: name another file in [hub] season")
            connection.execute("DELETE FROM acts WHERE fixture = ?", (act.fixture,))
            if act.what != "undone":
                row = (act.fixture, act.what, act.at_s, act.until, act.table, act.result and _body(act.result))
                connection.execute(f"INSERT INTO acts({_OF_ACT}) VALUES (?, ?, ?, ?, ?, ?)", row)
        return True

    def acts(self) -> list[Act]:
        """The desk's acts that hold, oldest first; none where there is no file yet."""
        if not self.path.exists():
            return []
        with self._opened(write=False) as connection:
            return self._acts(connection)

    def _acts(self, connection: sqlite3.Connection) -> list[Act]:
        if not _has_acts(connection):
            return []
        return [
            Act(fixture, what, at_s, until, place, self._read(body) if body else None)
            for fixture, what, at_s, until, place, body in connection.execute(f"SELECT {_OF_ACT} FROM acts ORDER BY id")
        ]

    def version(self) -> tuple[object, ...]:
        """What is another one whenever the file was written."""
        files = (self.path, self._log)
        return tuple((one.st_ino, one.st_mtime_ns, one.st_size) for one in (f.stat() for f in files if f.exists()))

    @property
    def _log(self) -> Path:
        return self.path.with_name(f"{self.path.name}-wal")

    def forget(self, name: str) -> int:
        """Puts a neutral word in the place of a name, and leaves no byte of it in the file. Returns in how many matches
        it stood.

        Those matches are not changed any more: their tables may still publish the name.
        """
        key, found = name_key(name), set[int]()
        with self._opened() as connection:
            connection.execute("PRAGMA secure_delete = ON")
            with _writing(connection):
                for table, kept in (("matches", "id"), ("replaced", "kept")):
                    for row, match, body in connection.execute(f"SELECT id, {kept}, result FROM {table}").fetchall():
                        before = self._read(body)
                        if (after := without(before, key)) is not before:
                            connection.execute(f"UPDATE {table} SET result = ? WHERE id = ?", (_body(after), row))
                            found.add(match)
                connection.executemany("UPDATE matches SET forgotten = 1 WHERE id = ?", [(row,) for row in found])
                given = self._forget_walkovers(connection, key)
            # Also where nothing was found: an earlier try may have been ended before this.
            connection.execute("VACUUM")
            if connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                raise DeviceError(
                    f"{self.path}: another program reads it, so what was deleted may still be in {self._log.name}. "
                    "Mend: stop that one and say it again"
                )
        return len(found) + given

    def _forget_walkovers(self, connection: sqlite3.Connection, key: str) -> int:
        """Returns in how many it stood."""
        if not _has_acts(connection):
            return 0
        count = 0
        rows = connection.execute("SELECT id, fixture, result FROM acts WHERE result IS NOT NULL").fetchall()
        for row, fixture, body in rows:
            before = self._read(body)
            given = tuple(
                one.model_copy(update={"why": FORGOTTEN}) if key in name_key(one.why) else one
                for one in before.given or ()
            )
            after = without(before, key)
            if after is before and given == before.given:
                continue
            # The fixture's name is made of the players' names, and whoever guesses them could make it again.
            name = fixture if after is before else f"forgotten-{row}"
            after = after.model_copy(update={"match": f"walkover-{name}", "given": given})
            connection.execute("UPDATE acts SET fixture = ?, result = ? WHERE id = ?", (name, _body(after), row))
            count += 1
        return count

    def _put(self, connection: sqlite3.Connection, table: str, result: ResultSaid, missing_only: bool) -> int:
        rows = connection.execute(
            "SELECT id, place, forgotten, result FROM matches WHERE match = ?", (result.match,)
        ).fetchall()
        for row, place, forgotten, body in rows:
            kept = self._read(body)
            # Two tables may name two matches alike: each takes the time at which it began.
            if not forgotten and place != table and _who(kept) != _who(result):
                continue
            if forgotten or missing_only or result.end < kept.end or result == kept:
                return 0
            connection.execute("INSERT INTO replaced(kept, result) VALUES (?, ?)", (row, body))
            connection.execute("UPDATE matches SET result = ? WHERE id = ?", (_body(result), row))
            return 1
        (full,) = connection.execute(
            "SELECT coalesce((SELECT max(id) FROM matches), 0) + coalesce((SELECT max(id) FROM replaced), 0) >= ?",
            (MOST_RESULTS,),
        ).fetchone()
        if full:
            raise DeviceError(f"{self.path}: holds {MOST_RESULTS} results. Mend: name another file in [hub] season")
        connection.execute(
            "INSERT INTO matches(match, place, result) VALUES (?, ?, ?)", (result.match, table, _body(result))
        )
        return 1

    def _read(self, body: str) -> ResultSaid:
        try:
            return ResultSaid.model_validate_json(body, strict=True)
        except ValidationError as error:
            raise self._damaged("a match in it cannot be read") from error

    def _make(self) -> None:
        """Makes the file under another name first: whoever is faster, or is ended in between, leaves a whole one."""
        fresh = self.path.with_name(f"{self.path.name}.{os.getpid()}.new")
        try:
            fresh.unlink(missing_ok=True)
            with closing(sqlite3.connect(fresh, isolation_level=None)) as connection:
                connection.execute("PRAGMA journal_mode = WAL")
                with _writing(connection):
                    for statement in _TABLES:
                        connection.execute(statement)
            with suppress(FileExistsError):
                os.link(fresh, self.path)
        except sqlite3.DatabaseError as error:
            raise self._trouble(error) from error
        except OSError as error:
            raise self._unwritable(error.strerror or "") from error
        finally:
            with suppress(OSError):
                fresh.unlink(missing_ok=True)

    @contextmanager
    def _opened(self, *, write: bool = True) -> Iterator[sqlite3.Connection]:
        if not self.path.is_file():
            why = "is no file" if self.path.exists() else "there is no such season"
            raise ConfigError(f"{self.path}: {why}. Mend: set [hub] season to a file; the hub makes it")
        # Where nobody can write there is no room for the index that WAL wants, and nobody who changes the file.
        still = not (write or self._log.exists() or os.access(self.path.parent, os.W_OK))
        # Else also who only reads may write: so the last one to close it takes log and index away.
        how = "mode=ro&immutable=1" if still else "mode=rw"
        try:
            with closing(
                sqlite3.connect(f"{self.path.absolute().as_uri()}?{how}", BUSY_S, uri=True, isolation_level=None)
            ) as connection:
                if connection.execute("PRAGMA application_id").fetchone() != (APPLICATION_ID,):
                    raise self._damaged("it says that it is something else")
                if connection.execute("PRAGMA user_version").fetchone()[0] > FORMAT:
                    raise ConfigError(f"{self.path}: is of a newer carrom. Mend: bring this one up to date")
                yield connection
        except sqlite3.DatabaseError as error:
            raise self._trouble(error) from error

    def _trouble(self, error: sqlite3.DatabaseError) -> ConfigError | DeviceError:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR):
            return self._damaged(str(error))
        if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
            return self._unwritable(str(error))
        mend = {
            sqlite3.SQLITE_FULL: "make room on the disk",
            sqlite3.SQLITE_BUSY: "stop the program that holds the file (a backup, an editor)",
        }.get(code, "check the disk (`dmesg`) and the space on it")
        return DeviceError(f"{self.path}: {error}. Mend: {mend}")

    def _damaged(self, why: str) -> ConfigError:
        return ConfigError(
            f"{self.path}: is no season, or is damaged ({why}). Mend: put it back from a copy, or name another file in "
            "[hub] season and fill it with carrom season refill"
        )

    def _unwritable(self, why: str) -> DeviceError:
        return DeviceError(f"{self.path}: {why}. Mend: let this user write the file and its folder")


def _has_acts(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("PRAGMA user_version").fetchone()[0] >= FORMAT)


def _body(result: ResultSaid) -> str:
    return result.model_dump_json()


def _who(result: ResultSaid) -> list[str]:
    return sorted(name_key(name) for side in result.sides for name in side.players)


@contextmanager
def _writing(connection: sqlite3.Connection) -> Iterator[None]:
    """One commit: everything inside is there when it is left, or nothing of it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
