"""What the pockets feel: edges of light beams, and the gaps in what is known of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from controller.events.words import Pocket

Beam = Literal["upper", "lower"]
Link = Literal["up", "restarting", "stale", "down"]


@dataclass(frozen=True, slots=True)
class BeamEdge:
    """One edge of one beam.

    `t_ns` is on the host's monotonic clock, aligned from the node's own; `u_ns` its standard error. `boot` and
    `seq` name the edge for ever: the same pair is the same edge, however often it arrives.
    """

    t_ns: int
    pocket: Pocket
    beam: Beam
    blocked: bool
    boot: str
    seq: int
    u_ns: int = 0
    node_us: int = 0


@dataclass(frozen=True, slots=True)
class BeamGap:
    """Edges are known to be lost between two times: what fell then is not known from the beams."""

    t_ns: int
    from_ns: int
    lost: int
    why: str
    boot: str = ""


@dataclass(frozen=True, slots=True)
class BeamHealth:
    """A sign of life: every edge up to `t_ns` has been delivered; levels now; pockets that are blind.

    `link` is `up` while lines arrive, `stale` after two silent seconds, `down` without a port, `restarting` until it
    runs after a new start or a step of its clock, and as long as it does so too often to be relied on.
    """

    t_ns: int
    link: Link
    blocked: tuple[tuple[Pocket, Beam], ...] = ()
    blind: tuple[Pocket, ...] = ()
    full: tuple[Pocket, ...] = ()
    residual_ns: int = 0
    noise: int = 0
    says: str = ""


PocketEvent = BeamEdge | BeamGap | BeamHealth
