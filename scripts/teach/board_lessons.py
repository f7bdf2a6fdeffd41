"""Turns drawn boards into what the detector is shown and what it should answer, as arrays of one size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from controller.vision.finding.detector import CELL_PX, Shown, shown
from controller.vision.finding.flat import Flat, cells_log, half_log, halved
from controller.vision.finding.views import SATURATED
from scripts.teach.added import FLESH, ON_EDGE, THING
from scripts.teach.lessons import MORE, SEEN, UNSEEN, Taught, another_way, load, misjudged, with_more
from scripts.teach.repainted import repainted

Rng = np.random.Generator
Array = npt.NDArray[Any]
Sample = dict[str, Array]

SIDE = 352
"""Pixels of the canvas on which every board is shown, at half the grid's size; the largest board takes 340."""
CELLS = SIDE // CELL_PX
UPRIGHT = 5
"""The class of a piece on its edge, behind those of `KINDS`."""
IGNORED = 255
THERE, GONE = 0.55, 1.0
"""How near to a piece's centre, in its radii, a cell shows that piece; from where on it shows none."""
TONES_KNOWN = 0.85
NUDGED, NUDGE_PX = 0.4, 0.4
BURNT = 0.95
"""What lies in light that saturates so much of it and of its surroundings cannot be asked for."""


def samples(path: Path, rng: Rng, count: int) -> list[Sample]:
    """`count` pictures of one drawn look, each changed in another way."""
    taught = load(path)
    return [sample(taught, int(rng.integers(len(taught.flats))), rng) for _ in range(count)]


def sample(taught: Taught, k: int, rng: Rng, *, plain: bool = False) -> Sample:
    """Picture `k` and its answers; `plain`: as it was drawn."""
    colour, truth = taught.flats[k], taught.truths[k]
    half = taught.flat.side // 2
    covers = np.full((half, half), IGNORED if k > 1 else 0, np.uint8) if taught.covers is None else taught.covers[k]
    flat = taught.flat
    if not plain:
        colour, truth = repainted(flat, colour, truth, taught.radii, taught.tones, rng)
        if rng.random() < MORE:
            colour, truth, over = with_more(taught, colour, truth, rng)
            over = over[::2, ::2][:half, :half]
            covers = np.where(over > 0, over, covers)
        flat, colour = another_way(taught, colour, truth, rng)
        if rng.random() < NUDGED:
            # A camera that was nudged since, as far as following it leaves that.
            shift = np.column_stack((np.eye(2), rng.normal(0, NUDGE_PX, 2)))
            colour = cv2.warpAffine(colour, shift, colour.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)
    truth = _less_burnt(flat, colour, truth, taught.radii)
    known = plain or bool(rng.random() < TONES_KNOWN)
    tones = taught.tones if plain else misjudged(taught.tones, rng)
    see = shown(flat, colour, half_log(colour), cells_log(colour), tones if known else None)
    answers = _answers(flat, truth, covers, taught.radii)
    return _stored(flat, colour, see) | answers


def _less_burnt(flat: Flat, colour: Array, truth: Array, radii_mm: Array) -> Array:
    """The truth, hardly visible where a piece and all about it are saturated."""
    seen = truth.copy()
    for row in seen:
        column, line = flat.to_grid(row[None, 1:3])[0]
        reach = int(np.ceil(1.25 * radii_mm[int(row[0])] * flat.scale))
        r, c = round(float(line)), round(float(column))
        part = colour[max(r - reach, 0) : r + reach + 1, max(c - reach, 0) : c + reach + 1, 1]
        if part.size and (part >= SATURATED).mean() > BURNT:
            row[3] = min(row[3], 0.5 * (SEEN + UNSEEN))
    return seen


def _stored(flat: Flat, colour: Array, see: Shown) -> Sample:
    """What is shown, as small as it is kept: colours instead of their logarithms."""
    empty = np.zeros_like(colour) if flat.empty is None else flat.empty.colour
    return {
        "now": _canvas(halved(colour).transpose(2, 0, 1), SIDE),
        "empty": _canvas(halved(empty).transpose(2, 0, 1), SIDE),
        "fine": _canvas(cv2.cvtColor(colour, cv2.COLOR_BGR2GRAY)[None], 2 * SIDE),
        "fine_empty": _canvas(cv2.cvtColor(empty, cv2.COLOR_BGR2GRAY)[None], 2 * SIDE),
        "wood": _canvas(see.bare.wood.transpose(2, 0, 1), CELLS).astype(np.float16),
        "board": _canvas(flat.board[None], SIDE),
        "light": see.light,
        "told": see.told[0],
        "steep": _canvas(see.bare.steep[0], CELLS).astype(np.float16),
    }


def _canvas(planes: Array, side: int) -> Array:
    made = np.zeros((planes.shape[0], side, side), dtype=planes.dtype)
    h, w = planes.shape[1:]
    made[:, :h, :w] = planes
    return made


def _answers(flat: Flat, truth: Array, covers: Array, radii_mm: Array) -> Sample:
    """`kinds` (CELLS, CELLS), `steps` (2, CELLS, CELLS) right and down in cells, and `maps` (2, 2 CELLS, 2 CELLS): the
    shares of 255 that hands and other things cover, IGNORED - 1 is all."""
    kinds = np.zeros((CELLS, CELLS), dtype=np.uint8)
    steps = np.zeros((2, CELLS, CELLS), dtype=np.float16)
    far = np.full((CELLS, CELLS), np.inf)
    upright = [(UPRIGHT, *at[::-1], 1.0) for at in _middles(covers == ON_EDGE)]
    places = [(int(kind), *_cell(flat, x, y), visible) for kind, x, y, visible in truth] + [
        (kind, (row + 0.5) / CELL_PX - 0.5, (column + 0.5) / CELL_PX - 0.5, 1.0) for kind, column, row, _ in upright
    ]
    rows, columns = np.mgrid[0:CELLS, 0:CELLS]
    per_mm = flat.scale / 2.0 / CELL_PX
    for kind, row, column, visible in places:
        radius = radii_mm[1 if kind == UPRIGHT else kind] * per_mm
        gap = np.hypot(rows - row, columns - column)
        mine = (gap < far) & (gap < GONE * radius)
        if visible < UNSEEN:
            kinds[mine & (gap < THERE * radius)] = IGNORED
            continue
        there = mine & ((gap < THERE * radius) | (gap == gap.min())) & (visible >= SEEN)
        kinds[mine] = IGNORED
        kinds[there] = kind
        steps[0][there], steps[1][there] = (column - columns)[there], (row - rows)[there]
        far[mine] = gap[mine]
    maps = np.zeros((2, 2 * CELLS, 2 * CELLS), dtype=np.uint8)
    for k, sort in enumerate((FLESH, THING)):
        share = cv2.resize(
            ((covers == sort) * 254).astype(np.uint8), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA
        )
        unknown = cv2.resize((covers == IGNORED).astype(np.uint8), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        h, w = share.shape
        maps[k, :h, :w] = np.where((unknown > 0) & (share == 0), IGNORED, share)
    return {"kinds": kinds, "steps": steps, "maps": maps}


def _cell(flat: Flat, x: float, y: float) -> tuple[float, float]:
    """Row and column of a place, in cells from the first one's middle."""
    column, row = (flat.to_grid(np.array([[x, y]]))[0] + 0.5) / 2.0 / CELL_PX - 0.5
    return float(row), float(column)


def _middles(mask: Array) -> list[tuple[float, float]]:
    """Row and column of the middle of each patch of a mask, in its pixels."""
    count, _, stats, middles = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
    return [(float(y), float(x)) for (x, y), s in zip(middles[1:count], stats[1:count], strict=True) if s[4] >= 6]
