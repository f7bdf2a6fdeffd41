"""Ties of teams: line-ups, breaks in turn, rounds for all, and who has won."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

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
