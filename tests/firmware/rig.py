"""The shipped firmware on a simulated chip, read by the real driver through pyserial on a pty, on the chip's clock."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from controller.events.beams import BeamEdge, BeamGap, BeamHealth, PocketEvent
from controller.pockets.beam_map import beam_map
from controller.pockets.serial_port import SerialPockets
from controller.pockets.simavr_node import SimavrNode
from controller.table.machine.clock import open_clock

STEP_US = 20_000
SENSOR = {place: sensor for sensor, place in beam_map().places.items()}
TOGETHER_US = 8
"""Edges of different beams closer than this may share one stamp: the node cannot tell which was first."""


@dataclass(frozen=True)
class Change:
    """What a pin really did."""

    us: int
    sensor: int
    blocked: bool


class Rig:
    """Chip, port and driver. `changes` is the truth, `saved` and `events` are what came of it."""

    def __init__(self, folder: Path) -> None:
        self.clock = folder / "chip.clock"
        self.node = SimavrNode(clock=self.clock)
        self.saved: list[BeamEdge] = []
        self.events: list[PocketEvent] = []
        self.changes: list[Change] = []
        self.us = 0
        self.lock_step = True
        self.real_time = False
        self.store: Callable[[tuple[BeamEdge, ...]], None] = lambda edges: None

    def __enter__(self) -> Rig:
        self.node.start()
        self.now_ns = open_clock(self.clock)
        self.ports = [self.node.port]
        self.source = SerialPockets(
            port="auto",
            beams=beam_map(),
            now_ns=self.now_ns,
            store=self._store,
            emit=self.events.append,
            ports=lambda: list(self.ports),
        )
        self.source.start()
        self._in_step(lambda: self.source.report().written_bytes > 0)
        return self

    def __exit__(self, *_: object) -> None:
        self.source.stop()
        self.node.stop()

    def _store(self, edges) -> None:
        self.store(edges)
        self.saved.extend(edges)

    def run(self, us: int) -> None:
        """Lets the chip live so much longer, in step with the driver: what either says, the other has heard."""
        goal = self.us + us
        while self.us < goal:
            self.us = self.node.until(min(goal, self.us + STEP_US), self.source.report().written_bytes)
            if self.lock_step:
                self._in_step(lambda: self.source.report().read_bytes >= self.node.sent)
            if self.real_time:
                time.sleep(STEP_US / 1e6)

    @staticmethod
    def _in_step(true: Callable[[], bool]) -> None:
        """Waits for the driver's thread; a minute of the machine's at most, which no sane run needs."""
        limit = time.monotonic() + 60
        while not true():
            assert time.monotonic() < limit, "the driver does not read"
            time.sleep(0.0001)

    def replug(self, port_after_us: int = 0) -> None:
        """Pulls the cable and puts it in elsewhere, the chip running on meanwhile."""
        self.node.unplug()
        self.ports.clear()
        self._in_step(lambda: self.source.report().link == "no port")
        self.lock_step = False
        self.run(port_after_us)
        self.lock_step = True
        self.ports.append(self.node.plug())
        assert self.source.report().where != self.ports[0], "it comes back under another name"
        self._in_step(lambda: self.source.report().where == self.ports[0] and self.source.report().written_bytes > 0)

    def until(self, true: Callable[[], bool], within_s: float) -> bool:
        """Lets the chip live until something is true; False if it does not come within that much chip's time."""
        limit = self.us + round(within_s * 1e6)
        while not true():
            if self.us >= limit:
                return False
            self.run(STEP_US)
        return True

    def ready(self) -> None:
        assert self.until(lambda: self.source.report().link == "running", 20)
        self.run(300_000)

    def change(self, us: int, sensor: int, blocked: bool) -> None:
        self.node.pin(us, sensor, blocked)
        self.changes.append(Change(us, sensor, blocked))

    @property
    def gaps(self) -> list[BeamGap]:
        return [event for event in self.events if isinstance(event, BeamGap)]

    @property
    def health(self) -> BeamHealth:
        return next(event for event in reversed(self.events) if isinstance(event, BeamHealth))


def bursts(rng: random.Random, count: int, start_us: int, pause_us: tuple[int, int]) -> list[Change]:
    """Draws edges in bursts of eight within 2 ms; edges of one pin at least 100 µs apart, of others at any time."""
    changes: list[Change] = []
    level = [False] * 8
    at = start_us
    while len(changes) < count:
        at += rng.randint(*pause_us)
        burst: list[tuple[int, int]] = []
        while len(burst) < 8:
            us, sensor = at + rng.randrange(2000), rng.randrange(8)
            if all(other != sensor or abs(us - then) >= 100 for then, other in burst):
                burst.append((us, sensor))
        for us, sensor in sorted(burst):
            level[sensor] = not level[sensor]
            changes.append(Change(us, sensor, level[sensor]))
    return changes[:count]


def sensor_of(edge: BeamEdge) -> int:
    return SENSOR[(edge.pocket, edge.beam)]


def offset_us(changes: list[Change], edges: list[BeamEdge]) -> int:
    """The chip's time at which its own clock began: the middle of what the pairs say, a constant of each boot."""
    spans = sorted(change.us - edge.node_us for change, edge in zip(paired(changes, edges)[0], edges, strict=True))
    return spans[len(spans) // 2]


def paired(changes: list[Change], edges: list[BeamEdge]) -> tuple[list[Change], list[BeamEdge]]:
    """Orders the truth as the node must: by time, and freely among edges closer than TOGETHER_US.

    Matching is pin by pin, which no stamp can blur: the n-th edge of a pin is its n-th change.
    """
    by_pin: dict[int, list[Change]] = {}
    for change in sorted(changes, key=lambda change: change.us):
        by_pin.setdefault(change.sensor, []).append(change)
    ordered = []
    for edge in edges:
        ordered.append(by_pin[sensor_of(edge)].pop(0))
    assert not any(by_pin.values()), "some changes never became edges"
    return ordered, edges


@dataclass(frozen=True)
class Comparison:
    """How edges compare with the truth."""

    wrong_level: int
    out_of_order: int
    worst_us: int
    worst_early_late_us: tuple[int, int]


def compare(changes: list[Change], edges: list[BeamEdge]) -> Comparison:
    """Compares edges with what the pins did. Raises AssertionError or IndexError if one is missing or doubled."""
    ordered, _ = paired(changes, edges)
    offset = offset_us(changes, edges)
    errors = [edge.node_us + offset - change.us for change, edge in zip(ordered, edges, strict=True)]
    behind = 0
    latest = 0
    for change in ordered:
        behind += change.us < latest - TOGETHER_US
        latest = max(latest, change.us)
    return Comparison(
        wrong_level=sum(change.blocked != edge.blocked for change, edge in zip(ordered, edges, strict=True)),
        out_of_order=behind,
        worst_us=max(abs(error) for error in errors),
        worst_early_late_us=(min(errors), max(errors)),
    )
