"""Which umpire's calls are taken from the broker. Pure: messages and times in, a decision out.

A call acts once. It is refused when retained (somebody's old word), without `id` and `t`, or older than ten seconds
(a call into a dead connection must not act when it comes back); an id that was received before gets its first
answer again. An answer goes only below the table's own `reply/`: the table writes with its own rights, and a caller
must not borrow them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from controller.events.doors import EVENT, json_object, word_of
from controller.events.errors import EventError, UnreadableError
from controller.events.reading import number
from controller.mqtt.topics import Topics

OLDEST_S = 10.0
MOST_WAITING = 50
"""Calls that wait for their turn. A call takes some milliseconds, a bad one tenths of a second: what waits is done
before it is too old, and a flood neither fills the memory nor holds up the next call for longer."""
REMEMBERED = 1024
LONGEST_ID = 128


@dataclass(frozen=True, slots=True)
class Take:
    """A call that acts: the event, without the envelope, and the call's id."""

    id: str
    event: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """A call that does not act, and the reply to it."""

    body: Mapping[str, Any]


class CallDesk:
    """Remembers which calls were answered with what, the latest `REMEMBERED` of them."""

    def __init__(self) -> None:
        self._answered: OrderedDict[str, Mapping[str, Any]] = OrderedDict()

    def judge(self, payload: bytes, now: float) -> Take | Answer:
        """Decides about one message. `now` in Unix seconds."""
        try:
            body = json_object(payload, EVENT)
        except UnreadableError as error:
            return _refused("", f"a call is one JSON object; this one {error}")
        event = str(body.get("event", ""))[:LONGEST_ID]
        name, said = body.pop("id", None), body.pop("t", None)
        if not isinstance(name, str) or not name or not _is_name(name):
            return _refused(event, f"a call needs an id, a text of at most {LONGEST_ID} visible characters")
        if name in self._answered:
            return Answer(self._answered[name])
        try:
            made = number(said, "t")
        except EventError:
            return _refused(event, "a call needs t, the time it was made in Unix seconds")
        if now - made > OLDEST_S:
            return _refused(event, f"the call is {now - made:.0f} s old; calls older than {OLDEST_S:.0f} s are refused")
        if made - now > OLDEST_S:
            return _refused(event, f"the call's t lies {made - now:.0f} s ahead of the table's clock; set the clocks")
        return Take(name, body)

    def answered(self, name: str, answer: Mapping[str, Any]) -> None:
        """Remembers what a call was answered with."""
        self._answered[name] = answer
        while len(self._answered) > REMEMBERED:
            self._answered.popitem(last=False)


def too_many() -> Answer:
    """The reply to a call that finds too many before it."""
    return _refused("", f"{MOST_WAITING} calls wait already, this one was not taken. Fix: call again")


def reply_topic(topics: Topics, asked: str | None) -> str | None:
    """Returns where an answer may go: the asked topic if it lies below the table's `reply/`, otherwise nowhere."""
    if not asked or not asked.startswith(topics.reply) or len(asked) == len(topics.reply):
        return None
    return None if any(letter in asked for letter in "+#\0") else asked


def _is_name(text: str) -> bool:
    try:
        word_of(text, LONGEST_ID)
    except UnreadableError:
        return False
    return True


def _refused(event: str, why: str) -> Answer:
    return Answer({"seq": None, "event": event, "error": why})
