"""Which board that ships a measured one resembles more than the board it was given as.

A picture has no millimetres: a board called larger or smaller than it is looks the same, and its lines fit, for they
shrink with the surface. What does not shrink tells: the coins, the outer circle, the pockets. Must not know pictures.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from calibration.board import Board
from calibration.measures import measures_of
from calibration.presets import PRESETS

MAKERS_MM = {
    "outer_line_mm": 1.5,
    "inner_line_mm": 1.5,
    "line_half_length_mm": 1.5,
    "base_circle_mm": 0.8,
    "outer_circle_mm": 2.0,
    "pocket_radius_mm": 1.0,
}
"""One standard deviation by which boards of one size differ from one another, with what a camera adds."""

COIN_MM = 0.5
"""The same for a coin: the laws leave 30.2 to 31.8 mm open."""

SAME_SIDE = 0.015
"""Boards whose sides differ by less are not distinguished, and need not be: 5 mm at the cushion."""

NAMED, SURE = 8.0, 16.0
"""By so much less must the squared deviations, in standard deviations, add up for a board to be named, and for the
one that was given to be refused. Refused it is only where markings and coins both say so, by EACH at least: a maker may
paint one size of circle on every board, and a set of pieces may come from another board."""
EACH = 4.0


@dataclass(frozen=True, slots=True)
class Resembles:
    """The preset that fits better; `side_mm` of it; `sure`: whether it can be no other."""

    preset: str
    side_mm: float
    sure: bool


def resembles(measured: Mapping[str, Any], told: Board, coin_mm: float, coin_said_mm: float | None) -> Resembles | None:
    """Returns the board that ships and fits clearly better than `told`, None where none does.

    `measured`: what was measured, by its public name; `coin_mm`: a coin's diameter in the opening arrangement. Both in
    millimetres of the given board. `coin_said_mm`: its true diameter where a person gave it.
    """
    markings, coins = _off(measured, told, coin_mm, coin_said_mm, told)
    found: Resembles | None = None
    most = NAMED
    for name, board in PRESETS.items():
        if abs(board.half_mm / told.half_mm - 1.0) < SAME_SIDE:
            continue
        by_markings, by_coins = _off(measured, told, coin_mm, coin_said_mm, board)
        by_markings, by_coins = markings - by_markings, coins - by_coins
        if by_markings + by_coins > most:
            most = by_markings + by_coins
            sure = most > SURE and min(by_markings, by_coins) > EACH
            found = Resembles(name, 2.0 * board.half_mm, sure)
    return found


def _off(
    measured: Mapping[str, Any], told: Board, coin_mm: float, coin_said_mm: float | None, board: Board
) -> tuple[float, float]:
    """How far markings and coins are off a board's: squares of standard deviations."""
    larger, its = board.half_mm / told.half_mm, measures_of(board)
    markings = 0.0
    for name, sigma_mm in MAKERS_MM.items():
        if name in measured:
            markings += ((_middle(measured[name]) * larger - _middle(its[name])) / sigma_mm) ** 2
    return markings, ((coin_mm * larger - (coin_said_mm or board.coin_diameter_mm)) / COIN_MM) ** 2


def _middle(value: Any) -> float:
    return float(sum(value[:2]) / 2.0) if isinstance(value, list) else float(value)
