"""What every source of beam events looks like from outside, whatever it hangs on. Knows no driver."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from controller.events.beams import BeamEdge, PocketEvent
from controller.pockets.beam_map import Place
from controller.supervision.heartbeat import SupervisedThread

NowNs = Callable[[], int]
Store = Callable[[Sequence[BeamEdge]], None]
"""Returns once the edges are durable; raises if they are not. The same edge may be offered again."""
Emit = Callable[[PocketEvent], None]
"""Is called from the source's own thread, in order: an edge only after it was stored."""


@dataclass(frozen=True, slots=True)
class SourceReport:
    """How a source is doing, for `carrom check`, `carrom pockets` and the health report."""

    where: str
    link: str
    says: str
    restarts: int = 0
    """New starts since its first report."""
    node: str = ""
    firmware: str = ""
    edges: int = 0
    lost: int = 0
    damaged: int = 0
    """Lines that came damaged, at either end of the cable."""
    residual_ns: int = 0
    rate_ppm: float = 0.0
    read_bytes: int = 0
    """Read and dealt with, answers written, since the port was opened."""
    written_bytes: int = 0
    fitted: tuple[Place, ...] = ()
    """The beams that the configuration names."""
    unwatched: tuple[Place, ...] = ()
    """Those of them that the node was set not to watch."""
    noise: Mapping[Place, int] = field(default_factory=dict)
    """Pulses of each beam that were shorter than anything that falls, since the node's start; it stops at 255."""
    margins: Mapping[Place, int] = field(default_factory=dict)
    """How much light each beam has to spare, 0 to 255, where the node measures it."""


class PocketSource(Protocol):
    """A source of beam events. Its constructor does nothing; `start` and `stop` may be called once each."""

    def start(self) -> None:
        """Begins to deliver, in a thread of its own. Does not wait for the hardware and does not fail without it."""

    def stop(self) -> None:
        """Ends the thread and frees the hardware; afterwards nothing is delivered any more."""

    @property
    def thread(self) -> SupervisedThread:
        """Its thread, for supervision."""

    def report(self) -> SourceReport:
        """Returns how it is doing. Any thread."""
