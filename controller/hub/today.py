"""The day as the hub has it: what was typed, what the tables publish and what was decided, brought together. Pure.

What is to be called, given a table or kept follows from it; nothing of that is stored. Must not know the file, the
broker or the pages.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from types import MappingProxyType

from controller.config import HubSection
from controller.draws.withdrawn import Withdrawn
from controller.events.doors import name_key
from controller.hub.acts import Act, walked_over, walkover
from controller.hub.calling import EARLY, Call, Rest, calls, due_at
from controller.hub.day import Played, played, same_players, some_player
from controller.hub.fixtures import Fixture, awaited, club_day, named
from controller.hub.lengths import lengths_of
from controller.hub.pool import free_tables, given, kept_at, placed
from controller.hub.said import ResultSaid, ScoreSaid

ANOTHER_S = 6 * 3600.0
"""A match that ended so long before a fixture was first published is none of it: yesterday's of the same pair."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What the tables' topics hold. `playing`, `online`: see `calls`; `broken`: away for longer than a restart takes;
    `given`: the pool's matches that stand on a table's topic, key → table; `ahead_s`: how far our clock is ahead of a
    table's, as far as it is known.
    """

    fixtures: Sequence[Fixture]
    results: Sequence[tuple[str, ResultSaid]] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    playing: Mapping[str, ScoreSaid] = field(default_factory=dict)
    online: Collection[str] = ()
    broken: Collection[str] = ()
    given: Mapping[str, str] = field(default_factory=dict)
    ahead_s: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class House:
    """How a club calls. `early`: so long before its time a match is called; `rest`: so long everybody rests after one;
    `show_table`: where spectators sit; `gives`: whether matches of the pool are given tables here, or by another hub.
    """

    early: timedelta = EARLY
    rest: timedelta = timedelta()
    show_table: str = ""
    gives: bool = True

    @classmethod
    def of(cls, club: HubSection) -> House:
        """Reads a hub's configuration."""
        return cls(timedelta(minutes=club.call_before_min), timedelta(minutes=club.rest_minutes), club.show_table)


@dataclass(frozen=True, slots=True)
class Day:
    """The day as the desk has it. `named`: the fixtures by name, the pool's on the tables that they have; `listed`: the
    same as they are published; `done`: results and walkovers, by their ends; `called`: what is still to be played;
    `unkept`: which fixtures are played, and which table one of the pool has, as far as nobody has kept it yet; `acts`:
    what holds, by the fixtures' names; `free`: where a match of the pool could begin; `closed`: tables that the desk
    has set aside."""

    named: Mapping[str, Fixture]
    listed: Mapping[str, Fixture]
    done: Sequence[Played]
    called: Sequence[Call]
    unkept: Sequence[Act] = ()
    acts: Mapping[str, Act] = field(default_factory=dict)
    free: Sequence[str] = ()
    closed: Collection[str] = ()

    def may_be(self, one: Played) -> list[str]:
        """The open fixtures, by name, that a match may have been whose players typed their names: these are theirs. Or
        one of these, where it was picked for a fixture that is published no more: a name in it was corrected.
        """
        if one.fixture is not None or one.walkover or one.result.fixture is None:
            return []
        free = {id(call.fixture) for call in self.called if call.stage != "playing"}
        fits = some_player if one.result.fixture and one.result.fixture not in self.named else same_players
        return [name for name, each in self.named.items() if id(each) in free and fits(one.result, each)]

    def drawn(self, one: Played) -> bool:
        """Whether nobody won it and another match waits for who did."""
        if one.fixture is None or one.walkover or one.result.winner is not None or len(one.result.sides) != 2:
            return False
        return id(one.fixture) in awaited([*self.named.values()])


def day_of(
    seen: Seen,
    acts: Iterable[Act],
    now: datetime,
    house: House = House(),
    gone: Mapping[str, Withdrawn] = MappingProxyType({}),
) -> Day:
    """Brings together what was typed, what the tables publish and what was decided. `now`: by the fixtures' clock;
    `gone`: who has left a drawn event, by its key."""
    acts = list(acts)
    listed = named(seen.fixtures, now)
    of_tables = [act for act in acts if act.what == "aside" and act.table]
    closed = {act.table for act in of_tables if not act.until or due_at(act.until, now) > now}
    tables = {act.fixture: act.table for act in acts if act.what == "table"}
    has = kept_at(listed, tables, seen.playing, closed | {*seen.broken})
    names = placed(listed, has)
    done = _done(seen, acts, names, now)
    walked, off = _left_behind(seen, names, {id(one.fixture) for one in done}, gone)
    done += walked
    online, rest = {*seen.online} - closed, Rest(house.rest, _ended(done, seen.ahead_s, now))
    keys = {id(one): key for key, one in listed.items()}
    order = [keys[id(one)] for one in seen.fixtures]

    def called_on(names: Mapping[str, Fixture]) -> list[Call]:
        about = [(names[act.fixture], act) for act in acts if act.fixture in names]
        return calls(
            [names[key] for key in order],
            [*(one.fixture for one in done), *(one for key, one in names.items() if one.over or key in off)],
            seen.playing,
            online,
            now,
            aside=[(one, act.until) for one, act in about if act.what == "aside"],
            here=[one for one, act in about if act.what == "here"],
            early=house.early,
            rest=rest,
            given={act.fixture: datetime.fromtimestamp(act.at_s) for _, act in about if act.what == "table"},
        )

    called = called_on(names)
    free = free_tables(called, seen.playing, online, now, lengths_of(done).every, house.early)
    if house.gives and (gives := given(called, names, free, house.show_table)):
        has, names, free = has | gives, placed(names, gives), [one for one in free if one not in gives.values()]
        called = called_on(names)
    unkept = [*_unkept_play(done, acts, names, now), *_unkept_tables(called, has, acts, names, listed, now)]
    done.sort(key=lambda one: one.result.end)
    return Day(names, listed, done, called, unkept, {act.fixture: act for act in acts}, free, closed)


def _done(seen: Seen, acts: Sequence[Act], names: Mapping[str, Fixture], now: datetime) -> list[Played]:
    """What was played, and the walkovers."""
    today, given, done = club_day(now), set[int](), list[Played]()
    # Of a match the latest act holds: it was this fixture, or another match.
    of_match = {(one.table, one.result.match): one for one in acts if one.what in ("played", "open") and one.result}
    taken_away = {match for match, act in of_match.items() if act.what == "open"}
    # A correction may have taken a match's end back: it is played on.
    goes_on = {(table, score.match) for table, score in seen.playing.items()}
    told = {
        (table, one.match): one.model_copy(update={"fixture": ""}) if (table, one.match) in taken_away else one
        for table, one in seen.results
        if (table, one.match) not in goes_on
    }
    # One that its broker has forgotten is shown on its day, so that it can be bound again.
    told |= {
        match: act.result.model_copy(update={"fixture": ""})
        for match, act in of_match.items()
        if match in taken_away - told.keys() - goes_on
        and act.result is not None
        and club_day(datetime.fromtimestamp(act.result.end)) == today
    }
    kept = _kept_play(acts, goes_on)
    for (table, match), act in kept.items():
        assert act.result is not None
        fixture, last = names.get(act.fixture), _decided(told.get((table, match)), act.result)
        given |= {id(fixture)} if fixture is not None else set()
        if fixture is not None or (table, match) in told:
            done.append(Played(table, seen.titles.get(table, table), last, fixture))
    for act in acts:
        fixture, result = names.get(act.fixture), walked_over(act)
        # One whose fixture is not published any more is shown on its day, so that it can be undone.
        if result is not None and (fixture is not None or club_day(datetime.fromtimestamp(act.at_s)) == today):
            table = fixture.table if fixture is not None else act.table
            given.add(id(fixture))
            done.append(Played(table, seen.titles.get(table, table), result, fixture, act.fixture))
    # A match that is played all the same stands beside its walkover, until somebody undoes that.
    left = [(table, result) for (table, _), result in told.items() if (table, result.match) not in kept]
    free = {key: one for key, one in names.items() if id(one) not in given}
    return [*done, *played(left, free, seen.titles, partial(_may_be, seen.ahead_s))]


def _left_behind(
    seen: Seen, names: Mapping[str, Fixture], done: Collection[int], gone: Mapping[str, Withdrawn]
) -> tuple[list[Played], set[str]]:
    """What withdrawals make of matches that have no result (`done`: those that have one, by `id()`) and are not played
    now: who wins without playing, and the keys of those that nobody plays."""
    walked, off, playing = list[Played](), set[str](), {score.fixture for score in seen.playing.values()}
    for key, one in names.items():
        event = gone.get(name_key(one.event))
        if event is None or one.open_seats or id(one) in done or key in playing:
            continue
        match event.leaves(one.round, [[one.seats[seat] for seat in pair] for pair in one.sides]):
            case "off":
                off.add(key)
            case int(side):
                # When somebody left is written nowhere: it stands at the time at which the match was drawn.
                times = {"start": one.since, "end": one.since}
                result = walkover(key, one, one.sides[side][0], "withdrew").model_copy(update=times)
                title = seen.titles.get(one.table, one.table)
                walked.append(Played(one.table, title, result, one, key, withdrawn=True))
    return walked, off


def _kept_play(acts: Iterable[Act], goes_on: Collection[tuple[str, str | None]]) -> dict[tuple[str, str], Act]:
    """The matches that are kept as played: (table, match) → the act."""
    of_match = {(one.table, one.result.match): one for one in acts if one.what in ("played", "open") and one.result}
    return {match: act for match, act in of_match.items() if act.what == "played" and match not in goes_on}


def _unkept_play(done: Iterable[Played], acts: Sequence[Act], names: Mapping[str, Fixture], now: datetime) -> list[Act]:
    of, kept = {id(fixture): name for name, fixture in names.items()}, _kept_play(acts, ())
    bound = [
        Act(of[id(one.fixture)], "played", now.timestamp(), table=one.table, result=one.result)
        for one in done
        if one.fixture is not None and not one.walkover
    ]
    return [act for act in bound if act.result and not act.repeats(kept.get((act.table, act.result.match)))]


def _unkept_tables(
    called: Iterable[Call],
    has: Mapping[str, str],
    acts: Iterable[Act],
    names: Mapping[str, Fixture],
    listed: Mapping[str, Fixture],
    now: datetime,
) -> list[Act]:
    """Which of the pool's matches have another table than is kept, or none any more."""
    kept = {act.fixture: act for act in acts}
    keys = {id(one): key for key, one in names.items()}
    found = []
    for key in (key for call in called if not listed[key := keys[id(call.fixture)]].table):
        act = kept.get(key)
        if key in has:
            if act is None or (act.what, act.table) != ("table", has[key]):
                found.append(Act(key, "table", now.timestamp(), table=has[key]))
        elif act is not None and act.what == "table":
            found.append(Act(key, "undone", now.timestamp()))
    return found


def _ended(done: Iterable[Played], ahead_s: Mapping[str, float], now: datetime) -> dict[str, datetime]:
    """When each person's last match ended, by our clock; never later than now, whatever a table's clock says."""
    found: dict[str, datetime] = {}
    for one in done:
        if not one.walkover:
            end = min(now, datetime.fromtimestamp(one.result.end + ahead_s.get(one.table, 0.0)))
            for key in (name_key(name) for side in one.result.sides for name in side.players):
                found[key] = max(end, found.get(key, end))
    return found


def _decided(told: ResultSaid | None, kept: ResultSaid) -> ResultSaid:
    """The result as its table tells it, or as it was kept. Who goes on from a draw is the desk's to say."""
    return kept if told is None else told.model_copy(update={"goes_on": None if told.winner else kept.goes_on})


def _may_be(ahead_s: Mapping[str, float], table: str, result: ResultSaid, fixture: Fixture) -> bool:
    """Whether a match may be the one that a fixture names, by when it ended."""
    return not fixture.since or result.end + ahead_s.get(table, 0.0) > fixture.since - ANOTHER_S
