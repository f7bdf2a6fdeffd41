"""One assignment for every room: the least total, each index once, the same answer to the same input."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.events.assignment import assign

NUMBERS = st.integers(0, 40)
COSTS = st.dictionaries(st.tuples(st.integers(0, 4), st.integers(0, 4)), NUMBERS, max_size=14)


def total(costs: dict[tuple[int, int], int], pairs: list[tuple[int, int]], unpaired: int) -> int:
    """What is saved against leaving all alone; less is better."""
    return sum(costs[pair] - unpaired for pair in pairs)


def least(costs: dict[tuple[int, int], int], unpaired: int) -> int:
    """The same by trying every set of columns, row by row."""
    by_row: dict[int, dict[int, int]] = {}
    for (i, j), cost in costs.items():
        by_row.setdefault(i, {})[j] = cost
    best = {frozenset[int](): 0}
    for row in by_row.values():
        after = dict(best)
        for used, saved in best.items():
            for j, cost in row.items():
                if j not in used:
                    now = used | {j}
                    after[now] = min(after.get(now, 0), saved + cost - unpaired)
        best = after
    return min(best.values())


@given(costs=COSTS, unpaired=st.integers(1, 40))
def test_no_other_pairing_costs_less(costs: dict[tuple[int, int], int], unpaired: int) -> None:
    pairs = assign(costs, unpaired)
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)
    assert all(costs[pair] < unpaired for pair in pairs)
    assert total(costs, pairs, unpaired) == least(costs, unpaired)


@given(costs=COSTS, seed=st.integers(0, 999))
def test_the_order_in_which_costs_are_given_is_nothing_to_it(costs: dict[tuple[int, int], int], seed: int) -> None:
    shuffled = list(costs.items())
    Random(seed).shuffle(shuffled)
    assert assign(dict(shuffled), 20) == assign(costs, 20)


@pytest.mark.parametrize(
    ("costs", "unpaired", "pairs"),
    [
        ({}, 10, []),
        ({(0, 0): 10}, 10, []),
        ({(0, 0): 5, (1, 0): 5}, 10, [(0, 0)]),
        ({(0, 0): 1, (0, 1): 39, (1, 0): 38}, 40, [(0, 0)]),
        ({(0, 0): 10, (0, 1): 12, (1, 0): 11, (1, 1): 39}, 100, [(0, 1), (1, 0)]),
    ],
    ids=["nothing", "too far", "a tie goes to the first", "two poor pairs give way", "the nearest pair gives way"],
)
def test_cases(costs: dict[tuple[int, int], float], unpaired: float, pairs: list[tuple[int, int]]) -> None:
    assert assign(costs, unpaired) == pairs
