"""A referee's answer at the hub: over a real broker to the table, and only where the broker's rights allow it."""

from __future__ import annotations

import pytest

from controller.commands.hub import Hub
from controller.config import HubSection, WebSection
from controller.hub.caller import call
from controller.mqtt.broker import Broker
from controller.mqtt.client import TableClient
from controller.mqtt.payloads import Alert
from tests.mqtt.beating import beating
from tests.mqtt.broker import free_port
from tests.patience import PATIENCE_S
from tests.web.client import Client

pytestmark = pytest.mark.broker
ANSWER = {"event": "answer", "ask": 14, "choice": "white"}
TABLE = "table1"


@pytest.fixture
def table(broker):
    acted = []

    def act(event, by):
        acted.append((event, by))
        return {"seq": 15, "event": event["event"]} if event.get("ask") == 14 else {"seq": None, "error": "none open"}

    client = TableClient(Broker("127.0.0.1", broker.port, TABLE, broker.password(TABLE)), TABLE, on_call=act)
    client.acted = acted
    client.start()
    assert client.wait_for(lambda state: state.connected, PATIENCE_S), client.state
    yield client
    client.stop()


def user(broker, name):
    return Broker("127.0.0.1", broker.port, name, broker.password(name))


def test_the_table_takes_it_once_and_its_answer_comes_back(table, broker):
    assert call(user(broker, "asha"), TABLE, ANSWER, PATIENCE_S) == {"seq": 15, "event": "answer"}
    ((event, by),) = table.acted
    assert event == ANSWER
    assert by.startswith("mqtt:hub-"), "the journal says that it came from the hub"
    assert call(user(broker, "asha"), TABLE, {**ANSWER, "ask": 3}, PATIENCE_S)["error"] == "none open"


@pytest.mark.parametrize("name", ["hall", "desk", "ben"])
def test_who_may_not_call_this_table_is_refused_by_the_broker(table, broker, name):
    """`ben` is umpire of another table alone."""
    assert "does not let this hub call table1" in call(user(broker, name), TABLE, ANSWER, PATIENCE_S)["error"]
    assert table.acted == []


def test_a_table_that_says_nothing_and_a_broker_that_is_gone_are_one_line(broker):
    assert call(user(broker, "asha"), TABLE, ANSWER, 0.5) == {
        "error": "table1 has not answered for 0.5 s. Fix: answer at the table's console"
    }
    assert "cannot be reached" in call(Broker("127.0.0.1", free_port()), TABLE, ANSWER, 0.5)["error"]


def test_a_referee_answers_at_the_hub_and_nobody_else_does(table, broker, tmp_path):
    table.publish_alert(Alert("ask-14", "ask", "Which?", 1.0, ask=14, choices=("white", "black")), standing=True)
    pin = tmp_path / "pin"
    pin.write_text("4711")
    pin.chmod(0o600)
    web = WebSection(host="127.0.0.1", port=0, pin_file=pin)
    with beating(table), Hub(user(broker, "asha"), web, HubSection(answers=True)) as hub:
        referee, anybody = Client(hub.port), Client(hub.port)
        referee.login()
        asked = next(
            waiting
            for kind, body in referee.stream()
            if kind == "state"
            for row in body
            if row["online"]
            for waiting in row["waiting"]
        )
        assert (asked["ask"], asked["choices"]) == (14, ["white", "black"])
        body = {name: ANSWER[name] for name in ("ask", "choice")}
        assert anybody.post(f"/tables/{TABLE}/answer", body).status == 401
        assert "choices" not in anybody.get("/tables").json[0]["waiting"][0]
        answered = referee.post(f"/tables/{TABLE}/answer", body)
        assert (answered.status, answered.json["seq"]) == (200, 15)
        assert referee.post(f"/tables/{TABLE}/answer", {"ask": 3}).status == 409
        assert referee.post("/tables/nowhere/answer", body).status == 409
    with Hub(user(broker, "desk"), web) as hub:
        referee = Client(hub.port)
        referee.login()
        assert referee.post(f"/tables/{TABLE}/answer", body).status == 404
    assert [event["ask"] for event, _by in table.acted] == [14, 3]
