"""What was told and is not in the journal is kept elsewhere, once, and read back."""

from __future__ import annotations

import threading

import pytest

from controller.events.errors import DeviceError
from controller.journal import Entry, Journal, Scribe
from controller.journal.spool import Spool
from tests.patience import PATIENCE_S

PLAY = {"event": "play"}


def entry(seq: int, **more) -> Entry:
    return Entry("m", seq, float(seq), "umpire", PLAY, {"seq": seq, **more})


def test_what_is_kept_is_read_at_the_next_start_in_its_order(tmp_path) -> None:
    spool = Spool([tmp_path / "run"])
    spool.keep(entry(2))
    spool.keep(entry(1))
    spool.keep(entry(2))
    assert len((tmp_path / "run" / "unsaved.jsonl").read_text().splitlines()) == 2
    again = Spool([tmp_path / "run"])
    assert again.read() == (entry(1), entry(2))
    assert again.held == (entry(1), entry(2))


def test_it_is_gone_once_all_is_saved_and_not_before(tmp_path) -> None:
    spool = Spool([tmp_path])
    file = spool.keep(entry(1))
    spool.keep(entry(2))
    spool.saved("m", 1)
    assert file.exists()
    spool.saved("m", 2)
    assert not file.exists()
    assert Spool([tmp_path]).read() == ()


def test_the_next_folder_takes_what_the_first_does_not(tmp_path) -> None:
    (tmp_path / "file").write_text("no folder")
    spool = Spool([tmp_path / "file", tmp_path / "stick"])
    assert spool.keep(entry(1)).parent == tmp_path / "stick"
    with pytest.raises(DeviceError, match="nothing can be kept there"):
        Spool([tmp_path / "file"]).keep(entry(1))


def test_at_the_end_every_folder_has_all_of_it(tmp_path) -> None:
    folders = [tmp_path / "run", tmp_path / "stick"]
    spool = Spool(folders)
    spool.keep(entry(1))
    spool.keep(entry(2))
    assert len(spool.keep_everywhere()) == 2
    for folder in folders:
        assert Spool([folder]).read() == (entry(1), entry(2))
    assert Spool(folders).read() == (entry(1), entry(2))


@pytest.mark.parametrize("rubbish", [b'{"match": "m", "se', b"\xff\xfe", b"[" * 5000, b'{"match": "m"}', b"7",
    b'{"match": "m", "seq": 2, "t_unix": "NaN", "source": "eyes", "event": {}, "ruling": {}}',
    b'{"match": "m", "seq": "2", "t_unix": 2.0, "source": "eyes", "event": {}, "ruling": {}}',
])  # fmt: skip
def test_a_line_that_was_cut_off_costs_no_other(tmp_path, rubbish) -> None:
    file = Spool([tmp_path]).keep(entry(1))
    with file.open("ab") as stream:
        stream.write(rubbish)
    assert Spool([tmp_path]).read() == (entry(1),)


def test_half_a_character_is_kept_as_the_journal_would_write_it(tmp_path) -> None:
    Spool([tmp_path]).keep(entry(1, reason="so \ud83d"))
    assert Spool([tmp_path]).read() == (entry(1, reason="so ?"),)


@pytest.fixture
def full(tmp_path):
    """A journal on a full disk; `room` makes room."""
    with Journal(tmp_path / "j") as journal:
        journal.append("m", 1, PLAY, {}, 1.0)
        pages = journal._connection.execute("PRAGMA page_count").fetchone()[0]
        journal._connection.execute(f"PRAGMA max_page_count = {pages}")
        journal.room = lambda: journal._connection.execute("PRAGMA max_page_count = 100000")
        yield journal


BIG = {"seq": 2, "notes": ["x" * 100_000]}


def test_a_full_disk_at_the_end_loses_nothing_that_was_told(tmp_path, full, caplog) -> None:
    spool = Spool([tmp_path / "run"])
    scribe = Scribe(full, spool)
    scribe.start()
    receipt = scribe.append("m", 2, PLAY, BIG, 2.0)
    assert scribe.saved_or_kept(receipt) is False
    # Told and kept, whatever becomes of this process.
    assert [one.seq for one in Spool([tmp_path / "run"]).read()] == [2]
    assert "full" in scribe.says
    left = scribe.stop(PATIENCE_S)
    assert [one.seq for one in left] == [2]
    assert "event 2 (play) of match m" in caplog.text
    full.room()
    again = Scribe(full, Spool([tmp_path / "run"]))
    again.start()
    receipts = [
        again.append(one.match, one.seq, one.event, one.ruling, one.t_unix, one.source) for one in again.spool.read()
    ]
    assert all(one.saved_within(PATIENCE_S) for one in receipts)
    assert again.stop(PATIENCE_S) == ()
    assert [one.seq for one in full.events("m")] == [1, 2]
    assert not (tmp_path / "run" / "unsaved.jsonl").exists()


def test_room_that_is_made_saves_all_of_it_in_order(tmp_path, full) -> None:
    scribe = Scribe(full, Spool([tmp_path / "run"]))
    scribe.start()
    receipts = [scribe.append("m", seq, PLAY, BIG | {"seq": seq}, 2.0) for seq in (2, 3)]
    assert not any(scribe.saved_or_kept(one) for one in receipts)
    full.room()
    assert all(one.saved_within(PATIENCE_S) for one in receipts)
    assert [one.seq for one in full.events("m")] == [1, 2, 3]
    assert scribe.says == ""
    assert scribe.stop(PATIENCE_S) == ()


def nested(depth: int) -> dict:
    body: dict = {}
    for _ in range(depth):
        body = {"a": body}
    return body


UNWRITABLE = {
    "no number": {"seq": 2, "x": float("nan")},
    "no JSON": {"seq": 2, "x": {1, 2}},
    "too deep": nested(100_000),
}


@pytest.mark.parametrize("ruling", UNWRITABLE.values(), ids=UNWRITABLE)
def test_what_can_never_be_written_is_said_and_the_rest_is_written(tmp_path, ruling) -> None:
    with Journal(tmp_path / "j") as journal:
        scribe = Scribe(journal, Spool([tmp_path / "run"]))
        scribe.start()
        receipts = [
            scribe.append("m", 1, PLAY, {"seq": 1}, 1.0),
            scribe.append("m", 2, PLAY, ruling, 2.0),
            scribe.append("m", 3, PLAY, {"seq": 3}, 3.0),
        ]
        assert receipts[0].saved_within(PATIENCE_S)
        assert receipts[2].saved_within(PATIENCE_S)
        assert receipts[1].future.exception() is not None
        assert scribe.thread.alive
        assert scribe.says.startswith("event 2 of match m")
        assert [one.seq for one in scribe.stop(PATIENCE_S)] == [2]
        assert [one.seq for one in journal.events("m")] == [1, 3]


@pytest.mark.parametrize(("seq", "t"), [(2**70, 1.0), (2, float("nan"))])
def test_a_number_that_the_file_cannot_hold_holds_nobody_up(tmp_path, seq, t) -> None:
    with Journal(tmp_path / "j") as journal:
        scribe = Scribe(journal, Spool([tmp_path / "run"]))
        scribe.start()
        receipt = scribe.append("m", seq, PLAY, {}, t)
        assert scribe.append("n", 1, PLAY, {}, 1.0).saved_within(PATIENCE_S)
        assert receipt.future.exception() is not None
        assert len(scribe.stop(PATIENCE_S)) == 1


def test_half_a_character_costs_a_question_mark_and_not_the_entry(tmp_path) -> None:
    with Journal(tmp_path / "j") as journal:
        scribe = Scribe(journal)
        scribe.start()
        receipt = scribe.append("m", 1, {"event": "play", "reason": "so \ud83d"}, {"seq": 1}, 1.0, "umpire:web:\ud83d")
        assert receipt.saved_within(PATIENCE_S)
        assert scribe.stop(PATIENCE_S) == ()
        (one,) = journal.events("m")
        assert (one.event["reason"], one.source) == ("so ?", "umpire:web:?")


def test_one_that_is_saved_late_is_not_left_in_the_spool(tmp_path) -> None:
    """However the commit and the patience fall together."""
    go = threading.Event()

    class Slow(Journal):
        def append(self, *args, **more):
            go.wait(PATIENCE_S)
            super().append(*args, **more)

    with Slow(tmp_path / "j") as journal:
        scribe = Scribe(journal, Spool([tmp_path / "run"]))
        scribe.start()
        receipt = scribe.append("m", 1, PLAY, {}, 1.0)
        assert scribe.saved_or_kept(receipt) is False
        assert (tmp_path / "run" / "unsaved.jsonl").exists()
        go.set()
        assert receipt.saved_within(PATIENCE_S)
        assert not (tmp_path / "run" / "unsaved.jsonl").exists()
        assert scribe.saved_or_kept(receipt) is True
        assert scribe.stop(PATIENCE_S) == ()
