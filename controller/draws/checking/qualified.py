"""The knock-out after groups: the best of each group, winners above runners-up, those of one group late."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

from controller.draws.checking.bracket import Tree, meeting
from controller.draws.checking.facts import Facts, Line, Notes
from controller.draws.checking.knockout import BYES, SEEDS, check_knockout
from controller.draws.checking.standings import Played, played_of, points_of, ranked

QUALIFIED, HALVES = "qualified", "opposite halves"


def members_of(lines: Sequence[Line]) -> set[int]:
    """Returns the entrants that are named in lines."""
    return {side.entrant for line in lines for side in line.sides if side.entrant is not None}


def _counted(facts: Facts, notes: Notes, lines: Sequence[Line], members: set[int]) -> list[Played] | None:
    """The matches of a group that count, walkovers of the withdrawn included; None while some lack."""
    out = {one for one in members if facts.entrants[one].until}
    really: Counter[int] = Counter()
    all_of: Counter[int] = Counter()
    for line in lines:
        result = facts.results.get(line.number)
        for one in members_of([line]):
            all_of[one] += 1
            really[one] += result is not None and not result.walkover
    annulled = {one for one in out if facts.rules.withdrawn == "annul" and 2 * really[one] < all_of[one]}
    counted = [match for match in played_of(facts, lines) if not {match.first, match.second} & annulled]
    for line in lines:
        if line.number in facts.results:
            continue
        gone = members_of([line]) & out
        if not gone:
            notes.wrong(
                QUALIFIED, line.where, f"{line.id!r} has no result. Fix: the knock-out is drawn after all groups"
            )
            return None
        if len(gone) == 1 and not gone & annulled:
            (loser,) = gone
            (winner,) = members_of([line]) - gone
            counted.append(Played(winner, loser, winner))
    return counted


def check_qualified(
    facts: Facts, notes: Notes, groups: dict[str, list[Line]], members: dict[str, set[int]], rest: Sequence[Line]
) -> None:
    """Checks the knock-out after groups: who stands in it, and where."""
    if not facts.given:
        notes.holds(QUALIFIED, "not checked, as no results are given")
    tree = check_knockout(facts, notes, rest)
    if tree is None:
        return
    leaves = {leaf.source for leaf in tree.leaves if isinstance(leaf.source, int)}
    if len(leaves) < len(tree.leaves):
        notes.wrong(
            QUALIFIED, facts.lines[tree.root].where, "somebody stands twice, or a loser goes on. Fix: draw again"
        )
        return
    if not facts.given:
        return
    places: dict[int, set[int]] = {}
    for name, lines in groups.items():
        counted = _counted(facts, notes, lines, members[name])
        if counted is None:
            return
        ranks = ranked(members[name], counted, facts.rules.order, facts.entrants, points_of(counted, members[name]))
        _check_places(facts, notes, f" of group {name}", ranks, leaves, places)
    if strangers := leaves - places.keys():
        says = f"{', '.join(sorted(map(facts.shown, strangers)))} did not qualify"
        notes.wrong(QUALIFIED, rest[0].where, f"{says}. Fix: the best {facts.rules.qualify} of each group go on")
        return
    notes.holds(QUALIFIED, f"{len(leaves)}, the best {facts.rules.qualify} of each of {len(groups)} groups")
    group_of = {one: name for name, group in members.items() for one in group}
    _check_places_in_bracket(facts, notes, tree, places, group_of)


def _check_places(
    facts: Facts,
    notes: Notes,
    called: str,
    whole: Sequence[Sequence[int]],
    leaves: set[int],
    places: dict[int, set[int]],
) -> None:
    """Writes the places that each may have had; those of one tie that only a lot parts may have any of them."""
    here = {one for tied in whole for one in tied if not facts.entrants[one].until or one in leaves}
    # Who withdrew keeps the place, and whoever comes next goes on.
    standing = [[one for one in tied if one in here] for tied in whole]
    above, wanted = 0, min(facts.rules.qualify, len(here))
    for tied in standing:
        going = [one for one in tied if one in leaves]
        seats = max(0, min(len(tied), wanted - above))
        if len(going) < seats:
            missing = next(one for one in tied if one not in leaves)
            says = f"{facts.shown(missing)}{called} qualified and is not drawn"
            notes.wrong(QUALIFIED, facts.entrants[missing].where, f"{says}. Fix: the best {wanted} go on")
        if len(going) <= seats:
            places.update({one: set(range(above + 1, above + len(tied) + 1)) for one in going})
        above += len(tied)


def check_best(
    facts: Facts, notes: Notes, lines: Sequence[Line], points: Mapping[int, int], rest: Sequence[Line]
) -> None:
    """Checks the knock-out after a Swiss event: the best of it, as seeds. `lines`: the rounds; `points`: half points,
    byes and all."""
    tree = check_knockout(facts, notes, rest)
    if tree is None or not facts.given:
        return
    if lacking := [line.id for line in lines if line.number not in facts.results]:
        says = f"{', '.join(lacking[:5])} have no result"
        notes.wrong(QUALIFIED, rest[0].where, f"{says}. Fix: the knock-out is drawn after all rounds")
        return
    ranks = ranked(points.keys(), [*played_of(facts, lines)], facts.rules.order, facts.entrants, points)
    at = {leaf.source: leaf for leaf in tree.leaves if isinstance(leaf.source, int)}
    places: dict[int, set[int]] = {}
    _check_places(facts, notes, "", ranks, {*at}, places)
    if strangers := at.keys() - places.keys():
        says = f"{', '.join(sorted(map(facts.shown, strangers)))} did not qualify"
        notes.wrong(QUALIFIED, rest[0].where, f"{says}. Fix: the best {facts.rules.qualify} go on")
        return
    notes.holds(QUALIFIED, f"{len(at)}, the best {facts.rules.qualify}")
    by_rank = {min(some): one for one, some in places.items() if len(some) == 1}
    for rank, one in by_rank.items():
        # Of the best 2, 4, 8 … the first meets the last, the second the last but one.
        best = 1 << (rank - 1).bit_length()
        other = by_rank.get(best + 1 - rank, one)
        if meeting(tree.place(at[one]), tree.place(at[other])) > tree.height + 2 - best.bit_length():
            says = f"{facts.shown(other)} and {facts.shown(one)} are {best + 1 - rank} and {rank} of the best {best}"
            where = facts.lines[at[one].line].where
            notes.wrong(SEEDS, where, f"{says}, and stand apart. Fix: the first meets the last, and so on")
            break
    notes.holds(SEEDS, f"{len(by_rank)} as their ranks say: the first against the last")
    byes = [one for one, leaf in at.items() if leaf.depth < tree.height]
    weakest = max(byes, key=lambda one: min(places[one]), default=None)
    for one in at.keys() - {*byes}:
        if weakest is not None and max(places[one]) < min(places[weakest]):
            says = f"{facts.shown(weakest)} has a bye, {facts.shown(one)} stands higher and has none"
            notes.wrong(BYES, facts.lines[at[weakest].line].where, f"{says}. Fix: byes go to the best")
            break
    notes.holds(BYES, f"{len(byes)}, to the best")


def _check_places_in_bracket(
    facts: Facts, notes: Notes, tree: Tree, places: Mapping[int, set[int]], group_of: Mapping[int, str]
) -> None:
    at = {leaf.source: leaf for leaf in tree.leaves if isinstance(leaf.source, int)}
    byes = [one for one, leaf in at.items() if leaf.depth < tree.height]
    weakest = max(byes, key=lambda one: min(places[one]), default=None)
    for one in at:
        if weakest is not None and one not in byes and max(places[one]) < min(places[weakest]):
            says = f"{facts.shown(weakest)} has a bye, {facts.shown(one)} was better in the own group and has none"
            notes.wrong(BYES, facts.lines[at[weakest].line].where, f"{says}. Fix: byes go to group winners first")
            break
    notes.holds(BYES, f"{len(byes)}, to the best of the groups")
    _check_winners(facts, notes, tree, places, len({group_of[one] for one in at}))
    _check_halves(facts, notes, tree, places, group_of)


def _check_winners(facts: Facts, notes: Notes, tree: Tree, places: Mapping[int, set[int]], groups: int) -> None:
    """Winners of groups stand as seeds: each half, quarter and so on has one, until each has a section of its own."""
    at = {leaf.source: leaf for leaf in tree.leaves if isinstance(leaf.source, int)}
    for depth in range(1, tree.height + 1):
        section = {one: tree.place(leaf) >> (tree.height - depth) for one, leaf in at.items()}
        taken: dict[int, int] = {}
        if 2**depth < groups:
            some = {section[one] for one in at if 1 in places[one]}
            if len(some) < 2**depth:
                says = f"one of the {2**depth} sections has no winner of a group"
                notes.wrong(SEEDS, facts.lines[tree.root].where, f"{says}. Fix: group winners stand apart as seeds do")
            continue
        for one in at:
            other = taken.setdefault(section[one], one) if places[one] == {1} else one
            if other != one:
                says = (
                    f"{facts.shown(other)} and {facts.shown(one)}, winners of groups, share one of {2**depth} sections"
                )
                where = facts.lines[at[one].line].where
                notes.wrong(SEEDS, where, f"{says}. Fix: group winners stand apart as seeds do")
        break
    notes.holds(SEEDS, f"winners of {groups} groups stand apart as seeds do")


def _check_halves(
    facts: Facts, notes: Notes, tree: Tree, places: Mapping[int, set[int]], group_of: Mapping[int, str]
) -> None:
    at = {leaf.source: tree.place(leaf) for leaf in tree.leaves if isinstance(leaf.source, int)}
    line_of = {leaf.source: facts.lines[leaf.line] for leaf in tree.leaves}
    pairs = [(one, two) for one, two in combinations(sorted(at), 2) if group_of[one] == group_of[two]]
    for one, two in pairs:
        first_two = max(places[one] | places[two]) <= 2
        if first_two and meeting(at[one], at[two]) < tree.height:
            says = f"{facts.shown(one)} and {facts.shown(two)} of one group share a half"
            notes.wrong(HALVES, line_of[two].where, f"{says}. Fix: winner and runner-up stand in opposite ones")
    sizes = Counter((group_of[one], place >> (tree.height - 1)) for one, place in at.items())
    for group in sorted(set(group_of.values())):
        both = [sizes[group, half] for half in (0, 1)]
        if abs(both[0] - both[1]) > 1:
            says = f"{both[0]} and {both[1]} of group {group} stand in the two halves"
            notes.wrong(HALVES, facts.lines[tree.root].where, f"{says}. Fix: as many in each, or one more")
    soon = sum(meeting(at[one], at[two]) == 1 for one, two in pairs)
    if soon and len(set(group_of.values())) > 1 and facts.rules.qualify <= len(at) // 2:
        one, two = next(pair for pair in pairs if meeting(at[pair[0]], at[pair[1]]) == 1)
        says = f"{facts.shown(one)} and {facts.shown(two)} of one group meet at once"
        notes.wrong(HALVES, line_of[two].where, f"{says}. Fix: those of one group meet as late as possible")
    notes.holds(HALVES, f"winner and runner-up of each of {len(set(group_of.values()))} groups in opposite halves")
