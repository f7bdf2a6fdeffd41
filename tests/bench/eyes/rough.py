"""What most boards' programs do, for comparison: HoughCircles of the right size, named by their colour.

Its threshold and the classes' colours are tuned for each table on its own opening picture, where the truth is known.
"""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from calibration.board import DEFAULT_BOARD
from controller.events.observation import SeenPiece
from controller.vision.calibration_file import Calibration
from controller.vision.finding import Finding
from controller.vision.learning.opening import learn
from tests.bench.eyes.tally import grey

VOTES = (10, 13, 16, 20, 25, 30)


def tuned(calibration: Calibration, opening: np.ndarray) -> Callable[[np.ndarray], Finding]:
    """A finder for one table, tuned on its opening picture (BGR)."""
    model, looks = calibration.model, calibration.looks
    known = learn(opening, grey(opening), model, looks, board=DEFAULT_BOARD)
    px = model.project_plane(known.places, looks.coin_thickness_mm)
    hsv = cv2.cvtColor(opening, cv2.COLOR_BGR2LAB)
    r = model.px_per_mm * looks.coin_diameter_mm / 2
    colours = {
        kind: np.median([_colour(hsv, p, r) for p, name in zip(px, known.classes, strict=True) if name == kind], axis=0)
        for kind in set(known.classes)
    }

    def miss(votes: int) -> float:
        circles = _circles(grey(opening), r, votes)
        gaps = np.hypot(*np.moveaxis(px[:, None] - circles[None, :, :2], -1, 0)) if len(circles) else np.ones((19, 1))
        inside = np.hypot(*(circles[:, :2] - px[0]).T) < 6 * r if len(circles) else np.zeros(0)
        hit = int((gaps.min(1) < 0.4 * r).sum()) if len(circles) else 0
        # Elsewhere the opening board is bare: every circle there is false.
        return (19 - hit) + abs(int(inside.sum()) - hit) + int((~inside.astype(bool)).sum())

    votes = min(VOTES, key=miss)

    def look(picture: np.ndarray) -> Finding:
        lab = cv2.cvtColor(picture, cv2.COLOR_BGR2LAB)
        pieces = []
        for cx, cy, radius in _circles(grey(picture), r, votes):
            x, y = model.to_plane(np.array(((cx, cy),)), looks.coin_thickness_mm)[0]
            if max(abs(x), abs(y)) > 360:
                continue
            colour = _colour(lab, (cx, cy), r)
            kind = min(colours, key=lambda name: float(np.hypot(*(colours[name] - colour)[:2])))
            kind = "striker" if radius > 1.18 * r else kind
            pieces.append(SeenPiece(kind, float(x), float(y), 2.0))  # type: ignore[arg-type]
        return Finding(tuple(pieces))

    return look


def _circles(luma: np.ndarray, r: float, votes: int) -> np.ndarray:
    smooth = cv2.GaussianBlur(luma, (5, 5), 1.2)
    circles = cv2.HoughCircles(smooth, cv2.HOUGH_GRADIENT, 1, 1.7 * r, None, 90, votes, round(0.85 * r), round(1.5 * r))
    return np.zeros((0, 3)) if circles is None else circles.reshape(-1, 3)


def _colour(lab: np.ndarray, at: np.ndarray | tuple[float, float], r: float) -> np.ndarray:
    x, y, reach = round(float(at[0])), round(float(at[1])), max(round(0.45 * r), 1)
    patch = lab[max(y - reach, 0) : y + reach + 1, max(x - reach, 0) : x + reach + 1]
    return np.median(patch.reshape(-1, 3), axis=0) if patch.size else np.zeros(3)
