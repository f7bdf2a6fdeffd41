"""Carrom notation: one match as an open JSON document, which any program may write and read (`docs/notation.md`).

These classes are its one description: types, reader, writer and JSON Schema follow from them. What a document holds is
what stands: corrections are taken in, strokes taken back are out. Must not know how a ruling comes about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, ConfigDict, Field, PlainSerializer, PlainValidator, TypeAdapter, WithJsonSchema

from controller.events.codec import event_from_json, event_to_json
from controller.events.doors import Limits, json_object, json_text, name_key
from controller.events.errors import EventError, UnreadableError
from controller.events.match import Challenge, Correct, Event, Position, RulingSet, Shot, Start, Toss, Verdict
from controller.events.reading import Count, FromJson, Name, Player, Positive, Score, Text, Whole, YesNo, read, shown
from controller.events.words import Colour, GivenHow, Piece, QueenState, Seat

VERSION = 1
ENDING = "carrom.json"
"""Of a file with a document."""
NOTATION = Limits(16 * 2**20)
"""A match of 2000 strokes, each with all that was seen, has some four million bytes."""
NOT_NOTED = (Start, Correct, Challenge, Verdict)
"""Events that stand in no record: the start stands before it, a correction and a verdict in what they corrected."""
FIX = "Fix: write it as docs/notation.md says, or ask whoever wrote the file"


class _Open(FromJson):
    """What may have more fields than are known here: they are left unread."""

    __slots__ = ()
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="ignore")


def _day(value: str) -> str:
    try:
        datetime.fromisoformat(value)
    except ValueError:
        raise ValueError(f"must be a date or a time as 2026-05-01T18:30:00+05:30, not {shown(value)}") from None
    return value


def _of_the_record(value: Any) -> Event:
    try:
        event = event_from_json(value)
    except EventError as error:
        raise ValueError(f"cannot be read: {error}") from error
    if isinstance(event, NOT_NOTED):
        raise ValueError(f"cannot be {event.event}: docs/notation.md says where that stands")
    return event


Facts = Annotated[
    Event, PlainValidator(_of_the_record), PlainSerializer(event_to_json), WithJsonSchema({"type": "object"})
]
"""An event as `carrom rule` reads it, of any kind that stands in a record; its schema is the event's."""
Clause = Annotated[Text, Field(min_length=1)]
Day = Annotated[Text, AfterValidator(_day)]


@dataclass(frozen=True, slots=True)
class Occasion(_Open):
    """What the match was part of, where and when it was played. `began`: a date, or a date and time with its offset."""

    competition: Name | None = None
    round: Name | None = None
    referee: Name | None = None
    table: Name | None = None
    place: Name | None = None
    began: Day | None = None


@dataclass(frozen=True, slots=True)
class PlayedBy(_Open):
    """The rulebook. `policy`: the values that differ from the book's own. `house`: it is no official book."""

    id: Clause
    title: Text | None = None
    house: YesNo = False
    policy: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Person(_Open):
    """A player, named by the seat of the start for the whole match; `side`: the seat that names the side."""

    seat: Seat
    name: Player
    side: Seat


@dataclass(frozen=True, slots=True)
class Opening(_Open):
    """The rest of what the match started with, as in the event `start`; `set`: as in a record's entry."""

    first: Seat | None = None
    white: Seat | None = None
    toss: Toss | None = None
    position: Position | None = None
    tournament: YesNo = False
    autonomy: dict[Text, Text] = field(default_factory=dict)
    board: dict[str, Any] = field(default_factory=dict)
    set: tuple[RulingSet, ...] = ()


@dataclass(frozen=True, slots=True)
class FoulNoted(_Open):
    """A violation that was ruled."""

    clause: Clause


@dataclass(frozen=True, slots=True)
class BackNoted(_Open):
    """A piece put back other than as a due. `side`: its owner, None for the queen."""

    piece: Piece
    why: Clause
    side: Seat | None = None


@dataclass(frozen=True, slots=True)
class DueNoted(_Open):
    """`pieces` were paid, `owed` put on the account."""

    side: Seat
    pieces: Count
    owed: Count
    why: Clause


@dataclass(frozen=True, slots=True)
class BoardNoted(_Open):
    """The board after a ruling; the winner is a side."""

    number: Annotated[int, Field(ge=0, le=999, strict=True)]
    over: YesNo
    points: Count
    on_demand: Count | None = None
    drawn: YesNo | None = None
    winner: Seat | None = None
    why: Clause | None = None


@dataclass(frozen=True, slots=True)
class RulingNoted(_Open):
    """What came of an entry; None: the document does not say."""

    fouls: tuple[FoulNoted, ...] | None = None
    cites: tuple[Clause, ...] | None = None
    returned: tuple[BackNoted, ...] | None = None
    dues: tuple[DueNoted, ...] | None = None
    void: YesNo | None = None
    provisional: YesNo | None = None
    turn: Seat | None = None
    turn_kept: YesNo | None = None
    queen: QueenState | None = None
    queen_side: Seat | None = None
    left: dict[Piece, Count] | None = None
    in_hand: dict[Seat, Count] | None = None
    owed: dict[Seat, Count] | None = None
    board: BoardNoted | None = None
    score: dict[Seat, Score] | None = None
    games: dict[Seat, Count] | None = None
    game_over: YesNo | None = None
    match_over: YesNo | None = None
    winner: Seat | None = None
    ranking: tuple[Seat, ...] | None = None


@dataclass(frozen=True, slots=True)
class Called(_Open):
    """What the umpire called about a clause in this entry, after it was played."""

    clause: Clause
    how: Annotated[Literal["confirmed", "foul", "waved_off"], Field(alias="as")]


@dataclass(frozen=True, slots=True)
class Answered(_Open):
    """What was answered about a fact, where others of the same entry are still in doubt."""

    fact: Text
    choice: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted(_Open):
    """One entry of a record: a stroke, or whatever else happened.

    `seq`: its number in the match. `stroke`: of a stroke, its number on the board. `t`: seconds since the match began.
    `player`: who struck, or whom it was about. `as_played`: what held at the table and stays so, where a later
    correction says otherwise: the stroke was on turn, was put back as out of turn, or the match was still under way.
    `set`: what the umpire set in the ruling.
    """

    seq: Annotated[Whole, Field(ge=2)]
    stroke: Annotated[Whole, Field(ge=1)] | None = None
    t: Positive | None = None
    player: Seat | None = None
    facts: Facts
    called: tuple[Called, ...] = ()
    answers: tuple[Answered, ...] = ()
    as_played: Literal["on_turn", "put_back", "under_way"] | None = None
    set: tuple[RulingSet, ...] = ()
    corrected: YesNo = False
    answered: YesNo = False
    asked: YesNo = False
    ruling: RulingNoted = field(default_factory=RulingNoted)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardPlayed(_Open):
    """One set-up of the pieces, and what was played from it. `breaks`: a player; `queen`: the side that covered her.

    `over` False: it is still being played, or was set up again before its end. `score`: of the game, after it.
    """

    game: Annotated[Whole, Field(ge=1)]
    board: Annotated[int, Field(ge=0, le=999, strict=True)]
    trial: YesNo = False
    breaks: Seat | None = None
    colours: dict[Seat, Colour] = field(default_factory=dict)
    over: YesNo | None = None
    winner: Seat | None = None
    points: Count | None = None
    drawn: YesNo | None = None
    why: Clause | None = None
    queen: Seat | None = None
    score: dict[Seat, Score] = field(default_factory=dict)
    record: tuple[Noted, ...] = ()


@dataclass(frozen=True, slots=True)
class GivenNoted(_Open):
    """A side forfeited, was disqualified or conceded. `game`: the number of the game that was not played out."""

    side: Seat
    how: GivenHow
    of: Literal["game", "match"]
    game: Annotated[Whole, Field(ge=1)]
    why: Clause | None = None


@dataclass(frozen=True, slots=True)
class Outcome(_Open):
    """How the match ended, or stands: `how` is `unfinished` then. Winner and ranking are sides."""

    how: Literal["played", "forfeit", "disqualify", "concede", "unfinished"]
    winner: Seat | None = None
    score: dict[Seat, Score] = field(default_factory=dict)
    games: dict[Seat, Count] = field(default_factory=dict)
    ranking: tuple[Seat, ...] = ()
    given: tuple[GivenNoted, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Notation(_Open):
    """A whole match. `players`: in the order of the start. `program`: what wrote it."""

    notation: Literal[1] = 1
    program: Name | None = None
    event: Occasion = Occasion()
    book: PlayedBy
    players: Annotated[tuple[Person, ...], Field(min_length=2, max_length=4)]
    start: Opening = Opening()
    boards: tuple[BoardPlayed, ...]
    result: Outcome

    def entries(self) -> Iterator[tuple[str, BoardPlayed, Noted]]:
        """Yields every entry of the record in order, with its JSON path and its board."""
        for number, board in enumerate(self.boards):
            for place, entry in enumerate(board.record):
                yield f"$.boards[{number}].record[{place}]", board, entry

    def start_event(self) -> Start:
        """The event that the match began with, as the rules take it."""
        teams: dict[Seat, list[Seat]] = {}
        for one in self.players:
            teams.setdefault(one.side, []).append(one.seat)
        return Start(
            self.book.id,
            {one.seat: one.name for one in self.players},
            first=self.start.first,
            white=self.start.white,
            teams=list(teams.values()),
            policy=self.book.policy,
            position=self.start.position,
            toss=self.start.toss,
            tournament=self.start.tournament,
            autonomy=self.start.autonomy,
            board=self.start.board,
        )


_ADAPTER: TypeAdapter[Notation] = TypeAdapter(Notation)


def read_notation(raw: str | bytes) -> Notation:
    """Reads a document. Raises UnreadableError: what is wrong, where as a JSON path, and the way out, on one line."""
    try:
        body = json_object(raw, NOTATION)
    except UnreadableError as error:
        raise UnreadableError(f"{error}. Fix: get the whole file again; it holds no carrom notation") from error
    _check_version(body)
    try:
        found = read(_ADAPTER, body, "$")
    except EventError as error:
        raise UnreadableError(f"{error}. {FIX}") from error
    for where, wrong in _contradictions(found):
        raise UnreadableError(f"{where} {wrong}. {FIX}")
    return found


def notation_text(document: Notation) -> str:
    """Writes a document: a line for each entry of the record, so that people and version control can read it."""
    body = _ADAPTER.dump_python(document, mode="json", by_alias=True, exclude_defaults=True, warnings=False)
    boards = body.pop("boards", [])
    head = [f'"notation": {VERSION}', *(f"{json_text(key)}: {json_text(value)}" for key, value in body.items())]
    return "{" + ",\n".join((*head, f'"boards": [{",".join(map(_board_text, boards))}]')) + "}\n"


def _board_text(board: dict[str, Any]) -> str:
    record = ",".join(f"\n{json_text(entry)}" for entry in board.pop("record", ()))
    return f'\n{json_text(board)[:-1]},"record":[{record}]}}'


def _check_version(body: Mapping[str, Any]) -> None:
    version = body.get("notation")
    if type(version) is not int or version < 1:
        raise UnreadableError(f"$.notation must be the number of a version, 1 or more, not {shown(version)}. {FIX}")
    if version > VERSION:
        raise UnreadableError(
            f"$.notation is version {version}, and this program reads up to {VERSION}. "
            f"Fix: update this program, or have the file written as version {VERSION}"
        )


def _contradictions(found: Notation) -> Iterator[tuple[str, str]]:
    """Yields what no type says: where, and what is wrong with it."""
    yield from _of_players(found)
    sides = {one.side for one in found.players}
    for number, board in enumerate(found.boards):
        of_sides = (*board.colours, *board.score, board.winner, board.queen)
        yield from _strangers(f"$.boards[{number}]", of_sides, sides, "side")
        yield from _strangers(
            f"$.boards[{number}].breaks", (board.breaks,), {one.seat for one in found.players}, "player"
        )
    latest, strokes, where_board = 1, 0, ""
    for where, _board, entry in found.entries():
        if (board_at := where.partition(".record")[0]) != where_board:
            where_board, strokes = board_at, 0
        if entry.seq <= latest:
            yield f"{where}.seq", f"must be more than {latest}, the number of the entry before, not {entry.seq}"
        latest = entry.seq
        if isinstance(entry.facts, Shot):
            strokes += 1
            if entry.stroke != strokes:
                yield f"{where}.stroke", f"must be {strokes}, the board's next stroke, not {entry.stroke}"
        elif entry.stroke is not None:
            yield f"{where}.stroke", f"stands with a stroke alone, not with {entry.facts.event}"
        yield from _strangers(f"{where}.player", (entry.player,), {one.seat for one in found.players}, "player")
        of_sides = _sides_in(entry.ruling)
        yield from _strangers(f"{where}.ruling", of_sides, sides, "side")
    result = found.result
    of_result = (result.winner, *result.score, *result.games, *result.ranking, *(one.side for one in result.given))
    yield from _strangers("$.result", of_result, sides, "side")


def _of_players(found: Notation) -> Iterator[tuple[str, str]]:
    seats: set[str] = set()
    names: set[str] = set()
    for number, one in enumerate(found.players):
        if one.seat in seats:
            yield f"$.players[{number}].seat", f"has two players at {one.seat}"
        if name_key(one.name) in names:
            yield f"$.players[{number}].name", f"has two players named {one.name}"
        seats.add(one.seat)
        names.add(name_key(one.name))
        first = next(other.seat for other in found.players if other.side == one.side)
        if one.side != first:
            yield f"$.players[{number}].side", f"must be {first}, the side's first seat, not {one.side}"


def _sides_in(ruling: RulingNoted) -> tuple[Seat | None, ...]:
    return (
        *(ruling.in_hand or ()),
        *(ruling.owed or ()),
        *(ruling.score or ()),
        *(ruling.games or ()),
        *(ruling.ranking or ()),
        *(one.side for one in ruling.returned or ()),
        *(one.side for one in ruling.dues or ()),
        ruling.queen_side,
        ruling.winner,
        None if ruling.board is None else ruling.board.winner,
    )


def _strangers(where: str, named: tuple[Seat | None, ...], known: set[Seat], what: str) -> Iterator[tuple[str, str]]:
    for one in named:
        if one is not None and one not in known:
            yield where, f"names {one}, which is no {what} of $.players"
