"""The first round of a Swiss: the top half against the bottom half."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from controller.draws.checking.facts import Notes
from controller.draws.checking.field import Field, Pair, strength

FIRST, CLUB = "first round", "same club"


def check_first(notes: Notes, swiss: Field, pairs: Sequence[Pair]) -> None:
    """Each of the top half plays who stands as far down the bottom half; lots part those who are as strong."""
    who = sorted({one for pair in pairs for one in pair.two}, key=lambda one: strength(swiss.entrants[one]))
    half = len(who) // 2
    low: dict[int, int] = {}
    high: dict[int, int] = {}
    strengths = [strength(swiss.entrants[one]) for one in who]
    begin: dict[tuple[float, float], int] = {}
    for index, high_up in enumerate(strengths):
        begin.setdefault(high_up, index)
    end = {high_up: index for index, high_up in enumerate(strengths)}
    for one, high_up in zip(who, strengths, strict=True):
        low[one], high[one] = begin[high_up], end[high_up]
    free = set(range(half))
    wanted = []
    for pair in pairs:
        slots = [
            (
                max(low[top], 0 if swiss.apart else low[bottom] - half),
                min(high[top], half - 1 if swiss.apart else high[bottom] - half),
            )
            for top, bottom in ((pair.first, pair.second), (pair.second, pair.first))
            if high[bottom] >= half
        ]
        wanted.append((min((one for one in slots if one[0] <= one[1]), key=lambda one: one[1], default=(0, -1)), pair))
    for (first, last), pair in sorted(wanted, key=lambda one: one[0][1]):
        slot = next((slot for slot in range(first, last + 1) if slot in free), None)
        if slot is None:
            names = " and ".join(swiss.entrants[one].shown for one in (pair.first, pair.second))
            notes.wrong(
                FIRST, pair.where, f"{names} do not meet first. Fix: the top half against the bottom half, in order"
            )
            return
        free.discard(slot)
    if swiss.apart:
        _check_first_clubs(notes, swiss, pairs)


def _check_first_clubs(notes: Notes, swiss: Field, pairs: Sequence[Pair]) -> None:
    """Two halves can be paired without a club against itself, but for who is more than a half of all (Hall 1935)."""
    clubs: dict[str, int] = defaultdict(int)
    same = 0
    for pair in pairs:
        two = [swiss.entrants[one].club for one in (pair.first, pair.second)]
        same += bool(two[0]) and two[0] == two[1]
        for club in two:
            clubs[club] += bool(club)
    fewest = max(0, *(many - len(pairs) for many in clubs.values()))
    if same > fewest:
        notes.wrong(CLUB, pairs[0].where, f"{same} pairs of one club meet at once, {fewest} would do. Fix: draw again")
