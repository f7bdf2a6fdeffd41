"""What is no piece: hands, foreign things, pieces on edge, and places about which nothing can be said.

Whatever differs from the empty board under today's light and is not explained by a piece that was found. Without an
empty picture only a saturated reflection can be told. Must not know tracks or time.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Floats
from controller.events.observation import Foreign, Hand, Point
from controller.events.words import Seat
from controller.vision.finding.ground import BOARD_HALF_MM, CELL, Floats32, Ground
from controller.vision.looks import TONE_OFFSET, Pixels

SATURATED = 250
LEAST_GLARE_MM2 = 120.0
LEAST_FOREIGN_MM2 = 260.0
LEAST_HAND_MM2 = 1500.0
HUE_STEP, LEVEL_STEP = 0.2, 0.6
"""How far the logarithms of colour ratios and of brightness may stray on bare wood: shadows change only the second."""


@dataclass(frozen=True, eq=False)
class Unseen:
    """Hands, foreign things, hidden polygons, all in mm; `upright` (N, 3): x, y, and the length of pieces on edge."""

    hidden: tuple[tuple[Point, ...], ...]
    hands: tuple[Hand, ...]
    foreign: tuple[Foreign, ...]
    upright: Floats


def unseen_in(
    ground: Ground, flat: Pixels, flat_colour: Pixels, surface: Floats32, discs: Floats, coin_mm: float
) -> Unseen:
    """Looks at what the found pieces, `discs` (N, 3) x, y and radius in mm, leave unexplained.

    `surface` is the bare wood's colour under today's light, one value a cell.
    """
    hidden = _glare(ground, flat, discs)
    hands: list[Hand] = []
    foreign: list[Foreign] = []
    upright: list[tuple[float, float, float]] = []
    if ground.empty_colour is not None and not ground.supposed:
        mask = _strange(ground, flat_colour, surface, discs)
        per_px = (2.0 / ground.scale) ** 2
        for contour in cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0]:
            area = cv2.contourArea(contour) * per_px
            if area < LEAST_FOREIGN_MM2 * 0.5:
                continue
            outline = _outline(ground, contour, 2.0)
            side = _side(outline)
            _, size, _ = cv2.minAreaRect(contour)
            length, breadth = max(size) * 2.0 / ground.scale, min(size) * 2.0 / ground.scale
            if area > LEAST_HAND_MM2 and side is not None:
                hands.append(Hand(outline, side))
                hidden.append(outline)
            elif abs(length - coin_mm) < 6.0 and breadth < 0.55 * coin_mm and area < 0.6 * coin_mm**2:
                x, y = np.mean(outline, 0)
                upright.append((float(x), float(y), length))
            elif area > LEAST_FOREIGN_MM2:
                foreign.append(Foreign(outline))
                hidden.append(outline)
    return Unseen(tuple(hidden), tuple(hands), tuple(foreign), np.array(upright).reshape(-1, 3))


def _glare(ground: Ground, flat: Pixels, discs: Floats) -> list[tuple[Point, ...]]:
    """Saturated patches that are not a piece's own bright top."""
    burnt = np.asarray(flat >= SATURATED, dtype=np.uint8)
    if np.count_nonzero(burnt[::3, ::3]) * 9 < LEAST_GLARE_MM2 * ground.scale**2:
        return []
    _blot(ground, burnt, discs, 1.5, 1.0)
    burnt = cv2.morphologyEx(burnt, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    least = LEAST_GLARE_MM2 * ground.scale**2
    contours = cv2.findContours(burnt, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0]
    return [_outline(ground, c, 1.0) for c in contours if cv2.contourArea(c) > least]


def _strange(ground: Ground, flat_colour: Pixels, surface: Floats32, discs: Floats) -> NDArray[np.uint8]:
    """Where the picture is neither the bare board in light or shade nor a found piece; half the grid's size."""
    assert ground.empty_colour is not None
    half = (ground.side // 2, ground.side // 2)
    now = cv2.resize(flat_colour, half, interpolation=cv2.INTER_AREA).astype(np.float32)
    before = cv2.resize(ground.empty_colour, half, interpolation=cv2.INTER_AREA).astype(np.float32)
    cells = (ground.side // CELL, ground.side // CELL)
    wood = cv2.resize(ground.empty_colour, cells, interpolation=cv2.INTER_AREA)
    wide = round(62.0 * ground.scale / CELL) | 1
    wood = cv2.medianBlur(wood, wide).astype(np.float32)
    light = cv2.resize((surface + TONE_OFFSET) / (wood + TONE_OFFSET), half, interpolation=cv2.INTER_LINEAR)
    ratio = np.log((now + TONE_OFFSET) / ((before + TONE_OFFSET) * light))
    ratio = cv2.GaussianBlur(ratio, (0, 0), 1.2)
    level = ratio.mean(2)
    hue = np.maximum(np.abs(ratio[:, :, 2] - ratio[:, :, 1]), np.abs(ratio[:, :, 0] - ratio[:, :, 1]))
    mask = np.asarray((hue > HUE_STEP) | (np.abs(level) > LEVEL_STEP), dtype=np.uint8)
    _blot(ground, mask, discs, 5.0, 0.5)
    corners = np.array([(sx * 347.75, sy * 347.75, 26.0) for sx in (-1, 1) for sy in (-1, 1)])
    _blot(ground, mask, corners, 0.0, 0.5)
    edge = round((ground.middle - BOARD_HALF_MM * ground.scale) / 2 + 2.0 * ground.scale)
    mask[:edge] = mask[-edge:] = 0
    mask[:, :edge] = mask[:, -edge:] = 0
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), dtype=np.uint8)


def _blot(ground: Ground, mask: NDArray[np.uint8], discs: Floats, more_mm: float, share: float) -> None:
    """Clears discs (N, 3) out of a mask at `share` of the grid's size."""
    if not len(discs):
        return
    for (column, row), radius in zip(ground.to_grid(discs[:, :2]) * share, discs[:, 2], strict=True):
        cv2.circle(mask, (round(column), round(row)), round((radius + more_mm) * ground.scale * share), 0, -1)


def _outline(ground: Ground, contour: NDArray[np.int32], size: float) -> tuple[Point, ...]:
    """A contour in pixels of `size` grid pixels, to a simple polygon in mm on the board's surface."""
    simple = cv2.approxPolyDP(contour, 1.0, True).reshape(-1, 2).astype(np.float64)
    places = ground.to_mm((simple + 0.5) * size - 0.5)
    return tuple((round(float(x), 1), round(float(y), 1)) for x, y in places)


def _side(outline: tuple[Point, ...]) -> Seat | None:
    """The side at which a thing reaches over the frame; None if it lies within."""
    points = np.array(outline)
    reach = BOARD_HALF_MM - 6.0
    counts: dict[Seat, int] = {
        "south": int((points[:, 1] < -reach).sum()),
        "north": int((points[:, 1] > reach).sum()),
        "west": int((points[:, 0] < -reach).sum()),
        "east": int((points[:, 0] > reach).sum()),
    }
    side = max(counts, key=lambda seat: counts[seat])
    return side if counts[side] else None
