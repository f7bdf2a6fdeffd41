"""One contract for every source of beam events: a node on a serial port, lines of a GPIO chip."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

import pytest

from controller.events.beams import BeamEdge, BeamGap, BeamHealth, PocketEvent
from controller.events.errors import DeviceError
from controller.pockets.beam_map import beam_map
from controller.pockets.gpio_port import GpioPockets, LineEdge
from controller.pockets.node_protocol import NodeCore
from controller.pockets.serial_port import SerialPockets
from controller.pockets.source import PocketSource
from tests.pockets.pty_node import PtyNode

pytestmark = pytest.mark.live

PLACES = beam_map().places


class Heard:
    """What a source saved and told, and a way to wait for it."""

    def __init__(self) -> None:
        self.saved: list[BeamEdge] = []
        self.told: list[PocketEvent] = []
        self.broken = False
        self._changed = threading.Condition()

    def store(self, edges: Sequence[BeamEdge]) -> None:
        if self.broken:
            raise OSError("no space left on device")
        with self._changed:
            self.saved.extend(edge for edge in edges if edge not in self.saved)
            self._changed.notify_all()

    def emit(self, event: PocketEvent) -> None:
        with self._changed:
            self.told.append(event)
            self._changed.notify_all()

    def wait(self, true: Callable[[], bool], seconds: float = 20) -> None:
        with self._changed:
            assert self._changed.wait_for(true, seconds), self.told[-3:]

    def of(self, kind: type) -> list:
        return [event for event in self.told if isinstance(event, kind)]


class FakeLines:
    """A GPIO chip that is not there. `loses` drops the next edges as a full kernel buffer does."""

    def __init__(self) -> None:
        self.there = True
        self._levels = dict.fromkeys(range(8), False)
        self._queue: list[LineEdge] = []
        self._number = 0
        self._changed = threading.Condition()

    def open(self) -> None:
        if not self.there:
            raise DeviceError("no GPIO chip with the label pinctrl-rp1; there is none at all")
        self._queue, self._number = [], 0

    def wait(self, timeout_s: float) -> Sequence[LineEdge]:
        with self._changed:
            self._changed.wait_for(lambda: self._queue or not self.there, timeout_s)
            if not self.there:
                raise DeviceError("the GPIO chip is gone")
            edges, self._queue = self._queue, []
            return edges

    def levels(self) -> Mapping[int, bool]:
        return dict(self._levels)

    def close(self) -> None: ...

    def edge(self, line: int, high: bool, lost: bool = False) -> None:
        with self._changed:
            self._levels[line] = high
            self._number += 1
            if not lost:
                self._queue.append(LineEdge(line, high, time.monotonic_ns(), self._number))
            self._changed.notify_all()

    def unplug(self) -> None:
        with self._changed:
            self.there = False
            self._changed.notify_all()


class Bench:
    """A source under test and the hand that moves its beams."""

    def __init__(self, heard: Heard, source: PocketSource, edge, unplug, plug, lose) -> None:
        self.heard, self.source = heard, source
        self.edge, self.unplug, self.plug, self.lose = edge, unplug, plug, lose

    def ready(self) -> None:
        self.heard.wait(lambda: any(health.link == "up" for health in self.heard.of(BeamHealth)))


@pytest.fixture(params=["serial", "gpio"])
def bench(request) -> Iterator[Bench]:
    heard = Heard()
    options = {"beams": beam_map(), "now_ns": time.monotonic_ns, "store": heard.store, "emit": heard.emit}
    if request.param == "gpio":
        lines = FakeLines()
        source: PocketSource = GpioPockets(lines=lines, **options)

        def plug() -> None:
            lines.there = True

        def lose(count: int) -> None:
            for number in range(count):
                lines.edge(0, number % 2 == 0, lost=True)

        yield Bench(heard, source, lines.edge, lines.unplug, plug, lose)
        source.stop()
        return
    with PtyNode(NodeCore(boot=7)) as node:
        ports = [node.plug()]
        source = SerialPockets(port="auto", ports=lambda: list(ports), **options)

        def unplug() -> None:
            ports.clear()
            node.unplug()

        def replug() -> None:
            ports.append(node.plug())

        def lose(count: int) -> None:
            with node.lock:
                us = node.now_us()
                node.core.lost(us, us, count)

        yield Bench(heard, source, node.edge, unplug, replug, lose)
        source.stop()


def test_edges_are_saved_then_told_once_in_order_with_their_time(bench):
    bench.source.start()
    bench.ready()
    truth = []
    for number in range(60):
        before = time.monotonic_ns()
        bench.edge(number % 8, number // 8 % 2 == 0)
        truth.append((before, time.monotonic_ns(), PLACES[number % 8], number // 8 % 2 == 0))
    bench.heard.wait(lambda: len(bench.heard.of(BeamEdge)) == 60)
    told = bench.heard.of(BeamEdge)
    assert told == bench.heard.saved, "what is told was saved, and no more"
    assert [((edge.pocket, edge.beam), edge.blocked) for edge in told] == [
        (place, level) for _, _, place, level in truth
    ]
    for edge, (before, after, _, _) in zip(told, truth, strict=True):
        slack = 5 * edge.u_ns + 5_000_000
        assert before - slack <= edge.t_ns <= after + slack
    numbers = [edge.seq for edge in told]
    assert numbers == sorted(set(numbers))
    assert len({edge.boot for edge in told}) == 1


def test_nothing_is_told_before_it_is_saved_unless_saving_is_broken(bench):
    order = []
    store, emit = bench.source._store, bench.source._emit
    bench.source._store = lambda edges: (order.append("saved"), store(edges))
    bench.source._emit = lambda event: (order.append(type(event).__name__), emit(event))
    bench.source.start()
    bench.ready()
    bench.edge(0, True)
    bench.heard.wait(lambda: bool(bench.heard.of(BeamEdge)))
    assert order.index("saved") < order.index("BeamEdge")


def test_a_full_disk_does_not_blind_the_beams_and_is_told(bench):
    bench.source.start()
    bench.ready()
    bench.heard.broken = True
    bench.edge(2, True)
    bench.heard.wait(lambda: "cannot be saved" in (bench.heard.of(BeamHealth) or [BeamHealth(0, "up")])[-1].says)
    assert len(bench.heard.of(BeamEdge)) == 1
    bench.heard.broken = False
    bench.edge(2, False)
    bench.heard.wait(lambda: len(bench.heard.of(BeamEdge)) == 2)
    assert len(bench.heard.saved) == 2
    bench.heard.wait(lambda: bench.heard.of(BeamHealth)[-1].says == "")


def test_levels_are_told_without_an_edge(bench):
    bench.edge(4, True)
    bench.source.start()
    bench.heard.wait(
        lambda: any(health.link == "up" and ("SE", "upper") in health.blocked for health in bench.heard.of(BeamHealth))
    )


def test_a_loss_is_told_with_its_size(bench):
    bench.source.start()
    bench.ready()
    bench.edge(1, True)
    bench.lose(4)
    bench.edge(1, False)
    bench.heard.wait(lambda: len(bench.heard.of(BeamEdge)) + len(bench.heard.of(BeamGap)) >= 3)
    (gap,) = bench.heard.of(BeamGap)
    assert gap.lost == 4
    assert gap.from_ns <= gap.t_ns


def test_it_waits_for_hardware_that_is_not_there_yet(bench):
    bench.unplug()
    bench.source.start()
    bench.plug()
    bench.ready()
    bench.edge(3, True)
    bench.heard.wait(lambda: len(bench.heard.of(BeamEdge)) == 1)


def test_it_comes_back_after_the_cable_was_out(bench):
    bench.source.start()
    bench.ready()
    bench.edge(5, True)
    bench.heard.wait(lambda: len(bench.heard.of(BeamEdge)) == 1)
    bench.unplug()
    bench.heard.wait(lambda: bench.heard.of(BeamHealth)[-1].link == "down")
    assert set(bench.heard.of(BeamHealth)[-1].blind) == {"NE", "NW", "SE", "SW"}
    bench.plug()
    bench.heard.wait(lambda: bench.heard.of(BeamHealth)[-1].link == "up")
    bench.edge(5, False)
    bench.heard.wait(lambda: len(bench.heard.of(BeamEdge)) == 2)


def test_a_cable_that_drops_out_again_and_again_is_said_and_no_link_to_rely_on(bench):
    bench.source.start()
    bench.ready()
    for _ in range(2):
        bench.heard.wait(lambda: bench.heard.of(BeamHealth)[-1].link == "up")
        bench.unplug()
        bench.heard.wait(lambda: bench.heard.of(BeamHealth)[-1].link == "down")
        bench.plug()
        bench.heard.wait(lambda: bench.heard.of(BeamHealth)[-1].link != "down")
    bench.heard.wait(lambda: bench.heard.of(BeamHealth)[-1].link == "restarting")
    health = bench.heard.of(BeamHealth)[-1]
    assert health.link == "restarting"
    assert set(health.blind) == {"NE", "NW", "SE", "SW"}
    assert "Fix:" in health.says
    assert bench.source.report().says == health.says
    assert bench.source.report().restarts == 2


def test_stop_ends_it(bench):
    bench.source.start()
    bench.ready()
    bench.source.stop()
    told = len(bench.heard.told)
    bench.edge(0, True)
    assert len(bench.heard.told) == told
    assert bench.source.report().link == "no port"


def test_it_may_be_stopped_without_ever_having_started(bench):
    bench.source.stop()
