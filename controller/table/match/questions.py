"""Questions put to the umpire: the engine's own, and those of a board that is not as the book says. Pure.

Both are answered by the same `answer` event: `ask` is the engine's number, or the name of the mismatch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from controller.events.errors import EventError
from controller.events.match import Event, Placed, Position, RestPiece, SetPosition
from controller.events.observation import BoardSeen
from controller.events.ruling import Challenged, Question
from controller.events.words import QueenState
from controller.mqtt.payloads import Alert, Level
from controller.shots.outputs import Mismatch

NOTED = "seen"
"""The answer to a mismatch of which nothing follows."""

ASK_AGAIN = "ask again"
"""Takes an answer to a mismatch back of which nothing followed."""

AS_IT_LIES = "accept the board as it lies"
"""The answer to every mismatch that makes the board right and the book wrong."""


def question_alert(
    question: Question, t: float, picture: int | None = None, clip: tuple[int, int] | None = None
) -> Alert:
    """The standing alert of an open question of the engine."""
    choices = " / ".join(in_words(choice) for choice in question.choices)
    says = f"{question.question} ({choices})"
    about = (question.clause, question.seat, picture, clip, question.ask, question.choices)
    return Alert(alert_id(question.ask), "ask", says, t, *about)


def challenge_alert(
    challenge: Challenged, t: float, picture: int | None = None, clip: tuple[int, int] | None = None
) -> Alert:
    """The standing alert of a challenge that waits for its verdict. It names no player: everybody may read it."""
    side, number, about = challenge.side, challenge.stroke, challenge.about.replace("_", " ")
    says = f"{side} challenges stroke {number}: {about}"
    return Alert(f"challenge-{challenge.seq}", "ask", says, t, seat=side, picture=picture, clip=clip)


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
    asked = mismatch_question(mismatch_name(mismatch), mismatch)
    alert = Alert(str(asked.ask), level, asked.question, t, picture=mismatch.picture)
    return replace(alert, ask=asked.ask, choices=asked.choices) if level == "ask" else alert


def mismatch_answer(
    event: Mapping[str, Any],
    open_now: Mapping[str, Mismatch],
    seen: BoardSeen | None,
    ruling: Mapping[str, Any] | None,
) -> tuple[str, tuple[Event, ...]] | None:
    """Returns which mismatch an event answers, and the events that its choice stands for; None if it answers none.

    `seen`: the board as it lies now; `ruling`: the latest. Raises EventError for a choice that it does not offer, and
    where the board cannot be taken as it lies.
    """
    name = event.get("ask")
    if event.get("event") != "answer" or not isinstance(name, str) or name not in open_now:
        return None
    offered = {one.says: one.event for one in open_now[name].choices}
    choice = event.get("choice")
    if choice == AS_IT_LIES:
        return name, _board_as_it_lies(seen, ruling)
    if not isinstance(choice, str) or choice not in (*offered, NOTED):
        raise EventError(f"choice must be one of {', '.join((*offered, NOTED, AS_IT_LIES))}, not {choice!r}")
    meant = offered.get(choice)
    return name, (() if meant is None else (meant,))


def _board_as_it_lies(seen: BoardSeen | None, ruling: Mapping[str, Any] | None) -> tuple[Event, ...]:
    """The events that make a seen board the right one: how many are left, and where they lie. The score stays.

    Raises EventError where the board is not seen whole, or does not say whose the queen is.
    """
    if seen is None or ruling is None:
        raise EventError("the camera has not seen the board: set score and board right by hand")
    if seen.hidden or seen.hands:
        raise EventError("a part of the board is hidden: take away what lies over it, and say it again")
    lying = [piece for piece in seen.pieces if piece.piece != "striker"]
    if any(piece.piece == "unknown" for piece in lying):
        raise EventError("a piece is not recognised: set score and board right by hand")
    count = Counter(piece.piece for piece in lying)
    if count["queen"] > 1:
        raise EventError("two queens are seen: set score and board right by hand")
    left: dict[Literal["white", "black", "queen"], int] = {"white": count["white"], "black": count["black"]}
    known = ruling["left"]
    changed = any(known.get(piece) != number for piece, number in left.items())
    if count["queen"] == 0 and ruling["queen"] == "board" and known.get("queen"):
        raise EventError("the queen is not on the board: say whose she is under «set score and board right»")
    queen: QueenState | None = "board" if count["queen"] and ruling["queen"] != "board" else None
    placed = Placed(tuple(RestPiece(piece.piece, round(piece.x_mm, 1), round(piece.y_mm, 1)) for piece in lying))
    if not changed and queen is None:
        return (placed,)
    return SetPosition(Position(left=left, queen=queen), reason=AS_IT_LIES), placed


def mismatch_question(name: str, mismatch: Mismatch) -> Question:
    """The question of a board that is not as the book says."""
    choices = (*(choice.says for choice in mismatch.choices), AS_IT_LIES, *(() if mismatch.choices else (NOTED,)))
    says = mismatch.question or mismatch.says
    return Question(name, says, choices, "board", mismatch.kind, picture=mismatch.picture)
