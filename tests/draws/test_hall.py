"""Tables and times: nobody plays twice at once, everybody rests, and the hub reads the sheet without a word."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.draws.findings import DrawError
from controller.draws.making import make
from controller.draws.matches import awaited, rows_of
from controller.events.doors import name_key
from controller.events.spreadsheet import as_csv
from controller.hub.fixtures_sheet import read_sheet
from controller.hub.sheet import sheet_of_text
from controller.hub.sheet_notes import Club
from tests.draws.drawn import by_chance, entries, event, played_out, seeds_of_lots, teams

HALL = {"tables": ["t1", "t2", "t3"], "start": "2026-11-29 09:30", "minutes": 20, "rest_minutes": 10}
SYSTEMS = {
    "knockout": {"third_place": True, "consolation": True},
    "double": {},
    "groups": {"groups": 2, "then": "knockout"},
    "round_robin": {},
    "swiss": {"rounds": 3},
    "ties": {},
}


@settings(max_examples=30, deadline=None)
@given(st.sampled_from([*SYSTEMS]), st.integers(4, 14), seeds_of_lots, st.booleans())
def test_the_hall_holds_every_event(system, count, lots, pairs):
    drawn = event(system, lots, **HALL, **SYSTEMS[system], book="icf")
    them = teams(count // 2) if system == "ties" else entries(count, 4, pairs=pairs)
    matches, _ = played_out(drawn, them, by_chance(lots))
    ends, tables = {}, {}
    for match in matches:
        at = datetime.fromisoformat(f"{match.cells['date']} {match.cells['time']}").timestamp() / 60
        table = match.cells["table"]
        assert tables.get(table, 0) <= at
        tables[table] = at + 20
        for side in match.sides:
            for key in {f"id {wait[1]}" if (wait := awaited(side)) else name_key(name) for name in side}:
                assert ends.get(key, 0) + 10 <= at
                ends[key] = max(ends.get(key, 0), at + 20) if not awaited(side) else ends[key]
        ends[f"id {name_key(match.id)}"] = at + 20
    read = read_sheet(sheet_of_text(as_csv(*rows_of(drawn, matches))), Club(books=["icf"]))
    assert read.notes == ()
    assert [one.id for one in read.fixtures] == [one.id for one in matches]


def test_without_a_time_there_are_tables_alone_and_without_tables_neither():
    tabled = make(event("knockout", tables=["t1", "t2"]), entries(8))
    assert [one.cells["table"] for one in tabled[:4]] == ["t1", "t2", "t1", "t2"]
    assert rows_of(event("knockout"), tabled)[0] == ("table", "event", "round", "south", "north", "id")
    free = make(event("knockout", start="09:30"), entries(8))
    assert {(one.cells.get("table"), one.cells.get("time")) for one in free} == {(None, None)}


def test_a_day_has_an_end():
    late = {"tables": ["t1"], "start": "22:00"}
    with pytest.raises(DrawError) as error:
        make(event("knockout", **late), entries(8))
    assert error.value.findings[0].key == ("start",)
    matches = make(event("knockout", **late | {"start": "2026-11-29 22:00"}), entries(8))
    assert (matches[-1].cells["date"], matches[-1].cells["time"]) == ("2026-11-30", "01:00")


def test_a_rounds_own_book_stands_in_its_lines():
    drawn = event("knockout", book="icf", rounds={"F": {"book": "club", "best_of": 5}})
    _, lines = rows_of(drawn, make(drawn, entries(4)))
    assert [line["book"] for line in lines] == ["icf", "icf", "club"]
    assert drawn.terms_in("f").best_of == 5


def test_a_match_that_waits_takes_the_table_that_would_stand_idle_for_less_long():
    drawn = event("round_robin", tables=["t1", "t2"], start="2026-11-29 09:30", rest_minutes=30)
    matches = make(drawn, entries(3))
    # Each waits for a player of the one before: the same table stands ready later than the other.
    assert [one.cells["table"] for one in matches] == ["t1", "t1", "t1"]
