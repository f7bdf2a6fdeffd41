"""Ties of teams: line-ups, breaks in turn, rounds for all, and who has won."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest

from controller.draws.findings import DrawError
from controller.draws.making import go_on, make
from controller.draws.results import played
from controller.draws.tables import tables
from tests.draws.drawn import by_chance, event, played_out, rows, teams, written


def team(side):
    return side[0][:-1]


def test_a_tie_is_its_singles_and_doubles_with_the_break_in_turn():
    matches = make(event("ties", tie=["singles", "singles", "doubles"]), teams(2, 4))
    assert [one.id for one in matches] == ["1-1-1", "1-1-2", "1-1-3"]
    home, away = team(matches[0].south), team(matches[0].north)
    assert [one.south for one in matches] == [(f"{home}a",), (f"{away}b",), (f"{home}c", f"{home}d")]
    assert matches[2].north == (f"{away}c", f"{away}d")


def test_who_has_too_few_for_the_doubles_plays_again():
    matches = make(event("ties"), teams(2, 3))
    assert {name[-1] for name in matches[2].south} == {"a", "b"}


@pytest.mark.parametrize(("count", "keys"), [(5, {}), (4, {}), (6, {"rounds": 3}), (5, {"rounds": 4})])
def test_every_team_meets_others_once(count, keys):
    drawn, them = event("ties", **keys), teams(count)
    matches, so_far = played_out(drawn, them, by_chance(count))
    met = Counter(frozenset((team(one.south), team(one.north))) for one in matches)
    rounds = keys.get("rounds", count - 1 + count % 2)
    assert set(met.values()) == {3}
    assert len(met) == rounds * (count // 2)
    table = tables(drawn, them, matches, so_far)[""]
    assert sum(one.won for one in table) == len(met)
    assert {one.name for one in table} == {f"T{number}" for number in range(1, count + 1)}


def test_a_tie_is_won_by_more_matches_and_its_rest_need_not_be_played():
    drawn, them = event("ties", rounds=1), teams(2)
    matches = written(drawn, make(drawn, them), them)
    both = [team(matches[0].south), team(matches[0].north)]
    results = rows({"id": "1-1-1", "winner": both[0]}, {"id": "1-1-2", "winner": f"{both[0]}b", "points_south": "9"})
    (first, second) = tables(drawn, them, matches, played(drawn, matches, them, results))[""]
    assert (first.name, first.values["matches"], first.values["games"], first.values["points"]) == (both[0], 1, 2, -9)
    assert (second.values["matches"], second.lost) == (0, 1)
    # Two draws and a third match decide nothing yet.
    results = rows({"id": "1-1-1", "winner": "draw"}, {"id": "1-1-2", "winner": "draw"})
    assert tables(drawn, them, matches, played(drawn, matches, them, results))[""][0].played == 0


def test_a_team_that_withdraws_meets_nobody_from_then_on():
    drawn, them = event("ties"), teams(4)
    matches = written(drawn, make(drawn, them), them)
    so_far = played(drawn, matches, them, [])
    gone = tuple(replace(one, left_open=one.club == "T2") for one in them)
    more = go_on(drawn, gone, matches, so_far)[len(matches) :]
    assert {one.round for one in more} == {"2"}
    assert len(more) == 3
    assert not any("T2" in (team(one.south), team(one.north)) for one in more)


def test_a_team_with_too_few_players_is_refused():
    with pytest.raises(DrawError) as error:
        make(event("ties"), (*teams(2), *(replace(one, club="T9", players=("X",), line=9) for one in teams(1, 1))))
    assert error.value.findings[0].line == 9
    assert "team 'T9' has 1 players, and a tie needs 2. Fix: name more" in error.value.findings[0].says


@pytest.mark.parametrize(("seed", "after"), [(0, 2), (1, 2), (2, 3), (3, 4), (4, 5)])
def test_a_team_that_leaves_keeps_nobody_from_meeting_all_others(seed, after):
    drawn, them = event("ties", seed), teams(5)
    matches = written(drawn, make(drawn, them), them)
    (rested,) = {one.club for one in them} - {team(side) for one in matches for side in one.sides}
    gone = tuple(replace(one, left_open=one.club == rested) for one in them)
    left, _ = played_out(drawn, them, by_chance(seed), between=lambda number: gone if number >= after else them)
    met = Counter(frozenset((team(one.south), team(one.north))) for one in left)
    others = {one.club for one in them} - {rested}
    assert {both for both in met if rested not in both} == {*map(frozenset, combinations(others, 2))}
    assert set(met.values()) == {3}
    assert sum(rested in both for both in met) == after - 2


def test_a_team_that_left_before_the_draw_is_not_in_the_circle():
    drawn = event("ties")
    them = tuple(replace(one, left_open=one.club == "T2") for one in teams(5))
    matches, _ = played_out(drawn, them, by_chance(1))
    assert {one.round for one in matches} == {"1", "2", "3"}


def test_teams_that_leave_one_after_the_other_change_no_round_of_the_others():
    drawn, them = event("ties", 2), tuple(replace(one, left_open=one.club == "T6") for one in teams(6))
    full, _ = played_out(drawn, them, by_chance(2))
    met = {team(side) for one in full if one.round == "1" for side in one.sides}
    gone = {*sorted(met)[:2], "T6"}
    left = tuple(replace(one, left_open=one.club in gone) for one in them)
    matches, _ = played_out(drawn, them, by_chance(2), between=lambda _: left)
    rounds = {frozenset((team(one.south), team(one.north))): one.round for one in full}
    found = {frozenset((team(one.south), team(one.north))): one.round for one in matches}
    assert found == {both: number for both, number in rounds.items() if number == "1" or not both & gone}


def test_ties_of_another_seed_are_not_gone_on_with():
    them = teams(6)
    matches = written(event("ties"), make(event("ties", 1), them), them)
    with pytest.raises(DrawError, match="not those of this seed"):
        go_on(event("ties", 2), them, matches, played(event("ties", 2), matches, them, []))
