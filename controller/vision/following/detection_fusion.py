"""Fuses detections of the same pieces: what class each is by all of them, where it lies, what still holds.

One detection may err, but there are never ten blacks or two strikers. So at rest the classes of all pieces are weighed
together. Pure values; no pixels.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from controller.events.observation import FOUND_AGAIN_MM, SeenPiece
from controller.events.words import SET, Piece
from controller.vision.finding.find import Finding

KINDS: tuple[Piece, ...] = ("white", "black", "queen", "striker")

Weights = dict[Piece, float]

LEAST = 0.02
"""What is less likely than this is not named among the doubts."""

MOST_SURE = 0.985
LEAST_SURE = 0.4
"""What one detection's own confidence is believed to be at most and at least."""

AGAIN = 0.5
"""What another detection of the same unchanged pixels counts beside a first one: its errors are mostly the same."""

BEYOND = 0.002
"""How likely it is that a class turned up that was not there: a second queen, a coin brought unseen."""


def weights_of(piece: SeenPiece) -> Weights:
    """What a detection of one piece says of its class, as weights that add up to one."""
    if piece.odds:
        said = dict(piece.odds)
        left = max(0.0, 1.0 - sum(said.values())) + 0.01
        return _even({kind: said.get(kind, 0.0) + left / len(KINDS) for kind in KINDS})
    if piece.piece == "unknown":
        return _even(dict.fromkeys(KINDS, 1.0))
    sure = min(max(piece.confidence, LEAST_SURE), MOST_SURE)
    return {kind: sure if kind == piece.piece else (1.0 - sure) / (len(KINDS) - 1) for kind in KINDS}


def agreed(before: SeenPiece, now: SeenPiece) -> SeenPiece:
    """A piece whose picture has not changed, detected again: `before` with the class both detections make likely."""
    was, again = weights_of(before), weights_of(now)
    return called(before, {kind: was[kind] * again[kind] ** AGAIN for kind in KINDS})


def called(piece: SeenPiece, weights: Mapping[Piece, float]) -> SeenPiece:
    """The same piece with its likeliest class; what else it may be is added where it is not sure."""
    weights = _even(weights)
    best = max(KINDS, key=lambda kind: weights[kind])
    likely = sorted(((kind, weights[kind]) for kind in KINDS if weights[kind] >= LEAST), key=lambda pair: -pair[1])
    total = sum(weight for _, weight in likely)
    odds = tuple((kind, round(weight / total, 4)) for kind, weight in likely)
    return replace(piece, piece=best, confidence=round(weights[best], 4), odds=odds if len(odds) > 1 else ())


def possible(pieces: Sequence[SeenPiece]) -> tuple[SeenPiece, ...]:
    """The same pieces, with a doubt where they cannot all be what they were taken for."""
    if all(sum(piece.piece == kind for piece in pieces) <= most for kind, most in SET.items()):
        return tuple(pieces)
    weights = _weighed_together([weights_of(piece) for piece in pieces])
    return tuple(
        piece if piece.piece == "unknown" else called(piece, weight)
        for piece, weight in zip(pieces, weights, strict=True)
    )


def _weighed_together(detections: Sequence[Weights]) -> list[Weights]:
    """Weighs the pieces' classes (`detections`) with each other.

    Returns each piece's weights, in the same order. One of a class beyond those of a set is `BEYOND` as likely as its
    detection says.
    """
    shape = tuple(SET[kind] + 1 for kind in KINDS)
    # What is still to be given away of each class before piece n; and, from the end, the weight of all that follows.
    whole = np.zeros(shape)
    whole[-1, -1, -1, -1] = 1.0
    ahead: list[NDArray[np.float64]] = [whole]
    for detection in detections[:-1]:
        ahead.append(_normal(sum((_shifted(ahead[-1], axis, detection[kind]) for axis, kind in enumerate(KINDS)), 0.0)))
    behind: NDArray[np.float64] = np.ones(shape)
    out: list[Weights] = []
    for detection, state in zip(reversed(detections), reversed(ahead), strict=True):
        parts = {kind: _shifted(state, axis, detection[kind]) for axis, kind in enumerate(KINDS)}
        out.append(_even({kind: float((part * behind).sum()) for kind, part in parts.items()}))
        given = (_shifted(behind, axis, detection[kind], back=True) for axis, kind in enumerate(KINDS))
        behind = _normal(sum(given, 0.0))
    return out[::-1]


def _shifted(state: NDArray[np.float64], axis: int, weight: float, *, back: bool = False) -> NDArray[np.float64]:
    """One of a class is given away; where none is left it is one beyond what there can be.

    With `back` the reverse: what follows, seen from before a piece.
    """
    moved = BEYOND * weight * state
    fewer, more = [slice(None)] * 4, [slice(None)] * 4
    fewer[axis], more[axis] = slice(None, -1), slice(1, None)
    source, target = (fewer, more) if back else (more, fewer)
    moved[tuple(target)] += weight * state[tuple(source)]
    return moved


def _normal(state: NDArray[np.float64] | float) -> NDArray[np.float64]:
    values = np.asarray(state, np.float64)
    out: NDArray[np.float64] = values / max(float(values.max()), 1e-300)
    return out


def _even(weights: Mapping[Piece, float]) -> Weights:
    total = sum(weights.values()) or 1.0
    return {kind: max(weights[kind] / total, 1e-4) for kind in KINDS}


SAME_PLACE_MM = 2.5
"""A piece at rest that is found this near to where one lay, or where a track ended, is that piece."""

CREPT_MM = 1.0
"""Farther off than this and than both detections' errors, it shifted without being seen to move: a shaken board."""

OVERLAP_MM = 20.0
"""What is found this near to a piece that nobody touched is no other piece."""


def carried(
    sight: Finding,
    before: Sequence[SeenPiece],
    untouched: Collection[SeenPiece],
    bare: Callable[[SeenPiece], bool],
    seems_bare: Callable[[SeenPiece], bool],
) -> Finding:
    """What nobody touched lies there and is what it was: another detection makes its place surer, and may raise a
    doubt.

    `untouched`: the pieces of `before` whose picture has not changed. `bare`: whether the bare board is to be
    seen where a detection says a piece lies: then it was never there. `seems_bare`: the same, as far as it takes for a
    piece that a detection misses.
    """
    kept: list[SeenPiece] = []
    found = list(sight.pieces)
    for piece in before:
        if piece not in untouched:
            continue
        same = nearest(found, piece)
        if same is not None:
            found.remove(same)
            # What was not detected now is in the finding as it was: no detection counts twice.
            kept.append(piece if same is piece else _surer(agreed(piece, same), same))
        elif not seems_bare(piece) and sum(piece.apart_mm(other) < OVERLAP_MM for other in found) < 2:
            # Two that a detection sees where one was thought to lie have taken its place, however alike that looks.
            kept.append(piece)
    new = [piece for piece in found if not lies_in(kept, piece, OVERLAP_MM) and not bare(piece)]
    return replace(sight, pieces=(*kept, *new))


def nearest(pieces: Sequence[SeenPiece], piece: SeenPiece, reach_mm: float = FOUND_AGAIN_MM) -> SeenPiece | None:
    """The one of the pieces that lies where `piece` does."""
    gaps = [(other.apart_mm(piece), other) for other in pieces]
    gap, found = min(gaps, key=lambda one: one[0], default=(reach_mm, None))
    return found if gap < reach_mm else None


def lies_in(pieces: Sequence[SeenPiece], piece: SeenPiece, reach_mm: float = FOUND_AGAIN_MM) -> bool:
    """Whether one of the pieces lies where `piece` does."""
    return nearest(pieces, piece, reach_mm) is not None


def _surer(before: SeenPiece, now: SeenPiece) -> SeenPiece:
    if now.apart_mm(before) > max(CREPT_MM, before.u95_mm + now.u95_mm):
        return replace(
            before, x_mm=now.x_mm, y_mm=now.y_mm, u95_mm=now.u95_mm, visible=now.visible, in_mouth=now.in_mouth
        )
    weight = now.u95_mm**-2 if now.u95_mm > 0 else 1.0
    old = before.u95_mm**-2 if before.u95_mm > 0 else 1.0
    share = weight / (weight + old)
    return replace(
        before,
        x_mm=before.x_mm + share * (now.x_mm - before.x_mm),
        y_mm=before.y_mm + share * (now.y_mm - before.y_mm),
        u95_mm=min(before.u95_mm, now.u95_mm),
        visible=now.visible,
        in_mouth=now.in_mouth,
    )
