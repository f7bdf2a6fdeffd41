"""Family and point carrom: everybody for himself, any colour, points at once; the tie-break board of point carrom."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.scenes import play, says, shot, start

S, N, W, E = "south", "north", "west", "east"


def table(
    book: str, *strokes: dict[str, Any], left: str = "", hand: dict[str, list[str]] | None = None, **more: Any
) -> Any:
    """Plays strokes from a position: `left` is "white black [queen state]", `hand` who has pocketed what."""
    worth = {"world-family": {"black": 5, "white": 10}, "world-point": {"black": 1, "white": 1}}[book]
    hands = hand or {}
    scores = {seat: sum(worth[p] for p in pieces) for seat, pieces in hands.items()}
    extra = {"in_hand": hands, "score": scores} if hands else {}
    position = more.pop("position", {})
    begin = start(book, left or "9 9", position={**extra, **position}, **more)
    return play(begin, *strokes)[-1]


FAMILY = [
    ("world-19", "W", {"turn": S, "score": "10 0", "hand": "1 0"}),
    ("world-19", "B", {"turn": S, "score": "5 0"}),
    ("world-25 world-19", "W B B", {"turn": S, "score": "20 0", "left": "8 7 1"}),
    ("", "", {"turn": N, "score": "0 0"}),
    ("world-6", "Q", {"turn": N, "back": "queen:world-6", "score": "0 0"}),
    ("world-20 world-19", "Q W", {"turn": S, "queen": "covered south", "score": "35 0", "left": "8 9 0"}),
    ("world-12", "S", {"turn": N, "due": "0+1:world-12", "owed": "1 0"}),
    ("world-12", "S W", {"turn": S, "back": "white:world-12", "due": "0+1:world-12", "score": "0 0"}),
]


@pytest.mark.parametrize(
    ("clauses", "stroke", "expected"),
    [pytest.param(c, s, e, id=s or "nothing", marks=[pytest.mark.clause(x) for x in c.split()]) for c, s, e in FAMILY],
)
def test_family_stroke(clauses: str, stroke: str, expected: dict[str, Any]) -> None:
    event = shot(stroke)
    says(table("world-family", event), **expected)
    for clause in clauses.split():
        assert table("world-family", event, autonomy={clause: "off"}) != table("world-family", event)


MINE = {"south": ["white", "black"]}


@pytest.mark.clause("world-20")
def test_family_queen_alone_goes_back() -> None:
    says(table("world-family", shot("Q"), left="8 8", hand=MINE), turn=N, back="queen:world-20", score="15 0")


@pytest.mark.clause("world-20")
def test_family_the_last_queen_needs_no_cover() -> None:
    ruling = table("world-family", shot("Q"), left="0 0", hand=MINE)
    says(ruling, turn=None, end="south 0 world-21", score="40 0", winner=S)


@pytest.mark.clause("world-21")
def test_family_a_due_is_the_last_piece_and_takes_its_points() -> None:
    ruling = table("world-family", shot("S"), left="8 8", hand=MINE)
    says(ruling, turn=N, due="1+0:world-12", score="10 0", left="8 9 1", hand="1 0")
    owed = table("world-family", shot("W"), left="9 9", position={"owed": {"south": 1}})
    says(owed, turn=S, due="1+0:world-13", score="0 0", left="9 9 1", owed="0 0")


@pytest.mark.clause("world-21")
def test_family_most_points_win_when_the_board_is_cleared() -> None:
    hands = {"south": ["white"], "north": ["white", "white"]}
    ruling = table("world-family", shot("B"), left="0 1 theirs", hand=hands)
    says(ruling, turn=None, end="north 0 world-21", winner=N, score="15 20")
    level = table("world-family", shot("W"), left="1 0 theirs", hand=hands)
    says(level, turn=None, end="drawn 0 world-21", winner=None, score="20 20")
    off = table("world-family", shot("B"), left="0 1 theirs", hand=hands, autonomy={"world-21": "off"})
    assert not off["board"]["over"]


@pytest.mark.clause("world-20")
def test_family_queen_and_piece_with_the_striker() -> None:
    ruling = table("world-family", shot("Q W S"), left="8 8", hand=MINE)
    says(ruling, turn=S, back="queen:world-7 white:world-12", due="1+0:world-12", score="10 0", left="8 9 1")


@pytest.mark.clause("world-3")
def test_family_shooting_is_as_in_the_simple_game() -> None:
    ruling = table("world-family", shot("W", placement={"lines": "one"}), left="8 8", hand=MINE)
    says(ruling, turn=N, fouls="world-3", back="white:world-3", due="1+0:world-3", score="10 0")


@pytest.mark.clause("world-19")
def test_three_players_each_for_himself_clockwise() -> None:
    begin = {
        "event": "start",
        "book": "world-family",
        "seats": {"south": "A", "west": "B", "east": "C"},
        "first": "south",
    }
    rulings = play(begin, shot(""), shot("", W), shot("", E))
    assert [r["turn"] for r in rulings] == [S, W, E, S]
    assert set(rulings[0]["score"]) == {S, W, E}


# -- point carrom --------

POINT = [
    ("world-22", "W", {"turn": S, "score": "1 0"}),
    ("world-22", "B B", {"turn": S, "score": "2 0"}),
    ("world-22", "Q W", {"turn": S, "score": "4 0", "queen": "covered south"}),
    ("world-6", "Q", {"turn": N, "back": "queen:world-6"}),
]


@pytest.mark.parametrize(
    ("clauses", "stroke", "expected"),
    [pytest.param(c, s, e, id=s, marks=[pytest.mark.clause(x) for x in c.split()]) for c, s, e in POINT],
)
def test_point_stroke(clauses: str, stroke: str, expected: dict[str, Any]) -> None:
    event = shot(stroke)
    says(table("world-point", event), **expected)
    for clause in clauses.split():
        assert table("world-point", event, autonomy={clause: "off"}) != table("world-point", event)


@pytest.mark.clause("world-22")
def test_point_the_queen_waits_for_the_next_stroke() -> None:
    says(table("world-point", shot("Q"), left="8 8", hand=MINE), turn=S, queen="pending south", score="2 0")
    says(table("world-point", shot("B"), left="8 8 pending", hand=MINE), turn=S, queen="covered south", score="6 0")
    says(table("world-point", shot(""), left="8 8 pending", hand=MINE), turn=N, back="queen:world-22", score="2 0")
    says(
        table("world-point", shot("S B"), left="8 8 pending", hand=MINE),
        turn=S,
        back="queen:world-7 black:world-12",
        due="1+0:world-12",
        score="1 0",
    )


@pytest.mark.clause("world-23")
def test_point_twenty_one_wins_at_once() -> None:
    at = {"score": {"south": 20, "north": 3}}
    ruling = table("world-point", shot("W"), left="8 8", position=at)
    says(ruling, turn=None, end="south 0 world-23", winner=S, score="21 3")
    one_short = table("world-point", shot("W"), left="8 8", position={"score": {"south": 19, "north": 3}})
    says(one_short, turn=S, score="20 3")
    off = table("world-point", shot("W"), left="8 8", position=at, autonomy={"world-23": "off"})
    assert not off["board"]["over"]


@pytest.mark.clause("world-23")
def test_point_most_points_when_the_board_is_cleared() -> None:
    hands = {"south": ["white"], "north": ["white", "black", "black"]}
    ruling = table("world-point", shot("B"), left="0 1 theirs", hand=hands)
    says(ruling, turn=None, end="north 0 world-23", winner=N)


TIED = {"south": ["white"], "north": ["white", "black"]}


@pytest.mark.clause("world-24")
def test_point_a_tie_asks_for_colours_and_plays_a_tie_break() -> None:
    begin = start("world-point", "0 1 theirs", position={"in_hand": TIED, "score": {"south": 1, "north": 2}})
    level = play(begin, shot("B"))[-1]
    assert level["board"]["over"]
    assert level["board"]["winner"] is None
    assert level["turn"] == N
    assert not level["match_over"]
    assert "world-24" in level["cites"]
    ask = level["asks"][0]
    assert ask["choices"][:2] == ["white", "black"]
    rulings = play(begin, shot("B"), {"event": "answer", "ask": ask["ask"], "choice": "white"}, {"event": "next_board"})
    assert rulings[-1]["turn"] == N
    assert rulings[-1]["left"] == {"white": 9, "black": 9, "queen": 0}


def tie_break(stroke: dict[str, Any], at: str = "3 3 theirs", **more: Any) -> Any:
    position = {"tie_break": {"south": "white", "north": "black"}}
    return table("world-point", stroke, left=at, position=position, **more)


@pytest.mark.clause("world-24")
def test_point_tie_break_strokes() -> None:
    rebound = [{"with": "cushion", "at": [0, 355]}, {"with": "black", "at": [9, 100]}]
    says(tie_break(shot("W")), turn=S, left="2 3 0")
    says(tie_break(shot("B")), turn=N, left="3 3 0", back="black:world-24")
    says(tie_break(shot("B", contacts=rebound)), turn=S, left="3 2 0")
    says(tie_break(shot("W B")), turn=S, left="2 3 0", back="black:world-24")
    says(tie_break(shot("S")), turn=N, due="1+0:world-12", left="4 3 0")
    says(tie_break(shot("W"), "1 3 theirs"), turn=None, end="south 0 world-24", winner=S)
    says(tie_break(shot("B", contacts=rebound), "3 1 theirs"), turn=None, end="north 0 world-24", winner=N)
    off = tie_break(shot("B"), autonomy={"world-24": "off"})
    assert off.get("error") or off["left"]["black"] == 2


@pytest.mark.clause("world-24")
def test_point_a_third_tied_player_plays_the_winner() -> None:
    begin = {
        "event": "start",
        "book": "world-point",
        "seats": {"south": "A", "west": "B", "east": "C"},
        "first": "south",
        "position": {
            "left": {"white": 1, "black": 0},
            "queen": "covered",
            "queen_side": "west",
            "in_hand": {"south": ["white"] * 5, "west": ["white"] * 3 + ["black"] * 3, "east": ["black"] * 6},
            "score": {"south": 5, "west": 6, "east": 6},
            "turn": "south",
        },
    }
    level = play(begin, shot("W"))[-1]
    assert level["score"] == {S: 6, W: 6, E: 6}
    assert "A" in level["asks"][0]["question"]
    clear = [shot("B", W), shot("B B B B", W), shot("B B B B", W)]
    first = [begin, shot("W"), {"event": "answer", "ask": level["asks"][0]["ask"], "choice": "white"}, *clear]
    won = play(*first)[-1]
    assert won["board"]["over"]
    assert not won["match_over"]
    assert won["asks"], "the winner and the third player choose again"
    answer = {"event": "answer", "ask": won["asks"][0]["ask"], "choice": "black"}
    turn = play(*first, answer, {"event": "next_board"})[-1]["turn"]
    colour = {W: "B", E: "W"}[turn]
    final = play(*first, answer, *[shot(" ".join([colour] * 3), turn)] * 3)[-1]
    assert final["match_over"]
    assert final["winner"] == turn
