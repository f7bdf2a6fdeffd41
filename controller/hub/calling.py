"""Which of the day's matches are called next: a free table's first fixture whose people are free and rested. One of the
pool's without a table waits until it is given one (`pool`). Pure; times come in.

Nothing is stored: it follows from fixtures, results and what is on the tables now. Must not know the broker or the
pages.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Literal

from controller.events.doors import name_key
from controller.hub.fixtures import ById, Fixture, club_day
from controller.hub.said import ScoreSaid, players_of

Stage = Literal["playing", "called", "held", "early", "away", "aside", "waits", "rests", "queues"]

EARLY = timedelta(minutes=15)
"""So long before its time a match is called, where a club says nothing else: as long as players are usually asked to be
there before it.
"""


@dataclass(frozen=True, slots=True)
class Call:
    """A fixture that is still to be played.

    `stage`: `called`: its table is free and nobody in it plays or officiates elsewhere, so that it may begin; `held`:
    its table is free and somebody is not, or not known yet, see `busy`: the person's name, or whose name is waited for
    (`winner SF1`) → the table's id; `rests`: somebody has just played, `busy` names who, and rests `until` then;
    `early`: its table is free and calls nobody else before it, `until` it may be called; `away`: nothing is received
    from its table; `aside`: the desk has set it aside, `until` when ("": until it says otherwise); `waits`: another
    match comes first there, `after` these players', or it is another day's, `until` then; `queues`: of the pool, and
    nothing is wanting but a free table. `late_min`: so long ago it should have begun, or was given its table. `here`:
    the desk called it early, as its players are there. `ready`: since when it could be played.
    """

    fixture: Fixture
    stage: Stage
    busy: Mapping[str, str] = field(default_factory=dict)
    late_min: int = 0
    until: str = ""
    here: bool = False
    after: str = ""
    ready: datetime = datetime.min


@dataclass(frozen=True, slots=True)
class Rest:
    """How long everybody rests after a match. `ended`: person's key → when the last one ended."""

    least: timedelta = timedelta()
    ended: Mapping[str, datetime] = field(default_factory=dict)


def calls(
    fixtures: Sequence[Fixture],
    over: Iterable[Fixture | None],
    playing: Mapping[str, ScoreSaid],
    online: Collection[str],
    now: datetime,
    aside: Iterable[tuple[Fixture, str]] = (),
    here: Iterable[Fixture] = (),
    early: timedelta = EARLY,
    rest: Rest = Rest(),
    given: Mapping[str, datetime] = MappingProxyType({}),
) -> list[Call]:
    """Returns each fixture without a result, in the order given.

    `over`: those of `fixtures` with one; `playing`: the scoreboards of the tables on which a match is under way, which
    names the fixture that it is by key; `online`: the tables that are there; `now`: by the clock that the fixtures'
    times are written in; `aside`: those of `fixtures` that are set aside, each with its time until when, or ""; `here`:
    those whose players are there; `early`: so long before its time another one is called at the earliest; `given`: when
    each of the pool's, by key, was given its table.
    """
    gone = {id(one) for one in over}  # the same pair may meet twice on one table at no given time
    left = [one for one in fixtures if id(one) not in gone]
    ids = ById(fixtures)
    delayed = {id(one): until for one, until in aside}
    under_way, many = _under_way(left, playing), of_many(fixtures)
    # Where somebody is now: playing or officiating; then, in order, where a match is called.
    where = {name_key(name): table for table, score in playing.items() for name in players_of(score)}
    where |= {name_key(one.referee): table for table, one in under_way.items() if _one_table(one, many)}
    there = {id(one) for one in here}
    taken = {table: _pairs(side.seats.values() for side in score.sides) for table, score in playing.items()}
    awaited, found = dict[str, str](), list[Call]()
    plays = {id(one) for one in under_way.values()}
    # Who was given a table is called there and stays so; then come those with a table of their own; the pool's see who
    # is left.
    for one in sorted(left, key=lambda one: (not one.pool, not one.table)):
        if id(one) in plays:
            found.append(Call(one, "playing"))
            continue
        until = delayed.get(id(one))
        due, is_here = due_at(until or one.time, now), id(one) in there
        if until is not None and (not until or due > now):
            found.append(Call(one, "aside", until=until))
            continue
        should = max(due if one.time or one.key not in given else datetime.min, given.get(one.key, datetime.min))
        late_min = max(0, int((now - should).total_seconds() // 60))
        people = people_of(one, many)
        busy = {name: where[key] for key, name in people.items() if key in where}
        decides = {text: ids.named(one, text) for text in one.open_seats.values()}
        busy |= {text: other.table if other is not None else "" for text, other in decides.items()}
        opens = now if is_here else due if until else due - early
        tired = {} if is_here else {name: rest.ended[key] for key, name in people.items() if key in rest.ended}
        rested = max(tired.values(), default=datetime.min)
        ready = max(rested + rest.least, opens if one.time else datetime.min, _published(one))
        row = Call(one, "waits", late_min=late_min, here=is_here, ready=ready)
        if club_day(due) > club_day(now):
            row = replace(row, until=f"{due:%Y-%m-%d %H:%M}")
        elif one.table in taken:
            row = replace(row, after=taken[one.table])
        elif one.table and one.table not in online:
            row = replace(row, stage="away")
        elif opens > now:
            if one.table in awaited:
                row = replace(row, after=awaited[one.table])
            else:
                row = replace(row, stage="early", until=f"{opens:%Y-%m-%d %H:%M}")
                awaited |= {one.table: _pair(one)} if one.table else {}
        elif busy:
            row = replace(row, stage="held", busy=busy)
        elif rested + rest.least > now:
            who = dict.fromkeys((name for name, ended in tired.items() if ended + rest.least > now), "")
            row = replace(row, stage="rests", until=f"{rested + rest.least:%Y-%m-%d %H:%M}", busy=who)
        elif not one.table:
            row = replace(row, stage="queues")
        else:
            row = replace(row, stage="called")
            taken[one.table] = _pair(one)
            where |= dict.fromkeys(people, one.table)
        found.append(row)
    order = {id(one): place for place, one in enumerate(left)}
    found.sort(key=lambda one: order[id(one.fixture)])
    # A match that is called before another one's time takes the table from it.
    return [
        replace(one, stage="waits", until="", after=taken[one.fixture.table]) if _gave_way(one, taken) else one
        for one in found
    ]


def _published(one: Fixture) -> datetime:
    return datetime.fromtimestamp(one.since) if one.since else datetime.min


def _gave_way(one: Call, taken: Collection[str]) -> bool:
    return one.stage == "early" and one.fixture.table in taken


def _pair(fixture: Fixture) -> str:
    return _pairs([fixture.seats[seat] for seat in side] for side in fixture.sides)


def _pairs(sides: Iterable[Iterable[str]]) -> str:
    return " : ".join(" & ".join(side) for side in sides)


def people_of(fixture: Fixture, many: Collection[str]) -> dict[str, str]:
    """Returns who has to be free for a match, by key: its players, and a referee who looks after it alone. `many`: see
    `of_many`."""
    people = {name_key(name): name for name in fixture.seats.values()}
    return people | ({name_key(fixture.referee): fixture.referee} if _one_table(fixture, many) else {})


def of_many(fixtures: Iterable[Fixture]) -> set[str]:
    """Who is named as referee of several tables at one time: a match waits for nobody who looks after many."""
    tables: dict[tuple[str, str], set[str]] = {}
    for one in fixtures:
        if one.referee and one.time:
            tables.setdefault((name_key(one.referee), one.time), set()).add(one.table)
    return {name for (name, _time), found in tables.items() if len(found) > 1}


def _one_table(fixture: Fixture, many: Collection[str]) -> bool:
    """Whether its referee sits at its table alone."""
    return bool(fixture.referee) and name_key(fixture.referee) not in many


def _under_way(fixtures: Iterable[Fixture], playing: Mapping[str, ScoreSaid]) -> dict[str, Fixture]:
    """The fixture that is played on each table: the one that was picked there; of a table of an earlier version, which
    names none, its first one with these players."""
    picked = {score.fixture: table for table, score in playing.items() if score.fixture}
    players = {
        table: sorted(map(name_key, players_of(score))) for table, score in playing.items() if score.fixture is None
    }
    found: dict[str, Fixture] = {}
    for one in fixtures:
        if one.key in picked:
            found[picked[one.key]] = one
        elif one.table not in found and players.get(one.table) == sorted(map(name_key, one.seats.values())):
            found[one.table] = one
    return found


def due_at(time: str, now: datetime) -> datetime:
    """A fixture's time; one without a day is of this day of play; where there is none, or no such day, it is now."""
    day, _, clock = time.rpartition(" ")
    today = club_day(now)
    try:
        due = datetime.fromisoformat(f"{day or today} {clock}")
    except ValueError:
        return now
    return due if day or club_day(due) == today else due + timedelta(days=1)
