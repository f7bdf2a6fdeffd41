"""What an older journal holds is ruled again as it was, also what a shot of now would be refused for."""

from __future__ import annotations

from controller.rules.shelf import load_books
from controller.table.umpire import Umpire

START = {"event": "start", "book": "icf", "seats": {"south": "Asha", "north": "Ben"}, "first": "south"}
TOLD_AND_UNSEEN = {
    "event": "shot",
    "seat": "south",
    "pocketed": [{"piece": "white", "pocket": "NE"}],
    "placement": {"lines": "one"},
    "contacts": [{"with": "white"}],
    "flags": ["push"],
    "unseen": ["seat", "placement.lines", "contacts", "flags.elbow"],
}


def test_a_fact_that_a_journal_calls_unseen_is_not_ruled_on() -> None:
    umpire = Umpire(load_books())
    umpire.restore([START])
    assert "unseen" in umpire.take(dict(TOLD_AND_UNSEEN))["error"]  # type: ignore[index]
    umpire.restore([START, TOLD_AND_UNSEEN])
    stroke = umpire.latest_stroke()
    assert stroke is not None
    assert [foul["clause"] for foul in stroke.ruling["fouls"]] == ["icf-33"], "the line was not seen, the push was"
    assert stroke.ruling["unseen"] == TOLD_AND_UNSEEN["unseen"]
    assert not {"placement", "contacts"} & set(stroke.event)
