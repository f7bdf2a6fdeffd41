"""The shipped .hex on a simulated ATmega328P, read by the real driver through pyserial. Short; the bench is long."""

from __future__ import annotations

import random

import pytest

from controller.events.beams import BeamEdge
from tests.firmware.rig import Change, Rig, bursts, compare, sensor_of

pytestmark = pytest.mark.live


@pytest.fixture
def rig(tmp_path):
    with Rig(tmp_path) as rig:
        yield rig


@pytest.mark.clause("node-11")
@pytest.mark.clause("node-14")
def test_bursts_arrive_once_in_order_and_on_time(rig):
    rig.ready()
    for change in bursts(random.Random(1), 1200, rig.us + 50_000, (15_000, 60_000)):
        rig.change(change.us, change.sensor, change.blocked)
    assert rig.until(lambda: len(rig.saved) >= len(rig.changes), 60)
    rig.run(1_200_000)
    found = compare(rig.changes, rig.saved)
    assert found.wrong_level == 0
    assert found.out_of_order == 0
    assert found.worst_us <= 8
    assert [edge.seq for edge in rig.saved] == list(range(len(rig.changes)))
    assert rig.gaps == []


@pytest.mark.clause("node-12")
def test_a_poor_line_costs_time_but_no_edge(rig):
    rig.ready()
    rig.node.faults(1000, seed=2)
    rng = random.Random(2)
    at, level = rig.us, [False] * 8
    for _ in range(300):
        at += rng.randint(60_000, 140_000)
        sensor = rng.randrange(8)
        level[sensor] = not level[sensor]
        rig.change(at, sensor, level[sensor])
    assert rig.until(lambda: len(rig.saved) >= len(rig.changes), 120)
    assert compare(rig.changes, rig.saved).wrong_level == 0
    assert rig.gaps == []
    assert rig.source.link.bad > 0


def test_a_bad_line_and_bursts_still_no_gap(rig):
    rig.ready()
    rig.node.faults(10_000, seed=3)
    for change in bursts(random.Random(3), 80, rig.us, (4_000_000, 4_000_000)):
        rig.change(change.us, change.sensor, change.blocked)
    assert rig.until(lambda: len(rig.saved) >= len(rig.changes), 120)
    assert compare(rig.changes, rig.saved).wrong_level == 0
    assert rig.gaps == []
    assert rig.source.report().damaged > rig.source.link.bad, "what the chip could not read counts as well"


@pytest.mark.clause("node-15")
def test_overload_is_told_to_the_edge(rig):
    rig.ready()
    at, level = rig.us + 20_000, False
    for number in range(1600):
        level = number % 2 == 0
        for sensor in range(8):
            rig.change(at, sensor, level)
        at += 150
    rig.run(1_000_000)
    assert rig.until(lambda: len(rig.saved) + sum(gap.lost for gap in rig.gaps) >= len(rig.changes), 30)
    rig.run(1_000_000)
    assert sum(gap.lost for gap in rig.gaps) > 0
    assert len(rig.saved) + sum(gap.lost for gap in rig.gaps) == len(rig.changes)
    numbers = [edge.seq for edge in rig.saved]
    assert numbers == sorted(set(numbers))
    # and afterwards all is as before
    was = len(rig.saved)
    rig.change(rig.us + 10_000, 3, not level)
    assert rig.until(lambda: len(rig.saved) > was, 5)
    assert sensor_of(rig.saved[-1]) == 3


@pytest.mark.clause("node-6")
@pytest.mark.clause("node-16")
def test_a_reset_in_the_middle_is_a_new_boot_and_nothing_is_doubled_or_hidden(rig):
    rig.ready()
    for number in range(6):
        rig.change(rig.us + 10_000 + number * 5_000, 0, number % 2 == 0)
    assert rig.until(lambda: len(rig.saved) == 6, 5)
    rig.run(300_000)
    # The line is busy with these eight, some 15 ms of it, when the chip is reset.
    lost_at = rig.us + 1_000
    for sensor in range(8):
        rig.node.pin(lost_at + sensor * 200, sensor, True)
    rig.run(5_000)
    rig.node.reset()
    assert rig.until(lambda: rig.source.report().restarts == 1, 20)
    assert rig.until(lambda: rig.source.report().link == "running", 20)
    was = len(rig.saved)
    rig.node.pin(rig.us + 20_000, 5, False)
    assert rig.until(lambda: len(rig.saved) > was, 5)
    first, second = dict.fromkeys(edge.boot for edge in rig.saved)
    assert len({(edge.boot, edge.seq) for edge in rig.saved}) == len(rig.saved)
    numbers = [edge.seq for edge in rig.saved if edge.boot == first]
    assert numbers == list(range(len(numbers)))
    assert [(edge.seq, sensor_of(edge)) for edge in rig.saved if edge.boot == second] == [(0, 5)]
    (gap,) = rig.gaps
    assert "restarted (line)" in gap.why
    assert gap.boot == second
    assert gap.from_ns <= lost_at * 1000 + 2_000_000
    assert gap.t_ns >= lost_at * 1000


def test_a_program_that_hangs_is_started_anew(rig):
    rig.ready()
    rig.node.hang()
    rig.run(1_100_000)
    rig.node.hang()
    assert rig.until(lambda: rig.source.report().restarts == 1, 20)
    assert "restarted (dog)" in rig.gaps[0].why


@pytest.mark.clause("node-23")
def test_settings_survive_a_restart(rig):
    rig.ready()
    assert rig.source.link.node.beams == 0xFF
    rig.source.send("set", polarity=0x81, stuck_s=5)
    assert rig.until(lambda: rig.source.link.settings is not None, 2)
    rig.run(300_000)
    rig.node.reset()
    assert rig.until(lambda: rig.source.report().restarts == 1, 20)
    assert rig.until(lambda: rig.source.report().link == "running", 20)
    rig.source.link.settings = None
    rig.source.send("get")
    assert rig.until(lambda: rig.source.link.settings is not None, 2)
    kept = rig.source.link.settings
    assert (kept["polarity"], kept["stuck_s"], kept["kept"]) == (0x81, 5, 1)
    rig.run(600_000)
    assert rig.source.link.sensors.levels == 0x81


@pytest.mark.clause("node-24")
def test_a_masked_beam_is_not_heard(rig):
    rig.ready()
    rig.source.send("mask", use=0xFE)
    rig.run(100_000)
    rig.node.pin(rig.us + 1000, 0, True)
    rig.change(rig.us + 2000, 1, True)
    assert rig.until(lambda: len(rig.saved) == 1, 5)
    assert sensor_of(rig.saved[0]) == 1


def test_it_fits_the_chip(rig):
    rig.ready()
    for change in bursts(random.Random(9), 400, rig.us + 50_000, (3_000, 5_000)):
        rig.change(change.us, change.sensor, change.blocked)
    rig.run(2_500_000)
    assert rig.node.stat()["ram"] < 1536


def test_the_truth_would_notice(rig):
    """The comparison itself can fail: a doubled, a missing and a swapped edge are seen."""
    changes = [Change(1000, 0, True), Change(2000, 0, False), Change(3000, 1, True)]
    edges = [
        BeamEdge(0, "NE", "upper", True, "x", 0, node_us=500),
        BeamEdge(0, "NE", "upper", False, "x", 1, node_us=1500),
        BeamEdge(0, "NE", "lower", True, "x", 2, node_us=2520),
    ]
    assert compare(changes, edges).worst_us == 20
    assert compare(changes, [edges[2], edges[0], edges[1]]).out_of_order == 2
    with pytest.raises(AssertionError):
        compare(changes, edges[:2])
    with pytest.raises(IndexError):
        compare(changes, [*edges, edges[0]])
