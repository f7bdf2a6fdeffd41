"""Disc masks in the small picture: how a piece shows, where one is found, what covers the bare board.

Places and lengths in mm, masks in px of the small picture. Must not know tracks or time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, hypot

import cv2
import numpy as np

from controller.events.observation import SeenPiece
from controller.vision.finding.find import Finding
from controller.vision.following.hands import Hands
from controller.vision.following.view import View
from controller.vision.sources.frame import Image

Box = tuple[int, int, int, int]

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


class DiscMasks:
    """Discs as one camera's small picture shows them."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._kernels: dict[tuple[float, ...], Image] = {}

    def disc(self, at: tuple[float, float], radius_mm: float) -> tuple[Box, Image]:
        """A disc's mask and the box it covers: left, top, right, bottom."""
        u, v = self._view.px(*at)
        radius = self._view.radius_px(radius_mm)
        width, height = self._view.size
        left, top = max(0, int(u - radius) - 1), max(0, int(v - radius) - 1)
        right, bottom = min(width, ceil(u + radius) + 2), min(height, ceil(v + radius) + 2)
        mask = np.zeros((max(1, bottom - top), max(1, right - left)), np.uint8)
        _draw(mask, u - left, v - top, radius)
        return (left, top, left + mask.shape[1], top + mask.shape[0]), mask

    def clear_disc(self, mask: Image, box: Box, at: tuple[float, float], radius_mm: float) -> None:
        """Takes another disc out of a mask that covers `box`."""
        u, v = self._view.px(*at)
        _draw(mask, u - box[0], v - box[1], self._view.radius_px(radius_mm), 0)

    def kernel(self, radius: float, du: float, dv: float) -> tuple[Image, int]:
        """The outline of a piece as it smears during the exposure, to a quarter of a pixel, and half its side."""
        key = radius, du, dv = tuple(round(4.0 * length) / 4.0 for length in (radius, du, dv))
        kernel = self._kernels.get(key)
        if kernel is None:
            half = ceil(radius + hypot(du, dv) / 2.0)
            kernel = np.zeros((2 * half + 1, 2 * half + 1), np.uint8)
            first, last = ((half + s * du / 2.0, half + s * dv / 2.0) for s in (-1.0, 1.0))
            cv2.line(kernel, _fine(*first), _fine(*last), 255, max(1, round(2.0 * radius) - 1), cv2.LINE_8, _BITS)
            _draw(kernel, *first, radius)
            _draw(kernel, *last, radius)
            if len(self._kernels) > 400:
                self._kernels.clear()
            self._kernels[key] = kernel
        return kernel, kernel.shape[0] // 2

    def share(self, image: Image, at: tuple[float, float], radius_mm: float, inner_mm: float | None = None) -> float:
        """The share of a disc, or of a ring outside `inner_mm`, that is set in a mask."""
        kernel, half = self.kernel(self._view.radius_px(radius_mm), 0.0, 0.0)
        if inner_mm is not None:
            kernel = kernel.copy()
            cv2.circle(kernel, (half, half), round(self._view.radius_px(inner_mm)), 0, -1)
        rows, columns, cut = _under(image, kernel, *self._view.px(*at))
        whole = cv2.countNonZero(cut) if cut.size else 0
        return cv2.countNonZero(cv2.bitwise_and(image[rows, columns], cut)) / whole if whole else 0.0

    def tone(self, small: Image, at: tuple[float, float], radius_mm: float) -> float:
        """Mean brightness of a disc."""
        (left, top, right, bottom), mask = self.disc(at, radius_mm)
        part = small[top:bottom, left:right]
        return float(cv2.mean(part, mask)[0]) if part.shape == mask.shape else 0.0

    def seek(
        self, seen: Seen, at_mm: tuple[float, float], radius_mm: float, speed: tuple[float, float]
    ) -> tuple[float, float] | None:
        """Finds a piece near a place: its outline, blurred by its motion, is slid to the middle of the change under it.

        Returns its place in mm; None where too little has changed. `speed`: in mm/s.
        """
        u, v = self._view.px(*at_mm)
        radius = self._view.radius_px(radius_mm) + 1.0
        s = seen.exposure_ns / 1e9
        du = dv = 0.0
        if s and (speed[0] or speed[1]):
            u1, v1 = self._view.px(at_mm[0] + speed[0] * s, at_mm[1] + speed[1] * s)
            du, dv = u1 - u, v1 - v
        kernel, _ = self.kernel(radius, du, dv)
        for _ in range(6):
            rows, columns, cut = _under(seen.weight, kernel, u, v)
            if min(cut.shape) < 3:
                return None
            sums = cv2.moments(cv2.bitwise_and(seen.weight[rows, columns], cut))
            if sums["m00"] < 1.0:
                return None
            nu, nv = columns.start + sums["m10"] / sums["m00"], rows.start + sums["m01"] / sums["m00"]
            step = hypot(nu - u, nv - v)
            u, v = nu, nv
            if step < 0.4:
                break
        whole = cv2.countNonZero(kernel)
        share = cv2.countNonZero(cv2.bitwise_and(seen.changed[rows, columns], cut)) / max(1, whole)
        return self._view.mm(u, v) if share >= FOUND_SHARE else None


SATURATED = 252
"""As bright as a camera says, less what JPEG takes off."""


def saturated_share(small: Image, view: View) -> float:
    """The share of the playing surface that is as bright as the camera can say."""
    white = cv2.bitwise_and(cv2.compare(small, SATURATED, cv2.CMP_GE), view.surface)
    return float(cv2.countNonZero(white) / max(1, cv2.countNonZero(view.surface)))


def covered_by(sight: Finding, hands: Hands, view: View, radius_mm: Callable[[SeenPiece], float]) -> Image:
    """Where the bare board is not to be seen: a mask of pieces with their shadows' rims, hands and all hidden parts."""
    covered = hands.mask.copy()
    for piece in sight.pieces:
        _fill(covered, piece, view, radius_mm(piece) + 5.0)
    for polygon in (*sight.hidden, *(hand.outline for hand in sight.hands)):
        if len(polygon) >= 3:
            cv2.fillPoly(covered, [view.outline_px(np.array(polygon, np.float64), 0.0)], 255)
    return covered


def without_hands(
    small: Image,
    scene: Image,
    hands: Hands,
    pieces: Sequence[SeenPiece],
    view: View,
    radius_mm: Callable[[SeenPiece], float],
) -> Image:
    """The scene as it lies: where hands are as it was before, but with the pieces seen beside or between fingers."""
    if not hands.any:
        return small
    still = small.copy()
    cv2.copyTo(scene, hands.mask, still)
    for piece in pieces:
        mask = np.zeros_like(still)
        _fill(mask, piece, view, radius_mm(piece) + 1.0)
        cv2.copyTo(small, mask, still)
    return still


def same_there(
    before: Image, now: Image, limit: Image, view: View, at_mm: tuple[float, float], reach_mm: float
) -> bool:
    """Whether two small pictures show the same around a place. `limit`: what counts as change, per pixel."""
    u, v = view.px(*at_mm)
    half = round(view.radius_px(reach_mm)) + 1
    rows = slice(max(0, round(v) - half), round(v) + half + 1)
    columns = slice(max(0, round(u) - half), round(u) + half + 1)
    a, b, most = before[rows, columns], now[rows, columns], limit[rows, columns]
    if not a.size:
        return False
    moved = cv2.compare(cv2.absdiff(a, b), most, cv2.CMP_GT)
    return cv2.countNonZero(moved) * 12 < a.size


def _fill(mask: Image, piece: SeenPiece, view: View, radius_mm: float) -> None:
    _draw(mask, *view.px(*piece.at), view.radius_px(radius_mm))


_BITS = 4
"""OpenCV draws as fine as a sixteenth of a pixel."""


def _fine(u: float, v: float) -> tuple[int, int]:
    return round(u * 2**_BITS), round(v * 2**_BITS)


def _draw(mask: Image, u: float, v: float, radius_px: float, value: int = 255) -> None:
    """Fills a disc."""
    cv2.circle(mask, _fine(u, v), round(radius_px * 2**_BITS), value, -1, cv2.LINE_8, _BITS)


def _under(image: Image, kernel: Image, u: float, v: float) -> tuple[slice, slice, Image]:
    """The rows and columns of a picture that a kernel covers with its middle at a place, and that part of the kernel;
    empty where they do not meet."""
    half, i, j = kernel.shape[0] // 2, round(u), round(v)
    height, width = image.shape
    left, right = max(0, i - half), max(0, min(width, i + half + 1))
    top, bottom = max(0, j - half), max(0, min(height, j + half + 1))
    cut = kernel[max(0, top - j + half) : max(0, bottom - j + half), max(0, left - i + half) : max(0, right - i + half)]
    return slice(top, bottom), slice(left, right), cut
