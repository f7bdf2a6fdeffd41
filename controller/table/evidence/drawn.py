"""What is drawn over a picture: the lines, circles and arrows a placement is judged by with the striker's disc, or all
of a board with its pieces.

In pixels of the camera's own picture, through the calibration's camera model, with the part of the picture that shows
the board. Must not know what a placement costs, nor decode a picture.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from math import cos, pi, sin
from pathlib import Path
from typing import Any, get_args

from calibration.board import SEATS, Board, seat_to_board
from calibration.camera import CameraModel
from controller.events.errors import CarromError
from controller.events.words import Seat
from controller.vision.calibration_file import Calibration, load

log = logging.getLogger(__name__)

Path2 = list[list[float]]
_STEPS = 48


class Drawing:
    """Draws over the pictures of one table. `calibration`: the file; without one that can be read nothing is drawn."""

    def __init__(self, calibration: Path | None) -> None:
        self._file = calibration
        self._known: Calibration | None = None

    def __call__(self, facts: Mapping[str, Any]) -> dict[str, Any] | None:
        """Returns what is to be drawn for a stroke's facts: `size` and `crop` in px, `lines`, `striker`."""
        lies = facts.get("striker")
        known = self._calibration()
        if known is None or not isinstance(lies, Mapping) or lies.get("seat") not in get_args(Seat):
            return None
        return drawn(known, lies["seat"], (float(lies["x"]), float(lies["y"])))

    def over(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Returns what a picture of the stroke is shown with: `view` as `seen_from` makes it, and the `drawing`."""
        known, drawing = self._calibration(), self(facts)
        found = {} if known is None else {"view": seen_from(known)}
        return found | ({} if drawing is None else {"drawing": drawing})

    def _calibration(self) -> Calibration | None:
        if self._known is None and self._file is not None:
            try:
                self._known = load(self._file)
            except CarromError as error:
                log.warning("nothing is drawn over pictures: %s", error)
                self._file = None
        return self._known


def drawn(known: Calibration, seat: Seat, at_mm: tuple[float, float]) -> dict[str, Any]:
    """Returns a placement's drawing. The disc is that of the striker's top face, where the camera sees it."""
    board, model = known.board, known.model
    lines = [_flat(model, [seat_to_board(seat, x, y) for x, y in line]) for line in _base_lines(board)]
    reach = board.base_circle_along_mm
    for along in (-reach, reach):
        centre = seat_to_board(seat, along, board.base_circle_from_centre_mm)
        lines.append(_flat(model, _circle(centre, board.base_circle_diameter_mm / 2)))
    lines += [_flat(model, [seat_to_board(seat, x, y) for x, y in arrow]) for arrow in _arrows(board)]
    disc = _circle(at_mm, board.striker_diameter_mm / 2)
    striker = _flat(model, disc, known.looks.striker_thickness_mm)
    width, height = model.size
    return {
        "size": [width, height],
        "crop": _crop(model, board),
        "lines": lines,
        "striker": striker,
    }


def seen_from(known: Calibration) -> dict[str, Any]:
    """Returns what of a camera's picture shows what: `size` of the picture, `crop` of the board, and the `pockets`."""
    width, height = known.model.size
    pockets = {
        name: _flat(known.model, _circle(middle, known.board.pocket_radius_mm))
        for name, middle in known.board.pockets_mm.items()
    }
    return {"size": [width, height], "crop": _crop(known.model, known.board), "pockets": pockets}


def drawn_board(known: Calibration, pieces: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Returns the board's markings and its pieces where the camera sees them: `size`, `crop` and `lines` as of a
    placement, `pieces`: `[{piece, path}]`, each the rim of its top face. `pieces`: `{piece, x, y}` in mm."""
    board, model = known.board, known.model
    lines = [
        _flat(model, [seat_to_board(seat, x, y) for x, y in line]) for seat in SEATS for line in _base_lines(board)
    ]
    lines.append(_flat(model, _circle((0.0, 0.0), board.outer_circle_diameter_mm / 2)))
    lines += [_flat(model, _circle(middle, board.pocket_radius_mm)) for middle in board.pockets_mm.values()]
    width, height = model.size
    return {
        "size": [width, height],
        "crop": _crop(model, board),
        "lines": lines,
        "pieces": [{"piece": one["piece"], "path": _rim(known, one)} for one in pieces],
    }


def _rim(known: Calibration, piece: Mapping[str, Any]) -> Path2:
    striker = piece["piece"] == "striker"
    across = known.board.striker_diameter_mm if striker else known.board.coin_diameter_mm
    high = known.looks.striker_thickness_mm if striker else known.looks.coin_thickness_mm
    return _flat(known.model, _circle((float(piece["x"]), float(piece["y"])), across / 2), high)


def _base_lines(board: Board) -> list[list[tuple[float, float]]]:
    half = board.line_half_length_mm
    edges = (*board.outer_line_y_mm, *board.inner_line_y_mm)
    return [[(-half, away), (half, away)] for away in edges]


def _arrows(board: Board) -> list[list[tuple[float, float]]]:
    near, far = (radius / 2**0.5 for radius in board.arrow_radii_mm)
    return [[(side * near, near), (side * far, far)] for side in (-1, 1)]


def _circle(centre: tuple[float, float], radius_mm: float) -> list[tuple[float, float]]:
    turns = [2 * pi * index / _STEPS for index in range(_STEPS + 1)]
    return [(centre[0] + radius_mm * cos(turn), centre[1] + radius_mm * sin(turn)) for turn in turns]


def _flat(model: CameraModel, points_mm: Sequence[tuple[float, float]], z_mm: float = 0.0) -> Path2:
    return [[round(float(x), 1), round(float(y), 1)] for x, y in model.project_plane(points_mm, z_mm)]


def _crop(model: CameraModel, board: Board) -> list[int]:
    """The part of the picture that shows the board with its frame: x, y, width, height."""
    edge = board.half_mm + board.frame_width_mm
    along = [edge * (index / 8 - 1) for index in range(17)]
    rim = [(a, side) for a in along for side in (-edge, edge)] + [(side, a) for a in along for side in (-edge, edge)]
    seen = model.project_plane(rim)
    width, height = model.size
    left, top = max(0, int(seen[:, 0].min())), max(0, int(seen[:, 1].min()))
    right, bottom = min(width, int(seen[:, 0].max()) + 1), min(height, int(seen[:, 1].max()) + 1)
    return [left, top, max(1, right - left), max(1, bottom - top)]
