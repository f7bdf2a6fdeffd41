"""What a table has published is published again, so that a broker that confirmed it and lost it gets it after all."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from controller.mqtt.outbox import AGAIN_S, Outbox
from controller.mqtt.scoreboard import result
from tests.mqtt.rulings import INFO, SHOT, ruling
from tests.mqtt.test_client import BASE


class Wire:
    """A connection that writes down what is published."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, bytes]] = []

    def publish(self, topic, payload, **_how):
        self.sent.append((topic, payload))
        return SimpleNamespace(mid=len(self.sent))


def test_what_has_not_changed_for_long_goes_out_again_and_nothing_else():
    now, wire = [0.0], Wire()
    outbox = Outbox(lambda: None, lambda: now[0])
    outbox.attach(wire, "availability", b"online")
    outbox.retain("t1/result", b"25:3")
    outbox.retain("t1/gone", b"here")
    outbox.retain("t1/nobody", b"")
    outbox.retain("homeassistant/t1", b"found")
    outbox.adopt("t1/adopted", b"from before")
    outbox.send("event", b"a stroke")
    now[0] = AGAIN_S - 1
    outbox.retain("t1/score", b"8")
    outbox.clear("t1/gone")
    outbox.again("t1")
    before = len(wire.sent)
    assert wire.sent.count(("t1/result", b"25:3")) == 1
    now[0] = AGAIN_S
    outbox.again("t1")
    outbox.again("t1")
    assert wire.sent[before:] == [("t1/result", b"25:3"), ("t1/adopted", b"from before")]
    outbox.detach()
    now[0] = 9 * AGAIN_S
    outbox.again("t1")
    assert len(wire.sent) == before + 2, "nobody is there"


@pytest.mark.broker
def test_a_broker_that_has_lost_a_result_has_it_again(mosquitto, listen, make, monkeypatch):
    monkeypatch.setattr("controller.mqtt.outbox.AGAIN_S", 0.1)
    monkeypatch.setattr("controller.mqtt.client.HOUSEKEEPING_S", 0.1)
    client = make(mosquitto.port)
    ended = time.time()
    client.publish_result(result(INFO, [(ended, {"event": "start"}, ruling(event="start")), (ended, SHOT, ruling())]))
    topic = f"{BASE}/result/m-1"
    told = listen().wait_for(topic)
    listen().publish(topic, "", retain=True)
    assert listen(topic).wait_for(topic, told)
