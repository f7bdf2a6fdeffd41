"""Searches for a piece in one small picture: its outline, blurred by its motion, is shifted to the change under it.

Must not know tracks.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot

import cv2

from controller.vision.following.disc_masks import DiscMasks
from controller.vision.following.view import View
from controller.vision.sources.frame import Image

FOUND_SHARE = 0.18
"""A piece is found where at least this share of its outline's area has changed."""


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """One small picture: how much has changed (`weight`), where (`changed`); what is claimed is struck out of both."""

    small: Image
    weight: Image
    changed: Image
    hands: Image
    t_ns: int
    exposure_ns: int


class LocalSearch:
    """Seeks in the small pictures of one camera."""

    def __init__(self, view: View, stencils: DiscMasks) -> None:
        self._view = view
        self._disc_masks = stencils

    def seek(
        self, seen: Seen, at_mm: tuple[float, float], radius_mm: float, speed: tuple[float, float]
    ) -> tuple[float, float] | None:
        """Slides the piece's outline to the middle of the change under it; None where there is too little."""
        u, v = self._view.px(*at_mm)
        radius = self._view.radius_px(radius_mm) + 1.0
        s = seen.exposure_ns / 1e9
        du = dv = 0.0
        if s and (speed[0] or speed[1]):
            u1, v1 = self._view.px(at_mm[0] + speed[0] * s, at_mm[1] + speed[1] * s)
            du, dv = u1 - u, v1 - v
        kernel, half = self._disc_masks.kernel(radius, du, dv)
        height, width = seen.weight.shape
        for _ in range(6):
            i, j = round(u), round(v)
            left, top = max(0, i - half), max(0, j - half)
            right, bottom = min(width, i + half + 1), min(height, j + half + 1)
            if right - left < 3 or bottom - top < 3:
                return None
            cut = kernel[top - j + half : bottom - j + half, left - i + half : right - i + half]
            sums = cv2.moments(cv2.bitwise_and(seen.weight[top:bottom, left:right], cut))
            if sums["m00"] < 1.0:
                return None
            nu, nv = left + sums["m10"] / sums["m00"], top + sums["m01"] / sums["m00"]
            step = hypot(nu - u, nv - v)
            u, v = nu, nv
            if step < 0.4:
                break
        whole = cv2.countNonZero(kernel)
        share = cv2.countNonZero(cv2.bitwise_and(seen.changed[top:bottom, left:right], cut)) / max(1, whole)
        return self._view.mm(u, v) if share >= FOUND_SHARE else None
