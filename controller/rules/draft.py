"""A ruling under construction, and how it becomes a Ruling.

The only mutable value of this room; it never outlives one event. A clause that is switched off cannot get in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from controller.events.errors import EventError
from controller.events.expectation import ToPlace
from controller.events.ruling import BoardState, Due, Foul, PlaceNow, PlaceWithin, Question, Returned, Ruling, Within
from controller.events.words import Seat
from controller.rules import challenges
from controller.rules.book import Book
from controller.rules.play import Play

WORDS = frozenset({"call", "answer", "void", "override", "correct", "verdict"})
"""Events that may change earlier rulings: theirs say which, and what lies to be placed now."""

NO_LONGER = "does not apply any more"
FALLS = "confirmed, and not ruled any more: "
"""How the notes begin of an event that a later word has made impossible, and of what was confirmed about it."""


@dataclass(slots=True)
class Draft:
    """What one event brings about, collected while it is ruled on.

    `confirm`: clauses raised that wait for the umpire's word. `kept`: whether the turn question arises at all.
    `put_back`: a stroke out of turn, which stays void; `was_on_turn`: it turned out to be on turn. `turn`: who was on
    turn, where it is not whom the state before names.
    """

    book: Book
    fouls: list[Foul] = field(default_factory=list)
    cites: list[str] = field(default_factory=list)
    returned: list[Returned] = field(default_factory=list)
    dues: list[Due] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    asks: list[Question] = field(default_factory=list)
    confirm: list[str] = field(default_factory=list)
    provisional: bool = False
    void: bool = False
    put_back: bool = False
    was_on_turn: bool = False
    turn: Seat | None = None
    unseen: tuple[str, ...] = ()
    about_turn: bool = False
    seat: Seat | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    def cite(self, *clauses: str | None) -> None:
        """Adds clauses that decided, each once."""
        for clause in clauses:
            if clause and clause not in self.cites and clause not in self.book.off:
                self.cites.append(clause)
                self.cite(*self.book.clauses[clause].also)

    def cite_role(self, *roles: str) -> None:
        """Adds the clauses the book puts to situations of the core."""
        for role in roles:
            self.cite(self.book.role(role))

    def foul(self, clause: str, to_confirm: bool = False) -> None:
        """Adds a violation, once."""
        if clause in self.book.off or any(f.clause == clause for f in self.fouls):
            return
        says = self.book.clauses[clause].says
        self.fouls.append(Foul(clause, says, "to confirm" if to_confirm else "ruled"))
        if to_confirm:
            self.confirm.append(clause)
        self.cite(clause)

    def why(self, role: str, otherwise: str | None = None) -> str:
        """Returns the clause for a situation, a given one, or one of the book's scoring clauses.

        Raises EventError where the book has nothing of the kind.
        """
        clause = self.book.role(role) or otherwise
        if clause is None:
            clause = next((one.id for one in self.book.clauses.values() if one.consequence == "score"), None)
        if clause is None:
            raise EventError(f"{self.book.id} has no clause for this ({role}): name one in the call")
        return clause


def finish(draft: Draft, seq: int, event: str, before: Play | None, play: Play) -> Ruling:
    """Makes the ruling from the draft and the state after it."""
    match = play.match
    sides = match.sides
    ended = play.ended
    kept: bool | None = None
    if draft.about_turn and before is not None and play.phase == "play" and ended is None:
        kept = play.turn == (draft.turn or before.turn)
    of_challenge = event in challenges.EVENTS or (before is not None and before.challenges != play.challenges)
    extra = draft.extra if play.trial_from is None else {**draft.extra, "trial": True}
    return Ruling(
        seq=seq,
        event=event,
        seat=draft.seat,
        turn=play.seat(play.turn),
        queen=play.queen,
        queen_side=None if play.queen_side is None else sides[play.queen_side],
        left={"white": play.white_left, "black": play.black_left, "queen": int(play.queen_in)},
        in_hand=dict(zip(sides, map(play.hand, range(len(sides))), strict=True)),
        owed=dict(zip(sides, play.owed, strict=True)),
        board=BoardState(play.board)
        if ended is None
        else BoardState(
            number=play.board,
            over=True,
            winner=None if ended.winner is None else sides[ended.winner],
            points=ended.points,
            on_demand=ended.demand,
            drawn=ended.winner is None and not ended.tied,
            why=ended.why,
            slam=ended.slam,
        ),
        score=dict(zip(sides, play.score, strict=True)),
        games=dict(zip(sides, play.games, strict=True)),
        fouls=tuple(draft.fouls),
        cites=tuple(draft.cites),
        returned=tuple(draft.returned),
        dues=tuple(draft.dues),
        asks=tuple(draft.asks),
        provisional=draft.provisional,
        unseen=draft.unseen,
        notes=tuple(draft.notes),
        void=draft.void,
        turn_kept=kept,
        game_over=play.game_over,
        match_over=play.phase == "done",
        winner=None if play.winner is None else sides[play.winner],
        ranking=play.ranking if len(sides) > 2 else None,
        given=play.given or None,
        challenge=challenges.spoken_of(play, seq),
        challenges_left=challenges.left(play) if of_challenge else None,
        changed=() if event in WORDS else None,
        place_now=laid_out(play.to_place) if event in WORDS else None,
        take_off=() if event in WORDS else None,
        extra=extra,
    )


def laid_out(waiting: Sequence[ToPlace]) -> tuple[PlaceNow | PlaceWithin, ...]:
    """Says what lies to be placed in the terms of a ruling."""
    return tuple(
        PlaceNow(one.piece, one.side, one.at_mm)
        if one.within is None
        else PlaceWithin(one.piece, one.side, Within(*one.within))
        for one in waiting
    )
