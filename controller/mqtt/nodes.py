"""Whether a cluster's nodes have kept the same: one that was frozen serves what was, and calls itself well.

What is on its way while they are asked differs for a moment; so each is asked twice, and only what differs both times
counts. Blocks for some seconds.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from controller.mqtt.broker import Broker
from controller.mqtt.connection import leave
from controller.mqtt.topics import ROOT

STANDS = ("result/+", "fixtures", "alert/+")
"""What stays for minutes; what changes each second may differ at any moment."""
QUIET_S = 2.0
"""A node sends all that it keeps at once: after so long without a message that was all."""
LONGEST_S = 15.0
"""So long a node may take to answer."""

Kept = Mapping[str, bytes]
"""What is retained, by topic."""


@dataclass(frozen=True, slots=True)
class Differs:
    """Of one node: what most others keep and it does not; what it keeps and most do not; what it keeps otherwise."""

    lacks: Sequence[str] = ()
    more: Sequence[str] = ()
    other: Sequence[str] = ()

    def __bool__(self) -> bool:
        return bool(self.lacks or self.more or self.other)


def compared(kept: Mapping[str, Kept]) -> dict[str, Differs]:
    """Compares nodes: of each topic what most keep is right, where as many keep it as do not, that it is kept."""
    found = {}
    topics = sorted({topic for one in kept.values() for topic in one})
    right = {topic: _most(topic, [*kept.values()]) for topic in topics}
    for node, one in kept.items():
        lacks = [topic for topic in topics if right[topic] is not None and topic not in one]
        more = [topic for topic in topics if right[topic] is None and topic in one]
        other = [topic for topic in topics if right[topic] is not None and one.get(topic) not in (None, right[topic])]
        found[node] = Differs(lacks, more, other)
    return found


def _most(topic: str, kept: Sequence[Kept]) -> bytes | None:
    votes = Counter(one.get(topic) for one in kept)
    return max(votes, key=lambda payload: (votes[payload], payload is not None, payload or b""))


def differing(nodes: Sequence[Broker]) -> dict[str, Differs | OSError]:
    """Asks each node twice. Returns what is amiss with each, by its address; an error of one that cannot be asked."""
    found: dict[str, Differs | OSError] = {}
    twice: list[dict[str, Differs]] = []
    for _ in range(2):
        kept: dict[str, Kept] = {}
        for node in nodes:
            try:
                kept[node.where] = kept_by(node)
            except OSError as error:
                found[node.where] = error
        twice.append(compared(kept))
    for where, second in twice[1].items():
        first = twice[0].get(where, second)
        both = {name: [topic for topic in getattr(second, name) if topic in getattr(first, name)] for name in _NAMES}
        found.setdefault(where, replace(second, **both))
    return found


_NAMES = ("lacks", "more", "other")


def kept_by(node: Broker) -> dict[str, bytes]:
    """Returns what a node keeps of what stands. Raises OSError where it does not let us read."""
    found: dict[str, bytes] = {}
    come, connected, refused = threading.Event(), threading.Event(), list[str]()
    client = paho.Client(CallbackAPIVersion.VERSION2)
    client.connect_timeout = LONGEST_S
    node.introduce(client)

    def on_connect(client: paho.Client, _data: object, _flags: object, reason: object, _more: object) -> None:
        if getattr(reason, "is_failure", False):
            refused.append(str(reason))
        else:
            # With QoS 0: a subscription of another kind costs a cluster an election.
            client.subscribe([(f"{ROOT}/+/{name}", 0) for name in STANDS])
        connected.set()

    def on_message(_client: paho.Client, _data: object, message: paho.MQTTMessage) -> None:
        if message.retain:
            found[message.topic] = bytes(message.payload)
            come.set()

    client.on_connect, client.on_message = on_connect, on_message
    client.connect(node.host, node.port)
    client.loop_start()
    try:
        if not connected.wait(LONGEST_S) or refused:
            raise ConnectionRefusedError(", ".join(refused) or f"no answer for {LONGEST_S:g} s")
        while come.wait(QUIET_S):
            come.clear()
    finally:
        leave(client)
    return found
