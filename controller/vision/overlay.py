"""What is drawn over a camera's picture so that people see what was detected: everything in pixels of that picture.

Values in, plain JSON out. Must not know pages or sources.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from calibration.board import SEATS, Board, seat_to_board
from calibration.camera import CameraModel, Floats
from controller.events.words import Grade
from controller.vision.calibration_file import Calibration
from controller.vision.finding import Finding
from controller.vision.looks import Pixels
from controller.vision.quality import Surface, saturated, sharpness

_TURN = np.arange(0.0, 2.0 * np.pi, np.pi / 18.0)
_RING = np.stack((np.cos(_TURN), np.sin(_TURN)), 1)


def board_lines(model: CameraModel, board: Board) -> dict[str, list[list[list[float]]]]:
    """The surface's edge, base lines, circles and pockets as paths in px: they lie where the calibration has them."""
    half = board.half_mm
    square = np.array(((-half, -half), (half, -half), (half, half), (-half, half), (-half, -half)))
    lines = []
    for seat in SEATS:
        for edges in (board.outer_line_y_mm, board.inner_line_y_mm):
            for away in edges:
                reach = board.line_half_length_mm
                lines.append([seat_to_board(seat, x, away) for x in np.linspace(-reach, reach, 9)])
    circles = [np.array(at) + _RING * board.base_circle_diameter_mm / 2.0 for at in board.base_circles_mm]
    circles += [_RING * board.centre_circle_diameter_mm / 2.0, _RING * board.outer_circle_diameter_mm / 2.0]
    pockets = [np.array(at) + _RING * board.pocket_radius_mm for at in board.pockets_mm.values()]
    return {
        "edge": [_path(model, _dense(square))],
        "base": [_path(model, np.array(line)) for line in lines],
        "circles": [_path(model, circle) for circle in circles],
        "pockets": [_path(model, pocket) for pocket in pockets],
    }


def overlay(found: Finding, calibration: Calibration) -> dict[str, Any]:
    """Pieces with their outlines and stated uncertainty, hidden areas, hands and foreign things, in px."""
    model, looks = calibration.model, calibration.looks
    pieces = []
    for piece in found.pieces:
        striker = piece.piece == "striker"
        size = looks.striker_diameter_mm if striker else looks.coin_diameter_mm
        height = looks.striker_thickness_mm if striker else looks.coin_thickness_mm
        at = np.array((piece.x_mm, piece.y_mm))
        pieces.append(
            {
                "piece": piece.piece,
                "x": round(piece.x_mm, 1),
                "y": round(piece.y_mm, 1),
                "u95": round(piece.u95_mm, 2),
                "confidence": round(piece.confidence, 2),
                "upright": piece.upright,
                "outline": _path(model, at + _RING * size / 2.0, height),
                "unsure": _path(model, at + _RING * piece.u95_mm, height),
            }
        )
    return {
        "pieces": pieces,
        "hidden": [_path(model, np.array(area)) for area in found.hidden if len(area) >= 3],
        "hands": [_path(model, np.array(hand.outline)) for hand in found.hands if len(hand.outline) >= 3],
        "foreign": [_path(model, np.array(thing.outline)) for thing in found.foreign if len(thing.outline) >= 3],
    }


def figures(luma: Pixels, surface: Surface, model: CameraModel, grade: Grade) -> dict[str, Any]:
    """How good the picture is: grade, px/mm, focus, share of white on the surface and white pixels on the paint."""
    _, white = saturated(luma, surface.whole)
    on_paint, _ = saturated(luma, surface.paint)
    return {
        "grade": grade,
        "px_per_mm": round(model.px_per_mm, 2),
        "focus": round(sharpness(luma, surface.whole), 2),
        "white": round(white, 5),
        "white_on_paint": on_paint,
    }


def _dense(corners: Floats) -> Floats:
    share = np.linspace(0, 1, 12, endpoint=False)[None, :, None]
    return (corners[:-1, None] * (1 - share) + corners[1:, None] * share).reshape(-1, 2)


def _path(model: CameraModel, points: Iterable[Any], z_mm: float = 0.0) -> list[list[float]]:
    return [[round(float(x), 1), round(float(y), 1)] for x, y in model.project_plane(np.asarray(points), z_mm)]
