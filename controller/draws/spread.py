"""Who shares a club is spread over a tree of places so that they meet as late as it allows: exactly, not by trying.

The tree is a knock-out's (its leaves are the first round's pairs) or that of groups (a root and its groups). For each
height, lowest first, the number of pairs of one club below a common node of that height is least. That is a flow of
convex costs: each club has the tree for itself, and all share what room the leaves have. A deal by lot comes first;
then cycles of moves that make it better are taken until there is none, and by the theory of such flows none is better.
The heights' weights are whole numbers of any length, so nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from controller.draws.lots import drawn, lot


@dataclass(frozen=True, slots=True)
class Tree:
    """Places below one another. `parents`: each node's (the root, node 0, has -1), parents before children; `heights`:
    each node's, from 1; `leaves`: the nodes where somebody is placed."""

    parents: tuple[int, ...]
    heights: tuple[int, ...]
    leaves: tuple[int, ...]


def halving(pairs: int) -> Tree:
    """Returns the tree of a knock-out whose first round has so many pairs, a power of two."""
    parents = tuple((node - 1) // 2 if node else -1 for node in range(2 * pairs - 1))
    deepest = pairs.bit_length()
    heights = tuple(deepest - (node + 1).bit_length() + 1 for node in range(2 * pairs - 1))
    return Tree(parents, heights, tuple(range(pairs - 1, 2 * pairs - 1)))


def star(groups: int) -> Tree:
    """Returns a root with so many leaves."""
    return Tree((-1, *(0,) * groups), (2, *(1,) * groups), tuple(range(1, groups + 1)))


@dataclass(frozen=True, slots=True)
class Rooms:
    """How many of those who are to be placed each leaf takes: at least and at most."""

    least: tuple[int, ...]
    most: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Move:
    """One of a club goes from a leaf to another; without a club only a leaf's room changes (a bye is elsewhere)."""

    club: str | None
    start: int
    end: int


def spread(tree: Tree, rooms: Rooms, fixed: Sequence[tuple[int, str]], them: Mapping[str, str], seed: int) -> list[int]:
    """Returns the leaf (by its number among the leaves) of each of `them`, in their order.

    `fixed`: who has a leaf already, with the club; `them`: who are to be placed, with their clubs ("" is none). There
    must be room for all, and nobody for whom `least` asks may lack.
    """
    if not them:
        return []
    clubs: dict[str, list[str]] = {}
    for name in drawn(seed, "spread", them):
        clubs.setdefault(them[name], []).append(name)
    deal = _Deal(tree, rooms, fixed, {club: len(names) for club, names in clubs.items()}, seed)
    while cycle := deal.cycle():
        deal.take(cycle)
    found: dict[str, int] = {}
    for club, names in clubs.items():
        leaves = [leaf for leaf, free in enumerate(deal.free_of(club)) for _ in range(free)]
        places = drawn(seed, "places", enumerate(leaves), lambda one: f"{one[0]} {one[1]}")
        found |= {name: leaf for name, (_, leaf) in zip(names, places, strict=True)}
    return [found[name] for name in them]


class _Deal:
    """Who is where: of each club the number below each node. `_free`: of those without a leaf of their own."""

    def __init__(
        self, tree: Tree, rooms: Rooms, fixed: Sequence[tuple[int, str]], sizes: Mapping[str, int], seed: int
    ) -> None:
        self._tree, self._rooms = tree, rooms
        self._children: list[list[int]] = [[] for _ in tree.parents]
        for node in range(len(tree.parents) - 1, 0, -1):
            self._children[tree.parents[node]].insert(0, node)
        many = 1 + (len(fixed) + sum(sizes.values())) ** 2
        highest = tree.heights[0]
        self._weights = [many ** (highest - height) for height in tree.heights]
        self._weights[0] = 0
        self._all = {club: [0] * len(tree.parents) for club in sizes}
        self._free = {club: [0] * len(tree.parents) for club in sizes}
        held = [0] * len(tree.parents)
        for leaf, club in fixed:
            for node in self._above(tree.leaves[leaf]):
                held[node] += 1
                if club in self._all:
                    self._all[club][node] += 1
        self._fill = self._filled(held, sum(sizes.values()), seed)
        self._deal(sizes, seed)

    def _above(self, node: int) -> Iterator[int]:
        while node >= 0:
            yield node
            node = self._tree.parents[node]

    def _filled(self, held: list[int], many: int, seed: int) -> list[int]:
        """How many come to each leaf: as evenly over the tree as there is room."""
        fill, spare = [*self._rooms.least], [0] * len(held)
        for leaf, node in enumerate(self._tree.leaves):
            for above in self._above(node):
                held[above] += fill[leaf]
                spare[above] += self._rooms.most[leaf] - fill[leaf]
        for number in range(many - sum(fill)):
            node = 0
            while self._children[node]:
                open_ones = [child for child in self._children[node] if spare[child]]
                node = min(open_ones, key=lambda one: (held[one], lot(seed, "places", f"{number} {one}")))
            fill[self._tree.leaves.index(node)] += 1
            for above in self._above(node):
                held[above] += 1
                spare[above] -= 1
        return fill

    def _deal(self, sizes: Mapping[str, int], seed: int) -> None:
        """A first deal: the largest club first, each of it where fewest of it are."""
        room = [0] * len(self._tree.parents)
        for leaf, node in enumerate(self._tree.leaves):
            for above in self._above(node):
                room[above] += self._fill[leaf]
        for club in sorted(sizes, key=lambda one: (not one, -sizes[one], one)):
            have = self._all[club] if club else [0] * len(room)
            for number in range(sizes[club]):
                node = 0
                while self._children[node]:
                    open_ones = [child for child in self._children[node] if room[child]]
                    lots = {one: lot(seed, "places", f"{number} {one} {club}") for one in open_ones}
                    node = min(open_ones, key=lambda one: (have[one], -room[one] if club else 0, lots[one]))
                for above in self._above(node):
                    room[above] -= 1
                    self._all[club][above] += 1
                    self._free[club][above] += 1

    def free_of(self, club: str) -> list[int]:
        """How many of a club that had no leaf are on each now."""
        return [self._free[club][node] for node in self._tree.leaves]

    def cycle(self) -> list[_Move]:
        """Returns moves that together make the deal better, each from where the one before ends; none if none does."""
        leaves = len(self._tree.leaves)
        far = [0] * (leaves + 1)
        by: list[_Move | None] = [None] * (leaves + 1)
        while self._step(far, by):
            if found := _closed(by):
                return self._single(found)
        return []

    def _step(self, far: list[int], by: list[_Move | None]) -> bool:
        """Makes each leaf's distance shorter where a move does, and notes which; says whether any did (Bellman and
        Ford's way, a club's whole tree at a time). The last place stands for the leaves with a bye."""
        better = False
        outside = len(far) - 1
        for leaf in range(outside):
            if self._fill[leaf] < self._rooms.most[leaf] and far[leaf] < far[outside]:
                far[outside], by[outside], better = far[leaf], _Move(None, leaf, outside), True
        for leaf in range(outside):
            if self._fill[leaf] > self._rooms.least[leaf] and far[outside] < far[leaf]:
                far[leaf], by[leaf], better = far[outside], _Move(None, outside, leaf), True
        for club in self._free:
            better = self._step_of(club, far, by) or better
        return better

    def _step_of(self, club: str, far: list[int], by: list[_Move | None]) -> bool:
        tree, have, free = self._tree, self._all[club], self._free[club]
        reached: list[tuple[int, int] | None] = [None] * len(tree.parents)
        for leaf, node in enumerate(tree.leaves):
            if free[node]:
                reached[node] = (far[leaf], leaf)
        weights = self._weights if club else [0] * len(tree.parents)
        for node in range(len(reached) - 1, 0, -1):
            if (here := reached[node]) is not None:
                up = (here[0] - weights[node] * (have[node] - 1), here[1])
                above = reached[tree.parents[node]]
                if above is None or up[0] < above[0]:
                    reached[tree.parents[node]] = up
        for node in range(1, len(reached)):
            above, here = reached[tree.parents[node]], reached[node]
            if above is not None:
                down = above[0] + weights[node] * have[node]
                if here is None or down < here[0]:
                    reached[node] = (down, above[1])
        better = False
        for leaf, node in enumerate(tree.leaves):
            here = reached[node]
            if here is not None and here[0] < far[leaf]:
                far[leaf], by[leaf], better = here[0], _Move(club, here[1], leaf), True
        return better

    def _single(self, cycle: list[_Move]) -> list[_Move]:
        """Parts a cycle in which one club takes the same way twice, as its second way costs more: one of the two parts
        makes the deal better by itself."""
        while pair := self._same_way(cycle):
            first, second = pair
            one, other = cycle[first], cycle[second]
            inner = [*cycle[first + 1 : second], _Move(one.club, other.start, one.end)]
            outer = [*cycle[:first], _Move(one.club, one.start, other.end), *cycle[second + 1 :]]
            cycle = min(inner, outer, key=lambda some: sum(map(self._cost, some)))
        return cycle

    def _same_way(self, cycle: list[_Move]) -> tuple[int, int] | None:
        ways = [self._way(move) if move.club is not None else frozenset() for move in cycle]
        for second, move in enumerate(cycle):
            for first in range(second):
                if cycle[first].club == move.club and ways[first] & ways[second]:
                    return first, second
        return None

    def _way(self, move: _Move) -> frozenset[tuple[bool, int]]:
        """The steps between two leaves, each with whether it is upwards and the node below."""
        ups, downs = (set(self._above(self._tree.leaves[leaf])) for leaf in (move.start, move.end))
        return frozenset({(True, node) for node in ups - downs} | {(False, node) for node in downs - ups})

    def _cost(self, move: _Move) -> int:
        if not move.club:
            return 0
        have = self._all[move.club]
        return sum(
            -self._weights[node] * (have[node] - 1) if up else self._weights[node] * have[node]
            for up, node in self._way(move)
        )

    def take(self, cycle: list[_Move]) -> None:
        """Makes the moves."""
        for move in cycle:
            if move.club is None:
                continue
            for leaf, by in ((move.start, -1), (move.end, 1)):
                self._fill[leaf] += by
                for node in self._above(self._tree.leaves[leaf]):
                    self._all[move.club][node] += by
                    self._free[move.club][node] += by


def _closed(by: Sequence[_Move | None]) -> list[_Move]:
    """Returns the moves of a cycle among those by which each place was reached last, in order; else none."""
    done: set[int] = set()
    for begin in range(len(by)):
        walk: list[int] = []
        place = begin
        while place not in done and by[place] is not None:
            done.add(place)
            walk.append(place)
            place = by[place].start  # type: ignore[union-attr]
        if place in walk:
            round_trip = walk[walk.index(place) :]
            return [move for one in reversed(round_trip) if (move := by[one]) is not None]
    return []
