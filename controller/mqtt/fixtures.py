"""Fixtures as they stand on a table's topic: read strictly, whoever published them. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, time
from typing import Any

from controller.events.doors import MESSAGE, json_object, name_of
from controller.events.errors import UnreadableError
from controller.events.fixture_words import REFERENCE
from controller.events.reading import number
from controller.events.words import Seat
from controller.mqtt.payloads import Fixture

MOST_FIXTURES = 2000
"""Of one file or topic: more than any day has."""
_CLOCK = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(:00)?( ?(?P<half>[AaPp])\.?[Mm]\.?)?"
_TIMES = tuple(
    re.compile(rf"({day},?[ T])?{_CLOCK}")
    for day in (
        r"(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})",
        r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})",
        r"(?P<first>\d{1,2})[/-](?P<second>\d{1,2})[/-](?P<year>\d{4})",
    )
)
"""As we write a day and as spreadsheets save it: a typed `2026-11-29` becomes what their country writes."""
_WRITE = "write HH:MM, or YYYY-MM-DD HH:MM; in a spreadsheet make the column text before"
_SEATS: tuple[Seat, ...] = ("south", "north", "east", "west")
_WORDS = ("event", "round", "book", "referee", "protest", "id")


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
    """Makes a fixture of words by column: `time`, `event`, `round`, `book`, `referee`, `protest`, `id` and the seats;
    and of `awaits`, `since`, `key`, `pool` and `over`, where it has any.

    Raises UnreadableError, which says what is wrong and how to correct it.
    """
    words: dict[str, str] = {}
    for column in ("time", *_WORDS, *_SEATS):
        try:
            words[column] = name_of(str(cells.get(column, "")))
        except UnreadableError as error:
            raise UnreadableError(f"{column} {error}. Fix: correct it") from error
    when = _time_of(words["time"])
    seats = {seat: words[seat] for seat in _SEATS if words[seat]}
    if not {"south", "north"} <= set(seats) or len(seats) == 3:
        raise UnreadableError(f"{len(seats)} players. Fix: south and north, and for doubles east and west")
    awaits = {seat: str(text) for seat, text in dict(cells.get("awaits", {})).items() if seat in seats}
    if odd := next((text for text in awaits.values() if not REFERENCE.fullmatch(text) or name_of(text) != text), None):
        raise UnreadableError(f"awaits {odd!r}. Fix: write winner or loser and a match's id")
    since, key = number(cells.get("since", 0.0), "since"), name_of(str(cells.get("key", "")))
    pool, over = (cells.get(name) is True for name in ("pool", "over"))
    about = {column: words[column] for column in _WORDS}
    return Fixture(seats, when, **about, awaits=awaits, since=since, key=key, pool=pool, over=over)


def _time_of(text: str) -> str:
    """A time as we write it, so that times sort as texts: `HH:MM`, with its day `YYYY-MM-DD HH:MM`, or nothing.

    Raises UnreadableError for what is no time, no day of the calendar, or one of two days.
    """
    found = next((match for one in _TIMES if (match := one.fullmatch(text))), None)
    if found is None:
        if not text:
            return ""
        raise UnreadableError(f"time {text!r}. Fix: {_WRITE}")
    said = {name: int(figures) for name, figures in found.groupdict().items() if figures and figures.isdecimal()}
    if "first" in said:
        said |= _day_and_month(text, said["first"], said["second"])
    try:
        clock = f"{_hour(said['hour'], found['half']):02}:{time(minute=said['minute']):%M}"
        return f"{date(said['year'], said['month'], said['day'])} {clock}" if "year" in said else clock
    except ValueError as error:
        raise UnreadableError(f"time {text!r}: no calendar or clock has it. Fix: correct it") from error


def _day_and_month(text: str, first: int, second: int) -> dict[str, int]:
    if first <= 12 and second <= 12 and first != second:
        raise UnreadableError(f"time {text!r} may be two days. Fix: {_WRITE}")
    return {"day": first, "month": second} if second <= 12 else {"day": second, "month": first}


def _hour(hour: int, half: str | None) -> int:
    """The hour of the day. Raises ValueError for one that no clock shows."""
    if half is None:
        return time(hour).hour
    if not 1 <= hour <= 12:
        raise ValueError
    return hour % 12 + (12 if half in "Pp" else 0)
