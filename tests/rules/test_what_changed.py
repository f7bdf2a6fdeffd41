"""A ruling on a call, an answer, an override or a correction says what it changed and what lies to be placed now."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

from controller.events.codec import event_from_json, ruling_to_json
from controller.rules import MatchState, apply, begin, expectation, rulings
from tests.rules.reading import FOUL, at, call, ev, mine, north, pending, ruled, shot, south, start
from tests.rules.scenes import BOOKS
from tests.rules.test_properties import STREAMS, any_event, books, opening, seeds, some_shot

RING = {"centre": [0.0, 0.0], "inner_mm": 15.9, "outer_mm": 85.0}
WHITE = {"piece": "white", "side": "south", "within": RING}
PLACED = ev("placed", pieces=[])
TOLD = ("changed", "place_now", "take_off")


def said(*events: Any) -> Any:
    """What the last ruling says was changed: seqs, and pieces to be placed and to be taken off."""
    last = ruled(*events)[-1]
    return (
        [one["seq"] for one in last["changed"]],
        " ".join(one["piece"] for one in last["place_now"]),
        " ".join(one["piece"] for one in last["take_off"]),
    )


def test_a_call_says_which_rulings_are_different_and_in_what() -> None:
    *_, last = ruled(start(at(5, 5)), south("W"), call("33", "south"))
    (changed,) = last["changed"]
    assert (changed["seq"], changed["fields"]["turn"], changed["was"]["turn"]) == (2, "north", "south")
    assert changed["fields"]["left"] == {"white": 6, "black": 5, "queen": 1}
    assert "turn north, not south" in changed["says"]
    assert "icf-33" in changed["says"]
    assert last["place_now"] == [WHITE, WHITE]
    assert last["take_off"] == []


def test_other_events_have_no_such_fields() -> None:
    for ruling in ruled(start(at(5, 5)), south("W S"), PLACED, ev("timeout", seat="south"), ev("pause")):
        assert not set(TOLD) & set(ruling)
    for event in (call("131", "south"), ev("void"), ev("correct", seq=2, **{"with": south()})):
        assert set(TOLD) <= set(ruled(start(at(5, 5)), south("W"), event)[-1])


SAID = [
    ("a call of its own changes nothing earlier", [call("131", "south")], ([], "white", "")),
    (
        "a due that was not placed yet is still to be placed",
        [south("S"), call("131", "south")],
        ([], "white white", ""),
    ),
    ("what was placed already is not", [south("W S"), PLACED, call("33", "south")], ([2, 3], "white", "")),
    ("nor what was placed before the next stroke", [south("S"), north(), call("131", "south")], ([], "white", "")),
    ("an answer", [south("W", flags=["push"]), ev("answer", ask=2, choice="foul")], ([2], "white white", "")),
    ("that says no", [south("W", flags=["push"]), ev("answer", ask=2, choice="no foul")], ([2], "", "")),
    (
        "a correction of long ago: only what is missing now",
        [south(), north(), south(), ev("correct", seq=2, **{"with": south("S")})],
        ([2, 3, 4], "white", ""),
    ),
    (
        "and what should not lie there",
        [south("S"), north(), south(), ev("correct", seq=2, **{"with": south()})],
        ([2, 3, 4], "", "white"),
    ),
    (
        "a foul waved away after its due was placed",
        [south(**FOUL), PLACED, call("130a", "south", action="wave_off")],
        ([2, 3], "", "white"),
    ),
    ("or before", [south(**FOUL), call("130a", "south", action="wave_off")], ([2], "", "")),
    (
        "a correction of what fell places nothing",
        [south("W"), PLACED, ev("correct", seq=2, **{"with": south("B")})],
        ([2, 3], "", ""),
    ),
    ("a void", [south("S"), PLACED, north("B"), ev("void")], ([4], "", "")),
    ("of a due that was placed", [south("S"), PLACED, ev("void")], ([2, 3], "", "white")),
    ("an override", [south("W"), ev("override", seq=2, set={"left": {"white": 5}}, reason="x")], ([2], "white", "")),
    (
        "that takes a due back",
        [south("S"), PLACED, ev("override", seq=2, set={"left": {"white": 5}}, reason="x")],
        ([2, 3], "", "white"),
    ),
    (
        "a board that is over has nothing to be placed",
        [south("S"), call("131", "south", action="forfeit")],
        ([], "", ""),
    ),
]


@pytest.mark.parametrize(("events", "expected"), [one[1:] for one in SAID], ids=[one[0] for one in SAID])
def test_what_is_said(events: list[Any], expected: Any) -> None:
    assert said(start(at(5, 5)), *events) == expected


def test_a_queen_that_goes_back_by_a_call_has_her_spot() -> None:
    rest = [{"piece": "white", "x": 10, "y": 0}]
    *_, last = ruled(start(pending(5, 5)), south("W", rest=rest), call("33", "south"))
    queen = next(one for one in last["place_now"] if one["piece"] == "queen")
    assert queen["side"] is None
    assert queen["to"] == next(one["to"] for one in last["returned"] if one["piece"] == "queen") != [0.0, 0.0]


def test_a_call_that_undoes_a_boards_end_says_so() -> None:
    *_, last = ruled(start(mine(1, 5)), south("W"), call("33", "south"))
    (changed,) = last["changed"]
    assert "the board is not over" in changed["says"]
    assert changed["fields"]["board"]["over"] is False
    assert [one["piece"] for one in last["place_now"]] == ["white", "white"]


def test_the_table_expects_what_lies_to_be_placed_now() -> None:
    state = begin(BOOKS)
    for event in (start(at(5, 5)), south("W S"), PLACED, call("33", "south")):
        state, _ = apply(state, event_from_json(event))
    assert [(one.piece, one.within is not None) for one in expectation(state).to_place] == [("white", True)]


def stands(state: MatchState) -> dict[int, Any]:
    """Every ruling as it stands, but for what is of the telling and whose questions have been answered since."""
    left_out = (*TOLD, "sealed", "saved", "asks")
    return {
        one.seq: {key: value for key, value in ruling_to_json(one).items() if key not in left_out}
        for _, one in rulings(state)
    }


@pytest.mark.long
@given(book=books, seed=seeds)
@settings(STREAMS, max_examples=150)
def test_exactly_the_rulings_that_differ_are_named(book: str, seed: int) -> None:
    dice = Random(seed)
    state = begin(BOOKS)
    body = opening(book, dice)
    for _ in range(20):
        before = stands(state)
        state, ruling = apply(state, event_from_json(body))
        told = ruling_to_json(ruling)
        if "changed" in told:
            now = stands(state)
            differ = {seq: {k: v for k, v in now[seq].items() if v != was.get(k)} for seq, was in before.items()}
            named = {one["seq"]: {k: v for k, v in one["fields"].items() if k != "asks"} for one in told["changed"]}
            assert {seq: d for seq, d in differ.items() if d} == {seq: d for seq, d in named.items() if d}, seed
            assert all(one["says"] for one in told["changed"])
        assert state.play is not None
        if state.play.phase == "done":
            return
        body = any_event(state, dice)


def ordered(state: MatchState) -> Counter[str]:
    """What the strokes' rulings, as they stand, have had placed: all that was returned, and the dues."""
    found: Counter[str] = Counter()
    assert state.play is not None
    for _, ruling in rulings(state):
        if ruling.event == "shot":
            found.update(one.piece for one in ruling.returned)
            for due in ruling.dues:
                found[state.play.colour(state.play.match.sides.index(due.side)) or "white"] += due.pieces
    return found


@pytest.mark.long
@given(book=books.filter(lambda book: BOOKS[book].colours == "breaker white"), seed=seeds)
@settings(STREAMS, max_examples=150)
def test_what_was_placed_and_what_lies_to_be_placed_is_what_was_ruled(book: str, seed: int) -> None:
    dice = Random(seed)
    state, _ = apply(begin(BOOKS), event_from_json(opening(book, dice)))
    lying: Counter[str] = Counter()
    waiting: Counter[str] = Counter()
    for _ in range(15):
        roll = dice.random()
        assert state.play is not None
        if roll < 0.6 or state.seq < 3:
            body = some_shot(state, dice)
        elif roll < 0.75:
            body = {"event": "placed", "pieces": []}
        else:
            seq = dice.randrange(2, state.seq + 1)
            body = (
                {"event": "correct", "seq": seq, "with": some_shot(state, dice)} if roll < 0.95 else {"event": "void"}
            )
            if body["event"] == "correct" and state.last is not None:
                strokes = [one.seq for one in state.last.back() if one.event.event == "shot"]
                body["seq"] = dice.choice(strokes) if strokes else seq
        state, ruling = apply(state, event_from_json(body))
        told = ruling_to_json(ruling)
        if "error" in told:
            continue
        if state.play is None or state.play.phase != "play" or told["board"]["number"] > 1:
            return
        if "place_now" in told:
            waiting = Counter(one["piece"] for one in told["place_now"])
            lying -= Counter(one["piece"] for one in told["take_off"])
        elif body["event"] == "placed" or not told["void"]:
            lying += waiting
            waiting = Counter()
            if body["event"] == "shot":
                waiting = ordered(state) - lying
        assert lying + waiting == ordered(state), (seed, body, lying, waiting)


def test_a_word_in_a_long_match_costs_what_it_changes() -> None:
    strokes = [shot("south"), shot("north")] * 30
    *_, last = ruled(start(), *strokes, call("33", "north"))
    assert [one["seq"] for one in last["changed"]] == [61]
