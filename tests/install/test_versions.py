"""The program's versions: each belongs to the Python that made it, whoever runs it can read it, and one leads back."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from installer import layout
from installer.machine import InstallError, Machine
from installer.steps import Installation

from tests.install.debian import CARROM, everything, install

pytestmark = [pytest.mark.live, pytest.mark.long]

ROOT = Path(__file__).parents[2]
VERSIONS = "opt/carrom/versions"


@pytest.fixture
def strict() -> Iterator[None]:
    """A shell that keeps what it makes from everybody else."""
    before = os.umask(0o077)
    yield
    os.umask(before)


def in_use(root: Path) -> str:
    return (root / "opt/carrom/current").readlink().name


def kept(root: Path) -> set[str]:
    return {path.name for path in (root / VERSIONS).iterdir()}


def closed(root: Path) -> list[Path]:
    """What the services' users could not read or enter of the program and on the way to their settings."""
    places = [root / "etc/carrom", *(root / "opt").rglob("*")]
    return [place for place in places if not place.is_symlink() and place.stat().st_mode & 0o044 != 0o044]


def test_an_upgrade_of_the_system_makes_the_program_anew(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment of Python 3.11 finds none of its packages under 3.13."""
    assert install(machine) == 0
    before = in_use(machine)
    assert before.endswith(f"-py3.{sys.version_info.minor}")

    class Newer(tuple[int, ...]):
        major, minor = 3, sys.version_info.minor + 2

    monkeypatch.setattr(sys, "version_info", Newer((3, Newer.minor)))
    name = layout.version_of()
    monkeypatch.undo()
    monkeypatch.setattr(layout, "version_of", lambda: name)
    assert install(machine) == 0
    assert in_use(machine) == f"{before.partition('-')[0]}-py3.{Newer.minor}"


@pytest.mark.usefixtures("strict")
def test_what_a_strict_shell_installs_can_be_run_by_the_services(machine: Path) -> None:
    assert install(machine) == 0
    assert closed(machine) == []


def test_what_a_strict_shell_made_once_is_opened_by_the_next_run(machine: Path) -> None:
    assert install(machine) == 0
    home = machine / VERSIONS / in_use(machine)
    for place in (home / "source", home, machine / VERSIONS, machine / "opt/carrom", machine / "etc/carrom"):
        place.chmod(0o700)
    assert install(machine) == 0
    assert closed(machine) == []


def test_the_program_is_tried_as_the_services_run_it_before_they_are_turned_to_it(machine: Path) -> None:
    class Broken(Machine):
        def run(self, *words: str, env: object = None) -> None:
            if words[:3] == ("runuser", "-u", "carrom"):
                raise InstallError("No module named pydantic")

    with pytest.raises(InstallError, match="pydantic"):
        Installation(Broken(machine, staged=True), program=CARROM).install({"table"}, "", None, ask=False)
    assert not (machine / "opt/carrom/current").is_symlink()


def test_half_a_version_is_not_kept_instead_of_the_good_one(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "version_of", lambda: "good")
    assert install(machine) == 0
    for half in ("half", "later"):
        (machine / VERSIONS / half / "source").mkdir(parents=True)
    monkeypatch.setattr(layout, "version_of", lambda: "new")
    assert install(machine) == 0
    assert kept(machine) == {"good", "new"}


def test_of_versions_that_are_whole_the_one_that_was_in_use_is_kept(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("first", "second"):
        monkeypatch.setattr(layout, "version_of", lambda name=name: name)
        assert install(machine) == 0
    monkeypatch.setattr(layout, "version_of", lambda: "first")
    assert install(machine) == 0
    monkeypatch.setattr(layout, "version_of", lambda: "third")
    assert install(machine) == 0
    assert kept(machine) == {"first", "third"}


def copy_of(folder: Path, remark: str) -> Path:
    """The program as it stands, but for a remark."""
    for name, place in layout.source_files():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(place, folder / name)
    (folder / "README.md").write_text(remark)
    return folder


def run(program: Path, root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    told: Sequence[str] = ("--root", str(root), "--program", CARROM, *words)
    return subprocess.run(["sh", str(program), *told], capture_output=True, text=True, timeout=60)


def test_there_is_a_way_back_to_the_version_before(machine: Path, tmp_path: Path) -> None:
    """By its own installer: units and rules are those of that version too."""
    for name in ("old", "new"):
        done = run(copy_of(tmp_path / name, name) / "install", machine, "--yes")
        assert done.returncode == 0, done.stderr
    settings = {path: text for path, text in everything(machine).items() if path.startswith("etc/carrom")}
    readme = machine / "opt/carrom/current/source/README.md"
    here = machine / "opt/carrom/current/source/install"
    assert readme.read_text() == "new"
    assert run(here, machine, "--back").returncode == 0
    assert readme.read_text() == "old"
    assert {path: text for path, text in everything(machine).items() if path.startswith("etc/carrom")} == settings
    assert run(here, machine, "--back").returncode == 0
    assert readme.read_text() == "new", "and forth"


def test_no_way_back_is_one_line(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert install(machine) == 0
    assert install(machine, "--back") == 2
    line = capsys.readouterr().err
    assert "no version before this one is kept here. Fix:" in line
    assert line.count("\n") == 1


def test_another_id_for_a_table_that_has_one_is_refused(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert install(machine, "--table", "hall-3") == 0
    before = everything(machine)
    assert install(machine, "--table", "hall-4") == 2
    assert "--table hall-4: this table is called hall-3. Fix:" in capsys.readouterr().err
    assert everything(machine) == before
    assert install(machine, "--table", "hall-3") == 0
    assert everything(machine) == before


def test_a_table_that_was_renamed_by_hand_gets_its_own_password(machine: Path) -> None:
    """As the refusal says; the list may name others before it."""
    assert install(machine, "--table", "hall-3") == 0
    config, club = machine / "etc/carrom/carrom.toml", machine / "etc/carrom/club.toml"
    config.write_text(config.read_text().replace('"hall-3"', '"hall-4"'))
    club.write_text('[[table]]\nid = "hall-1"\n[[table]]\nid = "hall-4"\n')
    assert install(machine) == 0
    known = dict(line.split() for line in (machine / "etc/carrom/passwords").read_text().splitlines())
    assert (machine / "etc/carrom/mqtt-password").read_text().strip() == known["hall-4"]
