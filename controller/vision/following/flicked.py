"""Which part of a track a piece ran by itself, as only a flicked or hit piece does.

Plain values; no pixels.
"""

from __future__ import annotations

from itertools import pairwise
from math import hypot

from controller.vision.following.tracks import Followed, Mark

FLICK_MM_S = 120.0
"""Slower than this nothing was flicked: a hand put it there."""

FLICK_MM = 4.0


def free_run(track: Followed) -> list[Mark]:
    """The marks from where a piece ran by itself: those after the last slow or hand-held one before its fastest."""
    marks = track.marks
    if len(marks) < 2:
        return []
    pace = [0.0]
    for a, b in pairwise(marks):
        pace.append(hypot(b.x_mm - a.x_mm, b.y_mm - a.y_mm) / max(1e-3, (b.t_ns - a.t_ns) / 1e9))
    # One quick step among others is a picture in which another piece was taken for this one; alone it may be all that
    # was seen of a run.
    top = max(map(min, pairwise(pace[1:])), default=0.0)
    if top < FLICK_MM_S:
        top = max(pace)
    if top < FLICK_MM_S:
        return []
    first = next(index for index, value in enumerate(pace) if value >= 0.5 * top)
    # The mark before the first quick step is where it set off, unless a hand still carried it.
    if first > 0 and pace[first - 1] < 0.5 * top:
        first -= 0 if marks[first - 1].by_hand else 1
    return marks[first:]


def looks_struck(track: Followed) -> bool:
    """Whether it ran by itself as only a flicked or hit piece does."""
    run = [mark for mark in free_run(track) if not mark.by_hand]
    return len(run) >= 2 and hypot(run[-1].x_mm - run[0].x_mm, run[-1].y_mm - run[0].y_mm) > FLICK_MM
