"""Simulated players: they look for a shot by geometry, check it in their heads with the physics, and then miss a bit.

Also the search for a stroke with a wanted outcome, for scripted play. Knows the pieces and the physics, no rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from math import atan2, cos, degrees, dist, hypot, inf, radians, sin, sqrt

import numpy as np

from calibration.board import seat_to_board
from controller.events.words import Colour, Piece, Pocket, Seat
from controller.simulator.motion import Motion, Pose
from controller.simulator.physics import Material, run
from controller.simulator.pieces import STRIKER, PieceSet, is_free, is_legal_spot, names_of

_STEADIEST_CUT_DEG = 72.0


@dataclass(frozen=True, slots=True)
class Skill:
    """How steady a hand is: standard deviations of the direction and of the speed, and the time taken to think."""

    aim_deg: float = 0.35
    speed_share: float = 0.06
    think_s: tuple[float, float] = (0.3, 0.9)


@dataclass(frozen=True, slots=True)
class Stroke:
    """A stroke as it will be played: from where, with which velocity and spin; what it was meant to do."""

    seat: Seat
    at_mm: tuple[float, float]
    velocity: tuple[float, float]
    spin: float = 0.0
    target: int | None = None
    pocket: Pocket | None = None


Wanted = Callable[[Motion], bool]


def play_out(stroke: Stroke, lying: Mapping[int, Pose], pieces: PieceSet, material: Material, seed: int = 0) -> Motion:
    """Runs a stroke on a position (without the striker)."""
    discs = [pieces.disc(name, pose) for name, pose in lying.items() if name != STRIKER]
    discs.append(pieces.disc(STRIKER, Pose(*stroke.at_mm, 0.0, 0.3)))
    return run(discs, {STRIKER: (*stroke.velocity, stroke.spin)}, pieces.board, material=material, seed=seed)


def break_stroke(seat: Seat, lying: Mapping[int, Pose], pieces: PieceSet, rng: np.random.Generator) -> Stroke:
    """The opening: hard, at the middle of the rack or a little beside it."""
    at = seat_to_board(seat, float(rng.uniform(-90, 90)), pieces.board.base_circle_from_centre_mm)
    if not is_free(*at, pieces.radius(STRIKER), lying, pieces):
        # A second break: the shaken board has let a piece lie there.
        at = min(free_spots(seat, lying, pieces, rng), key=lambda spot: dist(spot, at))
    aim = seat_to_board(seat, float(rng.normal(0, 9)), 0.0)
    return Stroke(seat, at, _towards(at, aim, float(rng.uniform(2300, 3300))), float(rng.normal(0, 2)))


def choose(
    seat: Seat,
    colour: Colour,
    lying: Mapping[int, Pose],
    pieces: PieceSet,
    material: Material,
    rng: np.random.Generator,
    with_queen: bool = True,
) -> Stroke:
    """The shot a player goes for: the easiest of those that would work if played perfectly, else a hopeful one."""
    targets = names_of(pieces, colour, lying) + (names_of(pieces, "queen", lying) if with_queen else [])
    ideas = sorted(ideas_for(seat, targets, lying, pieces, material, rng), key=lambda idea: idea[0])
    for _, stroke in ideas[:6]:
        motion = play_out(stroke, lying, pieces, material)
        fallen = [fall.name for fall in motion.falls]
        if stroke.target in fallen and STRIKER not in fallen:
            return stroke
    if ideas:
        return ideas[0][1]
    return hopeful(seat, targets or [n for n in lying if n != STRIKER], lying, pieces, rng)


def hopeful(
    seat: Seat, targets: Iterable[int], lying: Mapping[int, Pose], pieces: PieceSet, rng: np.random.Generator
) -> Stroke:
    """Just hits one of the targets, at a middling speed, direct or off a cushion."""
    at = free_spots(seat, lying, pieces, rng)[0]
    names = [name for name in targets if name in lying]
    aim: tuple[float, float] = (0.0, 0.0)
    if names:
        pose = lying[names[int(rng.integers(len(names)))]]
        aim = (pose.x_mm, pose.y_mm)
        if rng.random() < 0.3 or not _is_forward(seat, (aim[0] - at[0], aim[1] - at[1])):
            half = pieces.board.half_mm - pieces.radius(STRIKER)
            right, back = seat_to_board(seat, 1.0, 0.0), seat_to_board(seat, 0.0, 1.0)
            off = aim[0] * back[0] + aim[1] * back[1]
            mirrored = -2 * half - off
            aim = (
                aim[0] * abs(right[0]) + mirrored * back[0],
                aim[1] * abs(right[1]) + mirrored * back[1],
            )
    return Stroke(seat, at, _towards(at, aim, float(rng.uniform(900, 2000))))


def unsteady(stroke: Stroke, skill: Skill, rng: np.random.Generator) -> Stroke:
    """The stroke as a hand of that skill plays it."""
    vx, vy = stroke.velocity
    speed = hypot(vx, vy) * (1 + float(rng.normal(0, skill.speed_share)))
    heading = atan2(vy, vx) + radians(float(rng.normal(0, skill.aim_deg)))
    return replace(stroke, velocity=(speed * cos(heading), speed * sin(heading)))


def search(
    wanted: Wanted,
    seat: Seat,
    targets: Iterable[int],
    lying: Mapping[int, Pose],
    pieces: PieceSet,
    material: Material,
    rng: np.random.Generator,
    tries: int = 160,
) -> tuple[Stroke, Motion] | None:
    """Looks for a stroke whose run is as wanted: thought-out shots first, then any. None if none is found."""
    names = list(targets)
    ideas = [idea for _, idea in sorted(ideas_for(seat, names, lying, pieces, material, rng), key=lambda idea: idea[0])]
    for k in range(tries):
        if k < len(ideas):
            stroke = ideas[k]
        elif ideas and k % 2:
            stroke = unsteady(ideas[int(rng.integers(len(ideas)))], Skill(2.0, 0.3), rng)
        else:
            stroke = hopeful(seat, names, lying, pieces, rng)
            stroke = unsteady(stroke, Skill(6.0, 0.4), rng)
        motion = play_out(stroke, lying, pieces, material)
        if wanted(motion):
            return stroke, motion
    return None


def ideas_for(
    seat: Seat,
    targets: Iterable[int],
    lying: Mapping[int, Pose],
    pieces: PieceSet,
    material: Material,
    rng: np.random.Generator,
) -> list[tuple[float, Stroke]]:
    """Direct shots by the geometry of the aiming point, each with how difficult it is (lower is easier)."""
    spots = free_spots(seat, lying, pieces, rng)
    found = []
    for name in targets:
        if name not in lying:
            continue
        coin = lying[name]
        for pocket, centre in pieces.board.pockets_mm.items():
            # The nearer to the cushions a coin runs, the more it must aim at the pocket's inner side.
            aim = (centre[0] * 0.985, centre[1] * 0.985)
            to = (aim[0] - coin.x_mm, aim[1] - coin.y_mm)
            far = hypot(*to)
            if far < 1.0 or not _clear((coin.x_mm, coin.y_mm), aim, pieces.radius(name), lying, pieces, {name}):
                continue
            reach = pieces.radius(name) + pieces.radius(STRIKER)
            ghost = (coin.x_mm - to[0] / far * reach, coin.y_mm - to[1] / far * reach)
            if max(abs(ghost[0]), abs(ghost[1])) > pieces.board.half_mm - pieces.radius(STRIKER):
                continue
            for at in spots:
                run_up = (ghost[0] - at[0], ghost[1] - at[1])
                d1 = hypot(*run_up)
                if d1 < 5.0 or not _is_forward(seat, run_up):
                    continue
                cut = degrees(np.arccos(np.clip((run_up[0] * to[0] + run_up[1] * to[1]) / (d1 * far), -1, 1)))
                if cut > _STEADIEST_CUT_DEG or not _clear(at, ghost, pieces.radius(STRIKER), lying, pieces, {name}):
                    continue
                speed = _speed_for(d1, far, cos(radians(cut)), pieces, material)
                if speed > 3600:
                    continue
                difficulty = cut / 30.0 + d1 / 500.0 + far / 300.0
                found.append((difficulty, Stroke(seat, at, _towards(at, ghost, speed), 0.0, name, pocket)))  # type: ignore[arg-type]
    return found


def free_spots(
    seat: Seat, lying: Mapping[int, Pose], pieces: PieceSet, rng: np.random.Generator
) -> list[tuple[float, float]]:
    """Legal places for the striker that no piece blocks, in random order: along the base lines and on the circles."""
    radius = pieces.radius(STRIKER)
    rest = {name: pose for name, pose in lying.items() if name != STRIKER}
    board = pieces.board
    away, end = board.base_circle_from_centre_mm, board.base_circle_along_mm
    # Between the circles with room for the striker, and on the circles.
    free = end - board.base_circle_diameter_mm - 12.3
    alongs = [*np.linspace(-free, free, 8) + rng.uniform(-12, 12, 8), -end, end]
    spots = []
    for along in rng.permutation(alongs):
        on_circle = abs(along) == end
        spot = seat_to_board(seat, float(along), away + (0.0 if on_circle else float(rng.uniform(-2.5, 2.5))))
        if is_legal_spot(seat, *spot, radius, board) and is_free(*spot, radius, rest, pieces, 0.6):
            spots.append(spot)
    if spots:
        return spots
    for along in np.arange(1.1 - end, end - 1.1, 1.0):
        spot = seat_to_board(seat, float(along), away)
        if is_legal_spot(seat, *spot, radius, board) and is_free(*spot, radius, rest, pieces, 0.2):
            spots.append(spot)
    return spots or [seat_to_board(seat, 0.0, away)]


def _is_forward(seat: Seat, way: tuple[float, float]) -> bool:
    """Whether a way leads clearly away from the player: many books forbid striking backward, and who would sideways."""
    ahead = seat_to_board(seat, 0.0, -1.0)
    return way[0] * ahead[0] + way[1] * ahead[1] > 0.04 * hypot(*way)


def _speed_for(run_up_mm: float, run_mm: float, share: float, pieces: PieceSet, material: Material) -> float:
    """Striker speed that takes the coin into the pocket with some to spare."""
    slow = material.slowing_mm_s2
    coin = sqrt(550.0**2 + 2 * slow * run_mm)
    transfer = (1 + material.piece_restitution) * pieces.striker_g / (pieces.striker_g + pieces.coin_g)
    hit = coin / (transfer * max(share, 0.25))
    return sqrt(hit * hit + 2 * slow * run_up_mm)


def _clear(
    a: tuple[float, float],
    b: tuple[float, float],
    radius: float,
    lying: Mapping[int, Pose],
    pieces: PieceSet,
    but: set[int],
) -> bool:
    """Whether a disc can run straight from a to b without touching another piece."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    length2 = dx * dx + dy * dy or inf
    for name, pose in lying.items():
        if name in but or name == STRIKER:
            continue
        u = min(max(((pose.x_mm - a[0]) * dx + (pose.y_mm - a[1]) * dy) / length2, 0.0), 1.0)
        if hypot(pose.x_mm - a[0] - u * dx, pose.y_mm - a[1] - u * dy) < radius + pieces.radius(name) + 0.8:
            return False
    return True


def _towards(a: tuple[float, float], b: tuple[float, float], speed: float) -> tuple[float, float]:
    far = hypot(b[0] - a[0], b[1] - a[1]) or 1.0
    return (b[0] - a[0]) / far * speed, (b[1] - a[1]) / far * speed


def fell(motion: Motion) -> list[Piece]:
    """What fell, in order."""
    return [fall.piece for fall in sorted(motion.falls, key=lambda fall: fall.t_s)]
