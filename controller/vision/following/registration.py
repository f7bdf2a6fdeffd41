"""Tells whether the camera has moved, and corrects its pose.

All edges of the picture together show shifts far below a pixel, of a creeping piece or of the whole camera; only then
the painted markings are measured: at a rest they must lie where the calibration saw them. What counts is not where
paint should be but where this calibration saw it: on its empty picture, or else at the first rest. So paint that is a
little off does no more harm than at calibration, and a check can only follow the camera, never spoil a good
calibration. Must not know time, tracks or threads.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, hypot, sqrt
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import Board
from calibration.camera import CameraModel
from calibration.markings import Markings, markings_of, measure
from calibration.pose import Fit, FitError, fit_pose, moved_mm, share_in_place
from controller.vision.elsewhere import elsewhere, grey
from controller.vision.finding.find import Finding
from controller.vision.looks import Looks
from controller.vision.sources.frame import Image

SPACING_MM = 8.0
PLAIN = 0.6
"""How clearly a marking must have been seen by the calibration to be searched for again."""

LEAST_SAMPLES = 100
"""Fewer free samples (hands, pieces, pale paint) do not show where the camera hangs."""

FOLLOWED_MM = 0.1
FOLLOWED_U = 2.0
"""A smaller shift, or one within so many of the fit's own standard deviations, is none."""

FARTHEST_MM = 30.0
NUDGE_MM = 5.0
"""A camera that moved farther was pushed: then most of the markings must be found again."""

QUICK_MM = (2.0,)
NEAR_MM = (4.0, 2.0, 1.5)
FAR_MM = (12.0, 8.0, 4.0, 2.0, 1.5)
"""Across how much the markings are searched for: where they were, after a nudge, after a push."""

TRIES = ((NEAR_MM, True), (FAR_MM, True), (FAR_MM, False))
"""How a camera that has moved is found, and whether strokes count against bare wood (`measure`): then more of them
are found, and from afar more are taken for others.
"""

WORSE = 1.4
WORSE_MM = 0.05
LEAST_COVERED = 0.5
FOUND_COVERED = 0.75
MOST_U_MM = 0.4
IN_PLACE = 0.7
"""So much of the paint lies where it lay, however pale, if the camera hangs as it hung."""

LOST_COVERED = 0.35
"""With so few of the markings found the board is not where it was."""

CLEAR_MM = 5.0
"""Around a piece nothing is measured: its rim and shadow look like strokes."""

_HALF_PX = 420
"""A mask of one pixel a millimetre, wide enough for the largest board with its frame."""


@dataclass(frozen=True, slots=True, eq=False)
class Registration:
    """What a check gave.

    `kept`: the camera hangs where it hung. `followed`: it was nudged, and `model` is right now. `unsure`: too little
    of the markings lies open. `doubtful`: they are seen, but no pose fits them as well as before. `lost`: they are not
    there. `residual_mm`: how far the markings lie off, robust rms; 0 where nothing was measured.
    """

    state: Literal["kept", "followed", "unsure", "doubtful", "lost"]
    model: CameraModel
    residual_mm: float = 0.0


class Registrar:
    """Checks one camera against one board. Not for two threads at a time."""

    def __init__(self, board: Board, looks: Looks) -> None:
        self._board = board
        self._looks = looks
        self._painted: Markings | None = None
        self._residual_mm = 0.0
        self._in_view = False
        """Whether the board was seen where its calibration has it, once."""

    def check(self, luma: Image, model: CameraModel, sight: Finding) -> Registration:
        """Where the camera hangs in a picture (h, w) of a board at rest.

        `sight`: what lies there or hides the board, found with `model`. Until the board was seen once where the
        calibration has it, in a picture that is not clear enough a board is searched for elsewhere: it may be another
        camera's calibration.
        """
        now = self._checked(luma, model, sight)
        if now.state in ("kept", "followed"):
            self._in_view = True
        elif now.state == "unsure" and self._is_elsewhere(luma, model):
            return Registration("lost", model)
        return now

    def _checked(self, luma: Image, model: CameraModel, sight: Finding) -> Registration:
        if self._painted is None:
            return self._learn(luma, model, sight)
        free = _only(self._painted, self._open(self._painted, sight))
        if len(free.xy) < LEAST_SAMPLES:
            # What lies all over it may be a hand, or not a board at all: a board shows some paint even so.
            whole = _fit(luma, model, self._painted, QUICK_MM)
            return Registration("unsure" if whole is not None and whole.covered > LOST_COVERED else "lost", model)
        quick = _fit(luma, model, free, QUICK_MM)
        if quick is None and share_in_place(measure(luma, model, free, QUICK_MM[0], bare=True), free) >= IN_PLACE:
            return Registration("kept", model)
        usual = self._residual_mm * WORSE + WORSE_MM
        plain = (
            quick is not None
            and quick.residual_mm <= usual
            and (quick.covered >= FOUND_COVERED or quick.in_place >= IN_PLACE)
        )
        if quick is not None and plain and not self._moved(model, quick):
            return Registration("kept", model, quick.residual_mm)
        found = [fit for reaches, bare in TRIES if (fit := _fit(luma, model, free, reaches, bare)) is not None]
        before = quick.covered if quick is not None else 0.0
        for fit in found:
            moved = moved_mm(model, fit.model, self._board.half_mm)
            needed = max(LEAST_COVERED if moved < NUDGE_MM else FOUND_COVERED, 0.95 * before)
            shown = fit.covered >= needed or fit.in_place >= IN_PLACE
            good = shown and fit.residual_mm <= usual and fit.u_mm <= MOST_U_MM
            if good and moved <= FARTHEST_MM:
                followed = self._moved(model, fit)
                return Registration(
                    "followed" if followed else "kept", fit.model if followed else model, fit.residual_mm
                )
        if all(fit.covered < LOST_COVERED and fit.in_place < IN_PLACE for fit in found):
            return Registration("lost", model)
        return Registration("doubtful", model, min(fit.residual_mm for fit in found))

    def _moved(self, model: CameraModel, fit: Fit) -> bool:
        return moved_mm(model, fit.model, self._board.half_mm) >= max(FOLLOWED_MM, FOLLOWED_U * fit.u_mm)

    def _is_elsewhere(self, luma: Image, model: CameraModel) -> bool:
        if not self._in_view:
            self._in_view = elsewhere(luma, model, self._board, self._looks) is None
        return not self._in_view

    def _learn(self, luma: Image, model: CameraModel, sight: Finding) -> Registration:
        """Where this calibration sees the paint: on its own empty picture, or in this one."""
        painted = markings_of(self._board, SPACING_MM)
        looks = self._looks
        if looks.empty is not None and looks.empty_model is not None:
            painted, residual = _as_seen(grey(looks.empty), looks.empty_model, painted)
            if len(painted.xy) >= LEAST_SAMPLES:
                self._painted, self._residual_mm = painted, residual
                return self._checked(luma, model, sight)
        if self._is_elsewhere(luma, model):
            return Registration("lost", model)
        painted, residual = _as_seen(luma, model, _only(painted, self._open(painted, sight)))
        if len(painted.xy) < LEAST_SAMPLES:
            return Registration("unsure", model)
        self._painted, self._residual_mm = painted, residual
        return Registration("kept", model, residual)

    def _open(self, markings: Markings, sight: Finding) -> NDArray[np.bool_]:
        """Which samples nothing lies on or beside."""
        covered = np.zeros((2 * _HALF_PX, 2 * _HALF_PX), np.uint8)
        for piece in sight.pieces:
            striker = piece.piece == "striker"
            size = self._looks.striker_diameter_mm if striker else self._looks.coin_diameter_mm
            centre = (round(piece.x_mm) + _HALF_PX, round(piece.y_mm) + _HALF_PX)
            cv2.circle(covered, centre, round(size / 2.0 + CLEAR_MM), 255, -1)
        hands = (hand.outline for hand in sight.hands)
        for outline in (*sight.hidden, *hands, *(thing.outline for thing in sight.foreign)):
            if len(outline) >= 3:
                cv2.fillPoly(covered, [np.rint(np.array(outline)).astype(np.int32) + _HALF_PX], 255)
        at = np.clip(np.rint(markings.xy).astype(int) + _HALF_PX, 0, 2 * _HALF_PX - 1)
        clear: NDArray[np.bool_] = covered[at[:, 1], at[:, 0]] == 0
        return clear


def seen_anew(sight: Finding, before: CameraModel, after: CameraModel, height_mm: float) -> Finding:
    """The same finding with the pieces where another model of the same picture puts them."""
    if not sight.pieces or before is after:
        return sight
    was = np.array([piece.at for piece in sight.pieces])
    now = after.to_plane(before.project_plane(was, height_mm), height_mm)
    pieces = (replace(piece, x_mm=float(x), y_mm=float(y)) for piece, (x, y) in zip(sight.pieces, now, strict=True))
    return replace(sight, pieces=tuple(pieces))


def _only(markings: Markings, which: NDArray[np.bool_]) -> Markings:
    return replace(
        markings,
        xy=markings.xy[which],
        across=markings.across[which],
        width_mm=markings.width_mm[which],
        group=markings.group[which],
    )


def _as_seen(luma: Image, model: CameraModel, markings: Markings) -> tuple[Markings, float]:
    """The plainly seen samples, moved to where they are seen, and what a second measurement differs by."""
    if len(markings.xy) < LEAST_SAMPLES:
        return markings, 0.0
    measured = measure(luma, model, markings, NEAR_MM[0])
    plain = measured.seen & (measured.weight > PLAIN)
    moved = replace(markings, xy=markings.xy + markings.across * measured.off_mm[:, None])
    seen = _only(moved, plain)
    if len(seen.xy) < LEAST_SAMPLES:
        return seen, 0.0
    again = measure(luma, model, seen, QUICK_MM[0], bare=True)
    # Another picture's noise, and the grain that pieces and shadows leave, come on top of what this one shows.
    return seen, max(0.1, 1.4826 * float(np.median(np.abs(again.off_mm))))


def _fit(
    luma: Image, model: CameraModel, markings: Markings, reaches: tuple[float, ...], bare: bool = True
) -> Fit | None:
    """A fit of what was plain to the calibration: among these broad strokes would be each other's noise."""
    try:
        return fit_pose(luma, model, markings, reaches_mm=reaches, bare=bare)
    except FitError:
        return None


SURE = 4.0
"""A shift counts if it is so many times its own error."""

LEAST_SLOPE = 4.0
"""Grey levels a pixel: flatter than this shows no shift."""


def shift_px(before: Image, now: Image, u: float, v: float, radius_px: float) -> float:
    """How far what lies within a radius has certainly shifted between two pictures, in px; 0 where that does not show.

    A piece that is brighter or darker than before has not shifted. `u`, `v`: its middle in px.
    """
    reach = ceil(radius_px) + 2
    i, j = round(u), round(v)
    height, width = before.shape
    if not (reach < i < width - reach - 1 and reach < j < height - reach - 1):
        return 0.0
    rows, columns = slice(j - reach - 1, j + reach + 2), slice(i - reach - 1, i + reach + 2)
    was, there = before[rows, columns].astype(np.float64), now[rows, columns].astype(np.float64)
    mean = (was + there) / 2.0
    gx, gy = (mean[1:-1, 2:] - mean[1:-1, :-2]) / 2.0, (mean[2:, 1:-1] - mean[:-2, 1:-1]) / 2.0
    side = np.arange(-reach, reach + 1)
    near = (side[None, :] ** 2 + side[:, None] ** 2 <= (radius_px + 1.5) ** 2) & (np.hypot(gx, gy) > LEAST_SLOPE)
    count = int(near.sum())
    if count < 12:
        return 0.0
    off = (there - was)[1:-1, 1:-1][near]
    terms = np.stack((gx[near], gy[near], np.ones(count)), 1)
    try:
        spread = np.linalg.inv(terms.T @ terms)
    except np.linalg.LinAlgError:
        return 0.0
    found = spread @ (terms.T @ off)
    rest = off - terms @ found
    error = sqrt(float(rest @ rest) / (count - 3) * float(spread[0, 0] + spread[1, 1]))
    shift = hypot(float(found[0]), float(found[1]))
    return shift if shift > SURE * error else 0.0


STEEP = 5.0
"""Grey levels a pixel from which on a slope tells of a shift."""

MOST_PIXELS = 2500
LEAST_PIXELS = 300
"""So many steep pixels tell as well as all; fewer tell nothing."""

STRAY = 6.0
"""Grey levels by which a pixel may miss what a shift explains before it is taken for something that lies there now."""

BANDS = 9
"""The picture is felt in so many bands from top to bottom: a tilt shifts them differently."""

FITTING = 0.6
"""The share of pixels that one shift must explain."""


class Nudge:
    """One still picture to compare with. `covered`: 255 where pieces, hands or other things lie."""

    def __init__(self, still: Image, board: Image, covered: Image) -> None:
        right = cv2.Sobel(still, cv2.CV_32F, 1, 0, scale=0.125)
        down = cv2.Sobel(still, cv2.CV_32F, 0, 1, scale=0.125)
        steep = (cv2.magnitude(right, down) > STEEP) & (board > 0) & (cv2.dilate(covered, np.ones((5, 5))) == 0)
        steep[:2] = steep[-2:] = False
        steep[:, :2] = steep[:, -2:] = False
        at = np.flatnonzero(steep)
        self._at = at[:: max(1, len(at) // MOST_PIXELS)]
        rows, columns = np.divmod(self._at, still.shape[1])
        height, width = still.shape
        self._half = max(height, width) / 2.0
        x, y = (columns - width / 2.0) / self._half, (rows - height / 2.0) / self._half
        gx, gy = right.ravel()[self._at], down.ravel()[self._at]
        self._was = still.ravel()[self._at].astype(np.float64)
        # To the right, down, turned, grown; brighter by an amount, and by a share that may change from band to band of
        # rows: under a rolling shutter a lamp's ripple is no shift.
        place = rows * ((BANDS - 1) / max(1, height - 1))
        bands = [np.maximum(0.0, 1.0 - np.abs(place - k)) * self._was / 100.0 for k in range(BANDS)]
        terms = (gx, gy, gy * x - gx * y, gx * x + gy * y, np.ones_like(x), *bands)
        self._terms: NDArray[np.float64] = np.stack(terms, 1).astype(np.float64)

    def moved_px(self, small: Image) -> float | None:
        """How far the picture has moved anywhere on the board, in small pixels; None where that is open."""
        if len(self._at) < LEAST_PIXELS:
            return None
        off = small.ravel()[self._at].astype(np.float64) - self._was
        fitting = np.abs(off - np.median(off)) < 4.0 * STRAY
        values: NDArray[np.float64] = np.zeros(self._terms.shape[1])
        for _ in range(3):
            if np.count_nonzero(fitting) < FITTING * len(off):
                return None
            terms = self._terms[fitting]
            values = np.asarray(np.linalg.lstsq(terms.T @ terms, terms.T @ off[fitting], rcond=None)[0])
            fitting = np.abs(off - self._terms @ values) < STRAY
        dx, dy, turned, grown = values[:4]
        corners = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))
        return float(max(np.hypot(dx - turned * y + grown * x, dy + turned * x + grown * y) for x, y in corners))
