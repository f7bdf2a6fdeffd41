"""Every command that README and documents show can be typed: the command is there, and so are its options."""

from __future__ import annotations

import argparse
import importlib
import re
import shlex
from pathlib import Path

import pytest
from installer.__main__ import main as install

from controller.cli import COMMANDS

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def shown(program: str) -> list[tuple[str, str]]:
    """Page and words of each command shown in a block of shell or between backticks."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        blocks = re.findall(r"```sh\n(.*?)```", text, re.S)
        lines = [line.partition("#")[0] for block in blocks for line in block.splitlines()]
        lines += [" ".join(inline.split()) for inline in re.findall(r"(?<!`)`([^`]+)`(?!`)", text)]
        for line in lines:
            if match := re.match(rf"\s*(?:sudo )?(?:\S*/)?{program}((?:\s.*)?)$", line):
                found.append((page.name, match[1].strip()))
    return sorted(set(found))


@pytest.mark.parametrize(("page", "words"), shown("carrom"))
def test_a_command_can_be_typed(page: str, words: str) -> None:
    if not words or words.startswith("--"):
        return
    name, *rest = shlex.split(re.split(r"\s[|<>&]", words.replace("…", ""))[0])
    if name == "COMMAND":
        return
    assert name in COMMANDS, f"{page}: carrom {words}"
    parser = argparse.ArgumentParser(exit_on_error=False)
    importlib.import_module(f"controller.commands.{name}").add_arguments(parser)
    known = {option for action in parser._actions for option in action.option_strings}
    used = {word.split("=")[0] for word in rest if word.startswith("--")}
    assert used <= known, f"{page}: carrom {words}"


@pytest.mark.parametrize(("page", "words"), shown("install"))
def test_the_installer_has_the_options_shown(page: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        install(["--help"])
    known = set(re.findall(r"--[a-z-]+", capsys.readouterr().out))
    assert set(re.findall(r"--[a-z-]+", words)) <= known, f"{page}: ./install {words}"


def test_pages_show_commands() -> None:
    """Or this file would prove nothing."""
    assert len(shown("carrom")) > 30
    assert len(shown("install")) >= 5
