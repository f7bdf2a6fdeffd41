"""However much of a stroke is open, ruling on it stays short: what cannot be tried is asked, never guessed.

Work is counted in calls, not in seconds: a slow machine must not turn this red.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import pytest

from controller.events.codec import event_from_json, ruling_to_json
from controller.events.ruling import Refusal
from controller.rules import MatchState, alternatives, apply, begin
from controller.table.match.umpire import Umpire
from tests.rules.scenes import BOOKS, play, start

MOST_CALLS = 1_500_000
"""A third of a second or so; 40 touches of unknown pieces took seven times as many."""

UNKNOWN: dict[str, Any] = {"piece": "unknown", "pocket": "NE"}
CHOICES = [[piece, 0.25] for piece in ("white", "black", "queen", "striker")]
MUCH: dict[str, dict[str, Any]] = {
    "fell": {"pocketed": [UNKNOWN] * 19},
    "left the board": {"off_board": ["unknown"] * 20},
    "touched": {"contacts": [{"with": "unknown"}] * 40},
    "touched most": {"contacts": [{"with": "unknown"}] * 100},
    "everything": {
        "seat": "unknown",
        "placement": {"lines": "unknown", "circle": "unknown", "arrow": "unknown", "touching": "unknown"},
        "left_baseline": "unknown",
        "heading": "unknown",
        "all_at_rest": "unknown",
        "pocketed": [UNKNOWN] * 10,
        "off_board": ["unknown"] * 9,
        "contacts": [{"with": "unknown"}] * 40,
        "rest": [{"piece": "white", "x": 1, "y": 2}] * 200,
    },
    "weighed": {
        "contacts": [{"with": "white"}] * 60,
        "doubts": [{"fact": f"contacts.{i}.with", "choices": CHOICES[:3]} for i in range(60)],
    },
    "weighed in many ways": {
        "contacts": [{"with": "white"}] * 60,
        "doubts": [{"fact": f"contacts.{i}.with", "choices": [["black", 0.01]] * 100} for i in range(60)],
    },
}


def calls_of(what: Any, *values: Any) -> tuple[int, Any]:
    """How many functions a call calls, its own included, and what it returns."""
    count = 0

    def called(_frame: FrameType, event: str, _what: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(called)
    try:
        answer = what(*values)
    finally:
        sys.setprofile(None)
    return count, answer


def before(book: str) -> MatchState:
    state, _ = apply(begin(BOOKS), event_from_json(start(book)))
    return state


@pytest.mark.parametrize("book", ["icf", "club"])
@pytest.mark.parametrize("name", MUCH)
def test_ruling_on_a_stroke_with_much_in_doubt_stays_short(book: str, name: str) -> None:
    shot = event_from_json({"event": "shot", "seat": "south"} | MUCH[name])
    count, (_, ruling) = calls_of(apply, before(book), shot)
    assert count < MOST_CALLS
    assert "error" not in ruling_to_json(ruling)


@pytest.mark.parametrize("name", ["fell", "left the board", "touched", "everything"])
def test_what_could_not_be_tried_is_asked(name: str) -> None:
    ruling = play(start("icf"), {"event": "shot", "seat": "south"} | MUCH[name])[-1]
    asked = [ask["question"] for ask in ruling["asks"]]
    facts = MUCH[name]
    lists = (facts.get("pocketed", ()), facts.get("off_board", ()), facts.get("contacts", ()))
    assert len(asked) >= sum(map(len, lists))
    assert ruling["left"] == {"white": 9, "black": 9, "queen": 1}, "nothing is ruled before it is answered"


def test_twelve_pieces_that_nobody_knows_are_settled_by_answers() -> None:
    """Of one colour they cannot be, which is the likeliest of each: that is no reason to refuse the stroke."""
    events = [start("club"), {"event": "shot", "seat": "south", "pocketed": [UNKNOWN] * 12}]
    asked = play(*events)[-1]["asks"]
    assert len(asked) == 12
    colours = ["white"] * 6 + ["black"] * 6
    said = zip(asked, colours, strict=True)
    answers = [{"event": "answer", "ask": one["ask"], "choice": colour} for one, colour in said]
    last = play(*events, *answers)[-1]
    assert "error" not in last
    assert last["asks"] == []


def test_what_hangs_on_many_questions_is_every_figure() -> None:
    umpire = Umpire(BOOKS)
    umpire.take(start("icf"))
    umpire.take({"event": "shot", "seat": "south"} | MUCH["everything"] | {"seat": "south"})
    count, hanging = calls_of(umpire.hanging)
    assert count < MOST_CALLS
    assert {"turn", "score.south", "left.white"} <= set(hanging)
    assert alternatives(umpire.state) is None


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        ({"pocketed": [UNKNOWN] * 21}, "pocketed has 21 entries, at most 20"),
        ({"off_board": ["white"] * 21}, "off_board has 21 entries, at most 20"),
        ({"contacts": [{"with": "cushion"}] * 101}, "contacts has 101 entries"),
        ({"rest": [{"piece": "white", "x": 0, "y": 0}] * 201}, "rest has 201 entries"),
        ({"flags": ["push"] * 65}, "flags has 65 entries"),
        ({"unseen": ["heading"] * 65}, "unseen has 65 entries"),
        ({"doubts": [{"fact": "heading", "choices": CHOICES}] * 65}, "doubts has 65 entries"),
        ({"doubts": [{"fact": "heading", "choices": CHOICES * 26}]}, "has 104 entries, at most 100"),
    ],
)
def test_a_list_holds_what_a_board_can_hold(facts: dict[str, Any], says: str) -> None:
    umpire = Umpire(BOOKS)
    umpire.take(start("icf"))
    answer = umpire.take({"event": "shot", "seat": "south"} | facts)
    assert isinstance(answer, Refusal)
    assert says in answer.error


@pytest.mark.parametrize("event", ["placed", "position"])
def test_so_do_the_lists_of_other_events(event: str) -> None:
    umpire = Umpire(BOOKS)
    umpire.take(start("icf"))
    pieces = [{"piece": "white", "x": 0, "y": 0}] * 201
    says: dict[str, Any] = {
        "placed": {"event": "placed", "pieces": pieces},
        "position": {"event": "set", "position": {"in_hand": {"south": ["white"] * 21}}},
    }
    answer = umpire.take(says[event])
    assert isinstance(answer, Refusal)
    assert "entries, at most" in answer.error


@pytest.mark.parametrize(
    ("fact", "choice"),
    [("*", 5), ("*", {"seat": "north"}), ("event", "void"), ("unseen", []), ("doubts", []), ("reason", "x"), ("", 1)],
)
def test_a_doubt_about_no_fact_of_a_stroke_is_refused_in_words(fact: str, choice: Any) -> None:
    doubts = [{"fact": fact, "choices": [[choice, 1.0]]}]
    ruling = play(start("icf"), {"event": "shot", "seat": "south", "doubts": doubts})[-1]
    assert "doubts: " in ruling["error"]
