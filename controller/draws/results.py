"""Results: whose match each line is, who won it, and so who plays the matches that waited for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from controller.draws.entries import NO_WINNER, Entry, Row
from controller.draws.event import Event
from controller.draws.findings import Finding, refuse
from controller.draws.matches import Known, Match, Side, awaited, known
from controller.events.doors import name_key, whole_number
from controller.events.reading import shown

COUNTED = ("boards", "points", "games")
COLUMNS = (
    "id", "winner", *(f"{what}_{seat}" for what in COUNTED for seat in ("south", "north")),
    "event", "round", "table", "title", "match", "book", "start", "end", "side 1", "side 2",
    *(f"{what} {number}" for what in COUNTED for number in (1, 2)), "boards played", "referee", "ended by", "goes on",
)  # fmt: skip
"""What may be typed, and what the hub exports."""
NEEDED = ("winner",)

Both = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Result:
    """A match that was played. `won`: 0 where the side with the first break won, 1 for the other, None for a draw;
    boards, points and games of both."""

    won: int | None
    boards: Both = (0, 0)
    points: Both = (0, 0)
    games: Both = (0, 0)


@dataclass(frozen=True, slots=True)
class Played:
    """What is known of each match, by the `name_key` of its id: both sides, None where it waits; and its result."""

    sides: Mapping[str, tuple[Side | None, Side | None]]
    results: Mapping[str, Result]

    def sides_of(self, match: Match) -> tuple[Side | None, Side | None]:
        """Returns who plays a match; of one that was not among those read, whom its own line names."""
        south, north = (None if awaited(side) else side for side in match.sides)
        return self.sides.get(name_key(match.id), (south, north))

    def result(self, match: Match) -> Result | None:
        """Returns a match's result; None where there is none."""
        return self.results.get(name_key(match.id))


NONE = Played({}, {})
"""Before the first result."""


def played(event: Event, matches: Sequence[Match], entries: Iterable[Entry], rows: Sequence[Row]) -> Played:
    """Reads the lines of results. Raises DrawError with everything that is wrong."""
    reading = _Reading(event, known(entries), rows)
    for match in matches:
        reading.take(match)
    refuse(sorted([*reading.findings, *reading.left({name_key(one.id): one for one in matches})], key=_line))
    return Played(reading.sides, reading.results)


def is_needed(match: Match, so_far: Played) -> bool:
    """Whether a match is played at all: the second final of a double elimination only where the first one asks."""
    if match.round != "GF2":
        return True
    reference = awaited(match.south)
    before = so_far.results.get(reference[1]) if reference else None
    return before is None or before.won == 1


def _line(finding: Finding) -> int:
    return finding.line


class _Reading:
    def __init__(self, event: Event, by_name: Known, rows: Sequence[Row]) -> None:
        self.findings: list[Finding] = []
        self.sides: dict[str, tuple[Side | None, Side | None]] = {}
        self.results: dict[str, Result] = {}
        self._event, self._by_name = event, by_name
        self._by_id: dict[str, Row] = {}
        self._by_players: dict[frozenset[str], list[Row]] = {}
        for row in rows:
            self._sort(row)

    def _sort(self, row: Row) -> None:
        line, cells = row
        exported = bool(cells.get("side 1"))
        if exported and name_key(cells.get("event", "")) != name_key(self._event.name):
            return
        if key := name_key(cells.get("id", "")):
            if not exported and not cells.get("winner"):
                return
            if key in self._by_id:
                says = f"{cells['id']} has a result in line {self._by_id[key][0]} too. Fix: leave one of the two out"
                self.findings.append(Finding("results", says, line))
            self._by_id.setdefault(key, row)
        elif exported:
            players = frozenset(_names(cells["side 1"]) | _names(cells.get("side 2", "")))
            self._by_players.setdefault(players, []).append(row)
        else:
            self.findings.append(Finding("results", "has no id. Fix: write the match's id of the fixtures", line))

    def take(self, match: Match) -> None:
        """Finds a match's sides and its result; those above it have been taken."""
        key = name_key(match.id)
        south, north = (self._known(side) for side in match.sides)
        if not is_needed(match, Played(self.sides, self.results)):
            south = north = None
        self.sides[key] = (south, north)
        if south is None or north is None:
            return
        row = self._by_id.pop(key, None) or self._of_players(match, south, north)
        if row and (result := self._result(match, row, (south, north))):
            self.results[key] = result

    def _known(self, side: Side) -> Side | None:
        reference = awaited(side)
        if reference is None:
            return side
        wins, key = reference
        result = self.results.get(key)
        if result is None or result.won is None:
            return None
        return self.sides[key][result.won if wins else 1 - result.won]

    def _of_players(self, match: Match, south: Side, north: Side) -> Row | None:
        rows = self._by_players.get(frozenset(map(name_key, (*south, *north))), [])
        for row in rows:
            if not row[1].get("round") or name_key(row[1]["round"]) == name_key(match.round):
                rows.remove(row)
                return row
        return None

    def _result(self, match: Match, row: Row, sides: tuple[Side, Side]) -> Result | None:
        line, cells = row
        try:
            won = self._won(match, cells, sides)
            counts = {what: _both(what, cells, sides) for what in COUNTED}
        except ValueError as error:
            self.findings.append(Finding("results", str(error), line))
            return None
        return Result(won, **counts)

    def _won(self, match: Match, cells: Mapping[str, str], sides: tuple[Side, Side]) -> int | None:
        # Who goes on from a draw is the desk's to say.
        text = cells.get("winner", "") or cells.get("goes on", "")
        if name_key(text) in ("", NO_WINNER):
            if not is_of_table(self._event, match):
                raise ValueError(f"{match.id} is drawn, and somebody has to go on. Fix: write who does as winner")
            return None
        for number, side in enumerate(sides):
            if name_key(text) in self._names_of(side):
                return number
        both = " – ".join(" / ".join(side) for side in sides)
        raise ValueError(f"{shown(text)} did not play {match.id} ({both}). Fix: write one of these, or draw")

    def _names_of(self, side: Side) -> set[str]:
        names = {*side, *(between.join(side) for between in (" / ", " & "))}
        names |= {between.join(reversed(side)) for between in (" / ", " & ")}
        if self._event.system == "ties" and (entry := self._by_name.of(side)):
            names.add(entry.club)
        return {*map(name_key, names)}

    def left(self, matches: Mapping[str, Match]) -> Iterator[Finding]:
        """Yields what is wrong with lines that belong to no match that can have a result."""
        for key, (line, cells) in self._by_id.items():
            match = matches.get(key)
            if match is None:
                says = f"no match has the id {shown(cells['id'])}. Fix: write one of the fixtures' ids"
            elif not is_needed(match, Played(self.sides, self.results)):
                says = f"{match.id} is not played: the winners' side won the final. Fix: leave the line out"
            else:
                waits = next(side[0] for side in match.sides if self._known(side) is None)
                says = f"{match.id} cannot have a result yet: {waits!r} is open. Fix: write that result as well"
            yield Finding("results", says, line)
        for line, cells in (row for rows in self._by_players.values() for row in rows):
            both = f"{cells['side 1']} – {cells.get('side 2', '')}"
            says = f"{both} is nobody's match of this event. Fix: correct the names or the event, or leave the line out"
            yield Finding("results", says, line)


def is_of_table(event: Event, match: Match) -> bool:
    """Whether a match counts in a table: after groups and after a Swiss event there may be a knock-out."""
    if event.system == "groups":
        return is_of_group(match)
    return event.system in ("round_robin", "swiss", "ties") and match.round.isdecimal()


def is_of_group(match: Match) -> bool:
    """Whether a match is of a group's round, as `A-1`."""
    return is_group_round(match.round)


def is_group_round(name: str) -> bool:
    """Whether a round's name is a group's."""
    group, _, number = name.rpartition("-")
    return bool(group) and number.isdecimal()


def _both(what: str, cells: Mapping[str, str], sides: tuple[Side, Side]) -> Both:
    names = (f"{what}_south", f"{what}_north")
    turned = False
    if cells.get("side 1"):
        names = (f"{what} 1", f"{what} 2")
        turned = not _names(cells["side 1"]) & {*map(name_key, sides[0])}
    found = []
    for name in names:
        text = cells.get(name, "")
        number = whole_number(text) if text else 0
        if number < 0:
            raise ValueError(f"{name} {shown(text)} is no whole number. Fix: correct it, or leave it blank")
        found.append(number)
    return (found[1], found[0]) if turned else (found[0], found[1])


def _names(side: str) -> set[str]:
    """Of a side as the hub writes it."""
    return {name_key(one) for one in side.split(" & ")}
