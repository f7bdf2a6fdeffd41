"""Whether a picture shows the board where its calibration has it: another camera's calibration is noticed by the paint.

Finds the board anew, however far off; a nudge of a calibrated camera is followed by `following.registration`. Must not
know files, cameras or time.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.board import Board
from calibration.camera import CameraModel
from calibration.evidence import drawn_to_paint, evidence_for
from calibration.markings import markings_of
from calibration.pose import moved_mm
from calibration.search import COARSE_MM
from controller.vision.looks import Looks, Pixels


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A picture that is not of the calibrated view: `says` it in one line; `off_mm` how far places are off at most."""

    says: str
    off_mm: float


LEAST_MARKINGS = 8
"""Fewer that this board's own empty picture shows tell nothing."""

OFF_MM = 1.5
"""A marking so near to where the empty picture shows it has stayed there.

Without an empty picture nobody knows which of a marking's two edges stands out most: then the share found counts.
"""

IN_PLACE = 0.5
"""Pieces, hands and glare hide some of the markings; by chance one in six is as near."""

FARTHEST_MM = 40.0
"""As far as the paint is searched for; what lies farther off may be anywhere on the board."""


def elsewhere(luma: Pixels, model: CameraModel, board: Board, looks: Looks) -> Elsewhere | None:
    """Whether a picture (h, w) shows the board anywhere but where its calibration has it; None: it does not.

    Then a place stated to a millimetre would be wrong without a word: it is another camera's picture, the stand was
    moved, or there is no board.
    """
    markings = markings_of(board, COARSE_MM)
    here = evidence_for(luma, model, markings)
    wanted, stayed = here.visible, here.found
    in_place = here.is_board
    if looks.empty is not None and looks.empty_model is not None:
        before = evidence_for(grey(looks.empty), looks.empty_model, markings)
        wanted = wanted & before.found
        stayed = stayed & (np.abs(here.place_mm - before.place_mm) < OFF_MM)
        in_place = bool(np.count_nonzero(wanted & stayed) >= IN_PLACE * np.count_nonzero(wanted))
    if in_place or np.count_nonzero(wanted) < LEAST_MARKINGS:
        return None
    kept = np.count_nonzero(wanted & stayed)
    drawn = drawn_to_paint(luma, model, markings, board.half_mm, off_mm=FARTHEST_MM)
    found = evidence_for(luma, drawn, markings)
    if found.is_board and found.score > here.score:
        off = moved_mm(model, drawn, board.half_mm)
        return Elsewhere(
            f"the board's markings lie up to {off:.0f} mm from where the calibration has them: it is another camera's, "
            "or the stand was moved. Fix: calibrate this camera",
            off,
        )
    return Elsewhere(
        f"only {kept} of {np.count_nonzero(wanted)} of the board's markings are where the calibration has them: it is "
        "another camera's, or the board is covered. Fix: calibrate this camera, or clear the board",
        FARTHEST_MM,
    )


def grey(picture: Pixels) -> Pixels:
    """Returns a picture (BGR) as its luma (h, w)."""
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
