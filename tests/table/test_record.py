"""`carrom record` closes the circle: what a table saw and felt is written down, and `carrom watch` reads it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import cv2
import pytest

from calibration.board import DEFAULT_BOARD
from controller.cli import main
from controller.events.beams import BeamEdge
from controller.journal.journal import Journal
from controller.simulator.stills import calibration_set
from controller.table.match.umpire import Umpire
from controller.vision.calibration_file import Calibration, save
from controller.vision.learning.opening import learn
from controller.vision.looks import looks_of
from controller.vision.ring import RingWriter
from tests.patience import PATIENCE_S
from tests.table.kit import BOOKS
from tests.vision.following.simulated import Episode, Played, frames, model_of, strokes

pytestmark = pytest.mark.live

FELT_NS = 30_000_000


@pytest.fixture
def table(tmp_path: Path) -> Path:
    for name in ("run", "state"):
        (tmp_path / name).mkdir()
    (tmp_path / "carrom.toml").write_text(
        f'[table]\nruntime = "{tmp_path / "run"}"\nstate = "{tmp_path / "state"}"\n'
        f'[camera]\ncalibration = "{tmp_path / "calibration.json"}"\n'
    )
    return tmp_path


def recorder(table: Path, *words: str) -> subprocess.Popen[str]:
    """Starts the command and waits until it records."""
    command = [sys.executable, "-m", "controller.cli", "record", "--config", str(table / "carrom.toml")]
    child = subprocess.Popen(
        [*command, "--out", str(table / "out"), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert "recording to" in child.stdout.readline()
    return child


def copied(table: Path, count: int) -> None:
    """Waits until that many pictures have been copied."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if len(list((table / "out").glob("*.jpg"))) >= count:
            return
        time.sleep(0.05)
    raise AssertionError(f"{count} pictures were not copied in {PATIENCE_S} s")


def calibrate(episode: Episode, file: Path) -> None:
    """What the eyes know of a simulated table: its camera, its empty board, its pieces."""
    model, pictures = model_of(episode.camera.view), calibration_set(episode.look, 1, 1)
    plain = replace(looks_of(DEFAULT_BOARD), empty=pictures.empty, empty_model=model)
    luma = cv2.cvtColor(pictures.opening, cv2.COLOR_BGR2GRAY)
    save(
        file,
        Calibration(
            model, looks=learn(pictures.opening, luma, model, plain, board=DEFAULT_BOARD).looks, board=DEFAULT_BOARD
        ),
    )


def edges_of(played: Played, zero_ns: int) -> list[BeamEdge]:
    """Both beams of each fall, blocked and free again. `zero_ns`: the clock at the film's begin."""
    edges: list[BeamEdge] = []
    for fall in played.motion.falls:
        t_ns = zero_ns + round((played.struck_s + fall.t_s) * 1e9) + FELT_NS
        for beam, late_ns in (("upper", 0), ("lower", 20_000_000)):
            for blocked, at_ns in ((True, t_ns + late_ns), (False, t_ns + late_ns + 25_000_000)):
                edges.append(BeamEdge(at_ns, fall.pocket, beam, blocked, "b", len(edges)))
    return edges


@pytest.mark.slow
def test_a_recorded_stroke_is_read_back_by_watch(table: Path, capsys) -> None:
    episode = strokes("pale", 11, 1, fps=30.0)
    (played,) = episode.played
    calibrate(episode, table / "calibration.json")
    zero_ns = 5_000_000_000
    ring = RingWriter(table / "run" / "pictures.ring", ring_bytes=64 * 2**20, slot_bytes=400_000)
    ring.open()
    with Journal(table / "state" / "journal.sqlite") as journal:
        umpire = Umpire(BOOKS)
        start = {"event": "start", "book": "icf", "seats": {"south": "A", "north": "B"}, "first": "south"}
        taken = umpire.take(start | {"position": {"turn": "south", "break_done": True}})
        journal.append("m", taken.seq, taken.event, taken.ruling, time.time(), "configuration")
        child = recorder(table)
        try:
            edges = edges_of(played, zero_ns)
            journal.store_edges(edges)
            shown = [ring.put(one.encoded(), one.t_ns + zero_ns, one.exposure_ns) for one in frames(episode)]
            copied(table, len(shown))
            paused = umpire.take({"event": "pause"})
            journal.append("m", paused.seq, paused.event, paused.ruling, time.time(), "umpire:web:1")
            child.send_signal(signal.SIGINT)
            said, error = child.communicate(timeout=PATIENCE_S)
        finally:
            child.kill()
    ring.close()
    assert (child.returncode, error) == (0, "")
    assert f"{len(shown)} pictures over " in said
    assert f"{len(edges)} beam edges" in said
    out = table / "out"
    assert [json.loads(line)["event"] for line in (out / "start.jsonl").read_text().splitlines()] == ["start"]
    assert [json.loads(line)["event"] for line in (out / "events.jsonl").read_text().splitlines()] == ["pause"]
    rows = [json.loads(line) for line in (out / "beams.jsonl").read_text().splitlines()]
    assert [row["pocket"] for row in rows] == [edge.pocket for edge in edges]

    words = said.partition("Next: carrom ")[2].split()
    assert main(words) == 0
    shots = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    # How well pictures are read is the eyes' matter; that the stroke is found, and when, is the recording's.
    assert any(abs(shot["t"] - played.struck_s) < 0.3 for shot in shots if shot["event"] == "shot")


def test_a_table_without_beams_gets_no_beam_log(table: Path) -> None:
    (table / "carrom.toml").write_text((table / "carrom.toml").read_text() + '[pockets]\nkind = "none"\n')
    Journal(table / "state" / "journal.sqlite").open().close()
    ring = RingWriter(table / "run" / "pictures.ring", ring_bytes=2**20, slot_bytes=10_000)
    ring.open()
    child = recorder(table)
    for number in range(3):
        ring.put(b"jpeg", number * 1000)
    copied(table, 3)
    child.send_signal(signal.SIGTERM)
    said, _ = child.communicate(timeout=PATIENCE_S)
    assert child.returncode == 0
    assert not (table / "out" / "beams.jsonl").exists()
    assert "--beams" not in said
    assert "--start" not in said, "no match was under way"
    assert "--calibration FILE" in said


def test_pictures_from_before_are_not_part_of_it(table: Path) -> None:
    ring = RingWriter(table / "run" / "pictures.ring", ring_bytes=2**20, slot_bytes=10_000)
    ring.open()
    for number in range(5):
        ring.put(b"old", number)
    child = recorder(table)
    ring.put(b"new", 1000)
    copied(table, 1)
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=PATIENCE_S)
    (picture,) = (table / "out").glob("*.jpg")
    assert picture.read_bytes() == b"new"


def test_a_folder_that_is_not_empty_and_no_pictures_are_one_line(table: Path, capsys, monkeypatch) -> None:
    config = str(table / "carrom.toml")
    assert main(["record", "--config", config, "--out", str(table)]) == 2
    assert "is not empty. Fix:" in capsys.readouterr().err
    monkeypatch.setattr("controller.commands.record.PATIENCE_SECONDS", 0.0)
    assert main(["record", "--config", config, "--out", str(table / "out")]) == 2
    assert "no pictures come. Fix: start carrom eyes" in capsys.readouterr().err
