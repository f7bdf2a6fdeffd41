"""How an event stands: the tables of its groups, rounds or teams, and who has come how far in its knock-out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from controller.draws import ties
from controller.draws.entries import Entry
from controller.draws.event import Event
from controller.draws.field import meetings_of_swiss, of_entries, of_teams
from controller.draws.groups import by_group, meetings, members
from controller.draws.matches import Known, Match, awaited, known
from controller.draws.results import Played, is_needed, is_of_table
from controller.draws.standings import Place, Ranked, table
from controller.events.doors import name_key


def tables(event: Event, entries: Sequence[Entry], matches: Sequence[Match], so_far: Played) -> dict[str, list[Place]]:
    """Returns the event's tables by their titles: each group's as `A`, a knock-out's as `knockout`, others as ""."""
    if event.system in ("knockout", "double"):
        return {"knockout": knockout_table(entries, matches, so_far)}
    knocked_out = [match for match in matches if not is_of_table(event, match)]
    after = {"knockout": knockout_table(entries, knocked_out, so_far)} if knocked_out else {}
    if event.system in ("groups", "round_robin"):
        return group_tables(event, entries, matches, so_far) | after
    by_name = known(entries)
    if event.system == "ties":
        field, _ = of_teams(event, entries, matches)
        played = ties.meetings(ties.ties_of(matches, by_name), so_far, by_name)
    else:
        field, _ = of_entries(event, entries, matches)
        played = meetings_of_swiss(matches, so_far, by_name)
    return {"": table(field, played, event.order, event.lots), **after}


def group_tables(
    event: Event, entries: Sequence[Entry], matches: Sequence[Match], so_far: Played
) -> dict[str, list[Place]]:
    """Returns each group's table by its letter."""
    by_name = known(entries)
    found = {}
    for name, some in by_group(event, matches).items():
        ranked = [_ranked(one) for one in members(some, by_name)]
        found[name] = table(ranked, meetings(event, some, so_far, by_name), event.order, event.lots)
    return found


def _ranked(one: Entry) -> Ranked:
    return Ranked(name_key(one.players[0]), one.name, one.club, one.seeding or 0)


def knockout_table(entries: Sequence[Entry], matches: Sequence[Match], so_far: Played) -> list[Place]:
    """Returns who has come how far, the winner first; who lost in one round share a place, who is still in has none.

    `values` has how many matches each has won.
    """
    by_name = known(entries)
    main = [match for match in matches if not match.round.startswith("C-")]
    goes_on = {found for match in main for side in match.sides if (found := awaited(side))}
    rounds = list(dict.fromkeys(match.round for match in main))
    out: dict[str, tuple[int, int]] = {}
    for match in main:
        for number, entry in enumerate(_entries(match, so_far, by_name)):
            result = so_far.result(match)
            if entry is None or result is None or result.won is None:
                continue
            wins = result.won == number
            last = (wins, name_key(match.id)) not in goes_on
            if last or (match.round == "GF" and result.won == 0):
                out[name_key(entry.players[0])] = (rounds.index(match.round), int(wins))
    places = []
    won, lost = _counts(main, so_far, by_name)
    order = sorted(members_of(main, so_far, by_name), key=lambda one: _far(out, one), reverse=True)
    best: dict[tuple[int, int], int] = {}
    for number, one in enumerate(order, 1):
        key = name_key(one.players[0])
        place = best.setdefault(_far(out, one), number) if key in out else 0
        counts = (won[key] + lost[key], won[key], 0, lost[key])
        places.append(Place(place, key, one.name, one.club, *counts, {"matches": won[key]}))
    return places


def _far(out: dict[str, tuple[int, int]], one: Entry) -> tuple[int, int]:
    return out.get(name_key(one.players[0]), (10**6, 0))


def members_of(matches: Sequence[Match], so_far: Played, by_name: Known) -> list[Entry]:
    """Returns who plays in some matches as far as that is known, each once."""
    found = {}
    for match in matches:
        for entry in _entries(match, so_far, by_name):
            if entry:
                found[entry.players] = entry
    return [*found.values()]


def _entries(match: Match, so_far: Played, by_name: Known) -> list[Entry | None]:
    if not is_needed(match, so_far):
        return []
    return [by_name.of(side) if side else None for side in so_far.sides_of(match)]


def _counts(matches: Sequence[Match], so_far: Played, by_name: Known) -> tuple[Counter[str], Counter[str]]:
    won, lost = Counter[str](), Counter[str]()
    for match in matches:
        result = so_far.result(match)
        for number, entry in enumerate(_entries(match, so_far, by_name)):
            if entry and result and result.won is not None:
                (won if result.won == number else lost)[name_key(entry.players[0])] += 1
    return won, lost
