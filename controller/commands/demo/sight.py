"""What the demo's page shows of the inside: the newest picture with what vision found drawn over it, what each
pocket's beams felt of late, and the board as the table understands it.

Reads what a real table has, too: the ring of pictures, the journal, the table's page. Must not know the simulator.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from controller.events.beams import BeamEdge
from controller.events.errors import CarromError
from controller.journal.journal import Journal
from controller.table.evidence.drawn import drawn_board
from controller.vision.calibration_file import Calibration, being_made, load
from controller.vision.ring import RingReader

TRACE_S = 10.0
"""So much of each pocket's trace is shown."""

POCKETS = ("NW", "NE", "SW", "SE")

Json = dict[str, Any]


class Sight:
    """`folder`: the demo's; `state()`: what everybody's page is sent; `now_ns()`: the table's clock."""

    def __init__(self, folder: Path, state: Callable[[], Json], now_ns: Callable[[], int]) -> None:
        self._folder = folder
        self._state = state
        self._now_ns = now_ns
        self._ring = RingReader(folder / "run" / "pictures.ring")
        self._known: tuple[float, Calibration] | None = None

    def picture(self) -> bytes | None:
        """The newest JPEG; None while the camera is being set up."""
        newest = self._ring.newest()
        kept = self._ring.picture(newest) if newest is not None else None
        return kept.jpeg if kept is not None else None

    def told(self) -> Json:
        """`{picture, over, traces, seconds, state, making}`; `over`: what is drawn over the picture, None before a
        calibration; `making`: how far that has got."""
        state = self._state()
        pieces = (state.get("board") or {}).get("pieces", ())
        known = self._calibration()
        return {
            "picture": self._ring.newest(),
            "over": drawn_board(known, pieces) if known is not None else None,
            "traces": self._traces(),
            "seconds": TRACE_S,
            "state": state,
            "making": being_made(self._folder / "calibration.json"),
        }

    def _calibration(self) -> Calibration | None:
        """The one in force: a visitor may have set the camera up anew."""
        file = self._folder / "calibration.json"
        try:
            written = file.stat().st_mtime
            if self._known is None or self._known[0] != written:
                self._known = (written, load(file))
        except (OSError, CarromError):
            return None
        return self._known[1]

    def _traces(self) -> Json:
        try:
            with Journal(self._folder / "state" / "journal.sqlite", read_only=True) as journal:
                felt = [one for one in journal.edges(time.time() - 4 * TRACE_S) if isinstance(one, BeamEdge)]
        except CarromError:
            felt = []
        now = self._now_ns()
        return {pocket: traces([one for one in felt if one.pocket == pocket], now) for pocket in POCKETS}


def traces(edges: Sequence[BeamEdge], now_ns: int) -> Mapping[str, list[list[float]]]:
    """Returns for each beam when it was broken of late: `[from, until]` in seconds before now, the earliest first.

    A beam that is still broken is so until now.
    """
    found: dict[str, list[list[float]]] = {"upper": [], "lower": []}
    for edge in sorted(edges, key=lambda one: one.t_ns):
        ago = (now_ns - edge.t_ns) / 1e9
        spans = found[edge.beam]
        if edge.blocked:
            spans.append([ago, 0.0])
        elif spans:
            spans[-1][1] = ago
    return {
        beam: [[round(min(begins, TRACE_S), 3), round(max(0.0, ends), 3)] for begins, ends in spans if ends < TRACE_S]
        for beam, spans in found.items()
    }
