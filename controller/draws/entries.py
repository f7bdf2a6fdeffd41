"""Who takes part: the lines of the list of entries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from controller.draws.findings import Finding, refuse
from controller.draws.lots import lot
from controller.events.doors import name_key, name_of, player_of, whole_number
from controller.events.errors import UnreadableError
from controller.events.fixture_words import NOBODY, REFERENCE
from controller.events.reading import shown

Row = tuple[int, Mapping[str, str]]
"""A line of a sheet: its number, and its cells by the names of their columns."""
COLUMNS = ("name", "partner", "club", "seeding", "rating", "state")
NEEDED = ("name",)
NEVER = 10**6
"""The number of a round that no event has."""
NO_WINNER = "draw"
"""What stands in a sheet of results where nobody has won."""
_STATE = re.compile(r"(late|withdrawn)(?: (\d{1,3}))?")


@dataclass(frozen=True, slots=True)
class Entry:
    """A player or a pair. `comes`: the round from which it is there; `leaves`: the round from which it is out;
    `left_open`: it is out, and nobody wrote from which round on."""

    line: int
    players: tuple[str, ...]
    club: str = ""
    seeding: int | None = None
    rating: float | None = None
    comes: int = 1
    leaves: int = NEVER
    left_open: bool = False

    @property
    def name(self) -> str:
        """As results and sheets write it."""
        return " / ".join(self.players)

    @property
    def out(self) -> bool:
        """Whether it has withdrawn, from whichever round on."""
        return self.left_open or self.leaves != NEVER

    def out_in(self, name: str) -> bool:
        """Whether it plays no match of a round any more, by the round's name: only rounds with numbers count up."""
        return self.left_open or (self.leaves != NEVER and (not name.isdecimal() or int(name) >= self.leaves))

    def is_there(self, number: int) -> bool:
        """Whether it can be drawn in a round (from 1)."""
        return self.comes <= number < self.leaves and not self.left_open


def entries_of(rows: Iterable[Row], *, teams: bool = False) -> tuple[Entry, ...]:
    """Reads the list's lines. Raises DrawError with everything that is wrong. `teams`: every entry needs a club."""
    found, findings = [], list[Finding]()
    for line, cells in rows:
        try:
            found.append(_entry(line, cells))
        except (UnreadableError, ValueError) as error:
            findings.append(Finding("entries", str(error), line))
    findings += [*_twice(found), *_seeded_twice(found), *_pairs(found, teams)]
    refuse(sorted(findings, key=lambda one: one.line))
    return tuple(found)


def in_order(entries: Iterable[Entry], seed: int) -> list[Entry]:
    """Returns them best first: by seeding, then rating, then lot (`draw`)."""

    def rank(one: Entry) -> tuple[float, float, str]:
        return one.seeding or inf, -(one.rating if one.rating is not None else -inf), lot(seed, "draw", one.players[0])

    return sorted(entries, key=rank)


def seeded(entries: Iterable[Entry]) -> list[Entry]:
    """Returns the seeds, best first: who moves up where a seed has withdrawn keeps no gap."""
    return sorted((one for one in entries if one.seeding), key=lambda one: one.seeding or 0)


def teams_of(entries: Sequence[Entry]) -> dict[str, tuple[Entry, ...]]:
    """Returns each club's entries, by its `name_key`, in the order of the list."""
    found: dict[str, tuple[Entry, ...]] = {}
    for one in entries:
        found[name_key(one.club)] = (*found.get(name_key(one.club), ()), one)
    return found


def _entry(line: int, cells: Mapping[str, str]) -> Entry:
    players = tuple(_player(cells.get(column, ""), column) for column in ("name", "partner") if cells.get(column))
    if not cells.get("name"):
        raise ValueError("has no name. Fix: write one, or leave the line out")
    seeding, rating = cells.get("seeding", ""), cells.get("rating", "")
    number = whole_number(seeding) if seeding else 0
    if seeding and number < 1:
        raise ValueError(f"seeding {shown(seeding)} is no whole number from 1. Fix: correct it, or leave it blank")
    one = Entry(line, players, _word(cells.get("club", ""), "club"), number or None, _rating(rating))
    return _with_state(one, cells.get("state", ""))


def _with_state(one: Entry, text: str) -> Entry:
    match = _STATE.fullmatch(" ".join(text.casefold().split()))
    if not text:
        return one
    if match is None or match[2] == "0":
        raise ValueError(
            f"state {shown(text)} is unknown. Fix: leave it blank, or write late, late 3, withdrawn or withdrawn 4"
        )
    if match[1] == "late":
        return replace(one, comes=int(match[2]) if match[2] else NEVER)
    return replace(one, leaves=int(match[2])) if match[2] else replace(one, left_open=True)


def _rating(text: str) -> float | None:
    try:
        number = float(text) if text else None
    except ValueError:
        number = inf
    if number is not None and not -1e9 < number < 1e9:
        raise ValueError(f"rating {shown(text)} is no number. Fix: correct it, or leave it blank")
    return number


def _word(text: str, column: str) -> str:
    try:
        return name_of(text) if text else ""
    except UnreadableError as error:
        raise UnreadableError(f"{column} {error}. Fix: correct it") from error


def _player(text: str, column: str) -> str:
    try:
        name = player_of(text)
    except UnreadableError as error:
        raise UnreadableError(f"{column} {error}. Fix: correct it") from error
    if name_key(name) in NOBODY | {NO_WINNER} or REFERENCE.fullmatch(name):
        raise ValueError(f"{column} {name!r} is no player's name. Fix: write the name, or leave the line out")
    return name


def _twice(entries: Iterable[Entry]) -> Iterator[Finding]:
    lines: dict[str, int] = {}
    for one in entries:
        keys = [*map(name_key, one.players)]
        if len(set(keys)) < len(keys):
            yield Finding("entries", f"{one.players[0]!r} is his own partner. Fix: correct one of the two", one.line)
        for key, player in dict(zip(keys, one.players, strict=True)).items():
            if (before := lines.setdefault(key, one.line)) != one.line:
                says = f"{player!r} stands in line {before} too. Fix: leave one out, or add what tells the two apart"
                yield Finding("entries", says, one.line)


def _seeded_twice(entries: Iterable[Entry]) -> Iterator[Finding]:
    lines: dict[int, int] = {}
    for one in entries:
        if one.seeding and lines.setdefault(one.seeding, one.line) != one.line:
            says = f"seeding {one.seeding} stands in line {lines[one.seeding]} too. Fix: give each number once"
            yield Finding("entries", says, one.line)


def _pairs(entries: Sequence[Entry], teams: bool) -> Iterator[Finding]:
    for one in entries:
        if teams and len(one.players) == 2:
            yield Finding("entries", "a team's player has a partner. Fix: give each player a line", one.line)
        elif not teams and len(one.players) != len(entries[0].players):
            has = "a partner" if len(one.players) == 2 else "no partner"
            says = f"{one.players[0]!r} has {has}, line {entries[0].line} is otherwise. Fix: all have one, or nobody"
            yield Finding("entries", says, one.line)
        if teams and not one.club:
            says = f"{one.players[0]!r} has no team. Fix: write it into the column club"
            yield Finding("entries", says, one.line)
