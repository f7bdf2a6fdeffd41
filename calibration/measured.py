"""Which of what was measured on a board is believed, and the board that comes of it. Must not know pictures or files.

A measure that is too unsure keeps what was given; so does one that agrees with what was given within its error: most
boards are painted as they are given, and a number that is right needs no decimals of a camera's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from calibration.board import Board
from calibration.measures import board_of, measures_of
from calibration.measuring import Measure

SIGMAS = 2.5
"""Standard deviations by which a measure must differ from what was given: of twenty numbers one a table in eight does
so by chance, and is then off by no more than its error."""

WIDEST_MM = 1.0
"""Of the 95 % radius of a place: twice what two people with a ruler differ by."""

WIDEST_OF = {
    "base_circle_mm": 2.0,
    "outer_circle_mm": 2.0,
    "pocket_radius_mm": 2.0,
    "arrow_mm": 3.0,
}
"""Diameters count double, a pocket's mouth is rounded, and nobody strikes by an arrow's ends."""

ONE_RATIO = 0.008
ALIKE_RATIOS = 0.003
"""Painters err line by line. Where both lines' distances from the middle and the lines' length are off by one ratio,
alike to ALIKE_RATIOS and by more than ONE_RATIO, it is the edge of the playing surface that was misread: a frame's top
edge, 20 mm above it, is 1.6 % farther out under a camera at 1.2 m."""


@dataclass(frozen=True)
class Measured:
    """A board as measured. `mm`: what was measured well enough, by its public name and in the shape in which people
    write it, and is used; `u95_mm`: its error, in the same shape; `board`: the board with it; `differs`: the names of
    what is not as it was given; `unsure`: of what was seen too badly; `doubt`: why nothing of it is used, or "";
    `one_ratio`: how much farther out all lines lie, where it is one share of their distance."""

    board: Board
    mm: Mapping[str, Any]
    u95_mm: Mapping[str, Any]
    differs: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()
    doubt: str = ""
    one_ratio: float = 0.0


def believed(found: Mapping[str, Measure], told: Board) -> Measured:
    """Returns what of these measures is used on a board given as `told`."""
    said = measures_of(told)
    one_ratio = _one_ratio(found, told, said)
    if abs(one_ratio) >= ONE_RATIO:
        doubt = f"{out_of_ratio(one_ratio)}: the playing surface's edge is misread"
        return Measured(told, {}, {}, (), tuple(found), doubt)
    mm: dict[str, Any] = {}
    u95: dict[str, Any] = {}
    differs, unsure = [], []
    for name, one in found.items():
        was = said[name] if isinstance(said[name], list) else [said[name]]
        errors = [2.0 * u for u in one.u_mm]
        if max(errors) > WIDEST_OF.get(name, WIDEST_MM):
            unsure.append(name)
            continue
        apart = any(abs(a - b) > SIGMAS * u for a, b, u in zip(one.mm, was, one.u_mm, strict=True))
        value = [round(v, 2) for v in one.mm] if apart else list(was)
        mm[name], u95[name] = _written(value, said[name]), _written([round(v, 2) for v in errors], said[name])
        if apart:
            differs.append(name)
    try:
        board = board_of({name: mm[name] for name in differs}, told)
    except ValueError as error:
        return Measured(told, {}, {}, (), tuple(found), str(error))
    together = one_ratio if set(differs) >= _LINES else 0.0
    return Measured(board, mm, u95, tuple(differs), tuple(unsure), one_ratio=together)


_LINES = {"outer_line_mm", "inner_line_mm", "line_half_length_mm"}


def _one_ratio(found: Mapping[str, Measure], told: Board, said: Mapping[str, Any]) -> float:
    if not found.keys() >= _LINES:
        return 0.0
    ratios = [
        (told.half_mm - sum(found[name].mm[:2]) / 2.0) / (told.half_mm - sum(said[name][:2]) / 2.0)
        for name in ("outer_line_mm", "inner_line_mm")
    ]
    ratios.append(found["line_half_length_mm"].mm[0] / said["line_half_length_mm"])
    return sum(ratios) / len(ratios) - 1.0 if max(ratios) - min(ratios) <= ALIKE_RATIOS else 0.0


def out_of_ratio(ratio: float) -> str:
    """Returns, for people, how far all lines are off together."""
    return f"all lines {abs(ratio):.1%} too {'near' if ratio < 0.0 else 'far'}"


def _written(numbers: list[float], like: Any) -> Any:
    return numbers if isinstance(like, list) else numbers[0]


def told_apart(measured: Measured, told: Board) -> list[str]:
    """Returns, for people, each measure that is not as it was given, with its error."""
    was = measures_of(told)
    return [
        f"{name} {_said(measured.mm[name])} ± {max(_numbers(measured.u95_mm[name])):.1f} mm, not {_said(was[name])}"
        for name in measured.differs
    ]


def _numbers(value: Any) -> list[float]:
    return list(value) if isinstance(value, list) else [value]


def _said(value: Any) -> str:
    numbers = _numbers(value)
    return " to ".join(f"{part:.1f}" for part in numbers[:2]) + "".join(f", {part:.1f} wide" for part in numbers[2:])
