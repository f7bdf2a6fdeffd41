"""Which of these is which of those: the one assignment of two lists to each other by cost, for every room.

The total is least, not each step's: taking the nearest pair first leaves others with what is far. The same input gives
the same answer, whatever objects stand behind it: of equally good answers the one found first in the order of the
lists. Must not know what is paired.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

Pair = tuple[int, int]

DEAREST = 1e6
"""Dearer than any pair: as many are made as can be."""


def assign(costs: Mapping[Pair, float], unpaired: float = DEAREST) -> list[Pair]:
    """Returns the pairs (index in the one list, in the other), each index once at most, in the order of the first.

    `costs`: of the pairs that may be; finite. `unpaired`: what it costs to leave a pair out, in the same unit: a pair
    that costs more is never made, and two poor pairs give way to one good one. Shortest augmenting paths (Jonker and
    Volgenant, 1987), each index of the first list with a place of its own to stay unpaired.
    """
    rows = sorted({i for (i, _), cost in costs.items() if cost < unpaired})
    columns = sorted({j for (_, j), cost in costs.items() if cost < unpaired})
    width = len(columns)
    at = {j: position for position, j in enumerate(columns)}
    table = [
        [inf] * width + [unpaired if other == row else inf for other in range(len(rows))] for row in range(len(rows))
    ]
    place = {i: row for row, i in enumerate(rows)}
    for (i, j), cost in costs.items():
        if cost < unpaired:
            table[place[i]][at[j]] = cost
    owner = _owners(table)
    return sorted((rows[row], columns[column]) for column, row in enumerate(owner[:width]) if row is not None)


def _owners(table: list[list[float]]) -> list[int | None]:
    """The row that each column went to; every row gets one, at the least cost in all."""
    size = len(table[0]) if table else 0
    owner: list[int | None] = [None] * size
    row_price, column_price = [0.0] * len(table), [0.0] * size
    for first in range(len(table)):
        alone = size - len(table) + first
        shortest, came_by, done = [inf] * size, [-1] * size, [False] * size
        row: int | None = first
        last, so_far = -1, 0.0
        while row is not None:
            nearest, best = -1, (inf, True, True)
            for column in range(size):
                if done[column]:
                    continue
                length = so_far + table[row][column] - row_price[row] - column_price[column]
                if length < shortest[column]:
                    shortest[column], came_by[column] = length, last
                # Where it is all the same, who has a column keeps it, and the newcomer stays alone.
                key = (shortest[column], owner[column] is not None, column != alone)
                if nearest < 0 or key < best:
                    nearest, best = column, key
            so_far, last = shortest[nearest], nearest
            done[nearest] = True
            row = owner[nearest]
        row_price[first] += so_far
        for column in range(size):
            holder = owner[column]
            if done[column] and column != last and holder is not None:
                row_price[holder] += so_far - shortest[column]
                column_price[column] -= so_far - shortest[column]
        while last >= 0:
            before = came_by[last]
            owner[last] = first if before < 0 else owner[before]
            last = before
    return owner
