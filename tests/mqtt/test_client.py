"""The table's client against a real mosquitto: what is retained, what comes back after a failure."""

from __future__ import annotations

import json
import subprocess
import sys
import threading

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from controller.mqtt.client import Broker, TableClient
from controller.mqtt.connection import leave
from controller.mqtt.payloads import Alert, Clock, Health, Lying, LyingPiece, Result
from controller.mqtt.scoreboard import history, result, score
from controller.mqtt.topics import SILENT_S
from tests.mqtt.broker import Listener, Mosquitto, free_port
from tests.mqtt.conftest import connected
from tests.mqtt.rulings import INFO, SHOT, ruling
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.broker
BASE = "carrom/table1"


def publish_everything(client):
    client.publish_score(score(ruling(), INFO, 1000.0, clock=Clock(running=True, left=9.2, limit=15.0)))
    client.publish_history(history(INFO, [(1000.0, ruling(), INFO)], 1000.0))
    client.publish_board(Lying(1000.0, (LyingPiece("white", 12.0, 80.5),)))
    client.publish_health(Health(1000.0, "armed", "ok", "ok", "up", "ok", fps=60.0))
    client.publish_alert(Alert("beam-ne", "fault", "the NE beam is dirty", 1000.0), standing=True)


def test_every_topic_says_what_it_should(mosquitto, listen, make):
    ear = listen()
    client = make(mosquitto.port)
    publish_everything(client)
    client.publish_shot(SHOT, 1000.5)
    client.publish_ruling(ruling(), 1000.6)
    client.publish_result(result(INFO, [(900.0, {"event": "start"}, ruling(event="start")), (990.0, SHOT, ruling())]))
    ear.wait_for(f"{BASE}/result/m-1")
    said = json.loads(ear.wait_for(f"{BASE}/score"))
    assert {"seq", "t", "table", "match", "book", "state", "game", "board", "sides", "turn", "queen"} <= said.keys()
    assert {"clock", "armed", "provisional", "last"} <= said.keys()
    assert said["sides"][0] == {
        "name": "south",
        "seats": {"south": "Asha"},
        "colour": "white",
        "points": 0,
        "games": 0,
        "left": 8,
        "in_hand": 1,
        "owed": 0,
        "queen": None,
    }
    assert said["clock"] == {"running": True, "left": 9.2, "limit": 15.0, "ends": None}
    assert ear.texts(f"{BASE}/score/south") == ["0"]
    assert ear.texts(f"{BASE}/score/turn") == ["south"]
    assert ear.texts(f"{BASE}/score/clock") == ["10"]
    assert json.loads(ear.wait_for(f"{BASE}/shot")) == SHOT | {"at": 1000.5}
    assert json.loads(ear.wait_for(f"{BASE}/ruling")) == ruling() | {"at": 1000.6}
    alert = json.loads(ear.wait_for(f"{BASE}/alert"))
    assert alert == json.loads(ear.wait_for(f"{BASE}/alert/beam-ne"))
    assert (alert["level"], alert["id"]) == ("fault", "beam-ne")


def test_a_late_display_gets_what_is_retained_and_nothing_else(mosquitto, listen, make):
    client = make(mosquitto.port)
    early = listen()
    publish_everything(client)
    client.publish_ruling(ruling(), 1000.6)
    early.wait_for(f"{BASE}/ruling")
    late = listen("carrom/#")
    late.wait_for(f"{BASE}/score/turn", "south")
    late.wait_for(f"{BASE}/alert/beam-ne")
    late.wait_for(f"{BASE}/availability", "online")
    late.publish("carrom/end", "end")
    late.wait_for("carrom/end")
    topics = {topic for topic, _, retained in late.heard if retained}
    assert topics == {
        f"{BASE}/{name}"
        for name in (
            "availability",
            "history",
            "score",
            "score/south",
            "score/north",
            "score/turn",
            "score/queen",
            "score/clock",
            "board",
            "health",
            "alert/beam-ne",
        )
    }


def test_online_is_said_last_and_offline_when_we_leave(mosquitto, listen, make):
    ear = listen("carrom/#")
    client = make(mosquitto.port, wait=False)
    publish_everything(client)
    ear.wait_for(f"{BASE}/availability", "online")
    client.stop()
    ear.wait_for(f"{BASE}/availability", "offline")
    other = make(mosquitto.port, wait=False)
    publish_everything(other)
    ear.wait_for(f"{BASE}/availability", "online", times=2)
    assert other.wait_for(connected, PATIENCE_S)


def test_a_broker_that_lost_everything_is_put_right_and_online_comes_last(tmp_path, make):
    broker = Mosquitto(tmp_path).start()
    try:
        client = make(broker.port)
        publish_everything(client)
        broker.kill()
        assert client.wait_for(lambda state: not state.connected, PATIENCE_S)
        # What is said while nobody listens is not lost: the last word counts.
        client.publish_score(score(ruling(seq=3, turn="north", turn_kept=False), INFO, 1001.0))
        client.resolve_alert("beam-ne")
        broker.start()
        ear = Listener(broker.port, "carrom/#")
        try:
            ear.wait_for(f"{BASE}/availability", "online")
            if not any(retained for _, _, retained in ear.heard):
                first = [topic for topic, _, _ in ear.heard]
                assert first.index(f"{BASE}/availability") == len(first) - 1
            assert json.loads(ear.texts(f"{BASE}/score")[-1])["seq"] == 3
            assert ear.texts(f"{BASE}/score/turn")[-1] == "north"
            assert ear.texts(f"{BASE}/alert/beam-ne") == []
        finally:
            ear.close()
    finally:
        broker.kill()


def test_our_death_is_told_by_the_last_will(mosquitto, listen):
    ear = listen("carrom/#")
    program = (
        "import sys, signal; from controller.mqtt.client import Broker, TableClient; "
        "TableClient(Broker('127.0.0.1', int(sys.argv[1])), 'table1').start(); signal.pause()"
    )
    child = subprocess.Popen([sys.executable, "-c", program, str(mosquitto.port)])
    try:
        ear.wait_for(f"{BASE}/availability", "online")
    finally:
        child.kill()
        child.wait()
    ear.wait_for(f"{BASE}/availability", "offline")
    late = listen(f"{BASE}/availability")
    assert late.wait_for(f"{BASE}/availability") == "offline"


@pytest.mark.parametrize("version", ["5", "3.1.1"])
def test_a_will_of_a_connection_that_was_left_is_put_right(mosquitto, listen, version):
    ear = listen("carrom/#")
    client = TableClient(Broker("127.0.0.1", mosquitto.port, only=version), "table1")
    client.start()
    try:
        assert client.wait_for(connected, PATIENCE_S)
        ear.wait_for(f"{BASE}/availability", "online")
        ear.publish(f"{BASE}/availability", "offline", retain=True)
        ear.wait_for(f"{BASE}/availability", "online", times=2)
    finally:
        client.stop()
    ear.wait_for(f"{BASE}/availability", "offline", times=2)
    assert ear.texts(f"{BASE}/availability") == ["online", "offline", "online", "offline"]


def test_two_tables_of_one_name_say_so_instead_of_fighting(mosquitto, make):
    one = make(mosquitto.port)
    two = make(mosquitto.port, wait=False)
    said = threading.Event()
    for client in (one, two):
        client._on_change = lambda state: said.set() if "another carrom" in state.says else None
    assert said.wait(PATIENCE_S)


def test_whoever_takes_the_tables_client_id_on_an_open_broker_is_noticed(mosquitto, make):
    client = make(mosquitto.port)
    # A broker that lets in anybody as anybody; as paho does by itself, the other one comes back.
    stranger = paho.Client(CallbackAPIVersion.VERSION2, client_id="carrom-table1", protocol=5)
    stranger.connect("127.0.0.1", mosquitto.port)
    stranger.loop_start()
    try:
        assert client.wait_for(lambda state: "table id table1" in state.taken_over, PATIENCE_S), client.state
    finally:
        leave(stranger)
    assert client.wait_for(lambda state: state.connected and state.taken_over, PATIENCE_S), client.state


def test_alerts_of_an_earlier_life_are_taken_away_and_results_kept_for_a_day(mosquitto, listen, make):
    ear = listen("carrom/#")
    ear.publish(f"{BASE}/alert/old-fault", {"id": "old-fault"}, retain=True)
    now = 1_000_000.0

    def ended(match, end):
        return Result(match, "table1", "icf", "south", {}, {}, (), (), end - 100, end)

    first = make(mosquitto.port, now=lambda: now)
    ear.wait_for(f"{BASE}/alert/old-fault", "")
    first.publish_result(ended("old", now - 23 * 3600))
    first.publish_result(ended("new", now - 60))
    ear.wait_for(f"{BASE}/result/new")
    first.stop()
    now += 2 * 3600
    make(mosquitto.port, now=lambda: now)
    ear.wait_for(f"{BASE}/result/old", "")
    assert "" not in ear.texts(f"{BASE}/result/new")


def test_a_result_is_cleared_when_its_day_is_over(mosquitto, listen, make):
    clock = [1_000_000.0]
    ear = listen("carrom/#")
    client = make(mosquitto.port, now=lambda: clock[0])
    client.publish_result(Result("m", "table1", "icf", "south", {}, {}, (), (), clock[0] - 9, clock[0]))
    client.housekeeping()
    clock[0] += 24 * 3600 + 1
    client.housekeeping()
    ear.wait_for(f"{BASE}/result/m", "")


def test_home_assistant_is_told_and_told_again_when_it_comes_up(mosquitto, listen, make):
    ear = listen("homeassistant/device/#")
    client = make(mosquitto.port, name="Hall, left")
    topic = "homeassistant/device/carrom_table1/config"
    found = json.loads(ear.wait_for(topic))
    assert found["device"] == {
        "identifiers": ["carrom_table1"],
        "name": "Hall, left",
        "model": "Carrom table",
        "sw_version": found["origin"]["sw_version"],
    }
    assert found["origin"]["name"] == "carrom-umpire"
    assert all("platform" in part for part in found["components"].values())
    aged = {part["platform"] for part in found["components"].values() if part.get("expire_after") == SILENT_S}
    assert aged == {"sensor", "binary_sensor"}, "an event knows no age"
    times = len(ear.texts(topic))
    ear.publish("homeassistant/status", "online")
    ear.wait_for(topic, times=times + 1)
    four = INFO.__class__("table1", "m", "icf", {s: {s: s} for s in ("south", "west", "north", "east")})
    client.publish_score(score(ruling(), four, 1.0))
    ear.wait(lambda: '"unique_id":"carrom_table1_points_west"' in ear.texts(topic)[-1])


def test_nobody_there_is_no_reason_to_fail(make):
    client = make(free_port(), wait=False)
    publish_everything(client)
    assert client.wait_for(lambda state: "refused" in state.says.lower(), PATIENCE_S)
    assert client.state.word == "lost"
    client.stop()


def test_a_broker_that_is_frozen_is_noticed_and_found_again_on_the_same_connection(tmp_path, make):
    broker = Mosquitto(tmp_path).start()
    states = []
    try:
        client = make(broker.port, on_change=states.append)
        broker.freeze()
        assert client.wait_for(lambda state: not state.connected, PATIENCE_S)
        assert (client.state.word, "no answer" in client.state.says) == ("lost", True), client.state
        broker.thaw()
        assert client.wait_for(connected, PATIENCE_S)
        assert [state.says for state in states if not state.connected] == [
            f"127.0.0.1:{broker.port}: no answer for 1.5 s"
        ]
        client.stop()
    finally:
        broker.kill()


def test_what_the_broker_will_not_take_is_noticed(tmp_path, make):
    acl = tmp_path / "acl"
    acl.write_text(f"topic readwrite {BASE}/#\ntopic deny {BASE}/board\n")
    broker = Mosquitto(tmp_path, "allow_anonymous true", f"acl_file {acl}").start()
    try:
        client = make(broker.port)
        publish_everything(client)
        topics = (f"{BASE}/board", "homeassistant/device/carrom_table1/config")
        assert client.wait_for(lambda state: tuple(t for t, _ in state.refused) == topics, PATIENCE_S), client.state
        assert client.state.word == "refused"
        assert client.state.refused[0][1] == "Not authorized"
        client.stop()
    finally:
        broker.kill()


def test_a_wrong_password_is_said(tmp_path):
    broker = Mosquitto(tmp_path, "allow_anonymous false").start()
    try:
        client = TableClient(Broker("127.0.0.1", broker.port, "umpire", "wrong"), "table1")
        client.start()
        assert client.wait_for(lambda state: "Not authorized" in state.says, PATIENCE_S), client.state
        client.stop()
    finally:
        broker.kill()


def test_many_threads_may_speak_at_once(mosquitto, listen, make):
    ear = listen(f"{BASE}/score/south", f"{BASE}/ruling")
    client = make(mosquitto.port)

    def speak(side):
        for number in range(100):
            client.publish_ruling(ruling(seq=number, seat=side), 1.0)

    threads = [threading.Thread(target=speak, args=(side,)) for side in ("south", "north")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ear.wait(lambda: len(ear.texts(f"{BASE}/ruling")) == 200, "200 rulings")
    order = [json.loads(text) for text in ear.texts(f"{BASE}/ruling")]
    for side in ("south", "north"):
        assert [body["seq"] for body in order if body["seat"] == side] == list(range(100))


def test_the_score_that_the_broker_has_kept_is_heard_once_before_ours_replaces_it(mosquitto, listen, make):
    before = make(mosquitto.port)
    publish_everything(before)
    ear = listen()
    ear.wait_for(f"{BASE}/score")
    before.stop()
    heard, news = [], threading.Event()

    def kept(body):
        heard.append(body)
        news.set()

    after = make(mosquitto.port, on_kept_score=kept)
    assert news.wait(PATIENCE_S)
    assert heard[0]["match"] == INFO.match
    publish_everything(after)
    mosquitto.kill()
    assert after.wait_for(lambda state: not state.connected, PATIENCE_S)
    mosquitto.start()
    assert after.wait_for(connected, PATIENCE_S)
    assert len(heard) == 1


def test_a_network_thread_that_ends_while_it_is_waited_for_is_left_all_the_same() -> None:
    client = paho.Client(paho.CallbackAPIVersion.VERSION2)

    class Ends:
        """paho's thread, which ends between paho's look at it and its wait for it."""

        def __eq__(self, other: object) -> bool:
            client._thread = None
            return False

        __hash__ = None

    client._thread = Ends()
    leave(client)
    assert client._thread is None
