"""Recorded strokes through `carrom calibrate` and `carrom watch`, each held against its truth.

Takes any recording in the form of foreign strokes: a table's calibration pictures, and strokes with `frames/`,
`beams.jsonl`, `start.json`, `truth.json`. Knows nothing of how they came to be.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from math import cos, hypot, radians, sin
from pathlib import Path
from typing import Any

from calibration.board import Board, board_to_seat, seat_to_board
from controller import rules, shots
from controller.commands import calibrate
from controller.commands.demo.tally import judge
from controller.commands.follower import follow_recording
from controller.commands.watch import merged, read_beams, read_start, watch
from controller.events.codec import event_from_json, ruling_to_json
from controller.events.match import Shot
from controller.events.observation import BoardSeen, Observation, StrokeSeen
from controller.rules.shelf import load_books
from controller.vision.calibration_file import Calibration, load
from controller.vision.sources.choose import recording

Json = dict[str, Any]
FOUND_MM = 3.0
"""A piece found so near to where it lies is found."""


OPTIONS = {
    "--south": "south",
    "--board": "board",
    "--coin-diameter": "coin_diameter_mm",
    "--coin-thickness": "coin_thickness_mm",
    "--striker-diameter": "striker_diameter_mm",
    "--striker-thickness": "striker_thickness_mm",
}
"""What a volunteer tells `carrom calibrate` besides the pictures, as a table's `table.json` names it."""


@dataclass(frozen=True)
class Judged:
    """One recorded stroke, or what was none, as it was told.

    `wrong`: facts, `ruled`: parts of the ruling that differ; `extra`: strokes told that were none; `board`: what is
    wrong with the board seen in the end. `silent`: a wrong ruling, or an extra one, unasked and not for what was named
    as unseen.
    """

    id: str
    kind: str
    stroke: bool
    missed: bool
    extra: int
    wrong: tuple[str, ...] = ()
    ruled: tuple[str, ...] = ()
    silent: bool = False
    false_fouls: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    flags_said: tuple[str, ...] = ()
    flags_earned: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    board: tuple[str, ...] = ()
    seat_right: bool = True
    fell_said: tuple[str, ...] = ()
    fell: tuple[str, ...] = ()
    late_s: float | None = None

    def line(self) -> str:
        """The stroke as one line of JSON."""
        return json.dumps(asdict(self))


def from_line(line: str) -> Judged:
    """Reads what `Judged.line` wrote."""
    return Judged(
        **{key: tuple(value) if isinstance(value, list) else value for key, value in json.loads(line).items()}
    )


def calibrated(folder: Path) -> Calibration:
    """Calibrates a table from its folder of pictures. Raises ConfigError where `carrom calibrate` refuses it."""
    told = folder / "table.json"
    table = json.loads(told.read_text()) if told.is_file() else {}
    out = folder / "calibration.json"
    if not out.is_file():
        words = ["--lens", str(folder / "lens_*.jpg"), "--empty", str(folder / "empty.jpg"), "--out", str(out)]
        words += ["--opening", str(folder / "opening.jpg"), "--report", str(folder / "report.png")]
        for option, key in OPTIONS.items():
            if key in table:
                words += [option, str(table[key])]
        parser = argparse.ArgumentParser()
        calibrate.add_arguments(parser)
        with contextlib.redirect_stdout(io.StringIO()):
            calibrate.run(parser.parse_args(words))
    return load(out)


def judged(folder: Path, calibration: Calibration) -> Judged:
    """Watches a recorded stroke and holds what is told against its truth."""
    truth = json.loads((folder / "truth.json").read_text())
    events = read_start(folder / "start.json")
    boards: list[BoardSeen] = []
    seen = follow_recording(
        recording(folder / "frames", truth["fps"]),
        calibration.model,
        calibration.looks,
        calibration.board,
        allows=calibration.grade,
    )
    stream = merged(_noting(seen, boards), read_beams(folder / "beams.jsonl"))
    told = list(_told(list(watch(stream, events, True, shots.begin(calibration.board)))))
    true = shot_of(truth, calibration.board)
    whole = tuple(_board(truth["rest"], boards[-1])) if boards else ("never seen",)
    kind, name = truth["kind"], truth["id"]
    if true is None:
        return Judged(name, kind, False, False, len(told), silent=any(not _asked(r) for _, r in told), board=whole)
    if not told:
        return Judged(name, kind, True, True, 0, ("missed",), silent=True, board=whole)
    shot, ruling = min(told, key=lambda pair: abs(pair[0]["t"] - true["t"]))
    right = _ruled(events, true)
    unseen = tuple(shot.get("unseen", ()))
    watched = _ruled(events, true, unseen) if unseen else None
    stroke = judge(0, true, right, shot, ruling, noticed=False, watched=watched)
    others = [one for one in told if one[0] is not shot]
    return Judged(
        name, kind, True, False, len(others), stroke.wrong, stroke.ruled,
        silent=stroke.silent or any(not _asked(r) for _, r in others),
        false_fouls=() if stroke.asked else stroke.false_fouls,
        questions=tuple(ask["question"] for _, r in told for ask in r.get("asks", ())),
        flags_said=tuple(sorted(shot.get("flags", ()))), flags_earned=tuple(sorted(true.get("flags", ()))),
        unseen=unseen, board=whole, seat_right=shot["seat"] == true["seat"],
        fell_said=tuple(_fell(shot)), fell=tuple(_fell(true)), late_s=round(shot["t"] - true["t"], 3),
    )  # fmt: skip


def shot_of(truth: Json, board: Board) -> Json | None:
    """The true `shot` of a recording; None where there was no stroke. What a truth leaves out follows from the rest."""
    if "shot" in truth:
        given: Json | None = truth["shot"]
        return given
    if truth["times"].get("flick") is None:
        return None
    ahead, angle = seat_to_board(truth["seat"], 0.0, -1.0), radians(truth["angle_deg"])
    place = truth["placement"]
    r = board.striker_diameter_mm / 2
    after = next((one for one in truth["rest"] if one["piece"] == "striker"), None)
    left = True
    if after is not None and hypot(after["x"] - place["x"], after["y"] - place["y"]) < 2 * r and not truth["contacts"]:
        _, back = board_to_seat(truth["seat"], after["x"], after["y"])
        left = board.half_mm - back - r > board.inner_line_mm[1]
    return {
        "event": "shot", "seat": truth["seat"], "t": truth["times"]["flick"],
        "placement": {
            "x": place["x"], "y": place["y"], "lines": place["lines"], "circle": place["circle"],
            "arrow": place["margins"]["arrow"] < 0,
        },
        "left_baseline": left,
        "heading": "forward" if ahead[0] * cos(angle) + ahead[1] * sin(angle) > 0 else "backward",
        "contacts": [{"with": met["with"], "at": met["at"]} for met in truth["contacts"]],
        "pocketed": truth["pocketed"], "off_board": truth.get("off_board", []), "flags": truth.get("flags", []),
        "rest": [row for row in truth["rest"] if row["piece"] != "striker"],
    }  # fmt: skip


def _noting(seen: Iterable[Observation], boards: list[BoardSeen]) -> Iterator[Observation]:
    for one in seen:
        if isinstance(one, BoardSeen):
            boards.append(one)
        elif isinstance(one, StrokeSeen):
            boards.append(one.after)
        yield one


def _told(lines: list[Json]) -> Iterator[tuple[Json, Json]]:
    """Each stroke told with its ruling; one that was read again, as it was read last."""
    told: list[tuple[Json, Json]] = []
    for said, ruling in pairwise(lines):
        if said["event"] == "shot" and "fouls" not in said and "fouls" in ruling:
            if ruling["event"] == "correct" and told:
                told[-1] = (said, ruling)
            else:
                told.append((said, ruling))
    yield from told


def _ruled(events: list[Any], shot: Json, unseen: tuple[str, ...] = ()) -> Json:
    match = rules.begin(load_books([]))
    for event in events:
        match, _ = rules.apply(match, event)
    true = event_from_json(shot)
    assert isinstance(true, Shot)
    _, ruling = rules.apply(match, replace(true, unseen=unseen))
    return ruling_to_json(ruling)


def _asked(ruling: Json) -> bool:
    return bool(ruling.get("asks") or ruling.get("provisional"))


def _fell(shot: Json) -> list[str]:
    return sorted(f"{one['piece']} {one.get('pocket')}" for one in shot.get("pocketed", ()))


def _board(rest: list[Json], seen: BoardSeen) -> Iterator[str]:
    """What is wrong with a board seen at rest: pieces not found, called another's name, or found where none is."""
    left = list(seen.pieces)
    for true in rest:
        near = [p for p in left if hypot(p.x_mm - true["x"], p.y_mm - true["y"]) < FOUND_MM]
        if not near:
            yield f"no {true['piece']} ({true['x']:.0f}, {true['y']:.0f})"
            continue
        best = min(near, key=lambda p: hypot(p.x_mm - true["x"], p.y_mm - true["y"]))
        left.remove(best)
        if best.piece != true["piece"]:
            yield f"{true['piece']} as {best.piece} ({true['x']:.0f}, {true['y']:.0f})"
    for piece in left:
        yield f"{piece.piece} where none is ({piece.x_mm:.0f}, {piece.y_mm:.0f})"


__all__ = ["Judged", "calibrated", "from_line", "judged", "shot_of"]
