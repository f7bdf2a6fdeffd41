"""Today's light as lamps and shade can make it: what no light explains of a picture is left over.

A lamp's colour changes over a board only slowly, shade takes light away in all colours alike, and a lamp's mirror image
in the polish adds white. A hand has a hue of its own; where it covers a wide place, that is all that is seen of the
surface. Must not know pieces.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from calibration.camera import Floats
from controller.vision.finding.flat import Empty, Floats32
from controller.vision.finding.tones import apart_from_white, linear, logarithms_of

SCALES = (0.36, 0.36, 0.18, 0.18, 0.12, 0.12)
"""Logarithms, one a turn: what strays by more from the lamp's light as found so far counts little. The first are wide
enough to find it from the median, with a hand and its shadow over a third of the board; the last is wider than grain
and noise, and narrower than a hand's difference from wood."""
PALE = 0.02
"""Square of the share of its brightness below which wood has too little colour to say how much white is added."""
LEAST_OWN = 0.3
"""The share of its own light that wood under a mirror image shows at least: a mirror image takes none away."""
LEAST_LIGHT = 1e-4
"""Of linear light, 0 to 1: what is as dark as that is taken to be as bright, so that a share of it can be named."""


def lamplight(empty: Empty, surface: Floats32) -> Floats32:
    """What light makes of each cell of the empty board at most, against what that showed: (n, n, 3) logarithms.

    As bright as `surface`, the bare wood under today's light as from `views.surface_log`, but in the hue of the light
    all over the board, or paler. It is reckoned with each cell's own colour: the same white changes a dark one more.
    """
    lamp = _all_over(surface - empty.wood_log)
    share, veil = _shade_and_veil(linear(lamp + empty.wood_log), linear(surface))
    seen = logarithms_of(share * linear(lamp + empty.cells_log) + veil)
    return np.asarray(seen - empty.cells_log, dtype=np.float32)


def _shade_and_veil(own: Floats, seen: Floats) -> tuple[Floats, Floats]:
    """The share of a light of its `own`, (n, n, 3), that a surface shows, and the white added, (n, n, 1) each."""
    hue, bright, seen_bright = apart_from_white(own), own.mean(2, keepdims=True), seen.mean(2, keepdims=True)
    pale = PALE * np.maximum(bright, LEAST_LIGHT) ** 2
    share = ((apart_from_white(seen) * hue).sum(2, keepdims=True) + pale) / ((hue**2).sum(2, keepdims=True) + pale)
    share = np.maximum(share, LEAST_OWN)
    veil = seen_bright - share * bright
    veiled = (seen_bright > bright) & (veil > 0.0)
    return np.where(veiled, share, seen_bright / np.maximum(bright, LEAST_LIGHT)), np.where(veiled, veil, 0.0)


def _all_over(light: Floats32) -> Floats32:
    """The quadratic in column and row, (n, n, 3), that most of a light (n, n, 3) follows."""
    n = light.shape[0]
    terms = _terms(n)
    some, seen = terms[1::2, 1::2].reshape(-1, terms.shape[2]), light[1::2, 1::2].reshape(-1, 3).astype(np.float64)
    factors, fit = np.zeros((terms.shape[2], 3)), np.median(seen, 0)
    for scale in SCALES:
        weight = 1.0 / (1.0 + (np.abs(seen - fit).mean(1) / scale) ** 4)
        weighted = some * weight[:, None]
        factors = np.linalg.solve(weighted.T @ some, weighted.T @ seen)
        fit = some @ factors
    return np.asarray((terms.reshape(-1, len(factors)) @ factors).reshape(n, n, 3), dtype=np.float32)


@cache
def _terms(n: int) -> Floats:
    """The six terms of a quadratic, (n, n, 6)."""
    x, y = np.meshgrid(*[np.linspace(-1.0, 1.0, n)] * 2)
    return np.stack((np.ones_like(x), x, y, x * x, x * y, y * y), 2)


__all__ = ["lamplight"]
