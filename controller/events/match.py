"""Events in: what happens in a match, as the journal keeps it and `carrom rule` reads it.

The JSON form is fixed for users (see `docs/interfaces.md`); these classes are its one description: a field's type says
what is taken, `Fact` what describes a fact of a stroke. Left out means seen and in order; what nobody watched is named
in `unseen`. Must not know how a ruling comes about.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field
from typing_extensions import TypedDict

from controller.events.doors import MOST_CHOICES, MOST_FACTS, MOST_LYING, MOST_PIECES, MOST_TOUCHES
from controller.events.facts import Fact, described
from controller.events.reading import (
    As,
    Count,
    FromJson,
    Millimetre,
    Name,
    Number,
    Player,
    Point,
    Positive,
    Score,
    Text,
    Weighted,
    Whole,
    YesNo,
    YesNoUnknown,
    shown,
    without_null,
)
from controller.events.words import (
    ChallengedAbout,
    Circle,
    Colour,
    Flag,
    Heading,
    Lines,
    Piece,
    Pocket,
    QueenState,
    Seat,
    VerdictResult,
)

Value = str | int | float | bool | None
OnBoard = Literal["white", "black", "queen"]
_SEATS = Field(max_length=len(get_args(Seat)))


@dataclass(frozen=True, slots=True)
class Position(FromJson):
    """A match already under way, any part of it; what is None is as at a board's start."""

    left: dict[OnBoard, Count] | None = None
    queen: QueenState | None = None
    queen_side: Seat | None = None
    turn: Seat | None = None
    owed: dict[Seat, Count] | None = None
    score: dict[Seat, Score] | None = None
    games: dict[Seat, Count] | None = None
    board: Annotated[int, Field(ge=1, le=999, strict=True)] | None = None
    break_done: YesNo | None = None
    queen_pocket: Pocket | None = None
    in_hand: dict[Seat, Annotated[tuple[OnBoard, ...], Field(max_length=MOST_PIECES)]] | None = None
    tie_break: dict[Seat, Colour] | None = None
    tries: Count | None = None
    strokes: Count | None = None
    turns: Annotated[int, Field(ge=1, le=999, strict=True)] | None = None
    """Turns begun on this board; where the board was met under way, None is nobody knows."""
    had_pocketed: dict[Seat, YesNo] | None = None
    white: Seat | None = None
    """Whose the white pieces are. Where the breaking side is white, that side broke this board."""


@dataclass(frozen=True, slots=True)
class EventBase(FromJson):
    """What every event may carry. `reason`: why it was sent, in a person's words; kept and shown, never ruled on."""

    also_taken = frozenset({"event", "t", "at", "id", "by", "note"})
    reason: Text = field(default="", kw_only=True)


@dataclass(frozen=True, slots=True)
class Toss(FromJson):
    """Who won the toss and what was chosen."""

    winner: Seat
    choice: Text


@dataclass(frozen=True, slots=True)
class Start(EventBase):
    """A new match, or one taken over at `position`."""

    event: ClassVar[str] = "start"
    book: Text
    seats: dict[Seat, Player]
    first: Seat | None = None
    white: Seat | None = None
    teams: Annotated[list[Annotated[list[Seat], _SEATS]], _SEATS] | None = None
    policy: dict[str, Any] = field(default_factory=dict)
    position: Position | None = None
    toss: Toss | None = None
    tournament: YesNo = False
    autonomy: dict[Text, Text] = field(default_factory=dict)
    """Clause id → off, note, confirm or rule on this table; what is not named is as the book says."""
    board: dict[str, Any] = field(default_factory=dict)
    """The board's measures, as `[board]` of the configuration has them; the laws' board where none are given."""
    competition: Name | None = None
    round: Name | None = None
    referee: Name | None = None
    """What the score sheet says besides: the event, its round, who umpires. Never ruled on."""
    fixture: Name | None = None
    """Which of the club's fixtures it is, by its key; left out where nobody picked one."""


@dataclass(frozen=True, slots=True)
class Placement(FromJson):
    """Where the striker lay when it was struck."""

    also_taken = frozenset({"u95", "gap"})
    x: Millimetre | None = None
    y: Millimetre | None = None
    lines: Annotated[Literal[Lines, "unknown"], Fact("lines touched", "Which base lines did the striker touch?")] = (
        "both"
    )
    circle: Annotated[
        Literal[Circle, "unknown"], Fact("base circle", "How did the striker lie on the base circle?")
    ] = "clear"
    arrow: Annotated[YesNoUnknown, Fact("on the arrow", "Did the striker touch the arrow?")] = False
    touching: Annotated[YesNoUnknown, Fact("touching a piece", "Did the striker touch a piece?")] = False


@dataclass(frozen=True, slots=True)
class Contact(FromJson):
    """The striker touched a piece (`at`: its centre) or a cushion (`at`: the point)."""

    also_taken = frozenset({"t"})
    touched: Annotated[
        Piece | Literal["cushion"], As(Literal["white", "black", "queen", "unknown", "cushion"]), Field(alias="with")
    ]
    at: Point | None = None


@dataclass(frozen=True, slots=True)
class Pocketed(FromJson):
    """A piece fell, in order of fall."""

    piece: Piece
    pocket: Pocket | None = None
    t: Number | None = None


@dataclass(frozen=True, slots=True)
class RestPiece(FromJson):
    """A piece lying on the board."""

    also_taken = frozenset({"u95", "upright", "confidence"})
    piece: Piece
    x: Millimetre
    y: Millimetre


Lying = Annotated[tuple[RestPiece, ...], Field(max_length=MOST_LYING)]


@dataclass(frozen=True, slots=True)
class Doubt(FromJson):
    """A fact seen but not decided: weighted choices, likeliest first. `fact` is a path such as `pocketed.0.piece`."""

    fact: Text
    choices: Annotated[tuple[Weighted, ...], Field(min_length=1, max_length=MOST_CHOICES)]
    evidence: Any = None


def _a_fact(value: str) -> str:
    if value.partition(".")[0] not in FACTS:
        raise ValueError(f"must name a fact, not {shown(value)}")
    return value


@dataclass(frozen=True, slots=True)
class Shot(EventBase):
    """One stroke with its facts, each with what `Fact` says of it; docs/reference/facts.md says how to add one."""

    event: ClassVar[str] = "shot"
    seat: Annotated[Literal[Seat, "unknown"], Fact(asks="Who struck?", grade="basic")]
    t: Number | None = None
    elapsed: Annotated[Positive | None, Fact("time", grade="basic", unit="s")] = None
    placement: Annotated[Placement | None, Fact("placement", grade="club", line_call=True)] = None
    left_baseline: Annotated[
        YesNoUnknown,
        Fact("striker left the base line", "Did the striker leave the lines?", grade="club", line_call=True),
    ] = True
    heading: Annotated[
        Literal[Heading, "unknown"],
        Fact("direction of the stroke", "Which way was the striker struck?", grade="basic", line_call=True),
    ] = "forward"
    all_at_rest: Annotated[
        YesNoUnknown,
        Fact("all at rest when struck", "Did everything lie still at the stroke?", grade="basic", line_call=True),
    ] = True
    contacts: Annotated[
        Annotated[tuple[Contact, ...], Field(max_length=MOST_TOUCHES)] | None,
        Fact(
            "what the striker met",
            "What did the striker touch, and in which order?",
            "What did the striker touch?",
            grade="club",
            line_call=True,
        ),
    ] = None
    pocketed: Annotated[
        tuple[Pocketed, ...],
        Field(max_length=MOST_PIECES),
        Fact(
            "what fell", "What fell, and in which order?", "Which piece fell?", grade="basic", source="beams and camera"
        ),
    ] = ()
    off_board: Annotated[
        tuple[Piece, ...],
        Field(max_length=MOST_PIECES),
        Fact(
            "what left the board",
            "Which piece left the board?",
            "Which piece left the board?",
            grade="basic",
            line_call=True,
        ),
    ] = ()
    crossed_baseline: Annotated[
        Count | None,
        Fact("pieces over the base line (break)", "How many pieces crossed a base line?", grade="club", line_call=True),
    ] = None
    flags: Annotated[tuple[Flag, ...], Field(max_length=MOST_FACTS), Fact()] = ()
    rest: Annotated[Lying | None, Fact(grade="basic", unit="mm")] = None
    unseen: Annotated[tuple[Annotated[Text, AfterValidator(_a_fact)], ...], Field(max_length=MOST_FACTS)] = ()
    doubts: Annotated[tuple[Doubt, ...], Field(max_length=MOST_FACTS)] = ()


FACTS = described(Shot)
"""Every fact of a stroke by its path. The first word of a path is what `unseen` names, alone or with a part."""


@dataclass(frozen=True, slots=True)
class Seen(EventBase):
    """The camera saw something that is no stroke."""

    event: ClassVar[str] = "seen"
    what: Literal["second_queen", "shaken", "wrong_rack", "upright"]
    at: Point | None = None


@dataclass(frozen=True, slots=True)
class Drop(EventBase):
    """A piece fell with no stroke."""

    event: ClassVar[str] = "drop"
    piece: Annotated[Piece, As(Literal["white", "black", "queen", "unknown"])]
    pocket: Pocket | None = None
    on_rim: YesNo = False
    cause: Literal["vibration", "tilt", "shake", "outside", "unknown"] = "unknown"
    t: Number | None = None


@dataclass(frozen=True, slots=True)
class Call(EventBase):
    """The umpire's word."""

    event: ClassVar[str] = "call"
    clause: Text | None = None
    action: Literal["warn", "foul", "deduct", "disqualify", "forfeit", "wave_off", "draw", "concede"] | None = None
    seat: Seat | None = None
    points: Annotated[int, Field(ge=0, le=999, strict=True)] | None = None
    of: Literal["game", "match"] | None = None


def _question(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError(f"must be a question's number, not {shown(value)}")
    return value


@dataclass(frozen=True, slots=True)
class Answer(EventBase):
    """The answer to an open question."""

    event: ClassVar[str] = "answer"
    ask: Annotated[int | str, BeforeValidator(_question)]
    choice: Any
    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class Void(EventBase):
    """Takes back the latest stroke and everything after it."""

    event: ClassVar[str] = "void"
    clause: Text | None = None


@dataclass(frozen=True, slots=True)
class Correct(EventBase):
    """Replaces event `seq`; everything after it is re-ruled. `replacement` stands as `with` in JSON."""

    event: ClassVar[str] = "correct"
    seq: Annotated[Whole, Field(ge=1)]
    replacement: Annotated[dict[str, Any], Field(alias="with")]


@dataclass(frozen=True, slots=True)
class Challenge(EventBase):
    """A side asks for another look at the latest stroke, which is event `stroke`; it is decided by a `Verdict`."""

    event: ClassVar[str] = "challenge"
    seat: Seat
    stroke: Annotated[Whole, Field(ge=1)]
    about: ChallengedAbout


@dataclass(frozen=True, slots=True)
class Verdict(EventBase):
    """Decides the challenge that is event `challenge`. `by`: who did.

    `replacement` stands as `with` in JSON: what an upheld challenge puts in the stroke's place. Where it is left out,
    what a person or a clock ruled after the stroke is taken back.
    """

    event: ClassVar[str] = "verdict"
    challenge: Annotated[Whole, Field(ge=1)]
    result: VerdictResult
    replacement: Annotated[dict[str, Any] | None, Field(alias="with")] = None
    by: Name | None = None


class BoardSet(TypedDict, total=False):
    """The parts of a ruling's `board` that can be set."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]
    number: Annotated[int, Field(ge=1, le=999, strict=True)]
    over: YesNo
    winner: Seat
    points: Count
    on_demand: Count
    drawn: YesNo
    why: Text


class RulingSet(TypedDict, total=False):
    """The parts of a ruling that can be set."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]
    turn: Seat
    queen: QueenState
    queen_side: Seat
    left: dict[OnBoard, Count]
    owed: dict[Seat, Count]
    score: dict[Seat, Score]
    board: BoardSet


@dataclass(frozen=True, slots=True)
class Override(EventBase):
    """The umpire sets parts of a ruling."""

    event: ClassVar[str] = "override"
    seq: Annotated[Whole, Field(ge=1)]
    set: Annotated[RulingSet, without_null(RulingSet.__annotations__)]


@dataclass(frozen=True, slots=True)
class SetPosition(EventBase):
    """Rescue: play on from here."""

    event: ClassVar[str] = "set"
    position: Position


@dataclass(frozen=True, slots=True)
class Placed(EventBase):
    """Where everything lies after pieces were put back."""

    event: ClassVar[str] = "placed"
    pieces: Lying


@dataclass(frozen=True, slots=True)
class Claim(EventBase):
    """On-demand points claimed by the board's winner."""

    event: ClassVar[str] = "claim"
    points: Annotated[int, Field(ge=1, le=99, strict=True)]


@dataclass(frozen=True, slots=True)
class NextBoard(EventBase):
    """Opens the next board; `first` only where a toss decides (extra board)."""

    event: ClassVar[str] = "next_board"
    first: Seat | None = None


@dataclass(frozen=True, slots=True)
class Timeout(EventBase):
    """The stroke clock ran out."""

    event: ClassVar[str] = "timeout"
    seat: Seat


@dataclass(frozen=True, slots=True)
class Pass(EventBase):
    """The side on turn passes."""

    event: ClassVar[str] = "pass"
    seat: Seat


@dataclass(frozen=True, slots=True)
class Seats(EventBase):
    """The physical seat of each player from now on."""

    event: ClassVar[str] = "seats"
    seats: dict[Seat, Player]


@dataclass(frozen=True, slots=True)
class Pause(EventBase):
    """Play is stopped."""

    event: ClassVar[str] = "pause"


@dataclass(frozen=True, slots=True)
class Resume(EventBase):
    """Play goes on."""

    event: ClassVar[str] = "resume"


@dataclass(frozen=True, slots=True)
class Play(EventBase):
    """The umpire calls «Play»."""

    event: ClassVar[str] = "play"


@dataclass(frozen=True, slots=True)
class Trial(EventBase):
    """What follows is a trial board until `play`."""

    event: ClassVar[str] = "trial"


@dataclass(frozen=True, slots=True)
class RoundOver(EventBase):
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
    | Challenge
    | Verdict
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
