"""Tapes of what was said: a stream for the referee, written down once and played again without pictures.

What is written hangs on no class of the program but the beams': the wire's lines, the events' and rulings' JSON, plain
values. So a tape that one state of the code has written is played by another.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from controller.events import beams
from controller.events.codec import event_from_json, event_to_json, ruling_to_json
from controller.events.wire import observation_from_line, observation_to_line
from controller.simulator.happenings import Decision, Told
from controller.vision.sources.frame import Frame

EVENTS, RULINGS = ("shot", "event"), ("ruling", "final")
BEAMS = (beams.BeamEdge, beams.BeamHealth, beams.BeamGap)


def taped(stream: Iterator[Any], file: Path) -> Iterator[Any]:
    """Passes a stream on and writes it down, to be played again by `played`."""
    with file.open("wb") as tape:
        for one in stream:
            pickle.dump(_written(one), tape)
            yield one


def played(file: Path) -> Iterator[Any]:
    """Plays a tape: the same stream without pictures, however the strokes are read now."""
    with file.open("rb") as tape:
        while True:
            try:
                kind, *values = pickle.load(tape)
            except EOFError:
                return
            yield _read(kind, values)


def _written(one: Any) -> tuple[Any, ...]:
    match one:
        case Frame():
            return "frame", one.t_ns, one.number, one.jpeg, one.exposure_ns
        case Decision():
            kept = {name: getattr(one, name) for name in ("kind", "t_s", "stroke", "faults", "goal", "slip")}
            events = {name: event_to_json(seen) for name in EVENTS if (seen := getattr(one, name)) is not None}
            rulings = {name: ruling_to_json(told) for name in RULINGS if (told := getattr(one, name)) is not None}
            return "decision", kept, events, rulings
        case Told():
            return "told", one.t_s, event_to_json(one.event)
        case _ if isinstance(one, BEAMS):
            return type(one).__name__, {field.name: getattr(one, field.name) for field in fields(one)}
    return "said", observation_to_line(one)


def _read(kind: str, values: list[Any]) -> Any:
    if kind == "frame":
        t_ns, number, jpeg, exposure_ns = values
        return Frame(t_ns, number, jpeg=jpeg, exposure_ns=exposure_ns)
    if kind == "decision":
        kept, events, rulings = values
        return Decision(**kept, **{name: event_from_json(seen) for name, seen in events.items()}, **rulings)
    if kind == "told":
        return Told(values[0], event_from_json(values[1]), None)  # type: ignore[arg-type]
    if kind == "said":
        return observation_from_line(values[0])
    return getattr(beams, kind)(**values[0])
