"""A journal that lost its end is noticed, whatever took it; one that is whole never raises an alarm."""

from __future__ import annotations

import os
import shutil
import sqlite3

import pytest

from controller.journal import Journal, Scribe
from controller.journal.mark import Loss, lost_since, mark_file, missing_by_score
from tests.patience import PATIENCE_S

PLAY = {"event": "play"}


def ruling(seq: int, over: bool = False) -> dict:
    return {"seq": seq, "score": {"south": seq, "north": 0}, "board": {"number": 1, "over": over}}


def write(file, seqs, over=()):
    """Writes entries and leaves as `kill -9` does: nothing is moved out of the write-ahead log."""
    journal = Journal(file).open()
    scribe = Scribe(journal)
    scribe.start()
    for seq in seqs:
        assert scribe.append("m", seq, PLAY, ruling(seq, seq in over), float(seq), "umpire").saved_within(PATIENCE_S)
    assert scribe.stop(PATIENCE_S) == ()
    return journal


@pytest.fixture
def killed(tmp_path):
    """The files of a daemon that was killed after three events, as they lay on the disk."""
    alive = tmp_path / "alive"
    alive.mkdir()
    journal = write(alive / "j", (1, 2, 3))
    there = tmp_path / "there"
    shutil.copytree(alive, there)
    journal.close()
    assert (there / "j-wal").stat().st_size > 0
    return there / "j"


def lost(file) -> str:
    with Journal(file) as journal:
        loss = Loss(file)
        loss.look(journal)
        return loss.says


def test_what_was_killed_and_is_whole_raises_no_alarm(killed) -> None:
    assert lost(killed) == ""


def drop_wal(file):
    file.with_name("j-wal").unlink()


def tear_wal(file):
    # In the last commit's frame, as a power cut leaves it.
    log = file.with_name("j-wal")
    os.truncate(log, log.stat().st_size - 2000)


def empty(file):
    file.write_bytes(b"")


def carry_away(file):
    for name in ("j", "j-wal", "j-shm"):
        file.with_name(name).unlink(missing_ok=True)


def older_copy(file):
    carry_away(file)
    write(file.with_name("old"), (1, 2)).close()
    shutil.move(file.with_name("old"), file)


def another_match(file):
    carry_away(file)
    with Journal(file) as journal:
        for seq in (1, 2, 3, 4):
            journal.append("m", seq, PLAY, {"seq": seq}, 1.0, "umpire")


@pytest.mark.parametrize("harm", [drop_wal, tear_wal, empty, carry_away, older_copy, another_match])
def test_a_journal_that_lost_its_end_says_so_in_one_line(killed, harm) -> None:
    harm(killed)
    says = lost(killed)
    assert "match m" in says
    assert "Fix: " in says
    assert "\n" not in says
    if harm is not another_match:
        assert "missing; after event 3 it stood south 3, north 0" in says


def test_it_is_said_until_a_person_has_put_it_right_whatever_is_written_meanwhile(killed) -> None:
    carry_away(killed)
    said = lost(killed)
    write(killed, (1, 2)).close()
    assert lost(killed) == said
    with Journal(killed) as journal:
        loss = Loss(killed)
        loss.look(journal)
        loss.put_right()
    assert lost(killed) == ""


def test_a_kill_between_commit_and_mark_is_no_loss(killed) -> None:
    with Journal(killed) as journal:
        journal.append("m", 4, PLAY, ruling(4), 4.0, "umpire")
    assert lost(killed) == ""


@pytest.mark.parametrize("rubbish", [b"", b"{}", b"\xff", b'{"match": "m", "seq": 1, "digest": "x", "more": 1}'])
def test_a_mark_that_cannot_be_read_is_said(killed, rubbish) -> None:
    mark_file(killed).write_bytes(rubbish)
    assert "nobody knows whether the journal is whole" in lost(killed)


def test_a_journal_from_before_there_were_marks_is_whole(killed) -> None:
    mark_file(killed).unlink()
    with Journal(killed) as journal:
        assert lost_since(journal) == ""


def test_a_mark_that_cannot_be_written_stops_nobody(tmp_path) -> None:
    mark_file(tmp_path / "j").mkdir()
    write(tmp_path / "j", (1, 2)).close()
    with Journal(tmp_path / "j") as journal:
        assert journal.last_event("m") == 2


def test_half_a_character_is_no_loss(tmp_path) -> None:
    journal = Journal(tmp_path / "j").open()
    scribe = Scribe(journal)
    scribe.start()
    assert scribe.append("m", 1, {"event": "play", "reason": "\ud83d"}, ruling(1), 1.0).saved_within(PATIENCE_S)
    scribe.stop(PATIENCE_S)
    journal.close()
    assert lost(tmp_path / "j") == ""


def events_in_the_file_alone(file) -> int:
    """How many events the file has without its write-ahead log."""
    raw = sqlite3.connect(f"file:{file}?immutable=1", uri=True)
    try:
        return raw.execute("SELECT count(*) FROM events").fetchone()[0]
    finally:
        raw.close()


def test_after_a_boards_end_the_file_alone_has_everything(tmp_path) -> None:
    journal = write(tmp_path / "j", (1, 2, 3, 4), over=(3,))
    assert events_in_the_file_alone(tmp_path / "j") == 3
    journal.close()
    assert events_in_the_file_alone(tmp_path / "j") == 4


def score(**more) -> dict:
    sides = [{"name": "south", "points": 10}, {"name": "north", "points": 4}]
    return {"seq": 15, "match": "m", "state": "playing", "sides": sides, **more}


@pytest.mark.parametrize(
    ("kept", "match", "seq", "there", "missing"),
    [
        (score(), "new", 1, 0, "events 1 to 15"),
        (score(), "m", 12, 12, "events 13 to 15"),
        (score(), "m", 14, 12, "event 15"),
        (score(), "m", 15, 12, ""),
        (score(), "m", 20, 20, ""),
        (score(), "new", 1, 15, ""),
        (score(state="match_over"), "new", 1, 0, ""),
        (score(state="idle"), "new", 1, 0, ""),
        (score(seq=1), "new", 1, 0, ""),
        (score(seq="15"), "new", 1, 0, ""),
        (score(match=None), "new", 1, 0, ""),
        (score(sides=7), "new", 1, 0, "events 1 to 15"),
        (score(sides=[7]), "new", 1, 0, "events 1 to 15"),
    ],
)
def test_the_score_that_the_broker_kept_is_held_against_us(kept, match, seq, there, missing) -> None:
    says = missing_by_score(kept, match, seq, there)
    assert missing in says
    assert bool(says) == bool(missing)
