"""Photo-realistic renders and photographs of real boards. Nothing is tuned to them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.camera import CameraModel
from controller.vision.calibration_file import Calibration
from controller.vision.guided_calibration import Inputs, calibrate
from tests.bench.eyes.rough import tuned
from tests.bench.eyes.tally import Tally, finder
from tests.bench.figure import Figure, share


def renders(folder: Path) -> Iterator[Figure]:
    """Every still of every rig, each rig calibrated from its own pictures; thicknesses are given, as users would."""
    if not folder.is_dir():
        yield Figure("renders", "render", "not measured", note=f"{folder} is not there; set RENDERS")
        return
    whole, rough = Tally(), Tally()
    placements: list[tuple[float, float]] = []
    for rig in sorted(folder.glob("rig_*_calibration")):
        letter = rig.name.split("_")[1]
        calibration, opening = _rig(rig, letter)
        yield _camera(rig / f"calib_{letter}_empty.json", calibration, letter)
        see, simple = finder(calibration), tuned(calibration, opening)
        see(opening)
        for path in sorted(folder.glob(f"still_{letter}_*.json")):
            truth = json.loads(path.read_text())
            picture = cv2.imread(str(path.with_suffix(".jpg")))
            truths = [(p["class"], p["x_mm"], p["y_mm"], p["visible_fraction"]) for p in truth["pieces"]]
            found = whole.timed(see, picture)
            before = (whole.missed, whole.false, whole.misnamed)
            whole.add(truths, found)
            after = (whole.missed, whole.false, whole.misnamed)
            if before != after:
                lost = ", ".join(
                    f"{b - a} {word}"
                    for a, b, word in zip(before, after, ("missed", "false", "misnamed"), strict=True)
                    if b > a
                )
                yield Figure(f"{path.stem}", "render", lost)
            rough.add(truths, rough.timed(simple, picture))
            placements += _striker_off(truth["pieces"], found.pieces)
    yield from whole.figures("render", "all stills", 44 / 45)
    if placements:
        off = np.hypot(*np.array(placements).T)
        yield Figure("striker, error", "render", f"mean {off.mean():.2f} mm, worst {off.max():.2f} of {len(off)}")
    if rough.boards:
        yield Figure("HoughCircles and colour, for comparison", "render", rough.line())


def _rig(rig: Path, letter: str) -> tuple[Calibration, np.ndarray]:
    lens = [cv2.imread(str(p), cv2.IMREAD_GRAYSCALE) for p in sorted(rig.glob("*charuco*.jpg"))]
    empty, opening = (cv2.imread(str(rig / f"calib_{letter}_{kind}.jpg")) for kind in ("empty", "opening"))
    said = json.loads((rig / f"calib_{letter}_opening.json").read_text())
    sizes = said.get("geometry", {})
    thick = sizes.get("coin_thickness_mm", said["pieces"][0]["z_top_mm"])
    inputs = Inputs(
        lens, empty, opening, coin_thickness_mm=thick, striker_thickness_mm=sizes.get("striker_thickness_mm", 9.0)
    )
    return calibrate(inputs).calibration, opening


def _camera(path: Path, calibration: Calibration, letter: str) -> Figure:
    said = json.loads(path.read_text())["camera"]
    true = CameraModel(
        np.array(said["K"]), np.array(said["dist"]), np.array(said["R_world_to_cam"]), np.array(said["t_mm"]),
        (said["width"], said["height"]),
    )  # fmt: skip
    axis = np.linspace(-350, 350, 8)
    grid = np.stack(np.meshgrid(axis, axis), -1).reshape(-1, 2)
    off = np.hypot(*(calibration.model.to_plane(true.project_plane(grid, 8.0), 8.0) - grid).T)
    return Figure(f"camera of rig {letter} adds", "render", f"{off.mean():.2f} mm, at most {off.max():.2f}")


def _striker_off(truths: list[dict[str, Any]], pieces: Any) -> Iterator[tuple[float, float]]:
    striker = next((q for q in pieces if q.piece == "striker"), None)
    for p in truths:
        if p["class"] == "striker" and striker is not None:
            yield striker.x_mm - p["x_mm"], striker.y_mm - p["y_mm"]


@dataclass
class View:
    """Counts of one kind of view."""

    total: int = 0
    hit: int = 0
    named: int = 0
    false: int = 0
    pictures: int = 0


def photographs(folder: Path) -> Iterator[Figure]:
    """From the four corners alone; a piece counts as found within half its radius."""
    if not folder.is_dir():
        yield Figure("photographs", "real", "not measured", note=f"{folder} is not there; set PHOTOS")
        return
    views = {"from above": View(), "oblique": View()}
    for path in sorted(folder.glob("*.json")):
        truth = json.loads(path.read_text())
        if not truth.get("corners"):
            yield Figure(path.stem, "real", "not measured", note="no corners to be seen")
            continue
        corners = np.array(truth["corners"], dtype=np.float64)
        side = np.hypot(*(np.roll(corners, -1, 0) - corners).T)
        oblique = "oblique" in path.name or side.max() > 1.35 * side.min()
        view = views["oblique" if oblique else "from above"]
        mine = View()
        _photograph(path, truth["pieces"], corners, mine)
        for name in ("total", "hit", "named", "false"):
            setattr(view, name, getattr(view, name) + getattr(mine, name))
        view.pictures += 1
        yield Figure(
            path.stem,
            "real",
            f"{mine.hit} of {mine.total} found, {mine.named} named rightly, {mine.false} false",
            note="oblique" if oblique else "",
        )
    for name, view in views.items():
        limit = name == "from above"
        for what, k, n in (
            ("recall", view.hit, view.total),
            ("precision", view.hit, view.hit + view.false),
            ("class", view.named, view.hit),
        ):
            reached = k >= 0.98 * n if limit else None
            note = f"{view.pictures} photographs"
            yield Figure(f"{name}: {what}", "real", share(k, n), "98 %" if limit else "", reached, note)


def _photograph(path: Path, truths: list[dict[str, Any]], corners: np.ndarray, view: View) -> None:
    picture = cv2.imread(str(path.with_suffix(".jpg")))
    calibration = calibrate(Inputs(image=picture, corners=corners)).calibration
    found = finder(calibration)(picture)
    height = calibration.looks.coin_thickness_mm
    px = [calibration.model.project(np.array(((p.x_mm, p.y_mm, height),)))[0] for p in found.pieces]
    left = set(range(len(px)))
    for p in truths:
        away = p.get("in_pocket") or p.get("off_surface")
        best = min(left, key=lambda i: np.hypot(px[i][0] - p["cx"], px[i][1] - p["cy"]), default=None)
        near = best is not None and np.hypot(px[best][0] - p["cx"], px[best][1] - p["cy"]) < p["r"] / 2
        if near:
            left.discard(best)
        if away:
            # Whether a piece that hangs in a net is told or not, it is no error.
            continue
        view.total += 1
        if near:
            view.hit += 1
            view.named += bool(found.pieces[best].piece == p["class"] or p.get("class_uncertain"))
    view.false += len(left)
