"""The club's tables: rows from messages, and the whole way from real tables over a real broker to the page."""

from __future__ import annotations

import json

import pytest

from controller.cli import main
from controller.commands.hub import Hub
from controller.config import WebSection
from controller.hub.tables import Tables
from controller.mqtt.client import Broker, TableClient
from controller.mqtt.payloads import Alert
from controller.mqtt.scoreboard import MatchInfo, score
from tests.mqtt.broker import PATIENCE_S, Mosquitto
from tests.mqtt.rulings import ruling
from tests.web.client import Client


def test_rows_come_in_the_order_in_which_somebody_is_needed():
    tables = Tables()
    for table in ("a", "b", "c", "d"):
        tables.heard(f"carrom/{table}/availability", b"online")
    tables.heard("carrom/a/availability", b"offline")
    tables.heard("carrom/d/alert/ask-2", b'{"level": "ask", "says": "Which piece fell?"}')
    tables.heard("carrom/c/alert/beam", b'{"level": "fault", "says": "dirty"}')
    assert [(row["table"], row["lamp"]) for row in tables.plain()] == [
        ("d", "ask"),
        ("c", "fault"),
        ("b", "fine"),
        ("a", "off"),
    ]
    assert tables.heard("carrom/d/alert/ask-2", b"")
    assert {row["table"]: row["lamp"] for row in tables.plain()}["d"] == "fine"


@pytest.mark.parametrize(
    ("topic", "payload"),
    [
        ("carrom/a/score", b"\xff"),
        ("carrom/a/score", b"[1]"),
        ("carrom/a/other", b"{}"),
        ("carrom", b"online"),
        ("homeassistant/a/availability", b"online"),
    ],
)
def test_what_cannot_be_read_changes_nothing(topic, payload):
    tables = Tables()
    tables.heard("carrom/a/availability", b"online")
    before = tables.plain()
    assert not tables.heard(topic, payload)
    assert tables.plain() == before


def names(hub):
    return [row["table"] for row in hub]


@pytest.mark.broker
def test_tables_come_and_go_on_the_page(tmp_path):
    broker = Mosquitto(tmp_path).start()
    clients = []
    try:
        with Hub("127.0.0.1", broker.port, "", "", WebSection(host="127.0.0.1", port=0)) as hub:
            stream = Client(hub.port).stream()

            def wait(condition):
                for kind, rows in stream:
                    if kind == "state" and condition(rows):
                        return rows
                raise AssertionError("the stream has ended")

            for table in ("one", "two"):
                client = TableClient(Broker("127.0.0.1", broker.port), table)
                clients.append(client)
                sides = {"south": {"south": f"Asha {table}"}, "north": {"north": "Ben"}}
                client.publish_score(score(ruling(), MatchInfo(table, "m", "icf", sides), 1.0))
                client.start()
            rows = wait(lambda rows: len(rows) == 2 and all(row["online"] and row["score"] for row in rows))
            assert rows[0]["score"]["sides"][0]["seats"] == {"south": "Asha one"}
            clients[1].publish_alert(Alert("ask-2", "ask", "Which piece fell in NE?", 1.0), standing=True)
            rows = wait(lambda rows: rows[0]["lamp"] == "ask")
            assert (rows[0]["table"], rows[0]["waiting"]) == ("two", ["Which piece fell in NE?"])
            clients[0].stop()
            rows = wait(lambda rows: rows[-1]["lamp"] == "off")
            assert rows[-1]["table"] == "one"
            # A broker that comes back without what it knew is asked again.
            broker.kill()
            wait(lambda rows: rows == [])
            broker.start()
            assert clients[1].wait_for(lambda state: state.connected, PATIENCE_S)
            wait(lambda rows: names(rows) == ["two"] and rows[0]["online"] and rows[0]["lamp"] == "ask")
            assert json.loads(Client(hub.port).get("/tables").body)[0]["table"] == "two"
            page = Client(hub.port).get("/")
            assert b"The club's tables" in page.body
            assert page.headers["content-security-policy"].startswith("default-src 'self'")
            stream.close()
    finally:
        for client in clients:
            client.stop()
        broker.kill()


def test_a_configuration_that_cannot_be_read_is_one_line(tmp_path, capsys):
    config = tmp_path / "hub.toml"
    config.write_text('[mqtt]\npassword_file = "/nowhere/at/all"\n')
    assert main(["hub", "--config", str(config)]) == 2
    err = capsys.readouterr().err
    assert "Mend: write it" in err
    assert err.count("\n") == 1
