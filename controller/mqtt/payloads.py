"""The messages as values, and their JSON. Fields may be added, never renamed. Times are Unix seconds.

`shot` and `ruling` are the event and the ruling themselves with `at` added (`stamped`); everything else is a class
here, from which the JSON Schemas are made.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Literal

from controller.events.doors import MESSAGE, json_object, name_key
from controller.events.ruling import Challenged, Given
from controller.events.words import Colour, Grade, Piece, QueenState, Seat

State = Literal["idle", "trial", "playing", "paused", "board_over", "match_over"]
Armed = Literal["armed", "degraded", "off"]
Display = Literal["on", "none"]
Level = Literal["info", "warning", "foul", "ask", "fault"]


@dataclass(frozen=True, slots=True)
class Side:
    """One side of the scoreboard.

    `name`: the side's first seat. `seats`: who sits where now. `left`: its pieces still on the board, None where
    the book gives sides no colour. `queen`: whether this side has it pending or covered.
    """

    name: Seat
    seats: dict[Seat, str]
    colour: Colour | None
    points: int
    games: int
    left: int | None
    in_hand: int
    owed: int
    queen: Literal["pending", "covered"] | None = None


@dataclass(frozen=True, slots=True)
class Clock:
    """The stroke clock: seconds left of the limit; None where the book has none.

    `ends`: when it runs out, in Unix seconds; None while it stands, also while something moves.
    """

    running: bool = False
    left: float | None = None
    limit: float | None = None
    ends: float | None = None


@dataclass(frozen=True, slots=True)
class Round(Clock):
    """The round clock, as the stroke clock; `left` is there while it stands, too.

    `over`: the round is over: the board under way is the last. `by_hand`: from now on only the umpire ends it.
    `uncounted`: the table was off while it ran, and that time is not in it.
    """

    over: bool = False
    by_hand: bool = False
    uncounted: bool = False


@dataclass(frozen=True, slots=True)
class Last:
    """The latest ruling in short. `says`: one line for people."""

    seq: int
    event: str
    seat: Seat | None
    says: str
    fouls: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()
    provisional: bool = False
    void: bool = False


@dataclass(frozen=True, slots=True)
class Earlier(Last):
    """A ruling of the match in short, as it stands now. `at`: when it was made, in Unix seconds."""

    at: float = 0.0


@dataclass(frozen=True, slots=True)
class History:
    """The match's latest rulings, oldest first."""

    t: float
    table: str
    match: str | None
    rulings: tuple[Earlier, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """The scoreboard. `provisional`: the figures with an open question, as paths: `score.south`, `turn`. `measures`:
    the board's, in mm, for whoever draws it. `fixture`: as in `Result`. `round`: the round clock,
    None where a round has no time limit. `challenge`: until its verdict the figures stay as they were;
    `challenges_left`: by side, None where the match has none."""

    seq: int
    t: float
    table: str
    match: str | None
    book: str | None
    state: State
    game: int
    board: int
    sides: tuple[Side, ...]
    turn: Seat | None
    queen: QueenState
    clock: Clock
    armed: Armed
    provisional: tuple[str, ...] = ()
    last: Last | None = None
    queen_side: Seat | None = None
    winner: Seat | None = None
    asks: int = 0
    measures: dict[str, Any] = field(default_factory=dict)
    fixture: str | None = None
    round: Round | None = None
    challenge: Challenged | None = None
    challenges_left: dict[Seat, int] | None = None


@dataclass(frozen=True, slots=True)
class LyingPiece:
    """A piece on the board, millimetres in the board frame."""

    piece: Piece
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Lying:
    """Where the pieces are."""

    t: float
    pieces: tuple[LyingPiece, ...]
    moving: bool = False


@dataclass(frozen=True, slots=True)
class Alert:
    """What somebody should notice.

    `picture`: the number of a picture on the table's web pages, `clip`: the first and the last of those that show the
    stroke in motion. `ask`, `choices`: of a question, what an `answer` event names and what it may choose.
    """

    id: str
    level: Level
    says: str
    t: float
    clause: str | None = None
    seat: Seat | None = None
    picture: int | None = None
    clip: tuple[int, int] | None = None
    ask: int | str | None = None
    choices: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Health:
    """How well the table sees and feels. `latency` in seconds, `temperature` in °C, `disk` in free bytes.

    `name`: what people call the table. `page`: the address of its own pages, if one is configured. `seen`: when the
    camera saw the board last, in Unix seconds; None before it ever did. `began`: when this run of the daemon began.
    `fps`: pictures followed a second; `dropped`: how many of the camera's were not, since vision began; `grade`: what
    can be reported with those that were. `set_up`: which picture is wanted while a person sets the camera up anew.
    `simulated`: board, camera and players are, as in the demo. `broker_at`: address of the broker in use, empty while
    none answers. `display`: whether one of the table's own displays shows its score; None where none is expected.
    """

    t: float
    armed: Armed
    camera: str
    beams: str
    node: str
    broker: str
    fps: float | None = None
    latency: float | None = None
    temperature: float | None = None
    disk: int | None = None
    journal: str = "ok"
    says: str = ""
    name: str = ""
    page: str = ""
    seen: float | None = None
    began: float | None = None
    dropped: int | None = None
    grade: Grade | None = None
    set_up: Literal["empty", "opening"] | None = None
    simulated: bool = False
    broker_at: str = ""
    display: Display | None = None


@dataclass(frozen=True, slots=True)
class FinalSide:
    """One side of a result."""

    name: Seat
    players: tuple[str, ...]
    points: int
    games: int


@dataclass(frozen=True, slots=True)
class FinalBoard:
    """One board of a result: `score` is the game's after it. `slam`: its winner made one, with this colour."""

    game: int
    board: int
    winner: Seat | None
    points: int
    drawn: bool
    why: str | None
    score: dict[Seat, int]
    slam: Colour | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """How a match ended. `start` and `end` in Unix seconds. `ranking`: the sides, best first, where more than two play.

    `sides` stand in that order too. `given`: who forfeited, was disqualified or conceded, whatever the score says.
    `fixture`: the key of the fixture that was picked for it; "" where its names were typed.
    """

    match: str
    table: str
    book: str
    winner: Seat | None
    score: dict[Seat, int]
    games: dict[Seat, int]
    sides: tuple[FinalSide, ...]
    boards: tuple[FinalBoard, ...]
    start: float
    end: float
    ranking: tuple[Seat, ...] = ()
    given: tuple[Given, ...] = ()
    fixture: str | None = None


@dataclass(frozen=True, slots=True)
class Fixture:
    """A match to be played. `time`: `HH:MM` or `YYYY-MM-DD HH:MM`; `seats`: who sits where.

    `id`: what other fixtures call it. `awaits`: the seats whose player the result of another decides, with what stands
    in `seats` until then: `winner SF1`. `since`: when it was first published, Unix seconds; 0 where that is not known.
    `key`: what a match names that is this one; it stays when time, table or names change. `pool`: it is played on the
    next free table, and was given to this one now. `over`: it has its result where it was drawn, and is called no more.
    `protest`: the event's terms for one, in its own words.
    """

    seats: dict[Seat, str]
    time: str = ""
    event: str = ""
    round: str = ""
    book: str = ""
    referee: str = ""
    id: str = ""
    awaits: dict[Seat, str] = field(default_factory=dict)
    since: float = 0.0
    key: str = ""
    pool: bool = False
    over: bool = False
    protest: str = ""


@dataclass(frozen=True, slots=True)
class Fixtures:
    """What is to be played on a table."""

    fixtures: tuple[Fixture, ...] = ()


NOTHING_PLAYED = ("idle", "match_over")


def is_played(state: str, seq: int, seats: Iterable[tuple[str, str]]) -> bool:
    """Returns whether a scoreboard shows a match that somebody plays: with names, or with an event after its start.

    `seats`: each seat with its player; one without a name has the seat's.
    """
    named = any(name_key(name) != seat for seat, name in seats)
    return state not in NOTHING_PLAYED and (named or seq > 1)


def plain(value: Any) -> Any:
    """Turns payloads into what JSON knows: dataclasses and mappings become objects, tuples become arrays."""
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return value


def to_json(value: Any) -> bytes:
    """Writes a payload as compact JSON."""
    return json.dumps(plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def stamped(body: Mapping[str, Any], at: float) -> dict[str, Any]:
    """Returns an event or a ruling as it is published: with `at` in Unix seconds; its own `t` stays as it is."""
    return {**body, "at": at}


def from_json(payload: bytes) -> dict[str, Any]:
    """Reads a payload. Raises UnreadableError if it is no JSON object."""
    return json_object(payload, MESSAGE)
