"""The measures of a board as people write them: `[board]` in the configuration, `board` of a start, `measures` on MQTT.

From words and numbers to a `Board` and back, and what no board can be. Knows the boards that ship, and no pictures.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from math import isfinite
from typing import Any

from calibration.board import Board
from calibration.presets import PRESETS

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
"""Every measure that can be given of a board."""


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

    `base`: what takes the place of a preset. Raises ValueError that names the measure and says how to repair it.
    """
    preset = measures.get("preset", "international")
    if not isinstance(preset, str) or preset not in PRESETS:
        raise ValueError(f"preset = {preset!r}: there is no such board. Fix: use one of {', '.join(PRESETS)}")
    board = base if base is not None else PRESETS[preset]
    changes: dict[str, Any] = {}
    for name, value in measures.items():
        if name == "preset":
            continue
        if name not in MEASURES:
            raise ValueError(f"{name}: there is no such measure. Fix: use one of preset, {', '.join(MEASURES)}")
        changes |= _field(name, value)
    board = replace(board, **changes)
    if doubt := unlikely(board):
        raise ValueError(f"{doubt}. Fix: measure again, in mm")
    return board


def differences(board: Board, other: Board) -> list[str]:
    """Returns, in words, every measure in which two boards are not alike, as far as a ruler can tell."""
    one, two = measures_of(board), measures_of(other)
    return [f"{name} {_said(one[name])} and {_said(two[name])}" for name in MEASURES if _apart(one[name], two[name])]


RULER_MM = 0.5
"""Two who measure the same board with a ruler differ by so much."""


def board_in_use(said: Mapping[str, Any], calibrated: Board, measured: Iterable[str] = ()) -> tuple[Board, str]:
    """Returns the board that is played on, and a line of doubt ("" for none) where it was calibrated for another.

    `said`: preset and measures of the configuration. A measure that is written there wins; next comes what the
    calibration measured (`measured`: the names of it), if it was for a surface of that size; then the preset. Where
    nothing is given the board is the calibration's. Raises ValueError as `board_of` does.
    """
    if not said:
        return calibrated, ""
    board = board_of(said)
    if abs(board.half_mm - calibrated.half_mm) <= RULER_MM / 2:
        known = measures_of(calibrated)
        # What cannot be together with what was written gives way to it, and the doubt says so.
        with suppress(ValueError):
            board = board_of({name: known[name] for name in measured if name not in said}, board)
    apart = differences(board, calibrated)
    if not apart:
        return board, ""
    more = f" and {len(apart) - 1} more" if len(apart) > 1 else ""
    says = f"made for another board than [board] says: {apart[0]} mm{more}. Fix: carrom calibrate with --board, or"
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
            raise ValueError(f"{name} = {value!r}: must be {_PAIRS[name]} numbers. Fix: write [from, to, …] in mm")
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
        raise ValueError(f"{name} = {str(value)[:20]!r}: must be a number above 0. Fix: write it in mm")
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
