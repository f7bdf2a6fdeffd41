"""Fixtures onto the tables' topics. A connection each time: it is done rarely. Must not know what is played."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from controller.events.errors import DeviceError
from controller.mqtt.broker import Broker
from controller.mqtt.connection import leave
from controller.mqtt.topics import FIXTURES, ROOT, fixtures_topic

PATIENCE_S = 10.0
"""So long the broker has to take them."""
RETAINED_S = 1.0
"""So long after the last one: a broker sends what it keeps at once, and says nowhere that this was all."""


Payloads = Mapping[str, bytes]
"""What is on each table's topic, and on that of the pool."""


def publish(broker: Broker, made: Callable[[Payloads], Payloads]) -> None:
    """Publishes each table's payload, retained, as it is `made` from what stands now. Raises DeviceError."""
    before: dict[str, bytes] = {}
    heard, connected = threading.Event(), threading.Event()
    refused: list[str] = []
    client = paho.Client(CallbackAPIVersion.VERSION2)
    broker.introduce(client)

    def on_connect(client: paho.Client, _data: object, _flags: object, reason: object, _more: object) -> None:
        if getattr(reason, "is_failure", False):
            refused.append(str(reason))
        else:
            client.subscribe(f"{ROOT}/+/{FIXTURES}", 1)
        connected.set()

    def on_message(_client: paho.Client, _data: object, message: paho.MQTTMessage) -> None:
        if message.payload:
            before[message.topic.split("/")[1]] = bytes(message.payload)
        heard.set()

    client.on_connect, client.on_message = on_connect, on_message
    where = _connect(client, broker)
    client.loop_start()
    try:
        if not connected.wait(PATIENCE_S) or refused:
            raise DeviceError(f"{where} does not want us ({', '.join(refused) or 'no answer'}). Fix: set mqtt.user")
        while heard.wait(RETAINED_S):
            heard.clear()
        for place, payload in made(before).items():
            _sent(client, fixtures_topic(place), payload, where)
    finally:
        leave(client)


def _connect(client: paho.Client, broker: Broker) -> str:
    """Connects to the first node that can be reached. Returns its name for messages. Raises DeviceError."""
    for node in broker.nodes:
        where = f"the broker at {node.where}"
        try:
            client.connect(node.host, node.port, keepalive=15)
            return where
        except (OSError, ValueError) as error:
            says = f"{where} cannot be reached ({error})"
    raise DeviceError(f"{says}. Fix: set mqtt.host and mqtt.port to where it stands")


def _sent(client: paho.Client, topic: str, payload: bytes, where: str) -> None:
    info = client.publish(topic, payload, qos=1, retain=True)
    info.wait_for_publish(PATIENCE_S)
    if not info.is_published():
        raise DeviceError(f"{where} took no {topic}. Fix: let mqtt.user write carrom/+/{FIXTURES}")
