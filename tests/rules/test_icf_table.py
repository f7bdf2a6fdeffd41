"""Every row of the outcome table of the international laws, played through the public interface."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import pytest

from tests.rules.icf_rows import EARLY, ROWS
from tests.rules.scenes import play, shot, start

FAIR: dict[str, Any] = {}
FOUL: dict[str, Any] = {"placement": {"lines": "one"}}


class Row(NamedTuple):
    name: str
    queen: str
    foul: bool
    fell: str
    own: str
    opp: str
    then: list[str]
    laws: list[str]


def rows() -> Iterator[Row]:
    for line in ROWS.strip().splitlines():
        when, _, rest = line.partition(" => ")
        then, sure, laws = rest.split(":")
        name, queen, stroke, fell, own, opp = when.split()
        yield Row(name, queen, stroke == "foul", fell, own[3:], opp[3:], then.split(), laws.split())
        assert sure.strip() in ("law", "two laws", "gap")


class State(NamedTuple):
    """Pieces that fall and that are left after it, and both sides' scores."""

    queen: bool
    striker: bool
    n: int
    m: int
    a: int
    b: int
    score: int


def states(row: Row) -> Iterator[State]:
    tokens = [] if row.fell == "none" else row.fell.split("+")
    ns = [0, 1, 2] if "w?" in tokens else [1, 2] if "w" in tokens else [0]
    ms = [0, 1, 2] if "b?" in tokens else [1, 2] if "b" in tokens else [0]
    left = {"=0": [0], ">0": [1, 7], "": [1, 5]}
    scores = [21, 22] if row.then[0] == "end" else [3]
    for n, m, a, b, score in product(ns, ms, left[row.own], left[row.opp], scores):
        most = 8 if "q" in tokens else 9
        if 1 <= a + n <= most and 1 <= b + m <= 9:
            yield State("q" in tokens, "s" in tokens, n, m, a, b, score)


CASES = [
    pytest.param(
        row,
        state,
        id=f"{row.name} {'-'.join(map(str, state))}",
        marks=[pytest.mark.clause(f"icf-{law}") for law in row.laws],
    )
    for row in rows()
    for state in states(row)
]


def position(row: Row, state: State) -> dict[str, Any]:
    queen = {"on": "board", "pend": "pending", "own": "covered", "opp": "covered"}[row.queen]
    at = {
        "left": {"white": state.a + state.n, "black": state.b + state.m},
        "queen": queen,
        "turn": "south",
        "score": {"south": state.score, "north": state.score},
        "break_done": True,
    }
    if queen != "board":
        at["queen_side"] = "north" if row.queen == "opp" else "south"
    return at


def stroke(row: Row, state: State) -> dict[str, Any]:
    fell = ["Q"] * state.queen + ["S"] * state.striker + ["W"] * state.n + ["B"] * state.m
    return shot(" ".join(fell), **(FOUL if row.foul else FAIR))


@pytest.mark.parametrize(("row", "state"), CASES)
def test_every_row_of_the_table(row: Row, state: State) -> None:
    ruling = play(start("icf", position=position(row, state)), stroke(row, state))[-1]
    assert "error" not in ruling
    if row.then[0] == "end":
        expect_end(row, state, ruling)
    else:
        expect_play(row, state, ruling)
    assert {f"icf-{law}" for law in row.laws} <= set(ruling["cites"])
    assert [foul["clause"] for foul in ruling["fouls"]] == (["icf-130a"] if row.foul else [])


def expect_play(row: Row, state: State, ruling: dict[str, Any]) -> None:
    turn, _, queen, _, out = row.then
    back = state.n if out.startswith("n") else 0
    new = int(out.rpartition("+")[2] or 0) if out != "n" else 0
    before = 9 - (state.a + state.n)
    in_pockets = before + state.n - back
    paid = min(in_pockets, new)
    assert ruling["turn"] == ("south" if turn == "keep" else "north")
    assert ruling["turn_kept"] == (turn == "keep")
    after = {"on": "board", "ret": "board", "pend": "pending", "own": "covered", "opp": "covered"}[queen]
    assert ruling["queen"] == after
    side = {"on": None, "ret": None, "pend": "south", "own": "south", "opp": "north"}[queen]
    assert ruling["queen_side"] == side
    assert ruling["left"] == {"white": state.a + back + paid, "black": state.b, "queen": int(after == "board")}
    assert ruling["in_hand"] == {"south": in_pockets - paid, "north": 9 - state.b}
    assert ruling["owed"] == {"south": new - paid, "north": 0}
    assert sum(one["piece"] == "white" for one in ruling["returned"]) == back
    assert sum(one["piece"] == "queen" for one in ruling["returned"]) == (queen == "ret")
    assert sum(due["pieces"] + due["owed"] for due in ruling["dues"]) == new
    whys = {one["why"] for one in (*ruling["returned"], *ruling["dues"])}
    assert whys <= {f"icf-{law}" for law in row.laws}
    assert not ruling["board"]["over"]
    assert ruling["score"] == {"south": state.score, "north": state.score}


def expect_end(row: Row, state: State, ruling: dict[str, Any]) -> None:
    _, who, points, _, demand = row.then
    winner = "south" if who == "striker" else "north"
    below, _, above = points.partition("|")
    # from 22 on the queen adds nothing: «own+3|0» is own alone, «3|1» is 1
    worthless = above if "+" not in below else below.replace("+3", "+0")
    words = worthless if state.score >= 22 and above else below
    value = sum(
        {"own": state.a, "opp": state.b}.get(word) or (int(word) if word.isdigit() else 0) for word in words.split("+")
    )
    board = ruling["board"]
    assert (board["over"], board["winner"], board["points"]) == (True, winner, value)
    assert board["on_demand"] == min(int(demand), 12 - value)
    assert ruling["score"][winner] == state.score + value
    assert ruling["turn_kept"] is None
    assert ruling["returned"] == []
    assert ruling["dues"] == []
    assert ruling["owed"] == {"south": 0, "north": 0}
    assert (ruling["left"]["white"], ruling["left"]["black"]) == (state.a, state.b)


def early() -> Iterator[Any]:
    for line in EARLY.strip().splitlines():
        name, _, had, owes, stroke_, fell, _, turn, queen, _, back, _, new, _, *laws = line.split()
        for earlier in [False, True] if had == "any" else [had == "had-some"]:
            marks = [pytest.mark.clause(f"icf-{law}") for law in laws]
            expected = (turn, queen, int(back), int(new), laws)
            yield pytest.param(
                earlier, int(owes[4:]), stroke_, fell, expected, id=f"{name} {earlier} {owes} {fell}", marks=marks
            )


@pytest.mark.parametrize(("had", "owes", "stroke_", "fell", "expected"), list(early()))
def test_queen_too_early(had: bool, owes: int, stroke_: str, fell: str, expected: Any) -> None:
    turn, queen, back, new, laws = expected
    count = {token[0]: int(token[1:] or 1) for token in fell.split("+")}
    n, m = count.get("w", 0), count.get("b", 0)
    at = {"had_pocketed": {"south": had}, "owed": {"south": owes}, "break_done": True}
    words = ["Q"] + ["S"] * ("s" in count) + ["W"] * n + ["B"] * m
    ruling = play(start("icf", position=at), shot(" ".join(words), **(FOUL if stroke_ == "foul" else FAIR)))[-1]
    debts = owes + new
    paid = min(n - back, debts)
    assert ruling["turn"] == ("south" if turn == "keep" else "north")
    assert ruling["queen"] == {"ret": "board", "pend": "pending", "own": "covered"}[queen]
    assert ruling["left"] == {"white": 9 - n + back + paid, "black": 9 - m, "queen": int(queen == "ret")}
    assert ruling["owed"]["south"] == debts - paid
    assert sum(one["piece"] == "white" for one in ruling["returned"]) == back
    assert {f"icf-{law}" for law in laws} <= set(ruling["cites"])


@pytest.mark.parametrize("score", [0, 21, 22])
@pytest.mark.parametrize("foul", [False, True])
@pytest.mark.parametrize("striker", [False, True])
@pytest.mark.clause("icf-106a")
@pytest.mark.clause("icf-106b")
def test_queen_too_early_with_the_opponents_last_piece(score: int, foul: bool, striker: bool) -> None:
    at = {"left": {"black": 1}, "score": {"south": score, "north": score}, "owed": {"south": 0}}
    ruling = play(start("icf", position=at), shot("Q B" + " S" * striker, **(FOUL if foul else FAIR)))[-1]
    points = 9 + (3 if score < 22 else 0)
    assert ruling["board"]["winner"] == "north"
    assert ruling["board"]["points"] == points
    assert ruling["board"]["on_demand"] == min(foul + striker, 12 - points)


@pytest.mark.clause("icf-105a")
@pytest.mark.clause("icf-105b")
@pytest.mark.parametrize("foul", [False, True])
def test_queen_while_owing_with_both_last_pieces(foul: bool) -> None:
    at = {"left": {"white": 1, "black": 1}, "owed": {"south": 1}}
    ruling = play(start("icf", position=at), shot("Q W B", **(FOUL if foul else FAIR)))[-1]
    assert (ruling["board"]["winner"], ruling["board"]["points"]) == ("north", 3)
    assert ruling["board"]["on_demand"] == int(foul)


@pytest.mark.clause("icf-97a")
def test_all_nine_and_the_queen_in_one_stroke_is_won_as_any_last_piece() -> None:
    ruling = play(start("icf"), shot("W W W W W W W W W Q"))[-1]
    assert (ruling["board"]["winner"], ruling["board"]["points"]) == ("south", 12)
    assert "white slam" in ruling["notes"]
