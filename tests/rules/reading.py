"""Scenarios read off the documents, in a short hand: events in, named parts of one ruling out.

`seen(ruling)` flattens a ruling; a scenario names only the parts that its sentence speaks of. `DEFAULT` is the last
ruling of the stream. Clause ids are written without their book.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from controller.commands.rule import rule_line
from controller.events.codec import ruling_to_json
from controller.rules import begin
from tests.rules.scenes import BOOKS

Event = dict[str, Any]
PIECES = {"W": "white", "B": "black", "Q": "queen", "S": "striker", "?": "unknown"}
TWO = {"south": "Asha", "north": "Ben"}
FOUR = {"south": "Asha", "east": "Ben", "north": "Cara", "west": "Dev"}
FOUL: Event = {"placement": {"lines": "one"}}


def ruled(*events: Event | str) -> list[Event]:
    """Rules on a stream as `carrom rule` does, line by line."""
    state, rulings = begin(BOOKS), []
    for event in events:
        line = event if isinstance(event, str) else json.dumps(event)
        state, ruling = rule_line(state, line, "icf")
        rulings.append(ruling_to_json(ruling))
    return rulings


def start(position: Event | None = None, **more: Any) -> Event:
    """A start of two players, south first; `position` as in the interface."""
    event = {"event": "start", "book": "icf", "seats": TWO, "first": "south"} | more
    return event if position is None else event | {"position": position}


def at(white: int, black: int, **more: Any) -> Event:
    """A position after the break, south (white) on turn."""
    return {"left": {"white": white, "black": black}, "turn": "south", "break_done": True} | more


def mine(white: int, black: int, **more: Any) -> Event:
    """The same with the queen covered by south."""
    return at(white, black, queen="covered", queen_side="south", **more)


def pending(white: int, black: int, **more: Any) -> Event:
    """The same with south's queen waiting for her cover."""
    return at(white, black, queen="pending", queen_side="south", strokes=1, **more)


def south(fell: str = "", **facts: Any) -> Event:
    """A stroke by the south seat in which these pieces fell."""
    return shot("south", fell, **facts)


def north(fell: str = "", **facts: Any) -> Event:
    """A stroke by the north seat."""
    return shot("north", fell, **facts)


def shot(seat: str, fell: str = "", **facts: Any) -> Event:
    """A stroke by a seat."""
    pocketed = [{"piece": PIECES[one], "pocket": "NE"} for one in fell.split()]
    return {"event": "shot", "seat": seat, "pocketed": pocketed} | facts


def ev(event: str, **fields: Any) -> Event:
    """Any other event."""
    return {"event": event} | fields


def call(clause: str | None = None, seat: str | None = None, **more: Any) -> Event:
    """The umpire's call of an icf clause."""
    named = {} if clause is None else {"clause": f"icf-{clause}"}
    return ev("call", **named, **({} if seat is None else {"seat": seat}), **more)


def doubt(fact: str, *choices: tuple[Any, float]) -> list[Event]:
    """One weighted doubt of a shot."""
    return [{"fact": fact, "choices": [list(one) for one in choices], "evidence": "seen from one side"}]


def seen(ruling: Event) -> Event:
    """The parts of a ruling, flat and short."""
    if "error" in ruling:
        return {"error": set(ruling) == {"seq", "event", "error"}, "seq": ruling["seq"], "named": ruling["event"]}
    board = ruling["board"]
    return {
        "error": False,
        "named": ruling["event"],
        **{key: ruling[key] for key in ("seq", "seat", "turn", "void", "queen", "winner", "unseen", "provisional")},
        "kept": ruling["turn_kept"],
        "side": ruling["queen_side"],
        **{key: _figures(ruling[key]) for key in ("left", "in_hand", "owed", "score", "games")},
        "sides": " ".join(ruling["score"]),
        "fouls": " ".join(_bare(f["clause"]) + ("" if f["status"] == "ruled" else "?") for f in ruling["fouls"]),
        "back": " ".join(f"{one['piece']}:{_bare(one['why'])}" for one in ruling["returned"]),
        "to": [one["to"] for one in ruling["returned"]],
        "dues": " ".join(f"{d['side']}:{d['pieces']}+{d['owed']}:{_bare(d['why'])}" for d in ruling["dues"]),
        "within": [one["within"] for one in ruling["dues"]],
        "asks": [one["ask"] for one in ruling["asks"]],
        "choices": [one["choices"] for one in ruling["asks"]],
        **{key: board[key] for key in ("number", "over", "points", "on_demand", "drawn")},
        "board_winner": board["winner"],
        "why": None if board["why"] is None else _bare(board["why"]),
        "game_over": ruling["game_over"],
        "match_over": ruling["match_over"],
        "cites": {_bare(one) for one in ruling["cites"]},
    }


def _bare(clause: str) -> str:
    return clause.removeprefix("icf-")


def _figures(by_side: Event) -> str:
    return " ".join(map(str, by_side.values()))


def case(sentence: str, *events: Event | str, **expected: Any) -> Any:
    """One scenario: the sentence of the document it was read off, the events, what the last ruling must say."""
    return pytest.param(events, expected, id=sentence.replace("[", "(").replace("]", ")"))


def agrees(events: tuple[Event | str, ...], expected: Event) -> None:
    """Every named part of the last ruling is as the document says; `cites` may hold more."""
    ruling = ruled(*events)[-1]
    found = seen(ruling)
    cites = set(str(expected.get("cites", "")).split())
    wanted = {key: value for key, value in expected.items() if key != "cites"}
    assert {key: found.get(key) for key in wanted} == wanted, ruling
    assert cites <= found.get("cites", set()), ruling
