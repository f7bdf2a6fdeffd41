"""A table's past matches from its real journal, while it is open for play: listed, and as files by `carrom export`."""

from __future__ import annotations

import json

import pytest

from controller.commands.protest.archive import unpack
from controller.commands.protest.check import about, findings
from controller.events.errors import CarromError
from controller.journal import Journal
from controller.rules.shelf import load_books
from controller.table.match.past import MOST_LISTED, PastMatches
from controller.table.match.umpire import Umpire

START = {"event": "start", "book": "icf", "seats": {"south": "आशा", "north": "Ben"}, "first": "south"}


def write(journal, match, t_unix):
    umpire = Umpire(load_books())
    for number, event in enumerate([START, {"event": "shot", "seat": "south"}]):
        taken = umpire.take(event)
        journal.append(match, taken.seq, taken.event, taken.ruling, t_unix + number, "test")


@pytest.fixture
def journal(tmp_path):
    with Journal(tmp_path / "journal.sqlite", place="hall-2") as writing:
        for number in range(3):
            write(writing, f"m-{number}", 1_700_000_000.0 + 1000 * number)
        yield writing


def test_they_are_listed_newest_first_while_the_table_writes(journal):
    past = PastMatches(journal.path, None)
    assert [row["match"] for row in past.listed()] == ["m-2", "m-1", "m-0"]
    write(journal, "m-3", 1_700_009_000.0)
    row = past.listed()[0]
    assert (row["match"], row["seats"], row["events"], row["over"]) == ("m-3", START["seats"], 2, False)


def test_only_the_latest_are_listed(journal, monkeypatch):
    monkeypatch.setattr("controller.table.match.past.MOST_LISTED", 2)
    assert MOST_LISTED > 2
    assert [row["match"] for row in PastMatches(journal.path, None).listed()] == ["m-2", "m-1"]


@pytest.mark.live
def test_a_match_comes_as_each_file_while_the_table_writes(journal):
    past = PastMatches(journal.path, None)
    assert past.file("m-1", "pdf").startswith(b"%PDF")
    told = json.loads(past.file("m-1", "json"))
    assert [one["event"]["event"] for one in told["events"]] == ["start", "shot"]
    protest = past.protest("m-1", 2, "आशा", names=True)
    assert "fail" not in [one.state for one in findings(protest, None)]
    assert "protested by आशा" in about(unpack(protest))
    assert "आशा" not in about(unpack(past.protest("m-1", 2, "आशा", names=False)))


def test_what_is_not_in_the_journal_has_no_file_and_starts_no_process(journal, monkeypatch):
    monkeypatch.setattr("subprocess.run", None)
    for name in ("m-9", "", "--help", "m-1\x00"):
        assert PastMatches(journal.path, None).file(name, "pdf") is None
        assert PastMatches(journal.path, None).protest(name, 2, "", names=True) is None


@pytest.mark.live
def test_what_export_refuses_is_said_in_its_own_line(journal, tmp_path):
    with pytest.raises(CarromError, match="Fix:"):
        PastMatches(journal.path, tmp_path / "no.toml").file("m-1", "csv")
    with pytest.raises(CarromError, match="Fix:"):
        PastMatches(tmp_path / "none.sqlite", None).listed()
