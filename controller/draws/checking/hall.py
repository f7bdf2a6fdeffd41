"""Where and when: the event's tables alone, one match a table, nobody at two, and the rest kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from controller.draws.checking.facts import Facts, Line, Notes

MINUTES = 30
"""Of a match, where the event does not say."""
TABLES, TIMES, REST = "tables", "times", "rest"


def check_hall(facts: Facts, notes: Notes) -> None:
    """Checks tables and times, as far as lines have them."""
    rules = facts.rules
    for line in facts.lines:
        if rules.tables and line.table and line.table not in rules.tables:
            says = f"{line.table!r} is no table of the event"
            notes.wrong(TABLES, line.where, f"{says}. Fix: one of {', '.join(rules.tables)}")
        if rules.start is not None and line.at is not None and line.at < rules.start:
            notes.wrong(
                TIMES, line.where, f"{line.id!r} is before the event begins. Fix: {_clock(rules.start)} or later"
            )
    timed = [line for line in facts.lines if line.at is not None]
    if not timed:
        return
    length = rules.minutes or MINUTES
    by_table: dict[str, list[Line]] = defaultdict(list)
    by_player: dict[str, list[Line]] = defaultdict(list)
    for line in timed:
        if line.table:
            by_table[line.table].append(line)
        for side in line.sides:
            for player in side.players:
                by_player[player].append(line)
    for table, lines in by_table.items():
        for before, line in _too_close(lines, length):
            says = f"{line.id!r} begins on {table} while {before.id!r} is played"
            notes.wrong(TIMES, line.where, f"{says}. Fix: another table, or {length} minutes later")
    shown = {player: one.shown for one in facts.entrants for player in one.players}
    for player, lines in by_player.items():
        for before, line in _too_close(lines, length + rules.rest):
            says = f"{shown[player]} plays {before.id!r} until {rules.rest} minutes before {line.id!r} at best"
            rule = TIMES if (line.at or 0) - (before.at or 0) < length else REST
            notes.wrong(rule, line.where, f"{says}. Fix: {length + rules.rest} minutes after {before.id!r} begins")
    for line in timed:
        for side in line.sides:
            earlier = facts.lines[side.ref.line] if side.ref is not None else None
            if earlier is not None and earlier.at is not None and (line.at or 0) < earlier.at + length + rules.rest:
                rule = TIMES if (line.at or 0) < earlier.at + length else REST
                says = f"{line.id!r} begins too early after {earlier.id!r}, for which it waits"
                notes.wrong(rule, line.where, f"{says}. Fix: {length + rules.rest} minutes after that one begins")
    notes.holds(
        TABLES,
        f"{len(by_table)} tables, all of the event" if rules.tables else f"{len(by_table)} tables, any is allowed",
    )
    notes.holds(TIMES, f"{len(timed)} matches, one a table and nobody at two, {length} minutes each")
    notes.holds(REST, f"everybody rests {rules.rest} minutes")


def _too_close(lines: Sequence[Line], apart: int) -> list[tuple[Line, Line]]:
    by_time = sorted(lines, key=lambda line: line.at or 0)
    return [(before, line) for before, line in pairwise(by_time) if (line.at or 0) - (before.at or 0) < apart]


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"
