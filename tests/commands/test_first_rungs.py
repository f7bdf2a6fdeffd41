"""The build guide's first rungs as they are typed: a configuration in a folder of one's own, and a table that runs."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from controller.cli import main
from controller.commands import init
from controller.commands.demo.leash import leashed
from controller.config import load_config
from tests.patience import PATIENCE_S
from tests.web.client import Client

pytestmark = pytest.mark.live


def test_a_console_without_any_sensor_is_set_up_and_runs_as_the_guide_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`none` for camera, beams and broker; nothing fails, and a stroke that is typed changes the score."""
    monkeypatch.chdir(tmp_path)
    for name in ("found_cameras", "nodes"):
        monkeypatch.setattr(init, name, lambda *_: [])
    monkeypatch.setattr(init, "broker_here", lambda: False)
    asked: list[str] = []

    def answer(question: str) -> str:
        asked.append(question)
        return "none" if "or none" in question else ""

    monkeypatch.setattr("builtins.input", answer)
    assert main(["init"]) == 0
    assert len([question for question in asked if "or none" in question]) == 3
    config = Path("carrom.toml")
    made = load_config(config)
    assert (made.camera.kind, made.pockets.kind, made.mqtt.enabled) == ("none", "none", False)
    assert main(["check", "--config", "carrom.toml"]) == 0, capsys.readouterr().out
    config.write_text(config.read_text().replace("[web]\n", '[web]\nhost = "127.0.0.1"\nport = 0\n'))
    command = leashed([sys.executable, "-m", "controller.cli", "run", "--config", "carrom.toml"])
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as daemon:
        try:
            assert daemon.stderr is not None
            says = next(line for line in daemon.stderr if "umpiring" in line)
            assert re.search(r"pages on port \d+", says)
            client = Client(int(Path("state/http-port").read_text()))
            assert client.login(Path("carrom.pin").read_text().strip()).status == 200
            told = client.post(
                "/act", {"event": "shot", "seat": "south", "pocketed": [{"piece": "white", "pocket": "NE"}]}
            )
            assert told.status == 200, told.body
            until = time.monotonic() + PATIENCE_S
            while (left := _left(client)) != 8 and time.monotonic() < until:
                time.sleep(0.05)
            assert left == 8
        finally:
            daemon.terminate()


def _left(client: Client) -> int:
    """How many pieces the south side has on the board, as the scoreboard shows it."""
    (south,) = [side for side in client.get("/state").json["score"]["sides"] if "south" in side["seats"]]
    return int(south["left"])
