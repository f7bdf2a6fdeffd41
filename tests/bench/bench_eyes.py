"""How well the eyes calibrate and find: on simulated tables, on renders, on photographs of real boards.

`RENDERS` and `PHOTOS` name the folders (default ../shared/renders, ../shared/real). Nothing is tuned to them.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from calibration.camera import CameraModel
from controller.simulator.camera import Camera
from controller.simulator.looks import DEVELOPMENT, LOOKS, MEASURED_ONLY
from controller.simulator.stills import calibration_set, random_position, still
from controller.vision.calibration_file import Calibration
from controller.vision.finding import Finding, find
from controller.vision.guided_calibration import Inputs, calibrate
from tests.bench.figure import Figure, share

MATCH_MM = 8.0
ONE_IN_700 = 1.0 / 700.0


@dataclass
class Tally:
    """Counts over many boards; `truths` are (class, x, y, visible share) in mm."""

    errors: list[float] = field(default_factory=list)
    stated: list[float] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    total: int = 0
    missed: int = 0
    false: int = 0
    misnamed: int = 0
    boards: int = 0
    right: int = 0

    def add(self, truths: list[tuple[str, float, float, float]], found: Finding) -> None:
        left = list(found.pieces)
        before = (self.missed, self.false, self.misnamed)
        for kind, x, y, visible in truths:
            if visible < 0.5 or _hidden(x, y, found):
                continue
            self.total += 1
            best = min(left, key=lambda p: np.hypot(p.x_mm - x, p.y_mm - y), default=None)
            gap = np.inf if best is None else float(np.hypot(best.x_mm - x, best.y_mm - y))
            if best is None or gap > MATCH_MM:
                self.missed += 1
                continue
            left.remove(best)
            self.misnamed += best.piece != kind
            if visible >= 0.95:
                self.errors.append(gap)
                self.stated.append(best.u95_mm)
        known = [(x, y) for _, x, y, _ in truths]
        self.false += sum(
            not _hidden(p.x_mm, p.y_mm, found)
            and min((np.hypot(p.x_mm - x, p.y_mm - y) for x, y in known), default=99.0) > MATCH_MM
            for p in left
        )
        self.boards += 1
        self.right += before == (self.missed, self.false, self.misnamed)

    def figures(self, source: str, where: str) -> Iterator[Figure]:
        if not self.boards:
            return
        errors, stated = np.array(self.errors), np.array(self.stated)
        mean, high = float(errors.mean()), float(np.percentile(errors, 99))
        yield Figure(f"{where}: centre error, mean", source, f"{mean:.2f} mm", "0.4 mm", mean <= 0.4)
        yield Figure(f"{where}: centre error, 99th percentile", source, f"{high:.2f} mm", "1.0 mm", high <= 1.0)
        held = int((errors <= stated).sum())
        part = held / max(len(errors), 1)
        yield Figure(
            f"{where}: stated 95 % holds", source, share(held, len(errors)), "93 to 97 %", 0.93 <= part <= 0.97
        )
        for name, count in (("missed", self.missed), ("false", self.false), ("misnamed", self.misnamed)):
            fine = count <= ONE_IN_700 * self.total
            yield Figure(f"{where}: {name}", source, share(count, self.total), "1 in 700", fine)
        fine = self.right >= 0.978 * self.boards
        yield Figure(f"{where}: whole board right", source, share(self.right, self.boards), "44 in 45", fine)
        middle, worst = 1000 * float(np.median(self.times)), 1000 * max(self.times)
        yield Figure(f"{where}: finding, median CPU", source, f"{middle:.0f} ms", "25 ms", middle <= 25)
        yield Figure(f"{where}: finding, worst CPU", source, f"{worst:.0f} ms", "60 ms", worst <= 60)


def _hidden(x: float, y: float, found: Finding) -> bool:
    return any(
        cv2.pointPolygonTest(np.array(p, dtype=np.float32).reshape(-1, 1, 2), (x, y), False) >= 0 for p in found.hidden
    )


def _grey(picture: np.ndarray) -> np.ndarray:
    return cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)


def _timed(calibration: Calibration, picture: np.ndarray, tally: Tally) -> Finding:
    luma = _grey(picture)
    began = time.process_time()
    found = find(luma, lambda: picture, calibration.model, calibration.looks)
    tally.times.append(time.process_time() - began)
    return found


def run(long: bool) -> Iterable[Figure]:
    cv2.setNumThreads(1)
    yield from _simulated(long)
    yield from _renders(Path(os.environ.get("RENDERS", "../shared/renders")))
    yield from _photographs(Path(os.environ.get("PHOTOS", "../shared/real")))


def _simulated(long: bool) -> Iterator[Figure]:
    """Each look calibrates itself first; looks that were never developed on stand apart."""
    for names, what in ((DEVELOPMENT, "known looks"), (MEASURED_ONLY, "kept looks")):
        whole = Tally()
        boards = (2000 if long else 18) // len(names)
        for name in names:
            look = LOOKS[name]
            pictures = calibration_set(look, seed=1)
            inputs = Inputs([_grey(p) for p in pictures.lens], pictures.empty, pictures.opening)
            try:
                calibration = calibrate(inputs).calibration
            except ValueError as error:
                yield Figure(f"{what}: calibration of {name}", "sim", "refused", "made", False, str(error)[:90])
                continue
            grid = np.stack(np.meshgrid(np.linspace(-350, 350, 8), np.linspace(-350, 350, 8)), -1).reshape(-1, 2)
            px = pictures.view.project(np.concatenate((grid, np.full((len(grid), 1), 8.0)), 1))
            off = np.hypot(*(calibration.model.to_plane(px, 8.0) - grid).T)
            yield Figure(f"{what}: camera of {name} adds", "sim", f"{off.mean():.2f} mm, at most {off.max():.2f}")
            camera, rng = Camera(look, 1), np.random.default_rng(2)
            _timed(calibration, pictures.empty, Tally())
            for k in range(boards):
                seat = (None, "south", "east", "north", "west")[k % 5]
                frame = still(camera, random_position(rng, look.pieces, striker=seat))
                truths = [(p.piece, p.x_mm, p.y_mm, p.visible) for p in frame.pieces]
                whole.add(truths, _timed(calibration, frame.picture, whole))
        yield from whole.figures("sim", what)


def _renders(folder: Path) -> Iterator[Figure]:
    if not folder.is_dir():
        yield Figure("renders", "render", "not measured", note=f"{folder} is not there; set RENDERS")
        return
    whole, rough = Tally(), Tally()
    placements: list[tuple[float, float]] = []
    for rig in sorted(folder.glob("rig_*_calibration")):
        letter = rig.name.split("_")[1]
        lens = [cv2.imread(str(p), cv2.IMREAD_GRAYSCALE) for p in sorted(rig.glob("*charuco*.jpg"))]
        empty, opening = (cv2.imread(str(rig / f"calib_{letter}_{kind}.jpg")) for kind in ("empty", "opening"))
        calibration = calibrate(Inputs(lens, empty, opening)).calibration
        said = json.loads((rig / f"calib_{letter}_empty.json").read_text())["camera"]
        true = CameraModel(
            np.array(said["K"]), np.array(said["dist"]), np.array(said["R_world_to_cam"]), np.array(said["t_mm"]),
            (said["width"], said["height"]),
        )  # fmt: skip
        grid = np.stack(np.meshgrid(np.linspace(-350, 350, 8), np.linspace(-350, 350, 8)), -1).reshape(-1, 2)
        off = np.hypot(*(calibration.model.to_plane(true.project_plane(grid, 8.0), 8.0) - grid).T)
        yield Figure(f"camera of rig {letter} adds", "render", f"{off.mean():.2f} mm, at most {off.max():.2f}")
        _timed(calibration, empty, Tally())
        for path in sorted(folder.glob(f"still_{letter}_*.json")):
            truth = json.loads(path.read_text())
            picture = cv2.imread(str(path.with_suffix(".jpg")))
            truths = [(p["class"], p["x_mm"], p["y_mm"], p["visible_fraction"]) for p in truth["pieces"]]
            found = _timed(calibration, picture, whole)
            whole.add(truths, found)
            rough.add(truths, _hough(calibration, picture, rough))
            for p in truth["pieces"]:
                striker = next((q for q in found.pieces if q.piece == "striker"), None)
                if p["class"] == "striker" and striker is not None:
                    placements.append((striker.x_mm - p["x_mm"], striker.y_mm - p["y_mm"]))
    yield from whole.figures("render", "all stills")
    if placements:
        off = np.hypot(*np.array(placements).T)
        yield Figure(
            "placed striker, error", "render", f"mean {off.mean():.2f} mm, worst {off.max():.2f} of {len(off)}"
        )
    yield Figure(
        "HoughCircles and colour, for comparison",
        "render",
        f"missed {share(rough.missed, rough.total)}, false {rough.false}, misnamed {rough.misnamed}, "
        f"median {1000 * float(np.median(rough.times)):.0f} ms",
        note=f"mean error {np.mean(rough.errors):.2f} mm",
    )


def _hough(calibration: Calibration, picture: np.ndarray, tally: Tally) -> Finding:
    """What most boards' programs do: circles of the right size, named by their colour."""
    from controller.events.observation import SeenPiece

    model = calibration.model
    began = time.process_time()
    luma = cv2.GaussianBlur(_grey(picture), (5, 5), 1.2)
    r = model.px_per_mm * calibration.looks.coin_diameter_mm / 2
    circles = cv2.HoughCircles(luma, cv2.HOUGH_GRADIENT, 1, 1.7 * r, None, 90, 15, round(0.85 * r), round(1.5 * r))
    hsv = cv2.cvtColor(picture, cv2.COLOR_BGR2HSV)
    pieces = []
    for cx, cy, radius in circles.reshape(-1, 3) if circles is not None else ():
        x, y = model.to_plane(np.array(((cx, cy),)), calibration.looks.coin_thickness_mm)[0]
        if max(abs(x), abs(y)) > 360:
            continue
        mask = np.zeros(luma.shape, np.uint8)
        cv2.circle(mask, (round(cx), round(cy)), round(0.6 * radius), 255, -1)
        hue, saturation, value, _ = cv2.mean(hsv, mask)
        kind = "black" if value < 90 else "queen" if saturation > 120 and (hue < 12 or hue > 165) else "white"
        kind = "striker" if radius > 1.18 * r else kind
        pieces.append(SeenPiece(kind, float(x), float(y), 2.0))
    tally.times.append(time.process_time() - began)
    return Finding(tuple(pieces))


def _photographs(folder: Path) -> Iterator[Figure]:
    """From the four corners alone; a piece counts as found within half its radius."""
    if not folder.is_dir():
        yield Figure("photographs", "real", "not measured", note=f"{folder} is not there; set PHOTOS")
        return
    counts = {"from above": [0, 0, 0, 0], "oblique": [0, 0, 0, 0]}
    for path in sorted(folder.glob("*.json")):
        truth = json.loads(path.read_text())
        if not truth.get("corners"):
            continue
        picture = cv2.imread(str(path.with_suffix(".jpg")))
        corners = np.array(truth["corners"])
        calibration = calibrate(Inputs(image=picture, corners=corners)).calibration
        found = find(_grey(picture), lambda p=picture: p, calibration.model, calibration.looks)
        px = [calibration.model.project(np.array(((p.x_mm, p.y_mm, 8.0),)))[0] for p in found.pieces]
        side = np.hypot(*(np.roll(corners, -1, 0) - corners).T)
        oblique = "oblique" in path.name or side.max() > 1.35 * side.min()
        tally = counts["oblique" if oblique else "from above"]
        left = set(range(len(px)))
        for p in truth["pieces"]:
            if p.get("in_pocket") or p.get("off_surface"):
                continue
            tally[0] += 1
            best = min(left, key=lambda i: np.hypot(px[i][0] - p["cx"], px[i][1] - p["cy"]), default=None)
            if best is not None and np.hypot(px[best][0] - p["cx"], px[best][1] - p["cy"]) < p["r"] / 2:
                left.discard(best)
                tally[1] += 1
                tally[2] += bool(found.pieces[best].piece == p["class"] or p.get("class_uncertain"))
        tally[3] += len(left)
    for view, (total, hit, named, false) in counts.items():
        limit = ("98 %", hit >= 0.98 * total) if view == "from above" else ("", None)
        yield Figure(f"{view}: recall", "real", share(hit, total), *limit)
        yield Figure(
            f"{view}: precision", "real", share(hit, hit + false), limit[0],
            hit >= 0.98 * (hit + false) if limit[0] else None,
        )  # fmt: skip
        yield Figure(f"{view}: class", "real", share(named, hit), limit[0], named >= 0.98 * hit if limit[0] else None)
