"""A bracket on A4: up to five rounds a page, the last rounds first, then a page for each part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from controller.commands.export.paper import BOTTOM, LEFT, RIGHT, Cell, Paper
from controller.draws.matches import Match, awaited
from controller.events.doors import name_key

DEPTH = 5
"""Rounds on one page."""
_HALF = 7.0
"""Points between a match's middle and each of its names."""


@dataclass(frozen=True, slots=True)
class Bracket:
    """A tree of matches, the last one its root. `shown`: a match's side in words; `when`: its table and time."""

    matches: tuple[Match, ...]
    shown: Callable[[Match, int], Cell]
    when: Callable[[Match], str]

    def before(self, match: Match) -> tuple[Match | None, Match | None]:
        """Returns the matches whose winners meet in a match; None for a side that comes from none here."""
        by_id = {name_key(one.id): one for one in self.matches}
        found = (awaited(side) for side in match.sides)
        south, north = (by_id.get(one[1]) if one and one[0] else None for one in found)
        return south, north

    def depth(self, match: Match) -> int:
        """Returns how many rounds a match's part has."""
        return 1 + max((self.depth(one) for one in self.before(match) if one), default=0)


def draw_bracket(paper: Paper, bracket: Bracket) -> None:
    """Draws the whole tree."""
    waiting = [bracket.matches[-1]]
    while waiting:
        root = waiting.pop(0)
        rounds = bracket.depth(root)
        # The last rounds are few names: they stand alone, so that the pages after them are full.
        deep = rounds if rounds <= DEPTH else min(DEPTH, rounds - DEPTH)
        paper.page()
        waiting += _Page(paper, bracket, deep).draw(root)


class _Page:
    def __init__(self, paper: Paper, bracket: Bracket, deep: int) -> None:
        self._paper, self._bracket, self._deep = paper, bracket, deep
        self._wide = (RIGHT - LEFT) / deep
        self._parts: list[Match] = []

    def draw(self, root: Match) -> list[Match]:
        """Draws a part of the tree; returns the parts that do not fit upon the page."""
        top = self._paper.y
        names = [""] * self._deep
        self._draw(root, self._deep - 1, top + 12, BOTTOM, names)
        for column, name in enumerate(names):
            self._paper.words(LEFT + column * self._wide, top, name, self._wide - 6, bold=True)
        self._paper.y = BOTTOM
        return self._parts

    def _draw(self, match: Match, column: int, top: float, bottom: float, names: list[str]) -> float:
        """Draws a match between two heights, and what comes before it. Returns the height of its middle."""
        names[column] = match.round
        middle = (top + bottom) / 2
        halves = ((top, middle), (middle, bottom))
        x = LEFT + column * self._wide
        for number, before in enumerate(self._bracket.before(match)):
            y = middle + (_HALF if number else -_HALF)
            words, bold = self._bracket.shown(match, number)
            self._paper.words(x + 2, y - 2, words, self._wide - 10, bold=bold, size=8)
            self._paper.line(x, y, x + self._wide - 6, y)
            if before is None:
                continue
            if column == 0:
                self._parts.append(before)
                continue
            came = self._draw(before, column - 1, *halves[number], names)
            self._paper.line(x - 6, came, x, y)
        self._paper.line(x + self._wide - 6, middle - _HALF, x + self._wide - 6, middle + _HALF)
        about = " ".join(filter(None, (match.id, self._bracket.when(match))))
        self._paper.words(x + 2, middle + _HALF + 7, about, self._wide - 10, size=5.5)
        return middle
