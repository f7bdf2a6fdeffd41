"""One SQLite file of ours: who may write it, how it is opened and checked, one commit at a time, its troubles in words.

Append-only by triggers, durable by WAL and synchronous=FULL. One writer at a time, held by a lock beside the file;
readers may come and go. Must not know what stands in its rows.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from controller.events.doors import fix_of
from controller.events.errors import ConfigError, DeviceError, EventError
from controller.journal.schema import APPLICATION_ID, FORMAT, bring_up, check_names, format_of, make, settle

BUSY_S = 2.0
"""How long a commit waits for another process that holds the file (a backup, a copy being made)."""

DURABLE = ("", "-wal")
"""The endings of the files that hold what was written."""

_INDEX_HEAD_BYTES = 96
"""Of the log's index: its head, twice."""

TROUBLES = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What SQLite raises; the second where its own words name something damaged that is no text any more."""

_mapped: dict[Path, int] = {}
"""How many bytes of an index are mapped. SQLite maps it once for all connections of a process, so it is known once."""


class DamagedError(ConfigError):
    """A file is no journal of ours, or is damaged: `why`. What can be read of it is saved by `salvage`."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(
            f"{path}: {why}. Fix: put it back from a copy, with its -wal file; or start the table: it sets the file "
            "aside, saves what can be read of it and says what is missing"
        )
        self.why = why


class GoneError(DeviceError):
    """What lies under the journal's name is not what is open, or was cut short: `why`. It can be written anew."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path}: {why}. Fix: leave it alone; it is written anew by itself")
        self.why = why


class HeldError(DeviceError):
    """Another process writes the file."""


class JournalFile:
    """The file under a journal. Opened by `open()` (or `with`), for writing or only for reading. `untouched`: where
    nobody has it open, reading leaves no file beside it; and it is examined as closely as for writing."""

    def __init__(self, path: Path | str, *, read_only: bool = False, untouched: bool = False, place: str = "") -> None:
        self.path = Path(path)
        self.read_only = read_only
        self._untouched = untouched
        self.place = place
        self._connection: sqlite3.Connection | None = None
        self._guard = threading.Lock()
        self._lock_fd: int | None = None
        self._files: dict[Path, os.stat_result] = {}
        """What is open, as it was after the last commit."""
        self.waits_for = ""
        """Why nothing can be written until further notice, and the fix; empty where it can. See `open_waiting`."""

    def open(self) -> Self:
        """Opens the file, making it if it is not there (not when reading only), and returns itself."""
        if not self.path.name:  # "." and "/", beside which nothing can lie
            raise ConfigError(f"{self.path}: is a folder, no journal. Fix: name the file, or set [table] state")
        self._repair_index()
        if self.read_only:
            self._connection = self._open_to_read()
        else:
            self._claim()
            try:
                self._connection = self._open_to_write()
            except BaseException:
                self._release()
                raise
            self._know()
        return self

    def open_waiting(self) -> Self:
        """Opens the file; where the disk or its rights forbid writing, what is there is read, and the first write
        that finds the hindrance gone opens it as usual. Until then a file that is not there, or damaged, has no match.

        Raises HeldError; ConfigError for a file that is not ours; DeviceError for one that cannot even be read now: a
        match under way would be begun anew over it."""
        try:
            return self.open()
        except HeldError:
            raise
        except DeviceError as error:
            why = str(error)
        try:
            # Path.exists() raises where the folder is closed to us.
            there = os.path.exists(self.path)  # noqa: PTH110
            self._connection = self._open_to_read() if there else _without_a_file()
        except DamagedError:
            self._connection = _without_a_file()
        self.waits_for = why
        return self

    def _open_now(self) -> None:
        """Opens for writing what was waiting for it. Raises DeviceError while it still cannot be written."""
        waiting, self._connection = self._connection, None
        try:
            self.open()
        except DeviceError as error:
            self._connection, self.waits_for = waiting, str(error)
            raise
        except BaseException:
            self._connection = waiting
            raise
        self.waits_for = ""
        if waiting is not None:
            waiting.close()

    def close(self) -> None:
        """Closes the file and lets another writer in. May be called twice."""
        with self._guard:
            self._disconnect()
        self._release()

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._repair_index()
            self._connection.close()
            self._connection = None

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _claim(self) -> None:
        beside = self.path.with_name(self.path.name + ".lock")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            fd = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            fix = fix_of(error, "give this user the folder, or set another [table] state")
            raise DeviceError(f"{self.path}: cannot be written ({error.strerror}). Fix: {fix}") from error
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(fd)
            raise HeldError(
                f"{self.path}: another carrom is writing it. Fix: stop that one, or set another [table] state"
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
                _check_file(connection, self.path, "integrity_check")
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("PRAGMA foreign_keys = ON")
                if format_of(connection) == 0:
                    make(connection)
                elif format_of(connection) < FORMAT:
                    self._bring_up(connection)
            except BaseException:
                connection.close()
                raise
        except TROUBLES as error:
            raise self._trouble(error) from error
        return connection

    def _bring_up(self, connection: sqlite3.Connection) -> None:
        try:
            bring_up(connection, self.path)
        except OSError as error:
            raise DeviceError(
                f"{self.path}: is of an older carrom and cannot be copied before it is brought up to date "
                f"({error.strerror}). Fix: make room on the disk, or let this user write the folder"
            ) from error

    def _open_to_read(self) -> sqlite3.Connection:
        if not self.path.is_file():
            raise ConfigError(f"{self.path}: there is no such journal. Fix: name the file, or set [table] state")
        try:
            # A journal on a disk that cannot be written has no room for the shared index that WAL wants;
            # then nobody else writes it either.
            still = self._untouched and not self._beside("-wal").exists()
            for flags in ("mode=ro", "mode=ro&immutable=1")[still:]:
                connection = _connect(f"{self.path.absolute().as_uri()}?{flags}", uri=True)
                try:
                    _check_file(connection, self.path, "integrity_check" if self._untouched else "quick_check")
                except sqlite3.OperationalError:
                    connection.close()
                    if "immutable" in flags or os.access(self.path.parent, os.W_OK):
                        raise
                except BaseException:
                    connection.close()
                    raise
                else:
                    return connection
        except TROUBLES as error:
            raise self._trouble(error) from error
        raise AssertionError("unreachable")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One commit: everything inside is durable when it is left, or nothing of it is there."""
        with self._guard:
            if self.waits_for and self._connection is not None:
                self._open_now()
            connection = self._connection
            if connection is None or self.read_only:
                raise DeviceError(f"{self.path}: the journal is not open for writing")
            self._check_files()
            try:
                connection.execute("BEGIN IMMEDIATE")
                yield connection
                connection.execute("COMMIT")
                # What was committed to files that nobody will find again is not saved.
                self._check_files()
                self._know()
            except (sqlite3.IntegrityError, sqlite3.DataError, sqlite3.InterfaceError, OverflowError) as error:
                # What is to be written is to blame, not the disk: tried again it would be refused again.
                raise EventError(
                    f"{self.path}: cannot be written: {error}. Fix: enter it in another way; see the log"
                ) from error
            except TROUBLES as error:
                raise self._trouble(error) from error
            finally:
                # SQLite rolls back by itself on some errors and not on others.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def look(self) -> None:
        """Raises GoneError where what was written would not be found again; nothing where nothing is open to write."""
        with self._guard:
            if self._connection is not None and not self.read_only:
                self._check_files()

    def _check_files(self) -> None:
        self._repair_index()
        for file, known in self._files.items():
            try:
                now = file.stat()
            except OSError as error:
                raise GoneError(
                    self.path, f"{file.name} was taken away while the table ran ({error.strerror})"
                ) from error
            if not os.path.samestat(known, now):
                raise GoneError(self.path, f"{file.name} was replaced while the table ran")
            if now.st_size < known.st_size:
                raise GoneError(self.path, f"{file.name} was cut short while the table ran")

    def _is_known(self, file: Path) -> bool:
        known = self._files.get(file)
        return known is not None and file.exists() and os.path.samestat(known, file.stat())

    def _know(self) -> None:
        self._files = {file: file.stat() for file in map(self._beside, DURABLE) if file.exists()}

    def _beside(self, ending: str) -> Path:
        return self.path.with_name(self.path.name + ending)

    def _repair_index(self) -> None:
        """SQLite maps the index of the write-ahead log into memory: touched beyond the file's end, it would end the
        process (SIGBUS). Where it was cut short it gets its length back and a head of zeros: SQLite makes it anew then.
        """
        index = self._beside("-shm").absolute()
        with suppress(OSError):
            size, mapped = index.stat().st_size, _mapped.get(index, 0)
            if size < mapped:
                os.truncate(index, mapped)
                with index.open("r+b") as stream:
                    stream.write(bytes(_INDEX_HEAD_BYTES))
            _mapped[index] = max(size, mapped)

    def salvaging(self) -> sqlite3.Connection | None:
        """What is open, for reading what is left of it while nobody writes; None where nothing is."""
        self._repair_index()
        return self._connection

    def start_over(self, fresh: Path, aside: Callable[[Path, bool], Path | None]) -> Path | None:
        """Puts a finished file under the journal's name and goes on with it. `aside`: gives what lies there another
        name, which is returned; it is given whether the log there is the file's own. Raises CarromError, OSError.
        """
        with self._guard:
            self._release()
            self._claim()
            # Under another name first: closing would move the log of a damaged file into it.
            named = aside(self.path, self._is_known(self.path) or not self._is_known(self._beside("-wal")))
            with suppress(sqlite3.Error):
                self._disconnect()
            self._connection = None
            settle(fresh, self.path)
            self._connection = self._open_to_write()
            self._know()
            self.waits_for = ""
        return named

    def replace_by(self, fresh: Path, before: Path | None) -> None:
        """Puts a finished file in this one's place, in one step, and goes on with it. `before`: the name under which
        this one is kept. Raises DeviceError while somebody else reads this one; OSError; it stays then.
        """
        with self._guard:
            if self._connection is None or self.read_only:
                raise DeviceError(f"{self.path}: the journal is not open for writing")
            try:
                # Nothing may be left in a write-ahead log: SQLite would take it for the new file's.
                alone = self._connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0] == "delete"
            except TROUBLES as error:
                raise self._trouble(error) from error
            if not alone:
                raise DeviceError(f"{self.path}: another program reads it. Fix: stop that one")
            self._disconnect()
            try:
                if before is not None:
                    before.unlink(missing_ok=True)
                    os.link(self.path, before)
                settle(fresh, self.path)
            finally:
                self._connection = self._open_to_write()
                self._know()

    def read(self, sql: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """Returns the rows of a question to the file."""
        with self._guard:
            if self._connection is None:
                raise DeviceError(f"{self.path}: the journal is closed")
            self._repair_index()
            try:
                return self._connection.execute(sql, values).fetchall()
            except TROUBLES as error:
                raise self._trouble(error) from error

    @property
    def format(self) -> int:
        """The format of the open file: an older one stays as it is where it is only read."""
        return int(self.read("PRAGMA user_version")[0][0])

    def _trouble(self, error: sqlite3.DatabaseError | UnicodeDecodeError) -> ConfigError | DeviceError:
        if isinstance(error, UnicodeDecodeError):
            return DamagedError(self.path, "is damaged (the names of its tables are no text)")
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        # Our own words are constant: where it finds a mistake in them, a table or a column has lost its name.
        if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR):
            return DamagedError(self.path, f"is no journal, or is damaged ({error})")
        fix = {
            sqlite3.SQLITE_FULL: "make room on the disk",
            sqlite3.SQLITE_BUSY: "stop the program that holds the file (a backup, an editor)",
            sqlite3.SQLITE_READONLY: "let this user write the file and its folder",
            sqlite3.SQLITE_CANTOPEN: "check that the path is a file and this user may read and write it",
        }.get(code, "check the disk (`dmesg`) and the space on it")
        return DeviceError(f"{self.path}: {error}. Fix: {fix}")


def _without_a_file() -> sqlite3.Connection:
    connection = _connect(":memory:", uri=False)
    make(connection)
    return connection


def _connect(where: str, *, uri: bool) -> sqlite3.Connection:
    connection = sqlite3.connect(where, uri=uri, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    connection.text_factory = as_text
    return connection


def as_text(raw: bytes) -> str:
    """Returns a text of a file. Bytes that are no UTF-8 any more must not end the reading: they stand there as `\\xNN`,
    which no JSON has, so that an event with one is not taken for a whole one."""
    return raw.decode("utf-8", "backslashreplace")


def _check_file(connection: sqlite3.Connection, path: Path, check: str) -> None:
    """`check`: SQLite's `integrity_check` takes twice as long as its `quick_check`; it holds rows against indexes."""
    found = connection.execute("PRAGMA application_id").fetchone()[0]
    version = format_of(connection)
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if found != APPLICATION_ID and (tables or version):
        raise DamagedError(path, "is an SQLite file, but no journal of ours")
    if version > FORMAT:
        raise ConfigError(
            f"{path}: was written by a newer carrom (format {version}, this one reads {FORMAT}). Fix: update carrom, "
            "or set another [table] state"
        )
    if version:
        check_names(connection, version)
    says = connection.execute(f"PRAGMA {check}(1)").fetchone()[0]
    if says != "ok":
        first = str(says).strip().splitlines()[-1]
        raise DamagedError(path, f"is damaged ({first})")
