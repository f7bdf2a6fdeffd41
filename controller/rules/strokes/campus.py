"""The college tournament: queen and cover never in one pocket, pieces behind the base line only by a rebound."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from controller.rules.case import Case, Outcome
from controller.rules.strokes import clearing

WORDS = clearing.Words(
    keep="campus-1",
    lose="",
    theirs="campus-18",
    both="campus-18",
    striker="campus-12",
    striker_own="campus-12",
    early="campus-3",
    covered="campus-14",
    covered_next="campus-3",
    uncovered="campus-3",
    won="campus-4",
    points="campus-6",
    own_last="campus-19",
    theirs_last="campus-18",
    same_pocket="campus-5",
)


def resolve(case: Case) -> Outcome:
    """Rules on one stroke by the college tournament's rules."""
    word = _last_piece_first(case)
    outcome = clearing.resolve(case, WORDS, ("campus-17",) if word == "rule" and "campus-17" not in case.fouls else ())
    return replace(outcome, raised=("campus-17",)) if word == "confirm" else outcome


def drop(case: Case) -> Outcome:
    """Rules on a piece that fell from a pocket's rim by itself."""
    return clearing.drop(case, WORDS)


def _last_piece_first(case: Case) -> Literal["rule", "confirm", "no"]:
    """campus-17: the very first contact is the own last piece while the queen is on the board."""
    contacts = case.shot.contacts
    if not contacts or not case.sees("contacts") or case.queen != "board":
        return "rule" if "campus-17" in case.fouls else "no"
    last = case.own_left + case.own == 1 and contacts[0].touched == case.own_colour
    return case.found("campus-17") if last else "no"
