"""Two tracks that were exchanged where striker and coin met: physics says so, since a coin is only ever pushed away.

The striker cannot pull a coin towards itself, nor run on through one that it met head on and leave it behind. Where the
coin's path begins with a way back, and the striker's goes on from where the coin lay and away, or where the striker's
leads right over the coin and stays before it, the eyes went on with the one for the other. Must not judge what fell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import hypot

from calibration.board import DEFAULT_BOARD
from controller.events.observation import BoardSeen, Sample, SeenPiece, StrokeSeen, Touch, Track

BACK_MM = 8.0
"""A way back this long is no error of a position."""
SAME_MM = 6.0
PICTURES = 3
APART_MM = 30.0
"""Centres of striker and coin are no nearer than 36 mm, seen to a few."""
THROUGH_MM = 20.0
"""A coin met this nearly head on runs before the striker, whatever they weigh: by 1.5 to 1 at 20 of 36 mm."""
CUSHION_MM = 120.0
"""A coin that lay nearer to a cushion ahead may have come back from it past the striker."""


def put_right(stroke: StrokeSeen) -> StrokeSeen:
    """Returns the stroke with striker and coin as physics allows; the stroke itself where nothing is wrong."""
    struck = stroke.struck
    own = next((track for track in stroke.tracks if struck is not None and track.track == struck.track), None)
    if own is None:
        return stroke
    touch = next((touch for touch in stroke.touches if touch.touched != "cushion"), None)
    met = next((track for track in stroke.tracks if _free(track, own) and touch and track.track == touch.track), None)
    if touch is None or met is None or not _impossible(own, met, touch.t_ns):
        touch, met = next(
            (
                (over, track)
                for track in stroke.tracks
                if _free(track, own) and (over := _run_over(own, track)) is not None
            ),
            (None, None),
        )
    if touch is None or met is None or met.start is None:
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
        touches=(*(before for before in stroke.touches if before.t_ns < touch.t_ns), touch),
        touches_seen=False,
        after=after,
    )


def _free(track: Track, own: Track) -> bool:
    if track.end is not None and own.end is not None:
        # Both lie there, and by their size a look tells the striker from a coin.
        return False
    return track is not own and track.start is not None and not track.by_hand


def _run_over(own: Track, met: Track) -> Touch | None:
    """Returns when and where the striker's path leads right over a coin that lay there and then stays behind it."""
    assert met.start is not None
    x, y = met.start.x_mm, met.start.y_mm
    path = list(own.samples)
    if path and own.start is not None:
        path.insert(0, Sample(min(own.first_ns, path[0].t_ns - 1), own.start.x_mm, own.start.y_mm))
    for one, two in pairwise(path):
        dx, dy = two.x_mm - one.x_mm, two.y_mm - one.y_mm
        far = hypot(dx, dy)
        if not far or hypot(one.x_mm - x, one.y_mm - y) < APART_MM:
            continue
        ux, uy = dx / far, dy / far
        along, beside = (x - one.x_mm) * ux + (y - one.y_mm) * uy, abs((x - one.x_mm) * uy - (y - one.y_mm) * ux)
        ahead = max(abs(x + CUSHION_MM * ux), abs(y + CUSHION_MM * uy))
        if not BACK_MM < along < far - BACK_MM or beside > THROUGH_MM or ahead > DEFAULT_BOARD.half_mm:
            continue
        if any(point.t_ns < one.t_ns for point in met.samples):
            # The coin lay there no more: the striker's track had gone on with it for a picture, and came back.
            continue
        late = [point for point in own.samples if point.t_ns >= two.t_ns][:PICTURES]
        coins = [_when(met.samples, point.t_ns) for point in late]
        leads = [
            (point.x_mm - coin.x_mm) * ux + (point.y_mm - coin.y_mm) * uy
            for point, coin in zip(late, coins, strict=True)
            if coin is not None
        ]
        if len(leads) == PICTURES and all(lead > BACK_MM for lead in leads):
            t_ns = one.t_ns + round((two.t_ns - one.t_ns) * along / far)
            return Touch(t_ns, (two.t_ns - one.t_ns) // 2, met.piece, (round(x, 1), round(y, 1)), met.track)
    return None


def _when(samples: Sequence[Sample], t_ns: int) -> Sample | None:
    """The sample nearest to a time; None if the piece was not seen any more."""
    if not samples or samples[-1].t_ns < t_ns:
        return None
    return min(samples, key=lambda point: abs(point.t_ns - t_ns))


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
