"""Ties of teams: right draws pass, and each rule finds what breaks it."""

from __future__ import annotations

import pytest

from tests.draws.checking.drawn import Draw, circle, right

SINGLES_AND_DOUBLES = ("singles", "singles", "doubles")


def ties(teams: str = "WXYZ", players: int = 4, **keys: object) -> Draw:
    """Each team against each; a team's players are W1, W2 …"""
    people = [
        {"name": f"{team}{number}", "club": team, "state": ""} for team in teams for number in range(1, players + 1)
    ]
    draw = Draw({"system": "ties", **keys}, people, [], [])
    for tie in circle(list(teams)):
        first, second = tie["south"], tie["north"]
        pairs = (3, 4) if players >= 4 else (1, 2)
        doubles = {"south": f"{first}{pairs[0]}", "north": f"{first}{pairs[1]}"}
        doubles |= {"east": f"{second}{pairs[0]}", "west": f"{second}{pairs[1]}"}
        matches = [{"south": f"{first}{number}", "north": f"{second}{number}"} for number in (1, 2)] + [doubles]
        for number, match in enumerate(matches, 1):
            draw.fixtures.append({"round": tie["round"], "id": f"{tie['id']}-{number}", **match})
            draw.results.append({"id": f"{tie['id']}-{number}", "winner": match["south"]})
    return draw


@pytest.mark.parametrize(("teams", "players"), [("WX", 4), ("WXY", 4), ("WXYZ", 4), ("UVWXY", 2), ("UVWXYZ", 3)])
def test_right_ties_pass(teams, players):
    draw = ties(teams, players)
    assert right(draw) == []
    draw.results = None
    assert right(draw) == []


def test_the_team_or_a_player_is_named_as_the_winner():
    draw = ties()
    draw.results[0]["winner"] = "W"
    draw.results[2]["winner"] = draw.fixtures[2]["west"]
    assert right(draw) == []


def test_a_round_that_is_not_drawn_yet_is_not_missed():
    draw = ties()
    draw.fixtures, draw.results = draw.fixtures[:6], draw.results[:6]
    assert right(draw) == []


def test_a_swiss_of_teams_is_drawn_from_won_ties():
    draw = ties(rounds=2)
    keep = {"1", "2"}
    draw.fixtures = [line for line in draw.fixtures if line["round"] in keep]
    first = [line for line in draw.fixtures if line["round"] == "1"]
    won = [first[0]["south"][0], first[3]["south"][0]]
    lost = [first[0]["north"][0], first[3]["north"][0]]
    change = {}
    second = [line for line in draw.fixtures if line["round"] == "2"]
    old = [second[0]["south"][0], second[0]["north"][0], second[3]["south"][0], second[3]["north"][0]]
    draw.results = [result for result in draw.results if result["id"].startswith("1")]
    for pairs, fine in (((won[0], won[1], lost[0], lost[1]), True), ((won[0], lost[1], won[1], lost[0]), False)):
        change = dict(zip(old, pairs, strict=True))
        one = draw.copy()
        for line in one.fixtures:
            if line["round"] == "2":
                line.update(
                    {
                        seat: change[name[0]] + name[1:]
                        for seat, name in line.items()
                        if seat in ("south", "north", "east", "west")
                    }
                )
        assert (right(one) == []) == fine, right(one)


def _exchange(draw: Draw, turn: str, one: str, other: str) -> None:
    change = {one: other, other: one}
    for line in draw.fixtures:
        if line["round"] == turn:
            line.update(
                {
                    seat: change.get(name, name)
                    for seat, name in line.items()
                    if seat in ("south", "north", "east", "west")
                }
            )


def _teams(draw: Draw, turn: str, one: str, other: str) -> None:
    for number in range(1, 5):
        _exchange(draw, turn, f"{one}{number}", f"{other}{number}")


def _late(draw: Draw, name: str, state: str) -> None:
    draw.entry(name)["state"] = state


MUTATIONS = [
    ("teams", lambda draw: draw.line("1-1-1").update(south="X1", north="X2")),
    ("teams", lambda draw: draw.line("1-1-3").update(south="X3", north="Y4")),
    ("ties", lambda draw: draw.fixtures.remove(draw.line("1-1-2"))),
    ("ties", lambda draw: draw.event.update(tie=["singles", "doubles"])),
    ("ties", lambda draw: draw.fixtures.insert(5, draw.fixtures.pop(0))),
    ("line-ups", lambda draw: _exchange(draw, "1", "X1", "X2")),
    ("line-ups", lambda draw: _exchange(draw, "2", "X1", "X3")),
    ("line-ups", lambda draw: _late(draw, "X4", "late 2")),
    ("line-ups", lambda draw: _late(draw, "X4", "withdrawn 3")),
    ("everybody meets", lambda draw: _teams(draw, "2", "X", "Y")),
    ("every entry", lambda draw: [draw.fixtures.remove(draw.line(f"1-2-{number}")) for number in (1, 2, 3)]),
    ("rounds", lambda draw: [line.update(round="7") for line in draw.fixtures if line["round"] == "3"]),
    ("rounds", lambda draw: draw.event.update(rounds=2)),
    ("entries", lambda draw: draw.entry("X2").update(club="")),
    ("results", lambda draw: draw.results[0].update(winner="nobody")),
]


@pytest.mark.parametrize("number", range(len(MUTATIONS)))
def test_what_breaks_a_rule_is_found_by_that_rule(number):
    draw = ties()
    rule, breaks = MUTATIONS[number]
    breaks(draw)
    draw.results = draw.results if rule == "results" else None
    assert rule in draw.rules(), right(draw)
