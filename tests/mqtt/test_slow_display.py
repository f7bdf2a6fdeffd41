"""A display that is slow to take what it is sent: nobody waits for it, and it gets everything in the end, once."""

from __future__ import annotations

import json
import queue

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from controller.mqtt.client import Broker, TableClient
from controller.mqtt.payloads import Alert
from tests.mqtt.broker import Listener, Mosquitto
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.broker
SAID = 200
"""Ten times what a broker sends before the first must be acknowledged."""


def test_a_display_that_takes_nothing_holds_up_neither_table_nor_others_and_loses_nothing(tmp_path):
    broker = Mosquitto(tmp_path).start()
    slow = paho.Client(CallbackAPIVersion.VERSION2, manual_ack=True)
    subscribed, given = queue.Queue(), queue.Queue()
    slow.on_connect = lambda client, *_: client.subscribe("carrom/t1/alert", 1)
    slow.on_subscribe = lambda *_: subscribed.put(True)
    slow.on_message = lambda _client, _data, message: given.put(message)
    table = TableClient(Broker("127.0.0.1", broker.port), "t1")
    display = None
    try:
        slow.connect("127.0.0.1", broker.port)
        slow.loop_start()
        subscribed.get(timeout=PATIENCE_S)
        display = Listener(broker.port, "carrom/t1/alert")
        table.start()
        assert table.wait_for(lambda state: state.connected, PATIENCE_S)
        for number in range(SAID):
            table.publish_alert(Alert(f"n{number}", "info", "a piece fell", 1.0))
        display.wait(lambda: len(display.texts("carrom/t1/alert")) == SAID, "everything, while the other takes nothing")
        assert given.qsize() < SAID, "the broker waits for the slow one"
        heard = []
        for _ in range(SAID):
            message = given.get(timeout=PATIENCE_S)
            slow.ack(message.mid, message.qos)
            heard.append(json.loads(message.payload)["id"])
        assert heard == [f"n{number}" for number in range(SAID)], "in order, none lost, none doubled"
        assert table.state.connected
    finally:
        table.stop()
        if display is not None:
            display.close()
        slow.disconnect()
        slow.loop_stop()
        broker.kill()
