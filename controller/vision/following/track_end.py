"""How a track ends: into a pocket, over the frame, under a hand, nowhere, or at rest.

Values in, values out; what the picture shows of hands is asked through a callable.
"""

from __future__ import annotations

from collections.abc import Callable
from math import hypot
from typing import Literal

from calibration.board import Board
from controller.events.observation import Vanished
from controller.vision.following.tracks import PieceTrack

STILL_FRAMES = 4
NEAR_MM = 30.0
STEPS = 1.5
"""What was lost farther from a pocket than this, and than so many pictures' way, was not lost by falling."""

TIPPED_MM = 1.0
"""A piece this much nearer to a pocket's centre than any can lie is falling, whatever its place's error."""

LOST_NS = 250_000_000
"""A piece lost for so long is gone."""


def ending_of(
    track: PieceTrack, board: Board, t_ns: int, under_hand: Callable[[], float]
) -> Vanished | Literal["still"] | None:
    """How a moving piece has ended by `t_ns`; None if it goes on. `under_hand`: its share under a hand where it was."""
    t0, x, y = track.last
    if not track.marks and track.start is None:
        return None
    pocket, away = board.nearest_pocket(x, y)
    if away < board.rests_from_mm(track.piece) - TIPPED_MM and track.marks:
        return Vanished(t0, 0, "pocket", (x, y), pocket)  # type: ignore[arg-type]
    if track.missed == 0:
        return "still" if track.steady >= STILL_FRAMES else None
    dt = (t_ns - t0) / 1e9
    # It can only have come as far as its speed allows, with room for a push by another.
    reach = track.speed * dt * 1.3 + 30.0
    due = track.missed >= 2 or away < 2.5 * board.pocket_radius_mm
    if due and away < board.pocket_radius_mm + reach and _leads_to(track, board.pockets_mm[pocket]):
        return Vanished(t0, 0, "pocket", (x, y), pocket)  # type: ignore[arg-type]
    if max(abs(x), abs(y)) > board.half_mm - track.radius_mm + 8.0 and track.missed >= 2:
        return Vanished(t0, 0, "frame", (x, y))
    if track.missed >= 2 and under_hand() > 0.3:
        return Vanished(t0, 0, "hand", (x, y))
    if t_ns - t0 > LOST_NS:
        return Vanished(t0, 0, "hand" if track.marks and track.marks[-1].by_hand else "unknown", (x, y))
    return None


def lost_on_its_way(track: PieceTrack, board: Board) -> bool:
    """Whether a piece that left its place was lost where it would have been seen once more before it came to a pocket.

    Then it may lie anywhere, where the small picture does not show it.
    """
    if track.ended is None or track.ended.how not in ("pocket", "unknown") or track.start is None or not track.marks:
        return False
    _, x, y = track.last
    before = track.marks[-2] if len(track.marks) > 1 else None
    step = hypot(x - before.x_mm, y - before.y_mm) if before is not None else 0.0
    _, away = board.nearest_pocket(x, y)
    return away - board.pocket_radius_mm > max(NEAR_MM, STEPS * step)


def _leads_to(track: PieceTrack, centre: tuple[float, float]) -> bool:
    _, x, y = track.last
    dx, dy = centre[0] - x, centre[1] - y
    away, speed = hypot(dx, dy), track.speed
    if away < 30.0:
        return True
    return speed > 30.0 and (dx * track.vx + dy * track.vy) / (away * speed) > 0.85
