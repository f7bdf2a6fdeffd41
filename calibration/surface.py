"""A first pose from the playing surface as a plain, four-cornered area against its frame, in colour or brightness.

Neither paint nor pockets are needed for it. Arrays in, corners out.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Floats

WORK_PX = 480
LEAST_FILLED = 0.85
"""An area is four-cornered if it fills so much of its four longest sides: pockets and glare are missing."""


def corners_by_surface(picture: NDArray[np.uint8]) -> list[Floats]:
    """Four-cornered plain areas (4, 2) in px of a picture (h, w, 3) BGR, clockwise, the best filled first."""
    scale = min(1.0, WORK_PX / max(picture.shape))
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    lab = cv2.cvtColor(cv2.medianBlur(small, 7), cv2.COLOR_BGR2LAB)
    h, w = lab.shape[:2]
    values = lab.reshape(-1, 3).astype(np.float32)
    found: list[tuple[float, Floats]] = []
    for groups in (2, 3, 4, 5):
        cv2.setRNGSeed(groups)
        stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 12, 1.0)
        unnamed = np.zeros((0, 1), dtype=np.int32)
        _, labels, _ = cv2.kmeans(values, groups, unnamed, stop, 1, cv2.KMEANS_PP_CENTERS)
        names = labels.reshape(h, w)
        for name in range(groups):
            area = (names == name).astype(np.uint8)
            # Lines cut the surface into parts; closing joins what a few pixels part.
            area = cv2.morphologyEx(area, cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8))
            found += _quads(area, h * w)
    found.sort(key=lambda pair: -pair[0])
    return [_true((corners + 0.5) / scale - 0.5) for _, corners in found[:4]]


def _quads(area: NDArray[np.uint8], whole: int) -> list[tuple[float, Floats]]:
    contours, _ = cv2.findContours(area, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    found = []
    for contour in contours:
        hull = cv2.convexHull(contour)
        size = cv2.contourArea(hull)
        if not 0.12 * whole < size < 0.9 * whole:
            continue
        few = cv2.approxPolyDP(hull, 0.012 * cv2.arcLength(hull, True), True).reshape(-1, 2).astype(np.float64)
        if len(few) < 4:
            continue
        # Pockets cut the corners off: the four longest sides, in their order round the area, meet where those were.
        sides = np.roll(few, -1, 0) - few
        longest = np.sort(np.argsort(-np.hypot(*sides.T))[:4])
        lines = [np.cross((*few[k], 1.0), (*(few[k] + sides[k]), 1.0)) for k in longest]
        ends = np.array([np.cross(lines[k - 1], lines[k]) for k in range(4)])
        if (np.abs(ends[:, 2]) < 1e-6).any():
            continue
        corners = ends[:, :2] / ends[:, 2:]
        outline = cv2.contourArea(corners.astype(np.float32))
        filled = cv2.contourArea(contour) / max(outline, 1.0)
        if LEAST_FILLED < filled < 1.05 and cv2.isContourConvex(np.rint(corners).astype(np.int32)):
            found.append((float(filled), corners))
    return found


def _true(corners: Floats) -> Floats:
    """Clockwise in the picture, as a board seen from above is."""
    a, b, c = corners[:3]
    turn = float((b - a)[0] * (c - b)[1] - (b - a)[1] * (c - b)[0])
    return corners if turn > 0 else corners[::-1].copy()
