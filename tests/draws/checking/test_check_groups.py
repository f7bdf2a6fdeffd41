"""Groups and round robins: right draws pass, and each rule finds what breaks it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.draws.checking.drawn import Draw, circle, entries, groups, knockout, names, play, right


@given(st.integers(2, 24))
@settings(max_examples=20, deadline=None)
def test_a_right_round_robin_passes(many):
    draw = Draw({"system": "round_robin"}, entries(many), circle(names(many)))
    assert right(draw) == []
    assert right(play(draw)) == []


@given(st.integers(2, 40), st.integers(1, 8), st.integers(0, 40))
@settings(max_examples=30, deadline=None)
def test_right_groups_pass(many, of, seeds):
    assert right(groups(max(many, 2 * of), of, min(seeds, many))) == []


def test_a_group_of_one_has_no_match():
    assert right(Draw({"system": "groups", "groups": 2}, entries(3), circle(["P1", "P2"], "A"))) == []


def finals(of: int = 4, four: tuple[str, ...] = ("P1", "P7", "P4", "P6", "P2", "P8", "P3", "P5")) -> Draw:
    """Four groups of four, P1 to P4 win theirs, P8 to P5 are the runners-up; then eight play on."""
    draw = play(groups(16, 4, 4, then="knockout"))
    lines = knockout(8).fixtures
    named = dict(zip([f"P{number}" for number in (1, 8, 4, 5, 2, 7, 3, 6)], four, strict=True))
    for line in lines:
        draw.fixtures.append({**line, **{seat: named.get(line[seat], line[seat]) for seat in ("south", "north")}})
    return draw


def test_the_best_two_of_each_group_go_on_in_opposite_halves():
    draw = finals()
    assert right(draw) == []
    assert any("opposite halves" in one for one in draw.proof().proved)


def test_nobody_goes_on_before_a_group_is_over():
    draw = finals()
    draw.results.pop(3)
    assert "qualified" in draw.rules()


def test_a_withdrawn_member_needs_no_results():
    draw = finals()
    draw.entry("P16")["state"] = "withdrawn"
    ids = {line["id"] for line in draw.fixtures if "P16" in (line["south"], line["north"])}
    draw.results = [result for result in draw.results if result["id"] not in ids]
    assert right(draw) == []


def test_what_was_played_of_one_who_left_early_is_annulled():
    """P4 lost one of two to P16, who left after it: that match does not count any more, or it does, as a walkover."""
    draw = groups(8, 2, then="knockout", qualify=1)
    play(draw)
    # Group A: P1, P4, P5, P8. P8 beats P1 and leaves; P4 beats P5 and loses to P1.
    keep = {frozenset(("P1", "P8")): "P8", frozenset(("P1", "P4")): "P1", frozenset(("P1", "P5")): "P5"}
    keep |= {frozenset(("P4", "P5")): "P4"}
    two = {line["id"]: frozenset((line["south"], line["north"])) for line in draw.fixtures}
    draw.results = [one for one in draw.results if not ("P8" in two[one["id"]] and two[one["id"]] not in keep)]
    for result in draw.results:
        result["winner"] = keep.get(two[result["id"]], result["winner"])
    draw.entry("P8")["state"] = "withdrawn"
    # Annulled: P1, P4 and P5 have won one each, and any of them may go on. Walkovers: P4 and P5 have two, P1 one.
    for name, state, fine in (("P1", "annul", True), ("P1", "walkover", False), ("P4", "walkover", True)):
        one = draw.copy()
        one.event["withdrawn"] = state
        one.fixtures.append({"round": "F", "id": "F", "south": name, "north": "P2"})
        assert (right(one) == []) == fine, (name, state)


def test_tie_breaks_are_taken_in_their_order():
    """P1, P2 and P3 have one win each: boards decide, or where they do not stand among the tie-breaks a lot."""
    lines = circle(["P1", "P2", "P3"], "A")
    won = {frozenset(("P1", "P2")): "P1", frozenset(("P2", "P3")): "P2", frozenset(("P1", "P3")): "P3"}
    results = []
    for line in lines:
        winner = won[frozenset((line["south"], line["north"]))]
        loser = next(iter({line["south"], line["north"]} - {winner}))
        more = {"P1": "8", "P2": "5", "P3": "6"}[winner]
        results.append(
            {"id": line["id"], "winner": winner, "side_1": winner, "side_2": loser, "boards_1": more, "boards_2": "0"}
        )
    more = circle(["P4", "P5"], "B")
    results.append({"id": more[0]["id"], "winner": "P4"})
    event = {"system": "groups", "groups": 2, "then": "knockout", "qualify": 1, "order": ["matches", "boards"]}
    draw = Draw(event, entries(5), [*lines, *more], results)
    draw.fixtures.append({"round": "F", "id": "F", "south": "P1", "north": "P4"})
    # P1: 8 - 6, P2: 5 - 8, P3: 6 - 5.
    assert right(draw) == []
    draw.line("F")["south"] = "P3"
    assert draw.rules() == {"qualified"}
    draw.event["order"] = ["matches", "head_to_head", "lot"]
    assert right(draw) == []


def _exchange(draw: Draw, one: str, other: str, only: str = "") -> None:
    change = {one: other, other: one}
    for line in draw.fixtures:
        if line["round"].startswith(only):
            for seat in ("south", "north"):
                line[seat] = change.get(line[seat], line[seat])


def _turn(draw: Draw, name: str) -> None:
    for line in draw.fixtures:
        if line["north"] == name:
            line["south"], line["north"] = line["north"], line["south"]


MUTATIONS = [
    ("everybody meets", lambda draw: draw.fixtures.remove(draw.line("A-1-1"))),
    ("everybody meets", lambda draw: draw.line("A-1-1").update(draw.line("A-2-1"), id="A-1-1", round="A-1")),
    ("rounds", lambda draw: draw.line("A-1-1").update(round="A-2")),
    ("rounds", lambda draw: draw.line("A-1-1").update(round="A-9")),
    ("rounds", lambda draw: draw.event.pop("then")),
    ("rounds", lambda draw: draw.line("F").update(round="B-1")),
    ("breaks", lambda draw: _turn(draw, "P1")),
    ("pots", lambda draw: _exchange(draw, "P2", "P16")),
    ("every entry", lambda draw: draw.entries.append({"name": "Q", "seeding": "", "club": "", "state": ""})),
    ("every entry", lambda draw: draw.line("A-1-1").update(south="P2")),
    ("group sizes", lambda draw: draw.event.update(groups=5)),
    ("qualified", lambda draw: draw.line("QF-1").update(south="P16")),
    ("qualified", lambda draw: draw.line("QF-2").update(north="P1")),
    ("opposite halves", lambda draw: _exchange(draw, "P7", "P8", "QF")),
    ("seeds", lambda draw: _exchange(draw, "P1", "P6", "QF")),
    ("results", lambda draw: draw.results[0].update(winner="P7")),
    ("references", lambda draw: draw.line("F").update(south="winner QF-1")),
]


@pytest.mark.parametrize("number", range(len(MUTATIONS)))
def test_what_breaks_a_rule_is_found_by_that_rule(number):
    draw = finals()
    rule, breaks = MUTATIONS[number]
    breaks(draw)
    assert rule in draw.rules(), right(draw)


def test_sizes_of_groups_differ_by_one_at_most():
    lines = [*circle(names(5), "A"), *circle(["P6", "P7", "P8"], "B")]
    draw = Draw({"system": "groups", "groups": 2}, entries(8), lines)
    assert draw.rules() == {"group sizes"}


def test_byes_go_to_winners_of_groups():
    """Three groups, the best two go on: two byes, both to winners."""
    draw = play(groups(9, 3, 3, then="knockout"))
    best = [("QF", "QF-1", "P3", "P5"), ("QF", "QF-2", "P6", "P4"), ("SF", "SF-1", "P1", "winner QF-1")]
    best += [("SF", "SF-2", "P2", "winner QF-2"), ("F", "F", "winner SF-1", "winner SF-2")]
    draw.fixtures += [dict(zip(("round", "id", "south", "north"), line, strict=True)) for line in best]
    assert "byes" not in draw.rules()
    _exchange(draw, "P1", "P5", "QF")
    _exchange(draw, "P1", "P5", "SF")
    assert "byes" in draw.rules()


def test_one_club_is_spread_over_the_groups():
    clubs = dict.fromkeys(["P1", "P2", "P3", "P4"], "X")
    draw = groups(8, 4, apart="club")
    draw.entries = entries(8, 0, clubs)
    assert right(draw) == []
    _exchange(draw, "P2", "P8")
    assert draw.rules() == {"same club"}
