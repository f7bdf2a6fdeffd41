"""Matches without a table of their own: which is next, where, and what gives a table back."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.commands.hub import Hub
from controller.config import HubSection, WebSection
from controller.events.errors import UnreadableError
from controller.hub.acts import Act, table_aside
from controller.hub.desk import act_of
from controller.hub.fixtures import by_table, first_published, fixtures_from, named, payload_of
from controller.hub.fixtures_sheet import read_fixtures
from controller.hub.publishing import publish
from controller.hub.rehearsal import rehearse
from controller.hub.season_file import SeasonFile
from controller.hub.tables import BROKEN_S, Tables
from controller.hub.today import House, Seen, day_of
from controller.mqtt.broker import Broker
from controller.mqtt.payloads import to_json
from controller.mqtt.topics import POOL
from tests.hub.seasons import ended, heard
from tests.hub.test_calling import NOON, TABLES, fixture, plays
from tests.hub.test_day import kept_fixtures
from tests.hub.test_progress import Hall
from tests.hub.test_rehearsal import HALF_HOUR, TODAY, due, sheet
from tests.hub.test_season_hub import keep, wait_for
from tests.mqtt.broker import Mosquitto
from tests.web.client import Client


def pool(*pairs, at="", **more):
    """Matches without a table, keyed as they are published."""
    some = [replace(fixture("", south, north, at), **more) for south, north in pairs]
    return [replace(one, key=key) for key, one in named(some, NOON).items()]


AB, CD, EF = pool(("Asha", "Ben"), ("Chi", "Dev"), ("Ela", "Fay"))


def picked(one):
    return plays(*one.seats.values()).model_copy(update={"fixture": one.key, "match": f"m-{one.key}"})


def day(*fixtures, acts=(), playing=None, online=TABLES, results=(), now=NOON, house=House(), **more):  # noqa: B008
    seen = Seen(fixtures, results, playing=playing or {}, online=online, **more)
    return day_of(seen, acts, now, house)


def where(found):
    """Each match's first player, what it does, and where."""
    return [(one.fixture.seats["south"], one.stage, one.fixture.table) for one in found.called]


def kept(found):
    """The acts that the hub keeps by itself."""
    return [(act.fixture, act.what, act.table) for act in found.unkept]


def at_table(one, table, at_s=0.0):
    return Act(one.key, "table", at_s, table=table)


def test_the_next_free_table_plays_the_first_match_and_the_rest_queues():
    found = day(AB, CD, EF, online=("t10", "t2"))
    assert where(found) == [("Asha", "called", "t2"), ("Chi", "called", "t10"), ("Ela", "queues", "")]
    assert kept(found) == [(AB.key, "table", "t2"), (CD.key, "table", "t10")]
    again = day(AB, CD, EF, online=("t10", "t2"), acts=found.unkept)
    assert (where(again), again.unkept) == (where(found), [])


def test_a_match_keeps_its_table_though_others_become_free_and_says_for_how_long_it_is_called():
    acts = [at_table(AB, "t2", NOON.timestamp() - 720)]
    (one,) = day(AB, acts=acts).called
    assert (one.stage, one.fixture.table, one.late_min) == ("called", "t2", 12)


def test_a_match_with_a_table_of_its_own_keeps_it_and_who_is_called_there_is_called_nowhere_else():
    own = [fixture("t1", "Gil", "Asha"), fixture("t2", "Hema", "Ina", "12:30"), fixture("t3", "Jo", "Kim", "15:00")]
    found = day(*own, AB, CD)
    assert where(found) == [
        ("Gil", "called", "t1"),
        ("Hema", "early", "t2"),
        # Called a quarter of an hour before its time, long after this one is over.
        ("Jo", "waits", "t3"),
        ("Asha", "held", ""),
        ("Chi", "called", "t3"),
    ]
    assert dict(found.called[3].busy) == {"Asha": "t1"}


def test_a_call_is_not_taken_back_when_the_tables_own_match_could_begin_after_all():
    own, other = fixture("t1", "Gil", "Hema"), fixture("t2", "Gil", "Ina")
    busy = {"t2": plays("Gil", "Ina")}
    before = day(own, other, AB, playing=busy, online=("t1", "t2"))
    assert where(before) == [("Gil", "waits", "t1"), ("Gil", "playing", "t2"), ("Asha", "called", "t1")]
    after = day(own, AB, acts=before.unkept, online=("t1", "t2"))
    assert where(after) == [("Gil", "waits", "t1"), ("Asha", "called", "t1")]


def test_nobody_is_called_to_two_tables_and_a_referee_is_at_one():
    first, second, third = pool(("Asha", "Ben"), ("Asha", "Chi"), ("Dev", "Ela"), referee="")
    assert where(day(first, second, third)) == [
        ("Asha", "called", "t1"),
        ("Asha", "held", ""),
        ("Dev", "called", "t2"),
    ]
    by_one = pool(("Asha", "Ben"), ("Chi", "Dev"), referee="Gita")
    assert [stage for _, stage, _ in where(day(*by_one))] == ["called", "held"]


def test_who_has_waited_longest_is_next():
    results = [("t1", result_of(who, minutes)) for who, minutes in (("Asha", 30), ("Chi", 50), ("Ela", 10))]
    found = day(AB, CD, EF, results=results, online=("t1",))
    assert [(who, stage) for who, stage, _ in where(found)] == [
        ("Asha", "queues"),
        ("Chi", "called"),
        ("Ela", "queues"),
    ]


def result_of(who, ended_min_ago):
    end = NOON.timestamp() - 60 * ended_min_ago
    return heard(replace(ended(f"w{who}", who, "Somebody", (25, 4)), start=end - 1800, end=end, fixture=""), "t1")


def test_who_has_just_played_rests_unless_the_desk_calls_him():
    house, results = House(rest=timedelta(minutes=20)), [("t1", result_of("Asha", 5))]
    (one,) = day(AB, results=results, house=house).called
    assert (one.stage, one.until, dict(one.busy)) == ("rests", "2026-03-01 12:15", {"Asha": ""})
    own = fixture("t1", "Asha", "Ben")
    assert where(day(own, fixture("t1", "Chi", "Dev"), results=results, house=house)) == [
        ("Asha", "rests", "t1"),
        ("Chi", "called", "t1"),
    ]
    assert where(day(AB, results=results, house=house, now=NOON + timedelta(minutes=15)))[0][1] == "called"
    assert where(day(AB, results=results, house=house, acts=[Act(AB.key, "here", 0.0)]))[0][1] == "called"
    # A table's clock that is ahead lets nobody rest for longer.
    (one,) = day(AB, results=[("t1", result_of("Asha", -300))], house=house).called
    assert one.until == "2026-03-01 12:20"


def test_the_table_for_spectators_takes_a_final_first_and_anything_else_last():
    house = House(show_table="t1")
    assert [table for _, _, table in where(day(AB, CD, EF, house=house))] == ["t2", "t3", "t1"]
    final = replace(AB, id="F", awaits={"south": "winner SF1", "north": "winner SF2"})
    third = replace(CD, round="third", awaits={"south": "loser SF1", "north": "loser SF2"})
    assert [table for _, _, table in where(day(third, final, house=house))] == ["t2", "t1"]


def test_a_match_under_way_is_where_it_is_played_whatever_table_it_was_given():
    acts = [at_table(AB, "t2")]
    found = day(AB, CD, acts=acts, playing={"t3": picked(AB)})
    assert where(found) == [("Asha", "playing", "t3"), ("Chi", "called", "t1")]
    assert (AB.key, "table", "t3") in kept(found)
    assert where(day(AB, playing={"t3": picked(AB)})) == [("Asha", "playing", "t3")]


@pytest.mark.parametrize(
    ("more", "now_at"),
    [
        ({"playing": {"t1": plays("A friend", "another")}}, "t2"),
        ({"online": ("t2", "t3"), "broken": {"t1"}}, "t2"),
        ({"acts": [Act(table_aside("t1"), "aside", 0.0, "", "t1")]}, "t2"),
        ({"playing": {"t3": plays("Ben", "another")}}, ""),
    ],
)
def test_a_table_that_cannot_play_it_gives_a_match_back(more, now_at):
    acts = [at_table(AB, "t1"), *more.pop("acts", ())]
    found = day(AB, acts=acts, **more)
    assert where(found)[0][2] == now_at
    assert kept(found) == [(AB.key, "table", "t2")] if now_at else [(AB.key, "undone", "")]


def test_a_table_that_is_away_for_a_moment_keeps_its_match():
    found = day(AB, acts=[at_table(AB, "t1")], online=("t2",))
    assert (where(found), kept(found)) == ([("Asha", "away", "t1")], [])


def test_a_table_set_aside_until_a_time_takes_matches_again_then():
    acts = [Act(table_aside("t1"), "aside", 0.0, "2026-03-01 12:30", "t1")]
    assert where(day(AB, acts=acts, online=("t1",))) == [("Asha", "queues", "")]
    assert where(day(AB, acts=acts, online=("t1",), now=NOON + timedelta(minutes=31))) == [("Asha", "called", "t1")]


def test_the_desk_gives_a_match_another_free_table_and_sets_a_table_aside():
    found = day(AB, CD, acts=[at_table(AB, "t1"), at_table(CD, "t2")])
    assert found.free == ["t3"]
    act = act_of({"fixture": AB.key, "what": "table", "table": "t3"}, found, NOON)
    moved = day(AB, CD, acts=[act, at_table(CD, "t2")])
    assert where(moved) == [("Asha", "called", "t3"), ("Chi", "called", "t2")]
    assert act_of({"fixture": AB.key, "what": "table", "table": "t2"}, found, NOON) == (
        "a match of the pool cannot begin there now"
    )
    own = day(fixture("t1", "Asha", "Ben"))
    (key,) = own.named
    assert act_of({"fixture": key, "what": "table", "table": "t2"}, own, NOON).startswith("it has a table of its own")
    aside = act_of({"what": "aside", "table": "t3", "until": ""}, found, NOON)
    assert (day(AB, acts=[aside]).closed, day(AB, acts=[aside]).free) == ({"t3"}, ["t2"])
    for wrong in ({}, {"table": ""}, {"table": "T 3"}, {"table": 3.5}):
        with pytest.raises(UnreadableError, match="needs a fixture or a table"):
            act_of({"what": "aside", "until": "", **wrong}, found, NOON)
    assert act_of({"what": "undone", "table": "t3"}, found, NOON) == Act("table t3", "undone", NOON.timestamp())


def test_a_hub_that_keeps_no_season_shows_what_another_one_has_given_and_gives_nothing():
    found = day(AB, CD, acts=[at_table(AB, "t3")], house=House(gives=False))
    assert where(found) == [("Asha", "called", "t3"), ("Chi", "queues", "")]


def test_what_was_played_needs_no_table_any_more():
    result = heard(replace(ended("m1", "Asha", "Ben", (25, 4)), fixture=AB.key), "t1")
    found = day(AB, CD, results=[("t1", result)], acts=[at_table(AB, "t1")], online=("t1",))
    assert where(found) == [("Chi", "called", "t1")]
    assert found.done[0].fixture.key == AB.key
    assert (AB.key, "played", "t1") in kept(found)


# -- on the topics


def topics(fixtures, stood=None, later_s=0.0):
    dated = first_published(by_table(fixtures), stood or {}, NOON.timestamp() + later_s)
    return {place: to_json(payload_of(some)) for place, some in dated.items()}


def test_the_pool_has_a_topic_of_its_own_and_a_match_published_anew_stays_at_its_table():
    fixtures = read_fixtures("south,north\nAsha,Ben\nChi,Dev\n")
    stood = topics(fixtures)
    assert [*stood] == [POOL]
    first, _ = fixtures_from(POOL, stood[POOL])
    assert (first.table, bool(first.key)) == ("", True)
    stood["t1"] = to_json(payload_of([replace(first, pool=True)]))
    anew = topics(read_fixtures("south,north,time\nAsha,Ben,14:00\nEla,Fay,\n"), stood, 60.0)
    (copy,) = fixtures_from("t1", anew["t1"])
    assert (copy.key, copy.time, copy.pool) == (first.key, "14:00", True)
    assert [one.key == first.key for one in fixtures_from(POOL, anew[POOL])] == [True, False]
    assert "t1" not in topics(read_fixtures("south,north\nEla,Fay\n"), stood)


def test_the_tables_know_the_pool_and_take_no_copy_for_another_match():
    tables, fixtures = Tables(), topics(read_fixtures("south,north\nAsha,Ben\n"))
    (one,) = fixtures_from(POOL, fixtures[POOL])
    assert tables.heard(f"carrom/{POOL}/fixtures", fixtures[POOL]).day
    assert tables.plain() == []
    tables.heard("carrom/t1/availability", b"online")
    tables.heard("carrom/t1/fixtures", to_json(payload_of([replace(one, pool=True)])))
    assert tables.fixtures() == [one]
    assert tables.seen().given == {one.key: "t1"}
    assert tables.standing()[POOL] == (one,)
    tables.anew()
    assert tables.fixtures() == []
    assert tables.standing()[POOL] == (one,)


def test_a_copy_of_what_is_in_no_pool_here_is_a_fixture_of_its_table():
    tables = Tables()
    tables.heard("carrom/t1/availability", b"online")
    tables.heard("carrom/t1/health", to_json({"t": 1.0, "armed": "armed"}))
    tables.heard("carrom/t1/fixtures", to_json(payload_of([replace(AB, pool=True)])))
    found = day_of(tables.seen(), [at_table(AB, "t1")], NOON)
    assert (where(found), kept(found)) == ([("Asha", "called", "t1")], [])


def test_a_table_is_broken_when_it_has_been_away_for_a_while_and_not_while_the_hub_itself_is_cut_off():
    tables = Tables()
    tables.heard("carrom/t1/availability", b"online")
    tables.heard("carrom/t1/health", to_json({"t": 1.0, "armed": "armed"}))
    tables.passed(1.0)
    tables.heard("carrom/t1/availability", b"offline")
    tables.passed(2.0)
    tables.passed(1.0 + BROKEN_S)
    assert not tables.seen().broken
    tables.passed(2.0 + BROKEN_S)
    assert tables.seen().broken == {"t1"}
    tables.lost()
    tables.passed(1000.0)
    assert not tables.seen().broken
    tables.anew()
    tables.heard("carrom/t1/availability", b"offline")
    tables.passed(1001.0)
    assert not tables.seen().broken


# -- what the hub keeps and publishes


class Writing(Hall):
    """A broker's fixtures, with tables that are there."""

    online = TABLES

    def day(self):
        pool = self.listed.get(POOL, ())
        keys = {one.key for one in pool}
        of_tables = [
            one for place, some in self.listed.items() for one in some if place != POOL and one.key not in keys
        ]
        return day_of(Seen([*of_tables, *pool], self.results, online=self.online), self.acts, NOON)

    def copies(self):
        return {place: [one.seats["south"] for one in some] for place, some in self.listed.items() if place != POOL}


def test_a_copy_stands_on_the_table_that_a_match_was_given_while_it_has_it():
    hall = Writing([AB, CD])
    hall.writer.look()
    assert hall.sent == [["t1", "t2"]]
    assert hall.copies() == {"t1": ["Asha"], "t2": ["Chi"]}
    assert all(one.pool for place in ("t1", "t2") for one in hall.listed[place])
    assert [one.pool for one in hall.listed[POOL]] == [False, False]
    hall.writer.look()
    assert len(hall.sent) == 1
    hall.results = [("t1", heard(replace(ended("m1", "Asha", "Ben", (25, 4)), fixture=AB.key), "t1"))]
    hall.online = ("t1",)
    hall.acts = [*hall.acts, Act(table_aside("t2"), "aside", 0.0, "", "t2")]
    hall.writer.look()
    assert hall.copies() == {"t1": ["Chi"], "t2": []}


def test_a_copy_stays_while_the_pool_is_still_on_its_way():
    hall = Writing([])
    hall.listed, hall.acts = {"t1": (replace(AB, table="t1", pool=True),)}, [at_table(AB, "t1")]
    hall.writer.look()
    assert (hall.sent, [act.what for act in hall.acts]) == ([], ["table"])
    hall.acts = []
    hall.writer.look()
    assert (hall.sent, hall.acts) == ([], [])


def test_of_two_hubs_the_one_that_comes_second_publishes_nothing(caplog):
    hall = Writing([AB])
    hall.overtaken = True
    hall.writer.look()
    assert (hall.sent, caplog.text) == ([], "")
    hall.overtaken, hall.acts = False, [at_table(AB, "t3")]
    hall.writer.look()
    assert hall.copies() == {"t3": ["Asha"]}


def test_what_a_secretary_publishes_meanwhile_is_not_overwritten_by_a_copy():
    hall = Writing([AB])
    hall.stand = {"t1": to_json(payload_of([fixture("t1", "Gil", "Hema")]))}
    hall.writer.look()
    assert (hall.sent, hall.copies()) == ([[]], {})


def test_a_name_that_a_result_decides_is_written_into_the_pool():
    text = "id,south,north\nSF1,Asha,Ben\nSF2,Chi,Dev\nF,winner SF1,winner SF2\n"
    hall = Writing([replace(one, key=key) for key, one in named(read_fixtures(text), NOON).items()])
    sf1, sf2, _ = hall.listed[POOL]
    hall.results = [
        (table, heard(replace(ended(f"m{table}", *one.seats.values(), (25, 4)), fixture=one.key), table))
        for table, one in (("t1", sf1), ("t2", sf2))
    ]
    for _ in range(3):
        hall.writer.look()
    assert [*hall.listed[POOL][2].seats.values()] == ["Asha", "Chi"]
    assert hall.copies() == {"t1": ["Asha"]}
    assert hall.sent == [[POOL], ["t1"]]


@pytest.mark.broker
def test_a_free_table_has_its_match_on_its_topic_and_gives_it_back_when_it_is_set_aside(tmp_path):
    broker = Mosquitto(tmp_path).start()
    at, club = Broker("127.0.0.1", broker.port), HubSection(season=tmp_path / "season.sqlite")
    try:
        publish(at, lambda _: topics(read_fixtures("south,north\nAsha,Ben\nChi,Dev\n")))
        with Hub(at, WebSection(host="127.0.0.1", port=0), club) as hub:
            client = Client(hub.port)
            wait_for(lambda: len(client.get("/day/state").json["next"]) == 2)
            keep(broker, {"carrom/t7/availability": b"online", "carrom/t7/health": to_json({"t": time.time()})})
            keep(broker, {"carrom/t7/health": to_json({"t": time.time() + 1})})
            wait_for(lambda: kept_fixtures(broker.port).get("t7") == 1)
            assert [one["stage"] for one in client.get("/day/state").json["next"]] == ["called", "queues"]
            store = SeasonFile(club.season)
            assert [(act.what, act.table) for act in store.acts()] == [("table", "t7")]
            store.decide(Act(table_aside("t7"), "aside", time.time(), "", "t7"))
            wait_for(lambda: "t7" not in kept_fixtures(broker.port))
            assert [one["stage"] for one in client.get("/day/state").json["next"]] == ["queues", "queues"]
            assert hub.trouble() == ""
    finally:
        broker.kill()


# -- over a whole day

PEOPLE = [f"P{number}" for number in range(8)]
MATCHES = st.tuples(
    st.sampled_from(["", "09:00", "09:30", "10:15"]),
    st.sampled_from(["", "", "", "t1", "t2"]),
    st.lists(st.sampled_from(PEOPLE), min_size=2, max_size=2, unique=True),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(MATCHES, min_size=1, max_size=12), st.integers(1, 99), st.sampled_from([0, 15]))
def test_every_match_of_a_day_is_played_once_and_everybody_rests(matches, seed, rest_min):
    fixtures = read_fixtures(sheet(*(f"{at},{table},,{one},{other},," for at, table, (one, other) in matches)))
    house = House(rest=timedelta(minutes=rest_min))
    went = rehearse(fixtures, TODAY, house, HALF_HOUR, seed, ["t1", "t2", "t3"])
    assert sorted(str(one.seats) for _, one in went.late_min) == sorted(str(one.seats) for one in fixtures)
    assert (went.left, went.tables) == ([], 3)
    begun = [(due(one) + timedelta(minutes=late), one) for late, one in went.late_min]
    for number, (at, one) in enumerate(begun):
        for then, other in begun[:number]:
            if one.table == other.table:
                assert abs(at - then) >= timedelta(minutes=30)
            if {*one.seats.values()} & {*other.seats.values()}:
                assert abs(at - then) >= timedelta(minutes=30 + rest_min)


def test_of_a_free_table_and_a_match_that_could_begin_neither_waits():
    lines = [f",,,P{number},Q{number},," for number in range(9)]
    went = rehearse(read_fixtures(sheet(*lines)), TODAY, lasts_min=HALF_HOUR, tables=["t1", "t2", "t3"])
    assert went.ended - datetime(2026, 3, 1, 9) < timedelta(minutes=3 * 32 + 1)
