"""Who is in a Swiss event or a round of ties, and with what: points, whom each has met, byes, breaks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from controller.draws.entries import NEVER, Entry, in_order, teams_of
from controller.draws.event import Event
from controller.draws.findings import Finding, refuse
from controller.draws.matches import Known, Match, known
from controller.draws.results import Played
from controller.draws.standings import Meeting, Ranked, points_of
from controller.draws.swiss import Competitor
from controller.draws.ties import meetings as meetings_of_ties
from controller.draws.ties import needed, ties_of
from controller.events.doors import name_key

Pairs = Sequence[tuple[int, tuple[str, str]]]
"""Rounds' numbers with who met whom, the one with the first break first."""


def rounds_drawn(matches: Sequence[Match]) -> int:
    """Returns the number of the last round that stands among the fixtures; 0 where there is none."""
    return max((int(match.round) for match in matches if match.round.isdecimal()), default=0)


def of_entries(event: Event, entries: Sequence[Entry], matches: Sequence[Match]) -> tuple[list[Ranked], Pairs]:
    """Returns a Swiss event's field, and who met whom. Raises DrawError where a bye may be an absence."""
    by_name = known(entries)
    pairs = [(int(match.round), _keys(match, by_name)) for match in matches if match.round.isdecimal()]
    drawn = rounds_drawn(matches)
    last = {key: number for number, both in pairs for key in both}
    extra = dict.fromkeys((name_key(one.players[0]) for one in entries), 0)
    for number in range(1, drawn + 1):
        playing = {key for at, both in pairs if at == number for key in both}
        resting = [one for one in entries if name_key(one.players[0]) not in playing and _was_there(one, number, last)]
        refuse(_unclear(resting, number))
        for one in resting:
            extra[name_key(one.players[0])] += 2
    field = []
    for one in entries:
        key = name_key(one.players[0])
        missed = min(one.comes - 1, drawn) if one.comes != NEVER else 0
        if key in last or extra[key] or one.is_there(drawn + 1) or (one.comes <= drawn and not one.out):
            field.append(Ranked(key, one.name, one.club, one.seeding or 0, extra[key] + missed * event.late_points))
    return field, pairs


def _keys(match: Match, by_name: Known) -> tuple[str, str]:
    south, north = (name_key(by_name.of_player[name_key(side[0])].players[0]) for side in match.sides)
    return south, north


def _was_there(one: Entry, number: int, last: Mapping[str, int]) -> bool:
    """Whether an entry took part in a round: one that is out without a number did up to its last match."""
    if one.left_open:
        return one.comes <= number <= last.get(name_key(one.players[0]), 0)
    return one.comes <= number < one.leaves


def _unclear(resting: Sequence[Entry], number: int) -> list[Finding]:
    if len(resting) < 2:
        return []
    return [
        Finding(
            "entries",
            f"{one.name!r} and {len(resting) - 1} more have no match in round {number}, and one can have a bye. "
            f"Fix: write the state `late {number + 1}` for who was not there yet",
            one.line,
        )
        for one in resting
    ]


def of_teams(event: Event, entries: Sequence[Entry], matches: Sequence[Match]) -> tuple[list[Ranked], Pairs]:
    """Returns the teams as a field, and who met whom."""
    teams = teams_of(entries)
    by_name = known(entries)
    pairs = [(tie.round, tie.pair) for tie in ties_of(matches, by_name)]
    drawn = rounds_drawn(matches)
    met = {key for _, both in pairs for key in both}
    field = []
    for key, players in teams.items():
        extra = 0
        if event.rounds is not None:
            for number in range(1, drawn + 1):
                here = sum(_was_there(one, number, {}) for one in players) >= needed(event)
                extra += 2 * (here and all(key not in both for at, both in pairs if at == number))
        if key in met or any(one.is_there(drawn + 1) for one in players):
            seeding = min((one.seeding for one in players if one.seeding), default=0)
            field.append(Ranked(key, players[0].club, players[0].club, seeding, extra))
    return field, pairs


def meetings_of_swiss(matches: Sequence[Match], so_far: Played, by_name: Known) -> list[Meeting]:
    """Returns the matches of rounds that have a result."""
    return [
        Meeting(_keys(match, by_name), result.won, result.boards, result.points, result.games)
        for match in matches
        if match.round.isdecimal() and (result := so_far.result(match))
    ]


def competitors(
    event: Event,
    entries: Sequence[Entry],
    matches: Sequence[Match],
    so_far: Played,
    there: Sequence[str],
) -> list[Competitor]:
    """Returns those who are to be paired, by their keys, with what the rounds so far have given them.

    Ranked by points, then by seeding, rating and lot.
    """
    by_name = known(entries)
    if event.system == "ties":
        field, pairs = of_teams(event, entries, matches)
        meetings = meetings_of_ties(ties_of(matches, by_name), so_far, by_name)
        first = [name_key(one.club) for one in in_order(entries, event.lots)]
    else:
        field, pairs = of_entries(event, entries, matches)
        meetings = meetings_of_swiss(matches, so_far, by_name)
        first = [name_key(one.players[0]) for one in in_order(entries, event.lots)]
    points = points_of(meetings, field)
    order = {key: number for number, key in enumerate(dict.fromkeys(first))}
    met: dict[str, set[str]] = {one.key: set() for one in field}
    breaks: dict[str, list[bool]] = {one.key: [] for one in field}
    for _, (south, north) in pairs:
        met[south].add(north)
        met[north].add(south)
        breaks[south].append(True)
        breaks[north].append(False)
    ranked = sorted((one for one in field if one.key in set(there)), key=lambda one: (-points[one.key], order[one.key]))
    apart = event.apart and event.system != "ties"
    rested = _rested(pairs, field, entries, event)
    return [
        Competitor(
            one.key,
            points[one.key],
            rank,
            name_key(one.club) if apart else "",
            frozenset(met[one.key]),
            tuple(breaks[one.key]),
            one.key in rested,
        )
        for rank, one in enumerate(ranked)
    ]


def _rested(pairs: Pairs, field: Sequence[Ranked], entries: Sequence[Entry], event: Event) -> set[str]:
    """Who has had a bye: points without a match that were not given for rounds missed."""
    if event.system == "ties":
        return {one.key for one in field if one.extra}
    drawn = max((number for number, _ in pairs), default=0)
    missed = {name_key(one.players[0]): min(one.comes - 1, drawn) * event.late_points for one in entries}
    return {one.key for one in field if one.extra > missed[one.key]}
