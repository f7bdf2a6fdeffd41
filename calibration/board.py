"""The millimetres of a carrom board. Imports nothing of ours and may be imported by every room.

Frame: origin at the centre of the playing surface, x to the east, y to the north (away from the south seat), z up
from the surface. Sizes follow the international laws' equipment part; a board that differs is another `Board`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import hypot, isfinite
from types import MappingProxyType
from typing import Any

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
        return min(
            ((name, hypot(x_mm - cx, y_mm - cy)) for name, (cx, cy) in self.pockets_mm.items()),
            key=lambda pair: pair[1],
        )

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


# The measures of a board as people write them: `[board]` in the configuration, `board` of a start, `measures` on MQTT.

SIDES_MM = (400.0, 2000.0)
"""Playing surfaces from a child's board to twice the laws'; outside it somebody wrote centimetres or inches."""

_PLAIN = {
    "pocket_radius_mm": "pocket_radius_mm",
    "line_half_length_mm": "line_half_length_mm",
    "base_circle_mm": "base_circle_diameter_mm",
    "base_disc_mm": "base_disc_diameter_mm",
    "centre_circle_mm": "centre_circle_diameter_mm",
    "outer_circle_mm": "outer_circle_diameter_mm",
    "frame_width_mm": "frame_width_mm",
    "frame_height_mm": "frame_height_mm",
    "coin_diameter_mm": "coin_diameter_mm",
    "coin_thickness_mm": "coin_thickness_mm",
    "striker_diameter_mm": "striker_diameter_mm",
    "striker_thickness_mm": "striker_thickness_mm",
}
"""Measure → field, where they are one number each."""

_PAIRS = {"outer_line_mm": 2, "inner_line_mm": 2, "arrow_mm": 3}
MEASURES = ("side_mm", *_PLAIN, *_PAIRS)
"""Every measure that can be said of a board."""

PRESETS: Mapping[str, Board] = MappingProxyType(
    {
        "international": DEFAULT_BOARD,
        # The smallest that the laws allow: surface 735 mm, pieces 30.2 mm.
        "international-735": Board(half_mm=367.5, coin_diameter_mm=30.2, coin_thickness_mm=7.0),
        # Surfaces of 28, 26 and 24 inches are sold for homes and children. No standard says their markings: these
        # shrink with the surface, pockets and pieces less so. Starting points, to be measured and corrected.
        "home-28-inch": Board(
            half_mm=355.6,
            frame_width_mm=50.0,
            outer_line_mm=(97.5, 102.0),
            inner_line_mm=(127.0, 128.5),
            line_half_length_mm=210.0,
            base_circle_diameter_mm=31.0,
            base_disc_diameter_mm=25.0,
            arrow_radii_mm=(146.0, 400.0),
        ),
        "home-26-inch": Board(
            half_mm=330.2,
            frame_width_mm=50.0,
            pocket_radius_mm=21.0,
            outer_line_mm=(90.5, 94.5),
            inner_line_mm=(118.0, 119.5),
            line_half_length_mm=195.0,
            base_circle_diameter_mm=29.0,
            base_disc_diameter_mm=23.0,
            centre_circle_diameter_mm=30.0,
            outer_circle_diameter_mm=160.0,
            arrow_radii_mm=(136.0, 372.0),
            coin_diameter_mm=29.5,
            coin_thickness_mm=7.5,
            striker_diameter_mm=39.0,
        ),
        "home-24-inch": Board(
            half_mm=304.8,
            frame_width_mm=40.0,
            pocket_radius_mm=20.5,
            outer_line_mm=(83.5, 87.0),
            inner_line_mm=(109.0, 110.5),
            line_half_length_mm=180.0,
            base_circle_diameter_mm=27.0,
            base_disc_diameter_mm=21.5,
            centre_circle_diameter_mm=28.0,
            outer_circle_diameter_mm=150.0,
            arrow_radii_mm=(126.0, 340.0),
            coin_diameter_mm=28.0,
            coin_thickness_mm=7.0,
            striker_diameter_mm=37.0,
            striker_thickness_mm=8.0,
        ),
        # A club's own: pockets a size larger and base lines nearer to the cushion than the laws draw them.
        "club-wide-pockets": Board(
            frame_width_mm=76.0,
            pocket_radius_mm=25.4,
            outer_line_mm=(95.0, 101.0),
            inner_line_mm=(126.0, 128.0),
            line_half_length_mm=216.0,
            base_circle_diameter_mm=33.0,
            base_disc_diameter_mm=26.0,
        ),
    }
)
"""Boards to begin from, by name. The first is the laws'."""


def measures_of(board: Board) -> dict[str, Any]:
    """Returns every measure of a board by its public name: numbers and lists of numbers, mm."""
    return {
        "side_mm": 2 * board.half_mm,
        **{name: getattr(board, field) for name, field in _PLAIN.items()},
        "outer_line_mm": list(board.outer_line_mm),
        "inner_line_mm": list(board.inner_line_mm),
        "arrow_mm": [*board.arrow_radii_mm, board.arrow_line_width_mm],
    }


def board_of(measures: Mapping[str, Any], base: Board | None = None) -> Board:
    """Returns the board that some measures say, the others being its preset's (`international` where none is named).

    `base`: what takes the place of a preset. Raises ValueError that names the measure and says how to mend it.
    """
    preset = measures.get("preset", "international")
    if not isinstance(preset, str) or preset not in PRESETS:
        raise ValueError(f"preset = {preset!r}: there is no such board. Mend: use one of {', '.join(PRESETS)}")
    board = base if base is not None else PRESETS[preset]
    changes: dict[str, Any] = {}
    for name, value in measures.items():
        if name == "preset":
            continue
        if name not in MEASURES:
            raise ValueError(f"{name}: there is no such measure. Mend: use one of preset, {', '.join(MEASURES)}")
        changes |= _field(name, value)
    board = replace(board, **changes)
    if doubt := unlikely(board):
        raise ValueError(f"{doubt}. Mend: measure again, in mm")
    return board


def differences(board: Board, other: Board) -> list[str]:
    """Returns, in words, every measure in which two boards are not alike, as far as a ruler can tell."""
    one, two = measures_of(board), measures_of(other)
    return [f"{name} {_said(one[name])} and {_said(two[name])}" for name in MEASURES if _apart(one[name], two[name])]


RULER_MM = 0.5
"""Two who measure the same board with a ruler differ by so much."""


def board_in_use(said: Mapping[str, Any], calibrated: Board) -> tuple[Board, str]:
    """Returns the board that is played on, and a line of doubt ("" for none) where it was calibrated for another.

    `said`: preset and measures of the configuration; they win. Without any, the board is the calibration's.
    Raises ValueError as `board_of` does.
    """
    if not said:
        return calibrated, ""
    board = board_of(said)
    apart = differences(board, calibrated)
    if not apart:
        return board, ""
    more = f" and {len(apart) - 1} more" if len(apart) > 1 else ""
    says = f"made for another board than [board] says: {apart[0]} mm{more}. Mend: carrom calibrate with --board, or"
    return board, f"{says} correct [board]"


def _apart(one: Any, two: Any) -> bool:
    pairs = zip(one, two, strict=True) if isinstance(one, list) else [(one, two)]
    return any(abs(a - b) > RULER_MM for a, b in pairs)


def _said(value: Any) -> str:
    return " to ".join(f"{part:g}" for part in value[:2]) if isinstance(value, list) else f"{value:g}"


def _field(name: str, value: Any) -> dict[str, Any]:
    if name in _PAIRS:
        parts = value if isinstance(value, list | tuple) else []
        if len(parts) != _PAIRS[name]:
            raise ValueError(f"{name} = {value!r}: must be {_PAIRS[name]} numbers. Mend: write [from, to, …] in mm")
        numbers = tuple(_number(name, part) for part in parts)
        if name == "arrow_mm":
            return {"arrow_radii_mm": numbers[:2], "arrow_line_width_mm": numbers[2]}
        return {name: numbers}
    if name == "side_mm":
        return {"half_mm": _number(name, value) / 2}
    return {_PLAIN[name]: _number(name, value)}


def _number(name: str, value: Any) -> float:
    try:
        number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0
    except OverflowError:
        number = 0.0
    if not isfinite(number) or number <= 0:
        raise ValueError(f"{name} = {str(value)[:20]!r}: must be a number above 0. Mend: write it in mm")
    return number


def unlikely(board: Board) -> str:
    """Returns which measures no board has together, by their public names; "" where all can be."""
    side = 2 * board.half_mm
    outer, inner = board.outer_line_mm, board.inner_line_mm
    near, far = board.arrow_radii_mm
    striker, coin = board.striker_diameter_mm, board.coin_diameter_mm
    wrong = (
        (not SIDES_MM[0] <= side <= SIDES_MM[1], f"side_mm = {side:g}: is not from {SIDES_MM[0]:g} to {SIDES_MM[1]:g}"),
        (not outer[0] < outer[1], f"outer_line_mm = {list(outer)}: does not run from the cushion inwards"),
        (not inner[0] < inner[1], f"inner_line_mm = {list(inner)}: does not run from the cushion inwards"),
        (not outer[1] < inner[0], f"inner_line_mm = {list(inner)}: does not lie inside outer_line_mm"),
        (not inner[1] < side / 2, f"inner_line_mm = {list(inner)}: lies beyond the middle"),
        (not near < far, f"arrow_mm = {[near, far]}: does not run outwards"),
        (not far < side / 2 * 2**0.5, f"arrow_mm = {[near, far]}: ends off the board"),
        (
            not board.line_half_length_mm + board.base_circle_diameter_mm / 2 < side / 2,
            f"line_half_length_mm = {board.line_half_length_mm:g}: the lines are longer than the board",
        ),
        (
            not board.base_disc_diameter_mm <= board.base_circle_diameter_mm,
            f"base_disc_mm = {board.base_disc_diameter_mm:g}: is wider than its circle",
        ),
        (
            not board.centre_circle_diameter_mm < board.outer_circle_diameter_mm < side,
            f"outer_circle_mm = {board.outer_circle_diameter_mm:g}: does not hold the centre circle, or is too wide",
        ),
        (not coin < striker, f"striker_diameter_mm = {striker:g}: is not above the coin's {coin:g}"),
        (
            not coin < 2 * board.pocket_radius_mm < side / 4,
            f"pocket_radius_mm = {board.pocket_radius_mm:g}: no coin of {coin:g} falls in, or half the side is pocket",
        ),
        (
            not max(board.coin_thickness_mm, board.striker_thickness_mm) < coin,
            "coin_thickness_mm, striker_thickness_mm: thicker than a coin is wide",
        ),
    )
    return next((says for is_wrong, says in wrong if is_wrong), "")
