"""What in a sheet of fixtures may be meant otherwise: nothing of it is wrong, and each is worth a second look. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from difflib import get_close_matches
from itertools import pairwise

from controller.events.doors import name_key
from controller.events.fixture_words import REFERENCE
from controller.hub.fixtures import Fixture

LIKE = 0.85
"""Two names of which this much agrees may be one."""
_MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Club:
    """What is known of whose sheet it is. `books`: the rulebooks that there are; `players`, `tables`: who has played in
    its season, and where; `lasts`: how long a match of it lasts, None where that is not known; `rest`: how long
    everybody rests after one."""

    books: Collection[str] = ()
    players: Collection[str] = ()
    tables: Collection[str] = ()
    lasts: timedelta | None = None
    rest: timedelta = timedelta()


def notes_of(read: Mapping[str, Fixture], with_ids: Collection[str], club: Club) -> list[list[str]]:
    """Returns the notes, kind by kind. `read`: the fixtures by where they stand; `with_ids`: those whose sheet has
    ids."""
    kinds = (
        _untimed(read),
        _named_without_ids(read, with_ids),
        _at_two_tables(read),
        _too_close(read, club),
        _unknown_tables(read, club.tables),
        _unknown_books(read, club.books),
        _new_names(read, club.players),
    )
    return [list(kind) for kind in kinds]


def _untimed(read: Mapping[str, Fixture]) -> Iterator[str]:
    if any(one.time for one in read.values()):
        for where, one in read.items():
            if not one.time:
                yield f"{where}: has no time, though others have, and is called at once. Is its cell a merged one?"


def _at_two_tables(read: Mapping[str, Fixture]) -> Iterator[str]:
    where_at: dict[tuple[str, str], tuple[str, Fixture]] = {}
    for where, one in read.items():
        for name in one.seats.values():
            if not one.time or name in one.awaits.values():
                continue
            first, other = where_at.setdefault((one.time, name_key(name)), (where, one))
            if other is not one and (other.table != one.table or not one.table):
                too = f"too ({_beside(first, where)})"
                yield f"{where}: {name} is at {one.time} on {_place(other)} {too}: one of them waits"


def _named_without_ids(read: Mapping[str, Fixture], with_ids: Collection[str]) -> Iterator[str]:
    for where, one in read.items():
        for name in one.seats.values() if where not in with_ids else ():
            if REFERENCE.fullmatch(name):
                yield f"{where}: {name!r} is taken for a player: no column is called id"


def _unknown_books(read: Mapping[str, Fixture], books: Collection[str]) -> Iterator[str]:
    for where, one in read.items():
        if books and one.book and one.book not in books:
            yield f"{where}: book {one.book!r} is none of ours{meant(one.book, books)}; a table may have it"


def _unknown_tables(read: Mapping[str, Fixture], tables: Collection[str]) -> Iterator[str]:
    for where, one in read.items():
        if tables and one.table and one.table not in tables:
            yield f"{where}: nothing was played on table {one.table!r} this season{meant(one.table, tables)}"


def _too_close(read: Mapping[str, Fixture], club: Club) -> Iterator[str]:
    """Yields whose next match begins before the one before it has ended, and everybody has rested."""
    least = (club.lasts or timedelta()) + club.rest
    of_person: dict[str, list[tuple[datetime, str, str]]] = {}
    for where, one in read.items():
        for name in one.seats.values():
            if one.time and name not in one.awaits.values():
                at = datetime.fromisoformat(one.time if " " in one.time else f"2000-01-01 {one.time}")
                of_person.setdefault(name_key(name), []).append((at, where, name))
    for planned in of_person.values():
        for (before, first, _), (at, where, name) in pairwise(sorted(planned)):
            if timedelta() < at - before < least:
                minutes, too = (at - before) // _MINUTE, f"too ({_beside(first, where)})"
                yield (
                    f"{where}: {name} is to play {minutes} minutes before, {too}: with rest a match takes "
                    f"{least // _MINUTE}"
                )


def _new_names(read: Mapping[str, Fixture], players: Collection[str]) -> Iterator[str]:
    """Yields names that are nearly one that stands more often, or that the club knows."""
    players_of = ((where, set(one.seats.values()) - set(one.awaits.values())) for where, one in read.items())
    named = [(where, name) for where, names in players_of for name in sorted(names)]
    times = Counter(name_key(name) for _, name in named)
    # As each was written first.
    known = {name_key(name): name for name in reversed([*players])}
    written = {name_key(name): name for _, name in named} | known
    said = set[str]()
    for where, name in named:
        key = name_key(name)
        if key in said or key in known:
            continue
        said.add(key)
        often = [other for other in written if other != key and (other in known or times[other] > times[key])]
        if like := get_close_matches(key, often, 1, LIKE):
            yield f"{where}: {name} is nearly {written[like[0]]}: one and the same?"


def _beside(first: str, where: str) -> str:
    """Another line as it is named beside one: by its file too, where that is another one."""
    file, _, line = first.rpartition(":")
    return f"line {line}" if file == where.rpartition(":")[0] else first


def _place(one: Fixture) -> str:
    return one.table or "the next free table"


def meant(word: str, words: Collection[str]) -> str:
    """Returns the word that was nearly written, as a question; "" where none is near."""
    like = get_close_matches(word.lower(), [*words], 1, 0.6)
    return f" (is it {like[0]!r}?)" if like else ""
