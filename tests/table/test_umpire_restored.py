"""What an older journal holds is ruled again as it was, also what a shot of now would be refused for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from controller.cli import main
from controller.journal.journal import Journal
from controller.rules.shelf import load_books
from controller.table.match.ruled_match import Taken
from controller.table.match.umpire import Umpire
from tests.table.kit import run, scene

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
    assert "unseen" in umpire.take(dict(TOLD_AND_UNSEEN)).error  # type: ignore[union-attr]
    umpire.restore([START, TOLD_AND_UNSEEN])
    stroke = umpire.latest_stroke()
    assert stroke is not None
    assert [foul["clause"] for foul in stroke.ruling["fouls"]] == ["icf-33"], "the line was not seen, the push was"
    assert stroke.ruling["unseen"] == TOLD_AND_UNSEEN["unseen"]
    assert not {"placement", "contacts"} & set(stroke.event)


LONG = "Ashalata " * 10 + "\u202eimda"
WHY = "because the lamp fell over and " * 40
OLD: tuple[dict[str, Any], ...] = (
    START | {"seats": {"south": LONG, "north": "B\x07en"}, "reason": WHY},
    {"event": "shot", "seat": "south", "contacts": [{"with": "white"}] * 150, "rest": [], "reason": WHY},
    {"event": "call", "clause": "icf-33", "seat": "south", "action": "foul", "reason": "\ud83d" + WHY},
    {"event": "correct", "seq": 2, "with": {"event": "shot", "seat": "south", "reason": WHY}},
    {"event": "seats", "seats": {"south": "Ben", "north": LONG}},
)
"""What a version without limits took."""


def test_names_texts_and_lists_of_before_the_limits_are_cut_and_said() -> None:
    umpire = Umpire(load_books())
    said = umpire.restore(OLD)
    assert umpire.seq == len(OLD)
    assert {one.partition(":")[0] for one in said} == {f"event {seq}" for seq in range(1, 6)}
    assert all(len(one) < 100 and "\n" not in one for one in said)
    names = [name for side in umpire.info("table-1", "m").sides.values() for name in side.values()]
    assert sorted(names) == sorted([LONG[:60], "Ben"])


def test_what_a_door_refuses_it_goes_on_refusing() -> None:
    umpire = Umpire(load_books())
    umpire.restore([START])
    for event in (OLD[0], OLD[2], OLD[4]):
        assert "characters" in umpire.take(dict(event)).error or "half" in umpire.take(dict(event)).error  # type: ignore[union-attr]


def old_journal(file: Path) -> None:
    """A match that an earlier version wrote: its events as they were, its rulings."""
    umpire = Umpire(load_books())
    with Journal(file) as journal:
        for seq, event in enumerate((OLD[0], OLD[1], OLD[4]), 1):
            taken = umpire.take_again(dict(event))
            assert isinstance(taken, Taken)
            journal.append("20260101-100000", seq, event, taken.ruling, 1.0 + seq, "person:web:1")


def test_a_table_goes_on_with_a_journal_of_before_the_limits(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    old_journal(tmp_path / "journal.sqlite")

    async def story() -> None:
        async with scene(tmp_path) as at:
            assert at.desk.shown.match == "20260101-100000"
            assert at.desk.umpire.seq == 3
            assert "error" not in await at.say({"event": "pause"})
            assert [entry.seq for entry in at.entries] == [1, 2, 3, 4]

    run(story())
    said = [record.getMessage() for record in caplog.records if "earlier version" in record.getMessage()]
    assert len(said) == 1
    assert "seats.south has 95 characters, 60 are kept" in said[0]


def test_such_a_journal_is_replayed_to_the_same_rulings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old_journal(tmp_path / "journal.sqlite")
    assert main(["replay", str(tmp_path / "journal.sqlite")]) == 0
    assert "3 of 3 events ruled again, the same rulings" in capsys.readouterr().out
