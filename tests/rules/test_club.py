"""The club rules, strokes: read like the rulebook: position, stroke, what follows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.scenes import expected_next, play, proves, row, says, shot, start

S, N = "south", "north"
FOUL = "1+0:club-28"
STRIKER = "1+0:club-15"
CUSHION = {"with": "cushion", "at": [0, 355]}

TABLE = [
    # an ordinary turn
    row("club-136 club-47 club-107 club-151", "5 4", "W", turn=S, left="4 4 1"),
    row("club-27", "5 4", "", turn=N, left="5 4 1"),
    row("club-133", "5 4", shot("", contacts=[{"with": "white"}]), turn=N, cites="club-27"),
    row("club-129", "5 4", shot("", contacts=[{"with": "white"}, {"with": "white"}]), turn=N),
    row("club-134", "5 4", shot("", contacts=[CUSHION, {"with": "white", "at": [0, 50]}]), turn=N),
    # opponent's pieces
    row("club-14", "5 4", "B", turn=N, fouls="club-14", back="black:club-25", due=FOUL, left="6 4 1"),
    row("club-25", "5 4", "B", turn=N, fouls="club-14", back="black:club-25", due=FOUL, left="6 4 1"),
    row("club-26", "5 4", "W B", turn=N, fouls="club-14", back="black:club-25", due=FOUL, left="5 4 1"),
    row("club-14", "9 4", "W B", turn=N, fouls="club-14", back="black:club-25", due=FOUL, left="9 4 1"),
    row("club-14", "5 4", "B B", turn=N, fouls="club-14", back="black:club-25 black:club-25", due=FOUL, left="6 4 1"),
    row(
        "club-14 club-46",
        "5 4",
        "Q B",
        turn=N,
        fouls="club-14",
        back="queen:club-46 black:club-25",
        due=FOUL,
        left="6 4 1",
    ),
    row("club-46", "5 4", "Q W B", turn=N, fouls="club-14", back="queen:club-46 black:club-25", due=FOUL, left="5 4 1"),
    row(
        "club-137",
        "5 4 pending",
        "W B",
        turn=N,
        fouls="club-14",
        back="queen:club-137 black:club-25",
        due=FOUL,
        left="5 4 1",
    ),
    row("club-14", "5 1 mine", "B", turn=N, fouls="club-14", back="black:club-25", due=FOUL, left="6 1 0"),
    row("club-14", "5 1", "B", turn=N, fouls="club-14", back="black:club-25", due=FOUL, left="6 1 1"),
    # the striker
    row("club-15 club-12", "5 4", "S", turn=N, fouls="club-15", due=STRIKER, left="6 4 1"),
    row("club-16", "5 4", "S W", turn=N, fouls="club-15", due=STRIKER, left="5 4 1"),
    row("club-16", "9 4", "S W", turn=N, fouls="club-15", due=STRIKER, left="9 4 1", owed="0 0"),
    row("club-17", "1 4", "S W", turn=N, fouls="club-15", back="white:club-17", due=STRIKER, left="2 4 1"),
    row("club-17", "1 4 mine", "S W", turn=N, fouls="club-15", back="white:club-17", due=STRIKER, left="2 4 0"),
    row("club-17", "2 4 mine", "S W W", turn=N, fouls="club-15", back="white:club-17", due=STRIKER, left="2 4 0"),
    row("club-29 club-70", "9 4", "S", turn=N, fouls="club-15", due="0+1:club-15", owed="1 0"),
    row("club-46", "5 4", "S Q", turn=N, fouls="club-15", back="queen:club-46", due=STRIKER, left="6 4 1"),
    row("club-46", "5 4", "S Q W", turn=N, fouls="club-15", back="queen:club-46", due=STRIKER, left="5 4 1"),
    row("club-30", "5 4 pending", "S W", turn=N, fouls="club-15", back="queen:club-30", due=STRIKER, left="5 4 1"),
    row("club-71", "5 4", "S B", turn=N, fouls="club-15 club-14", back="black:club-25", due=STRIKER, left="6 4 1"),
    # off the board
    row("club-11", "5 4", shot("", off_board=["striker"]), turn=N, fouls="club-11", due=FOUL, left="6 4 1"),
    row(
        "club-31 club-28",
        "5 4",
        shot("W", off_board=["white"]),
        turn=N,
        fouls="club-31",
        back="white:club-31",
        due=FOUL,
        left="5 4 1",
    ),
    row("club-32", "5 4", shot("", off_board=["black"]), turn=N, fouls="club-31", back="black:club-31", due=FOUL),
    row(
        "club-72",
        "5 4",
        shot("S", off_board=["black"]),
        turn=N,
        fouls="club-31 club-15",
        back="black:club-31",
        due="1+0:club-28 1+0:club-72",
        left="7 4 1",
    ),
    row("club-31", "5 4", shot("", off_board=["queen"]), turn=N, fouls="club-31", back="queen:club-31", due=FOUL),
    # the queen
    row("club-18 club-22 club-59", "5 4", "Q", turn=S, queen="pending south", left="5 4 0"),
    row("club-22 club-23", "5 4", "Q W", turn=S, queen="covered south", left="4 4 0"),
    row("club-23", "5 4", "W Q", turn=S, queen="covered south", left="4 4 0"),
    row("club-18", "5 4 pending", "W", turn=S, queen="covered south", left="4 4 0"),
    row("club-19", "5 4 pending", "", turn=N, queen="board", back="queen:club-19", left="5 4 1"),
    row("club-21 club-60 club-59", "9 4", "Q", turn=N, queen="board", back="queen:club-21"),
    row("club-21", "9 4", "Q W", turn=S, queen="board", back="queen:club-21", left="8 4 1"),
    row("club-45 club-20 club-24 club-105", "1 4", "Q W", turn=N, back="queen:club-45 white:club-45", left="1 4 1"),
    row("club-18", "2 4", "Q W W", turn=N, end="south 7 club-62", queen="covered south"),
    row("club-63 club-105 club-64 club-163", "1 4", "W", turn=N, back="white:club-63", left="1 4 1"),
    row("club-63", "2 4", "W W", turn=N, back="white:club-63", left="1 4 1"),
    row("club-62 club-18", "1 4 pending", "W", turn=N, end="south 7 club-62", queen="covered south"),
    # the end of a board
    row("club-62 club-102 club-101", "1 4 mine", "W", turn=N, end="south 7 club-62", score="7 0"),
    row("club-87 club-142 club-88 club-104 club-61 club-91", "1 4 mine", "W", turn=N, end="south 7 club-62"),
    row("club-62", "1 4 theirs", "W", turn=N, end="south 4 club-62"),
    row("club-65", "1 1 theirs", "W", turn=N, end="south 1 club-62"),
    row("club-44 club-143", "1 1 mine", "W B", turn=S, end="drawn 0 club-44", score="0 0"),
    row(
        "club-106 club-141",
        "1 4 mine",
        shot("W", placement={"lines": "one"}),
        turn=N,
        fouls="club-126",
        back="white:club-106",
        due=FOUL,
        left="2 4 0",
    ),
    row(
        "club-14",
        "1 1",
        "W B",
        turn=N,
        fouls="club-14",
        back="white:club-106 black:club-25",
        due=FOUL,
        left="2 1 1",
    ),
    row(
        "club-17",
        "1 1 mine",
        "S W B",
        turn=N,
        fouls="club-15 club-14",
        back="white:club-17 black:club-25",
        due=STRIKER,
        left="2 1 0",
    ),
    row(
        "club-137",
        "1 1 pending",
        "W B",
        turn=N,
        fouls="club-14",
        back="queen:club-137 white:club-106 black:club-25",
        due=FOUL,
        left="2 1 1",
    ),
    # what the stroke looked like
    row("club-3", "5 4", shot("", placement={"lines": "none"}), turn=N, fouls="club-3", due=FOUL),
    row("club-126", "5 4", shot("", placement={"lines": "one"}), turn=N, fouls="club-126", due=FOUL),
    row("club-126", "5 4", shot("", placement={"circle": "partial"}), turn=N, fouls="club-126", due=FOUL),
    row("", "5 4", shot("", placement={"circle": "covered"}), turn=N),
    row("club-4", "5 4", shot("", placement={"arrow": True}), turn=N, fouls="club-4", due=FOUL),
    row("club-4", "5 4", shot("W", placement={"touching": True}), turn=N, fouls="club-4", due=FOUL, left="5 4 1"),
    row("club-7", "5 4", shot("", heading="backward"), turn=N, fouls="club-7", due=FOUL),
    row("club-10 club-9", "5 4", shot("", contacts=[]), turn=N, fouls="club-10", due=FOUL),
    row("club-39 club-9", "5 4", shot("", contacts=[CUSHION]), turn=N, fouls="club-39", due=FOUL),
    row("club-113 club-111 club-112 club-1", "5 4", shot("", all_at_rest=False), turn=N, fouls="club-113", due=FOUL),
    row(
        "club-41",
        "5 4",
        shot("", contacts=[CUSHION, {"with": "white", "at": [0, -10]}]),
        turn=N,
        fouls="club-41",
        due=FOUL,
    ),
    row("", "5 4", shot("", contacts=[{"with": "white", "at": [0, -10]}]), turn=N),
    row("club-69 club-28", "5 4", shot("", heading="backward"), turn=N, fouls="club-7", due=FOUL, left="6 4 1"),
    row("club-71", "5 4", shot("", heading="backward", contacts=[]), turn=N, fouls="club-7 club-10", due=FOUL),
    row("club-78 club-154", "5 4", shot("", rest=[{"piece": "white", "x": 340.0, "y": 340.0}]), turn=N, left="5 4 1"),
]


@pytest.mark.parametrize(("clauses", "at", "stroke", "expected"), TABLE)
def test_stroke(clauses: list[str], at: str, stroke: Any, expected: dict[str, Any]) -> None:
    proves("club", clauses, at, stroke, expected)


BREAK = [
    ("club-51 club-58", shot("W"), {"turn": S, "left": "8 9 1", "hand": "1 0"}),
    ("club-58", shot("B"), {"turn": S, "left": "9 8 1", "hand": "1 0"}),
    ("club-58", shot("B W"), {"turn": N, "fouls": "club-14", "back": "white:club-25", "due": FOUL, "left": "9 9 1"}),
    ("club-52", shot("", crossed_baseline=0), {"turn": N, "fouls": "club-52", "due": "0+1:club-28", "owed": "1 0"}),
    ("", shot("", crossed_baseline=1), {"turn": N}),
    ("", shot("Q", crossed_baseline=0), {"turn": N, "back": "queen:club-21"}),
    ("club-52 club-53", shot("S", crossed_baseline=0), {"turn": N, "fouls": "club-52 club-15", "due": "0+1:club-28"}),
    ("club-53", shot("S"), {"turn": N, "fouls": "club-15", "due": "0+1:club-15"}),
    ("club-16 club-53", shot("S W"), {"turn": N, "fouls": "club-15", "due": STRIKER, "left": "9 9 1"}),
    ("club-54", shot("", contacts=[{"with": "queen"}]), {"turn": N}),
    ("club-21", shot("Q W"), {"turn": S, "back": "queen:club-21", "left": "8 9 1"}),
]


@pytest.mark.parametrize(
    ("clauses", "stroke", "expected"),
    [pytest.param(c, s, e, id=f"{c}: {e}", marks=[pytest.mark.clause(x) for x in c.split()]) for c, s, e in BREAK],
)
def test_break(clauses: str, stroke: dict[str, Any], expected: dict[str, Any]) -> None:
    ruling = play(start("club"), stroke)[-1]
    says(ruling, **expected)
    for clause in clauses.split():
        assert play(start("club", autonomy={clause: "off"}), stroke)[-1] != ruling, f"{clause} does nothing"


@pytest.mark.clause("club-52")
def test_only_the_first_stroke_of_a_board_is_the_break() -> None:
    says(play(start("club"), shot(""), shot("", N, crossed_baseline=0))[-1], turn=S)


@pytest.mark.clause("club-58")
def test_the_second_side_may_fix_the_colours() -> None:
    rulings = play(start("club"), shot(""), shot("W", N), shot("", N), shot("B"))
    says(rulings[2], turn=N, hand="0 1", left="8 9 1")
    says(rulings[4], turn=S, hand="1 1")


@pytest.mark.clause("club-29")
@pytest.mark.clause("club-70")
def test_an_owed_piece_is_paid_as_soon_as_there_is_one() -> None:
    rulings = play(start("club"), shot("W"), shot(""), shot("S", N), shot("", S), shot("B", N))
    says(rulings[3], turn=S, fouls="club-15", due="0+1:club-15", owed="0 1")
    says(rulings[5], turn=N, due="1+0:club-70", owed="0 0", left="8 9 1")


@pytest.mark.clause("club-38")
def test_the_time_for_a_stroke() -> None:
    timed = start("club", "5 4 pending", policy={"stroke_seconds": 15})
    late = play(timed, shot("W", elapsed=15.5))[-1]
    says(late, turn=N, fouls="club-38", back="queen:club-30", due=FOUL, left="5 4 1")
    says(play(timed, shot("W", elapsed=15.0))[-1], turn=S, queen="covered south")
    out = play(timed, {"event": "timeout", "seat": S})[-1]
    says(out, turn=N, fouls="club-38", back="queen:club-19", due=FOUL, left="6 4 1")
    off = play({**timed, "autonomy": {"club-38": "off"}}, shot("W", elapsed=15.5))[-1]
    says(off, turn=S, queen="covered south")


@pytest.mark.clause("club-42")
@pytest.mark.clause("club-157")
def test_a_stroke_out_of_turn_does_not_count() -> None:
    ruling = play(start("club", "5 4"), shot("B", N))[-1]
    says(ruling, turn=S, void=True, left="5 4 1", cites="club-42 club-157")
    for clause in ("club-42", "club-157"):
        off = play(start("club", "5 4", autonomy={clause: "off"}), shot("B", N))[-1]
        assert clause not in off["cites"]


@pytest.mark.clause("club-158")
def test_a_stroke_that_stopped_on_the_lines_is_none() -> None:
    still = shot("", left_baseline=False, contacts=[])
    says(play(start("club", "5 4 pending"), still)[-1], turn=S, void=True, queen="pending south", cites="club-158")
    off = play(start("club", "5 4", autonomy={"club-158": "off"}), still)[-1]
    says(off, turn=N, fouls="club-10", due=FOUL)


@pytest.mark.clause("club-149")
def test_a_stroke_after_the_umpires_stop() -> None:
    stop = {"event": "pause"}
    ruling = play(start("club", "5 4"), stop, shot("W"))[-1]
    says(ruling, turn=N, void=True, fouls="club-149", due=FOUL, left="6 4 1")
    off = play(start("club", "5 4", autonomy={"club-149": "off"}), stop, shot("W"))[-1]
    says(off, turn=S, void=True)


@pytest.mark.clause("club-150")
def test_opponents_pieces_pocketed_again_and_again() -> None:
    strokes = [shot("B"), shot("", N)] * 3
    rulings = play(start("club", "5 4"), *strokes[:5])
    assert any("warning" in note for note in rulings[-1]["notes"])
    assert not any("warning" in note for note in rulings[-3]["notes"])
    assert "club-150" in rulings[-1]["cites"]
    off = play(start("club", "5 4", autonomy={"club-150": "off"}), *strokes[:5])[-1]
    assert "club-150" not in off["cites"]


@pytest.mark.clause("club-66")
@pytest.mark.clause("club-67")
@pytest.mark.clause("club-68")
def test_a_reshuffle_is_offered_after_many_quiet_strokes() -> None:
    strokes = [shot("", (S, N)[i % 2]) for i in range(3)]
    rulings = play(start("club", "5 4", policy={"stalemate_turns": 3}), *strokes)
    assert {"club-66", "club-67", "club-68"} <= set(rulings[-1]["cites"])
    assert "club-66" not in rulings[-2]["cites"]


@pytest.mark.clause("club-103")
@pytest.mark.clause("club-165")
def test_the_score_that_wins() -> None:
    at = {"score": {"south": 18, "north": 0}}
    won = play(start("club", "1 4 mine", position=at), shot("W"))[-1]
    says(won, turn=None, end="south 7 club-62", winner=S, cites="club-103 club-165")
    assert not play(start("club", "1 4 mine", position=at, policy={"points": 29}), shot("W"))[-1]["match_over"]
    assert not play(start("club", "1 4 mine", position={"score": {"south": 17}}), shot("W"))[-1]["match_over"]
    for clause in ("club-103", "club-165"):
        off = play(start("club", "1 4 mine", position=at, autonomy={clause: "off"}), shot("W"))[-1]
        assert clause not in off["cites"]


@pytest.mark.clause("club-89")
def test_a_level_match_gets_one_more_board() -> None:
    at = {"score": {"south": 3, "north": 10}, "board": 4}
    level = play(start("club", "1 4 mine", position=at, policy={"points": 0, "boards": 4}), shot("W"))[-1]
    says(level, end="south 7 club-62", score="10 10", winner=None, turn=N, cites="club-89")
    assert not level["match_over"]


@pytest.mark.clause("club-91")
def test_the_break_alternates() -> None:
    rulings = play(start("club", "1 4 mine"), shot("W"), {"event": "next_board"})
    assert rulings[1]["turn"] == N
    assert rulings[2]["turn"] == N
    drawn = play(start("club", "1 1 mine"), shot("W B"), {"event": "next_board"})
    assert drawn[2]["turn"] == S
    assert drawn[2]["board"]["number"] == 2


@pytest.mark.clause("club-158")
def test_a_striker_still_on_the_lines_made_no_stroke_whatever_it_did() -> None:
    ruling = play(start("club", "5 4 pending"), shot("W", left_baseline=False))[-1]
    says(ruling, turn=S, void=True, queen="pending south", left="5 4 0")


@pytest.mark.clause("club-66")
def test_twenty_quiet_strokes_unless_the_club_says_otherwise() -> None:
    strokes = [shot("", (S, N)[i % 2]) for i in range(20)]
    rulings = play(start("club", "5 4"), *strokes)
    assert "club-66" in rulings[-1]["cites"]
    assert "club-66" not in rulings[-2]["cites"]


def test_four_players_in_named_teams_share_colour_hand_and_score() -> None:
    seats = {"south": "Asha", "east": "Dora", "north": "Ben", "west": "Cem"}
    four = {"event": "start", "book": "club", "seats": seats, "first": "south"}
    assert "teams" in play(four)[0]["error"]
    begin = four | {"teams": [["south", "north"], ["east", "west"]]}
    rulings = play(begin, shot("W"), shot(""), shot("B", "east"), shot("", "east"), shot("S", "north"))
    assert [r["turn"] for r in rulings] == ["south", "south", "east", "east", "north", "west"]
    says(rulings[-1], turn="west", fouls="club-15", due=STRIKER, hand="0 1", left="9 8 1")


@pytest.mark.clause("club-74")
def test_the_table_is_told_how_often_the_striker_may_be_placed_anew() -> None:
    assert expected_next(start("club")).replacements == 3
