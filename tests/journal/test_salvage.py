"""A journal that is damaged, or taken away while it is open: said, set aside, written anew as far as it is known."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from controller.events.beams import BeamEdge
from controller.events.errors import ConfigError
from controller.journal import Entry, Journal, Scribe
from controller.journal.mark import Loss
from controller.journal.salvage import open_or_salvage
from controller.journal.spool import Spool
from tests.journal.filled import fill
from tests.patience import PATIENCE_S

PLAY = {"event": "play", "note": "x" * 300}
PAGE = 4096


def write(file: Path, seqs, match: str = "m") -> Path:
    with Journal(file) as journal:
        fill(journal, (Entry(match, seq, float(seq), "umpire", PLAY, {"seq": seq}) for seq in seqs))
        journal.store_edges([BeamEdge(5, "NE", "upper", blocked=True, boot="b", seq=7, u_ns=900, node_us=1)])
    return file


def over(file: Path, at: int, raw: bytes) -> None:
    with file.open("r+b") as stream:
        stream.seek(at)
        stream.write(raw)


def change(file: Path, old: bytes, new: bytes) -> None:
    over(file, file.read_bytes().index(old), new)


INDEXED = bytes.fromhex("04 0f 02 02 6d 012c 012c")
"""Event 300 of match m in the index of its numbers, and the row it stands in."""

HARM = {
    "a page in the middle": (lambda file: over(file, file.stat().st_size // 2 // PAGE * PAGE, b"\xff" * PAGE), 350),
    "the header": (lambda file: over(file, 0, bytes(100)), 400),
    "the first page": (lambda file: over(file, 0, b"\xff" * PAGE), 400),
    "the application's number": (lambda file: over(file, 68, bytes(4)), 400),
    "a table's name": (lambda file: change(file, b"TABLE events(", b"TABLE evEnds("), 400),
    "a table's name, no text": (lambda file: change(file, b"TABLE events(", b"TABLE ev\xffnts("), 400),
    "a column's name": (lambda file: change(file, b"body TEXT", b"bady TEXT"), 400),
    "the index alone": (lambda file: change(file, INDEXED, INDEXED[:-2] + b"\x7f\xff"), 400),
    "the second half": (lambda file: os.truncate(file, file.stat().st_size // 2), 100),
    "the end, within a page": (lambda file: os.truncate(file, file.stat().st_size - 1000), 350),
    "all but the header": (lambda file: os.truncate(file, 100), 0),
    "all, a text": (lambda file: file.write_text("shopping: eggs, milk"), 0),
    "all, zeros": (lambda file: file.write_bytes(bytes(20 * PAGE)), 0),
}


@pytest.mark.parametrize(("harm", "least"), HARM.values(), ids=HARM)
def test_of_a_damaged_journal_is_saved_what_can_be_read(tmp_path, harm, least) -> None:
    file = write(tmp_path / "j", range(1, 401))
    harm(file)
    damaged = file.read_bytes()
    journal = Journal(file)
    says = open_or_salvage(journal)
    with closing(journal):
        there = journal.events("m")
        assert least <= len(there) <= 400
        assert all(entry.event == PLAY and entry.ruling == {"seq": entry.seq} for entry in there)
        assert (journal.last_seq("b") == 7) is (least > 0)
        journal.append("new", 1, PLAY, {"seq": 1}, 1e9)
    assert "j.damaged-1" in says
    assert f"{len(there)} events could be saved" in says
    assert (tmp_path / "j.damaged-1").read_bytes() == damaged
    again = Journal(file)
    assert open_or_salvage(again) == ""
    again.close()
    left = {one.name for one in tmp_path.iterdir()}
    assert left == {"j", "j.lock", "j.damaged-1"}


def test_what_is_in_the_log_of_a_damaged_journal_is_saved_too(tmp_path) -> None:
    with Journal(tmp_path / "open") as journal:
        journal.append("m", 1, PLAY, {"seq": 1}, 1.0)
        journal.checkpoint()
        journal.append("m", 2, PLAY, {"seq": 2}, 1.0)
        for ending in ("", "-wal"):
            shutil.copyfile(tmp_path / f"open{ending}", tmp_path / f"j{ending}")
    over(tmp_path / "j", 0, bytes(100))
    journal = Journal(tmp_path / "j")
    assert "2 events could be saved" in open_or_salvage(journal)
    journal.close()


def test_each_damaged_journal_is_kept(tmp_path) -> None:
    for _ in range(2):
        (tmp_path / "j").write_text("no journal")
        journal = Journal(tmp_path / "j")
        open_or_salvage(journal)
        journal.close()
    assert {one.name for one in tmp_path.glob("*damaged*")} == {"j.damaged-1", "j.damaged-2"}


def test_a_row_that_is_no_json_costs_itself_alone(tmp_path) -> None:
    file = write(tmp_path / "j", (1, 2, 3))
    raw = sqlite3.connect(file)
    with raw:
        raw.execute("DROP TRIGGER events_are_kept")
        raw.execute("UPDATE events SET ruling = '[' WHERE seq = 2")
        raw.execute("PRAGMA application_id = 0")
    raw.close()
    journal = Journal(file)
    open_or_salvage(journal)
    with closing(journal):
        assert [entry.seq for entry in journal.events("m")] == [1, 3]


@pytest.mark.parametrize("head_too", [False, True])
def test_a_row_that_is_no_text_costs_itself_alone(tmp_path, head_too) -> None:
    file = write(tmp_path / "j", (1, 2, 3))
    change(file, b'{"seq":2}', b'{"s\xffq":2}')
    if head_too:
        over(file, 0, bytes(100))
    journal = Journal(file)
    assert bool(open_or_salvage(journal)) is head_too
    with closing(journal):
        assert [entry.seq for entry in journal.readable_events("m")] == [1, 3]


def test_a_journal_of_a_newer_carrom_is_not_taken_for_a_damaged_one(tmp_path) -> None:
    file = write(tmp_path / "j", (1,))
    raw = sqlite3.connect(file)
    raw.execute("PRAGMA user_version = 99")
    raw.close()
    with pytest.raises(ConfigError, match="newer carrom"):
        open_or_salvage(Journal(file))
    assert file.exists()


# -- while it is open


def everything(file: Path) -> list[Path]:
    return [one for one in file.parent.glob(f"{file.name}*") if one.is_file()]


def remove_all(file):
    for one in everything(file):
        # The mark may just be getting its name.
        one.unlink(missing_ok=True)


def remove_folder(file):
    file.parent.rename(file.parent.with_name("away"))


def replace(file):
    write(file.with_name("other"), (1, 2), "other").replace(file)


def rename(file):
    file.rename(file.with_name("moved"))


def cut_log(file):
    os.truncate(file.with_name("j-wal"), 0)


def cut_logs_end(file):
    log = file.with_name("j-wal")
    os.truncate(log, log.stat().st_size - 2000)


def remove_log(file):
    file.with_name("j-wal").unlink()


def cut_file(file):
    os.truncate(file, 2 * PAGE)


def empty_file(file):
    os.truncate(file, 0)


def remove_file(file):
    file.unlink()


def cut_both(file):
    os.truncate(file, 0)
    os.truncate(file.with_name("j-wal"), 0)


TAKEN = [
    remove_file, remove_all, remove_folder, remove_log, replace, rename, cut_log, cut_logs_end, cut_file, empty_file,
    cut_both,
]  # fmt: skip


@contextmanager
def writing(journal: Journal, **more) -> Iterator[Scribe]:
    scribe = Scribe(journal, **more)
    scribe.start()
    try:
        yield scribe
    finally:
        left = scribe.stop(PATIENCE_S)
    assert left == ()


@pytest.fixture
def place(tmp_path) -> Path:
    (tmp_path / "state").mkdir()
    return tmp_path / "state" / "j"


@pytest.mark.parametrize("taken", TAKEN)
def test_what_is_taken_away_while_it_is_open_is_said_and_written_anew(tmp_path, place, taken) -> None:
    write(place, (1, 2), "before")
    loss = Loss(place)
    with (
        Journal(place) as journal,
        writing(journal, spool=Spool([tmp_path / "run"]), loss=loss, patience_s=0.05) as scribe,
    ):
        for seq in range(1, 31):
            assert scribe.append("m", seq, PLAY, {"seq": seq}, 1.0, "umpire").saved_within(PATIENCE_S)
        taken(place)
        receipt = scribe.append("m", 31, PLAY, {"seq": 31}, 1.0, "umpire")
        assert scribe.saved_or_kept(receipt) is False, "never said to be saved where nobody will find it"
        assert "while the table ran" in scribe.says
        assert receipt.saved_within(PATIENCE_S)
        assert "while the table ran" in loss.says
        assert "Fix: " in loss.says
        with Journal(place, read_only=True) as reader:
            assert [entry.seq for entry in reader.events("m")] == list(range(1, 32))
            if taken not in (cut_file, empty_file, cut_both):
                assert [entry.seq for entry in reader.events("before")] == [1, 2]
        assert scribe.append("m", 32, PLAY, {"seq": 32}, 1.0).saved_within(PATIENCE_S)
        assert scribe.says == ""
    with Journal(place) as again:
        assert again.last_event("m") == 32
        assert again.latest_match() == "m"


def test_another_file_in_its_place_is_kept(place) -> None:
    with Journal(place) as journal, writing(journal) as scribe:
        assert scribe.append("m", 1, PLAY, {"seq": 1}, 1.0).saved_within(PATIENCE_S)
        replace(place)
        assert scribe.append("m", 2, PLAY, {"seq": 2}, 1.0).saved_within(PATIENCE_S)
    with Journal(place.with_name("j.damaged-1"), read_only=True) as other:
        assert other.last_event("other") == 2


def test_it_is_noticed_between_the_strokes_as_well(place) -> None:
    with Journal(place) as journal:
        journal.append("m", 1, PLAY, {"seq": 1}, 1.0)
        journal.look()
        place.unlink()
        with pytest.raises(OSError, match=r"j was taken away while the table ran.*Fix: "):
            journal.look()


@pytest.mark.parametrize("size", [0, 100, PAGE, 20_000])
def test_an_index_that_is_cut_short_ends_nobody(place, size) -> None:
    with Journal(place) as journal, Journal(place, read_only=True) as reader:
        journal.append("m", 1, PLAY, {"seq": 1}, 1.0)
        index = place.with_name("j-shm")
        os.truncate(index, size)
        assert journal.last_event("m") == 1
        os.truncate(index, size)
        journal.append("m", 2, PLAY, {"seq": 2}, 1.0)
        os.truncate(index, size)
        assert len(reader.events("m")) == 2
        os.truncate(index, size)
        journal.checkpoint()
        os.truncate(index, size)
        with Journal(place, read_only=True) as another:
            assert another.last_event("m") == 2
        os.truncate(index, size)
    with Journal(place) as journal:
        assert journal.last_event("m") == 2
