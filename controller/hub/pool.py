"""The pool: matches without a table of their own, each played on the next free one. Pure; times come in.

Which is next: of those that nothing holds up, the one that could have begun first; of several the first in the sheet.
Must not know the broker or the pages.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from controller.events.doors import name_key
from controller.hub.calling import Call, due_at, of_many, people_of
from controller.hub.fixtures import Fixture, awaited
from controller.hub.row import by_number
from controller.hub.said import ScoreSaid, players_of

THIRD = "third"
"""The round of the match for the third place, which is no final though nobody waits for its winner."""


def placed(fixtures: Mapping[str, Fixture], tables: Mapping[str, str]) -> dict[str, Fixture]:
    """Returns the fixtures, by key, with the pool's at the tables that they have (key → table)."""
    return {
        key: replace(one, table=tables[key], pool=True) if not one.table and key in tables else one
        for key, one in fixtures.items()
    }


def kept_at(
    fixtures: Mapping[str, Fixture],
    tables: Mapping[str, str],
    playing: Mapping[str, ScoreSaid],
    closed: Collection[str],
) -> dict[str, str]:
    """Returns which of the pool's matches keep the table that they were given, or are played on: key → table.

    One goes back to the pool where its table is closed or another match has begun there, and where one of its people
    plays elsewhere: two matches of one player are never called. `closed`: tables that the desk has set aside, or that
    are broken.
    """
    played = {score.fixture: table for table, score in playing.items() if score.fixture}
    busy = {name_key(name): table for table, score in playing.items() for name in players_of(score)}
    found = {key: table for key, table in played.items() if key in fixtures and not fixtures[key].table}
    for key, table in tables.items():
        if key in fixtures and not fixtures[key].table and key not in found:
            away = any(busy.get(name_key(name), table) != table for name in fixtures[key].seats.values())
            if table not in closed and table not in playing and not away:
                found[key] = table
    return found


def free_tables(
    calls: Sequence[Call],
    playing: Collection[str],
    online: Collection[str],
    now: datetime,
    lasts: timedelta,
    early: timedelta,
) -> list[str]:
    """Returns the tables that a match of the pool may be given now, as people count them.

    One whose own match is called is not free, and neither is one whose own match has a time that comes before another
    match has ended: who has no time waits for a free table like the pool. `lasts`: how long a match lasts; `early`: so
    long before its time one is called.
    """
    wanted = {
        one.fixture.table
        for one in calls
        if one.stage in ("playing", "called")
        or one.fixture.pool
        or (one.stage != "aside" and keeps_from(one.fixture, now, early) < now + lasts)
    }
    return sorted({*online} - {*playing} - wanted, key=by_number)


def keeps_from(fixture: Fixture, now: datetime, early: timedelta) -> datetime:
    """Returns from when a match keeps the table that it has of its own: from its call, if it has a time."""
    return due_at(fixture.time, now) - early if fixture.time and fixture.table else datetime.max


def given(
    calls: Sequence[Call], fixtures: Mapping[str, Fixture], free: Sequence[str], show_table: str = ""
) -> dict[str, str]:
    """Returns which matches of the pool are given a table now: key → table. `calls`: all of the day; `show_table`:
    where spectators sit: the first one for a final, the last one for another match.
    """
    keys = {id(one): key for key, one in fixtures.items()}
    many = of_many(fixtures.values())
    finals = {id(one) for one in finals_of(fixtures.values())}
    queue = sorted((one for one in calls if one.stage == "queues"), key=lambda one: (not one.here, one.ready))
    left, taken, found = [*free], set[str](), dict[str, str]()
    for call in queue:
        people = people_of(call.fixture, many)
        if not left or not taken.isdisjoint(people):
            continue
        final = id(call.fixture) in finals
        table = min(left, key=lambda table: (table == show_table) != final if show_table else False)
        left.remove(table)
        taken |= people.keys()
        found[keys[id(call.fixture)]] = table
    return found


def finals_of(fixtures: Iterable[Fixture]) -> list[Fixture]:
    """Returns those that decide an event or its consolation: they wait for others, and nobody for their winner."""
    fixtures = list(fixtures)
    others_wait = awaited(fixtures)
    return [one for one in fixtures if one.awaits and id(one) not in others_wait and name_key(one.round) != THIRD]
