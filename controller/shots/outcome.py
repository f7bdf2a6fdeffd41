"""Joint hypotheses of what became of the pieces → what the shot says fell and left the board, and what stays in doubt.

An outcome is what a rulebook distinguishes of a hypothesis: pieces, pockets and order. Doubts are written so that their
product is the joint probability: facts that depend on each other share one doubt. Must not know how it was weighed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import erf, hypot, prod, sqrt
from typing import Any

from controller.events.match import Doubt, Pocketed
from controller.events.words import Piece
from controller.shots.fusion import Hypothesis, JointHypothesis
from controller.shots.limits import Limits


@dataclass(frozen=True, slots=True)
class Outcome:
    """What fell, in order, and what left the board. `hypotheses`: the likeliest joint one, with its pieces."""

    pocketed: tuple[Pocketed, ...]
    off_board: tuple[Piece, ...]
    weight: float
    hypotheses: tuple[tuple[Hypothesis, Piece], ...]


def outcomes_of(
    joint_hypotheses: Sequence[JointHypothesis], available: dict[Piece, int], start_ns: int, limits: Limits
) -> list[Outcome]:
    """Groups joint hypotheses by what a rulebook would see, likeliest first, without impossible and negligible ones.

    `available`: how many of each piece there are; an outcome that needs more is impossible.
    """
    grouped: dict[tuple[Any, ...], list[Any]] = {}
    for joint in joint_hypotheses:
        pairs = list(zip(joint.hypotheses, joint.pieces, strict=True))
        fell = in_order([pair for pair in pairs if pair[0].fate == "fell"])
        off = sorted(piece for hypothesis, piece in pairs if hypothesis.fate == "off")
        if not _possible([piece for _, piece in fell] + off, available):
            continue
        key = (tuple(sorted((piece, hypothesis.pocket or "") for hypothesis, piece in fell)), tuple(off))
        if key in grouped:
            grouped[key][1] += joint.weight
            continue
        pocketed = tuple(
            Pocketed(piece, hypothesis.pocket, _seconds(hypothesis.t_ns, start_ns)) for hypothesis, piece in fell
        )
        grouped[key] = [Outcome(pocketed, tuple(off), 0.0, tuple(pairs)), joint.weight]
    found = [Outcome(one.pocketed, one.off_board, weight, one.hypotheses) for one, weight in grouped.values()]
    found.sort(key=lambda one: -one.weight)
    if not found:
        return [Outcome((), (), 1.0, ())]
    kept = [one for one in found if one.weight >= found[0].weight * limits.doubt_floor][:24]
    total = sum(one.weight for one in kept)
    return [Outcome(one.pocketed, one.off_board, one.weight / total, one.hypotheses) for one in kept]


def doubts_of(outcomes: Sequence[Outcome], limits: Limits) -> tuple[Doubt, ...]:
    """Returns the doubts between outcomes: on one piece, on all that fell, or on several fields together (`*`)."""
    first = outcomes[0]
    if len(outcomes) < 2:
        return _order_doubt(first, limits)
    if all(one.off_board == first.off_board for one in outcomes):
        same_places = all(
            [fell.pocket for fell in one.pocketed] == [fell.pocket for fell in first.pocketed] for one in outcomes
        )
        by_piece = _piece_doubts(outcomes) if same_places else None
        if by_piece is not None:
            return by_piece
        return (_doubt("pocketed", [([_json(fell) for fell in one.pocketed], one.weight) for one in outcomes]),)
    if all(one.pocketed == first.pocketed for one in outcomes):
        return (_doubt("off_board", [(list(one.off_board), one.weight) for one in outcomes]),)
    return (
        _doubt(
            "*",
            [
                (
                    {"pocketed": [_json(fell) for fell in one.pocketed], "off_board": list(one.off_board)},
                    one.weight,
                )
                for one in outcomes
            ],
        ),
    )


def in_order(fell: Sequence[tuple[Hypothesis, Piece]]) -> list[tuple[Hypothesis, Piece]]:
    """Returns what fell in order of fall: by the best times, and what fell through one pocket as the camera saw it."""
    ranked = sorted(fell, key=lambda pair: (pair[0].t_ns is None, pair[0].t_ns or 0, pair[0].name))
    for index in range(len(ranked) - 1):
        one, two = ranked[index][0], ranked[index + 1][0]
        if _together(one, two) and (one.seen_ns or 0) > (two.seen_ns or 0):
            ranked[index], ranked[index + 1] = ranked[index + 1], ranked[index]
    return ranked


def _together(one: Hypothesis, two: Hypothesis) -> bool:
    """Says whether only the camera can tell which of two fell first: one interruption, or one of them not felt."""
    if one.seen_ns is None or two.seen_ns is None or one.pocket != two.pocket:
        return False
    return one.pulse == two.pulse or None in (one.pulse, two.pulse)


def _order_doubt(outcome: Outcome, limits: Limits) -> tuple[Doubt, ...]:
    """Two different pieces that fell within the errors of their times: which was first?"""
    ranked = in_order([pair for pair in outcome.hypotheses if pair[0].fate == "fell"])
    for index, ((one, first), (two, second)) in enumerate(pairwise(ranked)):
        if first == second or "striker" in (first, second):
            continue
        if one.pocket == two.pocket and one.seen_ns is not None and two.seen_ns is not None:
            apart, sigma = two.seen_ns - one.seen_ns, hypot(one.seen_u_ns, two.seen_u_ns)
        elif one.t_ns is not None and two.t_ns is not None:
            apart, sigma = two.t_ns - one.t_ns, hypot(one.u_ns, two.u_ns)
        else:
            apart, sigma = 0, 1.0
        sure = 0.5 * (1 + erf(apart / max(sigma, 1.0) / sqrt(2)))
        if 1 - sure < limits.doubt_floor:
            continue
        listed = [_json(fell) for fell in outcome.pocketed]
        swapped = [*listed[:index], listed[index + 1], listed[index], *listed[index + 2 :]]
        return (_doubt("pocketed", [(listed, sure), (swapped, 1 - sure)]),)
    return ()


def _piece_doubts(outcomes: Sequence[Outcome]) -> tuple[Doubt, ...] | None:
    """Returns one doubt a piece, or None if the pieces depend on each other and need a joint doubt."""
    shares: list[dict[Piece, float]] = [{} for _ in outcomes[0].pocketed]
    for one in outcomes:
        for index, fell in enumerate(one.pocketed):
            shares[index][fell.piece] = shares[index].get(fell.piece, 0.0) + one.weight
    if prod(len(share) for share in shares) != len(outcomes):
        return None
    return tuple(
        _doubt(f"pocketed.{index}.piece", list(share.items())) for index, share in enumerate(shares) if len(share) > 1
    )


def _doubt(fact: str, choices: list[tuple[Any, float]]) -> Doubt:
    choices = sorted(choices, key=lambda choice: -choice[1])
    return Doubt(fact, tuple((value, round(weight, 6)) for value, weight in choices))


def _json(fell: Pocketed) -> dict[str, Any]:
    found: dict[str, Any] = {"piece": fell.piece}
    if fell.pocket is not None:
        found["pocket"] = fell.pocket
    if fell.t is not None:
        found["t"] = fell.t
    return found


def _possible(pieces: Sequence[Piece], available: dict[Piece, int]) -> bool:
    return all(pieces.count(kind) <= available.get(kind, 0) for kind in set(pieces) if kind != "unknown")


def _seconds(t_ns: int | None, start_ns: int) -> float | None:
    return None if t_ns is None else round((t_ns - start_ns) / 1e9, 3)
