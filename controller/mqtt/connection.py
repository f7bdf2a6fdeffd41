"""One connection to a broker: how we stand with it, what paho's callbacks note, and a client that says when it ends.

Must not know what is published.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import paho.mqtt.client as paho


@dataclass(frozen=True, slots=True)
class BrokerState:
    """How we stand with the broker. `refused`: topics that it would not take from us, with its reasons; `taken_over`:
    what to say where somebody else connects under our client id; `where`: the address in use; empty while none answers.
    """

    connected: bool = False
    version: Literal["5", "3.1.1", ""] = ""
    says: str = "not connected yet"
    refused: tuple[tuple[str, str], ...] = ()
    taken_over: str = ""
    where: str = ""

    @property
    def word(self) -> str:
        """One word for `health`: ok, refused or lost."""
        return ("refused" if self.refused else "ok") if self.connected else "lost"


@dataclass(frozen=True, slots=True)
class Note:
    """What one of paho's callbacks has to say, for the one thread that does everything in order."""

    kind: Literal["connected", "gone", "message", "answered", "wake"]
    client: paho.Client | None = None
    reason: str = ""
    failed: bool = False
    message: paho.MQTTMessage | None = None


class SaysWhenItEnds(paho.Client):
    """paho's client, whose network thread says so when it ends, whatever ended it: paho itself is silent then."""

    def __init__(self, post: Callable[[Note], None], *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._post = post

    def loop_forever(self, *args: Any, **more: Any) -> Any:
        """As paho's; afterwards the connection is reported as gone."""
        try:
            return super().loop_forever(*args, **more)
        finally:
            self._post(Note("gone", self, "its network thread has ended"))


def leave(client: paho.Client) -> None:
    """Disconnects a client that runs in paho's own thread, and waits for that thread's end.

    Once the line is gone the thread ends by itself, and paho forgets it: also between its own look at it and its wait
    for it, which then fails. There is nothing left to wait for.
    """
    client.disconnect()
    with contextlib.suppress(AttributeError):
        client.loop_stop()
