"""The report picture of a calibration: the model drawn over the photograph, and how far the paint lies from it.

Arrays in, a picture out; must not know files.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import Board
from calibration.camera import CameraModel, Floats
from calibration.markings import Markings
from calibration.pose import Fit

SEAT_MM = 22.0
"""So far outside of the playing surface a seat is written: on the frame."""

GOOD, FAIR, POOR, UNSEEN = (80, 200, 60), (40, 190, 240), (60, 60, 235), (200, 150, 60)
_SHIFT = 4


def draw_report(
    picture: NDArray[np.uint8], model: CameraModel, board: Board, markings: Markings, fit: Fit | None, lines: list[str]
) -> NDArray[np.uint8]:
    """Draws the model over a picture (h, w, 3) BGR: each sample of paint as a dot, its residual 25 times enlarged.

    Green is within 0.15 mm, yellow within 0.4, red beyond; blue was not found. `lines` are written below.
    """
    page = picture.copy()
    frame = np.array(((-1, 1), (1, 1), (1, -1), (-1, -1)), dtype=np.float64) * board.half_mm
    _path(page, model, frame, (220, 220, 220))
    for cx, cy in board.pockets_mm.values():
        angle = np.arange(0, 2 * np.pi, 0.1)
        ring = np.stack((cx + board.pocket_radius_mm * np.cos(angle), cy + board.pocket_radius_mm * np.sin(angle)), 1)
        _path(page, model, ring, (220, 220, 220))
    px = model.project_plane(markings.xy)
    if fit is None:
        for place in px[model.in_picture(px)]:
            cv2.circle(page, _fixed(place), 12, UNSEEN, -1, cv2.LINE_AA, _SHIFT)
    else:
        tips = model.project_plane(markings.xy + markings.across * (25.0 * fit.off_mm)[:, None])
        for place, tip, off, weight in zip(px, tips, fit.off_mm, fit.weight, strict=True):
            if weight < 0.2:
                colour = UNSEEN
            else:
                colour = GOOD if abs(off) < 0.15 else FAIR if abs(off) < 0.4 else POOR
                cv2.line(page, _fixed(place), _fixed(tip), colour, 1, cv2.LINE_AA, _SHIFT)
            cv2.circle(page, _fixed(place), 16, colour, -1, cv2.LINE_AA, _SHIFT)
    middle = model.project_plane(np.array(((0.0, 0.0), (100.0, 0.0), (0.0, 100.0))))
    cv2.arrowedLine(page, *_whole(middle[0], middle[1]), (60, 60, 235), 2, cv2.LINE_AA)
    cv2.arrowedLine(page, *_whole(middle[0], middle[2]), (80, 200, 60), 2, cv2.LINE_AA)
    away = board.half_mm + SEAT_MM
    seats = np.array(((0.0, -away), (0.0, away), (away, 0.0), (-away, 0.0)))
    for name, (x, y) in zip(("south", "north", "east", "west"), model.project_plane(seats).tolist(), strict=True):
        (width, height), _ = cv2.getTextSize(name, cv2.FONT_HERSHEY_SIMPLEX, 0.8, 2)
        # Where the frame lies outside of the picture the name stays in it.
        at = (
            min(max(round(x) - width // 2, 4), page.shape[1] - width - 4),
            min(max(round(y) + height // 2, height + 4), page.shape[0] - 4),
        )
        for colour, thick in (((24, 24, 24), 5), ((235, 235, 235), 2)):
            cv2.putText(page, name, at, cv2.FONT_HERSHEY_SIMPLEX, 0.8, colour, thick, cv2.LINE_AA)
    return _with_foot(page, lines)


def draw_missing(
    picture: NDArray[np.uint8],
    model: CameraModel | None,
    board: Board,
    markings: Markings,
    found: NDArray[np.bool_] | None,
    lines: list[str],
) -> NDArray[np.uint8]:
    """Draws over a picture (h, w, 3) BGR what a refused calibration took for the board.

    `found`: which of the markings' groups are in place there: green; the others red. No model: nothing was found.
    """
    page = picture.copy()
    if model is not None and found is not None:
        frame = np.array(((-1, 1), (1, 1), (1, -1), (-1, -1)), dtype=np.float64) * board.half_mm
        _path(page, model, frame, (220, 220, 220))
        px = model.project_plane(markings.xy)
        for place, group, there in zip(px, markings.group, model.in_picture(px), strict=True):
            if there:
                cv2.circle(page, _fixed(place), 20, GOOD if found[group] else POOR, -1, cv2.LINE_AA, _SHIFT)
    return _with_foot(page, [*lines, "green: markings found in their places; red: missing"])


def draw_seen(picture: NDArray[np.uint8], places_px: Floats, radius_px: float, says: str) -> NDArray[np.uint8]:
    """Circles what should not be there, at (N, 2) px, over a picture (h, w, 3) BGR, and says below what it is."""
    page = picture.copy()
    for place in places_px:
        centre = (round(float(place[0])), round(float(place[1])))
        cv2.circle(page, centre, round(radius_px), POOR, 2, cv2.LINE_AA)
    return _with_foot(page, [says])


def _with_foot(page: NDArray[np.uint8], lines: list[str]) -> NDArray[np.uint8]:
    foot = np.full((26 * len(lines) + 16, page.shape[1], 3), 24, dtype=np.uint8)
    for k, text in enumerate(lines):
        cv2.putText(foot, text, (12, 26 * k + 26), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (235, 235, 235), 1, cv2.LINE_AA)
    return np.concatenate((page, foot))


def _path(page: NDArray[np.uint8], model: CameraModel, corners: Floats, colour: tuple[int, int, int]) -> None:
    """A closed path on the surface, finely divided because the lens bends it."""
    ends = np.roll(corners, -1, 0)
    share = np.linspace(0, 1, 24, endpoint=False)[None, :, None]
    points = (corners[:, None] * (1 - share) + ends[:, None] * share).reshape(-1, 2)
    px = np.rint(model.project_plane(points) * 2**_SHIFT).astype(np.int32)
    cv2.polylines(page, [px], True, colour, 1, cv2.LINE_AA, _SHIFT)


def _fixed(place: Floats) -> tuple[int, int]:
    return (round(float(place[0]) * 2**_SHIFT), round(float(place[1]) * 2**_SHIFT))


def _whole(a: Floats, b: Floats) -> tuple[tuple[int, int], tuple[int, int]]:
    return (round(float(a[0])), round(float(a[1]))), (round(float(b[0])), round(float(b[1])))
