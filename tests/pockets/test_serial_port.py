"""What only a serial port can do: many ports, other people's devices, a cable that comes back elsewhere."""

from __future__ import annotations

import os
import time
import tty

import pytest
import serial

from controller.events.beams import BeamEdge, BeamGap, BeamHealth
from controller.pockets.beam_map import beam_map
from controller.pockets.messages import RING
from controller.pockets.node_protocol import NodeCore, NodeSettings
from controller.pockets.pulses import MS
from controller.pockets.serial_port import SerialPockets
from tests.pockets.pty_node import PtyNode
from tests.pockets.test_sources import Heard

pytestmark = pytest.mark.live


def source_of(heard: Heard, ports, **options) -> SerialPockets:
    options = {"port": "auto", "now_ns": time.monotonic_ns, "beams": beam_map(), **options}
    return SerialPockets(store=heard.store, emit=heard.emit, ports=lambda: list(ports), **options)


def test_a_node_is_found_by_its_id_among_others():
    heard = Heard()
    first = PtyNode(NodeCore(boot=1, settings=NodeSettings(id=0x1111)))
    second = PtyNode(NodeCore(boot=2, settings=NodeSettings(id=0x2222)))
    with first, second:
        source = source_of(heard, [first.plug(), second.plug()], node="00002222")
        source.start()
        heard.wait(lambda: any(health.link == "up" for health in heard.of(BeamHealth)))
        second.edge(6, True)
        first.edge(1, True)
        heard.wait(lambda: bool(heard.of(BeamEdge)))
        assert heard.saved[0].boot == "00002222-0002"
        assert source.report().node == "00002222"
        source.stop()
        assert len(heard.saved) == 1


@pytest.mark.clause("node-17")
def test_an_input_that_is_no_beam_here_fills_no_ring():
    heard = Heard()
    with PtyNode(NodeCore(boot=1)) as node:
        source = source_of(heard, [node.plug()], beams=beam_map({"NE": 0}))
        source.start()
        heard.wait(lambda: any(health.link == "up" for health in heard.of(BeamHealth)))
        node.edge(5, True)
        heard.wait(lambda: node.core.unsaved == 0)
        node.edge(0, True)
        heard.wait(lambda: bool(heard.of(BeamEdge)))
        source.stop()
    assert [edge.seq for edge in heard.saved] == [1], "its number counts"


def test_a_port_that_another_program_has_is_said_so_and_tried_again():
    heard = Heard()
    with PtyNode(NodeCore(boot=1)) as node:
        port = node.plug()
        other = serial.Serial(port, exclusive=True)
        source = source_of(heard, [port])
        source.start()
        deadline = time.monotonic() + 60
        while "another program has the port" not in source.report().says:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        other.close()
        heard.wait(lambda: any(health.link == "up" for health in heard.of(BeamHealth)))
        source.stop()


def test_nothing_is_lost_while_the_cable_is_out_and_comes_back_under_another_name():
    heard = Heard()
    ports: list[str] = []
    with PtyNode(NodeCore(boot=1)) as node:
        ports.append(node.plug())
        source = source_of(heard, ports)
        source.start()
        heard.wait(lambda: any(health.link == "up" for health in heard.of(BeamHealth)))
        for sensor in range(8):
            node.edge(sensor, True)
        # One edge after another while the cable is out: they wait in the node.
        before = ports.pop()
        node.unplug()
        for number in range(40):
            node.edge(number % 8, number // 8 % 2 == 1)
        blocker, _ = os.openpty()
        ports.append(node.plug())
        assert ports[0] != before
        heard.wait(lambda: len(heard.saved) == 48)
        source.stop()
        os.close(blocker)
    assert [edge.seq for edge in heard.saved] == list(range(48))
    assert heard.of(BeamGap) == []


def test_a_host_that_is_busy_for_a_while_loses_nothing():
    heard = Heard()
    release = []

    def slow(edges) -> None:
        while not release:
            time.sleep(0.005)
        heard.store(edges)

    with PtyNode(NodeCore(boot=1)) as node:
        source = source_of(heard, [node.plug()])
        source._store = slow
        source.start()
        heard.wait(lambda: any(health.link == "up" for health in heard.of(BeamHealth)))
        for number in range(60):
            node.edge(number % 8, number // 8 % 2 == 0)
        release.append(True)
        heard.wait(lambda: len(heard.saved) == 60)
        source.stop()
    assert [edge.seq for edge in heard.of(BeamEdge)] == list(range(60))
    assert heard.of(BeamGap) == []


def test_a_restarted_host_asks_for_what_its_journal_lacks():
    heard, again = Heard(), Heard()
    with PtyNode(NodeCore(boot=1)) as node:
        port = node.plug()
        source = source_of(heard, [port])
        source.start()
        heard.wait(lambda: any(health.link == "up" for health in heard.of(BeamHealth)))
        node.edge(0, True)
        heard.wait(lambda: len(heard.saved) == 1)
        source.stop()
        node.edge(0, False)
        epochs = []
        source = source_of(again, [port], held=lambda epoch: epochs.append(epoch) or 1)
        source.start()
        again.wait(lambda: len(again.saved) == 1)
        source.stop()
    assert epochs == ["00c0ffee-0001"]
    assert [edge.seq for edge in again.saved] == [1]


def test_a_port_with_nobody_on_it_does_not_hold_up_the_others(monkeypatch):
    monkeypatch.setattr("controller.pockets.serial_port.PATIENCE_S", 0.3)
    heard = Heard()
    master, slave = os.openpty()
    tty.setraw(slave)
    with PtyNode(NodeCore(boot=1)) as node:
        source = source_of(heard, [os.ttyname(slave), node.plug()])
        source.start()
        heard.wait(lambda: any(health.link == "up" for health in heard.of(BeamHealth)))
        source.stop()
    os.close(master)
    os.close(slave)


@pytest.mark.clause("node-24")
def test_a_chattering_beam_does_not_drown_the_others(monkeypatch):
    monkeypatch.setattr("controller.pockets.beam_watch.CHATTER_HOLD", 500 * MS)
    heard = Heard()
    with PtyNode(NodeCore(boot=1)) as node:
        source = source_of(heard, [node.plug()])
        source.start()
        heard.wait(lambda: any(health.link == "up" for health in heard.of(BeamHealth)))
        chattered = 0
        while node.core._use & 1:
            with node.lock:
                # A host too busy to take them is another case: a full ring loses edges, and says so.
                if node.core._ring.used < RING // 2:
                    node.core.beam(0, chattered % 2 == 0, node.now_us())
                    chattered += 1
            assert chattered < 20_000
            time.sleep(0.001)
        node.edge(5, True)
        heard.wait(lambda: any((edge.pocket, edge.beam) == ("SE", "lower") for edge in heard.of(BeamEdge)))
        heard.wait(lambda: any("NE upper beam chatters" in health.says for health in heard.of(BeamHealth)))
        deadline = time.monotonic() + 60
        while not node.core._use & 1:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        source.stop()
    assert sum(gap.lost for gap in heard.of(BeamGap)) == 0
