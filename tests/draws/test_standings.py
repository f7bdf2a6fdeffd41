"""The order of a table: each tie-break parts whom those before it leave equal."""

from __future__ import annotations

from controller.draws.standings import Meeting, Ranked, table

FOUR = [Ranked("a", "A", seeding=2), Ranked("b", "B"), Ranked("c", "C", seeding=1), Ranked("d", "D")]


def order(places):
    return "".join(one.key for one in places)


def test_head_to_head_counts_matches_among_those_who_are_equal_alone():
    # a, b and c have two each; a has beaten b and lost to d, whom both others have beaten.
    meetings = [
        Meeting(("a", "b"), 0), Meeting(("c", "a"), 0), Meeting(("b", "c"), 0), Meeting(("d", "a"), 0),
        Meeting(("b", "d"), 0), Meeting(("c", "d"), 0), Meeting(("a", "e"), 0),
    ]  # fmt: skip
    places = table([*FOUR, Ranked("e", "E")], meetings, ("matches", "head_to_head", "lot"), 1)
    assert {one.key: one.values["head_to_head"] for one in places} == {"a": 1, "b": 1, "c": 1, "d": 0, "e": 0}
    assert {one.key: one.values["matches"] for one in places} == {"a": 2, "b": 2, "c": 2, "d": 1, "e": 0}
    meetings[0] = Meeting(("a", "b"), 1)
    places = table(FOUR, meetings[:6], ("matches", "head_to_head", "lot"), 1)
    # b has three; c two; a none, d one.
    assert order(places) == "bcda"


def test_the_better_seeded_is_first_and_nobody_without_a_seeding():
    assert order(table(FOUR, [], ("seeding", "lot"), 1))[:2] == "ca"


def test_the_lot_parts_those_who_are_equal_by_the_seed():
    orders = {order(table(FOUR, [], ("matches", "lot"), seed)) for seed in range(12)}
    assert len(orders) > 5
    assert [one.values["lot"] for one in table(FOUR, [], ("matches", "lot"), 3)] == [1, 2, 3, 4]


def test_a_draw_is_half_a_point_and_what_came_without_a_match_counts():
    meetings = [Meeting(("a", "b"), None)]
    places = table([*FOUR[:2], Ranked("c", "C", extra=2)], meetings, ("matches", "lot"), 1)
    assert {one.key: one.values["matches"] for one in places} == {"a": 0.5, "b": 0.5, "c": 1}
    assert [(one.played, one.won, one.drawn, one.lost) for one in places if one.key != "c"] == [(1, 0, 1, 0)] * 2
