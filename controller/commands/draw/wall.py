"""What the wall says of an event, on paper and on the hub's page: bracket, cross tables or round, the tables, and each
name's next match.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from controller.draws.entries import Entry
from controller.draws.event import Event
from controller.draws.groups import by_group
from controller.draws.making import goes_on, opened
from controller.draws.matches import Known, Match, known
from controller.draws.results import NONE, Played, is_of_table
from controller.draws.standings import Place
from controller.draws.tables import tables
from controller.draws.withdrawn import withdrawn
from controller.events.doors import name_key

PRIZES = 3
"""So many places are prizes."""
MOST_ACROSS = 14
"""So many columns of results a cross table has; a larger group is a list."""


def figure(value: float) -> str:
    """Writes a tie-break's value: whole, or with its half."""
    return f"{value:g}"


@dataclass(frozen=True, slots=True)
class Side:
    """A side of a match: its seed and names, or what it waits for. `won`: it won; `waits`: it is not known yet."""

    text: str
    won: bool = False
    waits: bool = False


@dataclass(frozen=True, slots=True)
class Cross:
    """A group, everybody against everybody; `name`: its letter, "" of a round robin. `cells`: (player, other) → 1, ½ or
    0, "" while it is open."""

    name: str
    players: Sequence[Place]
    cells: Mapping[tuple[str, str], str]


@dataclass(frozen=True, slots=True)
class Wall:
    """An event as it stands."""

    event: Event
    entries: Sequence[Entry]
    matches: Sequence[Match]
    so_far: Played
    by_name: Known
    tables: Mapping[str, Sequence[Place]]

    @classmethod
    def of(cls, event: Event, entries: Sequence[Entry], matches: Sequence[Match], so_far: Played = NONE) -> Wall:
        """Reckons the tables."""
        return cls(event, entries, matches, so_far, known(entries), tables(event, entries, matches, so_far))

    @property
    def terms(self) -> list[tuple[str, str]]:
        """How a match is played: its terms by name, each with its value."""
        terms = self.event.terms
        said = (("book", terms.book), ("best_of", terms.best_of), ("boards", terms.boards), ("points", terms.points))
        return [(name, str(value)) for name, value in said if value]

    def side(self, match: Match, number: int) -> Side:
        """One of a match's two sides."""
        side = self.so_far.sides_of(match)[number]
        result = self.so_far.result(match)
        if side is None:
            return Side(match.sides[number][0], waits=True)
        entry = self.by_name.of(side)
        seed = f"[{entry.seeding}] " if entry and entry.seeding and self.event.system != "ties" else ""
        return Side(seed + " / ".join(side), won=result is not None and result.won == number)

    def tree(self) -> list[Match]:
        """The knock-out that is drawn as a tree."""
        return [one for one in self._knockout() if not one.round.startswith(("C-", "L", "GF")) and one.round != "third"]

    def rounds(self) -> Iterator[tuple[str, list[Match]]]:
        """Yields what is a list, with its round: the last one that was drawn, those of large groups."""
        if self.event.system in ("swiss", "ties") and self.matches and not self._knockout():
            last = self.matches[-1].round
            yield last, [one for one in self.matches if one.round == last]
        for matches in by_group(self.event, self.matches).values() if self._has_groups() else ():
            if len({player for one in matches for side in one.sides for player in side}) > MOST_ACROSS:
                for name in dict.fromkeys(one.round for one in matches):
                    yield name, [one for one in matches if one.round == name]

    def beside(self) -> Iterator[tuple[str, list[Match]]]:
        """Yields what of a knock-out is in no tree, with its round: the losers' side, what else hangs on a loss."""
        tree = self.tree()
        rest = [one for one in self._knockout() if one not in tree]
        for name in dict.fromkeys(one.round for one in rest):
            yield name, [one for one in rest if one.round == name]

    def crosses(self) -> Iterator[Cross]:
        """Yields the groups, but for large ones, which are lists."""
        for name, matches in by_group(self.event, self.matches).items() if self._has_groups() else ():
            players = self.tables.get(name, ())
            if len(players) <= MOST_ACROSS:
                yield Cross(name, players, self._cells(matches))

    def standings(self) -> Iterator[tuple[str, Sequence[Place]]]:
        """Yields every table with its tie-breaks and its group, if it is one's; before the first result there is
        none."""
        for name, places in self.tables.items() if self.so_far.results else ():
            if name != "knockout":
                yield name, places

    def prizes(self) -> Iterator[tuple[str, Sequence[Place]]]:
        """Yields who has won what, once nothing is left to be played: the first places of the knock-out, or of every
        table."""
        if not self.matches or self._open() or goes_on(self.event, self.entries, self.matches):
            return
        knocked_out = "knockout" in self.tables
        for name, places in self.tables.items():
            first = [one for one in places if 0 < one.place <= PRIZES]
            # Who wins a knock-out is not known where neither side of its final is there.
            if first and first[0].place == 1 and (name == "knockout") == knocked_out:
                yield name, first

    def next_matches(self) -> list[tuple[str, Match, str]]:
        """Returns each name's next match and against whom, in the order of the alphabet."""
        found: dict[str, tuple[str, Match, str]] = {}
        for match in self._open():
            for side, other in (match.sides, match.sides[::-1]):
                for player in side:
                    found.setdefault(name_key(player), (player, match, " / ".join(other)))
        return [one for _, one in sorted(found.items())]

    def _open(self) -> list[Match]:
        """The matches that can be played now, with the names of those who play them."""
        gone = withdrawn(self.event, self.entries)
        return [one for one in opened(self.matches, self.so_far) if gone.leaves(one.round, one.sides) is None]

    def _has_groups(self) -> bool:
        return self.event.system in ("groups", "round_robin")

    def _knockout(self) -> list[Match]:
        return [one for one in self.matches if not is_of_table(self.event, one)]

    def _cells(self, matches: Sequence[Match]) -> dict[tuple[str, str], str]:
        found: dict[tuple[str, str], str] = {}
        for match in matches:
            keys = [name_key(entry.players[0]) for side in match.sides if (entry := self.by_name.of(side))]
            result = self.so_far.result(match)
            for number, (key, other) in enumerate((keys, keys[::-1])):
                found[key, other] = (
                    "" if result is None else "½" if result.won is None else str(int(result.won == number))
                )
        return found
