"""Random matches by every book, to be written as carrom notation: played on, corrected, answered, taken back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

from controller.events.codec import event_from_json
from controller.rules import MatchState, apply, begin
from tests.rules.scenes import BOOKS
from tests.rules.test_properties import any_event, finishing, opening

Json = dict[str, Any]
LENGTH = 45


def matches(seed: int) -> Iterator[MatchState]:
    """One match by each book after another, without end."""
    dice = Random(seed)
    while True:
        for book in sorted(BOOKS):
            yield match(book, dice)


def match(book: str, dice: Random) -> MatchState:
    state = fold(opening(book, dice))
    for _ in range(LENGTH):
        assert state.play is not None
        if state.play.phase == "done":
            break
        state, _ruling = apply(state, event_from_json(json.loads(json.dumps(next_event(state, dice)))))
    return state


def fold(*events: Json) -> MatchState:
    """The match after some events, each of which applies."""
    state = begin(BOOKS)
    for event in events:
        state, ruling = apply(state, event_from_json(event))
        assert not hasattr(ruling, "error"), ruling
    return state


def next_event(state: MatchState, dice: Random) -> Json:
    """What ends a board about as often as what disturbs it."""
    play = state.play
    assert play is not None
    chance = dice.random()
    if chance < 0.08:
        return beside(state, dice)
    return finishing(state) if chance < 0.45 and play.phase == "play" else any_event(state, dice)


def beside(state: MatchState, dice: Random) -> Json:
    """What the other streams lack: trial boards, changed ends, what the camera saw, boards set up again."""
    play = state.play
    assert play is not None
    chairs, players = list(play.chairs), list(play.chairs.values())
    turned = players[1:] + players[:1]
    clauses = [one.id for one in play.book.clauses.values() if one.consequence == "replay_board"]
    choices: list[Json] = [
        {"event": "trial"},
        {"event": "play"},
        {"event": "resume"},
        {"event": "round_over"},
        {"event": "seats", "seats": {seat: play.match.names[who] for seat, who in zip(chairs, turned, strict=True)}},
        {"event": "seen", "what": dice.choice(["second_queen", "shaken", "upright"])},
        {"event": "placed", "pieces": [{"piece": "queen", "x": 0.0, "y": 0.0}]},
        *({"event": "void", "clause": clause} for clause in clauses[:2]),
        *({"event": "call", "clause": clause, "seat": chairs[0]} for clause in clauses[:2]),
        {"event": "call", "action": dice.choice(["draw", "warn", "forfeit", "concede"]), "seat": dice.choice(chairs)},
    ]
    return dice.choice(choices)
