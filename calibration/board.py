"""The millimetres of a carrom board. Imports nothing of ours and may be imported by every room.

Frame: origin at the centre of the playing surface, x to the east, y to the north (away from the south seat), z up
from the surface. Sizes follow the international laws' equipment part; a board that differs is another `Board`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import hypot, sqrt

SEATS = ("south", "east", "north", "west")
"""The seats, anticlockwise seen from above: the next one is at the player's right hand."""

POCKETS = ("NE", "NW", "SW", "SE")


@dataclass(frozen=True, slots=True)
class Board:
    """One board's geometry in mm.

    `outer_line_mm` and `inner_line_mm` are the distances from the cushion to the two edges of each painted base
    line; what follows from others is a property: a pocket lies in its corner, touching both cushions' lines; the base
    circles lie at the ends of the lines, midway between the outer line's far edge and the inner line's near edge.
    """

    half_mm: float = 370.0
    frame_width_mm: float = 65.0
    frame_height_mm: float = 20.0
    pocket_radius_mm: float = 22.25
    outer_line_mm: tuple[float, float] = (101.5, 106.5)
    inner_line_mm: tuple[float, float] = (131.8, 133.3)
    line_half_length_mm: float = 219.1
    base_circle_diameter_mm: float = 31.8
    base_disc_diameter_mm: float = 25.4
    centre_circle_diameter_mm: float = 31.8
    outer_circle_diameter_mm: float = 170.0
    arrow_radii_mm: tuple[float, float] = (152.5, 419.5)
    arrow_line_width_mm: float = 1.5
    coin_diameter_mm: float = 31.0
    coin_thickness_mm: float = 8.0
    striker_diameter_mm: float = 41.3
    striker_thickness_mm: float = 9.0

    def radius_mm(self, piece: str) -> float:
        """The radius of a piece: the striker's own, any other a coin's."""
        return (self.striker_diameter_mm if piece == "striker" else self.coin_diameter_mm) / 2

    def rests_from_mm(self, piece: str) -> float:
        """How near to a pocket's centre a piece's own may lie: there its rim bridges the hole, nearer it tips in."""
        return sqrt(max(0.0, self.pocket_radius_mm**2 - self.radius_mm(piece) ** 2))

    @property
    def touching_mm(self) -> float:
        """How far the middles of a striker and a coin that touch lie apart."""
        return (self.striker_diameter_mm + self.coin_diameter_mm) / 2

    @property
    def pocket_centre_mm(self) -> float:
        """How far a pocket's centre lies from the middle of the board, along x and along y."""
        return self.half_mm - self.pocket_radius_mm

    @property
    def base_circle_along_mm(self) -> float:
        """How far a base circle's centre lies from the middle of its line."""
        return self.line_half_length_mm

    @property
    def base_circle_from_centre_mm(self) -> float:
        """How far the base circles' centres, and the middle of the base lines, lie from the middle of the board."""
        return self.half_mm - (self.outer_line_mm[0] + self.inner_line_mm[1]) / 2

    @property
    def outer_line_y_mm(self) -> tuple[float, float]:
        """Distance of the outer base line's two edges from the middle of the board, far edge first."""
        return (self.half_mm - self.outer_line_mm[0], self.half_mm - self.outer_line_mm[1])

    @property
    def inner_line_y_mm(self) -> tuple[float, float]:
        """Distance of the inner base line's two edges from the middle of the board, far edge first."""
        return (self.half_mm - self.inner_line_mm[0], self.half_mm - self.inner_line_mm[1])

    @property
    def pockets_mm(self) -> dict[str, tuple[float, float]]:
        """The pockets' centres by name."""
        c = self.pocket_centre_mm
        return {"NE": (c, c), "NW": (-c, c), "SW": (-c, -c), "SE": (c, -c)}

    @property
    def base_circles_mm(self) -> tuple[tuple[float, float], ...]:
        """The eight base circles' centres."""
        along, away = self.base_circle_along_mm, self.base_circle_from_centre_mm
        return tuple(seat_to_board(seat, x, away) for seat in SEATS for x in (-along, along))

    def nearest_pocket(self, x_mm: float, y_mm: float) -> tuple[str, float]:
        """Returns the pocket nearest to a point and the distance to its centre."""
        north = y_mm >= 0.0
        east = x_mm > 0.0 or (x_mm == 0.0 and north)
        centre = self.pocket_centre_mm
        return ("N" if north else "S") + ("E" if east else "W"), hypot(abs(x_mm) - centre, abs(y_mm) - centre)

    def from_line_mm(self, x_mm: float, y_mm: float, seats: Iterable[str] = SEATS) -> float:
        """How far a place is from the nearest of some seats' base lines, where strikers are placed; inf for no seat.

        Across the line, or beyond its ends, whichever is farther.
        """
        away = [float("inf")]
        for seat in seats:
            across, back = board_to_seat(seat, x_mm, y_mm)
            away.append(max(abs(back - self.base_circle_from_centre_mm), abs(across) - self.base_circle_along_mm))
        return min(away)


DEFAULT_BOARD = Board()
"""The laws' board. Below the wiring nobody may reach for it (`make lint`): there a board is handed in."""


def seat_to_board(seat: str, x_mm: float, away_mm: float) -> tuple[float, float]:
    """Turns a seat's own view into board coordinates.

    `x_mm` runs to the right of the player who sits there, `away_mm` from the middle of the board towards the
    player. Raises KeyError for an unknown seat.
    """
    right, back = _SEAT_AXES[seat]
    return (x_mm * right[0] + away_mm * back[0], x_mm * right[1] + away_mm * back[1])


def board_to_seat(seat: str, x_mm: float, y_mm: float) -> tuple[float, float]:
    """Turns board coordinates into a seat's own view: (to the player's right, towards the player)."""
    right, back = _SEAT_AXES[seat]
    return (x_mm * right[0] + y_mm * right[1], x_mm * back[0] + y_mm * back[1])


_SEAT_AXES: dict[str, tuple[tuple[float, float], tuple[float, float]]] = {
    "south": ((1.0, 0.0), (0.0, -1.0)),
    "east": ((0.0, 1.0), (1.0, 0.0)),
    "north": ((-1.0, 0.0), (0.0, 1.0)),
    "west": ((0.0, -1.0), (-1.0, 0.0)),
}
