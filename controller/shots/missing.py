"""Finds what is gone after an interval: tracks that ended, pieces that are nowhere, and how many should be missing.

Compares two boards at rest with the help of the tracks between them. Must not know of rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import dist

from calibration.board import Board
from controller.events.assignment import assign
from controller.events.expectation import Expectation
from controller.events.observation import BoardSeen, Hand, SeenPiece, Track
from controller.events.words import Piece, Pocket
from controller.shots.fusion import POCKETS, FusionInput, JointHypothesis, Missing, joint_hypotheses
from controller.shots.limits import Limits
from controller.shots.odds import COINS, Count, Odds, counts_of, false_positive, minus, odds_of
from controller.shots.prior_counts import prior_counts
from controller.shots.pulses import Pulse
from controller.shots.shapes import within


@dataclass(frozen=True, slots=True)
class Interval:
    """What lies between two boards at rest: beam interruptions, hands, and tracks if anything was followed.

    `blind`: pockets whose beams say nothing of it. `striker`: its track, where a stroke was played.
    """

    before: BoardSeen
    after: BoardSeen
    pulses: tuple[Pulse, ...]
    blind: frozenset[Pocket]
    tracks: tuple[Track, ...] = ()
    striker: Track | None = None
    hands: tuple[Hand, ...] = ()


def to_explain(interval: Interval, expectation: Expectation | None, board: Board, limits: Limits) -> FusionInput:
    """Collects what has to be explained about an interval."""
    before, after = interval.before, interval.after
    clear = not after.hidden and not after.hands
    lay = counts_of(before.pieces, limits.class_floor)
    gone = _vanished_tracks(interval, limits)
    gone += _lying_nowhere(interval, limits)
    priors = prior_counts(before, expectation, limits, board, appeared=any(one.appeared for one in gone))
    after_counts = counts_of(after.pieces, limits.class_floor)
    others = {} if _exchanged(interval) else counts_of(_beside(before, gone, limits), limits.class_floor)
    return FusionInput(
        board=board,
        gone=(*gone, *_striker_gone(interval, limits)),
        pulses=interval.pulses,
        clear=clear,
        priors=priors,
        after=after_counts,
        others=others,
        other=_other_striker(after, limits),
        near=_near_pockets(after.pieces, board, limits),
        hands=pockets_under(interval.hands, board),
        blind=interval.blind,
        lay_seen=max(lay, key=lambda count: (lay[count], count)),
    )


def _other_striker(after: BoardSeen, limits: Limits) -> float:
    """Returns how likely the striker is none of what is seen to lie there as it; 1 if nothing is."""
    none = 1.0
    for piece in after.strikers:
        share = dict(piece.odds).get("striker", 0.0) if piece.odds else 1.0 - limits.class_floor
        nothing = false_positive(piece) * limits.miscount
        none *= 1.0 - share * (1.0 - nothing)
    return none


def explained(seen: FusionInput, limits: Limits) -> tuple[FusionInput, list[JointHypothesis]]:
    """Returns the joint hypotheses, and what they explain: with pieces nobody saw go, where interruptions like a
    piece's are left over.

    Something broke both beams of a pocket as a piece does. If no piece that is known to be gone made it, one may have
    gone that vision never had, or took for another: it is asked about unless counting settles it.
    """
    joints = joint_hypotheses(seen, limits)
    made = {hypothesis.pulse for hypothesis in joints[0].hypotheses}
    over = sum(
        index not in made and pulse.whole(limits) and pulse.pocket not in seen.hands | seen.near
        for index, pulse in enumerate(seen.pulses)
    )
    if not over:
        return seen, joints
    base = max((base for base, _ in seen.priors), key=sum)
    seen = replace(seen, gone=(*seen.gone, *_never_seen(base, seen.after, list(seen.gone), over, limits)))
    return seen, joint_hypotheses(seen, limits)


def _exchanged(interval: Interval) -> bool:
    """Says whether a piece that is gone may not be the one that its track set out from: sure there, in doubt since."""
    return any(
        track.end is None and track.start is not None and track.odds and not track.start.odds
        for track in interval.tracks
    )


def _beside(before: BoardSeen, gone: list[Missing], limits: Limits) -> list[SeenPiece]:
    """Returns what lay there beside the pieces that may be gone."""
    starts = [lost.start for lost in gone if lost.start is not None]
    taken = {j for _, j in assign(_near(starts, before.pieces, limits.same_place_mm), limits.same_place_mm)}
    return [piece for j, piece in enumerate(before.pieces) if j not in taken]


def _near(ones: Sequence[SeenPiece], others: Sequence[SeenPiece], reach_mm: float) -> dict[tuple[int, int], float]:
    return {
        (i, j): apart
        for i, one in enumerate(ones)
        for j, other in enumerate(others)
        if (apart := one.apart_mm(other)) < reach_mm
    }


def pockets_under(hands: Sequence[Hand], board: Board) -> frozenset[Pocket]:
    """Returns the pockets that a hand covers or is close to."""
    return frozenset(
        pocket for pocket in POCKETS if any(within(hand.outline, *board.pockets_mm[pocket], 40.0) for hand in hands)
    )


def track_odds(track: Track, limits: Limits) -> Odds:
    """Returns what a track says of its piece: the better of what the track and its start say."""
    odds = track.odds
    if not odds and track.start is not None:
        odds = track.start.odds
    piece: Piece = track.piece
    if piece == "unknown" and track.start is not None:
        piece = track.start.piece
    return odds_of(piece, odds, limits.class_floor)


def _vanished_tracks(interval: Interval, limits: Limits) -> list[Missing]:
    """Returns the pieces whose tracks ended other than at rest."""
    found: list[Missing] = []
    for track in interval.tracks:
        if track is interval.striker or track.end is not None:
            continue
        where = track.vanished.at if track.vanished is not None else None
        lost = _missing(f"track {track.track}", track_odds(track, limits), track.start, where, interval)
        glimpsed = len(track.samples) < 2
        found.append(replace(lost, vanished=track.vanished, appeared=track.start is None, glimpsed=glimpsed))
    return found


def _missing(
    name: str, odds: Odds, start: SeenPiece | None, where: tuple[float, float] | None, interval: Interval
) -> Missing:
    """Returns a piece that is gone, with what the board and the hands say of the place `where` it was last."""
    hidden, handled = _hidden(interval.after, where), _handled(interval, where)
    return Missing(name, odds, None, hidden=hidden, start=start, handled=handled)


def _lying_nowhere(interval: Interval, limits: Limits) -> list[Missing]:
    """Pieces that lay there before, moved in no track, and are not found again."""
    starts = [track.start for track in interval.tracks if track.start is not None]
    ends = [track.end for track in interval.tracks if track.end is not None]
    free = [
        piece for piece in interval.after.coins if not any(piece.apart_mm(end) < limits.same_place_mm for end in ends)
    ]
    lay = [
        (index, piece)
        for index, piece in enumerate(interval.before.pieces)
        if piece.piece != "striker" and not any(piece.apart_mm(start) < limits.same_place_mm for start in starts)
    ]
    reach_mm = 2 * limits.same_place_mm
    again = {i for i, _ in assign(_near([piece for _, piece in lay], free, reach_mm), reach_mm)}
    found = []
    for at, (index, piece) in enumerate(lay):
        if at in again:
            continue
        odds = odds_of(piece.piece, piece.odds, limits.class_floor)
        found.append(_missing(f"piece {index}", odds, piece, piece.at, interval))
    return found


def _striker_gone(interval: Interval, limits: Limits) -> list[Missing]:
    track = interval.striker
    if track is None or track.end is not None or interval.after.strikers:
        return []
    return [Missing("striker", track_odds(track, limits), track.vanished)]


def _never_seen(
    base: Count, after: dict[Count, float], gone: list[Missing], short: int, limits: Limits
) -> list[Missing]:
    """Pieces that must be gone though nobody saw them go: the book had them, the board has them no more."""
    if short <= 0:
        return []
    most = max(after, key=lambda count: (after[count], count))
    left = list(minus(base, most))
    for lost in gone:
        sure = max(lost.odds, key=lambda kind: lost.odds[kind])
        if sure in COINS:
            left[COINS.index(sure)] -= 1
    if max(left) <= 0:
        left = list(base)
    weights: Odds = {kind: max(float(n), limits.class_floor) for kind, n in zip(COINS, left, strict=True)}
    total = sum(weights.values())
    odds = {kind: weight / total for kind, weight in weights.items()}
    known = sum(lost.name.startswith("unseen") for lost in gone)
    return [Missing(f"unseen {known + index}", odds, None) for index in range(short)]


def _near_pockets(pieces: Sequence[SeenPiece], board: Board, limits: Limits) -> frozenset[Pocket]:
    return frozenset(
        pocket
        for pocket in POCKETS
        for piece in pieces
        if piece.in_mouth == pocket or dist(piece.at, board.pockets_mm[pocket]) < limits.thrown_back_mm
    )


def _hidden(after: BoardSeen, where: tuple[float, float] | None) -> float:
    """Returns the weight of a piece lying where nothing can be seen."""
    outlines = [*after.hidden, *(hand.outline for hand in after.hands), *(thing.outline for thing in after.foreign)]
    if not outlines:
        return 0.0
    if where is None:
        return 0.2
    return 0.9 if any(within(outline, *where, 12.0) for outline in outlines) else 0.05


def _handled(interval: Interval, where: tuple[float, float] | None) -> bool:
    """Says whether a hand was seen near a place during the interval."""
    if where is None:
        return bool(interval.hands)
    return any(within(hand.outline, *where, 40.0) for hand in interval.hands)
