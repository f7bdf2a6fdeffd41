"""What hands do: bring the striker, flick or push it, take it away, put pieces down; each as paths on a reel.

Times are seconds since the match's start. Knows neither rules nor why.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import hypot

from calibration.board import Board, seat_to_board
from controller.events.words import Seat
from controller.simulator.motion import Motion, Pose
from controller.simulator.pieces import STRIKER, PieceSet, free_near, to_seat
from controller.simulator.players import Stroke
from controller.simulator.scene import ArmPath, Reel

_OUT_MM = 960.0
_COME_S = 0.34
_LIFT_MM = 55.0
PUSH_MM = 70.0
PUSH_S = 0.28


def _out(seat: Seat, x_mm: float, y_mm: float) -> tuple[float, float]:
    """Where a hand on its way to a point comes from: straight from its player's side."""
    right = seat_to_board(seat, 1.0, 0.0)
    along = x_mm * right[0] + y_mm * right[1]
    return seat_to_board(seat, along * 0.6, _OUT_MM)


def bring_striker(reel: Reel, stroke: Stroke, t_s: float, aim_s: float) -> tuple[float, float]:
    """The hand comes with the striker, puts it down, and lies behind it. Returns when it lies and when to strike."""
    x, y = stroke.at_mm
    home = _out(stroke.seat, x, y)
    placed = t_s + _COME_S
    arm = ArmPath(
        stroke.seat,
        ((t_s, *home, _LIFT_MM), (placed, x, y, 14.0), (placed + 0.12, x, y, 14.0)),
    )
    reel.arms.append(arm)
    reel.carry(STRIKER, arm, t_s, placed, Pose(x, y, 0.0, 0.3))
    return placed, placed + 0.12 + aim_s


def behind(stroke: Stroke, pieces: PieceSet) -> tuple[float, float]:
    """Where the finger touches the striker from behind."""
    vx, vy = stroke.velocity
    speed = hypot(vx, vy) or 1.0
    reach = pieces.radius(STRIKER) + 5.0
    x, y = stroke.at_mm
    back = seat_to_board(stroke.seat, 0.0, 1.0)
    ux, uy = vx / speed, vy / speed
    # A finger comes from its player's side, whatever the direction of the stroke.
    if ux * back[0] + uy * back[1] > 0.2:
        ux, uy = -ux, -uy
        return x + ux * reach, y + uy * reach
    return x - ux * reach, y - uy * reach


def flick(reel: Reel, stroke: Stroke, motion: Motion, pieces: PieceSet, placed_s: float, struck_s: float) -> None:
    """The finger waits behind the striker, flicks it at `struck_s`, and the hand goes away."""
    x, y = behind(stroke, pieces)
    at = stroke.at_mm
    home = _out(stroke.seat, *at)
    fx, fy = x + (at[0] - x) * 0.45, y + (at[1] - y) * 0.45
    back = seat_to_board(stroke.seat, 0.0, 14.0)
    reel.arms.append(
        ArmPath(
            stroke.seat,
            (
                (placed_s + 0.121, *at, 14.0),
                (placed_s + 0.25, x + back[0], y + back[1], 8.0),
                (struck_s - 0.03, x + back[0] * 0.5, y + back[1] * 0.5, 6.0),
                (struck_s, x, y, 6.0),
                (struck_s + 0.02, fx, fy, 6.0),
                (struck_s + 0.1, fx, fy, 10.0),
                (struck_s + 0.1 + _COME_S, *home, _LIFT_MM),
            ),
        )
    )
    reel.play(motion, struck_s)


def push(reel: Reel, stroke: Stroke, motion: Motion, pieces: PieceSet, placed_s: float, start_s: float) -> float:
    """The hand goes along with the striker for `PUSH_MM`. Returns when the striker runs on by itself."""
    vx, vy = stroke.velocity
    speed = hypot(vx, vy) or 1.0
    ux, uy = vx / speed, vy / speed
    x, y = stroke.at_mm
    fx, fy = behind(stroke, pieces)
    home = _out(stroke.seat, x, y)
    end = start_s + PUSH_S

    def shoved(t: float) -> Pose:
        u = min(max((t - start_s) / PUSH_S, 0.0), 1.0)
        return Pose(x + ux * PUSH_MM * u * u, y + uy * PUSH_MM * u * u, 0.0, 0.3)

    steps = [
        (start_s + PUSH_S * k / 6, *((fx + ux * PUSH_MM * (k / 6) ** 2), (fy + uy * PUSH_MM * (k / 6) ** 2)), 6.0)
        for k in range(7)
    ]
    reel.arms.append(
        ArmPath(
            stroke.seat,
            (
                (placed_s + 0.121, x, y, 14.0),
                (placed_s + 0.25, fx, fy, 6.0),
                *steps,
                (end + 0.1, steps[-1][1], steps[-1][2], 10.0),
                (end + 0.1 + _COME_S, *home, _LIFT_MM),
            ),
        )
    )
    reel.follow(STRIKER, start_s, shoved)
    reel.play(motion, end)
    return end


def take_away(reel: Reel, seat: Seat, name: int, at: tuple[float, float], t_s: float) -> float:
    """A hand comes, takes a piece off the board and goes. Returns when it is out again."""
    home = _out(seat, *at)
    grip = t_s + _COME_S
    arm = ArmPath(
        seat,
        ((t_s, *home, _LIFT_MM), (grip, *at, 14.0), (grip + 0.1, *at, 16.0), (grip + 0.1 + _COME_S, *home, _LIFT_MM)),
    )
    reel.arms.append(arm)
    reel.carry(name, arm, grip + 0.1, grip + 0.1 + _COME_S, None)
    return grip + 0.12 + _COME_S


def put_down(reel: Reel, seat: Seat, name: int, pose: Pose, t_s: float) -> float:
    """A hand brings a piece, puts it down and goes. Returns when it is out again."""
    at = (pose.x_mm, pose.y_mm)
    home = _out(seat, *at)
    down = t_s + _COME_S
    arm = ArmPath(
        seat,
        ((t_s, *home, _LIFT_MM), (down, *at, 14.0), (down + 0.12, *at, 14.0), (down + 0.12 + _COME_S, *home, _LIFT_MM)),
    )
    reel.arms.append(arm)
    reel.carry(name, arm, t_s, down + 0.06, pose)
    return down + 0.14 + _COME_S


def cover(reel: Reel, seat: Seat, at: tuple[float, float], from_s: float, to_s: float, *, left: bool = False) -> None:
    """A hand lies over a place for a while: over a pocket, or beside the other hand."""
    home = _out(seat, *at)
    reel.arms.append(
        ArmPath(
            seat,
            (
                (from_s - _COME_S, *home, _LIFT_MM),
                (from_s, *at, 24.0),
                (to_s, *at, 24.0),
                (to_s + _COME_S, *home, _LIFT_MM),
            ),
            left=left,
        )
    )


def beside(stroke: Stroke, lying: Mapping[int, Pose], pieces: PieceSet) -> tuple[tuple[float, float], bool]:
    """Where the player's other hand rests: an arm's width and more from the one that plays; and whether to its left."""
    across, _ = to_seat(stroke.seat, *stroke.at_mm)
    left = across > -40.0
    aside = seat_to_board(stroke.seat, across - 220.0 if left else across + 220.0, 240.0)
    return free_near(*aside, 30.0, lying, pieces), left


def nudge(reel: Reel, stroke: Stroke, name: int, before: Pose, after: Pose, t_s: float) -> None:
    """The hand that lies behind the striker shoves a piece a little, unmeant."""
    reel.lie(name, t_s - 0.01, before)

    def shoved(t: float) -> Pose:
        u = min(max((t - t_s) / 0.15, 0.0), 1.0)
        return Pose(
            before.x_mm + (after.x_mm - before.x_mm) * u,
            before.y_mm + (after.y_mm - before.y_mm) * u,
            0.0,
            before.angle_rad,
        )

    reel.follow(name, t_s, shoved)
    reel.lie(name, t_s + 0.16, after)
    home = _out(stroke.seat, before.x_mm, before.y_mm)
    reel.arms.append(
        ArmPath(
            stroke.seat,
            (
                (t_s - 0.3, *home, _LIFT_MM),
                (t_s, before.x_mm, before.y_mm, 8.0),
                (t_s + 0.15, after.x_mm, after.y_mm, 8.0),
                (t_s + 0.5, *home, _LIFT_MM),
            ),
        )
    )


def rack_up(reel: Reel, seat: Seat, rack: Mapping[int, Pose], t_s: float) -> float:
    """Two hands clear the board and build the opening arrangement. Returns when they are out."""
    gone, built = t_s + 0.6, t_s + 1.4
    for name in list(reel.parts):
        reel.away(name, gone)
    for name, pose in rack.items():
        reel.lie(name, built, pose)
    return _both(reel, seat, t_s, gone, built)


def put_back(reel: Reel, seat: Seat, now: Mapping[int, Pose], before: Mapping[int, Pose], t_s: float) -> float:
    """Two hands put everything back to where it lay before. Returns when they are out."""
    gone, built = t_s + 0.6, t_s + 1.4
    for name, pose in before.items():
        if now.get(name) != pose:
            reel.away(name, gone)
            reel.lie(name, built, pose)
    return _both(reel, seat, t_s, gone, built)


def _both(reel: Reel, seat: Seat, t_s: float, gone: float, built: float) -> float:
    """Both hands work in the middle of the board from `gone` to `built`."""
    for sign in (-1, 1):
        wide, near = seat_to_board(seat, sign * 150.0, 40.0), seat_to_board(seat, sign * 45.0, 50.0)
        home = seat_to_board(seat, sign * 120.0, _OUT_MM)
        stops = (
            (t_s, *home, _LIFT_MM),
            (t_s + 0.35, *wide, 16.0),
            (gone, *near, 16.0),
            (built, *near, 16.0),
            (built + 0.2, *wide, 30.0),
            (built + 0.2 + _COME_S, *home, _LIFT_MM),
        )
        reel.arms.append(ArmPath(seat, stops, left=sign < 0))
    return built + 0.25 + _COME_S


def over_pocket(board: Board, pocket: str) -> tuple[float, float]:
    """Where a fingertip covers a pocket's mouth and the way to it."""
    cx, cy = board.pockets_mm[pocket]
    return cx * 0.9, cy * 0.9
