"""How a piece that lies nowhere now went: decided once, by where it was seen last and by the hands beside it.

How it ran there tells no more: of 1 400 coins that were lost beside a pocket 1 in 90 did not fall, of those lost
elsewhere every second one, whether they ran to a pocket or not. Plain values.
"""

from __future__ import annotations

from typing import cast

from calibration.board import Board
from controller.events.observation import Vanished, Went
from controller.events.words import Pocket
from controller.vision.following.free_runs import into_pocket
from controller.vision.following.hands import HandTrace
from controller.vision.following.motion_window import MotionWindow
from controller.vision.following.tracks import Association, Measurement, over_frame

NEAR_RIM_MM = 80.0
"""Of the coins seen last this near to a pocket's rim 99 in 100 fell, of those seen last elsewhere every second one.
Chosen among 60, 80 and 100 on recorded strokes."""

BESIDE_NS = 100_000_000
"""What vanishes with a hand there within this time may have been taken by it."""


def way_out(last: Measurement, board: Board, trace: HandTrace, *, coin: bool) -> tuple[Went, Pocket | None]:
    """Returns how what was seen last there went, and into which pocket.

    `coin`: it lay on the board as one. Beside a pocket a hand takes what came from nowhere, and the striker; of the
    coins that vanish there nearly all fell, under a hand as well.
    """
    pocket, away = board.nearest_pocket(*last.at)
    left_mm = away - board.pocket_radius_mm
    if left_mm < 0.0:
        return "pocket", cast(Pocket, pocket)
    if over_frame(last.at, board.radius_mm("white" if coin else "striker"), board):
        return "frame", None
    handled = last.by_hand or trace.over(*last.at, last.t_ns - 2 * BESIDE_NS, last.t_ns + BESIDE_NS)
    if left_mm < NEAR_RIM_MM and (coin or not handled):
        return "pocket", cast(Pocket, pocket)
    return ("hand" if handled else "unknown"), None


def vanished_of(item: Association, window: MotionWindow, board: Board) -> Vanished | None:
    """Returns how and when a piece went; None for one that lies on the board."""
    track, trace = item.track, window.hand_trace
    if item.end is not None:
        return None
    if track is None or not track.marks:
        if item.start is None:
            return None
        handled = trace.over(*item.start.at, 0, window.published_ns)
        half_ns = (window.ended_ns - window.began_ns) // 2
        t_ns, u_ns = (window.began_ns + half_ns, half_ns) if track is None else (track.began_ns, window.frame_ns)
        return Vanished(t_ns, u_ns, "hand" if handled else "unknown", item.start.at)
    last = track.marks[-1]
    coin = item.start is not None and item.piece != "striker"
    how, pocket = way_out(last, board, trace, coin=coin)
    if pocket is None:
        return Vanished(last.t_ns, window.frame_ns, how, last.at)
    when_ns, u_ns, place = into_pocket(
        track.marks, board.pockets_mm[pocket], board.pocket_radius_mm, window.frame_ns, track.speed
    )
    return Vanished(when_ns, u_ns, how, place, pocket)
