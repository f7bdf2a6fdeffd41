"""Results from their rows: each of a match that there is, won by who plays it, after the matches that it waits for.

Columns: `id` and `winner`; figures of both sides may stand in `boards 1` and `boards 2`, `points 1` …, `games 1` …
(also written with `south` for the first side, and with `_`). What the hub exports has no `id`: there `round`, `side 1`
and `side 2` name the match, and lines of other events are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite

from controller.draws.checking.facts import Entrant, Line, Names, Notes, Result, Rows, Rules
from controller.events.doors import name_key

RULE = "results"
_BETWEEN = re.compile(r" [&/] ")
_FIGURES = ("boards", "points", "games")
_FIRST, _SECOND = ("1", "south"), ("2", "north", "east")


class _Standing:
    """Who stands where, line by line."""

    def __init__(self, entrants: tuple[Entrant, ...], teams: bool) -> None:
        self.entrants, self.teams = entrants, teams
        self.results: dict[int, Result] = {}
        self.stood: dict[tuple[int, int], int | None] = {}

    def fill(self, line: Line) -> None:
        for index, side in enumerate(line.sides):
            self.stood[line.number, index] = side.entrant
            if side.ref and (before := self.results.get(side.ref.line)) and before.winner is not None:
                which = before.winner if side.ref.kind == "winner" else 1 - before.winner
                self.stood[line.number, index] = self.stood[side.ref.line, which]

    def players(self, line: Line, index: int) -> tuple[str, ...]:
        entrant = self.stood[line.number, index]
        return line.sides[index].players if entrant is None else self.entrants[entrant].players

    def words(self, line: Line, index: int) -> set[str]:
        """Everything by which a side may be named as the winner: players, in ties also the team."""
        players = self.players(line, index)
        if not self.teams:
            return set(players)
        club = {
            self.entrants[one].club for one in range(len(self.entrants)) if players[:1] == self.entrants[one].players
        }
        return {*players, *club} - {""}


def read_results(
    rows: Rows, rules: Rules, entrants: tuple[Entrant, ...], lines: tuple[Line, ...], names: Names, notes: Notes
) -> tuple[dict[int, Result], dict[tuple[int, int], int | None]]:
    """Reads the results. Returns them by line, and who stands in each side of each line, None where that is open."""
    standing = _Standing(entrants, rules.system == "ties")
    by_id = {name_key(line.id): line.number for line in lines if line.id}
    of_line: dict[int, tuple[str, Mapping[str, str]]] = {}
    unnamed: list[tuple[str, Mapping[str, str]]] = []
    for number, raw in rows:
        where = f"{names.results}:{number}"
        cells = {column.replace("_", " ").strip().casefold(): cell for column, cell in raw.items()}
        if cells.get("side 1") and name_key(cells.get("event", "")) != name_key(str(rules.raw.get("name", ""))):
            continue  # the hub's whole day
        if not cells.get("id"):
            unnamed.append((where, cells))
            continue
        line = by_id.get(name_key(cells["id"]))
        if line is None:
            notes.wrong(RULE, where, f"{cells['id']!r} is nobody's match. Fix: write the id of a fixture")
        elif line in of_line:
            notes.wrong(
                RULE, where, f"{cells['id']!r} has a result already on {of_line[line][0]}. Fix: keep one of them"
            )
        else:
            of_line[line] = where, cells
    for one in lines:
        standing.fill(one)
        if one.number not in of_line and (found := _by_players(standing, one, unnamed)):
            unnamed.remove(found)
            of_line[one.number] = found
        if one.number in of_line:
            where, given = of_line[one.number]
            if result := _result(standing, one, where, given, notes):
                standing.results[one.number] = result
    for where, _cells in unnamed:
        notes.wrong(RULE, where, "is nobody's match. Fix: write the id of a fixture")
    return standing.results, standing.stood


def _by_players(
    standing: _Standing, line: Line, unnamed: list[tuple[str, Mapping[str, str]]]
) -> tuple[str, Mapping[str, str]] | None:
    sides = [set(standing.players(line, index)) for index in (0, 1)]
    for where, cells in unnamed:
        named = [_named(cells.get(f"side {number}", "")) for number in (1, 2)]
        if all(sides) and cells.get("round", line.round) == line.round and named in (sides, sides[::-1]):
            return where, cells
    return None


def _named(cell: str) -> set[str]:
    return {name_key(word) for word in _BETWEEN.split(cell)} - {""}


def _result(standing: _Standing, line: Line, where: str, cells: Mapping[str, str], notes: Notes) -> Result | None:
    if not all(standing.players(line, index) for index in (0, 1)):
        notes.wrong(RULE, where, f"{line.id!r} waits for a match without a result. Fix: write that one's result first")
        return None
    cell = cells.get("winner", "")
    winner: int | None = None
    drawn = name_key(cell) == "draw" or (not cell and bool(cells.get("end")))
    if not drawn:
        whole = name_key(cell)
        fits = [
            index
            for index in (0, 1)
            if whole in standing.words(line, index)
            or (_named(cell) and _named(cell) <= set(standing.players(line, index)))
        ]
        if len(fits) != 1:
            notes.wrong(RULE, where, f"{cell!r} does not play {line.id!r}. Fix: name who won it, or write draw")
            return None
        winner = fits[0]
    turned = _named(cells.get("side 1", "")) == set(standing.players(line, 1))
    boards, points, games = (_figures(cells, what, turned) for what in _FIGURES)
    walkover = "walkover" in cells.get("ended by", "")
    return Result(line.number, where, winner, boards, points, games, walkover)


def _figures(cells: Mapping[str, str], what: str, turned: bool) -> tuple[float, float]:
    found = []
    for ends in (_FIRST, _SECOND):
        texts = [cells[f"{what} {end}"] for end in ends if cells.get(f"{what} {end}")]
        try:
            figure = float(texts[0]) if texts else 0.0
        except ValueError:
            figure = 0.0
        found.append(figure if isfinite(figure) else 0.0)
    return (found[1], found[0]) if turned else (found[0], found[1])
