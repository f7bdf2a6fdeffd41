"""Ratings from matches: who is stronger, how surely, and what does not count; the strong are ahead of the weak."""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from time import process_time

import pytest

from controller.events.doors import name_key
from controller.hub import season
from controller.hub.rating import NEWCOMER_POINTS, SURE_POINTS, UNSURE_POINTS, rated_standings, ratings
from controller.hub.season import FORGOTTEN, Kept
from tests.hub.seasons import ended, filled, heard

NAMES = [f"Player {number:02}" for number in range(30)]


def kept(*results):
    return [Kept("t1", heard(one)) for one in results]


def played(seed, count, names=NAMES, drawn=0.05, pairs=0.3):
    """A season of players whose strengths are known, some of whom come four times as often; the strengths, by name."""
    chance = random.Random(seed)
    strengths = {name: chance.gauss(0, UNSURE_POINTS) for name in names}
    comes = [chance.uniform(1, 4) for _ in names]
    results = []
    for number in range(count):
        wanted, seats = 4 if chance.random() < pairs else 2, []
        while len(seats) < wanted:
            seats += {chance.choices(names, comes)[0]}.difference(seats)
        south, north = seats[::2], seats[1::2]
        more = sum(strengths[one] for one in south) - sum(strengths[one] for one in north)
        winner = "south" if chance.random() < 1 / (1 + 10 ** (-more / 400)) else "north"
        winner = None if chance.random() < drawn else winner
        results.append(ended(f"m{number}", south, north, (25, 3), winner=winner, day=number / 10))
    return kept(*results), strengths


def agreement(one, other):
    """Spearman's, of two dictionaries' values."""
    orders = [sorted(one, key=one.get), sorted(one, key=other.get)]
    places = [{name: place for place, name in enumerate(order)} for order in orders]
    n = len(one)
    return 1 - 6 * sum((places[0][name] - places[1][name]) ** 2 for name in one) / (n * (n * n - 1))


@pytest.mark.parametrize("seed", range(5))
def test_the_strong_are_ahead_of_the_weak_and_more_so_than_in_the_standings(seed):
    matches, strengths = played(seed, 1000)
    found = {one["player"]: one for one in rated_standings(matches)}
    rated = agreement(strengths, {name: one["rating"]["shown"] for name, one in found.items()})
    placed = agreement(strengths, {name: -one["place"] for name, one in found.items()})
    assert rated > max(0.9, placed)


def test_the_error_is_as_small_as_the_uncertainty_says():
    within = []
    for seed in range(5):
        matches, strengths = played(seed, 400)
        found = ratings(matches)
        rated = [(found[name_key(name)], strength) for name, strength in strengths.items()]
        middle = sum(one.mean - strength for one, strength in rated) / len(rated)
        within += [abs(one.mean - strength - middle) < 2 * one.uncertainty for one, strength in rated]
    assert sum(within) / len(within) >= 0.95


def test_who_beats_the_strong_is_ahead_of_who_beats_the_weak():
    chain = [ended(f"m{n}", "Strong", "Weak", (25, 3), day=n) for n in range(10)]
    found = ratings(
        kept(*chain, ended("a", "Asha", "Strong", (25, 3), day=20), ended("b", "Ben", "Weak", (25, 3), day=21))
    )
    assert found["asha"].shown > found["ben"].shown > NEWCOMER_POINTS


def test_the_order_in_which_matches_came_and_the_table_that_told_them_change_nothing():
    matches, _strengths = played(1, 60)
    at_once = [
        replace(one, result=one.result.model_copy(update={"end": one.result.end // 1e5 * 1e5})) for one in matches
    ]
    for some in (matches, at_once):
        mixed = [replace(one, table=f"t{number}") for number, one in enumerate(some)]
        random.Random(2).shuffle(mixed)
        assert ratings(mixed) == ratings(some)
    assert ratings(matches) != ratings(replace_ends(matches)), "which was played first matters"


def replace_ends(matches):
    """The same matches, the last played first."""
    ends = [one.result.end for one in matches]
    backwards = zip(matches, reversed(ends), strict=True)
    return [replace(one, result=one.result.model_copy(update={"end": end})) for one, end in backwards]


def test_a_pair_is_as_strong_as_both_together_and_wins_and_loses_together():
    strong = [ended(f"m{n}", "Asha", "Ben", (25, 3), day=n) for n in range(10)]
    even = ratings(kept(ended("p", ("Chi", "Dev"), ("Ela", "Fay"), (25, 3))))
    with_asha = ratings(kept(*strong, ended("p", ("Chi", "Asha"), ("Ela", "Fay"), (25, 3), day=20)))
    assert even["chi"] == even["dev"]
    assert even["chi"].shown > NEWCOMER_POINTS > even["ela"].shown == even["fay"].shown
    assert NEWCOMER_POINTS < with_asha["chi"].shown < even["chi"].shown, "with her it was to be expected"
    alone = ratings(kept(ended("s", "Chi", ("Ela", "Fay"), (25, 3))))
    assert alone["chi"].shown > NEWCOMER_POINTS > alone["ela"].shown, "one against two"


def test_a_draw_moves_nobody_who_is_level_and_brings_together_who_is_not():
    level = ratings(kept(ended("d", "Asha", "Ben", (9, 9), winner=None)))
    newcomer = NEWCOMER_POINTS + 3 * UNSURE_POINTS
    assert (level["asha"], level["asha"].mean) == (level["ben"], newcomer)
    assert level["asha"].uncertainty < UNSURE_POINTS
    won = [ended(f"m{n}", "Asha", "Ben", (25, 3), day=n) for n in range(5)]
    before = ratings(kept(*won))
    after = ratings(kept(*won, ended("d", "Asha", "Ben", (9, 9), winner=None, day=9)))
    swapped = ratings(kept(*won, ended("d", "Ben", "Asha", (9, 9), winner=None, day=9)))
    assert before["asha"].mean > after["asha"].mean > newcomer > after["ben"].mean > before["ben"].mean
    assert after == swapped


@pytest.mark.parametrize("how", ["forfeit", "concede", "disqualify"])
def test_a_match_that_was_given_changes_no_rating_but_a_game_does_not_take_the_match_away(how):
    won = ended("m1", "Asha", "Ben", (25, 3))
    given = ended("m2", "Asha", "Chi", (25, 3), day=1, given="north")
    given = replace(given, given=(replace(given.given[0], how=how),))
    found = rated_standings(kept(won, given))
    assert ratings(kept(won, given)) == ratings(kept(won))
    assert [(one["player"], one["given"], one["rating"] is None) for one in found] == [
        ("Asha", 0, False), ("Ben", 0, False), ("Chi", 1, True),
    ]  # fmt: skip
    a_game = replace(given, given=(replace(given.given[0], of="game"),))
    assert "chi" in ratings(kept(won, a_game))


def test_a_match_that_does_not_count_changes_no_rating(tmp_path):
    matches = filled(tmp_path / "s.sqlite").matches()
    assert sorted(ratings(matches)) == sorted(map(name_key, ["Asha Rao", "Ben Kim", "आशा"]))
    assert ratings(matches) == ratings(matches[:3]), "one was given, and in one the seats have no names"


def test_a_rating_is_provisional_until_its_uncertainty_is_half_of_a_newcomers():
    matches, _strengths = played(3, 400)
    told = [ratings(matches[:count]) for count in range(0, 400, 40)]
    assert all(one.provisional == (one.uncertainty > SURE_POINTS) for found in told for one in found.values())
    assert [all(one.provisional for one in found.values()) for found in told[1:3]] == [True, True]
    assert not all(one.provisional for one in told[-1].values())
    assert SURE_POINTS == UNSURE_POINTS / 2


def forgotten(matches, *names):
    """The matches as they are once these were forgotten."""
    for name in names:
        matches = [replace(one, result=season.without(one.result, {name_key(name)})) for one in matches]
    return matches


def test_who_is_forgotten_has_no_rating_and_the_others_keep_theirs():
    matches, _strengths = played(4, 300)
    before, after = ratings(matches), ratings(forgotten(matches, NAMES[3]))
    assert before.keys() - after.keys() == {name_key(NAMES[3])}
    assert {key: one for key, one in before.items() if key in after} == after
    assert FORGOTTEN not in str(rated_standings(forgotten(matches, NAMES[3])))


def test_several_who_are_forgotten_are_one_and_move_the_others_by_less_than_they_are_uncertain():
    matches, _strengths = played(4, 300)
    before, after = ratings(matches), ratings(forgotten(matches, *NAMES[3:6]))
    assert len(after) == len(before) - 3
    assert max(abs(one.mean - before[key].mean) / one.uncertainty for key, one in after.items()) < 1
    among = kept(ended("m1", FORGOTTEN, FORGOTTEN, (25, 0)), ended("m2", "Asha", FORGOTTEN, (25, 0), day=1))
    assert ratings(among) == ratings(among[1:])


def test_a_long_seasons_ratings_are_reckoned_within_a_second():
    matches, _strengths = played(5, 1000)
    before = process_time()
    ratings(matches * 5)
    assert process_time() - before < 1.0


@pytest.mark.live
def test_a_table_and_a_hub_start_without_the_library():
    starts = "import sys, controller.table.process, controller.commands.run, controller.commands.hub"
    done = subprocess.run(
        [sys.executable, "-c", f"{starts}; sys.exit('openskill' in sys.modules)"], cwd=Path(__file__).parents[2]
    )
    assert done.returncode == 0
