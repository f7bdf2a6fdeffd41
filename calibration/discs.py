"""A first pose from the discs of the board: eight base circles, the centre and four pocket mouths, as a constellation.

Discs of any colour are searched for, lighter, darker or more colourful than what is round them. Any two of them that
look alike are taken for every pair of base circles, or of pockets, in turn; what then finds most of the other discs
in their places is the board. No line is needed for it. Arrays in, corners out.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import Board
from calibration.camera import Floats

WORK_PX = 960
RADII_PX = (3.0, 4.0, 5.2, 6.8, 8.8, 11.4, 14.8, 19.0)
"""At `WORK_PX`: base circles of a board that fills a third of the picture, to pocket mouths of one too large for it."""

MOST_DISCS = 160
PLAIN = 1.2
"""A disc differs from its ring by this many deviations of both; grain and edges of lines do so less."""

NEAR_MM = 14.0
"""A slanting camera and a guessed lens move what two discs foretell by a centimetre."""

LEAST_FOUND = 6.0

CLEAREST = 12
"""Pockets are the darkest and plainest discs of a board: few others come before the fourth of them."""

MOST_SKEW = 0.5
"""Logarithm of the longest to the shortest side between pockets: a camera aslant by 30° makes 0.3 of it."""


@dataclass(frozen=True, eq=False)
class Discs:
    """Discs in a picture: `px` (N, 2), `radius_px` (N,), `tone` (N, 3) against what is round them (Lab)."""

    px: Floats
    radius_px: Floats
    tone: Floats


def discs_in(picture: NDArray[np.uint8]) -> Discs:
    """Finds discs in a picture (h, w, 3) BGR, those that stand out most first."""
    scale = min(1.0, WORK_PX / max(picture.shape))
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else picture
    lab = cv2.cvtColor(small, cv2.COLOR_BGR2LAB).astype(np.float32)
    planes = [lab[:, :, 0], lab[:, :, 1], lab[:, :, 2]]
    found: list[tuple[float, float, float, float, Floats]] = []
    for radius in RADII_PX:
        inside, around = _kernels(radius)
        apart = np.zeros((*lab.shape[:2], 3), dtype=np.float32)
        plain = np.zeros(lab.shape[:2], dtype=np.float32)
        for k, plane in enumerate(planes):
            mean_in, mean_out = cv2.filter2D(plane, -1, inside), cv2.filter2D(plane, -1, around)
            square = plane * plane
            spread = np.maximum(cv2.filter2D(square, -1, inside) - mean_in**2, 0.0)
            spread += np.maximum(cv2.filter2D(square, -1, around) - mean_out**2, 0.0)
            apart[:, :, k] = mean_in - mean_out
            plain = np.maximum(plain, np.abs(apart[:, :, k]) / (np.sqrt(spread) + 3.0))
        reach = 2 * int(radius) + 1
        peak = (plain >= cv2.dilate(plain, np.ones((reach, reach), np.uint8))) & (plain > PLAIN)
        for y, x in np.argwhere(peak):
            found.append((float(plain[y, x]), float(x), float(y), radius, apart[y, x].astype(np.float64)))
    found.sort(key=lambda one: -one[0])
    kept: list[tuple[float, float, float, float, Floats]] = []
    for one in found:
        if all(np.hypot(one[1] - other[1], one[2] - other[2]) > 0.8 * max(one[3], other[3]) for other in kept):
            kept.append(one)
        if len(kept) >= MOST_DISCS:
            break
    return Discs(
        (np.array([(x, y) for _, x, y, _, _ in kept]).reshape(-1, 2) + 0.5) / scale - 0.5,
        np.array([one[3] for one in kept]) / scale,
        np.array([one[4] for one in kept]).reshape(-1, 3),
    )


def _kernels(radius: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Means over a disc and over the ring round it, free of the rim between them."""
    reach = int(np.ceil(1.75 * radius))
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    away = np.hypot(x, y)
    inside, around = (away <= 0.85 * radius), (away >= 1.3 * radius) & (away <= 1.75 * radius)
    return (inside / inside.sum()).astype(np.float32), (around / around.sum()).astype(np.float32)


def corners_by_discs(discs: Discs, K: Floats, dist: Floats, board: Board, most: int = 6) -> list[Floats]:
    """Playing surfaces (4, 2) in px for which most of the thirteen discs are in place, the best first."""
    if len(discs.px) < 4:
        return []
    base, pockets = np.array(board.base_circles_mm), np.array(list(board.pockets_mm.values()))
    spots = np.concatenate((base, pockets, np.zeros((1, 2))))
    flat = cv2.undistortPoints(discs.px.reshape(-1, 1, 2), K, dist).reshape(-1, 2)
    there = flat[:, 0] + 1j * flat[:, 1]
    # A board seen from above is turned over in the picture, where y runs down.
    here = spots[:, 0] - 1j * spots[:, 1]
    size = discs.radius_px / K[0, 0]
    tries = _pairs(discs, there, size, board)
    if not len(tries):
        return []
    radius = np.concatenate((np.full(8, board.base_disc_diameter_mm / 2.0), np.full(4, board.pocket_radius_mm)))
    results: list[tuple[float, Floats]] = []
    for at in range(0, len(tries), 4000):
        turn, move = tries[at : at + 4000, 0], tries[at : at + 4000, 1]
        expected = turn[:, None] * here[None, :] + move[:, None]
        score = np.zeros(len(turn))
        for k in range(12):
            gap = np.abs(expected[:, k, None] - there[None, :]) / np.abs(turn)[:, None]
            fits = np.abs(np.log(size[None, :] / (np.abs(turn)[:, None] * radius[k]))) < 0.6
            score += np.where(fits, np.exp(-0.5 * (gap / NEAR_MM) ** 2), 0.0).max(1)
        for q in np.argsort(-score)[:30]:
            results.append((float(score[q]), np.array((turn[q], move[q]))))
    results.sort(key=lambda pair: -pair[0])
    corners: list[tuple[float, Floats]] = []
    for score_, (turn_, move_) in ((s, (r[0], r[1])) for s, r in results[:60]):
        if score_ < 3.0:
            break
        count, square = _settled(turn_ * here + move_, spots, radius, discs, flat, size, K, dist, board)
        if count >= LEAST_FOUND and all(apart_px(square, other) > 4.0 for _, other in corners):
            corners.append((count, square))
    corners.sort(key=lambda pair: -pair[0])
    return [square for _, square in corners[:most]]


def _pairs(discs: Discs, there: NDArray[np.complex128], size: Floats, board: Board) -> NDArray[np.complex128]:
    """Similarities (N, 2), turn and move, that take a pair of the board's discs to two alike discs of the picture."""
    base, pockets = np.array(board.base_circles_mm), np.array(list(board.pockets_mm.values()))
    first, second = np.nonzero(~np.eye(len(there), dtype=np.bool_))
    strength = np.hypot(*np.moveaxis(discs.tone, 1, 0)[1:]) + np.abs(discs.tone[:, 0])
    differ = np.abs(discs.tone[first] - discs.tone[second]).sum(1)
    alike = (differ < 0.35 * (strength[first] + strength[second])) & (np.abs(np.log(size[first] / size[second])) < 0.45)
    first, second = first[alike], second[alike]
    found = []
    for places, radius in ((base, board.base_disc_diameter_mm / 2.0), (pockets, board.pocket_radius_mm)):
        at = places[:, 0] - 1j * places[:, 1]
        for i in range(2 if len(places) == 8 else 1):
            # The board looks the same from its four sides, so one seat's two circles (one pocket) stand for all.
            for j in range(len(places)):
                apart = at[j] - at[i] if j != i else 0.0
                if abs(apart) < 300.0:
                    continue
                turn = (there[second] - there[first]) / apart
                mean = np.sqrt(size[first] * size[second])
                fits = np.abs(np.log(mean / (np.abs(turn) * radius))) < 0.5
                found.append(np.stack((turn[fits], there[first][fits] - turn[fits] * at[i]), 1))
    return np.concatenate(found)


def _settled(
    expected: NDArray[np.complex128],
    spots: Floats,
    radius: Floats,
    discs: Discs,
    flat: Floats,
    size: Floats,
    K: Floats,
    dist: Floats,
    board: Board,
) -> tuple[float, Floats]:
    """A homography through the discs that are in place, in turns: how many are, and the surface's corners in px."""
    places = np.stack((expected.real, expected.imag), 1)
    square = np.array(((-1, 1), (1, 1), (1, -1), (-1, -1)), dtype=np.float64) * board.half_mm
    count, corners = 0.0, np.full((4, 2), -1e9)
    for near in (2.0 * NEAR_MM, NEAR_MM, 0.6 * NEAR_MM):
        per_mm = float(np.abs(np.hypot(*(places[0] - places[1])) / np.hypot(*(spots[0] - spots[1]))))
        gap = np.hypot(*np.moveaxis(places[:12, None] - flat[None], -1, 0)) / per_mm
        gap[np.abs(np.log(size[None, :] / (per_mm * radius[:, None]))) >= 0.6] = np.inf
        best = gap.argmin(1)
        mine = gap[np.arange(12), best] < near
        if np.count_nonzero(mine) < 4:
            break
        found, _ = cv2.findHomography(spots[:12][mine], flat[best[mine]], 0)
        if found is None:
            break
        places = cv2.perspectiveTransform(spots.reshape(-1, 1, 2), found).reshape(-1, 2)
        count = float(np.count_nonzero(mine))
        corners = _in_picture(square, found, K, dist)
    return count, corners


def _in_picture(places: Floats, homography: Floats, K: Floats, dist: Floats) -> Floats:
    """Places on the board (N, 2) in px, by a homography to the picture without its lens."""
    flat = cv2.perspectiveTransform(places.reshape(-1, 1, 2), homography).reshape(-1, 2)
    rays = np.concatenate((flat, np.ones((len(flat), 1))), 1)
    px: Floats = cv2.projectPoints(rays, np.zeros(3), np.zeros(3), K, dist)[0].reshape(-1, 2)
    return px


def corners_by_pockets(discs: Discs, K: Floats, dist: Floats, board: Board, most: int = 2) -> list[Floats]:
    """Playing surfaces (4, 2) in px whose corners' discs look alike, as four pockets do; the squarest first.

    For a board whose base circles have the tone of its wood. Four discs say little: the paint must agree.
    """
    if len(discs.px) < 4:
        return []
    spots = np.array([board.pockets_mm[name] for name in ("NW", "NE", "SE", "SW")])
    square = np.array(((-1, 1), (1, 1), (1, -1), (-1, -1)), dtype=np.float64) * board.half_mm
    flat = cv2.undistortPoints(discs.px[:CLEAREST].reshape(-1, 1, 2), K, dist).reshape(-1, 2)
    size = discs.radius_px / K[0, 0]
    across = float(np.hypot(*(spots[0] - spots[1])))
    found: list[tuple[float, Floats]] = []
    for four in combinations(range(len(flat)), 4):
        mine = np.array(four)
        middle = flat[mine] - flat[mine].mean(0)
        mine = mine[np.argsort(np.arctan2(middle[:, 1], middle[:, 0]))]
        sides = np.hypot(*(np.roll(flat[mine], -1, 0) - flat[mine]).T)
        skew = float(np.ptp(np.log(sides)))
        radii = np.abs(np.log(size[mine] / sides.mean() * across / board.pocket_radius_mm))
        tones = np.ptp(discs.tone[mine], axis=0).max()
        strength = np.abs(discs.tone[mine]).sum(1).mean()
        # Sizes and tones as near to each other as `_pairs` and `corners_by_discs` ask.
        if skew > MOST_SKEW or radii.max() > 0.6 or tones > 0.7 * strength:
            continue
        if cv2.isContourConvex(flat[mine].astype(np.float32)):
            to_picture, _ = cv2.findHomography(spots, flat[mine], 0)
            found.append((skew, _in_picture(square, to_picture, K, dist)))
    found.sort(key=lambda pair: pair[0])
    return [corners for _, corners in found[:most]]


def apart_px(one: Floats, other: Floats) -> float:
    """How far two squares' corners (4, 2) are apart at most, whichever corner each begins with."""
    return min(float(np.hypot(*(np.roll(one, k, 0) - other).T).max()) for k in range(4))
