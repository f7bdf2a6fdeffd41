"""Photo-realistic renders and photographs of real boards. Nothing is tuned to them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.board import DEFAULT_BOARD, Board
from calibration.camera import CameraModel
from controller.events.errors import ConfigError
from controller.events.words import Seat
from controller.vision.calibration_file import Calibration
from controller.vision.calibration_inputs import Inputs
from controller.vision.finding import Finding
from controller.vision.guided_calibration import calibrate
from tests.bench.eyes.placement import Placed, compare
from tests.bench.eyes.rough import tuned
from tests.bench.eyes.tally import MATCH_MM, Tally, finder
from tests.bench.figure import Figure, share

DISTANCES_MM = ((0, 150), (150, 300), (300, 800))
"""From the camera's foot: what is high leans by as much more."""
SIDES: dict[str, Seat] = {"S": "south", "E": "east", "N": "north", "W": "west"}


@dataclass
class Held:
    """By class and by distance from the camera's foot: how many errors were within what was stated, of how many."""

    by: dict[str, list[bool]] = field(default_factory=dict)

    def add(self, tally: Tally, foot: np.ndarray) -> None:
        """Adds a table's pieces."""
        for (kind, x, y), error, stated in zip(tally.matched, tally.errors, tally.stated, strict=True):
            away = np.hypot(x - foot[0], y - foot[1])
            far = next(
                (f"{low} to {high} mm from the foot" for low, high in DISTANCES_MM if low <= away < high), "beyond"
            )
            for name in (kind, far):
                self.by.setdefault(name, []).append(error <= stated)

    def figures(self, source: str) -> Iterator[Figure]:
        """Yields one line for each class and distance."""
        for name, held in sorted(self.by.items()):
            part = sum(held) / len(held)
            value = share(sum(held), len(held))
            yield Figure(f"stated 95 % holds, {name}", source, value, "93 to 97 %", 0.93 <= part <= 0.97)


@dataclass
class Hiding:
    """What is told to hide the board, in stills with a hand and without one: hands told, of how many."""

    told: int = 0
    hands: int = 0
    told_falsely: int = 0
    bare: int = 0
    things: int = 0
    hidden_mm2: float = 0.0

    def add(self, found: Finding, *, hand: bool) -> None:
        """Adds one still; none of them has anything else lying on the board."""
        if hand:
            self.hands += 1
            self.told += bool(found.hands)
            return
        self.bare += 1
        self.told_falsely += bool(found.hands)
        self.things += bool(found.foreign)
        self.hidden_mm2 += sum(cv2.contourArea(np.array(polygon, dtype=np.float32)) for polygon in found.hidden)

    def figures(self) -> Iterator[Figure]:
        """Yields what was told."""
        if self.hands:
            enough = self.told >= 0.9 * self.hands
            yield Figure("hands told where there is one", "render", share(self.told, self.hands), "90 %", enough)
        if self.bare:
            yield Figure("hands told where there is none", "render", share(self.told_falsely, self.bare))
            yield Figure("foreign things told where there is none", "render", share(self.things, self.bare))
            mean = self.hidden_mm2 / self.bare / (2.0 * DEFAULT_BOARD.half_mm) ** 2
            yield Figure("hidden of the board where there is no hand", "render", f"{mean:.2%} in the mean")


def renders(folder: Path) -> Iterator[Figure]:
    """Every still of every rig, each rig calibrated from its own pictures; thicknesses are given, as users would.

    A table that calibration refuses is counted as such, and its stills as wrong boards.
    """
    if not folder.is_dir():
        yield Figure("renders", "render", "not measured", note=f"{folder} is not there; set RENDERS")
        return
    whole, rough, held, placed, hiding = Tally(), Tally(), Held(), Placed(), Hiding()
    refused = 0
    rigs = sorted(folder.glob("rig_*_calibration"))
    for rig in rigs:
        letter = rig.name.split("_")[1]
        stills = sorted(folder.glob(f"still_{letter}_*.json"))
        board = board_of(stills[0]) if stills else DEFAULT_BOARD
        try:
            calibration, opening = rig_calibration(rig, letter, board)
        except ConfigError as error:
            refused += 1
            whole.boards += len(stills)
            yield Figure(f"table {letter}: calibration", "render", "refused", "made", False, str(error)[:90])
            continue
        yield _camera(rig / f"calib_{letter}_empty.json", calibration, letter)
        see, simple = finder(calibration, board), tuned(calibration, opening)
        see(opening)
        mine = Tally()
        for path in stills:
            truth = json.loads(path.read_text())
            picture = cv2.imread(str(path.with_suffix(".jpg")))
            truths = [(p["class"], p["x_mm"], p["y_mm"], p["visible_fraction"]) for p in truth["pieces"]]
            began = len(whole.seconds)
            found = whole.timed(see, picture)
            mine.seconds += whole.seconds[began:]
            before = (whole.missed, whole.false, whole.misnamed)
            whole.add(truths, found)
            mine.add(truths, found)
            hiding.add(found, hand=bool(truth["occluders"]))
            after = (whole.missed, whole.false, whole.misnamed)
            if before != after:
                lost = ", ".join(
                    f"{b - a} {word}"
                    for a, b, word in zip(before, after, ("missed", "false", "misnamed"), strict=True)
                    if b > a
                )
                yield Figure(f"{path.stem}", "render", lost)
            rough.add(truths, rough.timed(simple, picture))
            _placed(truth["pieces"], found.pieces, calibration.model.centre_mm[:2], board, placed)
        held.add(mine, calibration.model.centre_mm[:2])
        if mine.boards:
            within = sum(e <= u for e, u in zip(mine.errors, mine.stated, strict=True))
            note = f"stated 95 % holds {share(within, len(mine.errors))}"
            yield Figure(f"table {letter}", "render", mine.line(), note=note)
    yield Figure("tables calibrated", "render", share(len(rigs) - refused, len(rigs)), "all", not refused)
    yield from whole.figures("render", "all stills", 0.98)
    yield from held.figures("render")
    yield from hiding.figures()
    yield from _placements(placed)
    if rough.boards:
        yield Figure("HoughCircles and colour, for comparison", "render", rough.line())


def strokes(folder: Path) -> Iterator[Figure]:
    """Boards drawn by another simulator, after strokes: thicknesses are supposed, its sets are not told."""
    if not folder.is_dir():
        yield Figure("other simulator", "strokes", "not measured", note=f"{folder} is not there; set STROKES")
        return
    whole, held = Tally(), Held()
    for rig in sorted(folder.glob("rig_*_calibration")):
        letter = rig.name.split("_")[1]
        lens = [cv2.imread(str(p), cv2.IMREAD_GRAYSCALE) for p in sorted(rig.glob("lens_*.jpg"))]
        empty, opening = (cv2.imread(str(rig / f"{kind}.jpg")) for kind in ("empty", "opening"))
        calibration = calibrate(Inputs(DEFAULT_BOARD, lens, empty, opening)).calibration
        see, mine = finder(calibration), Tally()
        for path in sorted((folder / "stills").glob(f"last_{letter}_*.json")):
            truths = [(p["piece"], p["x"], p["y"], 1.0) for p in json.loads(path.read_text())["pieces"]]
            found = whole.timed(see, cv2.imread(str(path.with_suffix(".jpg"))))
            mine.seconds.append(whole.seconds[-1])
            whole.add(truths, found)
            mine.add(truths, found)
        held.add(mine, calibration.model.centre_mm[:2])
        if mine.boards:
            yield Figure(f"other simulator, table {letter}", "strokes", mine.line())
    yield from whole.figures("strokes", "other simulator", 0.98)
    yield from held.figures("strokes")


def _placed(truths: list[dict[str, Any]], pieces: Any, foot: np.ndarray, board: Board, placed: Placed) -> None:
    """Adds a placed striker's error, and what is said of its limits."""
    striker = next((q for q in pieces if q.piece == "striker"), None)
    for p in truths:
        if p["class"] != "striker" or "base_line" not in p:
            continue
        x, y = p["x_mm"], p["y_mm"]
        placed.total += 1
        if striker is None or np.hypot(striker.x_mm - x, striker.y_mm - y) > MATCH_MM:
            placed.lost += 1
            continue
        away = float(np.hypot(x - foot[0], y - foot[1]))
        placed.errors.append((away, float(np.hypot(striker.x_mm - x, striker.y_mm - y))))
        measures = replace(board, striker_diameter_mm=2.0 * p["base_line"].get("striker_radius_mm", 20.65))
        compare(measures, SIDES[p["base_line"]["side"]], striker, (x, y), placed)


def _placements(placed: Placed) -> Iterator[Figure]:
    if not placed.errors:
        return
    off = np.array([error for _, error in placed.errors])
    value = f"mean {off.mean():.2f} mm, worst {off.max():.2f} of {len(off)}"
    yield Figure(
        "placed striker, error", "render", value, "0.3 mm", bool(off.mean() <= 0.3), f"{placed.lost} not found"
    )
    verdicts = placed.verdicts
    wrong = [v for v in verdicts if v.wrong]
    beyond = sum(abs(v.margin) > 1.0 for v in wrong)
    close = sum(v.sure == "too close" for v in verdicts)
    value = share(len(wrong), len(verdicts))
    note = f"{beyond} of them more than 1.0 mm from it; too close to call {close}"
    yield Figure("placement, within 3 mm of a limit: called wrongly", "render", value, "none", not wrong, note)


def board_of(still: Path) -> Board:
    """The board of a rendered table: the laws', or one of the measures that its stills state."""
    geometry = json.loads(still.read_text()).get("geometry", {})
    own = geometry.get("board")
    if own is None:
        return DEFAULT_BOARD
    return Board(
        half_mm=own["half"],
        frame_width_mm=own["fw"],
        frame_height_mm=own["fh"],
        pocket_radius_mm=own["pr"],
        outer_line_mm=(own["o0"], own["o1"]),
        inner_line_mm=(own["i0"], own["i1"]),
        line_half_length_mm=own["bcx"],
        base_circle_diameter_mm=2 * own["bcr"],
        base_disc_diameter_mm=2 * own["bdr"],
        centre_circle_diameter_mm=2 * own["cr"],
        outer_circle_diameter_mm=2 * own["ocr"],
        arrow_radii_mm=(own["ar0"], own["ar1"]),
        arrow_line_width_mm=own["al"],
        coin_diameter_mm=geometry["coin_diameter_mm"],
        coin_thickness_mm=geometry["coin_thickness_mm"],
        striker_diameter_mm=geometry["striker_diameter_mm"],
        striker_thickness_mm=geometry["striker_thickness_mm"],
    )


def rig_calibration(rig: Path, letter: str, board: Board = DEFAULT_BOARD) -> tuple[Calibration, np.ndarray]:
    """A rendered table calibrated by its own pictures, and its opening picture. Raises ConfigError."""
    lens = [cv2.imread(str(p), cv2.IMREAD_GRAYSCALE) for p in sorted(rig.glob("*charuco*.jpg"))]
    empty, opening = (cv2.imread(str(rig / f"calib_{letter}_{kind}.jpg")) for kind in ("empty", "opening"))
    said = json.loads((rig / f"calib_{letter}_opening.json").read_text())
    sizes = said.get("geometry", {})
    thick = sizes.get("coin_thickness_mm", said["pieces"][0]["z_top_mm"])
    inputs = Inputs(
        board,
        lens,
        empty,
        opening,
        coin_thickness_mm=thick,
        striker_thickness_mm=sizes.get("striker_thickness_mm", 9.0),
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
    calibration = calibrate(Inputs(image=picture, corners=corners, board=DEFAULT_BOARD)).calibration
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
