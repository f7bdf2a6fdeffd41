"""Tapes of what was said: a stream for the referee, written down once and played again without pictures.

What is written hangs on no class of the program but the beams' and the motion window's: the wire's lines, the events'
and rulings' JSON, plain values. So a tape that one state of the code has written is played by another. A stroke is
taped as its motion window, from which `explained` makes it anew.
"""

from __future__ import annotations

import gzip
import pickle
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from calibration.board import Board
from controller.events import beams
from controller.events.codec import event_from_json, event_to_json, ruling_to_json
from controller.events.wire import observation_from_line, observation_to_line
from controller.simulator.happenings import Decision, TrueRuling
from controller.vision.following.motion_window import MotionWindow
from controller.vision.following.stroke import stroke_of
from controller.vision.sources.frame import Frame

EVENTS, RULINGS = ("shot", "event"), ("ruling", "final")
BEAMS = (beams.BeamEdge, beams.BeamHealth, beams.BeamGap)
WINDOW = TypeAdapter(MotionWindow)


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


def explained(stream: Iterator[Any], board: Board) -> Iterator[Any]:
    """Passes a stream on with each motion window as the stroke that it is explained by, if by any."""
    for one in stream:
        if not isinstance(one, MotionWindow):
            yield one
        elif (stroke := stroke_of(one, board)) is not None:
            yield observation_from_line(observation_to_line(stroke))


def _written(one: Any) -> tuple[Any, ...]:
    match one:
        case Frame():
            return "frame", one.t_ns, one.number, one.jpeg, one.exposure_ns
        case Decision():
            kept = {name: getattr(one, name) for name in ("kind", "t_s", "stroke", "faults", "goal", "slip")}
            events = {name: event_to_json(seen) for name in EVENTS if (seen := getattr(one, name)) is not None}
            rulings = {name: ruling_to_json(told) for name in RULINGS if (told := getattr(one, name)) is not None}
            return "decision", kept, events, rulings
        case TrueRuling():
            return "told", one.t_s, event_to_json(one.event)
        case MotionWindow():
            return "window", gzip.compress(WINDOW.dump_json(one))
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
        return TrueRuling(values[0], event_from_json(values[1]), None)  # type: ignore[arg-type]
    if kind == "window":
        return window_from_json(gzip.decompress(values[0]))
    if kind == "said":
        return observation_from_line(values[0])
    return getattr(beams, kind)(**values[0])


def window_from_json(text: str | bytes) -> MotionWindow:
    """Reads a window. Its tracks begin at the very pieces of the board before, which are told apart by identity."""
    window = WINDOW.validate_json(text)
    lay = {piece: piece for piece in window.before.pieces}
    for track in window.tracks:
        track.start = lay.get(track.start, track.start) if track.start is not None else None
    shoved = tuple(replace(one, piece=lay.get(one.piece, one.piece)) for one in window.shoved)
    return replace(window, shoved=shoved)
