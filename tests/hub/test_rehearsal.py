"""A day rehearsed with simulated tables: what stands still, what begins late, what is not played."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.cli import main
from controller.hub.fixtures_sheet import read_fixtures
from controller.hub.rehearsal import rehearse

TODAY = datetime(2026, 3, 1, 20, 0)
HALF_HOUR = (30.0, 30.0)


def sheet(*lines):
    return "\n".join(["time,table,id,south,north,east,west", *lines]) + "\n"


def clock(hour, minute):
    return TODAY.replace(hour=hour, minute=minute)


def test_a_table_whose_next_match_waits_for_somebody_stands_still_from_its_time_on():
    fixtures = read_fixtures(sheet("09:30,t1,,Asha,Ben,,", "09:30,t2,,Asha,Chi,,", "09:30,t3,,Dev,Ela,,"))
    went = rehearse(fixtures, TODAY, lasts_min=HALF_HOUR)
    (still,) = went.stood
    assert (still.fixture.table, dict(still.waits_for)) == ("t2", {"Asha": "t1"})
    assert still.since == went.began == clock(9, 30)
    # Who is there early sits and waits for the time on the sheet.
    assert still.until == clock(10, 0)
    assert {one.table: round(late) for late, one in went.late_min} == {"t1": 0, "t2": 31, "t3": 0}
    assert clock(10, 30) < went.ended < clock(10, 33)
    assert went.left == []


def test_who_wins_goes_on_and_a_match_waits_for_whoever_decides_it():
    lines = ("09:30,t1,A,Asha,Ben,,", "09:30,t2,B,Chi,Dev,,", "09:45,t2,,winner A,winner B,,")
    went = rehearse(read_fixtures(sheet(*lines)), TODAY, lasts_min=(20.0, 60.0), seed=3)
    final = went.late_min[-1][1]
    assert {final.seats["south"]} < {"Asha", "Ben"}
    assert {final.seats["north"]} < {"Chi", "Dev"}
    assert all({*one.waits_for} <= {"winner A", "winner B"} for one in went.stood)


def test_what_a_day_does_not_hold_is_left_and_the_command_says_so(tmp_path, capsys):
    file = tmp_path / "day.csv"
    file.write_text(sheet(*(f"09:00,t1,,P{number},Q{number},," for number in range(60))))
    assert main(["hub", "--rehearse", str(file), "--minutes", "40-40", "--seed", "7"]) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("28 of 60 matches on 1 tables, 40-40 minutes each, seed 7: ")
    assert "not played: 32" in said
    assert said[-32].startswith("  t1: P28 : Q28 not before ")
    assert said[-1] == "  t1: P59 : Q59"


def test_the_command_names_what_stood_still_and_reaches_nobody(tmp_path, capsys):
    file = tmp_path / "day.csv"
    file.write_text(sheet("09:30,t1,SF,Asha,Ben,,", "09:30,t2,,Asha,Chi,Dev,Ela", "10:00,t3,,winner SF,Fay,,"))
    assert main(["hub", "--rehearse", str(file), "--minutes", "30-30"]) == 0
    said = capsys.readouterr().out
    assert "3 of 3 matches on 3 tables" in said
    assert "  09:30 to 10:0" in said
    assert " t2: Asha & Chi : Dev & Ela waited for Asha (t1)\n" in said
    assert "began late: 2; the latest:\n" in said


@pytest.mark.parametrize("minutes", ["30", "60-30", "0-5", "a-b"])
def test_a_span_that_is_none_is_one_line(tmp_path, capsys, minutes):
    file = tmp_path / "day.csv"
    file.write_text(sheet("09:30,t1,,Asha,Ben,,"))
    assert main(["hub", "--rehearse", str(file), "--minutes", minutes]) == 2
    assert capsys.readouterr().err == f"carrom hub: --minutes {minutes!r} is no span. Fix: --minutes 25-60\n"


PEOPLE = [f"P{number}" for number in range(8)]
MATCHES = st.tuples(
    st.sampled_from(["", "09:00", "09:30", "10:15"]),
    st.sampled_from(["t1", "t2", "t3"]),
    st.lists(st.sampled_from(PEOPLE), min_size=2, max_size=2, unique=True),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(MATCHES, min_size=1, max_size=12), st.integers(1, 99))
def test_every_match_is_played_once_and_nobody_is_at_two_tables(matches, seed):
    fixtures = read_fixtures(sheet(*(f"{at},{table},,{one},{other},," for at, table, (one, other) in matches)))
    went = rehearse(fixtures, TODAY, lasts_min=HALF_HOUR, seed=seed)
    assert sorted(str(one.seats) for _, one in went.late_min) == sorted(str(one.seats) for one in fixtures)
    assert went.left == []
    # By when each began and lasts: two of one table, or with one person in common, lie apart.
    begun = [(due(one) + timedelta(minutes=late), one) for late, one in went.late_min]
    for number, (at, one) in enumerate(begun):
        for then, other in begun[:number]:
            if one.table == other.table or {*one.seats.values()} & {*other.seats.values()}:
                assert abs(at - then) >= timedelta(minutes=30)


def due(fixture):
    """A day without times begins at nine."""
    return datetime.fromisoformat(f"{TODAY:%Y-%m-%d} {fixture.time or '09:00'}")
