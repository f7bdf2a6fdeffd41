"""What fails in the sensors: lost and dead beams, insects, frames that never arrive, a stand that is knocked.

Also the beams' normal work: when a falling piece breaks and frees each. Knows no rules and no pictures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import exp, pi, sin

import numpy as np

from controller.events.beams import Beam
from controller.events.words import Pocket
from controller.simulator.happenings import BeamChange, Knocked
from controller.simulator.motion import Fall, Motion
from controller.simulator.pieces import PieceSet
from controller.simulator.scenario import Fault, Scenario

BEAMS: tuple[Beam, Beam] = ("upper", "lower")
_CALM_S = 0.5


class Disturbances:
    """The sensors' bad luck in one match, from its own source of chance."""

    def __init__(self, scenario: Scenario, rng: np.random.Generator, fps: float) -> None:
        self._scenario = scenario
        self._rng = rng
        self._fps = fps
        self._blind: list[tuple[float, float]] = []
        self._thin: list[tuple[float, float]] = []
        self._shakes: list[tuple[float, float, float]] = []

    def frame(self, t_s: float) -> tuple[bool, tuple[float, float]]:
        """Whether the frame at a time is lost, and by how many px the picture trembles."""
        for spans in (self._blind, self._thin):
            spans[:] = [span for span in spans if span[1] >= t_s - 1.0]
        lost = any(a <= t_s < b for a, b in self._blind)
        if any(a <= t_s < b for a, b in self._thin):
            lost |= bool(self._rng.random() < 0.2)
        self._shakes[:] = [shake for shake in self._shakes if shake[0] > t_s - 1.5]
        dx = dy = 0.0
        for at, size, turn in self._shakes:
            since = t_s - at
            if since >= 0:
                swing = size * exp(-since / 0.18) * sin(2 * pi * 9.0 * since)
                dx, dy = dx + swing * (1 - turn), dy + swing * turn
        return lost, (dx, dy)

    def stroke(
        self, faults: frozenset[Fault], motion: Motion, strike_s: float, run_s: float, pieces: PieceSet
    ) -> Iterator[BeamChange | Knocked]:
        """The beams' changes of one stroke, and its sensor faults set going."""
        end = run_s + motion.end_s
        blind: set[tuple[Pocket, Beam]] = set()
        falls = sorted(motion.falls, key=lambda fall: fall.t_s)
        if falls and "lost_beam" in faults:
            fall = falls[int(self._rng.integers(len(falls)))]
            blind.add((fall.pocket, BEAMS[int(self._rng.integers(2))]))
        if falls and "hidden_fall" in faults:
            blind |= {(falls[0].pocket, beam) for beam in BEAMS}
        yield from (c for c in self.falls(falls, run_s, pieces) if (c.pocket, c.beam) not in blind)
        if "insect" in faults:
            pocket: Pocket = ("NE", "NW", "SW", "SE")[int(self._rng.integers(4))]
            beam = BEAMS[int(self._rng.integers(2))]
            at = float(self._rng.uniform(strike_s, end))
            yield BeamChange(at, pocket, beam, True)
            yield BeamChange(at + float(self._rng.uniform(0.0006, 0.006)), pocket, beam, False)
        if "stalled_camera" in faults:
            at = float(self._rng.uniform(strike_s - 0.3, max(end - 0.5, strike_s)))
            self._blind.append((at, at + float(self._rng.uniform(1.2, 2.5))))
        if "dropped_frames" in faults:
            self._thin.append((strike_s - 0.3, end + _CALM_S))
        if "bump" in faults:
            at = float(self._rng.uniform(strike_s, end))
            self._shakes.append((at, float(self._rng.uniform(1.0, 4.0)), float(self._rng.random())))
            if self._rng.random() < 0.3:
                shift = tuple(float(v) for v in self._rng.normal(0, 0.8, 3))
                yield Knocked(end + 0.1, shift, float(self._rng.normal(0, 0.02)))  # type: ignore[arg-type]

    def falls(self, falls: Iterable[Fall], run_s: float, pieces: PieceSet) -> list[BeamChange]:
        """When the beams of the pockets concerned change; pieces that overlap in time make one pulse."""
        spans: dict[tuple[Pocket, Beam], list[tuple[float, float]]] = {}
        for fall in falls:
            for beam in BEAMS:
                if (fall.pocket, beam) in self._scenario.dead_beams:
                    continue
                into, out = fall.crossing_s(beam, pieces.thickness(fall.name), 2 * pieces.radius(fall.name))
                # How a piece tumbles is not known: it breaks the beam a little earlier or later, for longer or shorter.
                jitter = self._rng.normal(0, 0.0012, 2)
                a = run_s + into + float(jitter[0])
                spans.setdefault((fall.pocket, beam), []).append((a, max(run_s + out + float(jitter[1]), a + 0.004)))
        changes = []
        for (pocket, beam), found in spans.items():
            for a, b in _joined(found):
                changes += [BeamChange(a, pocket, beam, True), BeamChange(b, pocket, beam, False)]
        return sorted(changes, key=lambda change: change.t_s)


def _joined(spans: list[tuple[float, float]]) -> list[tuple[float, float]]:
    done: list[tuple[float, float]] = []
    for a, b in sorted(spans):
        if done and a <= done[-1][1]:
            done[-1] = (done[-1][0], max(done[-1][1], b))
        else:
            done.append((a, b))
    return done
