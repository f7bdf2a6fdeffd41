"""The commands that see call nobody whom they were not told to call, and write only where they were told to."""

from __future__ import annotations

from pathlib import Path

import pytest

from calibration.board import DEFAULT_BOARD
from controller.vision.calibration_file import Calibration, save
from controller.vision.looks import looks_of
from tests.commands.traced import Traced, traced
from tests.vision.following.simulated import frames, model_of, strokes

pytestmark = pytest.mark.live

BROKER = "127.0.0.1:1"
"""Nobody is there: that it is called shows that calls are seen."""
DEVICES = {Path("/dev/null"), Path("/dev/tty")}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table whose camera is a recording: half a second of a simulated stroke."""
    folder = tmp_path_factory.mktemp("table")
    for name in ("film", "state", "run"):
        (folder / name).mkdir()
    episode = strokes("pale", 6, 0)
    for number, frame in enumerate(frames(episode, 0.0, 0.5)):
        (folder / "film" / f"{number:03d}.jpg").write_bytes(frame.jpeg or b"")
    model = model_of(episode.camera.view)
    save(folder / "calibration.json", Calibration(model, board=DEFAULT_BOARD, looks=looks_of(DEFAULT_BOARD)))
    (folder / "pin").write_text("4711")
    (folder / "carrom.toml").write_text(
        f"""
[table]
state = "{folder}/state"
runtime = "{folder}/run"
[camera]
kind = "folder"
path = "{folder}/film"
calibration = "{folder}/calibration.json"
ring_mb = 8
width = {model.size[0]}
height = {model.size[1]}
[pockets]
kind = "none"
[mqtt]
host = "127.0.0.1"
port = {BROKER.rpartition(":")[2]}
[web]
pin_file = "{folder}/pin"
"""
    )
    return folder


def left_in_homes(folder: Path) -> list[str]:
    return [str(file) for file in (folder / "homes").rglob("*") if file.is_file()]


def written_elsewhere(run: Traced, *own: Path) -> set[Path]:
    return {
        file
        for file in run.written - DEVICES
        if not any(file.is_relative_to(folder) for folder in own) and not file.is_relative_to("/proc/self")
    }


@pytest.mark.parametrize(
    ("arguments", "code", "says", "calls", "nets"),
    [
        ("detect --calibration {table}/calibration.json {table}/film/000.jpg", 0, '"pieces": [{"piece":', set(), True),
        ("eyes --config {table}/carrom.toml", 0, "", set(), True),
        ("check --config {table}/carrom.toml", 1, f"fail  broker: {BROKER}", {BROKER}, False),
    ],
    ids=["detect", "eyes", "check"],
)
def test_nobody_is_called_and_nothing_written_elsewhere(table, tmp_path, arguments, code, says, calls, nets) -> None:
    run = traced(tmp_path, ["-m", "controller.cli", *arguments.format(table=table).split()])
    assert (run.code, says in run.output) == (code, True), run.output
    assert run.loaded("onnxruntime_pybind11_state") == nets, "it is the nets' runtime that would call"
    assert run.called == calls
    assert run.abroad == set()
    assert written_elsewhere(run, table) == set()
    assert left_in_homes(tmp_path) == []


CALLS_SOMEBODY = """
import os, pathlib, socket
for family, where in (
    (socket.AF_INET, ("192.0.2.1", 443)),
    (socket.AF_INET6, ("2001:db8::1", 443)),
    (socket.AF_INET, ("127.0.0.53", 53)),
    (socket.AF_INET, ("127.0.0.1", 1)),
):
    with socket.socket(family, socket.SOCK_DGRAM) as wire:
        try:
            wire.sendto(b"number", where)
        except OSError:
            pass
    with socket.socket(family) as wire:
        wire.settimeout(0.1)
        try:
            wire.connect(where)
        except OSError:
            pass
with socket.socket(socket.AF_UNIX) as wire:
    try:
        wire.connect("/run/systemd/resolve/io.systemd.Resolve")
    except OSError:
        pass
home = pathlib.Path.home()
(home / "a").write_text("number")
(home / "folder").mkdir()
os.close(os.open("b", os.O_CREAT | os.O_RDWR, dir_fd=os.open(home, os.O_RDONLY)))
"""


def test_the_watch_sees_whoever_calls_and_writes(tmp_path) -> None:
    run = traced(tmp_path, ["-c", CALLS_SOMEBODY])
    assert run.code == 0, run.output
    names = {"127.0.0.53:53", "/run/systemd/resolve/io.systemd.Resolve"}
    assert run.abroad == {"192.0.2.1:443", "2001:db8::1:443"} | names
    assert run.called == run.abroad | {"127.0.0.1:1"}
    home = tmp_path / "homes" / "home"
    assert written_elsewhere(run) == {home / "a", home / "folder", home / "b"}
