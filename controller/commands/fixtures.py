"""`carrom fixtures`: the day's fixtures from a CSV, published to the tables' topics for lobbies and hub."""

from __future__ import annotations

import argparse
import threading
from pathlib import Path

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from controller.commands.installed import add_config
from controller.config import load_config
from controller.events.doors import SETTINGS, text_of
from controller.events.errors import ConfigError, DeviceError, UnreadableError
from controller.hub.fixtures import by_table, payload_of, read_fixtures
from controller.mqtt.broker import Broker
from controller.mqtt.connection import leave
from controller.mqtt.payloads import to_json
from controller.mqtt.topics import FIXTURES, ROOT, Topics
from controller.table.outlets.broker_settings import broker_of

PATIENCE_S = 10.0
"""So long the broker has to take them."""
RETAINED_S = 1.0
"""So long after the last one: a broker sends what it keeps at once, and says nowhere that this was all."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the command takes."""
    parser.add_argument("file", type=Path, metavar="CSV", help="the day's fixtures, a header line first")
    add_config(parser, "where the broker stands: [mqtt]")
    parser.add_argument("--check", action="store_true", help="reads the file and publishes nothing")


def run(args: argparse.Namespace) -> int:
    """Publishes the file's fixtures; tables that are not in it have none from then on."""
    try:
        text = text_of(args.file, SETTINGS)
    except UnreadableError as error:
        raise ConfigError(f"{args.file}: {error}. Mend: save the fixtures as CSV (UTF-8)") from error
    listed = by_table(read_fixtures(text, str(args.file)))
    count = sum(len(fixtures) for fixtures in listed.values())
    if not args.check:
        publish(broker_of(load_config(args.config).mqtt), {t: to_json(payload_of(one)) for t, one in listed.items()})
    print(f"{count} fixtures on {len(listed)} tables{' (not published)' if args.check else ''}")
    return 0


def publish(broker: Broker, payloads: dict[str, bytes]) -> None:
    """Publishes each table's payload, retained, and clears those of other tables. Raises DeviceError."""
    before: set[str] = set()
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
            before.add(message.topic.split("/")[1])
        heard.set()

    client.on_connect, client.on_message = on_connect, on_message
    where = _connect(client, broker)
    client.loop_start()
    try:
        if not connected.wait(PATIENCE_S) or refused:
            raise DeviceError(f"{where} does not want us ({', '.join(refused) or 'no answer'}). Mend: set mqtt.user")
        while heard.wait(RETAINED_S):
            heard.clear()
        for table in sorted(before - payloads.keys()):
            _sent(client, Topics(table).fixtures, b"", where)
        for table, payload in payloads.items():
            _sent(client, Topics(table).fixtures, payload, where)
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
    raise DeviceError(f"{says}. Mend: set mqtt.host and mqtt.port to where it stands")


def _sent(client: paho.Client, topic: str, payload: bytes, where: str) -> None:
    info = client.publish(topic, payload, qos=1, retain=True)
    info.wait_for_publish(PATIENCE_S)
    if not info.is_published():
        raise DeviceError(f"{where} took no {topic}. Mend: let mqtt.user write carrom/+/{FIXTURES}")
