"""`carrom journal` as a person calls it: matches listed, shown, exported, pruned by policy; bad input is one line."""

from __future__ import annotations

import json
import socket
import time

import pytest

from controller.cli import main
from controller.config import load_config
from controller.journal import Journal
from controller.rules.shelf import load_books
from controller.table.match.ruled_match import Taken
from controller.table.match.umpire import Umpire
from controller.table.process import housekeeping
from controller.table.process.housekeeping import forget, prune_at_start
from controller.table.process.seen_days import SeenDays

DAY = 86_400.0
AGES = {"m-old": 400, "m-older-than-a-month": 40, "m-yesterday": 1, "m-today": 0}
POSITION = {"left": {"white": 1, "black": 3}, "break_done": True, "queen": "covered", "queen_side": "south"}
EVENTS = [
    {
        "event": "start",
        "book": "icf",
        "seats": {"south": "आशा", "north": "Ben"},
        "first": "south",
        "policy": {"points": 5, "games": 1},
        "position": POSITION,
    },
    {"event": "shot", "seat": "south", "t": 5.0, "pocketed": [{"piece": "white", "pocket": "NE"}]},
]


@pytest.fixture
def table(tmp_path):
    """A configuration whose journal has four matches, the last one not over."""
    state = tmp_path / "state"
    with Journal(state / "journal.sqlite", place="table1") as journal:
        for match, age in AGES.items():
            umpire = Umpire(load_books())
            for number, event in enumerate(EVENTS[: 1 if match == "m-today" else 2]):
                taken = umpire.take(event)
                assert isinstance(taken, Taken), taken
                at = time.time() - age * DAY + number - 100
                journal.append(match, taken.seq, taken.event, taken.ruling, at, "test")
    SeenDays(state).sure(time.time() - 2 * DAY)
    file = tmp_path / "carrom.toml"
    file.write_text(
        f'[table]\nstate = "{state}"\nruntime = "{tmp_path}"\n[journal]\nkeep_days = 30\narchive_days = 60\n'
    )
    return file


def journal_file(table):
    return table.parent / "state" / "journal.sqlite"


def said(capsys, *words):
    assert main(["journal", *map(str, words)]) == 0
    return capsys.readouterr().out.splitlines()


def test_matches_are_listed_in_words_and_for_machines(table, capsys):
    lines = said(capsys, "list", journal_file(table))
    assert [line.split()[0] for line in lines] == list(AGES)
    assert "आशा / Ben" in lines[0]
    assert "south 6, north 0 (over)" in lines[0]
    assert lines[0].endswith("2 events")
    assert "(not over)" in lines[-1]
    rows = [json.loads(line) for line in said(capsys, "list", "--config", table, "--json")]
    assert [row["match"] for row in rows] == list(AGES)
    assert [row["over"] for row in rows] == [True, True, True, False]


def test_a_match_is_shown_event_by_event(table, capsys):
    head, start, shot = said(capsys, "show", journal_file(table), "--match", "m-old")
    assert head.startswith("m-old")
    assert "the match begins" in start
    assert "आशा" in shot
    assert "wins the match" in shot
    assert len(said(capsys, "show", "--config", table)) == 2, "the latest match"
    told = [json.loads(line) for line in said(capsys, "show", "--config", table, "--match", "m-old", "--json")]
    assert told[1]["ruling"]["match_over"] is True


def test_each_match_is_exported_as_a_journal_that_rules_the_same(table, tmp_path, capsys):
    files = said(capsys, "export", "--config", table, "--to", tmp_path / "out")
    assert [line.rpartition("/")[2] for line in files] == [f"{match}.sqlite" for match in AGES]
    for file in files:
        assert main(["replay", file]) == 0
    assert "the same rulings" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("form", "begins"), [("pdf", b"%PDF"), ("csv", b"\xef\xbb\xbfseq,"), ("json", b"{"), ("txt", "आशा".encode())]
)
def test_a_match_is_exported_in_other_forms(table, tmp_path, capsys, form, begins):
    (file,) = said(capsys, "export", "--config", table, "--match", "m-old", "--as", form, "--to", tmp_path / "out")
    assert (tmp_path / "out" / f"m-old.{form}").read_bytes().startswith(begins)
    assert file.endswith(f"m-old.{form}")


def test_pruning_by_policy_moves_what_is_older_and_what_stays_rules_the_same(table, capsys):
    dry = said(capsys, "prune", "--config", table, "--dry-run")
    assert [line.split()[0] for line in dry] == ["m-old", "m-older-than-a-month"]
    assert len(said(capsys, "list", "--config", table)) == 4
    assert len(said(capsys, "prune", "--config", table)) == 2
    lines = said(capsys, "list", "--config", table)
    assert [line.split()[0] for line in lines] == ["m-yesterday", "m-today", "m-old", "m-older-than-a-month"]
    assert "moved into table1-m-old.sqlite" in lines[2]
    assert main(["replay", str(journal_file(table))]) == 0
    archive = table.parent / "state" / "archive"
    for file in archive.iterdir():
        assert main(["replay", str(file)]) == 0
    assert capsys.readouterr().out.count("the same rulings") == 4
    (line,) = said(capsys, "prune", "--config", table)
    assert line == "no match is older than 30 days, besides the two latest"


def test_a_match_is_deleted_for_good_by_name(table, capsys):
    (line,) = said(capsys, "prune", "--config", table, "--match", "m-old", "--forget")
    assert line.endswith("deleted for good")
    assert "deleted for good on" in said(capsys, "list", "--config", table)[-1]
    left = {file.name for file in journal_file(table).parent.iterdir()}
    assert not left & {"archive", "journal.sqlite.before", "journal.sqlite.pruned"}
    assert all(b"m-old\x00" not in file.read_bytes() for file in journal_file(table).parent.iterdir())


def test_the_table_prunes_at_its_start_and_deletes_what_has_been_archived_long_enough(table):
    config, now = load_config(table), time.time()
    prune_at_start(config, now)
    with Journal(journal_file(table), read_only=True) as journal:
        assert [row.match for row in journal.matches()] == ["m-yesterday", "m-today"]
    archive = table.parent / "state" / "archive"
    forget(config, now + 59 * DAY)
    assert len(list(archive.iterdir())) == 2
    forget(config, now + 61 * DAY)
    assert list(archive.iterdir()) == []
    assert not (table.parent / "state" / "journal.sqlite.before").exists()


@pytest.mark.live
def test_a_start_moves_so_many_at_most_and_asks_for_patience(table, tmp_path, monkeypatch):
    monkeypatch.setattr(housekeeping, "MOST_AT_START", 1)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.setblocking(False)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        for left in (["m-older-than-a-month", "m-yesterday", "m-today"], ["m-yesterday", "m-today"]):
            prune_at_start(load_config(table), time.time())
            assert manager.recv(1000).startswith(b"EXTEND_TIMEOUT_USEC=600000000")
            with Journal(journal_file(table), read_only=True) as journal:
                assert [row.match for row in journal.matches()] == left
        prune_at_start(load_config(table), time.time())
        with pytest.raises(BlockingIOError):
            manager.recv(1000)


def test_a_journal_that_is_in_use_keeps_the_table_from_nothing(table, caplog):
    with Journal(journal_file(table)) as journal:
        prune_at_start(load_config(table), time.time())
        assert len(journal.matches()) == 4
    assert "another carrom is writing it" in caplog.text


def test_without_a_policy_everything_stays(table):
    table.write_text(table.read_text().replace("keep_days = 30", "keep_days = 0"))
    config = load_config(table)
    prune_at_start(config, time.time() + 9999 * DAY)
    with Journal(journal_file(table), read_only=True) as journal:
        assert len(journal.matches()) == 4


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["list"], "which journal?"),
        (["list", "nowhere.sqlite"], "there is no such journal"),
        (["show", "--config", "TABLE", "--match", "m-9"], "there is no match m-9"),
        (["export", "--config", "TABLE"], "name it with --to"),
        (["export", "--config", "TABLE", "--to", "/dev/null/x"], "Fix:"),
        (["export", "--config", "TABLE", "--as", "csv", "--to", "/dev/null/x"], "Fix:"),
        (["prune"], "needs --config"),
        (["prune", "--config", "TABLE", "--days", "0"], "--days 0: fewer than one day is no age. Fix: say --days 1"),
        (["prune", "--config", "TABLE", "--days", "0", "--dry-run"], "--days 0: fewer than one day"),
        (["prune", "--config", "TABLE", "--days", "-3", "--dry-run"], "--days -3: fewer than one day"),
        (["prune", "--config", "TABLE", "--match", "m-9"], "there is no match m-9"),
        (["prune", "--config", "TABLE", "--match", "m-today"], "two latest"),
    ],
)
def test_bad_input_is_one_line(table, capsys, words, says):
    assert main(["journal", *(str(table) if word == "TABLE" else word for word in words)]) == 2
    err = capsys.readouterr().err
    assert says in err
    assert err.count("\n") == 1


def test_pruning_while_the_table_plays_is_refused(table, capsys):
    with Journal(journal_file(table)):
        assert main(["journal", "prune", "--config", str(table)]) == 2
    assert "another carrom is writing it. Fix: stop that one" in capsys.readouterr().err
