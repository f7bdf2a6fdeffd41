"""What lies in a pocket's net: it is seen through the hole, and nothing of it over the board about the hole.

A camera above the middle sees through a hole at a slant, so a coin in the net seems to lie on the pocket's rim. A piece
on the rim lies over the board, and changes it; of one in the net the rim hides just that part. Must not know odds or
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
NOTHING = 0.01
"""Where the board changes by less, nothing lies on it, whatever shows in the hole: of 257 pieces on the rims of 32
simulated tables the faintest changed it by 0.048."""


def fallen(flat: Flat, laid: Pixels, discs: Floats) -> NDArray[np.bool_]:
    """Which of N discs, (N, 3) x, y and radius in mm on the grid's plane, are seen through a pocket's hole, (N,).

    None without an empty board, and none where what is seen of the board is saturated. One that lies over too little of
    the board to be borne by it has fallen: of 257 pieces on rims each lay under six rays or more.
    """
    below = np.zeros(len(discs), dtype=np.bool_)
    measures = flat.measures
    corner = np.hypot(*(np.abs(discs[:, :2]) - measures.pocket_centre_mm).T)
    for i in np.nonzero(corner < measures.pocket_radius_mm + discs[:, 2])[0]:
        below[i] = flat.empty is not None and _below(flat, laid, discs[i])
    return below


def _below(flat: Flat, laid: Pixels, disc: Floats) -> bool:
    borne, on_board, step, in_hole = seen_of(flat, laid, disc)
    return not borne or max(on_board, step) < (FAINT if in_hole > PLAIN else NOTHING)


def seen_of(flat: Flat, laid: Pixels, disc: Floats) -> tuple[bool, float, float, float]:
    """Whether enough of a disc lies over the board, and how much has changed of it there, at its outline there, and
    within a hole, in logarithms.

    The change is infinite where too little of the board is seen; at the outline it is 0 where that is so of it.
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
    whole = (away > RIM_MM) & (np.abs(ground) < measures.half_mm - RIM_MM).all(2)
    board = whole & clear
    change = logarithm(now) - logarithm(before)
    over = _over(board)
    hole = change[:, _INSIDE][away[:, _INSIDE] < -RIM_MM]
    borne = bool(_over(whole).sum() >= FEWEST_RAYS)
    if over.sum() < FEWEST_RAYS or not len(hole):
        return borne, np.inf, 0.0, 0.0
    # Along one ray the light is nearly the same, and noise and grooves are as often paler as darker.
    inside, beyond = (_mean(change[over, part], board[over, part]) for part in (_INSIDE, _BEYOND))
    on_board, in_hole = (float(brightness(np.abs(median(part)))) for part in (inside - beyond, hole))
    rays = board[:, _OUTLINE].all(1)
    return borne, on_board, _step(change[rays, _OUTLINE]) if rays.sum() >= LEAST_RAYS else 0.0, in_hole


def _over(board: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Along which of some rays, (rays, places), enough of the board is seen within the outline and beyond it."""
    return np.asarray(np.minimum(board[:, _INSIDE].sum(1), board[:, _BEYOND].sum(1)) >= LEAST_PLACES)


def _mean(change: Floats32, which: NDArray[np.bool_]) -> Floats32:
    """The mean along each of some rays, (rays, 3), of what changed at some of its places, (rays, places, 3)."""
    total = (change * which[:, :, None]).sum(1) / which.sum(1, keepdims=True)
    return np.asarray(total, dtype=np.float32)


def _step(change: Floats32) -> float:
    """The largest step along the radius of what changed along some rays, (rays, places, 3)."""
    profile = change.mean(0)
    calm = (profile[:-2] + 2.0 * profile[1:-1] + profile[2:]) / 4.0
    return float(np.abs(calm[2:] - calm[:-2]).max())
