"""A season's matches and what the desk decided: what is kept, replaced, refused and forgotten, in any SQL database.

One file or server is a child class: how it is opened and made, how one alone writes, how nothing is left. What follows
from the matches is `season`'s matter. Statements have `?` for values.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, Literal, Protocol

from pydantic import ValidationError

from controller.events.doors import name_key
from controller.events.errors import ConfigError, DeviceError, EventError
from controller.hub.acts import Act, walked_over
from controller.hub.amendments import Amendment, Amendments, Kind
from controller.hub.said import ResultSaid
from controller.hub.season import FORGOTTEN, Kept, without

log = logging.getLogger(__name__)

MOST_RESULTS = 200_000
"""With those that were corrected. More than any season has: somebody who makes matches up must not fill the disk."""
FORMAT = 2
"""Since 2 there are the desk's acts; a file of format 1 is brought up by the first of them."""
MOST_ACTS = 200_000
"""As many as results: each that was played by a fixture is kept with it."""

MATCHES = (
    "CREATE TABLE matches(id INTEGER PRIMARY KEY, match TEXT NOT NULL, place TEXT NOT NULL, "
    "forgotten INTEGER NOT NULL DEFAULT 0, result TEXT NOT NULL)",
    "CREATE INDEX matches_by_name ON matches(match)",
    "CREATE TABLE replaced(id INTEGER PRIMARY KEY, kept INTEGER NOT NULL REFERENCES matches(id), result TEXT NOT NULL)",
)
ACTS = (
    "CREATE TABLE acts(id INTEGER PRIMARY KEY, fixture TEXT NOT NULL UNIQUE, what TEXT NOT NULL, "
    "at_s REAL NOT NULL, until TEXT NOT NULL, place TEXT NOT NULL, result TEXT)"
)
LISTED = "CREATE TABLE IF NOT EXISTS listed(place TEXT PRIMARY KEY, fixtures TEXT NOT NULL)"
"""What stands on each table's topic of fixtures. Made by who first asks for it, gone when somebody is forgotten."""
AMENDMENTS = (
    "CREATE TABLE IF NOT EXISTS amendments(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, subject TEXT NOT NULL, "
    "place TEXT NOT NULL, says TEXT NOT NULL)"
)
"""Made by the first of them."""
MOST_AMENDMENTS = 10_000
"""More than any secretary puts right."""
_OF_ACT = "fixture, what, at_s, until, place, result"


class Connection(Protocol):
    """What a database's connection must have."""

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> Any:
        """Returns a cursor: `fetchone()`, `fetchall()`, or one row after the other."""


class NoSeasonError(ConfigError):
    """Nothing has been kept there."""


class SeasonStore(ABC):
    """A season's matches. All methods raise ConfigError and DeviceError, which say how to repair it.

    `name`: in errors; never with a password.
    """

    kind: ClassVar[str]
    """What `[hub] season` names, in errors."""
    name: str

    @abstractmethod
    def _opened(self, *, write: bool = True, make: bool = False) -> AbstractContextManager[Connection]:
        """Opens it, and makes it first if wanted. Raises NoSeasonError where there is none."""

    @abstractmethod
    def _writing(self, connection: Any) -> AbstractContextManager[None]:
        """One commit by one writer: everything inside is there when it is left, or nothing of it."""

    @abstractmethod
    def _erasing(self, connection: Any) -> AbstractContextManager[None]:
        """As `_writing`, and of what was changed or deleted, then or before, no byte is left."""

    @abstractmethod
    def version(self) -> object:
        """What is another one whenever something was written."""

    def _has_acts(self, connection: Any) -> bool:
        return True

    @abstractmethod
    def _has_amendments(self, connection: Any) -> bool:
        """Whether their table was made."""

    def _make_amendments(self, connection: Any) -> None:
        connection.execute(AMENDMENTS)

    def _add_acts(self, connection: Any) -> None:  # noqa: B027  # a server never had format 1
        """Brings one of format 1 up."""

    def put(self, results: Iterable[tuple[str, ResultSaid]], *, missing_only: bool = False) -> int:
        """Keeps results, each with its table's id, all or none. Returns how many were not known.

        A result read again changes nothing; one that ended later, or says something else, takes the place of what was
        kept, unless only what is missing is wanted.
        """
        with self._opened(make=True) as connection, self._writing(connection):
            return sum(self._put(connection, table, result, missing_only) for table, result in results)

    def matches(self, unreadable: Callable[[str], object] = log.warning) -> list[Kept]:
        """All matches and the walkovers that hold, in the order in which they ended. One that cannot be read is left
        out, and `unreadable` receives which, in one line.
        """
        found = []
        with self._opened(write=False) as connection:
            before: dict[int, list[ResultSaid]] = {}
            for kept, body in connection.execute("SELECT kept, result FROM replaced ORDER BY id"):
                if (result := self._read(body)) is not None:
                    before.setdefault(kept, []).append(result)
            for row, match, place, body in connection.execute(
                "SELECT id, match, place, result FROM matches ORDER BY id"
            ):
                if (result := self._read(body)) is not None:
                    found.append(Kept(place, result, tuple(before.get(row, ()))))
                else:
                    unreadable(
                        f"{self.name}: match {match} of table {place} is damaged and left out. "
                        "Fix: carrom season refill with that table's journal"
                    )
            found += [Kept(act.table, result) for act in self._acts(connection) if (result := walked_over(act))]
            amended = self._amendments(connection)
        return sorted(map(amended.over, found), key=lambda one: one.result.end)

    def amendments(self) -> Amendments:
        """What the secretary has put right; nothing where there is no season yet."""
        try:
            with self._opened(write=False) as connection:
                return self._amendments(connection)
        except NoSeasonError:
            return Amendments()

    def amend(self, *amendments: Amendment) -> None:
        """Keeps what is put right, each in the place of the one about the same name or match."""
        with self._opened() as connection, self._writing(connection):
            self._make_amendments(connection)
            for one in amendments:
                self._take_back(connection, one.kind, one.subject, one.table)
                row = (one.kind, one.subject, one.table, one.says)
                connection.execute(f"INSERT INTO amendments VALUES ({_next('amendments')}, ?, ?, ?, ?)", row)
            (count,) = connection.execute("SELECT count(*) FROM amendments").fetchone()
            if count > MOST_AMENDMENTS:
                raise self._full(f"{MOST_AMENDMENTS} amendments")

    def take_back(self, kind: Kind, subject: str, table: str = "") -> bool:
        """Takes back what was put right about a name or match. Returns whether there was anything."""
        with self._opened() as connection, self._writing(connection):
            return self._has_amendments(connection) and self._take_back(connection, kind, subject, table) > 0

    def _take_back(self, connection: Connection, kind: Kind, subject: str, table: str) -> int:
        rows = connection.execute("SELECT id, subject FROM amendments WHERE kind = ? AND place = ?", (kind, table))
        of = name_key if kind == "player" else str
        found = [row for row, one in rows.fetchall() if of(one) == of(subject)]
        for row in found:
            connection.execute("DELETE FROM amendments WHERE id = ?", (row,))
        return len(found)

    def _amendments(self, connection: Connection) -> Amendments:
        if not self._has_amendments(connection):
            return Amendments()
        rows = connection.execute("SELECT kind, subject, place, says FROM amendments ORDER BY id").fetchall()
        return Amendments.of(Amendment(*row) for row in rows)

    def decide(self, act: Act, known: Act | Literal["any"] | None = "any") -> bool:
        """Keeps an act of the desk in the place of the one about the same fixture. Returns whether it changes anything;
        one that says the same again leaves the first as it is. `known`: the one that whoever decides has seen. Raises
        EventError where another desk was faster.
        """
        with self._opened(make=True) as connection, self._writing(connection):
            if not self._has_acts(connection):
                self._add_acts(connection)
            acts = {one.fixture: one for one in self._acts(connection)}
            before = acts.get(act.fixture)
            if act.repeats(before) or (act.what == "undone" and before is None):
                return False
            if known != "any" and known != before:
                said = before.says if before is not None else "what was decided was taken back"
                raise EventError(f"another desk was faster: {said}. Fix: look again, and decide anew")
            if before is None and len(acts) >= MOST_ACTS:
                raise self._full(f"{MOST_ACTS} acts")
            connection.execute("DELETE FROM acts WHERE fixture = ?", (act.fixture,))
            if act.what != "undone":
                row = (act.fixture, act.what, act.at_s, act.until, act.table, act.result and _body(act.result))
                connection.execute(f"INSERT INTO acts(id, {_OF_ACT}) VALUES ({_next('acts')}, ?, ?, ?, ?, ?, ?)", row)
        return True

    def keep_fixtures(self, listed: Mapping[str, str]) -> None:
        """Keeps what stands on each table's topic of fixtures, in the place of what stood there before."""
        with self._opened(make=True) as connection, self._writing(connection):
            self._make_listed(connection)
            connection.execute("DELETE FROM listed")
            for row in listed.items():
                connection.execute("INSERT INTO listed VALUES (?, ?)", row)

    def fixtures(self) -> dict[str, str]:
        """What was kept of each table's topic of fixtures."""
        with self._opened(make=True) as connection, self._writing(connection):
            self._make_listed(connection)
            return dict(connection.execute("SELECT place, fixtures FROM listed").fetchall())

    def _make_listed(self, connection: Any) -> None:
        connection.execute(LISTED)

    def acts(self) -> list[Act]:
        """The desk's acts that hold, oldest first; none where there is no season yet."""
        try:
            with self._opened(write=False) as connection:
                return self._acts(connection)
        except NoSeasonError:
            return []

    def _acts(self, connection: Connection) -> list[Act]:
        if not self._has_acts(connection):
            return []
        found = []
        rows = connection.execute(f"SELECT {_OF_ACT} FROM acts ORDER BY id")
        for fixture, what, at_s, until, place, body in rows:
            result = self._read(body) if body else None
            if body and result is None:
                log.warning(
                    "%s: what the desk has about fixture %s (%s) is damaged and left out", self.name, fixture, what
                )
            else:
                found.append(Act(fixture, what, at_s, until, place, result))
        return found

    def forget(self, name: str) -> int:
        """Puts a neutral word in the place of a name and of all that are merged with it, and leaves no byte of them
        there. Returns in how many matches they stood.

        Those matches are not changed any more: their tables may still publish the name.
        """
        found = set[int]()
        with self._opened() as connection, self._erasing(connection):
            amended = self._amendments(connection)
            keys = amended.names_of(name_key(amended.player(name)))
            for table, kept in (("matches", "id"), ("replaced", "kept")):
                for row, match, body in connection.execute(f"SELECT id, {kept}, result FROM {table}").fetchall():
                    before = self._whole(body)
                    if (after := without(before, keys)) is not before:
                        connection.execute(f"UPDATE {table} SET result = ? WHERE id = ?", (_body(after), row))
                        found.add(match)
            for row in found:
                connection.execute("UPDATE matches SET forgotten = 1 WHERE id = ?", (row,))
            given = self._forget_walkovers(connection, keys)
            self._forget_amendments(connection, keys)
            # The hub writes it again as it is published then.
            connection.execute("DROP TABLE IF EXISTS listed")
        return len(found) + given

    def _forget_amendments(self, connection: Connection, keys: Collection[str]) -> None:
        if not self._has_amendments(connection):
            return
        for key in keys:
            self._take_back(connection, "player", key, "")
        for row, says in connection.execute("SELECT id, says FROM amendments WHERE kind = 'match'").fetchall():
            if any(key in name_key(says) for key in keys):
                connection.execute("UPDATE amendments SET says = ? WHERE id = ?", (FORGOTTEN, row))

    def _forget_walkovers(self, connection: Connection, keys: Collection[str]) -> int:
        """Returns in how many it stood."""
        if not self._has_acts(connection):
            return 0
        count = 0
        rows = connection.execute("SELECT id, fixture, what, result FROM acts WHERE result IS NOT NULL").fetchall()
        for row, fixture, what, body in rows:
            before = self._whole(body)
            given = tuple(
                one.model_copy(update={"why": FORGOTTEN}) if any(key in name_key(one.why) for key in keys) else one
                for one in before.given or ()
            )
            after = without(before, keys)
            if after is before and given == before.given:
                continue
            # The fixture's name is made of the players' names, and whoever guesses them could make it again.
            name = fixture if after is before else f"forgotten-{row}"
            match = f"walkover-{name}" if what == "walkover" else after.match
            after = after.model_copy(update={"match": match, "given": given})
            connection.execute("UPDATE acts SET fixture = ?, result = ? WHERE id = ?", (name, _body(after), row))
            count += what == "walkover"
        return count

    def _put(self, connection: Connection, table: str, result: ResultSaid, missing_only: bool) -> int:
        rows = connection.execute(
            "SELECT id, place, forgotten, result FROM matches WHERE match = ?", (result.match,)
        ).fetchall()
        for row, place, forgotten, body in rows:
            kept = self._read(body)
            if kept is None:
                if place != table:
                    continue
                if forgotten:
                    return 0
                connection.execute("UPDATE matches SET result = ? WHERE id = ?", (_body(result), row))
                return 1
            # Two tables may name two matches alike: each takes the time at which it began.
            if not forgotten and place != table and _who(kept) != _who(result):
                continue
            if forgotten or missing_only or result.end < kept.end or result == kept:
                return 0
            if place != table:
                # A match is its table's: nobody else has the right to correct it.
                says = "match %s was played on table %s: what table %s publishes of it is left out"
                log.warning(says, result.match, place, table)
                return 0
            connection.execute(f"INSERT INTO replaced VALUES ({_next('replaced')}, ?, ?)", (row, body))
            connection.execute("UPDATE matches SET result = ? WHERE id = ?", (_body(result), row))
            return 1
        (full,) = connection.execute(
            "SELECT coalesce((SELECT max(id) FROM matches), 0) + coalesce((SELECT max(id) FROM replaced), 0) >= ?",
            (MOST_RESULTS,),
        ).fetchone()
        if full:
            raise self._full(f"{MOST_RESULTS} results")
        connection.execute(
            f"INSERT INTO matches(id, match, place, result) VALUES ({_next('matches')}, ?, ?, ?)",
            (result.match, table, _body(result)),
        )
        return 1

    def _read(self, body: str) -> ResultSaid | None:
        """None for what is damaged."""
        try:
            return ResultSaid.model_validate_json(body, strict=True)
        except ValidationError:
            return None

    def _whole(self, body: str) -> ResultSaid:
        """Where nothing may be passed over. Raises ConfigError for what is damaged."""
        if (result := self._read(body)) is None:
            raise self._damaged("a match in it cannot be read")
        return result

    def _checked(self, format_: int) -> None:
        if format_ > FORMAT:
            raise ConfigError(f"{self.name}: is of a newer carrom. Fix: bring this one up to date")

    def _full(self, of: str) -> DeviceError:
        return DeviceError(f"{self.name}: holds {of}. Fix: name another {self.kind} in [hub] season")

    def _damaged(self, why: str) -> ConfigError:
        return ConfigError(
            f"{self.name}: is no season, or is damaged ({why}). Fix: put it back from a copy, or name another "
            f"{self.kind} in [hub] season and fill it with carrom season refill"
        )


def _next(table: str) -> str:
    """The id of a new row; one alone writes."""
    return f"(SELECT coalesce(max(id), 0) + 1 FROM {table})"


def _body(result: ResultSaid) -> str:
    return result.model_dump_json()


def _who(result: ResultSaid) -> list[str]:
    return sorted(name_key(name) for side in result.sides for name in side.players)
