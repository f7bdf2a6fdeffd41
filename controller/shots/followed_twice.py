"""One piece that two tracks followed: the second came out of nowhere, ran along the first one's path, and was lost.

All that lies on the board is known, so a track without a beginning is of a piece that another track left for a while.
Must not judge what fell.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import hypot

from controller.events.observation import Sample, SeenPiece, StrokeSeen, Track
from controller.shots.limits import MS

BESIDE_MM = 20.0
"""Two pieces' centres are 31 mm apart at least."""
WHILE_NS = 70 * MS
"""Another piece may come along the same path later than this, none sooner."""
SAMPLES = 3


def as_one(stroke: StrokeSeen) -> StrokeSeen:
    """Returns the stroke without the tracks that are another piece's, seen once more."""
    tracks = tuple(track for track in stroke.tracks if not _is_anothers(track, stroke))
    return stroke if len(tracks) == len(stroke.tracks) else replace(stroke, tracks=tracks)


def _is_anothers(track: Track, stroke: StrokeSeen) -> bool:
    if track.start is not None or track.end is not None or track.by_hand or len(track.samples) < SAMPLES:
        return False
    if stroke.struck is not None and track.track == stroke.struck.track:
        return False
    others = [other for other in stroke.tracks if other is not track and other.start is not None and other.samples]
    return any(all(_on_path(point, other) for point in track.samples) for other in others)


def _on_path(point: Sample, other: Track) -> bool:
    path = list(other.samples)
    if other.end is not None and point.t_ns > other.last_ns - WHILE_NS:
        return _apart(point, other.end) < BESIDE_MM
    near = [
        _beside(point, one, two)
        for one, two in pairwise(path)
        if one.t_ns - WHILE_NS <= point.t_ns <= two.t_ns + WHILE_NS
    ]
    return min(near, default=BESIDE_MM) < BESIDE_MM


def _apart(point: Sample, piece: SeenPiece) -> float:
    return hypot(point.x_mm - piece.x_mm, point.y_mm - piece.y_mm)


def _beside(point: Sample, one: Sample, two: Sample) -> float:
    """How far a point is from the way between two."""
    dx, dy = two.x_mm - one.x_mm, two.y_mm - one.y_mm
    far2 = dx * dx + dy * dy
    share = ((point.x_mm - one.x_mm) * dx + (point.y_mm - one.y_mm) * dy) / far2 if far2 else 0.0
    share = min(max(share, 0.0), 1.0)
    return hypot(point.x_mm - one.x_mm - share * dx, point.y_mm - one.y_mm - share * dy)
