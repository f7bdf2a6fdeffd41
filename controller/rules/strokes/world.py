"""The boxed game rules, simple game and teams: a striker that falls with own pieces keeps the turn."""

from __future__ import annotations

from controller.rules.case import Case, Outcome
from controller.rules.strokes import clearing

WORDS = clearing.Words(
    keep="world-5",
    lose="world-5",
    theirs="world-9",
    both="world-9",
    striker="world-12",
    striker_own="world-12",
    early="world-6",
    covered="world-7",
    covered_next="world-7",
    uncovered="world-7",
    won="world-8",
    points="world-14",
    own_last="world-11",
    theirs_last="world-10",
)


def resolve(case: Case) -> Outcome:
    """Rules on one stroke by the boxed game rules."""
    return clearing.resolve(case, WORDS)


def drop(case: Case) -> Outcome:
    """Rules on a piece that fell from a pocket's rim by itself."""
    return clearing.drop(case, WORDS)
