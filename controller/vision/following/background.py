"""Background models of the small picture: what differs now, since when all is still, whether the lamp flickers.

Four backgrounds in the small picture: the scene as it lies (with its pieces, and as the tracker goes on to learn it),
the scene at the last rest, the bare board as far as it is known, and how much each pixel flickers by itself. Must not
know tracks or pieces' names.
"""

from __future__ import annotations

from collections import deque

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.vision.following.view import AROUND
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

_FOLLOW = 0.05
_SHOWN_ONCE = 6.0
_STEADY = 4.0
_LIGHT_PX = 61
"""Over so many pixels the light is taken for even when a bare board shown once is put into today's."""


class Background:
    """The still scene, the bare board below it, and the thresholds."""

    def __init__(self, first: Image, surface: Image, empty: Image | None = None) -> None:
        """`empty`: a small picture of the bare board, taken once; without it what pieces cover is guessed."""
        self.scene: Image = first.copy()
        self.rested: Image = self.scene
        self._slow: NDArray[np.float32] = first.astype(np.float32)
        self._surface = surface
        self._empty = empty
        self.bare: Image = first.copy()
        self.bare_known: Image = np.zeros_like(first)
        self._sure: Image = self.bare
        self.sure_known: Image = self.bare_known
        self._edges: Image = _edge_noise(first)
        self._bare_edges: Image = self._edges.copy()
        self._noise: Image = np.zeros_like(first)
        self.limit: Image = first
        self._set_limit()
        self._probe = np.flatnonzero(surface.ravel())[::97]

    def _set_limit(self) -> None:
        self.limit = _limit(cv2.max(self._noise, self._edges))

    def level(self, small: Image) -> Image:
        """Takes out a lamp's flicker: the picture with the background's brightness.

        Under a rolling shutter the mains' ripple runs over the picture in bands, so each band of rows has its own.
        """
        now = small[:: BAND_ROWS // 2, ::BAND_STEP].astype(np.int16)
        was = self.scene[:: BAND_ROWS // 2, ::BAND_STEP]
        bands = len(now) // 2
        off = _middle((now[: 2 * bands] - was[: 2 * bands]).reshape(bands, -1))
        if float(np.abs(off).max()) < 1.0:
            return small
        mean = np.maximum(_middle(now[: 2 * bands].reshape(bands, -1)), 4.0)
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
        closed: Image = cv2.morphologyEx(above, cv2.MORPH_CLOSE, AROUND)
        return closed

    def rest(self, small: Image, covered: Image) -> None:
        """Takes the whole picture as the new still scene; `covered` marks where the bare board is not to be seen."""
        self.scene = small.copy()
        self.rested = self.scene
        self._slow = small.astype(np.float32)
        seen = cv2.bitwise_not(covered)
        if self._empty is not None:
            # Something that was not found may lie there: only what looks as when the board was shown empty is bare.
            lit = _in_todays_light(self._empty, small, seen, self._surface)
            alike = cv2.compare(cv2.absdiff(small, lit), cv2.add(self.limit, _SHOWN_ONCE), cv2.CMP_LE)
            seen = cv2.bitwise_and(seen, alike)
        # What was learnt in motion may have been a piece that stopped there; what lies open at rest is bare.
        self.bare = self._sure.copy()
        cv2.copyTo(small, seen, self.bare)
        self.bare_known = cv2.bitwise_or(self.sure_known, seen)
        if self._empty is not None:
            hidden = cv2.bitwise_not(self.bare_known)
            if cv2.countNonZero(hidden):
                cv2.copyTo(_in_todays_light(self._empty, self.bare, self.bare_known, self._surface), hidden, self.bare)
        self._sure, self.sure_known = self.bare.copy(), self.bare_known.copy()
        # A rim that has gone leaves no flicker behind: what was learnt beside it holds only where it still is.
        self._edges, self._bare_edges = _edge_noise(small), _edge_noise(self.bare)
        self._noise = cv2.min(self._noise, cv2.add(self._edges, _STEADY))
        self._set_limit()

    def not_bare(self, small: Image) -> Image:
        """Where something lies on the bare board, as far as that is known or was shown once: 255 there, else 0."""
        limit = _limit(self._bare_edges)
        off: Image = cv2.compare(cv2.absdiff(small, self._sure), limit, cv2.CMP_GT)
        if self._empty is None:
            anything: Image = cv2.bitwise_or(off, cv2.bitwise_not(self.sure_known))
            return anything
        # What was only shown once, and in another light, must differ by more.
        guessed = cv2.compare(cv2.absdiff(small, self._sure), cv2.add(limit, _SHOWN_ONCE), cv2.CMP_GT)
        cv2.copyTo(guessed, cv2.bitwise_not(self.sure_known), off)
        return off

    @property
    def bare_is_sure(self) -> bool:
        """Whether the board was shown empty, so that a piece that was missed is not taken for bare board."""
        return self._empty is not None

    def moved_since_rest(self, small: Image) -> Image:
        """Where the picture differs from the last rest: 255 there, else 0."""
        moved: Image = cv2.compare(cv2.absdiff(small, self.rested), self.limit, cv2.CMP_GT)
        return moved

    def watch(self, small: Image, difference: Image, *, whole: bool) -> None:
        """Learns from a picture in which nothing moves: slow light and, with `whole`, each pixel's flicker."""
        cv2.accumulateWeighted(small, self._slow, _FOLLOW)
        self.scene = self.rested = cv2.convertScaleAbs(self._slow)
        if whole:
            self._noise = cv2.max(difference, cv2.convertScaleAbs(self._noise, alpha=0.995))
            self._set_limit()

    def take(self, small: Image, box: tuple[int, int, int, int], mask: Image) -> None:
        """Takes over the picture inside `mask`, which covers `box` (left, top, right, bottom)."""
        left, top, right, bottom = box
        self._put(small[top:bottom, left:right], box, mask)

    def _put(self, part: Image, box: tuple[int, int, int, int], mask: Image) -> None:
        left, top, right, bottom = box
        if self.scene is self.rested:
            self.scene = self.scene.copy()
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
            fill[hidden] = bare[hidden] if self._empty is not None else np.median(around)
        self._put(fill, box, mask)
        cv2.copyTo(self._bare_edges[top:bottom, left:right], mask, self._edges[top:bottom, left:right])
        self._noise[top:bottom, left:right][mask > 0] = 0
        self._set_limit()
        return guessed * 10 < int((mask > 0).sum())

    def learn_bare(self, small: Image, box: tuple[int, int, int, int], mask: Image) -> None:
        """Takes over what lies open inside `mask` as bare board and as still scene."""
        left, top, right, bottom = box
        cv2.copyTo(small[top:bottom, left:right], mask, self.bare[top:bottom, left:right])
        self.bare_known[top:bottom, left:right] |= mask
        self.take(small, box, mask)


def _edge_noise(picture: Image) -> Image:
    """By how much each pixel flickers because it lies on an edge, before anything was learnt."""
    slope = np.abs(cv2.Sobel(picture, cv2.CV_32F, 1, 0)) + np.abs(cv2.Sobel(picture, cv2.CV_32F, 0, 1))
    noise: Image = np.clip(slope * _EDGE_SHARE, 0, 60).astype(np.uint8)
    return noise


def _limit(noise: Image) -> Image:
    limit: Image = cv2.convertScaleAbs(cv2.dilate(noise, AROUND), alpha=NOISE_FACTOR, beta=LEAST_CHANGE)
    return limit


def _middle(values: NDArray[np.int16]) -> NDArray[np.int16]:
    """The median of each row (the upper one of two), without the care that a general one takes."""
    half = values.shape[1] // 2
    middle: NDArray[np.int16] = np.partition(values, half, axis=1)[:, half]
    return middle


def _in_todays_light(empty: Image, bare: Image, known: Image, surface: Image) -> Image:
    """The empty board as bright as the bare board around: `bare` where it is `known` on the `surface`."""
    seen = cv2.bitwise_and(known, surface)
    size = (_LIGHT_PX, _LIGHT_PX)
    now = cv2.boxFilter(cv2.bitwise_and(bare, seen), cv2.CV_32F, size)
    then = cv2.boxFilter(cv2.bitwise_and(empty, seen), cv2.CV_32F, size)
    gain = cv2.min(cv2.max(cv2.divide(now, then), 0.3), 3.0)
    gain[then <= 1.0] = 1.0
    lit: Image = cv2.min(cv2.multiply(empty, gain, dtype=cv2.CV_32F), 255.0).astype(np.uint8)
    return lit


SWINGS, WITHIN_NS = 5, 3_000_000_000
"""So many changes of direction in so short a time are a lamp's: one who leans over the board and back makes two."""

STEP = 16
"""Of the small picture each so-manieth pixel both ways is enough for how bright it is."""


class LampWatch:
    """Follows how bright the levelled pictures are, each with its time in ns."""

    def __init__(self) -> None:
        self._turned_ns: deque[int] = deque(maxlen=SWINGS)
        self._extreme = 0.0
        self._rises = True

    def take(self, small: Image, t_ns: int) -> None:
        """Takes the next small picture (h, w)."""
        level = float(np.median(small[::STEP, ::STEP]))
        further = level >= self._extreme if self._rises else level <= self._extreme
        if further:
            self._extreme = level
        elif abs(level - self._extreme) > FLICKER_MOST * max(level, self._extreme):
            self._turned_ns.append(t_ns)
            self._extreme, self._rises = level, not self._rises

    def flickers(self, t_ns: int) -> bool:
        """Whether it has flickered up to a time."""
        return len(self._turned_ns) == SWINGS and t_ns - self._turned_ns[0] < WITHIN_NS


class MotionGate:
    """Since when a picture, hands left out, has not changed; and since when not even the hands moved.

    `small`, `hands`: the first picture and its mask of hands.
    """

    def __init__(self, small: Image, hands: Image, t_ns: int) -> None:
        self._still, self._whole, self._hands = small.copy(), small.copy(), hands
        self.since_ns = self.whole_since_ns = t_ns

    def update(self, small: Image, hands: Image, limit: Image, board: Image, t_ns: int) -> int:
        """Takes the next small picture; returns since when everything but the hands is still."""
        if hands is not self._hands:
            # Where a hand has gone, what lies there now is what must stay.
            cv2.copyTo(small, cv2.bitwise_and(self._hands, cv2.bitwise_not(hands)), self._still)
            self._hands = hands
        if _moved(small, self._whole, limit, board):
            self._whole, self.whole_since_ns = small.copy(), t_ns
            if _moved(small, self._still, limit, cv2.bitwise_and(board, cv2.bitwise_not(hands))):
                self._still, self.since_ns = small.copy(), t_ns
        return self.since_ns


def _moved(small: Image, still: Image, limit: Image, where: Image) -> bool:
    moved = cv2.bitwise_and(cv2.compare(cv2.absdiff(small, still), limit, cv2.CMP_GT), where)
    return cv2.countNonZero(moved) >= 4 and cv2.countNonZero(cv2.erode(moved, AROUND)) > 0
