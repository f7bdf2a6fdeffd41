"""An event as its TOML describes it: system, sizes, tie-breaks, hall."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from difflib import get_close_matches
from typing import Any, Literal

from controller.draws.findings import Finding, refuse
from controller.events.doors import id_of, name_key, name_of
from controller.events.errors import UnreadableError
from controller.events.reading import shown

System = Literal["knockout", "double", "groups", "round_robin", "swiss", "ties"]
SYSTEMS: tuple[System, ...] = ("knockout", "double", "groups", "round_robin", "swiss", "ties")
TIE_BREAKS = ("matches", "head_to_head", "boards", "points", "games", "buchholz", "seeding", "lot")
ORDERS: Mapping[System, tuple[str, ...]] = {
    "groups": ("matches", "head_to_head", "boards", "points"),
    "round_robin": ("matches", "head_to_head", "boards", "points"),
    "swiss": ("matches", "buchholz", "head_to_head", "boards", "points"),
    "ties": ("matches", "games", "head_to_head", "boards", "points"),
}
"""The tie-breaks where the event names none; the lot is always the last one."""
MOST_ENTRIES = 1024
_START = re.compile(r"(\d{4}-\d{2}-\d{2} )?\d{2}:\d{2}")


@dataclass(frozen=True, slots=True)
class Terms:
    """How a match is played: the rulebook's id, games, boards and points; blank and None: as the book has it."""

    book: str = ""
    best_of: int | None = None
    boards: int | None = None
    points: int | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """An event. `rounds`: how many, None where the system knows; `terms_of`: a round's own terms by its `name_key`;
    `late_points`: of a Swiss event for each round missed, in half points; `start`: `HH:MM`, perhaps with a day before
    it; `minutes`, `rest_minutes`: of a match, and between two of one player; `protest`: the terms of one, in words."""

    name: str
    system: System
    seed: int | None = None
    terms: Terms = Terms()
    terms_of: Mapping[str, Terms] = field(default_factory=dict)
    then_knockout: bool = False
    groups: int | None = None
    qualify: int = 2
    rounds: int | None = None
    third_place: bool = False
    consolation: bool = False
    apart: bool = False
    order: tuple[str, ...] = ()
    withdrawn: Literal["annul", "walkover"] = "annul"
    late_points: int = 0
    tie: tuple[str, ...] = ("singles", "singles", "doubles")
    tables: tuple[str, ...] = ()
    start: str = ""
    minutes: int = 30
    rest_minutes: int = 0
    protest: str = ""

    def terms_in(self, name: str) -> Terms:
        """Returns how a round's matches are played."""
        return self.terms_of.get(name_key(name), self.terms)

    @property
    def lots(self) -> int:
        """The seed of all lots. Raises DrawError where none has been drawn."""
        if self.seed is None:
            refuse([Finding("event", "has no seed. Fix: `carrom draw make` draws one and writes it here", 1)])
            raise AssertionError
        return self.seed


def event_of(table: Mapping[str, Any]) -> Event:
    """Reads an event from its TOML's table. Raises DrawError with every key that is wrong, missing or unknown."""
    findings: list[Finding] = []
    found: dict[str, Any] = {}
    for key, value in table.items():
        if key == "rounds" and isinstance(value, Mapping):
            _read_rounds(value, found, findings)
        elif check := _CHECKS.get(key):
            _read_one((key,), value, check, found, findings)
        else:
            findings.append(_unknown((key,), [*_CHECKS]))
    for needed in ("name", "system"):
        if needed not in table:
            findings.append(Finding("event", f"has no {needed}. Fix: write {_EXAMPLES[needed]}", 1))
    refuse(findings)
    terms = Terms(**{key: found.pop(key) for key in _TERMS if key in found})
    own = {name_key(name): _over(terms, some) for name, some in found.pop("terms_of", {}).items()}
    system: System = found["system"]
    order = (*found.pop("order", ORDERS.get(system, ())), "lot")
    event = Event(terms=terms, terms_of=own, order=tuple(dict.fromkeys(order)), **found)
    refuse(_lacking(event, table))
    return event


def _lacking(event: Event, table: Mapping[str, Any]) -> list[Finding]:
    findings = []
    if event.system == "swiss" and event.rounds is None:
        findings.append(Finding("event", "a Swiss event has no rounds. Fix: write rounds = 7", key=("system",)))
    if event.system == "swiss" and event.then_knockout and "qualify" not in table:
        findings.append(Finding("event", "does not say how many go on. Fix: write qualify = 8", key=("then",)))
    if event.system == "groups" and event.groups is None:
        findings.append(Finding("event", "does not say how many groups. Fix: write groups = 4", key=("system",)))
    return findings


def _read_rounds(value: Mapping[str, Any], found: dict[str, Any], findings: list[Finding]) -> None:
    """`[rounds.NAME]` beside `[rounds] count = N`, as one key of TOML cannot be a number and a table."""
    own: dict[str, dict[str, Any]] = {}
    for name, some in value.items():
        if name == "count":
            _read_one(("rounds", "count"), some, _positive, found, findings, as_key="rounds")
        elif not isinstance(some, Mapping):
            says = f"[rounds] {name} is no table. Fix: write [rounds.{name}] and its keys below it"
            findings.append(Finding("event", says, key=("rounds", name)))
        else:
            own[name] = {}
            for key, item in some.items():
                path = ("rounds", name, key)
                if key in _TERMS:
                    _read_one(path, item, _CHECKS[key], own[name], findings)
                else:
                    findings.append(_unknown(path, _TERMS))
    found["terms_of"] = own


def _read_one(
    path: tuple[str, ...],
    value: Any,
    check: Callable[[Any], Any],
    found: dict[str, Any],
    findings: list[Finding],
    as_key: str = "",
) -> None:
    key = path[-1]
    try:
        found[as_key or _FIELDS.get(key, key)] = check(value)
    except (UnreadableError, ValueError) as error:
        findings.append(Finding("event", f"{key} {error}. Fix: write {_EXAMPLES.get(key, 'one')}", key=path))


def _over(terms: Terms, some: Mapping[str, Any]) -> Terms:
    return Terms(**{key: some.get(key, getattr(terms, key)) for key in _TERMS})


def _unknown(path: tuple[str, ...], known: list[str] | tuple[str, ...]) -> Finding:
    near = get_close_matches(path[-1], known, 1)
    fix = f"{near[0]} is known" if near else f"keys are {', '.join(known)}"
    return Finding("event", f"unknown key {'.'.join(path)}. Fix: {fix}", key=path)


# -- what each key may be: functions that return the value, or raise what is wrong with it


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"must be a text, not {shown(value)}")
    return name_of(value)


def _book(value: Any) -> str:
    return id_of(_text(value))


def _whole(least: int) -> Callable[[Any], int]:
    def check(value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise ValueError(f"must be a whole number of at least {least}, not {shown(value)}")
        return value

    return check


_positive, _counting = _whole(1), _whole(0)


def _yes_no(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"must be true or false, not {shown(value)}")
    return value


def _one_of(*words: str) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        if value not in words:
            near = get_close_matches(str(value), words, 1)
            raise ValueError(f"must be one of {', '.join(words)}, not {shown(value)}{f' ({near[0]}?)' if near else ''}")
        return str(value)

    return check


def _list(check: Callable[[Any], str], *, once: bool = True) -> Callable[[Any], tuple[str, ...]]:
    def checked(value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not value:
            raise ValueError(f"must be a list of at least one, not {shown(value)}")
        found = tuple(check(one) for one in value)
        if once and len(set(found)) < len(found):
            raise ValueError("names one twice")
        return found

    return checked


def _half_points(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0 or value * 2 != int(value * 2):
        raise ValueError(f"must be 0, 0.5, 1 and so on, not {shown(value)}")
    return int(value * 2)


def _start(value: Any) -> str:
    text = _text(value)
    try:
        if not _START.fullmatch(text):
            raise ValueError
        datetime.fromisoformat(text if " " in text else f"2000-01-01 {text}")
    except ValueError:
        raise ValueError(f"is no time: {shown(value)}") from None
    return text


def _then(value: Any) -> bool:
    return _one_of("knockout")(value) == "knockout"


def _apart(value: Any) -> bool:
    return _one_of("club")(value) == "club"


_TERMS = ("book", "best_of", "boards", "points")
_FIELDS = {"then": "then_knockout"}
_CHECKS: Mapping[str, Callable[[Any], Any]] = {
    "name": _text,
    "system": _one_of(*SYSTEMS),
    "seed": _counting,
    "book": _book,
    "best_of": _positive,
    "boards": _positive,
    "points": _positive,
    "then": _then,
    "groups": _positive,
    "qualify": _positive,
    "rounds": _positive,
    "third_place": _yes_no,
    "consolation": _yes_no,
    "apart": _apart,
    "order": _list(_one_of(*TIE_BREAKS)),
    "withdrawn": _one_of("annul", "walkover"),
    "late_points": _half_points,
    "tie": _list(_one_of("singles", "doubles"), once=False),
    "tables": _list(lambda value: id_of(_text(value))),
    "start": _start,
    "minutes": _positive,
    "rest_minutes": _counting,
    "protest": _text,
}
_EXAMPLES = {
    "name": 'name = "Open singles"',
    "system": 'system = "knockout"',
    "seed": "seed = 7",
    "book": 'book = "icf"',
    "then": 'then = "knockout"',
    "apart": 'apart = "club"',
    "order": 'order = ["matches", "head_to_head", "lot"]',
    "withdrawn": 'withdrawn = "annul"',
    "late_points": "late_points = 0.5",
    "tie": 'tie = ["singles", "singles", "doubles"]',
    "tables": 'tables = ["table1", "table2"]',
    "start": 'start = "09:30" or start = "2026-11-29 09:30"',
    "third_place": "third_place = true",
    "consolation": "consolation = true",
    **{key: f"{key} = 3" for key in ("groups", "qualify", "rounds", "count", "best_of", "boards", "minutes")},
    "points": "points = 25",
    "rest_minutes": "rest_minutes = 10",
    "protest": 'protest = "within 30 minutes, with 500 rupees"',
}
