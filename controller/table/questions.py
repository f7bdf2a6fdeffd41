"""Questions put to the umpire: the engine's own, and those of a board that is not as the book says. Pure.

Both are answered by the same `answer` event: `ask` is the engine's number, or the name of the mismatch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controller.events.match import Event
from controller.mqtt.payloads import Alert
from controller.shots.outputs import Mismatch
from controller.table.umpire import OpenQuestion


def question_alert(question: OpenQuestion, t: float) -> Alert:
    """The standing alert of an open question of the engine."""
    choices = " / ".join(str(choice) for choice in question.ask.choices)
    says = f"{question.ask.question} ({choices})"
    return Alert(alert_id(question.ask.ask), "ask", says, t, question.clause, question.seat)


def alert_id(ask: int | str) -> str:
    """The name of a question's standing alert: a topic's last level."""
    return f"ask-{ask}".replace(".", "-")


def mismatch_answer(event: Mapping[str, Any], open_now: Mapping[str, Mismatch]) -> tuple[str, Event | None] | None:
    """Returns which mismatch an event answers, and the event that its choice stands for; None if it answers none."""
    if event.get("event") != "answer" or event.get("ask") not in open_now:
        return None
    name = str(event["ask"])
    for choice in open_now[name].choices:
        if choice.says == event.get("choice"):
            return name, choice.event
    return name, None


def mismatch_question(name: str, mismatch: Mismatch) -> dict[str, Any]:
    """The console's form of a mismatch that asks."""
    return {
        "ask": name,
        "question": mismatch.question or mismatch.says,
        "choices": [choice.says for choice in mismatch.choices] or ["seen"],
        "picture": mismatch.picture,
        "says": mismatch.says,
    }
