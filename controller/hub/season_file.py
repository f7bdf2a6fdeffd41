"""The file of a season's matches: SQLite in WAL mode, opened for each reading and writing alone.

So the hub, another hub and `carrom season` share it; SQLite lets one of them write at a time.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from controller.events.errors import ConfigError, DeviceError
from controller.hub.season_store import ACTS, FORMAT, MATCHES, NoSeasonError, SeasonStore

BUSY_S = 5.0
"""So long one waits for another who writes."""
APPLICATION_ID = 0x43415253
"""«CARS», in the file's header: tells a season from other SQLite files."""


class SeasonFile(SeasonStore):
    """A season in a file."""

    kind = "file"

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = str(path)

    def version(self) -> tuple[object, ...]:
        """Inode, time and size of the file and its log."""
        files = (self.path, self._log)
        return tuple((one.st_ino, one.st_mtime_ns, one.st_size) for one in (f.stat() for f in files if f.exists()))

    @property
    def _log(self) -> Path:
        return self.path.with_name(f"{self.path.name}-wal")

    def _has_acts(self, connection: sqlite3.Connection) -> bool:
        return bool(connection.execute("PRAGMA user_version").fetchone()[0] >= FORMAT)

    def _has_amendments(self, connection: sqlite3.Connection) -> bool:
        return bool(connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'amendments'").fetchone())

    def _add_acts(self, connection: sqlite3.Connection) -> None:
        connection.execute(f"{ACTS} STRICT")
        connection.execute(f"PRAGMA user_version = {FORMAT}")

    @contextmanager
    def _writing(self, connection: sqlite3.Connection) -> Iterator[None]:
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    @contextmanager
    def _erasing(self, connection: sqlite3.Connection) -> Iterator[None]:
        connection.execute("PRAGMA secure_delete = ON")
        with self._writing(connection):
            yield
        # Also where nothing was found: an earlier try may have been ended before this.
        connection.execute("VACUUM")
        if connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            raise DeviceError(
                f"{self.path}: another program reads it, so what was deleted may still be in {self._log.name}. "
                "Fix: stop that one and say it again"
            )

    def _make(self) -> None:
        """Makes the file under another name first: whoever is faster, or is ended in between, leaves a whole one."""
        fresh = self.path.with_name(f"{self.path.name}.{os.getpid()}.new")
        try:
            fresh.unlink(missing_ok=True)
            with closing(sqlite3.connect(fresh, isolation_level=None)) as connection:
                connection.execute("PRAGMA journal_mode = WAL")
                with self._writing(connection):
                    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                    for statement in MATCHES:
                        connection.execute(f"{statement} STRICT" if "TABLE" in statement else statement)
                    self._add_acts(connection)
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
    def _opened(self, *, write: bool = True, make: bool = False) -> Iterator[sqlite3.Connection]:
        fix = "Fix: set [hub] season to a file; the hub makes it"
        if not self.path.exists():
            if not make:
                raise NoSeasonError(f"{self.path}: there is no such season. {fix}")
            self._make()
        if not self.path.is_file():
            raise ConfigError(f"{self.path}: is no file. {fix}")
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
                self._checked(connection.execute("PRAGMA user_version").fetchone()[0])
                yield connection
        except sqlite3.DatabaseError as error:
            raise self._trouble(error) from error

    def _trouble(self, error: sqlite3.DatabaseError) -> ConfigError | DeviceError:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR):
            return self._damaged(str(error))
        if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
            return self._unwritable(str(error))
        fix = {
            sqlite3.SQLITE_FULL: "make room on the disk",
            sqlite3.SQLITE_BUSY: "stop the program that holds the file (a backup, an editor)",
        }.get(code, "check the disk (`dmesg`) and the space on it")
        return DeviceError(f"{self.path}: {error}. Fix: {fix}")

    def _unwritable(self, why: str) -> DeviceError:
        return DeviceError(f"{self.path}: {why}. Fix: let this user write the file and its folder")
