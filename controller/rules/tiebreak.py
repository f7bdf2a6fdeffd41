"""The tie-break board of `world-point` (world-24): who plays it, and the question for the colour.

The tied players are asked in turn order: the first chooses the colour, the other breaks. A third one plays the winner.
"""

from __future__ import annotations

from dataclasses import replace

from controller.events.errors import EventError
from controller.events.match import Answer
from controller.events.ruling import Question
from controller.events.words import Colour
from controller.rules.draft import Draft
from controller.rules.play import Play
from controller.rules.questions import ask, not_open


def ask_colour(play: Play, seq: int, number: int | str, draft: Draft) -> Play:
    """Asks the first tied player which colour to play on the tie-break board; `number` is the question's id."""
    assert play.ended is not None
    first = play.ended.tied[0]
    seat = play.seat(first)
    question = f"Which colour does {play.match.names[first]} play on the tie-break board?"
    return ask(play, draft, Question(number, question, ("white", "black"), "colour", first, seq, seat))


def choose_colour(play: Play, waiting: Question, answer: Answer, draft: Draft) -> Play:
    """Gives the colours of the tie-break board, which opens as any next board. Raises EventError for anything else."""
    if play.ended is None or not play.ended.tied:
        raise not_open(answer.ask)
    if answer.choice not in waiting.choices:
        raise EventError(f"choice must be one of {', '.join(waiting.choices)}, not {answer.choice!r}")
    draft.cite_role("tie_break")
    first, second = play.ended.tied[:2]
    other: Colour = "black" if answer.choice == "white" else "white"
    asks = tuple(one for one in play.asks if one is not waiting)
    colours = ((first, answer.choice), (second, other))
    return play.but(asks=asks, ended=replace(play.ended, colours=colours), turn=second)
