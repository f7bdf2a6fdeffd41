"""A node that starts anew, drops out, or has a clock that steps: what is told of it, and what its edges are worth."""

from __future__ import annotations

import random

import pytest

from controller.events.beams import BeamHealth
from tests.pockets.pair import MS, SECOND, Pair, running
from tests.pockets.test_clock import STEPS_US


def restarted(pair: Pair, *seconds: float) -> None:
    """Lets the node start anew after each of these."""
    for boot, wait in enumerate(seconds, int(pair.core.boot, 16) + 1):
        pair.run(wait)
        pair.restart(boot=boot, reset="brown")


@pytest.mark.parametrize("every_s", [0.3, 1, 5, 29])
def test_a_node_that_keeps_restarting_is_never_up_and_said_in_one_line_that_stays(every_s):
    pair = running()
    restarted(pair, *[every_s] * 12)
    assert pair.health.link == "restarting"
    first = next(at for at, event in enumerate(pair.events) if health_of(event) == "restarting")
    told = [event for event in pair.events[first:] if isinstance(event, BeamHealth)]
    says = " restarting: its voltage drops too low. Fix: a shorter USB cable, a powered hub or a supply of its own"
    kept = [event for event in told if event.says == f"pocket node 00c0ffee keeps{says}"]
    assert told[-len(kept) :] == kept
    assert {event.link for event in kept} == {"restarting"}
    assert len({event.t_ns for event in told if event.link == "up"}) * 0.25 <= every_s, "only once was it believed"


def health_of(event: object) -> str:
    return event.link if isinstance(event, BeamHealth) else ""


def test_a_restart_is_said_until_the_node_runs_and_one_that_bounces_is_one():
    pair = running()
    restarted(pair, 60, 0.2, 0.2)
    assert pair.health.link == "restarting"
    says = pair.health.says
    assert says.startswith("pocket node 00c0ffee restarted: its voltage drops too low. Fix:")
    pair.run(3)
    assert (pair.health.link, pair.health.says) == ("up", says), "a plug that was pushed home"
    pair.run(60)
    assert (pair.health.link, pair.health.says) == ("up", "")


def test_a_node_that_runs_on_after_it_kept_restarting_is_up_again():
    pair = running()
    restarted(pair, 5, 5)
    pair.run(59)
    assert pair.health.link == "restarting"
    pair.run(2)
    assert (pair.health.link, pair.health.says) == ("up", "")
    restarted(pair, 60)
    pair.run(5)
    assert pair.health.link == "up", "one restart is no fault"


def test_a_cable_that_drops_out_again_and_again_is_no_link_to_rely_on():
    pair = running()
    for _ in range(2):
        pair.run(2)
        pair._take(pair.link.closed(pair.now))
        pair.run(1)
        pair.open()
        pair.settle()
    pair.run(1)
    assert pair.health.link == "restarting"
    assert "its cable drops out" in pair.health.says
    pair._take(pair.link.closed(pair.now))
    assert pair.health.link == "restarting", "it has just been there"
    pair.run(61)
    assert pair.health.link == "down", "pulled for good"


@pytest.mark.clause("node-25")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("step_us", STEPS_US)
def test_a_clock_that_steps_stamps_no_edge_wrong_and_none_is_lost(step_us, seed):
    pair = Pair(seed=seed, ppm=40, wander=lambda span: (span > 70 * SECOND) * step_us * 1000)
    pair.open()
    pair.settle()
    pair.run(62)
    pair.run_until(pair.scatter(60, 20, 400, seed) + 3 * SECOND)
    assert pair.came() == pair.went()
    errors = [abs(edge.t_ns - t) for edge, (t, _, _) in zip(pair.edges, pair.truth, strict=True)]
    (gap,) = pair.gaps
    unsure = [error for error, (t, _, _) in zip(errors, pair.truth, strict=True) if gap.from_ns <= t <= gap.t_ns]
    assert max(error for error in errors if error not in unsure) < 6 * MS
    assert max(unsure, default=0) < abs(step_us) * 1100
    assert gap.from_ns < pair.boot_ns + 70 * SECOND < gap.t_ns
    assert gap.t_ns - gap.from_ns < 1.2 * SECOND
    assert {event.says for event in pair.events if health_of(event) == "restarting"} == {pair.health.says}
    size = pair.health.says.removeprefix("pocket node 00c0ffee: its clock stepped by ").removesuffix(" s")
    assert float(size) == pytest.approx(step_us / 1e6, rel=1e-4)
    assert pair.health.link == "up"


@pytest.mark.clause("node-25")
@pytest.mark.parametrize(
    "lies",
    [
        lambda span: (span // (2 * SECOND) % 2) * 3600 * SECOND,
        lambda span: -(span - 7 * SECOND) * 0.9,
        lambda span: random.Random(span).uniform(-1, 1) * SECOND,
    ],
    ids=["there and back", "at a crawl", "at random"],
)
def test_a_clock_that_never_runs_evenly_is_no_node_to_rely_on(lies):
    pair = Pair(wander=lambda span: lies(span) if span > 7 * SECOND else 0)
    pair.open()
    pair.settle()
    pair.run(6)
    for number in range(40):
        pair.edge(pair.now + number * 200 * MS, number % 8)
    since = pair.now
    pair.run(20)
    up = [event for event in pair.events if health_of(event) == "up" and event.t_ns > since + 4 * SECOND]
    assert up == []
    assert pair.health.link != "up"
    wrong = [edge for edge in pair.edges if min(abs(edge.t_ns - t) for t, _, _ in pair.truth) > 60 * MS]
    assert wrong == []
