from __future__ import annotations

import pytest

from tests.authority import authority, strict
from tests.mqtt.broker import Listener, Mosquitto
from tests.mqtt.made_broker import broker

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
