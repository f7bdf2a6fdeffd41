"""A knock-out's matches from its places: rounds by name, the third place, the consolation."""

from __future__ import annotations

from collections.abc import Sequence

from controller.draws.event import Event
from controller.draws.lots import drawn
from controller.draws.matches import Match, Side, loser, winner
from controller.draws.places import Places, size_of

_NAMES = {2: "F", 4: "SF", 8: "QF"}


def knockout(event: Event, places: Places) -> list[Match]:
    """Returns all matches in an order in which each stands below those that decide who plays it; the final is last,
    the match for the third place right before it."""
    rounds = bracket(places)
    *before, final = [match for matches in rounds for match in matches]
    extra: list[Match] = []
    third = event.third_place and len(rounds) > 1 and len(rounds[-2]) == 2
    if event.consolation:
        # Who loses goes on once: who plays for the third place does not play in the consolation.
        extra += _consolation(rounds[:-2] if third else rounds, event.lots)
    if third:
        extra.append(Match("third", "third", loser(rounds[-2][0]), loser(rounds[-2][1])))
    return [*before, *extra, final]


def bracket(places: Places, prefix: str = "") -> list[list[Match]]:
    """Returns a bracket's rounds. `prefix`: of rounds and ids."""
    rounds: list[list[Match]] = []
    now = places
    while len(now) > 1:
        name = prefix + _NAMES.get(len(now), f"R{len(now)}")
        stem = f"{name}-" if name[-1].isdigit() else name
        matches, now, _ = paired(now, name, stem)
        rounds.append(matches)
    return rounds


def paired(places: Places, name: str, stem: str) -> tuple[list[Match], Places, Places]:
    """Plays a round: its matches, who goes on, and who has lost, place by place. Who is alone goes on without a match.

    `stem`: of a match's id, before its number from 1 among all places of the round; of a final it is the whole id.
    """
    matches: list[Match] = []
    on: Places = []
    out: Places = []
    for number in range(len(places) // 2):
        top, bottom = places[2 * number], places[2 * number + 1]
        if top is None or bottom is None:
            on.append(top or bottom)
            out.append(None)
            continue
        match = Match(stem if len(places) == 2 and stem[-1] == "F" else f"{stem}{number + 1}", name, top, bottom)
        matches.append(match)
        on.append(winner(match))
        out.append(loser(match))
    return matches, on, out


def _consolation(rounds: Sequence[Sequence[Match]], seed: int) -> list[Match]:
    """A knock-out of those who lose their first match: all of the first round, and of the second where both had a bye.

    Who had a bye and loses to a winner of the first round is not in it, as no reference can ask for him alone.
    """
    by_bye = [match for match in (rounds[1] if len(rounds) > 1 else ()) if not _waits(match)]
    losers: list[Side] = [loser(match) for match in (*(rounds[0] if rounds else ()), *by_bye)]
    if len(losers) < 2:
        return []
    order = drawn(seed, "consolation", losers, lambda side: side[0])
    size = size_of(len(order))
    byes = size - len(order)
    places: Places = []
    for number in range(size // 2):
        places += [order.pop(0), None if number < byes else order.pop(0)]
    return [match for matches in bracket(places, "C-") for match in matches]


def _waits(match: Match) -> bool:
    return any(side[0].startswith("winner ") for side in match.sides)
