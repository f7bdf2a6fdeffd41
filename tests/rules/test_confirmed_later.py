"""What a real table only raises and the umpire confirms ends as if it had been ruled at once."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from controller.rules import table_autonomy
from tests.rules.scenes import BOOKS, play, shot, start, summary

SOUTH = "south"
RAISED: dict[str, list[dict[str, Any]]] = {
    "club": [
        {"placement": {"lines": "none"}},
        {"placement": {"arrow": True}},
        {"placement": {"circle": "partial"}},
        {"heading": "backward"},
        {"contacts": []},
        {"contacts": [{"with": "cushion"}]},
        {"contacts": [{"with": "cushion"}, {"with": "white", "at": [0, -50]}]},
        {"off_board": ["striker"]},
        {"off_board": ["black"]},
        {"all_at_rest": False},
    ],
    "campus": [{"placement": {"lines": "none"}}, {"contacts": [{"with": "white", "at": [0, -300]}]}],
    "classic": [{"placement": {"circle": "covered"}}, {"off_board": ["black"]}],
    "sixes": [{"heading": "backward"}],
    "world": [{"placement": {"arrow": True}}],
}


@pytest.mark.parametrize(("book", "facts"), [(book, facts) for book, all_ in RAISED.items() for facts in all_])
def test_confirmed_later_is_as_ruled_at_once(book: str, facts: dict[str, Any]) -> None:
    table = table_autonomy(BOOKS[book])
    for pieces, at in product(("", "W", "S", "Q", "W B", "S W"), ("4 4", "4 4 pending")):
        if ("Q" in pieces and "pending" in at) or ("S" in pieces and "striker" in facts.get("off_board", ())):
            continue
        stroke = shot(pieces, **facts)
        at_once = play(start(book, at), stroke)[-1]
        raised = play(start(book, at, autonomy=table), stroke)[-1]
        waiting = [foul["clause"] for foul in raised["fouls"] if foul["status"] == "to confirm"]
        assert waiting, raised
        calls = [{"event": "call", "clause": clause, "seat": SOUTH} for clause in waiting]
        confirmed = play(start(book, at, autonomy=table), stroke, *calls)[-1]
        wanted, found = summary(at_once), summary(confirmed)
        assert found.pop("cites") >= wanted.pop("cites"), (pieces, at)
        assert found == wanted, (pieces, at)
