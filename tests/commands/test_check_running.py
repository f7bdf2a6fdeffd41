"""`carrom check` on a table that runs, and by somebody who may not read all of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import serial

from controller.cli import main
from controller.commands.check_pockets import probe_pockets
from controller.config import load_config
from controller.web.app import create_app
from controller.web.server import WebServer
from tests.web.pretend import PretendTable

pytestmark = pytest.mark.live


@pytest.fixture
def config(tmp_path: Path) -> Iterator[Path]:
    """A table with a node on a port that nobody answers on."""
    ours, theirs = os.openpty()
    (tmp_path / "state").mkdir()
    file = tmp_path / "carrom.toml"
    file.write_text(
        f'[table]\nstate = "{tmp_path}/state"\nruntime = "{tmp_path}"\n[camera]\nkind = "none"\n'
        f'[pockets]\nport = "{os.ttyname(theirs)}"\n[mqtt]\nenabled = false\n[web]\npin_file = "{tmp_path}/pin"\n'
    )
    (tmp_path / "pin").write_text("730194\n")
    yield file
    os.close(ours)
    os.close(theirs)


@pytest.fixture
def table(config: Path, request: pytest.FixtureRequest) -> Iterator[None]:
    """The table as it runs: its page, which may say more of its health, and its hand on the port."""
    shown = PretendTable()
    shown.state["health"] |= getattr(request, "param", {})
    server = WebServer(create_app(shown), shown.feed, "127.0.0.1", 0)
    (config.parent / "state/http-port").write_text(f"{server.start()}\n")
    with serial.serial_for_url(load_config(config).pockets.port, exclusive=True):
        yield
    server.stop()


@pytest.mark.parametrize(
    ("table", "found"),
    [
        ({}, [("ok", "up, says carrom"), ("ok", "none is blind, says carrom")]),
        ({"beams": "blind: NE"}, [("ok", "up, says carrom"), ("fail", "blind: NE, says carrom")]),
        ({"node": "down", "says": "it is silent"}, [("fail", "down, says carrom, which runs and has its port: it is")]),
    ],
    indirect=["table"],
)
@pytest.mark.usefixtures("table")
def test_the_running_table_is_asked_how_its_beams_are(config: Path, found: list[tuple[str, str]]) -> None:
    told = list(probe_pockets(load_config(config), 5.0))
    assert [(one.state, one.says[: len(says)]) for one, (_, says) in zip(told, found, strict=True)] == found


def test_whoever_has_no_rights_is_told_once(
    config: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a member of the club sees it: folders and files belong to the table's user."""
    text = config.read_text().replace("enabled = false", f'password_file = "{config.parent}/pin"')
    config.write_text(text.replace(f'port = "{load_config(config).pockets.port}"', 'kind = "none"'))
    monkeypatch.setattr("os.access", lambda *_: False)
    assert main(["check", "--config", str(config)]) == 1
    failed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("fail")]
    assert failed == [
        "fail  rights: not tried: disk, journal, broker, umpire's page, acceptance; they are the table's own. "
        "Fix: sudo carrom check"
    ]
