"""Calibration on path-traced, foreign and random simulated tables: by itself, from corners, what must be refused."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from calibration.board import DEFAULT_BOARD
from calibration.camera import CameraModel
from calibration.pose import moved_mm
from controller.events.errors import ConfigError
from controller.vision.calibration_inputs import Inputs
from controller.vision.guided_calibration import Made, calibrate
from tests.bench.eyes import random_tables
from tests.bench.eyes.tally import grey
from tests.bench.figure import Figure, share

RIGHT_MM = 1.5
"""Of the mean error on the board: a calibration that is farther off is a wrong one."""

JITTER_PX = 10.0
SQUARE = np.array(((-1, 1), (1, 1), (1, -1), (-1, -1))) * 370.0
AXIS = np.linspace(-350, 350, 8)
GRID = np.stack(np.meshgrid(AXIS, AXIS), -1).reshape(-1, 2)

Project = Callable[[np.ndarray], np.ndarray]
"""Board points (N, 3) in mm to the truth's picture points (N, 2)."""


def renders(folder: Path, strokes: Path) -> Iterator[Figure]:
    """Every rig of the renders, and the tables of another simulator, whose truth is not told."""
    counts = {"by itself": [0, 0], "from jittered corners": [0, 0], "refused as it should be": [0, 0]}
    for rig in sorted(folder.glob("rig_*_calibration")):
        letter = rig.name.split("_")[1]
        inputs, true = rendered(rig, letter)
        made, figure = _timed(f"calibration of rig {letter}", "render", inputs, true.project)
        yield figure
        counts["by itself"][0] += made is not None and _off(made, true.project)[0] < RIGHT_MM
        counts["by itself"][1] += 1
        jitter = np.random.default_rng(ord(letter)).uniform(-JITTER_PX, JITTER_PX, (4, 2))
        again, figure = _timed(
            f"calibration of rig {letter} from corners",
            "render",
            replace(inputs, corners=true.project_plane(SQUARE) + jitter),
            true.project,
        )
        if made is not None and again is not None:
            apart = moved_mm(made.calibration.model, again.calibration.model, DEFAULT_BOARD.half_mm)
            figure = replace(figure, note=f"{apart:.3f} mm from the fit without")
        yield figure
        counts["from jittered corners"][0] += again is not None and _off(again, true.project)[0] < RIGHT_MM
        counts["from jittered corners"][1] += 1
        stills = [cv2.imread(str(path)) for path in sorted(folder.glob(f"still_{letter}_*.jpg"))[:2]]
        for what, wrong in _wrong(inputs, stills):
            refused = _refuses(wrong)
            counts["refused as it should be"][0] += refused
            counts["refused as it should be"][1] += 1
            if not refused:
                yield Figure(f"rig {letter}: {what}", "render", "taken", "refused", False)
    for rig in sorted(strokes.glob("rig_*_calibration")):
        lens = [cv2.imread(str(p), cv2.IMREAD_GRAYSCALE) for p in sorted(rig.glob("lens_*.jpg"))]
        empty, opening = (cv2.imread(str(rig / f"{kind}.jpg")) for kind in ("empty", "opening"))
        yield _timed(f"calibration of {rig.name}", "render", Inputs(DEFAULT_BOARD, lens, empty, opening), None)[1]
    for what, (k, n) in counts.items():
        if n:
            yield Figure(f"calibration of renders, {what}", "render", share(k, n), "all", k == n)


def drawn(count: int) -> Iterator[Figure]:
    """Simulated tables of random cameras, woods, lines, wear, prints, floors and lamps."""
    right, wrong, doubted, uncalled, errors = 0, 0, 0, 0, []
    for seed in range(710_001, 710_001 + count):
        drawn_table = random_tables.draw(seed)
        project = drawn_table.view.project
        lens = [grey(p) for p in drawn_table.lens]
        inputs = Inputs(DEFAULT_BOARD, lens, drawn_table.empty, drawn_table.opening, south=drawn_table.south)
        made, figure = _timed(f"calibration of drawn table {seed}", "sim", inputs, project)
        off = 0.0
        if made is not None:
            off = _off(made, project)[0]
            errors.append(off)
            right += off < RIGHT_MM
            wrong += off >= RIGHT_MM
            doubted += any("looks like a" in line for line in made.says)
            uncalled += any("no line is called" in line for line in made.says)
        if made is None or off >= RIGHT_MM:
            yield figure
    yield Figure(
        "calibration of drawn tables, by itself", "sim", share(right, count), "199 of 200", right >= 0.995 * count
    )
    yield Figure("calibration of drawn tables, wrongly taken", "sim", share(wrong, count), "none", wrong == 0)
    yield Figure("… calibrated, the empty board doubted", "sim", share(doubted, right + wrong), "few")
    yield Figure("… calibrated, no line called", "sim", share(uncalled, right + wrong), "few")
    if errors:
        high = float(np.percentile(errors, 95))
        yield Figure("calibration of drawn tables adds", "sim", f"{np.mean(errors):.2f} mm, 95 % {high:.2f}")


def rendered(rig: Path, letter: str) -> tuple[Inputs, CameraModel]:
    """What a rig is calibrated from, and its true camera."""
    lens = [cv2.imread(str(p), cv2.IMREAD_GRAYSCALE) for p in sorted(rig.glob("*charuco*.jpg"))]
    empty, opening = (cv2.imread(str(rig / f"calib_{letter}_{kind}.jpg")) for kind in ("empty", "opening"))
    said = json.loads((rig / f"calib_{letter}_empty.json").read_text())["camera"]
    true = CameraModel(
        np.array(said["K"]), np.array(said["dist"]), np.array(said["R_world_to_cam"]), np.array(said["t_mm"]),
        (said["width"], said["height"]),
    )  # fmt: skip
    return Inputs(DEFAULT_BOARD, lens, empty, opening), true


def _timed(name: str, source: str, inputs: Inputs, project: Project | None) -> tuple[Made | None, Figure]:
    began = time.process_time()
    try:
        made = calibrate(inputs)
    except ConfigError as error:
        return None, Figure(name, source, "refused", "made", False, str(error)[:120])
    took = f"{time.process_time() - began:.1f} s CPU"
    if project is None:
        return made, Figure(name, source, "made", "made", True, took)
    mean, most = _off(made, project)
    at = f"{mean:.2f} mm, at most {most:.2f}, at coins' height"
    return made, Figure(name, source, at, f"{RIGHT_MM} mm", mean < RIGHT_MM, took)


def _off(made: Made, project: Project) -> tuple[float, float]:
    px = project(np.concatenate((GRID, np.full((len(GRID), 1), 8.0)), 1))
    off = np.hypot(*(made.calibration.model.to_plane(px, 8.0) - GRID).T)
    return float(off.mean()), float(off.max())


def _wrong(inputs: Inputs, stills: list[np.ndarray]) -> Iterator[tuple[str, Inputs]]:
    """Inputs that are truly wrong, and how."""
    assert inputs.empty is not None
    assert inputs.opening is not None
    h, w = inputs.empty.shape[:2]
    aside = np.array(((1, 0, 0.4 * w), (0, 1, 0)), dtype=np.float64)
    yield "the opening as the empty board", replace(inputs, empty=inputs.opening)
    yield "a board in play as the empty one", replace(inputs, empty=stills[0], opening=None)
    yield "the empty board as the opening", replace(inputs, opening=inputs.empty)
    yield "a board in play as the opening", replace(inputs, opening=stills[1])
    yield "the lens target as the empty board", replace(inputs, empty=cv2.cvtColor(inputs.lens[0], cv2.COLOR_GRAY2BGR))
    yield "a board half out of the picture", replace(inputs, empty=cv2.warpAffine(inputs.empty, aside, (w, h)))
    yield "no board", replace(inputs, empty=cv2.GaussianBlur(inputs.empty, (0, 0), 40.0), opening=None)


def _refuses(inputs: Inputs) -> bool:
    try:
        calibrate(inputs)
    except ConfigError:
        return True
    return False
