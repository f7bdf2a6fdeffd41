"""Where an outline of a coin's size closes round a place: a second way to places, beside the first net.

That net knows boards as they mostly look, and in a sharp shadow, between black pieces or on low contrast it sends no
place at all; an outline of just this size is there all the same. Says nothing of what lies there. Must not know nets.
"""

from __future__ import annotations

import cv2
import numpy as np

from calibration.camera import Floats
from controller.vision.finding.flat import Flat, Floats32
from controller.vision.grid import Roi

MOST = 12
"""So many places are asked about besides. On path-traced tables of training more found hardly any piece."""
FAINT = 0.01
"""Logarithms a pixel; a slope counts in full from some multiples of it on, however steep: an edge is an edge."""

APART_MM = 5.0
"""Nearer to a place that is known it is that place."""
PER_PLACE = 6
"""Peaks of outlines that one place may have about it."""
_NEAR_PX = 3
_WIDTH_PX = 0.9
"""How blurred an outline may be, in pixels of the small board."""


def rings(flat: Flat, half: Floats32, radius_mm: float, known: Floats, sure: Floats, roi: Roi | None) -> Floats:
    """Up to MOST places, (M, 2) in mm, round which an outline of this radius is seen best, the best first.

    `half` (3, n, n): the picture as from `half_log`. None lies at a place of `known` (N, 2), or within a coin's radius
    of one of `sure` (K, 2). `roi`: west, south, east and north in mm, where to look. Needs an empty board.
    """
    assert flat.empty is not None
    part = _part(flat, half, roi)
    half, empty_half, board = half[:, *part], flat.empty.half_log[:, *part], flat.board[part]
    if not board.any():
        return np.zeros((0, 2))
    steep, x, y = _steepest(half, empty_half)
    # cos², cos·sin and sin² of the slope's direction, each by how much the slope counts.
    weight = cv2.divide(1.0, steep + np.float32(FAINT) * cv2.sqrt(steep) + np.float32(1e-12))
    closed = np.zeros(half.shape[1:], dtype=np.float32)
    for one, other, kernel in zip((x, x, y), (x, y, y), _kernels(radius_mm * flat.scale / 2.0), strict=True):
        cv2.accumulate(cv2.filter2D(cv2.multiply(cv2.multiply(one, other), weight), -1, kernel), closed)
    closed *= board
    around = np.ones((2 * _NEAR_PX + 1, 2 * _NEAR_PX + 1), np.uint8)
    rows, columns = np.nonzero((closed >= cv2.dilate(closed, around)) & (closed > 0.0))
    best = np.argsort(-closed[rows, columns])[: MOST + PER_PLACE * (len(known) + len(sure))]
    small = np.stack((columns[best] + (part[1].start or 0), rows[best] + (part[0].start or 0)), 1).astype(np.float64)
    xy = flat.to_mm((small + 0.5) * 2.0 - 0.5)
    free = _far(xy, known, APART_MM) & _far(xy, sure, radius_mm)
    return np.asarray(xy[free][:MOST], dtype=np.float64)


def _steepest(half: Floats32, empty: Floats32) -> tuple[Floats32, Floats32, Floats32]:
    """The square of the change's slope in the colour in which it is steepest, and that slope along x and along y."""
    for k, (now, before) in enumerate(zip(half, empty, strict=True)):
        change = cv2.subtract(now, before)
        x, y = (cv2.Sobel(change, cv2.CV_32F, i, 1 - i, scale=0.125) for i in (1, 0))
        square = cv2.add(cv2.multiply(x, x), cv2.multiply(y, y))
        if k == 0:
            steep, along, up = square, x, y
            continue
        steeper = cv2.compare(square, steep, cv2.CMP_GT)
        for new, kept in ((square, steep), (x, along), (y, up)):
            cv2.copyTo(new, steeper, kept)
    return steep, along, up


def _part(flat: Flat, half: Floats32, roi: Roi | None) -> tuple[slice, slice]:
    """Rows and columns of the small board."""
    if roi is None:
        return slice(None), slice(None)
    corners = (flat.to_grid(np.array(((roi[0], roi[3]), (roi[2], roi[1])))) + 0.5) / 2.0
    (left, top), (right, bottom) = np.clip(corners.round().astype(int), 0, half.shape[2])
    return slice(int(top), int(bottom)), slice(int(left), int(right))


def _far(xy: Floats, others: Floats, least_mm: float) -> np.ndarray:
    if not len(others):
        return np.ones(len(xy), dtype=np.bool_)
    return np.asarray(np.hypot(*np.moveaxis(xy[:, None] - others[None], -1, 0)).min(1) > least_mm, dtype=np.bool_)


def _kernels(radius_px: float) -> tuple[Floats32, Floats32, Floats32]:
    """How much a slope along x, along both and along y at each place round the middle points to it or away from it."""
    reach = int(np.ceil(radius_px + 2.0 * _WIDTH_PX + 1.0))
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1].astype(np.float64)
    far = np.hypot(x, y)
    weight = np.exp(-0.5 * ((far - radius_px) / _WIDTH_PX) ** 2)
    weight /= weight.sum() * np.maximum(far, 1e-9) ** 2
    xx, xy, yy = ((weight * part).astype(np.float32) for part in (x * x, 2.0 * x * y, y * y))
    return xx, xy, yy
