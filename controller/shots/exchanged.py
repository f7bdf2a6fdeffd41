"""Two tracks that were exchanged where striker and coin met: physics says so, since a coin is only ever pushed away.

The striker cannot pull a coin towards itself. Where the coin's path begins with a way back, and the striker's goes on
from where the coin lay and away, the eyes went on with the one for the other. Must not judge what fell.
"""

from __future__ import annotations

from dataclasses import replace
from math import hypot

from controller.events.observation import BoardSeen, SeenPiece, StrokeSeen, Track

BACK_MM = 8.0
"""A way back this long is no error of a position."""
SAME_MM = 6.0
PICTURES = 3
APART_MM = 30.0
"""Centres of striker and coin are no nearer than 36 mm, seen to a few."""


def put_right(stroke: StrokeSeen) -> StrokeSeen:
    """Returns the stroke with striker and coin as physics allows; the stroke itself where nothing is wrong."""
    struck = stroke.struck
    own = next((track for track in stroke.tracks if struck is not None and track.track == struck.track), None)
    touch = next((touch for touch in stroke.touches if touch.touched != "cushion"), None)
    if own is None or touch is None or touch.track is None:
        return stroke
    met = next((track for track in stroke.tracks if track.track == touch.track and track is not own), None)
    if met is None or met.start is None or met.by_hand or not _impossible(own, met, touch.t_ns):
        return stroke
    early = tuple(point for point in own.samples if point.t_ns <= touch.t_ns)
    late = tuple(point for point in own.samples if point.t_ns > touch.t_ns)
    striker = replace(
        own,
        samples=early + met.samples,
        end=_named(met.end, "striker"),
        vanished=met.vanished,
        last_ns=met.last_ns,
    )
    end = None if own.end is None else replace(own.end, piece=met.start.piece, odds=met.start.odds)
    first_ns = late[0].t_ns if late else touch.t_ns
    coin = replace(met, samples=late, end=end, vanished=own.vanished, first_ns=first_ns, last_ns=own.last_ns)
    swapped = {own.track: striker, met.track: coin}
    after = _renamed(_renamed(stroke.after, striker.end), coin.end)
    # What was touched after that is not known any more: the touches were told of the other path.
    return replace(
        stroke,
        tracks=tuple(swapped.get(track.track, track) for track in stroke.tracks),
        touches=stroke.touches[: stroke.touches.index(touch) + 1],
        touches_seen=False,
        after=after,
    )


def _impossible(own: Track, met: Track, t_ns: int) -> bool:
    """Says whether the coin came back towards the striker, and the striker's path goes on where the coin had to go."""
    assert met.start is not None
    x, y = met.start.x_mm, met.start.y_mm
    # Where the striker would overlap the coin, both were seen as one.
    free = [point for point in own.samples if hypot(point.x_mm - x, point.y_mm - y) > APART_MM]
    before = [point for point in free if point.t_ns <= t_ns]
    after = [point for point in own.samples if point.t_ns > t_ns]
    if not before or not after or not met.samples:
        return False
    away = (x - before[-1].x_mm, y - before[-1].y_mm)
    long = hypot(*away)
    if not long:
        return False

    def along(to_x: float, to_y: float) -> float:
        return ((to_x - x) * away[0] + (to_y - y) * away[1]) / long

    # In a single picture the two may be taken for one another; what follows tells.
    return all(along(coin.x_mm, coin.y_mm) < -BACK_MM for coin in met.samples[:PICTURES]) and all(
        along(striker.x_mm, striker.y_mm) > BACK_MM for striker in after[:PICTURES]
    )


def _named(piece: SeenPiece | None, name: str) -> SeenPiece | None:
    return None if piece is None else replace(piece, piece=name, odds=())  # type: ignore[arg-type]


def _renamed(board: BoardSeen, end: SeenPiece | None) -> BoardSeen:
    """Returns the board with the piece that lies at a track's end named as the track's."""
    if end is None:
        return board
    return replace(
        board,
        pieces=tuple(
            replace(piece, piece=end.piece, odds=end.odds)
            if hypot(piece.x_mm - end.x_mm, piece.y_mm - end.y_mm) < SAME_MM
            else piece
            for piece in board.pieces
        ),
    )
