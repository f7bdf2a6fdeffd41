"""The 25-point guide: the side that secured the queen wins whoever cleared first."""

from __future__ import annotations

from controller.rules.case import Case, Outcome
from controller.rules.strokes import clearing

WORDS = clearing.Words(
    keep="classic-5",
    lose="classic-5",
    theirs="classic-6",
    both="classic-7",
    striker="classic-12",
    striker_own="classic-13",
    early="classic-8",
    covered="classic-9",
    covered_next="classic-9",
    uncovered="classic-10",
    won="classic-17",
    points="classic-20",
    own_last="classic-22",
    theirs_last="classic-23",
    fine="classic-11",
    striker_foul=True,
    holder="classic-18",
    last_with_queen="classic-19",
)


def resolve(case: Case) -> Outcome:
    """Rules on one stroke by the 25-point guide."""
    return clearing.resolve(case, WORDS)


def drop(case: Case) -> Outcome:
    """Rules on a piece that fell from a pocket's rim by itself."""
    return clearing.drop(case, WORDS)
