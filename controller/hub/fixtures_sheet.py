"""A day's fixtures from a club's sheet: everything that is wrong with it at once, each with its line and what helps;
and what may be meant otherwise, as notes. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import zip_longest

from controller.events.doors import id_of, name_key
from controller.events.errors import ConfigError, UnreadableError
from controller.events.fixture_words import COLUMNS, NOBODY, REFERENCE
from controller.events.reading import shown
from controller.events.words import Seat
from controller.hub.fixtures import Fixture, at_table
from controller.hub.sheet import Row, Sheet, sheet_of_text
from controller.mqtt.fixtures import MOST_FIXTURES, checked_fixture

NEEDED = ("table", "south", "north")
MOST_SHOWN = 20
"""So many findings of one kind are shown: who has more has one mistake many times."""
LIKE = 0.85
"""Two names of which this much agrees may be one."""


@dataclass(frozen=True, slots=True)
class Read:
    """What was read. `notes`: what may be meant otherwise, a line each."""

    fixtures: tuple[Fixture, ...]
    notes: tuple[str, ...] = ()


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


def read_sheet(
    sheet: Sheet, name: str = "the fixtures", books: Collection[str] = (), players: Collection[str] = ()
) -> Read:
    """Reads a sheet whose first line names the columns. Raises ConfigError, a line for each finding.

    `name`: the file's, for messages; `books`: the rulebooks that there are; `players`: the names that the club knows.
    """
    if not sheet.rows:
        raise ConfigError(f"{name}: is empty. Fix: begin with the line {','.join(COLUMNS)}")
    head, *rows = sheet.rows
    columns = _Columns(head, f"{name}:{head.number}")
    if len(rows) > MOST_FIXTURES:
        raise ConfigError(f"{name}: more than {MOST_FIXTURES} fixtures. Fix: one file a day")
    findings: list[str] = []
    read: dict[str, Fixture] = {}
    for row in rows:
        where = f"{name}:{row.number}"
        try:
            read[where] = _fixture(columns.of(row, where), where)
        except ConfigError as error:
            findings.append(str(error))
    if not findings:
        linked, findings = _linked(read, "id" in columns.known)
        read = linked
    if findings:
        more = [f"and {len(findings) - MOST_SHOWN} more"] if len(findings) > MOST_SHOWN else []
        raise ConfigError("\n".join([*findings[:MOST_SHOWN], *more]))
    notes = [f"{name}: {note}" for note in sheet.notes]
    notes += [f"{name}:{head.number}: column {one!r} is left out{_meant(one, COLUMNS)}" for one in columns.left_out]
    kinds = (
        _untimed(read),
        _named_without_ids(read, "id" in columns.known),
        _at_two_tables(read),
        _unknown_books(read, books),
        _new_names(read, players),
    )
    for kind in kinds:
        some = list(kind)
        notes += some[:MOST_SHOWN] + ([f"and {len(some) - MOST_SHOWN} more"] if len(some) > MOST_SHOWN else [])
    return Read(tuple(read.values()), tuple(notes))


def _fixture(cells: Mapping[str, str], where: str) -> Fixture:
    try:
        table = id_of(cells["table"])
    except UnreadableError as error:
        raise ConfigError(f"{where}: table {shown(cells['table'])} {error}. Fix: write the table's id") from error
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


def _linked(found: Mapping[str, Fixture], by_id: bool) -> tuple[dict[str, Fixture], list[str]]:
    """The fixtures, by where they stand, with the seats that wait for an earlier one's result; and what is wrong.

    `by_id`: whether the sheet has ids: else no name is a reference.
    """
    above: dict[str, Fixture] = {}
    out: dict[str, Fixture] = {}
    findings: list[str] = []
    for where, one in found.items():
        awaits, wrong = _awaits(one, above, by_id)
        names = [name for side in one.sides for name in {name_key(one.seats[seat]) for seat in side}]
        if not wrong and (twice := [name for name, times in Counter(names).items() if times > 1]):
            player = next(name for name in one.seats.values() if name_key(name) == twice[0])
            wrong = f"{player!r} plays against himself. Fix: correct one of the two"
        elif not wrong and len(set(map(name_key, one.seats.values()))) < len(one.seats) and not awaits:
            wrong = "one player stands twice. Fix: correct one of the two"
        if not wrong and one.id and above.setdefault(name_key(one.id), one) is not one:
            wrong = f"id {one.id!r} stands twice. Fix: give each match an id of its own"
        if wrong:
            findings.append(f"{where}: {wrong}")
        out[where] = replace(one, awaits=awaits)
    return out, findings


def _awaits(one: Fixture, above: Mapping[str, Fixture], by_id: bool) -> tuple[dict[Seat, str], str]:
    """The seats of a fixture that wait for another's result, and what is wrong with them."""
    awaits: dict[Seat, str] = {}
    for side in one.sides if by_id else ():
        said = {seat: match for seat in side if (match := REFERENCE.fullmatch(one.seats[seat]))}
        for match in said.values():
            before = above.get(name_key(match[2]))
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


# -- what may be meant otherwise


def _untimed(read: Mapping[str, Fixture]) -> Iterator[str]:
    if any(one.time for one in read.values()):
        for where, one in read.items():
            if not one.time:
                yield f"{where}: has no time, though others have, and is called at once. Is its cell a merged one?"


def _at_two_tables(read: Mapping[str, Fixture]) -> Iterator[str]:
    where_at: dict[tuple[str, str], tuple[str, Fixture]] = {}
    for where, one in read.items():
        for name in one.seats.values():
            if not one.time or name in one.awaits.values():
                continue
            first, other = where_at.setdefault((one.time, name_key(name)), (where, one))
            if other.table != one.table:
                line = first.rpartition(":")[2]
                yield f"{where}: {name} is at {one.time} on {other.table} too (line {line}): one of them waits"


def _named_without_ids(read: Mapping[str, Fixture], by_id: bool) -> Iterator[str]:
    for where, one in read.items() if not by_id else ():
        for name in one.seats.values():
            if REFERENCE.fullmatch(name):
                yield f"{where}: {name!r} is taken for a player: no column is called id"


def _unknown_books(read: Mapping[str, Fixture], books: Collection[str]) -> Iterator[str]:
    for where, one in read.items():
        if books and one.book and one.book not in books:
            yield f"{where}: book {one.book!r} is none of ours{_meant(one.book, books)}; a table may have it"


def _new_names(read: Mapping[str, Fixture], players: Collection[str]) -> Iterator[str]:
    """Yields names that are nearly one that stands more often, or that the club knows."""
    players_of = ((where, set(one.seats.values()) - set(one.awaits.values())) for where, one in read.items())
    named = [(where, name) for where, names in players_of for name in sorted(names)]
    times = Counter(name_key(name) for _, name in named)
    # As each was written first.
    known = {name_key(name): name for name in reversed([*players])}
    written = {name_key(name): name for _, name in named} | known
    said = set[str]()
    for where, name in named:
        key = name_key(name)
        if key in said or key in known:
            continue
        said.add(key)
        often = [other for other in written if other != key and (other in known or times[other] > times[key])]
        if like := get_close_matches(key, often, 1, LIKE):
            yield f"{where}: {name} is nearly {written[like[0]]}: one and the same?"


def _meant(word: str, words: Sequence[str] | Collection[str]) -> str:
    like = get_close_matches(word.lower(), [*words], 1, 0.6)
    return f" (is it {like[0]!r}?)" if like else ""
