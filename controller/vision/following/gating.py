"""Gating: whether a change may be a piece that was lost, and at what cost.

Must not read pictures: a blob is its place, its area and its tone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import hypot

import numpy as np

from controller.vision.following.free_runs import along_and_across
from controller.vision.following.motion import FASTEST_MM_S, Prediction
from controller.vision.following.tracks import PieceTrack

ASTRAY_MM = 18.0
ASTRAY_SHARE = 0.3
"""A piece that met nothing is found within this much of where it should be, the share being of its way."""

DOUBTFUL = 60.0
"""What it costs, in mm of miss, to leave a lost piece lost. No pair costs more, however far it misses: a poor one more
or less must not take a good one apart."""

TONE_SHARE = 0.7
"""A blob's tone is that of this share of the radius of the piece that it may be."""


@dataclass(frozen=True, slots=True)
class Blob:
    """Something that has changed: its place in mm, its area in px, and what a length in mm is in px there.

    `tone`: its brightness within a radius in mm, asked for only where the place alone does not exclude it.
    """

    at: tuple[float, float]
    area: float
    px_per_mm: float
    tone: Callable[[float], float]


def cost_of(
    track: PieceTrack,
    blob: Blob,
    t_ns: int,
    exposure_ns: int,
    tracks: Sequence[PieceTrack],
    top_mm_s: float,
    prediction: Prediction,
) -> float | None:
    """What it costs to take a blob for a lost track, below `DOUBTFUL`; None where it cannot be that one.

    `top_mm_s`: the speed of the fastest of the `tracks`.
    """
    t0, x0, y0 = track.last
    dt = max(1e-3, (t_ns - t0) / 1e9)
    gap = hypot(blob.at[0] - x0, blob.at[1] - y0)
    # Nothing is faster than what drives it, but a first picture knows no speed yet.
    top = max(1.3 * top_mm_s + 300.0, 6000.0 if track.piece in ("striker", "unknown") else 800.0)
    if gap > min(FASTEST_MM_S, top) * dt + 2.0 * track.radius_mm:
        return None
    ahead = prediction.of(track)
    miss = hypot(blob.at[0] - ahead.x, blob.at[1] - ahead.y)
    sure = track.speed > 100.0 and track.missed == 0 and ahead.met_s is None
    share = ASTRAY_SHARE if len(track.marks) >= 2 else 2.0 * ASTRAY_SHARE
    if sure and miss > share * track.speed * dt + ASTRAY_MM and not _just_begun(track, tracks, prediction):
        return None
    miss = min(miss, gap + 10.0)
    radius = track.radius_mm * blob.px_per_mm
    full = np.pi * radius**2
    streak = 2.0 * radius * (gap / dt * exposure_ns / 1e9) * blob.px_per_mm
    cost = miss + 8.0 * abs(float(np.log(max(blob.area, 1.0) / full)))
    cost += 40.0 * max(0.0, float(np.log(max(blob.area, 1.0) / (full + streak))))
    if track.tone is not None:
        cost += 0.6 * abs(track.tone - blob.tone(TONE_SHARE * track.radius_mm))
    return float(cost / (1.0 + cost / DOUBTFUL))


def _just_begun(track: PieceTrack, tracks: Sequence[PieceTrack], prediction: Prediction) -> bool:
    """Whether a piece on this one's way lay still until now: it may have been hit though nobody foresaw it."""
    _, x, y = track.last
    for other in tracks:
        if other is track or other.began_ns != prediction.before_ns or other.start is None:
            continue
        dx, dy = other.start.x_mm - x, other.start.y_mm - y
        along, across, speed = along_and_across((track.vx, track.vy), dx, dy)
        room = other.radius_mm + track.radius_mm
        if 0.0 < along < speed * prediction.last_dt + 1.5 * room and across < 1.3 * room:
            return True
    return False


def speed_to(track: PieceTrack, at: tuple[float, float], t_ns: int) -> tuple[float, float]:
    """The speed in mm/s that takes a track to a place by `t_ns`."""
    t0, x0, y0 = track.last
    dt = (t_ns - t0) / 1e9
    return ((at[0] - x0) / dt, (at[1] - y0) / dt) if dt > 0 else (0.0, 0.0)
