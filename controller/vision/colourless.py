"""What a camera without colours can tell of pieces: where they are and how large, not whose. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from controller.events.observation import (
    BoardSeen,
    MotionBegan,
    Moving,
    Observation,
    SeenPiece,
    StrokeSeen,
    Touch,
    Track,
)
from controller.events.words import Piece


def without_colours(seen: Observation) -> Observation:
    """Returns an observation in which every coin is unknown, as the umpire is to be asked what fell."""
    match seen:
        case BoardSeen():
            return _board(seen)
        case Moving():
            return replace(seen, pieces=_coins(seen.pieces))
        case MotionBegan():
            return replace(seen, piece=_kind(seen.piece))
        case StrokeSeen():
            return replace(
                seen,
                before=_board(seen.before),
                after=_board(seen.after),
                tracks=tuple(_track(one) for one in seen.tracks),
                touches=tuple(_touch(one) for one in seen.touches),
            )
    return seen


def _kind(piece: Piece) -> Piece:
    return piece if piece == "striker" else "unknown"


def _coin(piece: SeenPiece) -> SeenPiece:
    return piece if piece.piece == "striker" else replace(piece, piece="unknown", odds=())


def _coins(pieces: Iterable[SeenPiece]) -> tuple[SeenPiece, ...]:
    return tuple(_coin(piece) for piece in pieces)


def _board(board: BoardSeen) -> BoardSeen:
    return replace(board, pieces=_coins(board.pieces))


def _track(track: Track) -> Track:
    if track.piece == "striker":
        return track
    start, end = (None if one is None else _coin(one) for one in (track.start, track.end))
    return replace(track, piece="unknown", start=start, end=end, odds=())


def _touch(touch: Touch) -> Touch:
    return touch if touch.touched == "cushion" else replace(touch, touched=_kind(touch.touched))
