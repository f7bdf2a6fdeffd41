"""Every command that README and documents show can be typed: the command is there, and so are its options."""

from __future__ import annotations

import argparse
import importlib
import re
import shlex
from pathlib import Path

import pytest
from installer.__main__ import main as install

from controller.cli import COMMANDS, main
from controller.commands import installed as machine

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), ROOT / "scripts" / "teach" / "README.md"]


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


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine on which a table and a hub are installed."""
    (tmp_path / "hub.toml").write_text("")
    file = tmp_path / "carrom.toml"
    file.write_text(f'[table]\nstate = "{tmp_path}"\nruntime = "{tmp_path}"\n[camera]\nkind = "none"\n')
    monkeypatch.setattr(machine, "SYSTEM", tmp_path)
    return file


@pytest.mark.parametrize(("page", "words"), shown("carrom"))
def test_a_command_can_be_typed(page: str, words: str, installed: Path) -> None:
    if not words or words.startswith("--"):
        return
    name, *rest = shlex.split(re.split(r"\s[|<>&]", words.replace("…", ""))[0])
    if name == "COMMAND":
        return
    assert name in COMMANDS, f"{page}: carrom {words}"
    parser = argparse.ArgumentParser(exit_on_error=False)
    importlib.import_module(f"controller.commands.{name}").add_arguments(parser)
    verbs = next((one.choices for one in parser._actions if isinstance(one, argparse._SubParsersAction)), {})
    if verbs and rest:
        assert rest[0] in verbs, f"{page}: carrom {words}"
        parser = verbs[rest.pop(0)]
    known = {option for action in parser._actions for option in action.option_strings}
    needed = {option for action in parser._actions if action.required for option in action.option_strings[-1:]}
    used = {word.split("=")[0] for word in rest if word.startswith("--")}
    assert used <= known, f"{page}: carrom {words}"
    # A name alone may stand for the command as such, and not for what is typed.
    lacking = needed - used if rest else needed & {"--config"}
    assert not lacking, f"{page}: carrom {words}: what else it wants is not shown"


@pytest.mark.live
@pytest.mark.parametrize("words", ["journal list", "support --out support.zip", "calibrate"])
def test_what_is_typed_without_a_configuration_is_of_the_installed_table(
    words: str, installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    code = main(words.split())
    said = capsys.readouterr()
    assert (str(tmp_path) in said.err + said.out) or (code == 0 and (tmp_path / "support.zip").is_file()), said
    assert "--config" not in said.err
    assert "--out is missing" not in said.err


def test_pictures_of_another_camera_do_not_become_the_installed_calibration(
    installed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["calibrate", "--empty", "holiday.jpg"]) == 2
    assert "--out is missing" in capsys.readouterr().err


@pytest.mark.parametrize(("page", "words"), shown("install"))
def test_the_installer_has_the_options_shown(page: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        install(["--help"])
    known = set(re.findall(r"--[a-z-]+", capsys.readouterr().out))
    assert set(re.findall(r"--[a-z-]+", words)) <= known, f"{page}: ./install {words}"


def typed(pattern: str) -> list[tuple[str, str]]:
    """Page and text of whatever stands between backticks or in a block and begins so."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        blocks = [
            line.partition(" #")[0]
            for block in re.findall(r"```\w*\n(.*?)```", text, re.S)
            for line in block.splitlines()
        ]
        inline = [" ".join(words.split()) for words in re.findall(r"(?<!`)`([^`]+)`(?!`)", text)]
        found += [(page.name, line.strip()) for line in (*blocks, *inline) if re.match(rf"\s*{pattern}", line)]
    return sorted(set(found))


@pytest.mark.parametrize(("page", "line"), typed(r"make\b|ARGS="))
def test_what_make_is_told_is_there(page: str, line: str) -> None:
    """Targets, benches by their names, and the options of the demo."""
    words = [word for word in shlex.split(line) if word != "make"]
    told = " ".join(word.removeprefix("ARGS=") for word in words if word.startswith("ARGS=")).split()
    folder = ROOT / words[words.index("-C") + 1] if "-C" in words else ROOT
    makefile = (folder / "Makefile").read_text(encoding="utf-8")
    targets = [word for word in words if re.fullmatch(r"[a-z][a-z-]*", word)]
    for target in targets:
        assert re.search(rf"(?m)^([a-z-]+ )*{target}( [a-z-]+)*:", makefile), f"{page}: {line}"
    if "demo" in targets:
        parser = argparse.ArgumentParser()
        importlib.import_module("controller.commands.demo").add_arguments(parser)
        known = {option for action in parser._actions for option in action.option_strings} | {"--help"}
        assert {word for word in told if word.startswith("--")} <= known, f"{page}: {line}"
    elif "test-system" not in targets:
        for room in (word.partition(":")[0] for word in told if not word.startswith("--")):
            assert (ROOT / "tests" / "bench" / f"bench_{room}.py").is_file(), f"{page}: {line}"


@pytest.mark.parametrize(("page", "line"), typed(r"\S*python -m"))
def test_a_module_that_is_run_is_there_and_knows_its_options(page: str, line: str) -> None:
    module = re.split(r"-m ", line)[1].split()[0]
    if module in ("venv", "pip"):
        return
    if module == "pytest":
        assert [word for word in line.split() if word.endswith(".py") and not (ROOT / word).is_file()] == []
        return
    place = ROOT / Path(*module.split("."))
    file = next(one for one in (place.with_suffix(".py"), place / "__main__.py") if one.is_file())
    text = file.read_text(encoding="utf-8")
    assert [option for option in re.findall(r"--[a-z-]+", line) if f'"{option}"' not in text] == [], f"{page}: {line}"


def test_pages_show_commands() -> None:
    """Or this file would prove nothing."""
    assert len(shown("carrom")) > 30
    assert len(shown("install")) >= 5
    assert len(typed("make")) > 20
    assert len(typed(r"\S*python -m")) > 5
