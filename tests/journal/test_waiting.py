"""A journal that cannot be written at the start: a worn card that the system made read-only, a full disk, no rights."""

from __future__ import annotations

import errno
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from controller.events.errors import DeviceError
from controller.journal import Journal, Scribe
from controller.journal.file import HeldError
from controller.journal.salvage import open_or_salvage
from controller.journal.spool import Spool
from tests.patience import PATIENCE_S

PLAY = {"event": "play"}


@pytest.fixture
def worn(monkeypatch: pytest.MonkeyPatch):
    """Makes a file system refuse whatever would write, until the function it gives is called."""
    really, worn = os.open, True

    def refuse(path, flags, *more, **named):
        if worn and flags & (os.O_RDWR | os.O_WRONLY | os.O_CREAT):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return really(path, flags, *more, **named)

    def mended() -> None:
        nonlocal worn
        worn = False

    monkeypatch.setattr(os, "open", refuse)
    return mended


def test_the_match_goes_on_from_what_can_be_read_and_is_written_once_it_can_be(tmp_path, request) -> None:
    with Journal(tmp_path / "j") as journal:
        journal.append("m", 1, PLAY, {"seq": 1}, 1.0)
    mended = request.getfixturevalue("worn")
    journal = Journal(tmp_path / "j")
    assert open_or_salvage(journal) == ""
    scribe = Scribe(journal, Spool([tmp_path / "memory"]), patience_s=0.01)
    assert "Read-only file system). Fix: another card" in scribe.says
    assert [entry.seq for entry in journal.events("m")] == [1]
    scribe.start()
    receipts = [scribe.append("m", seq, PLAY, {"seq": seq}, 1.0) for seq in (2, 3)]
    assert [scribe.saved_or_kept(receipt) for receipt in receipts] == [False, False]
    assert [entry.seq for entry in Spool([tmp_path / "memory"]).read()] == [2, 3]
    mended()
    assert all(receipt.saved_within(PATIENCE_S) for receipt in receipts)
    assert (scribe.says, [entry.seq for entry in journal.events("m")]) == ("", [1, 2, 3])
    assert scribe.stop() == ()
    journal.close()


def test_without_a_file_it_is_empty_until_there_is_room(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    folder.write_text("no folder can be made here")
    journal = Journal(folder / "j").open_waiting()
    assert journal.matches() == ()
    with pytest.raises(DeviceError, match="cannot be written"):
        journal.append("m", 1, PLAY, {"seq": 1}, 1.0)
    assert journal.waits_for
    folder.unlink()
    journal.append("m", 1, PLAY, {"seq": 1}, 1.0)
    assert journal.waits_for == ""
    journal.close()
    with Journal(folder / "j", read_only=True) as again:
        assert [entry.seq for entry in again.events("m")] == [1]


def test_a_file_that_is_there_and_cannot_be_read_now_is_no_empty_journal(tmp_path: Path) -> None:
    """A match under way would be begun anew over it; the next start tries again."""
    with Journal(tmp_path / "j") as journal:
        journal.append("m", 1, PLAY, {"seq": 1}, 1.0)
    with closing(sqlite3.connect(tmp_path / "j", isolation_level=None)) as backup:
        backup.execute("PRAGMA locking_mode = EXCLUSIVE")
        backup.execute("BEGIN EXCLUSIVE")
        with pytest.raises(DeviceError, match="Fix: stop the program that holds the file"):
            Journal(tmp_path / "j").open_waiting()
    with Journal(tmp_path / "j") as journal:
        assert len(journal.events("m")) == 1


def test_a_damaged_file_on_a_worn_card_is_left_alone_until_it_can_be_saved(tmp_path: Path, worn) -> None:
    (tmp_path / "j").write_bytes(b"no journal at all" * 400)
    journal = Journal(tmp_path / "j").open_waiting()
    assert journal.matches() == ()
    assert "Read-only file system" in journal.waits_for
    scribe = Scribe(journal, Spool([tmp_path / "memory"]), patience_s=0.01)
    scribe.start()
    receipt = scribe.append("m", 1, PLAY, {"seq": 1}, 1.0)
    worn()
    assert receipt.saved_within(PATIENCE_S)
    scribe.stop()
    journal.close()
    assert (tmp_path / "j.damaged-1").read_bytes().startswith(b"no journal")
    with Journal(tmp_path / "j", read_only=True) as again:
        assert [entry.seq for entry in again.events("m")] == [1]


def test_who_finds_another_table_writing_does_not_wait(tmp_path: Path) -> None:
    with Journal(tmp_path / "j"), pytest.raises(HeldError, match="another carrom is writing it"):
        Journal(tmp_path / "j").open_waiting()
