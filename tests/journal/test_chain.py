"""The hash chain of a match: what was changed, left out or added is found, and older journals say where it begins."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from hashlib import sha256

import pytest

from controller.journal import Journal
from controller.journal.chain import Link, examined
from controller.journal.file import GoneError
from controller.journal.pruning import extract, move_out
from controller.journal.salvage import salvage
from controller.journal.schema import backup_of

START = {"event": "start", "book": "icf", "seats": {"south": "आशा", "north": "Ben"}}


def write(path, *, match="m-1", events=4):
    with Journal(path, place="hall-2") as journal:
        for seq in range(1, events + 1):
            event = START if seq == 1 else {"event": "shot", "seat": "south", "t": 1.5 * seq}
            journal.append(match, seq, event, {"seq": seq, "score": {"south": seq}}, 100.25 + seq, "eyes")
    return path


@pytest.fixture
def path(tmp_path):
    return write(tmp_path / "journal.sqlite")


def chain_of(path, match="m-1"):
    with Journal(path, read_only=True) as journal:
        return examined((one.entry.seq, one.line, one.link) for one in journal.chained(match))


def by_hand(path, *statements):
    """What a hand with a database tool does."""
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        for name in ("events_are_kept", "events_stay", "chain_is_kept", "chain_stays"):
            raw.execute(f"DROP TRIGGER IF EXISTS {name}")
        for statement in statements:
            raw.execute(statement)


def test_each_event_follows_on_the_one_before(path):
    found = chain_of(path)
    assert (found.since, found.interrupted, found.faults) == (1, (), ())
    with Journal(path, read_only=True) as journal:
        written = journal.chained("m-1")
        assert tuple(one.entry for one in written) == journal.events("m-1")
    # As anybody can, with any program: SHA-256 of texts.
    before = ""
    for one in written:
        assert json.loads(one.line)["ruling"] == one.entry.ruling
        commitment = sha256((one.link.salt + one.line).encode()).hexdigest()
        before = sha256((before + commitment).encode()).hexdigest()
        assert (one.link.commitment, one.link.hash) == (commitment, before)
    assert found.head == before
    assert len({one.link.salt for one in written}) == len(written), "a salt of its own for each"


@pytest.mark.parametrize(
    "column", ["t_unix = t_unix + 1", "source = 'umpire'", "event = '{}'", "ruling = replace(ruling, '2', '9')"]
)
def test_whatever_is_changed_of_an_event_is_found(path, column):
    by_hand(path, f"UPDATE events SET {column} WHERE seq = 2")
    (fault,) = chain_of(path).faults
    assert fault.startswith("event 2 does not follow on the event before it")


def test_an_event_that_is_left_out_or_added_is_found(path):
    by_hand(path, "DELETE FROM events WHERE seq = 2", "DELETE FROM chain WHERE seq = 2")
    assert [fault.split()[1] for fault in chain_of(path).faults] == ["3"]
    by_hand(path, "UPDATE events SET seq = 9 WHERE seq = 4", "UPDATE chain SET seq = 9 WHERE seq = 4")
    assert [fault.split()[1] for fault in chain_of(path).faults] == ["3", "9"]


def test_a_line_that_is_not_what_was_committed_to_is_found(path):
    with Journal(path, read_only=True) as journal:
        rows = [(one.entry.seq, one.line, one.link) for one in journal.chained("m-1")]
    seq, line, link = rows[1]
    changed = [rows[0], (seq, line.replace("south", "north"), link), *rows[2:]]
    assert examined(changed).faults == ("event 2 is not what was written when it was ruled",)
    # Without its salt only its place holds.
    assert examined([rows[0], (seq, "", replace(link, salt="")), *rows[2:]]).faults == ()
    assert examined([rows[0], (seq, line, Link(2, "0" * 64, link.hash)), *rows[2:]]).faults != ()


def to_format_2(path):
    """A journal as the version before the chain wrote it."""
    by_hand(path, "DROP TABLE chain", "PRAGMA user_version = 2")


def test_an_older_journal_has_none_and_begins_one_where_it_is_written_on(path):
    to_format_2(path)
    assert chain_of(path).since is None, "read as it is"
    write(path, match="m-2", events=2)
    assert backup_of(path, 2).exists()
    with Journal(path) as journal:
        journal.append("m-1", 5, {"event": "pause"}, {"seq": 5}, 200.0)
        journal.append("m-1", 6, {"event": "resume"}, {"seq": 6}, 201.0)
    found = chain_of(path)
    assert (found.since, found.interrupted, found.faults) == (5, (), ())
    assert chain_of(path, "m-2").since == 1


def test_events_that_another_program_wrote_interrupt_it(path):
    row = "'m-1', 5, 150.0, 'by hand', '{\"event\":\"pause\"}', '{\"seq\":5}'"
    by_hand(path, f"INSERT INTO events(match, seq, t_unix, source, event, ruling) VALUES ({row})")
    with Journal(path) as journal:
        journal.append("m-1", 6, {"event": "resume"}, {"seq": 6}, 201.0)
        journal.append("m-1", 7, {"event": "pause"}, {"seq": 7}, 202.0)
    found = chain_of(path)
    assert (found.since, found.interrupted, found.faults) == (1, (5,), ())


def test_writing_an_event_again_changes_nothing(path):
    head = chain_of(path).head
    with Journal(path) as journal:
        entry = journal.events("m-1")[-1]
        journal.append("m-1", 4, entry.event, entry.ruling, entry.t_unix, entry.source)
    assert chain_of(path).head == head


def test_nobody_changes_it(path):
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        for sql in ("DELETE FROM chain", "UPDATE chain SET hash = ''"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                raw.execute(sql)


def test_matches_that_are_moved_out_or_forgotten_take_theirs_along(path, tmp_path):
    heads = {"m-1": chain_of(path).head}
    for match in ("m-2", "m-3", "m-4"):
        heads[match] = chain_of(write(path, match=match), match).head
    with Journal(path) as journal:
        (archive,) = move_out(journal, ["m-1"], tmp_path / "archive", 400.0).archives
        move_out(journal, ["m-2"], None, 500.0)
    assert chain_of(archive).head == heads["m-1"]
    assert [chain_of(path, match).head for match in ("m-3", "m-4")] == [heads["m-3"], heads["m-4"]]
    with closing(sqlite3.connect(path)) as raw:
        assert raw.execute("SELECT DISTINCT match FROM chain ORDER BY 1").fetchall() == [("m-3",), ("m-4",)]


def test_an_older_journals_match_is_taken_out_without_one(path, tmp_path):
    to_format_2(path)
    assert chain_of(extract(path, "m-1", tmp_path / "one.sqlite")).since is None


def test_it_is_saved_from_a_journal_that_is_taken_away(path):
    head = chain_of(path).head
    with Journal(path) as journal:
        path.unlink()
        with pytest.raises(GoneError) as gone:
            journal.look()
        salvage(journal, (), gone.value)
    assert chain_of(path).head == head
