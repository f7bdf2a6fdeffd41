"""How a fact of a stroke is described, once: beside its field in `match.Shot`, as `Annotated[type, Fact(…)]`.

Codec, JSON Schema, questions, grades, the correction form and the table in the documents all follow from there: a
field's type gives a fact's values, its default what is in order. Must not know how a fact is seen or what it costs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from controller.events.reading import json_names, read_as
from controller.events.words import GRADES, Grade

UNKNOWN = "unknown"
"""Stands for what was seen and not decided."""


@dataclass(frozen=True, slots=True)
class Fact:
    """What describes a fact beyond its type.

    `label`: in a page's words. `asks`: the question about it; `asks_one`: about one entry of a list. `grade`: the least
    camera that can tell it. `source`: who sees it. `unit`: of a number. `line_call`: it comes from lines and motion, so
    that a real table starts with the umpire's confirmation.
    """

    label: str = ""
    asks: str = ""
    asks_one: str = ""
    grade: Grade | None = None
    source: Literal["camera", "beams and camera", "umpire"] = "camera"
    unit: str = ""
    line_call: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """The part of a list's entry that may be `unknown`.

    `name`: the attribute, "" for the entry itself; `key`: the same in JSON; `words`: what is taken from outside.
    """

    name: str
    key: str
    words: tuple[Any, ...]

    def of(self, entry: Any) -> Any:
        """Returns what an entry of the list says there."""
        return getattr(entry, self.name) if self.name else entry


@dataclass(frozen=True, slots=True)
class Described:
    """A fact with its path in the shot, such as `placement.lines`.

    `values`: the words it may have, in order first; () for numbers and lists. `in_order`: what it is when left out.
    `entry`: of a list of which one entry may stand undecided, the part of it and the words that this may be.
    """

    path: str
    fact: Fact
    values: tuple[Any, ...]
    in_order: Any
    entry: Entry | None = None

    @property
    def in_form(self) -> bool:
        """Whether it is a row of words or a number in the form; who struck and lists have rows of their own."""
        return bool(self.fact.asks and self.fact.label) and self.entry is None

    @property
    def split(self) -> tuple[str, str]:
        """The field of the shot, and the part of it ("" for the whole)."""
        whole, _, part = self.path.partition(".")
        return whole, part


def described(shot: type) -> Mapping[str, Described]:
    """Returns the facts that a dataclass describes by their paths, in its own order; parts follow their whole."""
    return dict(_walk(shot, ""))


def by_grade(facts: Iterable[Described]) -> list[Described]:
    """Returns facts with those first that the least camera can tell."""
    return sorted(facts, key=lambda one: GRADES.index(one.fact.grade) if one.fact.grade else len(GRADES))


def _walk(model: type, prefix: str) -> list[tuple[str, Described]]:
    found: list[tuple[str, Described]] = []
    hints = get_type_hints(model, include_extras=True)
    for field in fields(model):
        hint = hints[field.name]
        fact = next((note for note in getattr(hint, "__metadata__", ()) if isinstance(note, Fact)), None)
        if fact is None:
            continue
        path = prefix + field.name
        words = _words(hint)
        in_order = field.default
        values = tuple(sorted((word for word in words if word != UNKNOWN), key=lambda word: word != in_order))
        entry = _entry(hint) if fact.asks_one else None
        found.append((path, Described(path, fact, values if UNKNOWN in words else (), in_order, entry)))
        for part in _bare(hint):
            if is_dataclass(part) and isinstance(part, type):
                found += _walk(part, f"{path}.")
    return found


def _entry(hint: Any) -> Entry | None:
    """The part of a list's entry that may be undecided: the first that has the word for it."""
    entries = (one for part in _bare(hint) if get_origin(part) is tuple for one in _bare(get_args(part)[0]))
    for entry in entries:
        if not isinstance(entry, type) or not is_dataclass(entry):
            return Entry("", "", _words(entry))
        keys, hints = json_names(entry), get_type_hints(entry, include_extras=True)
        for field in fields(entry):
            if UNKNOWN in (words := _words(read_as(hints[field.name]))):
                return Entry(field.name, keys[field.name], words)
    return None


def _bare(hint: Any) -> list[Any]:
    """The types that a hint allows, without its notes."""
    if get_origin(hint) is Annotated:
        return _bare(get_args(hint)[0])
    if get_origin(hint) is tuple or get_origin(hint) is None or get_origin(hint) is Literal:
        return [hint]
    return [one for part in get_args(hint) for one in _bare(part)]


def _words(hint: Any) -> tuple[Any, ...]:
    words: list[Any] = []
    for one in _bare(hint):
        if one is bool:
            words += [True, False]
        elif get_origin(one) is Literal:
            words += get_args(one)
    return tuple(words)
