"""A first pose from long straight lines: frame, cushions and base lines are squares about one middle.

Every board has four sets of four long lines in two directions. Pairs of lines in either direction make a square that
is taken for each of these in turn, and the paint that would follow is searched for. Arrays in, corners out.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import Board
from calibration.camera import Floats
from calibration.markings import Markings, markings_of

MOST_LINES = 16
MOST_SQUARES = 10


def corners_by_lines(luma: NDArray[np.uint8], K: Floats, dist: Floats, board: Board) -> list[Floats]:
    """Playing surfaces (4, 2) in px that straight lines of a picture (h, w) speak for, the likeliest first."""
    h, w = luma.shape
    lines = _lines(luma, K, dist)
    if lines is None:
        return []
    markings, ridges = markings_of(board, 9.0), _ridges(luma)
    best: list[tuple[float, Floats]] = []
    for half in (board.half_mm, *_squares(board)):
        best += _hypotheses(lines, half, board.half_mm, K, dist, (w, h), markings, ridges)
    best.sort(key=lambda pair: -pair[0])
    return [corners for _, corners in best[:MOST_SQUARES]]


def _squares(board: Board) -> tuple[float, ...]:
    return (
        sum(board.outer_line_y_mm) / 2.0,
        sum(board.inner_line_y_mm) / 2.0,
        board.half_mm + board.frame_width_mm,
    )


def _lines(luma: NDArray[np.uint8], K: Floats, dist: Floats) -> tuple[list[Floats], list[Floats]] | None:
    """The longest lines in the picture in two directions across each other, as (a, b, c) through the lens made flat."""
    scale = min(1.0, 1280.0 / max(luma.shape))
    small = cv2.resize(luma, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else luma
    found = cv2.createLineSegmentDetector(cv2.LSD_REFINE_STD).detect(small)[0]
    if found is None:
        return None
    ends = (found.reshape(-1, 2, 2).astype(np.float64) + 0.5) / scale - 0.5
    flat = cv2.undistortPoints(ends.reshape(-1, 1, 2), K, dist).reshape(-1, 2, 2)
    along = flat[:, 1] - flat[:, 0]
    length = np.hypot(*along.T)
    keep = length > 25.0 / K[0, 0]
    flat, along, length = flat[keep], along[keep], length[keep]
    angle = np.degrees(np.arctan2(along[:, 1], along[:, 0])) % 180.0
    # Both directions of a board seen from above are about a right angle apart: one peak of the angle modulo 90.
    folded = angle % 90.0
    bins = np.arange(0.0, 90.0, 1.0)
    apart = np.abs((folded[None, :] - bins[:, None] + 45.0) % 90.0 - 45.0)
    strength = (np.exp(-0.5 * (apart / 4.0) ** 2) * length**2).sum(1)
    main = float(bins[np.argmax(strength)])
    families = []
    for base in (main, main + 90.0):
        off = np.abs((angle - base + 90.0) % 180.0 - 90.0)
        families.append(_merged(flat[off < 17.0], length[off < 17.0]))
    return families[0], families[1]


def _merged(flat: Floats, length: Floats) -> list[Floats]:
    """Segments that lie on one line become one; the longest in total first."""
    lines: list[tuple[float, Floats]] = []
    left = np.ones(len(flat), dtype=np.bool_)
    for i in np.argsort(-length):
        if not left[i] or len(lines) > 4 * MOST_LINES:
            continue
        line = _through(flat[i])
        for _ in range(2):
            gap = np.abs(flat @ line[:2] + line[2]).max(1)
            mine = left & (gap < 0.006)
            if not mine.any():
                break
            line = _through(flat[mine].reshape(-1, 2))
        left &= ~mine
        left[i] = False
        lines.append((float(length[mine].sum()), line))
    lines.sort(key=lambda pair: -pair[0])
    return [line for _, line in lines[:MOST_LINES]]


def _through(points: Floats) -> Floats:
    middle = points.mean(0)
    _, _, axes = np.linalg.svd(points - middle)
    normal = axes[1]
    return np.array((normal[0], normal[1], -float(normal @ middle)))


def _ridges(luma: NDArray[np.uint8]) -> NDArray[np.float32]:
    """How much each place of the picture is the middle of a thin stroke, dark or pale, softly limited."""
    picture = luma.astype(np.float32)
    sigma = max(luma.shape) / 900.0
    fine = cv2.GaussianBlur(picture, (0, 0), sigma) - cv2.GaussianBlur(picture, (0, 0), 2.5 * sigma)
    scale = float(np.median(np.abs(fine))) * 3.0 + 1.0
    strength = np.abs(fine) / (np.abs(fine) + scale)
    return np.asarray(cv2.GaussianBlur(strength, (0, 0), 1.2 * sigma), dtype=np.float32)


def _hypotheses(
    lines: tuple[list[Floats], list[Floats]],
    half: float,
    surface: float,
    K: Floats,
    dist: Floats,
    size: tuple[int, int],
    markings: Markings,
    ridges: NDArray[np.float32],
) -> list[tuple[float, Floats]]:
    """Quads of lines taken for a square of side 2 × half: scores and the playing surface's corners in px (4, 2)."""
    w, h = size
    quads = []
    upright, level = lines
    for i in range(len(upright)):
        for j in range(i + 1, len(upright)):
            for k in range(len(level)):
                for m in range(k + 1, len(level)):
                    quads.append((upright[i], level[k], upright[j], level[m]))
    if not quads:
        return []
    four = np.array(quads)
    corners = np.stack([_meet(four[:, a], four[:, b]) for a, b in ((0, 1), (1, 2), (2, 3), (3, 0))], 1)
    side = np.hypot(*np.moveaxis(np.roll(corners, -1, 1) - corners, -1, 0))
    area = 0.5 * np.abs(
        np.sum(
            corners[:, :, 0] * np.roll(corners[:, :, 1], -1, 1) - corners[:, :, 1] * np.roll(corners[:, :, 0], -1, 1), 1
        )
    )
    picture = w * h / K[0, 0] ** 2
    share = (half / surface) ** 2
    fine = (side.max(1) < 2.2 * side.min(1)) & (area > 0.12 * picture * share) & (area < 2.5 * picture * share)
    corners = corners[fine]
    if not len(corners):
        return []
    # Clockwise in the picture, as a board seen from above is; the other way round it would be seen from below.
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 1]
    turn = first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]
    corners = np.where((turn > 0)[:, None, None], corners, corners[:, ::-1])
    square = np.array(((-1, 1), (1, 1), (1, -1), (-1, -1)), dtype=np.float64) * half
    maps = _homographies(square, corners)
    points = np.concatenate((markings.xy, markings.xy + 5.0 * markings.across, markings.xy - 5.0 * markings.across))
    inner = np.array(((-1, 1), (1, 1), (1, -1), (-1, -1)), dtype=np.float64) * surface
    results = []
    for start in range(0, len(maps), 400):
        part = maps[start : start + 400]
        score = np.concatenate(
            [_speaks(part[at : at + BLOCK], points, K, dist, ridges) for at in range(0, len(part), BLOCK)]
        )
        for q in np.argsort(-score)[:6]:
            u, v = _bend(*_apply(part[q : q + 1], inner), K, dist)
            results.append((float(score[q]), np.stack((u[0], v[0]), 1)))
    results.sort(key=lambda pair: -pair[0])
    return results[:6]


BLOCK = 20
"""So many quads at a time stay in a processor's cache."""


def _speaks(maps: Floats, points: Floats, K: Floats, dist: Floats, ridges: NDArray[np.float32]) -> Floats:
    """How much more ridges lie on a third of the points than on the others, through each of N homographies: (N,)."""
    h, w = ridges.shape
    px = _bend(*_apply(maps, points), K, dist)
    column, row = (np.rint(at, out=at).astype(np.int64) for at in px)
    inside = (column >= 0) & (column < w) & (row >= 0) & (row < h)
    row *= w
    row += column
    value = np.where(inside, ridges.ravel().take(row, mode="clip"), 0.0)
    n = len(points) // 3
    contrast = value[:, :n] - 0.5 * (value[:, n : 2 * n] + value[:, 2 * n :])
    score: Floats = contrast.mean(1)
    return score


def _meet(a: Floats, b: Floats) -> Floats:
    cross = np.cross(a, b)
    safe = np.where(np.abs(cross[:, 2]) < 1e-9, 1e-9, cross[:, 2])
    place: Floats = cross[:, :2] / safe[:, None]
    return place


def _homographies(square: Floats, corners: Floats) -> Floats:
    """The homographies that take a square (4, 2) to each of N quads (N, 4, 2): (N, 3, 3)."""
    n = len(corners)
    rows = np.zeros((n, 8, 8))
    right = np.zeros((n, 8))
    for k, (x, y) in enumerate(square):
        u, v = corners[:, k, 0], corners[:, k, 1]
        rows[:, 2 * k, :3] = (x, y, 1.0)
        rows[:, 2 * k, 6], rows[:, 2 * k, 7] = -u * x, -u * y
        rows[:, 2 * k + 1, 3:6] = (x, y, 1.0)
        rows[:, 2 * k + 1, 6], rows[:, 2 * k + 1, 7] = -v * x, -v * y
        right[:, 2 * k], right[:, 2 * k + 1] = u, v
    rows += np.eye(8) * 1e-12
    solved = np.linalg.solve(rows, right[:, :, None])[:, :, 0]
    return np.concatenate((solved, np.ones((n, 1))), 1).reshape(n, 3, 3)


def _apply(maps: Floats, points: Floats) -> tuple[Floats, Floats]:
    """Points (M, 2) through each of N homographies: x and y (N, M)."""
    x, y = points.T
    across, down, depth = (m[:, 0, None] * x + m[:, 1, None] * y + m[:, 2, None] for m in np.moveaxis(maps, 1, 0))
    depth[np.abs(depth) < 1e-9] = 1e-9
    across /= depth
    down /= depth
    return across, down


def _bend(x: Floats, y: Floats, K: Floats, dist: Floats) -> tuple[Floats, Floats]:
    """Points on the flat picture to where the lens shows them, in px."""
    x, y = np.clip(x, -3, 3), np.clip(y, -3, 3)
    k1, k2, p1, p2, k3 = dist[:5]
    rr = np.minimum(x * x + y * y, 1.5)
    radial = 1.0 + rr * (k1 + rr * (k2 + rr * k3))
    xd = x * radial + 2 * p1 * x * y + p2 * (rr + 2 * x * x)
    yd = y * radial + p1 * (rr + 2 * y * y) + 2 * p2 * x * y
    return K[0, 0] * xd + K[0, 2], K[1, 1] * yd + K[1, 2]
