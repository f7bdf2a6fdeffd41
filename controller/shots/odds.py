"""Weights over what a piece is, and over how many of each lie on the board. Must not know where anything lies.

A board's count is (white, black, queen); the striker is no part of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import erf, sqrt

from controller.events.observation import SeenPiece
from controller.events.words import SET, Piece

Odds = dict[Piece, float]
Count = tuple[int, int, int]

COINS: tuple[Piece, ...] = ("white", "black", "queen")
WHOLE_PACK = sum(SET[kind] for kind in COINS)
"""All coins of a board."""


def odds_of(piece: Piece, odds: Sequence[tuple[Piece, float]], floor: float) -> Odds:
    """Returns weights that add up to 1 for what vision reports of one piece; none below `floor` among the coins.

    `odds` empty: the class is not in doubt. `unknown` is spread over the coins as they come in a set.
    """
    found: Odds = {}
    for kind, weight in odds:
        if weight > 0:
            found[kind] = found.get(kind, 0.0) + weight
    if piece not in found and piece != "unknown":
        found[piece] = max(0.0, 1.0 - sum(found.values())) if found else 1.0
    unknown = found.pop("unknown", 0.0) if found else 1.0
    if unknown > 0:
        for kind in COINS:
            found[kind] = found.get(kind, 0.0) + unknown * (SET[kind] / WHOLE_PACK)
    if set(found) - {"striker"}:
        for kind in COINS:
            found[kind] = max(found.get(kind, 0.0), floor)
    total = sum(found.values())
    return {kind: weight / total for kind, weight in found.items()}


def likeliest(odds: Mapping[Piece, float]) -> Piece:
    """Returns the likeliest class; between equals the one that comes first in the words."""
    return max(odds, key=lambda kind: (odds[kind], kind))


WHOLLY_SEEN = 0.8
"""Nothing but a hand or a thing hides a piece from a camera above: one seen less than this may be a shadow."""
FALSE_PARTLY = 0.2
FALSE_WHOLLY = 1e-4
"""Chance that what was taken for a piece is none: a crescent of shadow beside one, or a piece in full view."""


def false_positive(seen: SeenPiece) -> float:
    """Returns the chance that there is no such piece."""
    partly = FALSE_PARTLY if seen.visible < WHOLLY_SEEN and not seen.upright else FALSE_WHOLLY
    return min(0.5, max(partly, 1.0 - seen.confidence if seen.confidence < 0.8 and not seen.odds else 0.0))


def counts_of(pieces: Iterable[SeenPiece], floor: float) -> dict[Count, float]:
    """Returns the weights of how many coins of each class these are; the striker is left out, and any may be none.

    One that may be the striker counts as far as it may be a coin.
    """
    weights: dict[Count, float] = {(0, 0, 0): 1.0}
    for seen in pieces:
        odds = odds_of(seen.piece, seen.odds, floor)
        nothing = false_positive(seen)
        nothing += (1 - nothing) * odds.pop("striker", 0.0)
        known = sum(odds.values()) or 1.0
        grown: dict[Count, float] = {}
        for (white, black, queen), weight in weights.items():
            if weight * nothing > 1e-7:
                count = (white, black, queen)
                grown[count] = grown.get(count, 0.0) + weight * nothing
            for kind, count in (
                ("white", (white + 1, black, queen)),
                ("black", (white, black + 1, queen)),
                ("queen", (white, black, queen + 1)),
            ):
                share = weight * (1 - nothing) * odds.get(kind, 0.0) / known  # type: ignore[call-overload]
                if share > 1e-7:
                    grown[count] = grown.get(count, 0.0) + share
        weights = grown
    total = sum(weights.values())
    return {count: weight / total for count, weight in weights.items()} if total else {(0, 0, 0): 1.0}


def count_of(pairs: Iterable[tuple[Piece, int]]) -> Count:
    """Turns the book's pairs into a count."""
    found = dict(pairs)
    return (found.get("white", 0), found.get("black", 0), found.get("queen", 0))


def minus(left: Count, right: Count) -> Count:
    """Returns the difference; may be negative."""
    return (left[0] - right[0], left[1] - right[1], left[2] - right[2])


def pieces_of(count: Count) -> tuple[Piece, ...]:
    """Returns the pieces of a count, one by one; what is negative is none."""
    return tuple(kind for kind, n in zip(COINS, count, strict=True) for _ in range(max(0, n)))


def totals(counts: Mapping[Count, float]) -> dict[int, float]:
    """Returns the weights of how many coins there are, whatever they are."""
    found: dict[int, float] = {}
    for count, weight in counts.items():
        found[sum(count)] = found.get(sum(count), 0.0) + weight
    return found


def chance_above(value: float, sigma: float) -> float:
    """Returns how likely something measured so, with this standard deviation, is truly above zero."""
    return 0.5 * (1 + erf(value / sigma / sqrt(2)))


def joint(choices: Sequence[Mapping[Piece, float]], least: float) -> list[tuple[tuple[Piece, ...], float]]:
    """Returns every tuple of classes with its weight, likeliest first, without those below `least`."""
    tuples: list[tuple[tuple[Piece, ...], float]] = [((), 1.0)]
    for odds in choices:
        tuples = [
            ((*kinds, kind), weight * share)
            for kinds, weight in tuples
            for kind, share in odds.items()
            if weight * share >= least
        ]
        tuples.sort(key=lambda pair: -pair[1])
        tuples = tuples[:400]
    return tuples
