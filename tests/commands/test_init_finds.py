"""`carrom init` looks what hangs on the machine; the eyes wait for a calibration that is not there yet."""

from __future__ import annotations

import os
import signal
import socket
import threading
from pathlib import Path

import pytest

from controller.cli import main
from controller.commands import init
from controller.commands.eyes import await_calibration
from controller.commands.found_devices import Node, nodes
from controller.commands.init import configured, places_for
from controller.commands.migrate import migrated
from controller.commands.questions import Camera, broker_here, csi_cameras, gather, usb_cameras
from controller.config import load_config
from controller.events.errors import ConfigError
from controller.events.observation import EyesHealth
from controller.vision.calibration_file import told_making


def video(root: Path, number: int, name: str, *, bus: str = "usb", index: int = 0) -> None:
    """A video device as Linux shows it."""
    (root / "bus" / bus).mkdir(parents=True, exist_ok=True)
    folder = root / "sys" / f"video{number}"
    (folder / "device").mkdir(parents=True)
    (folder / "device" / "subsystem").symlink_to(root / "bus" / bus)
    (folder / "name").write_text(f"{name}\n")
    (folder / "index").write_text(f"{index}\n")
    (root / "dev").mkdir(exist_ok=True)
    (root / "dev" / f"video{number}").touch()


def test_usb_cameras_are_told_from_codecs_and_metadata(tmp_path: Path) -> None:
    video(tmp_path, 10, "Second camera")
    video(tmp_path, 2, "Arducam OV9281")
    video(tmp_path, 3, "Arducam OV9281", index=1)
    video(tmp_path, 19, "bcm2835-codec-decode", bus="platform")
    by_path = tmp_path / "dev/v4l/by-path"
    by_path.mkdir(parents=True)
    (by_path / "usb-1.2-video-index0").symlink_to("../../video2")
    (by_path / "usb-1.2-video-index1").symlink_to("../../video3")
    assert list(usb_cameras(tmp_path / "sys", tmp_path / "dev")) == [
        Camera("v4l2", str(by_path / "usb-1.2-video-index0"), "Arducam OV9281"),
        Camera("v4l2", str(tmp_path / "dev/video10"), "Second camera"),
    ]
    assert list(usb_cameras(tmp_path / "nothing", tmp_path / "dev")) == []


@pytest.mark.live
def test_csi_cameras_are_read_from_the_list(tmp_path: Path) -> None:
    said = tmp_path / "rpicam-hello"
    said.write_text(
        "#!/bin/sh\necho 'Available cameras'\necho '-----------------'\n"
        "echo '0 : imx296 [1456x1088 10-bit RGGB] (/base/soc/i2c0mux)'\necho '    Modes: x : y'\n"
    )
    said.chmod(0o755)
    assert list(csi_cameras((str(said),))) == [Camera("csi", "0", "imx296")]
    assert list(csi_cameras((str(tmp_path / "not there"),))) == []


@pytest.mark.live
def test_a_port_on_which_nobody_says_hello_is_said_so() -> None:
    ours, theirs = os.openpty()
    try:
        (found,) = nodes(lambda: [os.ttyname(theirs)], patience_s=0.2)
    finally:
        os.close(ours)
        os.close(theirs)
    assert (found.port, found.node) == (found.port, "")


@pytest.mark.live
def test_a_broker_on_this_machine_is_found() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert broker_here("127.0.0.1", port)
    assert not broker_here("127.0.0.1", port)


def test_what_is_found_is_not_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(init, "found_cameras", lambda _say: [Camera("v4l2", "/dev/v4l/by-path/x", "Cam")])
    monkeypatch.setattr(init, "nodes", lambda: [Node("/dev/ttyUSB0", "", "nobody"), Node("/dev/ttyUSB1", "a1b2")])
    monkeypatch.setattr(init, "broker_here", lambda: True)
    said: list[str] = []
    known, _ = init.found_answers(said.append)
    assert known == {"camera": "v4l2:/dev/v4l/by-path/x", "pockets": "serial", "broker": "localhost"}
    assert "found a pocket node: a1b2 on /dev/ttyUSB1" in said
    asked: list[str] = []

    def answer(key: str) -> str:
        if key not in known:
            asked.append(key)
        return known.get(key, "")

    made = configured(gather(answer), places_for(tmp_path / "carrom.toml"))
    assert asked == ["id", "book", "south", "north"]
    assert (made.camera.kind, made.camera.device) == ("v4l2", "/dev/v4l/by-path/x")


TWO = (Camera("v4l2", "/dev/v4l/by-path/a", "Cam A"), Camera("csi", "0", "imx296"))


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("", "v4l2:/dev/v4l/by-path/a"),
        ("2", "csi:0"),
        ("/dev/video4", "v4l2:/dev/video4"),
        ("http://10.0.0.7/stream", "http://10.0.0.7/stream"),
        ("none", "none"),
    ],
)
def test_of_several_cameras_one_is_chosen_by_its_number(said: str, meant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def answer(question: str) -> str:
        asked.append(question)
        return said

    monkeypatch.setattr("builtins.input", answer)
    answers = gather(lambda key: None if key == "camera" else "", TWO)
    assert answers["camera"] == meant
    assert asked == [
        "Which camera looks at the board: 1 (Cam A, /dev/v4l/by-path/a), 2 (imx296, 0); an address (http://…), or none "
        "[1]: "
    ]


def test_a_number_that_no_camera_has_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    typed, said = iter(["3", "2"]), list[str]()
    monkeypatch.setattr("builtins.input", lambda _question: next(typed))
    answers = gather(lambda key: None if key == "camera" else "", TWO, said.append)
    assert answers["camera"] == "csi:0"
    assert len(said) == 1


@pytest.mark.parametrize(
    ("said", "kind", "device", "url"),
    [
        ("/dev/video4", "v4l2", "/dev/video4", ""),
        ("csi", "csi", "/dev/carrom/camera", ""),
        ("http://10.0.0.7/stream", "mjpeg", "/dev/carrom/camera", "http://10.0.0.7/stream"),
        ("none", "none", "/dev/carrom/camera", ""),
    ],
)
def test_answers_about_the_camera_in_plain_words(tmp_path: Path, said: str, kind: str, device: str, url: str) -> None:
    answers = gather(lambda key: said if key == "camera" else "")
    camera = configured(answers, places_for(tmp_path / "carrom.toml")).camera
    assert (camera.kind, camera.device, camera.url) == (kind, device, url)


def test_a_configuration_of_a_newer_program_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "carrom.toml"
    file.write_text("[format]\nversion = 99\n")
    with pytest.raises(ConfigError, match=r"carrom.toml:2: format.version = 99"):
        load_config(file)


def test_elsewhere_than_for_the_services_paths_are_left_alone() -> None:
    text = '[table]\nstate = "/etc/carrom/state"\n'
    brought, notes = migrated(text, system=False)
    assert brought == f"[format]\nversion = 1\n\n{text}"
    assert notes == ("[format] version = 1",)
    assert migrated(brought, system=False) == (brought, ())


class Line:
    """A line to the daemon that keeps what is said."""

    def __init__(self) -> None:
        self.said: list[EyesHealth] = []

    def send(self, said: EyesHealth) -> None:
        self.said.append(said)


def test_eyes_wait_for_the_first_calibration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    file, link = tmp_path / "calibration.json", Line()

    def notify(*words: str) -> bool:
        told.extend(words)
        if "WATCHDOG=1" in words:
            file.touch()
        return True

    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    monkeypatch.setattr("controller.commands.eyes.notify", notify)
    monkeypatch.setattr("controller.commands.eyes.LOOK_S", 0.01)
    try:
        assert await_calibration(file, link, lambda: 1)
        assert told[0] == "READY=1"
        assert "carrom calibrate" in told[1]
        file.unlink()
        monkeypatch.setattr("controller.commands.eyes.notify", lambda *_words: True)
        told_making(file, "the lens target is shown")
        threading.Timer(0.05, signal.raise_signal, (signal.SIGTERM,)).start()
        assert not await_calibration(file, link, lambda: 1)
        assert (link.said[0].camera, "carrom calibrate" in link.said[0].says) == ("lost", True)
        assert (link.said[-1].camera, link.said[-1].says) == ("setup", "the lens target is shown")
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_what_the_installer_asked_about_a_broker_that_was_there_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = '{"camera": "none", "pockets": "none", "broker": "localhost", "broker_user": "hall-1"}'
    monkeypatch.setattr("sys.stdin.read", lambda: answers, raising=False)
    file = tmp_path / "carrom.toml"
    assert main(["init", "--answers", "--out", str(file)]) == 0
    assert load_config(file).mqtt.user == "hall-1"
