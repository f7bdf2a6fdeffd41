"""Events in: what happens in a match, as the journal keeps it and `carrom rule` reads it.

The JSON form is fixed for users (see `docs/interfaces.md`); `controller.events.codec` reads and writes it. Left out
means seen and in order; what nobody watched is named in `unseen`. Must not know how a ruling comes about.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from controller.events.words import Circle, Colour, Flag, Heading, Lines, Piece, Pocket, QueenState, Seat

Point = tuple[float, float]
Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Position:
    """A match already under way, any part of it; what is None is as at a board's start."""

    left: dict[Piece, int] | None = None
    queen: QueenState | None = None
    queen_side: Seat | None = None
    turn: Seat | None = None
    owed: dict[Seat, int] | None = None
    score: dict[Seat, int] | None = None
    games: dict[Seat, int] | None = None
    board: int | None = None
    break_done: bool | None = None
    queen_pocket: Pocket | None = None
    in_hand: dict[Seat, tuple[Piece, ...]] | None = None
    tie_break: dict[Seat, Colour] | None = None
    tries: int | None = None
    strokes: int | None = None
    had_pocketed: dict[Seat, bool] | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """What every event may carry. `reason`: why it was said, in a person's words; kept and shown, never ruled on."""

    reason: str = field(default="", kw_only=True)


@dataclass(frozen=True, slots=True)
class Toss:
    """Who won the toss and what was chosen."""

    winner: Seat
    choice: str


@dataclass(frozen=True, slots=True)
class Start(Said):
    """A new match, or one taken over at `position`."""

    event: ClassVar[str] = "start"
    book: str
    seats: dict[Seat, str]
    first: Seat | None = None
    white: Seat | None = None
    teams: list[list[Seat]] | None = None
    policy: dict[str, Any] = field(default_factory=dict)
    position: Position | None = None
    toss: Toss | None = None
    tournament: bool = False
    autonomy: dict[str, str] = field(default_factory=dict)
    """Clause id → off, note, confirm or rule on this table; what is not named is as the book says."""
    board: dict[str, Any] = field(default_factory=dict)
    """The board's measures, as `[board]` of the configuration has them; the laws' board where none are given."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where the striker lay when it was struck."""

    x: float | None = None
    y: float | None = None
    lines: Lines | Literal["unknown"] = "both"
    circle: Circle | Literal["unknown"] = "clear"
    arrow: bool | Literal["unknown"] = False
    touching: bool | Literal["unknown"] = False


@dataclass(frozen=True, slots=True)
class Contact:
    """The striker touched a piece (`at`: its centre) or a cushion (`at`: the point)."""

    touched: Piece | Literal["cushion"]
    at: Point | None = None


@dataclass(frozen=True, slots=True)
class Pocketed:
    """A piece fell, in order of fall."""

    piece: Piece
    pocket: Pocket | None = None
    t: float | None = None


@dataclass(frozen=True, slots=True)
class RestPiece:
    """A piece lying on the board."""

    piece: Piece
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Doubt:
    """A fact seen but not decided: weighted choices, likeliest first. `fact` is a path such as `pocketed.0.piece`."""

    fact: str
    choices: tuple[tuple[Any, float], ...]
    evidence: Any = None


@dataclass(frozen=True, slots=True)
class Shot(Said):
    """One stroke with all its facts."""

    event: ClassVar[str] = "shot"
    seat: Seat | Literal["unknown"]
    t: float | None = None
    elapsed: float | None = None
    placement: Placement | None = None
    left_baseline: bool | Literal["unknown"] = True
    heading: Heading | Literal["unknown"] = "forward"
    all_at_rest: bool | Literal["unknown"] = True
    contacts: tuple[Contact, ...] | None = None
    pocketed: tuple[Pocketed, ...] = ()
    off_board: tuple[Piece, ...] = ()
    crossed_baseline: int | None = None
    flags: tuple[Flag, ...] = ()
    rest: tuple[RestPiece, ...] | None = None
    unseen: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True)
class Seen(Said):
    """The camera saw something that is no stroke."""

    event: ClassVar[str] = "seen"
    what: Literal["second_queen", "shaken", "wrong_rack", "upright"]
    at: Point | None = None


@dataclass(frozen=True, slots=True)
class Drop(Said):
    """A piece fell with no stroke."""

    event: ClassVar[str] = "drop"
    piece: Piece
    pocket: Pocket | None = None
    on_rim: bool = False
    cause: Literal["vibration", "tilt", "shake", "outside", "unknown"] = "unknown"
    t: float | None = None


@dataclass(frozen=True, slots=True)
class Call(Said):
    """The umpire's word."""

    event: ClassVar[str] = "call"
    clause: str | None = None
    action: Literal["warn", "foul", "deduct", "disqualify", "forfeit", "wave_off", "draw", "concede"] | None = None
    seat: Seat | None = None
    points: int | None = None
    of: Literal["game", "match"] | None = None


@dataclass(frozen=True, slots=True)
class Answer(Said):
    """The answer to an open question."""

    event: ClassVar[str] = "answer"
    ask: int | str
    choice: Any
    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class Void(Said):
    """Takes back the latest stroke and everything after it."""

    event: ClassVar[str] = "void"
    clause: str | None = None


@dataclass(frozen=True, slots=True)
class Correct(Said):
    """Replaces event `seq`; everything after it is re-ruled. `replacement` stands as `with` in JSON."""

    event: ClassVar[str] = "correct"
    seq: int
    replacement: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Override(Said):
    """The umpire sets parts of a ruling."""

    event: ClassVar[str] = "override"
    seq: int
    set: dict[str, Any]


@dataclass(frozen=True, slots=True)
class SetPosition(Said):
    """Rescue: play on from here."""

    event: ClassVar[str] = "set"
    position: Position


@dataclass(frozen=True, slots=True)
class Placed(Said):
    """Where everything lies after pieces were put back."""

    event: ClassVar[str] = "placed"
    pieces: tuple[RestPiece, ...]


@dataclass(frozen=True, slots=True)
class Claim(Said):
    """On-demand points claimed by the board's winner."""

    event: ClassVar[str] = "claim"
    points: int


@dataclass(frozen=True, slots=True)
class NextBoard(Said):
    """Opens the next board; `first` only where a toss decides (extra board)."""

    event: ClassVar[str] = "next_board"
    first: Seat | None = None


@dataclass(frozen=True, slots=True)
class Timeout(Said):
    """The stroke clock ran out."""

    event: ClassVar[str] = "timeout"
    seat: Seat


@dataclass(frozen=True, slots=True)
class Pass(Said):
    """The side on turn passes."""

    event: ClassVar[str] = "pass"
    seat: Seat


@dataclass(frozen=True, slots=True)
class Seats(Said):
    """The physical seat of each player from now on."""

    event: ClassVar[str] = "seats"
    seats: dict[Seat, str]


@dataclass(frozen=True, slots=True)
class Pause(Said):
    """Play is stopped."""

    event: ClassVar[str] = "pause"


@dataclass(frozen=True, slots=True)
class Resume(Said):
    """Play goes on."""

    event: ClassVar[str] = "resume"


@dataclass(frozen=True, slots=True)
class Play(Said):
    """The umpire calls «Play»."""

    event: ClassVar[str] = "play"


@dataclass(frozen=True, slots=True)
class Trial(Said):
    """What follows is a trial board until `play`."""

    event: ClassVar[str] = "trial"


@dataclass(frozen=True, slots=True)
class RoundOver(Said):
    """The round's time is over."""

    event: ClassVar[str] = "round_over"


Event = (
    Start
    | Shot
    | Seen
    | Drop
    | Call
    | Answer
    | Void
    | Correct
    | Override
    | SetPosition
    | Placed
    | Claim
    | NextBoard
    | Timeout
    | Pass
    | Seats
    | Pause
    | Resume
    | Play
    | Trial
    | RoundOver
)
