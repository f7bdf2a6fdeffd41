"""The true `shot` event: what really happened in a stroke, computed from the physics and the placement.

Knows the words of the events and the board's millimetres; never how vision or the pockets sense it.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import hypot

import numpy as np

from controller.events.match import Contact, Placement, Pocketed, RestPiece, Shot
from controller.events.words import Flag, Heading, Seat
from controller.simulator.motion import Motion, Pose
from controller.simulator.pieces import (
    STRIKER,
    PieceSet,
    on_arrow,
    placement_circle,
    placement_lines,
    to_seat,
)

TOUCHING_MM = 0.05


def true_placement(seat: Seat, at: tuple[float, float], lying: Mapping[int, Pose], pieces: PieceSet) -> Placement:
    """The facts of where the striker lay when it was struck; `lying` holds the other pieces."""
    radius = pieces.radius(STRIKER)
    gap = min(
        (hypot(at[0] - p.x_mm, at[1] - p.y_mm) - radius - pieces.radius(n) for n, p in lying.items() if n != STRIKER),
        default=1e9,
    )
    return Placement(
        x=round(at[0], 3),
        y=round(at[1], 3),
        lines=placement_lines(seat, *at, radius, pieces.board),
        circle=placement_circle(*at, radius, pieces.board),
        arrow=on_arrow(*at, radius, pieces.board),
        touching=gap < TOUCHING_MM,
    )


def true_shot(
    seat: Seat,
    motion: Motion,
    pieces: PieceSet,
    placed_at: tuple[float, float],
    struck_s: float,
    elapsed_s: float,
    flags: tuple[Flag, ...] = (),
    all_at_rest: bool = True,
    still_on: int = 1,
) -> Shot:
    """The stroke as it really was.

    `still_on`: a striker that always touches so many of its base lines has not left them; that is the book's.
    `struck_s`: when the striker was struck, in seconds since the match's start; it is the run's time zero.
    `crossed_baseline` counts the pieces that moved and whose edge reached an inner base line on any side; one that
    fell or left the board has done so.
    """
    start = {n: pose for n in motion.names if (pose := motion.sample(n, 0.0)) is not None}
    falls = sorted(motion.falls, key=lambda fall: fall.t_s)
    return Shot(
        seat=seat,
        t=round(struck_s, 4),
        elapsed=round(elapsed_s, 3),
        placement=true_placement(seat, placed_at, start, pieces),
        left_baseline=_left_baseline(seat, motion, pieces, still_on),
        heading=_heading(seat, motion),
        all_at_rest=all_at_rest,
        contacts=_contacts(motion),
        pocketed=tuple(Pocketed(f.piece, f.pocket, round(struck_s + f.t_s, 4)) for f in falls),
        off_board=tuple(leap.piece for leap in sorted(motion.leaps, key=lambda leap: leap.gone_s)),
        crossed_baseline=_crossed(motion, pieces),
        flags=flags,
        rest=tuple(
            RestPiece(pieces.piece(n), round(p.x_mm, 3), round(p.y_mm, 3))
            for n, p in motion.resting().items()
            if n != STRIKER
        ),
    )


def _contacts(motion: Motion) -> tuple[Contact, ...]:
    found = []
    for hit in motion.hits:
        if STRIKER not in (hit.name, hit.other):
            continue
        if hit.other is None:
            found.append(Contact("cushion", (round(hit.x_mm, 2), round(hit.y_mm, 2))))
            continue
        other = hit.other if hit.name == STRIKER else hit.name
        at = motion.sample(other, hit.t_s)
        found.append(
            Contact(
                motion.pieces[motion.names.index(other)],
                (round(at.x_mm, 2), round(at.y_mm, 2)) if at is not None else None,
            )
        )
    return tuple(found)


def _heading(seat: Seat, motion: Motion) -> Heading:
    _, away = to_seat(seat, *motion.velocity(STRIKER, 1e-6))
    return "backward" if away > 0 else "forward"


def _left_baseline(seat: Seat, motion: Motion, pieces: PieceSet, still_on: int) -> bool:
    """Whether the striker ever touched fewer of its base lines, or has gone; one that never lay on so many left them
    by going farther than its own width."""
    if STRIKER in [f.name for f in motion.falls] + [leap.name for leap in motion.leaps]:
        return True
    poses = [motion.sample(STRIKER, float(t)) for t in np.arange(0.0, motion.rest_s + 0.01, 0.01)]
    spots = [(pose.x_mm, pose.y_mm) for pose in poses if pose is not None]
    radius = pieces.radius(STRIKER)
    touched = [("none", "one", "both").index(placement_lines(seat, x, y, radius, pieces.board)) for x, y in spots]
    if touched and touched[0] < still_on:
        return max(hypot(x - spots[0][0], y - spots[0][1]) for x, y in spots) > 2 * radius
    return any(lines < still_on for lines in touched)


def _crossed(motion: Motion, pieces: PieceSet) -> int:
    line = min(pieces.board.inner_line_y_mm)
    gone = {fall.name for fall in motion.falls} | {leap.name for leap in motion.leaps}
    count = 0
    for name in motion.names:
        if name == STRIKER or not motion.moves(name):
            continue
        reach = line - pieces.radius(name)
        path = motion.segments[motion.names.index(name)]
        # A piece is farthest out where a straight stretch ends, so the stretches' ends are enough.
        count += name in gone or any(max(abs(s.x_mm), abs(s.y_mm)) >= reach for s in path)
    return count
