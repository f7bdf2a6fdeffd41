"""How far a hand went along with the striker as it set out: a push, where a flick leaves the finger at once.

Values in, values out; no pixels. Knows no rule of how far is too far.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import hypot, sqrt

from calibration.board import Board
from controller.events.observation import SeenPiece
from controller.vision.following.motion_window import MotionWindow
from controller.vision.following.rest import UNMOVED_MM
from controller.vision.following.tracks import Measurement

HIDDEN_NS = 100_000_000
EARLY_MARKS = 6
"""A push hides the striker for so long, between two of so many first pictures."""
PUSHED_MM_S = 900.0
"""No hand goes along with a striker faster than this."""
FINGER_MM = 28.0
"""A finger's tip lies this far behind the middle of the striker that it touches."""
ASIDE = 1.25
"""A piece that turned the striker lies no farther aside of the straight way between where it was before and after than
so many times as far as their middles are apart when they touch."""
CLEAR_MM = 14.0
"""The way it set out is told by the first picture that shows it this far from where it lay."""
STEP_MM = 5.0
MOST_MM = 100.0
FINGER_WIDE_MM = 10.0
"""The hand is looked for in such steps along that way up to so far, and so far to both sides."""
TIP_MM = 13.0
"""In the picture a finger that touches the striker ends so far behind its middle."""
FREE_NS = (20_000_000, 150_000_000)
EARLIER_NS = (400_000_000, 250_000_000)
"""When the hand is looked at: after the striker was first seen to run free, and before it seemed to set out."""


def followed_mm(
    run: Sequence[Measurement], at: tuple[float, float], first_ns: int, window: MotionWindow, board: Board, *, lay: bool
) -> float:
    """How far in mm a hand went along with the striker, as far as pictures show it or it hid there slowly.

    `at`, `first_ns`: from where and when it set out; `lay`: whether it was seen to lie there.
    """
    shown = [
        mark
        for mark in run
        if mark.by_hand and hypot(mark.x_mm - at[0], mark.y_mm - at[1]) <= PUSHED_MM_S * (mark.t_ns - first_ns) / 1e9
    ]
    return max(
        _reached(run, at, first_ns, window) if lay else 0.0,
        _hidden_at_hand(run, at, window),
        _hidden_from_the_start(run, at, first_ns, window, board.touching_mm) if lay else 0.0,
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


def _hidden_at_hand(run: Sequence[Measurement], at: tuple[float, float], window: MotionWindow) -> float:
    """How far it went along with a hand that hid it: not seen for long as it set out slowly, a finger right behind it.

    A flicked one is off its finger within a picture or two.
    """
    far = 0.0
    for one, two in pairwise(run[:EARLY_MARKS]):
        dx, dy = two.x_mm - one.x_mm, two.y_mm - one.y_mm
        way, long_ns = hypot(dx, dy), two.t_ns - one.t_ns
        if not way or long_ns < HIDDEN_NS or way > PUSHED_MM_S * long_ns / 1e9:
            continue
        behind = (one.x_mm - dx / way * FINGER_MM, one.y_mm - dy / way * FINGER_MM)
        if window.hand_trace.over(*behind, one.t_ns, two.t_ns):
            far = hypot(one.x_mm + dx / 2 - at[0], one.y_mm + dy / 2 - at[1])
    return far


def _hidden_from_the_start(
    run: Sequence[Measurement], at: tuple[float, float], first_ns: int, window: MotionWindow, touching_mm: float
) -> float:
    """The same of one that was not seen at all before it had gone a good way, with the hand over half of it."""
    if not run:
        return 0.0
    dx, dy, long_ns = run[0].x_mm - at[0], run[0].y_mm - at[1], run[0].t_ns - first_ns
    half = hypot(dx, dy) / 2
    if long_ns < HIDDEN_NS or 2 * half > PUSHED_MM_S * long_ns / 1e9:
        return 0.0
    if not window.hand_trace.over(at[0] + dx / 2, at[1] + dy / 2, first_ns, run[0].t_ns):
        return 0.0
    # What is slow because it met something under the hand was pushed at most as far as that.
    return min(half, _free_way_mm(at, (run[0].x_mm, run[0].y_mm), window, touching_mm))


def met_on_the_way(
    at: tuple[float, float], to: tuple[float, float], window: MotionWindow, aside_mm: float
) -> SeenPiece | None:
    """The first piece, moved since, that a way passes nearer than this before its end; None if it is free."""
    found = [
        (along, piece)
        for piece in window.before.pieces
        if piece.piece != "striker" and _left(piece, window)
        for along, aside in (_beside(piece, at, to),)
        if 0.0 < along < hypot(to[0] - at[0], to[1] - at[1]) and aside < aside_mm
    ]
    return min(found, key=lambda pair: pair[0])[1] if found else None


def _beside(piece: SeenPiece, at: tuple[float, float], to: tuple[float, float]) -> tuple[float, float]:
    """How far along a way a piece lies, and how far aside of it."""
    far = hypot(to[0] - at[0], to[1] - at[1]) or 1.0
    ux, uy = (to[0] - at[0]) / far, (to[1] - at[1]) / far
    x, y = piece.x_mm - at[0], piece.y_mm - at[1]
    return x * ux + y * uy, abs(x * uy - y * ux)


def _free_way_mm(at: tuple[float, float], to: tuple[float, float], window: MotionWindow, touching_mm: float) -> float:
    """How far a striker gets on its way from one place to another before it meets a piece that has moved since.

    What it met turned it, so that its way passed nearer by than the straight one does.
    """
    met = met_on_the_way(at, to, window, ASIDE * touching_mm)
    if met is None:
        return hypot(to[0] - at[0], to[1] - at[1])
    along, aside = _beside(met, at, to)
    return max(0.0, along - sqrt(max(0.0, touching_mm**2 - aside**2)))


def _left(piece: SeenPiece, window: MotionWindow) -> bool:
    """Whether a piece no longer lies where it lay."""
    return not any(now.apart_mm(piece) < UNMOVED_MM for now in window.after.pieces)
