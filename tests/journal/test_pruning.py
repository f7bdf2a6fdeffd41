"""Matches leave a journal whole: what stays is the same to the row, what goes lies in the archive, cut or not."""

from __future__ import annotations

import shutil
import sqlite3

import pytest

from controller.events.beams import BeamEdge
from controller.events.errors import ConfigError, DeviceError
from controller.journal import Journal
from controller.journal.journal import Noted
from controller.journal.pruning import before_of, due, forget_archived, move_out
from tests.journal.cut import cuts, quick_path

__all__ = ["quick_path"]

DAY = 86_400.0
NOW = 400 * DAY
BEGAN = {"m-1": 10 * DAY, "m-2": 200 * DAY, "m-3": 390 * DAY, "m-4": 395 * DAY, "m-5": 5 * DAY}
"""The last one began when the clock was wrong: it is the latest all the same."""


def edge(seq: int, boot: str) -> BeamEdge:
    return BeamEdge(1_000_000 * seq, "NE", "upper", blocked=True, boot=boot, seq=seq, u_ns=900, node_us=seq)


def write(path, *, noted=True):
    with Journal(path, place="hall 2") as journal:
        for number, (match, began) in enumerate(BEGAN.items(), 1):
            seats = {"south": f"Asha {number}", "north": "Ben"}
            start = {"event": "start", "book": "icf", "seats": seats}
            note = Noted("began", "boot-1", number, number) if noted else None
            journal.append(match, 1, start, {"seq": 1}, began, "config", note)
            journal.store_edges([edge(3 * number, "b1"), edge(3 * number + 1, "b1"), edge(number, f"once-{match}")])
            ruling = {"seq": 2, "score": {"south": number}, "match_over": True}
            journal.append(match, 2, {"event": "shot", "seat": "south"}, ruling, began + 60.0, "eyes")
    return path


@pytest.fixture
def path(tmp_path):
    return write(tmp_path / "journal.sqlite")


def rows(path, table, where="1"):
    raw = sqlite3.connect(path)
    try:
        return raw.execute(f"SELECT * FROM {table} WHERE {where} ORDER BY 1").fetchall()
    finally:
        raw.close()


def kept_of(path):
    """The rows that are about matches three to five."""
    names = "match IN ('m-3', 'm-4', 'm-5')"
    return rows(path, "matches", names), rows(path, "events", names), rows(path, "observed", "id > 8")


def test_policy_names_what_is_older_and_never_the_two_latest(path):
    with Journal(path, read_only=True) as journal:
        matches = journal.matches()
    assert due(matches, NOW, 0) == ()
    assert due(matches, NOW, 365) == ("m-1",)
    assert due(matches, NOW, 7) == ("m-1", "m-2", "m-3")
    assert due(matches, NOW + 1000 * DAY, 1) == ("m-1", "m-2", "m-3")
    assert due(matches[-2:], NOW + 1000 * DAY, 1) == ()


def test_what_stays_is_the_same_and_what_goes_is_a_journal_of_its_own(path, tmp_path):
    whole = {match: rows(path, "events", f"match = '{match}'") for match in BEGAN}
    edges = rows(path, "observed", "node = 'pockets'")
    kept = kept_of(path)
    with Journal(path, place="hall 2") as journal:
        done = move_out(journal, ["m-2", "m-1"], tmp_path / "archive", NOW)
        assert done.matches == ("m-1", "m-2")
        assert [file.name for file in done.archives] == ["hall 2-m-1.sqlite", "hall 2-m-2.sqlite"]
        assert [row.match for row in journal.matches()] == ["m-3", "m-4", "m-5"]
        assert [(row.match, row.t_unix, row.archive) for row in journal.moved()] == [
            ("m-1", NOW, "hall 2-m-1.sqlite"),
            ("m-2", NOW, "hall 2-m-2.sqlite"),
        ]
        # The table goes on writing into the file that it is now.
        journal.append("m-5", 3, {"event": "play"}, {"seq": 3}, NOW)
        assert journal.last_seq("b1") == 16
        assert journal.last_seq("once-m-1") == 1, "a node would be told to send everything again"
        with pytest.raises(DeviceError, match="another carrom is writing"):
            Journal(path).open()
    matches, events, observed = kept_of(path)
    assert (matches, [row for row in events if row[2] < 3], observed) == kept
    left = rows(path, "observed", "node = 'pockets'")
    assert [row for row in edges if row not in left] == [row for row in edges if row[0] <= 8 and row[2] == "b1"]
    for match, file in zip(("m-1", "m-2"), done.archives, strict=True):
        assert rows(file, "events") == whole[match]
        with Journal(file, read_only=True) as journal:
            assert [row.match for row in journal.matches()] == [match]
            assert len(journal.edges()) == 3
            assert journal.noted(match, "began", "boot-1") == int(match[-1])
    assert rows(before_of(path), "events", "match = 'm-1'") == whole["m-1"]
    assert not list(tmp_path.rglob("*.new")), list(tmp_path.rglob("*.pruned"))


def test_deleted_for_good_nothing_of_it_is_left(path, tmp_path):
    with Journal(path) as journal:
        move_out(journal, ["m-1"], tmp_path / "archive", NOW)
        move_out(journal, ["m-2"], None, NOW)
        assert [(row.match, row.archive) for row in journal.moved()] == [("m-1", "m-1.sqlite"), ("m-2", "")]
    shutil.rmtree(tmp_path / "archive")
    for file in tmp_path.iterdir():
        body = file.read_bytes()
        assert b"Asha 1" not in body, file
        assert b"Asha 2" not in body, file
    assert b"Asha 3" in path.read_bytes()


def test_where_nobody_noted_when_a_match_began_all_edges_stay(tmp_path):
    path = write(tmp_path / "journal.sqlite", noted=False)
    observed = rows(path, "observed")
    with Journal(path) as journal:
        move_out(journal, ["m-1"], tmp_path, NOW)
    assert rows(path, "observed") == observed


@pytest.mark.live
@pytest.mark.parametrize("forget", [False, True])
def test_a_power_cut_anywhere_loses_no_match(quick_path, forget):
    model, path, archive = (
        write(quick_path / "model"),
        quick_path / "now" / "journal.sqlite",
        quick_path / "now" / "archive",
    )
    kept, gone = kept_of(model), rows(model, "events", "match = 'm-1'")

    def prepare():
        shutil.rmtree(path.parent, ignore_errors=True)
        path.parent.mkdir()
        shutil.copy(model, path)

    def prune():
        with Journal(path) as journal:
            move_out(journal, ["m-1"], None if forget else archive, NOW)

    outcomes = set()
    # What is only put into a file that nobody looks at yet is no step of its own.
    for step in cuts(prune, prepare, ("COMMIT", "PRAGMA", "ATTACH")):
        with Journal(path) as journal:
            there = {row.match for row in journal.matches()} & {"m-1"}
        assert kept_of(path) == kept, step
        assert there in ({"m-1"}, set()), step
        outcomes.add(bool(there))
        if there:
            assert rows(path, "events", "match = 'm-1'") == gone, step
            if step % 4 == 0:
                prune()
                assert kept_of(path) == kept, step
        elif not forget:
            assert [row for file in sorted(archive.glob("*.sqlite")) for row in rows(file, "events")] == gone, step
            assert rows(before_of(path), "events", "match = 'm-1'") == gone, step
    assert outcomes == {True, False}, "the cut came on one side of the swap only"


def test_not_while_the_table_plays_and_not_while_somebody_reads(path, tmp_path):
    body = path.read_bytes()
    with Journal(path), pytest.raises(DeviceError, match="another carrom is writing"), Journal(path) as second:
        move_out(second, ["m-1"], tmp_path / "archive", NOW)
    with Journal(path, read_only=True) as reader:
        assert reader.matches()
        with Journal(path) as journal:
            with pytest.raises(DeviceError, match="Fix: stop"):
                move_out(journal, ["m-1"], tmp_path / "archive", NOW)
            assert len(journal.matches()) == 5
    assert path.read_bytes() == body
    assert not before_of(path).exists()


@pytest.mark.parametrize(
    ("names", "says"),
    [(["m-9"], "there is no match m-9"), (["m-5"], "two latest"), (["m-1", "m-4"], "two latest")],
)
def test_what_cannot_go(path, tmp_path, names, says):
    with Journal(path) as journal, pytest.raises(ConfigError, match=f"{says}.*Fix:"):
        move_out(journal, names, tmp_path / "archive", NOW)
    assert not (tmp_path / "archive").exists()


def test_an_archive_that_cannot_be_written_keeps_everything(path, tmp_path):
    (tmp_path / "file").write_text("")
    with Journal(path) as journal:
        with pytest.raises(DeviceError, match=r"no match was moved: .*Fix:") as refused:
            move_out(journal, ["m-1"], tmp_path / "file" / "archive", NOW)
        assert "\n" not in str(refused.value)
        assert len(journal.matches()) == 5


def test_what_was_moved_out_is_deleted_later_and_nothing_else(path, tmp_path):
    archive = tmp_path / "archive"
    with Journal(path) as journal:
        move_out(journal, ["m-1"], archive, NOW)
    (archive / "photos.sqlite").write_bytes(b"x" * 200)
    assert forget_archived(archive, path, older_than_unix=0.0) == ()
    gone = forget_archived(archive, path, older_than_unix=4e9)
    assert [file.name for file in gone] == ["m-1.sqlite", "journal.sqlite.before"]
    assert [file.name for file in archive.iterdir()] == ["photos.sqlite"]
    assert forget_archived(tmp_path / "nowhere", path, older_than_unix=4e9) == ()
