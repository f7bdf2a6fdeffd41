"""The 25-point guide, read like the rulebook: position, stroke, what follows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.scenes import play, proves, row, says, scene, shot, start

S, N = "south", "north"
DUE = "1+0:classic-11"

TABLE = [
    row("classic-5", "5 4", "W", turn=S, left="4 4 1"),
    row("classic-5", "5 4", "", turn=N, left="5 4 1"),
    row("classic-6", "5 4", "B", turn=N, left="5 3 1"),
    row("classic-7", "5 4", "W B", turn=S, left="4 3 1"),
    # the queen
    row("classic-9", "5 4", "Q", turn=S, queen="pending south"),
    row("classic-9", "5 4", "Q W", turn=S, queen="covered south", left="4 4 0"),
    row("classic-9", "5 4", "Q@NE W@NE", turn=S, queen="covered south"),
    row("classic-9", "9 4", "Q W", turn=S, queen="covered south"),
    row("classic-9 classic-6", "5 4", "Q B", turn=S, queen="pending south", left="5 3 0"),
    row("classic-9", "5 4", "Q W B", turn=S, queen="covered south", left="4 3 0"),
    row("classic-8", "9 4", "Q", turn=N, fouls="classic-8", back="queen:classic-10", due="0+1:classic-11", owed="1 0"),
    row(
        "classic-8",
        "9 4",
        "Q B",
        turn=N,
        fouls="classic-8",
        back="queen:classic-10",
        due="0+1:classic-11",
        left="9 3 1",
    ),
    row("classic-9", "5 4 pending", "W", turn=S, queen="covered south"),
    row("classic-9", "5 4 pending", "W B", turn=S, queen="covered south", left="4 3 0"),
    row("classic-10", "5 4 pending", "", turn=N, back="queen:classic-10", queen="board"),
    row("classic-10", "5 4 pending", "B", turn=N, back="queen:classic-10", left="5 3 1"),
    # fouls
    row("classic-11 classic-12", "5 4", "S", turn=N, fouls="classic-12", due=DUE, left="6 4 1"),
    row("classic-13", "5 4", "S W", turn=N, fouls="classic-12", back="white:classic-13", due=DUE, left="6 4 1"),
    row("classic-12", "5 4", "S B", turn=N, fouls="classic-12", due=DUE, left="6 3 1"),
    row("classic-12", "5 4", "S Q", turn=N, fouls="classic-12", back="queen:classic-10", due=DUE, left="6 4 1"),
    row(
        "classic-12",
        "5 4 pending",
        "S W",
        turn=N,
        fouls="classic-12",
        back="queen:classic-10 white:classic-13",
        due=DUE,
        left="6 4 1",
    ),
    row("classic-12", "1 4 mine", "S W", turn=N, fouls="classic-12", back="white:classic-13", due=DUE, left="2 4 0"),
    row("classic-4", "5 4", shot("", placement={"lines": "one"}), turn=N, fouls="classic-4", due=DUE),
    row(
        "classic-4",
        "5 4",
        shot("W", placement={"circle": "covered"}),
        turn=N,
        fouls="classic-4",
        back="white:classic-4",
        due=DUE,
    ),
    row("", "5 4", shot("", placement={"circle": "partial", "arrow": True, "touching": True}), turn=N),
    row("classic-14", "5 4", shot("", off_board=["striker"]), turn=N, fouls="classic-14", due=DUE),
    row(
        "classic-14",
        "5 4",
        shot("W", off_board=["black"]),
        turn=N,
        fouls="classic-14",
        back="black:classic-14 white:classic-14",
        due=DUE,
        left="6 4 1",
    ),
    row(
        "classic-14",
        "5 4",
        shot("S", off_board=["black"]),
        turn=N,
        fouls="classic-14 classic-12",
        back="black:classic-14",
        due=DUE,
    ),
    # the end of a board
    row("classic-17 classic-20 classic-1", "1 4 mine", "W", turn=N, end="south 7 classic-17", score="7 0"),
    row("classic-17", "1 9 mine", "W", turn=N, end="south 12 classic-17"),
    row("classic-17 classic-9", "1 4 pending", "W", turn=N, end="south 7 classic-17"),
    row("classic-19", "1 4", "Q W", turn=N, end="south 7 classic-17", cites="classic-19"),
    row("classic-18", "1 4 theirs", "W", turn=N, end="north 3 classic-18"),
    row("classic-22", "1 4", "W", turn=N, end="north 7 classic-22"),
    row("classic-22", "1 9", "W", turn=N, end="north 12 classic-22"),
    row("classic-23 classic-18", "5 1 mine", "B", turn=N, end="south 3 classic-18"),
    row("classic-23", "5 1 theirs", "B", turn=N, end="north 8 classic-23"),
    row("classic-23", "5 1", "B", turn=N, end="north 3 classic-23"),
    row("classic-23", "5 1", "W B", turn=N, end="north 3 classic-23"),
    row("classic-23", "5 1 pending", "B", turn=N, end="north 3 classic-23"),
    row("classic-18", "5 1 pending", "W B", turn=N, end="south 3 classic-18"),
    row("classic-23", "5 1", "Q B", turn=N, end="north 3 classic-23"),
    row("classic-18", "5 1", "Q W B", turn=N, end="south 3 classic-18"),
    row("classic-17", "1 1 mine", "W B", turn=N, end="south 3 classic-17"),
    row("classic-18", "1 1 theirs", "W B", turn=N, end="north 3 classic-18"),
    row("classic-22", "1 1", "W B", turn=N, end="north 3 classic-22"),
    row("classic-23", "5 1", "S B", turn=N, fouls="classic-12", end="north 3 classic-23"),
    row("classic-23", "5 1 mine", "S W B", turn=N, fouls="classic-12", end="north 5 classic-23"),
    row("classic-23", "5 1 theirs", "S B", turn=N, fouls="classic-12", end="north 8 classic-23"),
]


@pytest.mark.parametrize(("clauses", "at", "stroke", "expected"), TABLE)
def test_stroke(clauses: list[str], at: str, stroke: Any, expected: dict[str, Any]) -> None:
    proves("classic", clauses, at, stroke, expected)


@pytest.mark.clause("classic-11")
def test_an_owed_piece_is_paid_with_the_next_one_pocketed() -> None:
    rulings = play(start("classic"), shot("S"), shot("", N), shot("W W"))
    says(rulings[1], turn=N, fouls="classic-12", due="0+1:classic-11")
    says(rulings[3], turn=S, due="1+0:classic-11", left="8 9 1", hand="1 0", owed="0 0")


@pytest.mark.clause("classic-3")
def test_the_first_stroke_is_the_break_whatever_it_does() -> None:
    rulings = play(start("classic"), shot("", contacts=[]), shot("", N))
    says(rulings[1], turn=N, cites="classic-3")
    assert "classic-3" not in rulings[2]["cites"]


@pytest.mark.clause("classic-20")
def test_a_game_goes_to_twenty_five() -> None:
    ruling = scene("classic", "1 4 mine", "W", position={"score": {"south": 18}})
    says(ruling, turn=None, end="south 7 classic-17", winner=S, cites="classic-20")
    assert not scene("classic", "1 4 mine", "W", position={"score": {"south": 17}})["match_over"]


@pytest.mark.clause("classic-15")
@pytest.mark.parametrize("flag", ["elbow", "chair"])
def test_elbow_and_chair(flag: str) -> None:
    _flag("classic-15", flag)


@pytest.mark.clause("classic-16")
def test_a_hand_that_touches_a_piece() -> None:
    _flag("classic-16", "hand_touched_piece")


def _flag(clause: str, flag: str) -> None:
    begin, stroke = start("classic", "5 4"), shot("W", flags=[flag])
    says(play(begin, stroke)[-1], turn=S, fouls=f"{clause}?", left="4 4 1")
    confirmed = play(begin, stroke, {"event": "call", "clause": clause, "seat": S})[-1]
    says(confirmed, turn=N, fouls=clause, back=f"white:{clause}", due=DUE, left="6 4 1")
    says(play(start("classic", "5 4", autonomy={clause: "off"}), stroke)[-1], turn=S)


@pytest.mark.clause("classic-2")
def test_a_wrong_rack_keeps_the_board_from_starting() -> None:
    wrong = {"event": "seen", "what": "wrong_rack", "at": [0, 0]}
    seen, refused = play(start("classic"), wrong, shot("W"))[1:]
    assert "classic-2" in seen["cites"]
    assert "classic-2" in refused["error"]
    assert "error" not in play(start("classic", autonomy={"classic-2": "off"}), wrong, shot("W"))[-1]


@pytest.mark.clause("classic-21")
def test_a_piece_on_edge_stays() -> None:
    upright = {"event": "seen", "what": "upright", "at": [100, 100]}
    ruling = play(start("classic", "5 4"), upright)[-1]
    says(ruling, turn=S, left="5 4 1", cites="classic-21")
    assert "classic-21" not in play(start("classic", "5 4", autonomy={"classic-21": "off"}), upright)[-1]["cites"]


@pytest.mark.clause("classic-20")
def test_a_board_never_gives_more_than_twelve() -> None:
    says(scene("classic", "1 9", "W", policy={"last_piece_points": 5}), turn=N, end="north 12 classic-22")
