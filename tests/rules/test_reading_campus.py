"""The college rules, read row by row; the counts of one stroke are in `test_independent_books.py`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.reading import Event, agrees, at, case, ev, mine, north, pending, south, start
from tests.rules.reading_books import theirs

NO_CONTACT: Event = {"contacts": []}


def campus(position: Event | None = None, **more: Any) -> Event:
    return start(position, **({"book": "campus"} | more))


def into(fell: str, **facts: Any) -> Event:
    """South's stroke with pockets: `W@NE Q@SW`."""
    event = south(" ".join(one.split("@")[0] for one in fell.split()), **facts)
    for one, token in zip(event["pocketed"], fell.split(), strict=True):
        one["pocket"] = token.split("@")[1]
    return event


def touched(*pieces: tuple[str, float, float]) -> Event:
    return {"contacts": [{"with": name, "at": [x, y]} for name, x, y in pieces]}


IMPROPER = {"turn": "north", "kept": False, "left": "6 5 1", "in_hand": "3 4"}
LOST = {"over": True, "board_winner": "north"}

CAMPUS = [
    case("1 colours", campus(), south("B"), turn="north", in_hand="0 1", owed="0 0", fouls=""),
    case("1 north's own", campus(first="north"), north("W"), turn="north", in_hand="0 1"),
    case("2, 3 alone: pending", campus(at(5, 5)), into("Q@SW"), queen="pending", turn="south", kept=True),
    case(
        "3 covered in the next",
        campus(at(5, 5)),
        into("Q@SW"),
        into("W@NE"),
        queen="covered",
        side="south",
        turn="south",
    ),
    case("3 not covered", campus(at(5, 5)), into("Q@SW"), south(), queen="board", turn="north", fouls="", owed="0 0"),
    case(
        "3 before the first piece: back, no due",
        campus(at(9, 5)),
        into("Q@SW"),
        queen="board",
        turn="north",
        fouls="",
        dues="",
        owed="0 0",
    ),
    case(
        "3 an own piece the opponent pocketed is a first piece",
        campus(),
        south(),
        north("W"),
        into("Q@SW"),
        queen="pending",
        turn="south",
    ),
    case(
        "3 a hand emptied by dues does not count",
        campus(at(8, 9)),
        south("S"),
        north(),
        into("Q@SW"),
        queen="board",
        turn="north",
    ),
    case(
        "14 queen and own with nothing in hand",
        campus(at(9, 5)),
        into("Q@SW W@NE"),
        queen="covered",
        turn="south",
        left="8 5 0",
    ),
    case(
        "5 same pocket, same stroke: pending, turn kept",
        campus(at(5, 5)),
        into("Q@SW W@SW"),
        queen="pending",
        turn="south",
        kept=True,
        left="4 5 0",
    ),
    case("5 … the other order", campus(at(5, 5)), into("W@SW Q@SW"), queen="pending", turn="south", left="4 5 0"),
    case(
        "5 … then another pocket covers",
        campus(at(5, 5)),
        into("Q@SW W@SW"),
        into("W@NE"),
        queen="covered",
        left="3 5 0",
    ),
    case(
        "5 … then the same pocket does not",
        campus(at(5, 5)),
        into("Q@SW W@SW"),
        into("W@SW"),
        queen="board",
        turn="north",
        left="3 5 1",
    ),
    case(
        "5 another own piece covers",
        campus(at(5, 5)),
        into("Q@SW W@SW W@NE"),
        queen="covered",
        turn="south",
        left="3 5 0",
    ),
    case(
        "5 next stroke, same pocket: back, own stays, the turn passes",
        campus(at(5, 5)),
        into("Q@SW"),
        into("W@SW"),
        queen="board",
        turn="north",
        left="4 5 1",
        fouls="",
    ),
    case(
        "5 next stroke, one of two elsewhere",
        campus(at(5, 5)),
        into("Q@SW"),
        into("W@SW W@SE"),
        queen="covered",
        turn="south",
        left="3 5 0",
    ),
    case("5 from a position", campus(pending(5, 5, queen_pocket="SW")), into("W@SW"), queen="board", turn="north"),
    case(
        "5 queen and last into one pocket: 19", campus(at(1, 4)), into("Q@SW W@SW"), **LOST, points=7, why="campus-19"
    ),
    case(
        "5 last into her pocket in the cover stroke: 19",
        campus(pending(1, 4, queen_pocket="SW")),
        into("W@SW"),
        **LOST,
        points=7,
        why="campus-19",
    ),
    case(
        "5 two last, one elsewhere", campus(at(2, 4)), into("Q@SW W@SW W@NE"), over=True, board_winner="south", points=7
    ),
    case("5 both last own in her pocket", campus(at(2, 4)), into("Q@SW W@SW W@SW"), **LOST, points=7),
    case(
        "5 with an opponent's piece: no cover; turn lost: back",
        campus(at(5, 5)),
        into("Q@SW W@SW B@NE"),
        queen="board",
        turn="north",
        left="4 4 1",
    ),
    case(
        "5 with nothing in hand: pending all the same",
        campus(at(9, 5)),
        into("Q@SW W@SW"),
        queen="pending",
        turn="south",
        left="8 5 0",
    ),
    case("6 a queen of the loser", campus(theirs(1, 4)), south("W"), points=4, board_winner="south"),
    case("7 game to 15", campus(mine(1, 4, score={"south": 8, "north": 0})), south("W"), match_over=True, score="15 0"),
    case(
        "7 14 is not 15", campus(mine(1, 4, score={"south": 7, "north": 0})), south("W"), match_over=False, turn="north"
    ),
    case(
        "8 one line",
        campus(at(5, 5)),
        south("W", placement={"lines": "one"}),
        **IMPROPER,
        fouls="campus-8",
        back="white:campus-8",
    ),
    case("8 circle partial", campus(at(5, 5)), south(placement={"circle": "partial"}), **IMPROPER),
    case("8 circle covered is right", campus(at(5, 5)), south(placement={"circle": "covered"}), left="5 5 1", fouls=""),
    case("8 arrow", campus(at(5, 5)), south(placement={"arrow": True}), **IMPROPER),
    case(
        "touching a piece at placement is not forbidden here",
        campus(at(5, 5)),
        south("W", placement={"touching": True}),
        fouls="",
        turn="south",
    ),
    case("backwards is not forbidden here", campus(at(5, 5)), south("W", heading="backward"), fouls="", turn="south"),
    case(
        "no contact after the break is nothing",
        campus(at(5, 5)),
        south(**NO_CONTACT),
        fouls="",
        turn="north",
        left="5 5 1",
    ),
    case("9 push waits", campus(at(5, 5)), south("W", flags=["push"]), fouls="campus-9?", turn="south"),
    case(
        "9 push called",
        campus(at(5, 5)),
        south("W", flags=["push"]),
        ev("call", clause="campus-9", seat="south"),
        **IMPROPER,
    ),
    case(
        "11 a piece behind the base line first",
        campus(at(5, 5)),
        south("W", **touched(("white", 0, -300))),
        **IMPROPER,
        fouls="campus-11",
    ),
    case("11 the queen too", campus(at(5, 5)), south(**touched(("queen", 0, -280))), **IMPROPER),
    case("11 the opponent's too", campus(at(5, 5)), south(**touched(("black", 0, -280))), **IMPROPER),
    case(
        "11 after a cushion",
        campus(at(5, 5)),
        south("W", **touched(("cushion", 0, 370), ("white", 0, -300))),
        fouls="",
        turn="south",
    ),
    case(
        "11 after another piece",
        campus(at(5, 5)),
        south("W", **touched(("black", 0, 100), ("white", 0, -300))),
        fouls="",
        turn="south",
    ),
    case(
        "11 north's line",
        campus(at(5, 5, turn="north")),
        north(**touched(("white", 0, 300))),
        left="5 6 1",
        turn="south",
    ),
    case(
        "11 the far base line is free",
        campus(at(5, 5)),
        south("W", **touched(("white", 0, 300))),
        fouls="",
        turn="south",
    ),
    case(
        "12 alone, empty hand: owed",
        campus(at(9, 5)),
        south("S"),
        owed="1 0",
        turn="north",
        fouls="",
        dues="south:0+1:campus-12",
    ),
    case(
        "12 with own: two come up",
        campus(at(5, 5)),
        south("W S"),
        left="6 5 1",
        turn="north",
        back="white:campus-12",
        dues="south:1+0:campus-12",
    ),
    case(
        "13 paid as soon as it pockets",
        campus(at(9, 5)),
        south("S"),
        north(),
        south("W"),
        left="9 5 1",
        owed="0 0",
        turn="south",
        kept=True,
    ),
    case(
        "13 the returned piece pays nothing",
        campus(at(9, 5)),
        south("S"),
        north(),
        south("W S"),
        left="9 5 1",
        owed="2 0",
        turn="north",
    ),
    case("15 jumped: no foul", campus(at(5, 5)), south("W", off_board=["black"]), fouls="", turn="south", left="4 5 1"),
    case("15 jumped queen", campus(at(5, 5)), south("W", off_board=["queen"]), queen="board", turn="south", fouls=""),
    case("17", campus(at(1, 5)), south(**touched(("white", 0, 100))), left="2 5 1", turn="north", fouls="campus-17"),
    case(
        "17 only the very first contact",
        campus(at(1, 5)),
        south(**touched(("cushion", 0, 370), ("white", 0, 100))),
        fouls="",
        left="1 5 1",
    ),
    case(
        "17 not with the queen pocketed",
        campus(pending(1, 5)),
        south(**touched(("white", 0, 100))),
        fouls="",
        queen="board",
    ),
    case("17 not with two left", campus(at(2, 5)), south(**touched(("white", 0, 100))), fouls=""),
    case(
        "17 fouled last piece loses nothing",
        campus(at(1, 5)),
        south("W", **touched(("white", 0, 100))),
        over=False,
        left="2 5 1",
        turn="north",
    ),
    case(
        "17 and the queen and last fall",
        campus(at(1, 5)),
        into("W@NE Q@SW", **touched(("white", 0, 100))),
        over=False,
        left="2 5 1",
        queen="board",
        turn="north",
    ),
    case("18 with own: turn lost", campus(at(5, 5)), south("W B"), turn="north", left="4 4 1", fouls=""),
    case("18 last, queen not covered", campus(at(5, 1)), south("B"), **LOST, points=3),
    case("18 last, queen covered by the player", campus(mine(5, 1)), south("B"), **LOST, points=5),
    case("18 last, queen covered by the opponent", campus(theirs(5, 1)), south("B"), **LOST, points=8),
    case("18 last with the striker, queen mine", campus(mine(5, 1)), south("B S"), **LOST, points=5),
    case(
        "18 pending, own and last: own covers first",
        campus(pending(5, 1, queen_pocket="SW")),
        into("W@NE B@NE"),
        **LOST,
        points=4,
    ),
    case("19", campus(at(1, 4)), south("W"), **LOST, points=7, turn="north"),
    case("19 with the striker: returned", campus(at(1, 4)), south("W S"), over=False, left="2 4 1"),
    case(
        "20 not left both lines: go again, void of consequence",
        campus(at(5, 5)),
        south("W", left_baseline=False),
        turn="south",
        fouls="",
    ),
    case("20 break, one try", campus(), south(**NO_CONTACT), turn="south", kept=True),
    case(
        "20 break, three tries", campus(), south(**NO_CONTACT), south(**NO_CONTACT), south(**NO_CONTACT), turn="north"
    ),
    case("20 passed on: colours stay", campus(), *[south(**NO_CONTACT)] * 3, north("B"), turn="north", in_hand="0 1"),
    case(
        "20 north has tries of its own", campus(), *[south(**NO_CONTACT)] * 3, *[north(**NO_CONTACT)] * 2, turn="north"
    ),
    case("20 lines not left on the break: no try", campus(), *[south(left_baseline=False)] * 5, turn="south"),
    case("20 failed try with the striker pocketed", campus(), south("S", **NO_CONTACT), turn="north", owed="1 0"),
    case(
        "missed turn",
        campus(pending(5, 5)),
        ev("timeout", seat="south"),
        turn="north",
        queen="board",
        left="5 5 1",
        dues="",
    ),
    case(
        "elapsed over the clock: void",
        campus(at(5, 5), policy={"stroke_seconds": 15}),
        south("W", elapsed=16),
        void=True,
        left="5 5 1",
    ),
]


@pytest.mark.parametrize(("events", "expected"), CAMPUS)
def test_campus(events: tuple[Event | str, ...], expected: Event) -> None:
    agrees(events, expected)


def test_the_clause_that_denies_a_cover_is_cited() -> None:
    agrees((campus(pending(1, 4, queen_pocket="SW")), into("W@SW")), {"why": "campus-19", "cites": "campus-5"})
    agrees((campus(at(5, 5)), into("Q@SW W@SW B@NE")), {"queen": "board", "cites": "campus-5 campus-18"})
