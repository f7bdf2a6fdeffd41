"""Ties of teams: who plays in each, and who has won it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from controller.draws.entries import Entry
from controller.draws.event import Event
from controller.draws.matches import Known, Match, Side
from controller.draws.results import Both, Played
from controller.draws.standings import Meeting
from controller.events.doors import name_key


@dataclass(frozen=True, slots=True)
class Tie:
    """Two teams' matches of a round. `pair`: the teams' keys, the one first that has the break in the first match."""

    round: int
    pair: tuple[str, str]
    matches: tuple[Match, ...]


def needed(event: Event) -> int:
    """Returns how many players a team must have there."""
    return max(event.tie.count("singles"), 2 * ("doubles" in event.tie))


def lines(event: Event, number: int, place: int, home: Sequence[Entry], away: Sequence[Entry]) -> list[Match]:
    """Returns a tie's matches; the teams have the first break in turn. `home`, `away`: who is there, in order."""
    found = []
    for index, both in enumerate(zip(_lined_up(event, home), _lined_up(event, away), strict=True), 1):
        south, north = both if index % 2 else both[::-1]
        found.append(Match(f"{number}-{place}-{index}", str(number), south, north))
    return found


def _lined_up(event: Event, players: Sequence[Entry]) -> Iterator[Side]:
    names = [one.players[0] for one in players]
    singles = iter(names)
    # Who plays doubles has played no single of this tie, as long as there are two.
    rested = names[event.tie.count("singles") :]
    for kind in event.tie:
        if kind == "singles":
            yield (next(singles),)
        else:
            yield tuple(rested[:2]) if len(rested) >= 2 else tuple(names[:2])
            rested = rested[2:]


def ties_of(matches: Sequence[Match], by_name: Known) -> list[Tie]:
    """Returns the ties that some lines are."""
    found: dict[str, list[Match]] = {}
    for match in matches:
        found.setdefault(match.id.rpartition("-")[0], []).append(match)
    return [Tie(int(some[0].round), _teams(some[0], by_name), tuple(some)) for some in found.values()]


def _teams(match: Match, by_name: Known) -> tuple[str, str]:
    south, north = (name_key(by_name.of_player[name_key(side[0])].club) for side in match.sides)
    return south, north


def meetings(ties: Sequence[Tie], so_far: Played, by_name: Known) -> list[Meeting]:
    """Returns the ties that are decided; `games` are the matches won."""
    return [found for tie in ties if (found := _meeting(tie, so_far, by_name))]


def lacking(ties: Sequence[Tie], so_far: Played, by_name: Known) -> list[str]:
    """Returns the ids of matches without a result in ties that are not decided."""
    open_ones = (tie for tie in ties if _meeting(tie, so_far, by_name) is None)
    return [match.id for tie in open_ones for match in tie.matches if so_far.result(match) is None]


def _meeting(tie: Tie, so_far: Played, by_name: Known) -> Meeting | None:
    won = [0, 0]
    open_ones = 0
    counted: dict[str, list[int]] = {"boards": [0, 0], "points": [0, 0]}
    for match in tie.matches:
        result = so_far.result(match)
        if result is None:
            open_ones += 1
            continue
        turned = _teams(match, by_name) != tie.pair
        if result.won is not None:
            won[result.won ^ turned] += 1
        for what, sums in counted.items():
            both: Both = getattr(result, what)
            for side in (0, 1):
                sums[side ^ turned] += both[side]
    if open_ones and abs(won[0] - won[1]) <= open_ones:
        return None
    winner = None if won[0] == won[1] else int(won[1] > won[0])
    boards, points = ((sums[0], sums[1]) for sums in counted.values())
    return Meeting(tie.pair, winner, boards, points, (won[0], won[1]))


def there(event: Event, teams: Mapping[str, Sequence[Entry]], number: int) -> dict[str, list[Entry]]:
    """Returns the teams that can play a round, each with who is there, in order."""
    found = {key: [one for one in players if one.is_there(number)] for key, players in teams.items()}
    return {key: players for key, players in found.items() if len(players) >= needed(event)}
