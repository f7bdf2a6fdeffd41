"""The hub: the whole way from real tables over a real broker to the page, and how it ends when a part of it hangs."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import threading
import time

import pytest
from paho.mqtt.client import MQTTMessage

from controller.cli import main
from controller.commands import hub as hub_command
from controller.commands.hub import HANGS_S, Hub
from controller.config import WebSection
from controller.hub.listener import HubListener
from controller.mqtt.client import Broker, TableClient
from controller.mqtt.payloads import Alert
from controller.mqtt.scoreboard import MatchInfo, score
from controller.web.server import WebServer
from tests.mqtt.broker import Mosquitto
from tests.mqtt.rulings import ruling
from tests.patience import PATIENCE_S
from tests.web.client import Client


def names(hub):
    return [row["table"] for row in hub]


def playing(broker, table):
    """A table that publishes the score of a match."""
    client = TableClient(Broker("127.0.0.1", broker.port), table)
    sides = {"south": {"south": f"Asha {table}"}, "north": {"north": "Ben"}}
    client.publish_score(score(ruling(), MatchInfo(table, "m", "icf", sides), 1.0))
    client.start()
    return client


@pytest.mark.broker
def test_tables_come_and_go_on_the_page(tmp_path):
    broker = Mosquitto(tmp_path).start()
    clients = []
    try:
        with Hub(Broker("127.0.0.1", broker.port), WebSection(host="127.0.0.1", port=0)) as hub:
            # Said also where nothing is wrong: a page may still show what a hub before this one did not reach.
            with contextlib.closing(Client(hub.port).stream()) as said:
                assert next(body for kind, body in said if kind == "reach") == {"says": "", "left_out": []}
            tiles = Client(hub.port).tiles()

            def wait(condition):
                return next(rows for rows in tiles if condition(rows))

            clients.extend(playing(broker, table) for table in ("one", "two"))
            rows = wait(lambda rows: len(rows) == 2 and all(row["online"] and row["sides"] for row in rows))
            assert rows[0]["sides"][0]["seats"] == {"south": "Asha one"}
            clients[1].publish_alert(Alert("ask-2", "ask", "Which piece fell in NE?", 1.0), standing=True)
            rows = wait(lambda rows: rows[0]["lamp"] == "ask")
            assert (rows[0]["table"], rows[0]["waiting"][0]["says"]) == ("two", "Which piece fell in NE?")
            clients[0].stop()
            rows = wait(lambda rows: rows[-1]["lamp"] == "off")
            assert rows[-1]["table"] == "one"
            # A broker that is frozen keeps its connections: each table is shown as it was heard last.
            broker.freeze()
            rows = wait(lambda rows: all(row["cut"] or row["table"] == "one" for row in rows))
            with contextlib.closing(Client(hub.port).stream()) as said:
                assert "no answer for" in next(body["says"] for kind, body in said if kind == "reach")
            assert [(row["lamp"], bool(row["sides"])) for row in rows] == [("off", True)] * 2
            broker.thaw()
            wait(lambda rows: len(rows) == 2 and rows[0]["online"] and rows[0]["lamp"] == "ask")
            # A broker that comes back without what it knew is asked again.
            broker.kill()
            wait(lambda rows: len(rows) == 2 and not any(row["online"] for row in rows))
            broker.start()
            assert clients[1].wait_for(lambda state: state.connected, PATIENCE_S)
            wait(lambda rows: names(rows) == ["two"] and rows[0]["online"] and rows[0]["lamp"] == "ask")
            assert json.loads(Client(hub.port).get("/tables").body)[0]["table"] == "two"
            page = Client(hub.port).get("/")
            assert b"The club's tables" in page.body
            assert page.headers["content-security-policy"].startswith("default-src 'self'")
            tiles.close()
    finally:
        for client in clients:
            client.stop()
        broker.kill()


def test_a_configuration_that_cannot_be_read_is_one_line(tmp_path, capsys):
    config = tmp_path / "hub.toml"
    config.write_text('[mqtt]\npassword_file = "/nowhere/at/all"\n')
    assert main(["hub", "--config", str(config)]) == 2
    err = capsys.readouterr().err
    assert "Fix: write it" in err
    assert err.count("\n") == 1


@pytest.mark.live
@pytest.mark.parametrize("part", ["ear", "web"])
def test_a_hub_whose_thread_dies_ends_and_says_so(tmp_path, monkeypatch, capsys, part):
    def dies(*_, **__):
        raise SystemExit("here")

    if part == "ear":
        monkeypatch.setattr(HubListener, "_listen", dies)
    else:
        monkeypatch.setattr(WebServer, "_serve", dies)
    file = tmp_path / "carrom.toml"
    file.write_text('[mqtt]\nhost = "127.0.0.1"\nport = 1\n[web]\nhost = "0.0.0.0"\nport = 0\n')
    assert main(["hub", "--config", str(file)]) == 1
    said = capsys.readouterr()
    assert f"carrom hub: its {part} has died (SystemExit: here). Fix: " in said.err
    assert "the club's tables: http://" in said.out
    assert "0.0.0.0" not in said.out


def test_a_message_that_cannot_be_dealt_with_does_not_deafen_the_hub(monkeypatch):
    """Whatever a table may send: the next is heard."""
    ear = HubListener(
        Broker("127.0.0.1", 1),
        heard=lambda *_: 1 / 0,
        found=lambda: None,
        lost=lambda: None,
        reaches=lambda _why: None,
        passed=lambda: None,
    )
    message = MQTTMessage(topic=b"carrom/a/score")
    ear._client._handle_on_message(message)


@pytest.mark.live
def test_a_hub_goes_on_while_it_has_nothing_to_do(tmp_path):
    with Hub(Broker("127.0.0.1", 1), WebSection(host="127.0.0.1", port=0)) as hub:
        hub._server.thread.now = lambda: time.monotonic() + 1000
        until, tick = time.monotonic() + PATIENCE_S, threading.Event()
        while hub.trouble():
            assert time.monotonic() < until
            tick.wait(0.01)


def quiet_hub(tmp_path):
    file = tmp_path / "carrom.toml"
    file.write_text('[mqtt]\nhost = "127.0.0.1"\nport = 1\n[web]\nhost = "127.0.0.1"\nport = 0\n')
    return file


@pytest.fixture
def manager(tmp_path, monkeypatch):
    """A service manager's end of the socket; signals are put back."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.settimeout(PATIENCE_S)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        monkeypatch.setattr("controller.commands.hub.LOOK_S", 0.01)
        yield listening


@pytest.mark.live
def test_a_hub_that_goes_on_feeds_the_watchdog(tmp_path, manager):
    heard = []

    def listen():
        while b"WATCHDOG=1" not in heard:
            heard.append(manager.recv(200))
        signal.raise_signal(signal.SIGTERM)

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    assert main(["hub", "--config", str(quiet_hub(tmp_path))]) == 0
    assert heard[0].startswith(b"READY=1")


@pytest.mark.live
@pytest.mark.parametrize("part", ["ear", "web"])
def test_a_hub_that_hangs_feeds_nobody_and_ends(tmp_path, monkeypatch, capsys, manager, part):
    monkeypatch.setitem(hub_command.HANGS_S, part, -1.0)
    assert main(["hub", "--config", str(quiet_hub(tmp_path))]) == 1
    assert f"carrom hub: its {part} hangs. Fix:" in capsys.readouterr().err
    manager.setblocking(False)
    assert manager.recv(200).startswith(b"READY=1")
    with pytest.raises(BlockingIOError):
        manager.recv(200)


@pytest.mark.live
def test_an_ear_that_gets_no_answer_is_noticed_and_one_without_a_broker_is_well(monkeypatch):
    let_go = threading.Event()
    monkeypatch.setattr("paho.mqtt.client.Client.reconnect", lambda _client: let_go.wait(PATIENCE_S))
    with Hub(Broker("127.0.0.1", 1), WebSection(host="127.0.0.1", port=0)) as hub:
        assert hub.trouble() == ""
        hub._ear.thread.now = lambda: time.monotonic() + HANGS_S["ear"] + 1
        assert hub.trouble() == "its ear hangs"
        let_go.set()
