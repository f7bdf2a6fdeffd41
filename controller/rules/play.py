"""The state of play: everything a ruling depends on, as one frozen value.

Players are named by the seat they sat on at the start, whatever chair they have moved to since; sides are numbered in
the order of `start.seats` and named by their first seat. Must not know how a ruling comes about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from calibration.board import Board
from controller.events.expectation import ToPlace
from controller.events.match import RestPiece, Toss
from controller.events.ruling import Challenged, Given, Question
from controller.events.words import Colour, Piece, Pocket, QueenState, Seat
from controller.rules.book import Book

ANTICLOCKWISE: tuple[Seat, ...] = ("south", "east", "north", "west")
"""The seats seen from above; the next one is at the player's right hand."""


@dataclass(frozen=True, slots=True)
class Match:
    """What the start fixed for the whole match.

    `sides`: their names. `side_of`: player → number of the side. `names`: player → what people call him or her.
    `board`: what it is played on. `fixture`: the key of the club's fixture that it is; nothing is ruled by it.
    """

    book: Book
    sides: tuple[Seat, ...]
    side_of: Mapping[Seat, int]
    names: Mapping[Seat, str]
    tournament: bool = False
    toss: Toss | None = None
    board: Board = field(kw_only=True)
    fixture: str = field(default="", kw_only=True)


@dataclass(frozen=True, slots=True)
class Ended:
    """How the board ended; `winner` is a side's number."""

    winner: int | None
    points: int
    why: str | None
    """The clause by which it ended; None for a draw or forfeit that no clause of the book speaks of."""
    demand: int = 0
    replay: bool = False
    claimed: int = 0
    given: bool = False
    """Match or game were given (forfeit, disqualification), whatever the score says."""
    tied: tuple[Seat, ...] = ()
    """Players who are level where a tie-break board decides."""
    colours: tuple[tuple[Seat, Colour], ...] = ()
    """The colours chosen for the tie-break board that comes next."""
    agreed: bool = False
    """The board is drawn by agreement (or by override), whoever leads."""
    slam: Colour | None = None
    """The winner made a slam (icf-26), as the one or the other colour."""


@dataclass(frozen=True)
class Play:
    """One moment of a match.

    `chairs`: physical seat → player. `phase`: `play`; `over` (the board is over, the next not open); `done` (match
    over). `trial_from`: the state a trial board will be put back to. `ready`: «play» was called for this board.
    `breaker`, `game_breaker`: who breaks this board, who broke this game. `white`: number of white's side, None while
    open. `hands`: what each side pocketed, in order (only where the book keeps hands so). `had`: the side had
    something in hand at some time of this board. `queen_in`: she lies on the board. `strokes`: of this turn. `turns`:
    turns begun in this board. `quiet`: strokes in a row with nothing pocketed. `robbed`: strokes in which each side
    pocketed opponent's pieces. `missed`: turns missed in a row. `opened`: scores when the board opened. `won_before`:
    games when the board opened. `last`: the latest stroke that counts, as (seq, player): calls about a
    stroke, and challenges, are about it until the next. `blocked`: the clause that
    keeps the board from starting. `tie`: player → colour on a tie-break board. `waiting`: players who still have to
    play its winner. `to_place`: what lies to be placed now; `ordered`: everything that rulings of this board have had
    placed, `to_place` included. `out`: sides that have left a match of more than two, first to last. `rack`: how often
    the pieces have been set up: states of one number are states of one board. `given`: who forfeited, was disqualified
    or conceded so far. `challenges`: all of the match, first to last.
    """

    match: Match
    chairs: Mapping[Seat, Seat]
    turn: Seat | None
    breaker: Seat
    game_breaker: Seat
    white: int | None
    white_left: int
    black_left: int
    queen: QueenState
    owed: tuple[int, ...]
    hands: tuple[tuple[Piece, ...], ...]
    had: tuple[bool, ...]
    score: tuple[int, ...]
    games: tuple[int, ...]
    opened: tuple[int, ...]
    won_before: tuple[int, ...]
    robbed: tuple[int, ...]
    missed: tuple[int, ...]
    phase: Literal["play", "over", "done"] = "play"
    paused: bool = False
    trial_from: Play | None = None
    ready: bool = False
    game: int = 1
    board: int = 1
    queen_side: int | None = None
    queen_pocket: Pocket | None = None
    queen_in: bool = True
    break_done: bool = False
    tries: int = 0
    strokes: int = 0
    turns: int = 1
    quiet: int = 0
    passes: int = 0
    ended: Ended | None = None
    game_over: bool = False
    winner: int | None = None
    round_over: bool = False
    blocked: str | None = None
    last: tuple[int, Seat] | None = None
    asks: tuple[Question, ...] = ()
    rest: tuple[RestPiece, ...] | None = None
    to_place: tuple[ToPlace, ...] = ()
    ordered: tuple[ToPlace, ...] = ()
    tie: Mapping[Seat, Colour] = field(default_factory=dict)
    warned: tuple[tuple[int, str], ...] = ()
    waiting: tuple[Seat, ...] = ()
    out: tuple[int, ...] = ()
    rack: int = 0
    given: tuple[Given, ...] = ()
    challenges: tuple[Challenged, ...] = ()

    def but(self, **changes: Any) -> Play:
        """Returns the state with some fields changed: what dataclasses.replace does, ten times as fast.

        A state has half a hundred fields and every stroke changes a few of them several times. Raises TypeError for a
        field that is not there.
        """
        if not changes.keys() <= self.__dict__.keys():
            raise TypeError(f"no such field of Play: {', '.join(changes.keys() - self.__dict__.keys())}")
        other = object.__new__(Play)
        other.__dict__.update(self.__dict__, **changes)
        return other

    @property
    def book(self) -> Book:
        """The book this match is played by."""
        return self.match.book

    def side(self, player: Seat) -> int:
        """Returns the number of a player's side."""
        return self.match.side_of[player]

    def seat(self, player: Seat | None) -> Seat | None:
        """Returns the physical seat where a player sits now."""
        if player is None:
            return None
        for seat, sitting in self.chairs.items():
            if sitting == player:
                return seat
        return None

    def order(self, pieces: tuple[ToPlace, ...]) -> Play:
        """Returns the state with more pieces to be placed."""
        return self.but(to_place=self.to_place + pieces, ordered=self.ordered + pieces)

    def ordered_less(self, piece: Piece) -> Play:
        """Returns the state in which the latest piece of a kind that was to be placed need not be."""
        at = next((i for i in reversed(range(len(self.ordered))) if self.ordered[i].piece == piece), None)
        if at is None:
            return self
        waiting = list(self.to_place)
        if self.ordered[at] in waiting:
            waiting.remove(self.ordered[at])
        return self.but(ordered=(*self.ordered[:at], *self.ordered[at + 1 :]), to_place=tuple(waiting))

    def still_given(self) -> tuple[Given, ...]:
        """Returns what stays given when the board's end is taken back: earlier games, and who is out of the match."""
        out = [self.match.sides[side] for side in self.out]
        return tuple(one for one in self.given if one.game < self.game or one.side in out)

    def nothing_to_place(self) -> Play:
        """Returns the state in which what lies to be placed is not placed any more (the board is over)."""
        ordered = list(self.ordered)
        for one in self.to_place:
            if one in ordered:
                ordered.remove(one)
        return self.but(to_place=(), ordered=tuple(ordered))

    @property
    def tie_next(self) -> Mapping[Seat, Colour]:
        """The colours of a tie-break board: the one on the table, or the one that comes next."""
        chosen = dict(self.ended.colours) if self.ended is not None else {}
        return chosen or self.tie

    def finished(self) -> str | None:
        """Says whose pieces are all gone so that no board can be under way: a colour, `pieces`, or None."""
        if not self.by_colour:
            return None if self.white_left + self.black_left + int(self.queen_in) else "pieces"
        if not self.white_left and not self.black_left:
            # nobody is left who could cover the queen
            return "pieces"
        if self.white_left and self.black_left:
            return None
        if not self.tie and self.queen != "covered" and self.book.role("goes_on") is not None:
            return None
        return "black" if self.white_left else "white"

    @property
    def by_colour(self) -> bool:
        """Says whether a side's pieces are those of its colour (family and point: only on a tie-break board)."""
        return self.book.hands == "colour" or bool(self.tie)

    def colour(self, side: int) -> Colour | None:
        """Returns a side's colour, None while it has none."""
        if self.tie:
            return next((colour for player, colour in self.tie.items() if self.side(player) == side), None)
        if self.white is None:
            return None
        return "white" if side == self.white else "black"

    def left(self, colour: Colour) -> int:
        """Returns how many pieces of a colour lie on the board."""
        return self.white_left if colour == "white" else self.black_left

    def hand(self, side: int) -> int:
        """Returns how many pieces dues can be paid from: own ones in the pockets, or what the side pocketed."""
        if not self.by_colour:
            return sum(piece != "queen" for piece in self.hands[side])
        colour = self.colour(side)
        return 0 if colour is None else self.book.pieces[colour] - self.left(colour)

    def owner(self, piece: Piece) -> int | None:
        """Returns the number of the side that owns a piece; None for the queen and where nobody does."""
        if self.tie:
            return next((self.side(player) for player, colour in self.tie.items() if colour == piece), None)
        if self.white is None or piece not in ("white", "black"):
            return None
        return self.white if piece == "white" else 1 - self.white

    @property
    def ranking(self) -> tuple[Seat, ...]:
        """The sides, best first: the winner, then by score, then who left the match (the first to leave comes last)."""

        def place(side: int) -> tuple[int, bool, int]:
            gone = len(self.out) - self.out.index(side) if side in self.out else 0
            return (gone, side != self.winner, -self.score[side])

        return tuple(self.match.sides[side] for side in sorted(range(len(self.match.sides)), key=place))

    def next_player(self, player: Seat) -> Seat:
        """Returns who plays after a player: to the right or clockwise by the book, past empty chairs."""
        here = self.seat(player)
        if here is None:
            return player
        order = ANTICLOCKWISE if self.book.rotation == "right" else ANTICLOCKWISE[::-1]
        at = order.index(here)
        for step in range(1, 5):
            sitting = self.chairs.get(order[(at + step) % 4])
            if sitting is None or self.side(sitting) in self.out:
                continue
            if not self.tie or sitting in self.tie:
                return sitting
        return player


def changed(values: tuple[Any, ...], at: int, value: Any) -> tuple[Any, ...]:
    """Returns the tuple with one element replaced."""
    return (*values[:at], value, *values[at + 1 :])
