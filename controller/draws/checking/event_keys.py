"""`EVENT.toml` as a check understands it: every key known, every value one that can be meant."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from controller.draws.checking.facts import Names, Notes, Rules

RULE = "event"
SYSTEMS = ("knockout", "double", "groups", "round_robin", "swiss", "ties")
ORDER = ("matches", "head_to_head", "boards", "points", "games", "buchholz", "seeding", "lot")
DEFAULTS = {
    "groups": ("matches", "head_to_head", "boards", "points"),
    "round_robin": ("matches", "head_to_head", "boards", "points"),
    "swiss": ("matches", "buchholz", "head_to_head", "boards", "points"),
}
"""Tie-breaks of an event that names none."""
KEYS = (
    "name", "book", "best_of", "boards", "points", "rounds", "system", "groups", "then", "qualify", "third_place",
    "consolation", "apart", "order", "withdrawn", "tables", "start", "minutes", "rest_minutes", "seed", "late_points",
    "tie", "protest",
)  # fmt: skip
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})")


class _Reader:
    def __init__(self, raw: Mapping[str, Any], where: str, notes: Notes) -> None:
        self.raw, self.where, self.notes = raw, where, notes

    def wrong(self, sentence: str) -> None:
        self.notes.wrong(RULE, self.where, sentence)

    def rounds(self) -> int | None:
        """How many: `rounds = 5`, or `count` of `[rounds]`, in which rounds have keys of their own."""
        value = self.raw.get("rounds")
        if not isinstance(value, Mapping):
            return self.whole("rounds", 1)
        return _Reader({"count": value.get("count")}, self.where, self.notes).whole("count", 1)

    def whole(self, key: str, least: int) -> int | None:
        value = self.raw.get(key)
        if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= least):
            return value
        self.wrong(f"{key} is {value!r}. Fix: write a whole number of at least {least}")
        return None

    def yes(self, key: str) -> bool:
        value = self.raw.get(key, False)
        if not isinstance(value, bool):
            self.wrong(f"{key} is {value!r}. Fix: write true or false")
        return value is True

    def word(self, key: str, words: tuple[str, ...], otherwise: str) -> str:
        value = self.raw.get(key, otherwise)
        if value in words or (key not in self.raw):
            return str(value)
        self.wrong(f"{key} is {value!r}. Fix: write one of {', '.join(words)}")
        return otherwise

    def words(self, key: str, words: tuple[str, ...] | None, otherwise: tuple[str, ...] = ()) -> tuple[str, ...]:
        value = self.raw.get(key)
        if value is None:
            return otherwise
        fine = isinstance(value, list) and value and all(isinstance(one, str) for one in value)
        if fine and (words is None or set(value) <= set(words)):
            return tuple(value)
        self.wrong(f"{key} is {value!r}. Fix: write a list of {', '.join(words) if words else 'names'}")
        return otherwise


def read_rules(raw: Mapping[str, Any], names: Names, notes: Notes) -> Rules:
    """Reads the event. What cannot be meant is a finding, and the check goes on without that key."""
    read = _Reader(raw, names.event, notes)
    for key in raw:
        if key not in KEYS:
            near = get_close_matches(key, KEYS, 1)
            read.wrong(f"{key!r} is no key. Fix: {f'write {near[0]!r}' if near else 'leave it out'}")
    system = read.word("system", SYSTEMS, "")
    if "system" not in raw:
        read.wrong(f"system is missing. Fix: write one of {', '.join(SYSTEMS)}")
    rounds = read.rounds()
    if system == "swiss" and rounds is None:
        read.wrong("a Swiss needs its number of rounds. Fix: write rounds = 5")
    groups = read.whole("groups", 1)
    if system == "groups" and groups is None:
        read.wrong("groups needs the number of groups. Fix: write groups = 4")
    if not isinstance(raw.get("protest", ""), str):
        read.wrong(f"protest is {raw['protest']!r}. Fix: write its terms as a text")
    late = raw.get("late_points", 0)
    if isinstance(late, bool) or not isinstance(late, int | float) or not 0 <= late <= 1:
        read.wrong(f"late_points is {late!r}. Fix: write a number from 0 to 1")
        late = 0
    return Rules(
        system=system,
        raw=raw,
        groups=groups,
        qualify=read.whole("qualify", 1) or 2,
        then=read.word("then", ("knockout",), "") == "knockout",
        rounds=rounds,
        third_place=read.yes("third_place"),
        consolation=read.yes("consolation"),
        apart=read.word("apart", ("club",), "") == "club",
        order=read.words("order", ORDER, DEFAULTS.get(system, ())),
        withdrawn=read.word("withdrawn", ("annul", "walkover"), "annul"),
        tables=read.words("tables", None),
        start=_start(read),
        minutes=read.whole("minutes", 1),
        rest=read.whole("rest_minutes", 0) or 0,
        late_points=float(late),
        tie=read.words("tie", ("singles", "doubles"), ("singles", "singles", "doubles")),
    )


def clock_of(text: str) -> int | None:
    """Reads `HH:MM` as minutes after midnight, None for anything else."""
    found = _CLOCK.fullmatch(text)
    if found is None or int(found[1]) > 23 or int(found[2]) > 59:
        return None
    return int(found[1]) * 60 + int(found[2])


def _start(read: _Reader) -> int | None:
    value = read.raw.get("start")
    if value is None:
        return None
    minutes = clock_of(str(value).rpartition(" ")[2][:5] if isinstance(value, str) else f"{value}"[-8:][:5])
    if minutes is None:
        read.wrong(f"start is {value!r}. Fix: write HH:MM")
    return minutes
