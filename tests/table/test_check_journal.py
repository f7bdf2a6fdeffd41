"""`carrom check` and the journal: what is wrong with it is one line that says what, where and how to fix it."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from controller.cli import main
from controller.commands.check_journal import probe_journal
from controller.commands.findings import Finding
from controller.config import Config
from controller.events.errors import ConfigError, DeviceError
from controller.journal import Journal
from controller.journal.mark import Loss, write_mark
from controller.journal.mark import Mark as MarkOf
from tests.table.kit import UNDER_WAY


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return Config.model_validate({"table": {"state": str(tmp_path / "state"), "runtime": str(tmp_path / "run")}})


@pytest.fixture
def file(config: Config) -> Path:
    """A journal of one match of four events."""
    path = config.table.state / "journal.sqlite"
    with Journal(path) as journal:
        for seq, event in enumerate((UNDER_WAY, {"event": "pause"}, {"event": "resume"}, {"event": "pause"}), 1):
            journal.append("m", seq, event, {"seq": seq, "score": {"south": seq}}, float(seq))
    return path


def only(config: Config) -> Finding:
    (found,) = probe_journal(config)
    return found


def test_no_journal_yet_and_a_whole_one_are_well(config, file) -> None:
    before = sorted(config.table.state.iterdir())
    assert only(config) == Finding("journal", "ok", f"{file}: 1 matches, whole")
    assert sorted(config.table.state.iterdir()) == before, "the check leaves nothing behind"
    file.unlink()
    found = only(config)
    assert (found.state, "none yet" in found.says) == ("ok", True)


def zero_head(file):
    with file.open("r+b") as stream:
        stream.write(bytes(100))


@pytest.mark.parametrize(
    "harm",
    [
        zero_head,
        lambda file: os.truncate(file, 9000),
        lambda file: os.truncate(file, 0),
        lambda file: file.write_text("no journal"),
    ],
    ids=["header", "cut", "empty", "text"],
)
def test_a_damaged_journal_fails(config, file, harm) -> None:
    harm(file)
    with pytest.raises(ConfigError, match=rf"{file}: is .*damaged.*Fix: put it back from a copy.*or start the table"):
        only(config)


def test_a_hole_in_the_match_under_way_is_a_warning(config, file) -> None:
    raw = sqlite3.connect(file)
    with raw:
        raw.execute("DROP TRIGGER events_are_kept")
        raw.execute("UPDATE events SET event = '[' WHERE seq = 2")
    raw.close()
    found = only(config)
    assert found.state == "warn"
    assert "match m cannot go on: its event 2 cannot be read; after event 4 it stood south 4" in found.says
    assert "Fix: " in found.says


def test_an_end_that_is_missing_is_a_warning(config, file) -> None:
    write_mark(file, MarkOf("m", 9, "x", "south 9"))
    found = only(config)
    assert (found.state, "events 5 to 9 of match m are missing" in found.says) == ("warn", True)
    Loss(file).tell("it was damaged. Fix: set")
    assert only(config) == Finding("journal", "warn", "it was damaged. Fix: set")


def test_rulings_that_wait_are_a_warning(config, file) -> None:
    config.table.runtime.mkdir()
    left = config.table.runtime / f"unsaved-{config.table.id}.jsonl"
    left.write_text("{}\n{}\n")
    waiting, journal = probe_journal(config)
    assert waiting.state == "warn"
    assert waiting.says.startswith(f"{left}: 2 rulings were told and are not in the journal. Fix: ")
    assert journal.state == "ok"
    left.unlink()
    left.mkdir()
    assert next(probe_journal(config)).says.startswith(f"{left}: ")


def test_a_folder_in_its_place_fails(config, file) -> None:
    file.unlink()
    file.mkdir()
    assert only(config) == Finding("journal", "fail", f"{file}: is no file. Fix: move it away")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError("[match]: wrong"), 2),
        (DeviceError("state: cannot be written. Fix: give it to this user"), 1),
        (PermissionError(13, "Permission denied", "/var/lib/carrom/http-port"), 1),
    ],
)
def test_the_daemon_says_two_for_a_wrong_configuration_alone(monkeypatch, capsys, error, code) -> None:
    def fails(_args: object) -> int:
        raise error

    monkeypatch.setattr("controller.commands.run.run", fails)
    assert main(["run", "--config", "carrom.toml"]) == code
    said = capsys.readouterr().err
    assert said.startswith("carrom run: ")
    assert said.count("\n") == 1
