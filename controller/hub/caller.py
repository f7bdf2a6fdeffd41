"""A referee's word at the hub, called to the table through the broker. A connection a call: calls are rare.

The broker decides which tables the hub's user may call, the table what it takes. Must not know what is answered.
"""

from __future__ import annotations

import queue
import secrets
import time
from collections.abc import Mapping
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from controller.events.doors import MESSAGE, json_object, json_text
from controller.events.errors import UnreadableError
from controller.mqtt.broker import Broker
from controller.mqtt.connection import leave
from controller.mqtt.topics import Topics

PATIENCE_S = 5.0
"""So long a table has for its answer; a call itself is too old after ten seconds."""

Json = dict[str, Any]


def call(broker: Broker, table: str, event: Mapping[str, Any], patience_s: float = PATIENCE_S) -> Json:
    """Calls an event to a table and returns the table's answer: the ruling, or `error` with why there is none.

    The table's journal names the caller by the call's id: `mqtt:hub-…`.
    """
    topics, name = Topics(table), f"hub-{secrets.token_hex(8)}"
    said: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
    client = _client(broker, said)
    where = next((node.where for node in broker.nodes if _reached(client, node)), None)
    if where is None:
        return _failed(f"the broker at {broker.where} cannot be reached")
    until = time.monotonic() + patience_s
    reply = f"{topics.reply}{name}"
    client.loop_start()
    try:
        while (left_s := until - time.monotonic()) > 0:
            try:
                what, value = said.get(timeout=left_s)
            except queue.Empty:
                break
            if what == "answer":
                return _read(value)
            if what == "refused":
                return _failed(f"the broker at {where} does not let this hub call {table} ({value})")
            if what == "connected":
                client.subscribe(reply, 1)
            elif what == "subscribed":
                client.publish(topics.call, _call(event, name), 1, properties=_answered_at(reply, patience_s))
    finally:
        leave(client)
    return _failed(f"{table} has not answered for {patience_s:g} s")


def _client(broker: Broker, said: queue.SimpleQueue[tuple[str, Any]]) -> paho.Client:
    client = paho.Client(CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv5, reconnect_on_failure=False)
    broker.introduce(client)

    def step(what: str, reason: Any) -> None:
        said.put(("refused", str(reason)) if getattr(reason, "is_failure", False) else (what, None))

    client.on_connect = lambda _client, _data, _flags, reason, _more: step("connected", reason)
    client.on_subscribe = lambda _client, _data, _mid, reasons, _more: step("subscribed", reasons[0])
    client.on_publish = lambda _client, _data, _mid, reason, _more: step("published", reason)
    client.on_message = lambda _client, _data, message: said.put(("answer", bytes(message.payload)))
    return client


def _reached(client: paho.Client, node: Broker) -> bool:
    try:
        client.connect(node.host, node.port, keepalive=15)
    except (OSError, ValueError):
        return False
    return True


def _call(event: Mapping[str, Any], name: str) -> bytes:
    return json_text({**event, "id": name, "t": time.time()}).encode()


def _answered_at(reply: str, patience_s: float) -> Properties:
    properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
    properties.ResponseTopic = reply
    # A call that waits for its table until nobody waits for the answer any more must not act.
    properties.MessageExpiryInterval = int(patience_s)
    return properties


def _read(payload: bytes) -> Json:
    try:
        return json_object(payload, MESSAGE)
    except UnreadableError as error:
        return _failed(f"the table's answer {error}")


def _failed(why: str) -> Json:
    return {"error": f"{why}. Fix: answer at the table's console"}
