"""The international laws, read law by law off the law sheet (the numbers are its sections), as small scenarios.

Every combination of queen, striker, own, opponent's, proper and improper is held against a second reading in
`test_independent_icf.py`; here stands what is not in that table.
"""

from __future__ import annotations

import pytest

from tests.rules.reading import FOUL, FOUR, agrees, at, call, case, ev, mine, north, pending, shot, south, start

NO_CONTACT: dict[str, object] = {"contacts": []}
FREE = [{"piece": "black", "x": 200.0, "y": 0.0}]
PLAY_CALL = {"play_call": "required"}


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        case("2.1 doubles: partners opposite", start(seats=FOUR), sides="south east"),
        case("2.6 the player who breaks has white", start(first="north"), north("W"), in_hand="0 1", kept=True),
        case("2.6 the other black", start(), south(), north("B"), in_hand="0 1", kept=True),
        case(
            "2.7 the break only after the call of play; 2.12 everything comes out, one due, turn lost",
            start(policy=PLAY_CALL),
            south("W"),
            fouls="47",
            turn="north",
            left="9 9 1",
            owed="1 0",
        ),
        case("2.7 after play", start(policy=PLAY_CALL), ev("play"), south("W"), fouls="", left="8 9 1", turn="south"),
        case(
            "2.7 of each board",
            start(mine(1, 5), policy=PLAY_CALL),
            south("W"),
            ev("next_board"),
            north("W"),
            fouls="47",
            turn="south",
        ),
        case(
            "2.7 a try to break needs no second call",
            start(policy=PLAY_CALL),
            ev("play"),
            south(**NO_CONTACT),
            south("W"),
            fouls="",
            left="8 9 1",
        ),
        case("2.8 made by touching any piece", start(), south(), turn="north", kept=False),
        case(
            "2.8 the queen is a piece",
            start(),
            south(contacts=[{"with": "queen", "at": [0, 0]}]),
            south(),
            turn="north",
            fouls="51?",
        ),
        case(
            "2.9 nothing touched: two more chances", start(), south(**NO_CONTACT), turn="south", kept=True, owed="0 0"
        ),
        case("2.9 a cushion is no piece", start(), south(contacts=[{"with": "cushion", "at": [0, 355]}]), turn="south"),
        case(
            "2.9 also when the striker jumps out",
            start(),
            south(**NO_CONTACT, off_board=["striker"]),
            turn="south",
            kept=True,
        ),
        case(
            "2.10 after three the right passes, nothing is re-racked",
            start(),
            *[south(**NO_CONTACT)] * 3,
            turn="north",
            kept=False,
            left="9 9 1",
            owed="0 0",
        ),
        case("2.10 who keeps black", start(), *[south(**NO_CONTACT)] * 3, north("B"), in_hand="0 1", kept=True),
        case(
            "2.10 the same rule goes on",
            start(),
            *[south(**NO_CONTACT)] * 3,
            *[north(**NO_CONTACT)] * 3,
            turn="south",
            kept=False,
        ),
        case("2.10 tries before the take-over count", start({"tries": 2}), south(**NO_CONTACT), turn="north"),
        case("2.10 doubles: to the right", start(seats=FOUR), *[south(**NO_CONTACT)] * 3, turn="east"),
        case(
            "2.11 improper, nothing touched: turn lost, no due",
            start(),
            south(**NO_CONTACT, **FOUL),
            turn="north",
            owed="0 0",
            back="",
            dues="",
        ),
        case("2.11 striker pocketed, nothing touched", start(), south("S", **NO_CONTACT), turn="north", owed="0 0"),
        case("2.11 but touching makes the break", start(), south("S"), turn="north", owed="1 0", dues="south:0+1:72a"),
        case("2.13 boards alternate", start(mine(1, 5)), south("W"), ev("next_board"), turn="north", number=2),
        case(
            "2.13 game 2 to the one who did not begin game 1",
            start(mine(1, 5, score={"south": 20}, board=2)),
            south("W"),
            ev("next_board"),
            turn="south",
            number=1,
            games="1 0",
        ),
        case(
            "2.13 game 3 back to the first",
            start(mine(1, 5, score={"south": 20}, games={"north": 1})),
            south("W"),
            turn="north",
            games="1 1",
            match_over=False,
        ),
        case("2.14 the turn goes to the right", start(seats=FOUR), south(), turn="east"),
        case("2.14 and on", start(seats=FOUR), south(), shot("east"), turn="north"),
        case(
            "2.14 and with it the break", start(mine(1, 5), seats=FOUR), south("W"), turn="east", board_winner="south"
        ),
        case("2.15 colours stay", start(mine(5, 5)), south(), north("B"), in_hand="4 5", kept=True),
    ],
)
def test_start_and_break(events: object, expected: object) -> None:
    agrees(events, expected)  # type: ignore[arg-type]


ON = start(at(9, 9))


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        case("3.1 one base line", ON, south(**FOUL), fouls="130a", turn="north", owed="1 0", dues="south:0+1:64a"),
        case("3.1 no base line", ON, south(placement={"lines": "none"}), fouls="130a", turn="north"),
        case("3.2 circle covered", ON, south("W", placement={"circle": "covered"}), fouls="", turn="south"),
        case("3.2 and touching no arrow", ON, south(placement={"circle": "covered", "arrow": True}), fouls="130b"),
        case("3.3 partly covered", ON, south("W", placement={"circle": "partial"}), fouls="130b", left="9 9 1"),
        case("3.4 the arrow", ON, south(placement={"arrow": True}), fouls="130b", owed="1 0"),
        case("3.5 a push is flagged", ON, south("W", flags=["push"]), fouls="33?", left="8 9 1", asks=[2]),
        case("3.7 thumb and touching: nothing", ON, south("W", placement={"touching": True}), fouls="", turn="south"),
        case("3.9 the elbow is flagged", ON, south("W", flags=["elbow"]), fouls="32?", left="8 9 1"),
        case("3.10 the other hand is flagged", ON, south("W", flags=["two_hands"]), fouls="30?", left="8 9 1"),
        case("3.12 the chair is flagged", ON, south("W", flags=["chair"]), fouls="29?", left="8 9 1"),
        case("3.13 no law of direction", ON, south("W", heading="backward"), fouls="", turn="south"),
        case("3.13 nor of the base line", start(), south(crossed_baseline=0), fouls="", owed="0 0"),
        case("3.14 fifteen seconds", ON, south("W", elapsed=15), fouls="", turn="south"),
        case("3.14 and no more", ON, south("W", elapsed=15.1), fouls="50", left="9 9 1", owed="1 0", turn="north"),
        case("3.14 as configured", start(at(9, 9), policy={"stroke_seconds": 20}), south("W", elapsed=19), fouls=""),
        case(
            "3.17 not left the lines, moved nothing", ON, south(left_baseline=False, contacts=[]), kept=True, void=True
        ),
        case("3.17 no attempt to break either", start(), south(left_baseline=False, contacts=[]), turn="south"),
        case(
            "3.17 moved a piece: a stroke",
            ON,
            south("W", left_baseline=False, contacts=[{"with": "white", "at": [0, 0]}]),
            in_hand="1 0",
        ),
        case(
            "3.17 left the lines, touched nothing: a stroke", ON, south(contacts=[]), turn="north", owed="0 0", fouls=""
        ),
        case(
            "3.20 no room for the striker: board replayed",
            start(at(4, 5)),
            call("142"),
            left="9 9 1",
            turn="south",
            number=1,
        ),
        case("4.1 nothing pocketed", ON, south(), turn="north", kept=False, cites="48"),
        case("4.2 own and opponent's", ON, south("W B"), turn="south", left="8 8 1", kept=True),
        case("4.3 opponent's only stay pocketed", ON, south("B"), turn="north", left="9 8 1", in_hand="0 1", back=""),
        case("4.4 the order does not matter", ON, south("B W"), turn="south", left="8 8 1"),
        case(
            "4.5 balanced at the mouth, falls",
            ON,
            ev("drop", piece="white", pocket="SE", on_rim=True, cause="shake"),
            left="8 9 1",
            turn="south",
        ),
        case("4.5 for its owner", ON, ev("drop", piece="black", pocket="SE", on_rim=True), left="9 8 1", turn="south"),
        case(
            "4.5 not from the mouth: put back",
            ON,
            ev("drop", piece="black", pocket="SE"),
            left="9 9 1",
            back="black:134",
        ),
        case(
            "4.6 by whomever pocketed",
            start(mine(4, 1)),
            south("B"),
            over=True,
            board_winner="north",
            points=4,
            left="4 0 0",
        ),
        case("4.6 also from the mouth", start(mine(1, 5)), ev("drop", piece="white", on_rim=True), over=True, points=8),
        case("4.8 pass", ON, ev("pass", seat="south"), turn="north", kept=False, owed="0 0"),
        case(
            "4.8 three passes each: replayed",
            start(at(5, 5)),
            *[ev("pass", seat=seat) for seat in ("south", "north") * 3],
            left="9 9 1",
            turn="south",
            number=1,
            over=False,
            cites="137",
        ),
        case(
            "4.8 in a row",
            start(at(5, 5)),
            *[ev("pass", seat=seat) for seat in ("south", "north", "south", "north", "south")],
            north(),
            ev("pass", seat="south"),
            left="5 5 1",
            turn="north",
        ),
    ],
)
def test_stroke_and_turn(events: object, expected: object) -> None:
    agrees(events, expected)  # type: ignore[arg-type]


def rest(piece: str, x: float, y: float) -> dict[str, object]:
    return {"rest": [{"piece": piece, "x": x, "y": y}]}


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        case(
            "5.9 not covered, turn passes", start(pending(5, 5)), south(), queen="board", turn="north", back="queen:96"
        ),
        case("5.9 by opponent's only", start(pending(5, 5)), south("B"), queen="board", turn="north", left="5 4 1"),
        case("5.9 missed by the clock", start(pending(5, 5)), ev("timeout", seat="south"), queen="board", left="6 5 1"),
        case(
            "5.9 passed", start(pending(5, 5)), ev("pass", seat="south"), queen="board", turn="north", back="queen:96"
        ),
        case(
            "5.9 unnoticed: by override only",
            start(pending(5, 5)),
            south(),
            ev("override", seq=2, set={"queen": "covered", "queen_side": "south"}, reason="law 96"),
            queen="covered",
            side="south",
            left="5 5 0",
            turn="north",
        ),
        case("5.15 on the centre", start(at(5, 5)), south("Q S", rest=FREE), to=[[0.0, 0.0]], back="queen:99a"),
        case("5.15 centre unknown", start(at(5, 5)), south("Q S"), to=[None]),
        case(
            "5.15 partly covered: as much as is free",
            start(at(5, 5)),
            south("Q S", **rest("black", 20, 0)),
            to=[[-11.0, 0.0]],
        ),
        case(
            "5.15 fully covered: beside, away from who is about to play",
            start(pending(5, 5)),
            south(**rest("black", 0, 0)),
            to=[[0.0, -31.4]],
        ),
        case(
            "6.20 inside the outer circle, not on the centre circle",
            start(at(5, 5)),
            south("S"),
            within=[{"centre": [0.0, 0.0], "inner_mm": 15.9, "outer_mm": 85.0}],
        ),
        case(
            "6.17 the rest stays owed",
            start(at(8, 9)),
            south("S", **FOUL),
            left="9 9 1",
            owed="1 0",
            dues="south:1+1:72b",
        ),
        case(
            "6.17 and comes out when available, whoever pockets it",
            start(at(9, 9, owed={"south": 1})),
            south(),
            north("W"),
            left="9 9 1",
            owed="0 0",
            dues="south:1+0:78a",
        ),
        case("6.18 in the own turn too", start(at(9, 9, owed={"south": 1})), south("W"), left="9 9 1", turn="south"),
        case(
            "6.18 from the mouth too",
            start(at(9, 9, owed={"south": 1})),
            ev("drop", piece="white", on_rim=True),
            owed="0 0",
        ),
        case(
            "6.27 never set off",
            start(at(9, 9, owed={"south": 1, "north": 1})),
            south("S"),
            owed="2 1",
        ),
        case("6.28 written off", start(mine(1, 5, owed={"north": 2})), south("W"), owed="0 0", over=True, dues=""),
        case(
            "7.1 a jumped piece, no penalty",
            ON,
            south("W", off_board=["black"]),
            back="black:65a",
            turn="south",
            owed="0 0",
        ),
        case("7.1 to the centre", ON, south(off_board=["white"], rest=FREE), to=[[0.0, 0.0]], left="9 9 1"),
        case(
            "7.2 queen first, the piece away from who plays next",
            ON,
            south(off_board=["white", "queen"], rest=FREE),
            to=[[0.0, 0.0], [0.0, -31.0]],
            cites="65b",
        ),
        case(
            "7.2 the turn kept: away from south",
            ON,
            south("W", off_board=["white", "queen"], rest=FREE),
            to=[[0.0, 0.0], [0.0, 31.0]],
        ),
        case(
            "7.3 the striking side's first",
            ON,
            south("W", off_board=["black", "white"], rest=FREE),
            back="white:65a black:65a",
            to=[[0.0, 0.0], [0.0, 31.0]],
            cites="65c",
        ),
        case("7.10 the striker jumps: no foul", ON, south(off_board=["striker"]), fouls="", owed="0 0", turn="north"),
        case("7.10 with an own piece", ON, south("W", off_board=["striker"]), fouls="", turn="south"),
        case(
            "8.1 technical: own, before the first stroke",
            ON,
            call("131", "south"),
            turn="south",
            owed="1 0",
            dues="south:0+1:63",
        ),
        case("8.1 technical: not on turn", start(at(5, 5)), call("131", "north"), turn="south", left="5 6 1"),
        case(
            "8.1 technical: the partner", start(at(5, 5), seats=FOUR), call("131", "north"), turn="south", left="6 5 1"
        ),
        case(
            "8.2 after the first stroke",
            start(at(5, 5)),
            south("W"),
            call("131", "south"),
            turn="north",
            left="5 5 1",
            dues="south:1+0:64a",
        ),
        case(
            "8.2 strokes taken over count", start(at(5, 5, strokes=1)), call("131", "south"), turn="north", left="6 5 1"
        ),
        case("8.6 pieces moved, not in turn (H28)", start(at(4, 5)), call("134", "north"), turn="south", left="4 6 1"),
        case("8.7 board disturbed", start(at(4, 5)), call("126a", "south"), turn="south", left="5 5 1", over=False),
        case("8.8 beyond restoring", start(at(4, 5)), call("126b", "south"), over=True, board_winner="north", points=7),
        case(
            "8.9 out of turn: raised, void until then",
            ON,
            north("B"),
            fouls="51?",
            void=True,
            left="9 9 1",
            turn="south",
        ),
        case(
            "8.9 confirmed: the offender's pieces and the queen",
            start(at(4, 5)),
            north("B"),
            call("51", "north"),
            over=True,
            board_winner="south",
            points=8,
        ),
        case("8.9 by the answer", start(at(4, 5)), north("B"), ev("answer", ask=2, choice="foul"), over=True, points=8),
        case(
            "8.9 and 54: no queen from 22",
            start(at(4, 5, score={"south": 22})),
            north("B"),
            call("51", "north"),
            points=5,
        ),
        case("8.9 unnoticed it goes on", start(at(4, 5)), north(), south("W"), turn="south", left="3 5 1"),
        case("8.10 leaving the seat (H29)", start(at(4, 5, score={"north": 10})), call("91", "south"), score="0 17"),
        case(
            "8.10 at 22 (H30)", start(at(4, 5, score={"north": 22})), call("91", "south"), score="0 26", game_over=True
        ),
        case(
            "8.10 queen not on the board",
            start(at(4, 5, queen="covered", queen_side="north")),
            call("91", "south"),
            points=4,
        ),
        case("8.11 playing on after an appeal", start(at(4, 5)), call("121a", "south"), over=True, points=7),
        case("8.11 spelled without its letter", start(at(4, 5)), call("121", "south"), over=True, points=7),
        case("8.13 powder", start(at(4, 5)), call("122", "north"), turn="south", left="4 6 1", fouls="122"),
        case("9.2 queen until 21", start(mine(1, 5, score={"south": 21})), south("W"), points=8),
        case("9.2 none from 22", start(mine(1, 5, score={"south": 22})), south("W"), points=5, cites="54"),
        case("9.3 never the loser", start(at(1, 5, queen="covered", queen_side="north")), south("W"), points=5),
        case("9.4 at most twelve", start(at(9, 1)), south("B S"), points=12, on_demand=0, score="0 12"),
        case("9.4 with the claims", start(at(8, 1)), south("B S", **FOUL), points=11, on_demand=1),
        case("9.5 25 points", start(mine(1, 5, score={"south": 17})), south("W"), game_over=True, games="1 0"),
        case(
            "9.5 leader after eight",
            start(mine(1, 5, score={"north": 9}, board=8)),
            south("W"),
            games="0 1",
            score="8 9",
        ),
        case(
            "9.6 level after eight",
            start(mine(1, 5, score={"north": 8}, board=8)),
            south("W"),
            game_over=False,
            over=True,
        ),
        case(
            "9.6 one more, a toss for the break",
            start(mine(1, 5, score={"north": 8}, board=8)),
            south("W"),
            ev("next_board", first="south"),
            turn="south",
            number=9,
        ),
        case(
            "9.6 and its winner leads",
            start(mine(1, 5, score={"north": 8}, board=8)),
            south("W"),
            ev("next_board", first="south"),
            south("W W W W W W W W W Q"),
            game_over=True,
            games="1 0",
            score="20 8",
        ),
        case(
            "9.8 best of three",
            start(mine(1, 5, score={"south": 20}, games={"south": 1})),
            south("W"),
            winner="south",
            turn=None,
        ),
        case("9.10 white slam scores as any board", start(), south("W W W W W W W W W Q"), points=12, cites="26"),
        case("9.11 concession", start(at(4, 5)), call("139", "south"), match_over=True, winner="north"),
        case("9.12 unforeseen: replayed", start(at(4, 5)), call("140"), left="9 9 1", turn="south"),
        case("11.5 match lost", ON, call("143", "south"), match_over=True, winner="north", turn=None),
        case("11.5 uncertified striker", ON, call("143f", "south"), match_over=True, winner="north"),
    ],
)
def test_queen_dues_fouls_and_scores(events: object, expected: object) -> None:
    agrees(events, expected)  # type: ignore[arg-type]
