"""Which facts of a stroke a camera of each grade can tell. What it cannot is named as unseen, and never ruled on.

The one place that says so: strokes are read by it, and what is watched tonight follows from it.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.events.words import Grade

TELLS: Mapping[Grade, frozenset[str]] = {
    "basic": frozenset(
        {
            "seat",
            "pocketed",
            "off_board",
            "rest",
            "rack",
            "all_at_rest",
            "heading",
            "clock",
            "elapsed",
            "flags.hand_touched_piece",
            "flags.two_hands",
            "flags.piece_moved_before",
            "flags.replaced",
            "flags.over_half",
            "flags.body_over_diagonal",
            "flags.delay",
        }
    ),
    "club": frozenset(
        {
            "contacts",
            "left_baseline",
            "crossed_baseline",
            "placement",
            "flags.push",
            "flags.moving_piece_removed",
            "flags.striker_touched",
            "flags.shake",
        }
    ),
    "match": frozenset(),
}
"""What a camera of each grade adds to the grades below it. Calls about lines and contacts need a better one than
`basic`: between two of its pictures a striker runs across a coin, and it may know places to 5 mm only. Nobody sees
elbows, chairs, or what a stroke was meant for."""

_ORDER: tuple[Grade, ...] = ("basic", "club", "match")


def told_at(grade: Grade) -> frozenset[str]:
    """Returns the facts that can be told at a grade, as `unseen` and clauses' `needs` name them."""
    return frozenset().union(*(TELLS[lower] for lower in _ORDER[: _ORDER.index(grade) + 1]))


def flags_not_told_at(grade: Grade) -> tuple[str, ...]:
    """Returns the flags that only a better camera could raise."""
    return tuple(sorted(fact for fact in told_at("match") - told_at(grade) if fact.startswith("flags.")))
