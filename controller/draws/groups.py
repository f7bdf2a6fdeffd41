"""Groups in which everybody meets everybody, and one alone: a round robin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from controller.draws.circle import late, rounds_of
from controller.draws.entries import Entry, seeded
from controller.draws.event import Event
from controller.draws.lots import drawn
from controller.draws.matches import Known, Match
from controller.draws.results import Played, Result, is_of_group
from controller.draws.spread import Rooms, spread, star
from controller.draws.standings import Meeting
from controller.events.doors import name_key


def letters(number: int) -> str:
    """Returns a group's name by its number from 0: A to Z, then AA and so on, as a spreadsheet's columns."""
    return (letters(number // 26 - 1) if number >= 26 else "") + chr(ord("A") + number % 26)


def groups(event: Event, entries: Sequence[Entry], count: int) -> list[list[Entry]]:
    """Draws the groups: seeds by snake, everybody else by lot, one club over as many groups as it has entries."""
    seeds = seeded(entries)
    snake = [_snake(number, count) for number in range(len(entries))]
    found: list[list[Entry]] = [[] for _ in range(count)]
    for one, group in zip(seeds, snake, strict=False):
        found[group].append(one)
    room = tuple(snake.count(group) - len(found[group]) for group in range(count))
    clubs = {one.players[0]: name_key(one.club) if event.apart else "" for one in entries}
    fixed = [(group, clubs[one.players[0]]) for group, some in enumerate(found) for one in some]
    others = [one for one in entries if one not in seeds]
    wanted = {one.players[0]: clubs[one.players[0]] for one in others}
    for one, group in zip(others, spread(star(count), Rooms(room, room), fixed, wanted, event.lots), strict=True):
        found[group].append(one)
    return [drawn(event.lots, "numbers", group, lambda one: one.players[0]) for group in found]


def _snake(number: int, count: int) -> int:
    turn, place = divmod(number, count)
    return count - 1 - place if turn % 2 else place


def round_robin(event: Event, them: Sequence[Entry], group: str = "") -> list[Match]:
    """Returns the matches of a round robin, round by round. `group`: its letter, before the rounds' numbers."""

    def same_club(one: Entry, other: Entry) -> bool:
        return event.apart and bool(one.club) and name_key(one.club) == name_key(other.club)

    found = []
    for number, pairs in enumerate(late(rounds_of(them), same_club), 1):
        name = f"{group}-{number}" if group else str(number)
        for place, (south, north) in enumerate(pairs, 1):
            found.append(Match(f"{name}-{place}", name, south.players, north.players))
    return found


def all_groups(event: Event, drawn_groups: Sequence[Sequence[Entry]]) -> list[Match]:
    """Returns the matches of all groups, the first round of all of them first."""
    each = [round_robin(event, group, letters(number)) for number, group in enumerate(drawn_groups)]
    return sorted(
        (match for matches in each for match in matches), key=lambda match: int(match.round.rpartition("-")[2])
    )


def by_group(event: Event, matches: Sequence[Match]) -> dict[str, list[Match]]:
    """Returns each group's matches by its letter; all of a round robin's under ""."""
    if event.system == "round_robin":
        return {"": [*matches]}
    found: dict[str, list[Match]] = {}
    for match in matches:
        if is_of_group(match):
            found.setdefault(match.round.rpartition("-")[0], []).append(match)
    return dict(sorted(found.items(), key=lambda group: (len(group[0]), group[0])))


def members(matches: Sequence[Match], by_name: Known) -> list[Entry]:
    """Returns who plays in some matches, each once."""
    sides = (side for match in matches for side in match.sides)
    return list({entry.players: entry for side in sides if (entry := by_name.of(side))}.values())


def meetings(event: Event, matches: Sequence[Match], so_far: Played, by_name: Known) -> list[Meeting]:
    """Returns what counts of a group: played matches, and what withdrawals make of the others."""
    annulled = _annulled(event, matches, so_far, by_name)
    found = []
    for match in matches:
        entries = [by_name.of(side) for side in match.sides]
        pair = tuple(name_key(one.players[0]) for one in entries if one)
        if len(pair) < 2 or annulled.intersection(pair):
            continue
        result = so_far.result(match) or _walkover([one for one in entries if one])
        if result:
            found.append(Meeting((pair[0], pair[1]), result.won, result.boards, result.points, result.games))
    return found


def _annulled(event: Event, matches: Sequence[Match], so_far: Played, by_name: Known) -> frozenset[str]:
    """The keys of those who withdrew before half of their matches were played."""
    if event.withdrawn == "walkover":
        return frozenset()
    own: dict[str, list[bool]] = {}
    for match in matches:
        for side in match.sides:
            if (entry := by_name.of(side)) and entry.out:
                own.setdefault(name_key(entry.players[0]), []).append(so_far.result(match) is not None)
    return frozenset(key for key, done in own.items() if 2 * sum(done) < len(done))


def _walkover(both: Sequence[Entry]) -> Result | None:
    there = [number for number, one in enumerate(both) if not one.out]
    return Result(there[0]) if len(there) == 1 else None


def lacking(matches: Sequence[Match], so_far: Played, by_name: Known) -> Iterator[str]:
    """Yields the ids of matches that still need a result: who withdrew plays none."""
    for match in matches:
        entries = [by_name.of(side) for side in match.sides]
        if so_far.result(match) is None and not any(entry and entry.out for entry in entries):
            yield match.id


def qualified(table_of: Mapping[str, Sequence[str]], event: Event, by_name: Known) -> list[list[Entry]]:
    """Returns each group's entries that go on, best first. `table_of`: each group's keys in order; who withdrew is
    passed over."""
    found = []
    for keys in table_of.values():
        there = [one for key in keys if not (one := by_name.of_player[key]).out]
        found.append(there[: event.qualify])
    return [group for group in found if group]
