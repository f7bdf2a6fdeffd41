"""Class probabilities of pieces: from each detection, and at rest from how many of a class there can be.

One detection may err, but there are never ten blacks or two strikers. So at rest the classes of all pieces are weighed
together. Pure values; no pixels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from controller.events.observation import SeenPiece
from controller.events.words import SET, Piece

KINDS: tuple[Piece, ...] = ("white", "black", "queen", "striker")

Weights = dict[Piece, float]

SURE = 0.95
"""A class of a higher probability than this is published without a doubt."""

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
    sure = weights[best]
    if sure >= SURE:
        return replace(piece, piece=best, confidence=round(sure, 4), odds=())
    likely = sorted(((kind, weights[kind]) for kind in KINDS if weights[kind] >= LEAST), key=lambda pair: -pair[1])
    total = sum(weight for _, weight in likely)
    odds = tuple((kind, round(weight / total, 4)) for kind, weight in likely)
    return replace(piece, piece=best, confidence=round(sure, 4), odds=odds if len(odds) > 1 else ())


def possible(pieces: Sequence[SeenPiece]) -> tuple[SeenPiece, ...]:
    """The same pieces, with a doubt where they cannot all be what they were taken for."""
    if all(sum(piece.piece == kind for piece in pieces) <= most for kind, most in SET.items()):
        return tuple(pieces)
    weights = together([weights_of(piece) for piece in pieces], SET)
    return tuple(
        piece if piece.piece == "unknown" else called(piece, weight)
        for piece, weight in zip(pieces, weights, strict=True)
    )


def together(detections: Sequence[Weights], room: Mapping[Piece, int]) -> list[Weights]:
    """Weighs the pieces' classes (`detections`) with each other.

    `room`: how many there can be of each class at most. Returns each piece's weights, in the same order. A class beyond
    `room` is `BEYOND` as likely as its detection says.
    """
    if not detections:
        return []
    shape = tuple(max(0, room.get(kind, 0)) + 1 for kind in KINDS)
    # What is still to be given away of each class before piece n; and, from the end, the weight of all that follows.
    ahead: list[NDArray[np.float64]] = [_begin(shape)]
    for detection in detections[:-1]:
        ahead.append(_normal(sum((_taken(ahead[-1], axis, detection[kind]) for axis, kind in enumerate(KINDS)), 0.0)))
    behind: NDArray[np.float64] = np.ones(shape)
    out: list[Weights] = []
    for detection, state in zip(reversed(detections), reversed(ahead), strict=True):
        parts = {kind: _taken(state, axis, detection[kind]) for axis, kind in enumerate(KINDS)}
        out.append(_even({kind: float((part * behind).sum()) for kind, part in parts.items()}))
        behind = _normal(sum((_given(behind, axis, detection[kind]) for axis, kind in enumerate(KINDS)), 0.0))
    return out[::-1]


def _begin(shape: tuple[int, ...]) -> NDArray[np.float64]:
    state = np.zeros(shape)
    state[tuple(side - 1 for side in shape)] = 1.0
    return state


def _taken(state: NDArray[np.float64], axis: int, weight: float) -> NDArray[np.float64]:
    """One of a class is given away; where none is left it is one beyond what there can be."""
    moved = BEYOND * weight * state
    source = [slice(None)] * 4
    target = [slice(None)] * 4
    source[axis], target[axis] = slice(1, None), slice(None, -1)
    moved[tuple(target)] += weight * state[tuple(source)]
    return moved


def _given(behind: NDArray[np.float64], axis: int, weight: float) -> NDArray[np.float64]:
    """The reverse of `_taken`: what follows, seen from before a piece."""
    moved = BEYOND * weight * behind
    source = [slice(None)] * 4
    target = [slice(None)] * 4
    source[axis], target[axis] = slice(None, -1), slice(1, None)
    moved[tuple(target)] += weight * behind[tuple(source)]
    return moved


def _normal(state: NDArray[np.float64] | float) -> NDArray[np.float64]:
    values = np.asarray(state, np.float64)
    out: NDArray[np.float64] = values / max(float(values.max()), 1e-300)
    return out


def _even(weights: Mapping[Piece, float]) -> Weights:
    total = sum(weights.values()) or 1.0
    return {kind: max(weights[kind] / total, 1e-4) for kind in KINDS}
