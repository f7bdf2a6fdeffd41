"""The printed gauge: where its marks are, how it is drawn at 100 %, and how exactly a striker can be set with it.

It is printed, glued onto card 4 to 6 mm thick, and cut along its two long edges. Laid with one edge along a painted
base line it is a stop: the striker is pushed against it, between the ticks of one mark, and the gauge is taken away
before the picture. So nothing but the striker lies on the board, and what is compared is the paint, not the camera.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from calibration.board import Board, seat_to_board
from controller.events.words import Seat

Side = Literal["near", "far"]
"""Which edge of the base line the gauge lies along: the one near to the player, or the one far from the player."""
Half = Literal["left", "right"]
"""Which base circle its end with the circle points to, as the player sees it."""

SIDES: tuple[Side, ...] = ("near", "far")
HALVES: tuple[Half, ...] = ("left", "right")

MARKS = 5
APART_MM = 48.0
"""From mark to mark: two strikers fit side by side with room for fingers, and five reach the middle of the line."""
CONTROL_MM = 200.0
"""The line that tells whether the printer has scaled the sheet."""
MOST_SCALED = 0.02
"""A sheet that is off by more was not printed at 100 %."""

ACROSS_U95_MM = 0.4
"""Estimated, not measured: cutting along a steel ruler 0.3, laying the edge along the paint 0.2, pushing 0.1."""
ALONG_U95_MM = 0.5
"""Estimated likewise: the circle between its ticks 0.3, the striker between its own 0.4, the printed length 0.1."""
U95_MM = (ACROSS_U95_MM**2 + ALONG_U95_MM**2) ** 0.5

SHEET_MM = (287.0, 200.0)
"""What a printer reaches of A4, lying across."""
MARGIN_MM = 5.0
"""Of A4, on each side of that."""
LENGTH_MM, WIDTH_MM = 252.0, 60.0
BEYOND_MM = 30.0
"""So far the gauge reaches beyond the base circle's middle."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A straight line on the sheet, from its upper left corner, in mm. `cut`: a knife follows it."""

    x0_mm: float
    y0_mm: float
    x1_mm: float
    y1_mm: float
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Words:
    """Words on the sheet: start or middle of their base line in mm."""

    x_mm: float
    y_mm: float
    text: str
    middle: bool = False


def place_mm(
    board: Board, seat: Seat, side: Side, half: Half, mark: int, striker_mm: float, scale: float
) -> tuple[float, float]:
    """Returns where the centre of a striker of this diameter lies at a mark (1 to `MARKS`), in board coordinates.

    `scale`: the printed length of a millimetre. Across the line the paint and the striker alone decide, not the print.
    """
    along = board.base_circle_along_mm - scale * APART_MM * (mark - 1)
    near, far = board.half_mm - board.outer_line_mm[0], board.half_mm - board.inner_line_mm[1]
    away = near - striker_mm / 2 if side == "near" else far + striker_mm / 2
    return seat_to_board(seat, -along if half == "left" else along, away)


def laid_mm(board: Board, seat: Seat, side: Side, half: Half) -> tuple[tuple[float, float], ...]:
    """Returns the four corners of the gauge as it lies along a base line, in board coordinates."""
    near, far = board.half_mm - board.outer_line_mm[0], board.half_mm - board.inner_line_mm[1]
    edge, back = (near, near + WIDTH_MM) if side == "near" else (far, far - WIDTH_MM)
    begins = board.base_circle_along_mm + BEYOND_MM
    turn = -1.0 if half == "left" else 1.0
    corners = ((begins, edge), (begins, back), (begins - LENGTH_MM, back), (begins - LENGTH_MM, edge))
    return tuple(seat_to_board(seat, turn * along, away) for along, away in corners)


def drawn(board: Board) -> tuple[tuple[Stroke, ...], tuple[Words, ...]]:
    """Returns the gauge for this board on one A4 sheet: the strokes and the words."""
    left, top = (SHEET_MM[0] - LENGTH_MM) / 2, 40.0
    right, bottom = left + LENGTH_MM, top + WIDTH_MM
    circle = left + BEYOND_MM
    strokes = [
        Stroke(left - 12, top, right + 12, top, cut=True),
        Stroke(left - 12, bottom, right + 12, bottom, cut=True),
        Stroke(left, top, left, bottom),
        Stroke(right, top, right, bottom),
    ]
    words = [Words(circle, top + 28, "circle", middle=True)]
    for edge, inward in ((top, 1.0), (bottom, -1.0)):
        for x in (circle - board.base_circle_diameter_mm / 2, circle + board.base_circle_diameter_mm / 2):
            strokes.append(Stroke(x, edge, x, edge + 4 * inward))
        for mark in range(1, MARKS + 1):
            x = circle + APART_MM * (mark - 1)
            for tick in (x - board.striker_diameter_mm / 2, x + board.striker_diameter_mm / 2):
                strokes.append(Stroke(tick, edge, tick, edge + 14 * inward))
            words.append(Words(x, edge + 11 * inward + 1.5, str(mark), middle=True))
    ruler = circle + 8
    strokes += [
        Stroke(ruler, top + 34, ruler + CONTROL_MM, top + 34),
        Stroke(ruler, top + 31, ruler, top + 37),
        Stroke(ruler + CONTROL_MM, top + 31, ruler + CONTROL_MM, top + 37),
    ]
    words += [
        Words(ruler + CONTROL_MM / 2, top + 28, f"{CONTROL_MM:g} long, or measure it and say so", middle=True),
        Words(left, 20, "Carrom gauge. Print at 100 %, glue onto card 4 to 6 thick, cut along the two long edges."),
        Words(left, 28, f"For a striker of {board.striker_diameter_mm:g} and base circles of "
              f"{board.base_circle_diameter_mm:g}, all in mm."),
        Words(left, bottom + 14, "Lay an edge outside along a base line, the end with the circle at a base circle,"),
        Words(left, bottom + 21, "which lies between the two short ticks. Push the striker against this edge,"),
        Words(left, bottom + 28, "between the long ticks of a mark. Hold it, draw the gauge away, take the hand away."),
    ]  # fmt: skip
    return tuple(strokes), tuple(words)
