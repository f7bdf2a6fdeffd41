"""The bench's simulated day: every match is played once, nobody sits at two tables, every question is answered."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.bench.simulated_day import COME_S, LOOK_S, PAGE_S, PLAYERS, ROUNDS, Day, Way, drawn

pytestmark = pytest.mark.long


@pytest.mark.parametrize("way", [Way("page", page=True), Way("walks", 2), Way("nearest", nearest=True)])
@pytest.mark.parametrize("timely", [True, False])
def test_a_day_is_played_to_its_end_and_every_question_is_answered_once(way: Way, timely: bool) -> None:
    day, draw = Day(3, 1.0, way, timely=timely), drawn(3, 1.0)
    assert sorted(one.info.match for one in day.played) == sorted(one.info.match for one in draw)
    assert sorted(day.waits) == [*range(1, sum(len(one.asks) for one in draw) + 1)]
    assert min(day.waits.values()) >= (PAGE_S if way.page else LOOK_S)[0]
    if way.page:
        assert [*day.waits] == sorted(day.waits), "the oldest question is answered first"
    assert (day.twice, day.missed) == (0, 0)
    assert len(day.free_s) == len(draw)
    assert min(day.free_s) >= 0.0
    for one in day.played:
        assert one.began_s >= (one.at_s if timely else COME_S[0])
        assert one.ended_s == pytest.approx(one.began_s + one.strokes[-1])


def test_nobody_plays_at_two_tables_and_no_table_has_two_matches() -> None:
    day = Day(4, 0.2, Way("walks"), timely=False)
    hours: dict[str, list[tuple[float, float]]] = {}
    for one in day.played:
        for who in (*one.people, one.info.table):
            hours.setdefault(who, []).append((one.began_s, one.ended_s))
    assert [len(played) for played in hours.values()] == [ROUNDS] * (PLAYERS + PLAYERS // 2)
    assert all(before[1] < after[0] for played in hours.values() for before, after in pairwise(sorted(played)))


def test_the_same_seed_is_the_same_day_and_a_higher_rate_asks_more() -> None:
    way = Way("page", page=True)
    days = [Day(5, rate, way, timely=False) for rate in (0.2, 0.2, 1.0)]
    assert days[0].waits == days[1].waits
    assert [one.strokes for one in drawn(5, 0.2)] == [one.strokes for one in drawn(5, 1.0)]
    assert days[2].asked > 3 * days[0].asked
