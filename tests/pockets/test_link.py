"""The host's half of the protocol against the node's, in simulated time over a wire of every quality."""

from __future__ import annotations

import random
from itertools import product

import pytest

from controller.pockets.codec import encode, seal
from controller.pockets.conversation import TABLE, Happening, State
from controller.pockets.messages import RING
from tests.pockets.pair import MS, SECOND, Pair, Wire, busy, running


@pytest.mark.clause("node-8")
@pytest.mark.clause("node-10")
def test_edges_of_before_the_greeting_wait_for_a_measured_clock():
    pair = Pair(ppm=3000)
    for number in range(10):
        pair.edge(pair.now + 100 * MS + number * 30 * MS, number % 8)
    pair.run(2)
    assert pair.edges == []
    pair.open()
    pair.run(3)
    assert pair.came() == pair.went()
    worst = max(abs(edge.t_ns - t) / edge.u_ns for edge, (t, _, _) in zip(pair.edges, pair.truth, strict=True))
    assert worst < 4, "they lie before every measurement: far off, but not further than their error bar says"


@pytest.mark.parametrize("seed", range(8, 12))
@pytest.mark.parametrize("faults_ppm", [0, 2000])
def test_edges_of_long_ago_are_told_though_each_ping_of_a_slow_host_moves_the_line_there(faults_ppm, seed):
    """A daemon was away for three minutes: its first line reaches back there with half a second of error."""
    slow = Wire(host=lambda rng: rng.randint(5 * MS, 200 * MS), faults_ppm=faults_ppm)
    pair = Pair(ppm=3000 * (-1) ** seed, seed=seed, wire=slow)
    for number in range(90):
        pair.edge(pair.now + number * 2 * SECOND + random.Random(seed * 100 + number).randrange(SECOND), number % 8)
    pair.run(185)
    pair.open()
    pair.run(25)
    assert pair.came() == pair.went()
    assert pair.gaps == []


@pytest.mark.clause("node-14")
@pytest.mark.parametrize("seed", range(6))
def test_each_edge_once_and_in_order_over_a_poor_line(seed):
    pair = running(seed=seed, wire=Wire(faults_ppm=1000))
    pair.run_until(pair.scatter(300, 20, 180, seed) + 5 * SECOND)
    assert pair.came() == pair.went()
    assert [edge.seq for edge in pair.edges] == list(range(300))
    assert pair.gaps == []
    assert pair.link.bad > 0


@pytest.mark.clause("node-14")
def test_a_line_that_comes_early_is_kept():
    pair = running()
    core, link = pair.core, pair.link
    us = pair.us(pair.now)
    lines = []
    for sensor in range(4):
        core.beam(sensor, True, us + sensor)
        lines.append(core.task(us + sensor))
    link.received(lines[2] + lines[1], pair.now)
    pair.run(0.05)
    assert pair.edges == []
    link.received(lines[3] + lines[0], pair.now)
    pair.run(0.2)
    assert [edge.seq for edge in pair.edges] == [0, 1, 2, 3]
    link.received(lines[1], pair.now)
    pair.run(0.2)
    assert len(pair.edges) == 4


@pytest.mark.clause("node-14")
def test_nothing_is_acknowledged_before_it_is_durable():
    durable = []
    pair = running(store=lambda edges: bool(durable))
    pair.edge(pair.now + MS, 0)
    pair.run(3)
    assert len(pair.edges) == 1
    ring = pair.core._ring
    assert ring.used == 1, "the node keeps what is not acknowledged"
    durable.append(True)
    pair.edge(pair.now + MS, 0)
    pair.run(1)
    assert ring.used == 0


@pytest.mark.clause("node-15")
@pytest.mark.parametrize("seed", range(4))
def test_every_number_is_an_edge_or_in_a_gap(seed):
    pair = running(seed=seed, wire=Wire(faults_ppm=2000 * seed))
    pair.wire.cut = True
    rng = random.Random(seed)
    at = pair.now
    count = RING + 150
    for _ in range(count):
        at += rng.randint(MS, 12 * MS)
        pair.edge(at, rng.randrange(8))
    pair.run_until(at)
    pair.wire.cut = False
    pair.run(8)
    for _ in range(20):
        pair.edge(pair.now + MS, rng.randrange(8))
        pair.run(0.3)
    pair.run(5)
    lost = sum(gap.lost for gap in pair.gaps)
    assert lost == count + 20 - len(pair.edges)
    assert lost > 0
    first_lost = [t for t, _, _ in pair.truth][len(pair.edges) - 20]
    (gap,) = {(gap.from_ns, gap.t_ns) for gap in pair.gaps if gap.lost}
    assert abs(gap[0] - first_lost) < MS
    assert abs(gap[1] - at) < MS


@pytest.mark.clause("node-16")
def test_a_new_boot_is_told_and_its_numbers_are_its_own():
    pair = running()
    pair.edge(pair.now + 10 * MS, 0)
    pair.edge(pair.now + 30 * MS, 0)
    pair.run(1)
    pair.restart(boot=8, reset="brown")
    restarted = pair.now
    pair.run(2)
    pair.edge(pair.now + 10 * MS, 3)
    pair.run(1)
    assert [(edge.boot[-4:], edge.seq) for edge in pair.edges] == [("0007", 0), ("0007", 1), ("0008", 0)]
    (gap,) = pair.gaps
    assert gap.from_ns < restarted <= gap.t_ns
    assert "brown" in gap.why


@pytest.mark.clause("node-16")
@pytest.mark.clause("node-6")
def test_a_new_boot_whose_hello_got_lost_is_found_by_its_beats():
    pair = running()
    pair.wire.cut = True
    pair.restart(boot=8)
    pair.run(0.2)
    pair.wire.cut = False
    pair.run(3)
    assert pair.link.node.boot == "0008"
    assert pair.link.state is State.RUNNING


@pytest.mark.clause("node-9")
@pytest.mark.parametrize(("journal_has", "lost"), [(3, 0), (None, 0), (1, 2)])
def test_a_host_that_starts_again_gets_what_its_journal_lacks(journal_has, lost):
    pair = running()
    for number in range(3):
        pair.edge(pair.now + (1 + number) * 20 * MS, 0)
    pair.run(1)
    core = pair.core
    pair.wire.cut = True
    pair.edge(pair.now + MS, 0)
    pair.run(1)
    fresh = Pair(held=lambda epoch: journal_has)
    fresh.core, fresh.now, fresh.boot_ns = core, pair.now, pair.boot_ns
    fresh.open()
    fresh.run(3)
    assert [edge.seq for edge in fresh.edges] == [3]
    assert [gap.lost for gap in fresh.gaps] == ([lost] if lost else [])


@pytest.mark.clause("node-21")
def test_a_sign_of_life_says_up_to_when_everything_is_known():
    pair = running(wire=Wire(faults_ppm=3000), seed=5)
    rng = random.Random(5)
    at = pair.now
    for _ in range(150):
        at += rng.randint(5 * MS, 80 * MS)
        pair.edge(at, rng.randrange(8))
    seen = 0
    while pair.now < at + 3 * SECOND:
        pair.run(0.05)
        done = pair.link._horizon_ns - 2 * MS
        expected = sum(t <= done for t, _, _ in pair.truth)
        assert len(pair.edges) >= expected
        seen = max(seen, expected)
    assert seen == 150


@pytest.mark.clause("node-22")
def test_two_silent_seconds_are_stale_and_then_all_is_well_again():
    pair = running()
    pair.wire.cut = True
    pair.run(1.5)
    assert pair.health.link == "up"
    pair.run(0.6)
    assert pair.health.link == "stale"
    pair.edge(pair.now + MS, 1)
    pair.run(1)
    pair.wire.cut = False
    pair.run(2)
    assert pair.health.link == "up"
    assert pair.came() == [(1, True)]


def test_a_clock_that_stands_still_makes_nothing_stale():
    pair = running()
    told = len(pair.events)
    for _ in range(1000):
        assert pair.link.tick(pair.now).events == ()
    assert len(pair.events) == told


def test_a_clock_that_runs_a_hundred_times_as_fast_still_gets_every_edge():
    """What a host needs 5 ms for then takes half a second of the table's time, answers to pings included."""
    pair = Pair(wire=Wire(host=lambda rng: rng.randint(200 * MS, 700 * MS)))
    pair.open()
    pair.settle()
    for number in range(40):
        pair.edge(pair.now + number * 100 * MS, number % 8)
    pair.run(20)
    assert pair.came() == pair.went()
    assert pair.gaps == []


@pytest.mark.clause("node-7")
def test_another_protocol_is_refused_with_the_way_out():
    pair = Pair()
    pair.open()
    hello = b"hello proto=2 dict=0000 id=00c0ffee fw=9 boot=0001 nonce=0000 us=1 beams=ff ring=96 tail=0 reset=power"
    step = pair.link.received(seal(hello), pair.now)
    assert pair.link.state is State.REFUSED
    (health,) = step.events
    assert "flash the firmware" in health.says


@pytest.mark.clause("node-7")
@pytest.mark.parametrize(("table", "told"), [("0000", True), ("97ef", False)])
def test_another_table_of_messages_is_told_not_refused_and_that_of_firmware_1_0_serves(table, told):
    pair = Pair()
    pair.open()
    hello = f"hello proto=1 dict={table} id=00c0ffee fw=1.0.0 boot=0007 nonce=0000 us=1 beams=ff ring=96 tail=0"
    pair.link.received(seal(f"{hello} reset=power".encode()), pair.now)
    pair.settle()
    pair.run(1)
    assert ("flash it anew" in pair.health.says) == told
    assert pair.health.link == "up"


@pytest.mark.clause("node-13")
def test_an_acknowledgement_of_another_boot_frees_nothing():
    pair = running(store=lambda edges: False)
    pair.edge(pair.now + MS, 0)
    pair.run(0.5)
    pair.core.received(encode("host", "ack", boot="0001", seq=0), pair.us(pair.now))
    assert pair.core._ring.used == 1
    pair.core.received(encode("host", "ack", boot="0007", seq=0), pair.us(pair.now))
    assert pair.core._ring.used == 0


def test_damage_that_passed_every_check_is_not_believed_at_once():
    pair = running()
    us = pair.us(pair.now)
    far = encode("node", "beam", seq=0, us=us + 5_000_000, s=0, lvl=1)
    ahead = encode("node", "beam", seq=100_000, us=us, s=0, lvl=1)
    pair.link.received(far + ahead, pair.now)
    pair.run(0.5)
    assert (pair.edges, pair.gaps) == ([], [])
    # A node that insists, by a clock that runs as it did, has an edge of which no time is known.
    pair.link.received(far + far, pair.now)
    pair.run(0.5)
    gap = pair.gaps[0]
    assert (pair.edges, gap.lost, gap.why) == ([], 1, "the node gives a time that cannot be")
    assert gap.t_ns <= pair.now


@pytest.mark.clause("node-17")
def test_the_knock_of_firmware_1_0_is_passed_over_though_it_comes_out_of_order():
    pair = running()
    us = pair.us(pair.now)
    sent = ((us - 90_000, 0, 1), (us - 140_000, 8, 1), (us - 40_000, 0, 0))
    for seq, (at, sensor, level) in enumerate(sent):
        pair.link.received(encode("node", "beam", seq=seq, us=at, s=sensor, lvl=level), pair.now)
    pair.run(0.5)
    assert [edge.seq for edge in pair.edges] == [0, 2]
    assert "the node gives a time that cannot be" not in [gap.why for gap in pair.gaps]


@pytest.mark.clause("node-20")
@pytest.mark.clause("node-23")
@pytest.mark.clause("node-24")
def test_beats_and_settings_are_read():
    pair = running()
    pair.edge(pair.now + MS, 2)
    pair.core.received(pair.link.tell("set", stuck_s=9) + pair.link.tell("mask", use=0x0F), pair.us(pair.now))
    pair.run(1)
    assert pair.health.blocked == (("NW", "upper"),)
    assert pair.link.settings["stuck_s"] == 9
    assert pair.link.sensors.use == 0x0F
    assert pair.link.sensors.margins is None


@pytest.mark.clause("node-20")
def test_a_node_that_measures_margins_is_heard():
    pair = Pair()
    pair.core._margins = "00ff800102030405"
    pair.open()
    pair.settle()
    assert pair.link.sensors.margins == (0, 255, 128, 1, 2, 3, 4, 5)


def test_the_table_of_states_is_whole():
    for state, happening in product(State, Happening):
        after = TABLE.get((state, happening), state)
        if happening is Happening.CLOSED:
            assert after is State.CLOSED
        elif state is State.CLOSED:
            assert after is (State.GREETING if happening is Happening.OPENED else State.CLOSED)
    reachable = {State.CLOSED}
    for _ in State:
        reachable |= {after for (before, _), after in TABLE.items() if before in reachable}
    assert reachable == set(State)


@pytest.mark.clause("node-16")
def test_a_pong_of_another_boot_is_no_measurement():
    pair = running()
    trips = pair.link.clock.trips
    while not (pings := [line for line in pair.link.tick(pair.now).out.split(b"\n") if line.startswith(b"ping")]):
        pair.now += 100 * MS
    number = int(pings[0].split(b"id=")[1].split(b" ")[0])
    step = pair.link.received(encode("node", "pong", boot="0008", id=number, rx=5, tx=6), pair.now)
    assert pair.link.clock.trips == trips
    assert pair.link.state is State.GREETING
    assert step.out.startswith(b"hello ")


@pytest.mark.parametrize("seed", range(3))
def test_edges_in_one_breath_keep_their_order_while_the_line_moves(seed):
    pair = running(seed=seed, ppm=4000, wire=Wire(host=busy))
    for burst in range(40):
        for number in range(16):
            pair.edge(pair.now + 100 * MS + number * 60_000, (number + burst) % 8)
        pair.run(0.3)
    pair.run(1)
    stamps = [edge.t_ns for edge in pair.edges]
    assert len(stamps) == 640
    assert stamps == sorted(stamps)


@pytest.mark.clause("node-9")
def test_what_was_read_but_not_saved_is_not_acknowledged_by_a_new_greeting():
    durable = []
    pair = running(store=lambda edges: bool(durable))
    pair.edge(pair.now + MS, 0)
    pair.run(0.5)
    assert len(pair.edges) == 1
    pair.link.closed(pair.now)
    pair.open()
    pair.run(2)
    assert pair.link.state is State.RUNNING
    assert pair.core._ring.used == 1


@pytest.mark.clause("node-15")
def test_a_gap_that_grew_is_told_by_its_growth():
    pair = running()
    us = pair.us(pair.now)
    for lost in (3, 3, 5):
        pair.link.received(encode("node", "gap", **{"from": 0, "lost": lost, "us": us - 100, "to": us}), pair.now)
    pair.link.received(encode("node", "beam", seq=5, us=us, s=0, lvl=1), pair.now)
    pair.run(0.2)
    assert [gap.lost for gap in pair.gaps] == [3, 2]
    assert [edge.seq for edge in pair.edges] == [5]
