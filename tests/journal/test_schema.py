"""A journal of an older format: copied first, then brought up, whatever happens in between; a newer one is refused."""

from __future__ import annotations

import sqlite3

import pytest

from controller.cli import main
from controller.events.errors import ConfigError, DeviceError
from controller.journal import Journal
from controller.journal.schema import FORMAT, backup_of
from tests.journal.cut import cuts, quick_path

__all__ = ["quick_path"]

FORMAT_1 = """
CREATE TABLE observed(
  id INTEGER PRIMARY KEY, node TEXT NOT NULL, boot TEXT NOT NULL, seq INTEGER, kind TEXT NOT NULL,
  t_ns INTEGER NOT NULL, t_unix REAL NOT NULL, body TEXT NOT NULL, UNIQUE (node, boot, seq)
) STRICT;
CREATE TABLE matches(
  match TEXT PRIMARY KEY, began REAL NOT NULL, place TEXT NOT NULL
) STRICT;
CREATE TABLE events(
  id INTEGER PRIMARY KEY, match TEXT NOT NULL REFERENCES matches(match), seq INTEGER NOT NULL CHECK (seq > 0),
  t_unix REAL NOT NULL, source TEXT NOT NULL, event TEXT NOT NULL, ruling TEXT NOT NULL, UNIQUE (match, seq)
) STRICT;
CREATE TRIGGER observed_stays BEFORE DELETE ON observed BEGIN SELECT raise(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER observed_is_kept BEFORE UPDATE ON observed
  BEGIN SELECT raise(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER events_stay BEFORE DELETE ON events BEGIN SELECT raise(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER events_are_kept BEFORE UPDATE ON events
  BEGIN SELECT raise(ABORT, 'the journal is append-only'); END;
PRAGMA journal_mode = WAL;
PRAGMA application_id = 1128354386;
PRAGMA user_version = 1;
INSERT INTO matches VALUES ('m-1', 100.0, 'hall-2');
INSERT INTO events VALUES
  (1, 'm-1', 1, 100.0, 'config', '{"event":"start","book":"icf","seats":{"south":"आशा"}}', '{"seq":1}'),
  (2, 'm-1', 2, 107.5, 'eyes', '{"event":"shot","seat":"south"}', '{"seq":2,"says":"§ 31"}');
INSERT INTO observed VALUES (1, 'table', 'm-1', 1, 'began', 5, 100.0, '{"clock":"boot-1"}');
"""


def written_by_hand(path, script=FORMAT_1):
    for ending in ("", "-wal", "-shm", ".new", ".lock", ".format-1", ".format-1.new"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    raw = sqlite3.connect(path, isolation_level=None)
    raw.executescript(script)
    raw.close()


def rows(path):
    """Everything a file of format 1 has, as it is on the disk."""
    raw = sqlite3.connect(path)
    try:
        return [
            raw.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall() for table in ("matches", "events", "observed")
        ]
    finally:
        raw.close()


def version(path):
    raw = sqlite3.connect(path)
    try:
        return raw.execute("PRAGMA user_version").fetchone()[0]
    finally:
        raw.close()


def test_an_older_journal_is_copied_beside_itself_and_brought_up(tmp_path):
    path = tmp_path / "journal.sqlite"
    written_by_hand(path)
    before = rows(path)
    with Journal(path) as journal:
        assert [entry.seq for entry in journal.events("m-1")] == [1, 2]
        assert journal.matches()[0].seats == {"south": "आशा"}
        journal.append("m-1", 3, {"event": "play"}, {"seq": 3}, 110.0)
        raw = sqlite3.connect(path, isolation_level=None)
        for sql in ("DELETE FROM matches", "UPDATE matches SET place = ''", "DELETE FROM events"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                raw.execute(sql)
        raw.close()
    assert version(path) == FORMAT
    backup = backup_of(path, 1)
    assert (version(backup), rows(backup)) == (1, before)
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "journal.sqlite",
        "journal.sqlite.format-1",
        "journal.sqlite.lock",
    ]


@pytest.mark.live
def test_a_power_cut_anywhere_leaves_the_old_file_or_the_new_one(quick_path):
    path = quick_path / "journal.sqlite"
    written_by_hand(path)
    before = rows(path)
    found = []
    for step in cuts(lambda: Journal(path).open().close(), lambda: written_by_hand(path)):
        assert rows(path) == before, step
        found.append(version(path))
        if found[-1] == FORMAT:
            assert rows(backup_of(path, 1)) == before, step
        # The next start brings it to the end, whatever lies about.
        with Journal(path) as journal:
            assert len(journal.events("m-1")) == 2, step
        assert (version(path), rows(path), rows(backup_of(path, 1))) == (FORMAT, before, before), step
    assert found.count(1) > 5, "the cut never came before the end"


def test_a_journal_is_not_brought_up_without_its_copy(tmp_path):
    path = tmp_path / "journal.sqlite"
    written_by_hand(path)
    backup_of(path, 1).mkdir()
    with pytest.raises(DeviceError, match=r"cannot be copied .*Fix:") as refused:
        Journal(path).open()
    assert "\n" not in str(refused.value)
    assert version(path) == 1


def test_an_older_journal_is_read_without_being_touched(tmp_path, capsys):
    path = tmp_path / "journal.sqlite"
    written_by_hand(path)
    body = path.read_bytes()
    with Journal(path, read_only=True) as journal:
        assert len(journal.events("m-1")) == 2
    assert path.read_bytes() == body
    assert not backup_of(path, 1).exists()


def test_a_newer_journal_is_refused_in_one_line(tmp_path, capsys):
    path = tmp_path / "journal.sqlite"
    Journal(path).open().close()
    raw = sqlite3.connect(path)
    raw.execute(f"PRAGMA user_version = {FORMAT + 1}")
    raw.close()
    body = path.read_bytes()
    with pytest.raises(ConfigError, match="newer carrom"):
        Journal(path).open()
    assert main(["replay", str(path)]) == 2
    says = capsys.readouterr().err
    assert f"format {FORMAT + 1}, this one reads {FORMAT}" in says
    assert says.count("\n") == 1
    assert path.read_bytes() == body
