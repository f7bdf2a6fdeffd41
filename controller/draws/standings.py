"""Tables: the order of those who have met, with the value of every tie-break."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from controller.draws.lots import lot
from controller.draws.results import Both


@dataclass(frozen=True, slots=True)
class Meeting:
    """A match, or a tie of teams, that counts: both by their keys. `won`: 0, 1, or None for a draw."""

    pair: tuple[str, str]
    won: int | None
    boards: Both = (0, 0)
    points: Both = (0, 0)
    games: Both = (0, 0)


@dataclass(frozen=True, slots=True)
class Ranked:
    """Who is to be put in order. `extra`: half points without a match (byes, rounds missed); `seeding`: 0 is none."""

    key: str
    name: str
    club: str = ""
    seeding: int = 0
    extra: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a table. `values`: of each tie-break, in the event's order."""

    place: int
    key: str
    name: str
    club: str
    played: int
    won: int
    drawn: int
    lost: int
    values: Mapping[str, float]


def points_of(meetings: Iterable[Meeting], ranked: Iterable[Ranked]) -> dict[str, int]:
    """Returns everybody's points in halves: two for a win, one for a draw, and what came without a match."""
    found = {one.key: one.extra for one in ranked}
    for one in meetings:
        for side, key in enumerate(one.pair):
            found[key] = found.get(key, 0) + (1 if one.won is None else 2 * (one.won == side))
    return found


def table(ranked: Sequence[Ranked], meetings: Sequence[Meeting], order: Sequence[str], seed: int) -> list[Place]:
    """Returns the table. Those whom one tie-break leaves equal are parted by the next; the lot is the last one.

    `matches`: points, a win is one; `head_to_head`: points in the matches among those who are equal so far; `boards`,
    `points`, `games`: won less lost; `buchholz`: the points of all whom one has met; `seeding`: the lower number first;
    `lot`: the lot `table`.
    """
    total = points_of(meetings, ranked)
    values: dict[str, dict[str, float]] = {one.key: {} for one in ranked}
    lots = sorted(ranked, key=lambda one: lot(seed, "table", one.name))
    fixed: dict[str, dict[str, float]] = {
        "matches": {key: points / 2 for key, points in total.items()},
        "buchholz": _buchholz(meetings, total),
        "seeding": {one.key: one.seeding for one in ranked},
        "lot": {one.key: number for number, one in enumerate(lots, 1)},
        **{what: _difference(what, meetings) for what in ("boards", "points", "games")},
    }
    level: list[list[Ranked]] = [list(ranked)]
    for name in order:
        parted: list[list[Ranked]] = []
        for equal in level:
            found = _among(equal, meetings) if name == "head_to_head" else fixed[name]
            for one in equal:
                values[one.key][name] = found.get(one.key, 0)
            parted += _parted(equal, name, found)
        level = parted
    counts = _counts(meetings)
    places = []
    for number, one in enumerate((one for equal in level for one in equal), 1):
        won, drawn, lost = counts.get(one.key, (0, 0, 0))
        places.append(Place(number, one.key, one.name, one.club, won + drawn + lost, won, drawn, lost, values[one.key]))
    return places


def _parted(equal: Sequence[Ranked], name: str, values: Mapping[str, float]) -> list[list[Ranked]]:
    def height(one: Ranked) -> float:
        value = values.get(one.key, 0)
        if name == "seeding":
            return value or float("inf")
        return value if name == "lot" else -value

    groups: dict[float, list[Ranked]] = {}
    for one in sorted(equal, key=height):
        groups.setdefault(height(one), []).append(one)
    return [*groups.values()]


def _among(equal: Sequence[Ranked], meetings: Iterable[Meeting]) -> dict[str, float]:
    keys = {one.key for one in equal}
    found = points_of((one for one in meetings if keys.issuperset(one.pair)), ())
    return {key: points / 2 for key, points in found.items()}


def _difference(what: str, meetings: Iterable[Meeting]) -> dict[str, float]:
    found: dict[str, float] = {}
    for one in meetings:
        first, second = getattr(one, what)
        for key, more in zip(one.pair, (first - second, second - first), strict=True):
            found[key] = found.get(key, 0) + more
    return found


def _buchholz(meetings: Iterable[Meeting], total: Mapping[str, int]) -> dict[str, float]:
    found: dict[str, float] = {}
    for one in meetings:
        for key, other in (one.pair, one.pair[::-1]):
            found[key] = found.get(key, 0) + total[other] / 2
    return found


def _counts(meetings: Iterable[Meeting]) -> dict[str, tuple[int, int, int]]:
    """How many matches everybody has won, drawn and lost."""
    found: dict[str, tuple[int, int, int]] = {}
    for meeting in meetings:
        for side, key in enumerate(meeting.pair):
            won, drawn, lost = found.get(key, (0, 0, 0))
            even = meeting.won is None
            wins = meeting.won == side
            found[key] = (won + wins, drawn + even, lost + (not wins and not even))
    return found
