"""Which of the day's matches are called next: a free table's first fixture whose people are free. Pure; times come in.

Nothing is stored: it follows from fixtures, results and what is on the tables now. Must not know the broker or the
pages.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Literal

from controller.events.doors import name_key
from controller.hub.fixtures import Fixture, club_day
from controller.hub.said import ScoreSaid
from controller.mqtt.fixtures import named_in

Stage = Literal["playing", "called", "held", "early", "away", "aside", "waits"]

EARLY = timedelta(minutes=15)
"""So long before its time a match is called, where a club says nothing else: as long as players are usually asked to be
there before it.
"""


@dataclass(frozen=True, slots=True)
class Call:
    """A fixture that is still to be played.

    `stage`: `called`: its table is free and nobody in it plays or officiates elsewhere, so that it may begin; `held`:
    its table is free and somebody is not, or not known yet, see `busy`: the person's name, or whose name is waited for
    (`winner SF1`) → the table's id; `early`: its table is free and calls nobody else before it, `until` it may be
    called; `away`: nothing is received
    from its table; `aside`: the desk has set it aside, `until` when ("": until it says otherwise); `waits`: another
    match comes first there, `after` these players', or it is another day's, `until` then. `late_min`: so long ago it
    should have begun. `here`: the desk called it early, as its players are there.
    """

    fixture: Fixture
    stage: Stage
    busy: Mapping[str, str] = field(default_factory=dict)
    late_min: int = 0
    until: str = ""
    here: bool = False
    after: str = ""


def calls(
    fixtures: Sequence[Fixture],
    over: Iterable[Fixture | None],
    playing: Mapping[str, ScoreSaid],
    online: Collection[str],
    now: datetime,
    aside: Iterable[tuple[Fixture, str]] = (),
    here: Iterable[Fixture] = (),
    early: timedelta = EARLY,
) -> list[Call]:
    """Returns each fixture without a result, in the order given.

    `over`: those of `fixtures` with one; `playing`: the scoreboards of the tables on which a match is under way, which
    names the fixture that it is by key; `online`: the tables that are there; `now`: by the clock that the fixtures'
    times are written in; `aside`: those of `fixtures` that are set aside, each with its time until when, or ""; `here`:
    those whose players are there; `early`: so long before its time another one is called at the earliest.
    """
    gone = {id(one) for one in over}  # the same pair may meet twice on one table at no given time
    left = [one for one in fixtures if id(one) not in gone]
    tables = {name_key(one.id): one.table for one in fixtures if one.id}
    delayed = {id(one): until for one, until in aside}
    under_way, of_many = _under_way(left, playing), _of_many(fixtures)
    # Where somebody is now: playing or officiating; then, in order, where a match is called.
    where = {name_key(name): table for table, score in playing.items() for name in _players(score)}
    where |= {name_key(one.referee): table for table, one in under_way.items() if _one_table(one, of_many)}
    there = {id(one) for one in here}
    taken = {table: _pairs(side.seats.values() for side in score.sides) for table, score in playing.items()}
    awaited, found = dict[str, str](), list[Call]()
    for one in left:
        if any(one is other for other in under_way.values()):
            found.append(Call(one, "playing"))
            continue
        until = delayed.get(id(one))
        due, is_here = due_at(until or one.time, now), id(one) in there
        if until is not None and (not until or due > now):
            found.append(Call(one, "aside", until=until))
            continue
        late_min = max(0, int((now - due).total_seconds() // 60))
        people = {name_key(name): name for name in one.seats.values()}
        people |= {name_key(one.referee): one.referee} if _one_table(one, of_many) else {}
        busy = {name: where[key] for key, name in people.items() if key in where}
        busy |= {text: tables.get(name_key(named_in(text)), "") for text in one.open_seats.values()}
        opens = now if is_here else due if until else due - early
        row = Call(one, "waits", late_min=late_min, here=is_here)
        if club_day(due) > club_day(now):
            row = replace(row, until=f"{due:%Y-%m-%d %H:%M}")
        elif one.table in taken:
            row = replace(row, after=taken[one.table])
        elif one.table not in online:
            row = replace(row, stage="away")
        elif opens > now:
            if one.table in awaited:
                row = replace(row, after=awaited[one.table])
            else:
                row = replace(row, stage="early", until=f"{opens:%Y-%m-%d %H:%M}")
                awaited[one.table] = _pair(one)
        elif busy:
            row = replace(row, stage="held", busy=busy)
        else:
            row = replace(row, stage="called")
            taken[one.table] = _pair(one)
            where |= dict.fromkeys(people, one.table)
        found.append(row)
    # A match that is called before another one's time takes the table from it.
    return [
        replace(one, stage="waits", until="", after=taken[one.fixture.table]) if _gave_way(one, taken) else one
        for one in found
    ]


def _gave_way(one: Call, taken: Collection[str]) -> bool:
    return one.stage == "early" and one.fixture.table in taken


def _pair(fixture: Fixture) -> str:
    return _pairs([fixture.seats[seat] for seat in side] for side in fixture.sides)


def _pairs(sides: Iterable[Iterable[str]]) -> str:
    return " : ".join(" & ".join(side) for side in sides)


def _of_many(fixtures: Iterable[Fixture]) -> set[str]:
    """Who is named as referee of several tables at one time: a match waits for nobody who looks after many."""
    tables: dict[tuple[str, str], set[str]] = {}
    for one in fixtures:
        if one.referee and one.time:
            tables.setdefault((name_key(one.referee), one.time), set()).add(one.table)
    return {name for (name, _time), found in tables.items() if len(found) > 1}


def _one_table(fixture: Fixture, of_many: Collection[str]) -> bool:
    """Whether its referee sits at its table alone."""
    return bool(fixture.referee) and name_key(fixture.referee) not in of_many


def _under_way(fixtures: Iterable[Fixture], playing: Mapping[str, ScoreSaid]) -> dict[str, Fixture]:
    """The fixture that is played on each table: the one that was picked there; of a table of an earlier version, which
    names none, its first one with these players."""
    picked = {score.fixture: table for table, score in playing.items() if score.fixture}
    players = {
        table: sorted(map(name_key, _players(score))) for table, score in playing.items() if score.fixture is None
    }
    found: dict[str, Fixture] = {}
    for one in fixtures:
        if one.key in picked:
            found[picked[one.key]] = one
        elif one.table not in found and players.get(one.table) == sorted(map(name_key, one.seats.values())):
            found[one.table] = one
    return found


def _players(score: ScoreSaid) -> list[str]:
    return [name for side in score.sides for name in side.seats.values()]


def due_at(time: str, now: datetime) -> datetime:
    """A fixture's time; one without a day is of this day of play; where there is none, or no such day, it is now."""
    day, _, clock = time.rpartition(" ")
    today = club_day(now)
    try:
        due = datetime.fromisoformat(f"{day or today} {clock}")
    except ValueError:
        return now
    return due if day or club_day(due) == today else due + timedelta(days=1)
