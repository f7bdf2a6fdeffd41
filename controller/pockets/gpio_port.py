"""Beams wired straight to the Pi's GPIO: edges stamped by the kernel, loss visible, one thread.

The alternative to a node, behind the same interface. Times are the kernel's CLOCK_MONOTONIC, so `now_ns` must be
`time.monotonic_ns` or whatever clock the line source stamps with. Knows no pockets' meaning and no journal.
"""

from __future__ import annotations

import logging
import secrets
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from controller.events.beams import BeamEdge, BeamGap, BeamHealth, PocketEvent
from controller.events.errors import DeviceError
from controller.pockets.beam_map import BeamMap
from controller.pockets.beam_watch import BeamWatch
from controller.pockets.source import Emit, NowNs, SourceReport, Store
from controller.pockets.steadiness import Disturbance, Steadiness
from controller.supervision.heartbeat import SupervisedThread

_log = logging.getLogger(__name__)

WAIT_S = 0.05
LOOK_S = 0.25
BEAT_NS = 250_000_000
KEPT_UNSAVED = 20_000
LINES_COME_AND_GO = "the GPIO lines of the beams come and go. Fix: check the chip's plug; the log says what it died of"


@dataclass(frozen=True, slots=True)
class LineEdge:
    """One edge of one line as the kernel saw it. `number` counts all edges of the request from 1; a jump is a loss."""

    line: int
    high: bool
    t_ns: int
    number: int


class LineSource(Protocol):
    """Lines of a GPIO chip. Raises DeviceError from any call if the chip cannot be used."""

    def open(self) -> None:
        """Asks for the lines with both edges, numbers starting at 1 again."""

    def wait(self, timeout_s: float) -> Sequence[LineEdge]:
        """Returns the edges there are, waiting for the first; none if none came in time."""

    def levels(self) -> Mapping[int, bool]:
        """Returns which lines are high now."""

    def close(self) -> None:
        """Gives the lines back. May be called twice."""


class GpioLink:
    """Line edges in, beam events out: sans-IO. One for each opening of the lines; `epoch` names it for ever."""

    def __init__(self, beams: BeamMap, epoch: str, now_ns: int) -> None:
        self._beams = beams
        self._epoch = epoch
        self._number = 0
        self._horizon_ns = now_ns
        self._told_ns = now_ns
        self._levels: dict[int, bool] = {}
        self.lost = 0
        self.edges = 0

    def levels(self, high: Mapping[int, bool]) -> None:
        """Takes the lines' levels: high is blocked."""
        self._levels = dict(high)

    def received(self, edges: Sequence[LineEdge]) -> list[PocketEvent]:
        """Takes edges in the kernel's order; a jump in their numbers becomes a gap with its exact size."""
        events: list[PocketEvent] = []
        for edge in edges:
            lost = edge.number - self._number - 1
            if lost < 0:
                continue
            if lost:
                self.lost += lost
                since = min(self._horizon_ns, edge.t_ns)
                events.append(BeamGap(edge.t_ns, since, lost, "the kernel's buffer was full", self._epoch))
            self._number = edge.number
            self._horizon_ns = max(self._horizon_ns, edge.t_ns)
            self._levels[edge.line] = edge.high
            place = self._beams.places.get(edge.line)
            if place is None:
                continue
            self.edges += 1
            node_us = edge.t_ns // 1000
            events.append(BeamEdge(edge.t_ns, place[0], place[1], edge.high, self._epoch, edge.number, 0, node_us))
        return events

    def quiet(self, since_ns: int, now_ns: int) -> list[PocketEvent]:
        """Nothing was waiting at `since_ns`: every edge up to then is delivered. Beats four times a second."""
        self._horizon_ns = max(self._horizon_ns, since_ns)
        if now_ns - self._told_ns < BEAT_NS:
            return []
        self._told_ns = now_ns
        return [self.health()]

    def health(self) -> BeamHealth:
        """Returns the sign of life."""
        places = sorted(self._beams.places.items())
        blocked = tuple(place for line, place in places if self._levels.get(line, False))
        return BeamHealth(self._horizon_ns, "up", blocked=blocked)

    def down(self, says: str) -> BeamHealth:
        """Returns what is to be reported once the chip is gone."""
        return BeamHealth(self._horizon_ns, "down", says=says)


class GpioPockets:
    """Reads beams from a line source, and asks for the lines again for ever if the chip goes away."""

    def __init__(
        self,
        *,
        lines: LineSource,
        beams: BeamMap,
        now_ns: NowNs,
        store: Store,
        emit: Emit,
    ) -> None:
        self._lines = lines
        self._beams = beams
        self._now_ns = now_ns
        self._store = store
        self._emit = emit
        self._watch = BeamWatch(beams)
        self._steadiness = Steadiness()
        self._link: GpioLink | None = None
        self._unsaved: deque[BeamEdge] = deque(maxlen=KEPT_UNSAVED)
        self._trouble = ""
        self._edges_before = 0
        self._lost_before = 0
        self._stop = threading.Event()
        self._thread = SupervisedThread("pockets", self._run, self._stop)

    def start(self) -> None:
        """Begins to ask for the lines."""
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread and gives the lines back."""
        self._stop.set()
        self._thread.join()

    @property
    def thread(self) -> SupervisedThread:
        """The thread, for supervision."""
        return self._thread

    def report(self) -> SourceReport:
        """Returns how the lines are doing."""
        link = self._link
        return SourceReport(
            where="gpio",
            link="running" if link else "no port",
            says=self._trouble or self._steadiness.says(self._now_ns()),
            restarts=self._steadiness.restarts,
            edges=self._edges_before + (link.edges if link else 0),
            lost=self._lost_before + (link.lost if link else 0),
            fitted=self._beams.fitted,
        )

    def _run(self, beat: Callable[[], None]) -> None:
        while not self._stop.is_set():
            beat()
            try:
                self._lines.open()
                self._read(beat)
            except DeviceError as error:
                self._complain(str(error))
                if self._link is not None:
                    self._tell([self._link.down(str(error))])
            finally:
                self._lines.close()
                if self._link is not None:
                    self._edges_before += self._link.edges
                    self._lost_before += self._link.lost
                self._link = None
            if (changed := self._steadiness.changed(self._now_ns())) is not None:
                self._emit_seen(changed)
            self._stop.wait(LOOK_S)

    def _read(self, beat: Callable[[], None]) -> None:
        link = GpioLink(self._beams, f"gpio-{secrets.token_hex(4)}", self._now_ns())
        link.levels(self._lines.levels())
        self._link = link
        self._steadiness.began("lines", Disturbance("", LINES_COME_AND_GO), self._now_ns())
        self._trouble = ""
        self._tell([link.health()])
        while not self._stop.is_set():
            beat()
            since = self._now_ns()
            edges = self._lines.wait(WAIT_S)
            if edges:
                self._tell(link.received(edges))
            else:
                self._tell(link.quiet(since, self._now_ns()))

    def _tell(self, events: list[PocketEvent]) -> None:
        """Saves, then reports. What cannot be saved is reported as well and offered again with the next."""
        self._unsaved.extend(event for event in events if isinstance(event, BeamEdge))
        if self._unsaved:
            try:
                self._store(tuple(self._unsaved))
                self._unsaved.clear()
                self._trouble = ""
            except Exception as error:
                # Whoever stores is somebody else, with errors of his own; play goes on whatever befell him.
                self._complain(f"edges cannot be saved: {error}")
        for event in events:
            steady = self._steadiness.judged(event, self._now_ns()) if isinstance(event, BeamHealth) else event
            self._emit_seen(steady)

    def _emit_seen(self, event: PocketEvent) -> None:
        for told in self._watch.see(event):
            self._emit(self._with_trouble(told))

    def _with_trouble(self, event: PocketEvent) -> PocketEvent:
        if not isinstance(event, BeamHealth) or not self._unsaved:
            return event
        return replace(event, says="; ".join(part for part in (self._trouble, event.says) if part))

    def _complain(self, says: str) -> None:
        if says != self._trouble:
            _log.warning("%s", says)
        self._trouble = says
