"""The truth written beside what is shown: one JSON object a line, in order of time.

`frame`: number, time, whether it was lost; `beam`: a beam's change; `told`: a true event and the ruling on it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import IO, Any

from controller.events.codec import event_to_json, ruling_to_json
from controller.simulator.camera import Frame
from controller.simulator.happenings import BeamChange, Decision, FrameDue, Happening, Knocked, TrueRuling


class TruthFile:
    """Appends to a file of JSON lines."""

    def __init__(self, path: Path) -> None:
        self._stream: IO[str] = path.open("w", encoding="utf-8", buffering=1 << 16)

    def write(self, happening: Happening, frame: Frame | None = None) -> None:
        """Writes one happening; with its frame, also where every piece was and how much of it could be seen."""
        line = _line(happening)
        if frame is not None:
            line["pieces"] = [
                [p.name, p.piece, round(p.x_mm, 2), round(p.y_mm, 2), round(p.z_mm, 1), round(p.visible, 3)]
                for p in frame.pieces
            ]
        self._stream.write(json.dumps(line, separators=(",", ":")) + "\n")
        if isinstance(happening, TrueRuling):
            self._stream.flush()

    def close(self) -> None:
        """Ends the file."""
        self._stream.close()


def _line(happening: Happening) -> dict[str, Any]:
    t = round(happening.t_s, 6)
    if isinstance(happening, FrameDue):
        return {"kind": "frame", "t": t, "number": happening.number, "lost": happening.lost}
    if isinstance(happening, BeamChange):
        return {
            "kind": "beam",
            "t": t,
            "pocket": happening.pocket,
            "beam": happening.beam,
            "blocked": happening.blocked,
        }
    if isinstance(happening, Knocked):
        return {"kind": "knock", "t": t, "shift_mm": happening.shift_mm, "turn_deg": happening.turn_deg}
    if isinstance(happening, Decision):
        return {"kind": "decision", "t": t, "what": happening.kind, "stroke": happening.stroke, "goal": happening.goal,
                "faults": sorted(happening.faults)}  # fmt: skip
    return {
        "kind": "told", "t": t, "event": event_to_json(happening.event), "ruling": ruling_to_json(happening.ruling),
    }  # fmt: skip
