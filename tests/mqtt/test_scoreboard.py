"""The scoreboard says what the ruling says, in the words of the interface."""

from __future__ import annotations

from dataclasses import replace

import pytest

from controller.events.errors import ConfigError
from controller.mqtt.payloads import Clock, Round
from controller.mqtt.scoreboard import MatchInfo, boards, flat, hanging, has_news, idle, in_words, result, score
from controller.mqtt.topics import Topics
from tests.mqtt.rulings import INFO, SHOT, ruling

OVER = {"number": 1, "over": True, "winner": "south", "points": 5, "on_demand": 0, "drawn": False, "why": "icf-85"}


def state_of(**more):
    info = MatchInfo(**{"table": "t", "match": "m", "book": "icf", "sides": INFO.sides, **more.pop("info", {})})
    return score(ruling(**more), info, 1.0).state


def test_state():
    assert idle("t", 1.0).state == "idle"
    assert state_of() == "playing"
    assert state_of(info={"paused": True}) == "paused"
    assert state_of(info={"trial": True}) == "trial"
    assert state_of(board=OVER) == "board_over"
    assert state_of(board=OVER, match_over=True) == "match_over"


def test_sides_and_queen():
    shown = score(ruling(queen="pending", queen_side="north", owed={"south": 2, "north": 0}), INFO, 1.0)
    south, north = shown.sides
    assert (south.queen, north.queen, shown.queen, shown.queen_side) == (None, "pending", "pending", "north")
    assert (south.left, north.left, south.owed, south.in_hand) == (8, 9, 2, 1)
    colourless = MatchInfo("t", "m", "family", INFO.sides)
    assert score(ruling(), colourless, 1.0).sides[0].left is None


def test_the_game_counts_on_only_when_the_next_board_opens():
    assert score(ruling(), INFO, 1.0).game == 1
    won = {"south": 1, "north": 0}
    assert score(ruling(board=OVER, game_over=True, games=won), INFO, 1.0).game == 1
    assert score(ruling(games=won), INFO, 1.0).game == 2


@pytest.mark.parametrize(
    ("change", "news"),
    [
        ({"t": 3.0}, False),
        ({"t": 3.0, "clock": Clock(True, 7.0, 15.0, 10.2)}, False),
        ({"clock": Clock(True, 9.0, 15.0, 10.6)}, True),
        ({"clock": Clock(True, 9.0, 15.0)}, True),
        ({"clock": Clock(False, None, 15.0)}, True),
        ({"t": 3.0, "turn": "north"}, True),
        ({"t": 3.0, "round": Round(True, 58.0, 1200.0, 61.2)}, False),
        ({"round": Round(True, 60.0, 1200.0, 61.6)}, True),
        ({"round": Round(False, 60.0, 1200.0)}, True),
        ({"round": Round(True, 60.0, 1200.0, 61.0, over=True)}, True),
        ({"round": None}, True),
    ],
)
def test_a_scoreboard_has_news_but_for_time_that_passes(change, news):
    of_round = Round(True, 60.0, 1200.0, 61.0)
    before = score(ruling(turn="south"), INFO, 1.0, clock=Clock(True, 9.0, 15.0, 10.0), round=of_round)
    assert has_news(replace(before, **change), before) is news


def test_of_a_clock_that_stands_what_is_left_is_news():
    before = score(ruling(), INFO, 1.0, clock=Clock(True, 9.0, 15.0))
    assert has_news(replace(before, clock=Clock(True, 8.0, 15.0)), before)
    assert not has_news(replace(before, t=2.0), before)


@pytest.mark.parametrize(
    ("clock", "word"),
    [
        (Clock(True, 9.2, 15.0), "10"),
        (Clock(True, 9.0, 15.0), "9"),
        (Clock(True, 0.0, 15.0), "0"),
        (Clock(True, -3.0, 15.0), "0"),
        (Clock(False, 9.0, 15.0), ""),
        (Clock(True, None, None), ""),
    ],
)
def test_flat_clock_is_whole_seconds_only_while_it_runs(clock, word):
    assert flat(score(ruling(), INFO, 1.0, clock=clock))["clock"] == word


def test_flat_words():
    assert flat(score(ruling(score={"south": 7, "north": 3}, turn=None), INFO, 1.0)) == {
        "south": "7",
        "north": "3",
        "turn": "none",
        "queen": "board",
        "clock": "",
    }


def test_figures_that_hang_on_an_answer():
    now = ruling()
    other = ruling(turn="north", left={"white": 8, "black": 8, "queen": 1}, score={"south": 0, "north": 3})
    assert hanging(now, [other]) == ("turn", "left.black", "score.north")
    assert hanging(now, [ruling(seq=9, cites=[])]) == ()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, "south plays on"),
        ({"turn": "north", "turn_kept": False}, "north to play"),
        (
            {"fouls": [{"clause": "club-31", "says": "striker pocketed", "status": "ruled"}], "turn_kept": None},
            "foul club-31: striker pocketed",
        ),
        (
            {"fouls": [{"clause": "icf-30", "says": "elbow", "status": "to confirm"}], "turn_kept": None},
            "foul icf-30: elbow (to confirm)",
        ),
        ({"board": OVER, "turn_kept": None}, "south wins the board, 5 points"),
        (
            {"dues": [{"side": "south", "pieces": 1, "owed": 1, "why": "icf-66"}], "turn_kept": None},
            "south pays 1 and owes 1",
        ),
        ({"returned": [{"piece": "queen", "side": None, "why": "icf-70"}]}, "back on the board: queen; south plays on"),
        ({"event": "pause", "turn_kept": None}, "play is stopped"),
        ({"event": "next_board", "turn_kept": None}, "the next board opens"),
        ({"event": "claim", "turn_kept": None}, "claim"),
        ({"void": True, "event": "void"}, "the stroke is taken back"),
        (
            {
                "event": "call",
                "returned": [{"piece": "white", "side": "south", "why": "icf-77a"}],
                "dues": [{"side": "south", "pieces": 2, "owed": 1, "why": "icf-77b"}],
                "place_now": [{"piece": "white", "side": "south", "within": {}}],
                "take_off": [],
            },
            "south owes 1; to be placed now: 1 white",
        ),
        (
            {"event": "answer", "place_now": [], "take_off": [{"piece": "white", "side": "south"}] * 2},
            "to be taken off: 2 white",
        ),
        (
            {"match_over": True, "winner": "east", "ranking": ["east", "south", "north"]},
            "east wins the match; ranking: east, south, north",
        ),
    ],
)
def test_rulings_in_words(more, words):
    assert in_words(ruling(**more)) == words


def test_words_name_people_by_seat_and_by_side():
    ends_changed = MatchInfo("t", "m", "icf", {"south": {"north": "Asha"}, "north": {"south": "Ben"}})
    due = {"side": "south", "pieces": 1, "owed": 0, "why": "icf-66"}
    shown = score(ruling(turn="south", turn_kept=False, dues=[due]), ends_changed, 1.0).last.says
    assert shown == "Asha pays 1; Ben to play"


def test_an_error_in_words():
    assert in_words({"seq": 3, "event": "shot", "error": "the match is over"}) == "the match is over"


def test_boards_of_a_match():
    second = OVER | {"number": 2, "winner": "north", "points": 9}
    history = [
        ruling(),
        ruling(board=OVER, score={"south": 5, "north": 0}),
        ruling(board=OVER | {"points": 6}, score={"south": 6, "north": 0}),  # corrected afterwards
        ruling(board=OVER | {"number": 2, "over": False}),
        ruling(board=second, score={"south": 6, "north": 9}),
        ruling(board=second | {"over": False}, score={"south": 6, "north": 0}),  # its end was taken back
        ruling(
            board=second | {"points": 25},
            score={"south": 6, "north": 25},
            games={"south": 0, "north": 1},
            game_over=True,
        ),
        ruling(board=OVER | {"over": False}, games={"south": 0, "north": 1}),
    ]
    assert [(b.game, b.board, b.winner, b.points) for b in boards(history)] == [
        (1, 1, "south", 6),
        (1, 2, "north", 25),
    ]


def test_result():
    history = [
        (100.0, {"event": "start"}, ruling(event="start")),
        (
            110.0,
            SHOT,
            ruling(board=OVER | {"slam": "white"}, score={"south": 25, "north": 4}, match_over=True, winner="south"),
        ),
        (111.0, SHOT, {"seq": 3, "event": "shot", "error": "the match is over"}),
    ]
    ended = result(INFO, history)
    assert (ended.winner, ended.score, ended.start, ended.end) == ("south", {"south": 25, "north": 4}, 100.0, 110.0)
    assert ended.sides[1].players == ("Ben",)
    assert [board.slam for board in ended.boards] == ["white"]


def test_topic_names():
    topics = Topics("hall-2")
    assert topics.flat("south") == "carrom/hall-2/score/south"
    assert topics.id_of("carrom/hall-2/alert/beam-ne", "alert") == "beam-ne"
    assert topics.id_of("carrom/hall-2/alert", "alert") is None
    assert topics.id_of("carrom/other/alert/x", "alert") is None
    for bad in ("", "Hall", "a/b", "+", "a#"):
        with pytest.raises(ConfigError, match="table id"):
            Topics(bad)
