"""Everybody against everybody, in one group or several: pots, rounds, breaks, and who goes on."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise

from controller.draws.checking import apart
from controller.draws.checking.facts import Facts, Line, Notes
from controller.draws.checking.knockout import CLUB, ENTRIES
from controller.draws.checking.qualified import check_qualified, members_of

POTS, SIZES, MEET, ROUNDS, BREAKS = "pots", "group sizes", "everybody meets", "rounds", "breaks"
_GROUP_ROUND = re.compile(r"(.+)-(\d+)")


def check_robin(facts: Facts, notes: Notes) -> None:
    """Checks a round robin or groups, with the knock-out of those who go on."""
    groups, rest = _groups(facts)
    if not groups:
        notes.wrong(
            MEET, facts.names.fixtures, "holds no match of a group. Fix: rounds are called A-1, or 1 without groups"
        )
        return
    if facts.rules.system == "round_robin" and len(groups) > 1:
        notes.wrong(SIZES, facts.names.fixtures, "a round robin has one group. Fix: call its rounds 1, 2 …")
    members = {name: members_of(lines) for name, lines in groups.items()}
    _check_drawn(facts, notes, members, groups)
    for name, lines in groups.items():
        _check_group(facts, notes, name, lines, members[name])
    many = sum(map(len, groups.values()))
    notes.holds(MEET, f"each two of a group meet once, {many} matches; nobody plays twice in a round")
    notes.holds(BREAKS, "nobody has the break more than once more or less often than the other")
    if facts.rules.system == "groups":
        _check_pots(facts, notes, members)
    for line in rest:
        if _GROUP_ROUND.fullmatch(line.round):
            says = f"round {line.round!r} is called as a group's"
            notes.wrong(
                ROUNDS, line.where, f"{says}. Fix: matches of groups come first, and rounds after them are F, SF …"
            )
    if rest and not facts.rules.then:
        notes.wrong(
            ROUNDS, rest[0].where, f"round {rest[0].round!r} is of no group. Fix: call it A-1, or 1 without groups"
        )
    elif rest:
        check_qualified(facts, notes, groups, members, rest)


def _groups(facts: Facts) -> tuple[dict[str, list[Line]], list[Line]]:
    """Lines by group, and those of a knock-out after them."""
    groups: dict[str, list[Line]] = defaultdict(list)
    rest: list[Line] = []
    for line in facts.lines:
        found = _GROUP_ROUND.fullmatch(line.round)
        named = all(side.entrant is not None for side in line.sides)
        if named and not rest and (found or line.round.isdecimal()):
            groups[found[1] if found else ""].append(line)
        else:
            rest.append(line)
    return groups, rest


def _check_drawn(facts: Facts, notes: Notes, members: dict[str, set[int]], groups: dict[str, list[Line]]) -> None:
    times = Counter(one for group in members.values() for one in group)
    alone = sum(not one.until and not times[one.number] for one in facts.entrants)
    wanted = facts.rules.groups if facts.rules.system == "groups" and facts.rules.groups else len(groups)
    # A group of one has no match: as many may stand in no line as groups are missing.
    for one in facts.entrants:
        if times[one.number] > 1:
            where = next(line.where for line in facts.lines if one.number in members_of([line]))
            notes.wrong(ENTRIES, where, f"{one.shown!r} plays in {times[one.number]} groups. Fix: every entry in one")
        elif not times[one.number] and not one.until and alone > wanted - len(groups):
            notes.wrong(
                ENTRIES, one.where, f"{one.shown!r} is not drawn. Fix: every entry that is not withdrawn is drawn"
            )
    if len(groups) + alone < wanted:
        notes.wrong(SIZES, facts.names.fixtures, f"{len(groups)} groups, the event has {wanted}. Fix: draw again")
    if len(groups) > wanted:
        notes.wrong(SIZES, facts.names.fixtures, f"{len(groups)} groups, the event has {wanted}. Fix: draw again")
    notes.holds(ENTRIES, f"{sum(times.values()) + alone} entries, each in one group")


def _check_group(facts: Facts, notes: Notes, name: str, lines: Sequence[Line], members: set[int]) -> None:
    called = f"group {name}" if name else "the event"
    met: dict[frozenset[int], Line] = {}
    busy: dict[tuple[str, int], Line] = {}
    breaks: Counter[int] = Counter()
    for line in lines:
        sides = [side.entrant for side in line.sides if side.entrant is not None]
        before = met.setdefault(frozenset(sides), line)
        if before is not line:
            notes.wrong(MEET, line.where, f"{line.id!r} has met in {before.id!r} already. Fix: everybody meets once")
        for one, more in zip(sides, (1, -1), strict=True):
            breaks[one] += more
            other = busy.setdefault((line.round, one), line)
            if other is not line:
                says = f"{facts.shown(one)} plays {other.id!r} in the same round"
                notes.wrong(ROUNDS, line.where, f"{says}. Fix: nobody twice in a round")
    lacking = len(members) * (len(members) - 1) // 2 - len(met)
    if lacking:
        one, two = next(
            (one, other) for one in sorted(members) for other in sorted(members)
            if one < other and frozenset((one, other)) not in met
        )  # fmt: skip
        says = f"in {called} {facts.shown(one)} and {facts.shown(two)} do not meet"
        notes.wrong(MEET, lines[-1].where, f"{says}, {lacking} such matches lack. Fix: draw again")
    rounds, needed = len({line.round for line in lines}), len(members) - 1 + len(members) % 2
    if rounds != needed and not lacking:
        notes.wrong(
            ROUNDS, lines[-1].where, f"{called} takes {rounds} rounds, {needed} are enough. Fix: the circle method"
        )
    if facts.rules.apart:
        _check_late(facts, notes, lines)
    for one in sorted(members):
        if abs(breaks[one]) > 1:
            where = next(line.where for line in lines if one in members_of([line]))
            how = "more" if breaks[one] > 0 else "less"
            says = f"{facts.shown(one)} has the break {abs(breaks[one])} times {how} often"
            notes.wrong(BREAKS, where, f"{says} than the other. Fix: as often, or once more or less")


def _check_late(facts: Facts, notes: Notes, lines: Sequence[Line]) -> None:
    """Rounds in which more pairs of one club meet come later: no other order of these rounds has them so late."""
    same: dict[str, int] = {}
    for line in lines:
        clubs = [facts.entrants[side.entrant].club for side in line.sides if side.entrant is not None]
        same[line.round] = same.get(line.round, 0) + (bool(clubs[0]) and clubs[0] == clubs[1])
    for (before, more), (after, fewer) in pairwise(same.items()):
        if fewer < more:
            where = next(line.where for line in lines if line.round == before)
            says = f"{more} pairs of one club meet in round {before}, {fewer} in {after}"
            notes.wrong(CLUB, where, f"{says}. Fix: change the two rounds")
            return


def _check_pots(facts: Facts, notes: Notes, members: dict[str, set[int]]) -> None:
    """The seeds of a pot, as many as there are groups, stand in different groups; sizes differ by one at most."""
    where = facts.names.fixtures
    sizes = sorted(len(group) for group in members.values())
    if sizes[-1] - sizes[0] > 1:
        notes.wrong(SIZES, where, f"groups have {sizes[0]} to {sizes[-1]} members. Fix: sizes differ by one at most")
    drawn = {one for group in members.values() for one in group}
    seeds, many = facts.seeds(drawn), len(members)
    group_of = {one: name for name, group in members.items() for one in group}
    for begin in range(0, len(seeds), many):
        by_group: dict[str, int] = {}
        for seed in seeds[begin : begin + many]:
            other = by_group.setdefault(group_of[seed], seed)
            if other != seed:
                says = f"{facts.shown(other)} and {facts.shown(seed)} are of one pot and in group {group_of[seed]}"
                notes.wrong(POTS, where, f"{says}. Fix: one of each pot a group")
    notes.holds(SIZES, f"{many} groups of {sizes[0]} to {sizes[-1]}")
    notes.holds(POTS, f"{len(seeds)} seeds, one of each pot a group")
    if facts.rules.apart:
        placed = [
            apart.Placed(facts.entrants[one].club, (("group", group_of[one]), "event"), one in set(seeds))
            for one in sorted(drawn)
        ]
        now, (fewest, moves) = apart.pairs(placed), apart.best(placed)
        if moves:
            notes.wrong(CLUB, where, f"{now[0]} pairs of one club share a group, {fewest[0]} would do. Fix: draw again")
        notes.holds(CLUB, f"{now[0]} pairs share a group; no draw with these seeds has fewer")
