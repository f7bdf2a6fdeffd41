"""The Swiss system: nobody twice, one bye at most, and no pairing that is allowed is better."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.draws.ahead import Ahead, TiredError
from controller.draws.entries import entries_of
from controller.draws.findings import DrawError
from controller.draws.making import ends_early, go_on, make
from controller.draws.results import played
from controller.draws.swiss import Competitor, pair
from controller.draws.tables import tables
from tests.draws.drawn import by_chance, entries, event, played_out, rows, seeds_of_lots, written


def by_round(matches):
    found = {}
    for one in matches:
        found.setdefault(int(one.round), []).append((one.south[0], one.north[0]))
    return found


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 24), st.integers(1, 7), seeds_of_lots, st.booleans())
def test_nobody_meets_anybody_twice_and_everybody_rests_once_at_most(count, rounds, lots, apart):
    rounds = min(rounds, count - 1 + count % 2)
    drawn = event("swiss", lots, rounds=rounds, **({"apart": "club"} if apart else {}))
    them = entries(count, 0, "ab")
    matches, so_far = played_out(drawn, them, by_chance(lots, draws=True))
    drawn_rounds = by_round(matches)
    met = Counter(frozenset(both) for pairs in drawn_rounds.values() for both in pairs)
    names = {one.name for one in them}
    rests = Counter(name for pairs in drawn_rounds.values() for name in names.difference(*pairs))
    assert len(drawn_rounds) == rounds
    assert {len(pairs) for pairs in drawn_rounds.values()} == {count // 2}
    assert set(met.values()) == {1}
    assert set(rests.values()) <= {1}
    table = tables(drawn, them, matches, so_far)[""]
    assert sum(one.values["matches"] for one in table) == rounds * (count // 2) + sum(rests.values())
    assert [one.values["matches"] for one in table] == sorted((one.values["matches"] for one in table), reverse=True)


def all_pairings(them):
    if not them:
        yield []
        return
    first, *others = them
    for other in others:
        if other.key not in first.met:
            for more in all_pairings([one for one in others if one is not other]):
                yield [(first, other), *more]


def worth(pairs):
    """What counts, the heaviest first: pairs of different points, by how much, one club, breaks that pile up."""
    floats = [abs(one.points - other.points) for one, other in pairs]
    clubs = sum(one.club == other.club != "" for one, other in pairs)
    leads = [sorted((one.lead, other.lead)) for one, other in pairs]
    piled = sum(max(0, abs(low + 1) - 1) + max(0, abs(high - 1) - 1) for low, high in leads)
    return sum(map(bool, floats)), sum(floats), clubs, piled


@st.composite
def fields(draw: st.DrawFn):
    count = draw(st.integers(2, 4)) * 2
    rounds = draw(st.integers(1, 3))
    keys = [f"p{number}" for number in range(count)]
    met = {key: set() for key in keys}
    for _ in range(rounds):
        order = draw(st.permutations(keys))
        for one, other in zip(order[::2], order[1::2], strict=True):
            met[one].add(other)
            met[other].add(one)
    points = sorted((draw(st.integers(0, 2 * rounds)) for _ in keys), reverse=True)
    return [
        Competitor(
            key,
            points[rank],
            rank,
            draw(st.sampled_from(["", "a", "b"])),
            frozenset(met[key]),
            tuple(draw(st.lists(st.booleans(), min_size=rounds, max_size=rounds))),
        )
        for rank, key in enumerate(keys)
    ]


@settings(max_examples=60, deadline=None)
@given(fields())
def test_no_pairing_that_is_allowed_is_better(them):
    ways = [*all_pairings(them)]
    if not ways:
        assert pair(them, 3, 0, 1) is None
        return
    found = pair(them, 3, 0, 1)
    assert worth(found.pairs) == min(map(worth, ways))
    # Who had fewer first breaks has this one.
    assert all(south.lead <= north.lead for south, north in found.pairs)


def test_the_bye_goes_to_the_lowest_who_has_had_none():
    them = [Competitor(f"p{rank}", 4 - rank // 2, rank, had_bye=rank > 3) for rank in range(7)]
    assert pair(them, 3, 0, 1).bye == them[3]
    # The lowest whose rest leaves the others a pairing: p2 must play p3, as it has met all others.
    shut = [Competitor("p0", 2, 0), Competitor("p1", 2, 1), Competitor("p2", 0, 2, met=frozenset(("p0", "p1")))]
    assert pair(shut, 3, 0, 1).bye == shut[2]
    # Where only the highest can rest, as the others have met, he does.
    shut = [
        Competitor("p0", 2, 0),
        Competitor("p1", 2, 1, met=frozenset(("p2",))),
        Competitor("p2", 0, 2, had_bye=True),
    ]
    assert pair(shut, 3, 0, 1).bye == shut[1]


def test_the_upper_half_meets_the_lower_in_the_first_round():
    matches = make(event("swiss", rounds=3), entries(9, 9))
    assert [{one.south[0], one.north[0]} for one in matches] == [
        {"P1", "P5"}, {"P2", "P6"}, {"P3", "P7"}, {"P4", "P8"},
    ]  # fmt: skip


def test_one_club_does_not_meet_in_the_first_round_where_it_need_not():
    them = entries(8, 8, ["a", "b", "c", "d"])
    assert {frozenset((one.south[0], one.north[0])) for one in make(event("swiss", rounds=3), them)} == {
        frozenset((f"P{number}", f"P{number + 4}")) for number in range(1, 5)
    }
    clubs = {one.name: one.club for one in them}
    for one in make(event("swiss", rounds=3, apart="club"), them):
        assert clubs[one.south[0]] != clubs[one.north[0]]
        assert {one.south[0], one.north[0]} & {"P1", "P2", "P3", "P4"}


@pytest.mark.parametrize("seed", range(6))
def test_few_who_meet_often_are_never_stuck(seed):
    # Six who play all five rounds: after three, two threes who have met nobody of their own would be left.
    drawn, them = event("swiss", seed, rounds=5), entries(6)
    matches, _ = played_out(drawn, them, by_chance(seed))
    assert len({frozenset((one.south[0], one.north[0])) for one in matches}) == 15


def test_three_times_three_is_avoided_where_the_points_ask_for_it():
    # Two of p0, p1, p2 have met nobody of the other three yet; after this round two rounds are to follow.
    upper, lower = ("p0", "p1", "p2"), ("p3", "p4", "p5")
    pairs = {"p0": ("p3", "p4"), "p1": ("p4", "p5"), "p2": ("p5", "p3")}
    met = {key: {*others} for key, others in pairs.items()} | {
        other: {key for key, others in pairs.items() if other in others} for other in lower
    }
    points = {"p0": 8, "p5": 8, "p1": 6, "p3": 6, "p2": 4, "p4": 4}
    them = [Competitor(key, points[key], rank, met=frozenset(met[key])) for rank, key in enumerate(points)]
    alone = pair(them, 3, 0, 1)
    assert {frozenset((one.key, other.key)) for one, other in alone.pairs} == {
        frozenset(("p0", "p5")), frozenset(("p1", "p3")), frozenset(("p2", "p4")),
    }  # fmt: skip
    followed = pair(them, 3, 2, 1)
    assert any({one.key, other.key} <= {*upper} for one, other in followed.pairs)


def test_late_entries_have_the_points_that_the_event_gives_and_who_left_is_not_drawn():
    drawn = event("swiss", rounds=3, late_points=0.5)
    them = entries(6, 6, state={5: "late 2", 6: "late 3"})
    matches, so_far = played_out(drawn, them, by_chance(4), between=lambda _: them)
    rounds = by_round(matches)
    assert [len(pairs) for pairs in rounds.values()] == [2, 2, 3]
    assert not {"P5", "P6"} & {name for both in rounds[1] for name in both}
    table = {one.name: one for one in tables(drawn, them, matches, so_far)[""]}
    byes = 1 if not any("P5" in both for both in rounds[2]) else 0
    assert table["P5"].values["matches"] == table["P5"].won + byes + 0.5
    assert table["P6"].values["matches"] == table["P6"].won + 1.0
    left = entries(6, 6, state={1: "withdrawn", 5: "late 2", 6: "late 3"})
    matches, so_far = played_out(drawn, them, by_chance(4), between=lambda _: left)
    assert not any("P1" in both for number, pairs in by_round(matches).items() if number > 1 for both in pairs)
    assert next(one for one in tables(drawn, left, matches, so_far)[""] if one.name == "P1").played == 1


def test_who_has_no_match_and_no_state_is_asked_about():
    drawn = event("swiss", rounds=3)
    them = entries(4, 4)
    matches = written(drawn, make(drawn, them), them)
    results = rows(*({"id": one.id, "winner": one.south[0]} for one in matches))
    more = entries(6, 6)
    with pytest.raises(DrawError) as error:
        go_on(drawn, more, matches, played(drawn, matches, more, results))
    assert [(one.sheet, one.line) for one in error.value.findings] == [("entries", 6), ("entries", 7)]
    assert "write the state `late 2`" in error.value.findings[0].says


def test_a_round_waits_for_all_results_of_the_one_before():
    drawn, them = event("swiss", rounds=3), entries(6, 6)
    matches = written(drawn, make(drawn, them), them)
    so_far = played(drawn, matches, them, rows({"id": "1-2", "winner": "draw"}))
    with pytest.raises(DrawError, match="no result of 1-1, 1-3"):
        go_on(drawn, them, matches, so_far)


def test_buchholz_is_what_those_one_has_met_have():
    drawn, them = event("swiss", rounds=2, order=["matches", "buchholz"]), entries(4, 4)
    matches, so_far = played_out(drawn, them, lambda match: min(side[0] for side in match.sides))
    table = tables(drawn, them, matches, so_far)[""]
    assert [(one.name, one.values["matches"], one.values["buchholz"]) for one in table[:1]] == [("P1", 2, 2)]
    assert sorted((one.values["matches"], one.values["buchholz"]) for one in table) == [(0, 2), (1, 2), (1, 2), (2, 2)]


def test_an_event_that_so_many_have_left_ends_early():
    drawn, them = event("swiss", rounds=3), entries(4, 4)
    left = entries(4, 4, state={3: "withdrawn 3", 4: "withdrawn 3"})
    matches, _ = played_out(drawn, them, lambda match: min(side[0] for side in match.sides), lambda _: left)
    met = {frozenset((one.south[0], one.north[0])) for one in matches}
    assert (frozenset(("P1", "P2")) in met) == (ends_early(drawn, matches))
    assert ends_early(drawn, matches)


def test_who_had_the_last_break_leaves_this_one_to_the_other():
    for seed in range(8):
        one = Competitor("p0", 2, 0, breaks=(False, True))
        other = Competitor("p1", 2, 1, breaks=(True, False))
        assert pair([one, other], 3, 0, seed).pairs == ((other, one),)


def test_the_order_is_by_seeding_then_rating():
    listed = [{"name": f"P{n}", "rating": str(n * 100), "seeding": "1" if n == 2 else ""} for n in range(1, 9)]
    matches = make(event("swiss", rounds=2), entries_of(rows(*listed)))
    assert [{one.south[0], one.north[0]} for one in matches] == [
        {"P2", "P5"}, {"P8", "P4"}, {"P7", "P3"}, {"P6", "P1"},
    ]  # fmt: skip


def test_who_looks_ahead_lets_nobody_rest_twice():
    met = {"a": {"b"}, "b": {"a", "c"}, "c": {"b"}}
    assert Ahead().possible(met, set(), 1)
    assert not Ahead().possible(met, {"b"}, 1)
    assert not Ahead().possible(met, set(), 2)
    with pytest.raises(TiredError):
        Ahead(2).possible({str(number): set() for number in range(8)}, set(), 1)


@pytest.mark.parametrize("seed", range(4))
def test_an_odd_number_plays_as_many_rounds_as_there_are_without_a_second_rest(seed):
    drawn, them = event("swiss", seed, rounds=7), entries(7)
    matches, _ = played_out(drawn, them, by_chance(seed))
    assert sorted(by_round(matches)) == [*range(1, 8)]
    assert len({frozenset((one.south[0], one.north[0])) for one in matches}) == 21
