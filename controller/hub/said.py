"""A table's payloads as the hub reads them: what is not as it should be is left out, whatever a table may send.

Pure. Each model holds only what the hub shows; the full payloads are `controller.mqtt.payloads`. One odd field makes
one message unreadable, never another table's tile.
"""

from __future__ import annotations

import logging
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from controller.events.doors import (
    LONGEST_NAME,
    LONGEST_REASON,
    MESSAGE,
    fitting_reason,
    json_object,
    name_of,
    one_line,
    player_of,
)
from controller.events.errors import UnreadableError
from controller.events.words import Colour, GivenHow
from controller.mqtt.payloads import is_played

log = logging.getLogger(__name__)

MOST_SIDES, MOST_PIECES, MOST_BOARDS, MOST_RULINGS, MOST_CHOICES = 4, 24, 100, 50, 50
"""More than any game has."""

_Name = Annotated[str, AfterValidator(lambda text: name_of(text, 2 * LONGEST_NAME))]
_Player = Annotated[str, AfterValidator(lambda text: player_of(text, 2 * LONGEST_NAME))]
_Says = Annotated[
    str, Field(max_length=2 * LONGEST_REASON), AfterValidator(lambda text: fitting_reason(text, 2 * LONGEST_REASON))
]
"""A sentence of the table's: of one with a character that nobody may show the rest is shown."""


class _Said(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


S = TypeVar("S", bound=_Said)


class SideSaid(_Said):
    """One side of a scoreboard."""

    name: _Name
    seats: dict[_Name, _Player] = {}
    colour: _Name | None = None
    points: int = 0
    games: int = 0
    left: int | None = None
    queen: _Name | None = None


class LastSaid(_Said):
    """The latest ruling in one line."""

    says: _Says = ""
    provisional: bool = False


class ClockSaid(_Said):
    """The stroke clock or the round's: when it runs out, in Unix seconds. `ends`: None while it stands, and from a
    table that does not say it yet."""

    running: bool = False
    left: float | None = None
    ends: float | None = None


class RoundSaid(ClockSaid):
    """The round clock. `over`: the board under way is the last; `by_hand`: only the umpire ends it."""

    over: bool = False
    by_hand: bool = False


class ChallengeSaid(_Said):
    """A challenge that waits for its verdict."""

    side: _Name = ""
    about: _Name = ""


class ScoreSaid(_Said):
    """A scoreboard. `seq`: of its latest ruling. `fixture`: as in `ResultSaid`."""

    seq: int = 0
    t: float = 0.0
    match: _Name | None = None
    book: _Name | None = None
    state: _Name = "idle"
    game: int = 1
    board: int = 1
    sides: Annotated[tuple[SideSaid, ...], Field(max_length=MOST_SIDES)] = ()
    turn: _Name | None = None
    queen: _Name = "board"
    clock: ClockSaid = ClockSaid()
    last: LastSaid | None = None
    winner: _Name | None = None
    asks: int = 0
    measures: dict[_Name, float | tuple[float, ...] | _Name] = {}
    fixture: _Name | None = None
    round: RoundSaid | None = None
    challenge: ChallengeSaid | None = None

    @property
    def begun(self) -> bool:
        """Whether a match is under way that somebody plays: with names, or with an event after its start. One that is
        over is, too, while a challenge waits: the verdict may take its end back."""
        seats = (one for side in self.sides for one in side.seats.items())
        return self.challenge is not None or is_played(self.state, self.seq, seats)


def players_of(score: ScoreSaid) -> list[str]:
    """Everybody who sits at a table."""
    return [name for side in score.sides for name in side.seats.values()]


class HealthSaid(_Said):
    """How the table is and when its camera saw the board last, what people call it and where its own pages are."""

    t: float = 0.0
    armed: _Name = "off"
    camera: _Name = ""
    node: _Name = ""
    beams: _Name = ""
    journal: _Says = ""
    seen: float | None = None
    name: _Name = ""
    page: _Says = ""
    says: _Says = ""
    simulated: bool = False
    display: _Name | None = None


class AlertSaid(_Said):
    """A fault that stands or an open question. `ask`, `choices`: what an answer names, and may choose."""

    ask: int | _Name | None = None
    choices: Annotated[tuple[Any, ...], Field(max_length=MOST_CHOICES)] = ()
    level: _Name = "info"
    says: _Says = ""
    t: float = 0.0
    picture: Annotated[int, Field(ge=0)] | None = None
    clip: tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)]] | None = None


class PieceSaid(_Said):
    """A piece on the board."""

    piece: _Name
    x: float
    y: float


class BoardSaid(_Said):
    """Where the pieces lie."""

    pieces: Annotated[tuple[PieceSaid, ...], Field(max_length=MOST_PIECES)] = ()


class RulingSaid(_Said):
    """A ruling in short: the number, whose stroke, when, in words."""

    seq: int
    event: _Name = ""
    seat: _Name | None = None
    at: float = 0.0
    says: _Says = ""


class HistorySaid(_Said):
    """The latest rulings, oldest first."""

    rulings: Annotated[tuple[RulingSaid, ...], Field(max_length=MOST_RULINGS)] = ()


class FinalSideSaid(_Said):
    """One side of a result."""

    name: _Name
    players: Annotated[tuple[_Player, ...], Field(max_length=MOST_SIDES)] = ()
    points: int = 0
    games: int = 0


class FinalBoardSaid(_Said):
    """One board of a result. `slam`: its winner made one, with this colour; None also from a table that does not say
    it yet."""

    game: int = 1
    board: int = 1
    winner: _Name | None = None
    points: int = 0
    drawn: bool = False
    why: _Name | None = None
    score: dict[_Name, int] = {}
    slam: Colour | None = None


class GivenSaid(_Said):
    """Who forfeited, was disqualified or conceded. `game`: the number of the game that was not played out."""

    side: _Name
    how: GivenHow
    of: Literal["game", "match"] = "match"
    game: int = 1
    why: _Name = ""


class ResultSaid(_Said):
    """How a match ended; times in Unix seconds. `given`, `fixture`: None from a table that does not say it yet.

    `fixture`: the key of the one that was picked for it, "" where its names were typed. `goes_on`: the side that goes
    on from a draw, as the desk says; no table does.
    """

    match: _Name
    book: _Name = ""
    winner: _Name | None = None
    sides: Annotated[tuple[FinalSideSaid, ...], Field(max_length=MOST_SIDES)] = ()
    boards: Annotated[tuple[FinalBoardSaid, ...], Field(max_length=MOST_BOARDS)] = ()
    given: Annotated[tuple[GivenSaid, ...], Field(max_length=MOST_BOARDS)] | None = None
    start: float = 0.0
    end: float = 0.0
    fixture: _Name | None = None
    goes_on: _Name | None = None


def read(kind: type[S], payload: bytes, table: str) -> S | None:
    """Reads one payload of a table's; None, with a line in the log, if it is not what it should be."""
    try:
        # What the door takes holds no NaN; and, strictly, no text is a number (`"NaN"`).
        json_object(payload, MESSAGE)
        return kind.model_validate_json(payload, strict=True)
    except UnreadableError as error:
        what = f"it {error}"
    except ValidationError as error:
        first = error.errors()[0]
        what = f"its {'.'.join(map(str, first['loc']))} {first['msg'].removeprefix('Value error, ').lower()}"
    log.warning("table %s: %s is left out: %s. Fix: bring that table up to date", table, kind.__name__, one_line(what))
    return None


def plain(said: _Said | None) -> dict[str, Any]:
    """Returns it as JSON values; an empty object for nothing."""
    return {} if said is None else said.model_dump(mode="json")
