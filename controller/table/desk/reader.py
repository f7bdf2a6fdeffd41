"""Reads strokes out of what is seen and felt, and has at hand what each was read from. Must not know what is ruled."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from calibration.board import Board
from controller import shots
from controller.events.beams import BeamEdge
from controller.events.observation import StrokeSeen
from controller.shots import outputs
from controller.table.evidence.case import Case, Tape
from controller.table.evidence.of_stroke import bundle_of
from controller.table.evidence.store import Bundle
from controller.table.machine.clock import NowNs
from controller.table.match.ruled_match import Json

KEPT_EDGES = 400
"""Edges kept at hand for the evidence of a stroke."""

SAID_STROKES = 40
"""So many strokes are known again when the vision process reports them once more."""


class Reader:
    """The shots package with its past. `state`: how far strokes are read."""

    def __init__(self, board: Board, now_ns: NowNs) -> None:
        self.state = shots.begin(board)
        self._now_ns = now_ns
        self._tape = Tape()
        self._edges: deque[BeamEdge] = deque(maxlen=KEPT_EDGES)
        self._said_ns: dict[int, int] = {}

    def restart(self, start_ns: int, settled_until_ns: int = 0) -> None:
        """Begins anew for a match that began at `start_ns`; what was felt until `settled_until_ns` has been read."""
        self.state = shots.restart(self.state, start_ns, settled_until_ns)

    def plays_on(self, board: Board) -> None:
        """Has another board, as it was measured anew."""
        self.state = replace(self.state, board=board)

    def step(self, seen: shots.Input) -> tuple[outputs.Output, ...]:
        """Reads on, with one thing more that was seen, felt or is to be expected."""
        if isinstance(seen, BeamEdge):
            self._edges.append(seen)
        elif isinstance(seen, StrokeSeen):
            self._said_ns = dict([*self._said_ns.items(), (seen.began_ns, seen.t_ns)][-SAID_STROKES:])
        self._tape.take(self._now_ns(), seen)
        self.state, said = shots.step(self.state, seen)
        return said

    def knows(self, stroke: StrokeSeen) -> bool:
        """Whether the vision process has reported this stroke before."""
        return self._said_ns.get(stroke.began_ns) == stroke.t_ns

    def lag_s(self, read: outputs.ShotRead) -> float:
        """How long ago the vision process reported this stroke; where it did not, how long ago the stroke ended."""
        lag_ns = self._now_ns() - self._said_ns.get(read.began_ns, read.t_ns)
        return round(max(lag_ns / 1e9, 0.0), 3)

    def cut(self, read: outputs.ShotRead) -> None:
        """Keeps at hand what was reported around a stroke."""
        self._tape.cut(read.evidence.began_ns or read.began_ns)

    def bundle(self, key: str, evidence: outputs.Evidence, before: Sequence[Json]) -> Bundle | None:
        """What is to be kept of a stroke, None where there are no pictures. `before`: the match's events before it."""
        rows, now = self._tape.rows(evidence.began_ns), self.state
        case = Case(evidence.began_ns or 0, now.start_ns, now.board, rows, tuple(before)) if rows else None
        return bundle_of(key, evidence, self._edges, before, case)
