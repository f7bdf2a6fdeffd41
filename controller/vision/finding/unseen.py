"""What is no piece: hands, foreign things, pieces on edge, and places about which nothing can be said.

Whatever differs from the empty board under today's light and is not explained by a piece that was found. Without an
empty picture only a saturated reflection can be told. Must not know tracks or time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Floats
from controller.events.observation import Foreign, Hand, Point
from controller.events.words import Seat
from controller.vision.finding.flat import Flat, Floats32
from controller.vision.finding.lamplight import lamplight
from controller.vision.looks import Pixels

SATURATED = 250
LEAST_GLARE_MM2 = 120.0
LEAST_FOREIGN_MM2 = 260.0
LEAST_HAND_MM2 = 1500.0
SHARP, SHARP_SHARE = 0.08, 0.5
"""A thing that stands on the board steps by so much (logarithms a pixel of the small board) along half its contour."""
NEAR_MM = 40.0
"""So near to a hand or a foreign thing what is narrow is a finger or a fold of it."""
OVER_MM = 6.0
"""What reaches so near to the frame comes over it."""
FINGER_MM = 12.0
"""What is narrow and ends so near to the frame is rather a finger of a hand beside the board than a piece on edge."""
MOUTH_MM = 3.75
"""So far about a pocket its rim and the net below show, which no light explains."""
HUE_STEP, LEVEL_STEP = 0.15, 0.6
"""How far the logarithms of colour ratios and of brightness may stray on bare wood: shadows change only the second. Of
163 hands on 14 drawn tables 107 are told at a step of hue of 0.2 and 126 at 0.15, which hides no more of boards without
a hand: 5 of 113 in hard shade or under lamps' mirror images show one either way."""


@dataclass(frozen=True, eq=False)
class Unseen:
    """Hands, foreign things, hidden polygons, all in mm; `upright` (N, 3): x, y, and the length of pieces on edge."""

    hidden: tuple[tuple[Point, ...], ...]
    hands: tuple[Hand, ...]
    foreign: tuple[Foreign, ...]
    upright: Floats


def unseen_in(flat: Flat, laid: Pixels, half: Floats32, surface: Floats32, discs: Floats, coin_mm: float) -> Unseen:
    """Looks at what the found pieces, `discs` (N, 3) x, y and radius in mm, leave unexplained.

    `laid` is the picture on the grid, `half` as from `half_log`, `surface` the logarithm of the bare wood under today's
    light, one value a cell.
    """
    hidden = _glare(flat, laid, discs)
    hands: list[Hand] = []
    foreign: list[Foreign] = []
    upright: list[tuple[float, float, float]] = []
    narrow: list[tuple[NDArray[np.int32], tuple[Point, ...], float]] = []
    if flat.empty is not None:
        mask = _strange(flat, half, surface, discs)
        per_px = (2.0 / flat.scale) ** 2
        for contour in cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0]:
            area = cv2.contourArea(contour) * per_px
            if area < LEAST_FOREIGN_MM2 * 0.5:
                continue
            outline = _outline(flat, contour, 2.0)
            side = _side(outline, flat.measures.half_mm - OVER_MM)
            _, size, _ = cv2.minAreaRect(contour)
            length, breadth = max(size) * 2.0 / flat.scale, min(size) * 2.0 / flat.scale
            if area > LEAST_HAND_MM2 and side is not None:
                hands.append(Hand(outline, side))
                hidden.append(outline)
            elif abs(length - coin_mm) < 6.0 and breadth < 0.55 * coin_mm and area < 0.6 * coin_mm**2:
                narrow.append((contour, outline, length))
            elif area > LEAST_FOREIGN_MM2:
                foreign.append(Foreign(outline))
                hidden.append(outline)
        for contour, outline, length in narrow:
            if not _sharp(flat, half, contour) or _beside(outline, hidden):
                continue
            if _side(outline, flat.measures.half_mm - FINGER_MM) is not None:
                hidden.append(outline)
            else:
                x, y = np.mean(outline, 0)
                upright.append((float(x), float(y), length))
    return Unseen(tuple(hidden), tuple(hands), tuple(foreign), np.array(upright).reshape(-1, 3))


def _glare(flat: Flat, laid: Pixels, discs: Floats) -> list[tuple[Point, ...]]:
    """Saturated patches that are not a piece's own bright top."""
    # Green is most of the brightness, and the last to be burnt under any lamp.
    burnt = np.asarray(laid[:, :, 1] >= SATURATED, dtype=np.uint8)
    least = LEAST_GLARE_MM2 * flat.scale**2
    if np.count_nonzero(burnt[::3, ::3]) * 9 < least:
        return []
    _blot(flat, burnt, discs, 1.5, 1.0)
    burnt = cv2.morphologyEx(burnt, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    contours = cv2.findContours(burnt, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0]
    return [_outline(flat, c, 1.0) for c in contours if cv2.contourArea(c) > least]


def _strange(flat: Flat, half: Floats32, surface: Floats32, discs: Floats) -> NDArray[np.uint8]:
    """Where the picture is neither the bare board in light or shade nor a found piece; half the grid's size."""
    assert flat.empty is not None
    size = half.shape[:0:-1]
    lit = lamplight(flat.empty, surface)
    blue, green, red = (
        cv2.GaussianBlur(now - empty - cv2.resize(light, size, interpolation=cv2.INTER_LINEAR), (0, 0), 1.2)
        for now, empty, light in zip(half, flat.empty.half_log, cv2.split(lit), strict=True)
    )
    hue = cv2.max(cv2.absdiff(red, green), cv2.absdiff(blue, green))
    level = cv2.addWeighted(cv2.add(blue, green), 1.0 / 3.0, red, 1.0 / 3.0, 0.0)
    mask = np.asarray((hue > HUE_STEP) | (np.abs(level) > LEVEL_STEP), dtype=np.uint8)
    _blot(flat, mask, discs, 5.0, 0.5)
    pocket_mm = flat.measures.pocket_radius_mm + MOUTH_MM
    corners = np.array([(*at, pocket_mm) for at in flat.measures.pockets_mm.values()])
    _blot(flat, mask, corners, 0.0, 0.5)
    edge = round((flat.middle - flat.measures.half_mm * flat.scale) / 2 + 2.0 * flat.scale)
    mask[:edge] = mask[-edge:] = 0
    mask[:, :edge] = mask[:, -edge:] = 0
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), dtype=np.uint8)


def _sharp(flat: Flat, half: Floats32, contour: NDArray[np.int32]) -> bool:
    """Whether a thing's contour is an edge that the empty board does not show.

    A mirror image, in either picture, changes paint and wood about it, but draws no edge of its own; paint that it
    bleaches keeps its edges where they were.
    """
    assert flat.empty is not None
    x, y, w, h = cv2.boundingRect(contour)
    top, left = max(y - 4, 0), max(x - 4, 0)
    part = slice(top, y + h + 4), slice(left, x + w + 4)
    now, before = (_slopes(planes[:, part[0], part[1]]) for planes in (half, flat.empty.half_log))
    again = np.maximum((now * before).sum(0) / ((before * before).sum(0) + 1e-4), 0.0)
    fresh = np.hypot(*(now - again * before)).max(0)
    edge = cv2.drawContours(np.zeros(fresh.shape, np.uint8), [contour - (left, top)], -1, 1, 2) > 0
    return float((fresh[edge] > SHARP).mean()) >= SHARP_SHARE


def _slopes(planes: Floats32) -> Floats32:
    """How steeply three planes of logarithms rise to the right and downwards, (2, 3, h, w), a little smoothed."""
    calm = [cv2.GaussianBlur(plane, (0, 0), 0.8) for plane in planes]
    return np.array([[cv2.Sobel(plane, cv2.CV_32F, k, 1 - k, scale=0.125) for plane in calm] for k in (1, 0)])


def _beside(outline: tuple[Point, ...], hidden: Sequence[tuple[Point, ...]]) -> bool:
    """Whether an outline lies within NEAR_MM of something that hides the board: a finger, a sleeve's fold."""
    x, y = np.mean(outline, 0)
    return any(
        cv2.pointPolygonTest(np.array(other, dtype=np.float32).reshape(-1, 1, 2), (float(x), float(y)), True) > -NEAR_MM
        for other in hidden
    )


def _blot(flat: Flat, mask: NDArray[np.uint8], discs: Floats, more_mm: float, share: float) -> None:
    """Clears discs (N, 3) out of a mask at `share` of the grid's size."""
    if not len(discs):
        return
    for (column, row), radius in zip(flat.to_grid(discs[:, :2]) * share, discs[:, 2], strict=True):
        cv2.circle(mask, (round(column), round(row)), round((radius + more_mm) * flat.scale * share), 0, -1)


def _outline(flat: Flat, contour: NDArray[np.int32], size: float) -> tuple[Point, ...]:
    """A contour in pixels of `size` grid pixels, to a simple polygon in mm on the board's surface."""
    simple = cv2.approxPolyDP(contour, 1.0, True).reshape(-1, 2).astype(np.float64)
    places = flat.to_mm((simple + 0.5) * size - 0.5)
    return tuple((round(float(x), 1), round(float(y), 1)) for x, y in places)


def _side(outline: tuple[Point, ...], reach: float) -> Seat | None:
    """The side at which a thing reaches farther than `reach` mm from the middle; None if it does not."""
    points = np.array(outline)
    counts: dict[Seat, int] = {
        "south": int((points[:, 1] < -reach).sum()),
        "north": int((points[:, 1] > reach).sum()),
        "west": int((points[:, 0] < -reach).sum()),
        "east": int((points[:, 0] > reach).sum()),
    }
    side = max(counts, key=lambda seat: counts[seat])
    return side if counts[side] else None
