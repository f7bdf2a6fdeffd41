"""Whether anything lies where a piece is reported at all: what has changed there since the board lay empty.

What the empty picture shows and today's picture shows as well is no piece, whatever the light does in between: a piece
steps against the board at its own outline. And what is a piece only because all about it is dark, as a finger in its
own shadow is, is none. Must not know nets or odds.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Floats
from controller.vision.finding.flat import Flat, Floats32, logarithm, median
from controller.vision.finding.outlines import UNIT, free_rays
from controller.vision.grid import CELL
from controller.vision.looks import Pixels

_OUT_MM = np.arange(-6.0, 6.0, 0.8)
"""Along each ray, from the outline."""
_BEYOND = slice(10, 15)
LEAST_STEP = 0.018
"""The change, taken all round, rises or falls at any piece's outline by more than this (logarithms within 1.6 mm of
radius). On 75 path-traced tables that the nets had not seen the faintest of 4 277 pieces has 0.024, a tenth of what
was reported and was none has less."""
ASIDE_MM = 2.0
"""So far beside a piece of low contrast its place may be: taken all round a circle that lies off, a step is smeared."""
_FAINT = 1e-9
_ASIDE = ASIDE_MM * UNIT[:: len(UNIT) // 8]
LEAST_RAYS = len(UNIT) // 3
CALM_PX = 1.0
"""Standard deviation of the smoothing: a pixel's noise has slopes of its own."""


def changes(flat: Flat, laid: Pixels, discs: Floats) -> Floats32:
    """How today's picture differs from the empty one along rays across the outlines of N discs, (N, 3) x, y and
    radius in mm: (N, rays, places, 3), in logarithms. Needs an empty board."""
    now, before = now_and_before(flat, laid, discs)
    return logarithm(now) - logarithm(before)


def now_and_before(flat: Flat, laid: Pixels, discs: Floats) -> tuple[Pixels, Pixels]:
    """What today's picture and the empty one show along the same rays, (N, rays, places, 3) each."""
    assert flat.empty is not None
    columns, rows = _places(flat, discs)
    shape = (len(discs), len(UNIT), len(_OUT_MM), 3)
    now, before = (
        cv2.remap(colour, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).reshape(shape)
        for colour in (laid, flat.empty.colour)
    )
    return np.asarray(now, dtype=np.uint8), np.asarray(before, dtype=np.uint8)


def unchanged(change: Floats32) -> NDArray[np.bool_]:
    """Where nothing steps at a disc's outline that did not when the board lay empty, (N,); `change` as `changes`."""
    return np.asarray(steps(change) < LEAST_STEP, dtype=np.bool_)


def unchanged_about(flat: Flat, laid: Pixels, discs: Floats, change: Floats32) -> NDArray[np.bool_]:
    """Where nothing steps at a disc's outline or ASIDE_MM beside it, (N,). `discs`, `change` as in `changes`."""
    none = unchanged(change)
    for i in np.nonzero(none)[0]:
        beside = np.repeat(discs[i : i + 1], len(_ASIDE), 0)
        beside[:, :2] += _ASIDE
        none[i] = unchanged(changes(flat, laid, beside)).all()
    return none


def still_drawn(flat: Flat, laid: Pixels, xy: Floats, radius_mm: Floats) -> Floats:
    """How probably what the empty board showed is to be seen still within `radius_mm` of N places, (N, 2) in mm, (N,).

    By how the slopes of the two pictures' logarithms correlate, at most 1: neither lamp nor shade moves a painted
    edge, and a piece hides it. Where all is saturated or too dark to be seen it is 0. Needs an empty board.
    """
    assert flat.empty is not None
    alike = np.zeros(len(xy))
    for i, ((column, row), radius) in enumerate(zip(flat.to_grid(xy), radius_mm * flat.scale, strict=True)):
        reach = int(np.ceil(radius)) + 1
        around = np.arange(-reach, reach + 1, dtype=np.float32)
        inside = (np.hypot(around[:, None], around[None]) < radius)[:, :, None, None]
        columns, rows = np.meshgrid(np.float32(column) + around, np.float32(row) + around)
        now, before = (
            _slopes(logarithm(np.asarray(cv2.remap(picture, columns, rows, cv2.INTER_LINEAR), dtype=np.uint8))) * inside
            for picture in (laid, flat.empty.colour)
        )
        alike[i] = (now * before).sum() / np.sqrt((now**2).sum() * (before**2).sum() + _FAINT)
    return alike


def _slopes(log: Floats32) -> Floats32:
    """How steeply logarithms (h, w, 3) rise to the right and downwards, (h, w, 3, 2), smoothed."""
    calm = cv2.GaussianBlur(log, (0, 0), CALM_PX)
    return np.stack([cv2.Sobel(calm, cv2.CV_32F, k, 1 - k) for k in (1, 0)], 3)


def steps(change: Floats32) -> Floats:
    """The largest step of the change along the radius, taken all round, (N,)."""
    profile = change.mean(1)
    calm = (profile[:, :-2] + 2.0 * profile[:, 1:-1] + profile[:, 2:]) / 4.0
    return np.asarray(np.abs(calm[:, 2:] - calm[:, :-2]).max((1, 2)), dtype=np.float64)


def light_beside(flat: Flat, surface: Floats32, discs: Floats, change: Floats32) -> Floats:
    """By how much the board just beyond each of N discs is darker or paler than `surface` supposes, (N, 3).

    Zero where too little of it is free of other discs. `surface` as from `views.surface_log`.
    """
    assert flat.empty is not None
    free = free_rays(flat.measures, discs)
    columns, rows = ((part[:, _BEYOND] + 0.5) / CELL - 0.5 for part in _places(flat, discs))
    beyond = change[:, :, _BEYOND]
    supposed = cv2.remap(
        surface - flat.empty.wood_log, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    ).reshape(beyond.shape)
    beyond = median(beyond - supposed)
    light = np.zeros((len(discs), 3))
    for i, rays in enumerate(free):
        if rays.sum() >= LEAST_RAYS:
            light[i] = median(beyond[i, rays])
    return light


def _places(flat: Flat, discs: Floats) -> tuple[Floats32, Floats32]:
    """Grid columns and rows along the rays, each (N · rays, places)."""
    radii = discs[:, 2, None, None, None] + _OUT_MM[None, None, :, None]
    at = discs[:, None, None, :2] + UNIT[None, :, None] * radii
    columns, rows = (part.reshape(-1, len(_OUT_MM)).astype(np.float32) for part in flat.to_grid(at.reshape(-1, 2)).T)
    return columns, rows
