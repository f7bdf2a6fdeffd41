"""What a camera can be trusted with, by how fast, how finely and with what shutter it sees.

Must not know tracks.
"""

from __future__ import annotations

from typing import Literal

from controller.events.words import Grade

SLOWEST_NS = 1e9 / 55
"""A camera with longer between two pictures is a webcam: what runs meanwhile is not seen."""

FINE_PX_PER_MM = 1.25


def grade_of(frame_ns: int, px_per_mm: float, shutter: Literal["global", "rolling"]) -> Grade:
    """The grade of a camera with `frame_ns` between two pictures."""
    if frame_ns > SLOWEST_NS:
        return "basic"
    return "match" if px_per_mm >= FINE_PX_PER_MM and shutter == "global" else "club"
