"""One stroke made ready: the player's choice, the faults it is played with, and the physics of it.

Faults of players change where the striker lies, where it goes, what hands do; each also says its flag, if the events
have one. Knows no rules and no time line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import cos, hypot, pi, sin

import numpy as np

from calibration.board import seat_to_board
from controller.events.words import Flag, Seat
from controller.simulator.hands import PUSH_MM
from controller.simulator.motion import Motion, Pose
from controller.simulator.physics import Material
from controller.simulator.pieces import STRIKER, PieceSet, is_free, on_arrow, placement_circle, placement_lines, to_seat
from controller.simulator.players import Stroke, play_out
from controller.simulator.scenario import Fault

_NUDGE_MM = 11.0
_BESIDE_CIRCLES_MM = 69.1
"""A striker so far from a base circle's middle stays clear of it, wherever its fault puts it."""
_HAND_WIDE_MM = 130.0
"""What shoves a piece this far aside of the striker as it is struck is the other hand, and both show."""


@dataclass(frozen=True, slots=True)
class Nudge:
    """A hand displaced a piece before the striker was struck."""

    name: int
    before: Pose
    after: Pose


@dataclass(frozen=True, slots=True)
class Played:
    """A stroke with its physics. `faults`: those that could be had; `placed_mm`: where the striker lay at first."""

    stroke: Stroke
    motion: Motion
    faults: frozenset[Fault]
    flags: tuple[Flag, ...]
    placed_mm: tuple[float, float]
    pushed: bool = False
    nudge: Nudge | None = None


def prepare(
    stroke: Stroke,
    lying: Mapping[int, Pose],
    pieces: PieceSet,
    material: Material,
    rng: np.random.Generator,
    faults: frozenset[Fault] = frozenset(),
) -> Played:
    """Plays a stroke on a position with the faults asked for; those that the position does not allow are left out."""
    had: set[Fault] = set(faults)
    flags: list[Flag] = []
    for fault in ("one_line", "cut_circle", "arrow", "touching"):
        if fault in faults:
            spot = _bad_spot(fault, stroke.seat, lying, pieces, rng)
            if spot is None:
                had.discard(fault)
            else:
                stroke = _moved(stroke, spot)
    if "backward" in faults:
        back = seat_to_board(stroke.seat, float(rng.normal(0, 300)), float(rng.uniform(700, 1500)))
        stroke = replace(stroke, velocity=back, target=None, pocket=None)
    nudge = None
    if "hand_touched_piece" in faults:
        nudge = _nudge(stroke, lying, pieces)
        if nudge is None:
            had.discard("hand_touched_piece")
        else:
            lying = {**lying, nudge.name: nudge.after}
            flags.append("piece_moved_before")
    placed = stroke.at_mm
    if "two_hands" in faults or (nudge is not None and _aside_mm(stroke.seat, placed, nudge.after) > _HAND_WIDE_MM):
        flags.append("two_hands")
    pushed = "push" in faults and _push_is_clear(stroke, lying, pieces)
    if pushed:
        flags.append("push")
        vx, vy = stroke.velocity
        speed = hypot(vx, vy)
        slower = min(speed, 900.0)
        stroke = replace(
            stroke,
            at_mm=(placed[0] + vx / speed * PUSH_MM, placed[1] + vy / speed * PUSH_MM),
            velocity=(vx / speed * slower, vy / speed * slower),
        )
    else:
        had.discard("push")
    motion = _motion(stroke, lying, pieces, material, rng, had)
    if not motion.falls:
        had -= {"lost_beam", "hand_over_pocket", "hidden_fall"}
    return Played(replace(stroke, at_mm=placed), motion, frozenset(had), tuple(flags), placed, pushed, nudge)


def _motion(
    stroke: Stroke,
    lying: Mapping[int, Pose],
    pieces: PieceSet,
    material: Material,
    rng: np.random.Generator,
    had: set[Fault],
) -> Motion:
    if "leap" in had:
        vx, vy = stroke.velocity
        fast = max(2200.0 / (hypot(vx, vy) or 1.0), 1.0)
        hard = replace(stroke, velocity=(vx * fast, vy * fast))
        eager = replace(material, leap_odds=0.35, leap_mm_s=900.0)
        for _ in range(8):
            motion = play_out(hard, lying, pieces, eager, int(rng.integers(1 << 30)))
            if len(motion.leaps) == 1:
                return motion
        had.discard("leap")
    return play_out(stroke, lying, pieces, material)


def _moved(stroke: Stroke, spot: tuple[float, float]) -> Stroke:
    """The same shot from another place: the direction is kept on what it aimed at, roughly."""
    vx, vy = stroke.velocity
    speed = hypot(vx, vy) or 1.0
    aim = (stroke.at_mm[0] + vx / speed * 250.0, stroke.at_mm[1] + vy / speed * 250.0)
    dx, dy = aim[0] - spot[0], aim[1] - spot[1]
    far = hypot(dx, dy) or 1.0
    return replace(stroke, at_mm=spot, velocity=(dx / far * speed, dy / far * speed))


def _bad_spot(
    fault: str, seat: Seat, lying: Mapping[int, Pose], pieces: PieceSet, rng: np.random.Generator
) -> tuple[float, float] | None:
    """A place for the striker that has one fault only, by more than a millimetre."""
    radius, board = pieces.radius(STRIKER), pieces.board
    line, end = board.base_circle_from_centre_mm, board.base_circle_along_mm
    off_inner = board.inner_line_y_mm[0] + radius - line
    on_circle = radius - board.base_circle_diameter_mm / 2
    at_arrow = (line - end) * 2**-0.5 - board.arrow_line_width_mm / 2 - radius
    for _ in range(200):
        side = 1.0 if rng.random() < 0.5 else -1.0
        along, away = float(rng.uniform(_BESIDE_CIRCLES_MM - end, end - _BESIDE_CIRCLES_MM)), line
        if fault == "one_line":
            away += side * float(rng.uniform(off_inner + 1.35, off_inner + 4.25))
        elif fault == "cut_circle":
            along = side * (end - float(rng.uniform(8.0, 24.0)))
        elif fault == "arrow":
            shift = float(rng.uniform(at_arrow + 1.0, max(on_circle - 0.45, at_arrow + 1.0))) * 2**-0.5
            along, away = side * (end + shift), line - shift
        elif lying:
            names = list(lying)
            pose = lying[names[int(rng.integers(len(names)))]]
            a = float(rng.uniform(0, 2 * pi))
            reach = radius + pieces.coin_diameter_mm / 2 + 0.01
            along, away = to_seat(seat, pose.x_mm + reach * cos(a), pose.y_mm + reach * sin(a))
            if abs(along) > end - 39.1 or abs(away - line) > 3.5:
                continue
        x, y = seat_to_board(seat, along, away)
        if not is_free(x, y, radius, lying, pieces, 0.005 if fault == "touching" else 1.2):
            continue
        lines, circle = placement_lines(seat, x, y, radius, board), placement_circle(x, y, radius, board)
        wanted = {
            "one_line": lines == "one" and circle == "clear",
            "cut_circle": circle == "partial",
            "arrow": circle == "covered" and on_arrow(x, y, radius, board),
        }
        if wanted.get(fault, True):
            return x, y
    return None


def _aside_mm(seat: Seat, at_mm: tuple[float, float], of: Pose) -> float:
    return abs(to_seat(seat, *at_mm)[0] - to_seat(seat, of.x_mm, of.y_mm)[0])


def _push_is_clear(stroke: Stroke, lying: Mapping[int, Pose], pieces: PieceSet) -> bool:
    vx, vy = stroke.velocity
    speed = hypot(vx, vy) or 1.0
    radius = pieces.radius(STRIKER)
    spots = [
        (stroke.at_mm[0] + vx / speed * d, stroke.at_mm[1] + vy / speed * d) for d in np.linspace(0, PUSH_MM + 4, 12)
    ]
    return all(is_free(x, y, radius, lying, pieces, 1.0) for x, y in spots)


def _nudge(stroke: Stroke, lying: Mapping[int, Pose], pieces: PieceSet) -> Nudge | None:
    """The nearest piece within the hand's reach that can be displaced a little without touching another."""
    x, y = stroke.at_mm
    near = sorted((hypot(p.x_mm - x, p.y_mm - y), name) for name, p in lying.items() if name != STRIKER)
    away = seat_to_board(stroke.seat, 0.0, -1.0)
    for far, name in near:
        if not 45.0 < far < 330.0:
            continue
        before = lying[name]
        others = {n: p for n, p in lying.items() if n != name}
        others[STRIKER] = Pose(x, y, 0.0, 0.0)
        after = Pose(before.x_mm + away[0] * _NUDGE_MM, before.y_mm + away[1] * _NUDGE_MM, 0.0, before.angle_rad)
        if is_free(after.x_mm, after.y_mm, pieces.radius(name), others, pieces, 1.0):
            inside = pieces.board.nearest_pocket(before.x_mm, before.y_mm)[1] > 45.0
            if inside:
                return Nudge(name, before, after)
    return None
