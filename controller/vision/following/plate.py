"""What the scene looks like when nothing moves, and what differs from it now.

Three plates in the small picture: the scene as it lies (with its pieces), the bare board as far as it has been seen,
and how much each pixel flickers by itself. Must not know tracks, time or pieces' names.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.vision.sources.frame import Image

LEAST_CHANGE = 4.0
"""Grey levels below which nothing counts as change, on the smoothed small picture."""

NOISE_FACTOR = 1.7
_EDGE_SHARE = 0.05
"""A pixel on an edge flickers by this share of the edge's slope before anything was learnt."""

BAND_ROWS = 12
BAND_STEP = 5
FLICKER_MOST = 0.15
"""A lamp's ripple is no deeper than this share of the light."""

_KERNEL = np.ones((3, 3), np.uint8)
_FOLLOW = 0.05


class Plate:
    """The still scene, the bare board below it, and the thresholds."""

    def __init__(self, first: Image, surface: Image) -> None:
        self.scene: Image = first.copy()
        self._slow: NDArray[np.float32] = first.astype(np.float32)
        self._surface = surface
        self.bare: Image = first.copy()
        self.bare_known: Image = np.zeros_like(first)
        slope = np.abs(cv2.Sobel(first, cv2.CV_32F, 1, 0)) + np.abs(cv2.Sobel(first, cv2.CV_32F, 0, 1))
        self._noise: Image = np.clip(slope * _EDGE_SHARE, 0, 60).astype(np.uint8)
        self.limit: Image = first
        self._set_limit()
        self._probe = np.flatnonzero(surface.ravel())[::97]
        self.gain = 0

    def _set_limit(self) -> None:
        spread = cv2.dilate(self._noise, _KERNEL)
        self.limit = cv2.convertScaleAbs(spread, alpha=NOISE_FACTOR, beta=LEAST_CHANGE)

    def level(self, small: Image) -> Image:
        """Takes out a lamp's flicker: the picture with the plate's brightness.

        Under a rolling shutter the mains' ripple runs over the picture in bands, so each band of rows has its own.
        """
        now = small[:: BAND_ROWS // 2, ::BAND_STEP].astype(np.int16)
        was = self.scene[:: BAND_ROWS // 2, ::BAND_STEP]
        bands = len(now) // 2
        off = np.median((now[: 2 * bands] - was[: 2 * bands]).reshape(bands, -1), axis=1)
        if float(np.abs(off).max()) < 1.0:
            return small
        mean = np.maximum(np.median(now[: 2 * bands].reshape(bands, -1), axis=1), 4.0)
        # More than a lamp can do is a hand that covers most of a band: its neighbours say how bright it is there.
        lamp = np.abs(off) < FLICKER_MOST * mean
        if not lamp.any():
            return small
        middles = (np.arange(bands) + 0.5) * BAND_ROWS
        gains = np.interp(np.arange(small.shape[0]), middles[lamp], (1.0 - off / mean)[lamp])
        if float(np.ptp(gains)) < 0.006:
            levelled: Image = cv2.convertScaleAbs(small, alpha=float(gains.mean()))
            return levelled
        column = gains.astype(np.float32)[:, None]
        banded: Image = cv2.multiply(small, np.repeat(column, small.shape[1], axis=1), dtype=cv2.CV_8U)
        return banded

    def difference(self, small: Image) -> Image:
        """How far each pixel is from the still scene."""
        difference: Image = cv2.absdiff(small, self.scene)
        return difference

    def changed(self, difference: Image) -> Image:
        """Where a difference is more than flicker, small gaps closed: 255 there, else 0."""
        above = cv2.compare(difference, self.limit, cv2.CMP_GT)
        closed: Image = cv2.morphologyEx(above, cv2.MORPH_CLOSE, _KERNEL)
        return closed

    def rest(self, small: Image, covered: Image) -> None:
        """Takes the whole picture as the new still scene; `covered` marks where the bare board is not to be seen."""
        self.scene = small.copy()
        self._slow = small.astype(np.float32)
        seen = cv2.bitwise_not(covered)
        cv2.copyTo(small, seen, self.bare)
        self.bare_known = cv2.bitwise_or(self.bare_known, seen)

    def watch(self, small: Image, difference: Image, *, whole: bool) -> None:
        """Learns from a picture in which nothing moves: slow light and, with `whole`, each pixel's flicker."""
        cv2.accumulateWeighted(small, self._slow, _FOLLOW)
        self.scene = cv2.convertScaleAbs(self._slow)
        if whole:
            self._noise = cv2.max(difference, cv2.convertScaleAbs(self._noise, alpha=0.995))
            self._set_limit()

    def take(self, small: Image, box: tuple[int, int, int, int], mask: Image) -> None:
        """Takes over the picture inside `mask`, which covers `box` (left, top, right, bottom)."""
        left, top, right, bottom = box
        part = small[top:bottom, left:right]
        cv2.copyTo(part, mask, self.scene[top:bottom, left:right])
        self._slow[top:bottom, left:right][mask > 0] = part[mask > 0]

    def uncover(self, box: tuple[int, int, int, int], mask: Image) -> bool:
        """Puts the bare board in place of a piece; guesses it from around where it was never seen.

        Returns True if the bare board was known there.
        """
        left, top, right, bottom = box
        known = self.bare_known[top:bottom, left:right]
        bare = self.bare[top:bottom, left:right]
        hidden = (mask > 0) & (known == 0)
        fill = bare.copy()
        guessed = int(hidden.sum())
        if guessed:
            around = bare[(known > 0) & (mask == 0)]
            if around.size < 8:
                around = self.bare.ravel()[self._probe]
            fill[hidden] = np.median(around)
        cv2.copyTo(fill, mask, self.scene[top:bottom, left:right])
        self._slow[top:bottom, left:right][mask > 0] = fill[mask > 0]
        return guessed * 10 < int((mask > 0).sum())

    def learn_bare(self, small: Image, box: tuple[int, int, int, int], mask: Image) -> None:
        """Takes over what lies open inside `mask` as bare board and as still scene."""
        left, top, right, bottom = box
        part = small[top:bottom, left:right]
        cv2.copyTo(part, mask, self.bare[top:bottom, left:right])
        self.bare_known[top:bottom, left:right] |= mask
        self.take(small, box, mask)
