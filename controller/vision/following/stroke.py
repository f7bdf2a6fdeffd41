"""An episode of motion becomes one `StrokeSeen`: tracks, the striker's facts, what it touched, what fell when.

Values in, one value out; no pixels. Knows the board's millimetres and that a striker is flicked from near a base
line, but no rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import hypot

from calibration.board import SEATS, Board, board_to_seat
from controller.events.observation import (
    BoardSeen,
    HandsSeen,
    Sample,
    SeenPiece,
    StrikerSeen,
    StrokeSeen,
    Touch,
    Track,
    Vanished,
)
from controller.events.words import Grade, Piece
from controller.vision.following.paths import Leg, cushion_between, into_pocket, leg_through, meeting, set_off, split
from controller.vision.following.settle import Settled, settle
from controller.vision.following.shake import shake_of
from controller.vision.following.tracks import Followed, Mark

FLICK_MM_S = 120.0
"""Slower than this nothing was flicked: a hand put it there."""

FLICK_MM = 4.0
BESIDE_NS = 100_000_000
"""What vanishes with a hand there within this time may have been taken by it."""

PUSHED_SAME_MM = 1.5
MOST_SAMPLES = 60


@dataclass(frozen=True, slots=True)
class Placement:
    """The striker as it lay just before it was struck: seen in the picture taken at `t_ns`."""

    t_ns: int
    piece: SeenPiece
    gap_mm: float | None
    picture: int | None = None


@dataclass(frozen=True, slots=True)
class Episode:
    """All that is known of an episode when it is over.

    `frame_ns`: usual time between pictures. `taken`: whether a hand was over a place in mm
    between two times, as far as that is remembered. `pushed`: the camera was pushed meanwhile, so that everything
    seemed to move.
    """

    before: BoardSeen
    after: BoardSeen
    tracks: tuple[Followed, ...]
    began_ns: int
    ended_ns: int
    said_ns: int
    grade: Grade
    frame_ns: int
    placements: dict[int, Placement]
    taken: Callable[[float, float, int, int], bool]
    hands: tuple[HandsSeen, ...] = ()
    frames: int = 0
    lost_frames: int = 0
    blind: tuple[tuple[int, int], ...] = ()
    pushed: bool = False


def stroke_of(episode: Episode, board: Board) -> StrokeSeen | None:
    """Builds the observation; None if in the end nothing moved, came or went."""
    everything = settle(
        episode.before.pieces,
        episode.after.pieces,
        [track for track in episode.tracks if not (episode.pushed and _lies_still(track, episode))],
        board,
        episode.frame_ns,
        frozenset(episode.placements),
    )
    shake_mm = shake_of(episode.before.pieces, episode.after.pieces, everything)
    everything, after = _named(everything, episode)
    episode = replace(episode, after=after)
    settled = [item for item in everything if not _nothing(item, episode)]
    if not settled and not shake_mm:
        return None
    numbers = _numbers(settled, episode)
    striker = _striker(settled, episode)
    tracks = tuple(_track(item, numbers[id(item)], episode, board) for item in settled)
    struck: StrikerSeen | None = None
    touches: tuple[Touch, ...] = ()
    placement = None
    if striker is not None:
        placement = _placement(striker, episode)
        struck = _struck(striker, placement, numbers[id(striker)], episode)
        touches = _touches(striker, settled, numbers, struck, episode, board)
    return StrokeSeen(
        t_ns=episode.said_ns,
        began_ns=episode.began_ns,
        ended_ns=episode.ended_ns,
        grade=episode.grade,
        before=episode.before,
        after=episode.after,
        tracks=tracks,
        touches=touches,
        struck=struck,
        hands=episode.hands,
        all_at_rest=_all_at_rest(settled, striker, struck, episode),
        touches_seen=episode.grade != "basic",
        shake_mm=shake_mm,
        frames=episode.frames,
        lost_frames=episode.lost_frames,
        blind=episode.blind,
        picture_placed=placement.picture if placement is not None else None,
        picture_before=episode.before.picture,
        picture_after=episode.after.picture,
    )


def _named(everything: Sequence[Settled], episode: Episode) -> tuple[list[Settled], BoardSeen]:
    """A piece keeps its class on its way: where the two sights disagree, the surer one holds for both."""
    out, pieces = [], list(episode.after.pieces)
    for item in everything:
        placed = episode.placements.get(item.track.number) if item.track is not None else None
        start = item.start if item.start is not None else (placed.piece if placed is not None else None)
        end = item.end
        if start is None or end is None or "unknown" in (start.piece, end.piece) or start.piece == end.piece:
            out.append(item)
            continue
        if start.confidence >= end.confidence:
            # Which one it is has become a little less sure than either look said.
            sure = max(0.5, start.confidence - 0.5 * end.confidence)
            renamed = replace(
                end, piece=start.piece, confidence=sure, odds=((start.piece, sure), (end.piece, 1 - sure))
            )
            pieces = [renamed if piece is end else piece for piece in pieces]
            item = replace(item, piece=start.piece, end=renamed, confidence=sure, odds=renamed.odds)  # noqa: PLW2901
        out.append(item)
    return out, replace(episode.after, pieces=tuple(pieces))


def _lies_still(track: Followed, episode: Episode) -> bool:
    """Whether a piece that seemed to move when the camera was pushed lies where it lay."""
    start = track.start
    return start is not None and any(
        piece.piece == start.piece and hypot(piece.x_mm - start.x_mm, piece.y_mm - start.y_mm) < PUSHED_SAME_MM
        for piece in episode.after.pieces
    )


def _nothing(item: Settled, episode: Episode) -> bool:
    """A track that went nowhere: a shadow, a glint, or a piece that only trembled."""
    track = item.track
    if item.start is not None and item.end is not None:
        moved = hypot(item.start.x_mm - item.end.x_mm, item.start.y_mm - item.end.y_mm)
        return moved < 0.5 and (track is None or track.travelled_mm < 3.0)
    if item.start is None and item.end is None:
        if episode.pushed:
            return track is None or track.number not in episode.placements
        return track is None or len(track.marks) < 3 or track.travelled_mm < 20.0
    return False


def _numbers(settled: Sequence[Settled], episode: Episode) -> dict[int, int]:
    highest = max((track.number for track in episode.tracks), default=0)
    numbers = {}
    for item in settled:
        if item.track is None or item.track.number == 0:
            highest += 1
            numbers[id(item)] = highest
        else:
            numbers[id(item)] = item.track.number
    return numbers


def free_run(track: Followed) -> list[Mark]:
    """The marks from where a piece ran by itself: those after the last slow or hand-held one before its fastest."""
    marks = track.marks
    if len(marks) < 2:
        return []
    pace = [0.0]
    for a, b in pairwise(marks):
        pace.append(hypot(b.x_mm - a.x_mm, b.y_mm - a.y_mm) / max(1e-3, (b.t_ns - a.t_ns) / 1e9))
    top = max(pace)
    if top < FLICK_MM_S:
        return []
    first = next(index for index, value in enumerate(pace) if value >= 0.5 * top)
    # The mark before the first quick step is where it set off, unless a hand still carried it.
    if first > 0 and pace[first - 1] < 0.5 * top:
        first -= 0 if marks[first - 1].by_hand else 1
    return marks[first:]


def looks_struck(track: Followed) -> bool:
    """Whether it ran by itself as only a flicked or hit piece does."""
    run = [mark for mark in free_run(track) if not mark.by_hand]
    return len(run) >= 2 and hypot(run[-1].x_mm - run[0].x_mm, run[-1].y_mm - run[0].y_mm) > FLICK_MM


def _striker(settled: Sequence[Settled], episode: Episode) -> Settled | None:
    """The item that was struck, if any: the striker, running by itself."""
    best: tuple[int, Settled] | None = None
    for item in settled:
        track = item.track
        if track is None or not looks_struck(track):
            continue
        named = item.piece == "striker" or track.number in episode.placements
        if not named:
            continue
        run = free_run(track)
        if best is None or run[0].t_ns < best[0]:
            best = (run[0].t_ns, item)
    return best[1] if best is not None else None


def _track(item: Settled, number: int, episode: Episode, board: Board) -> Track:
    track = item.track
    if track is None:
        return Track(
            number,
            item.piece,
            item.start,
            item.end,
            episode.began_ns,
            episode.ended_ns,
            vanished=None if item.end is not None else _unseen_end(item, episode, board),
            by_hand=_was_handled(item, episode),
            confidence=item.confidence,
            odds=item.odds,
        )
    marks = track.marks
    first = marks[0].t_ns if marks else track.began_ns
    if item.start is not None:
        first = set_off((item.start.x_mm, item.start.y_mm), marks, track.began_ns)[0]
    held = sum(mark.by_hand for mark in marks)
    piece: Piece = "striker" if number in episode.placements and item.end is None else item.piece
    return Track(
        number,
        piece,
        item.start,
        item.end,
        first,
        marks[-1].t_ns if marks else track.began_ns,
        _thinned(marks),
        None if item.end is not None else _end(track, episode, board),
        by_hand=_by_hand(track, held, episode),
        confidence=item.confidence,
        odds=item.odds,
    )


def _handled(episode: Episode, x_mm: float, y_mm: float) -> bool:
    return episode.taken(x_mm, y_mm, 0, episode.said_ns)


def _was_handled(item: Settled, episode: Episode) -> bool:
    places = [piece for piece in (item.start, item.end) if piece is not None]
    return any(_handled(episode, piece.x_mm, piece.y_mm) for piece in places)


def _by_hand(track: Followed, held: int, episode: Episode) -> bool:
    if looks_struck(track):
        return False
    if not track.marks:
        return track.start is not None and _handled(episode, track.start.x_mm, track.start.y_mm)
    first = track.marks[0]
    brought = track.start is None and (held > 0 or _handled(episode, first.x_mm, first.y_mm))
    return brought or held * 2 > len(track.marks)


def _thinned(marks: Sequence[Mark]) -> tuple[Sample, ...]:
    step = max(1, -(-len(marks) // MOST_SAMPLES))
    kept = list(marks[::step])
    if marks and kept[-1] is not marks[-1]:
        kept.append(marks[-1])
    return tuple(Sample(mark.t_ns, round(mark.x_mm, 2), round(mark.y_mm, 2)) for mark in kept)


def _end(track: Followed, episode: Episode, board: Board) -> Vanished:
    t, x, y = track.last
    ended = track.ended or Vanished(t, episode.frame_ns, "unknown", (x, y))
    if ended.how == "pocket" and ended.near is not None and track.marks:
        when, error, place = into_pocket(
            track.marks, board.pockets_mm[ended.near], board.pocket_radius_mm, episode.frame_ns, track.speed
        )
        return replace(ended, t_ns=when, u_ns=error, at=place)
    if ended.how != "unknown":
        return replace(ended, u_ns=max(ended.u_ns, episode.frame_ns))
    pocket, away = board.nearest_pocket(x, y)
    near = pocket if away < 90.0 + 0.1 * track.speed else None
    if episode.taken(x, y, t - 2 * BESIDE_NS, t + BESIDE_NS) or (not track.marks and _handled(episode, x, y)):
        return replace(ended, how="hand", near=near, u_ns=max(ended.u_ns, episode.frame_ns))  # type: ignore[arg-type]
    if near is not None:
        # No hand was there, it lies nowhere, and a pocket is at hand.
        dt = round(away / max(150.0, track.speed) * 1e9)
        return replace(ended, how="pocket", near=near, t_ns=t + dt, u_ns=dt + episode.frame_ns)  # type: ignore[arg-type]
    return replace(ended, u_ns=max(ended.u_ns, episode.frame_ns))


def _unseen_end(item: Settled, episode: Episode, board: Board) -> Vanished:
    assert item.start is not None
    x, y = item.start.x_mm, item.start.y_mm
    pocket, away = board.nearest_pocket(x, y)
    middle = (episode.began_ns + episode.ended_ns) // 2
    return Vanished(
        middle,
        (episode.ended_ns - episode.began_ns) // 2,
        "hand" if _handled(episode, x, y) else "unknown",
        (x, y),
        pocket if away < 90.0 else None,  # type: ignore[arg-type]
    )


# -- the striker


def _placement(item: Settled, episode: Episode) -> Placement | None:
    assert item.track is not None
    seen = episode.placements.get(item.track.number)
    if seen is not None:
        return seen
    if item.start is not None and item.start.piece == "striker":
        others = [piece for piece in episode.before.pieces if piece is not item.start]
        return Placement(episode.before.t_ns, item.start, gap_to_nearest(item.start, others), episode.before.picture)
    return None


def gap_to_nearest(striker: SeenPiece, others: Sequence[SeenPiece], radii_mm: float = 41.3 / 2 + 15.5) -> float | None:
    """Free space in mm between the striker and the nearest other piece; None if there is none."""
    gaps = [
        hypot(striker.x_mm - piece.x_mm, striker.y_mm - piece.y_mm) - radii_mm
        for piece in others
        if piece.piece != "striker"
    ]
    return min(gaps, default=None)


def _struck(item: Settled, placement: Placement | None, number: int, episode: Episode) -> StrikerSeen:
    assert item.track is not None
    run = free_run(item.track)
    leg = leg_through(split(run)[0][:5]) if run else None
    if placement is not None:
        at = (placement.piece.x_mm, placement.piece.y_mm)
        first, error = set_off(at, run, placement.t_ns)
        placed: SeenPiece | None = placement.piece
    else:
        at = (run[0].x_mm, run[0].y_mm)
        # It came out from under a hand: when it was flicked nobody saw.
        first, error = run[0].t_ns - 2 * episode.frame_ns, 5 * episode.frame_ns
        placed = _backwards(leg, number)
    follow = [mark for mark in run if mark.by_hand and mark.t_ns >= first]
    return StrikerSeen(
        placed=placed,
        gap_mm=placement.gap_mm if placement is not None else None,
        first_motion_ns=first,
        u_first_motion_ns=error,
        heading_deg=leg.heading_deg() if leg is not None else None,
        speed_mm_s=leg.speed(first) if leg is not None else None,
        left_by_mm=max((hypot(mark.x_mm - at[0], mark.y_mm - at[1]) for mark in run), default=0.0),
        hand_follow_mm=max((hypot(mark.x_mm - at[0], mark.y_mm - at[1]) for mark in follow), default=0.0),
        track=number,
    )


def _backwards(leg: Leg | None, number: int) -> SeenPiece | None:
    """The path run backwards to the base line it came from: a guess along the line, better across it."""
    if leg is None:
        return None
    for seat in SEATS:
        _, back = board_to_seat(seat, leg.x0, leg.y0)
        _, toward = board_to_seat(seat, leg.vx, leg.vy)
        if toward < -50.0 and 100.0 < back < 252.6:
            s = (252.6 - back) / toward
            return SeenPiece("striker", leg.x0 + leg.vx * s, leg.y0 + leg.vy * s, 15.0, confidence=0.5, visible=0.0)
    return None


def _all_at_rest(
    settled: Sequence[Settled], striker: Settled | None, struck: StrikerSeen | None, episode: Episode
) -> bool | None:
    if striker is None or struck is None:
        return True
    if any(a <= struck.first_motion_ns <= b for a, b in episode.blind):
        return None
    early = struck.first_motion_ns - 3 * episode.frame_ns - struck.u_first_motion_ns
    for item in settled:
        track = item.track
        if item is striker or track is None or not looks_struck(track):
            continue
        run = free_run(track)
        if run[0].t_ns < early and run[-1].t_ns > early:
            return False
    return True


# -- what the striker touched


def _touches(
    striker: Settled,
    settled: Sequence[Settled],
    numbers: dict[int, int],
    struck: StrikerSeen,
    episode: Episode,
    board: Board,
) -> tuple[Touch, ...]:
    assert striker.track is not None
    run = free_run(striker.track)
    legs = [leg for leg in (leg_through(part) for part in split(run)) if leg is not None]
    if not legs:
        return ()
    touches = _cushions(legs, board, striker.track.radius_mm)
    for item in settled:
        if item is not striker and item.track is not None:
            touch = _met(item, numbers[id(item)], legs, striker.track.radius_mm, struck, episode)
            if touch is not None:
                touches.append(touch)
    touches.sort(key=lambda touch: touch.t_ns)
    return tuple(_certain(touches, episode.frame_ns))


def _cushions(legs: Sequence[Leg], board: Board, radius_mm: float) -> list[Touch]:
    touches = []
    for before, after in pairwise(legs):
        hit = cushion_between(before, after, board, radius_mm)
        if hit is not None:
            t, error, at = hit
            touches.append(Touch(t, error, "cushion", at))
    return touches


def _met(
    item: Settled, number: int, legs: Sequence[Leg], striker_mm: float, struck: StrikerSeen, episode: Episode
) -> Touch | None:
    """When the striker's path reached a piece that then set off."""
    track = item.track
    assert track is not None
    if track.start is None or not track.marks:
        return None
    reach = striker_mm + track.radius_mm
    at = (track.start.x_mm, track.start.y_mm)
    off, error = set_off(at, track.marks, None)
    away = _way_off(at, track.marks)
    off = max(off, struck.first_motion_ns)
    slack = max(1.5 * episode.frame_ns, float(error))
    best: tuple[float, int, float] | None = None
    for index, leg in enumerate(legs):
        start = leg.first_ns if index else struck.first_motion_ns
        end = legs[index + 1].first_ns if index + 1 < len(legs) else leg.last_ns + episode.frame_ns
        near = meeting(leg, at, away, max(start, round(off - slack)), min(end, round(off + slack)), reach)
        if near is None:
            continue
        t, gap = near
        allowed = 3.0 + 2.0 * leg.u_mm + 0.15 * leg.speed(t) * episode.frame_ns / 1e9
        if gap <= allowed and (best is None or gap < best[0]):
            best = (gap, t, leg.speed(t))
    if best is None:
        return None
    _, t, speed = best
    return Touch(t, round(3.0 / max(50.0, speed) * 1e9) + 1_000_000, item.piece, at, number)


def _way_off(at: tuple[float, float], marks: Sequence[Mark]) -> tuple[float, float] | None:
    """The direction in which a piece left its place; None where it is not plain."""
    first = split(marks)[0][-1]
    dx, dy = first.x_mm - at[0], first.y_mm - at[1]
    gap = hypot(dx, dy)
    return (dx / gap, dy / gap) if gap > 12.0 else None


def _certain(touches: Sequence[Touch], frame_ns: int) -> list[Touch]:
    """Two touches closer than one picture's travel have no certain order."""
    out = list(touches)
    for index in range(1, len(out)):
        before, after = out[index - 1], out[index]
        if after.t_ns - before.t_ns <= max(before.u_ns + after.u_ns, frame_ns // 2):
            out[index - 1] = replace(before, certain=False)
            out[index] = replace(after, certain=False)
    return out
