"""Other turning, carving, contrast, shadows and focus than the simulated camera draws, laid over patches it drew.

What a net is to know of a piece is that it is round, of one size and not as the bare board: not how one renderer
draws it.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from controller.vision.finding.nets import KINDS
from controller.vision.finding.views import PATCH

Rng = np.random.Generator
Array = npt.NDArray[Any]

STRIKER = KINDS.index("striker")

_ROWS, _COLUMNS = np.mgrid[0:PATCH, 0:PATCH].astype(np.float32) - np.float32((PATCH - 1) / 2)


def otherwise(views: Array, kinds: Array, steps: Array, radii_px: Array, rng: Rng) -> None:
    """Changes tone and change of N patches in place; `radii_px`: each class's radius."""
    n = len(views)
    # Less or more contrast to what lies below; what is dark or red stays so.
    coloured = np.isin(kinds, (2, 3, 4))
    least = np.where(coloured, 0.75, 0.35)
    share = np.where(rng.random(n) < 0.6, np.exp(rng.uniform(np.log(least), np.log(1.25), n)), 1.0)
    share = share.astype(np.float32)[:, None, None, None]
    change = views[:, 3:6].copy()
    views[:, 0:3] -= (1.0 - share) * change
    views[:, 3:6] = share * change
    # A light that was judged a little wrong.
    light = (rng.normal(0, 0.05, (n, 1)) + rng.normal(0, 0.02, (n, 3))).astype(np.float32)[:, :, None, None]
    known = views[:, 10:11, :1, :1]
    views[:, 0:3] += light
    views[:, 3:6] += light * known
    there = np.nonzero((kinds > 0) & (rng.random(n) < 0.7))[0]
    for i in there:
        marks = _marks(steps[i], float(radii_px[kinds[i]]), rng)[None]
        if kinds[i] == STRIKER and rng.random() < 0.5:
            marks = marks + _inlay(steps[i], float(radii_px[kinds[i]]), rng)
        views[i, 0:3] += marks
        views[i, 3:6] += marks * known[i]
    for i in np.nonzero((kinds == 0) & (rng.random(n) < 0.2))[0]:
        _something(views[i], float(known[i, 0, 0, 0]), rng)
    for i in np.nonzero(rng.random(n) < 0.5)[0]:
        _blurred(views[i], float(rng.uniform(0.3, 1.2)))
    rough = np.where(rng.random(n) < 0.5, rng.uniform(0.0, 0.06, n), 0.0).astype(np.float32)[:, None, None, None]
    noise = rng.standard_normal((n, 3, PATCH, PATCH), dtype=np.float32) * rough
    views[:, 0:3] += noise
    views[:, 3:6] += noise * known


def glared(colour: Array, rng: Rng, *, always: bool = False) -> Array:
    """The same flat picture with a lamp's mirror image where there was none; sometimes."""
    if not always and rng.random() < 0.65:
        return colour
    return lit_by(colour, mirror_image(colour.shape[0], rng))


def mirror_image(side: int, rng: Rng) -> Array:
    """What a lamp's mirror image adds to a flat picture, (side, side)."""
    # Lamps hang over the middle more often than not.
    x, y = np.clip(rng.normal(0.5, 0.22, 2), 0.05, 0.95) * side
    small = np.arange(0, side, 8, dtype=np.float32)
    wide, long = rng.uniform(15, 80), rng.uniform(15, 80) * rng.choice((1.0, 1.0, 3.0))
    glow = np.exp(-0.5 * (((small[None] - x) / wide) ** 2 + ((small[:, None] - y) / long) ** 2))
    glow *= rng.uniform(20, 150)
    if rng.random() < 0.4:
        # Stray light lies as a veil over all of it.
        glow += rng.uniform(5, 60)
    return np.asarray(cv2.resize(glow.astype(np.float32), (side, side)))


def lit_by(colour: Array, light: Array) -> Array:
    """A flat picture with white light added, as far as a camera can show it."""
    return np.asarray(cv2.add(colour, cv2.merge((light, light, light)), dtype=cv2.CV_8U))


def hidden_by(light: Array, discs_px: Array, rng: Rng) -> Array:
    """What is left of a mirror image in lacquer where matt pieces lie on it; `discs_px` (N, 3): column, row, radius."""
    cover = np.zeros(light.shape, dtype=np.uint8)
    for column, row, radius in discs_px:
        centre = round(column * 16), round(row * 16)
        cv2.circle(cover, centre, round(radius * 16), 255, -1, cv2.LINE_AA, 4)
    # Wood that is turned and waxed mirrors a little itself.
    matt = float(rng.uniform(0.4, 1.0))
    return np.asarray(light * (1.0 - matt * cover.astype(np.float32) / 255.0), dtype=np.float32)


def relit(colour: Array, rng: Rng) -> Array:
    """The same flat picture under quite another lamp than the empty board's: how bright, what colour, from where,
    through what haze, with the noise of a camera that must turn itself up; sometimes."""
    if rng.random() < 0.45:
        return colour
    side = colour.shape[0]
    few = rng.normal(0, rng.uniform(0, 0.3), (4, 4)).astype(np.float32)
    # A camera turns itself up before all is black.
    darkest = np.log(np.clip(30.0 / float(colour[::8, ::8].mean()), 0.27, 1.0))
    field = np.exp(cv2.resize(few, (side, side), interpolation=cv2.INTER_CUBIC) + np.float32(rng.uniform(darkest, 0.3)))
    lit = colour.astype(np.float32) / 255.0
    if rng.random() < 0.5:
        lit = cv2.pow(lit, rng.uniform(0.75, 1.35))
    tint = np.exp(rng.normal(0, 0.13, 3)).astype(np.float32)
    haze = rng.uniform(0, 0.22) * np.exp(rng.normal(0, 0.2, 3)) if rng.random() < 0.4 else np.zeros(3)
    lit = lit * field[:, :, None] * tint + haze.astype(np.float32)
    if rng.random() < 0.6:
        grain = rng.standard_normal(colour.shape, dtype=np.float32)
        if rng.random() < 0.6:
            sigma = float(rng.uniform(0.4, 0.9))
            grain = cv2.GaussianBlur(grain, (0, 0), sigma) * np.float32(1.0 + 2.2 * sigma)
        lit += grain * np.sqrt(np.clip(lit, 0.02, 1.0)) * np.float32(rng.uniform(0.0, 0.06))
    return np.asarray(np.clip(lit * 255.0, 0, 255), dtype=np.uint8)


def less_clear(view: Array, rng: Rng) -> None:
    """Changes a whole board's view (7, h, w) in place: contrast to the empty board, focus, noise."""
    if rng.random() < 0.6:
        share = np.float32(np.exp(rng.uniform(np.log(0.4), np.log(1.25))))
        view[3:6] -= (1 - share) * view[0:3]
        view[0:3] *= share
    if rng.random() < 0.4:
        sigma = float(rng.uniform(0.3, 0.9))
        for channel in range(6):
            view[channel] = cv2.GaussianBlur(view[channel], (0, 0), sigma)
    if rng.random() < 0.5:
        noise = rng.standard_normal((3, *view.shape[1:]), dtype=np.float32) * np.float32(rng.uniform(0.0, 0.05))
        view[0:3] += noise * view[6]
        view[3:6] += noise


def _marks(step: Array, radius: float, rng: Rng) -> Array:
    """What light makes of a turned piece `step` px along and across from the middle, (PATCH, PATCH): rings, a rosette,
    a rim lit from one side, a lamp's spot, a shadow, the dark seam where it stands on the board."""
    x, y = _COLUMNS - np.float32(step[0]), _ROWS - np.float32(step[1])
    r = np.sqrt(x * x + y * y) / np.float32(radius)
    face = np.zeros_like(r)
    for _ in range(int(rng.integers(0, 5))):
        at, width = float(rng.uniform(0.0, 0.95)), float(rng.uniform(0.04, 0.16))
        face += np.float32(rng.normal(0, 0.1)) * np.exp(-(((r - at) / width) ** 2))
    if rng.random() < 0.3:
        turn = np.cos(np.arctan2(y, x) * int(rng.integers(4, 13)) + rng.uniform(0, 6.3))
        face += np.float32(rng.normal(0, 0.12)) * turn * np.exp(-(((r - rng.uniform(0.3, 0.8)) / 0.2) ** 2))
    face += np.float32(rng.normal(0, 0.12)) * np.clip((r - 0.82) / 0.15, 0, 1)
    if rng.random() < 0.5:
        band = np.exp(-(((r - rng.uniform(0.7, 1.0)) / rng.uniform(0.06, 0.25)) ** 2))
        turn = np.cos(np.arctan2(y, x) - rng.uniform(0, 6.3))
        lit = np.clip(turn, 0, 1) ** rng.uniform(1.0, 4.0) if rng.random() < 0.5 else turn
        face += np.float32(rng.normal(0, 0.3)) * band * lit
    if rng.random() < 0.3:
        turn, far, wide = rng.uniform(0, 6.3), rng.uniform(0, 0.6) * radius, rng.uniform(0.08, 0.4) * radius
        gap2 = (x - np.float32(far * np.cos(turn))) ** 2 + (y - np.float32(far * np.sin(turn))) ** 2
        face += np.float32(rng.uniform(0.1, 1.0)) * np.exp(gap2 * np.float32(-0.5 / wide**2))
    if rng.random() < 0.4:
        # A broad lamp's mirror image lies over half of a polished face.
        turn = rng.uniform(0, 6.3)
        face += np.float32(rng.normal(0, 0.2) / radius) * (x * np.float32(np.cos(turn)) + y * np.float32(np.sin(turn)))
    inside = np.clip((1.0 - r) * radius + 0.5, 0, 1)
    marks = face * inside
    if rng.random() < 0.3:
        marks += _from_the_side(x, y, r, radius, inside, rng)
    elif rng.random() < 0.5:
        turn, far, soft = rng.uniform(0, 6.3), rng.uniform(0, 7), rng.uniform(1.0, 4.0)
        dx, dy = x - np.float32(far * np.cos(turn)), y - np.float32(far * np.sin(turn))
        shade = np.clip((radius + 1.0 - np.sqrt(dx * dx + dy * dy)) / soft + 0.5, 0, 1)
        marks -= np.float32(rng.uniform(0.05, 0.5)) * shade * (1 - inside)
    if rng.random() < 0.4:
        seam = np.exp(np.clip((1.0 - r) * radius, -40, 0) / np.float32(rng.uniform(0.6, 2.5)))
        marks -= np.float32(rng.uniform(0.05, 0.5)) * seam * (1 - inside)
    return np.asarray(marks, dtype=np.float32)


def _from_the_side(x: Array, y: Array, r: Array, radius: float, inside: Array, rng: Rng) -> Array:
    """A lamp low at one side: the rim bright towards it and dark away from it, and there the shadow it throws."""
    turn = rng.uniform(0, 6.3)
    towards = np.cos(np.arctan2(y, x) - np.float32(turn))
    band = np.exp(-(((r - 0.93) / rng.uniform(0.05, 0.15)) ** 2))
    bright, dark = np.clip(towards, 0, 1) * rng.uniform(0.1, 0.7), np.clip(-towards, 0, 1) * rng.uniform(0, 0.5)
    far, soft = rng.uniform(1.0, 7.0), rng.uniform(0.7, 3.5)
    dx, dy = x + np.float32(far * np.cos(turn)), y + np.float32(far * np.sin(turn))
    shade = np.clip((radius - np.sqrt(dx * dx + dy * dy)) / soft + 0.5, 0, 1)
    return np.asarray((bright - dark) * band * inside - rng.uniform(0.15, 0.7) * shade * (1 - inside), np.float32)


def _inlay(step: Array, radius: float, rng: Rng) -> Array:
    """What strikers are adorned with: coloured dashes in a ring, a star, rings, in one ink, (3, PATCH, PATCH)."""
    x, y = _COLUMNS - np.float32(step[0]), _ROWS - np.float32(step[1])
    r = np.sqrt(x * x + y * y) / np.float32(radius)
    angle = np.arctan2(y, x) + np.float32(rng.uniform(0, 6.3))
    inked = np.zeros_like(r)
    if rng.random() < 0.6:
        inner, wide, many = rng.uniform(0.3, 0.85), rng.uniform(0.06, 0.3), int(rng.integers(5, 20))
        band = np.clip((wide / 2 - np.abs(r - inner)) * radius + 0.5, 0, 1)
        inked = np.maximum(inked, band * np.clip(np.cos(angle * many) * 3 + rng.uniform(-1, 2), 0, 1))
    if rng.random() < 0.4:
        points, long = int(rng.integers(4, 9)), rng.uniform(0.25, 0.9)
        tip = long * (0.4 + 0.6 * np.abs(np.cos(angle * points / 2)) ** rng.uniform(1, 6))
        inked = np.maximum(inked, np.clip((tip - r) * radius + 0.5, 0, 1))
    if rng.random() < 0.4:
        at, wide = rng.uniform(0.1, 0.95), rng.uniform(0.03, 0.12)
        inked = np.maximum(inked, np.clip((wide / 2 - np.abs(r - at)) * radius + 0.5, 0, 1))
    ink = (rng.uniform(-1.8, 0.2) + rng.normal(0, 0.35, 3)).astype(np.float32)[:, None, None]
    return np.asarray(ink * (inked * (r < 1.0))[None], dtype=np.float32)


def _something(view: Array, known: float, rng: Rng) -> None:
    """Lays something over a patch that is no piece: a phone, a sleeve, a leaf, a card with an edge or a corner."""
    corners = rng.uniform(-0.5 * PATCH, 1.5 * PATCH, (int(rng.integers(3, 6)), 2))
    middle = corners.mean(0)
    order = np.argsort(np.arctan2(*(corners - middle).T))
    mask = np.zeros((PATCH, PATCH), dtype=np.uint8)
    cv2.fillPoly(mask, [np.round(corners[order] * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    share = mask.astype(np.float32) / 255.0
    tone = (rng.uniform(-1.8, 0.5) + rng.normal(0, 0.3, 3)).astype(np.float32)[:, None, None]
    slope = np.float32(rng.normal(0, 0.01)) * _COLUMNS + np.float32(rng.normal(0, 0.01)) * _ROWS
    step = (tone + slope - view[0:3]) * share
    view[0:3] += step
    view[3:6] += step * known


def _blurred(view: Array, sigma: float) -> None:
    for channel in range(6):
        view[channel] = cv2.GaussianBlur(view[channel], (0, 0), sigma)
