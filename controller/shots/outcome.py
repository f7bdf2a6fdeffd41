"""Joint hypotheses of what became of the pieces → what the shot says fell and left the board, and what stays in doubt.

An outcome stands for all joint hypotheses that a rulebook does not distinguish: it is the likeliest of them, with the
weight of all. Doubts are written so that their product is the joint probability: facts that depend on each other share
one doubt. Must not know how it was weighed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from math import hypot, prod
from typing import Any

from controller.events.match import Doubt, Pocketed
from controller.events.words import Piece
from controller.shots.fusion import JointHypothesis
from controller.shots.limits import Limits
from controller.shots.odds import chance_above


def outcomes_of(
    joint_hypotheses: Sequence[JointHypothesis], available: dict[Piece, int], limits: Limits
) -> list[JointHypothesis]:
    """Groups joint hypotheses by what a rulebook would see, likeliest first, without impossible and negligible ones.

    `available`: how many of each piece there are; an outcome that needs more is impossible.
    """
    likeliest: dict[Any, JointHypothesis] = {}
    weights: dict[Any, float] = {}
    for joint in joint_hypotheses:
        told = joint.told
        fell, off = told
        if _possible([*(piece for piece, _ in fell), *off], available):
            likeliest.setdefault(told, joint)
            weights[told] = weights.get(told, 0.0) + joint.weight
    found = [replace(joint, weight=weights[told]) for told, joint in likeliest.items()]
    found.sort(key=lambda one: -one.weight)
    if not found:
        return [JointHypothesis((), (), 1.0)]
    best = found[0]
    return shares([one for one in found if one.weight >= best.weight * _floor(one, best, limits)][:24])


def _floor(one: JointHypothesis, best: JointHypothesis, limits: Limits) -> float:
    """Returns what this outcome must weigh beside the likeliest to be a doubt."""
    (fell, off), (best_fell, best_off) = one.told, best.told
    same_places = sorted(pocket for _, pocket in fell) == sorted(pocket for _, pocket in best_fell)
    return limits.class_doubt_floor if same_places and len(off) == len(best_off) else limits.doubt_floor


def shares(outcomes: Sequence[JointHypothesis], whole: float = 1.0) -> list[JointHypothesis]:
    """Returns the outcomes with weights that add up to `whole`."""
    total = sum(one.weight for one in outcomes)
    return [replace(one, weight=whole * one.weight / total) for one in outcomes]


def pocketed(outcome: JointHypothesis, start_ns: int) -> tuple[Pocketed, ...]:
    """Returns what fell, in order, as the shot tells it."""
    return tuple(Pocketed(piece, one.pocket, _seconds(one.t_ns, start_ns)) for one, piece in outcome.fell)


def doubts_of(outcomes: Sequence[JointHypothesis], start_ns: int, limits: Limits) -> tuple[Doubt, ...]:
    """Returns the doubts between outcomes: on one piece, on all that fell, or on several fields together (`*`)."""
    fallen = [pocketed(one, start_ns) for one in outcomes]
    weights = [one.weight for one in outcomes]
    if len(outcomes) < 2:
        return _order_doubt(outcomes[0], fallen[0], limits)
    fell = [[_json(one) for one in each] for each in fallen]
    off = [list(one.off_board) for one in outcomes]
    if all(one == off[0] for one in off):
        same_places = all([one.pocket for one in each] == [one.pocket for one in fallen[0]] for each in fallen)
        by_piece = _piece_doubts(fallen, weights) if same_places else None
        return by_piece if by_piece is not None else (_doubt("pocketed", zip(fell, weights, strict=True)),)
    if all(one == fallen[0] for one in fallen):
        return (_doubt("off_board", zip(off, weights, strict=True)),)
    both = [{"pocketed": one, "off_board": gone} for one, gone in zip(fell, off, strict=True)]
    return (_doubt("*", zip(both, weights, strict=True)),)


def _order_doubt(outcome: JointHypothesis, fallen: Sequence[Pocketed], limits: Limits) -> tuple[Doubt, ...]:
    """Two different pieces that fell within the errors of their times: which was first?"""
    for index, ((one, first), (two, second)) in enumerate(pairwise(outcome.fell)):
        if first == second or "striker" in (first, second):
            continue
        if one.pocket == two.pocket and one.seen_ns is not None and two.seen_ns is not None:
            apart, sigma = two.seen_ns - one.seen_ns, hypot(one.seen_u_ns, two.seen_u_ns)
        elif one.t_ns is not None and two.t_ns is not None:
            apart, sigma = two.t_ns - one.t_ns, hypot(one.u_ns, two.u_ns)
        else:
            apart, sigma = 0, 1.0
        sure = chance_above(apart, max(sigma, 1.0))
        if 1 - sure < limits.doubt_floor:
            continue
        listed = [_json(fell) for fell in fallen]
        swapped = [*listed[:index], listed[index + 1], listed[index], *listed[index + 2 :]]
        return (_doubt("pocketed", [(listed, sure), (swapped, 1 - sure)]),)
    return ()


def _piece_doubts(fallen: Sequence[Sequence[Pocketed]], weights: Sequence[float]) -> tuple[Doubt, ...] | None:
    """Returns one doubt a piece, or None if the pieces depend on each other and need a joint doubt."""
    kinds: list[dict[Piece, float]] = [{} for _ in fallen[0]]
    for each, weight in zip(fallen, weights, strict=True):
        for kind, fell in zip(kinds, each, strict=True):
            kind[fell.piece] = kind.get(fell.piece, 0.0) + weight
    if prod(map(len, kinds)) != len(fallen):
        return None
    return tuple(_doubt(f"pocketed.{index}.piece", kind.items()) for index, kind in enumerate(kinds) if len(kind) > 1)


def _doubt(fact: str, choices: Iterable[tuple[Any, float]]) -> Doubt:
    ranked = sorted(choices, key=lambda choice: -choice[1])
    return Doubt(fact, tuple((value, round(weight, 6)) for value, weight in ranked))


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
