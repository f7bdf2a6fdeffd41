"""What people say later holds: no confirmed foul vanishes, no question comes twice, whatever the book."""

from __future__ import annotations

from math import prod
from random import Random
from typing import Any, get_args

import pytest
from hypothesis import given, settings

from controller.events.codec import event_from_json
from controller.events.match import Answer, Shot
from controller.events.ruling import Ruling
from controller.events.words import Flag
from controller.rules import MatchState, apply, begin, open_questions, rulings, table_autonomy
from tests.rules.reading import TWO, at, case, ev, mine, north, ruled, seen, south, start
from tests.rules.reading_books import called, club
from tests.rules.scenes import BOOKS
from tests.rules.test_properties import STREAMS, any_event, books, opening, seeds, some_shot

FLAGS = get_args(Flag)
POINT = {"event": "start", "book": "world-point", "seats": TWO, "first": "south"}
LEVEL = {
    "left": {"white": 1, "black": 0},
    "in_hand": {"south": ["white"] * 6 + ["black"], "north": ["white"] * 2 + ["black"] * 8},
    "queen": "covered",
    "queen_side": "south",
    "score": {"south": 9, "north": 10},
    "turn": "south",
}
TIED = POINT | {"position": LEVEL, "autonomy": {"world-3": "confirm"}}
LAST = south("W", placement={"arrow": True})
FOUL = ev("answer", ask=2, choice="foul")


def flagged(state: MatchState, dice: Random) -> dict[str, Any]:
    """A stroke with flags, now and then one that touches nothing, ends the board, or comes before all lay still."""
    event = some_shot(state, dice)
    event["flags"] = dice.sample(FLAGS, dice.choice((0, 1, 2)))
    if dice.random() < 0.2:
        event |= {"contacts": [], "pocketed": []}
        event.pop("off_board", None)
    if dice.random() < 0.2:
        event["all_at_rest"] = False
    if dice.random() < 0.1:
        event["left_baseline"] = False
    return event


@pytest.mark.long
@given(book=books, seed=seeds)
@settings(STREAMS, max_examples=250)
def test_no_confirmed_foul_vanishes(book: str, seed: int) -> None:
    dice = Random(seed)
    body = opening(book, dice) | {"autonomy": table_autonomy(BOOKS[book])}
    if dice.random() < 0.5 and len(body["seats"]) == 2:
        left = {"white": dice.choice((1, 2)), "black": dice.choice((1, 2, 5))}
        body["position"] = {
            "left": left,
            "turn": "south",
            "queen": "covered",
            "queen_side": dice.choice(("south", "north")),
        }
        body |= {"white": "south"} if book == "club" else {}
    state, _ = apply(begin(BOOKS), event_from_json(body))
    for _ in range(8):
        if dice.random() < 0.1:
            state, _ = apply(state, event_from_json({"event": dice.choice(("pause", "resume"))}))
        state, _ = apply(state, event_from_json(flagged(state, dice)))
        for question in open_questions(state):
            about = next(event for event, ruling in rulings(state) if ruling.seq == question.seq)
            if not isinstance(about, Shot) or question.clause is None:
                continue
            clause = question.clause
            if about.flags and "practice" in about.flags and question not in open_questions(state):
                continue  # it was confirmed to be a try: how it was played is not asked about any more
            state, said = apply(state, Answer(question.ask, "foul"))
            assert isinstance(said, Ruling), said
            stroke = next(ruling for _, ruling in rulings(state) if ruling.seq == question.seq)
            words = BOOKS[book].clauses[clause].says
            held = [foul.status for foul in stroke.fouls if foul.clause == clause]
            told = (
                f"warning: {words}" in stroke.notes
                or f"{clause} was confirmed; the stroke does not count" in stroke.notes
            )
            assert held == ["ruled"] or told, (seed, clause, stroke)
        if state.play is None or state.play.phase == "done":
            return


@pytest.mark.long
@given(book=books, seed=seeds)
@settings(STREAMS, max_examples=150)
def test_ids_of_questions_are_unique_and_an_answered_one_is_never_shown_again(book: str, seed: int) -> None:
    dice = Random(seed)
    state = begin(BOOKS)
    body = opening(book, dice)
    answered: set[str] = set()
    meaning: dict[str, tuple[int, str]] = {}
    for _ in range(25):
        state, ruling = apply(state, event_from_json(body))
        assert state.play is not None
        if body["event"] == "answer" and isinstance(ruling, Ruling):
            answered.add(str(body["ask"]))
        waiting = [str(one.ask) for one in state.play.asks]
        assert len(waiting) == len(set(waiting)), (seed, waiting)
        for one in state.play.asks:
            assert meaning.setdefault(str(one.ask), (one.seq, one.key)) == (one.seq, one.key), seed
        shown = [str(ask.ask) for _, stands in rulings(state) for ask in stands.asks if stands.event != "answer"]
        shown += [str(ask.ask) for ask in (ruling.asks if isinstance(ruling, Ruling) else ())]
        shown += [str(one.ask) for one in open_questions(state)]
        assert not answered & {*waiting, *shown}, (seed, body, answered, shown)
        if state.play.phase == "done":
            return
        body = any_event(state, dice) if dice.random() > 0.15 else {"event": "seen", "what": "shaken"}
        if body["event"] == "correct":
            target = next((ruling for _, ruling in rulings(state) if ruling.seq == body["seq"]), None)
            # a question is open again when its answer, or what it asked about, was another
            body = {"event": "void"} if target is not None and (target.event == "answer" or target.asks) else body


QUESTIONS = [
    case("a flag and the colour", TIED, LAST, asks=[2, "2.1"], over=True),
    case("each by its string", TIED, LAST, ev("answer", ask="2.1", choice="white"), asks=[], turn="north"),
    case("the other too", TIED, LAST, ev("answer", ask="2", choice="no foul"), asks=["2.1"], fouls=""),
    case(
        "and neither comes again",
        TIED,
        LAST,
        ev("answer", ask="2.1", choice="white"),
        ev("answer", ask="2", choice="no foul"),
        asks=[],
        in_hand="8 10",
    ),
    case("in hand as pocketed", TIED, LAST, ev("answer", ask="2.1", choice="white"), in_hand="8 10", left="0 0 0"),
    case(
        "until its board opens",
        TIED,
        south("W"),
        ev("answer", ask=2, choice="white"),
        ev("next_board"),
        in_hand="0 0",
        left="9 9 0",
        turn="north",
    ),
    case(
        "what was waved away stays so when something before it is corrected",
        start(),
        south("W"),
        ev("seen", what="shaken"),
        ev("answer", ask=3, choice="no foul"),
        ev("correct", seq=2, **{"with": south()}),
        ev("answer", ask=3, choice="no foul"),
        error=True,
    ),
    case(
        "an answer does not undo a later correction of the same fact",
        start(at(5, 5)),
        south("?"),
        ev("answer", ask=2, choice="white"),
        ev("correct", seq=2, **{"with": south("B", placement={"lines": "unknown"})}),
        ev("answer", ask="2.1", choice="both"),
        left="5 4 1",
    ),
    case(
        "what was asked before a trial board and answered in it",
        start(),
        ev("seen", what="shaken"),
        ev("trial"),
        ev("call", clause="icf-126a", seat="south"),
        ev("play"),
        ev("answer", ask=2, choice="no foul"),
        error=True,
    ),
]


@pytest.mark.parametrize(("events", "expected"), QUESTIONS)
def test_questions(events: Any, expected: dict[str, Any]) -> None:
    found = seen(ruled(*events)[-1])
    assert {key: found.get(key) for key in expected} == expected


def tried(flag: str) -> Any:
    return south("", contacts=[], flags=[flag])


CONFIRMED = [
    case("icf-123 on a try", start(), tried("striker_touched"), FOUL, fouls="123", turn="north", owed="1 0"),
    case("icf-126a on a try", start(), tried("shake"), FOUL, fouls="126a", turn="north", owed="1 0"),
    case("icf-134 on a try", start(), tried("hand_touched_piece"), FOUL, fouls="134", turn="north", owed="1 0"),
    case(
        "icf-124c on a try: the stroke is improper (45c)",
        start(),
        south("", contacts=[], all_at_rest=False),
        FOUL,
        fouls="124c",
        turn="north",
        owed="0 0",
    ),
    case(
        "icf-124c with an own piece: it comes back, and one more (64b)",
        start(at(5, 5)),
        south("W", all_at_rest=False),
        FOUL,
        left="6 5 1",
        back="white:77a",
        dues="south:1+0:77a",
        turn="north",
    ),
    case(
        "called without the flag it is a foul of its own",
        start(at(5, 5)),
        south("W"),
        ev("call", clause="icf-124c", seat="south"),
        left="5 5 1",
        turn="north",
    ),
    case("icf-123 where the board ended", start(mine(1, 5)), south("W", flags=["striker_touched"]), FOUL, fouls="123"),
    case("the board stays won", start(mine(1, 5)), south("W", flags=["shake"]), FOUL, score="8 0", over=True),
    case(
        "club-79 where the board ended: the warning counts",
        club(mine(1, 5)),
        south("W", flags=["delay"]),
        FOUL,
        ev("next_board"),
        north(),
        called(79),
        fouls="club-79",
        owed="1 0",
    ),
    case(
        "club-79 called as a foul where it was flagged",
        club(mine(2, 5)),
        south("W", flags=["delay"]),
        called(79, action="foul"),
        fouls="club-79",
        left="2 5 0",
        turn="north",
    ),
    case(
        "and as its clause says without the action",
        club(mine(2, 5)),
        south("W", flags=["delay"]),
        called(79),
        fouls="",
        left="1 5 0",
        turn="south",
    ),
    case(
        "a warning only, called as a foul",
        club(mine(2, 5)),
        south("W", flags=["over_half"]),
        called(92, action="foul"),
        fouls="club-92",
        left="2 5 0",
        turn="north",
    ),
    case(
        "besides a stroke that was none",
        start(),
        south("", contacts=[], left_baseline=False, flags=["shake"]),
        FOUL,
        fouls="126a",
        void=True,
        owed="1 0",
    ),
    case("besides one in a pause", start(), ev("pause"), south("W", flags=["shake"]), FOUL | {"ask": 3}, fouls="126a"),
    case(
        "waved away and called after all: the last word holds",
        start(at(5, 5)),
        south("W", placement={"lines": "one"}),
        ev("call", clause="icf-130a", seat="south", action="wave_off"),
        ev("call", clause="icf-130a", seat="south"),
        ev("call", clause="icf-33", seat="south"),
        ev("call", clause="icf-33", seat="south", action="wave_off"),
        ev("call", clause="icf-33", seat="south"),
        fouls="130a 33",
        turn="north",
    ),
]


@pytest.mark.parametrize(("events", "expected"), CONFIRMED)
def test_confirmed(events: Any, expected: dict[str, Any]) -> None:
    found = seen(ruled(*events)[-1])
    assert {key: found.get(key) for key in expected} == expected


OUT = [
    case("void", start(at(5, 5)), south("W"), north("B"), void=True, left="4 5 1", asks=[3]),
    case(
        "stays void when a call makes the turn right",
        start(at(5, 5)),
        south("W"),
        north("B"),
        ev("call", clause="icf-33", seat="south"),
        left="6 5 1",
        turn="north",
        asks=[],
    ),
    case(
        "also when another one comes after it",
        start(at(5, 5)),
        south("W"),
        north("B"),
        ev("call", clause="icf-33", seat="south"),
        ev("correct", seq=2, **{"with": south()}),
        left="6 5 1",
        turn="north",
    ),
    case(
        "unless it is itself corrected",
        start(at(5, 5)),
        south("W"),
        north("B"),
        ev("call", clause="icf-33", seat="south"),
        ev("correct", seq=3, **{"with": north("B")}),
        left="6 4 1",
        turn="north",
    ),
    case(
        "confirmed it loses the board all the same",
        start(at(5, 5)),
        south("W"),
        north("B"),
        ev("answer", ask=3, choice="foul"),
        over=True,
        board_winner="south",
    ),
]


@pytest.mark.parametrize(("events", "expected"), OUT)
def test_a_stroke_out_of_turn_that_was_put_back(events: Any, expected: dict[str, Any]) -> None:
    found = seen(ruled(*events)[-1])
    assert {key: found.get(key) for key in expected} == expected


def test_pairs_of_facts_are_tried_above_64_readings() -> None:
    """A striker that stayed on its lines or touched nothing changes nothing; both together were no stroke."""
    facts: dict[str, list[Any]] = {
        "left_baseline": [True, False],
        "contacts": [[{"with": "white"}], []],
        "heading": ["forward", "backward"],
        "placement.lines": ["both", "one", "none"],
        "placement.circle": ["clear", "covered", "partial"],
    }
    doubts = [
        {"fact": fact, "choices": [[choice, 0.9 / (1 + rank)] for rank, choice in enumerate(choices)]}
        for fact, choices in facts.items()
    ]
    assert prod(map(len, facts.values())) > 64
    lines_are_free = start(at(5, 5), autonomy={"icf-130a": "off", "icf-130b": "off"})
    ruling = ruled(lines_are_free, south(doubts=doubts))[-1]
    asked = {ask["question"] for ask in ruling["asks"]}
    assert asked == {"Did the striker leave the lines?", "What did the striker touch, and in which order?"}
