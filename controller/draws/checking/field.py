"""Who plays a Swiss and in which rounds, players or teams; and what each has when a round is drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from controller.draws.checking.facts import Entrant
from controller.draws.checking.standings import Played


@dataclass(frozen=True, slots=True)
class Pair:
    """Two who meet: the first has the first break. `result`: what came of it, None while it is not known."""

    first: int
    second: int
    where: str
    id: str
    result: Played | None = None

    @property
    def two(self) -> frozenset[int]:
        """Both of them."""
        return frozenset((self.first, self.second))


@dataclass(slots=True)
class Field:
    """Who plays, by number, and the rounds in order. `there`: whether somebody plays in a round (from 1), None where
    only the rounds themselves say so; `last_round`: how many rounds there will be; `breaks`:
    whether the first of a pair has the first break."""

    entrants: Sequence[Entrant]
    rounds: list[list[Pair]]
    there: Callable[[int, int], bool | None]
    last_round: int | None = None
    late_points: float = 0.0
    apart: bool = False
    given: bool = True
    breaks: bool = True
    points: dict[int, float] = field(default_factory=dict)
    balance: dict[int, int] = field(default_factory=dict)
    last: dict[int, int] = field(default_factory=dict)
    byes: set[int] = field(default_factory=set)
    met: dict[frozenset[int], Pair] = field(default_factory=dict)


def there(entrant: Entrant, turn: int) -> bool | None:
    """Returns whether an entrant plays in a round; None for one who has withdrawn, nobody wrote when."""
    if entrant.since == -1 or turn < entrant.since:
        return False
    if entrant.until == -1:
        return None
    return not entrant.until or turn < entrant.until


def strength(entrant: Entrant) -> tuple[float, float]:
    """Returns where somebody stands before the first round, by seeding, then rating; the best is least."""
    rating = float("-inf") if entrant.rating is None else entrant.rating
    return (float("inf") if entrant.seeding is None else entrant.seeding, -rating)
