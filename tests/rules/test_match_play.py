"""Everything round the strokes: starts and positions, seats, games, calls and actions, pauses, trial boards."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from controller.commands.rule import rule_line
from controller.events.codec import event_from_json, event_to_json, ruling_to_json
from controller.events.errors import EventError
from controller.rules import begin
from tests.rules.scenes import BOOKS, play, shot, start

FOUR = {"south": "A", "east": "B", "north": "C", "west": "D"}


def north(text: str = "", **facts: Any) -> dict[str, Any]:
    return shot(text, seat="north", **facts)


def refused(*events: dict[str, Any]) -> str:
    ruling = play(*events)[-1]
    assert set(ruling) == {"seq", "event", "error"}, ruling
    return str(ruling["error"])


def stream(*lines: str) -> list[dict[str, Any]]:
    """What `carrom rule` answers to these lines."""
    state, answers = begin(BOOKS), []
    for line in lines:
        state, ruling = rule_line(state, line, None)
        answers.append(ruling_to_json(ruling))
    return answers


# --- start -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "word"),
    [
        ({"book": "nobody"}, "book"),
        ({"seats": {"south": "Asha"}}, "seats"),
        ({"seats": {"south": "A", "north": "B", "east": "C"}}, "seats"),
        ({"seats": {"south": "A", "north": "A"}}, "same name"),
        ({"first": "east"}, "first"),
        ({"white": "north"}, "white"),
        ({"policy": {"pointz": 3}}, "pointz"),
        ({"policy": {"points": "25"}}, "points"),
        ({"policy": {"points": -1}}, "points"),
        ({"policy": {"own_in_foul": "kept"}}, "own_in_foul"),
        ({"policy": {"gap_Q03": "RET 9 LOSE"}}, "gap_Q03"),
        ({"autonomy": {"icf-33": "maybe"}}, "icf-33"),
        ({"autonomy": {"icf-999": "rule"}}, "icf-999"),
        ({"toss": {"winner": "south", "choice": "black"}}, "toss"),
        ({"position": {"left": {"white": 10}}}, "left.white"),
        ({"position": {"left": {"white": 0}}}, "left.white"),
        ({"position": {"queen": "covered"}}, "queen_side"),
        ({"position": {"left": {"queen": 0}}}, "queen"),
        ({"position": {"queen": "board", "queen_side": "south"}}, "queen_side"),
        ({"position": {"queen": "pending", "queen_side": "north", "turn": "south"}}, "queen_side"),
        ({"position": {"turn": "east"}}, "turn"),
        ({"position": {"games": {"south": 2}}}, "games"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_start_that_cannot_be_is_refused(more: dict[str, Any], word: str) -> None:
    answer = stream(json.dumps({**start("icf"), **more}))[-1]
    assert set(answer) == {"seq", "event", "error"}
    assert word in answer["error"]
    assert answer["seq"] == 1


def test_who_began_the_game_follows_from_the_board_by_alternation() -> None:
    at = {"left": {"white": 1, "black": 2}, "queen": "covered", "queen_side": "south", "score": {"south": 23}}
    # south broke board 2, so north began the game, and south begins the next one
    ended = play(start("icf", position={**at, "board": 2}), shot("W"), {"event": "next_board"})
    assert (ended[1]["game_over"], ended[1]["turn"], ended[2]["board"]["number"]) == (True, "south", 1)
    ended = play(start("icf", position={**at, "board": 3}), shot("W"))
    assert ended[1]["turn"] == "north"


def test_the_toss_may_say_who_breaks() -> None:
    begin_ = {"event": "start", "book": "icf", "seats": {"south": "A", "north": "B"}}
    assert play({**begin_, "toss": {"winner": "north", "choice": "break"}})[0]["turn"] == "north"
    assert play({**begin_, "toss": {"winner": "north", "choice": "side"}})[0]["turn"] == "south"
    assert play(begin_)[0]["turn"] == "south"


def test_sides_are_named_by_their_first_seat_in_the_order_of_seats() -> None:
    seats = {"west": "D", "north": "C", "east": "B", "south": "A"}
    ruling = play({"event": "start", "book": "icf", "seats": seats, "first": "west"})[0]
    assert list(ruling["score"]) == ["west", "north"]
    teams = [["south", "east"], ["north", "west"]]
    ruling = play({"event": "start", "book": "icf", "seats": FOUR, "teams": teams, "first": "south"})[0]
    assert list(ruling["score"]) == ["south", "north"]
    assert "teams" in refused({"event": "start", "book": "club", "seats": FOUR, "first": "south"})


def test_a_player_is_one_whichever_keyboard_writes_the_name() -> None:
    composed, apart = "Zoë Müller", "Zoe\u0308 Mu\u0308ller"
    begin_ = {"event": "start", "book": "icf", "seats": {"south": apart, "north": "Ben"}, "first": "south"}
    assert event_to_json(event_from_json(begin_))["seats"] == {"south": composed, "north": "Ben"}
    for written in (composed, apart, "zoë  MÜLLER"):
        swap = {"event": "seats", "seats": {"south": "Ben", "north": written}}
        assert play(begin_, swap)[1]["turn"] == "north"
        assert "same name" in refused(begin_ | {"seats": {"south": apart, "north": written}})


@pytest.mark.clause("icf-27")
@pytest.mark.parametrize("book", ["icf", "club", "classic", "campus", "world", "sixes"])
@pytest.mark.parametrize("seats", [("south", "east"), ("west", "south"), ("north", "east"), ("west", "north")])
def test_two_players_sit_opposite_each_other(book: str, seats: tuple[str, str]) -> None:
    says = refused({"event": "start", "book": book, "seats": dict(zip(seats, "AB", strict=True)), "first": seats[0]})
    assert f"sit opposite each other, not at {seats[0]} and {seats[1]}; use south and north, or east and west" in says
    says = refused(start(book), {"event": "seats", "seats": dict(zip(seats, ("Asha", "Ben"), strict=True))})
    assert "sit opposite each other" in says


def test_two_players_may_sit_across_the_board_and_where_each_plays_for_himself_anywhere() -> None:
    across = {"event": "start", "book": "icf", "seats": {"east": "A", "west": "B"}, "first": "west"}
    assert play(across)[0]["turn"] == "west"
    turned = {"event": "seats", "seats": {"east": "Asha", "west": "Ben"}}
    assert play(start("icf"), turned)[1]["turn"] == "east"
    family = {"event": "start", "book": "world-family", "seats": {"south": "A", "east": "B"}, "first": "south"}
    assert play(family)[0]["turn"] == "south"


def test_clockwise_in_world_team() -> None:
    #            north
    #       west   +   east      clockwise seen from above: south, west, north, east
    #            south
    begin_ = {"event": "start", "book": "world-team", "seats": FOUR, "first": "south"}
    rulings = play(begin_, *[shot(seat=seat) for seat in ("south", "west", "north")])
    assert [one["turn"] for one in rulings] == ["south", "west", "north", "east"]


def test_seats_move_and_sides_keep_their_names() -> None:
    swap = {"event": "seats", "seats": {"south": "Ben", "north": "Asha"}}
    rulings = play(start("icf"), shot("W"), swap, north("W"), shot("B"))
    assert (rulings[2]["turn"], rulings[3]["turn"]) == ("north", "north")
    assert rulings[3]["in_hand"] == {"south": 2, "north": 0}
    assert rulings[4]["void"], "south is Ben now, and not on turn"
    assert "players" in refused(start("icf"), {"event": "seats", "seats": {"south": "Ben", "north": "Cora"}})
    moved = {"event": "seats", "seats": {"east": "A", "north": "B", "west": "C", "south": "D"}}
    doubles = play({"event": "start", "book": "icf", "seats": FOUR, "first": "south"}, shot(), moved)
    assert doubles[2]["turn"] == "north", "B, who is next, sits north now"


# --- play, trial, pause ----------------------------------------------------------------------------------------------


def test_a_trial_board_is_not_scored_and_forgotten() -> None:
    nine = "W W W W W W W W W"
    rulings = play(start("icf"), {"event": "trial"}, shot("W Q W"), shot(nine[:-4]), {"event": "play"}, shot())
    assert rulings[3]["board"]["over"]
    assert rulings[3]["score"] == {"south": 0, "north": 0}
    assert rulings[3]["trial"] is True
    assert (rulings[4]["left"]["white"], rulings[4]["turn"], rulings[4]["board"]["number"]) == (9, "south", 1)
    assert "trial" not in rulings[4]
    assert rulings[5]["turn"] == "north"
    assert "first stroke" in refused(start("icf"), shot(), {"event": "trial"})


def test_a_stroke_while_play_is_stopped_is_void() -> None:
    rulings = play(start("icf"), {"event": "pause"}, shot("W"), {"event": "resume"}, shot("W"))
    assert (rulings[2]["void"], rulings[2]["left"]["white"], rulings[4]["left"]["white"]) == (True, 9, 8)
    assert "error" in play(start("icf"), {"event": "resume"})[-1]


def test_the_round_clock() -> None:
    near = start("icf", position={"left": {"white": 1, "black": 3}, "queen": "covered", "queen_side": "north"})
    rulings = play(near, {"event": "round_over"}, shot("W"))
    assert not rulings[1]["match_over"], "the board under way is played to its end"
    assert (rulings[2]["match_over"], rulings[2]["winner"]) == (True, "south")
    between = play(near, shot("W"), {"event": "round_over"})[-1]
    assert between["match_over"]


# --- calls -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("action", ["forfeit", "disqualify"])
def test_forfeit_and_disqualification_end_the_match_or_the_game(action: str) -> None:
    call = {"event": "call", "action": action, "clause": "icf-143", "seat": "south"}
    match = play(start("icf"), call, shot())
    assert (match[1]["match_over"], match[1]["winner"], match[1]["turn"]) == (True, "north", None)
    assert "error" in match[2]
    game = play(start("icf"), {**call, "of": "game"}, {"event": "next_board"})
    assert (game[1]["match_over"], game[1]["games"], game[1]["game_over"]) == (False, {"south": 0, "north": 1}, True)
    assert (game[2]["board"]["number"], game[2]["turn"]) == (1, "north")


def test_points_are_taken_off_but_not_below_nothing() -> None:
    call = {"event": "call", "action": "deduct", "clause": "icf-20", "seat": "south"}
    begin_ = start("icf", position={"score": {"south": 3}})
    assert play(begin_, {**call, "points": 2})[-1]["score"]["south"] == 1
    assert play(begin_, {**call, "points": 9})[-1]["score"]["south"] == 0


@pytest.mark.parametrize("action", ["forfeit", "disqualify", "concede"])
def test_who_gave_the_match_stands_in_its_ruling_and_goes_with_what_is_taken_back(action: str) -> None:
    call = {"event": "call", "action": action, "clause": "icf-143", "seat": "south"}
    said = {"side": "south", "how": action, "of": "match", "game": 1, "why": "icf-143"}
    assert play(start("icf"), shot("W"), call)[-1]["given"] == [said]
    for taken_back in (
        {"event": "void"},
        {"event": "correct", "seq": 3, "with": {"event": "pause"}},
        {"event": "override", "seq": 3, "set": {"board": {"over": False}}, "reason": "he came back"},
        {"event": "set", "position": {"turn": "south"}, "reason": "he came back"},
    ):
        after = play(start("icf"), shot("W"), call, taken_back)[-1]
        assert not after["match_over"]
        assert "given" not in after


def test_a_game_that_was_given_stays_given_and_between_games_it_is_the_next_one() -> None:
    begin_ = start("icf", policy={"games": 3})
    lost = {"event": "call", "action": "disqualify", "clause": "icf-143", "seat": "south"}
    given = {"side": "south", "how": "disqualify", "of": "game", "game": 1, "why": "icf-143"}
    *_, next_game = play(begin_, lost | {"of": "game"}, {"event": "next_board"})
    assert next_game["given"] == [given]
    *_, between = play(begin_, lost | {"of": "game"}, lost | {"seat": "north"})
    assert between["given"] == [given, {**given, "side": "north", "of": "match", "game": 2}]
    assert (between["winner"], between["games"]) == ("south", {"south": 0, "north": 1})


def test_a_score_set_right_decides_anew_but_a_forfeit_stays() -> None:
    at = {"left": {"white": 1, "black": 2}, "queen": "covered", "queen_side": "south", "games": {"south": 1}}
    begin_ = start("icf", position={**at, "score": {"south": 21}})
    deduct = {"event": "call", "action": "deduct", "clause": "icf-20", "seat": "south", "points": 5}
    won = play(begin_, shot("W"), deduct, {"event": "next_board"})
    assert (won[1]["match_over"], won[1]["score"]["south"]) == (True, 26)
    assert (won[2]["match_over"], won[2]["games"]["south"], won[2]["turn"]) == (False, 1, "north")
    assert won[3]["board"]["number"] == 2
    override = {"event": "override", "seq": 2, "set": {"score": {"south": 24}}, "reason": "miscounted"}
    assert play(begin_, shot("W"), override)[-1]["match_over"] is False
    forfeit = {"event": "call", "action": "forfeit", "clause": "icf-143", "seat": "north"}
    assert play(begin_, forfeit, deduct)[-1]["match_over"] is True


def test_other_actions() -> None:
    begin_ = start("icf", position={"left": {"white": 5}})
    warn = play(begin_, {"event": "call", "action": "warn", "clause": "icf-132", "seat": "south"})[-1]
    assert (warn["fouls"], warn["left"]["white"]) == ([], 5)
    foul = play(begin_, {"event": "call", "action": "foul", "clause": "icf-132", "seat": "south"})[-1]
    assert foul["left"]["white"] == 6
    drawn = play(begin_, {"event": "call", "action": "draw"}, {"event": "next_board"})
    assert (drawn[1]["board"]["drawn"], drawn[1]["board"]["winner"], drawn[1]["turn"]) == (True, None, "north")
    assert drawn[2]["board"]["number"] == 2
    for call in (
        {"event": "call", "seat": "south"},
        {"event": "call", "clause": "icf-122"},
        {"event": "call", "clause": "icf-122", "seat": "east"},
        {"event": "call", "action": "forfeit", "clause": "icf-143"},
        {"event": "call", "clause": "club-33", "seat": "south"},
    ):
        refused(begin_, call)


def test_set_goes_on_from_a_position() -> None:
    begin_ = start("icf", position={"score": {"south": 5}})
    position = {"left": {"white": 3, "black": 4}, "queen": "covered", "queen_side": "north", "turn": "north"}
    rulings = play(begin_, shot("W"), {"event": "set", "position": position, "reason": "knocked over"}, north("B"))
    assert rulings[2]["left"] == {"white": 3, "black": 4, "queen": 0}
    assert (rulings[2]["turn"], rulings[2]["score"]["south"]) == ("north", 5)
    assert rulings[3]["left"]["black"] == 3


# --- what cannot be --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "event",
    [
        shot("W W W W W W"),
        shot("S S"),
        shot("Q Q"),
        shot(seat="east"),
        shot(off_board=["white"] * 6),
        {"event": "next_board"},
        {"event": "claim", "points": 1},
        {"event": "answer", "ask": 1, "choice": "white"},
        {"event": "void", "clause": "club-116"},
        {"event": "drop", "piece": "queen", "on_rim": True},
    ],
)
def test_an_event_that_cannot_apply_changes_nothing(event: dict[str, Any]) -> None:
    begin_ = start("icf", position={"left": {"white": 5, "black": 5}, "queen": "covered", "queen_side": "south"})
    plain, after = play(begin_, shot("W"))[-1], play(begin_, event, shot("W"))
    assert set(after[1]) == {"seq", "event", "error"}
    assert {**after[2], "seq": 2} == plain


MALFORMED: list[tuple[Any, str]] = [
    (17, "object"),
    ({}, "event"),
    ({"event": "smash"}, "smash"),
    ({"event": "shot"}, "seat"),
    ({"event": "shot", "seat": "up"}, "seat"),
    ({"event": "shot", "seat": "south", "speed": 3}, "speed"),
    ({"event": "shot", "seat": "south", "placement": {"line": "both"}}, "placement.line"),
    ({"event": "shot", "seat": "south", "placement": {"lines": "two"}}, "placement.lines"),
    ({"event": "shot", "seat": "south", "pocketed": [{"piece": "green"}]}, "pocketed[0].piece"),
    ({"event": "shot", "seat": "south", "pocketed": [{"piece": "white", "pocket": "N"}]}, "pocketed[0].pocket"),
    ({"event": "shot", "seat": "south", "crossed_baseline": -1}, "crossed_baseline"),
    ({"event": "shot", "seat": "south", "crossed_baseline": True}, "crossed_baseline"),
    ({"event": "shot", "seat": "south", "elapsed": "6"}, "elapsed"),
    ({"event": "shot", "seat": "south", "flags": ["psuh"]}, "flags[0]"),
    ({"event": "shot", "seat": "south", "unseen": ["smell"]}, "unseen[0]"),
    ({"event": "shot", "seat": "south", "doubts": [{"fact": "seat"}]}, "choices"),
    ({"event": "shot", "seat": "south", "left_baseline": "yes"}, "left_baseline"),
    ({"event": "call", "action": "shout"}, "action"),
    ({"event": "claim", "points": 0}, "points"),
    ({"event": "drop", "piece": "striker"}, "piece"),
    ({"event": "override", "seq": 1, "set": {"fouls": []}}, "set.fouls"),
    ({"event": "correct", "seq": 0, "with": {}}, "seq"),
    ({"event": "seats", "seats": []}, "seats"),
    (
        {"event": "placed", "pieces": [{"piece": "white", "x": 1e9, "y": 0}]},
        "pieces[0].x must be at most 2000, not 1000",
    ),
    (
        {"event": "placed", "pieces": [{"piece": "white", "x": 0, "y": -2001}]},
        "pieces[0].y must be at least -2000, not -2001",
    ),
    ({"event": "seen", "what": "upright", "at": [0, 1e9]}, "at[1] must be at most 2000"),
    (
        {"event": "shot", "seat": "south", "rest": [{"piece": "white", "x": -1e9, "y": 0}]},
        "rest[0].x must be at least -2000",
    ),
    ({"event": "shot", "seat": "south", "placement": {"x": 1e9}}, "placement.x must be at most 2000"),
    (
        {"event": "shot", "seat": "south", "contacts": [{"with": "cushion", "at": [1e9, 0]}]},
        "contacts[0].at[0] must be at most",
    ),
]


@pytest.mark.parametrize(("body", "named"), MALFORMED)
def test_a_malformed_event_names_what_is_wrong(body: Any, named: str) -> None:
    with pytest.raises(EventError, match=re.escape(named)) as caught:
        event_from_json(body)
    assert "\n" not in str(caught.value)


def test_envelope_fields_are_let_through() -> None:
    body = {"event": "pause", "t": 3.2, "at": 1.0, "id": "x", "by": "umpire", "note": ""}
    assert event_to_json(event_from_json(body)) == {"event": "pause"}


@pytest.mark.parametrize(
    "said",
    [
        {"event": "call", "clause": "icf-30", "seat": "south"},
        {"event": "call", "action": "warn", "seat": "south"},
        {"event": "void"},
        {"event": "pause"},
        {"event": "correct", "seq": 2, "with": shot("W")},
        {"event": "override", "seq": 2, "set": {"score": {"south": 3}}},
        {"event": "set", "position": {"turn": "south"}},
    ],
    ids=lambda said: said["event"],
)
def test_a_reason_is_kept_with_every_word_and_stands_in_its_ruling(said: dict[str, Any]) -> None:
    said = said | {"reason": "his sleeve"}
    assert event_to_json(event_from_json(said))["reason"] == "his sleeve"
    (*_, ruling) = play(start("icf"), shot(), said)
    assert ruling["notes"].count("his sleeve") == 1


def test_events_are_written_as_they_are_read() -> None:
    body = shot(
        "W S", placement={"lines": "one", "x": 1.0}, contacts=[{"with": "cushion", "at": [0.0, 3.0]}], flags=["push"]
    )
    body |= {"doubts": [{"fact": "seat", "choices": [["south", 1.0], ["north", 0.5]], "evidence": {"frames": [1, 2]}}]}
    event = event_from_json(body)
    assert event_from_json(event_to_json(event)) == event


# --- taken back by a position that sets nothing; colours the wrong way round ------------------------------------------


WHITE = [{"piece": "white"}]


@pytest.mark.parametrize(
    "event",
    [
        {"event": "void"},
        {"event": "correct", "seq": 3, "with": {"event": "shot", "seat": "south"}},
        {"event": "call", "clause": "icf-33", "seat": "south"},
        {"event": "call", "clause": "icf-29", "seat": "north"},
        {"event": "set", "position": {"score": {"south": 5}, "left": {"white": 3}}},
        {"event": "pass", "seat": "south"},
        {"event": "pause"},
        {"event": "shot", "seat": "south", "pocketed": [{"piece": "striker"}, {"piece": "white"}]},
    ],
)
def test_whatever_an_umpire_says_is_undone_by_a_position_that_sets_nothing(event: dict[str, Any]) -> None:
    before = [start("icf"), shot(pocketed=WHITE), shot(pocketed=[*WHITE, {"piece": "striker"}])]
    stands, *_ = play(*before)[-1:]
    undone = play(*before, event, {"event": "correct", "seq": 4, "with": {"event": "set", "position": {}}})[-1]
    for figure in ("turn", "queen", "left", "in_hand", "owed", "board", "score", "games", "match_over"):
        assert undone[figure] == stands[figure], figure
    back = len(stands["returned"]) + sum(due["pieces"] for due in stands["dues"])
    # It still waits to be placed; before another stroke it has been.
    assert [one["piece"] for one in undone["place_now"]] == ["white"] * (0 if event["event"] == "shot" else back)


def test_a_position_that_sets_nothing_does_not_open_a_board_again() -> None:
    over = [start("icf"), {"event": "override", "seq": 1, "set": {"board": {"over": True, "winner": "south"}}}]
    assert play(*over, {"event": "set", "position": {}})[-1]["board"]["over"]


def test_a_rescue_says_who_is_white() -> None:
    turned = play(
        start("icf"), {"event": "set", "position": {"white": "north", "turn": "north"}}, north(pocketed=WHITE)
    )[-1]
    assert (turned["turn"], turned["in_hand"]) == ("north", {"south": 0, "north": 1})
    ended = {"event": "override", "seq": 3, "set": {"board": {"over": True, "winner": "north"}}}
    broke = [start("icf"), {"event": "set", "position": {"white": "north"}}, shot(), ended, {"event": "next_board"}]
    assert play(*broke)[-1]["turn"] == "south"  # white broke; the other side breaks next
    assert "colour" in refused(start("world-point"), {"event": "set", "position": {"white": "north"}})
