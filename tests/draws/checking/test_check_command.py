"""`carrom draw check`: what it prints, and with which code it ends."""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import pytest

from controller.commands.draw.check import add_arguments, run
from controller.events.errors import ConfigError
from tests.draws.checking.drawn import Draw, knockout, play


def ran(folder: Path, draw: Draw) -> int:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    (folder / "event.toml").write_text('system = "knockout"\n')
    words = [str(folder / "event.toml")]
    for what in ("entries", "fixtures", "results"):
        rows = getattr(draw, what)
        if rows is not None:
            with (folder / f"{what}.csv").open("w", newline="") as file:
                writer = csv.DictWriter(file, list(dict.fromkeys(key for row in rows for key in row)))
                writer.writeheader()
                writer.writerows(rows)
            words += [f"--{what}", str(folder / f"{what}.csv")]
    return run(parser.parse_args(words))


def test_a_right_draw_is_proved_a_line_a_rule(tmp_path, capsys):
    assert ran(tmp_path, play(knockout(6))) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "every entry: 6 entries, each drawn exactly once"
    assert printed[-1].startswith("results: 5 of 5 matches")


def test_findings_are_printed_with_file_and_line(tmp_path, capsys):
    draw = knockout(6)
    draw.line("QF-1")["south"] = "P1"
    assert ran(tmp_path, draw) == 1
    printed = capsys.readouterr().out.splitlines()
    assert any(line.startswith(f"{tmp_path}/fixtures.csv:4: 'P1' is drawn twice") for line in printed), printed
    assert all("Fix: " in line for line in printed)


@pytest.mark.parametrize("text", ["", "who\nAsha\n", "\0"])
def test_a_sheet_that_says_nothing_is_refused(tmp_path, text):
    draw = knockout(2)
    ran(tmp_path, draw)
    (tmp_path / "entries.csv").write_text(text)
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    words = [f"{tmp_path}/event.toml", "--entries", f"{tmp_path}/entries.csv", "--fixtures", f"{tmp_path}/fixtures.csv"]
    with pytest.raises(ConfigError, match="Fix: "):
        run(parser.parse_args(words))
    (tmp_path / "event.toml").write_text("system = ")
    with pytest.raises(ConfigError, match=r"event\.toml"):
        run(parser.parse_args(words))
