"""The sheet that hangs on the wall: bracket, cross tables or round, then the table, then each name's next match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from controller.commands.draw.bracket_page import Bracket, draw_bracket
from controller.commands.draw.paper import LEFT, RIGHT, Cell, Paper
from controller.draws.entries import Entry
from controller.draws.event import Event, Terms
from controller.draws.groups import by_group
from controller.draws.making import opened
from controller.draws.matches import Known, Match, known
from controller.draws.results import NONE, Played, is_needed, is_of_group
from controller.draws.standings import Place
from controller.draws.tables import tables
from controller.events.doors import name_key

SYSTEMS: Mapping[str, str] = {
    "knockout": "knock-out",
    "double": "double elimination",
    "groups": "groups",
    "round_robin": "round robin",
    "swiss": "Swiss system",
    "ties": "ties of teams",
}
MOST_ACROSS = 14
"""So many columns of results a cross table has; a larger group is a list."""


def figure(value: float) -> str:
    """Writes a tie-break's value: whole, or with its half."""
    return f"{value:g}"


def sheet_pdf(event: Event, entries: Sequence[Entry], matches: Sequence[Match], so_far: Played = NONE) -> bytes:
    """Returns the sheet as a PDF file."""
    about = f"{SYSTEMS[event.system]} · {len(entries)} entries · {_terms(event.terms)}"
    paper = Paper(event.name, f"{about}every lot comes from seed {event.lots}: anybody can repeat this draw")
    wall = _Wall(event, matches, so_far, known(entries), tables(event, entries, matches, so_far), paper)
    if event.system in ("groups", "round_robin"):
        wall.cross_tables()
    elif event.system in ("swiss", "ties"):
        wall.round()
    wall.brackets()
    wall.standings()
    wall.next_matches()
    return paper.bytes()


def _terms(terms: Terms) -> str:
    said = [terms.book, *(f"{name} {value}" for name, value in _named(terms) if value)]
    return "".join(f"{one} · " for one in said if one)


def _named(terms: Terms) -> list[tuple[str, int | None]]:
    return [("best of", terms.best_of), ("boards", terms.boards), ("points", terms.points)]


@dataclass(frozen=True, slots=True)
class _Wall:
    event: Event
    matches: Sequence[Match]
    so_far: Played
    by_name: Known
    tables: Mapping[str, Sequence[Place]]
    paper: Paper

    # -- names and matches in words

    def shown(self, match: Match, number: int) -> Cell:
        """A side of a match: its seed and names, bold where it won; what it waits for where it is not known."""
        side = self.so_far.sides_of(match)[number]
        result = self.so_far.result(match)
        if side is None:
            return match.sides[number][0], False
        entry = self.by_name.of(side)
        seed = f"[{entry.seeding}] " if entry and entry.seeding and self.event.system != "ties" else ""
        return seed + " / ".join(side), result is not None and result.won == number

    def when(self, match: Match) -> str:
        """A match's table and time."""
        cells = match.cells
        return " ".join(filter(None, (cells.get("date"), cells.get("time"), cells.get("table"))))

    # -- parts

    def brackets(self) -> None:
        """Every knock-out: as a tree; the losers' side and what else hangs on a loss as lists."""
        if self.event.system not in ("knockout", "double", "groups"):
            return
        main = [one for one in self.matches if not is_of_group(one)]
        tree = [one for one in main if not one.round.startswith(("C-", "L", "GF")) and one.round != "third"]
        if tree:
            draw_bracket(self.paper, Bracket(tuple(tree), self.shown, self.when))
        rest = [one for one in main if one not in tree]
        for name in dict.fromkeys(one.round for one in rest):
            self._list(_heading(name), [one for one in rest if one.round == name])

    def round(self) -> None:
        """The last round that was drawn."""
        last = self.matches[-1].round
        self._list(f"Round {last}", [one for one in self.matches if one.round == last])

    def _list(self, heading: str, matches: Sequence[Match]) -> None:
        self.paper.heading(heading)
        rows: list[list[Cell]] = []
        for one in matches:
            needed = is_needed(one, self.so_far)
            when = self.when(one) if needed else "not played"
            rows.append([(one.id, False), self.shown(one, 0), self.shown(one, 1), (when, False)])
        self.paper.table([LEFT, 100, 265, 430], ["match", "has the first break", "against", "when, where"], rows)

    def cross_tables(self) -> None:
        """Each group, everybody against everybody; a large one round by round."""
        for name, matches in by_group(self.event, self.matches).items():
            title = f"Group {name}" if name else "Everybody against everybody"
            players = self.tables.get(name, ())
            if len(players) > MOST_ACROSS:
                for round_name in dict.fromkeys(one.round for one in matches):
                    self._list(f"Round {round_name}", [one for one in matches if one.round == round_name])
                continue
            self.paper.heading(title, after=len(players) + 1)
            cells = self._cells(matches)
            columns = [LEFT, LEFT + 18, *(210 + number * 22.0 for number in range(len(players)))]
            rows: list[list[Cell]] = []
            for number, one in enumerate(players, 1):
                marks = [cells.get((one.key, other.key), ("—" if one is other else "", False)) for other in players]
                rows.append([(str(number), False), (one.name, False), *marks])
            titles = ["", "name", *(str(number) for number in range(1, len(players) + 1))]
            self.paper.table(columns, titles, rows)

    def _cells(self, matches: Sequence[Match]) -> dict[tuple[str, str], Cell]:
        """What stands where two meet: 1, ½ or 0, or the match's id while it is open."""
        found: dict[tuple[str, str], Cell] = {}
        for match in matches:
            keys = [name_key(entry.players[0]) for side in match.sides if (entry := self.by_name.of(side))]
            result = self.so_far.result(match)
            for number, (key, other) in enumerate((keys, keys[::-1])):
                mark = "" if result is None else "½" if result.won is None else str(int(result.won == number))
                found[key, other] = (mark, mark == "1")
        return found

    def standings(self) -> None:
        """Every table with its tie-breaks; before the first result there is none."""
        if not self.so_far.results:
            return
        for name, places in self.tables.items():
            if name == "knockout":
                continue
            self.paper.heading(f"Standings of group {name}" if name else "Standings")
            values = [*places[0].values] if places else []
            wide = (RIGHT - 250) / max(1, len(values) + 1)
            columns = [LEFT, LEFT + 24, *(250 + number * wide for number in range(len(values) + 1))]
            rows = [
                [
                    (str(one.place), False),
                    (one.name, one.place == 1),
                    (str(one.played), False),
                    *((figure(one.values[key]), False) for key in values),
                ]
                for one in places
            ]
            self.paper.table(columns, ["", "name", "played", *(key.replace("_", " ") for key in values)], rows)

    def next_matches(self) -> None:
        """Each name's next match, in the order of the alphabet."""
        found: dict[str, tuple[str, Match, str]] = {}
        for match in opened(self.matches, self.so_far):
            for side, other in (match.sides, match.sides[::-1]):
                for player in side:
                    found.setdefault(name_key(player), (player, match, " / ".join(other)))
        if not found:
            return
        self.paper.heading("Next match of each name")
        rows: list[list[Cell]] = [
            [(player, True), (match.id, False), (against, False), (self.when(match), False)]
            for _, (player, match, against) in sorted(found.items())
        ]
        self.paper.table([LEFT, 190, 245, 430], ["name", "match", "against", "when, where"], rows)


def _heading(round_name: str) -> str:
    named = {"third": "Third place", "GF": "Final of both sides", "GF2": "Second final, where the first asks for it"}
    if round_name in named:
        return named[round_name]
    if round_name.startswith("C-"):
        return f"Consolation, {round_name.removeprefix('C-')}"
    return f"Losers' side, round {round_name.removeprefix('L')}" if round_name.startswith("L") else round_name
