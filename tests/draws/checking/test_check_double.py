"""Double elimination: right draws pass, and each rule finds what breaks it."""

from __future__ import annotations

import pytest

from tests.draws.checking.drawn import Draw, double, entries, names, play, right


@pytest.mark.parametrize("many", [4, 8, 16])
def test_a_right_draw_passes(many):
    assert right(double(many)) == []


def test_of_two_the_loser_goes_straight_to_the_final():
    lines = [
        {"round": "W1", "id": "W1", "south": "P1", "north": "P2"},
        {"round": "GF", "id": "GF", "south": "winner W1", "north": "loser W1"},
        {"round": "GF2", "id": "GF2", "south": "winner GF", "north": "loser GF"},
    ]
    assert right(Draw({"system": "double"}, entries(2), lines)) == []


def test_the_final_is_played_again_exactly_if_who_had_lost_wins_it():
    draw = play(double(8))
    assert draw.rules() == {"final twice"}
    draw.results.pop()
    assert right(draw) == []
    draw.results[-1]["winner"] = "P2"
    assert right(draw) == []
    draw.results.append({"id": "GF2", "winner": "P1"})
    assert right(draw) == []


def test_three_of_five_byes_on_the_losers_side_are_no_matches():
    lines = [
        {"round": "W1", "id": "a", "south": "P4", "north": "P5"},
        {"round": "W2", "id": "b", "south": "P1", "north": "winner a"},
        {"round": "W2", "id": "c", "south": "P2", "north": "P3"},
        {"round": "W3", "id": "d", "south": "winner b", "north": "winner c"},
        {"round": "L1", "id": "e", "south": "loser a", "north": "loser c"},
        {"round": "L2", "id": "f", "south": "winner e", "north": "loser b"},
        {"round": "L3", "id": "g", "south": "winner f", "north": "loser d"},
        {"round": "GF", "id": "GF", "south": "winner d", "north": "winner g"},
        {"round": "GF2", "id": "GF2", "south": "winner GF", "north": "loser GF"},
    ]
    draw = Draw({"system": "double"}, entries(5), lines)
    assert right(draw) == []
    # Who lost `a` and who lost `b` may have met there: at once is too early.
    draw.line("e")["north"], draw.line("f")["north"] = "loser b", "loser c"
    assert draw.rules() == {"rematches"}


def _exchange(draw: Draw, one: str, other: str) -> None:
    change = {one: other, other: one}
    for line in draw.fixtures:
        for seat in ("south", "north"):
            line[seat] = change.get(line[seat], line[seat])


MUTATIONS = [
    ("two losses", lambda draw: draw.fixtures.remove(draw.line("L-1")) or draw.line("L-3").update(south="loser QF-1")),
    ("two losses", lambda draw: draw.line("L-6").update(north="loser L-3")),
    ("two losses", lambda draw: draw.line("L-1").update(south="P1")),
    ("two losses", lambda draw: draw.line("L-2").update(south="loser QF-2")),
    ("references", lambda draw: draw.line("L-2").update(south="loser QF-2")),
    ("two losses", lambda draw: draw.fixtures.insert(0, {"round": "x", "id": "x", "south": "P1", "north": "P2"})),
    ("final twice", lambda draw: draw.fixtures.pop()),
    ("final twice", lambda draw: draw.line("GF2").update(south="winner F")),
    ("final twice", lambda draw: draw.line("GF").update(north="winner SF-1")),
    ("rematches", lambda draw: _exchange(draw, "loser SF-1", "loser SF-2")),
    ("rematches", lambda draw: _exchange(draw, "loser QF-1", "loser QF-3")),
    ("every entry", lambda draw: draw.line("QF-1").update(south="P3")),
    ("rounds", lambda draw: draw.line("L-3").update(round="L1")),
    ("rounds", lambda draw: draw.line("L-6").update(round="L1")),
    ("rounds", lambda draw: draw.line("L-1").update(round="W1")),
    ("rounds", lambda draw: draw.line("GF").update(round="GF2")),
]


@pytest.mark.parametrize("number", range(len(MUTATIONS)))
def test_what_breaks_a_rule_is_found_by_that_rule(number):
    draw = double(8)
    rule, breaks = MUTATIONS[number]
    breaks(draw)
    assert rule in draw.rules(), right(draw)


def test_seeds_and_byes_are_checked_on_the_winners_side():
    draw = double(8)
    draw.entries = entries(8, 4)
    assert right(draw) == []
    _exchange(draw, "P2", "P4")
    assert draw.rules() == {"seeds"}
    assert len(names(8)) == len(draw.entries)
