"""Fits `places.json` for the nets as they are: `python -m tests.bench.eyes.fit_places [--write]`.

Heights of outlines and terms of `u95` from others' tables (RENDERS, STROKES) and from drawn looks, whose pieces are
cylinders. What it prints is leave-one-table-out: each table's figures with what all others gave.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.board import DEFAULT_BOARD
from controller.simulator.camera import Camera
from controller.simulator.looks import DEVELOPMENT, LOOKS
from controller.simulator.stills import random_position, still
from controller.vision.calibration_file import Calibration
from controller.vision.calibration_inputs import Inputs
from controller.vision.finding import errors
from controller.vision.finding.errors import Below, Errors
from controller.vision.finding.find import find
from controller.vision.finding.flat import flat_for
from controller.vision.finding.placing import Lying, placed, slant
from controller.vision.guided_calibration import calibrate
from tests.bench.eyes.boards import SEATS, calibrated
from tests.bench.eyes.still_pictures import rig_calibration
from tests.bench.eyes.tally import MATCH_MM

DRAWN_COUNTS = 0.3
"""What a drawn look counts beside a table of others: it is less like a real one."""
FIELD = Path(errors.__file__).with_name(errors.FIGURES)
U95 = ("camera_mm", "stated", "unsure")
SD_TO_U95 = 2.448
"""From one standard deviation to the radius that holds 95 % of a round normal distribution."""
MORE = [2.5 * k for k in range(61)]
TURNED_SD_MM = 0.6
"""No fewer mm are tables taken to differ by, for a dozen of them tell that badly."""


@dataclass(frozen=True, eq=False)
class Still:
    """One picture, where the nets see its pieces, and of those whose truth is known: index, class, x, y in mm."""

    picture: np.ndarray
    lying: Lying
    known: list[tuple[int, str, float, float]]


@dataclass(frozen=True, eq=False)
class Table:
    """A calibrated table and its stills. `drawn`: by the simulated camera."""

    name: str
    calibration: Calibration
    stills: list[Still]
    drawn: bool


def main() -> int:
    """Reads, fits, prints, and with --write keeps the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"writes {errors.FIGURES} beside the nets")
    parser.add_argument("--boards", type=int, default=10, help="of each drawn look")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    tables = [*_rendered(), *_strokes(), *_drawn(args.boards)]
    for one in tables:
        others = [table for table in tables if table is not one]
        told = fit(others)
        off, u95, _ = _places(one, told)
        print(
            f"{one.name}: {len(off)} pieces, error {off.mean():.2f} mm (99 %: {np.percentile(off, 99):.2f}), stated "
            f"95 % holds {(off <= u95).mean():.3f}, u95 {u95.mean():.2f} mm on average",
            flush=True,
        )
    found = fit(tables)
    said = {
        "below_mm": {
            name: [round(below.mean_mm, 2), round(below.sd_mm, 2)]
            for name, below in (("coin", found.coin), ("striker", found.striker), ("sharp", found.sharp))
        },
        "u95": {name: round(getattr(found, name), 2) for name in U95},
    }
    print(json.dumps(said))
    if args.write:
        FIELD.write_text(json.dumps(said, indent=2) + "\n", encoding="utf-8")
    return 0


def fit(tables: list[Table]) -> Errors:
    """The figures that hold on these tables, each of which counts the same."""
    heights = {
        (striker, drawn): [h for t in tables if t.drawn == drawn and (h := _below(t, striker=striker)) is not None]
        for striker, drawn in product((False, True), repeat=2)
    }
    coin, striker = (_turned(heights[which, False]) for which in (False, True))
    sharp = Below(0.0, max(float(np.std([*heights[False, True], *heights[True, True]] or [0.0])), 0.3))
    start = replace(errors.ERRORS, coin=coin, striker=striker, sharp=sharp, stated=SD_TO_U95**2)
    measured = [(table.drawn, *_places(table, start)) for table in tables]

    def cost(unsure: float) -> float:
        """How far from 95 % the tables' shares are."""
        total = 0.0
        for drawn, off, _, terms in measured:
            u95 = np.sqrt(start.camera_mm**2 + terms @ (start.stated, unsure))
            total += (DRAWN_COUNTS if drawn else 1.0) * (float((off <= u95).mean()) - 0.95) ** 2
        return total

    # What the net states is taken at its word at least: only the rest is fitted.
    return replace(start, unsure=min(MORE, key=cost))


def _turned(heights: list[float]) -> Below:
    return Below(float(np.median(heights)), max(float(np.std(heights)), TURNED_SD_MM))


def _below(table: Table, *, striker: bool) -> float | None:
    """How far below the tops the nets' outlines stand on this table, in mm; None where too few pieces tell it."""
    off, lean = [], []
    for seen in table.stills:
        flat = flat_for(table.calibration.model, table.calibration.looks, table.calibration.board)
        slants = slant(flat, seen.lying.xy)
        for i, kind, x, y in seen.known:
            if (kind == "striker") == striker:
                off.append((x, y) - seen.lying.xy[i])
                lean.append(slants[i])
    if len(off) < 4:
        return None
    errors_mm, leans = np.array(off), np.array(lean)
    below = 0.0
    for _ in range(20):
        weight = 1.0 / (1.0 + ((errors_mm - below * leans) ** 2).sum(1) / 0.5**2)
        below = float((weight[:, None] * errors_mm * leans).sum() / (weight[:, None] * leans**2).sum())
    return below


def _places(table: Table, told: Errors) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """With these figures: how far off each known piece is placed, its u95, and the two terms of that (N, 2)."""
    flat, looks = (
        flat_for(table.calibration.model, table.calibration.looks, table.calibration.board),
        table.calibration.looks,
    )
    off: list[float] = []
    u95: list[float] = []
    terms: list[tuple[float, float]] = []
    for seen in table.stills:
        striker = seen.lying.radius_mm > looks.coin_diameter_mm * 0.58
        coin, other = (told.sharp, told.sharp) if looks.sharp_edges else (told.coin, told.striker)
        lying = replace(
            seen.lying,
            below_mm=np.where(striker, other.mean_mm, coin.mean_mm),
            below_sd_mm=np.where(striker, other.sd_mm, coin.sd_mm),
        )
        at = placed(flat, seen.picture, looks, lying)
        stated, unsure = told.u95_mm(at.var, lying.sd_mm), float((lying.sd_mm**2).mean())
        for i, _, x, y in seen.known:
            off.append(float(np.hypot(*(at.xy[i] - (x, y)))))
            u95.append(float(stated[i]))
            terms.append((at.var[i], at.var[i] * unsure))
    return np.array(off), np.array(u95), np.array(terms)


def _table(name: str, made: Calibration, pictures: Iterator[tuple[np.ndarray, list[Any]]], *, drawn: bool) -> Table:
    stills = []
    for picture, truths in pictures:
        heard: list[Lying] = []
        pieces = find(picture, made.model, made.looks, made.board, tell=heard.append).pieces
        if not heard:
            continue
        left, known = set(range(len(heard[0].xy))), []
        for kind, x, y, visible in truths:
            gaps = {i: float(np.hypot(pieces[i].x_mm - x, pieces[i].y_mm - y)) for i in left}
            best = min(gaps, key=lambda i: gaps[i], default=None)
            if visible >= 0.95 and best is not None and gaps[best] < MATCH_MM:
                left.discard(best)
                known.append((best, kind, x, y))
        stills.append(Still(picture, heard[0], known))
    return Table(name, made, stills, drawn)


def _rendered() -> Iterator[Table]:
    folder = Path(os.environ.get("RENDERS", "../shared/renders"))
    for rig in sorted(folder.glob("rig_*_calibration")):
        letter = rig.name.split("_")[1]

        def stills(letter: str = letter) -> Iterator[tuple[np.ndarray, list[Any]]]:
            for path in sorted(folder.glob(f"still_{letter}_*.json")):
                pieces = json.loads(path.read_text())["pieces"]
                truths = [(p["class"], p["x_mm"], p["y_mm"], p["visible_fraction"]) for p in pieces]
                yield cv2.imread(str(path.with_suffix(".jpg"))), truths

        yield _table(f"render {letter}", rig_calibration(rig, letter)[0], stills(), drawn=False)


def _strokes() -> Iterator[Table]:
    folder = Path(os.environ.get("STROKES", "../shared/strokes"))
    for rig in sorted(folder.glob("rig_*_calibration")):
        letter = rig.name.split("_")[1]
        lens = [cv2.imread(str(p), cv2.IMREAD_GRAYSCALE) for p in sorted(rig.glob("lens_*.jpg"))]
        empty, opening = (cv2.imread(str(rig / f"{kind}.jpg")) for kind in ("empty", "opening"))

        def stills(letter: str = letter) -> Iterator[tuple[np.ndarray, list[Any]]]:
            for path in sorted((folder / "stills").glob(f"last_{letter}_*.json")):
                truths = [(p["piece"], p["x"], p["y"], 1.0) for p in json.loads(path.read_text())["pieces"]]
                yield cv2.imread(str(path.with_suffix(".jpg"))), truths

        yield _table(
            f"strokes {letter}",
            calibrate(Inputs(DEFAULT_BOARD, lens, empty, opening)).calibration,
            stills(),
            drawn=False,
        )


def _drawn(boards: int) -> Iterator[Table]:
    for name in DEVELOPMENT:
        camera, rng = Camera(LOOKS[name], 1), np.random.default_rng(5)

        def stills(name: str = name, camera: Camera = camera, rng: Any = rng) -> Iterator[tuple[np.ndarray, list[Any]]]:
            for k in range(boards):
                frame = still(camera, random_position(rng, LOOKS[name].pieces, striker=SEATS[k % 5]))  # type: ignore[arg-type]
                yield frame.picture, [(p.piece, p.x_mm, p.y_mm, p.visible) for p in frame.pieces]

        yield _table(name, calibrated(name).calibration, stills(), drawn=True)


if __name__ == "__main__":
    raise SystemExit(main())
