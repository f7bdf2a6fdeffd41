"""The interface, read sentence by sentence (events in, rulings out), as small scenarios of the default book."""

from __future__ import annotations

import pytest

from tests.rules.reading import (
    FOUL,
    FOUR,
    agrees,
    at,
    call,
    case,
    doubt,
    ev,
    mine,
    north,
    pending,
    ruled,
    shot,
    south,
    start,
)

NEW = start()
ON = start(at(9, 9))
WON = (start(mine(1, 5)), south("W"))
CLAIM = (start(at(1, 5)), south("W S"))
LINES = doubt("placement.lines", ("both", 0.8), ("one", 0.2))
SWAPPED = ev("seats", seats={"south": "Ben", "north": "Asha"})
NO_FIRST = {key: value for key, value in NEW.items() if key != "first"}


STARTS_AND_SHOTS = [
    case("a start's own ruling is 1", NEW, seq=1, named="start", turn="south", kept=None, left="9 9 1", number=1),
    case("a start begins a new match", NEW, south("W"), start(), seq=1, left="9 9 1", in_hand="0 0"),
    case("and the count begins anew", NEW, south("W"), start(), south(), seq=2),
    case("a refused event takes its number", NEW, shot("east"), south(), seq=3),
    case("the book that is meant without a name", {k: v for k, v in NEW.items() if k != "book"}, error=False),
    case(
        "position: part of it",
        start({"left": {"white": 4, "black": 5}}),
        left="4 5 1",
        in_hand="5 4",
        queen="board",
    ),
    case("position: one colour", start({"left": {"white": 4}}), left="4 9 1", in_hand="5 0"),
    case("position: queen", start({"queen": "covered", "queen_side": "north"}), side="north", left="9 9 0"),
    case("position: score, games, board", start({"score": {"south": 9}, "games": {"north": 1}, "board": 3}), number=3),
    case("position: owed", start({"owed": {"south": 2}}), owed="2 0"),
    case("position: turn", start({"turn": "north"}), turn="north"),
    case("position: a queen of nobody", start({"queen": "covered"}), error=True),
    case("position: too many left", start({"left": {"white": 10}}), error=True),
    case("position: a finished board", start({"left": {"white": 0}}), error=True),
    case("position: a finished match", start({"games": {"south": 2}}), error=True),
    case("position: nobody sits there", start({"turn": "east"}), error=True),
    case("position: an unknown part", start({"nonsense": 1}), error=True),
    case("unknown book", start(book="nonsense"), error=True),
    case("unknown policy", start(policy={"nonsense": 1}), error=True),
    case("policy of a wrong type", start(policy={"points": "many"}), error=True),
    case("first must sit", start(first="east"), error=True),
    case("white is the breaker's where the book says so", start(white="north"), error=True),
    case("a side is named by its first seat", start(seats=dict(reversed(FOUR.items()))), sides="west north"),
    case("teams", start(seats=FOUR, teams=[["south", "north"], ["east", "west"]]), sides="south east"),
    case("points", start(mine(1, 5), policy={"points": 8}), south("W"), game_over=True, match_over=False, games="1 0"),
    case(
        "games",
        start(mine(1, 5), policy={"points": 8, "games": 1}),
        south("W"),
        winner="south",
        turn=None,
        kept=None,
    ),
    case("boards", start(mine(1, 5), policy={"boards": 1}), south("W"), game_over=True, games="1 0"),
    case("toss: the winner breaks", NO_FIRST | {"toss": {"winner": "north", "choice": "break"}}, turn="north"),
    case("toss: or takes the side", NO_FIRST | {"toss": {"winner": "north", "choice": "side"}}, turn="south"),
    case("toss against first", start(toss={"winner": "north", "choice": "break"}), error=True),
    case("a trial board is not scored", NEW, ev("trial"), south("W W W W W W W W W Q"), score="0 0", games="0 0"),
    case("until play", NEW, ev("trial"), south("W"), south(), ev("play"), left="9 9 1", turn="south", number=1),
    case("no trial in a board", NEW, south("W"), ev("trial"), error=True),
    case("play in a board changes nothing", NEW, south("W"), ev("play"), left="8 9 1", turn="south"),
    case("seats: the turn's seat moves with its player", NEW, SWAPPED, turn="north"),
    case("seats: sides keep their names", NEW, SWAPPED, north("W"), in_hand="1 0", sides="south north"),
    case("seats: a call names the seat of now", start(at(5, 5)), SWAPPED, call("131", "south"), left="5 6 1"),
    case("seats: all players", NEW, ev("seats", seats={"south": "Ben"}), error=True),
    case(
        "seats: doubles move one place",
        start(seats=FOUR),
        ev("seats", seats={"east": "Asha", "north": "Ben", "west": "Cara", "south": "Dev"}),
        shot("east"),
        turn="north",
        sides="south east",
    ),
    case("a shot before any start", south(), error=True, seq=1, named="shot"),
    case("a seat where nobody sits", NEW, shot("east"), error=True),
    case("more than lay there", start(at(1, 1)), south("W W"), error=True),
    case("a queen that is gone", start(mine(3, 3)), south("Q"), error=True),
    case("one striker", ON, south("S", off_board=["striker"]), error=True),
    case("unknown words", ON, south(placement={"lines": "three"}), error=True),
    case("unknown flags", ON, south(flags=["nonsense"]), error=True),
    case("unseen, and given all the same", ON, south("W", unseen=["placement"], **FOUL), error=True),
    case("unknown facts unseen", ON, south(unseen=["nonsense"]), error=True),
    case(
        "unseen: not ruled on, and said",
        ON,
        south("W", unseen=["placement"]),
        fouls="",
        unseen=["placement"],
    ),
]


@pytest.mark.parametrize(("events", "expected"), STARTS_AND_SHOTS)
def test_start_and_shot(events: object, expected: object) -> None:
    agrees(events, expected)  # type: ignore[arg-type]


CALLS_AND_QUESTIONS = [
    case("a flag has no consequence", ON, south("W", flags=["push"]), turn="south", left="8 9 1", asks=[2]),
    case("until a call", ON, south("W", flags=["push"]), call("33", "south"), turn="north", left="9 9 1", owed="1 0"),
    case(
        "or the answer",
        ON,
        south("W", flags=["push"]),
        ev("answer", ask=2, choice="foul"),
        fouls="33",
        left="9 9 1",
    ),
    case(
        "wave_off drops it",
        ON,
        south("W", flags=["push"]),
        call("33", "south", action="wave_off"),
        fouls="",
        asks=[],
    ),
    case(
        "wave_off drops a ruled foul too",
        ON,
        south("W", **FOUL),
        call("130a", "south", action="wave_off"),
        turn="south",
        left="8 9 1",
        owed="0 0",
        fouls="",
    ),
    case(
        "only the player's that it was ruled against",
        ON,
        south("W", **FOUL),
        call("130a", "north", action="wave_off"),
        turn="north",
        left="9 9 1",
        owed="1 0",
    ),
    case(
        "a flag besides the stroke: what fell stays",
        ON,
        south("W W", flags=["hand_touched_piece"]),
        call("134", "south"),
        left="8 9 1",
        turn="north",
        dues="south:1+0:64a",
    ),
    case("two flags, two questions", ON, south("W", flags=["push", "elbow"]), asks=[2, "2.1"], fouls="33? 32?"),
    case(
        "several violations, one penalty",
        ON,
        south("W", flags=["push", "elbow"]),
        call("33", "south"),
        call("32", "south"),
        owed="1 0",
    ),
    case(
        "a call re-rules the stroke",
        ON,
        south("W"),
        call("33", "south"),
        fouls="33",
        turn="north",
        back="white:77a",
    ),
    case("the latest one", ON, south("W"), south("W"), call("33", "south"), left="9 9 1", dues="south:1+0:77a"),
    case(
        "also one that ended the board",
        *WON,
        call("33", "south"),
        over=False,
        score="0 0",
        left="2 5 0",
        turn="north",
    ),
    case("against another it stands by itself", ON, south("W"), call("33", "north"), turn="south", owed="0 1"),
    case("another book's clause", ON, call(None, "south") | {"clause": "club-33"}, error=True),
    case("no such clause", ON, call("999", "south"), error=True),
    case("against whom?", ON, call("131"), error=True),
    case("warn", ON, call("143", "south", action="warn"), match_over=False, owed="0 0", turn="south"),
    case("foul", ON, call("132", "south", action="foul"), owed="1 0", turn="south"),
    case("deduct", start({"score": {"south": 5}}), call("143", "south", action="deduct", points=2), score="3 0"),
    case("not below 0", start({"score": {"south": 1}}), call("143", "south", action="deduct", points=2), score="0 0"),
    case("disqualify", ON, call("143", "south", action="disqualify"), match_over=True, winner="north", turn=None),
    case("forfeit", ON, call(None, "south", action="forfeit"), match_over=True, winner="north"),
    case(
        "of the game",
        ON,
        call(None, "south", action="forfeit", of="game"),
        match_over=False,
        games="0 1",
        turn="north",
    ),
    case("also by the clause's own consequence", ON, call("139", "south", of="game"), match_over=False, games="0 1"),
    case("draw needs no seat", ON, call(action="draw"), over=True, drawn=True, board_winner=None, points=0),
    case("autonomy off", start(at(9, 9), autonomy={"icf-130a": "off"}), south("W", **FOUL), fouls="", left="8 9 1"),
    case("autonomy note", start(at(9, 9), autonomy={"icf-130a": "note"}), south("W", **FOUL), fouls="", asks=[]),
    case("autonomy confirm", start(at(9, 9), autonomy={"icf-130a": "confirm"}), south("W", **FOUL), fouls="130a?"),
    case(
        "autonomy rule",
        start(at(9, 9), autonomy={"icf-33": "rule"}),
        south("W", flags=["push"]),
        fouls="33",
        asks=[],
    ),
    case("autonomy unknown", start(autonomy={"icf-130a": "perhaps"}), error=True),
    case("a doubt is ruled by the likeliest", ON, south("W", doubts=LINES), provisional=True, asks=[2], left="8 9 1"),
    case("in any order", ON, south("W", doubts=doubt("placement.lines", ("one", 0.2), ("both", 0.8))), left="8 9 1"),
    case(
        "likeliest first, and the two that are always there",
        ON,
        south("W", doubts=doubt("placement.lines", ("one", 0.2), ("both", 0.8))),
        choices=[["both", "one", "none of these", "replay the stroke"]],
    ),
    case("later strokes build on it", ON, south("W", doubts=LINES), south("W"), left="7 9 1"),
    case(
        "the answer corrects underneath",
        ON,
        south("W", doubts=LINES),
        south("W"),
        ev("answer", ask=2, choice="one"),
        left="9 9 1",
        asks=[],
    ),
    case(
        "equal rulings ask nothing",
        ON,
        south(doubts=doubt("heading", ("forward", 0.6), ("backward", 0.4))),
        asks=[],
    ),
    case(
        "none of these: set aside",
        ON,
        south("W", doubts=LINES),
        ev("answer", ask=2, choice="none of these"),
        fouls="",
    ),
    case(
        "replay",
        ON,
        south("W", doubts=LINES),
        ev("answer", ask=2, choice="replay the stroke"),
        left="9 9 1",
        void=True,
    ),
    case("not on offer", ON, south("W", doubts=LINES), ev("answer", ask=2, choice="three"), error=True),
    case("nothing asked", ON, south("W"), ev("answer", ask=2, choice="white"), error=True),
    case("a fact that is none", ON, south(doubts=doubt("nonsense", ("a", 0.7), ("b", 0.3))), error=True),
    case(
        "a doubt about a whole with a part unknown",
        ON,
        south(placement={"circle": "unknown"}, doubts=doubt("placement", ("both", 0.6), ("one", 0.4))),
        error=True,
    ),
    case(
        "a board's end needs all answers",
        start(mine(2, 5)),
        south("W", doubts=LINES),
        south("W"),
        ev("next_board"),
        error=True,
    ),
    case("a bare unknown changes nothing", ON, south("?"), asks=[2], left="9 9 1", turn="south", provisional=False),
    case("a shot before its answer", ON, south("?"), south(), error=True),
    case("its answer", ON, south("?"), ev("answer", ask=2, choice="black"), left="9 8 1", turn="north", seq=3),
    case("a second one", ON, south("? ?"), asks=[2, "2.1"]),
    case(
        "each answered by its id",
        ON,
        south("? ?"),
        ev("answer", ask=2, choice="white"),
        ev("answer", ask="2.1", choice="white"),
        left="7 9 1",
    ),
]


@pytest.mark.parametrize(("events", "expected"), CALLS_AND_QUESTIONS)
def test_calls_and_questions(events: object, expected: object) -> None:
    agrees(events, expected)  # type: ignore[arg-type]


MOMENTS = [
    case("timeout before the first stroke", ON, ev("timeout", seat="south"), turn="south", owed="1 0", fouls="50"),
    case("timeout later", start(at(5, 5, strokes=1)), ev("timeout", seat="south"), turn="north", left="6 5 1"),
    case("timeout of who is not on turn", ON, ev("timeout", seat="north"), error=True),
    case("timeout with a pending queen", start(pending(5, 5)), ev("timeout", seat="south"), back="queen:96"),
    case("pass of who is not on turn", ON, ev("pass", seat="north"), error=True),
    case("void", ON, south("W"), ev("void"), void=True, left="9 9 1", turn="south", seq=3),
    case("void twice", ON, south("W"), south("W"), ev("void"), ev("void"), left="9 9 1"),
    case(
        "and what came after",
        start(at(5, 5)),
        south("W"),
        call("131", "north"),
        ev("void"),
        left="5 5 1",
        owed="0 0",
    ),
    case("a stroke that ended the board", *WON, ev("next_board"), ev("void"), left="1 5 0", score="0 0", number=1),
    case("nothing to void", ON, ev("void"), error=True),
    case(
        "void and replay the board",
        start(at(4, 5)),
        south("W"),
        ev("void", clause="icf-142"),
        left="9 9 1",
        void=True,
    ),
    case("correct", ON, south("W"), ev("correct", seq=2, **{"with": south()}), turn="north", left="9 9 1"),
    case(
        "as played",
        ON,
        south("W"),
        south("W"),
        ev("correct", seq=2, **{"with": south()}),
        left="8 9 1",
        turn="south",
    ),
    case("what never was", ON, ev("correct", seq=7, **{"with": south()}), error=True),
    case("claim moves points", *CLAIM, ev("claim", points=1), points=4, on_demand=0, score="0 4"),
    case("not more", *CLAIM, ev("claim", points=2), error=True),
    case("not twice", *CLAIM, ev("claim", points=1), ev("claim", points=1), error=True),
    case("not later", *CLAIM, ev("next_board"), ev("claim", points=1), error=True),
    case("not later than a shot", *CLAIM, north("W"), ev("claim", points=1), error=True),
    case(
        "it may end the game",
        start(at(1, 5, score={"north": 21})),
        south("W S"),
        ev("claim", points=1),
        game_over=True,
        games="0 1",
    ),
    case("a shot in a pause", ON, ev("pause"), south("W"), void=True, left="9 9 1", fouls="", turn="south"),
    case("after it", ON, ev("pause"), ev("resume"), south("W"), void=False, left="8 9 1"),
    case("override the turn", ON, south(), ev("override", seq=2, set={"turn": "south"}, reason="slip"), turn="south"),
    case("left", ON, south(), ev("override", seq=2, set={"left": {"white": 7}}, reason="slip"), in_hand="2 0"),
    case("that cannot be", ON, south(), ev("override", seq=2, set={"left": {"white": 10}}, reason="slip"), error=True),
    case("a queen of nobody", ON, south(), ev("override", seq=2, set={"queen": "covered"}, reason="slip"), error=True),
    case(
        "underneath later strokes",
        ON,
        south(),
        north("B"),
        ev("override", seq=2, set={"score": {"south": 7}}, reason="sheet"),
        score="7 0",
        in_hand="0 1",
        turn="north",
    ),
    case(
        "set",
        ON,
        ev("set", position={"left": {"white": 3, "black": 4}, "turn": "north"}, reason="light went out"),
        left="3 4 1",
        turn="north",
        seq=2,
    ),
    case("set that cannot be", ON, ev("set", position={"left": {"white": 30}}, reason="x"), error=True),
    case("the ruling that ends the board", *WON, turn="north", kept=None, left="0 5 0", points=8, why="52a", number=1),
    case("next_board", *WON, ev("next_board"), number=2, left="9 9 1", queen="board", score="8 0", over=False),
    case("or the next shot", *WON, north("W"), number=2, left="8 9 1", turn="north"),
    case("by the other side: void", *WON, south("W"), void=True, number=1, over=True),
    case("not while one is played", NEW, ev("next_board"), error=True),
    case(
        "a new game's 0 : 0 from its first board on",
        start(mine(1, 5, score={"south": 20})),
        south("W"),
        score="28 0",
        games="1 0",
    ),
    case(
        "not before",
        start(mine(1, 5, score={"south": 20})),
        south("W"),
        ev("next_board"),
        score="0 0",
        number=1,
        games="1 0",
    ),
    case("after the match", start(mine(1, 5), policy={"points": 8, "games": 1}), south("W"), north(), error=True),
    case("fines_waived", start(at(9, 9), policy={"fines_waived": True}), south("S"), owed="0 0", turn="north"),
    case(
        "placed",
        ON,
        south("W"),
        ev("placed", pieces=[{"piece": "white", "x": 0, "y": 0}]),
        left="8 9 1",
        error=False,
    ),
    case("seen", ON, ev("seen", what="shaken", at=[0, 0]), fouls="126a?", turn="south", left="9 9 1"),
    case("no such event", NEW, ev("dance"), error=True, seq=2, named="dance"),
    case("no JSON", NEW, "{", error=True, seq=2),
    case("no object", NEW, "[1]", error=True, seq=2),
    case("no event", NEW, {"seat": "south"}, error=True, seq=2),
    case("an endless list", NEW, "[" * 100_000, error=True, seq=2),
    case("no number", NEW, '{"event": "shot", "seat": "south", "elapsed": NaN}', error=True, seq=2),
]


@pytest.mark.parametrize(("events", "expected"), MOMENTS)
def test_moments_boards_and_bad_lines(events: object, expected: object) -> None:
    agrees(events, expected)  # type: ignore[arg-type]


TABLES = (STARTS_AND_SHOTS, CALLS_AND_QUESTIONS, MOMENTS)


def test_a_refused_event_changes_nothing_but_the_count() -> None:
    played = [NEW, south("W"), south("S"), north("B"), north()]
    bad = [shot("east"), ev("claim", points=1), south("W W W W W W W W W W"), ev("answer", ask=1, choice="x")]
    mixed = [event for one in played for event in (one, *bad)]
    *_, clean = ruled(*played)
    noisy = ruled(*mixed)[-1 - len(bad)]
    assert noisy | {"seq": clean["seq"]} == clean


def test_one_stream_of_many_matches_is_ruled_as_each_alone() -> None:
    streams = [given.values[0] for group in TABLES for given in group]
    alone = [ruled(*events) for events in streams]
    begun = [(events, rulings) for events, rulings in zip(streams, alone, strict=True) if "error" not in rulings[0]]
    together = iter(ruled(*[event for events, _ in begun for event in events]))
    for events, rulings in begun:
        assert [next(together) for _ in events] == rulings
