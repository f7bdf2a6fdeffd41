"""Questions put to the umpire: the engine's own, and those of a board that is not as the book says. Pure.

Both are answered by the same `answer` event: `ask` is the engine's number, or the name of the mismatch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from controller.events.errors import EventError
from controller.events.match import Event
from controller.events.ruling import Question
from controller.mqtt.payloads import Alert, Level
from controller.shots.outputs import Mismatch

NOTED = "seen"
"""The answer to a mismatch that offers no choices."""


def question_alert(question: Question, t: float, picture: int | None = None) -> Alert:
    """The standing alert of an open question of the engine."""
    choices = " / ".join(in_words(choice) for choice in question.choices)
    says = f"{question.question} ({choices})"
    return Alert(alert_id(question.ask), "ask", says, t, question.clause, question.seat, picture)


def in_words(choice: Any) -> str:
    """A choice as a person says it: a word, pieces with their pockets, or several facts at once."""
    if isinstance(choice, bool):
        return "yes" if choice else "no"
    if isinstance(choice, Mapping):
        if "piece" in choice:
            return f"{choice['piece']} in {choice['pocket']}" if choice.get("pocket") else str(choice["piece"])
        return "; ".join(_fact_in_words(fact, value) for fact, value in choice.items())
    if isinstance(choice, Sequence) and not isinstance(choice, str):
        return ", ".join(in_words(one) for one in choice) or "nothing"
    return str(choice).replace("_", " ")


def _fact_in_words(fact: str, value: Any) -> str:
    plain = fact.replace("_", " ")
    before, none = _FACTS.get(fact, (f"{plain}: ", f"{plain}: none"))
    return none if isinstance(value, Sequence) and not value else before + in_words(value)


_FACTS = {"pocketed": ("", "nothing fell"), "off_board": ("off the board: ", "nothing left the board")}


def alert_id(ask: int | str) -> str:
    """The name of a question's standing alert: a topic's last level."""
    return f"ask-{ask}".replace(".", "-")


def mismatch_name(mismatch: Mismatch) -> str:
    """The name of a mismatch's standing alert, and of its question."""
    return f"board-{mismatch.kind.replace('_', '-')}"


def mismatch_alert(mismatch: Mismatch, t: float) -> Alert:
    """The standing alert of a board that is not as the book says."""
    level: Level = "ask" if mismatch.question else "warning"
    return Alert(mismatch_name(mismatch), level, mismatch.question or mismatch.says, t, picture=mismatch.picture)


def mismatch_answer(event: Mapping[str, Any], open_now: Mapping[str, Mismatch]) -> tuple[str, Event | None] | None:
    """Returns which mismatch an event answers, and the event that its choice stands for; None if it answers none.

    Raises EventError for a choice that it does not offer.
    """
    name = event.get("ask")
    if event.get("event") != "answer" or not isinstance(name, str) or name not in open_now:
        return None
    offered = {choice.says: choice.event for choice in open_now[name].choices} or {NOTED: None}
    choice = event.get("choice")
    if not isinstance(choice, str) or choice not in offered:
        raise EventError(f"choice must be one of {', '.join(offered)}, not {choice!r}")
    return name, offered[choice]


def mismatch_question(name: str, mismatch: Mismatch) -> Question:
    """The question of a board that is not as the book says."""
    choices = tuple(choice.says for choice in mismatch.choices) or (NOTED,)
    says = mismatch.question or mismatch.says
    return Question(name, says, choices, "board", mismatch.kind, picture=mismatch.picture)
