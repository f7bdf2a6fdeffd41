"""Figures of the rules: how many rulings of random matches agree with a second, independent reading of the laws."""

from __future__ import annotations

from collections.abc import Iterable

from tests.bench.figure import Figure
from tests.rules.icf_streams import compare


def run(long: bool) -> Iterable[Figure]:
    """Yields the share of icf rulings that agree in every field; `long` plays ten times as many matches."""
    matches = 20_000 if long else 2000
    agreed, first = 0, ""
    broken = 0
    for seed in range(1000, 1000 + matches):
        try:
            agreed += compare(seed, 60)
        except AssertionError as difference:
            broken += 1
            first = first or str(difference)
    yield Figure(
        f"rulings of {matches} random icf matches as in the second reading",
        "sim",
        f"{agreed:,} rulings, {broken} matches differ",
        "none differs",
        broken == 0,
        note=first[:200],
    )
