"""The set on the board: which pieces there are, how big and heavy, the opening arrangement, and free places.

Pieces carry numbers for ever: 0 the striker, 1 the queen, then the whites, then the blacks. Knows no rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import cos, hypot, pi, radians, sin, sqrt

import numpy as np

from calibration.board import Board, seat_to_board
from controller.events.words import Circle, Lines, Piece, Seat
from controller.simulator.motion import Pose
from controller.simulator.physics import Disc

STRIKER = 0
QUEEN = 1


@dataclass(frozen=True, slots=True)
class PieceSet:
    """The pieces of one table, in mm and g, and the board that they lie on. `each`: how many of either colour.

    Their sizes are what they really measure, whatever the board's measures say of them.
    """

    board: Board
    coin_diameter_mm: float
    coin_thickness_mm: float
    striker_diameter_mm: float
    striker_thickness_mm: float
    coin_g: float = 5.4
    striker_g: float = 15.0
    each: int = 9

    @property
    def names(self) -> range:
        """All numbers, the striker's included."""
        return range(2 + 2 * self.each)

    def piece(self, name: int) -> Piece:
        """What a number stands for."""
        if name == STRIKER:
            return "striker"
        if name == QUEEN:
            return "queen"
        return "white" if name < 2 + self.each else "black"

    def radius(self, name: int) -> float:
        """Radius in mm."""
        return (self.striker_diameter_mm if name == STRIKER else self.coin_diameter_mm) / 2

    def thickness(self, name: int) -> float:
        """Thickness in mm."""
        return self.striker_thickness_mm if name == STRIKER else self.coin_thickness_mm

    def disc(self, name: int, pose: Pose) -> Disc:
        """The piece as the physics wants it."""
        mass = self.striker_g if name == STRIKER else self.coin_g
        return Disc(name, self.piece(name), pose.x_mm, pose.y_mm, self.radius(name), mass, pose.angle_rad)


def pieces_of(board: Board, each: int = 9) -> PieceSet:
    """The set that a board's measures say."""
    return PieceSet(
        board,
        board.coin_diameter_mm,
        board.coin_thickness_mm,
        board.striker_diameter_mm,
        board.striker_thickness_mm,
        each=each,
    )


def opening(pieces: PieceSet, rng: np.random.Generator, turned_deg: float = 0.0) -> dict[int, Pose]:
    """The rack: queen in the middle, two rings, the whites in a «Y»; not quite tight, as hands leave it.

    With six of each colour the outer ring has the six corners only; with none the queen lies alone.
    """
    pitch = pieces.coin_diameter_mm + 0.06
    whites = iter(range(2, 2 + pieces.each))
    blacks = iter(range(2 + pieces.each, 2 + 2 * pieces.each))
    spots: list[tuple[float, float, bool]] = []
    for k in range(6):
        a = radians(60 * k + 90)
        spots.append((pitch * cos(a), pitch * sin(a), k % 2 == 0))
        spots.append((2 * pitch * cos(a), 2 * pitch * sin(a), k % 2 == 0))
    if pieces.each > 6:
        between = pitch * sqrt(3.0)
        spots += [
            (between * cos(radians(60 * k + 60)), between * sin(radians(60 * k + 60)), k % 2 == 0) for k in range(6)
        ]
    rack = {QUEEN: Pose(0.0, 0.0, 0.0, float(rng.uniform(0, 2 * pi)))}
    turn = radians(turned_deg)
    for x, y, white in spots if pieces.each else ():
        jx, jy = rng.uniform(-0.02, 0.02, 2)
        at = (x * cos(turn) - y * sin(turn) + jx, x * sin(turn) + y * cos(turn) + jy)
        rack[next(whites if white else blacks)] = Pose(float(at[0]), float(at[1]), 0.0, float(rng.uniform(0, 2 * pi)))
    return rack


def is_free(
    x_mm: float,
    y_mm: float,
    radius_mm: float,
    lying: Mapping[int, Pose],
    pieces: PieceSet,
    gap_mm: float = 0.3,
) -> bool:
    """Whether a piece may be put down there: on the board, off the pockets' mouths and clear of the others."""
    board = pieces.board
    if max(abs(x_mm), abs(y_mm)) > board.half_mm - radius_mm - gap_mm:
        return False
    if board.nearest_pocket(x_mm, y_mm)[1] < board.pocket_radius_mm + 1.0:
        return False
    return all(
        hypot(x_mm - p.x_mm, y_mm - p.y_mm) >= radius_mm + pieces.radius(name) + gap_mm for name, p in lying.items()
    )


def free_near(
    x_mm: float, y_mm: float, radius_mm: float, lying: Mapping[int, Pose], pieces: PieceSet, most_mm: float = 400.0
) -> tuple[float, float]:
    """The free spot nearest to a wish, searched in widening rings. Raises ValueError if there is none."""
    for ring in np.arange(0.0, most_mm, 2.0):
        steps = max(1, int(2 * pi * ring / 4.0))
        for k in range(steps):
            a = 2 * pi * k / steps
            x, y = x_mm + float(ring) * cos(a), y_mm + float(ring) * sin(a)
            if is_free(x, y, radius_mm, lying, pieces):
                return x, y
    raise ValueError("there is no free spot on the board")


def placement_lines(seat: Seat, x_mm: float, y_mm: float, radius_mm: float, board: Board) -> Lines:
    """How many of the seat's two painted base lines a striker overlaps, seen from straight above."""
    along, away = to_seat(seat, x_mm, y_mm)
    touched = 0
    for far, near in (board.outer_line_y_mm, board.inner_line_y_mm):
        over = max(abs(along) - board.line_half_length_mm, 0.0)
        off = max(away - max(far, near), min(far, near) - away, 0.0)
        touched += hypot(over, off) < radius_mm
    words: tuple[Lines, Lines, Lines] = ("none", "one", "both")
    return words[touched]


def placement_circle(x_mm: float, y_mm: float, radius_mm: float, board: Board) -> Circle:
    """How a striker lies to the base circles: covers one, cuts one, or is clear of all."""
    ring = board.base_circle_diameter_mm / 2
    gaps = [hypot(x_mm - cx, y_mm - cy) for cx, cy in board.base_circles_mm]
    if any(radius_mm - ring < gap < radius_mm + ring for gap in gaps):
        return "partial"
    return "covered" if any(gap <= radius_mm - ring for gap in gaps) else "clear"


def on_arrow(x_mm: float, y_mm: float, radius_mm: float, board: Board) -> bool:
    """Whether a disc overlaps one of the four painted arrow lines."""
    inner, outer = board.arrow_radii_mm
    along = (abs(x_mm) + abs(y_mm)) / sqrt(2.0)
    off = abs(abs(x_mm) - abs(y_mm)) / sqrt(2.0)
    over = max(along - outer, inner - along, 0.0)
    return hypot(over, max(off - board.arrow_line_width_mm / 2, 0.0)) < radius_mm


def to_seat(seat: Seat, x_mm: float, y_mm: float) -> tuple[float, float]:
    """Board coordinates in a seat's own view: (to the player's right, towards the player)."""
    right, back = seat_to_board(seat, 1.0, 0.0), seat_to_board(seat, 0.0, 1.0)
    return x_mm * right[0] + y_mm * right[1], x_mm * back[0] + y_mm * back[1]


def is_legal_spot(seat: Seat, x_mm: float, y_mm: float, radius_mm: float, board: Board) -> bool:
    """Whether a striker may be played from there: both lines and no circle cut, or a circle covered; no arrow."""
    if on_arrow(x_mm, y_mm, radius_mm, board):
        return False
    circle = placement_circle(x_mm, y_mm, radius_mm, board)
    if circle == "covered":
        return True
    return circle == "clear" and placement_lines(seat, x_mm, y_mm, radius_mm, board) == "both"


def names_of(pieces: PieceSet, kind: Piece, lying: Iterable[int]) -> list[int]:
    """The numbers of one kind among those given."""
    return [name for name in lying if pieces.piece(name) == kind]
