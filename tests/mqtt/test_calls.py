"""Calls to the table by a real mosquitto: each acts once and is answered, or is refused with the reason."""

from __future__ import annotations

import json
import threading
import time

import pytest

from controller.mqtt.calls import MOST_WAITING
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.broker
BASE = "carrom/table1"


class Umpire:
    """What the daemon does with a call, counted."""

    def __init__(self):
        self.acted = []

    def __call__(self, event, by):
        self.acted.append((event, by))
        return {"seq": 7, "event": event["event"], "turn": "north", "nth": len(self.acted)}


CALL = {"event": "call", "clause": "icf-130a", "seat": "south"}


def test_a_call_acts_once_and_is_answered(mosquitto, listen, make):
    umpire = Umpire()
    make(mosquitto.port, on_call=umpire)
    ear = listen(f"{BASE}/reply/#")
    body = CALL | {"id": "c-1", "t": time.time()}
    ear.publish(f"{BASE}/call", body, reply=f"{BASE}/reply/umpire/c-1", correlation=b"\x01\x02")
    first = json.loads(ear.wait_for(f"{BASE}/reply/umpire/c-1"))
    assert first == {"seq": 7, "event": "call", "turn": "north", "nth": 1}
    assert ear.last_properties.CorrelationData == b"\x01\x02"
    assert umpire.acted == [(CALL, "mqtt:c-1")]
    ear.publish(f"{BASE}/call", body | {"clause": "icf-30"}, reply=f"{BASE}/reply/umpire/c-1")
    assert json.loads(ear.wait_for(f"{BASE}/reply/umpire/c-1", times=2)) == first
    assert len(umpire.acted) == 1


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"t": -60.0}, "60 s old"),
        ({"t": 60.0}, "ahead of the table's clock"),
        ({"t": None}, "needs t"),
        ({"id": ""}, "needs an id"),
        ({"id": 5}, "needs an id"),
    ],
)
def test_a_call_that_does_not_act_is_told_why(mosquitto, listen, make, change, says):
    umpire = Umpire()
    now = 5_000_000.0
    make(mosquitto.port, on_call=umpire, now=lambda: now)
    ear = listen(f"{BASE}/reply/#")
    body = CALL | {"id": "c-1", "t": now} | change
    if isinstance(change.get("t"), float):
        body["t"] = now + change["t"]
    ear.publish(f"{BASE}/call", body, reply=f"{BASE}/reply/x")
    answer = json.loads(ear.wait_for(f"{BASE}/reply/x"))
    assert answer.keys() == {"seq", "event", "error"}
    assert says in answer["error"]
    assert umpire.acted == []


def test_a_call_that_is_refused_and_names_no_place_for_the_answer_is_told_to_the_umpire(mosquitto, listen, make):
    make(mosquitto.port, on_call=Umpire())
    ear = listen(f"{BASE}/umpire/alert", f"{BASE}/alert")
    ear.publish(f"{BASE}/call", {"event": "start"})
    told = json.loads(ear.wait_for(f"{BASE}/umpire/alert"))
    assert (told["id"], told["level"]) == ("call-refused", "warning")
    assert "a call was not taken: a call needs an id" in told["says"]
    assert ear.texts(f"{BASE}/alert") == []


def test_retained_calls_and_answers_to_elsewhere(mosquitto, listen, make):
    umpire = Umpire()
    ear = listen("carrom/#")
    ear.publish(f"{BASE}/call", CALL | {"id": "before", "t": time.time()}, retain=True)
    make(mosquitto.port, on_call=umpire)
    ear.publish(f"{BASE}/call", CALL | {"id": "now", "t": time.time()}, retain=True)
    # Our rights must not be borrowed to write the scoreboard, nor may an answer go to a wildcard.
    ear.publish(f"{BASE}/call", CALL | {"id": "a", "t": time.time()}, reply=f"{BASE}/score")
    ear.publish(f"{BASE}/call", b"\xff not json", reply=f"{BASE}/reply/rubbish")
    ear.publish(f"{BASE}/call", CALL | {"id": "b", "t": time.time()}, reply=f"{BASE}/reply/b")
    ear.wait_for(f"{BASE}/reply/b")
    assert "JSON" in ear.texts(f"{BASE}/reply/rubbish")[0]
    assert [by for _, by in umpire.acted] == ["mqtt:a", "mqtt:b"]
    assert ear.texts(f"{BASE}/score") == []


def test_calls_of_before_a_restart_are_not_done_twice(mosquitto, listen, make):
    umpire = Umpire()
    make(mosquitto.port, on_call=umpire, answered={"c-1": {"seq": 3, "event": "call"}})
    ear = listen(f"{BASE}/reply/#")
    ear.publish(f"{BASE}/call", CALL | {"id": "c-1", "t": time.time()}, reply=f"{BASE}/reply/x")
    assert json.loads(ear.wait_for(f"{BASE}/reply/x")) == {"seq": 3, "event": "call"}
    assert umpire.acted == []


def test_a_call_that_goes_wrong_does_not_silence_the_next(mosquitto, listen, make):
    def act(event, by):
        if by == "mqtt:bad":
            raise RuntimeError("a bug")
        return {"seq": 1, "event": event["event"]}

    make(mosquitto.port, on_call=act)
    ear = listen(f"{BASE}/reply/#")
    for name in ("bad", "good"):
        ear.publish(f"{BASE}/call", CALL | {"id": name, "t": time.time()}, reply=f"{BASE}/reply/{name}")
    ear.wait_for(f"{BASE}/reply/good")
    assert "could not act" in ear.texts(f"{BASE}/reply/bad")[0]
    assert "bug" not in ear.texts(f"{BASE}/reply/bad")[0]


def test_a_flood_of_calls_is_refused_at_once_and_not_remembered(mosquitto, listen, make):
    going, acted = threading.Event(), []

    def act(event, by):
        assert going.wait(PATIENCE_S)
        acted.append(by)
        return {"seq": 1, "event": event["event"]}

    make(mosquitto.port, on_call=act)
    ear = listen(f"{BASE}/reply/#")
    names = [f"c-{number}" for number in range(MOST_WAITING + 10)]
    for name in names:
        ear.publish(f"{BASE}/call", CALL | {"id": name, "t": time.time()}, reply=f"{BASE}/reply/{name}")
    assert "calls wait already" in ear.wait_for(f"{BASE}/reply/{names[-1]}")
    going.set()
    ear.publish(f"{BASE}/call", CALL | {"id": names[-1], "t": time.time()}, reply=f"{BASE}/reply/again")
    ear.wait_for(f"{BASE}/reply/c-{MOST_WAITING - 1}")
    assert "calls wait" in ear.wait_for(f"{BASE}/reply/again") or f"mqtt:{names[-1]}" in acted
    assert acted[:MOST_WAITING] == [f"mqtt:{name}" for name in names[:MOST_WAITING]]
    assert len(acted) <= MOST_WAITING + 2
