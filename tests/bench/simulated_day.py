"""A club's day in fast motion, 20 tables and 80 matches: what waits for a referee, and which matches the hub calls.

The hub's pure parts are the real ones: `Tables` reads the tables' payloads, `day_of` calls the matches, and the
referee goes by the order of `/referee`, which is that of `Tables.plain`. Clock and people are simulated, from seeds;
the constants below are all that is assumed of them. Play goes on while a question waits.
"""

from __future__ import annotations

import heapq
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from math import hypot
from random import Random
from typing import Any

from controller.events.ruling import Question
from controller.hub.calling import EARLY
from controller.hub.fixtures import Fixture, payload_of
from controller.hub.tables import Tables
from controller.hub.today import House, day_of
from controller.mqtt.payloads import to_json
from controller.mqtt.scoreboard import MatchInfo, result, score
from controller.table.match.questions import alert_id, question_alert
from tests.bench.tally_of import STROKES_A_BOARD
from tests.mqtt.rulings import ruling

BEGINS, DAY_S = datetime(2026, 3, 1, 9, 0), 9 * 3600.0
PLACES = {f"table{number}": (number % 5, number // 5) for number in range(20)}
"""Four rows of five tables."""
PLAYERS, ROUNDS = 40, 4
"""As in a Swiss draw everybody plays once a round, so that a table waits for players of any other tables."""
MATCH_S, STROKE_S = (25 * 60.0, 60 * 60.0), (10.0, 30.0)
"""From a game soon won to one that goes to its last board; two players take turns about every 20 s."""
COME_S = (30.0, 120.0)
"""From the call to both players' sitting there: they are in the hall, hear it and look for their strikers."""
WALK_S = (5.0, 20.0)
"""The referee's way to the next table, and from corner to corner; between them by distance. He looks at his phone when
he has done what he went for, not on the way."""
LOOK_S = (10.0, 20.0)
"""A question decided at its table. To confirm a result there takes as long: it is read and signed."""
PAGE_S = (5.0, 10.0)
"""A question answered on the hub's page, which all tables allow: the picture, then two taps."""
START_S = (20.0, 40.0)
"""A match is begun: its fixture picked on the console, the toss, who has white."""


@dataclass(frozen=True)
class Way:
    """How the hall is refereed. `page`: questions are answered on the hub's page; `nearest`: the nearest question is
    next, not the oldest."""

    name: str
    referees: int = 1
    page: bool = False
    nearest: bool = False


class Match:
    """A fixture and what happens in it, however the hall is refereed. Times in s.

    `sat_s`, `began_s`, `ended_s`: since the day began: both players sit there, play begins, and ends. `strokes`: since
    play began; the last ends it. `asks`: the strokes that leave a question, each with how long its answer takes, from 0
    (the least) to 1 (the most).
    """

    def __init__(self, table: str, at_s: float, people: Sequence[str], chance: Random, rate: float) -> None:
        sides = {"south": {"south": people[0]}, "north": {"north": people[1]}}
        self.at_s, self.people = at_s, people
        key = f"{table}-{at_s:.0f}"
        self.info = MatchInfo(table, f"m-{key}", "icf", sides, fixture=key)
        at = f"{BEGINS + timedelta(seconds=at_s):%Y-%m-%d %H:%M}"
        self.fixture = Fixture({"south": people[0], "north": people[1]}, at, book="icf", table=table, key=key)
        self.sat_s = self.began_s = self.ended_s = 0.0
        lasts_s, self.strokes = chance.uniform(*MATCH_S), [chance.uniform(*STROKE_S)]
        while self.strokes[-1] < lasts_s:
            self.strokes.append(self.strokes[-1] + chance.uniform(*STROKE_S))
        self.come_s, self.start_s = chance.uniform(*COME_S), chance.uniform(*START_S)
        self.confirm_s = chance.uniform(*LOOK_S)
        # At a higher rate the same strokes ask, and more.
        draws = [(chance.random(), chance.random()) for _ in self.strokes]
        self.asks = {number: pace for number, (doubt, pace) in enumerate(draws) if doubt < rate / STROKES_A_BOARD}


def drawn(seed: int, rate: float) -> list[Match]:
    """The day's matches: each round's pairs are chance, and so are their tables; rounds begin at even times."""
    chance, names = Random(f"draw {seed}"), [f"Player {number}" for number in range(PLAYERS)]
    found = []
    for number in range(ROUNDS):
        chance.shuffle(names)
        for place, table in enumerate(PLACES):
            pair = names[2 * place : 2 * place + 2]
            found.append(Match(table, DAY_S * number / ROUNDS, pair, Random(f"{seed} {number} {table}"), rate))
    return found


class Day:
    """One day, from the published draw to the last confirmed result; all times in s from its beginning.

    `timely`: matches are called as by default, and nobody sits down before the time on the sheet; otherwise the club
    calls as soon as a table is free, and everybody comes.

    `waits`: each question's time to its answer, by its number, in the order of the answers. `asked`: how many there
    were. `free_s`: from a table's being free in the time for its next call to that call. `twice`: calls of somebody who
    was called or played elsewhere; `missed`: tables left free though it was time and a match's players were; `back`:
    calls taken back, as a match before could begin. `hub_s`: the hub's own time, really measured, for each reckoning of
    the calls.
    """

    def __init__(self, seed: int, rate: float, way: Way, *, timely: bool) -> None:
        self.waits: dict[int, float] = {}
        self.free_s: list[float] = []
        self.hub_s: list[float] = []
        self.asked = self.twice = self.missed = self.back = 0
        self.played: list[Match] = []
        self.now_s = 0.0
        self._way, self._timely = way, timely
        self._early = EARLY if timely else timedelta(days=1)
        self._coming: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self._order = count()
        self._tables = Tables(answers=way.page)
        self._left = drawn(seed, rate)
        self._playing: dict[str, Match] = {}
        self._shown: dict[str, tuple[Match, dict[str, Any]]] = {}
        self._called: dict[str, tuple[Match, float]] = {}
        self._free_since = dict.fromkeys(PLACES, 0.0)
        self._open: dict[tuple[str, int], tuple[float, float]] = {}
        self._idle, self._taken = ["table0"] * way.referees, set[tuple[str, int]]()
        self._calls: list[tuple[Callable[..., None], Match]] = []
        for table in PLACES:
            self._say(table, "availability", b"online")
            # Once for the day: without `Tables.passed` no table falls silent.
            self._say(table, "health", to_json({"t": self._unix, "armed": "armed"}))
            fixtures = payload_of([one.fixture for one in self._left if one.info.table == table])
            self._say(table, "fixtures", to_json(fixtures))
        for at_s in sorted({self._opens_s(one) for one in self._left}):
            self._after(at_s, self._reckon)
        while self._coming:
            self.now_s, _order, happens, about = heapq.heappop(self._coming)
            happens(*about)
            self._send()

    @property
    def _unix(self) -> float:
        return BEGINS.timestamp() + self.now_s

    def _after(self, wait_s: float, happens: Callable[..., None], *about: Any) -> None:
        heapq.heappush(self._coming, (self.now_s + wait_s, next(self._order), happens, about))

    def _opens_s(self, match: Match) -> float:
        return max(0.0, match.at_s - self._early.total_seconds())

    def _say(self, table: str, kind: str, payload: bytes) -> None:
        self._tables.heard(f"carrom/{table}/{kind}", payload)

    def _score(self, match: Match, **more: Any) -> None:
        self._shown[match.info.table] = match, more
        asks = sum(table == match.info.table for table, _ask in self._open)
        self._say(match.info.table, "score", to_json(score(ruling(**more), match.info, self._unix, asks=asks)))

    def _reckon(self) -> None:
        """A match began or ended, or a time has come: the hub reckons anew who is called."""
        tables, now, began = self._tables, BEGINS + timedelta(seconds=self.now_s), time.perf_counter()
        calls = [
            one.fixture for one in day_of(tables.seen(), [], now, House(self._early)).called if one.stage == "called"
        ]
        self.hub_s.append(time.perf_counter() - began)
        # In the order of the page: who sits down at one time is begun in it.
        found = {one.table: next(match for match in self._left if match.fixture == one) for one in calls}
        for table, (match, _since) in list(self._called.items()):
            if found.get(table) is not match:
                self.back += 1
                del self._called[table]
                self._calls = [one for one in self._calls if one != (self._start, match)]
        for table, match in found.items():
            if table not in self._called:
                self._called[table] = match, self.now_s
                if table in self._free_since:
                    self.free_s.append(self.now_s - max(self._free_since.pop(table), self._opens_s(match)))
                until_s = match.at_s - self.now_s if self._timely else 0.0
                self._after(max(match.come_s, until_s), self._sat_down, match, self.now_s)
        wanted = Counter(name for one in (*found.values(), *self._playing.values()) for name in one.people)
        self.twice += sum(times - 1 for times in wanted.values())
        free = PLACES.keys() - found.keys() - self._playing.keys()
        timely = [one for one in self._left if self._opens_s(one) <= self.now_s]
        self.missed += len({one.info.table for one in timely if not wanted.keys() & one.people} & free)

    def _sat_down(self, match: Match, since: float) -> None:
        if self._called.get(match.info.table) == (match, since):
            match.sat_s = self.now_s
            self._calls.append((self._start, match))

    def _start(self, match: Match, referee: str) -> None:
        """The referee is there to begin a match, unless its call was taken back on his way."""
        table = match.info.table
        if self._called.get(table, (None,))[0] is not match:
            self._idle.append(referee)
            return
        del self._called[table]
        self._left.remove(match)
        self._playing[table] = match
        self._score(match, seq=1, event="start")
        self._reckon()
        match.began_s = self.now_s + match.start_s
        self._after(match.start_s, self._idle.append, referee)
        # A stroke that asks nothing changes neither what waits nor who is called; `bench_hub` measures that load.
        for number, pace in match.asks.items():
            self._after(match.start_s + match.strokes[number], self._ask, match, number, pace)
        self._after(match.start_s + match.strokes[-1], self._end, match)

    def _ask(self, match: Match, number: int, pace: float) -> None:
        self.asked += 1
        self._open[match.info.table, self.asked] = self.now_s, pace
        question = question_alert(Question(self.asked, "Did it fall?", (True, False)), self._unix)
        self._say(match.info.table, f"alert/{question.id}", to_json(question))
        self._score(match, seq=number + 2)

    def _end(self, match: Match) -> None:
        table, last = match.info.table, ruling(seq=len(match.strokes) + 2, match_over=True, winner="south")
        self._score(match, **last)
        history = [(BEGINS.timestamp() + match.began_s, {}, ruling(seq=1)), (self._unix, {}, last)]
        self._say(table, f"result/{match.info.match}", to_json(result(match.info, history)))
        match.ended_s = self._free_since[table] = self.now_s
        self.played.append(self._playing.pop(table))
        self._calls.append((self._confirm, match))
        self._reckon()

    def _confirm(self, match: Match, referee: str) -> None:
        self._after(match.confirm_s, self._idle.append, referee)

    def _send(self) -> None:
        """Whoever is idle takes what is next: a question, as the page lists them, else the oldest call."""
        while self._idle:
            # Two referees have told each other who goes where; who stands at a table answers all that waits there.
            asked = [
                (tile["table"], one)
                for tile in self._tables.plain(referee=True)
                for one in tile["waiting"]
                if _job(tile["table"], one) not in self._taken
            ]
            if not asked and not self._calls:
                return
            first = asked[0][0] if asked else self._calls[0][1].info.table
            at = min(self._idle, key=lambda place: _walk_s(place, first))
            self._idle.remove(at)
            if not asked:
                act, match = self._calls.pop(0)
                self._after(_walk_s(at, match.info.table), act, match, match.info.table)
                continue
            table, one = asked[0]
            if not self._way.page:
                ways_s = [_walk_s(at, each) for each, _one in asked]
                table, one = asked[ways_s.index(min(ways_s))] if self._way.nearest or 0.0 in ways_s else asked[0]
            self._taken.add(_job(table, one))
            # Where the page is not sent what to answer, the table's console shows its oldest.
            ask = one.get("ask") or min(number for place, number in self._open if place == table)
            pace = self._open[table, ask][1]
            takes_s = _between(PAGE_S, pace) if "ask" in one else _walk_s(at, table) + _between(LOOK_S, pace)
            self._after(takes_s, self._answer, table, ask, _job(table, one), at if "ask" in one else table)

    def _answer(self, table: str, ask: int, job: tuple[str, int], referee: str) -> None:
        self._taken.remove(job)
        self.waits[ask] = self.now_s - self._open.pop((table, ask))[0]
        self._say(table, f"alert/{alert_id(ask)}", b"")
        match, ruled = self._shown[table]
        self._score(match, **ruled)
        self._idle.append(referee)


def _job(table: str, one: dict[str, Any]) -> tuple[str, int]:
    """What one referee takes on: a question on the page, a whole table otherwise."""
    return table, one.get("ask", 0)


def _walk_s(one: str, other: str) -> float:
    if one == other:
        return 0.0
    far = max(hypot(*PLACES[table]) for table in PLACES)
    off = hypot(*(here - there for here, there in zip(PLACES[one], PLACES[other], strict=True)))
    return _between(WALK_S, (off - 1) / (far - 1))


def _between(ends: tuple[float, float], share: float) -> float:
    return ends[0] + share * (ends[1] - ends[0])
