"""The scribe: a slow or full disk is told in time, and nothing is lost or reordered by it."""

from __future__ import annotations

import sqlite3
import threading

import pytest

from controller.events.beams import BeamEdge
from controller.events.errors import DeviceError, EventError
from controller.journal import Journal, Scribe
from tests.patience import PATIENCE_S

PLAY = {"event": "play"}


@pytest.fixture
def journal(tmp_path):
    with Journal(tmp_path / "j") as opened:
        yield opened


@pytest.fixture
def scribe(journal):
    started = Scribe(journal)
    started.start()
    yield started
    started.stop()


@pytest.fixture
def hold(journal):
    """Another program holds the file: no commit gets through until `release` is called."""
    raw = sqlite3.connect(journal.path, isolation_level=None)
    raw.execute("BEGIN IMMEDIATE")

    class Hold:
        @staticmethod
        def release():
            raw.execute("ROLLBACK")

    yield Hold
    raw.close()


def test_a_quick_write_is_saved_in_time(scribe, journal):
    receipt = scribe.append("m", 1, PLAY, {"seq": 1}, 1.0, "umpire")
    assert receipt.saved_within(PATIENCE_S) is True
    assert journal.events("m")[0].source == "umpire"


def test_a_slow_write_is_told_early_and_sealed_later(scribe, journal, hold):
    sealed = threading.Event()
    receipt = scribe.append("m", 1, PLAY, {"seq": 1}, 1.0)
    receipt.once_saved(sealed.set)
    assert receipt.saved_within(0.05) is False
    assert not sealed.is_set()
    hold.release()
    assert sealed.wait(PATIENCE_S)
    assert receipt.saved_within(0) is True
    assert len(journal.events("m")) == 1


def test_what_cannot_be_written_is_tried_again_and_order_is_kept(scribe, journal, hold, monkeypatch):
    failed = threading.Event()
    append = journal.append

    def watched(*args):
        try:
            append(*args)
        except DeviceError:
            failed.set()
            raise

    monkeypatch.setattr(journal, "append", watched)
    receipts = [scribe.append("m", number, PLAY, {"seq": number}, 1.0) for number in (1, 2, 3)]
    assert failed.wait(PATIENCE_S)
    assert not receipts[0].saved_within(0)
    hold.release()
    assert all(receipt.saved_within(PATIENCE_S) for receipt in receipts)
    assert [entry.seq for entry in journal.events("m")] == [1, 2, 3]
    assert scribe.says == ""


def test_edges_that_cannot_be_written_are_not_acknowledged(scribe, journal, hold):
    receipt = scribe.store_edges([BeamEdge(1, "NE", "upper", blocked=True, boot="b", seq=1)])
    with pytest.raises(DeviceError, match="locked"):
        receipt.saved_within(PATIENCE_S)
    assert "locked" in scribe.says
    hold.release()
    again = scribe.store_edges([BeamEdge(1, "NE", "upper", blocked=True, boot="b", seq=1)])
    assert again.saved_within(PATIENCE_S)
    assert again.future.result() == 1


def test_edges_do_not_wait_behind_an_entry_that_cannot_be_written(scribe, hold):
    entries = [scribe.append("m", 1, PLAY, {"seq": 1}, 1.0)]
    edges = scribe.store_edges([BeamEdge(1, "NE", "upper", blocked=True, boot="b", seq=1)])
    entries.append(scribe.append("m", 2, PLAY, {"seq": 2}, 1.0))
    with pytest.raises(DeviceError, match="locked"):
        edges.saved_within(PATIENCE_S)
    assert not entries[0].saved_within(0)
    hold.release()
    assert all(entry.saved_within(PATIENCE_S) for entry in entries)


def test_an_entry_that_contradicts_the_journal_is_an_error_not_a_wait(scribe):
    assert scribe.append("m", 1, PLAY, {"seq": 1}, 1.0).saved_within(PATIENCE_S)
    with pytest.raises(EventError):
        scribe.append("m", 1, PLAY, {"seq": 1, "other": 1}, 1.0).saved_within(PATIENCE_S)
    assert scribe.append("m", 2, PLAY, {"seq": 2}, 1.0).saved_within(PATIENCE_S)


def test_stopping_writes_what_is_waiting(journal):
    scribe = Scribe(journal)
    scribe.start()
    receipts = [scribe.append("m", number, PLAY, {"seq": number}, 1.0) for number in range(1, 11)]
    scribe.stop(PATIENCE_S)
    assert all(receipt.saved_within(0) for receipt in receipts)
    with pytest.raises(DeviceError, match="not running"):
        scribe.append("m", 11, PLAY, {"seq": 11}, 1.0)
