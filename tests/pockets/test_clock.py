"""The clock's estimator: what it makes of round trips, and whether its error bar is honest."""

from __future__ import annotations

import random

import pytest

from controller.pockets.clock import KEPT, ClockAlignment, RoundTrip
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
    assert not clock.add(RoundTrip(10, 5, 1, 2))
    assert not clock.add(RoundTrip(5, 10, 2, 1))
    assert not clock.add(RoundTrip(0, 1_000, 0, 500_000))
    assert clock.trips == 0


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
