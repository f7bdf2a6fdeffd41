"""The tree that references make: who can meet whom in which round, whatever ids and rounds are called."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from controller.draws.checking.facts import Facts, Line, Notes, Ref

REFERENCES = "references"


@dataclass(frozen=True, slots=True)
class Leaf:
    """Where a tree begins: an entrant, or the loser of another line. `depth`: matches from here to the root; `bits`:
    the way down from the root, a bit a match."""

    source: int | Ref | None
    depth: int
    bits: int
    line: int


@dataclass(slots=True)
class Tree:
    """A knock-out above its root. `depths`: how far each of its lines stands from the root, 0 for the root itself."""

    root: int
    depths: dict[int, int] = field(default_factory=dict)
    leaves: list[Leaf] = field(default_factory=list)

    @property
    def height(self) -> int:
        """The rounds that a knock-out of so many needs: the next power of two is 2 to this."""
        return max(len(self.leaves) - 1, 1).bit_length()

    def place(self, leaf: Leaf) -> int:
        """Returns a leaf's place among the power of two, from 0; a bye's empty place is the next one."""
        return leaf.bits << max(self.height - leaf.depth, 0)


def tree_of(lines: Sequence[Line], root: int) -> Tree:
    """Follows `winner` references up from a line; `loser` references end in leaves."""
    tree = Tree(root)
    waiting = [(root, 0, 0)]
    while waiting:
        number, depth, bits = waiting.pop()
        if number in tree.depths:
            continue
        tree.depths[number] = depth
        for index, side in enumerate(lines[number].sides):
            below = bits << 1 | index
            if side.ref is not None and side.ref.kind == "winner":
                waiting.append((side.ref.line, depth + 1, below))
            else:
                tree.leaves.append(Leaf(side.ref or side.entrant, depth + 1, below, number))
    return tree


def meeting(first: int, second: int) -> int:
    """Returns the round, from 1, in which two places of a knock-out meet."""
    return (first ^ second).bit_length()


def used(lines: Iterable[Line]) -> dict[Ref, list[Line]]:
    """Returns the lines in which each reference stands."""
    found: dict[Ref, list[Line]] = defaultdict(list)
    for line in lines:
        for side in line.sides:
            if side.ref is not None:
                found[side.ref].append(line)
    return found


def check_used(facts: Facts, notes: Notes, lines: Iterable[Line], ends: set[int]) -> None:
    """Each winner goes on exactly once, but from the lines where the event ends."""
    where = used(facts.lines)
    for line in lines:
        go_on = where[Ref("winner", line.number)]
        if len(go_on) > 1:
            notes.wrong(
                REFERENCES,
                go_on[1].where,
                f"winner {line.id} stands in {go_on[0].id!r} too. Fix: each winner goes on once",
            )
        elif not go_on and line.number not in ends:
            notes.wrong(
                REFERENCES, line.where, f"the winner of {line.id!r} goes nowhere. Fix: name the match that waits"
            )
        lost = where[Ref("loser", line.number)]
        if len(lost) > 1:
            notes.wrong(
                REFERENCES, lost[1].where, f"loser {line.id} stands in {lost[0].id!r} too. Fix: each loser goes on once"
            )


def check_shape(facts: Facts, notes: Notes, tree: Tree, rule: str, shown: Callable[[Leaf], str]) -> bool:
    """A tree of the next power of two, in which nobody has a bye against another; rounds are called by their height."""
    fine = True
    height = tree.height
    for leaf in tree.leaves:
        if leaf.depth < height - 1:
            notes.wrong(
                rule, facts.lines[leaf.line].where, f"{shown(leaf)} has a bye against a bye. Fix: one bye a match"
            )
            fine = False
        elif leaf.depth > height:
            notes.wrong(
                rule,
                facts.lines[leaf.line].where,
                f"{shown(leaf)} plays {leaf.depth} rounds, {len(tree.leaves)} need {height}. Fix: a bracket of "
                f"{2**height} places",
            )
            fine = False
    by_depth: dict[int, Line] = {}
    by_round: dict[str, int] = {}
    for number, depth in tree.depths.items():
        line = facts.lines[number]
        first = by_depth.setdefault(depth, line)
        if first.round != line.round or by_round.setdefault(line.round, depth) != depth:
            notes.wrong(
                "rounds", line.where, f"{line.id!r} is of round {line.round!r}, which is another. Fix: one name a round"
            )
            fine = False
            break
    return fine
