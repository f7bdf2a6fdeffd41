"""Who has left a drawn event: what is open goes to the others, in a table nobody plays it, and what is played stays."""

from __future__ import annotations

from dataclasses import replace

import pytest

from controller.draws.entries import entries_of
from controller.draws.event import event_of
from controller.draws.withdrawn import withdrawn
from controller.hub import day as results_of
from controller.hub.desk import act_of
from controller.hub.fixtures import Fixture
from controller.hub.today import Seen, day_of
from tests.hub.seasons import ended, heard
from tests.hub.test_calling import NOON, TABLES, plays

SF1 = Fixture({"south": "Asha", "north": "Ben"}, event="Open", round="SF", id="SF1", key="a1", since=NOON.timestamp())
SF2 = replace(SF1, seats={"south": "Chi", "north": "Dev"}, id="SF2", key="a2")
FINAL = replace(
    SF1,
    seats={"south": "winner SF1", "north": "winner SF2"},
    awaits={"south": "winner SF1", "north": "winner SF2"},
    round="F",
    id="F",
    key="a3",
)


def gone(*names, system="knockout", state="withdrawn"):
    event = event_of({"name": "Open", "system": system, "seed": 1} | ({"rounds": 3} if system == "swiss" else {}))
    cells = [{"name": name, "state": state if name in names else ""} for name in ("Asha", "Ben", "Chi", "Dev")]
    return {"open": withdrawn(event, entries_of([*enumerate(cells, 2)]))}


def day(left, *fixtures, results=(), playing=None):
    at_tables = [replace(one, table=f"t{number}") for number, one in enumerate(fixtures, 1)]
    return day_of(Seen(at_tables, results, playing=playing or {}, online=TABLES), (), NOON, gone=left)


def winners(found):
    return [(row["id"], row["winner"], row["ended by"]) for row in results_of.as_rows(found.done)]


def test_who_is_left_goes_on_and_is_called_for_the_next_match():
    found = day(gone("Asha"), SF1, SF2, FINAL)
    assert winners(found) == [("SF1", "Ben", "walkover (withdrew)")]
    assert [one.fixture.id for one in found.called] == ["SF2", "F"]
    assert found.done[0].withdrawn
    assert day({}, SF1, SF2).done == []


def test_an_event_of_another_name_has_its_own_entries():
    assert day(gone("Asha"), replace(SF1, event="Youth")).done == []


def test_what_is_played_is_played_to_its_end():
    playing = {"t1": plays("Asha", "Ben").model_copy(update={"fixture": "a1"})}
    assert day(gone("Asha"), SF1, playing=playing).done == []
    result = heard(ended("m1", "Asha", "Ben", (25, 4))).model_copy(update={"fixture": "a1", "end": NOON.timestamp()})
    assert winners(day(gone("Asha"), SF1, results=[("t1", result)])) == [("SF1", "Asha", "")]


def test_of_two_who_have_both_left_nobody_is_waited_for():
    found = day(gone("Asha", "Ben"), SF1, SF2, FINAL)
    assert winners(found) == [("SF1", "Asha", "walkover (withdrew)")]
    final = replace(FINAL, seats={"south": "Asha", "north": "Chi"})
    assert winners(day(gone("Asha", "Ben"), final)) == [("F", "Chi", "walkover (withdrew)")]
    both = day(gone("Asha", "Chi"), final)
    assert (both.done, both.called) == ([], []), "a final has no winner then"


@pytest.mark.parametrize(("system", "round_name"), [("round_robin", "1"), ("groups", "A-1")])
def test_in_a_table_it_is_not_played(system, round_name):
    more = {"groups": 1} if system == "groups" else {}
    event = event_of({"name": "Open", "system": system, "seed": 1} | more)
    entries = entries_of([(2, {"name": "Asha", "state": "withdrawn"}), (3, {"name": "Ben", "state": ""})])
    found = day({"open": withdrawn(event, entries)}, replace(SF1, round=round_name))
    assert (found.done, found.called) == ([], [])


def test_who_leaves_after_a_round_plays_it():
    left = gone("Asha", system="swiss", state="withdrawn 3")
    assert day(left, replace(SF1, round="2")).done == []
    assert winners(day(left, replace(SF1, round="3"))) == [("SF1", "Ben", "walkover (withdrew)")]


def test_the_desk_says_where_such_a_walkover_is_undone():
    found = day(gone("Asha"), SF1)
    for what in ("walkover", "aside"):
        said = act_of({"fixture": "a1", "what": what, "winner": "south", "reason": "x", "until": ""}, found, NOON)
        assert said == "who does not play it has withdrawn; let them return on the event's page"
