"""The brokers that `carrom broker` makes, on real mosquittos: who may do what, and the bridge between them."""

from __future__ import annotations

import json
import threading
import time

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from controller.cli import main
from controller.mqtt.client import Broker, TableClient
from controller.mqtt.connection import leave
from controller.mqtt.payloads import Alert
from controller.mqtt.scoreboard import score
from tests.mqtt.broker import Listener
from tests.mqtt.made_broker import LIST, MadeBroker, made
from tests.mqtt.rulings import INFO, ruling
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.broker
BASE = "carrom/table1"


@pytest.fixture
def table(broker):
    acted = []

    def act(event, by):
        acted.append(event)
        return {"seq": 1, "event": event["event"]}

    client = TableClient(Broker("127.0.0.1", broker.port, "table1", broker.password("table1")), "table1", on_call=act)
    client.acted = acted
    client.publish_score(score(ruling(), INFO, 1.0))
    client.start()
    assert client.wait_for(lambda state: state.connected, PATIENCE_S), client.state
    yield client
    client.stop()


def test_the_table_may_say_all_it_has_to_say(table, broker):
    display = Listener(broker.port, "#")
    display.wait_for(f"{BASE}/availability", "online")
    display.wait_for(f"{BASE}/score/turn", "south")
    assert json.loads(display.wait_for(f"{BASE}/score"))["table"] == "table1"
    assert table.state.refused == ()
    display.close()


def test_a_display_writes_nothing(table, broker):
    display = Listener(broker.port, f"{BASE}/#")
    display.wait_for(f"{BASE}/availability", "online")
    call = {"event": "pause", "id": "c", "t": time.time()}
    for topic in ("call", "score", "availability", "reply/x", "alert/x"):
        assert display.publish(f"{BASE}/{topic}", call) == "Not authorized"
    assert display.publish("homeassistant/device/carrom_table1/config", "") == "Not authorized"
    assert table.acted == []
    display.close()


NAMES = [
    f"{name}{who}"
    for name in ("carrom-table1", "table1", "bridge-table1", "club-table1", "local.club-table1")
    for who in ("", ":asha")
]
"""Client ids that a stranger, and an umpire with her own password, may think of."""


def comes_in(port, name, password):
    """Somebody connects under a client id, and is there."""
    client_id, _, user = name.partition(":")
    one = paho.Client(CallbackAPIVersion.VERSION2, client_id=client_id, protocol=5)
    if user:
        one.username_pw_set(user, password)
    inside = threading.Event()
    one.on_connect = lambda _c, _d, _f, reason, _p: inside.set() if not reason.is_failure else None
    one.connect("127.0.0.1", port)
    one.loop_start()
    assert inside.wait(PATIENCE_S)
    return one


def test_nobody_throws_the_table_off_its_broker_by_a_client_id(table, broker):
    display = Listener(broker.port, f"{BASE}/#")
    display.wait_for(f"{BASE}/availability", "online")
    strangers = [comes_in(broker.port, name, broker.password("asha")) for name in NAMES]
    try:
        # The broker takes things in order: had the table been thrown out, its last will would have come first.
        table.publish_alert(Alert("here", "info", "still here", 1.0))
        display.wait_for(f"{BASE}/alert")
        assert display.texts(f"{BASE}/availability") == ["online"]
        assert table.state.connected
        assert table.state.taken_over == ""
    finally:
        for one in strangers:
            leave(one)
        display.close()


def test_the_umpire_calls_and_is_answered_where_displays_cannot_look(table, broker):
    display = Listener(broker.port, "carrom/#")
    umpire = Listener(broker.port, "carrom/#", user="asha", password=broker.password("asha"))
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
    table.resolve_alert("ask-2", for_umpire=True)
    umpire.wait_for(f"{BASE}/umpire/alert/ask-2", "")
    display.close()
    umpire.close()


def test_another_table_cannot_speak_for_this_one(broker):
    stranger = TableClient(Broker("127.0.0.1", broker.port, "table1", broker.password("table1")), "table2")
    stranger.start()
    try:
        wanted = ("carrom/table2/availability", "Not authorized")
        assert stranger.wait_for(lambda state: wanted in state.refused, PATIENCE_S), stranger.state
        assert stranger.state.word == "refused"
    finally:
        stranger.stop()


MAY = {
    "": [],
    "asha": [f"carrom/{table}/{name}" for table in ("table1", "table2") for name in ("call", "fixtures")],
    "ben": ["carrom/table2/call", "carrom/table2/fixtures"],
    "sec": ["carrom/table1/fixtures", "carrom/table2/fixtures"],
    "hall": [],
    "desk": ["carrom/table1/fixtures", "carrom/table2/fixtures"],
    "house": ["homeassistant/device/carrom_table1/config"],
    "table1": [f"carrom/table1/{name}" for name in ("call", "fixtures", "score", "umpire/ruling", "reply/x")]
    + ["homeassistant/device/carrom_table1/config"],
}
"""What each user may publish of what is tried."""
HEARS_THE_UNCONFIRMED = {"asha": {"table1", "table2"}, "ben": {"table2"}, "table1": {"table1"}}
TRIED = [
    f"carrom/{t}/{n}" for t in ("table1", "table2") for n in ("call", "fixtures", "score", "umpire/ruling", "reply/x")
] + ["homeassistant/device/carrom_table1/config"]


def test_on_the_clubs_broker_everybody_does_what_their_role_is(tmp_path):
    made(tmp_path, LIST)
    club = MadeBroker(tmp_path / "broker" / "club", tmp_path / "run")
    club.start()
    people = {
        user: Listener(club.port, "carrom/#", user=user, password=club.password(user) if user else "") for user in MAY
    }
    try:
        for user, one in people.items():
            assert [topic for topic in TRIED if one.publish(topic, f"by {user}") != "Not authorized"] == MAY[user], user
        for table in ("table1", "table2"):
            by = Listener(club.port, "carrom/+/health", user=table, password=club.password(table))
            by.publish(f"carrom/{table}/umpire/ruling", "to be confirmed")
            by.publish(f"carrom/{table}/umpire/alert/ask-2", "elbow?")
            by.publish(f"carrom/{table}/health", "last")
            by.close()
            for user, one in people.items():
                if user != "table1" or table == "table1":
                    one.wait_for(f"carrom/{table}/health", "last")
                heard = "to be confirmed" in one.texts(f"carrom/{table}/umpire/ruling")
                assert heard == (table in HEARS_THE_UNCONFIRMED.get(user, ())), (user, table)
                asked = "elbow?" in one.texts(f"carrom/{table}/umpire/alert/ask-2")
                assert asked == (heard or user == "desk"), (user, table)
    finally:
        for one in people.values():
            one.close()
        club.kill()


def test_a_wrong_password_is_none(broker):
    stranger = TableClient(Broker("127.0.0.1", broker.port, "table1", "guessed"), "table1")
    stranger.start()
    try:
        assert stranger.wait_for(lambda state: "Not authorized" in state.says, PATIENCE_S), stranger.state
    finally:
        stranger.stop()


class TestBridge:
    """A table's own broker and the club's, each killed and started again; what is said meanwhile arrives."""

    @pytest.fixture(params=["plain"])
    def ends(self, request, tmp_path, authority):
        encrypted = request.param != "plain"
        files = {"certificate": "broker.crt", "key": "broker.key", "ca_file": f"{request.param}.crt"}
        tls = "".join(f'{name} = "{authority / file}"\n' for name, file in files.items()) + "tls = true\n"
        made(tmp_path, '[club]\nhost = "127.0.0.1"\n' + (tls if encrypted else "") + LIST)
        club = MadeBroker(tmp_path / "broker" / "club", tmp_path / "club")
        port = club.tls_port if encrypted else club.port
        table = MadeBroker(tmp_path / "broker" / "tables" / "table1", tmp_path / "table", port)
        club.start()
        table.start()
        yield table, club
        table.kill()
        club.kill()

    @pytest.fixture
    def daemon(self, ends):
        acted = []

        def act(event, by):
            acted.append(event)
            return {"seq": 1, "event": event["event"]}

        own, _ = ends
        client = TableClient(Broker("127.0.0.1", own.port, "table1", own.password("table1")), "table1", on_call=act)
        client.acted = acted
        client.publish_score(score(ruling(), INFO, 1.0))
        client.start()
        # Alerts that do not stand are not kept for a broker that is not there yet.
        assert client.wait_for(lambda state: state.connected, PATIENCE_S), client.state
        yield client
        client.stop()

    @pytest.mark.parametrize("ends", ["plain", "ca"], indirect=True)
    def test_the_clubs_broker_has_the_table_and_the_umpires_call_comes_down(self, ends, daemon):
        _, club = ends
        umpire = Listener(club.port, "carrom/#", user="asha", password=club.password("asha"))
        display = Listener(club.port, "carrom/#")
        umpire.wait_for(f"{BASE}/link", "1")
        display.wait_for(f"{BASE}/availability", "online")
        assert json.loads(display.wait_for(f"{BASE}/score"))["table"] == "table1"
        call = {"event": "pause", "id": "c1", "t": time.time()}
        for _ in range(2):
            assert umpire.publish(f"{BASE}/call", call, reply=f"{BASE}/reply/asha") == "Success"
        umpire.wait_for(f"{BASE}/reply/asha", times=2)
        assert daemon.acted == [{"event": "pause"}], "said twice, taken once"
        daemon.publish_ruling(ruling(), 1.0, for_umpire=True)
        umpire.wait_for(f"{BASE}/umpire/ruling")
        daemon.publish_ruling(ruling(), 2.0)
        display.wait_for(f"{BASE}/ruling")
        assert display.texts(f"{BASE}/umpire/ruling") == []
        for one in (umpire, display):
            one.close()

    def test_nobody_throws_the_bridge_off_either_broker_by_a_client_id(self, ends, daemon):
        own, club = ends
        here, there = Listener(own.port, f"{BASE}/#"), Listener(club.port, f"{BASE}/#")
        there.wait_for(f"{BASE}/link", "1")
        strangers = [comes_in(one.port, name, club.password("asha")) for one in ends for name in NAMES]
        try:
            daemon.publish_alert(Alert("here", "info", "still here", 1.0))
            there.wait_for(f"{BASE}/alert")
            assert set(there.texts(f"{BASE}/link")) == {"1"}
            assert "0" not in here.texts(f"{BASE}/link")[here.texts(f"{BASE}/link").index("1") :]
        finally:
            for one in strangers:
                leave(one)
            here.close()
            there.close()

    @pytest.mark.parametrize("ends", ["stranger"], indirect=True)
    def test_a_table_tells_nothing_to_a_broker_whose_certificate_it_does_not_trust(self, ends, daemon):
        own, club = ends
        here, there = Listener(own.port, "carrom/#"), Listener(club.port, "carrom/#")
        here.wait_for(f"{BASE}/availability", "online")
        # It has been tried by now: the table's own broker says that the bridge is down.
        here.wait_for(f"{BASE}/link", "0")
        there.publish("carrom/table1/none", "heard by nobody")
        assert there.heard == []
        here.close()
        there.close()

    def _speak_while_the_club_is_away(self, ends, daemon, count, pause_s=0.0):
        """`pause_s` is how long the cut lasts, and no wait for anything: the bridge's own limits run in that time."""
        own, club = ends
        here = Listener(own.port, "carrom/#")
        here.wait_for(f"{BASE}/link", "1")
        club.kill()
        here.wait_for(f"{BASE}/link", "0")
        for number in range(count):
            daemon.publish_alert(Alert(f"n{number}", "info", f"said while the club was away: {number}", 1.0))
            time.sleep(pause_s)
        here.wait(lambda: len(here.texts(f"{BASE}/alert")) == count, "the table's own")
        assert here.texts(f"{BASE}/availability")[-1] == "online", "the table plays on"
        club.start()
        there = Listener(club.port, "carrom/#")
        there.wait(lambda: len(there.texts(f"{BASE}/alert")) >= count, "all that was said meanwhile")
        said = [json.loads(text)["id"] for text in there.texts(f"{BASE}/alert")]
        assert said == [f"n{number}" for number in range(count)], "in order, none lost, none doubled"
        there.wait_for(f"{BASE}/availability", "online")
        here.close()
        return there

    @pytest.mark.soak
    def test_a_minute_without_the_club_costs_nothing(self, ends, daemon):
        self._speak_while_the_club_is_away(ends, daemon, 60, pause_s=1.0).close()

    def test_it_survives_restarts_of_both_ends(self, ends, daemon):
        own = ends[0]
        there = self._speak_while_the_club_is_away(ends, daemon, 20)

        own.kill()
        there.wait_for(f"{BASE}/link", "0")
        assert daemon.wait_for(lambda state: not state.connected, PATIENCE_S)
        own.start()
        assert daemon.wait_for(lambda state: state.connected, PATIENCE_S)
        there.wait_for(f"{BASE}/link", "1", times=2)
        assert json.loads(there.wait_for(f"{BASE}/score"))["table"] == "table1"
        there.wait_for(f"{BASE}/availability", "online")
        daemon.publish_alert(Alert("after", "info", "after", 1.0))
        there.wait(lambda: any('"after"' in text for text in there.texts(f"{BASE}/alert")), "what is said afterwards")
        there.close()


def test_made_again_the_files_are_the_same_and_who_left_is_gone(tmp_path):
    def all_files():
        return {str(path.relative_to(tmp_path)): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    made(tmp_path, LIST)
    first = all_files()
    made(tmp_path, LIST)
    assert all_files() == first
    secret = [
        path
        for path in (tmp_path / "broker").rglob("*")
        if path.name in ("passwords", "mqtt-password", "carrom.passwd")
    ]
    assert len(secret) == 6
    assert {path.stat().st_mode & 0o077 for path in secret} == {0}
    made(tmp_path, LIST.replace('name = "ben"', 'name = "cara"'))
    kept = (tmp_path / "broker" / "passwords").read_text()
    assert "ben" not in kept
    assert "cara" in kept
    assert first["broker/passwords"].decode().split()[1] in kept


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "there is no table in it"),
        ('[[table]]\nid = "Table 1"\n', "table id 'Table 1'"),
        ('[[table]]\nid = "a"\n[[table]]\nid = "a"\n', "a stands in it twice"),
        ('[[table]]\nid = "a"\n[[person]]\nname = "a"\nrole = "umpire"\n', "a stands in it twice"),
        ('[[table]]\nid = "a"\n[[person]]\nname = "b"\nrole = "king"\n', "role of b is 'king'"),
        ('[[table]]\nid = "a"\n[[person]]\nname = "b"\nrole = ["umpire"]\n', "role of b is ['umpire']"),
        ('[[table]]\nid = "a"\n[[person]]\nname = "b"\nrole = "umpire"\ntables = ["c"]\n', "'c' is no table"),
        ('[[table]]\nid = "a"\n[[person]]\nname = "b"\nrole = "umpire"\ntables = "a"\n', "'a' is no table"),
        ('[[table]]\nid = "a"\n[[person]]\nname = "b"\nrole = "hub"\ntables = ["a"]\n', "only an umpire"),
        ('[[table]]\nid = "a"\nname = "b"\n', "unknown key name in [[table]]"),
        ('[table]\nid = "a"\n', "[table] is one table"),
        ("table = [1]\n", "[[table]] is no table of keys"),
        ('club = 1\n[[table]]\nid = "a"\n', "[club] is no table of keys"),
        ('[club]\nhost = "a b"\n[[table]]\nid = "a"\n', "club.host = 'a b'"),
        ('[club]\nhost = 5\n[[table]]\nid = "a"\n', "club.host = 5"),
        ('[club]\nport = 0\n[[table]]\nid = "a"\n', "club.port = 0"),
        ('[club]\ntls = "yes"\n[[table]]\nid = "a"\n', "club.tls = 'yes'"),
        ('[club]\ntls = true\n[[table]]\nid = "a"\n', "club.tls needs"),
        ('[club]\nca_file = "/a"\n[[table]]\nid = "a"\n', "club.ca_file is only used with tls"),
        ('[club]\ntls = true\ncertificate = "/a\\nb"\nkey = "/k"\n[[table]]\nid = "a"\n', "is no absolute path"),
        ("[club\n", "is no TOML"),
    ],
)
def test_a_bad_list_is_one_line_and_nothing_is_written(tmp_path, capsys, text, says):
    file = tmp_path / "club.toml"
    file.write_text(text)
    assert main(["broker", str(file), "--out", str(tmp_path / "broker")]) == 2
    line = capsys.readouterr().err
    assert line.startswith(f"carrom broker: {file}: ")
    assert says in line
    assert "Fix:" in line
    assert line.count("\n") == 1
    assert not (tmp_path / "broker").exists()
