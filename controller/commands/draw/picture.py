"""The sheet that hangs on the wall, on A4: what `Wall` says, drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from controller.commands.draw.bracket_page import Bracket, draw_bracket
from controller.commands.draw.wall import Cross, Wall, figure
from controller.commands.export.paper import LEFT, RIGHT, Cell, Paper
from controller.draws.matches import Match
from controller.draws.results import is_needed
from controller.draws.standings import Place

SYSTEMS: Mapping[str, str] = {
    "knockout": "knock-out",
    "double": "double elimination",
    "groups": "groups",
    "round_robin": "round robin",
    "swiss": "Swiss system",
    "ties": "ties of teams",
}


def sheet_pdf(wall: Wall) -> bytes:
    """Returns the sheet as a PDF file."""
    event = wall.event
    said = [value if name == "book" else f"{name.replace('_', ' ')} {value}" for name, value in wall.terms]
    about = " · ".join([SYSTEMS[event.system], f"{len(wall.entries)} entries", *said])
    paper = Paper(event.name, f"{about} · every lot comes from seed {event.lots}: anybody can repeat this draw")
    sheet = _Sheet(wall, paper)
    for cross in wall.crosses():
        sheet.cross_table(cross)
    for name, matches in wall.rounds():
        sheet.list(f"Round {name}", matches)
    if tree := wall.tree():
        draw_bracket(paper, Bracket(tuple(tree), sheet.shown, when))
    for name, matches in wall.beside():
        sheet.list(_heading(name), matches)
    for name, places in wall.standings():
        sheet.standings(f"Standings of group {name}" if name else "Standings", places)
    sheet.next_matches()
    return paper.bytes()


def when(match: Match) -> str:
    """A match's table and time."""
    cells = match.cells
    return " ".join(filter(None, (cells.get("date"), cells.get("time"), cells.get("table"))))


@dataclass(frozen=True, slots=True)
class _Sheet:
    wall: Wall
    paper: Paper

    def shown(self, match: Match, number: int) -> Cell:
        """A side of a match, bold where it won."""
        side = self.wall.side(match, number)
        return side.text, side.won

    def list(self, heading: str, matches: Sequence[Match]) -> None:
        """Some matches, one below the other."""
        self.paper.heading(heading)
        rows: list[list[Cell]] = []
        for one in matches:
            about = when(one) if is_needed(one, self.wall.so_far) else "not played"
            rows.append([(one.id, False), self.shown(one, 0), self.shown(one, 1), (about, False)])
        self.paper.table([LEFT, 100, 265, 430], ["match", "has the first break", "against", "when, where"], rows)

    def cross_table(self, cross: Cross) -> None:
        """A group, everybody against everybody."""
        title = f"Group {cross.name}" if cross.name else "Everybody against everybody"
        self.paper.heading(title, after=len(cross.players) + 1)
        columns = [LEFT, LEFT + 18, *(210 + number * 22.0 for number in range(len(cross.players)))]
        rows: list[list[Cell]] = []
        for number, one in enumerate(cross.players, 1):
            marks = [cross.cells.get((one.key, other.key), "—" if one is other else "") for other in cross.players]
            rows.append([(str(number), False), (one.name, False), *((mark, mark == "1") for mark in marks)])
        titles = ["", "name", *(str(number) for number in range(1, len(cross.players) + 1))]
        self.paper.table(columns, titles, rows)

    def standings(self, title: str, places: Sequence[Place]) -> None:
        """A table with its tie-breaks."""
        self.paper.heading(title)
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
        if not (found := self.wall.next_matches()):
            return
        self.paper.heading("Next match of each name")
        rows: list[list[Cell]] = [
            [(player, True), (match.id, False), (against, False), (when(match), False)]
            for player, match, against in found
        ]
        self.paper.table([LEFT, 190, 245, 430], ["name", "match", "against", "when, where"], rows)


def _heading(round_name: str) -> str:
    named = {"third": "Third place", "GF": "Final of both sides", "GF2": "Second final, where the first asks for it"}
    if round_name in named:
        return named[round_name]
    if round_name.startswith("C-"):
        return f"Consolation, {round_name.removeprefix('C-')}"
    return f"Losers' side, round {round_name.removeprefix('L')}" if round_name.startswith("L") else round_name
