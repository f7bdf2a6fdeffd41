"""`carrom check` as it is typed: a whole table looked at, one line a finding, and an exit code for scripts."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from calibration.camera import CameraModel
from controller.simulator.looks import LOOKS
from controller.simulator.node import EmulatedNode
from controller.simulator.stills import calibration_set
from controller.vision.calibration_file import Calibration, save
from controller.vision.looks import looks_of
from tests.mqtt.broker import Mosquitto

pytestmark = [pytest.mark.live, pytest.mark.slow]

STATES = ("ok", "none", "warn", "fail")
PARTS = (
    "configuration", "match", "disk", "disk", "journal", "computer", "clock", "beams", "calibration", "camera",
    "camera's grade", "camera's place", "pictures", "pocket node", "broker", "broker's rights", "umpire's page",
    "panel", "evidence", "acceptance", "watching", "not watched",
)  # fmt: skip
"""What a whole table is asked for; the order in which it is told is the command's own."""


@pytest.fixture
def node() -> Iterator[EmulatedNode]:
    node = EmulatedNode(time.monotonic_ns)
    node.start()
    yield node
    node.stop()


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    broker = Mosquitto(tmp_path).start()
    yield broker
    broker.kill()


@pytest.fixture(scope="module")
def still() -> np.ndarray:
    return calibration_set(LOOKS["pale"], 1, 1).opening


@pytest.fixture
def pictures(tmp_path: Path, still: np.ndarray) -> Path:
    """A folder that a camera filled, and the calibration of that camera beside it."""
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number in range(6):
        cv2.imwrite(str(folder / f"{number:04d}.jpg"), still)
    height, width = still.shape[:2]
    K = np.array([[1200.0, 0, width / 2], [0, 1200.0, height / 2], [0, 0, 1.0]])
    model = CameraModel(K, np.zeros(5), np.diag([1.0, -1.0, -1.0]), np.array([0.0, 0.0, 1000.0]), (width, height))
    save(tmp_path / "calibration.json", Calibration(model, board=DEFAULT_BOARD, looks=looks_of(DEFAULT_BOARD)))
    return folder


def table(folder: Path, camera: Path, port: str, broker_port: int) -> Path:
    for name in ("state", "run"):
        (folder / name).mkdir()
    (folder / "pin").write_text("4711")
    config = folder / "carrom.toml"
    config.write_text(
        f'[table]\nstate = "{folder}/state"\nruntime = "{folder}/run"\n'
        f'[camera]\nkind = "folder"\npath = "{camera}"\ncalibration = "{folder}/calibration.json"\n'
        f'[pockets]\nport = "{port}"\n[mqtt]\nhost = "127.0.0.1"\nport = {broker_port}\n'
        f'[web]\npin_file = "{folder}/pin"\n'
    )
    return config


def check(config: Path) -> tuple[int, list[tuple[str, str, str]], str]:
    """Runs the program. Returns its exit code, its findings as (state, part, says), and what it said besides."""
    command = [sys.executable, "-m", "controller.cli", "check", "--config", str(config)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    findings = []
    for line in done.stdout.splitlines():
        state, _, rest = line.partition(" ")
        part, colon, says = rest.strip().partition(": ")
        assert state in STATES, line
        assert colon, f"a line is a state, a part and what there is to say of it: {line}"
        findings.append((state, part, says))
    return done.returncode, findings, done.stderr


def test_a_whole_table_is_well(tmp_path: Path, pictures: Path, node: EmulatedNode, broker: Mosquitto) -> None:
    code, findings, besides = check(table(tmp_path, pictures, node.port, broker.port))
    assert besides == ""
    assert [f"{part}: {says}" for state, part, says in findings if state == "fail"] == []
    assert code == 0
    assert sorted(part for _, part, _ in findings) == sorted(PARTS), "one line a finding"
    says = {part: says for _, part, says in findings}
    assert says["pocket node"].startswith(f"{node.port}: node ")
    assert says["broker"].startswith(f"127.0.0.1:{broker.port}: MQTT ")
    assert "6 pictures" in says["camera"]


def test_a_beam_that_something_lies_in_is_a_warning(tmp_path: Path, pictures: Path, node: EmulatedNode, broker) -> None:
    node.beam("SE", "upper", True, time.monotonic_ns())
    code, findings, _ = check(table(tmp_path, pictures, node.port, broker.port))
    (beam,) = [(state, says) for state, part, says in findings if part == "beams"]
    assert beam[0] == "warn"
    assert beam[1].startswith("the SE upper beam is broken. Fix:")
    assert code == 0, "play can begin: the camera says what falls there"


def test_each_thing_that_is_wrong_has_its_line_and_its_way_out(tmp_path: Path, pictures: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        nobody = probe.getsockname()[1]
    (tmp_path / "calibration.json").write_text("{}")
    code, findings, besides = check(table(tmp_path, pictures, str(tmp_path / "no-node"), nobody))
    assert code == 1
    assert besides == ""
    failed = {part: says for state, part, says in findings if state == "fail"}
    assert set(failed) == {"calibration", "pocket node", "broker"}
    assert all("Fix:" in says for says in failed.values()), failed
    assert str(tmp_path / "calibration.json") in failed["calibration"]
    assert f"127.0.0.1:{nobody}" in failed["broker"]
    assert "without a broker enabled = false" in failed["broker"]
    assert "watching" in {part for _, part, _ in findings}, "one part cannot stop the others"


def test_what_cannot_be_read_at_all_is_exit_code_two(tmp_path: Path) -> None:
    config = tmp_path / "carrom.toml"
    config.write_text("[table]\nid = \n")
    code, findings, besides = check(config)
    assert (code, findings) == (2, [])
    assert besides.count("\n") == 1
    assert f"{config}: is no TOML" in besides
    assert "Fix:" in besides
