"""Events that are drawn and played in the tests: by the package's public ways in, as the command does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from itertools import product

from hypothesis import strategies as st

from controller.draws.entries import Entry, Row, entries_of
from controller.draws.event import Event, event_of
from controller.draws.making import go_on, make, opened
from controller.draws.matches import Match, awaited, matches_of, rows_of
from controller.draws.results import Played, played
from controller.events.doors import name_key

Choose = Callable[[Match], str]


def event(system: str, seed: int = 7, **keys: object) -> Event:
    """An event as its TOML has it."""
    return event_of({"name": "Open", "system": system, "seed": seed, **keys})


def rows(*cells: Mapping[str, str]) -> list[Row]:
    """Lines of a sheet, the first below its titles."""
    return [(line, one) for line, one in enumerate(cells, 2)]


def entries(
    count: int, seeds: int = 0, clubs: Sequence[str] = (), state: Mapping[int, str] | None = None, pairs: bool = False
) -> tuple[Entry, ...]:
    """So many entries P1, P2, …, the first ones seeded; `clubs`: in turn; `state`: by number from 1."""
    listed = [
        {
            "name": f"P{number}",
            "partner": f"Q{number}" if pairs else "",
            "club": clubs[(number - 1) % len(clubs)] if clubs else "",
            "seeding": str(number) if number <= seeds else "",
            "state": (state or {}).get(number, ""),
        }
        for number in range(1, count + 1)
    ]
    return entries_of(rows(*listed))


def teams(count: int, players: int = 3) -> tuple[Entry, ...]:
    """Teams T1, T2, …, each with players T1a, T1b, …"""
    both = [(f"T{team}", chr(ord("a") + number)) for team in range(1, count + 1) for number in range(players)]
    return entries_of(rows(*({"name": team + player, "club": team} for team, player in both)), teams=True)


def written(drawn: Event, matches: Sequence[Match], them: Sequence[Entry]) -> tuple[Match, ...]:
    """The matches as they are read again from the sheet that they are written to."""
    return matches_of(rows(*rows_of(drawn, matches)[1]), them, teams=drawn.system == "ties")


def by_chance(seed: int, draws: bool = False) -> Choose:
    """Whoever wins by an order that is always the same."""

    def choose(match: Match) -> str:
        chance = int(sha256(f"{seed} {match.id}".encode()).hexdigest(), 16)
        may_be_drawn = draws and match.round.rpartition("-")[2].isdecimal()
        return "draw" if may_be_drawn and chance % 7 == 0 else match.sides[chance % 2][0]

    return choose


def played_out(
    drawn: Event, them: Sequence[Entry], choose: Choose, between: Callable[[int], Sequence[Entry]] | None = None
) -> tuple[tuple[Match, ...], Played]:
    """An event that was played to its end. `between`: the entries as they are before a round (from 2) is drawn."""
    matches = written(drawn, make(drawn, them), them)
    results: list[Row] = []
    number = 1
    while True:
        so_far = played(drawn, matches, them, results)
        while ready := opened(matches, so_far):
            results += [(len(results) + at, {"id": one.id, "winner": choose(one)}) for at, one in enumerate(ready, 2)]
            so_far = played(drawn, matches, them, results)
        number += 1
        them = between(number) if between else them
        more = written(drawn, go_on(drawn, them, matches, so_far), them)
        if len(more) == len(matches):
            return matches, so_far
        matches = more


def below(matches: Sequence[Match]) -> dict[str, tuple[frozenset[str], frozenset[str]]]:
    """Who may come to each side of a match, however those before it end, by the match's id."""
    found: dict[str, tuple[frozenset[str], frozenset[str]]] = {}
    for match in matches:
        south, north = (
            frozenset({side[0]}) if (wait := awaited(side)) is None else frozenset.union(*found[wait[1]])
            for side in match.sides
        )
        found[name_key(match.id)] = (south, north)
    return found


def main_rounds(matches: Sequence[Match]) -> list[Match]:
    """A knock-out without consolation and third place."""
    return [one for one in matches if one.round != "third" and not one.round.startswith("C-")]


def size_of(match: Match) -> int:
    """How many may still win when a round of a knock-out begins."""
    return {"F": 2, "SF": 4, "QF": 8}.get(match.round) or int(match.round.removeprefix("R"))


def meetings(matches: Sequence[Match]) -> dict[frozenset[str], int]:
    """The size of the round of a knock-out in which each two may meet."""
    main = main_rounds(matches)
    sides = below(main)
    return {frozenset(both): size_of(match) for match in main for both in product(*sides[name_key(match.id)])}


seeds_of_lots = st.integers(0, 10**9)
