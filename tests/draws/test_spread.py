"""One club over the places of a draw: as late as they allow, against every other way and against the library's flow."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from math import comb

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.draws.spread import Rooms, Tree, halving, spread, star


def together(tree: Tree, placed: list[tuple[int, str]]) -> list[int]:
    """How many pairs of one club stand below a common node, for each height, lowest first."""
    found = [0] * tree.heights[0]
    for node, height in enumerate(tree.heights):
        inside = Counter(club for leaf, club in placed if club and node in above(tree, tree.leaves[leaf]))
        found[height - 1] += sum(many * (many - 1) // 2 for many in inside.values())
    return found


def above(tree: Tree, node: int) -> list[int]:
    return [node, *(above(tree, tree.parents[node]) if node else [])]


def by_flow(tree: Tree, rooms: Rooms, fixed: list[tuple[int, str]], clubs: Counter[str]) -> int:
    """The least weight by the library's network simplex: a tree for each club, an arc for each further one."""
    graph = nx.DiGraph()
    graph.add_node("all", demand=sum(clubs.values()) - sum(rooms.least))
    for leaf in range(len(tree.leaves)):
        graph.add_node(("leaf", leaf), demand=rooms.least[leaf])
        graph.add_edge(("leaf", leaf), "all", capacity=rooms.most[leaf] - rooms.least[leaf], weight=0)
    for club, many in clubs.items():
        graph.add_node((club, 0), demand=-many)
        for node in range(1, len(tree.parents)):
            stands = sum(club == one and node in above(tree, tree.leaves[leaf]) for leaf, one in fixed)
            for step in range(many):
                cost = (stands + step) * weight(tree, node) if club else 0
                way = (club, node, step)
                graph.add_edge((club, tree.parents[node]), way, capacity=1, weight=cost)
                graph.add_edge(way, (club, node), capacity=1, weight=0)
        for leaf, node in enumerate(tree.leaves):
            graph.add_edge((club, node), ("leaf", leaf), weight=0)
    cost, _ = nx.network_simplex(graph)
    stand = Counter((club, node) for leaf, club in fixed for node in above(tree, tree.leaves[leaf]) if node)
    return cost + sum(comb(many, 2) * weight(tree, node) for (club, node), many in stand.items() if clubs[club])


def weight(tree: Tree, node: int) -> int:
    return 1000 ** (tree.heights[0] - tree.heights[node])


def weighed(tree: Tree, counts: list[int]) -> int:
    # The root holds everybody, wherever they stand.
    return sum(many * 1000 ** (tree.heights[0] - height) for height, many in enumerate(counts[:-1], 1))


@st.composite
def draws(draw: st.DrawFn) -> tuple[Tree, Rooms, list[tuple[int, str]], dict[str, str]]:
    tree = draw(st.sampled_from([halving(1), halving(2), halving(4), halving(8), star(3), star(5)]))
    leaves = len(tree.leaves)
    most = [draw(st.integers(0, 3)) for _ in range(leaves)]
    least = [draw(st.integers(0, many)) for many in most]
    club = st.sampled_from(["", "a", "b", "c"])
    fixed = draw(st.lists(st.tuples(st.integers(0, leaves - 1), club.filter(bool)), max_size=leaves))
    count = draw(st.integers(sum(least), sum(most)))
    return tree, Rooms(tuple(least), tuple(most)), fixed, {f"P{number}": draw(club) for number in range(count)}


@settings(max_examples=60, deadline=None)
@given(draws(), st.integers(0, 999))
def test_no_other_way_lets_one_club_meet_later(drawn, seed):
    tree, rooms, fixed, them = drawn
    leaves = spread(tree, rooms, fixed, them, seed)
    fill = Counter(leaves)
    assert all(low <= fill[leaf] <= high for leaf, (low, high) in enumerate(zip(rooms.least, rooms.most, strict=True)))
    if them:
        clubs = Counter(them.values())
        placed = [*fixed, *zip(leaves, them.values(), strict=True)]
        counted = [one for one in placed if clubs[one[1]]]
        assert weighed(tree, together(tree, counted)) == by_flow(tree, rooms, fixed, clubs)


def test_what_nobody_has_to_try_is_found_where_the_first_deal_is_not_the_best():
    # Two of the free places stand beside seeds of club a, in the half that has fewer of it.
    tree, rooms = halving(4), Rooms((1, 1, 0, 1), (1, 1, 0, 1))
    fixed = [(0, "a"), (1, "a"), (2, "a"), (2, "b"), (3, "b")]
    for seed in range(10):
        leaves = spread(tree, rooms, fixed, {"P1": "a", "P2": "b", "P3": "b"}, seed)
        best = min(
            together(tree, [*fixed, *zip(order, ("a", "b", "b"), strict=True)]) for order in permutations((0, 1, 3))
        )
        assert together(tree, [*fixed, *zip(leaves, ("a", "b", "b"), strict=True)]) == best


def test_lots_decide_among_equals():
    rooms = Rooms((2,) * 4, (2,) * 4)
    them = {f"P{number}": "ab"[number % 2] for number in range(8)}
    assert len({tuple(spread(halving(4), rooms, [], them, seed)) for seed in range(20)}) > 10
    assert spread(halving(4), rooms, [], them, 3) == spread(halving(4), rooms, [], them, 3)
