"""How fast pictures come, which never came, which may wait, and when a rolling shutter saw each of their rows.

While nothing happens most pictures need no processing: they wait, and only if a later one shows a change are they
processed after all, in their order. So nothing is missed, and a quiet board costs a fraction. While following, a
picture has one time; at a motion window's end each mark gets the time of the row in which the piece stood. Must not
know what is on the pictures.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import replace

import numpy as np

from calibration.camera import CameraModel
from controller.vision.following.tracks import Measurement, PieceTrack
from controller.vision.following.view import BODY_MM
from controller.vision.sources.frame import Frame

BLIND_FACTOR = 2.5
"""A gap between pictures longer than this many usual ones is a span that nobody saw."""

_KNOWN = 5

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
    late = row_delay_ns(model, [(mark.x_mm, mark.y_mm) for mark in track.marks], row_ns)
    marks = [
        Measurement(mark.t_ns + by, mark.x_mm, mark.y_mm, mark.by_hand)
        for mark, by in zip(track.marks, late, strict=True)
    ]
    began, ended = track.began_ns, track.ended
    if track.start is not None:
        began += row_delay_ns(model, [(track.start.x_mm, track.start.y_mm)], row_ns)[0]
    elif marks:
        began += late[0]
    if ended is not None:
        ended = replace(ended, t_ns=ended.t_ns + row_delay_ns(model, [ended.at], row_ns)[0])
    return replace(track, marks=marks, began_ns=began, ended=ended)


WAIT_NS = 100_000_000
"""Of a quiet board a picture is processed this often."""

MOST = 5
"""No more pictures than these wait, so that catching up takes no longer than a few pictures' time."""

Waiting = tuple[Frame, int | None]


class Idling:
    """The pictures that wait. `quiet` is set by whoever processed the last one."""

    def __init__(self) -> None:
        self.quiet = False
        self._detected_ns = 0
        self._waiting: list[Waiting] = []

    def may_wait(self, frame: Frame, frame_ns: int) -> bool:
        """Whether a picture may wait; then it does. `frame_ns`: the usual time between two."""
        return self.quiet and len(self._waiting) < MOST and frame.t_ns + frame_ns - self._detected_ns <= WAIT_NS

    def wait(self, frame: Frame, picture: int | None) -> None:
        """Lets a picture wait."""
        self._waiting.append((frame, picture))

    def taken(self) -> list[Waiting]:
        """The pictures that waited; none wait any more."""
        waiting, self._waiting = self._waiting, []
        return waiting

    def seen(self, frame: Frame, *, quiet: bool) -> None:
        """A picture was processed."""
        self._detected_ns, self.quiet = frame.t_ns, quiet
