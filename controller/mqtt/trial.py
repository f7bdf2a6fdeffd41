"""Tries whether anybody may write where only the table and the umpire may: asking the broker is the only way to know.

What is written does nothing: a call without an id, and a figure of the scoreboard that there is not. Blocks for some
seconds at worst.
"""

from __future__ import annotations

import contextlib
import threading
from dataclasses import replace
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from controller.mqtt.broker import Broker
from controller.mqtt.connection import leave
from controller.mqtt.topics import Topics

ANSWER_S = 3.0
"""How long a broker may take for each of its answers."""
HEARD_S = 1.0
"""Over 3.1.1 a broker does not say that it has refused: so long what was written may take to arrive."""
NOTHING = b'{"note": "carrom tries whether anybody may write here; this does nothing"}'
VERSIONS = {
    "": (MQTTProtocolVersion.MQTTv5, MQTTProtocolVersion.MQTTv311),
    "5": (MQTTProtocolVersion.MQTTv5,),
    "3.1.1": (MQTTProtocolVersion.MQTTv311,),
}


class _Visitor:
    """A client for a moment. `word`: the broker's reply to its greeting; empty if there was none."""

    def __init__(self, broker: Broker, version: MQTTProtocolVersion) -> None:
        self.word = ""
        self.welcome = False
        self._said = threading.Condition()
        self._acks: dict[int, bool] = {}
        self._heard: set[str] = set()
        self._client = client = paho.Client(CallbackAPIVersion.VERSION2, protocol=version)
        broker.introduce(client)
        client.connect_timeout = ANSWER_S
        client.suppress_exceptions = True
        client.on_connect = lambda _c, _d, _f, reason, _p: self._greeted(str(reason), not reason.is_failure)
        client.on_publish = lambda _c, _d, mid, reason, _p: self._acked(mid, not reason.is_failure)
        client.on_subscribe = lambda _c, _d, mid, _r, _p: self._acked(mid, True)
        client.on_message = lambda _c, _d, message: self._hears(message.topic)
        client.connect(broker.host, broker.port)
        client.loop_start()
        self._wait(lambda: bool(self.word))

    def listen(self, *topics: str) -> None:
        """Hears what is written there from now on."""
        _, mid = self._client.subscribe([(topic, 1) for topic in topics])
        self._wait(lambda: mid in self._acks)

    def may_write(self, topic: str) -> bool:
        """Writes, and returns whether the broker took it, as far as it says."""
        mid = self._client.publish(topic, NOTHING, qos=1).mid
        self._wait(lambda: mid in self._acks)
        return self._acks.get(mid, False)

    def hears(self, topic: str) -> bool:
        """Waits a moment for what was written there."""
        return self._wait(lambda: topic in self._heard, HEARD_S)

    def leave(self) -> None:
        """Ends it."""
        leave(self._client)

    def _wait(self, condition: Any, seconds: float = ANSWER_S) -> bool:
        with self._said:
            return bool(self._said.wait_for(condition, seconds))

    def _greeted(self, word: str, welcome: bool) -> None:
        with self._said:
            self.word, self.welcome = word, welcome
            self._said.notify_all()

    def _acked(self, mid: int, taken: bool) -> None:
        with self._said:
            self._acks[mid] = taken
            self._said.notify_all()

    def _hears(self, topic: str) -> None:
        with self._said:
            self._heard.add(topic)
            self._said.notify_all()


def welcome(broker: Broker) -> str:
    """Returns the version in which the broker lets us in as who we are. Raises OSError with its reason otherwise."""
    says = "no answer to the greeting"
    for version in VERSIONS[broker.only]:
        visitor = _Visitor(broker, version)
        try:
            if visitor.welcome:
                return "5" if version == MQTTProtocolVersion.MQTTv5 else "3.1.1"
            says = visitor.word or says
        finally:
            visitor.leave()
    raise OSError(says)


def written_by_anybody(broker: Broker, table: str) -> tuple[str, ...]:
    """Returns the topics of a table that somebody without a password has just written on; empty is as it should be.

    Raises OSError where the broker cannot be reached.
    """
    topics = Topics(table)
    tried = (topics.call, topics.flat("nobody"))
    stranger = replace(broker, user="", password="")
    for version in VERSIONS[broker.only]:
        with contextlib.ExitStack() as stack:
            writer = _Visitor(stranger, version)
            stack.callback(writer.leave)
            if not writer.welcome and (not writer.word or "protocol" in writer.word):
                # Not understood; some brokers say nothing at all to a greeting in 5.
                continue
            if not writer.welcome:
                return ()
            if version == MQTTProtocolVersion.MQTTv5:
                return tuple(topic for topic in tried if writer.may_write(topic))
            # A broker of 3.1.1 acknowledges what it throws away, too: what got through is received.
            ear = _Visitor(broker, version)
            stack.callback(ear.leave)
            ear.listen(*tried)
            for topic in tried:
                writer.may_write(topic)
            return tuple(topic for topic in tried if ear.hears(topic))
    return ()


def in_words(written: tuple[str, ...]) -> str:
    """What to say of topics that anybody may write on."""
    return (
        f"anybody may write on the broker: {' and '.join(written)} got through without a password. "
        "Fix: give the broker an access list: carrom broker makes one"
    )
