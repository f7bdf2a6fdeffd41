"""The international laws beyond the outcome table and the worked cases: fouls, dues, drops, clocks, doubles, claims."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.icf_scenes import FOUL, icf, north
from tests.rules.scenes import play, shot

clause = pytest.mark.clause


@clause("icf-51")
def test_out_of_turn_is_void_until_confirmed() -> None:
    at = {"left": {"white": 4, "black": 6}}
    rulings = icf(at, north("B B"), {"event": "call", "clause": "icf-51", "seat": "north"})
    assert rulings[1]["void"]
    assert (rulings[1]["turn"], rulings[1]["left"]["black"]) == ("south", 6)
    assert [(one["clause"], one["status"]) for one in rulings[1]["fouls"]] == [("icf-51", "to confirm")]
    # the offender's own pieces count, and the queen on the board
    assert (rulings[2]["board"]["winner"], rulings[2]["board"]["points"]) == ("south", 9)


@clause("icf-51")
def test_out_of_turn_waved_off() -> None:
    rulings = icf({}, north("B"), {"event": "call", "action": "wave_off", "clause": "icf-51", "seat": "north"}, shot())
    assert rulings[1]["asks"][0]["ask"] == 2
    assert not rulings[2]["board"]["over"]
    assert rulings[3]["turn"] == "north"


@clause("icf-51")
def test_whose_pieces_count_out_of_turn_is_a_policy() -> None:
    at = {"left": {"white": 4, "black": 6}}
    ruling = icf(at, {"event": "call", "clause": "icf-51", "seat": "north"}, policy={"gap_51": "opponent"})[-1]
    assert ruling["board"]["points"] == 7


@clause("icf-64a")
@clause("icf-63")
@clause("icf-130a")
def test_technical_foul_or_foul_by_timing() -> None:
    at = {"left": {"white": 5, "black": 5}}
    call = {"event": "call", "clause": "icf-122", "seat": "south"}
    before = icf(at, call)[-1]
    assert (before["turn"], before["left"]["white"]) == ("south", 6)
    assert "icf-63" in before["cites"]
    during = icf(at, shot("W"), call)[-1]
    assert (during["turn"], during["left"]["white"]) == ("north", 5)
    assert "icf-64a" in during["cites"]
    after = icf(at, shot(), call)[-1]
    assert (after["turn"], after["left"]["white"]) == ("north", 6)
    assert "icf-63" in after["cites"]


@clause("icf-64b")
def test_what_was_pocketed_with_a_violation_comes_out_and_one_more() -> None:
    ruling = icf({"left": {"white": 5}}, shot("Q W", **FOUL))[-1]
    assert (ruling["left"]["white"], ruling["queen"], ruling["turn"]) == (6, "board", "north")
    assert "icf-64b" in ruling["cites"]


@clause("icf-50")
@pytest.mark.parametrize(("elapsed", "turn", "left"), [(15, "south", 4), (15.1, "north", 6)])
def test_a_late_stroke_is_improper(elapsed: float, turn: str, left: int) -> None:
    ruling = icf({"left": {"white": 5}}, shot("W", elapsed=elapsed))[-1]
    assert (ruling["turn"], ruling["left"]["white"]) == (turn, left)
    assert [one["clause"] for one in ruling["fouls"]] == (["icf-50"] if elapsed > 15 else [])


@clause("icf-50")
@clause("icf-63")
def test_the_clock_runs_out() -> None:
    at = {"left": {"white": 5, "black": 5}}
    timeout = {"event": "timeout", "seat": "south"}
    rulings = icf(at, timeout, shot("W"), timeout)
    assert (rulings[1]["turn"], rulings[1]["left"]["white"]) == ("south", 6)
    assert (rulings[3]["turn"], rulings[3]["left"]["white"]) == ("north", 6)
    pending = icf({**at, "queen": "pending", "queen_side": "south", "strokes": 1}, timeout)[-1]
    assert (pending["queen"], pending["returned"][0]["why"]) == ("board", "icf-96")
    assert "error" in icf(at, {"event": "timeout", "seat": "north"})[-1]


@clause("icf-137")
def test_six_passes_replay_the_board() -> None:
    at = {"left": {"white": 5, "black": 5}, "score": {"south": 4}}
    one, other = {"event": "pass", "seat": "south"}, {"event": "pass", "seat": "north"}
    rulings = icf(at, *[one, other] * 3)
    assert rulings[5]["left"]["white"] == 5
    assert rulings[6]["left"] == {"white": 9, "black": 9, "queen": 1}
    assert (rulings[6]["turn"], rulings[6]["score"]["south"]) == ("south", 4)
    assert "icf-137" in rulings[6]["cites"]
    between = icf(at, *[one, other] * 2, one, north(), *[one])
    assert between[-1]["left"]["white"] == 5


@clause("icf-47")
def test_a_break_before_play_is_called() -> None:
    policy = {"play_call": "required"}
    early = icf(None, shot("W"), policy=policy)[-1]
    assert ([one["clause"] for one in early["fouls"]], early["turn"]) == (["icf-47"], "north")
    assert (early["left"]["white"], early["owed"]["south"]) == (9, 1)
    called = icf(None, {"event": "play"}, shot("W"), policy=policy)[-1]
    assert (called["fouls"], called["turn"]) == ([], "south")


@clause("icf-127")
def test_a_slip_that_stays_on_the_lines_is_no_stroke() -> None:
    still = icf({}, shot(left_baseline=False))[-1]
    assert (still["void"], still["turn"]) == (True, "south")
    assert "icf-127" in still["cites"]
    moved = icf({}, shot(left_baseline=False, contacts=[{"with": "white"}]))[-1]
    assert (moved["void"], moved["turn"]) == (False, "north")
    assert icf(None, *[shot(left_baseline=False)] * 5)[-1]["turn"] == "south", "no try to break either"


@clause("icf-130a")
@clause("icf-130b")
@pytest.mark.parametrize(
    ("placement", "broken"),
    [
        ({"lines": "both"}, None),
        ({"lines": "one"}, "icf-130a"),
        ({"lines": "none"}, "icf-130a"),
        ({"circle": "covered"}, None),
        ({"circle": "partial"}, "icf-130b"),
        ({"arrow": True}, "icf-130b"),
        ({"touching": True}, None),
    ],
)
def test_placement(placement: dict[str, Any], broken: str | None) -> None:
    ruling = icf({"left": {"white": 5}}, shot("W", placement=placement))[-1]
    assert [one["clause"] for one in ruling["fouls"]] == ([broken] if broken else [])
    assert ruling["turn"] == ("north" if broken else "south")
    unseen = icf({"left": {"white": 5}}, shot("W", unseen=["placement"]))[-1]
    assert (unseen["fouls"], unseen["turn"], unseen["unseen"]) == ([], "south", ["placement"])


@pytest.mark.parametrize(
    "facts", [{"heading": "backward"}, {"contacts": []}, {"crossed_baseline": 0}, {"flags": ["replaced"]}]
)
def test_what_the_laws_do_not_forbid_is_not_ruled_on(facts: dict[str, Any]) -> None:
    ruling = icf({"left": {"white": 5}}, shot("W", **facts))[-1]
    assert (ruling["fouls"], ruling["turn"]) == ([], "south")


FLAGS = {
    "hand_touched_piece": "134",
    "two_hands": "30",
    "push": "33",
    "elbow": "32",
    "shake": "126a",
    "striker_touched": "123",
    "moving_piece_removed": "134",
    "piece_moved_before": "134",
    "delay": "132",
    "over_half": "37",
    "body_over_diagonal": "37",
    "chair": "29",
    "practice": "136",
}
RE_RULED = {"30", "32", "33", "37"}


@pytest.mark.parametrize(("flag", "law"), [pytest.param(*one, marks=clause(f"icf-{one[1]}")) for one in FLAGS.items()])
def test_a_flag_waits_for_the_umpire(flag: str, law: str) -> None:
    at = {"left": {"white": 5}}
    raised, confirmed = icf(at, shot("W", flags=[flag]), {"event": "answer", "ask": 2, "choice": "foul"})[1:]
    assert [(one["clause"], one["status"]) for one in raised["fouls"]] == [(f"icf-{law}", "to confirm")]
    assert (raised["turn"], raised["left"]["white"], raised["dues"]) == ("south", 4, [])
    # about the stroke: the piece of the stroke comes back and one more; a foul of its own: one more
    assert confirmed["left"]["white"] == (6 if law in RE_RULED else 5)
    assert confirmed["turn"] == "north"
    called = icf(at, shot("W", flags=[flag]), {"event": "call", "clause": f"icf-{law}", "seat": "south"})[-1]
    assert (called["left"], called["turn"]) == (confirmed["left"], confirmed["turn"])
    waved = icf(at, shot("W", flags=[flag]), {"event": "call", "action": "wave_off", "clause": f"icf-{law}"}, shot())
    assert (waved[2]["fouls"], waved[3]["turn"]) == ([], "north")
    ruled = icf(at, shot("W", flags=[flag]), autonomy={f"icf-{law}": "rule"})[-1]
    assert (ruled["left"], ruled["turn"]) == (confirmed["left"], confirmed["turn"])


@clause("icf-124c")
def test_a_stroke_while_pieces_move_is_raised() -> None:
    raised, called = icf(
        {"left": {"white": 5}}, shot("W", all_at_rest=False), {"event": "call", "clause": "icf-124c", "seat": "south"}
    )[1:]
    assert [(one["clause"], one["status"]) for one in raised["fouls"]] == [("icf-124c", "to confirm")]
    assert (called["turn"], called["left"]["white"]) == ("north", 6), "the piece comes back, and one more (R64b)"


@clause("icf-126a")
def test_a_shaken_board_is_raised_and_called_by_seat() -> None:
    raised, called = icf(
        {"left": {"black": 5}},
        {"event": "seen", "what": "shaken"},
        {"event": "call", "clause": "icf-126a", "seat": "north"},
    )[1:]
    assert [(one["clause"], one["status"]) for one in raised["fouls"]] == [("icf-126a", "to confirm")]
    assert (called["left"]["black"], called["turn"]) == (6, "south")


@pytest.mark.parametrize(
    "law", [pytest.param(one, marks=clause(f"icf-{one}")) for one in ("30", "32", "33", "34", "37", "38")]
)
def test_a_call_about_the_stroke_re_rules_it(law: str) -> None:
    call = {"event": "call", "clause": f"icf-{law}", "seat": "south"}
    ruling = icf({"left": {"white": 5, "black": 1}}, shot("W B"), call)[-1]
    assert (ruling["board"]["winner"], ruling["board"]["on_demand"]) == ("north", 1)
    later = icf({"left": {"white": 5, "black": 5}}, shot(), north(), call)[-1]
    assert (later["turn"], later["left"]["white"]) == ("south", 6), "too late for the stroke: technical"


@clause("icf-113")
@clause("icf-71")
@clause("icf-134")
def test_drops() -> None:
    at = {"left": {"white": 5, "black": 5}}
    rim = {"event": "drop", "on_rim": True, "cause": "vibration"}
    black = icf(at, {**rim, "piece": "black"})[-1]
    assert (black["left"]["black"], black["turn"], black["returned"]) == (4, "south", [])
    assert "icf-71" in black["cites"]
    queen = icf(at, {**rim, "piece": "queen"}, shot("W"))
    assert (queen[1]["queen"], queen[1]["queen_side"], queen[1]["turn"]) == ("pending", "south", "south")
    assert "icf-113" in queen[1]["cites"]
    assert queen[2]["queen"] == "covered"
    early = icf({}, {**rim, "piece": "queen"})[-1]
    assert (early["queen"], early["turn"]) == ("board", "south")
    last = icf({"left": {"white": 1, "black": 5}}, {**rim, "piece": "white"})[-1]
    assert (last["board"]["winner"], last["board"]["points"]) == ("north", 3)
    inside = icf(at, {"event": "drop", "piece": "white"})[-1]
    assert (inside["left"]["white"], inside["returned"][0]["why"]) == (5, "icf-134")
    pending = icf({**at, "queen": "pending", "queen_side": "south"}, {**rim, "piece": "white"})[-1]
    assert (pending["queen"], pending["left"]["white"]) == ("pending", 4)


@clause("icf-89a")
def test_debts_are_never_set_off() -> None:
    ruling = icf({"owed": {"north": 1}}, shot("S"))[-1]
    assert ruling["owed"] == {"south": 1, "north": 1}
    assert "icf-89a" in ruling["cites"]


@clause("icf-78a")
def test_the_other_sides_debt_is_paid_when_its_piece_is_pocketed() -> None:
    ruling = icf({"left": {"white": 5}, "owed": {"north": 1}}, shot("W B"))[-1]
    assert (ruling["left"]["black"], ruling["owed"]["north"]) == (9, 0)
    assert [(one["side"], one["pieces"]) for one in ruling["dues"]] == [("north", 1)]


@clause("icf-87b")
@clause("icf-55")
def test_points_on_demand() -> None:
    at = {"left": {"white": 9, "black": 1}}
    ended = icf(at, shot("B", **FOUL))[-1]
    assert (ended["board"]["points"], ended["board"]["on_demand"]) == (12, 0), "cut at twelve"
    at = {"left": {"white": 5, "black": 1}}
    rulings = icf(
        at,
        shot("S B", **FOUL),
        {"event": "claim", "points": 1},
        {"event": "claim", "points": 2},
        {"event": "claim", "points": 1},
        {"event": "next_board"},
        {"event": "claim", "points": 1},
    )
    assert (rulings[1]["board"]["points"], rulings[1]["board"]["on_demand"]) == (8, 2)
    assert (rulings[2]["board"]["points"], rulings[2]["board"]["on_demand"]) == (9, 1)
    assert (rulings[2]["score"]["north"], rulings[4]["score"]["north"]) == (9, 10)
    assert "icf-87b" in rulings[2]["cites"]
    assert "error" in rulings[3]
    assert "error" in rulings[6]


@clause("icf-49a")
@clause("icf-42")
@clause("icf-43")
def test_the_break_alternates_and_the_breaker_is_white() -> None:
    at = {"left": {"white": 1, "black": 2}, "queen": "covered", "queen_side": "south"}
    rulings = icf(at, shot("W"), {"event": "next_board"}, north("W"))
    assert {"icf-42", "icf-43"} <= set(rulings[0]["cites"])
    assert (rulings[1]["turn"], rulings[2]["turn"]) == ("north", "north")
    assert "icf-49a" in rulings[2]["cites"]
    assert rulings[3]["in_hand"] == {"south": 0, "north": 1}


@clause("icf-57")
@clause("icf-49a")
def test_games_and_the_match() -> None:
    at = {"left": {"white": 1, "black": 2}, "queen": "covered", "queen_side": "south", "score": {"south": 20}}
    first = icf(at, shot("W"), {"event": "next_board"})
    assert (first[1]["game_over"], first[1]["match_over"], first[1]["games"]["south"]) == (True, False, 1)
    assert first[1]["score"] == {"south": 25, "north": 0}
    assert (first[1]["turn"], first[2]["score"]) == ("north", {"south": 0, "north": 0}), "north did not begin game 1"
    assert first[2]["board"]["number"] == 1
    last = icf({**at, "games": {"south": 1, "north": 1}}, shot("W"), shot())
    assert (last[1]["match_over"], last[1]["winner"], last[1]["turn"]) == (True, "south", None)
    assert "icf-57" in last[1]["cites"]
    assert "error" in last[2]


@clause("icf-94")
@pytest.mark.parametrize(
    ("others", "to"),
    [
        ([(200, 200)], [0.0, 0.0]),
        ([(20, 0)], [-11.0, 0.0]),
        ([(0, 0)], [0.0, -31.4]),
    ],
)
def test_where_the_queen_goes(others: list[tuple[float, float]], to: list[float]) -> None:
    at = {"left": {"white": 5, "black": 5}, "queen": "pending", "queen_side": "south"}
    rest = [{"piece": "white", "x": x, "y": y} for x, y in others]
    ruling = icf(at, shot(rest=rest))[-1]
    # north plays next: covered centres send her away from north
    assert ruling["returned"][0]["to"] == pytest.approx(to, abs=0.02)
    assert ("icf-94" in ruling["cites"]) == (to != [0.0, 0.0])
    assert icf(at, shot())[-1]["returned"][0]["to"] is None


@clause("icf-49b")
def test_in_doubles_the_turn_goes_to_the_right() -> None:
    #            north
    #       west   +   east      seen from above: south's right hand is east, and so on round
    #            south
    seats = {"south": "A", "east": "B", "north": "C", "west": "D"}
    begin = {"event": "start", "book": "icf", "seats": seats, "first": "south"}
    rulings = play(begin, *[shot(seat=seat) for seat in ("south", "east", "north", "west")])
    assert [one["turn"] for one in rulings] == ["south", "east", "north", "west", "south"]
    assert rulings[0]["score"] == {"south": 0, "east": 0}
    ended = play(
        {**begin, "position": {"left": {"white": 1, "black": 2}, "queen": "covered", "queen_side": "south"}},
        shot("W"),
        {"event": "next_board"},
    )
    assert (ended[1]["turn"], ended[2]["turn"]) == ("east", "east")
    assert "icf-49b" in ended[2]["cites"]


@clause("icf-140")
@clause("icf-142")
@pytest.mark.parametrize("law", ["137", "140", "142"])
def test_a_replayed_board_has_the_same_break(law: str) -> None:
    rulings = icf(None, shot("W"), shot(), north("B"), {"event": "void", "clause": f"icf-{law}"})
    assert (rulings[-1]["void"], rulings[-1]["turn"]) == (True, "south")
    assert rulings[-1]["left"] == {"white": 9, "black": 9, "queen": 1}
    assert f"icf-{law}" in rulings[-1]["cites"]


@clause("icf-143")
@clause("icf-139")
@pytest.mark.parametrize("law", ["143", "143f", "139"])
def test_the_match_is_lost(law: str) -> None:
    ruling = icf(None, {"event": "call", "clause": f"icf-{law}", "seat": "north"})[-1]
    assert (ruling["match_over"], ruling["winner"], ruling["turn"]) == (True, "south", None)


def test_both_spellings_of_a_law_are_understood() -> None:
    at = {"left": {"white": 5}}
    for spelled in ("icf-130", "icf-130a"):
        ruling = icf(at, shot("W"), {"event": "call", "clause": spelled, "seat": "south"})[-1]
        assert [one["clause"] for one in ruling["fouls"]] == ["icf-130a"]
    assert icf(at, {"event": "call", "clause": "icf-134a", "seat": "south"})[-1]["fouls"][0]["clause"] == "icf-134"
    assert "error" in icf(at, {"event": "call", "clause": "icf-999", "seat": "south"})[-1]


@clause("icf-77a")
def test_own_pieces_of_a_foul_may_stay_by_policy() -> None:
    at = {"left": {"white": 5}}
    assert icf(at, shot("W W", **FOUL))[-1]["left"]["white"] == 6
    stays = icf(at, shot("W W", **FOUL), policy={"own_in_foul": "stays"})[-1]
    assert (stays["left"]["white"], stays["returned"]) == (4, [])


@clause("icf-77a")
@clause("icf-96")
@clause("icf-95b")
def test_each_part_of_a_ruling_names_the_law_that_speaks_of_it() -> None:
    at = {"left": {"white": 5, "black": 5}}
    mixed = icf(at, shot("W B", **FOUL))[-1]
    assert [one["why"] for one in mixed["returned"]] == ["icf-77a"]
    assert [one["why"] for one in mixed["dues"]] == ["icf-77a"]
    cover = icf({**at, "queen": "pending", "queen_side": "south"}, shot("W B", **FOUL))[-1]
    assert [(one["piece"], one["why"]) for one in cover["returned"]] == [("queen", "icf-96"), ("white", "icf-77a")]
    owing = icf({"owed": {"south": 1}}, shot("Q S"))[-1]
    assert [one["why"] for one in owing["returned"]] == ["icf-95b"]
    assert [one["why"] for one in owing["dues"]] == ["icf-95d"]


@clause("icf-51")
def test_a_stroke_that_does_not_count_opens_no_board() -> None:
    at = {"left": {"white": 1, "black": 2}, "queen": "covered", "queen_side": "south"}
    rulings = icf(at, shot("W"), shot("W"), north("W"))
    assert (rulings[2]["void"], rulings[2]["board"]) == (True, rulings[1]["board"])
    assert (rulings[3]["board"]["number"], rulings[3]["in_hand"]["north"]) == (2, 1)


@pytest.mark.parametrize("where", ["autonomy", "policy"])
def test_a_table_says_how_far_the_machine_goes_by_itself(where: str) -> None:
    levels = {"icf-130a": "confirm", "icf-33": "off"}
    more = {"autonomy": levels} if where == "autonomy" else {"policy": {"autonomy": levels}}
    ruling = icf({"left": {"white": 5}}, shot("W", flags=["push"], **FOUL), **more)[-1]
    assert [(one["clause"], one["status"]) for one in ruling["fouls"]] == [("icf-130a", "to confirm")]
    assert ruling["turn"] == "south"
    noted = icf({"left": {"white": 5}}, shot("W", **FOUL), autonomy={"icf-130a": "note"})[-1]
    assert (noted["fouls"], noted["turn"], len(noted["notes"])) == ([], "south", 1)
