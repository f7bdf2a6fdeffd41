"""What beams' edges mean, and what is wrong with the beams themselves."""

from __future__ import annotations

import pytest

from controller.events.beams import BeamEdge, BeamGap, BeamHealth
from controller.pockets.beam_map import beam_map
from controller.pockets.beam_watch import BeamWatch
from controller.pockets.pulses import MS, Pulses

ONE_EACH = beam_map({"NE": 0, "NW": 1, "SE": 2, "SW": 3})


def edge(t_ms: float, beam: str, blocked: bool, pocket: str = "NE") -> BeamEdge:
    return BeamEdge(round(t_ms * MS), pocket, beam, blocked, "a", 0, 0, round(t_ms * 1000))


def passed(*edges: BeamEdge):
    pulses = Pulses()
    done = [passage for each in edges for passage in pulses.edge(each)]
    return done + list(pulses.until(edges[-1].t_ns + 1000 * MS))


FALL = (edge(100, "upper", True), edge(108, "lower", True), edge(112, "upper", False), edge(120, "lower", False))


@pytest.mark.parametrize(
    ("edges", "direction"),
    [
        (FALL, "in"),
        ((edge(0, "lower", True), edge(9, "upper", True), edge(14, "lower", False), edge(20, "upper", False)), "out"),
        ((edge(0, "upper", True), edge(9, "lower", True), edge(40, "lower", False), edge(450, "upper", False)), "hand"),
        ((edge(0, "upper", True), edge(12, "upper", False)), "unknown"),
        ((edge(0, "upper", True), edge(10, "upper", False), edge(60, "lower", True), edge(75, "lower", False)), "in"),
    ],
)  # fmt: skip
def test_two_heights_tell_which_way_it_went(edges, direction):
    (passage,) = passed(*edges)
    assert passage.direction == direction
    assert passage.t_ns == edges[0].t_ns


def test_a_hand_is_longer_than_anything_that_falls():
    assert passed(edge(0, "upper", True), edge(150, "upper", False))[0].direction == "unknown"
    assert passed(edge(0, "upper", True), edge(151, "upper", False))[0].direction == "hand"


def test_two_pieces_within_a_few_milliseconds_are_one_pulse_and_it_says_so_by_its_evidence():
    (passage,) = passed(*FALL)
    assert [pulse.width_ns for pulse in passage.pulses] == [12 * MS, 12 * MS]


def test_what_is_shorter_than_half_a_millisecond_is_noise():
    assert passed(edge(0, "upper", True), edge(0.4, "upper", False)) == []


def test_pockets_do_not_mix():
    passages = passed(*FALL, edge(121, "upper", True, "SW"), edge(133, "upper", False, "SW"))
    assert [(passage.pocket, passage.direction) for passage in passages] == [("NE", "in"), ("SW", "unknown")]


def up(t_ms: float, *blocked) -> BeamHealth:
    return BeamHealth(round(t_ms * MS), "up", blocked=blocked)


def test_a_beam_that_stays_still_while_its_twin_fires_is_dead_after_three():
    watch = BeamWatch(beam_map())
    for turn in range(3):
        (health,) = watch.see(up(turn * 1000 + 900))
        assert health.says == ""
        watch.see(edge(turn * 1000 + 1000, "upper", True))
        watch.see(edge(turn * 1000 + 1012, "upper", False))
    (health,) = watch.see(up(4000))
    assert "NE lower beam did not see what its twin saw" in health.says
    assert health.blind == (), "the twin still sees"
    for each in FALL:
        watch.see(edge(each.t_ns / MS + 5000, each.beam, each.blocked))
    (health,) = watch.see(up(6000))
    assert health.says == ""


def test_a_hand_on_one_beam_kills_no_twin():
    watch = BeamWatch(beam_map())
    for turn in range(5):
        watch.see(edge(turn * 1000, "upper", True))
        watch.see(edge(turn * 1000 + 300, "upper", False))
    (health,) = watch.see(up(9000))
    assert health.says == ""


def test_a_full_net_makes_its_pocket_camera_only_and_nothing_else():
    watch = BeamWatch(beam_map())
    watch.see(edge(0, "lower", True))
    (health,) = watch.see(up(2900, ("NE", "lower")))
    assert (health.full, health.blind) == ((), ())
    (health,) = watch.see(up(3100, ("NE", "lower")))
    assert (health.full, health.blind) == (("NE",), ("NE",))
    assert health.says == "empty the NE net"
    watch.see(edge(4000, "lower", False))
    (health,) = watch.see(up(4100))
    assert (health.full, health.blind, health.says) == ((), (), "")


def test_a_dirty_upper_beam_leaves_the_lower_to_see():
    watch = BeamWatch(beam_map())
    watch.see(up(0, ("SW", "upper")))
    (health,) = watch.see(up(3500, ("SW", "upper")))
    assert (health.full, health.blind) == ((), ())
    assert health.says == "SW upper beam is blocked: clean it"


def test_one_beam_a_pocket_is_a_lesser_variant():
    watch = BeamWatch(ONE_EACH)
    for turn in range(5):
        watch.see(edge(turn * 1000, "upper", True))
        watch.see(edge(turn * 1000 + 12, "upper", False))
    (health,) = watch.see(up(6000))
    assert health.says == "", "it has no twin to be compared with"
    watch.see(edge(7000, "upper", True))
    (health,) = watch.see(up(10_500, ("NE", "upper")))
    assert (health.full, health.blind) == (("NE",), ("NE",))


def test_a_chattering_beam_is_named():
    watch = BeamWatch(beam_map())
    for number in range(150):
        watch.see(edge(number, "upper", number % 2 == 0))
    (health,) = watch.see(up(200))
    assert "NE upper beam chatters" in health.says
    (health,) = watch.see(up(6000))
    assert "chatters" not in health.says


def test_without_a_link_every_pocket_is_blind():
    watch = BeamWatch(beam_map())
    (health,) = watch.see(BeamHealth(0, "stale"))
    assert health.blind == ("NE", "NW", "SE", "SW")


def test_after_a_gap_nothing_half_seen_is_believed():
    watch = BeamWatch(beam_map())
    watch.see(edge(0, "upper", True))
    gap = BeamGap(10 * MS, 5 * MS, 2, "full")
    assert watch.see(gap) == (gap,)
    watch.see(edge(20, "upper", False))
    watch.see(up(1000))
    assert watch._missed[("NE", "lower")] == 0
