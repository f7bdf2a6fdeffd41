"""Reads a case file, plain or gzipped. A motion window in it is explained first, as the vision process does."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from calibration.board import Board
from controller.events.reading import strictly
from controller.events.wire import observation_to_line
from controller.table.evidence.case import Case, case_from_text
from controller.vision.following.motion_window import MotionWindow
from controller.vision.following.stroke import stroke_of
from tests.bench.tapes import window_from_json

HERE = Path(__file__).parent
BOARD = TypeAdapter(Board)

Line = str | None
"""A window's stroke as it goes over the wire; None where nothing moved."""


class Recorded:
    """A case as it is written. `windows`: its motion windows, in order."""

    def __init__(self, text: bytes, name: str) -> None:
        self.name = name
        self._body: dict[str, Any] = json.loads(gzip.decompress(text) if text[:2] == b"\x1f\x8b" else text)
        self.board = strictly(BOARD, self._body["board"])
        self.windows: list[MotionWindow] = [
            window_from_json(json.dumps(told)) for _, kind, told in self._body["inputs"] if kind == "window"
        ]

    def lines(self) -> list[Line]:
        """Explains the windows."""
        strokes = [stroke_of(window, self.board) for window in self.windows]
        return [None if stroke is None else observation_to_line(stroke) for stroke in strokes]

    def case(self, lines: list[Line]) -> Case:
        """Returns the case with its windows explained so."""
        explained, inputs = iter(lines), []
        for at_ns, kind, told in self._body["inputs"]:
            if kind != "window":
                inputs.append([at_ns, kind, told])
            elif (line := next(explained)) is not None:
                inputs.append([at_ns, "eyes", json.loads(line)])
        return case_from_text(json.dumps(self._body | {"inputs": inputs}), self.name)


def files() -> list[Path]:
    """Every case that is kept."""
    return sorted([*HERE.glob("*.json"), *HERE.glob("*.json.gz")])


def name_of(file: Path) -> str:
    """A case's name: its file's."""
    return file.name.partition(".")[0]


def read(file: Path) -> Case:
    """Reads a case; its windows as the strokes that they are explained by, if by any."""
    recorded = Recorded(file.read_bytes(), name_of(file))
    return recorded.case(recorded.lines())
