"""What reaches back into a match: questions and answers, appeals, voids, overrides, corrections."""

from __future__ import annotations

from typing import Any

import pytest

from controller.events.codec import event_from_json, ruling_to_json
from controller.rules import apply, begin, difference, event_as_it_stands, rulings
from tests.rules.scenes import BOOKS, play, shot, start

MID = {"left": {"white": 5, "black": 5}, "break_done": True}


def at(**more: Any) -> dict[str, Any]:
    return start("icf", position={**MID, **more})


def north(text: str = "", **facts: Any) -> dict[str, Any]:
    return shot(text, seat="north", **facts)


def doubt(fact: str, *choices: Any) -> dict[str, Any]:
    return {"fact": fact, "choices": [list(choice) for choice in choices]}


SET = {"event": "set", "position": {}}
"""What stands in the place of an event that was taken back."""
ANSWER_FOUL = {"event": "answer", "ask": 2, "choice": "foul"}
COLOUR = doubt("pocketed.0.piece", ("white", 0.7), ("black", 0.3))


def without(ruling: dict[str, Any], *fields: str) -> dict[str, Any]:
    return {key: value for key, value in ruling.items() if key not in fields}


def state_of(ruling: dict[str, Any]) -> dict[str, Any]:
    keys = ("turn", "queen", "queen_side", "left", "in_hand", "owed", "board", "score", "games", "match_over", "winner")
    return {key: ruling[key] for key in keys}


# --- doubts ----------------------------------------------------------------------------------------------------------


def test_the_likeliest_reading_is_ruled_provisionally_and_asked() -> None:
    ruling = play(at(), {**shot("W"), "pocketed": [{"piece": "unknown", "pocket": "NE"}], "doubts": [COLOUR]})[-1]
    assert (ruling["provisional"], ruling["sealed"], ruling["turn"]) == (True, False, "south")
    assert ruling["left"]["white"] == 4
    assert ruling["asks"] == [
        {
            "ask": 2,
            "question": "Which piece fell in NE?",
            "choices": ["white", "black", "none of these", "replay the stroke"],
        }
    ]


@pytest.mark.parametrize("path", ["pocketed.0.piece", "pocketed[0].piece"])
def test_a_late_answer_is_a_correction_underneath(path: str) -> None:
    asked = {**shot("W"), "doubts": [doubt(path, ("white", 0.7), ("black", 0.3))]}
    rulings_ = play(at(), asked, shot(), {"event": "answer", "ask": 2, "choice": "black"}, shot("W"))
    assert rulings_[2]["turn"] == "north", "play went on with the likeliest reading"
    # black fell: the turn went to north; south's stroke counts as played, and its turn is lost after it
    assert rulings_[3]["left"] == {"white": 5, "black": 4, "queen": 1}
    assert rulings_[3]["turn"] == "north"
    assert "error" in play(at(), asked, {"event": "answer", "ask": 2, "choice": "queen"})[-1]
    assert "error" in play(at(), asked, {"event": "answer", "ask": 3, "choice": "white"})[-1]


def test_an_answered_question_is_closed() -> None:
    asked = {**shot("W"), "doubts": [COLOUR]}
    rulings_ = play(at(), asked, *[{"event": "answer", "ask": 2, "choice": "white"}] * 2)
    assert (rulings_[2]["provisional"], rulings_[2]["asks"]) == (False, [])
    assert "error" in rulings_[3]


def test_a_doubt_that_changes_nothing_is_not_asked() -> None:
    ruling = play(at(), {**shot("W"), "doubts": [doubt("pocketed.0.pocket", ("NE", 1), ("NW", 1))]})[-1]
    assert (ruling["asks"], ruling["provisional"]) == ([], False)


def test_each_doubt_that_matters_has_its_own_number() -> None:
    two = {**shot("W W"), "doubts": [COLOUR, doubt("placement.lines", ("both", 0.6), ("one", 0.4))]}
    rulings_ = play(
        at(), two, {"event": "answer", "ask": "2.1", "choice": "one"}, {"event": "answer", "ask": 2, "choice": "white"}
    )
    assert [one["ask"] for one in rulings_[1]["asks"]] == [2, "2.1"]
    assert [one["ask"] for one in rulings_[2]["asks"]] == [2], "the other number keeps its meaning"
    assert [one["clause"] for one in rulings_[3]["fouls"]] == ["icf-130a"]
    assert rulings_[3]["asks"] == []


def test_a_bare_unknown_changes_nothing_until_answered() -> None:
    unknown = {**shot(), "pocketed": [{"piece": "unknown", "pocket": "SE"}]}
    rulings_ = play(at(), unknown, shot(), {"event": "answer", "ask": 2, "choice": "white"}, shot())
    assert state_of(rulings_[1]) == state_of(rulings_[0])
    assert rulings_[1]["asks"][0]["choices"][-2:] == ["none of these", "replay the stroke"]
    assert {"white", "black", "queen", "striker"} <= set(rulings_[1]["asks"][0]["choices"])
    assert "error" in rulings_[2]
    assert rulings_[3]["left"]["white"] == 4
    assert rulings_[4]["turn"] == "north"


def test_none_of_these_means_that_nothing_fell() -> None:
    rulings_ = play(at(), {**shot("W"), "doubts": [COLOUR]}, {"event": "answer", "ask": 2, "choice": "none of these"})
    assert (rulings_[2]["left"]["white"], rulings_[2]["turn"]) == (5, "north")


def test_replay_the_stroke_takes_it_back() -> None:
    answer = {"event": "answer", "ask": 2, "choice": "replay the stroke"}
    rulings_ = play(at(), {**shot("W"), "doubts": [COLOUR]}, answer, shot())
    assert (rulings_[2]["void"], state_of(rulings_[2])) == (True, state_of(rulings_[0]))
    assert rulings_[3]["turn"] == "north"


def test_a_boards_end_needs_all_answers() -> None:
    near = at(left={"white": 1, "black": 5}, queen="covered", queen_side="south")
    asked = {**shot("W"), "doubts": [COLOUR]}
    answer = {"event": "answer", "ask": 2, "choice": "white"}
    rulings_ = play(near, asked, {"event": "next_board"}, north(), answer, {"event": "next_board"})
    assert (rulings_[1]["board"]["over"], rulings_[1]["provisional"]) == (True, True)
    assert "error" in rulings_[2]
    assert "error" in rulings_[3]
    assert rulings_[5]["turn"] == "north"


@pytest.mark.parametrize("opens", [False, True], ids=["", "and a correction opens a question of the board before"])
def test_an_event_stands_with_what_was_answered_about_it(opens: bool) -> None:
    near = at(left={"white": 1, "black": 5}, queen="covered", queen_side="south")
    told = [near, shot("W"), {**north("W"), "doubts": [COLOUR]}, {"event": "answer", "ask": 3, "choice": "black"}]
    if opens:
        told.append(correct(2, {**shot("W"), "doubts": [COLOUR]}))
    state = begin(BOOKS)
    for event in told:
        state, ruling = apply(state, event_from_json(event))
        assert "error" not in ruling_to_json(ruling)
    assert [one.ask for one in ruling.asks] == ([2] if opens else [])
    opened = next(one for one in state.last.back() if one.seq == 3)
    assert event_as_it_stands(opened) == event_from_json(north("B"))


def test_an_unknown_drop_is_asked() -> None:
    rulings_ = play(
        at(),
        {"event": "drop", "piece": "unknown", "on_rim": True},
        {"event": "answer", "ask": 2, "choice": "black"},
    )
    assert state_of(rulings_[1]) == state_of(rulings_[0])
    assert rulings_[2]["left"]["black"] == 4


def test_players_officiate_together() -> None:
    begin_ = start("icf", position=MID, policy={"officiating": "players"})
    flagged = shot("W", flags=["push"])
    one = {"event": "answer", "ask": 2, "choice": "foul", "seat": "south"}
    agreed = play(begin_, flagged, one, {**one, "seat": "north"})
    assert (agreed[2]["turn"], agreed[3]["turn"]) == ("south", "north")
    split = play(begin_, flagged, one, {**one, "seat": "north", "choice": "no foul"})
    assert (split[3]["fouls"], split[3]["turn"]) == ([], "south"), "without agreement the legal reading stands"


# --- calls about a stroke --------------------------------------------------------------------------------------------


def test_an_appeal_is_taken_until_the_next_stroke() -> None:
    call = {"event": "call", "clause": "club-33", "seat": "south"}
    club = start("club", "5 5")
    in_time = play(club, shot("W"), call)[-1]
    assert ([one["clause"] for one in in_time["fouls"]], in_time["turn"]) == (["club-33"], "north")
    late = play(club, shot(), shot("B", seat="north"), call)[-1]
    assert set(late) == {"seq", "event", "error"}
    assert "club-132" in late["error"]


@pytest.mark.parametrize(
    ("book", "clause", "flag", "strokes"),
    [
        ("icf", "icf-134", "hand_touched_piece", [north()]),
        ("icf", "icf-33", "push", [shot()]),
        ("classic", "classic-15", "elbow", [shot(), north()]),
    ],
)
def test_a_call_of_what_is_flagged_answers_the_flag_whatever_was_played_since(
    book: str, clause: str, flag: str, strokes: list[Any]
) -> None:
    flagged = shot("W" if len(strokes) > 1 or flag == "push" else "", flags=[flag])
    before = [start(book, position=MID), flagged, *strokes]
    called, again = play(*before, {"event": "call", "clause": clause, "seat": "south"}, ANSWER_FOUL)[-2:]
    answered = play(*before, ANSWER_FOUL)[-1]
    assert state_of(called) == state_of(answered), "one act is paid for once"
    assert "answered already" in again["error"]


def test_a_ruling_is_sealed_unless_a_question_is_open_on_it_or_on_one_that_it_builds_on() -> None:
    state = begin(BOOKS)
    said = []
    for event in (at(), {**shot("W"), "doubts": [COLOUR]}, shot("W"), shot()):
        state, ruling = apply(state, event_from_json(event))
        said.append(ruling.sealed)
    assert said == [True, False, False, False]
    assert [ruling.sealed for _, ruling in rulings(state)] == said
    state, ruling = apply(state, event_from_json({"event": "answer", "ask": 2, "choice": "white"}))
    assert ruling.sealed
    assert all(ruling.sealed for _, ruling in rulings(state))


# --- voids -----------------------------------------------------------------------------------------------------------


def test_a_void_takes_back_the_stroke_and_what_came_after() -> None:
    placed = {"event": "placed", "pieces": []}
    deduct = {"event": "call", "action": "deduct", "clause": "icf-20", "seat": "south", "points": 3}
    begin_ = at(score={"south": 5})
    rulings_ = play(begin_, shot("W"), shot(), placed, deduct, {"event": "void"}, {"event": "void"})
    assert rulings_[4]["score"]["south"] == 2
    assert (rulings_[5]["void"], state_of(rulings_[5])) == (True, state_of(rulings_[1]))
    assert state_of(rulings_[6]) == state_of(rulings_[0])
    assert "error" in play(begin_, {"event": "void"})[-1]


def test_a_void_keeps_who_sits_where_and_a_stop() -> None:
    swap = {"event": "seats", "seats": {"south": "Ben", "north": "Asha"}}
    rulings_ = play(at(), shot(), swap, {"event": "pause"}, {"event": "void"}, {"event": "resume"}, north("W"))
    assert rulings_[4]["turn"] == "north", "Asha sits north now"
    assert rulings_[6]["left"]["white"] == 4


def test_a_void_opens_a_finished_board_again() -> None:
    near = at(left={"white": 1, "black": 5}, queen="covered", queen_side="south")
    rulings_ = play(near, shot("W"), {"event": "void"})
    assert rulings_[1]["board"]["over"]
    assert state_of(rulings_[2]) == state_of(rulings_[0])


def test_a_replayed_board_takes_its_points_back() -> None:
    near = at(left={"white": 1, "black": 5}, queen="covered", queen_side="south")
    rulings_ = play(near, shot("W"), {"event": "void", "clause": "icf-140"})
    assert (rulings_[1]["score"]["south"], rulings_[2]["score"]["south"]) == (8, 0)
    assert (rulings_[2]["turn"], rulings_[2]["board"]["over"]) == ("south", False)


def test_a_replay_of_the_board_that_a_stroke_opened_leaves_the_one_before_alone() -> None:
    near = at(left={"white": 1, "black": 5}, queen="covered", queen_side="south")
    replay = {"event": "void", "clause": "icf-142"}
    rulings_ = play(near, shot("W"), north("W"), replay, correct(1, {**near, "seats": {"south": "Al", "north": "Bo"}}))
    for ruling in rulings_[3:]:
        assert (ruling["board"]["number"], ruling["turn"], ruling["score"]["south"]) == (2, "north", 8)
        assert ruling["left"] == {"white": 9, "black": 9, "queen": 1}
    assert play(near, shot("W"), {"event": "next_board"}, replay)[-1]["score"]["south"] == 8


# --- overrides -------------------------------------------------------------------------------------------------------


def override(seq: int, **parts: Any) -> dict[str, Any]:
    return {"event": "override", "seq": seq, "set": parts, "reason": "the umpire saw it"}


def test_an_override_sets_parts_and_re_rules_what_followed() -> None:
    rulings_ = play(at(), shot("W"), shot(), override(2, left={"white": 5}, owed={"south": 1}))
    # the stroke that followed pays the debt that the override put on the account
    assert (rulings_[3]["left"]["white"], rulings_[3]["owed"]["south"]) == (6, 0)
    turned = play(at(), shot("W"), override(2, turn="north"), north())
    assert (turned[2]["turn"], turned[3]["turn"]) == ("north", "south")
    scored = play(at(), shot(), override(2, score={"north": 7}, board={"number": 4}))
    assert (scored[2]["score"]["north"], scored[2]["board"]["number"]) == (7, 4)


@pytest.mark.parametrize(
    "parts",
    [
        {"left": {"white": 10}},
        {"left": {"queen": 0}},
        {"queen": "covered", "queen_side": "south", "left": {"queen": 1}},
        {"queen": "board", "queen_side": "south"},
        {"left": {"white": 0}},
        {"turn": "east"},
        {"score": {"east": 3}},
    ],
)
def test_an_override_that_does_not_add_up_is_refused(parts: dict[str, Any]) -> None:
    rulings_ = play(at(), shot("W"), override(2, **parts), shot())
    assert set(rulings_[2]) == {"seq", "event", "error"}
    assert rulings_[3]["left"] == rulings_[1]["left"]


# --- corrections -----------------------------------------------------------------------------------------------------


def correct(seq: int, event: dict[str, Any]) -> dict[str, Any]:
    return {"event": "correct", "seq": seq, "with": event}


def test_a_correction_equals_playing_it_that_way() -> None:
    rest = [shot("W"), shot("W W"), shot(), north("B"), north("S")]
    wrong = play(at(), shot("W W"), *rest[1:], correct(2, rest[0]))[-1]
    right = play(at(), *rest)[-1]
    assert state_of(wrong) == state_of(right)


def test_who_struck_counts_as_on_turn_when_re_ruled() -> None:
    # south missed after all: north had the turn, but south struck again, and that stands as played
    rulings_ = play(at(), shot("W"), shot("W"), shot(), north("B"), correct(2, shot()))
    assert rulings_[5]["left"] == {"white": 4, "black": 4, "queen": 1}
    assert rulings_[5]["turn"] == "north"


def test_corrections_of_corrections_answers_calls_and_voids() -> None:
    call = {"event": "call", "clause": "icf-33", "seat": "south"}
    fouled = play(at(), shot("W"), call, correct(3, {"event": "placed", "pieces": []}))[-1]
    assert (fouled["left"]["white"], fouled["turn"]) == (4, "south"), "the call never was"
    asked = {**shot("W"), "doubts": [COLOUR]}
    other = {"event": "answer", "ask": 2, "choice": "black"}
    answered = play(at(), asked, {**other, "choice": "white"}, correct(3, other))[-1]
    assert answered["left"] == {"white": 5, "black": 4, "queen": 1}
    voided = play(at(), shot("W"), shot(), {"event": "void"}, correct(4, {"event": "placed", "pieces": []}))[-1]
    assert (voided["left"]["white"], voided["turn"]) == (4, "north")
    nothing = {"event": "placed", "pieces": []}
    again = play(at(), shot("W"), shot(), {"event": "void"}, correct(4, nothing), correct(5, nothing))[-1]
    assert (again["left"]["white"], again["turn"]) == (4, "south"), "the void stands after all"
    recalled = play(at(), shot("W"), call, correct(3, nothing), correct(4, nothing))[-1]
    assert (recalled["left"]["white"], recalled["turn"]) == (6, "north"), "and so does the call"
    twice = play(at(), shot("W"), correct(2, shot("W W")), correct(3, {"event": "placed", "pieces": []}))[-1]
    assert twice["left"]["white"] == 4
    start_ = play(at(), shot("W"), correct(1, start("icf", position={**MID, "left": {"white": 3}})))[-1]
    assert start_["left"]["white"] == 2


def test_corrections_of_one_stroke_are_taken_back_in_any_order() -> None:
    told = [at(), shot("W"), correct(2, shot("W W")), correct(2, shot("B"))]
    assert play(*told, correct(3, SET))[-1]["left"] == {"white": 5, "black": 4, "queen": 1}
    assert play(*told, correct(3, SET), correct(4, SET))[-1]["left"] == {"white": 4, "black": 5, "queen": 1}
    assert play(*told, correct(4, SET))[-1]["left"] == {"white": 3, "black": 5, "queen": 1}


def test_what_a_correction_put_in_a_calls_place_goes_with_it() -> None:
    called = {"event": "call", "clause": "icf-33", "seat": "south"}
    state = begin(BOOKS)
    for event in (at(), shot("W"), called, correct(3, called | {"clause": "icf-32"}), correct(4, SET)):
        state, _ = apply(state, event_from_json(event))
    stroke = next(ruling for _, ruling in rulings(state) if ruling.seq == 2)
    assert [one.clause for one in stroke.fouls] == ["icf-33"]


@pytest.mark.parametrize("order", [(2, 3), (3, 2)])
def test_a_stroke_that_was_played_in_turn_keeps_it_when_it_is_itself_corrected(order: tuple[int, int]) -> None:
    position = {"left": {"white": 6, "black": 6}, "break_done": True}
    told = [start("club", white="south", position=position), shot("W"), shot(), north()]
    said = {2: shot(), 3: shot("W W")}
    *_, last = play(*told, *({"event": "correct", "seq": seq, "with": said[seq]} for seq in order))
    assert (last["left"]["white"], last["turn"]) == (4, "south")


def test_a_correction_that_makes_a_later_event_impossible_says_so() -> None:
    near = at(left={"white": 2, "black": 5}, queen="covered", queen_side="south", games={"south": 1}, board=8)
    rulings_ = play(near, shot(), north(), shot("W"), correct(2, shot("W W")))
    assert (rulings_[4]["board"]["winner"], rulings_[4]["winner"]) == ("south", "south")
    state = begin(BOOKS)
    for event in (near, shot(), north(), shot("W"), correct(2, shot("W W"))):
        state, _ = apply(state, event_from_json(event))
    notes = {ruling.seq: ruling.notes for _, ruling in rulings(state)}
    assert any("does not apply any more" in note for seq in (3, 4) for note in notes[seq])


@pytest.mark.parametrize(
    "event", [correct(9, shot()), correct(2, {"event": "shot"}), correct(2, at()), correct(1, shot())]
)
def test_a_correction_that_cannot_be_changes_nothing(event: dict[str, Any]) -> None:
    rulings_ = play(at(), shot("W"), event, shot())
    assert "error" in rulings_[2]
    assert rulings_[3]["left"]["white"] == 4


def test_the_difference_is_shown_before_it_is_accepted() -> None:
    state = begin(BOOKS)
    for event in (at(), shot("W"), shot()):
        state, _ = apply(state, event_from_json(event))
    changes = {
        (one.seq, one.field): (one.before, one.after)
        for one in difference(state, event_from_json(correct(2, shot("B"))))
    }
    assert changes[(2, "left")][1] == {"white": 5, "black": 4, "queen": 1}
    assert changes[(2, "turn")] == ("south", "north")
    assert (4, "left") in changes
    assert state.seq == 3, "nothing has changed"


def test_a_called_foul_survives_a_correction_of_an_earlier_stroke() -> None:
    call = {"event": "call", "clause": "icf-33", "seat": "south"}
    rulings_ = play(at(), shot("W"), shot("W"), call, correct(2, shot("W W")))
    assert (rulings_[4]["turn"], rulings_[4]["left"]["white"]) == ("north", 4)


def test_a_void_takes_back_no_stroke_of_a_trial_board() -> None:
    told = [start("icf"), {"event": "trial"}, shot(), {"event": "play"}]
    *_, refused, five, again = play(*told, {"event": "void"}, shot("W W W W W"), {"event": "play"})
    assert refused["error"] == "there is no stroke to take back"
    assert five["left"]["white"] == again["left"]["white"] == 4
    assert "trial" not in five


@pytest.mark.parametrize(
    ("book", "clause", "last"),
    [("icf", "icf-136", shot("B B B", placement={"lines": "one"})), ("club", "club-148", shot("W"))],
)
def test_a_try_between_two_boards_opens_none_once_it_is_confirmed(book: str, clause: str, last: dict[str, Any]) -> None:
    position = {"left": {"white": 1, "black": 3}, "queen": "covered", "queen_side": "north", "break_done": True}
    told = [start(book, position=position, **({"white": "south"} if book == "club" else {})), last]
    tried = [north(flags=["practice"]), {"event": "call", "clause": clause, "seat": "north"}]
    before, _, called = play(*told, *tried)[1:]
    assert called["fouls"][0] == {**called["fouls"][0], "clause": clause, "status": "ruled"}
    assert state_of(called) == state_of(before)
