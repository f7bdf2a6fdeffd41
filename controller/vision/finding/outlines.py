"""Whether what is taken for a dark disc has a disc's outline: the change from the empty board steps all round it.

A shadow's bar, a sleeve or a knuckle is as dark as a black piece and about as broad, but goes on beyond the disc's
outline somewhere; a piece does not. Both pictures are compared along the same rays, so whatever is painted there
drops out. Must not know nets or odds.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import Board
from calibration.camera import Floats
from controller.vision.finding.flat import Flat, Floats32, logarithm
from controller.vision.looks import Pixels

RAYS = 48
_TURNS = np.arange(RAYS) * (2.0 * np.pi / RAYS)
UNIT = np.stack((np.cos(_TURNS), np.sin(_TURNS)), 1)
"""Directions in which outlines are measured, (RAYS, 2)."""
_OUT_MM = np.arange(-5.0, 6.0, 0.8)
"""Along each ray, from the outline."""
_INSIDE, _RIM, _BEYOND = slice(0, 4), slice(4, 9), slice(9, 13)
BESIDE_MM = 3.0
"""What lies so far beyond the outline must be bare board for a ray to say anything."""
CLEAR_MM = 1.0
"""So far from every other disc is free of it."""
RIM_MM = 1.75
"""So far about a pocket its rim shows."""
LEAST_RAYS = RAYS // 3
PAINT = 0.35
"""Darker than the wood by this (logarithms) on the empty board is paint. Black paint hardly darkens in a shadow."""
LEAST_CONTRAST = 0.4
"""A black piece less dark against the wood than this (logarithms) has no outline by its darkness."""
PALER = 0.35
"""Beyond a dark disc's outline so much of its darkness is gone."""
LEAST_SHARE = 0.62
"""On so many of the free rays; a black in a row along a shadow's edge has 0.65."""
FAINT_SHARE, FAINT_STEP = 0.2, 0.22
"""… or else even the faintest fifth of the outline is a step of this much of a black piece's darkness."""


def dark_discs(flat: Flat, laid: Pixels, discs: Floats, others: Floats, contrast: float) -> NDArray[np.bool_]:
    """Which of N dark things, (N, 3) x, y and radius in mm, have a disc's outline: (N,).

    `others` (M, 3): what else is taken for a piece. Rays that run into one of those, or into one of these that has an
    outline itself, say nothing: a shadow's bar may be taken for a whole row, of which each would hide the next.
    `contrast`: how much darker than the wood black pieces are, in logarithms. Where too little of an outline is free,
    or black is hardly darker than the wood, and without an empty board, nothing speaks against any.
    """
    if flat.empty is None or contrast < LEAST_CONTRAST or not len(discs):
        return np.ones(len(discs), dtype=np.bool_)
    radii = discs[:, 2, None, None] + _OUT_MM[None, None, :]
    at = (discs[:, None, None, :2] + UNIT[None, :, None] * radii[..., None]).reshape(-1, 2)
    shape = (len(discs), RAYS, len(_OUT_MM))
    now, before = (_seen(flat, colour, at) for colour in (laid, flat.empty.colour))
    change = (now - before).reshape(*shape, 3)
    level = before.mean(1).reshape(shape)
    wood = (level > np.median(level, (1, 2), keepdims=True) - PAINT).astype(np.float32)
    inside, known = _mean(change[:, :, _INSIDE], wood[:, :, _INSIDE])
    beyond, bare = _mean(change[:, :, _BEYOND], wood[:, :, _BEYOND])
    unpainted = known & bare
    shown = np.zeros(len(discs), dtype=np.bool_)
    middle = ((inside + beyond) / 2.0)[:, :, None]
    rim = (np.abs(change[:, :, _RIM] - middle).mean(3) * wood[:, :, _RIM]).max(2)
    step = np.maximum(np.abs(inside - beyond).mean(2), rim)
    while True:
        free = _free(flat.measures, discs, np.concatenate((others, discs[shown]))) & unpainted
        now_shown = shown | np.array(
            [_all_round(inside[i], beyond[i], step[i], free[i], contrast) for i in range(len(discs))]
        )
        if (now_shown == shown).all():
            return shown
        shown = now_shown


def _all_round(inside: Floats32, beyond: Floats32, step: Floats32, free: NDArray[np.bool_], contrast: float) -> bool:
    """Whether what is dark inside is paler beyond nearly all free rays, or there is a clear step on nearly all."""
    if free.sum() < LEAST_RAYS:
        return True
    top = np.median(inside[free], 0)
    paler = (beyond - inside)[free] @ -top / max(float(top @ top), 1e-6)
    return bool((paler > PALER).mean() >= LEAST_SHARE or np.quantile(step[free], FAINT_SHARE) >= FAINT_STEP * contrast)


def _seen(flat: Flat, colour: Pixels, xy: Floats) -> Floats32:
    """What a flat picture shows at N places in mm, (N, 3) in logarithms."""
    columns, rows = (part.reshape(-1, RAYS).astype(np.float32) for part in flat.to_grid(xy).T)
    seen = cv2.remap(colour, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return logarithm(np.asarray(seen, dtype=np.uint8)).reshape(-1, 3)


def _mean(change: Floats32, wood: Floats32) -> tuple[Floats32, NDArray[np.bool_]]:
    """The mean change along rays, (N, RAYS, 3), over what is bare wood there, and on which rays there is any."""
    total = wood.sum(2)
    mean = (change * wood[..., None]).sum(2) / np.maximum(total, 1.0)[..., None]
    return np.asarray(mean, dtype=np.float32), np.asarray(total > 0, dtype=np.bool_)


def free_rays(board: Board, discs: Floats) -> NDArray[np.bool_]:
    """Beyond which rays of N discs, (N, 3), the bare board is seen between them, (N, RAYS)."""
    return _free(board, discs, discs)


def _free(board: Board, discs: Floats, others: Floats) -> NDArray[np.bool_]:
    """Beyond which rays the bare board is seen, (N, RAYS): no other disc, no cushion, no pocket."""
    out = discs[:, None, :2] + UNIT[None] * (discs[:, 2, None] + BESIDE_MM)[..., None]
    free = (np.abs(out) < board.half_mm - 2.0).all(2)
    free &= np.hypot(*np.moveaxis(np.abs(out) - board.pocket_centre_mm, -1, 0)) > board.pocket_radius_mm + RIM_MM
    off_x, off_y = (out[:, :, None, axis] - others[:, axis] for axis in (0, 1))
    clear = off_x * off_x + off_y * off_y > (others[:, 2] + CLEAR_MM) ** 2
    # A disc is among the others itself: its own rays end BESIDE_MM beyond it.
    own = np.hypot(*np.moveaxis(discs[:, None, :2] - others[None, :, :2], -1, 0)) < 1.0
    return np.asarray(free & (clear | own[:, None]).all(2), dtype=np.bool_)
