"""A day's fixtures: typed once in a CSV, published to each table's topic, read by tables and hub. Pure.

A fixture is who plays whom, where and when. Must not know the broker, nor how a match goes.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from calibration.board import SEATS
from controller.events.doors import MESSAGE, json_object, name_of
from controller.events.errors import ConfigError, UnreadableError
from controller.events.words import Seat
from controller.mqtt import payloads

COLUMNS = ("time", "table", "event", "round", "book", *SEATS, "referee")
NEEDED = ("table", "south", "north")
MOST_FIXTURES = 2000
_TIME = re.compile(r"(\d{4}-\d{2}-\d{2} )?([01]?\d|2[0-3]):[0-5]\d")
_TABLE = re.compile(r"[a-z0-9-]+")


@dataclass(frozen=True, slots=True)
class Fixture(payloads.Fixture):
    """A match to be played on a table."""

    table: str = ""


def read_fixtures(text: str, name: str = "the fixtures") -> tuple[Fixture, ...]:
    """Reads a CSV with a header line; commas, semicolons or tabs between. Raises ConfigError with its line.

    `name`: the file's, for messages.
    """
    text = text.removeprefix("\ufeff")
    head = text.splitlines()[0] if text.strip() else ""
    between = max(",;\t", key=head.count)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=between)
    columns: list[str] = []
    found: list[Fixture] = []
    try:
        for cells in lines:
            where = f"{name}:{lines.line_num}"
            if not any(cell.strip() for cell in cells):
                continue
            if not columns:
                columns = _columns(cells, where)
                continue
            if len(found) >= MOST_FIXTURES:
                raise ConfigError(f"{where}: more than {MOST_FIXTURES} fixtures. Mend: one file a day")
            found.append(_fixture(dict(zip(columns, (cell.strip() for cell in cells), strict=False)), where))
    except csv.Error as error:
        raise ConfigError(f"{name}:{lines.line_num}: {error}. Mend: save it as CSV again") from error
    if not columns:
        raise ConfigError(f"{name}: is empty. Mend: begin with the line {','.join(COLUMNS)}")
    return tuple(found)


def _columns(cells: Sequence[str], where: str) -> list[str]:
    columns = [cell.strip().lower() for cell in cells]
    odd = [column for column in columns if column not in COLUMNS]
    gone = [column for column in NEEDED if column not in columns]
    if odd or gone or len(set(columns)) != len(columns):
        what = f"unknown column {odd[0]!r}" if odd else f"no column {gone[0]!r}" if gone else "a column stands twice"
        raise ConfigError(f"{where}: {what}. Mend: the first line names columns out of {', '.join(COLUMNS)}")
    return columns


def _fixture(cells: dict[str, str], where: str) -> Fixture:
    for column, cell in cells.items():
        try:
            name_of(cell)
        except UnreadableError as error:
            raise ConfigError(f"{where}: {column} {error}. Mend: correct it") from error
    table, time = cells["table"], cells.get("time", "")
    if not _TABLE.fullmatch(table):
        raise ConfigError(f"{where}: table {table!r} is no table's id. Mend: only a-z, 0-9 and - stand in one")
    if time and not _TIME.fullmatch(time):
        raise ConfigError(f"{where}: time {time!r}. Mend: write HH:MM, or YYYY-MM-DD HH:MM")
    seats = _seated(cells)
    if not {"south", "north"} <= set(seats) or len(seats) == 3:
        raise ConfigError(f"{where}: {len(seats)} players. Mend: south and north, and for doubles east and west")
    words = {column: cells.get(column, "") for column in ("event", "round", "book", "referee")}
    return Fixture(seats, _padded(time), **words, table=table)


def _seated(cells: dict[str, str]) -> dict[Seat, str]:
    seats: tuple[Seat, ...] = ("south", "north", "east", "west")
    return {seat: cells[seat] for seat in seats if cells.get(seat)}


def _padded(time: str) -> str:
    # Sorted as text: 09:30 before 10:15.
    day, _, clock = time.rpartition(" ")
    return f"{day} {clock:0>5}".strip() if clock else ""


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
    if not payload:
        return ()
    try:
        listed = json_object(payload, MESSAGE).get("fixtures")
    except UnreadableError:
        return before
    if not isinstance(listed, list) or len(listed) > MOST_FIXTURES:
        return before
    try:
        return tuple(_published(table, one) for one in listed)
    except (UnreadableError, TypeError, AttributeError, ConfigError):
        return before


def _published(table: str, one: dict[str, Any]) -> Fixture:
    words = {name: str(one.get(name, "")) for name in COLUMNS if name not in ("table", *SEATS)}
    seats = {seat: str(one["seats"][seat]) for seat in SEATS if seat in one["seats"]}
    return _fixture({**words, **seats, "table": table}, "a fixture")
