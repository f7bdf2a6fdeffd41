"""The best pairing of a Swiss round, by a matching of greatest weight of our own over all pairings allowed.

Up to `WHOLE` players every pairing is weighed, so that no better one exists. With more each player is matched with the
nearest `NEAREST` alone, and the bound by counting says whether that proves it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import networkx as nx

WHOLE, NEAREST = 130, 24
SMALL = 12
"""Of so few the rounds to come are thought of: the best pairing may leave one of them without any."""
Pairs = list[tuple[int, int]]


@dataclass(frozen=True, slots=True, order=True)
class Cost:
    """What a pairing costs, the heaviest first. `floats`: pairs of two scores; `length`: the sum of their differences,
    in thousandths of half a point; `clubs`: pairs of one club, where the event parts them; `breaks`: by how many breaks
    more than one each is on one side."""

    floats: int
    length: int
    clubs: int
    breaks: int


@dataclass(frozen=True, slots=True)
class Round:
    """Who is to be paired. `scores`: half points; `balance`: breaks less the other's; `met`: who may not meet; `clubs`:
    of those whom the event parts, empty where it does not."""

    who: Sequence[int]
    scores: Mapping[int, float]
    balance: Mapping[int, int]
    met: Collection[frozenset[int]]
    clubs: Mapping[int, str] = field(default_factory=dict)

    def cost(self, one: int, other: int) -> Cost:
        """Returns what one pair adds."""
        length = round(abs(self.scores[one] - self.scores[other]) * 1000)
        sure = [self.balance[one], self.balance[other]]
        breaks = min(_far(sure[0] + 1) + _far(sure[1] - 1), _far(sure[0] - 1) + _far(sure[1] + 1))
        club = self.clubs.get(one, "")
        return Cost(int(length > 0), length, int(bool(club) and club == self.clubs.get(other)), breaks)

    def whole(self, pairs: Collection[tuple[int, int]]) -> Cost:
        """Returns what a pairing costs."""
        costs = [self.cost(one, other) for one, other in pairs]
        return Cost(*(sum(getattr(cost, name) for cost in costs) for name in Cost.__slots__))

    def squares(self, pairs: Collection[tuple[int, int]]) -> int:
        """Returns the sum of the squares of the floats' lengths."""
        return sum(self.cost(one, other).length ** 2 for one, other in pairs)

    def least(self) -> Cost:
        """Returns a bound that no pairing undercuts: each score of an odd number of players has a float."""
        many = Counter(self.scores[one] for one in self.who)
        odd = sorted(score for score, count in many.items() if count % 2)
        length = sum(round((high - low) * 1000) for low, high in zip(odd[::2], odd[1::2], strict=False))
        return Cost(len(odd) // 2, length, 0, 0)

    def best(self, pairs: Pairs) -> Pairs:
        """Returns the best pairing found; never a worse one than `pairs`."""
        graph: Any = nx.Graph()
        for one in self.who:
            near = [(self.cost(one, other), other) for other in self.who if other != one]
            near = [(cost, other) for cost, other in near if frozenset((one, other)) not in self.met]
            if len(self.who) > WHOLE:
                near = _spread(near, one, len(self.who))
            for cost, other in near:
                graph.add_edge(one, other, weight=-self._weight(cost))
        for one, other in pairs:
            graph.add_edge(one, other, weight=-self._weight(self.cost(one, other)))
        return [(one, other) for one, other in nx.max_weight_matching(graph, maxcardinality=True)]

    def can_be_paired(self) -> bool:
        """Returns whether all can be paired without a rematch."""
        many = len(self.who)
        most = Counter(one for pair in self.met if all(two in self.scores for two in pair) for one in pair)
        if many % 2 == 0 and all(2 * (many - 1 - most[one]) >= many for one in self.who):
            return True  # Dirac 1952: who may still meet half of the others
        graph: Any = nx.Graph()
        graph.add_nodes_from(self.who)
        here = list(self.who)
        for index, one in enumerate(here):
            graph.add_edges_from((one, two) for two in here[:index] if frozenset((one, two)) not in self.met)
        return 2 * len(nx.max_weight_matching(graph, maxcardinality=True)) == many

    def all_pairings(self) -> Iterator[Pairs]:
        """Yields every pairing without a rematch; for a small round alone."""
        yield from _pairings(sorted(self.who), set(self.met))

    def goes_on(self, pairs: Pairs, bye: int | None, byes: Collection[int], later: int) -> bool:
        """Returns whether after a pairing so many more rounds of the same players can be paired."""
        here, rested = ({*self.who}, {*byes}) if bye is None else ({*self.who, bye}, {*byes, bye})
        return _goes_on(sorted(here), {*self.met, *map(frozenset, pairs)}, rested, later)

    def best_that_goes_on(self, drawn: Pairs, bye: int | None, byes: Collection[int], later: int) -> Pairs:
        """Returns the best pairing of a small round that leaves the later ones a pairing; `drawn` where none does."""
        cost = self.whole(drawn)
        better = [(self.whole(pairs), pairs) for pairs in self.all_pairings()]
        for _cost, pairs in sorted((one for one in better if one[0] < cost), key=lambda one: one[0]):
            if self.goes_on(pairs, bye, byes, later):
                return pairs
        return drawn

    def _weight(self, cost: Cost) -> int:
        most = len(self.who) + 1
        longest = 1 + most * round(1000 * (max(self.scores.values()) - min(self.scores.values())))
        return ((cost.floats * longest + cost.length) * most + cost.clubs) * most * most * 2 + cost.breaks


def _pairings(who: Sequence[int], met: Collection[frozenset[int]]) -> Iterator[Pairs]:
    if not who:
        yield []
        return
    for other in who[1:]:
        if frozenset((who[0], other)) not in met:
            for more in _pairings([one for one in who[1:] if one != other], met):
                yield [(who[0], other), *more]


def _goes_on(who: Sequence[int], met: set[frozenset[int]], rested: set[int], later: int) -> bool:
    if not later:
        return True
    free: list[int | None] = [None] if len(who) % 2 == 0 else [one for one in who if one not in rested]
    for bye in free:
        for pairs in _pairings([one for one in who if one != bye], met):
            after = rested if bye is None else {*rested, bye}
            if _goes_on(who, met | set(map(frozenset, pairs)), after, later - 1):
                return True
    return False


def _far(balance: int) -> int:
    return max(0, abs(balance) - 1)


def _spread(near: list[tuple[Cost, int]], one: int, many: int) -> list[tuple[Cost, int]]:
    """The nearest; of those that cost the same each player takes others, so that all are somebody's."""
    key: Callable[[tuple[Cost, int]], tuple[Cost, int]] = lambda pair: (pair[0], (pair[1] - one) % many)  # noqa: E731
    return sorted(near, key=key)[:NEAREST]
