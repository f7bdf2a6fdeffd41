"""A piece's trajectory through a motion window: its track, whether a hand took it along, how it vanished.

Values in, values out; no pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from calibration.board import Board
from controller.events.observation import Sample, Track, Vanished
from controller.events.words import Piece
from controller.vision.following.association import Association
from controller.vision.following.free_runs import into_pocket, set_off
from controller.vision.following.motion_window import MotionWindow
from controller.vision.following.tracks import Measurement, PieceTrack, looks_struck

BESIDE_NS = 100_000_000
"""What vanishes with a hand there within this time may have been taken by it."""

MOST_SAMPLES = 60
"""More points of a path tell no fact better, and would fill the wire."""


def track_of(item: Association, number: int, window: MotionWindow, board: Board) -> Track:
    """Tells one piece's way. `number`: the track's."""
    track = item.track
    if track is None:
        places = [piece for piece in (item.start, item.end) if piece is not None]
        return Track(
            number,
            item.piece,
            item.start,
            item.end,
            window.began_ns,
            window.ended_ns,
            vanished=None if item.end is not None else _unseen_end(item, window),
            by_hand=any(_handled(window, piece.x_mm, piece.y_mm) for piece in places),
            confidence=item.confidence,
            odds=item.odds,
        )
    marks = track.marks
    first = marks[0].t_ns if marks else track.began_ns
    if item.start is not None:
        first = set_off((item.start.x_mm, item.start.y_mm), marks, track.began_ns)[0]
    held = sum(mark.by_hand for mark in marks)
    piece: Piece = "striker" if number in window.placements and item.end is None else item.piece
    return Track(
        number,
        piece,
        item.start,
        item.end,
        first,
        marks[-1].t_ns if marks else track.began_ns,
        _thinned(marks),
        None if item.end is not None else end_of(track, window, board),
        by_hand=_by_hand(track, held, window),
        confidence=item.confidence,
        odds=item.odds,
    )


def _handled(window: MotionWindow, x_mm: float, y_mm: float) -> bool:
    return window.hand_trace.over(x_mm, y_mm, 0, window.published_ns)


def _by_hand(track: PieceTrack, held: int, window: MotionWindow) -> bool:
    if looks_struck(track):
        return False
    if not track.marks:
        return track.start is not None and _handled(window, track.start.x_mm, track.start.y_mm)
    first = track.marks[0]
    brought = track.start is None and (held > 0 or _handled(window, first.x_mm, first.y_mm))
    return brought or held * 2 > len(track.marks)


def _thinned(marks: Sequence[Measurement]) -> tuple[Sample, ...]:
    step = max(1, -(-len(marks) // MOST_SAMPLES))
    kept = list(marks[::step])
    if marks and kept[-1] is not marks[-1]:
        kept.append(marks[-1])
    return tuple(Sample(mark.t_ns, round(mark.x_mm, 2), round(mark.y_mm, 2)) for mark in kept)


def end_of(track: PieceTrack, window: MotionWindow, board: Board) -> Vanished:
    """How a piece that lies nowhere went, with what is known of hands and pockets where it was seen last."""
    t, x, y = track.last
    ended = track.ended or Vanished(t, window.frame_ns, "unknown", (x, y))
    if ended.how == "pocket" and ended.near is not None and track.marks:
        when, error, place = into_pocket(
            track.marks, board.pockets_mm[ended.near], board.pocket_radius_mm, window.frame_ns, track.speed
        )
        return replace(ended, t_ns=when, u_ns=error, at=place)
    if ended.how != "unknown":
        return replace(ended, u_ns=max(ended.u_ns, window.frame_ns))
    pocket, away = board.nearest_pocket(x, y)
    near = pocket if away < 90.0 + 0.1 * track.speed else None
    if window.hand_trace.over(x, y, t - 2 * BESIDE_NS, t + BESIDE_NS) or (not track.marks and _handled(window, x, y)):
        return replace(ended, how="hand", near=near, u_ns=max(ended.u_ns, window.frame_ns))  # type: ignore[arg-type]
    return replace(ended, u_ns=max(ended.u_ns, window.frame_ns))


def _unseen_end(item: Association, window: MotionWindow) -> Vanished:
    assert item.start is not None
    x, y = item.start.x_mm, item.start.y_mm
    middle = (window.began_ns + window.ended_ns) // 2
    return Vanished(
        middle,
        (window.ended_ns - window.began_ns) // 2,
        "hand" if _handled(window, x, y) else "unknown",
        (x, y),
    )
