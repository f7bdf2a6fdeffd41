"""The demo's umpire sets a table right as a person at its page would, so that one wrong stroke is counted once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controller import rules
from controller.commands.demo.official import Official
from controller.events.codec import event_from_json, ruling_to_json
from controller.rules.shelf import load_books

START = {"event": "start", "book": "icf", "seats": {"south": "Asha", "north": "Ben"}, "first": "south"}
LAST = {
    "left": {"white": 1, "black": 5},
    "queen": "covered",
    "queen_side": "south",
    "turn": "south",
    "break_done": True,
}
FIGURES = ("turn", "queen", "left", "in_hand", "owed", "score", "games")


class Table:
    """A table that rules on what it is told, without a page."""

    def __init__(self) -> None:
        self.match = rules.begin(load_books())
        self.ruling: dict[str, Any] = {}

    def take(self, event: Mapping[str, Any]) -> dict[str, Any]:
        self.match, ruling = rules.apply(self.match, event_from_json(dict(event)))
        said = ruling_to_json(ruling)
        if "error" not in said:
            self.ruling = said
        return said


class AtTheTable(Official):
    """An umpire who speaks to the table without a network between."""

    def __init__(self, table: Table) -> None:
        super().__init__("http://nowhere", "")
        self.table = table

    def state(self) -> dict[str, Any]:
        return {"ruling": self.table.ruling}

    def act(self, event: dict[str, Any]) -> dict[str, Any]:
        return self.table.take(event)


def test_after_a_missed_break_of_the_next_board_the_colours_are_right() -> None:
    true, table = Table(), Table()
    for one in (true, table):
        one.take(START | {"position": LAST})
        one.take({"event": "shot", "seat": "south", "pocketed": [{"piece": "white", "pocket": "NE"}]})
        assert one.ruling["board"]["over"]
    broken = {"event": "shot", "seat": "north", "pocketed": [{"piece": "white", "pocket": "SW"}]}
    true.take(broken)
    AtTheTable(table).set_to(true.ruling, "the break was missed")
    assert {name: table.ruling[name] for name in FIGURES} == {name: true.ruling[name] for name in FIGURES}
    for one in (true, table):
        one.take(broken)
    assert {name: table.ruling[name] for name in FIGURES} == {name: true.ruling[name] for name in FIGURES}


class TwoThingsAsked(Official):
    """An official whose page asks who struck and whether a foul was one."""

    def __init__(self) -> None:
        super().__init__("http://127.0.0.1:9", "0")
        self.said: list[dict[str, Any]] = []

    def state(self) -> dict[str, Any]:
        flag = {"ask": 6, "clause": "icf-51", "says": "a stroke is played out of turn"}
        return {"asks": [{"ask": 5, "choices": ["north", "south"]}], "flags": [flag]}

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        if path == "/preview":
            return {"ruling": {"turn": "south" if body["choice"] in ("south", "foul") else "north"}}
        self.said.append(body)
        return {}


def test_the_simulated_umpire_answers_questions_and_confirms_fouls() -> None:
    official = TwoThingsAsked()
    assert official.answer_all({"turn": "south"}, lambda: None) == 2
    assert [(said["ask"], said["choice"]) for said in official.said] == [(5, "south"), (6, "foul")]
