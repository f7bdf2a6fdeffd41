"""The journal: nothing lost, nothing doubled, nothing changed, and plain words when the disk will not have it."""

from __future__ import annotations

import resource
import signal
import sqlite3
import subprocess
import sys
import textwrap

import pytest

from controller.events.beams import BeamEdge, BeamGap
from controller.events.errors import ConfigError, DeviceError, EventError
from controller.journal import Entry, Journal
from controller.journal.journal import Noted, TakenAt
from tests.journal.filled import fill

START = {"event": "start", "book": "icf", "seats": {"south": "Asha", "north": "Ben"}, "first": "south"}


def edge(seq: int, boot: str = "b1", pocket: str = "NE") -> BeamEdge:
    return BeamEdge(1_000_000 * seq, pocket, "upper", blocked=True, boot=boot, seq=seq, u_ns=900, node_us=seq)


def ruling(seq: int, **more: object) -> dict:
    return {"seq": seq, "event": "shot", "turn": "south", "score": {"south": 0, "north": 0}, **more}


@pytest.fixture
def journal(tmp_path):
    with Journal(tmp_path / "deep" / "match.journal", place="table1") as opened:
        yield opened


def test_what_was_written_is_read_back_exactly(journal):
    shot = {"event": "shot", "seat": "south", "t": 0.1 + 0.2, "rest": [{"piece": "white", "x": 1e-17, "y": -40.1}]}
    journal.append("m1", 1, START, ruling(1, event="start"), 100.0, "config")
    journal.append("m1", 2, shot, ruling(2, says="§ 31 «proper»"), 101.5, "eyes")
    one, two = journal.events("m1")
    assert (one.event, one.source, one.t_unix) == (START, "config", 100.0)
    assert two.event == shot
    assert two.ruling == ruling(2, says="§ 31 «proper»")
    assert journal.events("nobody") == ()


def test_matches_are_listed_oldest_first_and_the_latest_is_known(journal):
    assert journal.latest_match() is None
    journal.append("zz-first", 1, START, ruling(1), 100.0)
    journal.append("zz-first", 2, {"event": "play"}, ruling(2), 130.0)
    journal.append("aa-second", 1, START | {"book": "club"}, ruling(1), 50.0)
    first, second = journal.matches()
    assert (first.match, first.began, first.latest, first.events) == ("zz-first", 100.0, 130.0, 2)
    assert (first.book, first.seats, first.place) == ("icf", START["seats"], "table1")
    assert (second.match, second.book) == ("aa-second", "club")
    assert journal.latest_match() == "aa-second"


def test_who_brought_in_what_is_read_on_from_where_it_was_read_last(journal):
    journal.append("m", 1, START, ruling(1), 1.0, "configuration")
    journal.append("m", 2, {"event": "pause"}, ruling(2), 2.0, "umpire:web:5f")
    (_, first), (place, second) = journal.sources()
    assert (first, second) == ("configuration", "umpire:web:5f")
    assert journal.sources(place) == ()
    journal.append("another", 1, START, ruling(1), 3.0, "umpire:mqtt:7")
    assert [source for _, source in journal.sources(place)] == ["umpire:mqtt:7"]


def test_a_number_is_given_once_but_the_same_entry_may_be_repeated(journal):
    journal.append("m", 1, START, ruling(1), 1.0)
    journal.append("m", 1, START, ruling(1), 1.0)
    assert len(journal.events("m")) == 1
    with pytest.raises(EventError, match="cannot be written over"):
        journal.append("m", 1, START, ruling(1, turn="north"), 1.0)
    with pytest.raises(EventError, match="no JSON"):
        journal.append("m", 2, {"event": "shot", "t": float("nan")}, ruling(2), 1.0)
    assert len(journal.events("m")) == 1


def test_an_edge_sent_again_is_not_doubled(journal):
    assert journal.store_edges([edge(1), edge(2)]) == 2
    assert journal.store_edges([edge(2), edge(3), edge(1, boot="b2")]) == 2
    assert journal.store_edges([edge(1)], node="other") == 1
    gap = BeamGap(9, from_ns=5, lost=3, why="node restarted", boot="b2")
    assert journal.store_edges([gap]) == 1
    assert journal.edges() == (edge(1), edge(2), edge(3), edge(1, boot="b2"), gap)
    assert journal.last_seq("b1") == 3
    assert journal.last_seq("b2") == 1
    assert journal.last_seq("b3") is None
    assert journal.store_edges([]) == 0


def test_edges_from_a_time_on(journal):
    journal.store_edges([edge(1)])
    assert journal.edges(since_unix=2e10) == ()


def test_nothing_can_be_changed_afterwards(journal):
    journal.append("m", 1, START, ruling(1), 1.0)
    journal.store_edges([edge(1)])
    raw = sqlite3.connect(journal.path, isolation_level=None)
    for sql in (
        "DELETE FROM events",
        "UPDATE events SET ruling = '{}'",
        "DELETE FROM observed",
        "UPDATE observed SET body = ''",
    ):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            raw.execute(sql)
    raw.close()


def test_it_is_set_up_to_survive_a_power_cut(journal):
    raw = sqlite3.connect(journal.path)
    assert raw.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    raw.close()
    assert journal._connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_a_second_writer_is_refused_and_a_reader_is_not(journal):
    journal.append("m", 1, START, ruling(1), 1.0)
    with pytest.raises(DeviceError, match="another carrom is writing") as refused:
        Journal(journal.path).open()
    assert "\n" not in str(refused.value)
    with Journal(journal.path, read_only=True) as reader:
        journal.append("m", 2, {"event": "play"}, ruling(2), 2.0)
        assert len(reader.events("m")) == 2
        with pytest.raises(DeviceError, match="not open for writing"):
            reader.append("m", 3, {"event": "play"}, ruling(3), 3.0)


def test_the_next_writer_goes_on_where_the_last_stopped(tmp_path):
    path = tmp_path / "j"
    for number in (1, 2, 3):
        with Journal(path) as journal:
            journal.append("m", number, START, ruling(number), float(number))
    with Journal(path, read_only=True) as journal:
        assert [entry.seq for entry in journal.events("m")] == [1, 2, 3]


@pytest.mark.live
def test_a_writer_killed_at_any_moment_loses_nothing_it_acknowledged(tmp_path):
    writer = textwrap.dedent(
        """
        import sys
        from controller.journal import Journal
        journal = Journal(sys.argv[1]).open()
        number = len(journal.events("m"))
        while True:
            number += 1
            journal.append("m", number, {"event": "play"}, {"seq": number}, 1.0)
            print(number, flush=True)
        """
    )
    path, told = tmp_path / "j", 0
    for kill_after in (1, 7, 20):
        child = subprocess.Popen([sys.executable, "-c", writer, str(path)], stdout=subprocess.PIPE, text=True)
        for _ in range(kill_after):
            told = int(child.stdout.readline())
        child.send_signal(signal.SIGKILL)
        rest = child.stdout.read().split()
        told = int(rest[-1]) if rest else told
        child.wait()
        child.stdout.close()
        with Journal(path) as journal:
            numbers = [entry.seq for entry in journal.events("m")]
        assert numbers == list(range(1, len(numbers) + 1))
        assert len(numbers) in (told, told + 1)


@pytest.mark.parametrize(
    "rubbish", [b"this is no database at all, not even nearly", b"SQLite format 3\0" + b"x" * 9000]
)
def test_a_file_that_is_no_journal(tmp_path, rubbish):
    path = tmp_path / "j"
    path.write_bytes(rubbish)
    for read_only in (False, True):
        with pytest.raises(ConfigError, match=r"Fix: ") as refused:
            Journal(path, read_only=read_only).open()
        assert "\n" not in str(refused.value)
        assert str(path) in str(refused.value)
    assert path.read_bytes() == rubbish


def test_somebody_elses_database(tmp_path):
    path = tmp_path / "photos.db"
    raw = sqlite3.connect(path)
    raw.execute("CREATE TABLE albums(x)")
    raw.commit()
    raw.close()
    with pytest.raises(ConfigError, match="no journal of ours"):
        Journal(path).open()


def test_a_journal_with_a_torn_page_is_noticed(tmp_path):
    path = tmp_path / "j"
    with Journal(path) as journal:
        fill(journal, (Entry("m", number, 1.0, "", START, ruling(number)) for number in range(1, 200)))
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 2 // 4096 * 4096)
        file.write(b"\xff" * 4096)
    with pytest.raises(ConfigError, match="damaged"):
        Journal(path).open()


def test_a_damaged_note_of_the_clock_is_one_line(tmp_path):
    path = tmp_path / "j"
    with Journal(path) as journal:
        journal.append("m", 1, START, ruling(1), 1.0, noted=Noted("began", "boot-1", 77, 78))
        assert (journal.noted("m", "began", "boot-1"), journal.noted("m", "began", "boot-2")) == (77, None)
    raw = sqlite3.connect(path)
    with raw:
        raw.execute("DROP TRIGGER observed_is_kept")
        raw.execute("UPDATE observed SET body = '{\"clock\": ' WHERE kind = 'began'")
    raw.close()
    with Journal(path) as journal, pytest.raises(ConfigError, match=r"event 1 of match m .*Fix:"):
        journal.noted("m", "began", "boot-1")


def test_when_entries_were_taken_in_and_a_table_went_on_is_told_in_order_but_for_what_is_damaged(tmp_path):
    path = tmp_path / "j"
    with Journal(path) as journal:
        for seq, kind in ((1, "began"), (2, "read"), (3, "taken")):
            journal.append("m", seq, START, ruling(seq), 1.0, noted=Noted(kind, "boot-1", 7, seq * 10))
        for _ in range(2):
            journal.note_resumed("m", TakenAt(3, "boot-2", 5, resumed=True))
        journal.append("m", 4, START, ruling(4), 1.0)
        assert [(at.seq, at.clock, at.taken_ns, at.resumed) for at in journal.taken("m")] == [
            (1, "boot-1", 10, False),
            (2, "boot-1", 20, False),
            (3, "boot-1", 30, False),
            (3, "boot-2", 5, True),
            (3, "boot-2", 5, True),
        ]
        assert journal.taken("another") == ()
    raw = sqlite3.connect(path)
    with raw:
        raw.execute("DROP TRIGGER observed_is_kept")
        raw.execute("UPDATE observed SET body = '{\"clock\": \"boot-1\"}' WHERE kind = 'began'")
        raw.execute("UPDATE observed SET body = '{\"clock\": ' WHERE kind = 'read'")
    raw.close()
    with Journal(path) as journal:
        assert [at.seq for at in journal.taken("m")] == [3, 3, 3]


def test_a_journal_of_a_newer_carrom(tmp_path):
    path = tmp_path / "j"
    Journal(path).open().close()
    raw = sqlite3.connect(path)
    raw.execute("PRAGMA user_version = 99")
    raw.close()
    with pytest.raises(ConfigError, match="newer carrom"):
        Journal(path).open()


def test_a_place_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DeviceError, match="cannot be written"):
        Journal(tmp_path / "file" / "j").open()
    (tmp_path / "folder").mkdir()
    with pytest.raises(DeviceError, match="Fix: "):
        Journal(tmp_path / "folder").open()


def test_there_is_no_such_journal_to_read(tmp_path):
    with pytest.raises(ConfigError, match="no such journal"):
        Journal(tmp_path / "j", read_only=True).open()
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_said_and_what_was_durable_stays(journal):
    journal.append("m", 1, START, ruling(1), 1.0)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    size = max(f.stat().st_size for f in journal.path.parent.iterdir())
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        with pytest.raises(DeviceError, match="Fix: "):
            journal.append("m", 2, {"event": "play", "long": "x" * 20_000}, ruling(2), 2.0)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, old)
    assert len(journal.events("m")) == 1
    journal.append("m", 2, {"event": "play"}, ruling(2), 2.0)
    assert len(journal.events("m")) == 2


def test_a_closed_journal_says_so(tmp_path):
    journal = Journal(tmp_path / "j").open()
    journal.close()
    journal.close()
    with pytest.raises(DeviceError, match="closed"):
        journal.matches()
    with pytest.raises(DeviceError, match="not open"):
        journal.append("m", 1, START, ruling(1), 1.0)
