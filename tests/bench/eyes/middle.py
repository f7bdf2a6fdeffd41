"""The red middle: pieces partly on it, where a struck queen comes to rest most often, and its bare paint.

Are they found, and surely named, and is the paint told for none?
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np

from controller.simulator.camera import Camera
from controller.simulator.looks import LOOKS
from controller.simulator.motion import Pose
from controller.simulator.pieces import STRIKER
from controller.simulator.stills import random_position, still
from controller.vision.finding import Finding
from controller.vision.looks import Pixels
from tests.bench.eyes.boards import calibrated
from tests.bench.eyes.tally import MATCH_MM, finder
from tests.bench.figure import Figure

FROM_MM, TO_MM = 6.0, 35.0
SURE = 0.9
KINDS = ("queen", "white", "black", "paint")
See = Callable[[Pixels], Finding]
CLEAR_MM = 36.0
"""Nothing else lies nearer to the piece that is asked about."""


def run(names: tuple[str, ...], what: str, boards: int) -> Iterator[Figure]:
    """Yields how a queen, a white, a black and bare paint are told there, on `boards` boards each of every look."""
    whole: Counter[str] = Counter()
    for name in names:
        try:
            table = calibrated(name)
        except ValueError as error:
            yield Figure(f"{what}: calibration of {name}", "sim", "refused", "made", False, str(error)[:90])
            continue
        see, camera = finder(table.calibration), Camera(LOOKS[name], 1)
        rng, mine = np.random.default_rng(6), Counter[str]()
        for _ in range(boards):
            for kind in KINDS:
                _ask(kind, see, camera, rng, mine)
        whole += mine
        yield Figure(f"{what}: {name}", "sim", _line(mine))
    yield Figure(f"{what}: all", "sim", _line(whole))


def _ask(kind: str, see: See, camera: Camera, rng: np.random.Generator, counted: Counter[str]) -> None:
    """Puts one piece about the middle, or for `paint` none, and counts what is told."""
    pieces = camera.look.pieces
    x, y = (0.0, 0.0) if kind == "paint" else _about(rng)
    asked = next((piece for piece in pieces.names if pieces.piece(piece) == kind), None)
    others = random_position(rng, pieces)
    lying = {n: p for n, p in others.items() if n not in (asked, STRIKER) and _clear(x, y, p)}
    if asked is not None:
        lying[asked] = Pose(x, y, 0.0, float(rng.uniform(0, 2 * np.pi)))
    found = see(still(camera, lying).picture).pieces
    near = [p for p in found if np.hypot(p.x_mm - x, p.y_mm - y) < MATCH_MM]
    best = min(near, key=lambda p: np.hypot(p.x_mm - x, p.y_mm - y), default=None)
    counted[kind] += 1
    if kind == "paint":
        counted["paint taken"] += best is not None
    elif best is None:
        counted[f"{kind} missed"] += 1
    else:
        counted[f"{kind} misnamed"] += best.piece != kind
        counted[f"{kind} in doubt"] += best.piece == kind and bool(best.odds) and best.odds[0][1] < SURE


def _about(rng: np.random.Generator) -> tuple[float, float]:
    far, turn = rng.uniform(FROM_MM, TO_MM), rng.uniform(0, 2 * np.pi)
    return float(far * np.cos(turn)), float(far * np.sin(turn))


def _clear(x: float, y: float, other: Pose) -> bool:
    return bool(np.hypot(other.x_mm - x, other.y_mm - y) > CLEAR_MM)


def _line(counted: Counter[str]) -> str:
    parts = []
    for kind in KINDS[:-1]:
        misnamed, missed, doubt = (counted[f"{kind} {word}"] for word in ("misnamed", "missed", "in doubt"))
        parts.append(f"{kind} {misnamed} misnamed, {missed} missed, {doubt} in doubt of {counted[kind]}")
    return "; ".join((*parts, f"paint taken for a piece {counted['paint taken']} of {counted['paint']}"))
