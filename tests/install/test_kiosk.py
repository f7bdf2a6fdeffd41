"""A screen alone: no table, no broker, no program; it shows what another machine serves. And what apt cannot fetch."""

from __future__ import annotations

from pathlib import Path

import pytest
from installer.__main__ import main
from installer.machine import InstallError, Machine
from installer.steps import Installation

from tests.install.debian import CARROM, everything, folders, install

pytestmark = pytest.mark.live
ALONE = ("--no-table", "--kiosk")


def shows(root: Path) -> str:
    return (root / "etc/carrom/kiosk.env").read_text()


def test_a_screen_alone_needs_nothing_of_a_table(machine: Path) -> None:
    before, there = everything(machine), folders(machine)
    noted = Machine(machine, staged=True, say=lambda _text: None)
    Installation(noted, program=CARROM).install({"kiosk"}, "", None, ask=False, page="http://hall.local:8081/")
    assert [word for words in noted.skipped for word in words if "mosquitto" in word or "venv" in word] == []
    paths = everything(machine).keys() - before.keys()
    assert [path for path in paths if "mosquitto" in path or path.endswith(("carrom.toml", "umpire-pin"))] == []
    assert "u carrom " not in (machine / "etc/sysusers.d/carrom.conf").read_text()
    assert shows(machine) == "CARROM_PAGE=http://hall.local:8081/\n"
    assert install(machine, "--remove") == 0
    assert (everything(machine), folders(machine)) == (before, there)


def test_what_a_screen_shows_is_said_once(machine: Path) -> None:
    assert install(machine, *ALONE, "--page", "http://a.local:8080/") == 0
    assert install(machine) == 0
    assert shows(machine) == "CARROM_PAGE=http://a.local:8080/\n"
    assert install(machine, "--page", "http://b.local:8080/stream") == 0
    assert shows(machine) == "CARROM_PAGE=http://b.local:8080/stream\n"


@pytest.mark.parametrize(("words", "port"), [(("--kiosk",), 8080), (("--hub", *ALONE), 8081)])
def test_a_screen_shows_what_its_own_machine_serves(machine: Path, words: tuple[str, ...], port: int) -> None:
    assert install(machine, *words) == 0
    assert shows(machine) == f"CARROM_PAGE=http://localhost:{port}/\n"


def test_a_screen_follows_the_port_of_its_tables_pages(machine: Path) -> None:
    assert install(machine, "--kiosk") == 0
    config = machine / "etc/carrom/carrom.toml"
    config.write_text(config.read_text().replace("[web]\n", "[web]\nport = 8090\n"))
    assert install(machine) == 0
    assert shows(machine) == "CARROM_PAGE=http://localhost:8090/\n"
    for more in (("--hub", "--page", "http://localhost:8081/"), ()):
        assert install(machine, *more) == 0
        assert shows(machine) == "CARROM_PAGE=http://localhost:8081/\n", "the club's page, as it was asked for"


@pytest.mark.parametrize("more", [(), ("--page", "hall"), ("--page", "http://x/ --no-sandbox")])
def test_a_screen_without_a_page_is_refused_before_anything_is_changed(
    machine: Path, more: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    before = everything(machine)
    assert main(["--root", str(machine), "--yes", *ALONE, *more]) == 2
    assert "Fix:" in capsys.readouterr().err
    assert everything(machine) == before


def test_without_lists_and_without_a_network_the_network_is_named(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Apt ends with 0 where it could fetch no list, and then knows no package."""
    programs = machine.parent / "bin"
    programs.mkdir()
    (programs / "dpkg-query").write_text("#!/bin/sh\n")
    (programs / "apt-get").write_text(
        '#!/bin/sh\n[ $1 = update ] && { echo "W: Failed to fetch http://deb/" >&2; exit 0; }\n'
        "echo 'E: Unable to locate package cage' >&2; exit 100\n"
    )
    for program in programs.iterdir():
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=":")
    monkeypatch.setattr(Machine, "manages_services", False)
    with pytest.raises(InstallError, match=r"Unable to locate package cage. Fix: see to the way to the internet"):
        Installation(Machine(machine, staged=False)).install({"kiosk"}, "", None, ask=False, page="http://a/")
