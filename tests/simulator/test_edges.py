"""Where hardware would be: the stream in step and newest-wins, the clock file, the node on its pty, the truth file."""

from __future__ import annotations

import http.client
import json
import mmap
import struct
import threading
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
import serial

from calibration.board import DEFAULT_BOARD
from controller.events.codec import event_from_json
from controller.events.errors import DeviceError
from controller.events.match import Shot, Start
from controller.pockets.beam_map import beam_map
from controller.pockets.codec import encode
from controller.pockets.messages import PROTO
from controller.pockets.serial_port import SerialPockets
from controller.simulator.board import Pace, SimulatedBoard
from controller.simulator.clock import EPOCH_NS, ClockFile
from controller.simulator.director import Setting
from controller.simulator.happenings import BeamChange, Decision, Happening
from controller.simulator.mjpeg import MjpegServer
from controller.simulator.node import EmulatedNode
from controller.simulator.pieces import pieces_of
from controller.simulator.record import TruthFile
from tests.patience import PATIENCE_S
from tests.simulator.plain_umpire import PlainUmpire
from tests.simulator.test_camera import small

pytestmark = pytest.mark.live


class Reader:
    """A client that reads one part at a time."""

    def __init__(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        self.connection.request("GET", "/stream.mjpg")
        self.answer = self.connection.getresponse()

    def part(self) -> tuple[dict[str, str], bytes] | None:
        """The next part's headers and body; None at the end."""
        line = self.answer.readline()
        while line and not line.startswith(b"--"):
            line = self.answer.readline()
        if not line:
            return None
        headers = {}
        while (line := self.answer.readline()) not in (b"\r\n", b""):
            name, _, value = line.decode().partition(":")
            headers[name.strip()] = value.strip()
        return headers, self.answer.read(int(headers["Content-Length"]))


@pytest.fixture
def stream(request: pytest.FixtureRequest):
    server = MjpegServer(in_step=request.param)
    server.start()
    yield server
    server.stop()


@pytest.mark.parametrize("stream", [True], indirect=True)
def test_in_step_every_frame_arrives_and_the_sender_waits(stream: MjpegServer) -> None:
    reader = Reader(stream.port)
    assert stream.wait_for_client(10)
    sent = []

    def send() -> None:
        for k in range(40):
            stream.offer(bytes([k]) * 400_000, 1000 + k, 5)
            sent.append(k)

    sender = threading.Thread(target=send)
    sender.start()
    first = reader.part()
    assert first is not None
    assert first[0]["X-Capture-Ns"] == "1000"
    assert first[0]["X-Exposure-Ns"] == "5"
    # 16 MB do not fit into any socket: the sender must be held by now, or soon.
    assert len(sent) < 39
    bodies = [first[1][0]] + [reader.part()[1][0] for _ in range(39)]
    sender.join(PATIENCE_S)
    assert bodies == list(range(40))


@pytest.mark.parametrize("stream", [False], indirect=True)
def test_the_newest_frame_wins_over_a_slow_reader(stream: MjpegServer) -> None:
    reader = Reader(stream.port)
    assert stream.wait_for_client(10)
    for k in range(60):
        assert stream.offer(bytes([k]) * 400_000, k, 5)
    assert stream.missed > 0
    seen = []
    while not seen or seen[-1] != 59:
        seen.append(reader.part()[1][0])
    assert seen == sorted(seen)
    assert len(seen) < 60


def test_nobody_watches_and_a_taken_port_is_said() -> None:
    server = MjpegServer(in_step=True)
    assert server.offer(b"x", 1, 1) is False
    with pytest.raises(DeviceError, match=f"port {server.port} .* taken"):
        MjpegServer(server.port)
    server.start()
    server.stop()


def test_the_clock_file_is_what_others_map(tmp_path: Path) -> None:
    clock = ClockFile(tmp_path / "clock")
    with (tmp_path / "clock").open("rb") as stream:
        memory = mmap.mmap(stream.fileno(), 8, access=mmap.ACCESS_READ)
    assert struct.unpack("<q", memory[:8])[0] == EPOCH_NS
    clock.set(EPOCH_NS + 77)
    clock.set(EPOCH_NS + 5)
    assert struct.unpack("<q", memory[:8])[0] == EPOCH_NS + 77 == clock.now_ns()
    clock.close()


def test_the_node_speaks_through_a_clock_of_its_own(tmp_path: Path) -> None:
    clock = ClockFile(tmp_path / "clock")
    node = EmulatedNode(clock.now_ns, ppm=200.0, ahead_s=3.0)
    node.start()
    line = serial.Serial(node.port, 250000, timeout=60)
    # What it said before the port was open is lost: it is greeted as the driver greets it.
    line.write(encode("host", "hello", proto=PROTO, nonce="0001"))
    hello = line.readline().decode()
    assert hello.startswith("hello ")
    assert "us=3000600 " in hello
    line.close()
    node.stop()
    clock.close()


def play_a_little(tmp_path: Path, strokes: int) -> tuple[list, list[BeamChange], list, list[Decision]]:
    """A small table in step, read by a plain client and by the real pocket driver."""
    clock = ClockFile(tmp_path / "clock")
    node = EmulatedNode(clock.now_ns, ppm=80.0)
    node.start()
    truth = TruthFile(tmp_path / "truth.jsonl")
    setting = Setting(Start("icf", {"south": "Asha", "north": "Ben"}, "south"), seed=3, pieces=pieces_of(DEFAULT_BOARD))
    board = SimulatedBoard(
        setting, PlainUmpire(), clock, look=replace(small(), name="small"), pace=Pace(None), node=node, truth=truth
    )
    stored: list = []
    enough = threading.Event()
    driver = SerialPockets(
        port=node.port, beams=beam_map(), now_ns=clock.now_ns, store=stored.extend, emit=lambda _event: None
    )
    driver.start()
    changes: list[BeamChange] = []
    decisions: list[Decision] = []

    def shown(happening: Happening) -> None:
        if isinstance(happening, BeamChange):
            changes.append(happening)

    def decide(decision: Decision) -> None:
        decisions.append(decision)
        if decision.stroke >= strokes:
            enough.set()
        else:
            decision.release()

    running = threading.Thread(target=board.run, args=(decide, shown))
    running.start()
    reader = Reader(board.stream.port)
    parts = []
    while (part := reader.part()) is not None:
        parts.append(part)
        # The table stands still at the last decision; once the node's edges are all here it may end.
        if enough.is_set() and len(stored) == len(changes):
            board.stop()
    running.join(PATIENCE_S)
    driver.stop()
    node.stop()
    truth.close()
    clock.close()
    return parts, changes, stored, decisions


def test_pictures_beams_and_truth_agree(tmp_path: Path) -> None:
    parts, changes, stored, decisions = play_a_little(tmp_path, 3)
    times = [int(headers["X-Capture-Ns"]) for headers, _ in parts]
    assert times == sorted(times)
    assert times[0] == EPOCH_NS
    picture = cv2.imdecode(np.frombuffer(parts[0][1], np.uint8), cv2.IMREAD_COLOR)
    assert picture.shape == (480, 640, 3)
    assert changes
    assert [(e.pocket, e.beam, e.blocked) for e in stored] == [(c.pocket, c.beam, c.blocked) for c in changes]
    for edge, change in zip(stored, changes, strict=True):
        assert edge.t_ns == pytest.approx(EPOCH_NS + change.t_s * 1e9, abs=100_000)
    lines = [json.loads(line) for line in (tmp_path / "truth.jsonl").read_text().splitlines()]
    told = [event_from_json(line["event"]) for line in lines if line["kind"] == "told"]
    assert [e for e in told if isinstance(e, Shot)] == [d.shot for d in decisions if d.kind == "ruling"]
    frames = [line for line in lines if line["kind"] == "frame" and not line["lost"]]
    assert len(frames) >= len(parts)
    assert len(frames[0]["pieces"]) == 19
