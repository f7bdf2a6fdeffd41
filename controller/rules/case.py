"""What a book's stroke resolver is given and what it gives back.

A resolver is a pure function `resolve(case) -> Outcome` in `controller/rules/strokes/`. It says what a stroke does to
pieces, queen, turn and board; it never touches the match's state. Everything that is common to all books (paying dues,
putting pieces back, scoring, turn order, questions) is done by the core with the outcome.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from calibration.board import Board
from controller.events.match import Pocketed, Shot
from controller.events.words import Pocket
from controller.rules.book import Book

QueenBefore = Literal["board", "pending", "own", "theirs"]
QueenAfter = Literal["same", "back", "pending", "own", "theirs"]


@dataclass(frozen=True, slots=True)
class Case:
    """One stroke, seen from the side that struck ("own"; the other side is "theirs").

    `queen`: before the stroke; pending is always the striking side's. `own`, `theirs`: pieces of each colour that fell
    (they have left the board, nothing has come back yet). `own_left`, `theirs_left`: on the board right after the
    stroke. `own_hand`, `theirs_hand`: in hand before it. `owed`: the striking side's debt before it. `had_pocketed`:
    it had something in hand at some time of this board. `fouls`: the clauses that facts, flags and calls say were
    broken, ruled, in the book's order: the stroke is improper if there is one. `fell`: in order, striker and queen
    included. `first`: the first stroke of the board (the break), `opened`: it crossed or pocketed enough.
    `scores`: (own, theirs) before the board, or before the stroke where pieces score at once. `colour_open`: colours
    are not given yet (`first pocketed`): then `own` counts the colour that falls first.
    """

    book: Book
    shot: Shot
    queen: QueenBefore
    queen_fell: bool
    striker_fell: bool
    own: int
    theirs: int
    own_left: int
    theirs_left: int
    own_hand: int
    theirs_hand: int
    owed: int
    had_pocketed: bool
    fouls: tuple[str, ...]
    fell: tuple[Pocketed, ...]
    first: bool
    scores: tuple[int, int]
    queen_pocket: Pocket | None = None
    striker_off: bool = False
    off_board: int = 0
    colour_open: bool = False
    seat: str = "south"
    tie_break: bool = False
    """A tie-break board of `world-point`: `own` and `theirs` count the colours chosen for it."""
    own_colour: str | None = None
    waived: tuple[str, ...] = ()
    """Clauses that the umpire has waved away in this stroke."""
    drop: bool = False
    """No stroke: a piece fell by itself and counts for its owner."""
    board: Board = field(kw_only=True)
    """The board's measures."""

    def live(self, clause: str) -> bool:
        """Says whether a clause of the book is not switched off."""
        return self.book.live(clause)

    def found(self, clause: str) -> Literal["rule", "confirm", "no"]:
        """Says what a violation that the resolver itself has found is worth: a foul, a question, or nothing."""
        if clause in self.fouls:
            return "rule"
        if clause in self.waived or not self.live(clause):
            return "no"
        autonomy = self.book.clauses[clause].autonomy
        return "rule" if autonomy == "rule" else "confirm" if autonomy == "confirm" else "no"

    def sees(self, *facts: str) -> bool:
        """Says whether all the facts were watched in this stroke."""
        return not any(f in self.shot.unseen or f.partition(".")[0] in self.shot.unseen for f in facts)

    def policy(self, key: str) -> Any:
        """Returns a policy value."""
        return self.book.policy[key]


@dataclass(frozen=True, slots=True)
class Back:
    """Pieces of this stroke that go back: how many, the clause, and whether to the centre or into the circle."""

    pieces: int
    why: str
    centre: bool = False


@dataclass(frozen=True, slots=True)
class Fine:
    """New dues of the striking side."""

    pieces: int
    why: str


@dataclass(frozen=True, slots=True)
class End:
    """The board is over. `winner` None: drawn; `most`: whoever has most points (family, point).

    `demand`: points the winner may claim besides. `replay`: the drawn board is replayed with the same break.
    """

    winner: Literal["own", "theirs", "most"] | None
    points: int
    why: str
    demand: int = 0
    replay: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the stroke does.

    `queen`: what becomes of her (`back`: to the centre; `same`: as before the stroke; `theirs` only for a drop).
    `fouls`: violations this outcome itself is (club: the pocketed striker), in addition to the case's; `raised`:
    found by the resolver and to be confirmed first. Pieces that
    fell stay in the pockets unless `own_back` or `theirs_back` says otherwise. `gain`: points scored at once by the
    striking side (family, point). `cites`: every clause that decided, besides those named elsewhere.
    """

    keep: bool
    queen: QueenAfter = "same"
    queen_why: str = ""
    own_back: Back | None = None
    theirs_back: Back | None = None
    fines: tuple[Fine, ...] = ()
    fouls: tuple[str, ...] = ()
    raised: tuple[str, ...] = ()
    end: End | None = None
    gain: int = 0
    cites: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
