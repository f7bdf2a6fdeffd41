"""Who stands above whom, as far as results and the event's tie-breaks decide: lots stay open."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from controller.draws.checking.facts import Entrant, Facts, Line

WIN, DRAW = 2, 1
"""Points of a match, in halves: whole numbers compare exactly."""


@dataclass(frozen=True, slots=True)
class Played:
    """A match that counts: who stood on the first and the second side, who won (None: drawn), and the differences of
    the first side's figures over the second's, by what they count."""

    first: int
    second: int
    winner: int | None
    more: Mapping[str, float] = field(default_factory=dict)

    def half_points(self, who: int) -> int:
        """Returns what one of the two got."""
        return DRAW if self.winner is None else WIN * (self.winner == who)


def played_of(facts: Facts, lines: Sequence[Line]) -> Iterator[Played]:
    """Yields the matches of these lines that have a result."""
    for line in lines:
        result = facts.results.get(line.number)
        first, second = (facts.stood.get((line.number, index)) for index in (0, 1))
        if result is not None and first is not None and second is not None:
            winner = None if result.winner is None else (first, second)[result.winner]
            figures = {"boards": result.boards, "points": result.points, "games": result.games}
            yield Played(first, second, winner, {what: one - two for what, (one, two) in figures.items()})


def points_of(played: Sequence[Played], who: Collection[int]) -> dict[int, int]:
    """Returns the half points of each."""
    points = dict.fromkeys(who, 0)
    for match in played:
        for one in (match.first, match.second):
            if one in points:
                points[one] += match.half_points(one)
    return points


def ranked(
    who: Collection[int],
    played: Sequence[Played],
    order: Sequence[str],
    entrants: Sequence[Entrant],
    points: Mapping[int, int],
) -> list[list[int]]:
    """Returns the standing, the first above; those between whom only a lot decides share an element.

    `points`: half points, byes and all; `order`: what decides, in order.
    """
    groups = [sorted(who)]
    for key in (one for one in order if one != "lot"):
        groups = [part for group in groups for part in _split(group, _value(key, group, played, entrants, points))]
    return groups


def _split(group: Sequence[int], value: Callable[[int], float]) -> list[list[int]]:
    by_value = sorted(group, key=lambda one: -value(one))
    return [list(part) for _value, part in groupby(by_value, key=value)]


def _value(
    key: str, group: Sequence[int], played: Sequence[Played], entrants: Sequence[Entrant], points: Mapping[int, int]
) -> Callable[[int], float]:
    if key == "matches":
        return lambda one: points[one]
    if key == "seeding":
        return lambda one: -(entrants[one].seeding or 10**9)
    among = set(group)
    found = dict.fromkeys(group, 0.0)
    for match in played:
        if key == "head_to_head" and not {match.first, match.second} <= among:
            continue
        for one, other, sign in ((match.first, match.second, 1.0), (match.second, match.first, -1.0)):
            if one not in among:
                continue
            if key == "head_to_head":
                found[one] += match.half_points(one)
            elif key == "buchholz":
                found[one] += points.get(other, 0)
            else:
                found[one] += sign * match.more.get(key, 0.0)
    return lambda one: found[one]
