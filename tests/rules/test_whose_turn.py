"""Whose turn it is, and what is a player's own in it: strokes, tries, questions; a board that not everybody plays."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.reading import TWO, agrees, at, call, case, ev, north, ruled, shot, south, start

THREE = {"south": "S", "west": "W", "north": "N"}
MID = start(at(5, 5))
BREAK = start()
NOTHING: dict[str, Any] = {"contacts": []}
SLIP: dict[str, Any] = {"contacts": [], "left_baseline": False}
TIED = at(0, 1, queen="covered", queen_side="west", turn="west", score={"south": 3, "west": 2, "north": 1})
TIED["in_hand"] = {"south": ["white"] * 3, "west": ["white"] * 2, "north": ["white"]}


def book(name: str, position: Any = None, **more: Any) -> Any:
    return start(at(5, 5) if position is None else position, book=name, **more)


def give(seat: str, **position: Any) -> Any:
    return ev("set", position={"turn": seat} | position)


def override(seq: int, **parts: Any) -> Any:
    return ev("override", seq=seq, set=parts, reason="x")


def correct(seq: int, event: Any) -> Any:
    return ev("correct", seq=seq, **{"with": event})


CHANGED_ENDS = ev("seats", seats={"south": TWO["north"], "north": TWO["south"]})
TOUCHED = south(flags=["hand_touched_piece"])
CLUB = book("club", white="south")

OWN = [
    case(
        "[position.strokes] `set` gives another player the turn: he has not played in it, so his foul is technical",
        BREAK,
        south("W"),
        give("north"),
        ev("timeout", seat="north"),
        turn="north",
        dues="north:0+1:63",
    ),
    case(
        "who has the turn already goes on with it",
        BREAK,
        south("W"),
        give("south"),
        ev("timeout", seat="south"),
        turn="north",
        dues="south:1+0:64a",
    ),
    case(
        "a position may say how many strokes of the turn were played",
        BREAK,
        south(),
        give("south", strokes=1),
        ev("timeout", seat="south"),
        turn="north",
        dues="south:0+1:64a",
    ),
    case(
        "nor has the one who would have broken the next board, where `set` opens a finished one again",
        start(at(1, 5, queen="covered", queen_side="south")),
        south("W"),
        ev("set", position={"left": {"white": 2}}),
        ev("timeout", seat="north"),
        turn="north",
        dues="north:1+0:63",
    ),
    *(
        case(
            f"[45a] each has his own three tries to break, also after {by['event']}",
            BREAK,
            south(**NOTHING),
            south(**NOTHING),
            by,
            *[north(**NOTHING)] * 2,
            turn="north",
            kept=True,
        )
        for by in (give("north"), override(3, turn="north"))
    ),
    case(
        "[campus-20] a break that was lost and then was not: the other player's try is his first",
        start(book="campus"),
        *[south(**NOTHING)] * 3,
        north(**NOTHING),
        correct(4, south(**SLIP)),
        turn="north",
    ),
    case(
        "[63] a timeout before the first stroke of the turn stays one, whoever the state now says is on turn",
        MID,
        south(),
        ev("timeout", seat="north"),
        correct(2, south("W")),
        shot("north"),
        left="4 6 1",
        turn="south",
    ),
    case(
        "a queen that waits for her cover goes back before another player's stroke that counts as on turn",
        MID,
        south(),
        north("Q"),
        correct(2, south("Q")),
        queen="pending",
        side="north",
        turn="north",
    ),
    *(
        case(
            f"[{name}] a slip is no stroke: the turn is where the stroke before it has left it",
            first,
            south("W"),
            south(**SLIP),
            word,
            turn="north",
        )
        for name, first, word in (
            ("club-158", CLUB, call(None, "south") | {"clause": "club-35"}),
            ("campus-20", book("campus"), correct(2, south())),
            ("127", MID, correct(2, south())),
        )
    ),
    case(
        "a stroke that is void for its time is none either",
        book("classic", policy={"stroke_seconds": 10}),
        south("W"),
        south(elapsed=12),
        correct(2, south()),
        turn="north",
    ),
    case(
        "[121a] time stops with play: nobody runs out of it",
        MID,
        ev("pause"),
        ev("timeout", seat="south"),
        error=True,
    ),
    case("nor passes", MID, ev("pause"), ev("pass", seat="south"), error=True),
    case(
        "[seats] a call is against who sits there now: a foul of his own, not the one that was flagged",
        MID,
        TOUCHED,
        CHANGED_ENDS,
        call("134", "south"),
        left="5 6 1",
    ),
    case(
        "[seats] who was flagged is called where he sits now",
        MID,
        TOUCHED,
        CHANGED_ENDS,
        call("134", "north"),
        left="6 5 1",
    ),
]


@pytest.mark.parametrize(("events", "expected"), OWN)
def test_what_is_a_players_own(events: Any, expected: Any) -> None:
    agrees(events, expected)


@pytest.mark.parametrize(
    "word", [override(2, turn="south"), correct(2, shot("south", "W"))], ids=["override", "correct"]
)
@pytest.mark.parametrize("second", [north(), north("B")], ids=["lost", "kept"])
def test_whether_a_stroke_kept_its_turn_does_not_hang_on_the_one_before(word: Any, second: Any) -> None:
    said = ruled(book("classic"), south(), second, word)[-1]["changed"]
    assert all("turn_kept" not in one["fields"] for one in said if one["seq"] == 3)
    assert all("other reasons" not in one["says"] for one in said)


def tie_break(*more: Any) -> tuple[Any, ...]:
    """South, white, and west, black, who plays first, on a tie-break board; north has no part in it."""
    begin = book("world-point", TIED, seats=THREE)
    return (begin, shot("west", "B"), ev("answer", ask=2, choice="white"), ev("next_board"), *more)


TIE_BREAK = [
    case("set gives no turn to who has no part in it", *tie_break(give("north")), error=True),
    case("nor does an override", *tie_break(override(4, turn="north")), error=True),
    case(
        "nor does a position that leaves out whose turn it is",
        book("world-point", {"tie_break": {"west": "white", "north": "black"}}, seats=THREE),
        error=True,
    ),
    case("the two who play it take the turn", *tie_break(give("south")), error=False, turn="south"),
    case("it has no queen to set", *tie_break(ev("set", position={"queen": "board"})), error=True),
    case("by no name", *tie_break(ev("set", position={"left": {"queen": 1}})), error=True),
    case("nor to override", *tie_break(override(4, queen="board")), error=True),
    case("other parts of it can be", *tie_break(override(4, left={"white": 8})), left="8 9 0"),
    case("who has covered her keeps her", *tie_break(shot("west")), queen="covered", side="west", left="9 9 0"),
    case("who has no part in it owes nothing", *tie_break(call(None, "north") | {"clause": "world-4"}), dues=""),
]


@pytest.mark.parametrize(("events", "expected"), TIE_BREAK)
def test_who_plays_a_tie_break_board(events: Any, expected: Any) -> None:
    agrees(events, expected)


@pytest.mark.parametrize(
    ("fact", "choice"),
    [
        ("placement.lines", "three"),
        ("heading", "sideways"),
        ("left_baseline", "maybe"),
        ("pocketed.0.piece", "green"),
        ("pocketed[0].pocket", "N"),
        ("contacts", [{"with": "table"}]),
        ("flags.push", "perhaps"),
        ("flags.pushed", True),
        ("elapsed", "long"),
        ("*", {"pocketed": [{"piece": "green"}]}),
        ("*", {"contacts": []}),
        ("weather.wind", "strong"),
    ],
)
def test_a_choice_that_is_no_value_of_its_fact_is_refused_however_unlikely(fact: str, choice: Any) -> None:
    good = {"contacts": [], "*": {"pocketed": []}, "elapsed": 3, "flags.push": True, "flags.pushed": False}
    likely = good.get(fact, "unknown" if fact not in ("pocketed[0].pocket", "pocketed.0.piece") else "none of these")
    doubted = south("W", doubts=[{"fact": fact, "choices": [[likely, 0.9], [choice, 0.1]]}])
    *_, said = ruled(MID, doubted)
    assert fact in said["error"]
    assert "Fix: " in said["error"]
