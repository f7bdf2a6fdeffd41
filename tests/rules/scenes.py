"""A short hand for rulebook tests: a position and a stroke in, what was ruled out.

`scene("campus", "5 4 pending", "W@NE S")` plays one stroke by south, who is white, with 5 white and 4 black on the
board and south's queen waiting for her cover. `summary` says what followed in words short enough for a table.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from controller.events.codec import event_from_json, ruling_to_json
from controller.events.expectation import Expectation
from controller.rules import apply, begin, expectation
from controller.rules.shelf import official_books

BOOKS = official_books()
PIECES = {"W": "white", "B": "black", "Q": "queen", "S": "striker"}
STRICT = ("fouls", "back", "due", "end")


def play(*events: dict[str, Any]) -> list[dict[str, Any]]:
    """Rules on a stream of events and returns the rulings in their JSON form."""
    state, rulings = begin(BOOKS), []
    for event in events:
        state, ruling = apply(state, event_from_json(json.loads(json.dumps(event))))
        rulings.append(ruling_to_json(ruling))
    return rulings


def expected_next(*events: dict[str, Any]) -> Expectation:
    """What the table may expect after a stream of events."""
    state = begin(BOOKS)
    for event in events:
        state, _ = apply(state, event_from_json(event))
    return expectation(state)


def fell(text: str) -> list[dict[str, str]]:
    """`"W@NE Q S"` → the `pocketed` list of a shot."""
    found = []
    for token in text.split():
        piece, _, pocket = token.partition("@")
        found.append({"piece": PIECES[piece]} | ({"pocket": pocket} if pocket else {}))
    return found


def start(book: str, at: str = "", **more: Any) -> dict[str, Any]:
    """A start; `at` is "white black [board|pending[@POCKET]|mine|theirs]", or empty for a fresh board."""
    event: dict[str, Any] = {
        "event": "start",
        "book": book,
        "seats": {"south": "Asha", "north": "Ben"},
        "first": "south",
    }
    if at:
        white, black, *queen = at.split()
        state, _, pocket = (queen[0] if queen else "board").partition("@")
        word = {"board": "board", "pending": "pending", "mine": "covered", "theirs": "covered"}[state]
        position: dict[str, Any] = {"left": {"white": int(white), "black": int(black)}, "turn": "south", "queen": word}
        if word != "board":
            position["queen_side"] = "north" if state == "theirs" else "south"
        if pocket:
            position["queen_pocket"] = pocket
        position |= more.pop("position", {})
        event["position"] = position
        if book == "club":
            event["white"] = "south"
    return event | more


def shot(text: str = "", seat: str = "south", **facts: Any) -> dict[str, Any]:
    """A shot in which these pieces fell."""
    return {"event": "shot", "seat": seat, "pocketed": fell(text), **facts}


def scene(book: str, at: str, stroke: str | dict[str, Any], **more: Any) -> dict[str, Any]:
    """Plays one stroke from a position and returns its ruling."""
    event = stroke if isinstance(stroke, dict) else shot(stroke)
    return play(start(book, at, **more), event)[-1]


def summary(ruling: dict[str, Any]) -> dict[str, Any]:
    """What a ruling says, in short words."""
    assert "error" not in ruling, ruling
    board = ruling["board"]
    queen = ruling["queen"] if ruling["queen_side"] is None else f"{ruling['queen']} {ruling['queen_side']}"
    drawn = "drawn" if board["drawn"] else board["winner"] or "level"
    return {
        "turn": ruling["turn"],
        "kept": ruling["turn_kept"],
        "void": ruling["void"],
        "queen": queen,
        "left": " ".join(str(n) for n in ruling["left"].values()),
        "hand": " ".join(str(n) for n in ruling["in_hand"].values()),
        "owed": " ".join(str(n) for n in ruling["owed"].values()),
        "score": " ".join(str(n) for n in ruling["score"].values()),
        "fouls": " ".join(f["clause"] + ("?" if f["status"] == "to confirm" else "") for f in ruling["fouls"]),
        "back": " ".join(f"{r['piece']}:{r['why']}" for r in ruling["returned"]),
        "due": " ".join(f"{d['pieces']}+{d['owed']}:{d['why']}" for d in ruling["dues"]),
        "end": f"{drawn} {board['points']} {board['why']}" if board["over"] else "",
        "winner": ruling["winner"],
        "cites": set(ruling["cites"]),
    }


def says(ruling: dict[str, Any], **expected: Any) -> None:
    """Compares a ruling with what is expected; fouls, returns, dues and an end that are not named must not be."""
    found = summary(ruling)
    wanted = dict.fromkeys(STRICT, "") | expected
    cites = set(str(wanted.pop("cites", "")).split())
    assert {key: found[key] for key in wanted} == wanted, ruling
    assert cites <= found["cites"], ruling


def row(clauses: str, at: str, stroke: str | dict[str, Any], **expected: Any) -> Any:
    """One line of a rulebook's table: the clauses it proves, the position, the stroke, what must follow."""
    name = stroke if isinstance(stroke, str) else " ".join(k for k in stroke if k not in ("event", "seat"))
    marks = [pytest.mark.clause(one) for one in clauses.split()]
    return pytest.param(clauses.split(), at, stroke, expected, id=f"{clauses}: {at}: {name}", marks=marks)


def proves(book: str, clauses: list[str], at: str, stroke: str | dict[str, Any], expected: dict[str, Any]) -> None:
    """The ruling is as expected, and switching any of the clauses off changes it."""
    says(scene(book, at, stroke), **expected)
    for clause in clauses:
        without = scene(book, at, stroke, autonomy={clause: "off"})
        assert without.get("error") or summary(without) != summary(scene(book, at, stroke)), f"{clause} does nothing"
