"""The hub keeps a season: from a real broker, over restarts, on a file that takes nothing for a while, on its page."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import replace
from pathlib import Path

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from controller.commands.hub import Hub
from controller.config import HubSection, WebSection
from controller.hub.fixtures import payload_of
from controller.hub.fixtures_sheet import read_fixtures
from controller.hub.season_at import season_at
from controller.hub.season_writer import SeasonWriter
from controller.mqtt.broker import Broker
from controller.mqtt.payloads import to_json
from controller.web.tries import FREE
from tests.hub.seasons import NOON, SEASON, ended, filled, heard
from tests.mqtt.broker import Mosquitto
from tests.patience import PATIENCE_S
from tests.web.client import Client


@pytest.fixture
def broker(tmp_path):
    one = Mosquitto(tmp_path).start()
    yield one
    one.kill()


def publish(broker, *results):
    """As tables do."""
    keep(broker, {f"carrom/{table}/result/{one.match}": to_json(one) for table, one in results})


def keep(broker, payloads):
    """Retained; the broker has them when this returns. `payloads`: by topic."""
    client = paho.Client(CallbackAPIVersion.VERSION2)
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    for topic, payload in payloads.items():
        client.publish(topic, payload, 1, retain=True).wait_for_publish(PATIENCE_S)
    client.disconnect()
    client.loop_stop()


def hear(broker, place, wanted):
    """One run of the hub, until its page says what is wanted; returns what it says then."""
    with Hub(Broker("127.0.0.1", broker.port), WebSection(host="127.0.0.1", port=0), HubSection(season=place)) as hub:
        client, stream = Client(hub.port), Client(hub.port).stream()
        told = [client.get("/season/state").json]
        until = time.monotonic() + PATIENCE_S
        for _ in stream:
            assert time.monotonic() < until, told[-1]
            told.append(client.get("/season/state").json)
            if wanted(told[-1]):
                break
        stream.close()
        assert hub.trouble() == ""
        return told[-1]


def leader(said):
    return [(one["player"], one["won"], one["lost"]) for one in said["standings"][:1]]


def wait_for(condition):
    until, tick = time.monotonic() + PATIENCE_S, threading.Event()
    while not condition():
        assert time.monotonic() < until
        tick.wait(0.01)


@pytest.mark.broker
def test_a_match_is_kept_once_over_restarts_and_a_correction_that_nobody_heard_is_found(place, broker):
    publish(broker, *SEASON)
    said = hear(broker, place, lambda said: said["matches"] == 4)
    assert (said["kept"], said["trouble"], said["club"]) == (True, False, "Carrom club")
    assert leader(said) == [("asha  rao", 2, 0)]
    first = season_at(place).matches()
    assert [one.result.match for one in first] == ["m1", "m2", "m3", "m4", "m5"]
    publish(broker, ("t1", ended("m6", "Asha Rao", "Ben Kim", (25, 4), day=6)))
    hear(broker, place, lambda said: said["matches"] == 5)
    assert season_at(place).matches()[:5] == first
    corrected = replace(ended("m1", "Asha Rao", "Ben Kim", (4, 25), winner="north"), end=NOON + 60)
    publish(broker, ("t1", corrected))
    hear(broker, place, lambda said: leader(said) == [("Asha Rao", 2, 1)])
    assert season_at(place).matches()[0].result == heard(corrected)
    assert season_at(place).matches()[0].replaced == (first[0].result,)


@pytest.mark.broker
def test_a_walkover_at_the_desk_is_in_the_standings_and_outlives_the_hub(place, tmp_path, broker):
    pin = tmp_path / "pin"
    pin.write_text("4711")
    pin.chmod(0o600)
    (listed,) = read_fixtures("table,south,north\nt1,Asha Rao,Ben Kim\n")
    keep(broker, {"carrom/t1/fixtures": to_json(payload_of([listed]))})
    web = WebSection(host="127.0.0.1", port=0, pin_file=pin)

    def run(does):
        with Hub(Broker("127.0.0.1", broker.port), web, HubSection(season=place)) as hub:
            client = Client(hub.port)
            client.login()
            wait_for(lambda: client.get("/day/state").json["next"] or client.get("/day/state").json["results"])
            return does(client)

    def walkover(client):
        (match,) = client.get("/day/state").json["next"]
        act = {"fixture": match["fixture"], "what": "walkover", "winner": "north", "reason": "ill"}
        assert client.post("/day/act", act).status == 200
        return match["fixture"]

    name = run(walkover)
    said = run(lambda client: (client.get("/day/state").json, client.get("/season/state").json))
    assert (said[0]["next"], [row["winner"] for row in said[0]["results"]]) == ([], ["Ben Kim"])
    assert leader(said[1]) == [("Ben Kim", 1, 0)]
    assert run(lambda client: client.post("/day/act", {"fixture": name, "what": "undone"}).status) == 200
    assert run(lambda client: client.get("/season/state").json["matches"]) == 0


@pytest.mark.broker
def test_a_hub_whose_file_is_no_season_goes_on_and_says_so(tmp_path, broker, caplog):
    file = tmp_path / "season.sqlite"
    file.write_text("a letter")
    with Hub(Broker("127.0.0.1", broker.port), WebSection(host="127.0.0.1", port=0), HubSection(season=file)) as hub:
        client = Client(hub.port)
        assert client.get("/season/state").json["trouble"] is True
        assert client.get("/day/state").status == 200
        assert hub.trouble() == ""
    assert f"the season is not kept: {file}: is no season, or is damaged" in caplog.text
    assert file.read_text() == "a letter"


@pytest.mark.live
def test_a_hub_that_keeps_no_season_writes_nothing_and_says_so(tmp_path):
    with Hub(Broker("127.0.0.1", 1), WebSection(host="127.0.0.1", port=0)) as hub:
        assert Client(hub.port).get("/season/state").json["kept"] is False
    assert list(tmp_path.iterdir()) == []


class Watched:
    """A season. Counts the tries to write; the next one waits for `gate`."""

    def __init__(self, place):
        self._store = season_at(place)
        self.tries, self.gate = 0, threading.Event()
        self.gate.set()

    def put(self, results, **how):
        try:
            return self._store.put(results, **how)
        finally:
            self.tries += 1
            assert self.gate.wait(PATIENCE_S)

    def __getattr__(self, name):
        return getattr(self._store, name)


@pytest.fixture
def writer_of():
    """Makes the writer of a watched season; its thread ends with the test, however that goes."""
    made = []

    def make(file, *changed):
        made.append((file, SeasonWriter(file, *changed)))
        return made[-1][1]

    yield make
    for file, writer in made:
        file.gate.set()
        writer.stop()


@pytest.mark.live
def test_what_the_file_did_not_take_is_tried_until_it_can_be_written_and_told_once(
    tmp_path, caplog, monkeypatch, writer_of
):
    monkeypatch.setattr("controller.hub.season_writer.BEAT_S", 0.01)
    file, changes = Watched(tmp_path / "season.sqlite"), []
    file.path.mkdir()
    writer = writer_of(file, lambda: changes.append(writer.trouble))
    writer.start()
    for table, one in SEASON[:3]:
        writer.heard(table, heard(one))
    wait_for(lambda: file.tries >= 6)
    assert "is no file" in writer.trouble
    file.path.rmdir()
    wait_for(lambda: changes[-1] == "")
    assert (len(file.matches()), len(changes)) == (3, 2)
    told = [one for one in caplog.messages if "the season is not kept" in one]
    assert [one.endswith(": it works again") for one in told] == [False, True]
    writer.heard("t1", heard(SEASON[3][1]))
    wait_for(lambda: len(changes) == 3)
    assert len(file.matches()) == 4


@pytest.mark.live
def test_what_is_heard_while_the_hub_stops_is_kept(place, writer_of):
    file = Watched(place)
    writer = writer_of(file)
    writer.start()
    file.gate.clear()
    writer.heard("t1", heard(SEASON[0][1]))
    wait_for(lambda: file.tries == 2)
    writer.heard("t2", heard(SEASON[1][1]))
    stops = threading.Thread(target=writer.stop)
    stops.start()
    wait_for(writer._stopping.is_set)
    file.gate.set()
    stops.join()
    assert [one.result.match for one in file.matches()] == ["m1", "m2"]


def test_the_standings_are_reckoned_anew_only_where_the_season_has_changed(place, connect, monkeypatch):
    file = filled(place)
    writer = SeasonWriter(file)
    first = writer.plain()
    with monkeypatch.context() as patched:
        patched.setattr(file, "matches", lambda: pytest.fail("read again"))
        file.put([("t1", heard(SEASON[0][1]))])
        assert writer.plain() == first
    season_at(place).forget("Ben Kim")
    assert [one["player"] for one in writer.plain()["standings"]] == ["asha  rao", "आशा"]
    if isinstance(place, Path):
        place.unlink()
    else:
        with connect(place) as connection:
            connection.execute("DROP TABLE season")
    assert json.loads(json.dumps(writer.plain()))["trouble"] is True


def test_a_match_whose_end_was_taken_back_does_not_count_while_it_is_played_on(place):
    under_way: set[tuple[str, str]] = set()
    writer = SeasonWriter(filled(place), goes_on=lambda: under_way)

    def won():
        return {one["player"]: one["won"] for one in writer.plain()["standings"]}

    assert won()["asha  rao"] == 2
    for where, wins in ((("t1", "m1"), 1), (("t9", "m1"), 2), (("t1", "m1"), 1)):
        under_way.clear()
        under_way.add(where)
        assert won()["asha  rao"] == wins


@pytest.mark.broker
@pytest.mark.parametrize("kept", [True, False])
def test_a_restart_gives_new_guesses_of_the_pin_only_where_nothing_is_kept(tmp_path, broker, kept):
    (tmp_path / "pin").write_text("4711\n")
    web = WebSection(host="127.0.0.1", port=0, pin_file=tmp_path / "pin")
    club = HubSection(season=tmp_path / "season.sqlite" if kept else None)
    said = []
    for pins in (["0000"] * FREE, ["4711"]):
        with Hub(Broker("127.0.0.1", broker.port), web, club) as hub:
            said += [Client(hub.port).login(pin).status for pin in pins]
    assert said == [403] * FREE + [429 if kept else 200]
