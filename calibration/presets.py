"""The boards to begin from, by name, with what their measures were taken from. Data; imports the board alone."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from calibration.board import DEFAULT_BOARD, Board

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
    }
)
"""Boards to begin from, by name. The first is the laws'."""
