"""What a knock-out promises, for any number of entries, seeds and clubs; and what it is for a few."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.draws.making import make
from controller.draws.matches import awaited
from controller.draws.tables import tables
from tests.draws.drawn import (
    by_chance,
    entries,
    event,
    main_rounds,
    meetings,
    played_out,
    seeds_of_lots,
    size_of,
    written,
)


def first_round(matches):
    """Who plays in the first round, and who has a bye: they stand by name in the second."""
    main = main_rounds(matches)
    size = size_of(main[0])
    named = [(one, side[0]) for one in main for side in one.sides if awaited(side) is None]
    return [name for one, name in named if size_of(one) == size], [
        name for one, name in named if size_of(one) == size // 2
    ]


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 70), st.integers(0, 70), seeds_of_lots)
def test_byes_go_to_the_best_seeds_and_seeds_meet_late(count, seeds, lots):
    seeds = min(seeds, count)
    matches = make(event("knockout", lots), entries(count, seeds))
    size = 1 << (count - 1).bit_length()
    playing, resting = first_round(matches)
    assert len(matches) == count - 1
    assert sorted([*playing, *resting]) == sorted(f"P{number}" for number in range(1, count + 1))
    if size > count:
        assert len(resting) == size - count
        assert {f"P{number}" for number in range(1, min(seeds, size - count) + 1)} <= {*resting}
    met = meetings(matches)
    for one, other in combinations(range(1, seeds + 1), 2):
        # Seeds up to 2^k are in different parts of which there are 2^k.
        assert met[frozenset((f"P{one}", f"P{other}"))] <= 1 << (other - 1).bit_length()


def early(matches, them):
    """How many pairs of one club may meet in each round, the first round first."""
    club = {one.name: one.club for one in them}
    found = Counter(size for both, size in meetings(matches).items() if len({club[one] for one in both}) == 1)
    return [found[1 << bits] for bits in range(11, 0, -1)]


def fewest(many, parts):
    """The fewest pairs that so many make in so many parts."""
    each, more = divmod(many, parts)
    return (parts - more) * comb(each, 2) + more * comb(each + 1, 2)


@settings(max_examples=15, deadline=None)
@given(st.integers(4, 40), st.integers(0, 9), seeds_of_lots, st.lists(st.sampled_from("abcde"), min_size=3, max_size=9))
def test_one_club_meets_no_earlier_than_it_has_to(count, seeds, lots, clubs):
    them = entries(count, min(seeds, count), clubs)
    apart = early(make(event("knockout", lots, apart="club"), them), them)
    assert apart <= early(make(event("knockout", lots), them), them)
    # With all places free, no pair more meets than where each club is spread as evenly as if it were alone.
    if not seeds and count & (count - 1) == 0:
        sizes = Counter(one.club for one in them).values()
        for bits in range(1, count.bit_length()):
            assert sum(apart[: 11 - bits]) == sum(fewest(many, 1 << bits) for many in sizes)


def test_a_club_of_two_is_in_opposite_halves_and_of_four_in_the_quarters():
    them = entries(16, 0, ["a", "b", "c", "d", "e", "f", "g", "h", "a", "b", "c", "d", "i", "j", "a", "a"])
    met = meetings(make(event("knockout", apart="club"), them))
    assert met[frozenset(("P2", "P10"))] == 2
    assert all(met[frozenset((f"P{one}", f"P{other}"))] <= 4 for one, other in combinations((1, 9, 15, 16), 2))


def test_eight_with_third_place_and_consolation_by_line():
    matches = make(event("knockout", 3, third_place=True, consolation=True), entries(8, 4))
    assert [one.id for one in matches] == [
        "QF1", "QF2", "QF3", "QF4", "SF1", "SF2", "C-SF1", "C-SF2", "C-F", "third", "F",
    ]  # fmt: skip
    assert matches[-1].sides == (("winner SF1",), ("winner SF2",))
    assert matches[-2].sides == (("loser SF1",), ("loser SF2",))
    assert sorted(side[0] for one in matches if one.id.startswith("C-SF") for side in one.sides) == [
        "loser QF1", "loser QF2", "loser QF3", "loser QF4",
    ]  # fmt: skip
    assert matches[0].south == ("P1",)
    assert matches[3].north == ("P2",)


def test_two_and_three_entries_are_drawn_as_well():
    assert [one.id for one in make(event("knockout", third_place=True, consolation=True), entries(2))] == ["F"]
    matches = make(event("knockout", third_place=True, consolation=True), entries(3, 1))
    assert [one.id for one in matches] == ["SF2", "F"]
    assert matches[-1].sides == (("P1",), ("winner SF2",))


def test_who_loses_a_first_match_after_a_bye_goes_on_where_both_had_one():
    matches = make(event("knockout", consolation=True), entries(5))
    (both,) = [one for one in matches if one.round == "SF" and awaited(one.south) is None is awaited(one.north)]
    (final,) = [one for one in matches if one.round == "C-F"]
    (first,) = [one for one in matches if one.round == "QF"]
    assert {side[0] for side in final.sides} == {f"loser {both.id}", f"loser {first.id}"}


def test_partners_sit_opposite_and_wait_for_the_same_match():
    them = entries(4, 2, pairs=True)
    drawn = event("knockout")
    matches = written(drawn, make(drawn, them), them)
    assert matches[0].south == ("P1", "Q1")
    assert matches[-1].south == ("winner SF1", "winner SF1")


def test_the_lots_are_those_of_the_seed():
    draws = {tuple(one.sides for one in make(event("knockout", seed), entries(16, 4))) for seed in range(12)}
    assert len(draws) == 12
    again = [make(event("knockout", 5), entries(16, 4)) for _ in range(2)]
    assert again[0] == again[1]


def test_a_seed_that_withdrew_leaves_no_gap():
    matches = make(event("knockout"), entries(5, 3, state={1: "withdrawn"}))
    met = meetings(matches)
    assert met[frozenset(("P2", "P3"))] == 2
    assert not any("P1" in both for both in met)


@pytest.mark.parametrize("count", [2, 5, 8, 13])
def test_the_table_has_everybody_with_the_winner_first(count):
    drawn = event("knockout", third_place=True, consolation=True)
    them = entries(count)
    matches, so_far = played_out(drawn, them, by_chance(count))
    (table,) = tables(drawn, them, matches, so_far).values()
    final = so_far.sides_of(matches[-1])[so_far.result(matches[-1]).won]
    assert (table[0].place, table[0].name, table[0].lost) == (1, final[0], 0)
    assert len(table) == count
    assert [one.place for one in table][:4] == [1, 2, 3, 4][:count]
