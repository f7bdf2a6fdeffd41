"""Edges of the two beams of a pocket → passages: something went in, came out, or a hand was there.

Pure: edges in, passages out, in the order in which they end. A beam cannot count: two coins within 20 ms mostly make
one pulse. A passage says where and when; how many and which is the camera's to say.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from controller.events.beams import Beam, BeamEdge
from controller.events.words import Pocket

Direction = Literal["in", "out", "hand", "unknown"]

MS = 1_000_000
NOISE_NS = MS // 2
"""Shorter than anything that falls: a coin needs 5 ms and more."""
HAND_NS = 150 * MS
"""Longer than anything that falls."""
TWIN_NS = 120 * MS
"""A piece that passes one beam passes the other within this, slow ones included."""


@dataclass(frozen=True, slots=True)
class Pulse:
    """One beam, blocked and free again. `width_ns` is measured on the node's own clock where it has one."""

    pocket: Pocket
    beam: Beam
    from_ns: int
    to_ns: int
    width_ns: int


@dataclass(frozen=True, slots=True)
class Passage:
    """What one or both beams of a pocket made of one disturbance; `pulses` are its evidence, in order."""

    pocket: Pocket
    direction: Direction
    t_ns: int
    pulses: tuple[Pulse, ...]

    @property
    def beams(self) -> frozenset[Beam]:
        """The beams that fired."""
        return frozenset(pulse.beam for pulse in self.pulses)


@dataclass(slots=True)
class _PocketState:
    since: dict[Beam, BeamEdge] = field(default_factory=dict)
    pulses: list[Pulse] = field(default_factory=list)
    ended_ns: int = 0


class Pulses:
    """Pairs edges into pulses and pulses into passages, pocket by pocket."""

    def __init__(self) -> None:
        self._pockets: dict[Pocket, _PocketState] = {}

    def edge(self, edge: BeamEdge) -> tuple[Passage, ...]:
        """Takes an edge; returns the passages that it ends: those that lie too far back to be its own."""
        done = self.until(edge.t_ns)
        state = self._pockets.setdefault(edge.pocket, _PocketState())
        if edge.blocked:
            state.since.setdefault(edge.beam, edge)
            return done
        began = state.since.pop(edge.beam, None)
        if began is None:
            return done
        same_clock = began.boot == edge.boot and edge.node_us > began.node_us
        width = (edge.node_us - began.node_us) * 1000 if same_clock else edge.t_ns - began.t_ns
        if width >= NOISE_NS:
            state.pulses.append(Pulse(edge.pocket, edge.beam, began.t_ns, edge.t_ns, width))
            state.ended_ns = max(state.ended_ns, edge.t_ns)
        return done

    def until(self, t_ns: int) -> tuple[Passage, ...]:
        """Returns the passages that are over by `t_ns`: both beams free and no twin to come."""
        done = []
        for pocket, state in self._pockets.items():
            if state.pulses and not state.since and t_ns - state.ended_ns > TWIN_NS:
                done.append(_passage(pocket, tuple(sorted(state.pulses, key=lambda pulse: pulse.from_ns))))
                state.pulses.clear()
        return tuple(sorted(done, key=lambda passage: passage.t_ns))

    def forget(self) -> None:
        """Something was lost: what is half open is not known any more."""
        self._pockets.clear()


def _passage(pocket: Pocket, pulses: tuple[Pulse, ...]) -> Passage:
    first = pulses[0]
    return Passage(pocket, _direction(pulses), first.from_ns, pulses)


def _direction(pulses: tuple[Pulse, ...]) -> Direction:
    if any(pulse.width_ns > HAND_NS for pulse in pulses):
        return "hand"
    upper = [pulse.from_ns for pulse in pulses if pulse.beam == "upper"]
    lower = [pulse.from_ns for pulse in pulses if pulse.beam == "lower"]
    if not upper or not lower or upper[0] == lower[0]:
        return "unknown"
    return "in" if upper[0] < lower[0] else "out"
