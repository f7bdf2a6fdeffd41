"""Cuts cases out of tapes of motion windows: each stroke with what lay before it, and each stretch without a stroke.

    python -m tests.cases.cut FROM OUT    every case of what lies in a folder, as it is read now; none is chosen

`FROM` has tapes of `python -m tests.bench.parity make FROM windows FIRST AFTER`, of which a case holds what was put
into the shots package from one rest that the players waited at to the next; or recordings of single strokes, `stroke_*`
with `frames`, `beams.jsonl`, `start.json` and `truth.json`, beside `rig_*_calibration`. In both the windows are left
unexplained. What is read silently wrong now is no case.
"""

from __future__ import annotations

import gzip
import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import cv2
import numpy as np

from calibration.presets import PRESETS
from controller import rules, shots
from controller.commands.follower import follow_recording
from controller.commands.watch import merged, read_beams, read_start
from controller.events.beams import BeamEdge
from controller.events.codec import event_from_json, event_to_json, ruling_to_json
from controller.events.match import Shot
from controller.events.observation import Moving, StrokeSeen
from controller.events.wire import observation_from_line, observation_to_line
from controller.simulator.clock import EPOCH_NS
from controller.simulator.happenings import Decision, TrueRuling
from controller.table.evidence.case import Case, case_text, play
from controller.vision.calibration_file import Calibration
from controller.vision.following.hands import HandTrace, Outline
from controller.vision.following.motion_window import MotionWindow
from controller.vision.following.stroke import stroke_of
from controller.vision.sources.choose import recording
from tests.bench.parity import windows
from tests.bench.pictured import noting_windows
from tests.bench.refereed import Referee, Table, as_json, books
from tests.bench.second.judged import calibrated, shot_of
from tests.bench.tapes import WINDOW, played
from tests.cases.reader import Recorded

Json = dict[str, Any]
Row = tuple[int, Any]
BOOKS = books()

SETS_OUT_NS = 200_000_000
"""So long before a stroke begins nothing of it is to be seen."""

OUTLINE_MM = 3.0
"""So far a hand's outline may be beside what was seen of it."""


class Logged(Table):
    """Writes down what is put into the shots package, but what is explained from windows."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.rows: list[Row] = []

    def _step(self, seen: Any) -> None:
        if not isinstance(seen, shots.Tick | Moving | StrokeSeen):
            self.rows.append((self._now_ns, seen))
        super()._step(seen)


def cases_of(file: Path) -> Iterator[tuple[str, str]]:
    """Yields the cases of a tape: names and texts."""
    (part,) = windows(int(file.name[:4]), int(file.name[:4]) + 1)
    board = PRESETS[part.board]
    table = Logged(BOOKS, EPOCH_NS, board=board)
    cuts: list[tuple[int, Decision, list[Json]]] = []

    def stream() -> Iterator[Any]:
        ruled, before, told = None, list[Json](), list[Json]()
        for one in played(file):
            if isinstance(one, MotionWindow):
                table.rows.append((max(one.published_ns, table.rows[-1][0]), one))
                if (stroke := stroke_of(one, board)) is not None:
                    yield observation_from_line(observation_to_line(stroke))
                continue
            if isinstance(one, TrueRuling):
                before = list(told) if isinstance(one.event, Shot) else before
                told.append(event_to_json(one.event))
            yield one
            if isinstance(one, Decision) and one.kind == "ruling":
                ruled = one
            elif isinstance(one, Decision) and one.kind in ("ready", "over") and ruled is not None:
                cuts.append((len(table.rows), ruled, before))
                ruled = None

    list(Referee(stream(), table, 1 << 30).play())
    first = 0
    for after, decision, before in cuts:
        assert decision.shot is not None
        began_ns = EPOCH_NS + round(decision.shot.t * 1e9)
        says = f"{part.look}, {part.board}, {part.scenario}; stroke {decision.stroke} of seed {part.seed}"
        case = Case(
            began_ns, EPOCH_NS, board, (), tuple(before), as_json(decision.ruling),
            f"{says}: {', '.join(sorted(decision.faults)) or 'no fault'}", shot=event_to_json(decision.shot),
        )  # fmt: skip
        name = f"{file.stem}-{decision.stroke:02d}"
        rows = _since(table.rows[:after], first)
        yield from _as_read(name, case, rows)
        earlier = [row for row in rows if row[0] < began_ns - SETS_OUT_NS]
        if any(isinstance(seen, MotionWindow) for _, seen in earlier):
            yield from _as_read(f"{name}-before", replace(case, truth={}, want="nothing", shot=None), earlier)
        first = after


def case_of(stroke: Path, calibration: Calibration) -> Iterator[tuple[str, str]]:
    """Yields the case of a recorded stroke, if it is one."""
    truth, events = json.loads((stroke / "truth.json").read_text()), read_start(stroke / "start.json")
    board, match = calibration.board, rules.begin(BOOKS)
    for event in events:
        match, _ = rules.apply(match, event)
    frames = recording(stroke / "frames", truth["fps"])
    windows: list[MotionWindow] = []
    follow = follow_recording(frames, calibration.model, calibration.looks, board, allows=calibration.grade)
    rows: list[Row] = []
    with noting_windows(windows):
        for seen in merged(follow, read_beams(stroke / "beams.jsonl")):
            t_ns = max(getattr(seen, "t_ns", 0), rows[-1][0] if rows else 0)
            rows += [(t_ns, window) for window in windows] or [(t_ns, rules.expectation(match))][: not rows]
            windows.clear()
            if not isinstance(seen, shots.Tick | Moving | StrokeSeen):
                rows.append((t_ns, seen))
    happened = shot_of(truth, board)
    name, says = f"foreign-{stroke.name}", f"another simulator, table {truth['rig']}, {truth['kind']}"
    before = tuple(map(event_to_json, events))
    if happened is None:
        yield from _as_read(name, Case(0, 0, board, (), before, {}, says, "nothing"), rows)
        return
    _, ruling = rules.apply(match, event_from_json(happened))
    began_ns = round(happened["t"] * 1e9)
    case = Case(began_ns, 0, board, (), before, ruling_to_json(ruling), says, shot=happened)
    yield from _as_read(name, case, rows)


def _since(rows: Sequence[Row], first: int) -> list[Row]:
    """The rows from a place on, after the latest of each kind before it: how the board lay, what was expected."""
    latest = {type(seen): seen for _, seen in rows[:first] if not isinstance(seen, MotionWindow | BeamEdge)}
    return [(rows[first][0], seen) for seen in latest.values()] + list(rows[first:])


def _as_read(name: str, case: Case, rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """The case, if it is read right, asked about or noticed now: that is the least that is wanted of it."""
    recorded = Recorded(_text(case, rows).encode(), name)
    verdict = play(recorded.case(recorded.lines()), BOOKS).verdict
    print(f"{name}: {verdict}", flush=True)
    if verdict in ("right", "asked", "noticed") and (case.want != "nothing" or verdict == "right"):
        yield name, _text(case if case.want == "nothing" else replace(case, want=verdict), rows)


def _text(case: Case, rows: Sequence[Row]) -> str:
    body = json.loads(case_text(case))
    body["inputs"] = [_written(case, row) for row in rows]
    return json.dumps(body, separators=(",", ":")).replace(",[1", ",\n[1")


def _written(case: Case, row: Row) -> list[Any]:
    at_ns, seen = row
    if not isinstance(seen, MotionWindow):
        written: list[Any] = json.loads(case_text(replace(case, rows=(row,))))["inputs"][0]
        return written
    trace = tuple((t_ns, tuple(map(_thinned, outlines))) for t_ns, outlines in seen.hand_trace.outlines_mm)
    seen = replace(seen, hand_trace=HandTrace(trace))
    fields = json.loads(WINDOW.dump_json(seen, exclude_defaults=True))
    for track in fields["tracks"]:
        track["marks"] = _rounded(track.get("marks", []), 1)
    return [at_ns, "window", fields | {"hand_trace": _rounded(fields.get("hand_trace", {}), None)}]


def _thinned(outline: Outline) -> Outline:
    points = cv2.approxPolyDP(np.array(outline, np.float32), OUTLINE_MM, True).reshape(-1, 2)
    return tuple((float(x), float(y)) for x, y in points)


def _rounded(value: Any, digits: int | None) -> Any:
    if isinstance(value, dict):
        return {name: _rounded(one, digits) for name, one in value.items()}
    if isinstance(value, list):
        return [_rounded(one, digits) for one in value]
    return round(value, digits) if isinstance(value, float) else value


def cut(folder: Path, scratch: Path) -> Iterator[tuple[str, str]]:
    """Yields every case of a folder."""
    for tape in sorted(folder.glob("*.windows")):
        yield from cases_of(tape)
    for stroke in sorted(folder.glob("stroke_*")):
        rig = f"rig_{json.loads((stroke / 'truth.json').read_text())['rig']}_calibration"
        if not (scratch / rig).is_dir():
            shutil.copytree(folder / rig, scratch / rig)
        yield from case_of(stroke, calibrated(scratch / rig))


def main(folder: Path, out: Path) -> None:
    """Writes every case of a folder into another."""
    out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as scratch:
        for name, text in cut(folder, Path(scratch)):
            (out / f"{name}.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
