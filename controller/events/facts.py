"""How a fact of a stroke is described, once: beside its field in `match.Shot`, as `Annotated[type, Fact(…)]`.

Codec, JSON Schema, questions, grades, the correction form and the table in the documents all follow from there: a
field's type gives a fact's values, its default what is in order. Must not know how a fact is seen or what it costs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from controller.events.words import Grade

UNKNOWN = "unknown"
"""Stands for what was seen and not decided."""


@dataclass(frozen=True, slots=True)
class Fact:
    """What is said of a fact beyond its type.

    `label`: in the correction form ("" where the form has no row for it). `asks`: the question about it; `asks_one`:
    about one entry of a list. `grade`: the least camera that can tell it. `source`: who sees it. `unit`: of a number.
    `line_call`: told from lines and motion, so that a real table starts with the umpire's confirmation.
    """

    label: str = ""
    asks: str = ""
    asks_one: str = ""
    grade: Grade | None = None
    source: Literal["camera", "beams and camera", "umpire"] = "camera"
    unit: str = ""
    line_call: bool = False


@dataclass(frozen=True, slots=True)
class Described:
    """A fact with its path in the shot, such as `placement.lines`.

    `values`: the words it may have, in order first; () for numbers and lists. `in_order`: what it is when left out.
    """

    path: str
    fact: Fact
    values: tuple[Any, ...]
    in_order: Any

    @property
    def split(self) -> tuple[str, str]:
        """The field of the shot, and the part of it ("" for the whole)."""
        whole, _, part = self.path.partition(".")
        return whole, part


def described(shot: type) -> Mapping[str, Described]:
    """Returns the facts that a dataclass describes by their paths, in its own order; parts follow their whole."""
    return dict(_walk(shot, ""))


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
        found.append((path, Described(path, fact, values if UNKNOWN in words else (), in_order)))
        for part in _bare(hint):
            if is_dataclass(part) and isinstance(part, type):
                found += _walk(part, f"{path}.")
    return found


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
