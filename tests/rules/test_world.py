"""The boxed game rules for two, and the teams, read like the rulebook: position, stroke, what follows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.scenes import expected_next, play, proves, row, says, scene, shot, start

S, N = "south", "north"
DUE = "1+0:world-12"

TABLE = [
    row("world-5", "5 4", "W", turn=S, left="4 4 1"),
    row("world-5", "5 4", "", turn=N, left="5 4 1"),
    row("world-9", "5 4", "B", turn=N, left="5 3 1"),
    row("world-9", "5 4", "W B", turn=N, left="4 3 1"),
    # the queen
    row("world-7", "5 4", "Q", turn=S, queen="pending south"),
    row("world-7", "5 4", "Q@NE W@NE", turn=S, queen="covered south"),
    row("world-7", "9 4", "W Q", turn=S, queen="covered south", left="8 4 0"),
    row("world-6", "9 4", "Q", turn=N, queen="board", back="queen:world-6", owed="0 0"),
    row("world-9", "5 4", "Q B", turn=N, queen="board", back="queen:world-9", left="5 3 1"),
    row("world-9 world-7", "5 4", "Q W B", turn=N, queen="covered south", left="4 3 0"),
    row("world-7", "5 4 pending@NE", "W@NE", turn=S, queen="covered south"),
    row("world-7", "5 4 pending", "", turn=N, back="queen:world-7"),
    row("world-7 world-9", "5 4 pending", "B", turn=N, back="queen:world-7", left="5 3 1"),
    row("world-7 world-9", "5 4 pending", "W B", turn=N, queen="covered south", left="4 3 0"),
    # the striker
    row("world-12", "5 4", "S", turn=N, due=DUE, left="6 4 1"),
    row("world-12", "5 4", "S W", turn=S, back="white:world-12", due=DUE, left="6 4 1"),
    row("world-12", "5 4", "S W W", turn=S, back="white:world-12 white:world-12", due=DUE, left="6 4 1"),
    row("world-12 world-13", "9 4", "S W", turn=S, back="white:world-12", due="0+1:world-12", owed="1 0"),
    row("world-12", "5 4", "S B", turn=N, due=DUE, left="6 3 1"),
    row("world-12 world-9", "5 4", "S W B", turn=N, back="white:world-12", due=DUE, left="6 3 1"),
    row("world-12 world-7", "5 4", "S Q", turn=N, back="queen:world-7", due=DUE),
    row("world-12 world-7", "5 4", "S Q W", turn=S, back="queen:world-7 white:world-12", due=DUE, left="6 4 1"),
    row("world-12 world-7", "5 4 pending", "S", turn=N, back="queen:world-7", due=DUE),
    row("world-12 world-7", "5 4 pending", "S W", turn=S, back="queen:world-7 white:world-12", due=DUE, left="6 4 1"),
    row("world-12", "1 4 mine", "S W", turn=S, back="white:world-12", due=DUE, left="2 4 0"),
    row("world-12", "1 4", "S W", turn=S, back="white:world-12", due=DUE, left="2 4 1"),
    # placement
    row("world-3", "5 4", shot("", placement={"lines": "one"}), turn=N, fouls="world-3", due="1+0:world-3"),
    row("world-3", "5 4", shot("", placement={"circle": "partial"}), turn=N, fouls="world-3", due="1+0:world-3"),
    row("world-3", "5 4", shot("", placement={"arrow": True}), turn=N, fouls="world-3", due="1+0:world-3"),
    row("", "5 4", shot("", placement={"circle": "covered", "touching": True}), turn=N),
    row(
        "world-3",
        "5 4",
        shot("S W", placement={"lines": "one"}),
        turn=N,
        fouls="world-3",
        back="white:world-12",
        due="1+0:world-3",
        left="6 4 1",
    ),
    row("world-15", "5 4", shot("W", off_board=["black"]), turn=S, back="black:world-15", left="4 4 1"),
    # the end of a board
    row("world-8 world-14", "1 4 mine", "W", turn=N, end="south 7 world-8", score="7 0"),
    row("world-8", "1 4 theirs", "W", turn=N, end="south 4 world-8"),
    row("world-8 world-7", "1 4 pending", "W", turn=N, end="south 7 world-8"),
    row("world-8 world-7", "1 4", "Q W", turn=N, end="south 7 world-8"),
    row("world-11", "1 4", "W", turn=N, end="north 7 world-11"),
    row("world-10", "5 1", "B", turn=N, end="north 3 world-10"),
    row("world-10", "5 1 mine", "B", turn=N, end="north 5 world-10"),
    row("world-10", "5 1 theirs", "B", turn=N, end="north 8 world-10"),
    row("world-10", "5 1 pending", "B", turn=N, end="north 3 world-10"),
    row("world-10", "5 1 pending", "W B", turn=N, end="north 4 world-10"),
    row("world-8", "1 1 theirs", "W B", turn=N, end="south 0 world-8"),
    row("world-10", "5 1", "S B", turn=N, end="north 3 world-10"),
    row("world-10", "5 1 mine", "S W B", turn=N, end="north 5 world-10"),
]


@pytest.mark.parametrize(("clauses", "at", "stroke", "expected"), TABLE)
def test_stroke(clauses: list[str], at: str, stroke: Any, expected: dict[str, Any]) -> None:
    proves("world", clauses, at, stroke, expected)


@pytest.mark.clause("world-13")
def test_an_owed_piece_is_paid_as_soon_as_there_is_one() -> None:
    rulings = play(start("world"), shot("S"), shot("W", N))
    says(rulings[1], turn=N, due="0+1:world-12", owed="1 0")
    says(rulings[2], turn=S, due="1+0:world-13", owed="0 0", left="9 9 1")


@pytest.mark.clause("world-17")
def test_three_tries_to_break() -> None:
    miss = shot("", contacts=[])
    one, two, three, other = play(start("world"), miss, miss, miss, shot("W", N))[1:]
    says(one, turn=S, cites="world-17")
    says(two, turn=S)
    says(three, turn=N)
    says(other, turn=S, left="8 9 1")
    still = shot("", left_baseline=False, contacts=[])
    says(play(start("world"), *[still] * 4)[-1], turn=S, void=True, cites="world-17")
    assert "world-17" not in play(start("world", autonomy={"world-17": "off"}), miss)[-1]["cites"]


@pytest.mark.clause("world-4")
@pytest.mark.parametrize("flag", ["elbow", "body_over_diagonal"])
def test_nothing_but_hands_over_the_diagonals(flag: str) -> None:
    begin, stroke = start("world", "5 4"), shot("W", flags=[flag])
    says(play(begin, stroke)[-1], turn=S, fouls="world-4?", left="4 4 1")
    confirmed = play(begin, stroke, {"event": "call", "clause": "world-4", "seat": S})[-1]
    says(confirmed, turn=N, fouls="world-4", back="white:world-4", due="1+0:world-4", left="6 4 1")
    says(play(start("world", "5 4", autonomy={"world-4": "off"}), stroke)[-1], turn=S)


@pytest.mark.clause("world-1")
def test_a_wrong_rack_keeps_the_board_from_starting() -> None:
    wrong = {"event": "seen", "what": "wrong_rack", "at": [0, 0]}
    assert "world-1" in play(start("world"), wrong, shot("W"))[-1]["error"]
    assert "error" not in play(start("world", autonomy={"world-1": "off"}), wrong, shot("W"))[-1]


@pytest.mark.clause("world-14")
def test_a_game_goes_to_twenty_five() -> None:
    says(
        scene("world", "1 4 mine", "W", position={"score": {"south": 18}}),
        turn=None,
        end="south 7 world-8",
        winner=S,
        cites="world-14",
    )
    assert not scene("world", "1 4 mine", "W", position={"score": {"south": 17}})["match_over"]


@pytest.mark.clause("world-18")
def test_teams_play_clockwise_and_share_colour_hand_and_score() -> None:
    #        N
    #    W       E     clockwise seen from above: south, west, north, east
    #        S
    seats = {"south": "Asha", "west": "Cem", "north": "Ben", "east": "Dora"}
    begin = {"event": "start", "book": "world-team", "seats": seats, "first": "south"}
    rulings = play(begin, shot(""), shot("", "west"), shot("", "north"), shot("", "east"), shot("S"))
    assert [r["turn"] for r in rulings] == ["south", "west", "north", "east", "south", "west"]
    assert list(rulings[0]["score"]) == ["south", "west"]
    assert rulings[-1]["owed"] == {"south": 1, "west": 0}
    both = play(begin, shot("W"), shot(""), shot("", "west"), shot("W W", "north"))[-1]
    assert both["in_hand"] == {"south": 3, "west": 0}
    assert both["turn"] == "north"
    assert "world-18" in rulings[1]["cites"]
    off = play({**begin, "autonomy": {"world-18": "off"}}, shot(""))[-1]
    assert "world-18" not in off["cites"]


@pytest.mark.clause("world-17")
def test_a_striker_still_on_the_lines_made_no_stroke_whatever_it_did() -> None:
    says(scene("world", "5 4 pending", shot("W", left_baseline=False)), turn=S, void=True, queen="pending south")


@pytest.mark.clause("world-12")
def test_a_failed_try_with_the_striker_costs_the_turn_and_a_due() -> None:
    says(play(start("world"), shot("S", contacts=[]))[-1], turn=N, due="0+1:world-12", owed="1 0")


@pytest.mark.clause("world-17")
def test_the_table_is_told_a_striker_that_left_one_line_has_left_them() -> None:
    assert expected_next(start("world")).still_on_lines == 2
