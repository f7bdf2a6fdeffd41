"""A season in a PostgreSQL database, for several hubs or a club that has a server. Needs the extra `postgres`.

Connected for each reading and writing alone, so that whoever restarts the server or its network disturbs nothing. A
server that does not answer is asked again by one only, and seldom: no page waits for it in turn.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from threading import Lock
from typing import Any

import psycopg
from psycopg.abc import PQGen
from psycopg.conninfo import conninfo_to_dict

from controller.events.doors import database_of, one_line
from controller.events.errors import CarromError, ConfigError, DeviceError
from controller.hub.season_store import ACTS, FORMAT, MATCHES, NoSeasonError, SeasonStore

SILENT_S = 3
"""So long a server may say nothing."""
HELD_S = 3.0
"""So long another who reads or writes may keep us waiting."""
ERASING_S = 60
"""So long it may be silent while all is written anew."""
AWAY_S = 5.0
"""So long a server that did not answer is not asked again."""
LOOK_S = 1.0
"""So long the answer to whether anything was written holds: pages ask often."""
MAKING = 0x43415253
"""The lock of who makes the tables: «CARS»."""

_OPENS = (
    "SELECT to_regclass('season')::oid::bigint, current_setting('server_encoding'), "
    "set_config('lock_timeout', ?, false), "
    # Who is cut off in the middle of a write must not keep the others out for hours.
    f"set_config('idle_in_transaction_session_timeout', '{ERASING_S}s', false)"
)
_TABLES = (
    *(statement.replace("REAL", "DOUBLE PRECISION") for statement in (*MATCHES, ACTS)),
    # The server's statistics would keep samples of what stands there, names too.
    *(f"ALTER TABLE {table} ALTER COLUMN result SET STATISTICS 0" for table in ("matches", "replaced", "acts")),
    "ALTER TABLE acts ALTER COLUMN fixture SET STATISTICS 0",
    "CREATE TABLE season(format INTEGER NOT NULL, version BIGINT NOT NULL)",
    f"INSERT INTO season VALUES ({FORMAT}, 0)",
)
_ALL = ("matches", "replaced", "acts")
"""In an order in which what is named by others comes first."""


class _Heard(psycopg.Connection[tuple[Any, ...]]):
    """A connection on which a server that says nothing is given up."""

    silent_s: float = SILENT_S

    def wait(self, gen: PQGen[Any], *args: Any, **how: Any) -> Any:
        return super().wait(_heard(gen, self.silent_s), *args, **how)


class _Open:
    """A connection for the statements of SeasonStore. `version`: of the season when it was opened; `changed`: whether
    anything was written since."""

    def __init__(self, connection: _Heard) -> None:
        self.raw = connection
        self.version: tuple[int, ...] = ()
        self.changed = False

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> psycopg.Cursor[tuple[Any, ...]]:
        self.changed = self.changed or not statement.startswith("SELECT")
        return self.raw.execute(statement.replace("?", "%s").encode(), values)


class SeasonServer(SeasonStore):
    """A season in a database. `clock`: seconds that only go on."""

    kind = "database"

    def __init__(self, address: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.name = database_of(address)
        try:
            conninfo_to_dict(address)
        except psycopg.Error:
            # What it says may quote a password.
            raise ConfigError(f"{self.name}: is no address that can be read. Fix: see what follows the ?") from None
        self._address, self._clock = address, clock
        self._away, self._away_until = "", 0.0
        self._asking = Lock()
        self._version: tuple[int, ...] = ()
        self._holds_until = 0.0

    def version(self) -> tuple[int, ...]:
        """The number of writings, and which season it is; of up to a second ago where another has written."""
        with self._asking:
            now = self._clock()
            if now >= self._holds_until:
                try:
                    with self._opened(write=False) as connection:
                        self._version = connection.version
                except NoSeasonError:
                    self._version = ()
                self._holds_until = now + LOOK_S
            return self._version

    @contextmanager
    def _opened(self, *, write: bool = True, make: bool = False) -> Iterator[_Open]:
        try:
            with closing(self._connected()) as raw:
                connection = _Open(raw)
                (season, encoding, *_) = connection.execute(_OPENS, (f"{HELD_S * 1000:.0f}ms",)).fetchone() or ()
                if encoding != "UTF8":
                    raise ConfigError(f"{self.name}: keeps no name in {encoding}. Fix: make it with ENCODING 'UTF8'")
                if season is None:
                    if not make:
                        raise NoSeasonError(f"{self.name}: there is no such season. Fix: the hub makes it")
                    season = self._make(connection)
                if not write:
                    connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                row = connection.execute("SELECT format, version FROM season").fetchone()
                if row is None:
                    raise self._damaged("its table season is empty")
                self._checked(row[0])
                connection.version = season, row[1]
                yield connection
        except psycopg.Error as error:
            raise self._trouble(error) from error

    def _connected(self) -> _Heard:
        if self._away and self._clock() < self._away_until:
            raise DeviceError(self._away)
        # Whoever comes while this one waits is told what was.
        self._away_until = self._clock() + SILENT_S + AWAY_S
        try:
            connection = _Heard.connect(
                self._address, autocommit=True, connect_timeout=SILENT_S, client_encoding="utf8"
            )
        except psycopg.OperationalError as error:
            self._away_until = self._clock() + AWAY_S
            self._away = str(self._trouble(error))
            raise DeviceError(self._away) from error
        self._away = ""
        return connection

    def _make(self, connection: _Open) -> int:
        """Returns which season it is now: that of who was faster, too."""
        # Before the transaction: one that has begun does not see what another makes meanwhile.
        connection.execute(f"SELECT pg_advisory_lock({MAKING})")
        with self._committing(connection):
            (season,) = connection.execute("SELECT to_regclass('season')::oid::bigint").fetchone() or ()
            if season is None:
                for statement in _TABLES:
                    connection.execute(statement)
                (season,) = connection.execute("SELECT to_regclass('season')::oid::bigint").fetchone() or ()
        connection.execute(f"SELECT pg_advisory_unlock({MAKING})")
        return int(season)

    def _has_amendments(self, connection: Any) -> bool:
        return bool(connection.execute("SELECT to_regclass('amendments') IS NOT NULL").fetchone()[0])

    def _make_amendments(self, connection: Any) -> None:
        super()._make_amendments(connection)
        for column in ("subject", "says"):
            connection.execute(f"ALTER TABLE amendments ALTER COLUMN {column} SET STATISTICS 0")

    def _make_listed(self, connection: Any) -> None:
        super()._make_listed(connection)
        connection.execute("ALTER TABLE listed ALTER COLUMN fixtures SET STATISTICS 0")

    @contextmanager
    def _writing(self, connection: _Open) -> Iterator[None]:
        with self._committing(connection):
            # One writes at a time: the others wait here.
            connection.execute("SELECT version FROM season FOR UPDATE")
            connection.changed = False
            yield
            if connection.changed:
                connection.execute("UPDATE season SET version = version + 1")
        with self._asking:
            self._holds_until = 0.0

    @contextmanager
    def _committing(self, connection: _Open) -> Iterator[None]:
        connection.execute("BEGIN")
        yield
        # Else the server undoes it when the connection is closed.
        connection.execute("COMMIT")

    @contextmanager
    def _erasing(self, connection: _Open) -> Iterator[None]:
        """All is written anew, into other files: VACUUM would leave what an open transaction could still read."""
        with self._writing(connection):
            yield
            connection.raw.silent_s = ERASING_S
            tables = (*_ALL, *(["amendments"] if self._has_amendments(connection) else []))
            for table in tables:
                connection.execute(f"CREATE TEMP TABLE kept_{table} ON COMMIT DROP AS SELECT * FROM {table}")
            # Readers open them in this order too, and so none sees half of it.
            connection.execute(f"TRUNCATE {', '.join(['replaced', 'matches', *tables[2:]])}")
            for table in tables:
                connection.execute(f"INSERT INTO {table} SELECT * FROM kept_{table}")

    def _trouble(self, error: psycopg.Error) -> CarromError:
        says, state = one_line(error).strip(), error.sqlstate or ""
        if state.startswith("42") and not isinstance(error, psycopg.errors.InsufficientPrivilege):
            return self._damaged(says)
        fix = {
            "42501": "let this user make tables there (the database's owner may)",
            "55P03": "another program reads or writes it; stop that one and say it again",
            "25006": "name the server that may be written, not its copy",
            "53100": "make room on the server's disk",
        }.get(state, "check that the server runs, and user, database and password; the server's log says more")
        return DeviceError(f"{self.name}: {says}. Fix: {fix}")


def _heard(gen: PQGen[Any], silent_s: float) -> Generator[Any, Any, Any]:
    """Goes on as psycopg's own; raises OperationalError where the server is silent for so long."""
    until = time.monotonic() + silent_s
    try:
        wanted = next(gen)
        while True:
            if ready := (yield wanted):
                until = time.monotonic() + silent_s
            elif time.monotonic() > until:
                raise psycopg.OperationalError(f"the server has said nothing for {silent_s} s")
            wanted = gen.send(ready)
    except StopIteration as done:
        return done.value
