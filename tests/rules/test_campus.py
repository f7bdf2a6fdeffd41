"""The college tournament's rules, read like the rulebook: position, stroke, what follows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.scenes import expected_next, fell, play, proves, row, says, scene, shot, start

S, N = "south", "north"
MISS = shot("", placement={"lines": "one"})

TABLE = [
    # an ordinary turn
    row("campus-1", "5 4", "W", turn=S, left="4 4 1"),
    row("", "5 4", "", turn=N, left="5 4 1"),
    row("campus-18", "5 4", "B", turn=N, left="5 3 1"),
    row("campus-18", "5 4", "W B", turn=N, left="4 3 1", cites="campus-18"),
    # the queen
    row("campus-2 campus-3", "5 4", "Q", turn=S, queen="pending south", left="5 4 0"),
    row("campus-3 campus-2", "9 4", "Q", turn=N, queen="board", back="queen:campus-3"),
    row("", "9 4", "Q W", turn=S, queen="covered south", left="8 4 0"),
    row("campus-14", "5 4", "Q@NE W@NW", turn=S, queen="covered south"),
    row("campus-14", "5 4", "W@NW Q@NE", turn=S, queen="covered south"),
    row("", "5 4", "Q@NE", turn=S, queen="pending south"),
    row("campus-18", "5 4", "Q B", turn=N, queen="board", back="queen:campus-18", left="5 3 1"),
    row("campus-18 campus-14", "5 4", "Q@NE W@NW B", turn=N, queen="covered south", left="4 3 0"),
    row("campus-5", "5 4", "Q@NE W@NE", turn=S, queen="pending south", left="4 4 0"),
    row("campus-14", "5 4", "Q@NE W@NE W@SW", turn=S, queen="covered south", left="3 4 0"),
    row("campus-5 campus-18", "5 4", "Q@NE W@NE B", turn=N, queen="board", back="queen:campus-18", left="4 3 1"),
    row("campus-3", "5 4 pending@NE", "W@NW", turn=S, queen="covered south", left="4 4 0"),
    row("campus-5", "5 4 pending@NE", "W@NE", turn=N, queen="board", back="queen:campus-5", left="4 4 1"),
    row("", "5 4 pending@NE", "W@NE W@SW", turn=S, queen="covered south", left="3 4 0"),
    row("campus-3", "5 4 pending", "", turn=N, queen="board", back="queen:campus-3", left="5 4 1"),
    row("campus-3 campus-18", "5 4 pending", "B", turn=N, queen="board", back="queen:campus-3", left="5 3 1"),
    row("campus-18 campus-3", "5 4 pending", "W B", turn=N, queen="covered south", left="4 3 0"),
    # the striker
    row("campus-12", "5 4", "S", turn=N, due="1+0:campus-12", left="6 4 1"),
    row("campus-12", "5 4", "S W", turn=N, back="white:campus-12", due="1+0:campus-12", left="6 4 1"),
    row("campus-12", "5 4", "S W W", turn=N, back="white:campus-12 white:campus-12", due="1+0:campus-12", left="6 4 1"),
    row("campus-12 campus-13", "9 4", "S", turn=N, due="0+1:campus-12", owed="1 0", cites="campus-13"),
    row("campus-12", "9 4", "S W", turn=N, back="white:campus-12", due="0+1:campus-12", left="9 4 1"),
    row("campus-12", "5 4", "S B", turn=N, due="1+0:campus-12", left="6 3 1"),
    row("campus-12 campus-3", "5 4", "S Q", turn=N, queen="board", back="queen:campus-3", due="1+0:campus-12"),
    row(
        "campus-12",
        "5 4",
        "S Q W",
        turn=N,
        queen="board",
        back="queen:campus-3 white:campus-12",
        due="1+0:campus-12",
        left="6 4 1",
    ),
    row("campus-12 campus-3", "5 4 pending", "S", turn=N, queen="board", back="queen:campus-3", due="1+0:campus-12"),
    row(
        "campus-12 campus-3",
        "5 4 pending",
        "S W",
        turn=N,
        queen="board",
        back="queen:campus-3 white:campus-12",
        due="1+0:campus-12",
    ),
    row("campus-12", "1 4 mine", "S W", turn=N, back="white:campus-12", due="1+0:campus-12", left="2 4 0"),
    # violations
    row("campus-8", "5 4", MISS, turn=N, fouls="campus-8", due="1+0:campus-8", left="6 4 1"),
    row("campus-8", "5 4", shot("", placement={"circle": "partial"}), turn=N, fouls="campus-8", due="1+0:campus-8"),
    row("campus-8", "5 4", shot("", placement={"arrow": True}), turn=N, fouls="campus-8", due="1+0:campus-8"),
    row("", "5 4", shot("", placement={"circle": "covered", "touching": True}), turn=N),
    row(
        "campus-8",
        "5 4",
        shot("W", placement={"lines": "none"}),
        turn=N,
        fouls="campus-8",
        back="white:campus-8",
        due="1+0:campus-8",
        left="6 4 1",
    ),
    row(
        "campus-8",
        "5 4",
        shot("S W B", placement={"lines": "none", "circle": "partial"}),
        turn=N,
        fouls="campus-8",
        back="white:campus-12",
        due="1+0:campus-8",
        left="6 3 1",
    ),
    row(
        "campus-8",
        "5 4 pending",
        shot("W", placement={"lines": "one"}),
        turn=N,
        queen="board",
        fouls="campus-8",
        back="queen:campus-3 white:campus-8",
        due="1+0:campus-8",
    ),
    # what the striker meets first
    row(
        "campus-11",
        "5 4",
        shot("W", contacts=[{"with": "black", "at": [10, -222]}]),
        turn=N,
        fouls="campus-11",
        back="white:campus-11",
        due="1+0:campus-11",
    ),
    row(
        "campus-11",
        "5 4",
        shot("", contacts=[{"with": "queen", "at": [0, -300]}]),
        turn=N,
        fouls="campus-11",
        due="1+0:campus-11",
    ),
    row("", "5 4", shot("", contacts=[{"with": "white", "at": [10, -221]}]), turn=N),
    row("", "5 4", shot("", contacts=[{"with": "white"}]), turn=N),
    row(
        "", "5 4", shot("", contacts=[{"with": "cushion", "at": [0, 355]}, {"with": "white", "at": [10, -300]}]), turn=N
    ),
    row("", "5 4", shot("", contacts=[{"with": "white", "at": [0, 0]}, {"with": "black", "at": [10, -300]}]), turn=N),
    row("", "5 4", shot("", contacts=[{"with": "white", "at": [10, -300]}], unseen=["contacts.behind_line"]), turn=N),
    row(
        "campus-17",
        "1 4",
        shot("W", contacts=[{"with": "white"}]),
        turn=N,
        fouls="campus-17",
        back="white:campus-17",
        due="1+0:campus-17",
        left="2 4 1",
    ),
    row("", "1 4", shot("", contacts=[{"with": "cushion"}, {"with": "white"}]), turn=N),
    row("", "2 4", shot("", contacts=[{"with": "white"}]), turn=N),
    row("", "1 4 mine", shot("W", contacts=[{"with": "white"}]), turn=N, end="south 7 campus-4"),
    row("", "1 4 pending", shot("W", contacts=[{"with": "white"}]), turn=N, end="south 7 campus-4"),
    # jumped pieces
    row("campus-15", "5 4", shot("W", off_board=["black"]), turn=S, back="black:campus-15", left="4 4 1"),
    row("campus-15", "5 4", shot("", off_board=["queen", "striker"]), turn=N, back="queen:campus-15"),
    # the end of a board
    row("campus-4 campus-6", "1 4 mine", "W", turn=N, end="south 7 campus-4", score="7 0", cites="campus-6"),
    row("campus-4", "1 4 theirs", "W", turn=N, end="south 4 campus-4"),
    row("campus-4 campus-3", "1 4 pending@NE", "W@SW", turn=N, end="south 7 campus-4", queen="covered south"),
    row("campus-4 campus-14", "1 4", "Q@NE W@SW", turn=N, end="south 7 campus-4"),
    row("campus-5 campus-19", "1 4", "Q@NE W@NE", turn=N, end="north 7 campus-19"),
    row("campus-5 campus-19", "1 4 pending@NE", "W@NE", turn=N, end="north 7 campus-19"),
    row("campus-19", "1 4", "W", turn=N, end="north 7 campus-19", score="0 7", left="0 4 1"),
    row("campus-18", "5 1", "B", turn=N, end="north 3 campus-18"),
    row("campus-18", "5 1", "W B", turn=N, end="north 3 campus-18", left="4 0 1"),
    row("campus-18", "5 1 mine", "B", turn=N, end="north 5 campus-18"),
    row("campus-18", "5 1 theirs", "B", turn=N, end="north 8 campus-18"),
    row("campus-18", "5 1 pending", "B", turn=N, end="north 3 campus-18"),
    row("campus-18", "5 1 pending", "W B", turn=N, end="north 4 campus-18", queen="covered south"),
    row("campus-18", "5 1", "Q@NE W@NW B", turn=N, end="north 4 campus-18"),
    row("campus-18", "5 1", "Q B", turn=N, end="north 3 campus-18"),
    row("campus-4", "1 1 mine", "W B", turn=N, end="south 3 campus-4"),
    row("campus-4", "1 1 theirs", "W B", turn=N, end="south 0 campus-4"),
    row("campus-19", "1 1", "W B", turn=N, end="north 3 campus-19"),
    # the opponent's last in a fouled stroke: as in the clean one, the own pieces count as never pocketed
    row("campus-18", "5 1", "S B", turn=N, end="north 3 campus-18"),
    row("campus-18", "5 1 mine", "S W B", turn=N, end="north 5 campus-18", left="5 0 0"),
    row("campus-18", "5 1", "S Q B", turn=N, end="north 3 campus-18", left="5 0 1", queen="board"),
    row("campus-18", "5 1 theirs", "S B", turn=N, end="north 8 campus-18"),
    row("campus-18", "5 1 pending", "S W B", turn=N, end="north 3 campus-18"),
    row("campus-18", "1 1 mine", "S W B", turn=N, end="north 1 campus-18"),
]


@pytest.mark.parametrize(("clauses", "at", "stroke", "expected"), TABLE)
def test_stroke(clauses: list[str], at: str, stroke: Any, expected: dict[str, Any]) -> None:
    proves("campus", clauses, at, stroke, expected)


@pytest.mark.clause("campus-13")
def test_an_owed_piece_is_paid_with_the_next_one_pocketed() -> None:
    first, second, third = play(
        start("campus", "9 9", position={"break_done": True}), shot("S"), shot("", N), shot("W")
    )[1:]
    says(first, turn=N, due="0+1:campus-12", owed="1 0")
    says(second, turn=S)
    says(third, turn=S, due="1+0:campus-13", owed="0 0", left="9 9 1", hand="0 0")


@pytest.mark.clause("campus-3")
def test_a_hand_emptied_by_dues_does_not_open_the_queen() -> None:
    says(scene("campus", "9 4", "Q", position={"had_pocketed": {"south": True}}), turn=N, back="queen:campus-3")


@pytest.mark.clause("campus-20")
def test_three_tries_to_break() -> None:
    miss = shot("", contacts=[])
    one, two, three, other = play(start("campus"), miss, miss, miss, shot("", N))[1:]
    says(one, turn=S, kept=True, cites="campus-20")
    says(two, turn=S)
    says(three, turn=N, cites="campus-20")
    says(other, turn=S)
    off = play(start("campus", autonomy={"campus-20": "off"}), miss)[-1]
    assert "campus-20" not in off["cites"]


@pytest.mark.clause("campus-20")
def test_a_striker_on_the_lines_is_no_stroke_and_no_try() -> None:
    still = shot("", left_baseline=False, contacts=[])
    rulings = play(start("campus"), *[still] * 5)
    says(rulings[-1], turn=S, void=True, cites="campus-20")
    touched = scene("campus", "5 4 pending", shot("W", left_baseline=False))
    says(touched, turn=S, void=True, queen="pending south", left="5 4 0")


@pytest.mark.clause("campus-12")
def test_a_failed_try_with_the_striker_costs_the_turn_and_a_due() -> None:
    says(play(start("campus"), shot("S", contacts=[]))[-1], turn=N, due="0+1:campus-12", owed="1 0")


@pytest.mark.clause("campus-7")
def test_a_game_goes_to_fifteen() -> None:
    ruling = scene("campus", "1 4 mine", "W", position={"score": {"south": 8, "north": 14}})
    says(ruling, turn=None, end="south 7 campus-4", winner=S, score="15 14", cites="campus-7")
    assert not scene("campus", "1 4 mine", "W", position={"score": {"south": 7}})["match_over"]


@pytest.mark.clause("campus-9")
@pytest.mark.parametrize("flag", ["push", "chair"])
def test_a_push_waits_for_the_umpire(flag: str) -> None:
    begin, stroke = start("campus", "5 4"), shot("W", flags=[flag])
    says(play(begin, stroke)[-1], turn=S, fouls="campus-9?", left="4 4 1")
    confirmed = play(begin, stroke, {"event": "call", "clause": "campus-9", "seat": S})[-1]
    says(confirmed, turn=N, fouls="campus-9", back="white:campus-9", due="1+0:campus-9", left="6 4 1")
    says(play(start("campus", "5 4", autonomy={"campus-9": "off"}), stroke)[-1], turn=S)


@pytest.mark.clause("campus-16")
def test_a_returned_queen_covers_what_is_free_of_the_red() -> None:
    stroke = shot("", rest=[{"piece": "white", "x": 0.0, "y": 20.0}])
    ruling = scene("campus", "5 4 pending", stroke)
    x, y = ruling["returned"][0]["to"]
    assert abs(x) < 0.5
    assert -12 < y < -10.5


def test_own_pieces_stay_where_a_house_rule_says_so() -> None:
    says(scene("campus", "5 4", "S W", policy={"own_in_foul": "stays"}), turn=N, due="1+0:campus-12", left="5 4 1")
    says(
        scene("campus", "1 4 mine", "S W", policy={"own_in_foul": "stays"}),
        turn=N,
        back="white:campus-12",
        due="1+0:campus-12",
        left="2 4 0",
    )


def test_drops_from_the_rim_count_for_the_owner_and_lose_nothing() -> None:
    rim = {"event": "drop", "piece": "black", "pocket": "NE", "on_rim": True}
    says(play(start("campus", "5 4"), rim)[-1], turn=S, left="5 3 1")
    says(play(start("campus", "5 1"), rim)[-1], turn=S, back="black:campus-19", left="5 1 1")
    says(play(start("campus", "5 1 theirs"), rim)[-1], turn=N, end="north 8 campus-18")
    says(play(start("campus", "5 4"), rim | {"on_rim": False})[-1], turn=S, back="black:campus-15", left="5 4 1")
    assert fell("Q")[0]["piece"] == "queen"
    says(play(start("campus", "5 4"), rim | {"piece": "queen"})[-1], turn=S, back="queen:campus-3")


@pytest.mark.parametrize(
    ("clause", "contact"),
    [
        pytest.param("campus-11", {"with": "black", "at": [10, -300]}, marks=pytest.mark.clause("campus-11")),
        pytest.param("campus-17", {"with": "white", "at": [10, 100]}, marks=pytest.mark.clause("campus-17")),
    ],
)
def test_what_was_met_first_may_wait_for_the_umpire(clause: str, contact: dict[str, Any]) -> None:
    begin, stroke = start("campus", "1 4", autonomy={clause: "confirm"}), shot("", contacts=[contact])
    says(play(begin, stroke)[-1], turn=N, fouls=f"{clause}?", left="1 4 1")
    call = {"event": "call", "clause": clause, "seat": S}
    says(play(begin, stroke, call)[-1], turn=N, fouls=clause, due=f"1+0:{clause}", left="2 4 1")
    says(play(begin, stroke, call | {"action": "wave_off"})[-1], turn=N, left="1 4 1")
    says(play(start("campus", "1 4", autonomy={clause: "note"}), stroke)[-1], turn=N, left="1 4 1")


@pytest.mark.clause("campus-20")
def test_the_table_is_told_a_striker_that_left_one_line_has_left_them() -> None:
    assert expected_next(start("campus")).still_on_lines == 2
