"""What stands in the files: each mistake is found with its line and what helps."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.draws.checking.facts import Proof
from tests.draws.checking.drawn import Draw, double, groups, knockout, play, right, swiss

WRONG = [
    ("event", "EVENT.toml", "write 'third_place'", lambda draw: draw.event.update(thrid_place=True)),
    ("event", "EVENT.toml", "leave it out", lambda draw: draw.event.update(zzzzz=1)),
    ("event", "EVENT.toml", "write one of knockout", lambda draw: draw.event.update(system="ladder")),
    ("event", "EVENT.toml", "write one of knockout", lambda draw: draw.event.pop("system")),
    ("event", "EVENT.toml", "write true or false", lambda draw: draw.event.update(third_place="yes")),
    ("event", "EVENT.toml", "whole number", lambda draw: draw.event.update(qualify=0)),
    ("event", "EVENT.toml", "whole number", lambda draw: draw.event.update(rounds=True)),
    ("event", "EVENT.toml", "a list of matches", lambda draw: draw.event.update(order=["luck"])),
    ("event", "EVENT.toml", "a list of singles", lambda draw: draw.event.update(tie=[])),
    ("event", "EVENT.toml", "write HH:MM", lambda draw: draw.event.update(start="noon")),
    ("event", "EVENT.toml", "write rounds = 5", lambda draw: draw.event.update(system="swiss")),
    ("event", "EVENT.toml", "write groups = 4", lambda draw: draw.event.update(system="groups")),
    ("event", "EVENT.toml", "number from 0 to 1", lambda draw: draw.event.update(late_points=3)),
    ("entries", "EVENT.toml", "fewer groups", lambda draw: draw.event.update(system="groups", groups=9)),
    ("entries", "entries.csv:5", "one entry a name", lambda draw: draw.entries[3].update(name=" p1 ")),
    ("entries", "entries.csv:4", "write one", lambda draw: draw.entries[2].update(name="")),
    ("entries", "entries.csv:3", "each seeding once", lambda draw: draw.entries[1].update(seeding="1")),
    ("entries", "entries.csv:3", "write 1, 2, 3", lambda draw: draw.entries[1].update(seeding="best")),
    ("entries", "entries.csv:3", "write 1, 2, 3", lambda draw: draw.entries[1].update(seeding="0")),
    ("entries", "entries.csv:3", "late 3", lambda draw: draw.entries[1].update(state="ill")),
    ("entries", "entries.csv:3", "all are pairs", lambda draw: draw.entries[1].update(partner="Q")),
    ("entries", "entries.csv:3", "write one, or nothing", lambda draw: draw.entries[1].update(rating="strong")),
    ("entries", "entries.csv", "needs two", lambda draw: draw.entries.__delitem__(slice(1, None))),
    ("fixtures", "fixtures.csv:2", "give each match one", lambda draw: draw.fixtures[0].update(id="")),
    ("fixtures", "fixtures.csv:3", "an id of its own", lambda draw: draw.fixtures[1].update(id=draw.fixtures[0]["id"])),
    ("fixtures", "fixtures.csv:2", "a name as it stands", lambda draw: draw.fixtures[0].update(south="nobody")),
    ("fixtures", "fixtures.csv:2", "a bye is no line", lambda draw: draw.fixtures[0].update(south="")),
    ("fixtures", "fixtures.csv:2", "partners sit opposite", lambda draw: draw.fixtures[0].update(east="P1", west="P2")),
    ("fixtures", "fixtures.csv:2", "write HH:MM", lambda draw: draw.fixtures[0].update(time="late")),
    ("fixtures", "fixtures.csv:2", "write HH:MM", lambda draw: draw.fixtures[0].update(time="09:00", date="soon")),
    ("references", "fixtures.csv:5", "a line above", lambda draw: draw.fixtures[3].update(south="winner F")),
    ("results", "results.csv:2", "the id of a fixture", lambda draw: draw.results[0].update(id="X")),
    ("results", "results.csv:2", "the id of a fixture", lambda draw: draw.results[0].update(id="")),
    ("results", "results.csv:3", "keep one of them", lambda draw: draw.results[1].update(id=draw.results[0]["id"])),
    ("results", "results.csv:2", "name who won it", lambda draw: draw.results[0].update(winner="")),
    ("results", "results.csv:2", "name who won it", lambda draw: draw.results[0].update(winner="P1")),
    ("results", "results.csv:5", "write who won", lambda draw: draw.results[-1].update(winner="draw")),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_each_mistake_is_found_with_its_line_and_what_helps(number):
    rule, where, fix, breaks = WRONG[number]
    draw = play(knockout(5, 1))
    breaks(draw)
    found = [one for one in draw.proof().findings if one.rule == rule]
    assert any(fix in one.sentence and one.where == where for one in found), right(draw)


def test_what_waits_for_a_line_that_is_wrong_is_not_wrong_too():
    draw = knockout(8)
    draw.line("QF-1")["south"] = "nobody"
    assert len(draw.proof().findings) == 1


def pairs() -> Draw:
    people = [{"name": f"A{number}", "partner": f"B{number}"} for number in range(1, 4)]
    lines = [
        {"round": "SF", "id": "SF", "south": "A2", "north": "B2", "east": "B3", "west": "A3"},
        {"round": "F", "id": "F", "south": "A1", "north": "B1", "east": "winner SF", "west": "winner SF"},
    ]
    return Draw({"system": "knockout"}, people, lines)


def test_pairs_sit_opposite_and_either_partner_names_the_winner():
    draw = pairs()
    for winner in ("A3", "b3", "A3 / B3", "B3 & A3"):
        draw.results = [{"id": "SF", "winner": winner}, {"id": "F", "winner": winner}]
        assert right(draw) == []
    draw.results = [{"id": "SF", "winner": "A3 / B3"}, {"id": "F", "winner": "A2"}]
    assert draw.rules() == {"results"}
    draw.results = None
    draw.line("F")["west"] = "loser SF"
    assert draw.rules() == {"references"}


def test_what_the_hub_exports_is_taken_as_it_is():
    draw = knockout(4)
    draw.results = [
        {
            "round": "SF",
            "side 1": "P3",
            "side 2": "P2",
            "winner": "P2",
            "points 1": "8",
            "points 2": "25",
            "end": "10:00",
        },
        {
            "round": "SF",
            "side 1": "P1",
            "side 2": "P4",
            "winner": "P1",
            "points 1": "25",
            "points 2": "8",
            "end": "10:00",
        },
        {
            "round": "F",
            "side 1": "P2",
            "side 2": "P1",
            "winner": "P1",
            "points 1": "8",
            "points 2": "25",
            "end": "11:00",
        },
    ]
    assert right(draw) == []
    draw.event["name"] = "Open"
    draw.results = [{**result, "event": "open"} for result in draw.results]
    draw.results.append({"round": "F", "side 1": "Q", "side 2": "R", "winner": "R", "event": "Doubles", "end": "9:00"})
    assert right(draw) == []
    assert any("results: 3 of 3 matches" in one for one in draw.proof().proved)
    draw.results[1]["side 2"] = "P3"
    assert "results" in draw.rules()


DRAWS = {"knockout": lambda: play(knockout(7, 3, third_place=True)), "double": lambda: play(double(8))}
DRAWS |= {"groups": lambda: play(groups(7, 2, 3)), "swiss": lambda: swiss(7, 3, 7)}
CELLS = [
    "",
    "P1",
    "P2",
    "winner 1-1",
    "loser SF-1",
    "winner F",
    "nan",
    "1e400",
    "-1",
    "draw",
    "late",
    "withdrawn 0",
    "F",
]
KEYS = ["system", "rounds", "groups", "order", "tie", "qualify", "apart", "start", "tables"]
VALUES = ["swiss", "ties", "groups", "double", "club", "", 0, 3, 10**30, True, [], ["x"], {}, {"count": 2}, 1.5]


@given(st.sampled_from([*DRAWS]), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_whatever_stands_in_the_files_is_answered(system, random):
    draw = DRAWS[system]()
    for _change in range(random.randint(1, 4)):
        sheet = random.choice([draw.entries, draw.fixtures, draw.fixtures, draw.results])
        row = random.choice(sheet)
        row[random.choice(list(row))] = random.choice(CELLS)
    if random.random() < 0.3:
        draw.event[random.choice(KEYS)] = random.choice(VALUES)
    assert isinstance(draw.proof(), Proof)
