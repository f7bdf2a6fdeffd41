"""Groups and round robins: snake, circle, break, withdrawals, and the knock-out of who goes on."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.draws.making import go_on, make
from controller.draws.matches import known
from controller.draws.results import played
from controller.draws.tables import group_tables, tables
from tests.draws.drawn import by_chance, entries, event, meetings, played_out, rows, seeds_of_lots, written


def groups_of(matches):
    found = {}
    for one in matches:
        if "-" in one.round:
            for side in one.sides:
                found.setdefault(one.round.partition("-")[0], set()).add(side[0])
    return found


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 21), seeds_of_lots)
def test_everybody_meets_everybody_once_with_the_break_as_often_as_the_other(count, lots):
    matches = make(event("round_robin", lots), entries(count))
    met = Counter(frozenset((one.south[0], one.north[0])) for one in matches)
    assert met == Counter(map(frozenset, combinations([f"P{n}" for n in range(1, count + 1)], 2)))
    broke = Counter(one.south[0] for one in matches)
    not_broke = Counter(one.north[0] for one in matches)
    assert all(abs(broke[name] - not_broke[name]) <= 1 for name in broke | not_broke)
    for number in {one.round for one in matches}:
        playing = [side[0] for one in matches if one.round == number for side in one.sides]
        assert len(playing) == len(set(playing)) == count // 2 * 2


@settings(max_examples=25, deadline=None)
@given(st.integers(4, 40), st.integers(1, 8), st.integers(0, 40), seeds_of_lots, st.booleans())
def test_seeds_stand_by_snake_and_clubs_apart(count, groups, seeds, lots, apart):
    groups, seeds = min(groups, count // 2), min(seeds, count)
    clubs = ["a", "b", "c"]
    them = entries(count, seeds, clubs)
    drawn = event("groups", lots, groups=groups, **({"apart": "club"} if apart else {}))
    found = groups_of(make(drawn, them))
    assert len(found) == groups
    sizes = [len(group) for group in found.values()]
    assert max(sizes) - min(sizes) <= 1
    for number in range(seeds):
        turn, place = divmod(number, groups)
        letter = chr(ord("A") + (groups - 1 - place if turn % 2 else place))
        assert f"P{number + 1}" in found[letter]
    if apart and not seeds:
        club = {one.name: one.club for one in them}
        for name in clubs:
            each = [sum(club[player] == name for player in group) for group in found.values()]
            assert max(each) - min(each) <= 1


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 9), st.integers(2, 4), seeds_of_lots)
def test_winner_and_runner_up_of_a_group_are_in_opposite_halves(groups, size, lots):
    drawn = event("groups", lots, groups=groups, then="knockout", third_place=True)
    them = entries(groups * size)
    matches, so_far = played_out(drawn, them, by_chance(lots, draws=True))
    main = [one for one in matches if "-" not in one.round and one.round != "third" and one.id[:1] != "C"]
    table = group_tables(drawn, them, matches, so_far)
    assert main[-1] is matches[-1]
    assert matches[-2].round == "third" or len(main) < 3
    named = {side[0] for one in main for side in one.sides if not side[0].startswith(("winner", "loser"))}
    assert named == {one.name for places in table.values() for one in places[:2]}
    met = meetings(main)
    assert {met[frozenset((places[0].name, places[1].name))] for places in table.values()} == {2}
    first = [one for one in main if one.round == main[0].round]
    winners = {places[0].name for places in table.values()}
    byes = (1 << (2 * groups - 1).bit_length()) - 2 * groups
    playing = {side[0] for one in first for side in one.sides}
    assert len(winners - playing) == min(byes, groups)


def test_two_groups_of_three_by_line():
    matches = make(event("groups", 1, groups=2), entries(6, 6))
    assert groups_of(matches) == {"A": {"P1", "P4", "P5"}, "B": {"P2", "P3", "P6"}}
    assert [one.id for one in matches] == ["A-1-1", "B-1-1", "A-2-1", "B-2-1", "A-3-1", "B-3-1"]


def test_one_club_meets_in_the_last_rounds():
    them = entries(8, 0, ["a", "b", "c", "d", "e", "f", "g", "a"])
    matches = make(event("round_robin", apart="club"), them)
    assert next(one.round for one in matches if {one.south[0], one.north[0]} == {"P1", "P8"}) == "7"


def table_after(done, policy, state):
    """The table of four after some rounds in which the lower number won, with P1 withdrawn by then."""
    drawn = event("round_robin", withdrawn=policy)
    them = entries(4)
    matches = written(drawn, make(drawn, them), them)
    results = [{"id": one.id, "winner": min(one.south[0], one.north[0])} for one in matches if int(one.round) <= done]
    them = entries(4, state=state)
    so_far = played(drawn, matches, them, rows(*results))
    return {one.name: (one.played, one.won) for one in tables(drawn, them, matches, so_far)[""]}


def test_who_withdraws_before_half_of_a_round_robin_is_not_counted():
    assert table_after(1, "annul", {1: "withdrawn"})["P1"] == (0, 0)
    assert table_after(2, "annul", {1: "withdrawn"})["P1"] == (3, 2)
    assert table_after(1, "walkover", {1: "withdrawn"})["P1"] == (3, 1)
    assert table_after(1, "walkover", {})["P1"] == (1, 1)


def test_who_withdrew_does_not_go_on():
    drawn = event("groups", groups=2, then="knockout", qualify=1)
    them = entries(6, 6)
    matches = written(drawn, make(drawn, them), them)
    results = [{"id": one.id, "winner": min(one.south[0], one.north[0])} for one in matches]
    them = entries(6, 6, state={1: "withdrawn"})
    more = go_on(drawn, them, matches, played(drawn, matches, them, rows(*results)))
    assert {side[0] for side in more[-1].sides} == {"P4", "P2"}


@pytest.mark.parametrize("name", ["boards", "points", "games"])
def test_a_tie_break_parts_whom_the_matches_leave_equal(name):
    drawn = event("round_robin", order=["matches", name])
    them = entries(3)
    matches = written(drawn, make(drawn, them), them)
    # A circle: everybody has won one.
    beats = {frozenset(("P1", "P2")): "P1", frozenset(("P2", "P3")): "P2", frozenset(("P1", "P3")): "P3"}
    most = {"P1": 3, "P2": 9, "P3": 6}
    results = []
    for one in matches:
        won = beats[frozenset((one.south[0], one.north[0]))]
        south = most[won] if won == one.south[0] else 0
        cells = {f"{name}_south": str(south), f"{name}_north": str(most[won] - south)}
        results.append({"id": one.id, "winner": won, **cells})
    table = tables(drawn, them, matches, played(drawn, matches, them, rows(*results)))[""]
    assert (table[0].name, table[0].values[name]) == ("P2", 9 - 3)
    assert {(one.name, one.values[name]) for one in table[1:]} == {("P1", 3 - 6), ("P3", 6 - 9)}


def test_the_names_of_entries_lead_to_them():
    them = entries(3)
    assert known(them).of(("p2",)) is them[1]
