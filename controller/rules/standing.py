"""What stands now, for whoever shows it: the match in words, open questions, and what hangs on them.

Everything is computed from the state; nothing here changes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from controller.events.errors import EventError
from controller.events.match import FACTS, Answer
from controller.events.ruling import Challenged, Question, Ruling
from controller.events.words import Colour, Seat
from controller.rules.book import Book
from controller.rules.challenges import left, pending
from controller.rules.history import extend
from controller.rules.questions import NONE, REPLAY
from controller.rules.umpire import MatchState


@dataclass(frozen=True, slots=True)
class SideNow:
    """A side as it sits now: `seats` of its players in the order of `names`."""

    name: Seat
    names: tuple[str, ...]
    seats: tuple[Seat, ...]
    colour: Colour | None


@dataclass(frozen=True, slots=True)
class Standing:
    """The match in words. `policy`: the values in force. `round_over`: the board
    under way is the last. `challenges`: those without a verdict, first to last: until then strokes are refused.
    `challenges_left`: how many each side may still lose."""

    book: str
    title: str
    official: bool
    policy: Mapping[str, Any]
    sides: tuple[SideNow, ...]
    game: int
    board: int
    match_over: bool
    paused: bool
    trial: bool
    tournament: bool
    blocked: str | None
    fixture: str
    round_over: bool
    challenges: tuple[Challenged, ...]
    challenges_left: Mapping[Seat, int]


def standing(state: MatchState) -> Standing | None:
    """Returns what stands now; None before the first start."""
    play = state.play
    if play is None:
        return None
    match, book, tie = play.match, play.book, play.tie_next
    sides = []
    for number, name in enumerate(match.sides):
        players = [player for player, side in match.side_of.items() if side == number]
        colour = next((tie[player] for player in players if player in tie), play.colour(number))
        sides.append(
            SideNow(
                name,
                tuple(match.names[player] for player in players),
                tuple(seat for player in players if (seat := play.seat(player)) is not None),
                colour,
            )
        )
    return Standing(
        book=book.id,
        title=book.title,
        official=not book.house,
        policy=book.policy,
        sides=tuple(sides),
        game=play.game,
        board=play.board,
        match_over=play.phase == "done",
        paused=play.paused,
        trial=play.trial_from is not None,
        tournament=match.tournament,
        blocked=play.blocked,
        fixture=match.fixture,
        round_over=play.round_over,
        challenges=pending(play),
        challenges_left=left(play),
    )


def challenged(state: MatchState) -> bool:
    """Says whether a challenge waits for its verdict."""
    return state.play is not None and bool(pending(state.play))


def open_questions(state: MatchState) -> tuple[Question, ...]:
    """Returns the questions that are still open, oldest first; `seat` as the players sit now."""
    play = state.play
    if play is None:
        return ()
    now = standing(state) if play.book.policy["officiating"] == "players" else None
    found = []
    for one in sorted(play.asks, key=lambda one: one.seq):
        answered = {side for side, _ in one.said}
        sides = now.sides if now is not None else ()
        still = tuple(side.seats[0] for number, side in enumerate(sides) if number not in answered and side.seats)
        found.append(replace(one, seat=play.seat(one.seat), sides=still))
    return tuple(found)


MOST_ALTERNATIVES = 16
"""Each rules again on everything since its question was asked; a stroke asks two or three things at most."""


def alternatives(state: MatchState) -> tuple[Ruling, ...] | None:
    """Returns the latest ruling as it would be with each other answer to each open doubt.

    Figures that differ between these and the ruling now hang on a question. None: there are too many to try, and
    anything may hang on them.
    """
    if state.last is None:
        return ()
    answers = [
        Answer(waiting.ask, choice)
        for waiting in state.last.after.asks
        if waiting.about in ("fact", "blank", "put back")
        for choice in waiting.choices
        if choice not in (NONE, REPLAY)
    ]
    if len(answers) > MOST_ALTERNATIVES:
        return None
    found: list[Ruling] = []
    for answer in answers:
        with suppress(EventError):
            found.append(extend(state.last, state.seq + 1, answer, state.books).ruling)
    return tuple(found)


def table_autonomy(book: Book) -> dict[str, str]:
    """Returns the autonomy that a real table starts with where it differs from the book: line and motion calls wait
    for the umpire's confirmation, and so does what a camera's one look would start the board again for; what beams and
    clocks say is ruled on at once."""
    return {
        clause.id: "confirm"
        for clause in book.clauses.values()
        if clause.autonomy == "rule"
        and (
            (clause.consequence == "foul" and any(_is_line_call(fact) for fact in clause.needs))
            or (clause.consequence == "replay_board" and clause.seen)
        )
    }


def _is_line_call(needed: str) -> bool:
    whole = FACTS.get(needed.partition(".")[0])
    return whole is not None and whole.fact.line_call
