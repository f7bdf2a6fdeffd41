"""What an acceptance leaves behind: record, signature, certificate, and what `carrom check` makes of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller import cli
from controller.commands.acceptance import record
from controller.commands.acceptance.certificate import certificate_pdf
from controller.commands.acceptance.sensors import Looker
from controller.commands.acceptance.session import LOOKS, Acceptance
from controller.commands.check_acceptance import probe_acceptance
from controller.config import load_config
from controller.events.errors import ConfigError
from controller.vision.calibration_file import save
from tests.commands.acceptance.drawn_table import drawn_table, shifted
from tests.commands.acceptance.person import BARE, MM, PLAN, exact, go, judged


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A configuration with its calibration."""
    save(tmp_path / "calibration.json", drawn_table().calibration)
    file = tmp_path / "carrom.toml"
    file.write_text(
        f'[table]\nid = "t7"\nstate = "{tmp_path}"\nruntime = "{tmp_path}"\n[mqtt]\nenabled = false\n'
        f'[pockets]\nkind = "none"\n[camera]\nkind = "folder"\npath = "{tmp_path}"\nshutter = "global"\n'
        f'calibration = "{tmp_path}/calibration.json"\n'
    )
    return file


def recorded(file: Path, acceptance: Acceptance) -> Path:
    config = load_config(file)
    digest = record.digest_of(config.camera.calibration)
    here = record.Circumstances(
        "t7", "", "0.1.0", 1_790_000_000.0, 540.0, digest, "match", "match", 1.41, 200.0, (MM, MM), 0.64
    )
    return record.written(config.table.state, here, acceptance.measured, judged(acceptance))


def test_the_record_is_signed_printed_and_shown_by_check(table: Path) -> None:
    acceptance = Acceptance(PLAN, {})
    go(acceptance)
    config = load_config(table)
    assert [one.state for one in probe_acceptance(config)] == ["none"]
    file = recorded(table, acceptance)
    made = record.read(file, config.table.state)
    assert made.signed is True
    assert made.verdict == judged(acceptance)
    assert certificate_pdf(made, record.key_mark(file)).startswith(b"%PDF")
    (found,) = probe_acceptance(config)
    assert found.state == "ok"
    assert "grade match; 80 placements, worst 0.00 mm" in found.says
    key = config.table.state / "acceptance" / "key"
    assert key.stat().st_mode & 0o777 == 0o600
    key.unlink()
    assert "its signature was not tried" in next(probe_acceptance(config)).says


def test_a_record_that_was_changed_is_not_this_tables(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    acceptance = Acceptance(PLAN, {})
    go(acceptance, lambda step: exact(step, 1.5))
    file = recorded(table, acceptance)
    assert cli.main(["accept", "--config", str(table), "--verify", str(file)]) == 0
    body = json.loads(file.read_text())
    body["verdict"]["grade"] = "match"
    file.write_text(json.dumps(body))
    assert cli.main(["accept", "--config", str(table), "--verify", str(file)]) == 1
    assert "did not sign it" in capsys.readouterr().out
    (found,) = probe_acceptance(load_config(table))
    assert (found.state, "not as this table signed it" in found.says) == ("fail", True)


def test_check_says_when_the_calibration_has_changed_since(table: Path) -> None:
    acceptance = Acceptance(PLAN, {})
    go(acceptance)
    recorded(table, acceptance)
    config = load_config(table)
    save(config.camera.calibration, shifted(drawn_table().calibration, 0.5))
    (found,) = probe_acceptance(config)
    assert (found.state, "the calibration has changed since" in found.says) == ("warn", True)


def test_an_acceptance_that_was_broken_off_goes_on_and_only_with_the_same_calibration(tmp_path: Path) -> None:
    acceptance = Acceptance(PLAN, {})
    for _ in range(LOOKS):
        acceptance.see(BARE)
    asked = {"calibration": "abc", "control": 200.0, "strikers": (41.3, 41.2)}
    record.keep(tmp_path, asked, acceptance.measured, 60.0)
    measured, spent_s = record.kept(tmp_path, asked)
    later = Acceptance(PLAN, measured)
    assert (later.measured, spent_s) == (acceptance.measured, 60.0)
    assert later.step == PLAN[1]
    assert record.kept(tmp_path, asked | {"calibration": "other"}) == ({}, 0.0)
    record.forget(tmp_path)
    assert record.kept(tmp_path, asked) == ({}, 0.0)


def test_what_is_wrong_is_one_line(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "other.json").write_text("{}")
    for words, says in (
        (["--control", "150"], "--control 150: about 200 is wanted. Fix: print at 100 %"),
        (["--strikers", "3"], "--strikers: one or two diameters"),
        (["--verify", str(tmp_path / "other.json")], "it is no record of an acceptance"),
        (["--print-gauge", str(tmp_path / "no" / "gauge.pdf")], "name a writable file"),
    ):
        assert cli.main(["accept", "--config", str(table), *words]) == 2
        said = capsys.readouterr().err
        assert says in said
        assert "Fix:" in said
        assert said.count("\n") == 1


def test_the_table_prints_its_own_gauge(table: Path, tmp_path: Path) -> None:
    assert cli.main(["accept", "--config", str(table), "--print-gauge", str(tmp_path / "gauge.pdf")]) == 0
    assert (tmp_path / "gauge.pdf").read_bytes().startswith(b"%PDF")


def test_pictures_of_another_size_are_refused() -> None:
    table = drawn_table()
    with pytest.raises(ConfigError, match="calibrate again"):
        Looker(table.calibration).look(table.picture(())[:100])
