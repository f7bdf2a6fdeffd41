"""Results decide who plays later: what a file may name, how names flow on until a match is called, who is told."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from datetime import timedelta

import pytest

from controller.commands.hub import Hub
from controller.config import HubSection, WebSection
from controller.events.errors import ConfigError, DeviceError, EventError
from controller.hub import tables
from controller.hub.acts import Act
from controller.hub.desk import act_of
from controller.hub.fixtures import by_table, first_published, fixtures_from, named, payload_of
from controller.hub.fixtures_sheet import read_fixtures
from controller.hub.names_writer import AGAIN_S, NamesWriter
from controller.hub.progress import differing, named_anew
from controller.hub.publishing import publish
from controller.hub.season_file import SeasonFile
from controller.hub.tables import Tables
from controller.hub.today import Seen, day_of
from controller.mqtt.broker import Broker
from controller.mqtt.payloads import Fixtures, to_json
from tests.hub.seasons import ended, heard
from tests.hub.test_calling import NOON, TABLES, plays
from tests.hub.test_day import kept_fixtures
from tests.hub.test_season_hub import keep, wait_for
from tests.mqtt.broker import Mosquitto
from tests.web.client import Client

HEAD = "time,table,id,south,north,east,west\n"
CSV = HEAD + (
    "09:30,t1,SF1,Asha Rao,Ben Kim\n"
    "09:30,t2,SF2,Dev,Ela\n"
    "11:00,t1,F,winner SF1,Winner sf2\n"
    "11:00,t3,,loser SF1,loser SF2\n"
)
SF1 = ("t1", ended("m1", "Asha Rao", "Ben Kim", (25, 4)))
SF1_CORRECTED = ("t1", ended("m1", "Asha Rao", "Ben Kim", (4, 25), winner="north"))
SF2 = ("t2", ended("m2", "Dev", "Ela", (25, 20)))


def day(fixtures, *results, acts=(), playing=None, online=TABLES):
    said = [(table, heard(one, table)) for table, one in results]
    return day_of(Seen(fixtures, said, playing=playing or {}, online=online), acts, NOON)


def flowed(fixtures, found):
    """The fixtures as they are once the names have flowed on."""
    anew = {id(one): changed for one, changed in named_anew(found)}
    return tuple(anew.get(id(one), one) for one in fixtures)


def players(fixtures):
    return [list(one.seats.values()) for one in fixtures if one.awaits]


def called(found):
    return [(" : ".join(one.fixture.seats.values()), one.stage, dict(one.busy)) for one in found.called]


def test_winners_and_losers_flow_into_the_matches_that_wait_for_them():
    fixtures = read_fixtures(CSV)
    assert named_anew(day(fixtures)) == []
    half = flowed(fixtures, day(fixtures, SF1))
    assert players(half) == [["Asha Rao", "Winner sf2"], ["Ben Kim", "loser SF2"]]
    assert players(flowed(half, day(half, SF1, SF2))) == [["Asha Rao", "Dev"], ["Ben Kim", "Ela"]]


def test_what_is_published_says_what_it_waits_for_and_comes_back_as_it_was():
    for fixtures in (read_fixtures(CSV), flowed(read_fixtures(CSV), day(read_fixtures(CSV), SF1))):
        for table, listed in by_table(fixtures).items():
            assert fixtures_from(table, to_json(payload_of(listed))) == tuple(listed)


def test_a_pair_flows_on_whole():
    fixtures = read_fixtures(HEAD + "9:30,t1,D1,Asha,Ben,Chi,Dev\n11:00,t1,,winner D1,winner D1,Ela,Fay\n")
    won = ("t1", ended("m1", ("Asha", "Ben"), ("Chi", "Dev"), (25, 4)))
    (final,) = players(flowed(fixtures, day(fixtures, won)))
    assert final == ["Asha", "Ben", "Ela", "Fay"]


def test_who_is_not_known_is_not_called_and_the_next_match_is():
    fixtures = read_fixtures(CSV + "11:30,t1,,Gil,Hema\n")
    found = day(fixtures, SF1)
    assert called(found)[1] == ("winner SF1 : Winner sf2", "held", {"winner SF1": "t1", "Winner sf2": "t2"})
    assert called(found)[-1] == ("Gil : Hema", "called", {})
    known = flowed(fixtures, day(fixtures, SF1, SF2))
    assert called(day(known, SF1, SF2))[0] == ("Asha Rao : Dev", "called", {})


def test_a_corrected_result_flows_on_until_the_match_is_called():
    fixtures = read_fixtures(CSV)
    half = flowed(fixtures, day(fixtures, SF1))
    corrected = flowed(half, day(half, SF1_CORRECTED))
    assert players(corrected) == [["Ben Kim", "Winner sf2"], ["Asha Rao", "loser SF2"]]
    known = flowed(half, day(half, SF1, SF2))
    for playing in (None, {"t1": plays("Asha Rao", "Dev"), "t3": plays("Ben Kim", "Ela")}):
        late = day(known, SF1_CORRECTED, SF2, playing=playing)
        assert named_anew(late) == []
        assert [differing(call, late) for call in late.called] == [{"south": "Ben Kim"}, {"south": "Asha Rao"}]
    away = day(known, SF1_CORRECTED, SF2, online=("t3",))
    assert players(flowed(known, away)) == [["Ben Kim", "Dev"], ["Ben Kim", "Ela"]], "nobody was called to t1"
    assert [differing(call, away) for call in away.called] == [{}, {"south": "Asha Rao"}]


def test_a_name_stays_where_the_result_is_not_heard_yet_or_no_more():
    fixtures = read_fixtures(CSV)
    half = flowed(fixtures, day(fixtures, SF1))
    assert named_anew(day(half)) == []
    drawn = ("t1", ended("m1", "Asha Rao", "Ben Kim", (12, 12), winner=None))
    assert named_anew(day(half, drawn)) == []
    hall = Hall([replace(one, key=f"{number}") for number, one in enumerate(half)])
    hall.writer.look()
    assert hall.sent == []


def test_a_walkover_flows_on_and_what_the_desk_says_of_a_match_holds_when_its_names_come():
    fixtures = read_fixtures(CSV)
    before = day(fixtures, SF2)
    names = {id(one): name for name, one in before.named.items()}
    act = act_of(
        {"fixture": names[id(fixtures[0])], "what": "walkover", "winner": "north", "reason": "ill"}, before, NOON
    )
    aside = act_of({"fixture": names[id(fixtures[2])], "what": "aside", "until": ""}, before, NOON)
    known = flowed(fixtures, day(fixtures, SF2, acts=[act, aside]))
    assert players(known) == [["Ben Kim", "Dev"], ["Asha Rao", "Ela"]]
    assert [stage for _, stage, _ in called(day(known, SF2, acts=[act, aside]))] == ["aside", "called"]


def test_nobody_wins_a_match_by_walkover_whose_players_are_not_known():
    found = day(read_fixtures(CSV))
    final = next(name for name, one in found.named.items() if one.id == "F")
    body = {"fixture": final, "what": "walkover", "winner": "south", "reason": "ill"}
    assert act_of(body, found, NOON + timedelta(minutes=1)) == "who plays it is not known yet"


def test_each_event_has_ids_of_its_own_and_a_reference_stays_in_its_event():
    text = "event,table,id,south,north\n" + "".join(
        f"{event},t{number},F,{south},{north}\n{event},t{number},,winner F,Kim\n"
        for number, (event, south, north) in enumerate((("Open", "Asha", "Ben"), ("Youth", "Chi", "Dev")), 1)
    )
    fixtures = read_fixtures(text)
    sides = (("t1", ended("m1", "Asha", "Ben", (25, 4))), ("t2", ended("m2", "Chi", "Dev", (4, 25), winner="north")))
    known = flowed(fixtures, day(fixtures, *sides))
    assert players(known) == [["Asha", "Kim"], ["Dev", "Kim"]]
    # Where one event's match waits for another's, the only one with that id is meant.
    both = read_fixtures("event,table,id,south,north\nOpen,t1,F,Asha,Ben\nAll,t1,,winner F,Kim\n")
    assert players(flowed(both, day(both, sides[0]))) == [["Asha", "Kim"]]


def test_without_a_column_of_ids_every_name_is_a_players():
    (one,) = read_fixtures("table,south,north\nt1,Winner Nkosi,Loser Lane\n")
    assert one.awaits == {}


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ("9:30,t1,,winner SF9,Ben\n", ":2: 'winner SF9' names no match above"),
        ("9:30,t1,A,winner A,Ben\n", ":2: 'winner A' names no match above"),
        ("9:30,t1,,winner A,Ben\n9:30,t1,A,Chi,Dev\n", ":2: 'winner A' names no match above"),
        ("9:30,t1,A,Asha,Ben\n9:30,t1,a,Chi,Dev\n", ":3: id 'a' stands twice"),
        ("9:30,t1,A,Asha,Ben\n9:30,t1,,winner A,Chi,Dev,Ela\n", ":3: 'winner A' does not fill this side"),
        ("9:30,t1,A,Asha,Ben\n9:30,t1,,winner A,winner A,Dev,Ela\n", ":3: 'winner A' does not fill this side"),
        ("9:30,t1,D,A,B,C,E\n9:30,t1,,winner D,Fay\n", ":3: 'winner D' does not fill this side"),
    ],
)
def test_a_reference_that_leads_nowhere_is_one_line(lines, says):
    with pytest.raises(ConfigError, match=f"(?s)x.csv{says}.*Fix:"):
        read_fixtures(HEAD + lines, "x.csv")


@pytest.mark.parametrize("awaits", [["south"], {"south": "Asha"}, {"south": "winner "}, {"south": "winner \u202e"}])
def test_what_a_topic_says_it_waits_for_is_read_strictly(awaits):
    payload = {"fixtures": [{"seats": {"south": "winner A", "north": "Ben"}, "awaits": awaits}]}
    assert fixtures_from("t1", json.dumps(payload).encode()) == ()


def standing(listed):
    return {table: to_json(payload_of(one)) for table, one in listed.items()}


def keyed(text):
    """Fixtures as they are once they have been published."""
    return [replace(one, key=key) for key, one in named(read_fixtures(text), NOON).items()]


class Hall:
    """A broker's fixtures, as far as the writer sees them."""

    def __init__(self, fixtures, *results):
        self.listed, self.results = by_table(fixtures), results
        self.sent, self.keeps, self.trouble = [], True, ""
        self.now_s = 0.0
        self.stand, self.forgotten, self.overtaken = None, {}, False
        self.acts: list[Act] = []
        self.writer = NamesWriter(
            self.day,
            lambda: self.listed,
            lambda: self.forgotten,
            lambda: self.listed,
            self.publish,
            self,
            lambda: self.now_s,
        )

    def day(self):
        return day([one for listed in self.listed.values() for one in listed], *self.results, acts=self.acts)

    def keep_fixtures(self, listed):
        self.stands = listed

    def decide(self, act, known):
        if self.trouble:
            raise DeviceError(self.trouble)
        if self.overtaken:
            raise EventError("another desk was faster")
        assert known == next((one for one in self.acts if one.fixture == act.fixture), None)
        self.acts = [*(one for one in self.acts if one.fixture != act.fixture), act]

    def publish(self, made):
        payloads = made(self.stand if self.stand is not None else standing(self.listed))
        self.sent.append(sorted(payloads))
        if self.trouble:
            raise DeviceError(self.trouble)
        if self.keeps:
            self.listed |= {table: fixtures_from(table, payload) for table, payload in payloads.items()}


def test_only_tables_with_news_are_published_and_once():
    hall = Hall(keyed(CSV + "12:00,t2,,Gil,Hema\n"), SF1)
    for _ in range(3):
        hall.writer.look()
    assert hall.sent == [["t1", "t3"]]
    assert [list(one.seats.values()) for one in hall.listed["t1"]] == [
        ["Asha Rao", "Ben Kim"],
        ["Asha Rao", "Winner sf2"],
    ]


@pytest.mark.parametrize("now", [keyed(CSV.replace("Ben", "Gil")), (), None])
def test_what_the_secretary_has_published_since_stays(now):
    hall = Hall(keyed(CSV), SF1)
    hall.stand = standing(by_table(now)) if now else {"t1": b'{"fixtures":[]}'} if now == () else {}
    hall.writer.look()
    assert hall.sent == [["t3"] if now else []]


@pytest.mark.parametrize(("stands", "comes"), [({}, ["t1"]), ({"t1": b'{"fixtures":[]}'}, [])])
def test_only_what_the_broker_still_has_not_comes_back(stands, comes):
    hall = Hall(())
    hall.stand, hall.forgotten = stands, {"t1": by_table(read_fixtures(CSV))["t1"]}
    hall.writer.look()
    assert hall.sent == [comes]


@pytest.mark.parametrize(
    ("trouble", "says"), [("", "the broker keeps nothing of it. Fix:"), ("it is away", "it is away")]
)
def test_what_the_broker_does_not_take_is_told_once_and_tried_again(trouble, says, caplog):
    hall = Hall(keyed(CSV), SF1)
    hall.keeps, hall.trouble = False, trouble
    for second in range(3 * int(AGAIN_S)):
        hall.now_s = float(second)
        hall.writer.look()
    assert hall.sent == [["t1", "t3"]] * 3
    assert caplog.text.count(f"fixtures are not published anew: {says}") == 1
    hall.keeps, hall.trouble = True, ""
    hall.now_s += AGAIN_S
    hall.writer.look()
    hall.writer.look()
    assert "it works again" in caplog.text
    assert len(hall.sent) == 4


def test_who_publishes_fixtures_without_keys_gets_them_once():
    hall = Hall(read_fixtures(CSV))
    for _ in range(3):
        hall.writer.look()
    assert hall.sent == [["t1", "t2", "t3"]]
    assert [one.key for listed in hall.listed.values() for one in listed] == list(hall.day().named)


def test_a_hub_that_has_heard_nothing_yet_keeps_nothing_in_the_place_of_what_stood():
    hall = Hall(())
    hall.stands = "as it was"
    hall.writer.look()
    assert hall.stands == "as it was"


def test_what_the_desk_decides_meanwhile_is_not_overwritten(caplog):
    hall = Hall(keyed(CSV), SF1)
    hall.overtaken = True
    hall.writer.look()
    assert (hall.acts, caplog.text) == ([], "")
    hall.overtaken = False
    hall.writer.look()
    assert [act.what for act in hall.acts] == ["played"]


def test_what_is_played_is_kept_once_and_a_corrected_result_anew(caplog):
    hall = Hall(read_fixtures(CSV), SF1)
    hall.trouble = "it is full"
    for _ in range(3):
        hall.writer.look()
    assert caplog.text.count("fixtures, and which are played, are not kept: it is full") == 1
    hall.trouble = ""
    for results in ([SF1], [SF1], [SF1_CORRECTED], []):
        hall.results = results
        hall.writer.look()
    (act,) = hall.acts
    assert (act.what, act.table, act.result.match, act.result.winner) == ("played", "t1", "m1", "north")
    assert sorted(hall.stands) == ["t1", "t2", "t3"]
    assert [one.result.winner for one in hall.day().done] == ["north"]


@pytest.mark.broker
def test_the_table_shows_the_winner_a_second_after_the_result(tmp_path):
    broker = Mosquitto(tmp_path).start()
    try:
        at = Broker("127.0.0.1", broker.port)
        publish(at, lambda _: {table: to_json(payload_of(one)) for table, one in by_table(read_fixtures(CSV)).items()})
        club = HubSection(season=tmp_path / "season.sqlite")
        with Hub(at, WebSection(host="127.0.0.1", port=0), club) as hub:
            client = Client(hub.port)

            def shown():
                return [list(one["seats"].values()) for one in client.get("/day/state").json["next"] if one["awaits"]]

            wait_for(lambda: shown() == [["winner SF1", "Winner sf2"], ["loser SF1", "loser SF2"]])
            keep(broker, {f"carrom/t1/result/{SF1[1].match}": to_json(SF1[1])})
            wait_for(lambda: shown() == [["Asha Rao", "Winner sf2"], ["Ben Kim", "loser SF2"]])
            keep(broker, {"carrom/t1/result/m1": to_json(replace(SF1_CORRECTED[1], end=SF1[1].end + 60))})
            wait_for(lambda: shown() == [["Ben Kim", "Winner sf2"], ["Asha Rao", "loser SF2"]])
            keep(broker, {"carrom/t1/result/m1": b""})
            wait_for(lambda: client.get("/tables").status == 200 and hub._read(Tables.results) == [])
            said = client.get("/day/state").json
            assert [row["winner"] for row in said["results"]] == ["Ben Kim"]
            assert [one["id"] for one in said["next"]] == ["SF2", "F", ""], "what the broker forgot stays played"
            assert hub.trouble() == ""
    finally:
        broker.kill()


@pytest.mark.broker
def test_fixtures_outlive_a_power_cut_of_the_hall_and_none_that_were_cleared(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "FORGOTTEN_S", 1.0)
    broker = Mosquitto(tmp_path).start()
    at, store = Broker("127.0.0.1", broker.port), SeasonFile(tmp_path / "season.sqlite")
    first = first_published(by_table(read_fixtures(CSV)), {}, time.time())
    listed = {table: to_json(payload_of(one)) for table, one in first.items()}

    def hub():
        return Hub(at, WebSection(host="127.0.0.1", port=0), HubSection(season=store.path))

    def open_ones(running):
        return [one["id"] for one in Client(running.port).get("/day/state").json["next"]]

    try:
        publish(at, lambda _: listed)
        keep(broker, {"carrom/t1/result/m1": to_json(replace(SF1[1], end=time.time()))})
        with hub() as running:
            wait_for(lambda: open_ones(running) == ["SF2", "F", ""])
            wait_for(lambda: store.acts() and len(store.fixtures()) == 3)
        broker.kill()
        broker.start()
        with hub() as running:
            wait_for(lambda: kept_fixtures(broker.port) == {"t1": 2, "t2": 1, "t3": 1})
            wait_for(lambda: open_ones(running) == ["SF2", "F", ""])
            publish(at, lambda stood: dict.fromkeys(stood, to_json(Fixtures())) | {"t2": listed["t2"]})
            wait_for(lambda: open_ones(running) == ["SF2"])
            broker.kill()
            broker.start()
            wait_for(lambda: kept_fixtures(broker.port) == {"t2": 1})
    finally:
        broker.kill()
