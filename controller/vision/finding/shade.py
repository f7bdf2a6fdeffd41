"""Hard shadows taken out of a flat picture: the board as it would lie in even light.

Today's picture against the empty one is, on the bare board, the light alone: even in each patch of sun or shade, with
steps between them. A median wider than a piece keeps the steps and loses the pieces. Needs an empty board. Must not
know nets or pieces' classes.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Floats
from controller.vision.finding.flat import Flat, Floats32, brightness
from controller.vision.grid import CELL
from controller.vision.looks import TONE_OFFSET, Pixels

HARD = 0.2
"""Logarithms by which light must stray from what it is all about, to be no lamp's fading."""
LEAST_SHARE = 0.02
"""Of the board, that must lie in such light."""
WIDE_MM = 44.0
"""Side of the window of the median: more than twice a coin's area, and narrower than twice a window bar's shadow."""
ABOUT_MM = 60.0
"""A lamp's light fades over more than this."""
STEP = 0.02
"""Logarithms of one level in the eight bits in which the median is taken."""
MIDDLE = 160
"""The level of no change: shade goes farther down than light goes up."""
MORE_MM = 2.5
"""What hides the surface has a rim and a little shadow of its own."""
HUE_STEP = 0.15
"""Logarithms of colour against brightness from which on a wide change is a hand or a thing: the sky's shade is a little
bluer than the sun's light, skin and sleeves are farther from wood."""
LIT = 90.0
"""Percentile of the light that shade is raised to: nothing is made darker, or what is burnt would seem a colour."""
SAME, FARTHER, SHARE = 0.15, 0.25, 0.35
"""A corner that the median has rounded shows the light beside it to SAME; it is off by more than FARTHER, and than this
share of the step there."""
BURNT = 250


@dataclass(frozen=True, eq=False)
class Light:
    """Light with hard steps in it, at half the grid's size. `log` (n, n, 3): logarithms of today's light against the
    empty picture's, about that of the bright parts. `strange` (n, n): where what is seen is no light on the board."""

    log: Floats32
    strange: NDArray[np.uint8]


def light_steps(flat: Flat, half: Floats32, cells: Floats32, covered: Floats) -> Light | None:
    """The light in which a board lies, None where there are no hard steps in it.

    `half`, `cells`: the picture as from `half_log` and `cells_log`; `covered` (M, 3): x, y and radius in mm of what is
    known to hide the surface.
    """
    assert flat.empty is not None
    if not _hard(flat, cells, covered):
        return None
    hides = (flat.board == 0).astype(np.uint8)
    change = cv2.merge([cv2.subtract(now, before) for now, before in zip(half, flat.empty.half_log, strict=True)])
    _cover(hides, (flat.to_grid(covered[:, :2]) + 0.5) / 2.0 - 0.5, covered[:, 2], flat.scale / 2.0)
    some = flat.board[4::8, 4::8] > 0
    seen = _levels(change)
    level, calm = _calm(seen, hides, WIDE_MM * flat.scale / 2.0)
    # A hand is no light: it changes the colour.
    strange = cv2.dilate(_other_hue(calm, some), np.ones((7, 7), np.uint8))
    if strange.any():
        level, calm = _calm(seen, hides | strange, WIDE_MM * flat.scale / 2.0)
    light = _cornered(level, calm, WIDE_MM * flat.scale / 4.0).astype(np.float32) * np.float32(STEP)
    light -= np.percentile(light[4::8, 4::8][some], LIT, axis=0).astype(np.float32)
    light[strange > 0] = 0.0
    return Light(light, strange)


def _other_hue(calm: NDArray[np.uint8], some: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Where the colour changed otherwise than the brightness did, (n, n) of 0 and 1, against `some` of every eighth."""
    planes = cv2.split(calm.astype(np.float32))
    level = (planes[0] + planes[1] + planes[2]) / np.float32(3.0)
    strange = np.zeros(calm.shape[:2], dtype=np.bool_)
    for plane in planes:
        hue = plane - level
        strange |= np.abs(hue - np.median(hue[4::8, 4::8][some])) > HUE_STEP / STEP
    return strange.view(np.uint8)


def _hard(flat: Flat, cells: Floats32, covered: Floats) -> bool:
    """Whether light strays enough, in enough of the board, from what it is all about; examined cell by cell."""
    assert flat.empty is not None
    board = cv2.resize(flat.board, cells.shape[:2], interpolation=cv2.INTER_AREA)
    hides = (board == 0).astype(np.uint8)
    _cover(hides, (flat.to_grid(covered[:, :2]) + 0.5) / CELL - 0.5, covered[:, 2], flat.scale / CELL)
    _, calm = _calm(_levels(cells - flat.empty.cells_log), hides, WIDE_MM * flat.scale / CELL)
    light, there = brightness(calm.astype(np.float32)) * np.float32(STEP), board.astype(np.float32)
    wide = ABOUT_MM * flat.scale / CELL
    about = cv2.GaussianBlur(light * there, (0, 0), wide) / np.maximum(cv2.GaussianBlur(there, (0, 0), wide), 1e-3)
    return float((np.abs(light - about)[board > 0] > HARD).mean()) >= LEAST_SHARE


def _cover(hides: NDArray[np.uint8], places: Floats, radii_mm: Floats, scale: float) -> None:
    for (column, row), radius in zip(places, radii_mm, strict=True):
        cv2.circle(hides, (round(column), round(row)), round((radius + MORE_MM) * scale), 1, -1)


def _levels(change: Floats32) -> NDArray[np.uint8]:
    """The change in eight bits."""
    return np.asarray(np.clip(np.round(change / STEP) + MIDDLE, 0, 255), dtype=np.uint8)


def _calm(
    seen: NDArray[np.uint8], hides: NDArray[np.uint8], wide_px: float
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The change in eight bits, filled where something hides, and its median."""
    level = _filled(seen, hides)
    return level, np.asarray(cv2.medianBlur(level, round(wide_px) | 1), dtype=np.uint8)


def lit_board(flat: Flat, light: Light, xy: Floats) -> NDArray[np.bool_]:
    """At which of N places, in mm, light on the board is seen and nothing strange, (N,)."""
    at = np.clip(np.round((flat.to_grid(xy) + 0.5) / 2.0 - 0.5).astype(int), 0, light.strange.shape[0] - 1)
    return np.asarray(light.strange[at[:, 1], at[:, 0]] == 0, dtype=np.bool_)


def evened(laid: Pixels, light: Light) -> Pixels:
    """The picture as it would be without the steps of `light`, as from `light_steps`; what is burnt stays burnt."""
    side = laid.shape[:2]
    gain = cv2.resize(np.exp(np.maximum(-light.log, 0.0)), side[::-1], interpolation=cv2.INTER_LINEAR)
    offset = (TONE_OFFSET,) * 4
    even = cv2.subtract(cv2.multiply(cv2.add(laid, offset, dtype=cv2.CV_32F), gain), offset, dtype=cv2.CV_8U)
    burnt = (laid >= BURNT).view(np.uint8)
    return np.asarray(cv2.copyTo(laid, burnt, cv2.min(even, (BURNT - 1.0,) * 4)), dtype=np.uint8)


def _cornered(level: NDArray[np.uint8], calm: NDArray[np.uint8], reach_px: float) -> NDArray[np.uint8]:
    """The median with the corners that it has rounded: there the picture shows the light that lies just beside."""
    around = np.ones((2 * round(reach_px) + 1,) * 2, np.uint8)
    low, high, seen, usual = (
        brightness(colour.astype(np.float32))
        for colour in (cv2.erode(calm, around), cv2.dilate(calm, around), level, calm)
    )
    off, span = seen - usual, high - low
    beside = (span > 1.5 * HARD / STEP) & (seen > low - SAME / STEP) & (seen < high + SAME / STEP)
    corner = np.asarray(beside & (np.abs(off) > np.maximum(SHARE * span, FARTHER / STEP)), dtype=np.uint8)
    grown = (cv2.dilate(corner, np.ones((9, 9), np.uint8)) > 0) & beside & (np.abs(off) > 0.05 / STEP)
    return np.where(grown[:, :, None], cv2.medianBlur(level, 5), calm)


def _filled(seen: NDArray[np.uint8], hides: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """What lies nearest, wherever something `hides`, (n, n, 3)."""
    if not hides.any() or hides.all():
        return seen
    _, labels = cv2.distanceTransformWithLabels(hides, cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL)
    free, hidden = np.flatnonzero(hides == 0), np.flatnonzero(hides)
    places = np.zeros(int(labels.max()) + 1, dtype=np.int64)
    places[labels.ravel()[free]] = free
    filled = seen.copy()
    filled.reshape(-1, 3)[hidden] = seen.reshape(-1, 3)[places[labels.ravel()[hidden]]]
    return filled
