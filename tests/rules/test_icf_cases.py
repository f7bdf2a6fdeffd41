"""The worked cases of the law sheet (13.5)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.icf_scenes import FOUL, icf, north
from tests.rules.scenes import shot

clause = pytest.mark.clause


def dues(ruling: dict[str, Any]) -> tuple[int, int]:
    return sum(one["pieces"] for one in ruling["dues"]), ruling["owed"]["south"]


@clause("icf-72a")
@clause("icf-72c")
def test_h01_striker_with_nothing_in_hand_is_owed() -> None:
    ruling = icf({}, shot("S"))[-1]
    assert (ruling["turn"], dues(ruling)) == ("north", (0, 1))
    assert "icf-72c" in ruling["cites"]


@clause("icf-78a")
def test_h02_the_debt_is_paid_at_once_and_the_turn_stays() -> None:
    ruling = icf({"owed": {"south": 1}}, shot("W"))[-1]
    assert (ruling["turn"], ruling["left"]["white"], dues(ruling)) == ("south", 9, (1, 0))
    assert ruling["dues"][0]["why"] == "icf-78a"


@clause("icf-95c")
def test_h03_the_queen_after_all_came_back_as_dues() -> None:
    rulings = icf({"owed": {"south": 1}}, shot("W"), shot("Q"))
    assert (rulings[-1]["queen"], rulings[-1]["turn"]) == ("pending", "south")


@clause("icf-95b")
def test_h04_the_queen_while_owing() -> None:
    ruling = icf({"owed": {"south": 1}}, shot("Q"))[-1]
    assert (ruling["queen"], ruling["turn"], ruling["owed"]["south"]) == ("board", "north", 1)
    assert ruling["returned"][0]["piece"] == "queen"


@clause("icf-97b")
@pytest.mark.parametrize(("fell", "queen"), [("Q W", "pending"), ("Q W W", "covered"), ("W Q", "pending")])
def test_h05_h06_the_queen_on_the_break(fell: str, queen: str) -> None:
    ruling = icf(None, shot(fell))[-1]
    assert (ruling["queen"], ruling["turn"]) == (queen, "south")


@clause("icf-95d")
def test_h07_queen_and_striker_on_the_break() -> None:
    ruling = icf(None, shot("Q S"))[-1]
    assert (ruling["queen"], ruling["turn"], dues(ruling)) == ("board", "north", (0, 1))


@clause("icf-95a")
def test_h08_queen_alone_on_the_break() -> None:
    ruling = icf(None, shot("Q"))[-1]
    assert (ruling["queen"], ruling["turn"], dues(ruling)) == ("board", "north", (0, 0))


@clause("icf-73")
@clause("icf-72c")
def test_h09_striker_and_own_with_nothing_in_hand() -> None:
    ruling = icf({}, shot("S W"))[-1]
    assert (ruling["left"]["white"], dues(ruling), ruling["turn"]) == (9, (0, 1), "south")
    assert [one["why"] for one in ruling["returned"]] == ["icf-73"]


@clause("icf-72b")
def test_h10_improper_with_the_striker_and_one_in_hand() -> None:
    ruling = icf({"left": {"white": 8}}, shot("S", **FOUL))[-1]
    assert (ruling["left"]["white"], dues(ruling), ruling["turn"]) == (9, (1, 1), "north")
    assert ruling["dues"][0] | {"within": None} == {
        "side": "south",
        "pieces": 1,
        "owed": 1,
        "why": "icf-72b",
        "within": None,
    }
    assert ruling["dues"][0]["within"] == {"centre": [0, 0], "inner_mm": 15.9, "outer_mm": 85.0}


@clause("icf-45a")
@clause("icf-45b")
def test_h11_three_tries_that_touch_nothing() -> None:
    rulings = icf(None, *[shot(contacts=[])] * 3, north("B"))
    assert [one["turn"] for one in rulings] == ["south", "south", "south", "north", "north"]
    assert "icf-45a" in rulings[1]["cites"]
    assert "icf-45b" in rulings[3]["cites"]
    assert rulings[-1]["in_hand"] == {"south": 0, "north": 1}, "the other player is still black"


@clause("icf-45b")
def test_the_other_player_has_three_tries_too() -> None:
    miss = {"contacts": [{"with": "cushion"}]}
    rulings = icf(None, *[shot(**miss)] * 3, *[north(**miss)] * 3)
    assert [one["turn"] for one in rulings[4:]] == ["north", "north", "south"]


@clause("icf-45c")
@pytest.mark.parametrize("attempt", [shot("S", contacts=[]), shot(contacts=[], **FOUL)])
def test_h12_a_try_that_touches_nothing_and_goes_wrong(attempt: dict[str, Any]) -> None:
    ruling = icf(None, attempt)[-1]
    assert (ruling["turn"], dues(ruling)) == ("north", (0, 0))
    assert "icf-45c" in ruling["cites"]


@clause("icf-44")
@pytest.mark.parametrize("touched", ["white", "black", "queen"])
def test_h13_a_break_that_touches_a_piece_is_made(touched: str) -> None:
    ruling = icf(None, shot("S", contacts=[{"with": touched}]))[-1]
    assert (ruling["turn"], dues(ruling)) == ("north", (0, 1))
    assert "icf-44" in ruling["cites"]


@clause("icf-96")
def test_h14_unnoticed_only_by_override() -> None:
    pending = {"left": {"white": 5, "black": 5}, "queen": "pending", "queen_side": "south"}
    override = {
        "event": "override",
        "seq": 2,
        "set": {"queen": "covered", "queen_side": "south"},
        "reason": "nobody noticed",
    }
    rulings = icf(pending, shot(), north(), override)
    assert (rulings[1]["queen"], rulings[1]["turn"]) == ("board", "north")
    assert rulings[1]["returned"][0] == {"piece": "queen", "side": None, "why": "icf-96", "to": None}
    assert (rulings[3]["queen"], rulings[3]["queen_side"], rulings[3]["left"]["queen"]) == ("covered", "south", 0)


@clause("icf-52a")
@clause("icf-53a")
@clause("icf-54")
@pytest.mark.parametrize(("score", "points"), [(0, 7), (21, 7), (22, 4)])
def test_h15_h16_the_queen_is_worth_nothing_from_22(score: int, points: int) -> None:
    at = {"left": {"white": 1, "black": 4}, "queen": "covered", "queen_side": "south", "score": {"south": score}}
    ruling = icf(at, shot("W"))[-1]
    assert (ruling["board"]["winner"], ruling["board"]["points"]) == ("south", points)
    assert ("icf-54" in ruling["cites"]) == (score >= 22)
    assert ruling["board"]["why"] == "icf-52a"


@clause("icf-52b")
def test_the_queen_counts_for_a_winner_whose_pieces_the_other_side_finished() -> None:
    at = {"left": {"white": 2, "black": 1}, "queen": "covered", "queen_side": "north"}
    ruling = icf(at, shot("B"))[-1]
    assert (ruling["board"]["winner"], ruling["board"]["points"]) == ("north", 5)
    assert "icf-52b" in ruling["cites"]


@clause("icf-55")
@clause("icf-26")
def test_h17_white_slam_is_twelve() -> None:
    rulings = icf(None, shot("W Q"), shot("W W W W"), shot("W W W W"))
    assert (rulings[-1]["board"]["points"], rulings[-1]["score"]["south"]) == (12, 12)
    assert "icf-26" in rulings[-1]["cites"]
    assert "white slam" in rulings[-1]["notes"]
    assert [one["board"].get("slam") for one in rulings] == [None] * 3 + ["white"]


@clause("icf-26")
def test_black_slam_is_recognised_and_scored_as_any_board() -> None:
    rulings = icf(None, shot(), north("B Q B"), north("B B B B B B B"))
    assert (rulings[-1]["board"]["winner"], rulings[-1]["board"]["points"]) == ("north", 12)
    assert "black slam" in rulings[-1]["notes"]
    assert rulings[-1]["board"]["slam"] == "black"
    late = icf(None, shot(), north(), shot(), north("B Q B"), north("B B B B B B B"))[-1]
    assert "icf-26" not in late["cites"]


@clause("icf-26")
@pytest.mark.parametrize(
    ("events", "slam"),
    [
        ([None, shot("W Q"), {"event": "set", "position": {"strokes": 1}}, shot("W W W W"), shot("W W W W")], 1),
        ([None, shot("W"), {"event": "set", "position": {"turn": "north"}}, north("Q B B B B B B B B B")], 1),
        ([{"left": {"white": 4, "black": 9}, "turn": "south", "turns": 1}, shot("Q W W W W")], 1),
        ([{"left": {"white": 8, "black": 9}, "turn": "north", "turns": 2}, north("Q B B B B B B B B B")], 1),
        ([{"left": {"white": 4, "black": 9}, "turn": "south", "turns": 3}, shot("Q W W W W")], 0),
        ([{"left": {"white": 4, "black": 9}, "turn": "south"}, shot("Q W W W W")], 0),
    ],
)
def test_a_slam_is_recognised_wherever_the_turns_are_known(events: list[Any], slam: int) -> None:
    assert ("icf-26" in icf(*events)[-1]["cites"]) == bool(slam)


@clause("icf-53b")
@clause("icf-53c")
def test_h18_the_loser_covered_the_queen() -> None:
    at = {"left": {"white": 1, "black": 5}, "queen": "covered", "queen_side": "north"}
    ruling = icf(at, shot("W"))[-1]
    assert (ruling["board"]["winner"], ruling["board"]["points"]) == ("south", 5)
    assert {"icf-53b", "icf-53c"} <= set(ruling["cites"])


LAST = {"left": {"white": 1, "black": 2}, "queen": "covered", "queen_side": "north", "board": 8}


@clause("icf-56a")
def test_h19_the_leader_after_eight_boards_wins_the_game() -> None:
    ruling = icf({**LAST, "score": {"south": 22, "north": 20}}, shot("W"))[-1]
    assert (ruling["score"], ruling["game_over"]) == ({"south": 24, "north": 20}, True)
    assert ruling["games"] == {"south": 1, "north": 0}
    assert "icf-56a" in ruling["cites"]


@clause("icf-56a")
def test_neither_24_points_nor_seven_boards_are_enough() -> None:
    short = icf({**LAST, "board": 7, "score": {"south": 22, "north": 20}}, shot("W"))[-1]
    assert (short["score"]["south"], short["game_over"]) == (24, False)
    enough = icf({**LAST, "board": 1, "score": {"south": 23, "north": 0}}, shot("W"))[-1]
    assert (enough["score"]["south"], enough["game_over"]) == (25, True)
    assert (enough["match_over"], enough["games"]["south"]) == (False, 1)


@clause("icf-56b")
def test_h20_level_after_eight_boards() -> None:
    rulings = icf(
        {**LAST, "score": {"south": 18, "north": 20}},
        shot("W"),
        {"event": "next_board", "first": "south"},
        shot("W W W W W W W W W"),
    )
    assert not rulings[1]["game_over"]
    assert "icf-56b" in rulings[1]["cites"]
    assert (rulings[2]["board"]["number"], rulings[2]["turn"]) == (9, "south")
    assert rulings[2]["score"] == {"south": 20, "north": 20}
    assert rulings[3]["game_over"]


@clause("icf-56b")
def test_a_level_extra_board_is_followed_by_another() -> None:
    at = {**LAST, "board": 9, "score": {"south": 18, "north": 20}}
    rulings = icf(at, shot("W"), {"event": "next_board", "first": "north"})
    assert (rulings[1]["game_over"], rulings[2]["board"]["number"], rulings[2]["turn"]) == (False, 10, "north")


@clause("icf-55")
def test_h21_debts_are_written_off_at_the_end() -> None:
    at = {"left": {"white": 1, "black": 4}, "queen": "covered", "queen_side": "south", "owed": {"north": 2}}
    ruling = icf(at, shot("W"))[-1]
    assert (ruling["owed"], ruling["dues"]) == ({"south": 0, "north": 0}, [])
    assert "icf-55" in ruling["cites"]


@clause("icf-101a")
def test_h22_striker_and_own_in_the_cover_stroke() -> None:
    at = {"left": {"white": 5, "black": 5}, "queen": "pending", "queen_side": "south"}
    rulings = icf(at, shot("S W"), shot())
    assert (rulings[1]["queen"], rulings[1]["turn"], rulings[1]["left"]["white"]) == ("pending", "south", 6)
    assert (rulings[2]["queen"], rulings[2]["turn"]) == ("board", "north")


@clause("icf-97a")
def test_h23_queen_and_the_last_piece_together() -> None:
    ruling = icf({"left": {"white": 1, "black": 3}}, shot("Q W"))[-1]
    assert (ruling["board"]["winner"], ruling["board"]["points"]) == ("south", 6)


@clause("icf-15")
@clause("icf-92")
def test_h24_the_queen_alone_with_one_left() -> None:
    rulings = icf({"left": {"white": 1, "black": 3}}, shot("Q"), shot("W"))
    assert (rulings[1]["queen"], rulings[1]["turn"]) == ("pending", "south")
    assert rulings[2]["board"]["winner"] == "south"
    assert "icf-92" in rulings[1]["cites"]
    assert "icf-15" in rulings[2]["cites"]


@clause("icf-116")
@pytest.mark.parametrize(("fell", "turn"), [("W", "south"), ("", "north")])
def test_h25_h26_the_striker_flies_off(fell: str, turn: str) -> None:
    ruling = icf({"left": {"white": 5}}, shot(fell, off_board=["striker"]))[-1]
    assert (ruling["turn"], ruling["dues"], ruling["fouls"]) == (turn, [], [])
    assert "icf-116" in ruling["cites"]


@clause("icf-65a")
@clause("icf-65c")
def test_h27_white_and_black_fly_off() -> None:
    ruling = icf({"left": {"white": 7, "black": 7}}, shot(off_board=["black", "white"], rest=[]))[-1]
    assert [(one["piece"], one["side"], one["to"]) for one in ruling["returned"]] == [
        ("white", "south", [0.0, 0.0]),
        # north plays next: away from north
        ("black", "north", [0.0, -31.0]),
    ]
    assert {"icf-65a", "icf-65c"} <= set(ruling["cites"])
    assert ruling["left"] == {"white": 7, "black": 7, "queen": 1}


@clause("icf-65b")
@clause("icf-65d")
def test_queen_and_pieces_fly_off() -> None:
    ruling = icf({"left": {"white": 7, "black": 7}}, shot(off_board=["black", "queen", "white"], rest=[]))[-1]
    assert [one["piece"] for one in ruling["returned"]] == ["queen", "white", "black"]
    assert {"icf-65b", "icf-65d"} <= set(ruling["cites"])
    places = [tuple(one["to"]) for one in ruling["returned"]]
    assert places[0] == (0, 0)
    for place in places[1:]:
        assert abs((place[0] ** 2 + place[1] ** 2) ** 0.5 - 31.0) < 0.05


@clause("icf-63")
@clause("icf-134")
@pytest.mark.parametrize(("left", "paid", "owed"), [(8, 1, 0), (9, 0, 1)])
def test_h28_a_player_not_on_turn_touches_a_piece(left: int, paid: int, owed: int) -> None:
    ruling = icf({"left": {"black": left}}, {"event": "call", "clause": "icf-134", "seat": "north"})[-1]
    assert (ruling["turn"], ruling["turn_kept"]) == ("south", True)
    assert (ruling["dues"][0]["pieces"], ruling["owed"]["north"]) == (paid, owed)
    assert ruling["dues"][0]["side"] == "north"
    assert {"icf-63", "icf-134"} <= set(ruling["cites"])
    assert ruling["fouls"] == [
        {
            "clause": "icf-134",
            "says": "pieces are touched, moved or disturbed other than by a stroke",
            "status": "ruled",
        }
    ]


@clause("icf-91")
@pytest.mark.parametrize(("score", "points"), [(10, 7), (22, 4)])
def test_h29_h30_standing_up_loses_the_board(score: int, points: int) -> None:
    at = {"left": {"white": 4, "black": 6}, "score": {"north": score}}
    ruling = icf(at, {"event": "call", "clause": "icf-91", "seat": "south"})[-1]
    assert (ruling["board"]["winner"], ruling["board"]["points"]) == ("north", points)
    assert ruling["board"]["why"] == "icf-91"
