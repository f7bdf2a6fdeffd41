"""Boards of other measures that the tests and the benches play on: some ship, some are nobody's but the tests'."""

from __future__ import annotations

from calibration.board import Board
from calibration.presets import PRESETS

WIDE_POCKETS = Board(
    frame_width_mm=76.0,
    pocket_radius_mm=25.4,
    outer_line_mm=(95.0, 101.0),
    inner_line_mm=(126.0, 128.0),
    line_half_length_mm=216.0,
    base_circle_diameter_mm=33.0,
    base_disc_diameter_mm=26.0,
)
"""Pockets a size larger and base lines nearer to the cushion than the laws draw them."""

BOARDS = {**PRESETS, "wide-pockets": WIDE_POCKETS}
