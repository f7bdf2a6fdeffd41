"""A day's fixtures: typed once in a CSV, published to each table's topic, read by tables and hub. Pure.

A fixture is who plays whom, where and when. Must not know the broker, nor how a match goes.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

from calibration.board import SEATS
from controller.events.errors import ConfigError, UnreadableError
from controller.mqtt import payloads
from controller.mqtt.fixtures import MOST_FIXTURES, checked_fixture, published

COLUMNS = ("time", "table", "event", "round", "book", *SEATS, "referee")
NEEDED = ("table", "south", "north")
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
    table = cells["table"]
    if not _TABLE.fullmatch(table):
        raise ConfigError(f"{where}: table {table!r} is no table's id. Mend: only a-z, 0-9 and - stand in one")
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


def _at(table: str, fixture: payloads.Fixture) -> Fixture:
    return Fixture(**{one.name: getattr(fixture, one.name) for one in fields(fixture)}, table=table)
