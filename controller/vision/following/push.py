"""How far a hand went along with the striker as it set out: a push, where a flick leaves the finger at once.

Values in, values out; no pixels. Knows no rule of how far is too far.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot

from controller.vision.following.motion_window import MotionWindow
from controller.vision.following.tracks import Measurement

PUSHED_MM_S = 900.0
"""No hand goes along with a striker faster than this."""
CLEAR_MM = 14.0
"""Its first direction is that of the first picture that shows it this far from where it lay, in mm."""
STEP_MM = 5.0
MOST_MM = 100.0
FINGER_WIDE_MM = 10.0
"""The hand is searched for in such steps along that direction up to so far, and so far to both sides, in mm."""
TIP_MM = 13.0
"""In the picture a finger that touches the striker ends so far behind its middle."""
FREE_NS = (20_000_000, 150_000_000)
EARLIER_NS = (400_000_000, 250_000_000)
"""When the hand is measured: after the striker was first seen to run free, and before it seemed to set out."""


def followed_mm(
    run: Sequence[Measurement], at: tuple[float, float], first_ns: int, window: MotionWindow, *, lay: bool
) -> float:
    """How far in mm a hand went along with the striker, as far as pictures show it.

    `at`, `first_ns`: from where and when it set out; `lay`: whether it was seen to lie there.
    """
    shown = [
        mark
        for mark in run
        if mark.by_hand and hypot(mark.x_mm - at[0], mark.y_mm - at[1]) <= PUSHED_MM_S * (mark.t_ns - first_ns) / 1e9
    ]
    return max(
        _reached(run, at, first_ns, window) if lay else 0.0,
        max((hypot(mark.x_mm - at[0], mark.y_mm - at[1]) for mark in shown), default=0.0),
    )


def _reached(run: Sequence[Measurement], at: tuple[float, float], first_ns: int, window: MotionWindow) -> float:
    """How far the hand has come along its way when the striker runs free of it: after a flick it stays where it was."""
    far = next((mark for mark in run if hypot(mark.x_mm - at[0], mark.y_mm - at[1]) > CLEAR_MM), None)
    if far is None:
        return 0.0
    way = hypot(far.x_mm - at[0], far.y_mm - at[1])
    ux, uy = (far.x_mm - at[0]) / way, (far.y_mm - at[1]) / way
    after = (run[0].t_ns + FREE_NS[0], run[0].t_ns + FREE_NS[1])
    before = (first_ns - EARLIER_NS[0], first_ns - EARLIER_NS[1])
    for step in range(round(MOST_MM / STEP_MM), 0, -1):
        along = step * STEP_MM
        for aside in (0.0, -FINGER_WIDE_MM, FINGER_WIDE_MM):
            x, y = at[0] + ux * along - uy * aside, at[1] + uy * along + ux * aside
            # What lay there all the time is another hand.
            if window.hand_trace.over(x, y, *after) and not window.hand_trace.over(x, y, *before):
                return along + TIP_MM
    return 0.0
