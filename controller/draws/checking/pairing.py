"""The best pairing of a Swiss round, by a matching of greatest weight of our own over all pairings allowed.

Up to `WHOLE` players every pairing is weighed, so that no better one exists. With more each player is matched with the
nearest `NEAREST` alone, and the bound by counting says whether that proves it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx  # type: ignore[import-untyped]

WHOLE, NEAREST = 130, 24


@dataclass(frozen=True, slots=True, order=True)
class Cost:
    """What a pairing costs, the heaviest first. `floats`: pairs of two scores; `length`: the sum of their differences,
    in thousandths of half a point; `breaks`: players with two breaks more or less than the other."""

    floats: int
    length: int
    breaks: int


@dataclass(frozen=True, slots=True)
class Round:
    """Who is to be paired. `scores`: half points; `balance`: breaks less the other's; `met`: who may not meet."""

    who: Sequence[int]
    scores: Mapping[int, float]
    balance: Mapping[int, int]
    met: Collection[frozenset[int]]

    def cost(self, one: int, other: int) -> Cost:
        """Returns what one pair adds."""
        length = round(abs(self.scores[one] - self.scores[other]) * 1000)
        sure = [self.balance[one], self.balance[other]]
        breaks = min(_far(sure[0] + 1) + _far(sure[1] - 1), _far(sure[0] - 1) + _far(sure[1] + 1))
        return Cost(int(length > 0), length, breaks)

    def whole(self, pairs: Collection[tuple[int, int]]) -> Cost:
        """Returns what a pairing costs."""
        costs = [self.cost(one, other) for one, other in pairs]
        return Cost(sum(c.floats for c in costs), sum(c.length for c in costs), sum(c.breaks for c in costs))

    def squares(self, pairs: Collection[tuple[int, int]]) -> int:
        """Returns the sum of the squares of the floats' lengths."""
        return sum(self.cost(one, other).length ** 2 for one, other in pairs)

    def least(self) -> Cost:
        """Returns a bound that no pairing undercuts: each score of an odd number of players has a float."""
        many = Counter(self.scores[one] for one in self.who)
        odd = sorted(score for score, count in many.items() if count % 2)
        length = sum(round((high - low) * 1000) for low, high in zip(odd[::2], odd[1::2], strict=False))
        return Cost(len(odd) // 2, length, 0)

    def best(self, pairs: Collection[tuple[int, int]]) -> list[tuple[int, int]]:
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

    def _weight(self, cost: Cost) -> int:
        most = len(self.who) + 1
        longest = 1 + most * round(1000 * (max(self.scores.values()) - min(self.scores.values())))
        return (cost.floats * longest + cost.length) * 2 * most + cost.breaks


def _far(balance: int) -> int:
    return int(abs(balance) >= 2)


def _spread(near: list[tuple[Cost, int]], one: int, many: int) -> list[tuple[Cost, int]]:
    """The nearest; of those that cost the same each player takes others, so that all are somebody's."""
    key: Callable[[tuple[Cost, int]], tuple[Cost, int]] = lambda pair: (pair[0], (pair[1] - one) % many)  # noqa: E731
    return sorted(near, key=key)[:NEAREST]
