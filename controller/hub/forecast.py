"""When each match that waits will begin, when the day ends, and what holds its end up. Pure; times come in.

Played on in thought: each match lasts as long as those of its event have, nobody is late, and the next one on a free
table is the one that the hub would call (`calls`, `pool`). Who wins is not known, so a place that is open is free when
the match that decides it has ended. Must not know the broker or the pages.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from controller.hub.calling import Call, due_at, of_many, people_of
from controller.hub.fixtures import ById
from controller.hub.lengths import Lengths
from controller.hub.pool import keeps_from
from controller.hub.today import Day, House

SOON = timedelta(minutes=5)
"""A match that lasts longer than usual ends so soon, as far as anybody can know."""
SITS = timedelta(minutes=2)
"""From the call to the first stroke."""

Hold = Literal["tables", "table", "person", "match", ""]


@dataclass(frozen=True, slots=True)
class Forecast:
    """`begins`: the fixtures' keys → when each begins, those that wait for nothing that is known left out; `ends`: when
    the last one ends, None where none is left; `holds`, `who`: what the last ones waited for most: a free table of any
    (`tables`), one table, a person, an earlier match, or nothing but their time.
    """

    begins: Mapping[str, datetime] = field(default_factory=dict)
    ends: datetime | None = None
    holds: Hold = ""
    who: str = ""


@dataclass(slots=True)
class _Planned:
    """A match in thought. `after`: what it waited for last, and whose key that was."""

    key: str
    call: Call
    opens: datetime
    lasts: timedelta
    people: Mapping[str, str]
    feeders: Sequence[str]
    begins: datetime | None = None
    ends: datetime | None = None
    table: str = ""
    after: tuple[Hold, str, str] = ("", "", "")


def forecast(day: Day, online: Collection[str], lengths: Lengths, house: House, now: datetime) -> Forecast:
    """Plays the rest of the day in thought. `online`: the tables that are there."""
    plan = _Plan(day, online, lengths, house, now)
    plan.play()
    done = [one for one in plan.all if one.ends is not None]
    if not done:
        return Forecast()
    last = max(done, key=lambda one: one.ends or now)
    holds, who = _held_by(last, {one.key: one for one in plan.all})
    begins = {one.key: one.begins for one in done if one.begins and one.call.stage not in ("playing", "called")}
    return Forecast(begins, last.ends, holds, who)


def _held_by(last: _Planned, by_key: Mapping[str, _Planned]) -> tuple[Hold, str]:
    """What was waited for most on the way to the last match."""
    found: dict[tuple[Hold, str], int] = {}
    one: _Planned | None = last
    while one is not None and one.after[0]:
        hold, who, key = one.after
        found[hold, who] = found.get((hold, who), 0) + 1
        one = by_key.get(key)
    return max(found, key=lambda held: found[held], default=("", ""))


class _Plan:
    def __init__(self, day: Day, online: Collection[str], lengths: Lengths, house: House, now: datetime) -> None:
        self._now, self._house = now, house
        keys, many = {id(one): key for key, one in day.named.items()}, of_many(day.named.values())
        done, ids = {id(one.fixture) for one in day.done}, ById(day.named.values())
        self.all: list[_Planned] = []
        self._free: dict[str, tuple[datetime, str]] = dict.fromkeys({*online} - {*day.closed}, (now, ""))
        self._person: dict[str, tuple[datetime, str]] = {}
        for call in day.called:
            one, key = call.fixture, keys[id(call.fixture)]
            decides = [ids.named(one, text) for text in one.open_seats.values()]
            feeders = [keys[id(other)] for other in decides if other is not None and id(other) not in done]
            people = {} if one.open_seats else people_of(one, many)
            # Nobody knows when, or another day.
            if (call.stage == "aside" and not call.until) or (call.stage == "waits" and call.until):
                continue
            planned = _Planned(key, call, self._opens(call), lengths.of(one), people, feeders)
            self.all.append(planned)
            act = day.acts.get(key)
            if call.stage == "playing":
                began = datetime.fromtimestamp(act.at_s) if act is not None and act.what == "table" else None
                self._begin(planned, one.table, began or now - planned.lasts / 2)
            elif call.stage == "called":
                self._begin(planned, one.table, now + SITS)
        self._left = [one for one in self.all if one.begins is None]
        self._by_key = {one.key: one for one in self.all}

    def _opens(self, call: Call) -> datetime:
        if call.stage in ("aside", "rests", "early") and call.until:
            return due_at(call.until, self._now)
        return max(self._now, due_at(call.fixture.time, self._now) - self._house.early)

    def _begin(self, one: _Planned, table: str, at: datetime) -> None:
        one.begins, one.table = at, table
        one.ends = max(at + one.lasts, self._now + SOON)
        self._free[table] = one.ends, one.key
        for key in one.people:
            self._person[key] = one.ends + self._house.rest, one.key

    def play(self) -> None:
        """Begins one match after the other, from moment to moment."""
        at = self._now
        while self._left:
            for one in self._next(at):
                self._begin(one, one.table, at)
                self._left.remove(one)
            later = [moment for moment in self._moments() if moment > at]
            if not later:
                return
            at = min(later)

    def _moments(self) -> list[datetime]:
        tables, persons = (when for when, _ in self._free.values()), (when for when, _ in self._person.values())
        decided = (when for one in self._left if (when := self._decided(one)[0]) != datetime.max)
        return [*tables, *persons, *(one.opens for one in self._left), *decided]

    def _decided(self, one: _Planned) -> tuple[datetime, str]:
        """When it is known who plays, and everybody has rested."""
        planned = [self._by_key.get(key) for key in one.feeders]
        # One that is set aside has no time, and neither has who waits for it.
        ends = [(each.ends or datetime.max, each.key) if each is not None else (datetime.max, "") for each in planned]
        when, key = max(ends, default=(datetime.min, ""))
        return (when, key) if when == datetime.max else (when + self._house.rest, key)

    def _next(self, at: datetime) -> list[_Planned]:
        """Those that begin at a moment, each with its table."""
        free = {table for table, (when, _) in self._free.items() if when <= at}
        ready = [one for one in self._left if one.opens <= at and self._decided(one)[0] <= at]
        found, taken = list[_Planned](), set[str]()
        kept = self._kept()
        for one in sorted(ready, key=lambda one: (not one.call.fixture.table, self._could(one)[0])):
            own = one.call.fixture.table
            if any(self._person.get(key, (at, ""))[0] > at or key in taken for key in one.people):
                continue
            tables = (
                free & {own} if own else {table for table in free if kept.get(table, datetime.max) >= at + one.lasts}
            )
            if not tables:
                continue
            one.table = min(tables)
            free.discard(one.table)
            taken |= one.people.keys()
            one.after = self._after(one, at)
            found.append(one)
        return found

    def _kept(self) -> dict[str, datetime]:
        """From when each table is kept for a match of its own."""
        found: dict[str, datetime] = {}
        for one in self._left:
            table, when = one.call.fixture.table, keeps_from(one.call.fixture, self._now, self._house.early)
            found[table] = min(when, found.get(table, datetime.max))
        return found

    def _could(self, one: _Planned) -> tuple[datetime, str, str]:
        """From when nothing but a table was wanting, and what was waited for until then."""
        persons = [
            (self._person[key][0], name, self._person[key][1])
            for key, name in one.people.items()
            if key in self._person
        ]
        when, key = self._decided(one)
        return max([(one.opens, "", ""), (when, "", key), *persons])

    def _after(self, one: _Planned, at: datetime) -> tuple[Hold, str, str]:
        could, who, key = self._could(one)
        if could < at:
            own = one.call.fixture.table
            return ("table" if own and not one.call.fixture.pool else "tables"), own, self._free[one.table][1]
        if not key:
            return "", "", ""
        return ("person", who, key) if who else ("match", self._id_of(key), key)

    def _id_of(self, key: str) -> str:
        return self._by_key[key].call.fixture.id
