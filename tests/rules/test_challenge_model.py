"""Challenges, verdicts, corrections and what takes them back, in any order, against a second reading of them."""

from __future__ import annotations

from random import Random

import pytest

from controller.events.codec import event_from_json
from controller.events.ruling import Ruling
from controller.rules import MatchState, apply, begin, standing
from controller.rules.play import Play
from tests.rules.challenge_model import NOTHING, Json, Model
from tests.rules.scenes import BOOKS
from tests.rules.test_properties import TWO, some_shot

BOOKS_OF_TWO = sorted(one for one in set(BOOKS) if 2 in BOOKS[one].players)
RESULTS = ("upheld", "rejected", "inconclusive")
ABOUT = ("lines", "contact", "count", "missed_foul")


def opening(dice: Random) -> Json:
    keeps = [one for one in RESULTS if dice.random() < 0.5]
    policy = {"challenges": dice.choice((0, 1, 1, 2, 3)), "challenge_keeps": keeps}
    return {"event": "start", "book": dice.choice(BOOKS_OF_TWO), "seats": TWO, "first": "south", "policy": policy}


def another(state: MatchState, stroke: Json, dice: Random) -> Json:
    """A stroke as it may have been instead, by whoever made it."""
    return some_shot(state, dice) | {"seat": stroke["seat"]}


def verdict(model: Model, state: MatchState, dice: Random, likely: list[int]) -> Json:
    """Of a likely challenge, of any, or of what is none."""
    challenges = [seq for seq, cell in model.cells.items() if cell.event["event"] == "challenge"]
    seq = dice.choice(likely) if likely and dice.random() < 0.8 else dice.choice(challenges or [1])
    body = {"event": "verdict", "challenge": seq, "result": dice.choice(RESULTS)}
    if (body["result"] == "upheld") != (dice.random() < 0.1):
        asked = model.cells[seq].event
        stroke = model.cells[asked["stroke"]].event if seq in challenges else {"seat": "south"}
        body["with"] = another(state, stroke, dice)
    return body


def some_event(model: Model, state: MatchState, dice: Random) -> Json:
    assert state.play is not None
    cells = {seq: cell.event for seq, cell in model.cells.items() if seq > 1}
    strokes = [seq for seq, event in cells.items() if event["event"] == "shot"]
    words = [seq for seq, event in cells.items() if event["event"] in ("correct", "verdict", "challenge")]
    verdicts = [seq for seq, event in cells.items() if event["event"] == "verdict"]
    roll = dice.random()
    if roll < 0.05:
        chairs = state.play.chairs
        names = state.play.match.names
        return {
            "event": "seats",
            "seats": {seat: names[chairs[other]] for seat, other in zip(chairs, reversed(chairs), strict=True)},
        }
    if roll < 0.3 and strokes:
        latest = model.latest()
        stroke = dice.choice(strokes) if dice.random() < 0.15 or latest is None else latest
        return {
            "event": "challenge",
            "seat": dice.choice(("south", "north")),
            "stroke": stroke,
            "about": dice.choice(ABOUT),
        }
    if roll < 0.5 and strokes and (model.pending() or dice.random() < 0.2):
        return verdict(model, state, dice, model.pending())
    if roll < 0.58 and strokes:
        seq = dice.choice(strokes)
        return {"event": "correct", "seq": seq, "with": another(state, cells[seq], dice)}
    if roll < 0.65 and verdicts:
        seq = dice.choice(verdicts)
        return {"event": "correct", "seq": seq, "with": verdict(model, state, dice, [cells[seq]["challenge"]])}
    if roll < 0.8 and words:
        return {"event": "correct", "seq": dice.choice(words), "with": NOTHING}
    return some_shot(state, dice)


def figures(play: Play | None, at: dict[int, int] | None = None) -> Play:
    """All but challenges, what lies to be placed, and questions. `at`: maps the latest stroke's number."""
    assert play is not None
    last = play.last
    if at is not None and last is not None:
        last = at[last[0]], last[1]
    return play.but(challenges=(), to_place=(), ordered=(), asks=(), last=last)


def decided(state: MatchState) -> dict[int, str | None]:
    assert state.play is not None
    return {one.seq: one.result for one in state.play.challenges}


def agree(model: Model, state: MatchState) -> None:
    now = standing(state)
    assert now is not None
    assert [one.seq for one in now.challenges] == sorted(model.pending())
    assert now.challenges_left == model.left()
    assert {seq: result for seq, result in decided(state).items() if result is not None} == model.results()
    assert figures(state.play, model.at) == figures(model.reference.play)


def sequence(seed: int, length: int) -> None:
    """One match of random events: the engine takes and refuses what the model does, and has its figures. All of it
    ruled again at once, by a correction of its start, is what it was step by step."""
    dice = Random(seed)
    start = opening(dice)
    model = Model(start["policy"]["challenges"], start["policy"]["challenge_keeps"])
    state = begin(BOOKS)
    event = start
    for seq in range(1, length + 1):
        taken = model.take(seq, event)
        body = {key: value for key, value in event.items() if key != "side"}
        before = state
        state, ruling = apply(state, event_from_json(body))
        assert isinstance(ruling, Ruling) == taken, (seed, seq, body, ruling)
        agree(model, state)
        assert taken or state.play is before.play
        if isinstance(ruling, Ruling) and event["event"] in ("challenge", "verdict"):
            assert ruling.challenges_left == model.left()
        event = some_event(model, state, dice)
    again = ruled(state, {"event": "correct", "seq": 1, "with": start})
    assert (figures(again.play), decided(again)) == (figures(state.play), decided(state)), seed


def ruled(state: MatchState, event: Json) -> MatchState:
    after, ruling = apply(state, event_from_json(event))
    assert isinstance(ruling, Ruling), ruling
    return after


FAST, LONG, OF_A_PART, EVENTS = 240, 10_000, 500, 16


@pytest.mark.parametrize("part", range(4))
def test_any_order_is_as_the_model_has_it(part: int) -> None:
    for seed in range(part * FAST // 4, (part + 1) * FAST // 4):
        sequence(seed, EVENTS)


@pytest.mark.long
@pytest.mark.parametrize("part", range(LONG // OF_A_PART))
def test_any_order_is_as_the_model_has_it_ten_thousand_times(part: int) -> None:
    for seed in range(FAST + part * OF_A_PART, FAST + (part + 1) * OF_A_PART):
        sequence(seed, EVENTS)


@pytest.mark.parametrize("result", RESULTS)
def test_a_verdict_and_a_correction_of_another_stroke_commute(result: str) -> None:
    for seed in range(60):
        dice = Random(seed)
        state = ruled(begin(BOOKS), opening(dice) | {"policy": {"challenges": 1}})
        played: list[Json] = []
        while state.play is not None and state.play.phase != "done" and len(played) < 8:
            played.append(some_shot(state, dice))
            after, ruling = apply(state, event_from_json(played[-1]))
            if not isinstance(ruling, Ruling):
                break  # a board's end needs all answers
            state = after
        assert state.play is not None
        if state.play.last is None or state.play.last[0] < 3:
            continue
        stroke = state.play.last[0]
        state = ruled(state, {"event": "challenge", "seat": "north", "stroke": stroke, "about": "count"})
        given: Json = {"event": "verdict", "challenge": state.seq, "result": result}
        if result == "upheld":
            given["with"] = another(state, played[stroke - 2], dice)
        earlier = dice.randrange(2, stroke)
        corrected = {"event": "correct", "seq": earlier, "with": another(state, played[earlier - 2], dice)}
        ends = []
        for order in ((given, corrected), (corrected, given)):
            taken = [apply(state, event_from_json(order[0]))]
            taken.append(apply(taken[0][0], event_from_json(order[1])))
            ends.append([isinstance(ruling, Ruling) for _, ruling in taken] == [True, True] and taken[1][0])
        one, other = ends
        if one and other:
            assert (figures(one.play), decided(one)) == (figures(other.play), decided(other)), seed
