"""There is one striker: of several that the eyes name so, the surest is it and the others are coins.

Must not know of strokes.
"""

from __future__ import annotations

from dataclasses import replace

from controller.events.observation import BoardSeen, SeenPiece, StrokeSeen


def on_board(board: BoardSeen) -> BoardSeen:
    """Returns the board with at most one striker."""
    named = [piece for piece in board.pieces if piece.piece == "striker"]
    if len(named) < 2:
        return board
    surest = max(named, key=lambda piece: (_sure(piece), -piece.x_mm, -piece.y_mm))
    pieces = tuple(
        _as_coin(piece) if piece.piece == "striker" and piece is not surest else piece for piece in board.pieces
    )
    return replace(board, pieces=pieces)


def in_stroke(stroke: StrokeSeen) -> StrokeSeen:
    """Returns the stroke with at most one striker on the boards before and after it."""
    before, after = on_board(stroke.before), on_board(stroke.after)
    if before is stroke.before and after is stroke.after:
        return stroke
    return replace(stroke, before=before, after=after)


def _sure(piece: SeenPiece) -> float:
    return dict(piece.odds).get("striker", 0.0) if piece.odds else 1.0 + piece.confidence


def _as_coin(piece: SeenPiece) -> SeenPiece:
    odds = tuple((kind, weight) for kind, weight in piece.odds if kind != "striker" and weight > 0)
    total = sum(weight for _, weight in odds)
    if not total:
        return replace(piece, piece="unknown", odds=())
    odds = tuple((kind, weight / total) for kind, weight in odds)
    return replace(piece, piece=odds[0][0], odds=odds if len(odds) > 1 else ())
