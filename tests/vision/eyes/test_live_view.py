"""The live view: what is found is drawn where it lies, from ring or camera, and only while somebody looks."""

from __future__ import annotations

import json
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from controller import cli
from controller.commands.detect_live import LiveView, from_capture, from_ring, page_of
from controller.simulator.camera import Camera
from controller.simulator.looks import LOOKS
from controller.simulator.motion import Pose
from controller.simulator.stills import still
from controller.vision.calibration_file import Calibration, save
from controller.vision.looks import ANY_TONES, looks_of
from controller.vision.ring import RingWriter
from controller.vision.sources.capture import Capture
from controller.vision.sources.frame import Frame
from controller.vision.sources.recorded import FolderSource
from tests.vision.following.simulated import model_of

LOOK = LOOKS["pale"]
BLACK = 11


@pytest.fixture(scope="module")
def table() -> tuple[Calibration, Camera]:
    camera = Camera(LOOK, 1)
    model = model_of(camera.view)
    bare = still(camera, {}).picture
    looks = replace(looks_of(DEFAULT_BOARD), tones=ANY_TONES, sizes_known=True, empty=bare, empty_model=model)
    return Calibration(model, looks=looks, grade="club", board=DEFAULT_BOARD), camera


@contextmanager
def shown(view: LiveView) -> Iterator[str]:
    page = page_of(view, 0)
    page.start()
    thread = threading.Thread(target=view.run, daemon=True)
    thread.start()
    try:
        yield page.url
    finally:
        view.stop()
        thread.join(30)
        page.stop()


def asked(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=30) as answer:
        body: bytes = answer.read()
    return body


def found(url: str) -> dict[str, object]:
    """The first state in which something was found."""
    for _ in range(2000):
        state = json.loads(asked(f"{url}state.json"))
        if state["number"] is not None:
            return state
        threading.Event().wait(0.02)
    raise AssertionError(f"nothing was found: {state['says']}")


@pytest.mark.live
def test_pieces_are_drawn_where_the_picture_shows_them(table, tmp_path: Path) -> None:
    calibration, camera = table
    jpeg = still(camera, {BLACK: Pose(120.0, -60.0, 0.0, 0.0)}).jpeg(90)
    ring = RingWriter(tmp_path / "ring", ring_bytes=8 * len(jpeg), slot_bytes=2 * len(jpeg))
    ring.open()
    number = ring.put(jpeg, 1_000_000)
    with shown(LiveView(calibration, from_ring(tmp_path / "ring"))) as url:
        assert b"What the eyes see" in asked(url)
        state = found(url)
        assert asked(f"{url}picture.jpg?{number}") == jpeg
    ring.close()
    (piece,) = state["pieces"]
    assert piece["piece"] == "black"
    middle = np.mean(piece["outline"], axis=0)
    assert np.hypot(*(middle - camera.view.project(np.array(((120.0, -60.0, 8.0),)))[0])) < 1.5
    assert len(state["lines"]["base"]) == 16
    assert state["grade"] == "club"
    assert 0.7 < state["px_per_mm"] < 0.9
    assert state["focus"] > 0.2
    assert state["white"] == 0.0


@pytest.mark.live
def test_a_camera_is_read_where_no_eyes_run_and_wrong_pictures_are_said(table, tmp_path: Path) -> None:
    calibration, _ = table
    (tmp_path / "0.jpg").write_bytes(cv2.imencode(".jpg", np.zeros((48, 64, 3), np.uint8))[1].tobytes())
    capture = Capture(lambda: FolderSource(tmp_path), keep_all=True)
    capture.start()
    view = LiveView(calibration, from_capture(capture))
    with shown(view) as url:
        for _ in range(2000):
            says = json.loads(asked(f"{url}state.json"))["says"]
            if "calibrated with" in says:
                break
            threading.Event().wait(0.02)
    capture.stop()
    assert says.startswith("pictures of 64 × 48, calibrated with 1280 × 720. Fix: ")


def test_nothing_is_searched_for_while_nobody_looks(table) -> None:
    calibration, _ = table
    taken = 0
    view = LiveView(calibration, lambda: None)

    def newest() -> Frame | None:
        nonlocal taken
        taken += 1
        if taken > 50:
            view.stop()
        # To look at this picture would fail.
        return Frame(taken, taken, jpeg=b"no picture")

    view._newest = newest
    view.run()
    assert view.state()["says"] == "no picture yet"


def test_what_is_missing_is_one_line(table, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    calibration, _ = table
    save(tmp_path / "table.json", calibration)
    for words, says in (
        (["detect"], "--calibration is missing"),
        (["detect", "--calibration", str(tmp_path / "table.json")], "no picture is given"),
        (["detect", "--live"], "--calibration is missing"),
        (["detect", "--live", "--calibration", str(tmp_path / "table.json")], "no camera is named"),
    ):
        assert cli.main(words) == 2
        said = capsys.readouterr().err
        assert says in said
        assert "Fix:" in said
        assert said.count("\n") == 1
