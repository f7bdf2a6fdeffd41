"""The guide's rules, read row by row; the counts of one stroke are in `test_independent_books.py`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.reading import Event, agrees, at, case, ev, mine, north, pending, south, start
from tests.rules.reading_books import theirs

NO_CONTACT: Event = {"contacts": []}
IMPROPER = {"turn": "north", "kept": False, "left": "6 5 1", "in_hand": "3 4"}
LOST = {"over": True, "board_winner": "north"}


def classic(position: Event | None = None, **more: Any) -> Event:
    return start(position, **({"book": "classic"} | more))


CLASSIC = [
    case(
        "4 circle partly covered is right",
        classic(at(5, 5)),
        south("W", placement={"circle": "partial"}),
        fouls="",
        turn="south",
    ),
    case(
        "4 circle covered",
        classic(at(5, 5)),
        south("W", placement={"circle": "covered"}),
        **IMPROPER,
        fouls="classic-4",
    ),
    case("4 one line", classic(at(5, 5)), south("W", placement={"lines": "one"}), **IMPROPER),
    case("4 arrow is not ruled on", classic(at(5, 5)), south("W", placement={"arrow": True}), fouls="", turn="south"),
    case(
        "4 touching is not ruled on",
        classic(at(5, 5)),
        south("W", placement={"touching": True}),
        fouls="",
        turn="south",
    ),
    case("6", classic(at(5, 5)), south("B"), turn="north", left="5 4 1", fouls=""),
    case("7", classic(at(5, 5)), south("B W"), turn="south", kept=True, left="4 4 1", fouls=""),
    case(
        "8 first coin of the game",
        classic(at(9, 5)),
        south("Q"),
        fouls="classic-8",
        queen="board",
        turn="north",
        owed="1 0",
    ),
    case(
        "8 on an empty hand with an opponent's: foul, theirs stays",
        classic(at(9, 5)),
        south("Q B"),
        fouls="classic-8",
        queen="board",
        left="9 4 1",
        owed="1 0",
        turn="north",
    ),
    case("8 a hand emptied by dues", classic(at(8, 5)), south("S"), north(), south("Q"), fouls="classic-8", owed="1 0"),
    case("8 and the striker: one due", classic(at(9, 5)), south("Q S"), owed="1 0", queen="board", turn="north"),
    case("8 with own: covered", classic(at(9, 5)), south("Q W"), queen="covered", side="south", fouls="", turn="south"),
    case(
        "queen with opponent's only: pending, kept",
        classic(at(5, 5)),
        south("Q B"),
        queen="pending",
        turn="south",
        left="5 4 0",
    ),
    case("… then not covered", classic(at(5, 5)), south("Q B"), south("B"), queen="board", turn="north", left="5 3 1"),
    case(
        "9 with an opponent's in the cover stroke", classic(pending(5, 5)), south("W B"), queen="covered", turn="south"
    ),
    case("11", classic(at(5, 5)), south("S"), left="6 5 1", turn="north", dues="south:1+0:classic-11"),
    case(
        "13", classic(at(5, 5)), south("S W"), left="6 5 1", turn="north", fouls="classic-12", back="white:classic-13"
    ),
    case("13 two own", classic(at(5, 5)), south("W W S"), left="6 5 1", turn="north"),
    case("14 striker off", classic(at(5, 5)), south("W", off_board=["striker"]), **IMPROPER, fouls="classic-14"),
    case("14 a piece off", classic(at(5, 5)), south(off_board=["black"]), **IMPROPER, back="black:classic-14"),
    case("14 own last off", classic(at(1, 5)), south(off_board=["white"]), left="2 5 1", over=False, turn="north"),
    case(
        "14 pending queen, piece off",
        classic(pending(5, 5)),
        south("W", off_board=["black"]),
        left="6 5 1",
        queen="board",
        turn="north",
    ),
    case("15", classic(at(5, 5)), south("W", flags=["elbow"]), fouls="classic-15?", turn="south"),
    case(
        "15 called",
        classic(at(5, 5)),
        south("W", flags=["elbow"]),
        ev("call", clause="classic-15", seat="south"),
        **IMPROPER,
    ),
    case(
        "16 called with no flag",
        classic(at(5, 5)),
        south("W"),
        ev("call", clause="classic-16", seat="south"),
        **IMPROPER,
    ),
    case("18", classic(theirs(1, 6)), south("W"), **LOST, points=3, why="classic-18"),
    case(
        "18 by the opponent's last",
        classic(mine(6, 1)),
        south("B"),
        over=True,
        board_winner="south",
        points=3,
        why="classic-18",
    ),
    case(
        "18 from the other side",
        classic(mine(3, 1, turn="north")),
        north("B"),
        over=True,
        board_winner="south",
        points=3,
    ),
    case("19", classic(at(1, 6)), south("W Q"), over=True, board_winner="south", points=9),
    case("19 opponent's too", classic(at(1, 6)), south("Q B W"), over=True, board_winner="south", points=8),
    case("20 25", classic(mine(1, 4, score={"south": 18, "north": 0})), south("W"), match_over=True, score="25 0"),
    case("20 nine and three", classic(mine(1, 9)), south("W"), points=12),
    case("22", classic(at(1, 6)), south("W"), **LOST, points=9),
    case("22 nine: at most 12", classic(at(1, 9)), south("W"), **LOST, points=12),
    case("23 theirs", classic(theirs(4, 1)), south("B"), **LOST, points=7),
    case("23 not covered", classic(at(4, 1)), south("B"), **LOST, points=3),
    case("23 pending, not covered", classic(pending(4, 1)), south("B"), **LOST, points=3),
    case(
        "23 pending, covered and last", classic(pending(4, 1)), south("B W"), over=True, board_winner="south", points=3
    ),
    case("23 queen and the last", classic(at(4, 1)), south("B Q"), **LOST, points=3),
    case("23 fouled, mine: the opponent wins, one each", classic(mine(4, 1)), south("B S"), **LOST, points=4),
    case("23 fouled with own, mine: own are back", classic(mine(4, 1)), south("B W S"), **LOST, points=4),
    case("23 fouled, theirs", classic(theirs(4, 1)), south("B S"), **LOST, points=7),
    case("no contact is nothing here", classic(at(5, 5)), south(**NO_CONTACT), fouls="", left="5 5 1", turn="north"),
    case(
        "one game a match",
        classic(mine(1, 4, score={"south": 20, "north": 0})),
        south("W"),
        match_over=True,
        winner="south",
    ),
]


@pytest.mark.parametrize(("events", "expected"), CLASSIC)
def test_classic(events: tuple[Event | str, ...], expected: Event) -> None:
    agrees(events, expected)


def test_the_opponents_last_is_cited_beside_the_queens_side() -> None:
    agrees((classic(mine(5, 1)), south("B")), {"why": "classic-18", "cites": "classic-23"})
    agrees((classic(theirs(1, 5)), south("W")), {"why": "classic-18", "board_winner": "north"})
