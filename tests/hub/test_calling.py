"""Which of the day's matches are called next."""

from __future__ import annotations

import random
from datetime import datetime, timedelta

import pytest

from controller.hub.calling import calls
from controller.hub.fixtures import Fixture
from controller.hub.said import ScoreSaid, SideSaid

NOON = datetime(2026, 3, 1, 12, 0)
TABLES = ("t1", "t2", "t3")


def fixture(table, south, north, at="", referee=""):
    return Fixture({"south": south, "north": north}, at, referee=referee, table=table)


def plays(south, north):
    sides = (SideSaid(name="south", seats={"south": south}), SideSaid(name="north", seats={"north": north}))
    return ScoreSaid(state="playing", sides=sides)


def stages(fixtures, playing=None, over=(), online=TABLES, now=NOON, **more):
    return [(one.stage, dict(one.busy)) for one in calls(fixtures, over, playing or {}, online, now, **more)]


def test_a_free_table_calls_its_first_match_and_the_others_wait():
    day = [fixture("t1", "Asha", "Ben"), fixture("t1", "Chi", "Dev"), fixture("t2", "Ela", "Fay")]
    assert stages(day) == [("called", {}), ("waits", {}), ("called", {})]
    assert stages(day, {"t1": plays("Ben", "asha ")}) == [("playing", {}), ("waits", {}), ("called", {})]
    assert stages(day, over=day[:1]) == [("called", {}), ("called", {})]
    assert stages(day, {"t1": plays("A friend", "another")}) == [("waits", {}), ("waits", {}), ("called", {})]


def test_who_plays_or_officiates_elsewhere_is_waited_for_and_the_next_match_is_called():
    day = [fixture("t1", "Asha", "Ben", referee="Chi"), fixture("t2", "Dev", "BEN"), fixture("t2", "Ela", "Fay")]
    busy = {"t1": plays("Asha", "Ben")}
    assert stages(day, busy) == [("playing", {}), ("held", {"BEN": "t1"}), ("called", {})]
    assert stages(day, over=day[:1]) == [("called", {}), ("waits", {})]
    referees = [day[0], fixture("t2", "Dev", "Ela", referee="chi"), fixture("t3", "Chi", "Fay")]
    assert stages(referees, busy) == [("playing", {}), ("held", {"chi": "t1"}), ("held", {"Chi": "t1"})]


def test_nobody_is_called_to_two_tables():
    day = [fixture("t1", "Asha", "Ben"), fixture("t2", "Asha", "Chi"), fixture("t3", "Dev", "Ela")]
    assert stages(day) == [("called", {}), ("held", {"Asha": "t1"}), ("called", {})]


def test_who_referees_several_tables_at_one_time_holds_no_match():
    day = [fixture(table, f"{table}a", f"{table}b", "12:00", referee="Gita") for table in TABLES]
    assert stages([*day, fixture("t4", "GITA", "Hari")], online=(*TABLES, "t4")) == [("called", {})] * 4
    busy = {"t1": plays("t1a", "t1b")}
    assert stages(day, busy) == [("playing", {}), ("called", {}), ("called", {})]
    later = [day[0], fixture("t2", "Ela", "Fay", "12:01", referee="gita")]
    assert stages(later) == [("called", {}), ("held", {"gita": "t1"})], "one after the other"


def test_a_table_that_is_away_calls_nobody_and_holds_nobody():
    day = [fixture("t1", "Asha", "Ben"), fixture("t2", "Asha", "Chi")]
    assert stages(day, online=("t2",)) == [("away", {}), ("called", {})]


def test_the_same_pair_twice_plays_once():
    day = [fixture("t1", "Asha", "Ben"), fixture("t1", "Asha", "Ben")]
    assert stages(day, {"t1": plays("Asha", "Ben")}) == [("playing", {}), ("waits", {})]
    assert stages(day, {"t1": plays("Asha", "Ben")}, over=day[:1]) == [("playing", {})]


@pytest.mark.parametrize(
    ("at", "stage", "late_min"),
    [
        ("11:40", "called", 20),
        ("12:10", "called", 0),
        ("12:15", "called", 0),
        ("12:16", "early", 0),
        ("", "called", 0),
        ("2026-03-01 11:59", "called", 1),
        ("2026-03-02 10:00", "waits", 0),
        ("2026-02-30 10:00", "called", 0),
    ],
)
def test_a_match_is_as_late_as_its_time_says_and_another_days_waits(at, stage, late_min):
    (one,) = calls([fixture("t1", "Asha", "Ben", at)], (), {}, TABLES, NOON)
    assert (one.stage, one.late_min) == (stage, late_min)


def test_a_free_table_waits_for_its_first_matchs_time_and_says_until_when():
    day = [fixture("t1", "Asha", "Ben", "13:00"), fixture("t1", "Chi", "Dev", "14:00"), fixture("t2", "Asha", "Ela")]
    assert stages(day) == [("early", {}), ("waits", {}), ("called", {})]
    assert calls(day, (), {}, TABLES, NOON)[0].until == "2026-03-01 12:45"
    assert stages(day, {"t1": plays("A friend", "another")})[0] == ("waits", {})
    assert stages(day, online=("t2",))[0] == ("away", {})
    assert [stage for stage, _ in stages(day, now=datetime(2026, 3, 1, 12, 45), over=day[2:])] == ["called", "waits"]
    assert [stage for stage, _ in stages(day, early=timedelta(hours=1), over=day[2:])] == ["called", "waits"]


def test_who_is_there_is_called_before_the_time_and_before_an_earlier_match_that_waits_for_its_own():
    day = [fixture("t1", "Asha", "Ben", "13:00"), fixture("t1", "Chi", "Dev", "14:00")]
    assert stages(day, here=day[:1]) == [("called", {}), ("waits", {})]
    assert stages(day, here=day[1:]) == [("waits", {}), ("called", {})]
    busy = {"t2": plays("Dev", "Ela")}
    assert stages(day, busy, here=day[1:]) == [("early", {}), ("held", {"Dev": "t2"})]


@pytest.mark.parametrize(
    ("at", "now", "stage", "late_min"),
    [
        ("23:50", datetime(2026, 3, 2, 0, 10), "called", 20),
        ("00:10", datetime(2026, 3, 1, 23, 50), "early", 0),
        ("00:10", datetime(2026, 3, 2, 0, 15), "called", 5),
        ("2026-03-02 00:10", datetime(2026, 3, 1, 23, 57), "called", 0),
        ("2026-03-02 09:10", datetime(2026, 3, 2, 0, 10), "waits", 0),
    ],
)
def test_a_day_of_play_lasts_until_the_morning(at, now, stage, late_min):
    (one,) = calls([fixture("t1", "Asha", "Ben", at)], (), {}, TABLES, now)
    assert (one.stage, one.late_min) == (stage, late_min)


@pytest.mark.parametrize("seed", range(5))
def test_a_day_of_twenty_tables_is_played_to_its_end_and_nobody_sits_at_two(seed):
    chance = random.Random(seed)
    players, referees = [f"p{k}" for k in range(48)], [f"r{k}" for k in range(12)]
    day = [fixture(f"t{k % 20}", *chance.sample(players, 2), referee=chance.choice(("", *referees))) for k in range(80)]
    tables = {one.table for one in day}
    playing, over = {}, []
    while len(over) < len(day):
        found = calls(day, over, {one.table: plays(*one.seats.values()) for one in playing.values()}, tables, NOON)
        begun = [one.fixture for one in found if one.stage == "called"]
        assert {one.fixture.table for one in found if one.stage == "playing"} == set(playing)
        assert begun or playing, "whoever is waited for is at a table"
        playing |= {one.table: one for one in begun}
        seated = [name for one in playing.values() for name in one.seats.values()]
        assert len(seated) == len(set(seated))
        officiating = [one.referee for one in playing.values() if one.referee]
        assert len(officiating) == len(set(officiating))
        over.append(playing.pop(chance.choice(sorted(playing))))


def test_a_match_that_is_not_called_says_after_whom_or_on_which_day():
    day = [fixture("t1", "Asha", "Ben"), fixture("t1", "Chi", "Dev"), fixture("t1", "Ela", "Fay", "2026-03-02 10:00")]

    def whys(playing=None, fixtures=day):
        return [(one.stage, one.after, one.until) for one in calls(fixtures, (), playing or {}, TABLES, NOON)]

    another = ("waits", "", "2026-03-02 10:00")
    assert whys() == [("called", "", ""), ("waits", "Asha : Ben", ""), another]
    typed = {"t1": plays("A friend", "another").model_copy(update={"fixture": ""})}
    assert whys(typed) == [("waits", "A friend : another", "")] * 2 + [another]
    early = [fixture("t2", "Asha", "Ben", "13:00"), fixture("t2", "Chi", "Dev", "14:00")]
    assert whys(fixtures=early) == [("early", "", "2026-03-01 12:45"), ("waits", "Asha : Ben", "")]
    assert [one.after for one in calls(early, (), {}, TABLES, NOON, here=early[1:])] == ["Chi : Dev", ""]
