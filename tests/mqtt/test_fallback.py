"""A broker that speaks only 3.1.1: the table is shown all the same, and takes no calls."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from controller.mqtt.client import Broker, TableClient
from controller.mqtt.scoreboard import score
from tests.mqtt.broker import Listener, free_port
from tests.mqtt.rulings import INFO, ruling
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.live

amqtt_broker = pytest.importorskip("amqtt.broker")


@pytest.fixture
def old_broker():
    port, up, stop = free_port(), threading.Event(), threading.Event()
    anonymous = {"amqtt.plugins.authentication.AnonymousAuthPlugin": {"allow_anonymous": True}}
    settings = {"listeners": {"default": {"type": "tcp", "bind": f"127.0.0.1:{port}"}}, "plugins": anonymous}

    async def serve():
        broker = amqtt_broker.Broker(settings)
        await broker.start()
        up.set()
        await asyncio.to_thread(stop.wait)
        await broker.shutdown()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    assert up.wait(PATIENCE_S)
    yield port
    stop.set()
    thread.join()


def test_an_old_broker_gets_the_score_and_no_say(old_broker):
    acted = []
    client = TableClient(Broker("127.0.0.1", old_broker), "table1", on_call=lambda event, by: acted.append(event) or {})
    client.publish_score(score(ruling(), INFO, 1.0))
    client.start()
    try:
        assert client.wait_for(lambda state: state.connected, PATIENCE_S), client.state
        assert client.state.version == "3.1.1"
        ear = Listener(old_broker, "carrom/#", version=4)
        try:
            ear.wait_for("carrom/table1/score/turn", "south")
            ear.wait_for("carrom/table1/availability", "online")
            ear.publish("carrom/table1/call", {"event": "pause", "id": "c", "t": time.time()})
            client.publish_ruling(ruling(), 1.0)
            ear.wait_for("carrom/table1/ruling")
            assert acted == []
        finally:
            ear.close()
    finally:
        client.stop()
