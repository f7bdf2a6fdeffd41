"""Where the players decide: each side's device answers for its side, owns up, and agrees with the other."""

from __future__ import annotations

import pytest

from controller.web.agreement import Agreement
from controller.web.sides import Sides
from tests.web.pretend import PretendTable
from tests.web.test_devices import code_of, let_in

BOTH = ("south", "north")


@pytest.fixture
def table():
    table = PretendTable()
    table.state["officiating"] = "players"
    table.state["asks"][0]["sides"] = ["south", "north"]
    table.state["flags"][0]["sides"] = ["north"]
    return table


@pytest.fixture
def sides(table):
    return Sides(table)


def test_a_question_is_answered_for_ones_own_seat_whatever_the_device_says(sides, table):
    sides.says("north", {"event": "answer", "ask": 14, "choice": "black", "seat": "south"}, "web:n")
    assert table.acted == [({"event": "answer", "ask": 14, "choice": "black", "seat": "north"}, "web:n")]
    said = sides.says("south", {"event": "answer", "ask": "14.1", "choice": "foul"}, "web:s")
    assert "your side has answered" in said["error"]


def test_the_seat_is_the_one_that_the_side_sits_on_now(sides, table):
    """After a change of ends the side that began in the south sits in the north and keeps its name."""
    south, north = table.state["score"]["sides"]
    south["seats"], north["seats"] = {"north": "Asha"}, {"south": "Ben"}
    sides.says("south", {"event": "answer", "ask": 14, "choice": "black"}, "web:s")
    assert table.acted[-1][0]["seat"] == "north"


def test_a_side_tells_what_fell_in_its_own_stroke_where_nothing_senses_the_table(sides, table):
    stroke = {"event": "shot", "seat": "north", "pocketed": [{"piece": "black"}]}
    assert "this table watches" in sides.says("north", stroke, "web:n")["error"]
    table.state["score"]["armed"] = "off"
    assert "its own strokes" in sides.says("south", stroke, "web:s")["error"]
    assert table.acted == []
    assert sides.says("north", stroke | {"flags": ["push"], "t": 3.0}, "web:n") == table.answer
    assert table.acted == [(stroke, "web:n")]


def test_a_side_stops_the_table_and_owns_up_alone(sides, table):
    own = {"event": "call", "clause": "icf-30", "seat": "north"}
    for event in ({"event": "pause"}, own, {"event": "pass", "seat": "north"}):
        assert sides.says("north", event, "web:n") == table.answer
    assert [event for event, _ in table.acted] == [{"event": "pause"}, own, {"event": "pass", "seat": "north"}]


@pytest.mark.parametrize("decides", ["players", "umpire"])
def test_a_side_challenges_for_itself_whoever_decides(sides, table, decides):
    table.state["officiating"] = decides
    challenge = {"event": "challenge", "seat": "north", "stroke": 14, "about": "lines"}
    assert "for itself" in sides.says("south", challenge, "web:s")["error"]
    assert table.acted == []
    assert sides.says("north", challenge, "web:n") == table.answer
    assert table.acted == [(challenge, "web:n")]


def test_what_concerns_both_waits_for_both(sides, table):
    whole = {"event": "call", "clause": "icf-140"}
    assert sides.says("north", whole, "web:n")["waits"]
    assert sides.says("north", whole, "web:n")["waits"], "one side twice is one side"
    assert table.acted == []
    assert sides.proposed(14) == [{"event": whole, "sides": ["north"]}]
    assert sides.says("south", whole, "web:s") == table.answer
    assert table.acted == [(whole, "web:s")]
    assert sides.proposed(14) == []


def test_a_call_against_the_other_waits_until_it_owns_up(sides, table):
    theirs = {"event": "call", "clause": "icf-30", "seat": "south"}
    assert sides.says("north", theirs, "web:n")["waits"]
    assert sides.says("south", theirs, "web:s") == table.answer


def test_what_was_wanted_of_another_state_is_forgotten(sides, table):
    sides.says("north", {"event": "next_board"}, "web:n")
    table.state["score"]["seq"] = 15
    assert sides.proposed(15) == []
    assert sides.says("south", {"event": "next_board"}, "web:s")["waits"]
    assert table.acted == []


def test_either_side_may_want_none_of_it(sides, table):
    sides.says("north", {"event": "resume"}, "web:n")
    sides.says("south", {"event": "withdraw"}, "web:s")
    assert sides.proposed(14) == []
    assert sides.says("south", {"event": "resume"}, "web:s")["waits"]


@pytest.mark.parametrize("event", [{"event": "set", "position": {}}, {"event": "start"}, {}, {"event": []}])
def test_a_position_is_set_and_a_match_begun_at_the_console_only(sides, table, event):
    for side in BOTH:
        assert "umpire's console" in sides.says(side, event, "web:x")["error"]
    assert table.acted == []


@pytest.mark.live
def test_where_an_umpire_decides_a_side_does_nothing_and_is_told_nothing(client, table):
    client.login()
    player = let_in(client, code_of(client, side="north"))
    assert player.get("/state").json["flags"] != []
    stream = player.stream()
    assert next(stream)[1]["flags"] != []
    table.state["officiating"] = "umpire"
    assert player.post("/side/act", {"event": "pause"}).status == 409
    table.feed.push("state")
    assert list(stream) == [], "its stream ends with its rights"
    assert player.get("/state").json["flags"] == []
    assert table.acted == []


def test_a_side_of_an_earlier_match_does_not_play_in_this_one(sides, table):
    assert "take a new code" in sides.says("east", {"event": "pause"}, "web:x")["error"]


@pytest.mark.live
def test_the_other_sides_page_shows_what_is_wanted(client, table):
    client.login()
    south, north = (let_in(client, code_of(client, side=side)) for side in BOTH)
    assert north.post("/side/act", {"event": "next_board"}).status == 202
    assert south.get("/state").json["proposed"] == [{"event": {"event": "next_board"}, "sides": ["north"]}]
    assert south.post("/side/act", {"event": "next_board"}).status == 200


def test_a_side_that_wants_something_else_wants_the_former_no_more():
    agreed = Agreement()
    assert agreed.say("south", {"event": "resume"}, BOTH, 1) is None
    assert agreed.say("south", {"event": "next_board"}, BOTH, 1) is None
    assert [one["event"] for one in agreed.open(1)] == [{"event": "next_board"}]
    three = (*BOTH, "east")
    assert agreed.say("north", {"event": "next_board"}, three, 1) is None
    assert agreed.say("east", {"event": "next_board"}, three, 1) == {"event": "next_board"}
