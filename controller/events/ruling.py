"""Rulings out: what the engine decided on one event, and which clauses made it.

The JSON form is fixed for users; these classes are its one description, in the order in which the fields are written.
A ruling is data with all its reasons: a foul, a return, a due or a board's end without a clause cannot be built. Must
not know how a ruling comes about.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field

from controller.events.words import ChallengedAbout, Colour, GivenHow, Piece, QueenState, Seat, VerdictResult

Point = tuple[float, float]

INSIDE = Field(exclude=True)
"""The note of a field that is for the program alone and stands in no JSON."""
WHERE_SAID = Field(exclude_if=lambda value: value is None)
"""The note of a field that stands in the JSON only where it says something; every other one always does."""


def _needs_clause(what: str, clause: str) -> None:
    if not clause:
        raise ValueError(f"a {what} without a clause cannot be built")


@dataclass(frozen=True, slots=True)
class Foul:
    """A violation. `status`: ruled, or raised for the umpire to confirm."""

    clause: str
    says: str
    status: Literal["ruled", "to confirm"] = "ruled"

    def __post_init__(self) -> None:
        _needs_clause("foul", self.clause)


@dataclass(frozen=True, slots=True)
class Returned:
    """A piece put back on the board other than as a due. `side`: its owner, None for the queen; `to` in mm."""

    piece: Piece
    side: Seat | None
    why: str
    to: Point | None = None

    def __post_init__(self) -> None:
        _needs_clause("return", self.why)


@dataclass(frozen=True, slots=True)
class Within:
    """A ring on the board, radii in mm."""

    centre: Point
    inner_mm: float
    outer_mm: float


@dataclass(frozen=True, slots=True)
class Due:
    """`pieces` were paid now, `owed` were put on the account."""

    side: Seat
    pieces: int
    owed: int
    why: str
    within: Within | None = None

    def __post_init__(self) -> None:
        _needs_clause("due", self.why)


@dataclass(frozen=True, slots=True)
class Question:
    """What a person is to decide, whoever asks: the rules about a fact or a foul, the shots package about the board.

    The JSON form has the first three fields. `ask`: the id by which an `answer` names it. `choices`: likeliest first.
    `about`: `fact` (a weighted doubt), `blank` (unknown without weights), `foul` (to confirm), `colour` (tie-break),
    `board` (what lies there is not what the book says), `put back` (a stroke that turned out to be on turn), `seen`
    (what the camera saw would start the board again). `key`: the fact's path, the clause, the kind of mismatch. `seq`:
    the event that it hangs on. `seat`: of the player whom it is about, in the rules his first one. `said`: where
    the players officiate, what each side has answered so far; `sides`: a seat of each side that has yet to.
    """

    ask: int | str
    question: str
    choices: tuple[Any, ...]
    about: Annotated[Literal["fact", "blank", "foul", "colour", "board", "put back", "seen"], INSIDE] = "fact"
    key: Annotated[str, INSIDE] = ""
    seq: Annotated[int, INSIDE] = 0
    seat: Annotated[Seat | None, INSIDE] = None
    said: Annotated[tuple[tuple[int, Any], ...], INSIDE] = ()
    sides: Annotated[tuple[Seat, ...], INSIDE] = ()
    picture: Annotated[int | None, INSIDE] = None

    @property
    def clause(self) -> str | None:
        """The foul to confirm; None for any other question."""
        return self.key if self.about == "foul" else None


@dataclass(frozen=True, slots=True)
class BoardState:
    """The board as far as scoring goes. `slam`: the winner made one, with pieces of this colour (icf-26)."""

    number: int = 1
    over: bool = False
    winner: Seat | None = None
    points: int = 0
    on_demand: int = 0
    drawn: bool = False
    why: str | None = None
    slam: Annotated[Colour | None, WHERE_SAID] = None


@dataclass(frozen=True, slots=True)
class Given:
    """A side gave match or game to the other, or was put out of it, whatever the score says.

    `how`: the umpire's action, or what the clause `why` brings about; `why` None: on the umpire's word alone.
    `game`: the number of the game that was not played out.
    """

    side: Seat
    how: GivenHow
    of: Literal["game", "match"]
    game: int
    why: str | None


@dataclass(frozen=True, slots=True)
class Challenged:
    """A challenge of a side: event `seq` about event `stroke`. `result`: None until event `verdict` decided it. `by`:
    who decided, and `reason`: why, as far as is known."""

    seq: int
    side: Seat
    stroke: int
    about: ChallengedAbout
    result: VerdictResult | None = None
    verdict: int | None = None
    by: Annotated[str | None, WHERE_SAID] = None
    reason: Annotated[str | None, WHERE_SAID] = None


@dataclass(frozen=True, slots=True)
class Changed:
    """An earlier ruling that is different now. `fields`: what is different, as it stands now; `was`: as it stood."""

    seq: int
    says: str
    fields: dict[str, Any]
    was: dict[str, Any]


@dataclass(frozen=True, slots=True)
class PlaceNow:
    """A piece that lies to be placed now, at a spot in mm (None: not known). `side`: its owner."""

    piece: Piece
    side: Seat | None
    to: Point | None


@dataclass(frozen=True, slots=True)
class PlaceWithin:
    """A piece that lies to be placed now, somewhere in a ring. `side`: its owner."""

    piece: Piece
    side: Seat | None
    within: Within


@dataclass(frozen=True, slots=True)
class TakeOff:
    """A piece that was placed and, as it stands now, should not have been. `side`: its owner, None for the queen."""

    piece: Piece
    side: Seat | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What was decided on one event, and the state after it. Sides are named by their first seat."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(json_schema_serialization_defaults_required=True)
    seq: int
    event: str
    seat: Seat | None = None
    fouls: tuple[Foul, ...] = ()
    cites: tuple[str, ...] = ()
    returned: tuple[Returned, ...] = ()
    dues: tuple[Due, ...] = ()
    asks: tuple[Question, ...] = ()
    provisional: bool = False
    sealed: bool = False
    saved: bool = True
    unseen: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    void: bool = False
    turn: Seat | None
    turn_kept: bool | None = None
    queen: QueenState
    queen_side: Seat | None = None
    left: dict[str, int]
    in_hand: dict[Seat, int]
    owed: dict[Seat, int]
    board: BoardState
    score: dict[Seat, int]
    games: dict[Seat, int]
    game_over: bool = False
    match_over: bool = False
    winner: Seat | None = None
    ranking: Annotated[tuple[Seat, ...] | None, WHERE_SAID] = None
    """The sides, best first, where more than two play."""
    given: Annotated[tuple[Given, ...] | None, WHERE_SAID] = None
    """Who forfeited, was disqualified or conceded in this match so far, first to last."""
    challenge: Annotated[Challenged | None, WHERE_SAID] = None
    """On a challenge or its verdict: the challenge as it stands after the event."""
    challenges_left: Annotated[dict[Seat, int] | None, WHERE_SAID] = None
    """On a challenge, on a verdict, and where an event changes what a side has left: by side."""
    changed: Annotated[tuple[Changed, ...] | None, WHERE_SAID] = None
    """Earlier rulings that are different now. None, as the two below, where an event cannot change any."""
    place_now: Annotated[tuple[PlaceNow | PlaceWithin, ...] | None, WHERE_SAID] = None
    take_off: Annotated[tuple[TakeOff, ...] | None, WHERE_SAID] = None
    extra: Annotated[dict[str, Any], INSIDE] = field(default_factory=dict)
    """Further fields of the JSON form (fields may be added, never renamed)."""

    def __post_init__(self) -> None:
        if self.board.over and not (self.board.drawn or self.given):
            _needs_clause("board's end", self.board.why or "")


@dataclass(frozen=True, slots=True)
class Refusal:
    """An event that cannot apply: it changed nothing. `seq`: None for one that could not even be read."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")
    seq: int | None
    event: str
    error: str
