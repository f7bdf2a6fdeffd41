"""Letters for people: what a protest shows of a match where names are left out. Pure.

Players, referees and whoever decided stand as A, B, C in the order in which the journal names them; what people typed
is left empty. Single words stay elsewhere: they are the program's own, whatever somebody is called.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count, product
from string import ascii_uppercase
from typing import Any, get_args

from controller.events.doors import name_key
from controller.events.words import Seat
from controller.journal import Entry
from controller.table.public.names import TYPED

_SEATS = frozenset(get_args(Seat))
_PERSON = frozenset({"by", "referee"})
"""Fields that name a person; also a side, by its seat."""
_TYPED = frozenset({*TYPED, "note", "competition", "round"})
"""What people typed."""


class Redaction:
    """The letters of one match. `also`: further people, after those whom the journal names."""

    def __init__(self, entries: Iterable[Entry], also: Iterable[str] = ()) -> None:
        named = (name for entry in entries for body in (entry.event, entry.ruling) for name in _people(body))
        people = dict.fromkeys(name for name in (*named, *also) if name.strip())
        # One who is written in two ways is one.
        letters = dict(zip(dict.fromkeys(map(name_key, people)), _letters(), strict=False))
        self._letters = {name: letters[name_key(name)] for name in people}
        longest = sorted(people, key=len, reverse=True)
        self._found = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, longest))})(?!\w)") if longest else None

    def person(self, name: Any) -> Any:
        """Returns the letter of somebody; what names nobody as it is."""
        return self._letters.get(name, name) if isinstance(name, str) else name

    def entry(self, entry: Entry) -> Entry:
        """Returns an entry without names."""
        return replace(entry, event=self.hidden(entry.event), ruling=self.hidden(entry.ruling))

    def hidden(self, value: Any) -> Any:
        """Returns a JSON value without names."""
        if isinstance(value, Mapping):
            return {key: self._field(key, inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self.hidden(inner) for inner in value]
        if isinstance(value, str) and self._found is not None and " " in value:
            return self._found.sub(lambda match: self._letters[match[0]], value)
        return value

    def _field(self, key: str, value: Any) -> Any:
        if key == "seats" and isinstance(value, Mapping):
            return {seat: self.person(name) for seat, name in value.items()}
        if key in _PERSON and isinstance(value, str):
            return self.person(value)
        if key in _TYPED and isinstance(value, str | list | tuple):
            return type(value)()
        return self.hidden(value)


def without_sentences(value: Any) -> Any:
    """Returns what a ruling holds besides sentences: all that is the same with names and with letters, whatever
    somebody is called."""
    if isinstance(value, Mapping):
        return {key: "" if key in _TYPED else without_sentences(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [without_sentences(inner) for inner in value]
    return "" if isinstance(value, str) and " " in value else value


def _people(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key == "seats" and isinstance(inner, Mapping):
                yield from (name for name in inner.values() if isinstance(name, str))
            elif key in _PERSON and isinstance(inner, str) and inner not in _SEATS:
                yield inner
            else:
                yield from _people(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _people(inner)


def _letters() -> Iterator[str]:
    for length in count(1):
        yield from map("".join, product(ascii_uppercase, repeat=length))
