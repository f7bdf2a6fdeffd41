"""The broker's shipped configuration and access list, on a real mosquitto: displays read and cannot write."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

import pytest

from controller.mqtt.client import Broker, TableClient
from controller.mqtt.payloads import Alert
from controller.mqtt.scoreboard import score
from tests.mqtt.broker import PATIENCE_S, Listener, Mosquitto, free_port
from tests.mqtt.rulings import INFO, ruling

pytestmark = pytest.mark.broker
SHIPPED = Path(__file__).parents[2] / "systemd"
BASE = "carrom/table1"


@pytest.fixture
def club(tmp_path):
    """The shipped files in a folder of their own, included as Debian's mosquitto.conf includes them."""
    (tmp_path / "conf.d").mkdir()
    passwords = tmp_path / "carrom.passwd"
    passwords.touch()
    for user in ("table1", "umpire", "hub"):
        subprocess.run(["mosquitto_passwd", "-b", passwords, user, f"{user}-secret"], check=True)
    (tmp_path / "carrom.acl").write_text((SHIPPED / "carrom.acl").read_text())
    broker = Mosquitto(tmp_path)
    shipped = (SHIPPED / "mosquitto-carrom.conf").read_text().replace("/etc/mosquitto", str(tmp_path))
    shipped = shipped.replace("listener 1883", f"listener {broker.port} 127.0.0.1")
    shipped = shipped.replace("listener 9001", f"listener {free_port()} 127.0.0.1")
    (tmp_path / "conf.d" / "carrom.conf").write_text(shipped)
    broker.file.write_text(
        f"user root\npersistence true\npersistence_location {tmp_path}/\nlog_dest stderr\n"
        f"include_dir {tmp_path}/conf.d\n"
    )
    broker.start()
    yield broker
    broker.kill()


@pytest.fixture
def table(club):
    acted = []

    def act(event, by):
        acted.append(event)
        return {"seq": 1, "event": event["event"]}

    client = TableClient(Broker("127.0.0.1", club.port, "table1", "table1-secret"), "table1", on_call=act)
    client.acted = acted
    client.publish_score(score(ruling(), INFO, 1.0))
    client.start()
    assert client.wait_for(lambda state: state.connected, PATIENCE_S), client.state
    yield client
    client.stop()


def test_the_table_may_say_all_it_has_to_say(table, club):
    display = Listener(club.port, "#")
    display.wait_for(f"{BASE}/availability", "online")
    display.wait_for(f"{BASE}/score/turn", "south")
    assert json.loads(display.wait_for(f"{BASE}/score"))["table"] == "table1"
    assert table.state.refused == ()
    display.close()


def test_a_display_writes_nothing(table, club):
    display = Listener(club.port, f"{BASE}/#")
    display.wait_for(f"{BASE}/availability", "online")
    call = {"event": "pause", "id": "c", "t": time.time()}
    for topic in ("call", "score", "availability", "reply/x", "alert/x"):
        assert display.publish(f"{BASE}/{topic}", call) == "Not authorized"
    assert display.publish("homeassistant/device/carrom_table1/config", "") == "Not authorized"
    assert table.acted == []
    display.close()


def test_the_umpire_calls_and_is_answered_where_displays_cannot_look(table, club):
    display = Listener(club.port, "carrom/#")
    umpire = Listener(club.port, "carrom/#", user="umpire", password="umpire-secret")
    call = {"event": "pause", "id": "c", "t": time.time()}
    assert umpire.publish(f"{BASE}/call", call, reply=f"{BASE}/reply/umpire") == "Success"
    umpire.wait_for(f"{BASE}/reply/umpire")
    assert table.acted == [{"event": "pause"}]
    assert umpire.publish(f"{BASE}/score", {}) == "Not authorized"
    table.publish_ruling(ruling(), 1.0, for_umpire=True)
    table.publish_alert(Alert("ask-2", "ask", "elbow?", 1.0, "icf-30"), standing=True, for_umpire=True)
    table.publish_ruling(ruling(), 1.0)
    umpire.wait_for(f"{BASE}/umpire/ruling")
    umpire.wait_for(f"{BASE}/umpire/alert/ask-2")
    display.wait_for(f"{BASE}/ruling")
    assert [topic for topic, _, _ in display.heard if topic.startswith(f"{BASE}/umpire")] == []
    assert display.texts(f"{BASE}/call") == display.texts(f"{BASE}/reply/umpire") == []
    table.resolve_alert("ask-2")
    umpire.wait_for(f"{BASE}/umpire/alert/ask-2", "")
    display.close()
    umpire.close()


def test_another_table_cannot_speak_for_this_one(club):
    stranger = TableClient(Broker("127.0.0.1", club.port, "table1", "table1-secret"), "table2")
    stranger.start()
    try:
        wanted = ("carrom/table2/availability", "Not authorized")
        assert stranger.wait_for(lambda state: wanted in state.refused, PATIENCE_S), stranger.state
        assert stranger.state.word == "refused"
    finally:
        stranger.stop()
