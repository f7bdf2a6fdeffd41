"""A camera that hangs and one that sees no colours are told, by what they send; a recording may repeat itself."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from controller.commands.check_camera import Gathered, probe_camera
from controller.config import Config
from controller.events.observation import BoardSeen, EyesHealth
from controller.vision.eyes import RING, SOCKET, Eyes
from controller.vision.picture_watch import FROZEN_S, PictureWatch, has_colour
from controller.vision.ring import RingReader
from controller.vision.sources.frame import Frame
from tests.vision.eyes.test_eyes import Daemon, Running, follower, mjpeg, settings, until
from tests.vision.sources.streams import MjpegServer

RNG = np.random.default_rng(4)
FPS = 10
HANGS = round(FROZEN_S * FPS) + 1


def coloured() -> np.ndarray:
    """A brown board in a grey hall, with the noise of a sensor."""
    picture = np.full((480, 640, 3), 140, np.uint8)
    picture[80:400, 120:520] = (120, 150, 175)
    return np.clip(picture + RNG.normal(0, 3, picture.shape), 0, 255).astype(np.uint8)


def jpeg(picture: np.ndarray) -> bytes:
    return bytes(cv2.imencode(".jpg", picture)[1])


def remarked(data: bytes, number: int) -> bytes:
    """The same pixels: a clock in a remark before them, a counter behind their end."""
    return data[:2] + b"\xff\xfe\x00\x0a%08d" % number + data[2:] + b"%d" % number


def frozen_after(frames: list[Frame], *, live: bool = True) -> list[bool]:
    watch = PictureWatch(live=live)
    told = []
    for frame in frames:
        watch.take(frame)
        told.append(bool(watch.frozen))
    return told


def times(n: int) -> int:
    return n * 10**9 // FPS


def test_a_camera_that_sends_the_very_same_picture_on_is_frozen_until_it_looks_again() -> None:
    last = jpeg(coloured())
    fresh = [Frame(times(n), jpeg=jpeg(coloured())) for n in range(2)]
    hung = [Frame(times(2 + n), jpeg=remarked(last, n)) for n in range(HANGS)]
    again = Frame(times(2 + HANGS), jpeg=jpeg(coloured()))
    assert frozen_after([*fresh, *hung, again]) == [False] * (1 + HANGS) + [True, False]
    assert not any(frozen_after(hung, live=False)), "a recording may"
    raw = coloured()
    assert frozen_after([Frame(times(n), bgr=raw.copy()) for n in range(HANGS)])[-1]
    assert not any(frozen_after([Frame(times(n), bgr=coloured()) for n in range(HANGS)]))


def test_a_clock_that_begins_anew_begins_the_watch_anew() -> None:
    data = jpeg(coloured())
    assert not any(frozen_after([Frame(t, jpeg=data) for t in (times(500), times(0), times(5))]))


def tinted() -> np.ndarray:
    """As a camera without its infrared filter sends it: one hue all over."""
    grey = cv2.cvtColor(coloured(), cv2.COLOR_BGR2GRAY).astype(np.int16)
    return np.clip(np.stack((grey + 8, grey - 6, grey + 5), 2), 0, 255).astype(np.uint8)


GREY = {
    "one component": jpeg(cv2.cvtColor(coloured(), cv2.COLOR_BGR2GRAY)),
    "three alike": jpeg(cv2.cvtColor(cv2.cvtColor(coloured(), cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)),
    "one hue": jpeg(tinted()),
}


@pytest.mark.parametrize("kind", GREY)
def test_a_grey_picture_has_no_colour(kind: str) -> None:
    assert not has_colour(Frame(0, jpeg=GREY[kind]))
    assert not has_colour(Frame(0, bgr=Frame(0, jpeg=GREY[kind]).bgr))


@pytest.mark.parametrize("gain", [1.0, 0.5])
def test_a_board_has_colour_and_a_dark_one_is_not_judged(gain: float) -> None:
    assert has_colour(Frame(0, jpeg=jpeg((coloured() * gain).astype(np.uint8))))
    dark = jpeg((cv2.cvtColor(coloured(), cv2.COLOR_BGR2GRAY) * 0.1).astype(np.uint8))
    assert has_colour(Frame(0, jpeg=dark))


def gathered(frames: list[Frame], *, live: bool = True) -> tuple[str, str]:
    seen = Gathered(None, live=live)
    for frame in frames:
        seen.add(frame)
    looked = seen.looked("looked")
    return looked.frozen, looked.no_colour


def test_check_sees_both() -> None:
    frozen, no_colour = gathered([Frame(times(n), jpeg=GREY["three alike"]) for n in range(HANGS)])
    assert "frozen" in frozen
    assert "Fix:" in frozen
    assert no_colour.startswith("no colour: ")
    assert gathered([Frame(times(n), jpeg=jpeg(coloured())) for n in range(HANGS)]) == ("", "")


def test_check_says_of_a_folder_in_grey_that_it_has_no_colour_and_is_not_frozen(tmp_path: Path) -> None:
    for n in range(HANGS):
        (tmp_path / f"{n}.jpg").write_bytes(GREY["one component"])
    camera = {"kind": "folder", "path": str(tmp_path), "fps": FPS, "calibration": str(tmp_path / "none.json")}
    config = Config.model_validate({"table": {"runtime": str(tmp_path)}, "camera": camera})
    found = {(one.part, one.state): one.says for one in probe_camera(config, tmp_path / "c.toml")}
    assert set(found) == {("camera", "ok"), ("pictures", "warn")}
    assert found["pictures", "warn"].startswith("no colour: ")


@pytest.mark.live
def test_check_never_says_ok_of_a_frozen_camera(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.commands.check_camera.LOOK_S", 1.0)
    server = MjpegServer([parts([jpeg(coloured())] * (HANGS + 5))], hold=True)
    camera = {"kind": "mjpeg", "url": server.url, "calibration": str(tmp_path / "none.json"), "keep_all": True}
    config = Config.model_validate({"table": {"runtime": str(tmp_path)}, "camera": camera})
    try:
        (found,) = list(probe_camera(config, tmp_path / "c.toml"))
    finally:
        server.close()
    assert (found.part, found.state) == ("camera", "warn")
    assert "frozen" in found.says


def parts(pictures: list[bytes], first: int = 0) -> list[bytes]:
    return [
        b"--carrom\r\nContent-Length: %d\r\nX-Capture-Ns: %d\r\n\r\n%s\r\n" % (len(data), times(first + n), data)
        for n, data in enumerate(pictures)
    ]


@pytest.mark.live
def test_in_play_a_frozen_camera_is_blind_and_one_without_colours_names_no_piece(tmp_path: Path) -> None:
    """The ring goes on, so that `carrom check` sees it too."""
    hung = [jpeg(coloured())] * (HANGS + 5)
    daemon = Daemon(tmp_path / SOCKET)
    grey = [remarked(GREY["three alike"], n) for n in range(40)]
    server = MjpegServer(
        [parts(hung) + parts([jpeg(coloured()) for _ in range(110)], len(hung)) + parts(grey, 900)], hold=True
    )
    running = Running(Eyes(settings(tmp_path, mjpeg(server.url)), follower(), lambda: 0, lambda *_: None))
    daemon.accept()
    health = until(daemon, lambda said: isinstance(said, EyesHealth) and said.camera == "blind")
    assert isinstance(health, EyesHealth)
    assert "frozen" in health.says
    back = until(daemon, lambda said: isinstance(said, EyesHealth) and said.camera == "ok")
    assert isinstance(back, EyesHealth)
    assert back.warnings == ()
    assert (RingReader(tmp_path / RING).newest() or 0) >= HANGS + 5
    until(
        daemon, lambda said: isinstance(said, EyesHealth) and any(one.startswith("no colour") for one in said.warnings)
    )
    board = until(daemon, lambda said: isinstance(said, BoardSeen))
    assert isinstance(board, BoardSeen)
    assert [one.piece for one in board.pieces] == ["unknown"], "a black, by a camera that sees no colours"
    running.end()
    server.close()
    daemon.close()
