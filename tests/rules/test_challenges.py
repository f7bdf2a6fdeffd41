"""Challenges: who may make one and when, what a verdict does, what stands until then."""

from __future__ import annotations

from typing import Any

import pytest

from controller.events.codec import event_from_json
from controller.events.errors import ConfigError
from controller.mqtt.scoreboard import in_words
from controller.rules import apply, begin, difference, expectation, sealed, standing
from controller.rules.notation import disagreements, notation_of
from controller.rules.shelf import load_book
from tests.rules.scenes import BOOKS, expected_next, play, shot, start

Json = dict[str, Any]
NOTHING = {"event": "set", "position": {}}


def match(most: int = 1, book: str = "icf", at: str = "5 5", **policy: Any) -> Json:
    return start(book, at, policy={"challenges": most, **policy})


def challenge(seat: str = "north", stroke: int = 2, about: str = "count") -> Json:
    return {"event": "challenge", "seat": seat, "stroke": stroke, "about": about}


def verdict(result: str, seq: int = 3, **more: Any) -> Json:
    return {"event": "verdict", "challenge": seq, "result": result, **more}


def upheld(event: Json, seq: int = 3, **more: Any) -> Json:
    return verdict("upheld", seq, **{"with": event}, **more)


def correct(seq: int, event: Json) -> Json:
    return {"event": "correct", "seq": seq, "with": event}


def north(text: str = "", **facts: Any) -> Json:
    return shot(text, seat="north", **facts)


def figures(ruling: Json) -> Json:
    keys = ("turn", "queen", "queen_side", "left", "in_hand", "owed", "board", "score", "games", "match_over", "winner")
    return {key: ruling[key] for key in keys}


# --- who may, and when -----------------------------------------------------------------------------------------------


def test_a_challenge_changes_no_figure_and_says_what_is_left() -> None:
    stroke, asked = play(match(2), shot("W"), challenge())[1:]
    assert figures(asked) == figures(stroke)
    assert asked["challenge"] == {
        "seq": 3,
        "side": "north",
        "stroke": 2,
        "about": "count",
        "result": None,
        "verdict": None,
    }
    assert asked["challenges_left"] == {"south": 2, "north": 2}
    assert "challenges_left" not in stroke


REFUSED = [
    ("no policy", [start("icf", "5 5"), shot("W"), challenge()], "set policy challenges to 1 or more"),
    ("nobody's seat", [match(), shot("W"), challenge("east")], "nobody sits at east. Fix: name one of south, north"),
    ("no stroke", [match(), challenge()], "none has been played"),
    ("an earlier stroke", [match(), shot("W"), shot("W"), challenge(stroke=2)], "Fix: challenge event 3"),
    ("no stroke's number", [match(), shot("W"), {"event": "pause"}, challenge(stroke=3)], "Fix: challenge event 2"),
    ("a second one", [match(), shot("W"), challenge(), challenge("south")], "challenge 3 has no verdict yet"),
    (
        "none left",
        [match(), shot("W"), challenge(), verdict("rejected"), challenge()],
        "north has none of its 1 challenges left",
    ),
    ("no challenge", [match(), shot("W"), verdict("rejected", 2)], "event 2 is no challenge without a verdict"),
    ("another one", [match(), shot("W"), challenge(), verdict("rejected", 2)], "Fix: name 3"),
    (
        "decided",
        [match(), shot("W"), challenge(), verdict("inconclusive"), verdict("rejected")],
        "take the verdict on it back first",
    ),
    ("upheld alone", [match(), shot("W"), challenge(), verdict("upheld")], "give event 2 as it should have been"),
    (
        "rejected with",
        [match(), shot("W"), challenge(), verdict("rejected", **{"with": shot()})],
        "a challenge that is rejected changes nothing",
    ),
    ("unreadable", [match(), shot("W"), challenge(), upheld({"event": "shot"})], "with: seat is missing"),
    (
        "a start",
        [match(), shot("W"), challenge(), upheld(match())],
        "a start stands at the beginning of a match and nowhere else",
    ),
    (
        "no call",
        [match(), shot("W"), challenge(about="foul"), verdict("upheld")],
        "no call, confirmed foul or timeout after event 2 can be taken back",
    ),
]


@pytest.mark.parametrize(("events", "why"), [one[1:] for one in REFUSED], ids=[one[0] for one in REFUSED])
def test_what_is_refused_changes_nothing_and_says_why(events: list[Json], why: str) -> None:
    *_, last = play(*events)
    assert set(last) == {"seq", "event", "error"}
    assert why in last["error"]


@pytest.mark.parametrize(
    "event",
    [
        shot("W"),
        {"event": "timeout", "seat": "south"},
        {"event": "pass", "seat": "south"},
        {"event": "play"},
    ],
    ids=lambda event: event["event"],
)
def test_play_waits_for_the_verdict(event: Json) -> None:
    *_, refused, _, again = play(match(), shot("W"), challenge(), event, verdict("rejected"), event)
    assert "challenge 3 has no verdict yet" in refused["error"]
    assert "error" not in again


def test_no_board_opens_and_no_point_is_claimed_while_its_end_is_challenged() -> None:
    near = start("icf", "1 5 mine", policy={"challenges": 1})
    board = [near, shot("W"), challenge()]
    over, asked, refused = play(*board, {"event": "next_board"})[1:]
    assert over["board"]["over"]
    assert asked["board"] == over["board"]
    assert "no verdict yet" in refused["error"]
    assert "no verdict yet" in play(*board, {"event": "claim", "points": 1})[-1]["error"]
    reopened = play(*board, upheld(shot()))[-1]
    assert (reopened["board"]["over"], reopened["turn"]) == (False, "north")


def test_a_word_of_the_umpire_never_waits() -> None:
    for event in ({"event": "pause"}, correct(2, shot("B")), {"event": "void"}, {"event": "drop", "piece": "black"}):
        assert "error" not in play(match(), shot("W"), challenge(), event)[-1]


def test_the_last_stroke_of_a_match_may_be_challenged() -> None:
    end = start("icf", "1 5 mine", policy={"challenges": 1, "points": 5, "boards": 0, "games": 1})
    over, _, back = play(end, shot("W"), challenge(), upheld(shot()))[1:]
    assert (over["match_over"], over["winner"]) == (True, "south")
    assert (back["match_over"], back["winner"], back["turn"]) == (False, None, "north")


def test_a_side_keeps_its_number_when_the_players_change_ends() -> None:
    swap = {"event": "seats", "seats": {"south": "Ben", "north": "Asha"}}
    *_, asked, lost = play(match(), shot("W"), swap, challenge("south"), verdict("rejected", 4))
    assert (asked["seat"], asked["challenge"]["side"]) == ("south", "north")
    assert lost["challenges_left"] == {"south": 1, "north": 0}


# --- verdicts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keeps", "result", "left"),
    [
        (["upheld", "inconclusive"], "rejected", 1),
        (["upheld", "inconclusive"], "inconclusive", 2),
        (["upheld", "inconclusive"], "upheld", 2),
        ([], "upheld", 1),
        (["rejected"], "rejected", 2),
        (["rejected"], "inconclusive", 1),
    ],
)
def test_what_is_kept_is_the_policys(keeps: list[str], result: str, left: int) -> None:
    given = upheld(shot()) if result == "upheld" else verdict(result)
    last = play(match(2, challenge_keeps=keeps), shot("W"), challenge(), given)[-1]
    assert last["challenges_left"] == {"south": 2, "north": left}
    assert (last["challenge"]["result"], last["challenge"]["verdict"]) == (result, 4)


def test_a_verdict_says_in_one_line_who_decided_why_and_what_is_left() -> None:
    *_, last = play(match(2), shot("W"), challenge(), verdict("rejected", by="Chitra", reason="seen twice"))
    assert in_words(last) == "challenge rejected (Chitra: seen twice), left: south 2, north 1"
    *_, last = play(match(), shot("W"), challenge(), verdict("inconclusive"))
    assert in_words(last) == "challenge not clear, left: south 1, north 1"


@pytest.mark.parametrize("result", ["rejected", "inconclusive"])
def test_one_that_is_not_upheld_changes_no_figure(result: str) -> None:
    stroke, asked, decided = play(match(), shot("W"), challenge(), verdict(result, reason="seen twice"))[1:]
    assert figures(decided) == figures(asked) == figures(stroke)
    assert (decided["changed"], decided["place_now"], decided["take_off"]) == ([], [], [])
    assert (decided["turn_kept"], decided["notes"]) == (None, ["seen twice"])


def test_an_upheld_one_is_a_correction_like_any_other() -> None:
    before = [match(), shot("W"), challenge()]
    other = shot("B", placement={"lines": "one"})
    by_verdict, corrected = play(*before, upheld(other, by="Chitra"))[-1], play(*before, correct(2, other))[-1]
    more = {"seq", "event", "challenge", "challenges_left", "sealed"}
    assert {key: one for key, one in by_verdict.items() if key not in more} == {
        key: one for key, one in corrected.items() if key not in more
    }
    assert [one["seq"] for one in by_verdict["changed"]] == [2, 3]


def test_the_difference_is_shown_before_the_verdict() -> None:
    state = begin(BOOKS)
    for event in (match(), shot("W"), challenge()):
        state, _ = apply(state, event_from_json(event))
    found = {(one.seq, one.field): one.after for one in difference(state, event_from_json(upheld(shot())))}
    assert (found[(2, "turn")], found[(4, "turn")]) == ("north", "north")
    assert standing(state) is not None
    assert standing(state).challenges[0].seq == 3  # type: ignore[union-attr]


@pytest.mark.clause("club-94")
def test_club_cites_the_clause_of_disputes() -> None:
    begun = start("club", "5 5", policy={"challenges": 1})
    asked, rejected = play(begun, shot("W"), challenge(), verdict("rejected"))[2:]
    assert asked["cites"] == rejected["cites"] == ["club-94"]
    assert play(begun, shot("W"), challenge(), upheld(shot()))[-1]["cites"][-2:] == ["club-118", "club-94"]
    off = begun | {"autonomy": {"club-94": "off"}}
    assert play(off, shot("W"), challenge())[-1]["cites"] == []


def test_an_upheld_one_takes_the_timeout_after_the_stroke_back() -> None:
    out = {"event": "timeout", "seat": "south"}
    told = [match(), shot("W"), out, challenge("south", about="time")]
    stroke, late, _, back = play(*told, verdict("upheld", 4))[1:]
    assert late["fouls"][0]["clause"] == "icf-50"
    assert figures(back) == figures(stroke)
    assert [one["seq"] for one in back["changed"]] == [3, 4]
    assert (
        "no call, confirmed foul or timeout"
        in play(match(), shot("W"), challenge("south", about="time"), verdict("upheld"))[-1]["error"]
    )


def test_an_upheld_one_takes_the_call_against_the_stroke_back() -> None:
    called = {"event": "call", "clause": "icf-33", "seat": "south"}
    stroke, fouled, _, back = play(match(), shot("W"), called, challenge("south", about="foul"), verdict("upheld", 4))[
        1:
    ]
    assert fouled["turn"] == "north"
    assert (back["fouls"], figures(back)) == ([], figures(stroke))
    waved = {"event": "call", "clause": "icf-33", "action": "wave_off"}
    told = play(match(), shot("W"), waved, challenge("south", about="foul"), verdict("upheld", 4))
    assert "no call, confirmed foul or timeout" in told[-1]["error"], "a wave-off is no foul"


def test_an_upheld_one_answers_anew_where_a_flag_was_confirmed() -> None:
    answered = {"event": "answer", "ask": 2, "choice": "foul"}
    told = [match(), shot("W", flags=["push"]), answered, challenge("south", about="foul"), verdict("upheld", 4)]
    _, flagged, fouled, _, back = play(*told)
    assert (fouled["fouls"][0]["status"], fouled["turn"]) == ("ruled", "north")
    assert (back["fouls"], back["asks"], back["turn"]) == ([], [], "south")
    assert back["left"] == flagged["left"]
    undone = play(*told, correct(5, NOTHING))[-1]
    assert (undone["turn"], undone["left"]) == ("north", fouled["left"]), "the foul is confirmed again"


def test_a_call_before_the_stroke_stands() -> None:
    technical = {"event": "call", "clause": "icf-131", "seat": "north"}
    told = [match(), shot("W"), technical, shot("W"), challenge("north", 4, "foul"), verdict("upheld", 5)]
    assert "no call, confirmed foul or timeout after event 4" in play(*told)[-1]["error"]


# --- taken back ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [upheld(shot()), verdict("rejected")], ids=["upheld", "rejected"])
def test_a_verdict_taken_back_leaves_the_challenge_pending(given: Json) -> None:
    stroke, _, _, undone, refused, again = play(
        match(), shot("W"), challenge(), given, correct(4, NOTHING), shot("W"), verdict("rejected")
    )[1:]
    assert figures(undone) == figures(stroke)
    assert undone["challenges_left"]["north"] == 1
    assert "challenge 3 has no verdict yet" in refused["error"]
    assert again["challenges_left"]["north"] == 0


def test_strokes_since_a_verdict_stand_when_it_is_taken_back_and_are_ruled_again_by_the_next() -> None:
    told = [match(2), shot("W"), challenge(), verdict("rejected"), shot("W"), shot(), correct(4, NOTHING)]
    *_, stands, undone = play(*told)
    assert figures(undone) == figures(stands), "what was played meanwhile was played"
    last = play(*told, upheld(shot()))[-1]
    assert last["left"]["white"] == stands["left"]["white"] + 1
    assert {one["seq"] for one in last["changed"]} >= {2, 5, 6}


def test_a_verdict_is_corrected_by_another_and_that_is_taken_back() -> None:
    told = [match(), shot("W"), challenge(), verdict("rejected"), correct(4, upheld(shot("B")))]
    changed = play(*told)[-1]
    assert (changed["left"]["white"], changed["left"]["black"], changed["challenges_left"]["north"]) == (5, 4, 1)
    back = play(*told, correct(5, NOTHING))[-1]
    assert (back["left"]["white"], back["left"]["black"], back["challenges_left"]["north"]) == (4, 5, 0)


def test_words_about_one_stroke_may_be_taken_back_in_any_order() -> None:
    told = [match(), shot("W"), correct(2, shot("W W")), challenge(), upheld(shot("B"), 4)]
    assert play(*told, correct(3, NOTHING))[-1]["left"] == {"white": 5, "black": 4, "queen": 1}
    assert play(*told, correct(3, NOTHING), correct(5, NOTHING))[-1]["left"] == {"white": 4, "black": 5, "queen": 1}
    assert play(*told, correct(5, NOTHING))[-1]["left"] == {"white": 3, "black": 5, "queen": 1}


def test_a_verdict_never_stands_without_its_challenge() -> None:
    told = [match(), shot("W"), challenge(), verdict("inconclusive")]
    assert "put one of these two right first" in play(*told, correct(3, NOTHING))[-1]["error"]
    withdrawn = [*told, correct(4, NOTHING), correct(3, NOTHING)]
    assert play(*withdrawn)[-1]["challenges_left"] == {"south": 1, "north": 1}
    assert "error" not in play(*withdrawn, shot("W"))[-1]
    assert "put one of these two right first" in play(*withdrawn, correct(5, NOTHING))[-1]["error"]
    twice = play(*told, correct(4, NOTHING), verdict("rejected"), correct(5, NOTHING))[-1]
    assert "event 6 is a verdict, and would not decide challenge 3" in twice["error"]


def test_a_void_takes_the_challenge_of_its_stroke_with_it() -> None:
    pending = play(match(), shot("W"), challenge(), {"event": "void"}, shot("W"))
    assert "error" not in pending[-1]
    lost = play(match(), shot("W"), challenge(), verdict("rejected"), {"event": "void"})[-1]
    assert lost["challenges_left"] == {"south": 1, "north": 1}


def test_a_void_of_a_later_stroke_leaves_a_verdict_alone() -> None:
    told = [match(), shot("W"), challenge(), verdict("rejected"), shot("W"), correct(4, NOTHING), upheld(shot("B"))]
    last = play(*told, {"event": "void"})[-1]
    assert (last["left"], last["turn"]) == ({"white": 5, "black": 4, "queen": 1}, "north")
    again = play(*told, {"event": "void"}, north("B"))[-1]
    assert "error" not in again, "challenge 3 is decided"


def test_an_undo_that_changes_what_is_left_says_so() -> None:
    last = play(match(), shot("W"), challenge(), verdict("rejected"), correct(4, NOTHING))[-1]
    assert last["challenges_left"] == {"south": 1, "north": 1}
    more = play(
        match(), shot("W"), challenge(), verdict("rejected"), shot("W"), challenge("south", 5), correct(4, NOTHING)
    )
    says = {one["seq"]: one["says"] for one in more[-1]["changed"]}
    assert "challenges left: north 1, not 0" in says[6]


# --- what the table needs --------------------------------------------------------------------------------------------


def test_until_the_verdict_strokes_do_not_count_and_nothing_is_sealed_from_the_stroke_on() -> None:
    state = begin(BOOKS)
    for event in (match(), shot("W"), challenge()):
        state, _ = apply(state, event_from_json(event))
    now = standing(state)
    assert now is not None
    assert ([one.stroke for one in now.challenges], dict(now.challenges_left)) == ([2], {"south": 1, "north": 1})
    assert not expectation(state).play
    assert [sealed(state, seq) for seq in (1, 2, 3)] == [True, False, False]
    state, _ = apply(state, event_from_json(verdict("inconclusive")))
    now = standing(state)
    assert now is not None
    assert now.challenges == ()
    assert expectation(state).play
    assert [sealed(state, seq) for seq in (1, 2, 3, 4)] == [True] * 4


def test_a_pause_stays_a_pause() -> None:
    paused = expected_next(match(), shot("W"), {"event": "pause"}, challenge(), verdict("rejected", 4))
    assert not paused.play


def test_a_match_as_notation_has_what_the_verdict_made_of_the_stroke() -> None:
    state = begin(BOOKS)
    for event in (
        match(),
        shot("W"),
        challenge(),
        upheld(shot("B")),
        north(),
        challenge("south", 5),
        verdict("rejected", 6),
    ):
        state, _ = apply(state, event_from_json(event))
    document = notation_of(state)
    record = [entry for _, _, entry in document.entries()]
    assert [(entry.seq, entry.facts.event, entry.corrected) for entry in record] == [
        (2, "shot", True),
        (5, "shot", False),
    ]
    assert disagreements(document, BOOKS) == ()


# --- policy ----------------------------------------------------------------------------------------------------------


def test_no_book_has_challenges_of_its_own() -> None:
    for book in BOOKS.values():
        policy = {key: book.policy[key] for key in ("challenges", "challenge_keeps", "challenge_minutes")}
        assert policy == {"challenges": 0, "challenge_keeps": ["upheld", "inconclusive"], "challenge_minutes": 0}


def test_a_tournament_sets_them_and_a_house_book_too(tmp_path: Any) -> None:
    told = start("icf", policy={"challenges": 2, "challenge_minutes": 3, "challenge_keeps": []}, tournament=True)
    assert "error" not in play(told)[0]
    page = tmp_path / "hall.toml"
    page.write_text('id = "hall"\ntitle = "Hall"\nextends = "icf"\n[policy]\nchallenge_keeps = ["rejected"]\n')
    assert load_book(page).policy["challenge_keeps"] == ["rejected"]
    page.write_text('id = "hall"\ntitle = "Hall"\nextends = "icf"\n[policy]\nchallenge_keeps = ["lost"]\n')
    with pytest.raises(ConfigError, match="must be a list of some of upheld, rejected, inconclusive"):
        load_book(page)


@pytest.mark.parametrize("value", ["upheld", ["upheld", "upheld"], ["maybe"], [["upheld"]], None, 1])
def test_a_list_of_words_is_some_of_them_each_once(value: Any) -> None:
    assert "some of upheld, rejected, inconclusive" in play(match(challenge_keeps=value))[0]["error"]
