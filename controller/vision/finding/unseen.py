"""What is no piece: hands, foreign things, pieces on edge, and places where nothing can be detected.

The detector says what lies over the board; a saturated reflection is known by its brightness. Must not know tracks or
time.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Floats
from controller.events.observation import Foreign, Hand, Point
from controller.events.words import Seat
from controller.vision.finding.detector import MAP_PX, UPRIGHT, Answer, Detected
from controller.vision.finding.flat import Flat, Floats32
from controller.vision.looks import Pixels

SATURATED = 250
LEAST_GLARE_MM2 = 120.0
LEAST_FOREIGN_MM2 = 260.0
LEAST_OPEN_MM2 = 10_000.0
"""What glare surrounds is seen if it is as large as this, as the whole board is within a frame that is saturated all
round. A smaller gap is a piece in the glare, or shows too little of the board about one."""
LIKELY = 0.5
"""From which on something lies over a place."""
SURELY_UPRIGHT = 0.85
"""Of 135 pieces on their edge that the simulated camera drew, 99 are named so with more, 111 with more than half of it.
On 57 path-traced tables without one, two other things are, and 13 with more than half of it."""
OVER_MM = 6.0
"""What reaches so near to the frame comes over it."""
RIM_MM = 12.0
"""No piece stands on its edge so near to a pocket's rim: what seems to is the rim itself."""


@dataclass(frozen=True, eq=False)
class Unseen:
    """Hidden polygons, and of these the hands and the foreign things, in mm."""

    hidden: tuple[tuple[Point, ...], ...]
    hands: tuple[Hand, ...]
    foreign: tuple[Foreign, ...]


def unseen_in(flat: Flat, laid: Pixels, answer: Answer, discs: Floats) -> Unseen:
    """What hides the board. `laid`: the picture on the grid; `answer`: the detector's about it;
    `discs` (N, 3): x, y and radius in mm of the pieces that were found."""
    hidden = _glare(flat, laid, discs)
    hands: list[Hand] = []
    foreign: list[Foreign] = []
    for likely, is_hand in ((answer.hand, True), (answer.thing, False)):
        for outline in _outlines(flat, likely):
            hidden.append(outline)
            side = _side(outline, flat.measures.half_mm - OVER_MM)
            if is_hand and side is not None:
                hands.append(Hand(outline, side))
            else:
                foreign.append(Foreign(outline))
    return Unseen(tuple(hidden), tuple(hands), tuple(foreign))


def standing(flat: Flat, seen: Detected) -> Floats:
    """Where pieces stand on their edge, (N, 2) in mm."""
    near = flat.measures.pocket_radius_mm + RIM_MM
    away = np.hypot(*(np.abs(seen.xy) - flat.measures.pocket_centre_mm).T) > near
    return np.asarray(seen.xy[(seen.odds[:, UPRIGHT] > SURELY_UPRIGHT) & away], dtype=np.float64)


def _outlines(flat: Flat, likely: Floats32) -> list[tuple[Point, ...]]:
    """What is large enough, in mm on the board's surface."""
    mask = np.asarray(likely > LIKELY, dtype=np.uint8)
    per_px = (MAP_PX / flat.scale) ** 2
    contours = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0]
    return [_outline(flat, c, MAP_PX) for c in contours if cv2.contourArea(c) * per_px > LEAST_FOREIGN_MM2]


def _glare(flat: Flat, laid: Pixels, discs: Floats) -> list[tuple[Point, ...]]:
    """Saturated patches that are not a piece's own bright top."""
    # Green is most of the brightness, and the last to be burnt under any lamp; alone it is a green board's.
    least = LEAST_GLARE_MM2 * flat.scale**2
    if np.count_nonzero(laid[::3, ::3, 1] >= SATURATED) * 9 < least:
        return []
    blue, green, red = cv2.split(laid)
    burnt = np.asarray((green >= SATURATED) & (np.maximum(blue, red) >= SATURATED), dtype=np.uint8)
    _blot(flat, burnt, discs, 1.5, 1.0)
    burnt = cv2.morphologyEx(burnt, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    _open_holes(burnt, LEAST_OPEN_MM2 * flat.scale**2)
    contours = cv2.findContours(burnt, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0]
    return [_outline(flat, c, 1.0) for c in contours if cv2.contourArea(c) > least]


def _open_holes(mask: NDArray[np.uint8], least: float) -> None:
    """Cuts a slit one pixel wide into each hole of more than `least` pixels, for a polygon cannot have one."""
    contours, tree = cv2.findContours(mask, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    for contour, (_, _, _, around) in zip(contours, tree[0] if tree is not None else (), strict=True):
        if around >= 0 and cv2.contourArea(contour) > least:
            column, row = contour[contour[:, 0, 1].argmin(), 0]
            above = np.flatnonzero(mask[: row + 1, column] == 0)
            mask[above[-1] if len(above) else 0 : row + 1, column] = 0


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
