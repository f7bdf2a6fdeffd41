"""Which facts may be reported with a camera.

By how its calibration was made, and how fast, how finely and with what shutter it sees. Must not know tracks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from controller.events.words import GRADES, Grade

SLOWEST_NS = 1e9 / 55
"""A camera with longer between two pictures is a webcam: what runs meanwhile is not seen."""

FINE_PX_PER_MM = 1.25
ROUGH_PX_PER_MM = 0.7

ROUGH_MM = 5.0
"""A place seen by a camera whose calibration knows neither lens nor pieces may be off by so much."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """The facts of a grade. `touches`: whether every touch of the striker is seen. `apart`: two touches closer than
    so many pictures have no certain order."""

    touches: bool
    apart: float


CLAIMED: Mapping[Grade, Claimed] = {
    "match": Claimed(touches=True, apart=0.5),
    "club": Claimed(touches=True, apart=1.0),
    "basic": Claimed(touches=False, apart=1.0),
}


def finest_grade(px_per_mm: float) -> Grade:
    """Returns the best grade that a camera of this resolution on the surface can have."""
    if px_per_mm >= FINE_PX_PER_MM:
        return "match"
    return "club" if px_per_mm >= ROUGH_PX_PER_MM else "basic"


def grade_of(frame_ns: int, px_per_mm: float, shutter: Literal["global", "rolling"], allows: Grade = "match") -> Grade:
    """The grade of a camera with `frame_ns` between two pictures. `allows`: the best that its calibration allows."""
    by_time: Grade = "basic" if frame_ns > SLOWEST_NS else "club" if shutter == "rolling" else "match"
    return min(finest_grade(px_per_mm), by_time, allows, key=GRADES.index)
