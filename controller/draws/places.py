"""Who stands where in a knock-out: seeds apart, byes to the best of them, everybody else by lot and apart by club."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from controller.draws.entries import Entry, seeded
from controller.draws.event import Event
from controller.draws.lots import drawn
from controller.draws.matches import Side
from controller.draws.spread import Rooms, halving, spread
from controller.events.doors import name_key

Places = list[Side | None]
"""A knock-out's first round from top to bottom, two places a match; None is a bye."""


def size_of(entries: int) -> int:
    """Returns how many places a knock-out has: the next power of two."""
    return 1 << max(1, (entries - 1).bit_length())


def places(event: Event, entries: Sequence[Entry]) -> Places:
    """Draws a knock-out. Seeds 1 and 2 stand in opposite halves, 3 and 4 by lot in the other quarters, and so on."""
    seeds = seeded(entries)
    board = _Board(len(entries), event.lots)
    by_lot = _seeds_by_lot(board.size, board.byes, len(seeds), event.lots)
    for one, place in zip(seeds, by_lot, strict=True):
        board.put(one, place)
    board.add([one for one in entries if one not in seeds], _clubs(event, entries))
    return board.places


def places_of_qualified(event: Event, groups: Sequence[Sequence[Entry]]) -> Places:
    """Draws the knock-out after groups: `groups` has each one's qualified, best first.

    Winners are the seeds, in the order of the groups and where a seeded bracket has them, so that halves stay even;
    runners-up come next, as far from their own winner as there is room, then the thirds. Byes go on in this order too.
    """
    everybody = [one for group in groups for one in group]
    board = _Board(len(everybody), event.lots)
    spots = _in_brackets(board.size)[: len(groups)]
    for number, place in zip(_with_room_across(groups, spots, board), spots, strict=True):
        board.put(groups[number][0], place)
    clubs = {one.players[0]: f"group {number}" for number, group in enumerate(groups) for one in group}
    for number in range(1, max(map(len, groups))):
        later = [one for group in groups for one in group[number + 1 :]]
        them = [group[number] for group in groups if number < len(group)]
        byes = board.byes_left
        board.rest(them[:byes], clubs)
        board.add(them[byes:], clubs, later)
    return board.places


def _with_room_across(groups: Sequence[Sequence[Entry]], spots: Sequence[int], board: _Board) -> list[int]:
    """Returns the numbers of the groups in the order in which their winners take these places.

    In each half there must be room for the runners-up of the other half's winners. Where a group has none, its winner
    changes places with the nearest one of the other half, bye for bye, if that makes the room right.
    """
    order = [*range(len(groups))]
    top = [place < board.size // 2 for place in spots]
    room = board.size // 2 - sum(top[: board.byes]) - sum(top)
    if board.byes > len(groups):
        # Byes of runners-up make room where it is needed.
        return order
    while (lacks := room - sum(len(groups[order[at]]) > 1 for at, is_top in enumerate(top) if not is_top)) != 0:
        # A full group's winner has to come to the bottom where the top has room left, and the other way round.
        ways = [
            (abs(short - full), -short, short, full)
            for short in range(len(order))
            for full in range(len(order))
            if len(groups[order[short]]) == 1 < len(groups[order[full]])
            and (top[full], top[short]) == (lacks > 0, lacks < 0)
            and (short < board.byes) == (full < board.byes)
        ]
        if not ways:
            break
        *_, short, full = min(ways)
        order[short], order[full] = order[full], order[short]
    return order


def _clubs(event: Event, entries: Sequence[Entry]) -> Mapping[str, str]:
    return {one.players[0]: name_key(one.club) if event.apart else "" for one in entries}


class _Board:
    """A knock-out that is being filled."""

    def __init__(self, entries: int, seed: int) -> None:
        self.size = size_of(entries)
        self.byes = self.size - entries
        self.places: Places = [None] * self.size
        self._seed = seed
        self._seeds = 0
        self._has: list[list[Entry]] = [[] for _ in range(self.size // 2)]
        self._single: set[int] = set()

    def put(self, one: Entry, place: int) -> None:
        """Places the next seed; the best ones have a bye."""
        self.places[place] = one.players
        self._has[place // 2].append(one)
        if self._seeds < self.byes:
            self._single.add(place // 2)
        self._seeds += 1

    @property
    def byes_left(self) -> int:
        """How many byes are nobody's yet."""
        return self.byes - len(self._single)

    def rest(self, them: Sequence[Entry], clubs: Mapping[str, str]) -> None:
        """Places some who have a bye each, by lot."""
        rooms = [0 if some else 1 for some in self._has]
        self._place(them, clubs, (), Rooms((0,) * len(rooms), tuple(rooms)))
        self._single |= {pair for pair, some in enumerate(self._has) if some and some[0] in them}

    def add(self, them: Sequence[Entry], clubs: Mapping[str, str], later: Sequence[Entry] = ()) -> None:
        """Places some by lot, with room left for those who come later."""
        self._place(them, clubs, later, self._rooms())

    def _place(self, them: Sequence[Entry], clubs: Mapping[str, str], later: Sequence[Entry], rooms: Rooms) -> None:
        waiting = {one.players[0]: "" for one in later}
        wanted = {one.players[0]: clubs[one.players[0]] for one in them}
        fixed = [(pair, clubs[one.players[0]]) for pair, some in enumerate(self._has) for one in some]
        # Alone in a club nobody is met: one tree for all of those.
        shared = [*wanted.values(), *(club for _, club in fixed)]
        wanted = {name: club if shared.count(club) > 1 else "" for name, club in wanted.items()}
        leaves = spread(halving(self.size // 2), rooms, fixed, wanted | waiting, self._seed)
        pairs = dict(zip(wanted | waiting, leaves, strict=True))
        for one in drawn(self._seed, "places", them, lambda one: one.players[0]):
            pair = pairs[one.players[0]]
            place = 2 * pair if self.places[2 * pair] is None else 2 * pair + 1
            self.places[place] = one.players
            self._has[pair].append(one)

    def _rooms(self) -> Rooms:
        open_byes = self.byes > self._seeds
        least, most = [], []
        for pair, some in enumerate(self._has):
            full = 1 if pair in self._single else 2
            least.append(max(0, (1 if open_byes else full) - len(some)))
            most.append(full - len(some))
        return Rooms(tuple(least), tuple(most))


def _seeds_by_lot(size: int, byes: int, seeds: int, seed: int) -> list[int]:
    """Returns the seeds' places, best first: each further band in the parts that have no seed yet, by lot."""
    found: list[int] = []
    parts = 1
    while len(found) < seeds:
        wide = size // parts
        taken = {place // wide for place in found}
        # The other place of a pair with a bye stays empty.
        if wide == 1:
            taken |= {place ^ 1 for place in found[:byes]}
        free = [part for part in range(parts) if part not in taken]
        if parts > 2:
            lots = drawn(seed, "seeds", [f"{parts} {part}" for part in free])
            free = [int(one.partition(" ")[2]) for one in lots]
        found += [part * wide + (wide - 1 if part % 2 else 0) for part in free[: seeds - len(found)]]
        parts *= 2
    return found


def _in_brackets(size: int) -> list[int]:
    """Returns the places of a seeded bracket, best first: 1 meets the last, 2 the last but one, and so on."""
    order = [0]
    while len(order) < size:
        order = [one for rank in order for one in (rank, 2 * len(order) - 1 - rank)]
    return sorted(range(size), key=order.__getitem__)
