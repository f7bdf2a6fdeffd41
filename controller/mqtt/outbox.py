"""What we have to say to the broker: the last value of every retained topic, which of them it would not take, and the
events that it has not confirmed yet.

Bounded by the number of topics. An event (what is not retained) that was not confirmed goes out again on the next
connection, and is dropped after `STALE_S`: an alert or a ruling that comes minutes late would be shown as if it were
now, and the scoreboard tells the outcome anyway.
"""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import paho.mqtt.client as paho
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

log = logging.getLogger(__name__)

STALE_S = 30.0
"""Longer than a cluster needs to go on without one of its nodes."""
MOST_EVENTS = 1000
AGAIN_S = 40.0
"""What was sent last so long ago goes out again: a broker may have confirmed it and not kept it (nats-server while its
nodes elect, one that was frozen). What changes more often costs nothing more.
"""


@dataclass(frozen=True, slots=True)
class _Event:
    """What is sent once; `said_s`: when, by the monotonic clock."""

    topic: str
    payload: bytes
    correlation: bytes | None
    said_s: float


class Outbox:
    """Methods may be called from any thread. `on_refusal` is called when `refused` has changed; `now_s`: a monotonic
    clock."""

    def __init__(self, on_refusal: Callable[[], None], now_s: Callable[[], float] = time.monotonic) -> None:
        self._on_refusal = on_refusal
        self._now_s = now_s
        self._guard = threading.RLock()
        self._retained: dict[str, bytes] = {}
        self._client: paho.Client | None = None
        self._numbers = itertools.count()
        self._events: dict[int, _Event] = {}
        self._mids: dict[int, tuple[str, int | None]] = {}
        self._acks: dict[int, tuple[bool, str]] = {}
        self._refused: dict[str, str] = {}
        self._sent_s: dict[str, float] = {}
        """When each retained topic was sent last."""

    @property
    def refused(self) -> tuple[tuple[str, str], ...]:
        """Topics that the broker would not take from us, with its reasons. Always empty over MQTT 3.1.1."""
        return tuple(sorted(self._refused.items()))

    def value(self, topic: str) -> bytes | None:
        """Returns what is retained on a topic, None if nothing is."""
        with self._guard:
            return self._retained.get(topic)

    def retain(self, topic: str, payload: bytes, *, only_if_new: bool = False) -> None:
        """Keeps a topic's value and sends it; an empty one takes the topic away, on every connect again."""
        with self._guard:
            if only_if_new and self._retained.get(topic) == payload:
                return
            self._retained[topic] = payload
            self.send(topic, payload, retain=True)

    def adopt(self, topic: str, payload: bytes) -> None:
        """Keeps a value that the broker has already."""
        with self._guard:
            self._retained[topic] = payload
            self._sent_s[topic] = self._now_s()

    def clear(self, topic: str) -> None:
        """Takes a topic away for good, if there is one."""
        with self._guard:
            if self._retained.pop(topic, None) is not None:
                self.send(topic, b"", retain=True)
            self._sent_s.pop(topic, None)

    def again(self, below: str) -> None:
        """Sends anew what is retained below a topic and was sent last `AGAIN_S` ago or earlier."""
        with self._guard:
            old = [topic for topic, sent_s in self._sent_s.items() if self._now_s() - sent_s >= AGAIN_S]
            for topic in old:
                if topic.startswith(f"{below}/") and (payload := self._retained.get(topic)):
                    self.send(topic, payload, retain=True)

    def send(
        self, topic: str, payload: bytes, *, retain: bool = False, correlation: bytes | None = None
    ) -> paho.MQTTMessageInfo | None:
        """Sends one message now, with QoS 1. Returns None while there is no broker: an event waits for one then."""
        if retain:
            return self._publish(topic, payload, retain=True)
        with self._guard:
            number = next(self._numbers)
            self._events[number] = _Event(topic, payload, correlation, self._now_s())
            self._events.pop(number - MOST_EVENTS, None)
            return self._publish(topic, payload, correlation=correlation, number=number)

    def _publish(
        self,
        topic: str,
        payload: bytes,
        *,
        retain: bool = False,
        correlation: bytes | None = None,
        number: int | None = None,
    ) -> paho.MQTTMessageInfo | None:
        properties = None
        if correlation is not None:
            properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
            properties.CorrelationData = correlation
        with self._guard:
            client = self._client
            if client is None:
                return None
            info = client.publish(topic, payload, qos=1, retain=retain, properties=properties)
            if retain:
                self._sent_s[topic] = self._now_s()
            self._mids[info.mid] = topic, number
        self._settle(info.mid)
        return info

    def attach(self, client: paho.Client, birth: str, word: bytes) -> paho.MQTTMessageInfo | None:
        """A connection is up: unconfirmed events go out, everything retained, the birth message last. Returns what to
        wait for."""
        with self._guard:
            self._mids.clear()
            self._acks.clear()
            self._refused.clear()
            self._client = client
            for number, event in list(self._events.items()):
                if self._now_s() - event.said_s > STALE_S:
                    self._events.pop(number, None)
                else:
                    self._publish(event.topic, event.payload, correlation=event.correlation, number=number)
            for topic, payload in self._retained.items():
                self.send(topic, payload, retain=True)
            return self.send(birth, word, retain=True)

    def detach(self) -> None:
        """The connection is gone."""
        with self._guard:
            self._client = None

    def acknowledged(self, mid: int, failed: bool, reason: str) -> None:
        """A PUBACK came in. Takes no lock: paho calls this with its own held."""
        self._acks[mid] = (failed, reason)
        self._settle(mid)

    def _settle(self, mid: int) -> None:
        # The PUBACK may be read before `publish` has returned: whoever comes second settles.
        sent, ack = self._mids.get(mid), self._acks.get(mid)
        if sent is None or ack is None:
            return
        self._mids.pop(mid, None)
        self._acks.pop(mid, None)
        (topic, number), (failed, reason) = sent, ack
        if number is not None:
            self._events.pop(number, None)
        if failed and self._refused.get(topic) != reason:
            log.warning("the broker refuses %s: %s", topic, reason)
            self._refused[topic] = reason
            self._on_refusal()
        elif not failed and self._refused.pop(topic, None) is not None:
            self._on_refusal()
