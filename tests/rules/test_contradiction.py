"""A striker that touched no piece, and pieces that left the board: both cannot be, so it is asked."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.reading import FOUR, Event, at, case, doubt, ev, ruled, seen, south, start
from tests.rules.scenes import BOOKS

CUSHION = [{"with": "cushion"}]
WHITE = {"piece": "white", "pocket": "NE"}
UNSEEN = {"unseen": ["contacts"]}
OPEN = {"asks": [2], "provisional": True}


def contradictory(book: str, stroke: Event) -> Event:
    """The ruling on a stroke in the middle of a board."""
    more = {"white": "south"} if book == "club" else {"seats": FOUR} if book == "world-team" else {}
    return ruled(start(at(5, 4), book=book, **more), stroke)[-1]


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize(
    ("stroke", "gone"),
    [
        (south("W", contacts=[]), "white"),
        (south("W", contacts=CUSHION), "white"),
        (south("W S", contacts=[]), "white"),
        (south(contacts=[], off_board=["black"]), "black"),
        (south("W", contacts=[], off_board=["black"]), "white, black"),
    ],
)
def test_it_is_asked_what_left_the_board(book: str, stroke: Event, gone: str) -> None:
    ruling = contradictory(book, stroke)
    asked = ruling["asks"][0]
    assert asked["question"] == f"The striker touched no piece, and yet {gone} left the board. What left it?"
    assert asked["choices"][0] == {fact: stroke[fact] for fact in ("pocketed", "off_board") if stroke.get(fact)}
    assert ruling["provisional"]
    # What was touched is asked only where it makes a difference.
    assert [one["question"] for one in ruling["asks"][1:]] == [TOUCHED] * (book == "club")


TOUCHED = "What did the striker touch, and in which order?"


NOTHING: Event = {"pocketed": []}
FELL: Event = {"pocketed": [WHITE]}


@pytest.mark.parametrize(
    ("answers", "left", "fouls"),
    [
        ([], "5 4 1", ["club-10"]),
        ([("2", FELL)], "5 4 1", ["club-10"]),
        ([("2", NOTHING)], "6 4 1", ["club-10"]),
        ([("2.1", "none of these")], "4 4 1", []),
        ([("2.1", []), ("2", FELL)], "5 4 1", ["club-10"]),
        ([("2", FELL), ("2.1", "none of these")], "4 4 1", []),
    ],
)
def test_each_answer_is_ruled_on(answers: list[tuple[str, Any]], left: str, fouls: list[str]) -> None:
    rulings = ruled(
        start(at(5, 4), book="club", white="south"),
        south("W", contacts=[]),
        *(ev("answer", ask=ask, choice=choice) for ask, choice in answers),
    )
    now = rulings[1]
    for ruling in rulings[2:]:
        for changed in ruling["changed"]:
            now = now | changed["fields"]
    assert seen(rulings[-1])["left"] == left
    assert [foul["clause"] for foul in now["fouls"]] == fouls
    # Whatever agrees closes the other question, too.
    agrees = any(choice in (NOTHING, "none of these") for _, choice in answers)
    assert len(now["asks"]) == (0 if agrees else 2 - len(answers))


CASES = [
    case("in a try to break, too", start(), south("W", contacts=[]), asks=[2, "2.1"], left="8 9 1", turn="south"),
    case(
        "nothing left it: the try failed",
        start(),
        south("W", contacts=[]),
        ev("answer", ask=2, choice={"pocketed": []}),
        left="9 9 1",
    ),
    case(
        "nor does a try make a piece jump", start(), south("S", contacts=CUSHION, off_board=["black"]), asks=[2, "2.1"]
    ),
    case("a lone striker contradicts nothing", start(at(5, 4)), south("S", contacts=[]), asks=[], provisional=False),
    case("nobody watched the contacts", start(at(5, 4)), south("W", unseen=["contacts"]), asks=[], left="4 4 1"),
    case("nobody watched what fell", start(at(5, 4)), south(contacts=[], unseen=["pocketed"]), asks=[]),
    case(
        "a doubt whose other choice agrees is settled by it",
        start(at(5, 4)),
        south("W", doubts=doubt("contacts", ([], 0.6), ([{"with": "white"}], 0.4))),
        asks=[],
        left="4 4 1",
    ),
    case(
        "so is one in a try",
        start(),
        south("W", doubts=doubt("contacts", ([], 0.6), ([{"with": "white"}], 0.4))),
        asks=[],
        provisional=False,
        left="8 9 1",
    ),
    case(
        "a doubt of which no choice agrees is asked",
        start(at(5, 4)),
        south("W", doubts=doubt("contacts", ([], 0.6), (CUSHION, 0.4))),
        **OPEN,
        left="4 4 1",
    ),
    case(
        "a doubt about the one contact",
        start(at(5, 4)),
        south("W", contacts=CUSHION, doubts=doubt("contacts.0.with", ("cushion", 0.6), ("white", 0.4))),
        asks=[],
        left="4 4 1",
    ),
    case(
        "what an answer brings up is asked, and answered, in its turn",
        start(at(5, 4), book="club", white="south"),
        south("?", contacts=[]),
        ev("answer", ask=2, choice="white"),
        ev("answer", ask="2.1", choice="none of these"),
        left="4 4 1",
        void=False,
    ),
    case("what fell is asked anyway", start(at(5, 4)), south("?", contacts=[]), asks=[2], left="5 4 1"),
    case(
        "a doubt that a piece fell is asked, however likely",
        start(at(5, 4)),
        south(contacts=[], doubts=doubt("pocketed", ([], 0.6), ([WHITE], 0.4))),
        **OPEN,
        left="5 4 1",
    ),
    case(
        "a stroke out of turn does not count: nothing to ask",
        start(at(5, 4), book="club", white="south"),
        {**south("W", contacts=[]), "seat": "north"},
        asks=[],
        void=True,
    ),
    case(
        "a correction that contradicts itself is asked about",
        start(at(5, 4)),
        south(),
        ev("correct", seq=2, **{"with": south("W", contacts=[])}),
        left="4 4 1",
    ),
    case(
        "a correction that names what was touched closes it",
        start(at(5, 4)),
        south("W", contacts=[]),
        ev("correct", seq=2, **{"with": south("W", contacts=[{"with": "white"}])}),
        left="4 4 1",
        provisional=False,
    ),
]


@pytest.mark.parametrize(("events", "expected"), CASES)
def test_cases(events: Any, expected: dict[str, Any]) -> None:
    found = seen(ruled(*events)[-1])
    assert {key: found.get(key) for key in expected} == expected
