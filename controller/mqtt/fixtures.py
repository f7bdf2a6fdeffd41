"""Fixtures as they stand on a table's topic: read strictly, whoever published them. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from controller.events.doors import MESSAGE, json_object, name_of
from controller.events.errors import UnreadableError
from controller.events.words import Seat
from controller.mqtt.payloads import Fixture

MOST_FIXTURES = 2000
"""Of one file or topic: more than any day has."""
_TIME = re.compile(r"(\d{4}-\d{2}-\d{2} )?([01]?\d|2[0-3]):[0-5]\d")
_SEATS: tuple[Seat, ...] = ("south", "north", "east", "west")
_WORDS = ("event", "round", "book", "referee", "id")
REFERENCE = re.compile(r"(winner|loser) (\S.*)", re.IGNORECASE)
"""How a fixture names a player whom another one decides, by that one's `id`."""


def published(payload: bytes) -> tuple[Fixture, ...] | None:
    """Reads a payload: nothing for an empty one, None for one that is not what it should be."""
    if not payload:
        return ()
    try:
        listed = json_object(payload, MESSAGE).get("fixtures")
        if not isinstance(listed, list) or len(listed) > MOST_FIXTURES:
            return None
        return tuple(checked_fixture({**one, **one["seats"]}) for one in listed)
    except (UnreadableError, TypeError, KeyError, ValueError):
        return None


def named_in(reference: str) -> str:
    """Returns the id of the match that a reference names."""
    return reference.partition(" ")[2]


def checked_fixture(cells: Mapping[str, Any]) -> Fixture:
    """Makes a fixture of words by column: `time`, `event`, `round`, `book`, `referee`, `id` and the seats; and of
    `awaits`, where it has any.

    Raises UnreadableError, which says what is wrong and how to correct it.
    """
    words: dict[str, str] = {}
    for column in ("time", *_WORDS, *_SEATS):
        try:
            words[column] = name_of(str(cells.get(column, "")))
        except UnreadableError as error:
            raise UnreadableError(f"{column} {error}. Fix: correct it") from error
    if words["time"] and not _TIME.fullmatch(words["time"]):
        raise UnreadableError(f"time {words['time']!r}. Fix: write HH:MM, or YYYY-MM-DD HH:MM")
    seats = {seat: words[seat] for seat in _SEATS if words[seat]}
    if not {"south", "north"} <= set(seats) or len(seats) == 3:
        raise UnreadableError(f"{len(seats)} players. Fix: south and north, and for doubles east and west")
    awaits = {seat: str(text) for seat, text in dict(cells.get("awaits", {})).items() if seat in seats}
    if odd := next((text for text in awaits.values() if not REFERENCE.fullmatch(text) or name_of(text) != text), None):
        raise UnreadableError(f"awaits {odd!r}. Fix: write winner or loser and a match's id")
    return Fixture(seats, _padded(words["time"]), **{column: words[column] for column in _WORDS}, awaits=awaits)


def _padded(time: str) -> str:
    # Sorted as text: 09:30 before 10:15.
    day, _, clock = time.rpartition(" ")
    return f"{day} {clock:0>5}".strip() if clock else ""
