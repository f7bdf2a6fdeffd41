"""Several violations in one stroke cost one due (`club-71`), in every book but `icf`, however they are known."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import Any, get_args

import pytest

from controller.events.words import Flag
from tests.rules.scenes import BOOKS, play

FLAGS = get_args(Flag)
OTHERS = sorted(book for book in BOOKS if book != "icf")


def table(book: str) -> dict[str, Any]:
    """South, white, has pieces in hand to pay from."""
    seats = {"south": "Asha", "north": "Ben"}
    if book == "world-team":
        seats |= {"east": "Chen", "west": "Dina"}
    left = {"white": 3, "black": 3}
    white = {"white": "south"} if book == "club" else {}
    position: dict[str, Any] = {"left": left, "turn": "south", "break_done": True}
    if book in ("world-family", "world-point"):
        position["in_hand"] = {"south": ["white"] * 6, "north": ["black"] * 6}
    return {"event": "start", "book": book, "seats": seats, "first": "south", "position": position} | white


def dues(book: str, flags: tuple[str, ...], *before: dict[str, Any], **facts: Any) -> int:
    """What south has paid and owes after a stroke whose flags were all confirmed."""
    stroke = {"event": "shot", "seat": "south", "flags": list(flags)} | facts
    events = [table(book), *before, stroke]
    first = play(*events)[-1]
    assert "error" not in first, first
    events += [{"event": "answer", "ask": ask["ask"], "choice": "foul"} for ask in first["asks"]]
    last = play(*events)[-1]
    assert "error" not in last, last
    assert all(foul["status"] == "ruled" for foul in last["fouls"])
    return sum(due["pieces"] + due["owed"] for due in last["dues"] if due["side"] == "south")


@cache
def costs_a_due(book: str) -> tuple[str, ...]:
    return tuple(flag for flag in FLAGS if dues(book, (flag,)) == 1)


@pytest.mark.clause("club-71")
@pytest.mark.parametrize("book", OTHERS)
def test_two_flags_of_one_stroke_cost_one_due(book: str) -> None:
    pairs = list(combinations(costs_a_due(book), 2))
    assert {pair: dues(book, pair) for pair in pairs} == dict.fromkeys(pairs, 1)


def test_some_books_have_pairs_that_could_cost_two() -> None:
    assert {book for book in OTHERS if len(costs_a_due(book)) > 1} >= {"club", "campus", "classic"}
    # Fouls besides the stroke, not of it: these cost one due each before.
    assert {"shake", "piece_moved_before", "practice"} <= set(costs_a_due("club"))


@pytest.mark.clause("club-71")
def test_three_flags_and_the_striker_cost_one_due() -> None:
    flags = ("shake", "piece_moved_before", "practice")
    assert dues("club", flags) == 1
    assert dues("club", flags, pocketed=[{"piece": "striker"}]) == 1


@pytest.mark.clause("club-149")
def test_a_stroke_while_play_is_stopped_and_what_was_done_besides_cost_one_due() -> None:
    pause = {"event": "pause"}
    assert dues("club", (), pause) == 1
    assert dues("club", ("shake", "practice"), pause) == 1


@pytest.mark.clause("icf-64a")
def test_in_icf_each_foul_besides_a_stroke_costs_its_own() -> None:
    assert dues("icf", ("shake", "hand_touched_piece")) == 2
    assert dues("icf", ("two_hands", "push")) == 1
