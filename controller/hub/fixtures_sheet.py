"""A day's fixtures from a club's sheet: everything that is wrong with it at once, each with its line and what helps;
and what may be meant otherwise, as notes. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import zip_longest

from controller.events.doors import id_of, name_key
from controller.events.errors import ConfigError, UnreadableError
from controller.events.fixture_words import COLUMNS, NOBODY, REFERENCE
from controller.events.reading import shown
from controller.events.words import Seat
from controller.hub.fixtures import ById, Fixture, at_table
from controller.hub.sheet import Row, Sheet, sheet_of_text
from controller.hub.sheet_notes import Club, meant, notes_of
from controller.mqtt.fixtures import MOST_FIXTURES, checked_fixture

NEEDED = ("south", "north")
MOST_SHOWN = 20
"""So many findings of one kind are shown: who has more has one mistake many times."""


@dataclass(frozen=True, slots=True)
class Read:
    """What was read. `notes`: what may be meant otherwise, a line each; `over`: the ids of matches that have a result
    where they were drawn."""

    fixtures: tuple[Fixture, ...]
    notes: tuple[str, ...] = ()
    over: frozenset[str] = frozenset()


class _Columns:
    def __init__(self, row: Row, where: str) -> None:
        names = [cell.lower() for cell in row.cells]
        self.left_out = [name for name in names if name and name not in COLUMNS]
        self._names = [name if name in COLUMNS else "" for name in names]
        self._unknown = {index for index, name in enumerate(names) if name and name not in COLUMNS}
        self.known = [name for name in self._names if name]
        gone = [column for column in NEEDED if column not in self.known]
        if gone or len(set(self.known)) != len(self.known):
            like = get_close_matches(gone[0], self.left_out, 1) if gone else []
            what = f"no column {gone[0]!r}" if gone else "a column stands twice"
            what += f" ({like[0]!r} is none)" if like else ""
            raise ConfigError(f"{where}: {what}. Fix: the first line names columns out of {', '.join(COLUMNS)}")

    def of(self, row: Row, where: str) -> dict[str, str]:
        """A line's cells by their columns' names."""
        found = {}
        for index, (column, cell) in enumerate(zip_longest(self._names, row.cells, fillvalue="")):
            if column:
                found[column] = cell
            elif cell and index not in self._unknown:
                raise ConfigError(
                    f"{where}: {shown(cell)} stands in no named column. Fix: name its column, or put a cell that holds "
                    "the separator in quotes"
                )
        return found


def read_fixtures(text: str, name: str = "the fixtures") -> tuple[Fixture, ...]:
    """Reads a CSV. Raises ConfigError, a line for each finding. `name`: the file's, for messages."""
    try:
        return read_sheet(sheet_of_text(text), name).fixtures
    except UnreadableError as error:
        raise ConfigError(f"{name}: {error}") from error


def read_sheet(sheet: Sheet, name: str = "the fixtures", club: Club = Club()) -> Read:  # noqa: B008
    """Reads a sheet whose first line names the columns. Raises ConfigError, a line for each finding.

    `name`: the file's, for messages; `club`: what is known of whose sheet it is.
    """
    return read_sheets([(name, sheet)], club)


def read_sheets(sheets: Sequence[tuple[str, Sheet]], club: Club = Club()) -> Read:  # noqa: B008
    """The same of several sheets, each with its name, that are one day's: of several events, for instance."""
    findings, notes = list[str](), list[str]()
    read, with_ids = dict[str, Fixture](), set[str]()
    for name, sheet in sheets:
        if not sheet.rows:
            raise ConfigError(f"{name}: is empty. Fix: begin with the line {','.join(COLUMNS)}")
        head, *rows = sheet.rows
        columns = _Columns(head, f"{name}:{head.number}")
        if len(read) + len(findings) + len(rows) > MOST_FIXTURES:
            raise ConfigError(f"{name}: more than {MOST_FIXTURES} fixtures. Fix: publish each day's alone")
        notes += [f"{name}: {note}" for note in sheet.notes]
        notes += [f"{name}:{head.number}: column {one!r} is left out{meant(one, COLUMNS)}" for one in columns.left_out]
        for row in rows:
            where = f"{name}:{row.number}"
            with_ids |= {where} if "id" in columns.known else set()
            try:
                read[where] = _fixture(columns.of(row, where), where)
            except ConfigError as error:
                findings.append(str(error))
    if not findings:
        read, findings = _linked(read, with_ids)
    if findings:
        more = [f"and {len(findings) - MOST_SHOWN} more"] if len(findings) > MOST_SHOWN else []
        raise ConfigError("\n".join([*findings[:MOST_SHOWN], *more]))
    for some in notes_of(read, with_ids, club):
        notes += some[:MOST_SHOWN] + ([f"and {len(some) - MOST_SHOWN} more"] if len(some) > MOST_SHOWN else [])
    return Read(tuple(read.values()), tuple(notes), frozenset().union(*(sheet.over for _, sheet in sheets)))


def _fixture(cells: Mapping[str, str], where: str) -> Fixture:
    table = cells.get("table", "")
    try:
        table = table and id_of(table)
    except UnreadableError as error:
        raise ConfigError(f"{where}: table {shown(table)} {error}. Fix: write the table's id, or nothing") from error
    day, clock = cells.get("date", ""), cells.get("time", "")
    if day and not clock:
        raise ConfigError(f"{where}: a date without a time. Fix: write its time, or leave the date out")
    try:
        fixture = checked_fixture({**cells, "time": f"{day} {clock}".strip()})
    except UnreadableError as error:
        raise ConfigError(f"{where}: {error}") from error
    for seat, player in fixture.seats.items():
        if name_key(player) in NOBODY:
            raise ConfigError(f"{where}: {seat} {player!r} is nobody. Fix: leave this line out; a bye is no match")
    return at_table(table, fixture)


def _linked(found: Mapping[str, Fixture], with_ids: Collection[str]) -> tuple[dict[str, Fixture], list[str]]:
    """The fixtures, by where they stand, with the seats that wait for an earlier one's result; and what is wrong.

    `with_ids`: those whose sheet has ids: in others no name is a reference.
    """
    above = ById()
    out: dict[str, Fixture] = {}
    findings: list[str] = []
    for where, one in found.items():
        awaits, wrong = _awaits(one, above) if where in with_ids else ({}, "")
        names = [name for side in one.sides for name in {name_key(one.seats[seat]) for seat in side}]
        if not wrong and (twice := [name for name, times in Counter(names).items() if times > 1]):
            player = next(name for name in one.seats.values() if name_key(name) == twice[0])
            wrong = f"{player!r} plays against himself. Fix: correct one of the two"
        elif not wrong and len(set(map(name_key, one.seats.values()))) < len(one.seats) and not awaits:
            wrong = "one player stands twice. Fix: correct one of the two"
        if not wrong and not above.add(one):
            wrong = f"id {one.id!r} stands twice. Fix: give each match of an event an id of its own"
        if wrong:
            findings.append(f"{where}: {wrong}")
        out[where] = replace(one, awaits=awaits)
    return out, findings


def _awaits(one: Fixture, above: ById) -> tuple[dict[Seat, str], str]:
    """The seats of a fixture that wait for another's result, and what is wrong with them."""
    awaits: dict[Seat, str] = {}
    for side in one.sides:
        said = {seat: match for seat in side if (match := REFERENCE.fullmatch(one.seats[seat]))}
        for match in said.values():
            before = above.named(one, match[0])
            if before is None:
                return {}, (
                    f"{match[0]!r} names no match above. Fix: write that match's id into its line, and that line "
                    "before this one"
                )
            if len({name_key(one.seats[seat]) for seat in side}) > 1 or len(before.sides[0]) != len(side):
                return {}, (
                    f"{match[0]!r} does not fill this side. Fix: name a match of as many players a side, and write the "
                    "same for both partners"
                )
        awaits |= {seat: one.seats[seat] for seat in said}
    return awaits, ""
