"""A day of fixtures played with simulated tables: where it stands still, known before anybody has come. Pure.

Who is called when, and where, is decided as in the hall (`day_of`, `named_anew`). Simulated are the matches' lengths,
who wins, and how long players take to come, all from a seed. Every table is there, and no match is drawn.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import count
from random import Random

from controller.hub.acts import Act
from controller.hub.calling import Call, due_at
from controller.hub.fixtures import Fixture, named
from controller.hub.progress import named_anew
from controller.hub.said import FinalSideSaid, ResultSaid, ScoreSaid, SideSaid
from controller.hub.today import Day, House, Seen, day_of

BEGINS_H = 9
"""A day whose fixtures have no times begins at this hour."""
COME_S = (30.0, 120.0)
"""From the call to both players' sitting there: they are in the hall and look for their strikers."""
LASTS_MIN = (25.0, 60.0)
"""From a game soon won to one that goes to its last board."""


@dataclass(frozen=True, slots=True)
class Standstill:
    """A free table whose next match should have begun by its time. `waits_for`: whom for, each with the table where
    that one is; where it is not known who plays, the match that decides it, `winner SF1`."""

    fixture: Fixture
    waits_for: Mapping[str, str]
    since: datetime
    until: datetime

    @property
    def minutes(self) -> float:
        """How long it stood still."""
        return (self.until - self.since).total_seconds() / 60


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """How a day went, on how many tables. `results`: what was played, each with its table; `late_min`: by how many
    minutes each match began after its time; `left`: what was not played, and why.
    """

    began: datetime
    ended: datetime
    stood: Sequence[Standstill]
    late_min: Sequence[tuple[float, Fixture]]
    left: Sequence[Call]
    tables: int
    results: Sequence[tuple[str, ResultSaid]]


def rehearse(
    fixtures: Sequence[Fixture],
    today: datetime,
    house: House = House(),  # noqa: B008
    lasts_min: tuple[float, float] = LASTS_MIN,
    seed: int = 1,
    tables: Collection[str] = (),
) -> Rehearsal:
    """Plays all fixtures. `today`: the day of those without one; `lasts_min`: the shortest and the longest match, in
    minutes; `tables`: those that are there besides the ones that fixtures name.
    """
    begins = today.replace(hour=BEGINS_H, minute=0, second=0, microsecond=0)
    hall = _Hall(fixtures, begins, house, lasts_min, seed, tables)
    left = hall.play()
    ended = max([datetime.fromtimestamp(one.end) for _, one in hall.results], default=hall.began)
    return Rehearsal(hall.began, ended, hall.stood, hall.late_min, left, len(hall.tables), hall.results)


class _Hall:
    """The hall's tables and people; `play` goes from one happening to the next."""

    def __init__(
        self,
        fixtures: Sequence[Fixture],
        begins: datetime,
        house: House,
        lasts_min: tuple[float, float],
        seed: int,
        tables: Collection[str],
    ) -> None:
        self._fixtures = {key: replace(one, key=key) for key, one in named(fixtures, begins).items()}
        self._due = {key: due_at(one.time, begins) for key, one in self._fixtures.items()}
        self.tables = sorted({one.table for one in fixtures if one.table} | {*tables})
        self._house, self._lasts_min, self._chance = house, lasts_min, Random(seed)
        self._acts: dict[str, Act] = {}
        self.began = self._now = min(self._due.values(), default=begins)
        self.results: list[tuple[str, ResultSaid]] = []
        self.stood: list[Standstill] = []
        self.late_min: list[tuple[float, Fixture]] = []
        self._playing: dict[str, ScoreSaid] = {}
        self._called: dict[str, Fixture] = {}
        self._still: dict[str, Standstill] = {}
        self._order = count()
        self._coming: list[tuple[datetime, int, Callable[[], object]]] = []
        # Whatever may be called from now on, and what should have begun.
        for when in {due - lead for due in self._due.values() for lead in (house.early, timedelta())}:
            self._at(when, lambda: None)

    def play(self) -> Sequence[Call]:
        """Plays the day out. Returns what is left."""
        left: Sequence[Call] = ()
        while self._coming:
            self._now, _, happens = heapq.heappop(self._coming)
            happens()
            if not self._coming or self._coming[0][0] > self._now:
                left = self._look()
        self._watch(())
        return left

    def _at(self, when: datetime, happens: Callable[[], object]) -> None:
        heapq.heappush(self._coming, (when, next(self._order), happens))

    def _look(self) -> Sequence[Call]:
        """What the hub does after each change: it fills in names, and calls."""
        day = self._day()
        if anew := {one.key: changed for one, changed in named_anew(day)}:
            self._fixtures |= anew
            day = self._day()
        for act in day.unkept:
            if act.what == "table":
                self._acts[act.fixture] = act
            elif act.what == "undone":
                self._acts.pop(act.fixture)
        called = {one.fixture.key: one.fixture for one in day.called if one.stage == "called"}
        for key in sorted(called.keys() - self._called.keys()):
            come = self._now + timedelta(seconds=self._chance.uniform(*COME_S))
            self._at(max(come, self._due[key]), partial(self._sit_down, key))
        self._called = called
        self._watch(day.called)
        return day.called

    def _day(self) -> Day:
        fixtures = [*self._fixtures.values()]
        seen = Seen(fixtures, self.results, playing=self._playing, online=self.tables)
        return day_of(seen, self._acts.values(), self._now, self._house)

    def _sit_down(self, key: str) -> None:
        """Whoever was called begins, unless the call was taken back."""
        one = self._called.get(key)
        if one is None or one.table in self._playing:
            return
        sides = tuple(SideSaid(name=pair[0], seats={seat: one.seats[seat] for seat in pair}) for pair in one.sides)
        self._playing[one.table] = ScoreSaid(seq=1, match=f"m-{key}", state="playing", sides=sides, fixture=key)
        self.late_min.append(((self._now - self._due[key]).total_seconds() / 60, one))
        began = self._now.timestamp()
        lasts = timedelta(minutes=self._chance.uniform(*self._lasts_min))
        self._at(self._now + lasts, lambda: self._end(one.table, began))

    def _end(self, table: str, began: float) -> None:
        score = self._playing.pop(table)
        sides = tuple(FinalSideSaid(name=side.name, players=tuple(side.seats.values())) for side in score.sides)
        winner = self._chance.choice(sides).name
        times = {"start": began, "end": self._now.timestamp()}
        result = ResultSaid(match=score.match or "", winner=winner, sides=sides, fixture=score.fixture, **times)
        self.results.append((table, result))
        self._at(self._now + self._house.rest, lambda: None)

    def _watch(self, calls: Collection[Call]) -> None:
        """Notes which tables stand still, and of those that have gone on how long they stood."""
        busy = {*self._playing, *(one.table for one in self._called.values())}
        still: dict[str, Standstill] = {}
        for call in calls:
            one = call.fixture
            if call.stage == "held" and one.table and one.table not in busy and self._due[one.key] <= self._now:
                still.setdefault(one.table, Standstill(one, call.busy, self._now, self._now))
        for table, before in self._still.items():
            now = still.get(table)
            if now is not None and (now.fixture.key, now.waits_for) == (before.fixture.key, before.waits_for):
                still[table] = before
            elif before.since < self._now:
                self.stood.append(replace(before, until=self._now))
        self._still = still
