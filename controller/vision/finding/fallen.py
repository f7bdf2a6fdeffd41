"""What lies in a pocket's net: it is seen through the hole, and nothing of it over the board about the hole.

A camera above the middle sees through a hole at a slant, so a coin in the net seems to lie on the pocket's rim. A piece
on the rim changes the board that it hangs over; of one in the net the rim hides just that part. Must not know odds or
classes.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Floats
from controller.vision.finding.flat import Flat, Floats32, brightness, logarithm, median
from controller.vision.finding.outlines import LEAST_RAYS, UNIT
from controller.vision.finding.views import SATURATED
from controller.vision.looks import Pixels

_OUT_MM = np.arange(-14.4, 6.0, 0.8)
"""Along each ray, from the outline."""
_INSIDE, _OUTLINE, _BEYOND = slice(0, 17), slice(12, 24), slice(20, 26)
"""To 1.6 mm within the outline; from 4.8 within to 4.0 beyond; from 1.6 to 5.6 beyond."""
RIM_MM = 1.5
"""So near to a hole's edge it is not known whether board or hole is seen."""
LEAST_PLACES, FEWEST_RAYS = 3, 4
"""A ray counts with so many places over the board within a piece and beyond it; fewer rays say nothing."""
FAINT = 0.036
"""A piece over the board changes it, or steps at its outline there, by more than this (logarithms): of 493 on the rims
of 59 rendered tables the faintest by 0.040, of 427 coins in nets that were taken for one 298 by less."""
PLAIN = 0.1
"""Something is seen in the hole if it changes by this (logarithms): a black piece in a dark hole is not."""


def fallen(flat: Flat, laid: Pixels, discs: Floats) -> NDArray[np.bool_]:
    """Which of N discs, (N, 3) x, y and radius in mm on the grid's plane, are seen through a pocket's hole, (N,).

    None without an empty board, and none where too little of the board is seen, or what is seen there is saturated.
    """
    below = np.zeros(len(discs), dtype=np.bool_)
    measures = flat.measures
    corner = np.hypot(*(np.abs(discs[:, :2]) - measures.pocket_centre_mm).T)
    for i in np.nonzero(corner < measures.pocket_radius_mm + discs[:, 2])[0]:
        below[i] = flat.empty is not None and _below(flat, laid, discs[i])
    return below


def _below(flat: Flat, laid: Pixels, disc: Floats) -> bool:
    on_board, step, in_hole = seen_of(flat, laid, disc)
    return max(on_board, step) < FAINT and in_hole > PLAIN


def seen_of(flat: Flat, laid: Pixels, disc: Floats) -> tuple[float, float, float]:
    """How much has changed of a disc over the board, at its outline there, and within a hole, in logarithms.

    The first is infinite where too little of the board is seen; the second 0 where that is so of the outline.
    """
    assert flat.empty is not None
    measures, (foot_x, foot_y, height) = flat.measures, flat.model.centre_mm
    foot = np.array((foot_x, foot_y))
    at = disc[:2] + UNIT[:, None] * (disc[2] + _OUT_MM)[None, :, None]
    columns, rows = (part.reshape(at.shape[:2]).astype(np.float32) for part in flat.to_grid(at.reshape(-1, 2)).T)
    now, before = (
        np.asarray(cv2.remap(colour, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8)
        for colour in (laid, flat.empty.colour)
    )
    # What is seen on the grid's plane lies this far in on the board itself.
    ground = foot + (at - foot) * (height / (height - flat.z_mm))
    away = np.hypot(*np.moveaxis(np.abs(ground) - measures.pocket_centre_mm, -1, 0)) - measures.pocket_radius_mm
    clear = (now < SATURATED).all(2) & (before < SATURATED).all(2)
    board = (away > RIM_MM) & (np.abs(ground) < measures.half_mm - RIM_MM).all(2) & clear
    change = logarithm(now) - logarithm(before)
    over = np.minimum(board[:, _INSIDE].sum(1), board[:, _BEYOND].sum(1)) >= LEAST_PLACES
    hole = change[:, _INSIDE][away[:, _INSIDE] < -RIM_MM]
    if over.sum() < FEWEST_RAYS or not len(hole):
        return np.inf, 0.0, 0.0
    # Along one ray the light is nearly the same, and noise and grooves are as often paler as darker.
    inside, beyond = (_mean(change[over, part], board[over, part]) for part in (_INSIDE, _BEYOND))
    on_board, in_hole = (float(brightness(np.abs(median(part)))) for part in (inside - beyond, hole))
    rays = board[:, _OUTLINE].all(1)
    return on_board, _step(change[rays, _OUTLINE]) if rays.sum() >= LEAST_RAYS else 0.0, in_hole


def _mean(change: Floats32, which: NDArray[np.bool_]) -> Floats32:
    """The mean along each of some rays, (rays, 3), of what changed at some of its places, (rays, places, 3)."""
    total = (change * which[:, :, None]).sum(1) / which.sum(1, keepdims=True)
    return np.asarray(total, dtype=np.float32)


def _step(change: Floats32) -> float:
    """The largest step along the radius of what changed along some rays, (rays, places, 3)."""
    profile = change.mean(0)
    calm = (profile[:-2] + 2.0 * profile[1:-1] + profile[2:]) / 4.0
    return float(np.abs(calm[2:] - calm[:-2]).max())
