"""Link and node at the two ends of a wire, in simulated time: no thread, no port, no machine's clock.

The wire has a baud rate, a USB adapter that is polled every millisecond, a host that is sometimes busy, and faults.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from controller.events.beams import BeamEdge, BeamGap, BeamHealth, PocketEvent
from controller.pockets.beam_map import beam_map
from controller.pockets.conversation import State, Step
from controller.pockets.link import Link
from controller.pockets.node_protocol import NodeCore

MS = 1_000_000
SECOND = 1_000 * MS
SENSOR = {place: sensor for sensor, place in beam_map().places.items()}


def idle(rng: random.Random) -> int:
    """A host with nothing else to do: tens of microseconds."""
    return round(rng.expovariate(1 / 30_000))


def busy(rng: random.Random) -> int:
    """A host under load: mostly prompt, one reading in eight late by milliseconds, one in a hundred by tens."""
    dice = rng.random()
    if dice < 0.01:
        return rng.randint(10 * MS, 50 * MS)
    if dice < 0.13:
        return rng.randint(MS, 12 * MS)
    return round(rng.expovariate(1 / 60_000))


@dataclass
class Wire:
    """How bytes fare between the two."""

    byte_ns: int = 40_000
    poll_ns: int = MS
    host: Callable[[random.Random], int] = idle
    faults_ppm: int = 0
    cut: bool = False

    def damaged(self, data: bytes, rng: random.Random) -> bytes:
        if not self.faults_ppm:
            return data
        out = bytearray()
        for byte in data:
            if rng.random() * 1e6 >= self.faults_ppm:
                out.append(byte)
                continue
            kind = rng.randrange(3)
            out += (bytes([byte ^ 1 << rng.randrange(8)]), b"", bytes([byte, byte]))[kind]
        return bytes(out)


@dataclass(order=True)
class _Event:
    t_ns: int
    order: int
    act: Callable[[], None] = field(compare=False)


class Pair:
    """A Link and a NodeCore. `run_until` moves time; `edge` plans what a beam does."""

    def __init__(
        self,
        *,
        seed: int = 0,
        ppm: float = 0.0,
        wire: Wire | None = None,
        boot: int = 7,
        held: Callable[[str], int | None] = lambda epoch: None,
        store: Callable[[tuple[BeamEdge, ...]], bool] = lambda edges: True,
        wander: Callable[[int], float] = lambda t_ns: 0.0,
    ) -> None:
        self.rng = random.Random(seed)
        self.wire = wire or Wire()
        self.ppm = ppm
        self.wander = wander
        self.now = 10 * SECOND
        self.boot_ns = self.now - SECOND
        self.core = NodeCore(boot=boot, us=self.us(self.now))
        self.link = Link(beam_map(), held)
        self.store = store
        self.events: list[PocketEvent] = []
        self.received_at: dict[tuple[str, int], int] = {}
        self.truth: list[tuple[int, int, bool]] = []
        self._heap: list[_Event] = []
        self._order = 0
        self._node_free = 0
        self._host_free = 0
        self._level = [False] * 8
        self._later(self.now, self._host_tick)
        self._later(self.now, self._node_tick)

    def us(self, t_ns: int) -> int:
        """The node's clock at a host's time."""
        span = t_ns - self.boot_ns
        return round((span * (1 + self.ppm * 1e-6) + self.wander(span)) / 1000)

    # plans ------------------------------------------------------------------------------------------------------------

    def open(self) -> None:
        self._take(self.link.opened(self.now))

    def edge(self, t_ns: int, sensor: int, blocked: bool | None = None) -> None:
        """Plans an edge; without a level, the other one than last planned."""
        self._level[sensor] = not self._level[sensor] if blocked is None else blocked
        level = self._level[sensor]
        self.truth.append((t_ns, sensor, level))

        def act() -> None:
            self.core.beam(sensor, level, self.us(self.now))
            self._node_speaks()

        self._later(t_ns, act)

    def scatter(self, count: int, least_ms: int, most_ms: int, seed: int) -> int:
        """Plans edges of any beams, so far apart each; returns when the last is."""
        rng, at = random.Random(seed), self.now
        for _ in range(count):
            at += rng.randint(least_ms * MS, most_ms * MS)
            self.edge(at, rng.randrange(8))
        return at

    def restart(self, boot: int, reset: str = "line") -> None:
        self.boot_ns = self.now
        levels = sum(level << sensor for sensor, level in enumerate(self._level))
        self.core = NodeCore(boot=boot, us=0, reset=reset, pins=levels)
        self._node_speaks()

    def run_until(self, t_ns: int) -> None:
        while self._heap and self._heap[0].t_ns <= t_ns:
            event = heapq.heappop(self._heap)
            self.now = max(self.now, event.t_ns)
            event.act()
        self.now = max(self.now, t_ns)

    def run(self, seconds: float) -> None:
        self.run_until(self.now + round(seconds * SECOND))

    def settle(self, within_s: float = 30) -> None:
        """Runs until edges flow."""
        end = self.now + round(within_s * SECOND)
        while self.link.state is not State.RUNNING:
            assert self.now < end, f"stuck while {self.link.state.value}"
            self.run(0.05)

    # what came --------------------------------------------------------------------------------------------------------

    @property
    def edges(self) -> list[BeamEdge]:
        return [event for event in self.events if isinstance(event, BeamEdge)]

    @property
    def gaps(self) -> list[BeamGap]:
        return [event for event in self.events if isinstance(event, BeamGap)]

    @property
    def health(self) -> BeamHealth:
        return next(event for event in reversed(self.events) if isinstance(event, BeamHealth))

    def came(self) -> list[tuple[int, bool]]:
        return [(SENSOR[(edge.pocket, edge.beam)], edge.blocked) for edge in self.edges]

    def went(self) -> list[tuple[int, bool]]:
        return [(sensor, level) for _, sensor, level in sorted(self.truth, key=lambda edge: edge[0])]

    # the works --------------------------------------------------------------------------------------------------------

    def _later(self, t_ns: int, act: Callable[[], None]) -> None:
        self._order += 1
        heapq.heappush(self._heap, _Event(t_ns, self._order, act))

    def _host_tick(self) -> None:
        self._take(self.link.tick(self.now))
        self._later(self.now + self.rng.randint(10 * MS, 60 * MS), self._host_tick)

    def _node_tick(self) -> None:
        self._node_speaks()
        self._later(self.now + 33 * MS, self._node_tick)

    def _node_speaks(self) -> None:
        """One line at a time, as the firmware does: the next is written when the last has left."""
        if self.now < self._node_free:
            return
        line = self.core.task(self.us(self.now))
        if not line:
            if self.core.waits:
                self._later(self.now + MS // 20, self._node_speaks)
            return
        self._node_free = self.now + len(line) * self.wire.byte_ns
        arrives = self._polled(self._node_free) + self.wire.host(self.rng)
        self._host_free = arrives = max(arrives, self._host_free)
        data = b"" if self.wire.cut else self.wire.damaged(line, self.rng)
        self._later(arrives, lambda: self._take(self.link.received(data, self.now)))
        self._later(self._node_free, self._node_speaks)

    def _polled(self, t_ns: int) -> int:
        return -(-t_ns // self.wire.poll_ns) * self.wire.poll_ns

    def _take(self, step: Step) -> None:
        self.events.extend(step.events)
        self._send(step.out)
        for edge in step.edges:
            self.received_at[(edge.boot, edge.seq)] = self.now
        if any(isinstance(event, (BeamEdge, BeamGap)) for event in step.events) and self.store(step.edges):
            self._send(self.link.stored())

    def _send(self, data: bytes) -> None:
        if not data or self.wire.cut:
            return
        damaged = self.wire.damaged(data, self.rng)
        leaves = self._polled(self.now + self.wire.host(self.rng) // 4)

        def act() -> None:
            self.core.received(damaged, self.us(self.now))
            self._node_speaks()

        self._later(leaves + len(data) * self.wire.byte_ns, act)


def running(**options) -> Pair:
    pair = Pair(**options)
    pair.open()
    pair.settle()
    return pair
