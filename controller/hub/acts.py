"""What is decided about fixtures, one act a fixture: by the club's desk, and by the hub where a table says so. Pure.

Must not know the file, the broker or the pages.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

from controller.events.words import Seat
from controller.hub.fixtures import Fixture
from controller.hub.said import FinalSideSaid, GivenSaid, ResultSaid

What = Literal["walkover", "aside", "here", "undone", "played", "open", "table"]
WHAT: tuple[What, ...] = get_args(What)


@dataclass(frozen=True, slots=True)
class Act:
    """One decision about a fixture; the next about the same takes its place, and `undone` takes it away. `here`: its
    players are there, so that it is called before its time. `table`: a match of the pool is played there. `played`: it
    was, and stays so whatever the broker forgets.
    `open`: a match, not a fixture, that was taken for one and was another, a warm-up; a later `played` of that match
    outranks it.

    `fixture`: its name, see `named`, of `open` one for the match, of a table's `aside` one for the table; `at_s`: when,
    Unix seconds; `until`: of `aside`, `YYYY-MM-DD HH:MM` by the fixtures' clock, or "" for until it is undone; `table`:
    of a walkover, of what was played, of what was not it, and which table is set aside; `result`: of a walkover, whose
    result says no time, and of what was played.
    """

    fixture: str
    what: What
    at_s: float
    until: str = ""
    table: str = ""
    result: ResultSaid | None = None

    def repeats(self, other: Act | None) -> bool:
        """Whether it says the same as another."""
        return other is not None and replace(self, at_s=other.at_s) == other

    @property
    def says(self) -> str:
        """What it is, in a few words for the other desk."""
        match self.what, self.result:
            case "walkover", ResultSaid() as result:
                winner = next((side for side in result.sides if side.name == result.winner), None)
                why = "; ".join(one.why for one in result.given or ())
                return f"a walkover was given to {' & '.join(winner.players) if winner else 'nobody'} ({why})"
            case "played", _:
                return f"it was played on table {self.table}"
            case "table", _:
                return f"it was given table {self.table}"
            case "aside", _:
                return "it was set aside"
            case "here", _:
                return "it was called"
        return "that match was said to be another one"


def table_aside(table: str) -> str:
    """The name of the act that sets a table aside."""
    return f"table {table}"


def walkover(name: str, fixture: Fixture, winner: Seat, why: str) -> ResultSaid:
    """The result of a match that one side wins without playing. `winner`: its first seat; times are not given."""
    sides = [FinalSideSaid(name=pair[0], players=tuple(fixture.seats[seat] for seat in pair)) for pair in fixture.sides]
    given = tuple(GivenSaid(side=side.name, how="forfeit", why=why) for side in sides if side.name != winner)
    return ResultSaid(match=f"walkover-{name}", book=fixture.book, winner=winner, sides=tuple(sides), given=given)


def walked_over(act: Act) -> ResultSaid | None:
    """The result of a walkover, which ended when it was given; None of another act."""
    if act.what != "walkover" or act.result is None:
        return None
    return act.result.model_copy(update={"start": act.at_s, "end": act.at_s})
