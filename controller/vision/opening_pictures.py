"""What the opening pictures give a calibration: how the pieces look, their names, and whether the camera moved.

The opening is set up on the board whose empty picture was taken before. Must not know files or cameras.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from calibration.board import Board
from calibration.camera import CameraModel
from calibration.evidence import as_before, drawn_to_paint, evidence_for
from calibration.markings import markings_of, where_seen
from calibration.pose import FitError, fit_pose, moved_mm
from calibration.report import draw_missing, draw_seen
from calibration.search import COARSE_MM
from controller.events.errors import ConfigError
from controller.vision.calibration_inputs import Inputs
from controller.vision.elsewhere import grey
from controller.vision.finding.nets import fingerprint
from controller.vision.learning.opening import Learnt, learn, together
from controller.vision.learning.own_names import own_names
from controller.vision.looks import Looks, Pixels
from controller.vision.pictures_checked import check_rack
from controller.vision.posing import RefusedError, Tell

NUDGED_MM = 8.0
"""A stand is nudged by so much between two pictures, and not more."""

MOST_MOVED_MM = 3.0
"""Farther off the arrangement would hide, and show, other parts of the board than supposed."""

LEAST_COVERED = 0.35
"""A fit to fewer of the markings does not show that the camera moved: where they hardly show, it finds other edges, up
to 5 mm off. Of tables whose markings show 75 % and more are found."""

LEAST_NAMED = 15
"""Of the opening's nineteen pieces."""


def looks_by(inputs: Inputs, model: CameraModel, looks: Looks, says: list[str], tell: Tell) -> tuple[Looks, Learnt]:
    """What the pieces look like here, and what the opening pictures gave."""
    assert inputs.opening is not None
    openings = (inputs.opening, *inputs.openings)
    each = [_learnt(inputs, picture, model, looks, says) for picture in openings]
    learnt = together(each)
    says.extend(learnt.warnings)
    found = learnt.looks
    if inputs.coin_diameter_mm is not None:
        found = replace(found, coin_diameter_mm=inputs.coin_diameter_mm)
    says.append(f"pieces measure {learnt.spacing_mm:.1f} mm across")
    if inputs.scattered:
        tell(f"learning this table's own names from {len(inputs.scattered)} scattered boards")
        found, lines = own_names(list(zip(openings, each, strict=True)), inputs.scattered, model, found, inputs.board)
        says.extend(lines)
    return found, learnt


def _learnt(inputs: Inputs, opening: Pixels, model: CameraModel, looks: Looks, says: list[str]) -> Learnt:
    luma = grey(opening)
    here = model
    if inputs.empty is not None:
        now = _hangs_now(inputs.board, luma, model, grey(inputs.empty), says)
        if now is None:
            text = "the opening picture does not fit the empty one: the board's markings are not where that has them"
            raise _not_there(inputs, opening, model, text)
        moved = moved_mm(model, now, inputs.board.half_mm)
        if moved > MOST_MOVED_MM:
            text = f"the camera moved by {moved:.1f} mm between the empty and the opening picture"
            raise _not_there(inputs, opening, model, text)
        if moved > 0.3:
            here = now
            says.append(f"the camera moved by {moved:.1f} mm between the two pictures; allowed for")
    try:
        learnt = learn(opening, luma, here, looks, inputs.board)
    except ConfigError as error:
        middle = here.project(np.zeros((1, 3)))
        radius = inputs.board.outer_circle_diameter_mm / 2.0 * here.px_per_mm
        raise RefusedError(str(error), draw_seen(opening, middle, radius, str(error).partition(". ")[0])) from error
    if inputs.empty is not None:
        learnt, named = _with_head(inputs, opening, here, learnt, says)
        if named < LEAST_NAMED:
            scattered = "" if inputs.scattered else "10 to 20 scattered boards with --scattered; "
            says.append(
                f"the eyes know such a set badly: of the opening's nineteen pieces they tell {named} for what they "
                f"are, so the grade is one lower, and more is asked. Fix: {scattered}more light, no lamp's "
                "mirror image on the pieces, and --opening again"
            )
            learnt = replace(learnt, foreign=True)
    return learnt


def _with_head(
    inputs: Inputs, opening: Pixels, model: CameraModel, learnt: Learnt, says: list[str]
) -> tuple[Learnt, int]:
    """The same with this table's own names from an earlier calibration, where they still hold, and how many of the
    opening's nineteen pieces are named what they are. Raises RefusedError where it is no opening."""
    _, named = check_rack(opening, model, learnt, inputs.board)
    if inputs.head is None:
        return learnt, named
    if inputs.head.nets == fingerprint():
        headed = replace(learnt, looks=replace(learnt.looks, head=inputs.head))
        _, named_so = check_rack(opening, model, headed, inputs.board)
        if named_so >= named:
            return headed, named_so
        why = f"tell {named_so} of the opening's nineteen pieces for what they are, the nets alone {named}"
    else:
        why = "were learnt with other nets than these"
    says.append(
        f"this table's own names {why} and are left out. Fix: should pieces be misnamed, learn them anew from "
        "scattered boards with `carrom calibrate`"
    )
    return learnt, named


def _not_there(inputs: Inputs, opening: Pixels, model: CameraModel, text: str) -> RefusedError:
    """The refusal, and the opening picture with the markings that the empty one has and this has not."""
    markings = markings_of(inputs.board, COARSE_MM)
    found = evidence_for(grey(opening), model, markings).found
    report = draw_missing(opening, model, inputs.board, markings, found, [text])
    return RefusedError(f"{text}. Fix: take both from the same stand", report)


def _hangs_now(board: Board, luma: Pixels, model: CameraModel, empty: Pixels, says: list[str]) -> CameraModel | None:
    """The camera of another picture of the same board; None where too few of the markings that the empty picture shows
    are in their places."""
    coarse = markings_of(board, COARSE_MM)
    before = evidence_for(empty, model, coarse)
    here = drawn_to_paint(luma, model, coarse, board.half_mm, off_mm=NUDGED_MM)
    if not as_before(evidence_for(luma, here, coarse), before):
        return None
    fine = where_seen(empty, model, markings_of(board))
    try:
        fit = fit_pose(luma, here, fine, reaches_mm=(3.0, 2.0, 1.5), bare=True)
    except FitError:
        return None
    if fit.covered >= LEAST_COVERED:
        return fit.model
    says.append(
        "the opening picture shows too few of the markings to tell whether the camera moved by a millimetre or two "
        "after the empty one. Fix: more light, and both pictures again, if it may have been touched"
    )
    return model if as_before(evidence_for(luma, model, coarse), before) else here
