"""What every source of beam events looks like from outside, whatever it hangs on. Knows no driver."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from controller.events.beams import BeamEdge, PocketEvent
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
    node: str = ""
    firmware: str = ""
    edges: int = 0
    lost: int = 0
    damaged: int = 0
    residual_ns: int = 0
    rate_ppm: float = 0.0
    read_bytes: int = 0
    """Read and dealt with, answers written, since the port was opened."""
    written_bytes: int = 0


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
