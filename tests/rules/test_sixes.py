"""Six and six, read like the rulebook: position, stroke, what follows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.scenes import BOOKS, play, proves, row, says, scene, shot, start
from tests.rules.test_every_combination import IMPROPER, combinations

S, N = "south", "north"
BACK = shot("", heading="backward")


def fine(clause: str) -> str:
    return f"1+0:sixes-{clause}"


TABLE = [
    # pieces
    row("sixes-11", "4 3", "W", turn=S, left="3 3 1"),
    row("sixes-11", "4 3", "", turn=N, left="4 3 1"),
    row("sixes-11", "4 3", "B", turn=N, left="4 2 1"),
    row("sixes-11", "4 3", "W B", turn=S, left="3 2 1"),
    row("sixes-11", "4 3 theirs", "W B", turn=S, left="3 2 0"),
    # the striker
    row("sixes-5", "4 3", "S", turn=N, fouls="sixes-5", due=fine("5"), left="5 3 1"),
    row("sixes-5", "6 3", "S", turn=N, fouls="sixes-5", left="6 3 1", owed="0 0"),
    row("sixes-6 sixes-12", "4 3", "S W", turn=S, fouls="sixes-6", back="white:sixes-6", due=fine("6"), left="5 3 1"),
    row("sixes-6", "6 3", "S W", turn=S, fouls="sixes-6", back="white:sixes-6", left="6 3 1", owed="0 0"),
    row("sixes-6", "1 3", "S W", turn=S, fouls="sixes-6", back="white:sixes-6", due=fine("6"), left="2 3 1"),
    row("sixes-6", "1 3 mine", "S W", turn=S, fouls="sixes-6", back="white:sixes-6", due=fine("6"), left="2 3 0"),
    row("sixes-7", "4 3", "S B", turn=N, fouls="sixes-7", due=fine("7"), left="5 2 1"),
    row("sixes-7", "4 3 mine", "S B", turn=N, fouls="sixes-7", due=fine("7"), left="5 2 0"),
    row("sixes-8", "4 1", "S B", turn=N, fouls="sixes-8", back="black:sixes-8", due=fine("8"), left="5 1 1"),
    row("sixes-8", "4 1 theirs", "S B", turn=N, fouls="sixes-8", back="black:sixes-8", due=fine("8"), left="5 1 0"),
    row("sixes-8", "4 2", "S B B", turn=N, fouls="sixes-8", back="black:sixes-8", due=fine("8"), left="5 1 1"),
    row("sixes-6 sixes-7", "4 3", "S W B", turn=S, fouls="sixes-6", back="white:sixes-6", due=fine("6"), left="5 2 1"),
    row(
        "sixes-6 sixes-8",
        "4 1",
        "S W B",
        turn=S,
        fouls="sixes-6",
        back="white:sixes-6 black:sixes-8",
        due=fine("6"),
        left="5 1 1",
    ),
    # the queen
    row("sixes-16", "4 3", "Q", turn=S, queen="pending south"),
    row("sixes-19 sixes-16", "6 3", "Q", turn=N, queen="board", back="queen:sixes-19"),
    row("sixes-20", "4 3", "Q W", turn=S, queen="covered south", left="3 3 0"),
    row("sixes-20", "6 3", "Q W", turn=S, queen="covered south", left="5 3 0"),
    row("sixes-26 sixes-20", "2 3", "Q W", turn=S, queen="covered south", left="1 3 0"),
    row("sixes-21", "4 3", "Q B", turn=N, fouls="sixes-21", back="queen:sixes-21", due=fine("21"), left="5 2 1"),
    row("sixes-21", "6 3", "Q B", turn=N, fouls="sixes-21", back="queen:sixes-21", left="6 2 1", owed="0 0"),
    row(
        "sixes-21 sixes-20",
        "4 3",
        "Q W B",
        turn=S,
        fouls="sixes-21",
        queen="covered south",
        due=fine("21"),
        left="4 2 0",
    ),
    row("sixes-21", "6 3", "Q W B", turn=S, fouls="sixes-21", queen="covered south", due=fine("21"), left="6 2 0"),
    row("sixes-18", "4 3", "Q S", turn=N, fouls="sixes-18", back="queen:sixes-18", due=fine("18"), left="5 3 1"),
    row(
        "sixes-18 sixes-7",
        "4 3",
        "Q S B",
        turn=N,
        fouls="sixes-18",
        back="queen:sixes-18",
        due=fine("18"),
        left="5 2 1",
    ),
    row(
        "sixes-18 sixes-8",
        "4 1",
        "Q S B",
        turn=N,
        fouls="sixes-18",
        back="queen:sixes-18 black:sixes-8",
        due=fine("18"),
        left="5 1 1",
    ),
    row(
        "sixes-18 sixes-12",
        "4 3",
        "Q S W",
        turn=S,
        fouls="sixes-18",
        back="queen:sixes-18 white:sixes-18",
        due=fine("18"),
        left="5 3 1",
    ),
    # the cover stroke
    row("sixes-11", "4 3 pending", "W", turn=S, queen="covered south"),
    row("sixes-17", "4 3 pending", "", turn=N, queen="board", back="queen:sixes-17"),
    row(
        "sixes-9 sixes-17",
        "4 3 pending",
        "B",
        turn=N,
        fouls="sixes-9",
        back="queen:sixes-9",
        due=fine("9"),
        left="5 2 1",
    ),
    row("sixes-9", "4 3 pending", "W B", turn=S, fouls="sixes-9", queen="covered south", due=fine("9"), left="4 2 0"),
    row(
        "sixes-10",
        "4 1 pending",
        "B",
        turn=N,
        fouls="sixes-10",
        back="queen:sixes-10 black:sixes-10",
        due=fine("10"),
        left="5 1 1",
    ),
    row(
        "sixes-10",
        "4 1 pending",
        "W B",
        turn=N,
        fouls="sixes-10",
        back="queen:sixes-10 white:sixes-10 black:sixes-10",
        due=fine("10"),
        left="5 1 1",
    ),
    row("sixes-22", "4 3 pending", "S", turn=N, fouls="sixes-22", back="queen:sixes-22", due=fine("22"), left="5 3 1"),
    row(
        "sixes-22 sixes-7",
        "4 3 pending",
        "S B",
        turn=N,
        fouls="sixes-22",
        back="queen:sixes-22",
        due=fine("22"),
        left="5 2 1",
    ),
    row(
        "sixes-23", "4 3 pending", "S W", turn=S, fouls="sixes-23", queen="pending south", due=fine("23"), left="4 3 0"
    ),
    row(
        "sixes-23", "1 3 pending", "S W", turn=S, fouls="sixes-23", queen="pending south", due=fine("23"), left="1 3 0"
    ),
    row(
        "sixes-23 sixes-7",
        "4 3 pending",
        "S W B",
        turn=S,
        fouls="sixes-23",
        queen="pending south",
        due=fine("23"),
        left="4 2 0",
    ),
    # a stroke behind the line
    row("sixes-4", "4 3", BACK, turn=N, fouls="sixes-4", due=fine("4"), left="5 3 1"),
    row(
        "sixes-4",
        "4 3",
        shot("W", heading="backward"),
        turn=N,
        fouls="sixes-4",
        back="white:sixes-4",
        due=fine("4"),
        left="5 3 1",
    ),
    row(
        "sixes-4",
        "4 3 pending",
        shot("S W", heading="backward"),
        turn=N,
        fouls="sixes-4",
        back="queen:sixes-4 white:sixes-4",
        due=fine("4"),
        left="5 3 1",
    ),
    row(
        "sixes-4 sixes-8",
        "4 1",
        shot("B", heading="backward"),
        turn=N,
        fouls="sixes-4",
        back="black:sixes-8",
        due=fine("4"),
        left="5 1 1",
    ),
    # the end of the game
    row("sixes-14", "1 3 mine", "W", turn=None, end="south 0 sixes-14", score="1 0", winner=S),
    row("sixes-14", "1 3 theirs", "W", turn=None, end="south 0 sixes-14"),
    row("sixes-14", "1 3 pending", "W", turn=None, end="south 0 sixes-14", queen="covered south"),
    row("sixes-14 sixes-20", "1 3", "Q W", turn=None, end="south 0 sixes-14"),
    row("sixes-13", "1 3", "W", turn=None, end="north 0 sixes-13", score="0 1", winner=N),
    row("sixes-13", "4 1", "B", turn=None, end="north 0 sixes-13"),
    row("sixes-13", "4 1", "W B", turn=None, end="north 0 sixes-13"),
    row("sixes-13", "4 1 mine", "B", turn=None, end="north 0 sixes-13"),
    row("sixes-14", "1 1 mine", "W B", turn=None, end="south 0 sixes-14"),
    row("sixes-13", "1 1", "W B", turn=None, end="north 0 sixes-13"),
    row("sixes-24", "1 3 pending", "W B", turn=None, end="south 0 sixes-24"),
    row("sixes-24", "1 1 pending", "W B", turn=None, end="south 0 sixes-24"),
    row("sixes-24", "1 1", "Q W B", turn=None, end="south 0 sixes-24"),
    row("sixes-25", "4 1", "Q B", turn=None, end="north 0 sixes-25"),
    row("sixes-25", "4 1", "Q W B", turn=None, end="north 0 sixes-25"),
]


@pytest.mark.parametrize(("clauses", "at", "stroke", "expected"), TABLE)
def test_stroke(clauses: list[str], at: str, stroke: Any, expected: dict[str, Any]) -> None:
    proves("sixes", clauses, at, stroke, expected)


@pytest.mark.clause("sixes-19")
def test_the_message_about_the_queen_too_early() -> None:
    assert any("before the queen" in note for note in scene("sixes", "6 3", "Q")["notes"])


@pytest.mark.clause("sixes-16")
def test_a_hand_emptied_by_fines_does_not_open_the_queen() -> None:
    rulings = play(start("sixes"), shot("W"), shot("S"), shot("", N), shot("Q"))
    says(rulings[2], turn=N, fouls="sixes-5", due=fine("5"), left="6 6 1")
    says(rulings[4], turn=N, back="queen:sixes-19")


@pytest.mark.clause("sixes-15")
def test_three_turns_missed_in_a_row() -> None:
    out, other = {"event": "timeout", "seat": S}, shot("", N)
    rulings = play(start("sixes"), out, other, out, other, out)
    assert [r["turn"] for r in rulings] == [S, N, S, N, S, None]
    assert rulings[-1]["winner"] == N
    assert rulings[-1]["match_over"]
    assert rulings[-1]["score"] == {S: 0, N: 1}
    assert "sixes-15" in rulings[-1]["cites"]
    reset = play(start("sixes"), out, other, out, other, shot(""), other, out)
    says(reset[-1], turn=N)
    off = play(start("sixes", autonomy={"sixes-15": "off"}), out, other, out, other, out)
    assert not off[-1]["match_over"]


def test_a_missed_cover_stroke_puts_the_queen_back() -> None:
    ruling = scene("sixes", "4 3 pending", {"event": "timeout", "seat": S})
    says(ruling, turn=N, queen="board", back="queen:sixes-17")


@pytest.mark.clause("sixes-1")
def test_six_and_six_and_the_queen() -> None:
    assert play(start("sixes"))[0]["left"] == {"white": 6, "black": 6, "queen": 1}
    wrong = {"event": "seen", "what": "wrong_rack", "at": [0, 0]}
    assert "sixes-1" in play(start("sixes"), wrong, shot("W"))[-1]["error"]
    assert "error" not in play(start("sixes", autonomy={"sixes-1": "off"}), wrong, shot("W"))[-1]


def test_drops_from_the_rim_count_for_the_owner_and_lose_nothing() -> None:
    rim = {"event": "drop", "piece": "black", "pocket": "NE", "on_rim": True}
    says(play(start("sixes", "4 3"), rim)[-1], turn=S, left="4 2 1")
    says(play(start("sixes", "4 1"), rim)[-1], turn=S, back="black:sixes-27", left="4 1 1")
    says(play(start("sixes", "4 1 mine"), rim)[-1], turn=None, end="north 0 sixes-14")


@pytest.mark.clause("sixes-3")
def test_who_is_white_is_said_at_once() -> None:
    begin = play(start("sixes"))[0]
    assert "sixes-3" in begin["cites"]
    assert "sixes-3" not in play(start("sixes", autonomy={"sixes-3": "off"}))[0]["cites"]


@pytest.mark.clause("sixes-5")
def test_a_called_foul_with_an_empty_hand_is_waived_too() -> None:
    called = play(start("sixes"), shot(""), {"event": "call", "clause": "sixes-4", "seat": N})[-1]
    says(called, turn=S, fouls="sixes-4", owed="0 0", left="6 6 1")


ALONE = "without an own piece "
"""How a part of a sentence begins that is said of a stroke with no own piece in it."""


def claims(part: str, ruling: dict[str, Any], before: str, fell: list[str]) -> dict[str, bool]:
    """What a part of a clause's sentence says of the ruling that it stands in, each with whether it is so."""
    kept, back = ruling["turn_kept"], [one["piece"] for one in ruling["returned"]]
    fined = bool(ruling["dues"]) or any("waived" in note for note in ruling["notes"])
    return {
        "turn lost": kept is False,
        "the turn is lost": kept is False,
        "it passes": kept is False or bool(fell),
        "the turn is kept": kept is True,
        "keep the turn unless a foul takes it": kept is True or "W" not in fell or bool(ruling["fouls"]),
        "goes back": "queen" in back,
        "not covered": before in ("board", "pending"),
        "covered,": ruling["queen"] == "covered",
        "a fine": fined,
        "striker": "S" in fell,
        "queen and": "Q" in fell,
        "queen and own": "W" in fell,
        "cover stroke": before == "pending",
        "it comes back": "black" in back,
        "the pieces of the stroke come back": back.count("white") + back.count("black") == len(fell),
        "a fouled stroke": bool(ruling["fouls"]),
    }


def test_every_sentence_is_true_of_the_ruling_that_it_stands_in() -> None:
    clauses, told = BOOKS["sixes"].clauses, set()
    for white, black, before, pieces, improper in combinations("sixes"):
        fell = pieces.split()
        ruling = scene("sixes", f"{white} {black} {before}", shot(pieces, **(IMPROPER if improper else {})))
        for clause in ruling["cites"]:
            for part in clauses[clause].says.split("; "):
                if part.startswith(ALONE) and "W" in fell:
                    continue
                for words, true in claims(part, ruling, before, fell).items():
                    if words in part and not ruling["board"]["over"]:
                        told.add(words)
                        assert true, f"{clause}: {part!r} of {white} {black} {before}: {pieces} {improper}: {ruling}"
    assert len(told) > 10
