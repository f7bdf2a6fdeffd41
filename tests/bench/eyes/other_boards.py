"""Boards that are painted millimetres away from what they are said to be, or of which only the side is: found all the
same, and measured."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from calibration.board import Board
from calibration.measures import board_of, measures_of
from calibration.presets import PRESETS
from controller.events.errors import ConfigError
from controller.vision.calibration_inputs import Inputs
from controller.vision.guided_calibration import calibrate
from tests.bench.eyes import random_tables
from tests.bench.eyes.tally import grey
from tests.bench.figure import Figure, share

Rng = np.random.Generator
FIRST_SEED = 740_001
RIGHT_MM = 1.0
PLACES = ("outer_line_mm", "inner_line_mm", "line_half_length_mm")


def differing(told: Board, rng: Rng) -> Board:
    """A board of the same surface whose every marking lies somewhere else, as makers differ."""
    both, outer, inner = rng.normal(0, 1.5), rng.normal(0, 0.5), rng.normal(0, 0.5)
    wider, finer = rng.uniform(-1, 1), rng.uniform(-0.3, 0.5)
    low, high = told.outer_line_mm
    first, last = told.inner_line_mm
    return replace(
        told,
        outer_line_mm=(low + both + outer - wider / 2, high + both + outer + wider / 2),
        inner_line_mm=(first + both + inner - finer / 2, last + both + inner + finer / 2),
        line_half_length_mm=told.line_half_length_mm + rng.normal(0, 1.5),
        base_circle_diameter_mm=told.base_circle_diameter_mm + rng.uniform(-1, 1),
        centre_circle_diameter_mm=told.centre_circle_diameter_mm + rng.uniform(-1.5, 1.5),
        outer_circle_diameter_mm=told.outer_circle_diameter_mm + rng.uniform(-4, 4),
        pocket_radius_mm=told.pocket_radius_mm + rng.uniform(-1, 2),
        arrow_radii_mm=(told.arrow_radii_mm[0] + rng.uniform(-3, 3), told.arrow_radii_mm[1] + rng.uniform(-3, 3)),
    )


def of_its_own(rng: Rng) -> Board:
    """A board as some maker may draw it, of any side from 600 to 750 mm."""
    half = rng.uniform(300, 375)
    size = half / 370.0
    first, wide = (101.5 + rng.normal(0, 4)) * size, rng.uniform(3, 5.5) * size
    between, fine = rng.uniform(22, 29) * size, rng.uniform(1, 2)
    inner = first + wide + between
    return Board(
        half_mm=half,
        frame_width_mm=rng.uniform(45, 65),
        pocket_radius_mm=rng.uniform(21, 26),
        outer_line_mm=(first, first + wide),
        inner_line_mm=(inner, inner + fine),
        line_half_length_mm=(219.1 + rng.normal(0, 4)) * size,
        base_circle_diameter_mm=min(rng.uniform(28, 32), wide + between + fine - 1.0),
        base_disc_diameter_mm=23.0,
        centre_circle_diameter_mm=31.0,
        outer_circle_diameter_mm=rng.uniform(150, 172),
        arrow_radii_mm=(152.0 * size + rng.normal(0, 3), 415.0 * size + rng.normal(0, 4)),
        coin_diameter_mm=rng.uniform(29, 31.5),
    )


def by_side(count: int, first: int = 745_001) -> Iterator[Figure]:
    """Tables on boards of which nothing but the side is said."""
    sure, wrong = 0, 0
    for seed in range(first, first + count):
        true = of_its_own(np.random.default_rng(seed))
        table = random_tables.draw(seed, board=true)
        preset = min(PRESETS, key=lambda name: abs(PRESETS[name].half_mm - true.half_mm))
        told = board_of({"preset": preset, "side_mm": round(2.0 * true.half_mm, 1)})
        lens = [grey(p) for p in table.lens]
        inputs = Inputs(told, lens, table.empty, table.opening, south=table.south, side_said=True)
        try:
            made = calibrate(inputs)
        except ConfigError:
            continue
        if any("no line is called" in line for line in made.says):
            continue
        truth, got = measures_of(true), measures_of(made.calibration.board)
        off = max(float(np.abs(np.subtract(got[name], truth[name])).max()) for name in PLACES)
        sure += off < RIGHT_MM
        wrong += off >= RIGHT_MM
        if off >= RIGHT_MM:
            yield Figure(f"board of seed {seed}, told by its side", "sim", f"{off:.1f} mm off", f"{RIGHT_MM} mm", False)
    yield Figure("boards told by their side alone, base lines right", "sim", share(sure, count), "most")
    yield Figure("… base lines wrong, and called", "sim", share(wrong, count), "none", wrong == 0)


def run(count: int, first: int = FIRST_SEED) -> Iterator[Figure]:
    """Tables on each board that ships in turn, every other one painted as it is said to be."""
    found, wrong, kept = 0, 0, 0
    off: dict[str, list[float]] = defaultdict(list)
    within: dict[str, list[bool]] = defaultdict(list)
    before: dict[str, list[float]] = defaultdict(list)
    for seed in range(first, first + count):
        rng = np.random.default_rng(seed)
        told = list(PRESETS.values())[seed % len(PRESETS)]
        true = differing(told, rng) if seed % 2 else told
        table = random_tables.draw(seed, board=true)
        inputs = Inputs(told, [grey(p) for p in table.lens], table.empty, table.opening, south=table.south)
        try:
            calibration = calibrate(inputs).calibration
        except ConfigError as error:
            yield Figure(f"board of seed {seed}", "sim", "refused", "made", False, str(error)[:120])
            continue
        found += 1
        truth, said, got = measures_of(true), measures_of(told), measures_of(calibration.board)
        for name in calibration.measured:
            errors = np.atleast_1d(np.subtract(got[name], truth[name]))
            limits = np.atleast_1d(calibration.measured_u95[name])
            if true is told:
                kept += got[name] == said[name]
                wrong += got[name] != said[name]
                continue
            off[name] += np.abs(errors).tolist()
            before[name] += np.abs(np.atleast_1d(np.subtract(said[name], truth[name]))).tolist()
            within[name] += (np.abs(errors) <= limits).tolist()
    yield Figure("boards of other measures, calibrated", "sim", share(found, count), "all", found == count)
    yield Figure("measures of a board as it was told, kept", "sim", share(kept, kept + wrong))
    for name, errors_mm in off.items():
        mean, high = float(np.mean(errors_mm)), float(np.percentile(errors_mm, 95))
        note = (
            f"as it was told {np.mean(before[name]):.2f} mm off; u95 holds {share(sum(within[name]), len(off[name]))}"
        )
        wanted, good = ("0.3 mm", mean <= 0.3) if name in PLACES else ("", None)
        yield Figure(f"{name} of boards that differ", "sim", f"{mean:.2f} mm, 95 % {high:.2f}", wanted, good, note)
