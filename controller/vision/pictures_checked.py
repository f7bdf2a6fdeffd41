"""Whether a calibration's pictures show what they should: an empty board, an opening arrangement.

Each check raises with what is wrong, and shows it. Must not know files or cameras.
"""

from __future__ import annotations

from dataclasses import replace
from math import hypot

import numpy as np

from calibration.board import Board
from calibration.camera import CameraModel
from calibration.report import draw_seen
from controller.events.observation import SeenPiece
from controller.vision.finding import find
from controller.vision.finding.changed import changes, unchanged
from controller.vision.finding.flat import flat_for
from controller.vision.finding.painted import just_on_paint, places_of
from controller.vision.learning.opening import Learnt
from controller.vision.looks import ANY_TONES, Looks, Pixels
from controller.vision.posing import RefusedError

SURE = 0.9
SAME_MM = 8.0
MOST_LIKE_PIECES = 3
"""A maker's name or a star may look like a piece or three where no empty picture tells; more of them are pieces."""

MOST_LIKE_RACKED = 7
"""So many in all where the arrangement hides them later: the petals of a star are as many, and nothing tells them from
pieces. An opening arrangement that is given for the empty board shows more."""

LEAST_RACKED = 8
"""Of nineteen: on a board of their own wood the whites may all be hidden, and glare hides one or two of the others. In
pictures of anything else three lie by chance where the opening has pieces."""


def check_empty(
    empty: Pixels, model: CameraModel, looks: Looks, board: Board, opening: Pixels | None, says: list[str]
) -> tuple[SeenPiece, ...]:
    """What looks like pieces on a board that should be empty (BGR). Raises RefusedError where it is not empty.

    What the opening picture shows at the same place, outside of the arrangement, is printed there.
    """
    plain = replace(looks, empty=None, empty_model=None, sizes_known=True)
    seen = [
        piece
        for piece in find(empty, model, plain, board).pieces
        # The middle is painted, and nothing but an empty picture tells it from a queen.
        if piece.confidence >= SURE and np.hypot(piece.x_mm, piece.y_mm) > SAME_MM
    ]
    if opening is None:
        # So are the base circles, and there is no second picture to tell by.
        seen = [p for p in seen if not just_on_paint(np.array(((p.x_mm, p.y_mm),)), places_of(board))[0]]
    elif seen:
        seen = _not_printed(seen, empty, opening, model, plain, board)
    racked = 0 if opening is None else sum(_where_racked(piece, board) for piece in seen)
    if len(seen) - racked > MOST_LIKE_PIECES or len(seen) > MOST_LIKE_RACKED:
        text = f"{len(seen)} pieces lie on the board in the picture that is said to show it empty"
        raise RefusedError(
            f"{text}. Fix: take all pieces off and take --empty again", _circled(empty, model, seen, text)
        )
    for piece in seen:
        says.append(
            f"at {piece.x_mm:.0f}, {piece.y_mm:.0f} mm the empty board shows what looks like a {piece.piece}: if one "
            "lies there take it off and calibrate again; if it is printed all is well"
        )
    return tuple(seen)


def check_rack(opening: Pixels, model: CameraModel, learnt: Learnt, board: Board) -> tuple[int, int]:
    """How many of the nineteen lie where they were learnt from, in a picture (BGR), and how many are named what they
    are. Raises RefusedError if too few lie there.

    `learnt.looks` brings the empty board. A place counts where something has changed since and a piece is seen, whether
    by the change or by itself: where light and dark pieces can hardly be distinguished, or lie on artwork of their own
    tone, either way alone misses half of them.
    """
    looks = learnt.looks
    plain = replace(looks, empty=None, empty_model=None, tones=dict(ANY_TONES), known=False, head=None)
    pieces = find(opening, model, looks, board).pieces
    by_itself = find(opening, model, plain, board).pieces
    flat = flat_for(model, looks, board)
    radius = np.full((len(learnt.places), 1), looks.coin_diameter_mm / 2.0)
    same = unchanged(changes(flat, flat.lay(opening), np.concatenate((learnt.places, radius), 1)))
    racked = sum(
        any(np.hypot(p.x_mm - x, p.y_mm - y) < SAME_MM for p in (*pieces, *by_itself))
        for x, y in learnt.places[~same].tolist()
    )
    if racked < LEAST_RACKED:
        text = f"the opening picture shows no opening arrangement: {racked} of its nineteen pieces are in place"
        raise RefusedError(
            f"{text}. Fix: set up all nineteen pieces in the middle, touching, and take --opening again",
            _circled(opening, model, list(pieces), text),
        )
    named = sum(
        any(p.piece == name and np.hypot(p.x_mm - x, p.y_mm - y) < SAME_MM for p in pieces)
        for name, (x, y) in zip(learnt.classes, learnt.places.tolist(), strict=True)
    )
    return racked, named


def _not_printed(
    seen: list[SeenPiece], empty: Pixels, opening: Pixels, model: CameraModel, plain: Looks, board: Board
) -> list[SeenPiece]:
    """Which of what looks like pieces on the empty board is not printed there: the opening picture shows it no more, or
    it lies where the arrangement hides the board."""
    later = find(opening, model, plain, board).pieces
    flat = flat_for(model, replace(plain, empty=empty, empty_model=model), board)
    there = np.array([(p.x_mm, p.y_mm, _diameter(p, plain) / 2.0) for p in seen])
    gone = ~unchanged(changes(flat, flat.lay(opening), there))
    return [
        p
        for p, is_gone in zip(seen, gone, strict=True)
        if _where_racked(p, board) or (is_gone and not any(_same(p, q) for q in later))
    ]


def _where_racked(piece: SeenPiece, board: Board) -> bool:
    return hypot(*piece.at) < board.outer_circle_diameter_mm / 2.0


def _diameter(piece: SeenPiece, looks: Looks) -> float:
    return looks.striker_diameter_mm if piece.piece == "striker" else looks.coin_diameter_mm


def _same(one: SeenPiece, other: SeenPiece) -> bool:
    return float(np.hypot(one.x_mm - other.x_mm, one.y_mm - other.y_mm)) < SAME_MM


def _circled(picture: Pixels, model: CameraModel, pieces: list[SeenPiece], says: str) -> Pixels:
    tops = np.array([(piece.x_mm, piece.y_mm, 8.0) for piece in pieces]).reshape(-1, 3)
    return draw_seen(picture, model.project(tops), 20.0 * model.px_per_mm, says)
