"""A day's fixtures: typed once in a sheet, published to each table's topic, read by tables and hub. Pure.

A fixture is who plays whom, where and when. One without a table is of the pool: it is played on the next free one, and
while it is given to a table a copy stands on that table's topic. Must not know the broker, nor how a match goes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date, datetime, timedelta
from hashlib import sha256
from itertools import chain

from controller.events.doors import json_text, name_key
from controller.events.fixture_words import DRAWN_ID
from controller.events.words import Seat
from controller.mqtt import payloads
from controller.mqtt.fixtures import named_in, published
from controller.mqtt.topics import POOL


@dataclass(frozen=True, slots=True)
class Fixture(payloads.Fixture):
    """A match to be played on a table; on the next free one where `table` is empty. `pool`: it has none of its own, and
    was given this one."""

    table: str = ""

    @property
    def sides(self) -> tuple[tuple[Seat, ...], ...]:
        """The seats of each side: partners sit opposite."""
        return (("south", "north"), ("east", "west")) if "east" in self.seats else (("south",), ("north",))

    @property
    def open_seats(self) -> dict[Seat, str]:
        """The seats whose player is not known yet, with what they wait for."""
        return {seat: text for seat, text in self.awaits.items() if self.seats[seat] == text}


class ById:
    """Which match a reference names, as `winner SF1`: the one of its own event with that id, or else the only one with
    it. Several events of a day have a final each."""

    def __init__(self, fixtures: Iterable[Fixture] = ()) -> None:
        self._own: dict[tuple[str, str], Fixture] = {}
        self._all: dict[str, list[Fixture]] = {}
        for one in fixtures:
            self.add(one)

    def add(self, one: Fixture) -> bool:
        """Takes in one more; returns whether its event had no match with its id yet."""
        if not one.id:
            return True
        self._all.setdefault(name_key(one.id), []).append(one)
        return self._own.setdefault((name_key(one.event), name_key(one.id)), one) is one

    def named(self, one: Fixture, reference: str) -> Fixture | None:
        """The match that a reference in another one names; None where there is none."""
        name = name_key(named_in(reference))
        own, some = self._own.get((name_key(one.event), name)), self._all.get(name, [])
        return own or (some[0] if len(some) == 1 else None)


def awaited(fixtures: Sequence[Fixture]) -> set[int]:
    """Returns the matches, by `id()`, for whose winner or loser another one waits."""
    ids = ById(fixtures)
    named = (ids.named(one, text) for one in fixtures for text in one.awaits.values())
    return {id(one) for one in named if one is not None}


def by_table(fixtures: Iterable[Fixture]) -> dict[str, list[Fixture]]:
    """Each table's fixtures, and the pool's, in the order of the file."""
    found: dict[str, list[Fixture]] = {}
    for fixture in fixtures:
        found.setdefault(fixture.table or POOL, []).append(fixture)
    return found


def payload_of(fixtures: Sequence[Fixture]) -> payloads.Fixtures:
    """The payload of one table's topic."""
    names = [field.name for field in fields(payloads.Fixture)]
    return payloads.Fixtures(
        tuple(payloads.Fixture(**{name: getattr(one, name) for name in names}) for one in fixtures)
    )


def fixtures_from(place: str, payload: bytes, before: tuple[Fixture, ...] = ()) -> tuple[Fixture, ...]:
    """Reads such a payload of a table's, or of the pool's; `before` if it is none, nothing if it is empty."""
    listed = published(payload)
    if listed is None:
        return before
    return tuple(at_table("" if place == POOL else place, fixture) for fixture in listed)


def first_published(
    listed: Mapping[str, Sequence[Fixture]],
    stood: Mapping[str, bytes],
    now_s: float,
    over: Collection[str] = (),
) -> dict[str, list[Fixture]]:
    """Returns each table's fixtures with their keys, and with the time at which they are first published: now, but of
    one that stands on a table's topic already, as `stood` has it, the time and key that it has there. One without a day
    that has stood for long is another week's. What is still of the pool stays on the table to which it was given. What
    stands and is `over`, by its id, stays too, so that its result keeps event and round.
    """
    standing = list(chain.from_iterable(fixtures_from(table, payload) for table, payload in stood.items()))
    known: dict[tuple[str, ...], list[tuple[float, str]]] = {}
    for one in standing:
        if not one.pool and (" " in one.time or now_s - (one.since or now_s) < EVENT_S):
            known.setdefault(_same(one), []).append((one.since or now_s, one.key))
    dated: dict[str, list[Fixture]] = {table: [] for table in listed}
    for table, one in ((table, one) for table, fixtures in listed.items() for one in fixtures):
        since, key = next(iter(known.get(_same(one), ())), (now_s, ""))
        # The same pair may meet twice.
        known[_same(one)] = known.get(_same(one), [])[1:]
        dated[table].append(replace(one, since=since, key=key))
    ids = {one.id for fixtures in listed.values() for one in fixtures}
    for one in standing:
        if one.id in over and one.id not in ids and not one.pool:
            dated.setdefault(one.table or POOL, []).append(replace(one, over=True))
    keys = {
        id(one): key for key, one in named(chain.from_iterable(dated.values()), datetime.fromtimestamp(now_s)).items()
    }
    keyed = {table: [replace(one, key=keys[id(one)]) for one in fixtures] for table, fixtures in dated.items()}
    of_pool = {one.key: one for one in keyed.get(POOL, ())}
    for one in standing:
        if one.pool and one.key in of_pool:
            keyed.setdefault(one.table, []).append(replace(of_pool[one.key], table=one.table, pool=True))
    return keyed


EVENT_S = 5 * 86_400.0
"""A sheet without days is one event's for so long: a club's night comes again after a week."""
DAY_BEGINS_H = 4
"""Play ends after midnight: a fixture without a day belongs to the club's day, which begins at this hour."""


def club_day(now: datetime) -> date:
    """Returns the day of play that a time belongs to."""
    return (now - timedelta(hours=DAY_BEGINS_H)).date()


def named(fixtures: Iterable[Fixture], now: datetime) -> dict[str, Fixture]:
    """Each fixture by its key: that with which it was published, or else one that stays the same over a restart, at
    another time of its day and on another table.

    Made of day, event, round and players, or of its id where results decide who plays, and hashed: whoever forgets a
    player looks for no name in it. Of a match that SoL drew it is the id. One without a day is of the day on which it
    was first published, or else of today's. `now`: by the fixtures' clock.
    """
    fixtures = list(fixtures)
    seen = Counter(one.key for one in fixtures if one.key)
    found = {one.key: one for one in fixtures if seen[one.key] == 1}
    for one in fixtures:
        if seen[one.key] == 1:
            continue
        day = one.time.rpartition(" ")[0] or f"{club_day(datetime.fromtimestamp(one.since) if one.since else now)}"
        who = name_key(one.id) if one.awaits else sorted(map(name_key, one.seats.values()))
        parts = [day, name_key(one.event), name_key(one.round), who]
        digest = sha256(json_text(parts).encode()).hexdigest()[:16]
        numbered = (f"{digest}-{number}" for number in range(1, len(fixtures) + 1))
        own = [one.id] if DRAWN_ID.fullmatch(one.id) else []
        found[next(key for key in (*own, *numbered) if key not in found)] = one
    return found


def _same(one: Fixture) -> tuple[str, ...]:
    """What a fixture keeps when it is moved to another table or named by a result."""
    day = one.time.rpartition(" ")[0]
    who = (name_key(one.id),) if one.id else tuple(sorted(map(name_key, one.seats.values())))
    return day, name_key(one.event), name_key(one.round), *who


def at_table(table: str, fixture: payloads.Fixture) -> Fixture:
    """A fixture as it is played on a table."""
    return Fixture(**{one.name: getattr(fixture, one.name) for one in fields(fixture)}, table=table)
