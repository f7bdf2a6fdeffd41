"""The club rules, read row by row off their table and its «Decided here»; the counts of one stroke are in
`test_independent_books.py`."""

from __future__ import annotations

import pytest

from tests.rules.reading import Event, agrees, at, case, ev, mine, north, pending, shot, south
from tests.rules.reading_books import called, club

CLUSTER = [{"piece": "white", "x": 0.0, "y": 0.0}, {"piece": "black", "x": 32.0, "y": 0.0}]
OVER_FRAME = [{"with": "cushion", "at": [0, 370]}]


def flagged(flag: str) -> Event:
    """A stroke with an own piece and a flag."""
    return south("W", flags=[flag])


ONE_DUE = {"left": "6 9 1", "in_hand": "3 0", "turn": "north", "kept": False}
FOUL_FACTS = [
    ("3", {"placement": {"lines": "none"}}),
    ("126", {"placement": {"lines": "one"}}),
    ("126", {"placement": {"lines": "both", "circle": "partial"}}),
    ("4", {"placement": {"arrow": True}}),
    ("4", {"placement": {"touching": True}}),
    ("7", {"heading": "backward"}),
    ("10", {"contacts": []}),
    ("39", {"contacts": OVER_FRAME}),
    ("113", {"all_at_rest": False}),
    ("11", {"off_board": ["striker"]}),
]


@pytest.mark.parametrize(("clause", "facts"), FOUL_FACTS)
def test_an_improper_stroke_costs_one_due_and_the_turn(clause: str, facts: Event) -> None:
    agrees(
        (club(at(5, 9)), south("W", **facts)),
        {"left": "5 9 1", "in_hand": "4 0", "turn": "north", "dues": "south:1+0:club-28", "back": ""}
        | {"cites": f"club-{clause}"},
    )
    agrees((club(at(5, 9)), south(**facts)), ONE_DUE | {"fouls": f"club-{clause}"})
    agrees((club(at(9, 5)), south(**facts)), {"owed": "1 0", "left": "9 5 1", "turn": "north"})


@pytest.mark.parametrize(
    ("flag", "clause"),
    [
        ("two_hands", 33),
        ("push", 5),
        ("hand_touched_piece", 35),
        ("piece_moved_before", 36),
        ("moving_piece_removed", 43),
        ("striker_touched", 114),
    ],
)
def test_a_flag_waits_for_the_umpire_and_a_call_makes_it_a_foul(flag: str, clause: int) -> None:
    begin = club(at(5, 9))
    agrees((begin, flagged(flag)), {"left": "4 9 1", "turn": "south", "kept": True, "owed": "0 0"})
    agrees((begin, flagged(flag), called(clause)), {"left": "5 9 1", "turn": "north", "in_hand": "4 0"})
    agrees((begin, flagged(flag), called(clause, action="wave_off")), {"left": "4 9 1", "turn": "south"})
    agrees((begin, south(flags=[flag]), north(), called(clause)), {"error": clause != 36})


OPENING = [
    case(
        "58 the first coin in order of fall fixes the colours",
        club(),
        south("B"),
        in_hand="1 0",
        left="9 8 1",
        kept=True,
    ),
    case("58 white first: black is the opponent's: 14", club(), south("W B"), turn="north", left="9 9 1"),
    case("58 black first: white comes back, black pays the due", club(), south("B W"), turn="north", left="9 9 1"),
    case(
        "a colour fixed by a fouled first pocket is fixed, and it pays",
        club(),
        south("B S"),
        left="9 9 1",
        turn="north",
        owed="0 0",
    ),
    case("… north then has white", club(), south("B S"), north("W"), left="8 9 1", turn="north", kept=True),
    case(
        "queen first on an open board: back, 21; no colour", club(), south("Q"), queen="board", turn="north", fouls=""
    ),
    case(
        "queen and a black one: the black one stays and keeps the turn",
        club(),
        south("Q B"),
        left="9 8 1",
        turn="south",
        queen="board",
    ),
    case("the same in the other order", club(), south("B Q"), left="9 8 1", turn="south", queen="board", fouls=""),
    case("52 nothing crossed", club(), south(crossed_baseline=0), fouls="club-52", turn="north", owed="1 0"),
    case("52 one crossed", club(), south(crossed_baseline=1), fouls="", turn="north", owed="0 0"),
    case("52 a black one pocketed is enough", club(), south("B", crossed_baseline=0), fouls="", turn="south"),
    case("52 the queen pocketed is enough", club(), south("Q", crossed_baseline=0), fouls="", turn="north"),
    case("52 the striker is not", club(), south("S", crossed_baseline=0), owed="1 0", turn="north", cites="club-71"),
    case("51 only the first stroke is the break", club(), south(), north(crossed_baseline=0), fouls=""),
    case("52 the break is made all the same", club(), south(crossed_baseline=0), north(crossed_baseline=0), fouls=""),
    case(
        "53 striker on the break: owed", club(), south("S"), fouls="club-15", owed="1 0", turn="north", cites="club-53"
    ),
    case(
        "54 queen touched on the break",
        club(),
        south(contacts=[{"with": "queen", "at": [0, 0]}]),
        fouls="",
        cites="club-54",
    ),
    case("91 the break alternates", club(mine(1, 4)), south("W"), turn="north", over=True, points=7),
    case(
        "29 the debt of the break is paid by the first own piece",
        club(),
        south("S"),
        north(),
        south("W"),
        left="9 9 1",
        owed="0 0",
        turn="south",
        kept=True,
    ),
    case("29 with two, one pays", club(), south("S"), north(), south("W W"), left="8 9 1", owed="0 0", turn="south"),
    case("29 two debts", club(), south("S"), north(), south("S"), owed="2 0"),
    case(
        "29 north's debt with colours open",
        club(),
        south(),
        north("S"),
        south("B"),
        south(),
        north("W"),
        left="9 8 1",
        owed="0 0",
    ),
    case(
        "50 a rim drop before colours are open fixes none",
        club(),
        south(),
        ev("drop", piece="black", pocket="NE", on_rim=True),
        turn="north",
        left="9 8 1",
    ),
    case(
        "50 … north may still have black",
        club(),
        south(),
        ev("drop", piece="white", pocket="NE", on_rim=True),
        north("W"),
        in_hand="0 2",
        turn="north",
    ),
]

MIDDLE = [
    case("13 on the umpire's word", club(at(5, 9)), south(), called(13), left="6 9 1", turn="north"),
    case(
        "13 with an own piece: it stays, one pays", club(at(5, 9)), south("W"), called(13), left="5 9 1", turn="north"
    ),
    case(
        "14 also with the striker: one penalty",
        club(at(5, 9)),
        south("B S"),
        left="6 9 1",
        turn="north",
        cites="club-71",
        dues="south:1+0:club-15",
    ),
    case(
        "16 stays and pays with an empty hand",
        club(at(9, 9)),
        south("W S"),
        left="9 9 1",
        owed="0 0",
        turn="north",
        back="",
    ),
    case(
        "31 a piece off the board",
        club(at(5, 9)),
        south(off_board=["black"]),
        left="6 9 1",
        turn="north",
        fouls="club-31",
        to=[None],
    ),
    case(
        "31 own off the board is not pocketed", club(at(5, 9)), south(off_board=["white"]), left="6 9 1", turn="north"
    ),
    case(
        "31 queen off the board", club(at(5, 9)), south(off_board=["queen"]), left="6 9 1", queen="board", turn="north"
    ),
    case(
        "71 two pieces off: one penalty",
        club(at(5, 9)),
        south(off_board=["black", "white"]),
        left="6 9 1",
        turn="north",
    ),
    case(
        "72 striker pocketed and a piece off: two",
        club(at(5, 9)),
        south("S", off_board=["black"]),
        left="7 9 1",
        turn="north",
        cites="club-72",
    ),
    case(
        "72 with one in hand: one paid, one owed",
        club(at(8, 9)),
        south("S", off_board=["black"]),
        left="9 9 1",
        owed="1 0",
    ),
    case(
        "72 and an improper placement: still two",
        club(at(5, 9)),
        south("S", off_board=["black"], placement={"lines": "one"}),
        left="7 9 1",
    ),
    case(
        "72 striker off the board is no pocketed striker",
        club(at(5, 9)),
        south(off_board=["striker", "black"]),
        left="6 9 1",
    ),
    case(
        "38 stroke clock",
        club(at(5, 9), policy={"stroke_seconds": 15}),
        ev("timeout", seat="south"),
        turn="north",
        left="6 9 1",
        fouls="club-38",
    ),
    case(
        "38 elapsed",
        club(at(5, 9), policy={"stroke_seconds": 15}),
        south("W", elapsed=15.5),
        turn="north",
        left="5 9 1",
        fouls="club-38",
    ),
    case("38 in time", club(at(5, 9), policy={"stroke_seconds": 15}), south("W", elapsed=15.0), turn="south", fouls=""),
    case(
        "38 a pending queen goes back",
        club(pending(5, 9), policy={"stroke_seconds": 15}),
        ev("timeout", seat="south"),
        turn="north",
        queen="board",
        left="6 9 1",
    ),
    case("42 out of turn: void", club(at(5, 9)), north("B"), void=True, turn="south", left="5 9 1", in_hand="4 0"),
    case("42 then play goes on", club(at(5, 9)), north("B"), south("W"), left="4 9 1", turn="south"),
    case(
        "158 not left the baseline is no stroke",
        club(at(5, 9)),
        south(left_baseline=False),
        turn="south",
        left="5 9 1",
        fouls="",
    ),
    case("37", club(at(5, 5)), called(37, "north"), left="5 6 1", turn="south"),
    case("37 by the side on turn", club(at(5, 5)), called(37), left="6 5 1", turn="north"),
    case("36", club(at(5, 5)), called(36), left="6 5 1", turn="north"),
    case(
        "129",
        club(at(5, 9)),
        south(contacts=[{"with": "white", "at": [0, 0]}, {"with": "white", "at": [1, 5]}]),
        fouls="",
        turn="north",
    ),
    case(
        "41 first piece in the own half after a cushion",
        club(at(5, 9)),
        south(contacts=[*OVER_FRAME, {"with": "white", "at": [10, -80]}]),
        fouls="club-41",
        turn="north",
        left="6 9 1",
    ),
    case(
        "134 a piece in the far half after the cushion",
        club(at(5, 9)),
        south("W", contacts=[*OVER_FRAME, {"with": "white", "at": [10, 80]}]),
        fouls="",
        turn="south",
    ),
    case("41 no cushion before it", club(at(5, 9)), south(contacts=[{"with": "white", "at": [10, -80]}]), fouls=""),
    case(
        "41 north's own half",
        club(at(5, 9, turn="north")),
        north(contacts=[*OVER_FRAME, {"with": "white", "at": [10, 80]}]),
        fouls="club-41",
        left="5 9 1",
        owed="0 1",
    ),
    case("133", club(at(5, 9)), south(), fouls="", turn="north"),
    case("149 after stop", club(at(5, 9)), ev("pause"), south("W"), void=True, turn="north", left="6 9 1"),
    case(
        "149 the foul of a side with nothing",
        club(at(9, 9)),
        ev("pause"),
        south("W"),
        void=True,
        left="9 9 1",
        owed="1 0",
    ),
    case(
        "116 replayed", club(at(5, 9)), south("W"), ev("void", clause="club-116"), void=True, left="5 9 1", turn="south"
    ),
    case("121 warn", club(at(5, 9)), called(121, action="warn"), left="5 9 1", turn="south"),
    case(
        "124 deduct",
        club(at(5, 9, score={"south": 4, "north": 2})),
        called(124, action="deduct", points=5),
        score="0 2",
    ),
    case("160 disqualified", club(at(5, 9)), called(160, "north"), match_over=True, winner="south", turn=None),
    case("119 forfeit", club(at(5, 9)), called(119), match_over=True, winner="north"),
    case(
        "140 draw", club(at(5, 9)), called(140, None, action="draw"), over=True, drawn=True, board_winner=None, points=0
    ),
    case("138 more than one queen", club(at(5, 9)), ev("seen", what="second_queen", at=[0, 0]), cites="club-138"),
]


@pytest.mark.parametrize(("events", "expected"), [*OPENING, *MIDDLE])
def test_reading(events: tuple[Event | str, ...], expected: Event) -> None:
    agrees(events, expected)


def test_three_strokes_with_opponents_pieces_suggest_a_warning() -> None:
    strokes = [shot(seat, "B") if seat == "south" else shot(seat) for seat in ("south", "north") * 3]
    agrees((club(at(3, 9)), *strokes[:-1]), {"cites": "club-150"})


def test_a_stroke_that_touched_a_piece_is_clean_without_a_pocket() -> None:
    agrees((club(at(5, 9)), south()), {"fouls": "", "cites": "club-133 club-27"})
