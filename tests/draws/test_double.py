"""A double elimination: out after the second loss, the second final only where it is needed, rematches late."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.draws.double import crossings
from controller.draws.making import make, opened
from controller.draws.matches import awaited
from controller.draws.results import played
from controller.draws.tables import tables
from controller.events.doors import name_key
from tests.draws.drawn import by_chance, entries, event, played_out, rows, seeds_of_lots, written


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 40), st.integers(0, 8), seeds_of_lots)
def test_everybody_leaves_after_the_second_loss(count, seeds, lots):
    drawn, them = event("double", lots), entries(count, min(seeds, count))
    matches, so_far = played_out(drawn, them, by_chance(lots))
    lost = Counter()
    for match in matches:
        if result := so_far.result(match):
            assert lost[so_far.sides_of(match)[1 - result.won]] < 2
            assert lost[so_far.sides_of(match)[result.won]] < 2
            lost[so_far.sides_of(match)[1 - result.won]] += 1
    assert sorted(lost.values())[-1] == 2
    assert sum(many == 2 for many in lost.values()) == count - 1
    assert len(matches) == 2 * count - 1


@settings(max_examples=10, deadline=None)
@given(st.integers(2, 40), seeds_of_lots)
def test_each_loser_has_one_match_more_and_each_winner_too(count, lots):
    matches = make(event("double", lots), entries(count))
    waited = Counter(awaited(side) for one in matches for side in one.sides if awaited(side))
    assert set(waited.values()) == {1}
    for one in matches[:-1]:
        assert waited[True, name_key(one.id)] == 1
        assert waited[False, name_key(one.id)] == (1 if one.round.startswith("W") or one.round == "GF" else 0)


def test_eight_by_line():
    matches = make(event("double", 3), entries(8, 8))
    assert [(one.id, one.south[0], one.north[0]) for one in matches[4:]] == [
        ("L1-1", "loser W1-1", "loser W1-2"),
        ("L1-2", "loser W1-3", "loser W1-4"),
        ("W2-1", "winner W1-1", "winner W1-2"),
        ("W2-2", "winner W1-3", "winner W1-4"),
        ("L2-1", "winner L1-1", "loser W2-2"),
        ("L2-2", "winner L1-2", "loser W2-1"),
        ("L3-1", "winner L2-1", "winner L2-2"),
        ("W3-1", "winner W2-1", "winner W2-2"),
        ("L4-1", "winner L3-1", "loser W3-1"),
        ("GF", "winner W3-1", "winner L4-1"),
        ("GF2", "winner GF", "loser GF"),
    ]


def first_rematch(matches):
    """The first round of the losers' side in which two may meet who have met at the winners' side."""
    return next(one.round for one in matches if one.round.startswith("L") and may_be_again(matches, one))


def may_be_again(matches, match):
    """Whether two may meet in a match of whom one has beaten the other before: the later match lost by the winner."""
    south, north = (lost_matches(matches, side) for side in match.sides)
    later = {name_key(one.id): one for one in matches}
    return any(
        one != other and name_key(one) in before(later, later[name_key(other)])
        for one, other in [*product(south, north), *product(north, south)]
    )


def lost_matches(matches, side):
    """The matches at the winners' side whose losers may come to a side."""
    wins, key = awaited(side)
    match = next(one for one in matches if name_key(one.id) == key)
    if not wins:
        return {match.id}
    return lost_matches(matches, match.south) | lost_matches(matches, match.north)


def before(by_id, match):
    """The matches at the winners' side that whoever plays a match may have won before."""
    found = set()
    for side in match.sides:
        if reference := awaited(side):
            found |= {reference[1]} | before(by_id, by_id[reference[1]])
    return found


@pytest.mark.parametrize(("count", "earliest"), [(4, "L2"), (8, "L3"), (16, "L4"), (32, "L5"), (64, "L7")])
def test_those_who_met_once_meet_again_late(count, earliest):
    assert first_rematch(make(event("double", 3), entries(count, count))) == earliest


def test_the_losers_are_crossed_over_into_the_farthest_part():
    assert crossings(1) == [0]
    assert crossings(3) == [0, 1, 0]
    assert crossings(5)[:2] == [0, 4]
    third = crossings(5)[2]
    # In the other quarter of either half.
    assert third & 1 == 1 or third in (1, 3)


def test_the_second_final_is_played_only_where_the_losers_side_wins_the_first():
    drawn, them = event("double"), entries(4, 4)
    matches = written(drawn, make(drawn, them), them)
    for winner_of_final, more in (("south", []), ("north", ["GF2"])):
        results = []
        while ready := opened(matches, played(drawn, matches, them, rows(*results))):
            if ready[0].id == "GF2":
                break
            for one in ready:
                side = one.south if one.id != "GF" or winner_of_final == "south" else one.north
                results.append({"id": one.id, "winner": side[0]})
        assert [one.id for one in ready] == more
        so_far = played(drawn, matches, them, rows(*results))
        table = tables(drawn, them, matches, so_far)["knockout"]
        assert [one.place for one in table] == ([1, 2, 3, 4] if not more else [0, 0, 3, 4])
