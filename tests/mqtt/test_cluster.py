"""A broker of several nodes, each a mosquitto that knows nothing of the others: one dies, the next is used."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from types import SimpleNamespace

import pytest

from controller.commands.hub import Hub
from controller.config import MqttSection, WebSection
from controller.hub.publishing import publish
from controller.mqtt.client import Broker, TableClient
from controller.mqtt.outbox import STALE_S, Outbox
from controller.table.outlets.broker_settings import broker_of
from tests.mqtt.beating import beating
from tests.mqtt.broker import Listener, Mosquitto, free_port
from tests.mqtt.rulings import ruling
from tests.mqtt.test_calls import CALL
from tests.mqtt.test_client import BASE, publish_everything
from tests.patience import PATIENCE_S
from tests.web.client import Client


@pytest.fixture
def node(tmp_path):
    """Starts a node; `.listen()` on it hears everything."""
    made, ears = [], []

    def start():
        folder = tmp_path / f"node{len(made)}"
        folder.mkdir()
        one = Mosquitto(folder).start()
        made.append(one)

        def listen(*topics):
            ears.append(Listener(one.port, *(topics or ("#",))))
            return ears[-1]

        one.listen = listen
        return one

    yield start
    for ear in ears:
        ear.close()
    for one in made:
        one.kill()


@pytest.fixture
def table():
    running = []

    def start(first, *ports, only="", **more):
        cluster = Broker("127.0.0.1", first, only=only, others=tuple(("127.0.0.1", port) for port in ports))
        client = TableClient(cluster, "table1", **more)
        running.append(client)
        publish_everything(client)
        client.start()
        return client

    yield start
    for client in running:
        client.stop()


def on(client, port):
    assert client.wait_for(lambda state: state.where == f"127.0.0.1:{port}", PATIENCE_S), client.state


@pytest.mark.broker
@pytest.mark.parametrize("version", ["5", "3.1.1"])
def test_all_that_is_retained_is_on_the_next_node_when_one_dies(node, table, version):
    one, two = node(), node()
    client = table(one.port, two.port, only=version)
    on(client, one.port)
    before = one.listen(f"{BASE}/#", "homeassistant/#")
    before.wait_for(f"{BASE}/availability", "online")
    kept = {topic: text for topic, text, _ in before.heard}
    ear = two.listen()
    assert ear.heard == []
    one.kill()
    on(client, two.port)
    ear.wait_for(f"{BASE}/availability", "online")
    assert ear.heard[-1][0] == f"{BASE}/availability"
    assert client.state.version == version
    late = two.listen()
    late.wait_for(f"{BASE}/availability", "online")
    topics = {topic for topic, _, retained in late.heard if retained}
    wanted = {f"{BASE}/{last}" for last in ("score", "score/turn", "board", "health", "alert/beam-ne", "availability")}
    assert topics >= wanted | {"homeassistant/device/carrom_table1/config"}
    assert kept.items() <= {topic: text for topic, text, _ in late.heard}.items()


@pytest.mark.broker
def test_what_was_not_confirmed_goes_to_the_next_node_once_and_what_was_does_not(node, table):
    one, two = node(), node()
    read = threading.Event()
    client = table(one.port, two.port, on_call=lambda *_: read.set() or {})
    on(client, one.port)
    here, there = one.listen(f"{BASE}/ruling"), two.listen(f"{BASE}/ruling", f"{BASE}/availability")
    client.publish_ruling(ruling(seq=1), 1.0)
    here.wait_for(f"{BASE}/ruling")
    # A node answers in order: who has read this call has read its word on the ruling before.
    here.publish(f"{BASE}/call", CALL | {"id": "c", "t": time.time()})
    assert read.wait(PATIENCE_S)
    one.freeze()
    client.publish_ruling(ruling(seq=2), 2.0)
    one.kill()
    on(client, two.port)
    client.publish_ruling(ruling(seq=3), 3.0)
    there.wait(lambda: any('"seq":3' in text for text in there.texts(f"{BASE}/ruling")), "the last ruling")
    assert [json.loads(text)["seq"] for text in there.texts(f"{BASE}/ruling")] == [2, 3]


@pytest.mark.broker
@pytest.mark.slow
def test_a_node_that_says_nothing_any_more_is_left_for_the_next(node, table):
    one, two = node(), node()
    client = table(one.port, two.port)
    on(client, one.port)
    one.freeze()
    on(client, two.port)


@pytest.mark.broker
def test_the_node_that_answered_last_is_tried_first_and_then_the_next_in_turn(node, table):
    one, two, dead, states = node(), node(), free_port(), []
    client = table(dead, one.port, two.port, on_change=states.append)
    on(client, one.port)
    one.kill()
    on(client, two.port)
    one.start()
    two.kill()
    assert client.wait_for(lambda state: not state.connected, PATIENCE_S)
    on(client, one.port)
    places = {f"127.0.0.1:{port}": name for port, name in ((dead, "dead"), (one.port, "one"), (two.port, "two"))}
    told = [state.where or state.says.partition(": ")[0] for state in states if "no answer for" not in state.says]
    tried = [places[where] for where in told if where in places]
    assert tried == ["dead", "one", "one", "two", "two", "dead", "one"]


def test_an_event_that_found_no_broker_for_too_long_is_not_said_as_if_it_were_now():
    now, sent = [0.0], []
    box = Outbox(lambda: None, lambda: now[0])
    node = SimpleNamespace(publish=lambda topic, *_, **__: sent.append(topic) or SimpleNamespace(mid=len(sent)))
    box.send("old", b"")
    now[0] = STALE_S + 1.0
    box.send("new", b"")
    box.attach(node, "birth", b"")
    assert sent == ["new", "birth"]
    box.acknowledged(1, False, "")
    box.detach()
    box.attach(node, "birth", b"")
    assert sent == ["new", "birth", "birth"]


@pytest.mark.broker
def test_fixtures_are_published_on_a_node_that_answers(node):
    one = node()
    publish(Broker("127.0.0.1", free_port(), others=(("127.0.0.1", one.port),)), lambda _stood: {"table1": b"{}"})
    assert one.listen().wait_for(f"{BASE}/fixtures") == "{}"


def test_nodes_are_named_with_or_without_a_port():
    cluster = broker_of(MqttSection(host="a.club", port=8883, others=["10.0.0.3", "b.club:1883", "[fd00::4]:1884"]))
    assert [(one.host, one.port) for one in cluster.nodes] == [
        ("a.club", 8883),
        ("10.0.0.3", 8883),
        ("b.club", 1883),
        ("fd00::4", 1884),
    ]


def shown(tiles, condition):
    """The tiles, as soon as they are so."""
    return next(rows for rows in tiles if rows and condition(rows[0]))


@pytest.mark.broker
@pytest.mark.slow
@pytest.mark.parametrize("end", ["kill", "freeze"])
def test_the_hub_goes_on_with_the_next_node_too(node, table, end):
    one, two = node(), node()
    cluster = Broker("127.0.0.1", one.port, others=(("127.0.0.1", two.port),))
    with contextlib.ExitStack() as stack:
        hub = stack.enter_context(Hub(cluster, WebSection(host="127.0.0.1", port=0)))
        stream = stack.enter_context(contextlib.closing(Client(hub.port).tiles()))
        client = table(one.port, two.port)
        on(client, one.port)
        stack.enter_context(beating(client))
        shown(stream, lambda tile: tile["online"])
        getattr(one, end)()
        shown(stream, lambda tile: not tile["online"])
        rows = shown(stream, lambda tile: tile["online"] and tile["sides"])
        assert [row["table"] for row in rows] == ["table1"]


@pytest.mark.broker
@pytest.mark.slow
def test_a_table_that_left_no_will_is_away_by_its_age_on_each_node(node, monkeypatch):
    monkeypatch.setattr("controller.hub.tables.SILENT_S", 3.0)
    one, two = node(), node()
    health = {"t": 1000.0, "armed": "armed"}
    for each in (one, two):
        left = each.listen("nothing")
        left.publish(f"{BASE}/availability", "online", retain=True)
        left.publish(f"{BASE}/health", health, retain=True)
    cluster = Broker("127.0.0.1", one.port, others=(("127.0.0.1", two.port),))
    with contextlib.ExitStack() as stack:
        hub = stack.enter_context(Hub(cluster, WebSection(host="127.0.0.1", port=0)))
        stream = stack.enter_context(contextlib.closing(Client(hub.port).tiles()))
        # At no time it is there: what a broker has kept may be of any age.
        seen = []
        shown(stream, lambda tile: seen.append(tile["lamp"]) or tile["lamp"] == "off")
        assert list(dict.fromkeys(seen)) == ["unknown", "off"]
        one.kill()
        shown(stream, lambda tile: tile["cut"])
        # What the other node has kept is as old.
        rows = shown(stream, lambda tile: not tile["cut"])
        assert rows[0]["lamp"] == "off"
        left.publish(f"{BASE}/health", health, retain=True)
        shown(stream, lambda tile: tile["online"])
