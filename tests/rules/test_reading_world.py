"""The boxed rules and their variants, read row by row; the counts of one stroke of `world` are in
`test_independent_books.py`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.reading import FOUR, Event, agrees, at, case, ev, mine, north, pending, shot, south, start
from tests.rules.reading_books import theirs

NO_CONTACT: Event = {"contacts": []}
THREE = {"south": "Asha", "west": "Dev", "north": "Ben"}
CUSHION = {"contacts": [{"with": "cushion", "at": [0, 370]}, {"with": "black", "at": [0, 100]}]}
DIRECT = {"contacts": [{"with": "black", "at": [0, 100]}]}


def world(position: Event | None = None, **more: Any) -> Event:
    return start(position, **({"book": "world"} | more))


def team(position: Event | None = None, **more: Any) -> Event:
    return start(position, **({"book": "world-team", "seats": FOUR} | more))


def family(position: Event | None = None, **more: Any) -> Event:
    return start(position, **({"book": "world-family"} | more))


def point(position: Event | None = None, **more: Any) -> Event:
    return start(position, **({"book": "world-point"} | more))


def west(fell: str = "", **facts: Any) -> Event:
    return shot("west", fell, **facts)


def east(fell: str = "", **facts: Any) -> Event:
    return shot("east", fell, **facts)


def holding(white: int, black: int, south_has: str = "", north_has: str = "", **more: Any) -> Event:
    words = {"W": "white", "B": "black"}
    hands = {"south": [words[one] for one in south_has], "north": [words[one] for one in north_has]}
    return at(white, black, in_hand=hands, **more)


LOST = {"over": True, "board_winner": "north"}
IMPROPER = {"turn": "north", "kept": False, "left": "6 5 1", "in_hand": "3 4"}

WORLD = [
    case("3 partial", world(at(5, 5)), south("W", placement={"circle": "partial"}), **IMPROPER, fouls="world-3"),
    case("3 arrow", world(at(5, 5)), south(placement={"arrow": True}), **IMPROPER),
    case("3 covered fully", world(at(5, 5)), south(placement={"circle": "covered"}), fouls="", left="5 5 1"),
    case("4 called", world(at(5, 5)), south("W"), ev("call", clause="world-4", seat="south"), **IMPROPER),
    case("5", world(at(5, 5)), south("W"), turn="south", kept=True, left="4 5 1"),
    case("6 too early: no due", world(at(9, 5)), south("Q"), queen="board", turn="north", owed="0 0", fouls=""),
    case("6 with own", world(at(9, 5)), south("Q W"), queen="covered", turn="south"),
    case("7", world(at(5, 5)), south("Q"), south("W"), queen="covered", side="south"),
    case("7 not", world(at(5, 5)), south("Q"), south("B"), queen="board", turn="north", left="5 4 1"),
    case("9 with own", world(at(5, 5)), south("W B"), turn="north", left="4 4 1"),
    case(
        "9 queen covered in such a stroke", world(at(5, 5)), south("W B Q"), turn="north", left="4 4 0", queen="covered"
    ),
    case("10", world(at(5, 1)), south("B"), **LOST, points=3),
    case("10 with the striker, mine", world(mine(5, 1)), south("B S"), **LOST, points=5),
    case("11", world(at(1, 5)), south("W"), **LOST, points=8),
    case("12 alone", world(at(5, 5)), south("S"), turn="north", left="6 5 1", fouls=""),
    case(
        "12 with own: two come up, shoot again",
        world(at(5, 5)),
        south("W S"),
        turn="south",
        kept=True,
        left="6 5 1",
        back="white:world-12",
    ),
    case("12 two own", world(at(5, 5)), south("W W S"), turn="south", left="6 5 1"),
    case("12 with own last", world(mine(1, 5)), south("W S"), turn="south", left="2 5 0", over=False),
    case(
        "12 in the cover stroke: queen back, turn kept",
        world(pending(5, 5)),
        south("W S"),
        turn="south",
        queen="board",
        left="6 5 1",
    ),
    case("12 in the cover stroke alone", world(pending(5, 5)), south("S"), turn="north", queen="board", left="6 5 1"),
    case("queen, own and striker", world(at(5, 5)), south("Q W S"), turn="south", queen="board", left="6 5 1"),
    case(
        "12 and an improper placement: turn lost",
        world(at(5, 5)),
        south("W S", placement={"lines": "one"}),
        turn="north",
        left="6 5 1",
    ),
    case("13 owed and paid", world(at(9, 5)), south("S"), north(), south("W"), owed="0 0", left="9 5 1", turn="south"),
    case("13 owed more with own", world(at(9, 5)), south("W S"), owed="1 0", left="9 5 1", turn="south"),
    case("14 covered by the loser", world(theirs(1, 5)), south("W"), points=5),
    case("14 by the winner", world(mine(1, 5)), south("W"), points=8),
    case("15", world(at(5, 5)), south("W", off_board=["black"]), turn="south", fouls="", left="4 5 1"),
    case("17 go again", world(at(5, 5)), south(left_baseline=False), turn="south"),
    case("17 three tries", world(), *[south(**NO_CONTACT)] * 3, turn="north"),
    case("17 two", world(), *[south(**NO_CONTACT)] * 2, turn="south"),
    case("17 colours stay", world(), *[south(**NO_CONTACT)] * 3, north("W"), in_hand="1 0", turn="south"),
    case("25 points", world(mine(1, 5, score={"south": 17, "north": 0})), south("W"), match_over=True, score="25 0"),
    case("backward is not ruled on", world(at(5, 5)), south("W", heading="backward"), fouls="", turn="south"),
    case("18 partners opposite, clockwise", team(), south(), turn="west"),
    case("18 …", team(), south(), west("B"), turn="west", in_hand="0 1", sides="south east"),
    case("18 one hand a team", team(), south(), west(), north("W"), turn="north", in_hand="1 0"),
    case("18 … pays", team(), south("W"), south(), west(), north("S"), turn="east", left="9 9 1"),
    case("18 owed by the partner", team(), south("S"), west(), north("W"), left="9 9 1", owed="0 0", turn="north"),
    case(
        "18 the queen with a partner's piece in hand",
        team(),
        south("W"),
        south(),
        west(),
        north("Q"),
        queen="pending",
        turn="north",
    ),
    case("18 the break passes on", team(mine(1, 5)), south("W"), over=True, turn="west"),
]

FAMILY = [
    case("19 black 5", family(), south("B"), score="5 0", turn="south", kept=True),
    case("19 white 10", family(), south("W B"), score="15 0", turn="south"),
    case(
        "19 each for himself, clockwise",
        family(seats=FOUR),
        south("W"),
        south(),
        west("B"),
        score="10 0 0 5",
        turn="west",
    ),
    case("19 three", family(seats=THREE), south(), west(), turn="north"),
    case("19 three …", family(seats=THREE), south(), west(), north(), turn="south"),
    case(
        "19 teams",
        family(seats=FOUR, teams=[["south", "north"], ["east", "west"]]),
        south(),
        west("W"),
        score="0 10",
        sides="south east",
    ),
    case("20 same stroke, any piece", family(), south("Q B"), score="30 0", queen="covered", turn="south"),
    case("20 either order", family(), south("B Q"), score="30 0", queen="covered", side="south"),
    case(
        "20 alone: back, keeps no turn",
        family(),
        south("W"),
        south("Q"),
        score="10 0",
        queen="board",
        turn="north",
        back="queen:world-20",
    ),
    case(
        "21 a due is the last pocketed piece, its points go",
        family(),
        south("W"),
        south("B"),
        south("S"),
        score="10 0",
        left="8 9 1",
        turn="north",
    ),
    case("21 in order of fall", family(), south("B W"), south("S"), score="5 0", left="9 8 1"),
    case("21 owed", family(), south("S"), score="0 0", owed="1 0", turn="north"),
    case(
        "21 owed and paid: the points go",
        family(),
        south("S"),
        north(),
        south("W"),
        score="0 0",
        left="9 9 1",
        owed="0 0",
        turn="south",
    ),
    case(
        "12 with a piece: returned, one due, turn kept",
        family(),
        south("W"),
        south("B S"),
        score="0 0",
        left="9 9 1",
        turn="south",
    ),
    case("12 queen too", family(), south("W"), south("Q B S"), score="0 0", queen="board", turn="south"),
    case(
        "21 cleared: most points",
        family(holding(1, 0, queen="covered", queen_side="south", score={"south": 45, "north": 50})),
        south("W"),
        match_over=True,
        winner="south",
        score="55 50",
    ),
    case(
        "21 the other",
        family(holding(1, 0, queen="covered", queen_side="south", score={"south": 35, "north": 50})),
        south("W"),
        match_over=True,
        winner="north",
        score="45 50",
        points=0,
    ),
    case(
        "only the queen left: needs no cover",
        family(holding(0, 0, "W", "B", score={"south": 10, "north": 20})),
        south("Q"),
        match_over=True,
        winner="south",
        score="35 20",
    ),
    case(
        "last piece with the queen on the board: goes on",
        family(holding(1, 0, "W", "B", score={"south": 10, "north": 20})),
        south("W"),
        over=False,
        score="20 20",
        turn="south",
    ),
    case(
        "last piece and queen",
        family(holding(1, 0, "W", "B", score={"south": 10, "north": 20})),
        south("W Q"),
        match_over=True,
        score="45 20",
        winner="south",
    ),
    case(
        "improper",
        family(),
        south("W"),
        south("B", placement={"lines": "one"}),
        score="0 0",
        left="9 9 1",
        turn="north",
    ),
    case("25 jumped", family(), south("W", off_board=["black"]), score="10 0", left="8 9 1", turn="south"),
    case("17", family(), *[south(**NO_CONTACT)] * 3, turn="north"),
]

POINT = [
    case("22", point(), south("W B"), score="2 0", turn="south"),
    case(
        "22 queen alone with something in hand: pending",
        point(),
        south("W"),
        south("Q"),
        queen="pending",
        turn="south",
        score="1 0",
    ),
    case(
        "22 covered by any piece",
        point(),
        south("W"),
        south("Q"),
        south("B"),
        queen="covered",
        side="south",
        score="5 0",
    ),
    case("22 not covered", point(), south("W"), south("Q"), south(), queen="board", turn="north", score="1 0"),
    case("22 same stroke with nothing in hand", point(), south("Q B"), queen="covered", score="4 0", turn="south"),
    case("6 too early", point(), south("Q"), queen="board", turn="north", score="0 0", owed="0 0"),
    case(
        "6 something in his own hand, not another's",
        point(),
        south("W"),
        south(),
        north("Q"),
        queen="board",
        turn="south",
    ),
    case(
        "12 in the cover stroke with a piece: a queen that goes back …",
        point(),
        south("W"),
        south("Q"),
        south("B S"),
        queen="board",
        score="0 0",
    ),
    case(
        "23 21 at once",
        point(holding(3, 2, score={"south": 20, "north": 0})),
        south("W"),
        match_over=True,
        winner="south",
        score="21 0",
    ),
    case(
        "23 20 is not",
        point(holding(3, 2, score={"south": 19, "north": 0})),
        south("W"),
        match_over=False,
        turn="south",
    ),
    case(
        "23 cleared: the most",
        point(holding(1, 0, queen="covered", queen_side="north", score={"south": 8, "north": 12})),
        south("W"),
        match_over=True,
        winner="north",
        score="9 12",
    ),
    case("21 a due takes its point", point(), south("W"), south("S"), score="0 0", left="9 9 1", turn="north"),
    case(
        "only the queen left",
        point(holding(0, 0, "W", "B", score={"south": 9, "north": 9})),
        south("Q"),
        match_over=True,
        winner="south",
        score="12 9",
    ),
    case(
        "24 a tie asks",
        point(holding(1, 0, "W", "B", queen="covered", queen_side="north", score={"south": 9, "north": 10})),
        south("W"),
        match_over=False,
        choices=[["white", "black"]],
    ),
]


def broken(white: int, black: int, **more: Any) -> Event:
    """A tie-break board under way: south took white."""
    return point(at(white, black, tie_break={"south": "white", "north": "black"}, **more))


TIE_BREAK = [
    case("24 own", broken(5, 5), south("W"), left="4 5 0", turn="south", score="0 0"),
    case("24 no queen", broken(5, 5), south(), left="5 5 0", turn="north"),
    case("24 other colour direct: returned", broken(5, 5), south("B", **DIRECT), left="5 5 0", turn="north"),
    case("24 other colour on rebound: counts", broken(5, 5), south("B", **CUSHION), left="5 4 0", turn="south"),
    case(
        "24 own direct and other: other back, own keeps",
        broken(5, 5),
        south("W B", **DIRECT),
        left="4 5 0",
        turn="south",
    ),
    case("24 first to clear wins", broken(1, 5), south("W"), match_over=True, winner="south"),
    case(
        "24 the other's last on rebound clears for him",
        broken(5, 1),
        south("B", **CUSHION),
        match_over=True,
        winner="north",
    ),
    case(
        "24 the other's last direct: back",
        broken(5, 1),
        south("B", **DIRECT),
        match_over=False,
        left="5 1 0",
        turn="north",
    ),
    case(
        "24 both last on rebound: the striker's", broken(1, 1), south("B W", **CUSHION), match_over=True, winner="south"
    ),
    case("24 striker and own last", broken(1, 5), south("W S"), match_over=False, left="2 5 0", turn="south"),
    case("24 striker alone", broken(5, 5), south("S"), left="6 5 0", turn="north"),
]


@pytest.mark.parametrize(("events", "expected"), [*WORLD, *FAMILY, *POINT, *TIE_BREAK])
def test_reading(events: tuple[Event | str, ...], expected: Event) -> None:
    agrees(events, expected)


def test_which_piece_a_due_is_in_family_is_cited() -> None:
    agrees((family(), south("W"), south("S")), {"score": "0 0", "cites": "world-21 world-12"})
