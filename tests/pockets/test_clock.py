"""The clock's estimator: what it makes of round trips, and whether its error bar is honest."""

from __future__ import annotations

import random
from dataclasses import replace
from math import exp

import pytest

from controller.pockets.clock import KEPT, ClockAlignment, RoundTrip, Taken
from tests.pockets.pair import MS, SECOND, Pair, Wire, busy, idle


def trip(us: int, ppm: float, out_ns: int, back_ns: int) -> RoundTrip:
    """A trip to a node whose clock began at host time 5 s."""
    taken = 5 * SECOND + round(us * 1000 / (1 + ppm * 1e-6))
    answered = 5 * SECOND + round((us + 700) * 1000 / (1 + ppm * 1e-6))
    return RoundTrip(taken - out_ns, answered + back_ns, us, us + 700)


@pytest.mark.clause("node-19")
@pytest.mark.parametrize("ppm", [-5000, -60, 0, 60, 5000])
def test_even_trips_give_the_line_itself(ppm):
    clock = ClockAlignment()
    for number in range(40):
        clock.add(trip(1_000_000 + number * 983_900, ppm, 2 * MS, 2 * MS))
    assert clock.rate_ppm == pytest.approx(ppm, abs=0.1 + abs(ppm) * 0.006)
    for us in (1_000_000, 20_000_000, 40_000_000):
        t_ns, u_ns = clock.to_host(us)
        assert abs(t_ns - 5 * SECOND - us * 1000 / (1 + ppm * 1e-6)) < 3_000
        assert u_ns < MS


@pytest.mark.clause("node-19")
def test_late_trips_do_not_move_it():
    rng = random.Random(1)
    clock = ClockAlignment()
    for number in range(KEPT):
        late = 30 * MS if number % 4 else 0
        clock.add(trip(number * 983_900, 40, 2 * MS, 2 * MS + late + rng.randrange(20_000)))
    t_ns, _ = clock.to_host(60_000_000)
    assert abs(t_ns - 5 * SECOND - 60_000_000_000 / (1 + 40e-6)) < 60_000


def test_one_trip_is_enough_to_say_how_little_is_known():
    clock = ClockAlignment()
    with pytest.raises(ValueError, match="not aligned"):
        clock.to_host(5)
    clock.add(trip(1_000_000, 0, 2 * MS, 2 * MS))
    _, near = clock.to_host(1_000_000)
    _, far = clock.to_host(61_000_000)
    assert near < MS
    assert far > 100 * MS


def test_a_trip_that_contradicts_itself_is_refused():
    clock = ClockAlignment()
    for impossible in (RoundTrip(10, 5, 1, 2), RoundTrip(5, 10, 2, 1), RoundTrip(0, 1_000, 0, 500_000)):
        assert clock.add(impossible) is Taken.REFUSED
    assert clock.trips == 0


STEPS_US = (-5_000_000, -100_000, 100_000, 5_000_000, 3_600_000_000)


@pytest.mark.parametrize("step_us", STEPS_US)
def test_two_trips_that_the_line_misses_end_it_and_each_instant_keeps_its_own(step_us):
    clock = ClockAlignment()
    for number in range(20):
        clock.add(trip(60_000_000 + number * 983_900, 40, MS, MS))
    before_us, since_us = 79_000_000, 80_000_000
    came, _ = clock.to_host(since_us)
    one, other = (after(trip(since_us + pause, 40, MS, MS), step_us) for pause in (0, 50_000))
    assert clock.add(one) is Taken.MISSED
    assert clock.is_doubted
    assert clock.add(other) is Taken.STEPPED
    assert not clock.is_doubted
    assert clock.step.size_ns == pytest.approx(step_us * 1000, rel=0.01)
    assert clock.step.from_ns < came < clock.step.until_ns
    assert clock.to_host(since_us + step_us, came + 2 * MS)[0] == pytest.approx(came, abs=MS)
    if abs(step_us) > 1_000_000:  # a smaller one leaves open which side an instant is of
        assert clock.to_host(before_us, came)[0] == pytest.approx(came - SECOND, abs=MS)


def after(trip: RoundTrip, step_us: int) -> RoundTrip:
    return replace(trip, taken_us=trip.taken_us + step_us, answered_us=trip.answered_us + step_us)


def test_one_trip_beside_the_line_is_damage_and_a_clock_that_warms_up_is_none():
    clock = ClockAlignment()
    for number in range(3 * KEPT):
        warm_ppm = 20 * (1 - exp(-number / 60))
        found = clock.add(trip(1_000_000 + number * 983_900, warm_ppm, MS, MS))
        assert found is Taken.AGREED
        if number % 10 == 9:
            assert clock.add(after(trip(1_400_000 + number * 983_900, warm_ppm, MS, MS), 7_000_000)) is Taken.MISSED


@pytest.mark.clause("node-18")
@pytest.mark.parametrize(("host", "ppm"), [(idle, 5000.0), (busy, -5000.0), (busy, 60.0)])
def test_edges_are_stamped_within_half_a_millisecond_on_a_busy_host(host, ppm):
    pair = Pair(seed=3, ppm=ppm, wire=Wire(host=host))
    pair.open()
    pair.settle()
    pair.run(30)
    rng = random.Random(4)
    at = pair.now
    for _ in range(400):
        at += rng.randint(10 * MS, 150 * MS)
        pair.edge(at, rng.randrange(8))
    pair.run_until(at + 2 * SECOND)
    errors = [abs(edge.t_ns - t) for edge, (t, _, _) in zip(pair.edges, pair.truth, strict=True)]
    assert max(errors) < MS // 2
    inside = sum(error <= 2 * edge.u_ns for error, edge in zip(errors, pair.edges, strict=True))
    assert inside >= 0.95 * len(errors)


def test_stamps_never_go_back():
    pair = Pair(seed=6, ppm=200, wire=Wire(host=busy))
    pair.open()
    pair.settle()
    at = pair.now
    for number in range(2000):
        at += 3 * MS
        pair.edge(at, number % 8)
    pair.run_until(at + SECOND)
    stamps = [edge.t_ns for edge in pair.edges]
    assert stamps == sorted(stamps)
