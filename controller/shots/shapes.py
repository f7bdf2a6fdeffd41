"""Points and polygons on the board, in mm. Must not know what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot

Point = tuple[float, float]


def inside(outline: Sequence[Point], x: float, y: float) -> bool:
    """Says whether a point lies in a polygon (even-odd rule)."""
    found = False
    for (x1, y1), (x2, y2) in zip(outline, (*outline[1:], *outline[:1]), strict=True):
        if (y1 > y) != (y2 > y) and x < (x2 - x1) * (y - y1) / (y2 - y1) + x1:
            found = not found
    return found


def within(outline: Sequence[Point], x: float, y: float, mm: float) -> bool:
    """Says whether a point lies in a polygon or within `mm` of its edge."""
    if not outline:
        return False
    if inside(outline, x, y):
        return True
    return any(to_segment(x, y, one, two) <= mm for one, two in zip(outline, (*outline[1:], *outline[:1]), strict=True))


def to_segment(x: float, y: float, one: Point, two: Point) -> float:
    """Returns how far a point lies from the line between two others, in mm."""
    along_x, along_y = two[0] - one[0], two[1] - one[1]
    length = along_x * along_x + along_y * along_y
    share = 0.0 if not length else ((x - one[0]) * along_x + (y - one[1]) * along_y) / length
    share = min(1.0, max(0.0, share))
    return hypot(x - one[0] - share * along_x, y - one[1] - share * along_y)
