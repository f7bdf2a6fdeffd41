"""Entries and fixtures from their rows; what cannot be read is a finding with its line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Literal

from controller.draws.checking.event_keys import clock_of
from controller.draws.checking.facts import Entrant, Line, Names, Notes, Ref, Rows, Rules, Side
from controller.events.doors import name_key

ENTRIES, FIXTURES, REFERENCES = "entries", "fixtures", "references"
_STATE = re.compile(r"(late|withdrawn)(?: (\d{1,4}))?")
_BROKEN = -1
"""Stands for the number of a line that could not be read."""
_REFERENCE = re.compile(r"(winner|loser) (\S.*)", re.IGNORECASE)


def read_entries(rows: Rows, rules: Rules, names: Names, notes: Notes) -> tuple[Entrant, ...]:
    """Reads the entries: names once, seedings once, partners for all or for none."""
    found: list[Entrant] = []
    by_name: dict[str, str] = {}
    by_seeding: dict[int, str] = {}
    pairs = [bool(cells.get("partner")) for _number, cells in rows]
    for (number, cells), paired in zip(rows, pairs, strict=True):
        where = f"{names.entries}:{number}"
        if not cells.get("name"):
            notes.wrong(ENTRIES, where, "has no name. Fix: write one, or leave the line out")
            continue
        if paired != pairs[0]:
            notes.wrong(
                ENTRIES, where, "some entries have partners and some have none. Fix: all are pairs, or nobody is"
            )
        players = [one for one in (cells["name"], cells.get("partner", "")) if one]
        for player in players:
            if before := by_name.get(name_key(player)):
                notes.wrong(ENTRIES, where, f"{player!r} stands on {before} too. Fix: one entry a name")
            by_name.setdefault(name_key(player), where)
        seeding = _seeding(cells, where, by_seeding, notes)
        since, until = _state(cells.get("state", ""), where, notes)
        if rules.system == "ties" and not cells.get("club"):
            notes.wrong(ENTRIES, where, f"{players[0]!r} has no club, which is the team. Fix: write it")
        rating = _number(cells.get("rating", ""))
        if cells.get("rating") and rating is None:
            notes.wrong(ENTRIES, where, f"rating {cells['rating']!r} is no number. Fix: write one, or nothing")
        found.append(
            Entrant(
                len(found),
                where,
                " / ".join(players),
                tuple(map(name_key, players)),
                name_key(cells.get("club", "")),
                seeding,
                rating,
                since,
                until,
            )
        )
    if len(found) < 2:
        notes.wrong(ENTRIES, names.entries, "has fewer than two entries. Fix: a draw needs two")
    if rules.groups is not None and rules.groups > len(found):
        notes.wrong(ENTRIES, names.event, f"{rules.groups} groups for {len(found)} entries. Fix: fewer groups")
    return tuple(found)


def _seeding(cells: Mapping[str, str], where: str, before: dict[int, str], notes: Notes) -> int | None:
    text = cells.get("seeding", "")
    if not text:
        return None
    seeding = _number(text)
    if seeding is None or seeding < 1 or seeding != int(seeding):
        notes.wrong(ENTRIES, where, f"seeding {text!r} is none. Fix: write 1, 2, 3 …, or nothing")
        return None
    if int(seeding) in before:
        notes.wrong(ENTRIES, where, f"seeding {text} stands on {before[int(seeding)]} too. Fix: each seeding once")
        return None
    before[int(seeding)] = where
    return int(seeding)


def _state(text: str, where: str, notes: Notes) -> tuple[int, int]:
    if not text:
        return 0, 0
    found = _STATE.fullmatch(text.casefold())
    if found is None:
        notes.wrong(
            ENTRIES, where, f"state {text!r} is none. Fix: write late, late 3, withdrawn, withdrawn 4 or nothing"
        )
        return 0, 0
    number = int(found[2]) if found[2] else -1
    return (number, 0) if found[1] == "late" else (0, number)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) < 1e9 else None


# -- fixtures


def read_fixtures(
    rows: Rows, entrants: tuple[Entrant, ...], rules: Rules, names: Names, notes: Notes
) -> tuple[Line, ...]:
    """Reads the fixtures: ids once, names of entries, references to lines above."""
    lines: list[Line] = []
    by_id: dict[str, int] = {}
    by_player = {player: one.number for one in entrants for player in one.players}
    by_pair = {frozenset(one.players): one.number for one in entrants}
    days: list[date] = []
    for number, cells in rows:
        where = f"{names.fixtures}:{number}"
        ident = cells.get("id", "")
        if not ident:
            notes.wrong(FIXTURES, where, "has no id. Fix: give each match one")
        elif name_key(ident) in by_id:
            notes.wrong(FIXTURES, where, f"id {ident!r} stands twice. Fix: give each match an id of its own")
        sides = _sides(cells, where, notes, by_id, by_player, by_pair, rules)
        if sides is None:
            # Lines that wait for this one are not wrong for that.
            by_id.setdefault(name_key(ident), _BROKEN)
            continue
        by_id.setdefault(name_key(ident), len(lines))
        at = _at(cells, where, days, notes)
        lines.append(Line(len(lines), where, ident, cells.get("round", ""), sides, cells.get("table", ""), at))
    return tuple(lines)


def _sides(
    cells: Mapping[str, str],
    where: str,
    notes: Notes,
    by_id: Mapping[str, int],
    by_player: Mapping[str, int],
    by_pair: Mapping[frozenset[str], int],
    rules: Rules,
) -> tuple[Side, Side] | None:
    seats = {seat: cells.get(seat, "") for seat in ("south", "north", "east", "west")}
    paired = bool(seats["east"] or seats["west"])
    written = [("south", "north"), ("east", "west")] if paired else [("south",), ("north",)]
    sides: list[Side] = []
    for one in written:
        words = [seats[seat] for seat in one]
        shown = " / ".join(dict.fromkeys(words))
        if not all(words):
            notes.wrong(FIXTURES, where, "a seat is empty. Fix: a bye is no line; else write who sits there")
            return None
        found = [_REFERENCE.fullmatch(word) for word in words]
        if ref := found[0]:
            line = by_id.get(name_key(ref[2]))
            if line is None or len(set(map(name_key, words))) > 1:
                notes.wrong(REFERENCES, where, f"{shown!r} names no match above. Fix: write the id of a line above")
                return None
            if line == _BROKEN:
                return None
            kind: Literal["winner", "loser"] = "winner" if ref[1].casefold() == "winner" else "loser"
            sides.append(Side(shown, ref=Ref(kind, line)))
            continue
        players = tuple(map(name_key, words))
        if gone := next((word for word, key in zip(words, players, strict=True) if key not in by_player), None):
            notes.wrong(FIXTURES, where, f"{gone!r} is no entry. Fix: write a name as it stands in the entries")
            return None
        entrant = by_pair.get(frozenset(players))
        if entrant is None and rules.system != "ties":
            notes.wrong(FIXTURES, where, f"{shown!r} is no entry. Fix: partners sit opposite, as the entries pair them")
            return None
        sides.append(Side(shown, players, entrant))
    first, second = sides
    if set(first.players) & set(second.players) or (first.ref and first.ref == second.ref):
        notes.wrong(FIXTURES, where, f"{first.shown!r} plays against himself. Fix: correct one of the two")
        return None
    return first, second


def _at(cells: Mapping[str, str], where: str, days: list[date], notes: Notes) -> int | None:
    day, _blank, clock = f"{cells.get('date', '')} {cells.get('time', '')}".strip().rpartition(" ")
    if not clock:
        return None
    minutes = clock_of(clock)
    try:
        on = date.fromisoformat(day.strip()) if day.strip() else None
    except ValueError:
        minutes, on = None, None
    if minutes is None:
        notes.wrong(FIXTURES, where, f"time {clock!r} is none. Fix: write HH:MM, and a date as YYYY-MM-DD")
        return None
    if on is not None:
        days.append(on)
        minutes += (on - days[0]).days * 1440
    return minutes
