"""A match of an event, and the line of the sheet of fixtures that it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from controller.draws.entries import Entry, Row
from controller.draws.event import Event
from controller.draws.findings import Finding, refuse
from controller.events.doors import name_key
from controller.events.fixture_words import COLUMNS, REFERENCE

Side = tuple[str, ...]
"""Who plays together: names, or for each of them which match decides who it is."""
NEEDED = ("id", "south", "north")
_ALWAYS = ("table", "event", "round", "south", "north", "id")


@dataclass(frozen=True, slots=True)
class Match:
    """Two sides; the first one has the first break. `line`: in its sheet, 0 where it is new; `cells`: the line's other
    columns (date, time, table, book, referee)."""

    id: str
    round: str
    south: Side
    north: Side
    line: int = 0
    cells: Mapping[str, str] = field(default_factory=dict)

    @property
    def sides(self) -> tuple[Side, Side]:
        """Both, the one with the first break first."""
        return self.south, self.north


def winner(match: Match) -> Side:
    """Returns what stands for who wins a match."""
    return (f"winner {match.id}",) * len(match.south)


def loser(match: Match) -> Side:
    """Returns what stands for who loses it."""
    return (f"loser {match.id}",) * len(match.south)


def awaited(side: Side) -> tuple[bool, str] | None:
    """Returns of a side that is not known yet whether it is a match's winner, and that match's `name_key`."""
    found = REFERENCE.fullmatch(side[0])
    return (found[1].casefold() == "winner", name_key(found[2])) if found else None


def row_of(event: Event, match: Match) -> dict[str, str]:
    """Returns the line of the sheet: a pair's partners sit opposite each other."""
    row = {column: match.cells.get(column, "") for column in COLUMNS}
    row |= {"event": event.name, "round": match.round, "id": match.id}
    if not match.line:
        row |= {"book": event.terms_in(match.round).book, "protest": event.protest}
    if len(match.south) == 1:
        return row | {"south": match.south[0], "north": match.north[0]}
    return row | {"south": match.south[0], "north": match.south[1], "east": match.north[0], "west": match.north[1]}


def rows_of(event: Event, matches: Iterable[Match]) -> tuple[tuple[str, ...], list[dict[str, str]]]:
    """Returns the sheet's columns, without those in which nothing stands, and its lines."""
    rows = [row_of(event, match) for match in matches]
    return tuple(one for one in COLUMNS if one in _ALWAYS or any(row[one] for row in rows)), rows


@dataclass(frozen=True, slots=True)
class Known:
    """The entries of an event by the `name_key` of each player."""

    of_player: Mapping[str, Entry]

    def of(self, side: Side) -> Entry | None:
        """Returns whose side it is; None for one that is not known yet."""
        return self.of_player.get(name_key(side[0]))


def known(entries: Iterable[Entry]) -> Known:
    """Returns them ready to be found."""
    return Known({name_key(player): one for one in entries for player in one.players})


def matches_of(rows: Iterable[Row], entries: Sequence[Entry], *, teams: bool = False) -> tuple[Match, ...]:
    """Reads the sheet's lines. Raises DrawError with everything that is wrong.

    `teams`: a side is one or two players of a team, each an entry of its own.
    """
    found: list[Match] = []
    findings: list[Finding] = []
    by_name = known(entries)
    above: dict[str, Match] = {}
    for line, cells in rows:
        match = _match(line, cells)
        says = _wrong(match, by_name, above, teams)
        if match.id and not says and above.setdefault(name_key(match.id), match) is not match:
            says = f"id {match.id!r} stands twice. Fix: give each match an id of its own"
        if says:
            findings.append(Finding("fixtures", says, line))
        found.append(match)
    refuse(findings)
    return tuple(found)


def _match(line: int, cells: Mapping[str, str]) -> Match:
    south, north, east, west = (cells.get(seat, "") for seat in ("south", "north", "east", "west"))
    first, second = ((south, north), (east, west)) if east or west else ((south,), (north,))
    return Match(cells.get("id", ""), cells.get("round", ""), first, second, line, dict(cells))


def _wrong(match: Match, by_name: Known, above: Mapping[str, Match], teams: bool) -> str:
    if not match.id:
        return "has no id. Fix: take the file that `carrom draw` wrote"
    for side in match.sides:
        if not all(side):
            return "a seat is empty. Fix: write who sits there, or leave the line out"
        if reference := awaited(side):
            if reference[1] not in above:
                return f"{side[0]!r} names no match above. Fix: write that match's line before this one"
            continue
        entries = [by_name.of_player.get(name_key(player)) for player in side]
        for player, entry in zip(side, entries, strict=True):
            if entry is None:
                return f"{player!r} is no entry. Fix: correct the name here or in the list of entries"
        if not teams and (entries[0] is not entries[-1] or entries[0] is None or len(entries[0].players) != len(side)):
            return f"{' / '.join(side)!r} is no entry. Fix: name the pair of one line of the list of entries"
    return ""


def placed(match: Match, **cells: str) -> Match:
    """Returns the match with more of its line's columns."""
    return replace(match, cells={**match.cells, **cells})
