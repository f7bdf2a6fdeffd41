"""Simulated boards at rest: every look calibrates itself by its own pictures first, then random positions are found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from calibration.board import DEFAULT_BOARD
from controller.simulator.camera import Camera
from controller.simulator.looks import LOOKS
from controller.simulator.stills import CalibrationSet, calibration_set, random_position, still
from controller.vision.calibration_file import Calibration
from controller.vision.calibration_inputs import Inputs
from controller.vision.guided_calibration import calibrate
from tests.bench.eyes.rough import tuned
from tests.bench.eyes.tally import Tally, finder, grey
from tests.bench.figure import Figure

SEATS = (None, "south", "east", "north", "west")
WARM_UP = 1


@dataclass(frozen=True, eq=False)
class Table:
    """A look with what its eyes learnt of it."""

    name: str
    pictures: CalibrationSet
    calibration: Calibration


def calibrated(name: str, views: int = 10) -> Table:
    """Calibrates one look from pictures. Raises ConfigError where that is refused."""
    look = LOOKS[name]
    pictures = calibration_set(look, seed=1, views=views)
    # Asked for on the command line; whoever measures by calliper has it to a tenth. Drawn pieces are cylinders.
    inputs = Inputs(
        DEFAULT_BOARD,
        [grey(p) for p in pictures.lens],
        pictures.empty,
        pictures.opening,
        coin_thickness_mm=look.pieces.coin_thickness_mm,
        striker_thickness_mm=look.pieces.striker_thickness_mm,
        sharp_edges=True,
    )
    return Table(name, pictures, calibrate(inputs).calibration)


def run(names: tuple[str, ...], what: str, boards: int) -> Iterator[Figure]:
    """Yields the figures of `boards` boards spread over some looks, and each look's own count."""
    whole, rough = Tally(), Tally()
    for index, name in enumerate(names):
        try:
            table = calibrated(name)
        except ValueError as error:
            yield Figure(f"{what}: calibration of {name}", "sim", "refused", "made", False, str(error)[:90])
            continue
        yield _camera(table, what)
        mine = Tally()
        look = finder(table.calibration)
        simple = tuned(table.calibration, table.pictures.opening)
        camera, rng = Camera(LOOKS[name], 1), np.random.default_rng(2)
        for _ in range(WARM_UP):
            look(table.pictures.empty)
        for k in range(boards // len(names) + (index < boards % len(names))):
            frame = still(camera, random_position(rng, LOOKS[name].pieces, striker=SEATS[k % 5]))  # type: ignore[arg-type]
            truths = [(p.piece, p.x_mm, p.y_mm, p.visible) for p in frame.pieces]
            began = len(whole.seconds)
            found = whole.timed(look, frame.picture)
            mine.seconds += whole.seconds[began:]
            whole.add(truths, found)
            mine.add(truths, found)
            if k % 10 == 0:
                rough.add(truths, rough.timed(simple, frame.picture))
        if mine.boards:
            yield Figure(f"{what}: {name}", "sim", mine.line())
    yield from whole.figures("sim", what, 0.99)
    if rough.boards:
        yield Figure(f"{what}: HoughCircles and colour beside it, each tenth board", "sim", rough.line())


def _camera(table: Table, what: str) -> Figure:
    axis = np.linspace(-350, 350, 8)
    grid = np.stack(np.meshgrid(axis, axis), -1).reshape(-1, 2)
    px = table.pictures.view.project(np.concatenate((grid, np.full((len(grid), 1), 8.0)), 1))
    off = np.hypot(*(table.calibration.model.to_plane(px, 8.0) - grid).T)
    return Figure(f"{what}: camera of {table.name} adds", "sim", f"{off.mean():.2f} mm, at most {off.max():.2f}")
