"""A steady clock that a test drives."""

from __future__ import annotations

from collections.abc import Callable

from controller.supervision.steady import SteadyClock


def steady(
    now: Callable[[], float] | float, wall: Callable[[], float] | None = None, boot: str = "boot"
) -> SteadyClock:
    """`now`: the machine's own clock, or where it stands; `wall`: the wall's, the same if left out."""
    monotonic = now if callable(now) else lambda: now
    return SteadyClock(wall or monotonic, monotonic, boot)
