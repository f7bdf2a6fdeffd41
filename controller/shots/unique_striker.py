"""Leaves one striker: of several detections of that class the most certain is it and the others are coins.

That what is gone may not be the striker that lies there is weighed in `fusion`. Must not know how a stroke is read.
"""

from __future__ import annotations

from dataclasses import replace

from controller.events.observation import BoardSeen, SeenPiece, StrokeSeen, Track
from controller.events.words import Piece

Odds = tuple[tuple[Piece, float], ...]


def on_board(board: BoardSeen) -> BoardSeen:
    """Returns the board with at most one striker."""
    if not board.strikers:
        return board
    surest = max(board.strikers, key=lambda piece: (_sure(piece), -piece.x_mm, -piece.y_mm))
    pieces = tuple(
        _as_coin(piece) if piece.piece == "striker" and piece is not surest else piece for piece in board.pieces
    )
    return replace(board, pieces=pieces) if pieces != board.pieces else board


def in_stroke(stroke: StrokeSeen) -> StrokeSeen:
    """Returns the stroke with at most one striker on the boards before and after it, and among what moved."""
    before, after = on_board(stroke.before), on_board(stroke.after)
    own = stroke.struck.track if stroke.struck is not None else None
    strikers = [track for track in stroke.tracks if track.piece == "striker"]
    if own is None and strikers:
        own = strikers[0].track
    lay, lie = _renamed(stroke.before, before), _renamed(stroke.after, after)
    tracks = []
    for track in stroke.tracks:
        if track.track != own and track.end is None and _from_placement(track, stroke):
            continue
        start, end = lay.get(track.start, track.start), lie.get(track.end, track.end)
        as_it_lay = track if (start, end) == (track.start, track.end) else replace(track, start=start, end=end)
        coin = track.track != own and track.piece == "striker"
        tracks.append(_as_coins_track(as_it_lay) if coin else as_it_lay)
    if before is stroke.before and after is stroke.after and tuple(tracks) == stroke.tracks:
        return stroke
    return replace(stroke, before=before, after=after, tracks=tuple(tracks))


ITSELF_MM = 10.0
"""No other piece lies with its centre this near to the striker's."""


def _from_placement(track: Track, stroke: StrokeSeen) -> bool:
    """Says whether a track begins where the struck striker lay placed: it was followed twice, or a finger was."""
    placed = stroke.struck.placed if stroke.struck is not None else None
    return placed is not None and track.start is not None and track.start.apart_mm(placed) < ITSELF_MM


def _renamed(board: BoardSeen, now: BoardSeen) -> dict[SeenPiece | None, SeenPiece]:
    """Returns what the pieces of a board that are named otherwise now are called."""
    return {old: new for old, new in zip(board.pieces, now.pieces, strict=True) if old != new}


def _as_coins_track(track: Track) -> Track:
    """Returns the track of a coin that was taken for a second striker."""
    piece, odds = _without_striker(track.odds)
    start = None if track.start is None or track.start.piece != "striker" else _as_coin(track.start)
    return replace(track, piece=piece, odds=odds, start=start or track.start)


def _sure(piece: SeenPiece) -> float:
    return dict(piece.odds).get("striker", 0.0) if piece.odds else 1.0 + piece.confidence


def _as_coin(piece: SeenPiece) -> SeenPiece:
    kind, odds = _without_striker(piece.odds)
    if kind == "unknown":
        return replace(piece, piece=kind, odds=odds)
    # That it lies there is as sure as it was; the striker's share goes to what else it may be.
    was = dict(piece.odds)
    there = min(1.0, piece.confidence / max(was.get(piece.piece, 1.0), 1e-6))
    return replace(piece, piece=kind, odds=odds, confidence=round(there * (dict(odds).get(kind, 1.0)), 4))


def _without_striker(odds: Odds) -> tuple[Piece, Odds]:
    left = tuple((kind, weight) for kind, weight in odds if kind != "striker" and weight > 0)
    total = sum(weight for _, weight in left)
    if not total:
        return "unknown", ()
    left = tuple((kind, weight / total) for kind, weight in left)
    return left[0][0], left if len(left) > 1 else ()
