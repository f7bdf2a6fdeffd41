"""The conversation with a node as values: its states and what moves it on, who answered, what one call brought, what
went by. Pure data, no ports, no clock.

    CLOSED ─opened─▶ GREETING ─greeted─▶ ALIGNING ─aligned─▶ RESUMING ─flowing─▶ RUNNING

A hello with a new boot leads back to ALIGNING from anywhere, a step of the node's clock from where edges flow; two
silent seconds or a line of an unknown boot to GREETING, a lost port to CLOSED. The table holds every move; what is not
in it leaves the state as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from controller.events.beams import BeamEdge, PocketEvent


class State(Enum):
    """Where the conversation stands."""

    CLOSED = "no port"
    GREETING = "saying hello"
    ALIGNING = "measuring the node's clock"
    RESUMING = "asking for edges"
    RUNNING = "running"
    REFUSED = "refused"


class Happening(Enum):
    """What moves it on."""

    OPENED = "opened"
    CLOSED = "closed"
    GREETED = "greeted"
    UNFIT = "unfit"
    ALIGNED = "aligned"
    STEPPED = "clock stepped"
    FLOWING = "flowing"
    SILENT = "silent"
    STRANGER = "stranger"


_OPEN = (State.GREETING, State.ALIGNING, State.RESUMING, State.RUNNING, State.REFUSED)
TABLE: dict[tuple[State, Happening], State] = {
    (State.CLOSED, Happening.OPENED): State.GREETING,
    (State.ALIGNING, Happening.ALIGNED): State.RESUMING,
    (State.RESUMING, Happening.FLOWING): State.RUNNING,
    (State.RESUMING, Happening.STEPPED): State.ALIGNING,
    (State.RUNNING, Happening.STEPPED): State.ALIGNING,
    **{(state, Happening.CLOSED): State.CLOSED for state in State},
    **{(state, Happening.GREETED): State.ALIGNING for state in _OPEN},
    **{(state, Happening.UNFIT): State.REFUSED for state in _OPEN},
    **{(state, Happening.SILENT): State.GREETING for state in _OPEN},
    **{(state, Happening.STRANGER): State.GREETING for state in _OPEN},
}
"""A pair that is not here leaves the state as it is."""


@dataclass(frozen=True, slots=True)
class Node:
    """Who answered: from its hello."""

    id: str
    boot: str
    firmware: str
    reset: str
    beams: int
    same_table: bool

    @property
    def epoch(self) -> str:
        """The name of this boot of this node for ever, as it stands in `BeamEdge.boot`."""
        return f"{self.id}-{self.boot}"


@dataclass(frozen=True, slots=True)
class Step:
    """What one call brought. `events` are in order; `out` is to be sent."""

    events: tuple[PocketEvent, ...] = ()
    out: bytes = b""

    @property
    def edges(self) -> tuple[BeamEdge, ...]:
        """The edges among the events."""
        return tuple(event for event in self.events if isinstance(event, BeamEdge))


@dataclass(slots=True)
class Counters:
    """How many edges went by and were lost, and what the node could not read; for the live view."""

    edges: int = 0
    lost: int = 0
    node_bad: int = 0
    """Damaged lines that the node dropped, by its last beat."""
