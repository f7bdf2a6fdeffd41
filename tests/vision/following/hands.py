"""Hands over the board for tests that build a motion window by hand."""

from __future__ import annotations

from collections.abc import Callable

from controller.vision.following.hands import HandTrace

MS = 1_000_000
FAR_MM = 2000.0
STEP_NS = 5 * MS
REMEMBERED_NS = range(-600 * MS, 1500 * MS, STEP_NS)


def beyond(y_mm_at: Callable[[int], float | None]) -> HandTrace:
    """A hand that reaches in from the north down to a y in mm at each time in ns; None where there is none."""
    seen = ((t_ns, y_mm_at(t_ns)) for t_ns in REMEMBERED_NS)
    return HandTrace(
        tuple(
            (t_ns, (((-FAR_MM, y), (FAR_MM, y), (FAR_MM, FAR_MM), (-FAR_MM, FAR_MM)),))
            for t_ns, y in seen
            if y is not None
        )
    )


ALL_OVER = beyond(lambda _: -FAR_MM)
