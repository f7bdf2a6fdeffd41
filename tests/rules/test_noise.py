"""Whatever comes in, in any book: one line out for each event; a refusal is one line and changes nothing.

Streams of plausible events, some with a value, key or list broken at random (seeded).
"""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

import pytest

from controller.commands.rule import rule_line
from controller.events.codec import ruling_to_json
from controller.rules import begin
from tests.rules.scenes import BOOKS

Event = dict[str, Any]
SEATS = ("south", "north", "east", "west")
PIECES = ("white", "black", "white", "black", "queen", "striker", "unknown")
WORDS: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1.5,
    1e308,
    10**30,
    "",
    "x",
    "south",
    "unknown",
    "2.1",
    "\ud800",
    [],
    {},
    [{}],
)
CHOICES: tuple[Any, ...] = (
    [["both", 0.6], ["one", 0.4]],
    [["white", 0.6], ["black", 0.4]],
    [[True, 0.7], [False, 0.3]],
)
FACTS = ("placement.lines", "placement", "pocketed", "pocketed[0].piece", "contacts", "left_baseline", "seat", "flags")
FLAGS = ("push", "elbow", "hand_touched_piece", "two_hands", "shake", "replaced", "delay", "over_half", "practice")
ACTIONS = ("warn", "foul", "deduct", "disqualify", "forfeit", "wave_off", "draw")


def opening(dice: Random) -> Event:
    book = dice.choice(sorted(BOOKS))
    taken = SEATS if dice.random() < 0.3 else SEATS[:2]
    event: Event = {"event": "start", "book": book, "seats": {seat: seat.title() for seat in taken}, "first": "south"}
    if dice.random() < 0.5:
        left = {"white": dice.randint(1, 6), "black": dice.randint(1, 6)}
        event["position"] = {"left": left, "turn": dice.choice(taken), "score": {"south": dice.randint(0, 24)}}
        if dice.random() < 0.6:
            event["position"] |= {"queen": dice.choice(("pending", "covered")), "queen_side": dice.choice(taken)}
        if book == "club":
            event["white"] = "south"
    return event


def shot(dice: Random, turn: str | None) -> Event:
    event: Event = {"event": "shot", "seat": turn if turn and dice.random() < 0.9 else dice.choice(SEATS)}
    event["pocketed"] = [{"piece": dice.choice(PIECES), "pocket": "NE"} for _ in range(dice.choice((0, 0, 1, 1, 2, 3)))]
    extras: tuple[Event, ...] = (
        {"off_board": [dice.choice(PIECES)]},
        {"contacts": dice.choice(([], [{"with": "cushion", "at": [0, 1]}], [{"with": "unknown", "at": [0, -260]}]))},
        {
            "placement": {
                "lines": dice.choice(("both", "one", "unknown")),
                "circle": dice.choice(("partial", "unknown")),
            }
        },
        {"flags": dice.sample(FLAGS, 2)},
        {"doubts": [{"fact": dice.choice(FACTS), "choices": dice.choice(CHOICES), "evidence": "x"}]},
        {"unseen": [dice.choice(("placement", "contacts", "left_baseline", "rest"))]},
        {"left_baseline": dice.choice((False, "unknown"))},
        {"elapsed": 20},
        {"rest": [{"piece": "white", "x": dice.uniform(-20, 20), "y": dice.uniform(-20, 20)} for _ in range(3)]},
    )
    for extra in extras:
        if dice.random() < 0.12:
            event |= copy.deepcopy(extra)
    return event


def moment(dice: Random, seq: int, clauses: list[str]) -> Event:
    seat, earlier = dice.choice(SEATS[:2]), dice.randint(1, max(1, seq))
    call: Event = {"event": "call", "clause": dice.choice(clauses), "seat": seat}
    settings: tuple[Event, ...] = ({"turn": seat}, {"left": {"white": 4}}, {"queen": "covered", "queen_side": seat})
    return dice.choice(
        (
            call,
            call,
            call | {"action": dice.choice(ACTIONS), "points": 1},
            {"event": "void"},
            {"event": "void", "clause": dice.choice(clauses)},
            {"event": "correct", "seq": earlier, "with": shot(dice, seat)},
            {"event": "correct", "seq": earlier, "with": call},
            {"event": "override", "seq": earlier, "set": dice.choice(settings), "reason": "x"},
            {"event": "set", "position": {"left": {"white": dice.randint(1, 9)}, "turn": seat}, "reason": "x"},
            {"event": "drop", "piece": dice.choice(PIECES), "on_rim": dice.random() < 0.5},
            {"event": dice.choice(("timeout", "pass")), "seat": seat},
            {"event": dice.choice(("pause", "resume", "play", "trial", "round_over", "next_board"))},
            {"event": "next_board", "first": seat},
            {"event": "claim", "points": 1},
            {"event": "seats", "seats": {"south": "North", "north": "South"}},
            {"event": "seen", "what": dice.choice(("second_queen", "shaken", "wrong_rack", "upright"))},
            {"event": "placed", "pieces": [{"piece": "white", "x": dice.uniform(-300, 300), "y": 0}]},
        )
    )


def broken(dice: Random, event: Event) -> Event:
    """The event with one value, key or item changed somewhere."""
    event = copy.deepcopy(event)
    node: Any = event
    while True:
        inner = [one for one in (node.values() if isinstance(node, dict) else node) if isinstance(one, dict | list)]
        if not inner or dice.random() < 0.4:
            break
        node = dice.choice(inner)
    word = copy.deepcopy(dice.choice(WORDS))
    if isinstance(node, list):
        node.insert(dice.randint(0, len(node)), word)
    elif node and dice.random() < 0.7:
        node[dice.choice(sorted(node))] = word
    else:
        node[dice.choice(("nonsense", "seat", "event", "clause"))] = word
    return event


@pytest.mark.parametrize("hundred", range(3))
def test_one_line_out_and_a_refusal_changes_nothing(hundred: int) -> None:
    ruled = 0
    for seed in range(hundred * 100, hundred * 100 + 100):
        dice = Random(seed)
        state, turn, seq = begin(BOOKS), None, 0
        event = opening(dice)
        clauses = sorted(BOOKS[event["book"]].clauses)
        for i in range(30):
            asks = state.play.asks if state.play else ()
            if i and asks and dice.random() < 0.7:
                event = {"event": "answer", "ask": asks[0].ask, "choice": dice.choice(asks[0].choices)}
            elif i:
                event = shot(dice, turn) if dice.random() < 0.7 else moment(dice, seq, clauses)
            line = json.dumps(broken(dice, event) if dice.random() < 0.15 else event)
            before = state.play
            state, ruling = rule_line(state, line, "icf")
            out = ruling_to_json(ruling)
            json.dumps(out, allow_nan=False)
            seq = out["seq"]
            if "error" in out:
                assert set(out) == {"seq", "event", "error"}, (seed, line)
                assert out["error"], (seed, line)
                assert "\n" not in out["error"], (seed, line)
                assert state.play == before, (seed, line)
            else:
                ruled, turn = ruled + 1, out["turn"]
                assert min(out["left"].values()) >= 0, (seed, line, out)
                assert min(out["owed"].values()) >= 0, (seed, line, out)
    assert ruled > 1000
