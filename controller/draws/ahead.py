"""Whether a Swiss event can go on: few who meet often may be left without a pairing in a later round."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

Pairs = Sequence[tuple[str, str]]
STEPS = 100_000
"""So far it is gone through, in some tenths of a second. What is not decided by then is taken for possible."""


class TiredError(Exception):
    """The steps are used up."""


class Ahead:
    """Goes through the pairings of later rounds, by keys. Deterministic: it counts its steps, not the time."""

    def __init__(self, steps: int = STEPS) -> None:
        self._steps = steps
        self._never: set[tuple[frozenset[frozenset[str]], frozenset[str], int]] = set()

    def possible(self, met: Mapping[str, Set[str]], rested: Set[str], later: int) -> bool:
        """Whether so many rounds can follow where nobody meets those it has met, and nobody rests twice.

        Raises TiredError once the steps are used up.
        """
        if not later:
            return True
        known = (frozenset(frozenset((one, other)) for one in met for other in met[one]), frozenset(rested), later)
        if known in self._never:
            return False
        byes: list[str | None] = [key for key in sorted(met) if key not in rested] if len(met) % 2 else [None]
        for bye in byes:
            there = [key for key in sorted(met) if key != bye]
            for pairs in self.pairings(there, met):
                if self.possible(after(met, pairs), rested | ({bye} if bye else set()), later - 1):
                    return True
        self._never.add(known)
        return False

    def pairings(self, keys: Sequence[str], met: Mapping[str, Set[str]]) -> Iterator[list[tuple[str, str]]]:
        """Yields all pairings of some keys, those with fewest choices first. Raises TiredError."""
        self._steps -= 1
        if self._steps < 0:
            raise TiredError
        if not keys:
            yield []
            return
        choices = {key: [other for other in keys if other != key and other not in met[key]] for key in keys}
        first = min(keys, key=lambda key: len(choices[key]))
        for other in choices[first]:
            for more in self.pairings([key for key in keys if key not in (first, other)], met):
                yield [(first, other), *more]


def after(met: Mapping[str, Set[str]], pairs: Pairs) -> dict[str, set[str]]:
    """Returns whom each has met once some pairs have played."""
    found = {key: set(others) for key, others in met.items()}
    for one, other in pairs:
        found[one].add(other)
        found[other].add(one)
    return found
