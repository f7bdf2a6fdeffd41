"""TLS to the broker, and whether anybody may write on it: on a real mosquitto."""

from __future__ import annotations

import contextlib
import ssl
import subprocess
import threading

import pytest

from controller.commands.hub import Hub
from controller.config import MqttSection, WebSection, load_config
from controller.events.errors import ConfigError
from controller.mqtt.answering import NOWHERE
from controller.mqtt.broker import Broker, tls_context
from controller.mqtt.client import TableClient
from controller.mqtt.trial import in_words, welcome, written_by_anybody
from controller.table.outlets.broker_settings import broker_of
from tests.mqtt.broker import Listener, Mosquitto
from tests.patience import PATIENCE_S
from tests.web.client import Client

pytestmark = pytest.mark.broker


@pytest.fixture
def secret(tmp_path, authority):
    """A broker that speaks TLS only, asks for passwords, and lets table1 alone write."""
    passwords, access = tmp_path / "passwd", tmp_path / "acl"
    passwords.touch()
    subprocess.run(["mosquitto_passwd", "-b", passwords, "table1", "hidden"], check=True)
    access.write_text("topic read carrom/#\nuser table1\ntopic readwrite carrom/table1/#\n")
    broker = Mosquitto(
        tmp_path,
        f"certfile {authority / 'broker.crt'}",
        f"keyfile {authority / 'broker.key'}",
        "allow_anonymous true",
        f"password_file {passwords}",
        f"acl_file {access}",
    ).start()
    yield broker
    broker.kill()


def settings(broker, tmp_path, authority, ca="ca", **more) -> MqttSection:
    (tmp_path / "password").write_text("hidden\n")
    told = {"host": "127.0.0.1", "port": broker.port, "user": "table1", "password_file": tmp_path / "password"}
    return MqttSection(**told, tls=True, ca_file=authority / f"{ca}.crt", **more)


def test_a_table_and_the_hub_speak_tls_with_a_broker_whose_certificate_they_check(secret, tmp_path, authority):
    broker = broker_of(settings(secret, tmp_path, authority))
    assert welcome(broker) == "5"
    client = TableClient(broker, "table1", announce=False)
    client.start()
    try:
        assert client.wait_for(lambda state: state.connected, PATIENCE_S), client.state
        assert client.state.refused == ()
        with Hub(broker, WebSection(host="127.0.0.1", port=0)) as hub:
            tiles = Client(hub.port).tiles()
            # A table's score may come before its health: the first rows need not call it online yet.
            assert next(row for rows in tiles for row in rows if row["online"])["table"] == "table1"
            tiles.close()
    finally:
        client.stop()


def reach(hub) -> str:
    """What the hub says on its pages of the broker, once it says something."""
    with contextlib.closing(Client(hub.port).stream()) as stream:
        return next(body["says"] for kind, body in stream if kind == "reach" and body["says"])


@pytest.mark.parametrize(
    ("ca", "password", "says"),
    [
        ("stranger", "hidden", ("its certificate is not to be trusted", "Fix: name in mqtt.ca_file")),
        ("ca", "wrong", ("it does not want the hub", "Fix: set mqtt.user and mqtt.password_file")),
    ],
)
def test_the_hub_says_on_its_pages_and_in_its_log_why_it_reaches_no_broker(
    secret, tmp_path, authority, caplog, ca, password, says
):
    told = settings(secret, tmp_path, authority, ca)
    (tmp_path / "password").write_text(password)
    with Hub(broker_of(told), WebSection(host="127.0.0.1", port=0)) as hub:
        shown = reach(hub)
        where = f"127.0.0.1:{secret.port}: "
        assert shown.startswith(where)
        assert all(one in shown and one in caplog.text for one in says)


@pytest.mark.usefixtures("strict")
def test_an_authority_that_does_not_say_what_its_key_is_for_is_one(secret, tmp_path, authority):
    assert welcome(broker_of(settings(secret, tmp_path, authority))) == "5"


def test_only_the_thread_that_reads_writes_for_the_hub(secret, tmp_path, authority, monkeypatch):
    writers, asked, really = set(), threading.Event(), ssl.SSLSocket.send

    def send(link, data, *more):
        writers.add(threading.current_thread().name)
        if NOWHERE.encode() in bytes(data):
            asked.set()
        return really(link, data, *more)

    monkeypatch.setattr(ssl.SSLSocket, "send", send)
    with Hub(broker_of(settings(secret, tmp_path, authority)), WebSection(host="127.0.0.1", port=0)):
        assert asked.wait(PATIENCE_S)
    assert writers == {"ear"}


def test_a_broker_with_another_authoritys_certificate_is_not_spoken_to(secret, tmp_path, authority):
    broker = broker_of(settings(secret, tmp_path, authority, ca="stranger"))
    with pytest.raises(OSError, match="certificate verify failed"):
        welcome(broker)
    client = TableClient(broker, "table1")
    client.start()
    try:
        assert client.wait_for(lambda state: "certificate verify failed" in state.says, PATIENCE_S), client.state
        assert not client.state.connected
    finally:
        client.stop()


def test_a_file_that_is_no_certificate_is_one_line(tmp_path, authority):
    for file in (tmp_path / "nowhere", authority / "names"):
        with pytest.raises(ConfigError, match=r"Fix: set mqtt\.ca_file") as refused:
            tls_context(file)
        assert "\n" not in str(refused.value)
    (tmp_path / "carrom.toml").write_text('[mqtt]\nca_file = "x"\n')
    with pytest.raises(ConfigError, match="only used with tls = true"):
        load_config(tmp_path / "carrom.toml")


# -- whether anybody may write


def test_a_broker_with_an_access_list_lets_nobody_write(secret, tmp_path, authority):
    assert written_by_anybody(broker_of(settings(secret, tmp_path, authority)), "table1") == ()
    assert written_by_anybody(broker_of(settings(secret, tmp_path, authority, version="3.1.1")), "table1") == ()


def test_a_broker_that_lets_no_stranger_in_is_as_it_should_be(tmp_path):
    broker = Mosquitto(tmp_path, "allow_anonymous false").start()
    try:
        assert written_by_anybody(Broker("127.0.0.1", broker.port), "table1") == ()
    finally:
        broker.kill()


@pytest.mark.parametrize("version", ["", "3.1.1"])
def test_an_open_broker_is_noticed_and_nothing_is_harmed(mosquitto, version):
    acted = []
    here = Broker("127.0.0.1", mosquitto.port)
    client = TableClient(here, "table1", on_call=lambda event, by: acted.append(event) or {})
    client.start()
    ear = Listener(mosquitto.port, "carrom/#")
    try:
        assert client.wait_for(lambda state: state.connected, PATIENCE_S)
        written = written_by_anybody(Broker("127.0.0.1", mosquitto.port, only=version), "table1")
        assert written == ("carrom/table1/call", "carrom/table1/score/nobody")
        assert in_words(written).startswith("anybody may write on the broker: carrom/table1/call and ")
        # What is said after it has been taken in is answered: the trial itself did nothing.
        assert acted == []
        ear.wait_for("carrom/table1/call")
        late = Listener(
            mosquitto.port, "carrom/table1/availability", "carrom/table1/call", "carrom/table1/score/nobody"
        )
        late.wait_for("carrom/table1/availability")
        assert [topic for topic, _, _ in late.heard] == ["carrom/table1/availability"]
        late.close()
    finally:
        ear.close()
        client.stop()


def test_a_broker_that_is_not_there_is_an_error(tmp_path):
    broker = Mosquitto(tmp_path)
    with pytest.raises(OSError, match="refused"):
        written_by_anybody(Broker("127.0.0.1", broker.port), "table1")
