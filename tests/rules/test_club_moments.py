"""The club rules, everything that is no stroke: drops, what the camera sees, flags, calls."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.scenes import play, says, shot, start

S, N = "south", "north"
FOUL = "1+0:club-28"


def drop(piece: str, **more: Any) -> dict[str, Any]:
    return {"event": "drop", "piece": piece, "pocket": "NE", **more}


@pytest.mark.clause("club-50")
@pytest.mark.parametrize(
    ("at", "piece", "expected"),
    [
        ("5 4", "black", {"left": "5 3 1", "hand": "4 6"}),
        ("5 4 pending", "white", {"left": "4 4 0", "queen": "pending south"}),
        ("5 4", "queen", {"back": "queen:club-50", "queen": "board"}),
        ("1 4", "white", {"back": "white:club-63", "left": "1 4 1", "cites": "club-163"}),
        ("5 1 pending", "black", {"back": "black:club-63", "left": "5 1 0", "queen": "pending south"}),
        ("1 4 mine", "white", {"end": "south 7 club-62", "turn": N}),
        ("5 1 mine", "black", {"end": "north 5 club-62", "turn": N}),
        ("5 1 theirs", "black", {"end": "north 8 club-62", "turn": N}),
    ],
)
def test_a_drop_from_the_rim_counts_for_its_owner(at: str, piece: str, expected: dict[str, Any]) -> None:
    begin = start("club", at)
    says(play(begin, drop(piece, on_rim=True))[-1], **({"turn": S} | expected))
    off = play({**begin, "autonomy": {"club-50": "off"}}, drop(piece, on_rim=True))[-1]
    assert f"{piece}:club-49" in [f"{r['piece']}:{r['why']}" for r in off["returned"]]


@pytest.mark.clause("club-50")
def test_a_drop_before_the_colours_are_open_fixes_none() -> None:
    rulings = play(start("club"), drop("white", on_rim=True), shot("B"), shot(""))
    says(rulings[1], turn=S, left="8 9 1", hand="0 0")
    says(rulings[2], turn=S, left="8 8 1", hand="1 1")


@pytest.mark.clause("club-50")
def test_a_dropped_piece_pays_what_its_owner_owes() -> None:
    owing = start("club", "9 4", position={"owed": {"south": 1}})
    says(play(owing, drop("white", on_rim=True))[-1], turn=S, due="1+0:club-70", left="9 4 1", owed="0 0")


@pytest.mark.parametrize(
    ("cause", "clause"),
    [
        pytest.param("unknown", "club-49", marks=pytest.mark.clause("club-49")),
        pytest.param("outside", "club-115", marks=pytest.mark.clause("club-115")),
        pytest.param("vibration", "club-135", marks=pytest.mark.clause("club-135")),
        pytest.param("tilt", "club-48", marks=pytest.mark.clause("club-48")),
        pytest.param("shake", "club-48", marks=pytest.mark.clause("club-48")),
    ],
)
def test_a_piece_that_fell_otherwise_is_put_back_without_a_foul(cause: str, clause: str) -> None:
    event = drop("black", cause=cause)
    says(play(start("club", "5 4"), event)[-1], turn=S, back=f"black:{clause}", left="5 4 1")
    off = play(start("club", "5 4", autonomy={clause: "off"}), event)[-1]
    assert off.get("error") or clause not in off["cites"]


@pytest.mark.clause("club-48")
def test_the_umpire_names_who_shook_the_board() -> None:
    rulings = play(
        start("club", "5 4"), drop("black", cause="shake"), {"event": "call", "clause": "club-48", "seat": N}
    )
    says(rulings[-1], turn=S, fouls="club-48", due="1+0:club-28", left="5 5 1")


@pytest.mark.clause("club-138")
def test_a_second_queen_resets_the_board() -> None:
    ruling = play(start("club", "5 4", position={"score": {"south": 6}}), {"event": "seen", "what": "second_queen"})[-1]
    says(ruling, turn=S, left="9 9 1", score="6 0", cites="club-138")
    off = play(start("club", "5 4", autonomy={"club-138": "off"}), {"event": "seen", "what": "second_queen"})[-1]
    says(off, turn=S, left="5 4 1")


@pytest.mark.clause("club-55")
@pytest.mark.clause("club-56")
def test_a_wrong_rack_keeps_the_board_from_starting() -> None:
    wrong = {"event": "seen", "what": "wrong_rack", "at": [4, 0]}
    seen, refused = play(start("club"), wrong, shot("W"))[1:]
    assert {"club-55", "club-56"} <= set(seen["cites"])
    assert "club-55" in refused["error"]
    assert "error" not in play(start("club", autonomy={"club-55": "off"}), wrong, shot("W"))[-1]
    off = play(start("club", autonomy={"club-56": "off"}), wrong)[-1]
    assert "club-56" not in off["cites"]


@pytest.mark.clause("club-110")
@pytest.mark.clause("club-139")
def test_a_piece_on_edge_is_laid_flat_on_the_umpires_word() -> None:
    upright = {"event": "seen", "what": "upright", "at": [10, 10]}
    ruling = play(start("club", "5 4"), upright)[-1]
    says(ruling, turn=S, left="5 4 1", cites="club-110 club-139")
    for clause in ("club-110", "club-139"):
        assert clause not in play(start("club", "5 4", autonomy={clause: "off"}), upright)[-1]["cites"]


# -- flags: raised with evidence, nothing happens until the umpire confirms --------

ABOUT_THE_STROKE = [
    ("two_hands", "club-33", "club-2"),
    ("push", "club-5", "club-8"),
    ("hand_touched_piece", "club-35", ""),
    ("moving_piece_removed", "club-43", ""),
    ("striker_touched", "club-114", ""),
]


@pytest.mark.parametrize(
    ("flag", "clause", "besides"),
    [pytest.param(f, c, b, id=f, marks=[pytest.mark.clause(x) for x in (c, b) if x]) for f, c, b in ABOUT_THE_STROKE],
)
def test_a_flag_about_the_stroke(flag: str, clause: str, besides: str) -> None:
    begin, stroke = start("club", "5 4"), shot("W", flags=[flag])
    says(play(begin, stroke)[-1], turn=S, fouls=f"{clause}?", left="4 4 1", cites=besides)
    confirmed = play(begin, stroke, {"event": "call", "clause": clause, "seat": S})[-1]
    says(confirmed, turn=N, fouls=clause, due=FOUL, left="5 4 1")
    waved = play(begin, stroke, {"event": "call", "clause": clause, "seat": S, "action": "wave_off"})[-1]
    says(waved, turn=S, left="4 4 1")
    says(play({**begin, "autonomy": {clause: "off"}}, stroke)[-1], turn=S)
    if besides:
        assert besides not in play({**begin, "autonomy": {besides: "off"}}, stroke)[-1]["cites"]


OF_ITS_OWN = [
    ("piece_moved_before", "club-36", ""),
    ("shake", "club-76", "club-153"),
    ("practice", "club-148", ""),
]


@pytest.mark.parametrize(
    ("flag", "clause", "besides"),
    [pytest.param(f, c, b, id=f, marks=[pytest.mark.clause(x) for x in (c, b) if x]) for f, c, b in OF_ITS_OWN],
)
def test_a_flag_of_its_own(flag: str, clause: str, besides: str) -> None:
    begin, stroke = start("club", "5 4"), shot("W", flags=[flag])
    says(play(begin, stroke)[-1], turn=S, fouls=f"{clause}?", left="4 4 1", cites=besides)
    confirmed = play(begin, stroke, {"event": "call", "clause": clause, "seat": S})[-1]
    says(confirmed, turn=N, fouls=clause, due=FOUL, left="5 4 1")
    assert clause not in play({**begin, "autonomy": {clause: "off"}}, stroke)[-1]["cites"]
    if besides:
        assert besides not in play({**begin, "autonomy": {besides: "off"}}, stroke)[-1]["cites"]


@pytest.mark.parametrize(
    ("flag", "clause"),
    [
        pytest.param("replaced", "club-74", marks=pytest.mark.clause("club-74")),
        pytest.param("delay", "club-79", marks=pytest.mark.clause("club-79")),
    ],
)
def test_wasting_time_is_warned_and_then_a_foul(flag: str, clause: str) -> None:
    begin, stroke = start("club", "5 4"), shot("W", flags=[flag])
    call = {"event": "call", "clause": clause, "seat": S}
    first, _, second = play(begin, stroke, call, stroke, call)[2:]
    says(first, turn=S, left="4 4 1")
    assert any("warning" in note for note in first["notes"])
    says(second, turn=N, fouls=clause, due=FOUL, left="4 4 1")
    assert clause not in play({**begin, "autonomy": {clause: "off"}}, stroke)[-1]["cites"]


@pytest.mark.parametrize(
    ("flag", "clause"),
    [
        pytest.param("body_over_diagonal", "club-92", marks=pytest.mark.clause("club-92")),
        pytest.param("over_half", "club-159", marks=pytest.mark.clause("club-159")),
    ],
)
def test_leaning_over_is_warned_on_confirmation(flag: str, clause: str) -> None:
    begin, stroke = start("club", "5 4"), shot("W", flags=[flag])
    says(play(begin, stroke)[-1], turn=S, fouls=f"{clause}?", left="4 4 1")
    confirmed = play(begin, stroke, {"event": "call", "clause": clause, "seat": S})[-1]
    says(confirmed, turn=S, left="4 4 1")
    assert any("warning" in note for note in confirmed["notes"])
    assert clause not in play({**begin, "autonomy": {clause: "off"}}, stroke)[-1]["cites"]


@pytest.mark.clause("club-76")
def test_the_camera_sees_a_shaken_board() -> None:
    shaken = {"event": "seen", "what": "shaken"}
    says(play(start("club", "5 4"), shaken)[-1], turn=S, fouls="club-76?")
    called = play(start("club", "5 4"), shaken, {"event": "call", "clause": "club-76", "seat": N})[-1]
    says(called, turn=S, fouls="club-76", due=FOUL, left="5 5 1")


@pytest.mark.clause("club-34")
def test_moving_the_board_on_purpose() -> None:
    called = play(start("club", "5 4"), {"event": "call", "clause": "club-34", "seat": S})[-1]
    says(called, turn=N, fouls="club-34", due=FOUL, left="6 4 1")


# -- the umpire's word --------


@pytest.mark.parametrize("clause", ["club-13", "club-40"])
def test_a_call_about_the_stroke_re_rules_it(clause: str) -> None:
    called = play(start("club", "5 4 pending"), shot("W"), {"event": "call", "clause": clause, "seat": S})[-1]
    says(called, turn=N, fouls=clause, back="queen:club-30", due=FOUL, left="5 4 1")


FOULS = [37, 75, 77, 80, 85, 86, 108, 109, 127, 128]


@pytest.mark.parametrize("number", FOULS)
def test_a_call_of_its_own_costs_a_piece_and_the_turn(number: int) -> None:
    clause = f"club-{number}"
    says(
        play(start("club", "5 4"), {"event": "call", "clause": clause, "seat": S})[-1],
        turn=N,
        fouls=clause,
        due=FOUL,
        left="6 4 1",
    )
    says(
        play(start("club", "5 4"), {"event": "call", "clause": clause, "seat": N})[-1],
        turn=S,
        fouls=clause,
        due=FOUL,
        left="5 5 1",
    )


@pytest.mark.parametrize("number", [82, 83, 84, 121, 122, 123, 124, 125, 144, 145, 155])
def test_a_warning_comes_first_then_the_foul(number: int) -> None:
    call = {"event": "call", "clause": f"club-{number}", "seat": S}
    first, second = play(start("club", "5 4"), call, call)[1:]
    says(first, turn=S, left="5 4 1")
    says(second, turn=N, fouls=f"club-{number}", due=FOUL, left="6 4 1")


def test_the_umpire_chooses_another_consequence() -> None:
    at = start("club", "5 4", position={"score": {"south": 5, "north": 2}})
    call = {"event": "call", "clause": "club-125", "seat": S}
    says(play(at, call | {"action": "deduct", "points": 2})[-1], turn=S, score="3 2", cites="club-125")
    says(play(at, call | {"action": "foul"})[-1], turn=N, fouls="club-125", due=FOUL)
    out = play(at, call | {"action": "disqualify"})[-1]
    assert out["match_over"]
    assert out["winner"] == N


def test_leaving_and_damage_end_the_match() -> None:
    for clause in ("club-119", "club-160"):
        ruling = play(start("club", "5 4"), {"event": "call", "clause": clause, "seat": S})[-1]
        assert ruling["match_over"]
        assert ruling["winner"] == N
        assert clause in ruling["cites"]


def test_an_agreed_draw_counts_as_a_board() -> None:
    agreed = {"event": "call", "clause": "club-140"}
    rulings = play(start("club", "5 4"), agreed, {"event": "next_board"})
    says(rulings[1], end="drawn 0 club-140", score="0 0", turn=N)
    assert rulings[2]["board"]["number"] == 2
    assert rulings[2]["turn"] == N
    assert "error" in play(start("club", "5 4", policy={"draws": False}), agreed)[-1]


def test_a_legal_flick_may_be_named_and_changes_nothing() -> None:
    says(
        play(start("club", "5 4"), shot("W"), {"event": "call", "clause": "club-6", "seat": S})[-1],
        turn=S,
        left="4 4 1",
    )


@pytest.mark.clause("club-94")
@pytest.mark.clause("club-132")
def test_an_appeal_is_taken_until_the_next_stroke() -> None:
    call = {"event": "call", "clause": "club-43", "seat": S}
    taken = play(start("club", "5 4"), shot("W"), call)[-1]
    says(taken, turn=N, fouls="club-43", due=FOUL, left="5 4 1", cites="club-94")
    late = play(start("club", "5 4"), shot(""), shot("", N), call)[-1]
    assert "club-132" in late["error"]
    for clause in ("club-94", "club-132"):
        off = start("club", "5 4", autonomy={clause: "off"})
        assert play(off, shot("W"), call)[-1] != taken or play(off, shot(""), shot("", N), call)[-1] != late


def test_a_replayed_board_keeps_its_break() -> None:
    strokes = [start("club"), shot("W"), shot(""), shot("B", N), shot("", N), shot("W")]
    rulings = play(*strokes, {"event": "void", "clause": "club-143"})
    says(rulings[-1], turn=S, left="9 9 1", hand="0 0", void=True)
    taken_back = play(*strokes, {"event": "void", "clause": "club-116"})
    says(taken_back[-1], turn=S, left="8 8 1", void=True, cites="club-116")


def test_a_tournament_plays_the_official_book() -> None:
    assert "error" not in play(start("club", tournament=True))[-1]


@pytest.mark.parametrize(
    ("book", "said", "where"),
    [
        ("campus", {"policy": {"striker_with_own": "keep"}}, "policy.striker_with_own"),
        ("campus", {"policy": {"queen_points": 5}}, "policy.queen_points"),
        ("icf", {"policy": {"gap_Q03": "RET 0 LOSE"}}, "policy.gap_Q03"),
        ("club", {"policy": {"points": 29, "own_in_foul": "returned"}}, "policy.own_in_foul"),
        ("campus", {"autonomy": {"campus-12": "off"}}, "autonomy.campus-12"),
        ("campus", {"policy": {"autonomy": {"campus-12": "off"}}}, "autonomy.campus-12"),
        ("icf", {"autonomy": {"icf-130": "off"}}, "autonomy.icf-130a"),
    ],
)
def test_a_tournament_takes_no_house_value_of_the_official_book_either(
    book: str, said: dict[str, Any], where: str
) -> None:
    refused = play(start(book, tournament=True, **said))[-1]
    assert refused["error"].startswith(f"{where}: a tournament is played by the official book")
    assert "Fix:" in refused["error"]
    assert "error" not in play(start(book, **said))[-1]


def test_a_tournament_says_how_long_it_plays_who_leads_it_and_what_the_table_asks() -> None:
    played = {"points": 29, "games": 3, "stroke_seconds": 20, "officiating": "referee", "own_in_foul": "stays"}
    begun = start("club", tournament=True, policy=played, autonomy={"club-33": "confirm", "club-5": "note"})
    assert "error" not in play(begun)[-1]


@pytest.mark.clause("club-148")
def test_a_practice_stroke_out_of_turn() -> None:
    begin, stroke = start("club", "5 4"), shot("B", N, flags=["practice"])
    says(play(begin, stroke)[-1], turn=S, void=True, fouls="club-148?", left="5 4 1")
    called = play(begin, stroke, {"event": "call", "clause": "club-148", "seat": N})[-1]
    says(called, turn=S, fouls="club-148", due=FOUL, left="5 5 1")
    waved = play(begin, stroke, {"event": "call", "clause": "club-148", "seat": N, "action": "wave_off"})[-1]
    says(waved, turn=S, left="5 4 1")


@pytest.mark.clause("club-72")
def test_the_second_penalty_waits_with_its_foul() -> None:
    begin = start("club", "5 4", autonomy={"club-31": "confirm"})
    stroke = shot("S", off_board=["black"])
    says(play(begin, stroke)[-1], turn=N, fouls="club-31? club-15", back="black:club-31", due="1+0:club-15")
    confirmed = play(begin, stroke, {"event": "call", "clause": "club-31", "seat": S})[-1]
    says(confirmed, fouls="club-31 club-15", back="black:club-31", due="1+0:club-28 1+0:club-72", left="7 4 1")
