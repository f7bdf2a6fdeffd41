"""Everybody meets everybody once: the circle method, with the first break as often for each as for the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

_T = TypeVar("_T")


def rounds_of(them: Sequence[_T]) -> list[list[tuple[_T, _T]]]:
    """Returns each round's pairs; of each pair the first has the break. Nobody has it more than once more or less often
    than the other; where their number is odd, one has a rest each round, and all have it equally often.

    With them on a circle of odd length, round r has those whose numbers add up to r; who is met by nobody so meets the
    last one. A smaller number has the break where the sum is odd, the larger one where it is even.
    """
    count = len(them)
    odd = count - 1 if count % 2 == 0 else count
    rounds = []
    for number in range(odd):
        pairs = []
        for low in range(odd):
            high = (number - low) % odd
            if low < high:
                pairs.append((low, high) if (low + high) % 2 else (high, low))
            elif low == high and count > odd:
                pairs.append((low, odd) if low < odd // 2 else (odd, low))
        rounds.append([(them[first], them[second]) for first, second in pairs])
    return rounds


def late(rounds: list[list[tuple[_T, _T]]], alike: Callable[[_T, _T], bool]) -> list[list[tuple[_T, _T]]]:
    """Returns the rounds with those last in which most pairs are alike; else in their order."""
    return sorted(rounds, key=lambda pairs: sum(alike(*pair) for pair in pairs))
