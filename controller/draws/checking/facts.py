"""What a check of a draw works on: entries, lines of fixtures, results, and what was found.

Nothing here knows how a draw is made: it only says what stands in the files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Rows = Sequence[tuple[int, Mapping[str, str]]]
"""A sheet's lines: the line's number in its file, and its cells by their columns."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that does not hold. `where`: file and line, or the file alone; `sentence`: what is wrong and how to put it
    right."""

    rule: str
    where: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.where}: {self.sentence}"


@dataclass(frozen=True, slots=True)
class Proof:
    """What a check ends with. `findings`: empty where all holds; `proved`: a sentence for each rule, with its
    figures."""

    findings: tuple[Finding, ...]
    proved: tuple[str, ...]


@dataclass(slots=True)
class Notes:
    """Where the parts of a check write what they find."""

    findings: list[Finding] = field(default_factory=list)
    proved: list[str] = field(default_factory=list)

    def wrong(self, rule: str, where: str, sentence: str) -> None:
        """Adds a finding."""
        self.findings.append(Finding(rule, where, sentence))

    def holds(self, rule: str, sentence: str) -> None:
        """Adds what was proved of a rule, unless something is wrong with it."""
        if not any(one.rule == rule for one in self.findings):
            self.proved.append(f"{rule}: {sentence}")


@dataclass(frozen=True, slots=True)
class Names:
    """The files' names, for messages."""

    event: str = "EVENT.toml"
    entries: str = "entries.csv"
    fixtures: str = "fixtures.csv"
    results: str = "results.csv"


@dataclass(frozen=True, slots=True)
class Rules:
    """What `EVENT.toml` asks for, as far as a draw hangs on it. `minutes` and `rest`: minutes of a match and of a rest;
    `start`: minutes after midnight; `raw`: the whole file."""

    system: str
    raw: Mapping[str, Any]
    groups: int | None = None
    qualify: int = 2
    then: bool = False
    rounds: int | None = None
    third_place: bool = False
    consolation: bool = False
    apart: bool = False
    order: tuple[str, ...] = ()
    withdrawn: str = "annul"
    tables: tuple[str, ...] = ()
    start: int | None = None
    minutes: int | None = None
    rest: int = 0
    late_points: float = 0.0
    tie: tuple[str, ...] = ("singles", "singles", "doubles")


@dataclass(frozen=True, slots=True)
class Entrant:
    """Who is drawn: a player or a pair. `players`: the names' keys; `since`: late until this round (0: in time, -1: not
    there yet); `until`: out from this round on (0: stays, -1: out of every round not drawn yet)."""

    number: int
    where: str
    shown: str
    players: tuple[str, ...]
    club: str
    seeding: int | None
    rating: float | None
    since: int = 0
    until: int = 0


@dataclass(frozen=True, slots=True)
class Ref:
    """A seat that waits for the winner or the loser of a line above."""

    kind: Literal["winner", "loser"]
    line: int


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a line: an entrant's number, or what it waits for. In ties `players` may be of two entrants and
    `entrant` is then None."""

    shown: str
    players: tuple[str, ...] = ()
    entrant: int | None = None
    ref: Ref | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the fixtures. The first of `sides` has the first break. `at`: minutes since the first day began."""

    number: int
    where: str
    id: str
    round: str
    sides: tuple[Side, Side]
    table: str = ""
    at: int | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """How a line ended. `winner`: the side, None for a drawn match; figures are those of both sides where they are
    known."""

    line: int
    where: str
    winner: int | None
    boards: tuple[float, float] = (0.0, 0.0)
    points: tuple[float, float] = (0.0, 0.0)
    games: tuple[float, float] = (0.0, 0.0)
    walkover: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that was read. `results`: by line; `stood`: who stands in each side of each line once results are
    known, None where that is open; `given`: whether results were given at all."""

    names: Names
    rules: Rules
    entrants: tuple[Entrant, ...]
    lines: tuple[Line, ...]
    results: Mapping[int, Result]
    stood: Mapping[tuple[int, int], int | None]
    given: bool

    def shown(self, number: int) -> str:
        """Returns an entrant's name."""
        return self.entrants[number].shown

    def seeds(self, drawn: frozenset[int] | set[int]) -> list[int]:
        """Returns the seeded among those drawn, the best first."""
        ranked = [(one.seeding, one.number) for one in self.entrants if one.seeding is not None and one.number in drawn]
        return [number for _seeding, number in sorted(ranked)]

    def outcome(self, line: int) -> tuple[int | None, int | None]:
        """Returns who won and who lost a line, None where that is not known."""
        result = self.results.get(line)
        if result is None or result.winner is None:
            return None, None
        return self.stood.get((line, result.winner)), self.stood.get((line, 1 - result.winner))
