"""A day's fixtures: typed once in a CSV, published to each table's topic, read by tables and hub. Pure.

A fixture is who plays whom, where and when. Must not know the broker, nor how a match goes.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date, datetime, timedelta
from hashlib import sha256
from itertools import chain, zip_longest

from calibration.board import SEATS
from controller.events.doors import id_of, json_text, name_key
from controller.events.errors import ConfigError, UnreadableError
from controller.events.reading import shown
from controller.events.words import Seat
from controller.mqtt import payloads
from controller.mqtt.fixtures import MOST_FIXTURES, REFERENCE, checked_fixture, published

COLUMNS = ("time", "table", "event", "round", "book", *SEATS, "referee", "id")
NEEDED = ("table", "south", "north")
_SEPARATOR = re.compile(r"""(\s*)"?sep=([^\w\s"]|\t)"?[,;\t ]*(?=[\r\n]|$)""", re.IGNORECASE)
"""The first line names the separator: Excel reads it and writes it."""


@dataclass(frozen=True, slots=True)
class Fixture(payloads.Fixture):
    """A match to be played on a table."""

    table: str = ""

    @property
    def sides(self) -> tuple[tuple[Seat, ...], ...]:
        """The seats of each side: partners sit opposite."""
        return (("south", "north"), ("east", "west")) if "east" in self.seats else (("south",), ("north",))

    @property
    def open_seats(self) -> dict[Seat, str]:
        """The seats whose player is not known yet, with what they wait for."""
        return {seat: text for seat, text in self.awaits.items() if self.seats[seat] == text}


def read_fixtures(text: str, name: str = "the fixtures") -> tuple[Fixture, ...]:
    """Reads a CSV with a header line; commas, semicolons or tabs between. Raises ConfigError with its line.

    What spreadsheets add is left out: blank lines, columns without a name and a cell, a first line `sep=;`.
    `name`: the file's, for messages.
    """
    text = text.removeprefix("\ufeff")
    if said := _SEPARATOR.match(text):
        # Its line stays, without words: the numbers in messages are the file's.
        between, text = said[2], said[1] + text[said.end() :]
    else:
        head = next((line for line in text.splitlines() if line.strip(",;\t ")), "")
        between = max(",;\t", key=head.count)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=between)
    columns: list[str] = []
    found: dict[str, Fixture] = {}
    try:
        for line in lines:
            where = f"{name}:{lines.line_num}"
            cells = [cell.strip() for cell in line]
            if not any(cells):
                continue
            if not columns:
                columns = _columns(cells, where)
                continue
            if len(found) >= MOST_FIXTURES:
                raise ConfigError(f"{where}: more than {MOST_FIXTURES} fixtures. Fix: one file a day")
            found[where] = _fixture(_named(columns, cells, where), where)
    except csv.Error as error:
        raise ConfigError(f"{name}:{lines.line_num}: {error}. Fix: save it as CSV again") from error
    if not columns:
        raise ConfigError(f"{name}: is empty. Fix: begin with the line {','.join(COLUMNS)}")
    return tuple(_linked(found) if "id" in columns else found.values())


def _linked(found: dict[str, Fixture]) -> Iterator[Fixture]:
    """The fixtures, by where they stand, with the seats that wait for an earlier one's result. Raises ConfigError."""
    by_id: dict[str, Fixture] = {}
    for where, one in found.items():
        awaits: dict[Seat, str] = {}
        for side in one.sides:
            said = {seat: match for seat in side if (match := REFERENCE.fullmatch(one.seats[seat]))}
            for match in said.values():
                before = by_id.get(name_key(match[2]))
                if before is None:
                    raise ConfigError(
                        f"{where}: {match[0]!r} names no match above. Fix: write that match's id into its line, and "
                        "that line before this one"
                    )
                if len({name_key(one.seats[seat]) for seat in side}) > 1 or len(before.sides[0]) != len(side):
                    raise ConfigError(
                        f"{where}: {match[0]!r} does not fill this side. Fix: name a match of as many players a side, "
                        "and write the same for both partners"
                    )
            awaits |= {seat: one.seats[seat] for seat in said}
        if one.id and by_id.setdefault(name_key(one.id), one) is not one:
            raise ConfigError(f"{where}: id {one.id!r} stands twice. Fix: give each match an id of its own")
        yield replace(one, awaits=awaits)


def _columns(cells: Sequence[str], where: str) -> list[str]:
    """The columns' names, "" for one that the spreadsheet wrote although nothing stands in it."""
    columns = [cell.lower() for cell in cells]
    named = [column for column in columns if column]
    odd = [column for column in named if column not in COLUMNS]
    gone = [column for column in NEEDED if column not in named]
    if odd or gone or len(set(named)) != len(named):
        what = f"unknown column {odd[0]!r}" if odd else f"no column {gone[0]!r}" if gone else "a column stands twice"
        raise ConfigError(f"{where}: {what}. Fix: the first line names columns out of {', '.join(COLUMNS)}")
    return columns


def _named(columns: Sequence[str], cells: Sequence[str], where: str) -> dict[str, str]:
    """A line's cells by their columns' names."""
    pairs = [*zip_longest(columns, cells, fillvalue="")]
    if lost := next((cell for column, cell in pairs if cell and not column), ""):
        raise ConfigError(
            f"{where}: {shown(lost)} stands in no named column. Fix: name its column, or put a cell that holds the "
            "separator in quotes"
        )
    return {column: cell for column, cell in pairs if column}


def _fixture(cells: dict[str, str], where: str) -> Fixture:
    try:
        table = id_of(cells["table"])
    except UnreadableError as error:
        raise ConfigError(f"{where}: table {shown(cells['table'])} {error}. Fix: write the table's id") from error
    try:
        fixture = checked_fixture(cells)
    except UnreadableError as error:
        raise ConfigError(f"{where}: {error}") from error
    return _at(table, fixture)


def by_table(fixtures: Iterable[Fixture]) -> dict[str, list[Fixture]]:
    """Each table's fixtures, in the order of the file."""
    found: dict[str, list[Fixture]] = {}
    for fixture in fixtures:
        found.setdefault(fixture.table, []).append(fixture)
    return found


def payload_of(fixtures: Sequence[Fixture]) -> payloads.Fixtures:
    """The payload of one table's topic."""
    names = [field.name for field in fields(payloads.Fixture)]
    return payloads.Fixtures(
        tuple(payloads.Fixture(**{name: getattr(one, name) for name in names}) for one in fixtures)
    )


def fixtures_from(table: str, payload: bytes, before: tuple[Fixture, ...] = ()) -> tuple[Fixture, ...]:
    """Reads such a payload; `before` if it is none, nothing if it is empty."""
    listed = published(payload)
    if listed is None:
        return before
    return tuple(
        Fixture(**{one.name: getattr(fixture, one.name) for one in fields(fixture)}, table=table) for fixture in listed
    )


def first_published(
    listed: Mapping[str, Sequence[Fixture]], stood: Mapping[str, bytes], now_s: float
) -> dict[str, list[Fixture]]:
    """Returns each table's fixtures with their keys, and with the time at which they are first published: now, but of
    one that stands on a table's topic already, as `stood` has it, the time and key that it has there."""
    known: dict[tuple[str, ...], list[tuple[float, str]]] = {}
    for one in chain.from_iterable(fixtures_from(table, payload) for table, payload in stood.items()):
        known.setdefault(_same(one), []).append((one.since or now_s, one.key))
    dated: dict[str, list[Fixture]] = {table: [] for table in listed}
    for table, one in ((table, one) for table, fixtures in listed.items() for one in fixtures):
        since, key = next(iter(known.get(_same(one), ())), (now_s, ""))
        # The same pair may meet twice.
        known[_same(one)] = known.get(_same(one), [])[1:]
        dated[table].append(replace(one, since=since, key=key))
    keys = {
        id(one): key for key, one in named(chain.from_iterable(dated.values()), datetime.fromtimestamp(now_s)).items()
    }
    return {table: [replace(one, key=keys[id(one)]) for one in fixtures] for table, fixtures in dated.items()}


DAY_BEGINS_H = 4
"""Play ends after midnight: a fixture without a day belongs to the club's day, which begins at this hour."""


def club_day(now: datetime) -> date:
    """Returns the day of play that a time belongs to."""
    return (now - timedelta(hours=DAY_BEGINS_H)).date()


def named(fixtures: Iterable[Fixture], now: datetime) -> dict[str, Fixture]:
    """Each fixture by its key: that with which it was published, or else one that stays the same over a restart, at
    another time of its day and on another table.

    Made of day, event, round and players, or of its id where results decide who plays, and hashed:
    whoever forgets a player looks for no name in it. One without a day is of the day on which it was first published,
    or else of today's. `now`: by the fixtures' clock.
    """
    fixtures = list(fixtures)
    seen = Counter(one.key for one in fixtures if one.key)
    found = {one.key: one for one in fixtures if seen[one.key] == 1}
    for one in fixtures:
        if seen[one.key] == 1:
            continue
        day = one.time.rpartition(" ")[0] or f"{club_day(datetime.fromtimestamp(one.since) if one.since else now)}"
        who = name_key(one.id) if one.awaits else sorted(map(name_key, one.seats.values()))
        parts = [day, name_key(one.event), name_key(one.round), who]
        digest = sha256(json_text(parts).encode()).hexdigest()[:16]
        number = next(number for number in range(1, len(fixtures) + 1) if f"{digest}-{number}" not in found)
        found[f"{digest}-{number}"] = one
    return found


def _same(one: Fixture) -> tuple[str, ...]:
    """What a fixture keeps when it is moved to another table or named by a result."""
    day = one.time.rpartition(" ")[0]
    who = (name_key(one.id),) if one.id else tuple(sorted(map(name_key, one.seats.values())))
    return day, name_key(one.event), name_key(one.round), *who


def _at(table: str, fixture: payloads.Fixture) -> Fixture:
    return Fixture(**{one.name: getattr(fixture, one.name) for one in fields(fixture)}, table=table)
