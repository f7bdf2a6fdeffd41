"""The fewest pairs of one club, exactly: a flow of least cost, shown by the lack of a cycle of negative cost.

Each club's members flow down a tree (the event, its halves, its quarters …) into places, each of which takes one. A
node with n members of a club costs n (n - 1) / 2 pairs, which is convex, so the best draw is a flow of least cost, and
one is best exactly when its residual network has no negative cycle (Klein 1967). Costs of an earlier round weigh more
than all later ones together. A cycle that is found says who should move where.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

Node = tuple[Hashable, ...]
NOBODY = "\0"
"""Stands for a club in a place that a bye leaves empty: two of them never share a match."""
_MOST_TURNS = 400


@dataclass(frozen=True, slots=True)
class Placed:
    """Somebody in a place. `path`: the nodes above it, the smallest first, the last one the whole event; `fixed`: stays
    there (a seed). `club` is empty where there is none."""

    club: str
    path: tuple[Hashable, ...]
    fixed: bool = False


def pairs(placed: Sequence[Placed]) -> list[int]:
    """Returns how many pairs of one club first share a node, by the node's height from the smallest."""
    levels = len(placed[0].path) if placed else 0
    inside = []
    for level in range(levels):
        counts = Counter((one.club, one.path[level]) for one in placed if one.club not in ("", NOBODY))
        inside.append(sum(many * (many - 1) // 2 for many in counts.values()))
    return [now - before for now, before in zip(inside, [0, *inside], strict=False)]


def best(placed: Sequence[Placed]) -> tuple[list[int], list[tuple[int, int]]]:
    """Returns the fewest pairs, earlier rounds first, and the moves to it: who goes to whose place.

    No moves: what is placed is best. After very many moves it stops; what it returns can then still be undercut.
    """
    clubs = [one.club for one in placed]
    at = list(range(len(placed)))
    for _turn in range(_MOST_TURNS):
        now = [Placed(clubs[at[place]], one.path, one.fixed) for place, one in enumerate(placed)]
        cycles = _Residual(now).negative_cycles()
        if not cycles:
            break
        for cycle in cycles:
            moved = [at[place] for place in cycle]
            for who, place in zip(moved, [*cycle[1:], cycle[0]], strict=True):
                at[place] = who
    now = [Placed(clubs[at[place]], one.path, one.fixed) for place, one in enumerate(placed)]
    return pairs(now), [(who, place) for place, who in enumerate(at) if who != place]


class _Residual:
    def __init__(self, placed: Sequence[Placed]) -> None:
        many = Counter(one.club for one in placed if one.club)
        counts: Counter[tuple[str, Hashable]] = Counter()
        movable: Counter[tuple[str, Hashable]] = Counter()
        levels = len(placed[0].path) if placed else 0
        weights = [(len(placed) ** 2 + 1) ** (levels - level) for level in range(levels)]
        self.arcs: list[tuple[Node, Node, int]] = []
        children: dict[Hashable, set[Hashable]] = defaultdict(set)
        height: dict[Hashable, int] = {}
        places: dict[Hashable, list[int]] = defaultdict(list)
        for place, one in enumerate(placed):
            for level, node in enumerate(one.path):
                height[node] = level
                counts[one.club, node] += 1
                movable[one.club, node] += not one.fixed
                if level:
                    children[node].add(one.path[level - 1])
            if not one.fixed:
                places[one.path[0]].append(place)
        alone = {club for club, members in many.items() if members == 1}
        for node, below in children.items():
            self.arcs += [(("free", node), ("free", child), 0) for child in below]
        for node, here in places.items():
            self.arcs += [(("free", node), ("place", place), 0) for place in here]
        top = placed[0].path[-1] if placed else None
        for club, node in counts:
            if not club or club in alone:
                continue
            self.arcs += [(("club", club, node), ("place", place), 0) for place in places[node]]
            for child in children[node]:
                inside = counts.get((club, child), 0)
                weight = weights[height[child]]
                if club == NOBODY:
                    weight = 0 if height[child] else weight * len(placed)
                below_node: Node = ("club", club, child) if inside else ("free", child)
                self.arcs.append((("club", club, node), below_node, inside * weight))
                if movable[club, child] > 0:
                    self.arcs.append((("club", club, child), ("club", club, node), -(inside - 1) * weight))
        for place, one in enumerate(placed):
            if one.fixed:
                continue
            inside = counts[one.club, one.path[0]]
            if not one.club or one.club in alone:
                self.arcs.append((("place", place), ("free", top), 0))
            else:
                self.arcs.append((("place", place), ("club", one.club, one.path[0]), 0))

    def negative_cycles(self) -> list[list[int]]:
        """Returns the places of cycles of moves that each cost less than nothing and share no node; empty where there
        is none."""
        numbers: dict[Node, int] = {}
        arcs = [
            (numbers.setdefault(tail, len(numbers)), numbers.setdefault(head, len(numbers)), cost)
            for tail, head, cost in self.arcs
        ]
        nodes = list(numbers)
        lengths, before = [0] * len(nodes), [-1] * len(nodes)
        for turn in range(len(nodes) + 1):
            changed = False
            for tail, head, cost in arcs:
                if lengths[tail] + cost < lengths[head]:
                    lengths[head] = lengths[tail] + cost
                    before[head] = tail
                    changed = True
            if not changed:
                return []
            if turn % 4 == 3 and (cycles := _cycles(before)):
                on_way = [[nodes[number] for number in cycle] for cycle in cycles]
                return [[int(str(node[1])) for node in way if node[0] == "place"] for way in on_way]
        return []


def _cycles(before: Sequence[int]) -> list[list[int]]:
    """All cycles among predecessors, in the direction of the arcs; they share no node."""
    found: list[list[int]] = []
    seen = [0] * len(before)
    for start in range(len(before)):
        number, walk = start, start + 1
        while number != -1 and not seen[number]:
            seen[number] = walk
            number = before[number]
        if number != -1 and seen[number] == walk:
            cycle, on = [number], before[number]
            while on != number:
                cycle.append(on)
                on = before[on]
            found.append(cycle[::-1])
    return found
