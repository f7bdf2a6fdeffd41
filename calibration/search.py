"""Where the board is in a picture: several independent ways to a first pose, and one likelihood of all paint over them.

A first pose comes from the user's corners, from the board's discs, from the playing surface's outline, or from long
straight lines. Each is drawn to the paint about it; the one that the paint speaks for most is the board, and it is
taken only if most markings speak for it. Must not know files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import Board
from calibration.camera import CameraModel, Floats
from calibration.discs import apart_px, corners_by_discs, corners_by_pockets, discs_in
from calibration.evidence import Evidence, drawn_to_paint, evidence_for
from calibration.lines import corners_by_lines
from calibration.markings import markings_of
from calibration.pose import Fit, FitError, fit_pose, moved_mm
from calibration.surface import corners_by_surface

SOUTH = {"bottom": (0.0, 1.0), "left": (-1.0, 0.0), "top": (0.0, -1.0), "right": (1.0, 0.0)}
"""The edges of the picture at which the south seat may sit, as directions in the picture."""

SAME_PX = 4.0
SAME_MM = 1.0

COARSE_MM = 9.0
"""Distance of the samples with which first poses are weighed."""

CLICKED_PX = 30.0
"""Corners that are clicked or remembered may be so far off."""

SURE = 0.85
"""Of the markings that are in the picture: with so many in place no other way is tried."""


@dataclass(frozen=True, eq=False)
class Found:
    """A board in a picture: the fit, what speaks for it, and the way that led to it."""

    fit: Fit
    evidence: Evidence
    way: str


class NotFoundError(FitError):
    """No board that enough markings speak for; `model` and `evidence` of what came nearest, for the report."""

    def __init__(self, says: str, model: CameraModel | None = None, evidence: Evidence | None = None) -> None:
        super().__init__(says)
        self.model = model
        self.evidence = evidence


def find_board(
    picture: NDArray[np.uint8],
    K: Floats,
    dist: Floats,
    board: Board,
    south: str,
    lens_sigma: Floats | None = None,
    *,
    corners_px: Floats | None = None,
    tell: Callable[[str], None] = lambda says: None,
) -> Found:
    """Finds the board in a picture (h, w, 3) BGR through a known (or guessed) lens and fits the pose.

    `south`: the edge of the picture at which the south seat sits. `corners_px`: the playing surface's inner corners
    NW, NE, SE, SW (4, 2) by a person's hand, right to `CLICKED_PX`: the board is searched for only there, and they say
    where south is. `tell` hears each step. Raises NotFoundError where no board is found.
    """
    luma = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    size = (luma.shape[1], luma.shape[0])
    coarse, dense = markings_of(board, COARSE_MM), markings_of(board)
    best: tuple[Evidence, CameraModel, str] | None = None
    drawn: list[CameraModel] = []
    tried: list[Floats] = []
    for way, off_px, corners in _ways(picture, luma, K, dist, board, corners_px, tell):
        # The same square found another way leads to the same fit.
        if any(apart_px(corners, other) < SAME_PX for other in tried):
            continue
        tried.append(corners)
        try:
            start = pose_from_corners(corners, board.half_mm, K, dist, size)
        except FitError:
            continue
        off_mm = max(off_px / start.px_per_mm, 6.0)
        model = drawn_to_paint(luma, start, coarse, board.half_mm, off_mm=off_mm, lens_sigma=lens_sigma)
        if any(moved_mm(other, model, board.half_mm) < SAME_MM for other in drawn):
            continue
        drawn.append(model)
        # Where there are no lines the paint draws to nothing, and what the discs told is better.
        weighed = [(evidence_for(luma, one, coarse), one) for one in (model, start)]
        evidence, model = max(weighed, key=lambda pair: (pair[0].is_board, pair[0].score))
        if best is None or (evidence.is_board, evidence.score) > (best[0].is_board, best[0].score):
            best = (evidence, model, way)
        if evidence.share >= SURE:
            break
    if best is None:
        raise NotFoundError("no carrom board is found in the picture: no discs, outline or lines like one's")
    evidence, model, way = best
    tell(f"{np.count_nonzero(evidence.found)} of {np.count_nonzero(evidence.visible)} markings in place, by {way}")
    if not evidence.is_board:
        raise NotFoundError(
            "no carrom board with the usual markings is found in the picture: at the best place only "
            f"{np.count_nonzero(evidence.found)} of {np.count_nonzero(evidence.visible)} markings are seen",
            model,
            evidence,
        )
    model = _by_hand(model, corners_px, board) if corners_px is not None else turn_south(model, south)
    try:
        fit = fit_pose(luma, model, dense, reaches_mm=(4.0, 3.0, 2.0, 2.0, 1.5), lens_sigma=lens_sigma, bare=True)
    except FitError as error:
        raise NotFoundError(str(error), model, evidence) from error
    return Found(fit, evidence_for(luma, fit.model, coarse), way)


def _ways(
    picture: NDArray[np.uint8],
    luma: NDArray[np.uint8],
    K: Floats,
    dist: Floats,
    board: Board,
    corners_px: Floats | None,
    tell: Callable[[str], None],
) -> Iterator[tuple[str, float, Floats]]:
    """First guesses: the way, how far off it may be in px, and the playing surface's corners in px (4, 2)."""

    discs = cache(lambda: discs_in(picture))

    def by_discs() -> list[Floats]:
        return corners_by_discs(discs(), K, dist, board)

    def by_pockets() -> list[Floats]:
        return corners_by_pockets(discs(), K, dist, board)

    def by_surface() -> list[Floats]:
        return corners_by_surface(picture)

    def by_lines() -> list[Floats]:
        return corners_by_lines(luma, K, dist, board)

    if corners_px is not None:
        tell("looking for the paint about the corners")
        yield "the corners", CLICKED_PX, corners_px
    for way, off_px, look in (
        ("base circles and pockets", 8.0, by_discs),
        ("four pockets", 12.0, by_pockets),
        ("the playing surface's outline", 20.0, by_surface),
        ("straight lines", 10.0, by_lines),
    ):
        tell(f"looking for the board by {way}")
        for corners in look():
            if corners_px is None or apart_px(corners, corners_px) < 1.5 * CLICKED_PX:
                yield way, off_px, corners


def _by_hand(model: CameraModel, corners_px: Floats, board: Board) -> CameraModel:
    """The same view, turned by quarters until its north-west corner is the one that was named so."""
    square = np.array(((-1, 1), (1, 1), (1, -1), (-1, -1)), dtype=np.float64) * board.half_mm
    return min(
        _quarters(model), key=lambda turned: float(np.hypot(*(turned.project_plane(square) - corners_px).T).sum())
    )


def pose_from_corners(
    corners_px: Floats, half_mm: float, K: Floats, dist: Floats, size: tuple[int, int]
) -> CameraModel:
    """The pose from the playing surface's inner corners NW, NE, SE, SW in px (4, 2). Raises FitError if absurd."""
    square = np.array(((-1, 1, 0), (1, 1, 0), (1, -1, 0), (-1, -1, 0)), dtype=np.float64) * half_mm
    found, turns, moves, errors = cv2.solvePnPGeneric(
        square, np.asarray(corners_px, dtype=np.float64).reshape(4, 1, 2), K, dist, flags=cv2.SOLVEPNP_IPPE
    )
    for turn, move, _ in sorted(zip(turns, moves, np.ravel(errors), strict=True), key=lambda t: float(t[2])):
        R, _ = cv2.Rodrigues(turn)
        model = CameraModel(
            K, np.asarray(dist, dtype=np.float64), np.asarray(R, dtype=np.float64), np.ravel(move), size
        )
        if model.centre_mm[2] > 0 and model.t[2] > 0:
            refined = cv2.solvePnPRefineLM(square, np.asarray(corners_px, dtype=np.float64), K, dist, turn, move)
            R, _ = cv2.Rodrigues(refined[0])
            return CameraModel(K, model.dist, np.asarray(R, dtype=np.float64), np.ravel(refined[1]), size)
    raise FitError("the corners are not those of a square seen from above" if found else "no pose fits the corners")


def turn_south(model: CameraModel, south: str) -> CameraModel:
    """The same view with the board's frame turned by quarters until the south seat is at that edge of the picture."""
    wanted = np.array(SOUTH[south])

    def toward(turned: CameraModel) -> float:
        middle, edge = turned.project_plane(np.array(((0.0, 0.0), (0.0, -200.0))))
        return round(float((edge - middle) / np.hypot(*(edge - middle)) @ wanted), 6)

    return max(_quarters(model), key=toward)


def _quarters(model: CameraModel) -> list[CameraModel]:
    turned = [model]
    for quarter in range(1, 4):
        angle = quarter * np.pi / 2.0
        spin = np.array(((np.cos(angle), -np.sin(angle), 0), (np.sin(angle), np.cos(angle), 0), (0, 0, 1))).round()
        turned.append(model.posed(model.R @ spin, model.t))
    return turned
