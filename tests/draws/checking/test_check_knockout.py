"""Knock-outs: right draws pass, and each rule finds what breaks it."""

from __future__ import annotations

import time
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.draws.checking import apart
from tests.draws.checking.drawn import Draw, bracket, entries, knockout, names, play, right, slots_of


@given(st.integers(2, 40), st.integers(0, 40), st.booleans())
@settings(max_examples=40, deadline=None)
def test_a_right_knockout_passes_of_any_size(many, seeds, third):
    draw = knockout(many, min(many, seeds), third_place=third)
    assert right(draw) == []
    assert right(play(draw)) == []


def swapped(draw: Draw, one: str, other: str) -> None:
    change = {one: other, other: one}
    for line in draw.fixtures:
        for seat in ("south", "north"):
            line[seat] = change.get(line[seat], line[seat])


def _twice(draw: Draw) -> None:
    draw.line("R16-1")["north"] = "P1"


def _not_drawn(draw: Draw) -> None:
    draw.entries.append({"name": "Q", "seeding": "", "club": "", "state": ""})


def _bye_against_bye(draw: Draw) -> None:
    draw.fixtures.remove(draw.line("R16-1"))
    draw.fixtures.remove(draw.line("QF-1"))
    draw.entries = [entry for entry in draw.entries if entry["name"] not in ("P8", "P9")]
    draw.line("SF-1")["south"] = "P1"


def _too_deep(draw: Draw) -> None:
    draw.entries.append({"name": "Q", "seeding": "", "club": "", "state": ""})
    draw.fixtures.insert(0, {"round": "R16", "id": "x", "south": "Q", "north": draw.line("R16-1")["south"]})
    draw.line("R16-1")["south"] = "winner x"


MUTATIONS = {
    "every entry": [
        lambda draw: draw.fixtures.remove(draw.line("R16-1")) or draw.line("QF-1").update(north="P8"),
        lambda draw: draw.line("QF-1").update(south="P8"),
        _not_drawn,
        lambda draw: draw.line("F").update(south="loser SF-1"),
    ],
    "size": [_bye_against_bye, _too_deep],
    "byes": [lambda draw: swapped(draw, "P3", "P9")],
    "seeds": [
        lambda draw: swapped(draw, "P2", "P4"),
        lambda draw: swapped(draw, "P1", "P3"),
        lambda draw: swapped(draw, "P3", "P8"),
    ],
    "references": [
        lambda draw: draw.line("QF-2").update(south="winner R16-1"),
        lambda draw: draw.line("SF-2").update(south="winner QF-1"),
        lambda draw: draw.line("F").update(south="winner F"),
        lambda draw: draw.line("F").update(south="winner nobody"),
    ],
    "final": [
        lambda draw: draw.fixtures.append(draw.fixtures.pop(-2)),
        lambda draw: draw.fixtures.append({"round": "X", "id": "X", "south": "P1", "north": "P2"}),
        lambda draw: draw.fixtures.clear(),
    ],
    "third place": [
        lambda draw: draw.fixtures.remove(draw.line("third")),
        lambda draw: draw.line("third").update(south="loser QF-1"),
        lambda draw: draw.event.update(third_place=False),
    ],
    "rounds": [lambda draw: draw.line("QF-2").update(round="R16"), lambda draw: draw.line("SF-2").update(round="semi")],
    "results": [
        lambda draw: play(draw).results[-1].update(winner="P9"),
        lambda draw: play(draw).results[0].update(id="nobody"),
        lambda draw: play(draw).results.append({"id": "F", "winner": "P2"}),
        lambda draw: play(draw).results.pop(0),
        lambda draw: play(draw).results[3].update(winner="draw"),
    ],
}
CASES = [(rule, number) for rule, all_of in MUTATIONS.items() for number in range(len(all_of))]


@pytest.mark.parametrize(("rule", "number"), CASES)
def test_what_breaks_a_rule_is_found_by_that_rule(rule, number):
    draw = knockout(13, 8, third_place=True)
    MUTATIONS[rule][number](draw)
    found = draw.proof().findings
    assert rule in {one.rule for one in found}, found
    assert all("Fix:" in one.sentence and (":" in one.where or one.where.endswith((".csv", ".toml"))) for one in found)


def test_a_withdrawn_entry_need_not_be_drawn_and_a_late_one_must():
    draw = knockout(7)
    draw.entries.append({"name": "Q", "seeding": "", "club": "", "state": "withdrawn"})
    assert right(draw) == []
    draw.entries[-1]["state"] = "late"
    assert draw.rules() == {"every entry"}


# -- the consolation


def consolation(many: int) -> Draw:
    """Losers of the first round, and of matches of two who had a bye, in the order of the bracket."""
    lines, _rounds = bracket(slots_of(many))
    first = [
        line["id"]
        for line in lines
        if not line["south"].startswith("winner") and not line["north"].startswith("winner")
    ]
    size = 1 << (len(first) - 1).bit_length()
    empty = size - len(first)
    slots: list[str | None] = []
    for ident in first:
        slots += [f"loser {ident}", None] if empty else [f"loser {ident}"]
        empty -= bool(empty)
    more, _rounds = bracket(slots, "C-")
    return Draw({"system": "knockout", "consolation": True}, entries(many), [*lines[:-1], *more, lines[-1]])


@pytest.mark.parametrize("many", [4, 6, 7, 8, 11, 13, 16])
def test_a_right_consolation_passes(many):
    assert right(consolation(many)) == []


@pytest.mark.parametrize(
    "breaks",
    [
        lambda draw: draw.event.update(consolation=False),
        lambda draw: draw.line("C-SF-1").update(south="loser SF-1"),
        lambda draw: draw.line("C-SF-1").update(south="P1"),
        lambda draw: [draw.fixtures.remove(line) for line in draw.fixtures[:] if line["round"].startswith("C-")],
        lambda draw: draw.fixtures.remove(draw.line("C-SF-1")) or draw.line("C-F").update(south="loser QF-1"),
    ],
)
def test_what_breaks_a_consolation_is_found(breaks):
    draw = consolation(8)
    breaks(draw)
    assert "consolation" in draw.rules()


def test_the_match_for_the_third_place_stands_right_before_the_final():
    draw = consolation(8)
    draw.event["third_place"] = True
    third = {"round": "third", "id": "third", "south": "loser SF-1", "north": "loser SF-2"}
    draw.fixtures.insert(-1, third)
    assert right(draw) == []
    draw.fixtures.remove(third)
    draw.fixtures.insert(6, third)
    assert draw.rules() == {"third place"}


# -- one club late


def in_places(slots: list[str], clubs: dict[str, str], seeds: int = 0) -> Draw:
    return Draw({"system": "knockout", "apart": "club"}, entries(len(slots), seeds, clubs), bracket(list(slots))[0])


def test_the_same_club_in_the_first_round_is_found_and_the_better_place_named():
    clubs = {name: "XY"[number % 2] for number, name in enumerate(names(8))}
    good = ["P1", "P2", "P3", "P4", "P5", "P6", "P7", "P8"]
    assert right(in_places(good, clubs)) == []
    bad = ["P1", "P3", "P2", "P4", "P5", "P6", "P7", "P8"]
    (found,) = in_places(bad, clubs).proof().findings
    assert found.rule == "same club"
    assert "2 pairs of one club can meet in QF, 0 would do" in found.sentence


def test_a_bound_that_nobody_reaches_is_none():
    # Five of eight are of one club: two of them meet at once in any draw, and one pair is enough.
    clubs = dict.fromkeys(names(5), "X")
    draw = in_places(["P1", "P2", "P3", "P6", "P4", "P7", "P5", "P8"], clubs)
    assert right(draw) == []
    assert any("1 pairs can meet in QF" in one for one in draw.proof().proved)


@given(
    st.lists(st.sampled_from(["", "X", "Y", "Z"]), min_size=3, max_size=6),
    st.integers(0, 3),
    st.randoms(use_true_random=False),
)
@settings(max_examples=30, deadline=None)
def test_the_fewest_pairs_are_those_that_trying_every_draw_finds(clubs, seeds, random):
    """The flow against all permutations of those who are no seeds."""
    places = sorted(random.sample(range(8), len(clubs)))
    paths = [tuple((height, place >> height) for height in (1, 2, 3)) for place in places]
    fixed = min(seeds, len(clubs) - 1)

    def placed(order):
        return [
            apart.Placed(club, path, index < fixed) for index, (club, path) in enumerate(zip(order, paths, strict=True))
        ]

    least = min(apart.pairs(placed([*clubs[:fixed], *rest])) for rest in permutations(clubs[fixed:]))
    fewest, moves = apart.best(placed(clubs))
    assert fewest == least
    assert bool(moves) == (apart.pairs(placed(clubs)) != least)


def test_three_hundred_entries_are_checked_within_five_seconds():
    clubs = {name: f"club {number % 17}" for number, name in enumerate(names(300))}
    draw = knockout(300, 32, apart="club", third_place=True)
    draw.entries = entries(300, 32, clubs)
    begun = time.process_time()
    assert draw.rules() <= {"same club"}
    assert time.process_time() - begun < 5.0
