"""The gauge of `carrom accept` as a drawing of the build guide, for the laws' board; a table prints its own."""

from __future__ import annotations

from calibration.board import DEFAULT_BOARD
from controller.commands.acceptance.gauge import SHEET_MM, drawn
from scripts.drawing import svg, words


def gauge_svg() -> str:
    """The gauge on one A4 sheet, to be printed at 100 %."""
    strokes, labels = drawn(DEFAULT_BOARD)
    parts = [
        f"<path class='{'thin' if stroke.cut else 'mark'}' d='M{stroke.x0_mm:.2f} {stroke.y0_mm:.2f} "
        f"L{stroke.x1_mm:.2f} {stroke.y1_mm:.2f}'/>"
        for stroke in strokes
    ]
    parts += [words(one.x_mm, one.y_mm, one.text, "middle" if one.middle else "start") for one in labels]
    return svg(*SHEET_MM, parts)
