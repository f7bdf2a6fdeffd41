"""Joins beam edges into beam interruptions: one object through a pocket once. Must not know which object.

An edge is named by (boot, seq): the same edge twice is one edge. Edges come in any order; what is made of them
depends on their times alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from controller.events.beams import Beam, BeamEdge
from controller.events.words import Pocket
from controller.shots.limits import Limits


@dataclass(frozen=True, slots=True)
class Pulse:
    """One beam interruption. `until_ns` is None while the beam is still broken. `upward`: the lower beam was broken
    first."""

    pocket: Pocket
    t_ns: int
    u_ns: int
    until_ns: int | None
    beams: tuple[Beam, ...]
    upward: bool = False
    short: bool = False

    def like_a_piece(self, limits: Limits) -> bool:
        """Says whether both beams were broken one after the other for as long as one piece breaks them."""
        return (
            len(self.beams) == 2
            and not self.upward
            and self.until_ns is not None
            and self.until_ns - self.t_ns <= limits.piece_longest_ns
        )

    def whole(self, limits: Limits) -> bool:
        """Says whether both beams were broken as by a piece, or the edge that ended it has not come."""
        open_still = len(self.beams) == 2 and not self.upward and self.until_ns is None
        return open_still or self.like_a_piece(limits)

    def stuck(self, limits: Limits) -> bool:
        """Says whether this lasted too long for a piece that fell."""
        return self.until_ns is not None and self.until_ns - self.t_ns > limits.stuck_ns


@dataclass(frozen=True, slots=True)
class _Break:
    """One beam broken once."""

    t_ns: int
    u_ns: int
    until_ns: int | None


def pulses_of(edges: Iterable[BeamEdge], limits: Limits) -> tuple[Pulse, ...]:
    """Returns the interruptions in order of time. `edges` in any order, repeated or not."""
    by_beam: dict[tuple[Pocket, Beam], dict[tuple[str, int, int], BeamEdge]] = {}
    for edge in edges:
        by_beam.setdefault((edge.pocket, edge.beam), {})[(edge.boot, edge.seq, edge.t_ns)] = edge
    found: list[Pulse] = []
    for pocket in sorted({pocket for pocket, _ in by_beam}):
        upper = _breaks(by_beam.get((pocket, "upper"), {}).values(), limits)
        lower = _breaks(by_beam.get((pocket, "lower"), {}).values(), limits)
        found += _interruptions(pocket, upper, lower, limits)
    return tuple(sorted(found, key=lambda pulse: (pulse.t_ns, pulse.pocket)))


def _breaks(edges: Iterable[BeamEdge], limits: Limits) -> list[_Break]:
    """Joins the edges of one beam to breaks; chatter is one break, and a lost edge does not glue two breaks."""
    breaks: list[_Break] = []
    for edge in sorted(edges, key=lambda edge: (edge.t_ns, edge.seq, edge.blocked)):
        last = breaks[-1] if breaks else None
        if edge.blocked:
            if last is not None and last.until_ns is not None:
                if edge.t_ns - last.until_ns <= limits.pulse_join_ns:
                    breaks[-1] = _Break(last.t_ns, last.u_ns, None)
                    continue
            elif last is not None and edge.t_ns - last.t_ns <= limits.pulse_join_ns:
                continue
            breaks.append(_Break(edge.t_ns, edge.u_ns, None))
        elif last is not None and last.until_ns is None:
            breaks[-1] = _Break(last.t_ns, last.u_ns, edge.t_ns)
    return breaks


def _interruptions(pocket: Pocket, upper: list[_Break], lower: list[_Break], limits: Limits) -> list[Pulse]:
    """Pairs what the upper and the lower beam felt of the same thing; what only one felt stands alone."""
    interruptions: list[Pulse] = []
    rest = list(lower)
    for above in upper:
        mate = min(
            (below for below in rest if abs(below.t_ns - above.t_ns) <= limits.beams_apart_ns),
            key=lambda below: (below.t_ns < above.t_ns, abs(below.t_ns - above.t_ns)),
            default=None,
        )
        if mate is None:
            interruptions.append(_pulse(pocket, above, ("upper",), False, limits))
            continue
        rest.remove(mate)
        first, second = sorted((above, mate), key=lambda found: found.t_ns)
        until = None if None in (first.until_ns, second.until_ns) else max(first.until_ns or 0, second.until_ns or 0)
        whole = _Break(first.t_ns, first.u_ns, until)
        interruptions.append(_pulse(pocket, whole, ("upper", "lower"), mate.t_ns < above.t_ns, limits))
    interruptions += [_pulse(pocket, below, ("lower",), False, limits) for below in rest]
    return interruptions


def _pulse(pocket: Pocket, found: _Break, beams: tuple[Beam, ...], upward: bool, limits: Limits) -> Pulse:
    short = len(beams) == 1 and found.until_ns is not None and found.until_ns - found.t_ns < limits.pulse_least_ns
    return Pulse(pocket, found.t_ns, found.u_ns, found.until_ns, beams, upward, short)
