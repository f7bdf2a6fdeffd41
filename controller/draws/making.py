"""The two ways in: an event's first fixtures, and what comes after results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from controller.draws import ties
from controller.draws.circle import rounds_of
from controller.draws.double import double
from controller.draws.entries import Entry, teams_of
from controller.draws.event import MOST_ENTRIES, Event
from controller.draws.field import competitors, rounds_drawn
from controller.draws.findings import Finding, refuse
from controller.draws.groups import all_groups, by_group, groups, lacking, qualified, round_robin
from controller.draws.hall import seated
from controller.draws.knockout import knockout
from controller.draws.lots import drawn
from controller.draws.matches import Match, known
from controller.draws.places import places, places_of_qualified
from controller.draws.results import NONE, Played, is_needed, is_of_table
from controller.draws.swiss import Round, pair
from controller.draws.tables import group_tables, tables
from controller.events.doors import name_key

_SHOWN = 12
"""So many ids a message names."""


def make(event: Event, entries: Sequence[Entry]) -> list[Match]:
    """Draws an event. Raises DrawError where its sizes do not fit its entries."""
    there = [one for one in entries if not one.out]
    refuse(_sizes(event, entries, there))
    match event.system:
        case "knockout":
            matches = knockout(event, places(event, there))
        case "double":
            matches = double(places(event, there))
        case "round_robin":
            matches = round_robin(event, drawn(event.lots, "numbers", there, lambda one: one.players[0]))
        case "groups":
            matches = all_groups(event, groups(event, there, event.groups or 1))
        case _:
            matches = _round(event, entries, (), NONE)
    return seated(event, matches)


def go_on(event: Event, entries: Sequence[Entry], matches: Sequence[Match], so_far: Played) -> list[Match]:
    """Returns the fixtures with what comes next: a round of a Swiss event or of ties, the knock-out after groups.

    All others have had every line from the start and stay as they are. So does an event that is over, and one of which
    so many have left that no pairing remains in which nobody meets anybody twice (`ends_early`). Raises DrawError that
    names the results which are lacking.
    """
    more: list[Match] = []
    if _has_rounds_left(event, entries, matches):
        more = _round(event, entries, matches, so_far)
    if not more and _has_knockout_left(event, matches):
        after = _after_groups if event.system == "groups" else _after_rounds
        more = after(event, entries, matches, so_far)
    return seated(event, [*matches, *more])


def goes_on(event: Event, entries: Sequence[Entry], matches: Sequence[Match]) -> bool:
    """Whether more may come after the matches that are drawn: a round, or the knock-out after groups."""
    return _has_rounds_left(event, entries, matches) or _has_knockout_left(event, matches)


def _has_rounds_left(event: Event, entries: Sequence[Entry], matches: Sequence[Match]) -> bool:
    if event.system not in ("swiss", "ties") or not all(is_of_table(event, match) for match in matches):
        return False
    return rounds_drawn(matches) < (event.rounds or len(_circle_of_teams(event, entries, matches)))


def _has_knockout_left(event: Event, matches: Sequence[Match]) -> bool:
    if event.system not in ("groups", "swiss") or not event.then_knockout:
        return False
    return all(is_of_table(event, match) for match in matches)


def ends_early(event: Event, matches: Sequence[Match]) -> bool:
    """Whether an event that has just been gone on with has fewer rounds than it was to have."""
    return event.system in ("swiss", "ties") and rounds_drawn(matches) < (event.rounds or 0)


def opened(matches: Sequence[Match], so_far: Played) -> list[Match]:
    """Returns the matches that can be played now, with the names of those who play them."""
    found = []
    for match in matches:
        south, north = so_far.sides_of(match)
        if south and north and so_far.result(match) is None and is_needed(match, so_far):
            found.append(replace(match, south=south, north=north))
    return found


# -- sizes


def _sizes(event: Event, entries: Sequence[Entry], there: Sequence[Entry]) -> list[Finding]:
    if event.system == "ties":
        return _sizes_of_teams(event, entries)
    if not 2 <= len(there) <= MOST_ENTRIES:
        says = f"{len(there)} entries are there, and a draw has 2 to {MOST_ENTRIES}. Fix: correct the list"
        return [Finding("entries", says)]
    count = event.groups or 1
    if event.system == "groups" and len(there) < 2 * count:
        says = f"{count} groups are more than {len(there)} entries make: each has two at least. "
        return [Finding("event", f"{says}Fix: groups = {len(there) // 2}", key=("groups",))]
    if event.system == "groups" and event.then_knockout and event.qualify > len(there) // count:
        says = f"qualify {event.qualify} is more than the {len(there) // count} of a group. "
        return [Finding("event", f"{says}Fix: qualify = {len(there) // count}", key=("qualify",))]
    if event.system == "groups" and event.then_knockout and event.qualify * count < 2:
        return [Finding("event", "one alone makes no knock-out. Fix: qualify = 2", key=("qualify",))]
    if event.system == "swiss":
        return _sizes_of_swiss(event, len([one for one in there if one.is_there(1)]), len(there))
    return []


def _sizes_of_swiss(event: Event, first: int, count: int) -> list[Finding]:
    if first < 2:
        says = f"{first} entries are there in round 1. Fix: correct the column state"
        return [Finding("entries", says)]
    most = count - 1 + count % 2
    if event.then_knockout and not 2 <= event.qualify <= count:
        says = (
            f"qualify {event.qualify} does not fit {count} entries. Fix: qualify = {min(count, max(2, event.qualify))}"
        )
        return [Finding("event", says, key=("qualify",))]
    if event.rounds and event.rounds > most:
        says = f"{event.rounds} rounds are more than {count} can play without meeting twice. Fix: rounds = {most}"
        return [Finding("event", says, key=("rounds",))]
    return []


def _sizes_of_teams(event: Event, entries: Sequence[Entry]) -> list[Finding]:
    findings = []
    teams = {key: some for key, them in teams_of(entries).items() if (some := [one for one in them if not one.out])}
    for players in teams.values():
        if len(players) < ties.needed(event):
            says = f"team {players[0].club!r} has {len(players)} players, and a tie needs {ties.needed(event)}. "
            findings.append(Finding("entries", f"{says}Fix: name more, or a smaller tie", players[0].line))
    here = len(ties.there(event, teams, 1))
    if not findings and here < 2:
        findings.append(Finding("entries", f"{here} teams are there in round 1. Fix: name two at least"))
    if not findings and event.rounds is not None:
        findings += _sizes_of_swiss(event, here, len(teams))
    return findings


# -- rounds that are drawn one by one


def _round(event: Event, entries: Sequence[Entry], matches: Sequence[Match], so_far: Played) -> list[Match]:
    number = rounds_drawn(matches) + 1
    if event.system == "ties" and event.rounds is None:
        return _round_of_all(event, entries, matches, number)
    if number > (event.rounds or 0):
        return []
    refuse(_lacking(event, entries, matches, so_far))
    if event.system == "ties":
        return _round_of_teams(event, entries, matches, so_far, number)
    there = [name_key(one.players[0]) for one in entries if one.is_there(number)]
    found = _paired(event, entries, matches, so_far, there, number)
    of = known(entries).of_player
    return [
        Match(f"{number}-{place}", str(number), of[south.key].players, of[north.key].players)
        for place, (south, north) in enumerate(found.pairs if found else (), 1)
    ]


def _lacking(event: Event, entries: Sequence[Entry], matches: Sequence[Match], so_far: Played) -> list[Finding]:
    if event.system == "ties":
        by_name = known(entries)
        ids = ties.lacking(ties.ties_of(matches, by_name), so_far, by_name)
    else:
        ids = [match.id for match in matches if so_far.result(match) is None]
    return _without_result(ids)


def _without_result(ids: Sequence[str]) -> list[Finding]:
    if not ids:
        return []
    more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    says = f"no result of {', '.join(ids[:_SHOWN])}{more}. Fix: write them; who did not come has lost"
    return [Finding("results", says)]


def _paired(
    event: Event,
    entries: Sequence[Entry],
    matches: Sequence[Match],
    so_far: Played,
    there: Sequence[str],
    number: int,
) -> Round | None:
    them = competitors(event, entries, matches, so_far, there)
    if len(them) < 2:
        return None
    return pair(them, number, (event.rounds or number) - number, event.lots)


def _round_of_teams(
    event: Event, entries: Sequence[Entry], matches: Sequence[Match], so_far: Played, number: int
) -> list[Match]:
    there = ties.there(event, teams_of(entries), number)
    found = _paired(event, entries, matches, so_far, [*there], number)
    return [
        line
        for place, (home, away) in enumerate(found.pairs if found else (), 1)
        for line in ties.lines(event, number, place, there[home.key], there[away.key])
    ]


def _round_of_all(event: Event, entries: Sequence[Entry], matches: Sequence[Match], number: int) -> list[Match]:
    """The next round of a round robin of teams with a tie in it; one with a team that is not there is no line."""
    rounds = _circle_of_teams(event, entries, matches)
    for later in range(number, len(rounds) + 1):
        there = ties.there(event, teams_of(entries), later)
        pairs = [both for both in rounds[later - 1] if there.keys() >= {*both}]
        if pairs:
            return [
                line
                for place, (home, away) in enumerate(pairs, 1)
                for line in ties.lines(event, later, place, there[home], there[away])
            ]
    return []


def _circle_of_teams(event: Event, entries: Sequence[Entry], matches: Sequence[Match]) -> list[list[tuple[str, str]]]:
    """The rounds of all teams that were drawn: those in a line, and those that have not withdrawn.

    One that rests in the first round and withdraws then is in no line. Without it the circle has the same first round,
    as that is the place where somebody rests.
    """
    pairs = {(tie.round, frozenset(tie.pair)) for tie in ties.ties_of(matches, known(entries))}
    named = {key for _, both in pairs for key in both}
    teams = [key for key, them in teams_of(entries).items() if key in named or not all(one.out for one in them)]
    rounds = rounds_of(drawn(event.lots, "numbers", teams))
    if not pairs <= {(number, frozenset(both)) for number, some in enumerate(rounds, 1) for both in some}:
        says = "the ties are not those of this seed and these teams. Fix: take the seed and the list they were drawn of"
        refuse([Finding("fixtures", says)])
    return rounds


def _after_rounds(event: Event, entries: Sequence[Entry], matches: Sequence[Match], so_far: Played) -> list[Match]:
    """The knock-out of the best of a Swiss event: they stand in it as seeds do, the first against the last."""
    refuse(_lacking(event, entries, matches, so_far))
    by_name = known(entries)
    there = [by_name.of_player[one.key] for one in tables(event, entries, matches, so_far)[""]]
    # Who was to come after the last round has played none.
    going_on = [[one] for one in there if not one.out and one.comes <= rounds_drawn(matches)][: event.qualify]
    return knockout(event, places_of_qualified(event, going_on)) if len(going_on) > 1 else []


def _after_groups(event: Event, entries: Sequence[Entry], matches: Sequence[Match], so_far: Played) -> list[Match]:
    by_name = known(entries)
    some_groups = by_group(event, matches).values()
    refuse(_without_result([one for some in some_groups for one in lacking(some, so_far, by_name)]))
    tables = {name: [one.key for one in some] for name, some in group_tables(event, entries, matches, so_far).items()}
    going_on = qualified(tables, event, by_name)
    if sum(map(len, going_on)) < 2:
        return []
    return knockout(event, places_of_qualified(event, going_on))
