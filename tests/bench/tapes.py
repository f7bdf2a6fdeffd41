"""Tapes of what was said: a stream for the referee, written down once and played again without pictures."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from controller.simulator.happenings import Decision


def taped(stream: Iterator[Any], file: Path) -> Iterator[Any]:
    """Passes a stream on and writes it down, to be played again by `played`."""
    with file.open("wb") as tape:
        for one in stream:
            if isinstance(one, Decision):
                pickle.dump({name: getattr(one, name) for name in _FACTS}, tape)
            else:
                pickle.dump(one, tape)
            yield one


def played(file: Path) -> Iterator[Any]:
    """Plays a tape: the same stream without pictures, however the strokes are read now."""
    with file.open("rb") as tape:
        while True:
            try:
                one = pickle.load(tape)
            except EOFError:
                return
            yield Decision(**one) if isinstance(one, dict) else one


_FACTS = (
    "kind", "t_s", "stroke", "shot", "ruling", "final", "answers", "event", "faults", "goal", "slip",
)  # fmt: skip
