"""A day of 20 tables and 80 matches in fast motion: how long a question waits for its referee, what the hub calls when.

`simulated_day.py` says which parts are real, and what is assumed of the hall and its people.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import cycle, pairwise, repeat
from random import Random
from statistics import mean

from controller.hub.fixtures import Fixture
from controller.hub.rehearsal import Rehearsal, rehearse
from controller.hub.today import House
from controller.web.broadcast import GAP_S
from tests.bench.figure import Figure, share
from tests.bench.simulated_day import BEGINS, DAY_S, PLAYERS, ROUNDS, Day, Way

RATES = (0.2, 0.45, 1.0)
"""Questions a board: wanted; as once measured on the whole table; on a bad day."""
SEEDS, SEEDS_LONG = 10, 40
TABLES = (20, 12)
WANTED_S, CALLED_S = 60.0, 2.0
SHOWN_S = GAP_S + 0.5
"""From the hub's state to the call on an open page: the stream's gap, and what `hub_referee.mjs` waits."""
WAYS = (
    Way("one referee, at the tables"),
    Way("one referee, on the hub's page", page=True),
    Way("one referee, at the tables, nearest first", nearest=True),
    Way("two referees, at the tables", 2),
    Way("two referees, on the hub's page", 2, page=True),
)


def at(took: Sequence[float], share: float) -> float:
    """The time within which this share of all came, in s."""
    return sorted(took)[min(len(took) - 1, int(share * len(took)))]


def run(long: bool) -> Iterator[Figure]:
    """Yields the figures; each line is of so many days, one a seed."""
    seeds = range(SEEDS_LONG if long else SEEDS)
    for timely, plan in ((True, "nine hours by the sheet"), (False, "all matches as called")):
        every: list[Day] = []
        for rate in RATES:
            for way in WAYS:
                days = [Day(seed, rate, way, timely=timely) for seed in seeds]
                yield _waits(f"{plan}, {rate:g} a board, {way.name}", days, rate == RATES[0] and way in WAYS[:2])
                every += days
        yield from _called(plan, every)
    yield from _hall(seeds)


def _hall(seeds: Sequence[int]) -> Iterator[Figure]:
    """The same matches on tables of their own and from the pool, as soon as they can begin."""
    for many in TABLES:
        for bound in (True, False):
            days = [_played(seed, many, bound) for seed in seeds]
            minutes = [(day.ended - day.began).total_seconds() / 60 for day in days]
            told = f"{mean(minutes):.0f} min ({min(minutes):.0f} to {max(minutes):.0f})"
            idle = mean(many * lasted - _played_min(day) for lasted, day in zip(minutes, days, strict=True)) / many
            value = f"{told}; a table idle {idle:.0f} min; longest wait {max(map(_longest_wait_min, days)):.0f} min"
            name = f"80 matches on {many} tables, {'each with its own' if bound else 'from the pool'}: the day lasts"
            yield Figure(name, "sim", value)


def _played(seed: int, many: int, bound: bool) -> Rehearsal:
    """A day of Swiss rounds without times: the pairs are chance, and the tables are given in turn."""
    chance, names = Random(seed), [f"Player {number}" for number in range(PLAYERS)]
    tables, pairs = [f"table{number}" for number in range(many)], list[tuple[str, str]]()
    for _ in range(ROUNDS):
        chance.shuffle(names)
        pairs += zip(names[::2], names[1::2], strict=True)
    own = cycle(tables) if bound else repeat("")
    fixtures = [Fixture({"south": south, "north": north}, table=table) for (south, north), table in zip(pairs, own)]  # noqa: B905
    return rehearse(fixtures, BEGINS, House(), seed=seed, tables=tables)


def _played_min(day: Rehearsal) -> float:
    return sum(result.end - result.start for _, result in day.results) / 60


def _longest_wait_min(day: Rehearsal) -> float:
    """From the end of somebody's match to the beginning of the next, or from the morning."""
    of_person: dict[str, list[tuple[float, float]]] = {}
    for _, result in day.results:
        for name in (name for side in result.sides for name in side.players):
            of_person.setdefault(name, []).append((result.start, result.end))
    began = day.began.timestamp()
    times = [[(began, began), *sorted(played)] for played in of_person.values()]
    return max(after[0] - before[1] for played in times for before, after in pairwise(played)) / 60


def _waits(name: str, days: Sequence[Day], limited: bool) -> Figure:
    waits = [one for day in days for one in day.waits.values()]
    told = ", ".join(f"{at(waits, part):.0f}" for part in (0.5, 0.95, 0.99))
    apart = [at([*day.waits.values()], 0.95) for day in days]
    within = share(sum(one <= WANTED_S for one in waits), len(waits))
    value = f"{told}, {max(waits):.0f} s at 50, 95, 99 %, longest; within {WANTED_S:.0f} s {within}"
    idle_min = max(one.began_s - one.sat_s for day in days for one in day.played) / 60
    note = f"at 95 % by seed {min(apart):.0f} to {max(apart):.0f} s; players sit at most {idle_min:.0f} min before play"
    if not limited:
        return Figure(name, "sim", value, note=note)
    return Figure(name, "sim", value, f"95 % within {WANTED_S:.0f} s", at(waits, 0.95) <= WANTED_S, note)


def _called(plan: str, days: Sequence[Day]) -> Iterator[Figure]:
    """What the hub called, over all days of a plan."""
    free_s, hub_s = [one for day in days for one in day.free_s], [one for day in days for one in day.hub_s]
    called_s = max(hub_s) + SHOWN_S
    soon = sum(one + called_s <= CALLED_S for one in free_s)
    missed, twice = sum(day.missed for day in days), sum(day.twice for day in days)
    name, note = f"{plan}: free tables that call within {CALLED_S:.0f} s", "the others wait for a player"
    value, reached = f"{share(soon, len(free_s))}; {missed} forgotten", not missed and called_s <= CALLED_S
    yield Figure(name, "sim", value, "as soon as it is time and the players are free too", reached, note)
    yield Figure(f"{plan}: somebody called to two tables", "sim", f"{twice} in {len(days)} days", "0", not twice)
    yield Figure(f"{plan}: calls taken back, a day", "sim", f"{sum(day.back for day in days) / len(days):.1f}")
    ends = [f"{BEGINS + timedelta(seconds=max(one.ended_s for one in day.played)):%H:%M}" for day in days]
    value = f"{min(ends)} to {max(ends)}, planned {BEGINS + timedelta(seconds=DAY_S):%H:%M}"
    yield Figure(f"{plan}: the last match's end", "sim", value)
    told = ", ".join(f"{1000 * at(hub_s, part):.1f}" for part in (0.5, 0.99, 1.0))
    yield Figure(f"{plan}: the hub reckons the calls", "host", f"{told} ms at 50, 99 %, longest, of {len(hub_s)}")
