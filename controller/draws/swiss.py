"""A round of the Swiss system: those who have as many points meet, nobody meets anybody twice.

What counts, in this order: the bye goes to the lowest who has had none; as few pairs as possible have different points;
the differences are as small as possible together; as few as possible share a club, where the event asks for it; as few
as possible come to two breaks more on one side; the upper half of those with the same points meets the lower. All of it
is one number a pair, and a matching of the largest weight leaves no better one. Lots decide in the order of those who
are equal (`draw`): one more number a pair, so that one matching alone were best, made 256 of them take twice as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import networkx as nx

from controller.draws.ahead import Ahead, TiredError, after
from controller.draws.lots import lot

SMALL = 12
"""So few are asked ahead of each round whether the later ones can be played."""


@dataclass(frozen=True, slots=True)
class Competitor:
    """Who is there in a round. `points`: in halves; `rank`: among all by points, 0 is best; `met`: the keys of whom it
    has met; `breaks`: for each match so far whether it had the first break; `had_bye`: whether it has had a bye."""

    key: str
    points: int
    rank: int
    club: str = ""
    met: frozenset[str] = frozenset()
    breaks: tuple[bool, ...] = ()
    had_bye: bool = False

    @property
    def lead(self) -> int:
        """How many more first breaks it had than the other."""
        return 2 * sum(self.breaks) - len(self.breaks)


@dataclass(frozen=True, slots=True)
class Round:
    """Who meets whom, the one with the first break first, the highest places first; and who has the bye."""

    pairs: tuple[tuple[Competitor, Competitor], ...]
    bye: Competitor | None = None


def pair(them: Sequence[Competitor], number: int, later: int, seed: int) -> Round | None:
    """Pairs round `number`; None where no pairing is left. `later`: how many rounds follow."""
    order = sorted(them, key=lambda one: one.rank)
    byes: list[Competitor | None] = [None]
    if len(order) % 2:
        byes = [one for one in reversed(order) if not one.had_bye]
    first: Round | None = None
    ahead = Ahead()
    for bye in byes:
        found = _best([one for one in order if one is not bye], number)
        if found is None:
            continue
        first = first or _seated(found, bye, number, seed)
        # Whoever could still meet half of the others finds a pairing (Dirac): only few can be left without one.
        if not later or len(order) > SMALL:
            break
        try:
            way = _that_goes_on(order, found, bye, later, ahead)
        except TiredError:
            break
        if way is not None:
            return _seated(way, bye, number, seed)
    return first


_Pairs = list[tuple[Competitor, Competitor]]


def _best(them: Sequence[Competitor], number: int) -> _Pairs | None:
    half = len(them) // 2
    allowed = [
        (one, other)
        for place, one in enumerate(them)
        for other in them[max(place + 1, half if number == 1 else 0) :]
        if other.key not in one.met and (number > 1 or place < half)
    ]
    cost = _Cost(them)
    costs = [cost.of(*both) for both in allowed]
    graph = nx.Graph()
    graph.add_nodes_from(range(len(them)))
    places = {one.key: place for place, one in enumerate(them)}
    highest = max(costs, default=0) + 1
    graph.add_weighted_edges_from(
        (places[one.key], places[other.key], highest - each) for (one, other), each in zip(allowed, costs, strict=True)
    )
    found = sorted(tuple(sorted(both)) for both in nx.max_weight_matching(graph, maxcardinality=True))
    return [(them[one], them[other]) for one, other in found] if 2 * len(found) == len(them) else None


class _Cost:
    """What a pair costs: each of the round's criteria outweighs all that follow it in all pairs together."""

    def __init__(self, them: Sequence[Competitor]) -> None:
        self._place: dict[str, int] = {}
        self._many: dict[int, int] = {}
        for one in them:
            self._place[one.key] = self._many.get(one.points, 0)
            self._many[one.points] = self._place[one.key] + 1
        span = max((one.points for one in them), default=0) - min((one.points for one in them), default=0)
        self._base = (len(them) + 1) * (2 * len(them) + span + 1)

    def of(self, one: Competitor, other: Competitor) -> int:
        """Returns a pair's cost, the better placed one first."""
        apart = one.points - other.points
        same_club = bool(one.club) and one.club == other.club
        digits = (int(apart != 0), abs(apart), int(same_club), _uneven(one, other), self._off(one, other))
        total = 0
        for digit in digits:
            total = total * self._base + digit
        return total

    def _off(self, one: Competitor, other: Competitor) -> int:
        first, second = self._place[one.key], self._place[other.key]
        if one.points == other.points:
            return abs(second - first - self._many[one.points] // 2)
        return self._many[one.points] - 1 - first + second


def _uneven(one: Competitor, other: Competitor) -> int:
    """How many of a pair come to two breaks or more on one side, whoever has this one."""
    low, high = sorted((one.lead, other.lead))
    return max(0, abs(low + 1) - 1) + max(0, abs(high - 1) - 1)


def _seated(pairs: _Pairs, bye: Competitor | None, number: int, seed: int) -> Round:
    """The first break is his who has had fewer; then his who has not had the last one; then by lot (`break`)."""

    def claim(one: Competitor) -> tuple[int, bool, str]:
        return one.lead, bool(one.breaks) and one.breaks[-1], lot(seed, "break", f"{number} {one.key}")

    def height(both: tuple[Competitor, Competitor]) -> tuple[int, int]:
        return -max(one.points for one in both), min(one.rank for one in both)

    seats = []
    for one, other in sorted(pairs, key=height):
        seats.append((one, other) if claim(one) < claim(other) else (other, one))
    return Round(tuple(seats), bye)


# -- few who meet often: a pairing must leave the later rounds one each


def _goes_on(them: Sequence[Competitor], pairs: _Pairs, bye: Competitor | None, later: int, ahead: Ahead) -> bool:
    met = after({one.key: one.met for one in them}, [(one.key, other.key) for one, other in pairs])
    rested = {one.key for one in them if one.had_bye or one is bye}
    return ahead.possible(met, rested, later)


def _that_goes_on(
    them: Sequence[Competitor], best: _Pairs, bye: Competitor | None, later: int, ahead: Ahead
) -> _Pairs | None:
    """The best pairing that leaves the later rounds one each; None where there is none."""
    if _goes_on(them, best, bye, later, ahead):
        return best
    by_key = {one.key: one for one in them}
    some = [one for one in them if one is not bye]
    cost = _Cost(some)
    costs = {(one.key, other.key): cost.of(one, other) for one, other in combinations(some, 2)}
    costs |= {(other, one): each for (one, other), each in costs.items()}
    ways = [*ahead.pairings([one.key for one in some], {one.key: one.met for one in some})]
    for pairs in sorted(ways, key=lambda pairs: sum(costs[both] for both in pairs)):
        found = [(by_key[one], by_key[other]) for one, other in pairs]
        if _goes_on(them, found, bye, later, ahead):
            return found
    return None
