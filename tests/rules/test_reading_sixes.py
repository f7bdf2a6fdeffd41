"""Six and six, read row by row off the table and its «Decided here»; the counts of one stroke are in
`test_independent_books.py`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.reading import Event, agrees, at, case, ev, mine, north, pending, south, start
from tests.rules.reading_books import theirs


def sixes(position: Event | None = None, **more: Any) -> Event:
    return start(position, **({"book": "sixes"} | more))


LOSES = {"over": True, "match_over": True, "winner": "north", "turn": None, "points": 0}
WINS = LOSES | {"winner": "south"}
OUT = ev("timeout", seat="south")
NORTH_OUT = ev("timeout", seat="north")

SIXES = [
    case("1", sixes(), south(), left="6 6 1", turn="north"),
    case(
        "4 backwards: due, own back",
        sixes(at(3, 3)),
        south("W", heading="backward"),
        left="4 3 1",
        turn="north",
        fouls="sixes-4",
    ),
    case("4 empty hand: waived", sixes(at(6, 3)), south(heading="backward"), left="6 3 1", owed="0 0", turn="north"),
    case(
        "4 with the opponent's last: returned as 8",
        sixes(at(3, 1)),
        south("B", heading="backward"),
        left="4 1 1",
        over=False,
        turn="north",
    ),
    case(
        "4 the same, queen covered",
        sixes(mine(3, 1)),
        south("B", heading="backward"),
        left="4 1 0",
        over=False,
        turn="north",
    ),
    case("5", sixes(at(3, 3)), south("S"), left="4 3 1", turn="north", fouls="sixes-5", dues="south:1+0:sixes-5"),
    case("5 never owed", sixes(at(6, 3)), south("S"), left="6 3 1", owed="0 0", turn="north", dues=""),
    case(
        "5 waived, then an own piece stays",
        sixes(at(6, 3)),
        south("S"),
        north(),
        south("W"),
        left="5 3 1",
        turn="south",
    ),
    case(
        "6 returned and a fine; turn kept",
        sixes(at(3, 3)),
        south("W S"),
        left="4 3 1",
        turn="south",
        kept=True,
        back="white:sixes-6",
    ),
    case("6 empty hand", sixes(at(6, 3)), south("W S"), left="6 3 1", turn="south", owed="0 0"),
    case("7", sixes(at(3, 3)), south("B S"), left="4 2 1", turn="north"),
    case("8", sixes(at(3, 1)), south("B S"), left="4 1 1", turn="north", over=False),
    case("8 queen covered all the same", sixes(mine(3, 1)), south("B S"), left="4 1 0", turn="north", over=False),
    case("8 theirs", sixes(theirs(3, 1)), south("B S"), left="4 1 0", turn="north", over=False),
    case("9", sixes(pending(3, 3)), south("B"), left="4 2 1", queen="board", turn="north"),
    case("9 with own", sixes(pending(3, 3)), south("B W"), left="3 2 0", queen="covered", turn="south", kept=True),
    case("10", sixes(pending(3, 1)), south("B"), left="4 1 1", queen="board", turn="north", over=False),
    case("10 with own", sixes(pending(3, 1)), south("B W"), left="4 1 1", queen="board", turn="north", over=False),
    case("11 theirs", sixes(at(3, 3)), south("B"), left="3 2 1", turn="north", fouls=""),
    case("11 both", sixes(at(3, 3)), south("B W"), left="2 2 1", turn="south", kept=True, fouls=""),
    case("13 own last, queen on the board", sixes(at(1, 3)), south("W"), **LOSES),
    case("13 the opponent's last", sixes(at(3, 1)), south("B"), **LOSES),
    case("13 with own", sixes(at(3, 1)), south("B W"), **LOSES),
    case("13 with the queen covered: the opponent wins", sixes(mine(3, 1)), south("B"), **LOSES),
    case("14", sixes(mine(1, 3)), south("W"), **WINS),
    case("14 whoever covered her", sixes(theirs(1, 3)), south("W"), **WINS),
    case("14 both last, covered: the striker's side", sixes(mine(1, 1)), south("B W"), **WINS),
    case("14 no board points; score counts games", sixes(mine(1, 3)), south("W"), points=0, score="1 0"),
    case("15 two missed", sixes(), OUT, north(), OUT, match_over=False, turn="north"),
    case("15 three missed", sixes(), OUT, north(), OUT, north(), OUT, **LOSES),
    case("15 a stroke resets", sixes(), OUT, north(), OUT, north(), south(), north(), OUT, match_over=False),
    case("15 a void stroke does not", sixes(), OUT, north(), OUT, south(), north(), OUT, **LOSES),
    case(
        "15 a pass does not",
        sixes(),
        OUT,
        north(),
        OUT,
        north(),
        ev("pass", seat="south"),
        north(),
        OUT,
        match_over=True,
    ),
    case("15 each side counts its own", sixes(), OUT, NORTH_OUT, OUT, NORTH_OUT, match_over=False, turn="south"),
    case("missed: a pending queen goes back", sixes(pending(3, 3)), OUT, queen="board", turn="north", left="3 3 1"),
    case("16", sixes(at(3, 3)), south("Q"), queen="pending", turn="south"),
    case(
        "16 hand emptied by fines",
        sixes(at(5, 3)),
        south("S"),
        north(),
        south("Q"),
        queen="board",
        turn="north",
        left="6 3 1",
    ),
    case("17", sixes(pending(3, 3)), south(), queen="board", turn="north", left="3 3 1"),
    case("18", sixes(at(3, 3)), south("Q S"), queen="board", turn="north", left="4 3 1"),
    case("18 empty", sixes(at(6, 3)), south("Q S"), queen="board", turn="north", left="6 3 1", owed="0 0"),
    case("19", sixes(at(6, 3)), south("Q"), queen="board", turn="north", left="6 3 1", fouls="", cites="sixes-19"),
    case("20 empty hand", sixes(at(6, 3)), south("Q W"), queen="covered", side="south", turn="south", left="5 3 0"),
    case("20 own first", sixes(at(6, 3)), south("W Q"), queen="covered", turn="south", left="5 3 0"),
    case("21", sixes(at(3, 3)), south("Q B"), queen="board", turn="north", left="4 2 1"),
    case("21 empty hand", sixes(at(6, 3)), south("Q B"), queen="board", turn="north", left="6 2 1", owed="0 0"),
    case("21 one left", sixes(at(1, 3)), south("Q B"), queen="board", turn="north", left="2 2 1", over=False),
    case("22", sixes(pending(3, 3)), south("S"), queen="board", turn="north", left="4 3 1"),
    case("22 with opponent's", sixes(pending(3, 3)), south("S B"), queen="board", turn="north", left="4 2 1"),
    case("22 with their last", sixes(pending(3, 1)), south("S B"), queen="board", turn="north", left="4 1 1"),
    case("23", sixes(pending(3, 3)), south("S W"), queen="pending", turn="south", kept=True, left="3 3 0"),
    case(
        "23 then covered", sixes(pending(3, 3)), south("S W"), south("W"), queen="covered", left="2 3 0", turn="south"
    ),
    case("23 then not", sixes(pending(3, 3)), south("S W"), south(), queen="board", left="3 3 1", turn="north"),
    case(
        "23 with the last", sixes(pending(1, 3)), south("S W"), queen="pending", turn="south", left="1 3 0", over=False
    ),
    case("24", sixes(pending(1, 3)), south("B W"), **WINS),
    case("24 both last", sixes(pending(1, 1)), south("B W"), **WINS),
    case("25", sixes(at(3, 1)), south("Q B"), **LOSES),
    case("25 with own", sixes(at(3, 1)), south("Q B W"), **LOSES),
    case("25 own last too: 24", sixes(at(1, 1)), south("Q B W"), **WINS),
    case("25 empty hand", sixes(at(6, 1)), south("Q B"), **LOSES),
    case("26", sixes(at(2, 3)), south("Q W"), queen="covered", turn="south", left="1 3 0"),
    case("queen, own and striker", sixes(at(3, 3)), south("Q W S"), queen="board", turn="south", left="4 3 1"),
    case("queen, own and opponent's", sixes(at(3, 3)), south("Q W B"), queen="covered", turn="south", left="3 2 0"),
    case(
        "queen, own and opponent's, empty hand: the piece of the stroke pays",
        sixes(at(6, 3)),
        south("Q W B"),
        queen="covered",
        turn="south",
        left="6 2 0",
    ),
    case("striker, own and opponent's", sixes(at(3, 3)), south("S W B"), left="4 2 1", turn="south"),
    case("striker, own and their last", sixes(at(3, 1)), south("S W B"), left="4 1 1", turn="south"),
    case("striker and own last, not covered", sixes(at(1, 3)), south("S W"), left="2 3 1", turn="south", over=False),
    case("striker and own last, covered", sixes(mine(1, 3)), south("S W"), left="2 3 0", turn="south", over=False),
    case("placement is not ruled on", sixes(at(3, 3)), south("W", placement={"lines": "one"}), fouls="", turn="south"),
    case("jumped: back, nothing", sixes(at(3, 3)), south("W", off_board=["black"]), left="2 3 1", turn="south"),
    case(
        "elapsed: void, the turn passes",
        sixes(at(3, 3), policy={"stroke_seconds": 15}),
        south("W", elapsed=16),
        void=True,
        left="3 3 1",
    ),
]


@pytest.mark.parametrize(("events", "expected"), SIXES)
def test_sixes(events: tuple[Event | str, ...], expected: Event) -> None:
    agrees(events, expected)
