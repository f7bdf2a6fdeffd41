"""How fast pictures come, which never came, when each of their rows was exposed, and what is due to be published.

While following, a picture has one time; at a motion window's end each mark gets the time of the row in which the piece
stood. Times and numbers only; must not know what is on the pictures.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import replace

import numpy as np

from calibration.camera import CameraModel
from controller.events.observation import BoardSeen, Hand, HandsSeen, Observation
from controller.vision.following.tracks import PieceTrack
from controller.vision.following.view import BODY_MM
from controller.vision.sources.frame import Frame

BLIND_FACTOR = 2.5
"""A gap between pictures longer than this many usual ones is a span that nobody saw."""

_KNOWN = 5
"""Fewer gaps do not tell which is usual."""

SLOW_FACTOR = 1.5
"""Between following every picture and following every other one."""
SLOW_SAID_NS = 60_000_000_000
"""So long after the last time it is still reported: a computer is too slow in every stroke, not between strokes."""


def usual_ns(gaps: Collection[int]) -> int:
    """The median of some times between pictures; a webcam's where none are known."""
    return sorted(gaps)[len(gaps) // 2] if gaps else 33_333_333


def seen_every_ns(gaps: Collection[int]) -> int:
    """The time between pictures in half of the time that passed between them all, the longest gaps first; 0 for none.

    Left out in the rush of a stroke, pictures must not be made up for by the many of the rest after it.
    """
    passed = 0
    for gap in sorted(gaps, reverse=True):
        passed += gap
        if 2 * passed >= sum(gaps):
            return gap
    return 0


class Pace:
    """The usual time between pictures. `frames` counts those that came."""

    def __init__(self) -> None:
        self.frames = 0
        self._gaps: deque[int] = deque(maxlen=31)
        self._reached: deque[int] = deque(maxlen=31)
        self._slow_ns: int | None = None

    @property
    def frame_ns(self) -> int:
        """Usual time between pictures as the camera takes them."""
        return usual_ns(self._gaps)

    @property
    def reached_ns(self) -> int:
        """Usual time between two pictures that were followed: longer where this computer does not keep up."""
        return usual_ns(self._reached)

    def falls_behind(self, t_ns: int) -> bool:
        """Whether this computer has left out many of the camera's pictures lately."""
        return self._slow_ns is not None and t_ns - self._slow_ns < SLOW_SAID_NS

    def take(self, frame: Frame, last: Frame | None) -> tuple[int, bool]:
        """Counts a picture; returns how many are missing before it, and whether nobody saw that span."""
        self.frames += 1
        if last is None:
            return 0, False
        gap = frame.t_ns - last.t_ns
        numbered = max(0, frame.number - last.number - 1)
        blind = len(self._gaps) >= _KNOWN and gap > BLIND_FACTOR * self.frame_ns
        missing = max(numbered, round(gap / self.frame_ns) - 1) if blind else numbered
        self._gaps.append(gap // (missing + 1))
        self._reached.append(gap)
        if len(self._reached) == self._reached.maxlen and self.reached_ns > SLOW_FACTOR * self.frame_ns:
            self._slow_ns = frame.t_ns
        return missing, blind


def row_delay_ns(model: CameraModel, places_mm: Iterable[tuple[float, float]], row_ns: float) -> list[int]:
    """How much later than a picture's middle row each place on the board (mm) is exposed, in ns."""
    spots = np.array(list(places_mm), np.float64).reshape(-1, 2)
    rows = model.project_plane(spots, BODY_MM)[:, 1] - (model.size[1] - 1) / 2.0
    return [round(float(row) * row_ns) for row in rows]


def timed_by_row(track: PieceTrack, model: CameraModel, row_ns: float) -> PieceTrack:
    """The same track with the times of the rows it was seen in. `row_ns`: from one row to the next."""
    if not row_ns:
        return track
    late = row_delay_ns(model, [mark.at for mark in track.marks], row_ns)
    marks = [replace(mark, t_ns=mark.t_ns + by) for mark, by in zip(track.marks, late, strict=True)]
    began = track.began_ns
    if track.start is not None:
        began += row_delay_ns(model, [track.start.at], row_ns)[0]
    elif marks:
        began += late[0]
    return replace(track, marks=marks, began_ns=began)


REPUBLISH_NS = 2_000_000_000
"""An unchanged board is published this often, so that who came late knows it."""
PUBLISH_NS = 100_000_000
HEALTH_NS = 1_000_000_000


class Publisher:
    """What was published when. `rest`: the board has been published at all."""

    def __init__(self) -> None:
        self._board_ns = self._hands_ns = self._moving_ns = self._health_ns = -REPUBLISH_NS
        self._blind = False
        self._hands: tuple[int, frozenset[str | None]] = (0, frozenset())
        self.rest = False

    def health_due(self, t_ns: int, *, blind: bool) -> bool:
        """Whether health is to be published now; if so it counts as published. `blind`: the board cannot be found."""
        due = t_ns - self._health_ns >= HEALTH_NS or blind != self._blind
        if due:
            self._health_ns, self._blind = t_ns, blind
        return due

    def moving_due(self, t_ns: int) -> bool:
        """Whether moving places are to be published now; if so they count as published."""
        due = t_ns - self._moving_ns >= PUBLISH_NS
        if due:
            self._moving_ns = t_ns
        return due

    def board_due(self, t_ns: int) -> bool:
        """Whether an unchanged board is to be published again."""
        return not self.rest or t_ns - self._board_ns >= REPUBLISH_NS

    def board(self, board: BoardSeen, t_ns: int, out: list[Observation]) -> None:
        """Says the board."""
        self.rest, self._board_ns = True, t_ns
        out.append(replace(board, t_ns=t_ns))

    def hands_due(self, t_ns: int, *, any_now: bool) -> bool:
        """Whether it is worth while to describe the hands."""
        return (any_now or self._hands[0] != 0) and t_ns - self._hands_ns >= PUBLISH_NS

    def hands(self, described: tuple[Hand, ...], t_ns: int, out: list[Observation]) -> HandsSeen:
        """Publishes the hands if they changed; returns them as they would be published."""
        self._hands_ns = t_ns
        seen = HandsSeen(t_ns, described)
        key = (len(described), frozenset(hand.side for hand in described))
        if key != self._hands:
            self._hands = key
            out.append(seen)
        return seen
