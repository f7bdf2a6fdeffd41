"""What the club's desk decides: walkovers and matches set aside; what is kept of it, and what it counts for."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from controller.events.errors import DeviceError, UnreadableError
from controller.hub import day as results_of
from controller.hub.acts import Act
from controller.hub.desk import act_of
from controller.hub.desk_keeper import DeskKeeper
from controller.hub.fixtures import Fixture, first_published, named, payload_of
from controller.hub.rating import ratings
from controller.hub.season import Kept, standings
from controller.hub.season_at import season_at
from controller.hub.season_file import SeasonFile
from controller.hub.today import Seen, day_of
from controller.mqtt.payloads import to_json
from tests.hub.seasons import SEASON, ended, filled, heard
from tests.hub.test_calling import NOON, TABLES, fixture, plays

FIRST, SECOND = fixture("t1", "Asha Rao", "Ben Kim"), fixture("t1", "Chi", "Dev")
DOUBLES = Fixture({"south": "Asha", "north": "Ben", "east": "Chi", "west": "Dev"}, table="t2")


def day(*fixtures, acts=(), results=(), playing=None, now=NOON):
    return day_of(Seen(fixtures, results, playing=playing or {}, online=TABLES), acts, now)


def stages(found):
    return [(one.fixture.seats["south"], one.stage) for one in found.called]


def name_of(found, wanted):
    return next(name for name, one in found.named.items() if one is wanted)


def decided(found, wanted, now=NOON, **what):
    act = act_of({"fixture": name_of(found, wanted), **what}, found, now)
    assert isinstance(act, Act), act
    return act


def given(found, wanted=FIRST, winner="south", reason="did not come", now=NOON):
    return decided(found, wanted, now, what="walkover", winner=winner, reason=reason)


def test_a_walkover_is_a_result_with_its_reason_and_the_next_match_is_called():
    before = day(FIRST, SECOND)
    assert stages(before) == [("Asha Rao", "called"), ("Chi", "waits")]
    after = day(FIRST, SECOND, acts=[given(before)])
    assert stages(after) == [("Chi", "called")]
    (row,) = results_of.as_rows(after.done)
    assert (row["winner"], row["ended by"], row["boards played"]) == ("Asha Rao", "walkover (did not come)", 0)
    assert (row["points 1"], row["points 2"], row["table"]) == (0, 0, "t1")
    assert after.done[0].result.end == NOON.timestamp()


def test_a_match_set_aside_blocks_nothing_and_comes_back_at_its_time():
    before = day(FIRST, SECOND)
    later = decided(before, FIRST, what="aside", until="12:30")
    for act in (later, decided(before, FIRST, what="aside", until="")):
        assert stages(day(FIRST, SECOND, acts=[act])) == [("Asha Rao", "aside"), ("Chi", "called")]
    back = day(FIRST, SECOND, acts=[later], now=NOON + timedelta(minutes=40))
    assert stages(back) == [("Asha Rao", "called"), ("Chi", "waits")]
    assert back.called[0].late_min == 10, "late by its new time"


def test_a_match_whose_players_are_there_is_called_before_its_time_until_that_is_undone():
    timed = replace(FIRST, time="14:00")
    before = day(timed)
    assert stages(before) == [("Asha Rao", "early")]
    here = decided(before, timed, what="here")
    after = day(timed, acts=[here])
    assert [(one.stage, one.here) for one in after.called] == [("called", True)]
    walked = day(timed, acts=[given(before, timed)])
    body = {"fixture": here.fixture, "what": "here"}
    assert "undo it first" in act_of(body, walked, NOON)
    assert "under way" in act_of(body, day(timed, playing={"t1": plays("Asha Rao", "Ben Kim")}), NOON)


def test_who_plays_a_match_that_was_set_aside_is_playing_it():
    before = day(FIRST, SECOND)
    aside = decided(before, FIRST, what="aside", until="")
    assert stages(day(FIRST, SECOND, acts=[aside], playing={"t1": plays("Asha Rao", "Ben Kim")}))[0][1] == "playing"


def test_partners_sit_opposite():
    act = given(day(DOUBLES), DOUBLES, winner="east")
    assert [side.players for side in act.result.sides] == [("Asha", "Ben"), ("Chi", "Dev")]
    assert [one.side for one in act.result.given] == ["south"]


def test_an_act_holds_when_its_match_gets_another_time_or_table_and_not_on_another_day():
    act = given(day(FIRST))
    moved = replace(FIRST, table="t3", time="15:00")
    assert day(moved, acts=[act]).called == []
    # After midnight it is the same day of play, and in the morning another.
    assert day(FIRST, acts=[act], now=NOON + timedelta(hours=14)).called == []
    week = NOON + timedelta(days=7)
    assert stages(day(FIRST, acts=[act], now=week)) == [("Asha Rao", "called")]
    assert day(FIRST, acts=[act], now=week).done == []
    dated = replace(FIRST, time="2026-03-08 10:00")
    assert day(dated, acts=[given(day(dated), dated)], now=week).called == []


def test_a_walkover_whose_match_is_not_published_any_more_is_shown_and_undone():
    act = given(day(FIRST))
    (one,) = day(acts=[act]).done
    assert (one.table, one.walkover) == ("t1", act.fixture)


def test_a_pair_that_meets_twice_plays_the_other_match():
    again = fixture("t1", "Asha Rao", "Ben Kim")
    act = given(day(FIRST, again))
    assert len(named([FIRST, again], NOON)) == 2
    played = [("t1", heard(ended("m1", "Asha Rao", "Ben Kim", (25, 4))))]
    found = day(FIRST, again, acts=[act], results=played)
    assert [one.fixture for one in found.done if not one.walkover] == [again]
    assert found.called == []


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({}, "needs a fixture"),
        ({"what": "draw"}, "what is one of"),
        ({"fixture": ["a"], "what": "undone"}, "needs a fixture"),
        ({"what": "walkover", "winner": "east", "reason": "ill"}, "a winner"),
        ({"what": "walkover", "winner": ["south"], "reason": "ill"}, "a winner"),
        ({"what": "walkover", "winner": "south"}, "a reason"),
        ({"what": "walkover", "winner": "south", "reason": " "}, "reason needs"),
        ({"what": "walkover", "winner": "south", "reason": "i\u202ell"}, "reason"),
        ({"what": "walkover", "winner": "south", "reason": "x" * 61}, "reason"),
        ({"what": "aside"}, "until needs"),
        ({"what": "aside", "until": "25:00"}, "until needs"),
        ({"what": "aside", "until": 12}, "until needs"),
    ],
    ids=str,
)
def test_what_is_no_act_is_refused(body, says):
    found = day(FIRST)
    with pytest.raises(UnreadableError, match=says):
        act_of({"fixture": name_of(found, FIRST), **body}, found, NOON)


def test_what_cannot_be_decided_any_more_is_said():
    walkover = {"what": "walkover", "winner": "south", "reason": "ill"}
    found = day(FIRST)
    name = name_of(found, FIRST)
    played = [("t1", heard(ended("m1", "Asha Rao", "Ben Kim", (25, 4))))]
    over = (day(SECOND), day(FIRST, results=played), day(FIRST, playing={"t1": plays("Asha Rao", "Ben Kim")}))
    for then in over:
        assert "is played, under way or no fixture" in act_of({"fixture": name, **walkover}, then, NOON)
    assert "has passed" in act_of({"fixture": name, "what": "aside", "until": "12:00"}, found, NOON)
    walked = day(FIRST, acts=[given(found)])
    assert "undo it first" in act_of({"fixture": name, "what": "aside", "until": ""}, walked, NOON)
    other = act_of({"fixture": name, **walkover, "winner": "north"}, walked, NOON)
    assert other == "a walkover was given to Asha Rao (did not come); undo it first"
    assert isinstance(given(walked), Act), "a second tap says the same"


@pytest.mark.parametrize(
    ("hour", "until", "day_later"),
    [(23, "00:30", True), (1, "02:00", False), (12, "00:30", True), (23, "22:00", False)],
)
def test_a_time_after_midnight_belongs_to_the_same_day_of_play(hour, until, day_later):
    now = NOON.replace(hour=hour, minute=40)
    found = day(FIRST, now=now)
    said = act_of({"fixture": name_of(found, FIRST), "what": "aside", "until": until}, found, now)
    if until == "22:00":
        assert said == "this time has passed"
    else:
        assert said.until == f"{now + timedelta(days=day_later):%Y-%m-%d} {until}"


def test_an_act_is_kept_once_and_the_last_one_about_a_match_holds(place):
    changes = []
    file = season_at(place)
    desk = DeskKeeper(file, lambda: changes.append(1))
    assert desk.acts() == []
    found = day(FIRST, SECOND)
    first = given(found)
    for at in (NOON, NOON + timedelta(minutes=1)):
        desk.decide(given(found, now=at))
    assert (desk.acts(), len(changes)) == ([first], 1)
    other = given(found, winner="north")
    aside = decided(found, SECOND, what="aside", until="13:00")
    desk.decide(other)
    desk.decide(aside)
    assert DeskKeeper(season_at(place)).acts() == [other, aside], "as after a restart"
    undo = Act(first.fixture, "undone", NOON.timestamp())
    desk.decide(undo)
    desk.decide(undo)
    assert (desk.acts(), len(changes)) == ([aside], 4)


def test_another_hub_on_the_same_season_sees_it(place):
    one, other = (DeskKeeper(season_at(place)) for _ in range(2))
    assert other.acts() == []
    one.decide(given(day(FIRST)))
    assert len(other.acts()) == 1


def test_while_the_file_cannot_be_read_what_held_before_holds_and_it_is_said_once(tmp_path, caplog):
    desk = DeskKeeper(SeasonFile(tmp_path / "season.sqlite"))
    desk.decide(given(day(FIRST)))
    held = desk.acts()
    desk._store.path.write_text("a letter")
    assert desk.acts() == desk.acts() == held
    desk._store.path.unlink()
    assert desk.acts() == []
    first, last = [one for one in caplog.messages if "the desk's acts cannot be read" in one]
    assert "is no season" in first
    assert last.endswith("it works again")


def test_a_walkover_counts_as_won_in_the_standings_and_not_in_the_rating_until_it_is_undone(place):
    file = filled(place, SEASON[:1])
    before = file.matches()
    act = given(day(FIRST), winner="north")
    file.decide(act)
    ben, asha = standings(file.matches())
    assert [(one.player, one.won, one.lost, one.given) for one in (ben, asha)] == [
        ("Asha Rao", 1, 1, 1),
        ("Ben Kim", 1, 1, 0),
    ]
    assert ratings(file.matches()) == ratings(before)
    file.decide(Act(act.fixture, "undone", 0.0))
    assert file.matches() == before


def test_a_file_of_before_is_read_and_brought_up_by_the_first_act(tmp_path):
    file = filled(tmp_path / "season.sqlite", SEASON[:1])
    with sqlite3.connect(file.path) as connection:
        connection.execute("DROP TABLE acts")
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    assert (file.acts(), file.forget("nobody"), len(file.matches())) == ([], 0, 1)
    act = given(day(FIRST))
    file.decide(act)
    assert file.acts() == [act]


def test_of_a_forgotten_name_no_byte_is_left_in_an_act(place, connect, raw):
    file = season_at(place)
    found = day(FIRST, SECOND)
    acts = [given(found, reason="Asha Rao's father is ill"), given(found, SECOND, reason="to help ASHA rao")]
    for act in acts:
        file.decide(act)
    with connect(place) as reader:
        reader.execute("ANALYZE")
    assert b"asha rao" in raw(place).lower()
    assert file.forget("Asha Rao") == 2
    left = raw(place).lower()
    assert b"asha rao" not in left
    assert acts[0].fixture.encode() not in left, "who guesses the names could make it again"
    first, second = file.acts()
    assert [side.players[0] for side in first.result.sides] == ["(forgotten)", "Ben Kim"]
    assert second.fixture == acts[1].fixture
    assert [one.player for one in standings(file.matches())] == ["Chi", "Ben Kim", "Dev"]


def test_who_makes_acts_up_does_not_fill_the_disk(place, monkeypatch):
    monkeypatch.setattr("controller.hub.season_store.MOST_ACTS", 2)
    file = season_at(place)
    for number in range(2):
        file.decide(Act(f"f{number}", "aside", 0.0))
    with pytest.raises(DeviceError, match="Fix: "):
        file.decide(Act("f2", "aside", 0.0))
    file.decide(Act("f1", "aside", 0.0, until="2026-03-01 13:00"))


def test_a_table_that_plays_without_names_plays_no_fixture():
    """So practice needs nothing at the desk."""
    seats = plays("South", "North")
    found = day(FIRST, results=[("t1", heard(ended("m1", "South", "North", (25, 4))))], playing={"t2": seats})
    assert stages(found) == [("Asha Rao", "called")]
    assert [one.fixture for one in found.done] == [None]
    assert standings([Kept("t1", found.done[0].result)]) == []


SATURDAY = datetime(2026, 11, 28, 12, 0)
WEEKEND = (
    Fixture({"south": "Asha", "north": "Ben"}, "", "Open", "SF", id="SF1", table="t1", since=SATURDAY.timestamp()),
    Fixture({"south": "Chi", "north": "Dev"}, "", "Open", "SF", id="SF2", table="t1", since=SATURDAY.timestamp()),
)


def played_at(when, match="m1", table="t1", names=("Asha", "Ben")):
    one = replace(ended(match, *names, (25, 4)), end=when.timestamp())
    return table, heard(one, table)


def test_what_was_played_on_saturday_is_played_on_sunday_though_nothing_retained_says_so():
    saturday = day(*WEEKEND, results=[played_at(SATURDAY)], now=SATURDAY + timedelta(hours=1))
    (act,) = saturday.unkept
    assert (act.what, act.table, act.result.match) == ("played", "t1", "m1")
    sunday = day(*WEEKEND, acts=[act], now=SATURDAY + timedelta(hours=22))
    assert stages(sunday) == [("Chi", "called")]
    assert [(one.fixture.id, one.result.match) for one in sunday.done] == [("SF1", "m1")]
    assert sunday.unkept == []
    moved = day(replace(WEEKEND[0], table="t2"), acts=[act], now=SATURDAY + timedelta(hours=22))
    assert (stages(moved), moved.done[0].table) == ([], "t1"), "where it was played, wherever the row stands now"


def test_yesterdays_match_of_the_same_pair_is_none_of_todays():
    sunday = [replace(one, since=(SATURDAY + timedelta(hours=20)).timestamp(), round="F") for one in WEEKEND]
    late = played_at(SATURDAY + timedelta(hours=8))
    assert stages(day(*sunday, results=[late], now=SATURDAY + timedelta(hours=21)))[0] == ("Asha", "called")
    # One that was bound to Saturday's fixture is no other's, however late it ended.
    (act,) = day(*WEEKEND, results=[played_at(SATURDAY + timedelta(hours=19))], now=SATURDAY).unkept
    both = day(*WEEKEND, *sunday, acts=[act], results=[played_at(SATURDAY + timedelta(hours=19))], now=SATURDAY)
    assert [one.fixture.round for one in both.done] == ["SF"]


def test_a_table_whose_clock_is_wrong_plays_todays_match_all_the_same():
    behind = 40 * 86400.0
    said = played_at(SATURDAY - timedelta(seconds=behind))
    found = day_of(Seen(WEEKEND, [said], online=TABLES, ahead_s={"t1": behind}), (), SATURDAY)
    assert [one.fixture.id for one in found.done] == ["SF1"]
    assert day_of(Seen(WEEKEND, [said], online=TABLES), (), SATURDAY).done[0].fixture is None


def test_a_fixture_published_again_keeps_since_when_it_stands():
    first = first_published({"t1": WEEKEND[:1]}, {}, 100.0)
    stood = {"t1": to_json(payload_of(first["t1"]))}
    moved = [replace(WEEKEND[0], table="t2", since=0.0, seats={"south": "Asha Rao", "north": "Ben"}), WEEKEND[1]]
    again = first_published({"t2": moved}, stood, 200.0)
    assert [one.since for one in again["t2"]] == [100.0, 200.0]


def test_who_is_forgotten_stands_in_no_match_that_is_kept_as_played(tmp_path):
    store = SeasonFile(tmp_path / "season.sqlite")
    (act,) = day(*WEEKEND, results=[played_at(SATURDAY)], now=SATURDAY).unkept
    store.decide(act)
    assert store.matches() == [], "the match itself is kept with its table's result"
    store.forget("asha")
    (kept,) = store.acts()
    assert (kept.what, kept.result.match, "Asha" in str(kept)) == ("played", "m1", False)


def test_a_match_played_on_another_table_is_that_fixture_where_there_is_only_one():
    said = played_at(SATURDAY, table="t2")
    found = day(*WEEKEND, results=[said], now=SATURDAY)
    assert [(one.fixture.id, one.table) for one in found.done] == [("SF1", "t2")]
    assert stages(found) == [("Chi", "called")]
    twice = day(*WEEKEND, replace(WEEKEND[0], id="SF3", table="t3"), results=[said], now=SATURDAY)
    assert twice.done[0].fixture is None, "nobody says which"
    here = day(*WEEKEND, replace(WEEKEND[0], id="SF3", table="t2"), results=[said], now=SATURDAY)
    assert [one.fixture.id for one in here.done] == ["SF3"]


def test_what_stands_on_the_tables_topics_is_kept_until_somebody_is_forgotten(place, raw, monkeypatch):
    file = season_at(place)
    desk = DeskKeeper(file)
    monkeypatch.setattr("controller.hub.desk_keeper.time.time", lambda: SATURDAY.timestamp() + 86_400.0)
    old = replace(WEEKEND[1], since=1.0)
    for listed in ({"t1": WEEKEND, "t2": WEEKEND}, {"t1": (WEEKEND[0], old)}):
        desk.keep_fixtures({table: to_json(payload_of(one)).decode() for table, one in listed.items()})
    assert season_at(place).fixtures().keys() == {"t1"}
    assert desk.fixtures() == {"t1": (WEEKEND[0],)}, "an event of long ago goes on no more"
    file.forget("Ben")
    assert desk.fixtures() == {}
    assert b"Asha" not in raw(place)


def test_a_damaged_walkover_is_left_out_by_name_and_sets_nothing_aside(place, connect, caplog):
    file = season_at(place)
    act = given(day(FIRST))
    file.decide(act)
    with connect(place) as connection:
        connection.execute("UPDATE acts SET result = '{}'")
    assert file.acts() == []
    assert f"what the desk has about fixture {act.fixture} (walkover) is damaged and left out" in caplog.text


def test_where_the_season_cannot_be_read_the_hub_begins_without_its_fixtures(tmp_path, caplog):
    (tmp_path / "season.sqlite").write_text("a letter")
    assert DeskKeeper(season_at(tmp_path / "season.sqlite")).fixtures() == {}
    assert "the fixtures that stood when a hub last ran cannot be read" in caplog.text
