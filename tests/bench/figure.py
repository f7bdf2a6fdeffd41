"""A measured figure and how it is printed: k/n with its interval, or a value against its limit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb, sqrt


@dataclass(frozen=True)
class Figure:
    """One line of the bench.

    `source`: sim, render, real or host. `wanted`: the limit in words. `reached`: None where there is none.
    """

    name: str
    source: str
    value: str
    wanted: str = ""
    reached: bool | None = None
    note: str = ""


def wilson(k: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927); (0, 1) for n = 0."""
    if n == 0:
        return (0.0, 1.0)
    share, zz = k / n, z * z
    middle = (share + zz / (2 * n)) / (1 + zz / n)
    half = z * sqrt(share * (1 - share) / n + zz / (4 * n * n)) / (1 + zz / n)
    return (max(0.0, middle - half), min(1.0, middle + half))


def share(k: int, n: int) -> str:
    """Writes k of n with its share and interval."""
    low, high = wilson(k, n)
    percent = 100 * k / n if n else float("nan")
    return f"{k}/{n} = {percent:.2f} % [{100 * low:.2f}, {100 * high:.2f}]"


def exact(k: int, n: int) -> str:
    """Writes k of n with its exact 95 % interval (Clopper and Pearson 1934): counts near 0 need it."""
    if n == 0:
        return "0/0"
    low = 0.0 if k == 0 else _root(lambda p: 1 - _at_most(k - 1, n, p), 0.025)
    high = 1.0 if k == n else 1 - _root(lambda q: _at_most(k, n, 1 - q), 0.025)
    return f"{k}/{n} = {100 * k / n:.2f} % [{100 * low:.2f}, {100 * high:.2f}]"


def _at_most(k: int, n: int, p: float) -> float:
    return sum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1))


def _root(rises: Callable[[float], float], wanted: float) -> float:
    """Returns where a rising function of a share reaches a value, by halving."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if rises(middle) < wanted else (low, middle)
    return low
