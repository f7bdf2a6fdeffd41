from __future__ import annotations

import pytest

from controller.mqtt.client import Broker, TableClient
from tests.authority import authority, strict
from tests.mqtt.broker import Listener, Mosquitto
from tests.mqtt.made_broker import broker
from tests.patience import PATIENCE_S

__all__ = ["authority", "broker", "listen", "mosquitto", "strict"]


@pytest.fixture
def mosquitto(tmp_path):
    broker = Mosquitto(tmp_path).start()
    yield broker
    broker.kill()


@pytest.fixture
def listen(mosquitto):
    open_ones = []

    def start(*topics, **more):
        listener = Listener(more.pop("port", mosquitto.port), *(topics or ("#",)), **more)
        open_ones.append(listener)
        return listener

    yield start
    for listener in open_ones:
        listener.close()


def connected(state):
    return state.connected


@pytest.fixture
def make():
    running = []

    def start(port, **more):
        wait = more.pop("wait", True)
        client = TableClient(Broker("127.0.0.1", port), "table1", **more)
        running.append(client)
        client.start()
        if wait:
            assert client.wait_for(connected, PATIENCE_S), client.state
        return client

    yield start
    for client in running:
        client.stop()
