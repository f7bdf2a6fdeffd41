"""Double elimination: out after the second loss, a final that may be played twice, and rematches as late as can be.

A rematch before the final is one of two who met on the winners' side: the loser of a match u there beat nobody who lost
a match that does not lie on the way from u to the final. So two losers' leaves may hold a rematch exactly when one of
their matches lies above the other, and they meet where their ways on the losers' side join.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from controller.draws.checking.bracket import Leaf, Tree, check_shape, check_used, tree_of, used
from controller.draws.checking.facts import Facts, Line, Notes, Ref
from controller.draws.checking.knockout import check_club, check_drawn, check_seeds, shown

_MOST_EXCHANGES = 100
LOSSES, RESET, REMATCH, SIZE, ROUNDS = "two losses", "final twice", "rematches", "size", "rounds"


def check_double(facts: Facts, notes: Notes) -> None:
    """Checks an event of double elimination."""
    if len(facts.lines) < 3:
        notes.wrong(RESET, facts.names.fixtures, "has fewer than three matches. Fix: the final can be played twice")
        return
    final, again = facts.lines[-2], facts.lines[-1]
    wanted = {Ref("winner", final.number), Ref("loser", final.number)}
    if {side.ref for side in again.sides} != wanted:
        notes.wrong(
            RESET, again.where, f"{again.id!r} is not the final again. Fix: winner and loser of the line before it"
        )
        return
    _check_again(facts, notes, final, again)
    tops = _tops(facts, final)
    if tops is None:
        says = f"{final.id!r} is not of the winners' side and the losers' side. Fix: write the last winner of each"
        notes.wrong(RESET, final.where, says)
        return
    winners, losers = tops
    notes.holds(RESET, f"{final.id!r} joins both sides, {again.id!r} is played if the losers' side wins it")
    check_used(facts, notes, facts.lines, {again.number})
    _check_names(facts, notes, winners, losers)
    check_drawn(facts, notes, winners)
    if check_shape(facts, notes, winners, SIZE, lambda leaf: shown(facts, leaf)):
        drawn = {leaf.source for leaf in winners.leaves if isinstance(leaf.source, int)}
        check_seeds(facts, notes, winners, facts.seeds(drawn))
        check_club(facts, notes, winners, facts.seeds(drawn))
        many = len(winners.leaves)
        notes.holds(SIZE, f"{many} in a bracket of {2**winners.height}, {many - 1} matches on the winners' side")
    if _check_losses(facts, notes, winners, losers, final, again) and losers.depths:
        _check_rematches(facts, notes, winners, losers)


def _tops(facts: Facts, final: Line) -> tuple[Tree, Tree] | None:
    """The winners' and the losers' tree; of two entries the loser of the only match goes straight to the final."""
    refs = [side.ref for side in final.sides]
    straight = [ref for ref in refs if ref is not None and ref.kind == "loser"]
    trees = [tree_of(facts.lines, ref.line) for ref in refs if ref is not None and ref.kind == "winner"]
    pure = [tree for tree in trees if all(isinstance(leaf.source, int) for leaf in tree.leaves)]
    if len(pure) != 1 or len(trees) + len(straight) != 2:
        return None
    if straight:
        empty = Tree(pure[0].root)
        empty.leaves = [Leaf(straight[0], 0, 0, final.number)]
        return pure[0], empty
    return pure[0], next(tree for tree in trees if tree is not pure[0])


def _check_again(facts: Facts, notes: Notes, final: Line, again: Line) -> None:
    """The final is played again exactly if it was won by who had lost before."""
    first, second = facts.results.get(final.number), facts.results.get(again.number)
    if first is None or first.winner is None:
        return
    won, lost = facts.outcome(final.number)
    beaten = {facts.outcome(line.number)[1] for line in facts.lines[: final.number]} - {None}
    needed = won in beaten and lost not in beaten
    if second is not None and not needed:
        says = f"{again.id!r} was played though the winner of {final.id!r} had not lost. Fix: leave its result out"
        notes.wrong(RESET, second.where, says)


def _check_names(facts: Facts, notes: Notes, winners: Tree, losers: Tree) -> None:
    """Rounds of the two sides and both finals have names of their own."""
    owner: dict[str, str] = {}
    for line in facts.lines:
        side = "winners" if line.number in winners.depths else "losers" if line.number in losers.depths else line.id
        if owner.setdefault(line.round, side) != side:
            says = f"round {line.round!r} of {line.id!r} is another one's name"
            notes.wrong(ROUNDS, line.where, f"{says}. Fix: W1, W2 …, L1, L2 …, GF and GF2")


def _check_losses(facts: Facts, notes: Notes, winners: Tree, losers: Tree, final: Line, again: Line) -> bool:
    fine = True
    where = used(facts.lines)
    sources = [leaf.source.line for leaf in losers.leaves if isinstance(leaf.source, Ref)]
    for leaf in losers.leaves:
        if not isinstance(leaf.source, Ref) or leaf.source.line not in winners.depths:
            says = f"{shown(facts, leaf)} enters the losers' side. Fix: only who lost once on the winners' side does"
            notes.wrong(LOSSES, facts.lines[leaf.line].where, says)
            fine = False
    for number in sorted(winners.depths):
        if number not in sources:
            says = f"the loser of {facts.lines[number].id!r} is out after one loss. Fix: losers go on the losers' side"
            notes.wrong(LOSSES, facts.lines[number].where, says)
            fine = False
    known = winners.depths.keys() | losers.depths.keys() | {final.number, again.number}
    for line in facts.lines:
        if line.number not in known:
            notes.wrong(LOSSES, line.where, f"{line.id!r} leads to no final. Fix: link it, or leave it out")
            fine = False
    for number in losers.depths:
        if where[Ref("loser", number)]:
            line = where[Ref("loser", number)][0]
            notes.wrong(
                LOSSES, line.where, f"loser {facts.lines[number].id} has lost twice. Fix: nobody goes on after that"
            )
            fine = False
    many = len(winners.leaves)
    notes.holds(LOSSES, f"{many} entries leave after their second loss, in {2 * many - 2} matches and a final again")
    return fine


# -- rematches


@dataclass(slots=True)
class _Losers:
    """The losers' side as places. `source`: whose loser enters at each place; `kind`: the winners' round it is of;
    `above`: the winners' matches on the way to their final; `ways`: each place's matches; `deepest`: the round in which
    two places meet."""

    source: list[int]
    kind: list[int]
    above: Mapping[int, set[int]]
    ways: list[list[int]]
    deepest: list[list[int]]

    def exchange(self, first: int, second: int) -> None:
        """Puts two losers of one round in each other's place."""
        self.source[first], self.source[second] = self.source[second], self.source[first]

    def rematches(self, rounds: int) -> list[int]:
        """Returns how many may meet again in each round of the losers' side."""
        found = [0] * rounds
        for place in range(len(self.source)):
            for other in range(place):
                if self.may_meet(place, other):
                    found[self.joins(place, other)] += 1
        return found

    def joins(self, first: int, second: int) -> int:
        return self.deepest[first][second]

    def may_meet(self, first: int, second: int) -> bool:
        return (
            self.source[second] in self.above[self.source[first]]
            or self.source[first] in self.above[self.source[second]]
        )


def _check_rematches(facts: Facts, notes: Notes, winners: Tree, losers: Tree) -> None:
    rounds = _rounds(facts, losers)
    if rounds is None:
        notes.wrong(ROUNDS, facts.lines[losers.root].where, "rounds of the losers' side overlap. Fix: one name a round")
        return
    table = _losers(facts, winners, losers, rounds)
    shown_of = {rounds[number]: facts.lines[number].round for number in losers.depths}
    whole = table.rematches(len(shown_of))
    first = next((number for number, many in enumerate(whole) if many), None)
    if first is None:
        notes.holds(REMATCH, "nobody can meet again before the final")
        return
    bound = _bound(winners, table, rounds)
    says = f"the earliest is in {shown_of[first]}, where {whole[first]} are possible"
    full = len(winners.leaves) == 2**winners.height
    if first == bound and not full:
        notes.holds(REMATCH, f"{says}; by counting no bracket of this shape is free of them up to there")
        return
    _check_exchanges(facts, notes, table, whole, full, shown_of)
    bounded = "by counting none is later, and " if first == bound else ""
    notes.holds(REMATCH, f"{says}; {bounded}no exchange of losers makes it {'rarer' if full else 'later'}")


def _check_exchanges(
    facts: Facts, notes: Notes, table: _Losers, whole: Sequence[int], full: bool, shown_of: Mapping[int, str]
) -> None:
    """No exchange of losers makes the earliest rematch later; without byes none makes so early ones rarer either."""
    first_swap, then = None, list(whole)
    for _turn in range(_MOST_EXCHANGES):
        swap = _swap(table, len(whole))
        if swap is None:
            break
        first_swap = first_swap or [facts.lines[table.source[place]].id for place in swap]
        table.exchange(*swap)
        then = table.rematches(len(whole))
        if full:
            break
    level = next((number for number, many in enumerate(whole) if many != then[number]), None)
    if first_swap and level is not None and (full or not (then[level] or any(whole[:level]))):
        ids = f"{first_swap[0]!r} and {first_swap[1]!r}"
        says = (
            f"{whole[level]} can meet again in {shown_of[level]}, {then[level]} would do: exchange the losers of {ids}"
        )
        where = facts.lines[table.ways[0][-1]].where
        notes.wrong(REMATCH, where, f"{says}{'' if full else ' first'}. Fix: cross them")


def _rounds(facts: Facts, losers: Tree) -> dict[int, int] | None:
    """The losers' rounds by number, from the order in which they can be played; None where names do not agree."""
    height: dict[str, int] = {}
    earlier: dict[int, set[str]] = {}
    for number in sorted(losers.depths):
        line = facts.lines[number]
        before = [side.ref.line for side in line.sides if side.ref is not None and side.ref.line in losers.depths]
        earlier[number] = {facts.lines[one].round for one in before}.union(*(earlier[one] for one in before))
        if line.round in earlier[number]:
            return None
        height[line.round] = max([height.get(line.round, 0), *(height[facts.lines[one].round] + 1 for one in before)])
    order = {name: index for index, name in enumerate(sorted(height, key=lambda name: height[name]))}
    return {number: order[facts.lines[number].round] for number in losers.depths}


def _losers(facts: Facts, winners: Tree, losers: Tree, rounds: Mapping[int, int]) -> _Losers:
    after: dict[int, int] = {}
    for number in winners.depths.keys() | losers.depths.keys():
        for side in facts.lines[number].sides:
            if side.ref is not None and side.ref.kind == "winner":
                after[side.ref.line] = number
    above = {number: set(_way(after, number)) - {number} for number in winners.depths}
    leaves = losers.leaves
    sources = [leaf.source.line if isinstance(leaf.source, Ref) else -1 for leaf in leaves]
    ways = [_way(after, leaf.line) for leaf in leaves]
    table = _Losers(sources, [winners.depths[source] for source in sources], above, ways, [])
    sets = [set(way) for way in ways]
    for way in ways:
        row = []
        for others in sets:
            row.append(rounds[next(number for number in way if number in others)])
        table.deepest.append(row)
    return table


def _way(after: Mapping[int, int], number: int) -> list[int]:
    way = [number]
    while way[-1] in after:
        way.append(after[way[-1]])
    return way


def _swap(table: _Losers, rounds: int) -> tuple[int, int] | None:
    """Two places of one winners' round whose exchange leaves fewer rematches so early."""
    by_kind: dict[int, list[int]] = defaultdict(list)
    for place, kind in enumerate(table.kind):
        by_kind[kind].append(place)
    related = [
        [other for other in range(len(table.source)) if table.may_meet(place, other)]
        for place in range(len(table.source))
    ]
    for places in by_kind.values():
        for index, one in enumerate(places):
            for other in places[:index]:
                change = [0] * rounds
                # Two of one round never met: only others count, and each takes the other's way.
                for third in related[one]:
                    change[table.joins(one, third)] -= 1
                    change[table.joins(other, third)] += 1
                for third in related[other]:
                    change[table.joins(other, third)] -= 1
                    change[table.joins(one, third)] += 1
                level = next((level for level, many in enumerate(change) if many), None)
                if level is not None and change[level] < 0:
                    return one, other
    return None


def _bound(winners: Tree, table: _Losers, rounds: Mapping[int, int]) -> int | None:
    """The first round in which a rematch must be possible, by counting; None where counting finds none.

    Matches of a part of the losers' side among which nobody can meet again lie in no way above each other, so the parts
    of the winners' bracket under them share nothing: their sizes add up to the bracket's at most.
    """
    total: dict[int, int] = defaultdict(int)
    for place, way in enumerate(table.ways):
        for number in way:
            total[number] += 2 ** (winners.height - table.kind[place])
    return min((rounds[number] for number, weight in total.items() if weight > 2**winners.height), default=None)
