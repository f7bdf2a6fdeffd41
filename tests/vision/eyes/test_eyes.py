"""The eyes' process: pictures in, observations out, pictures in the ring, an honest word when the camera goes."""

from __future__ import annotations

import itertools
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from calibration.camera import CameraModel
from controller.cli import main
from controller.events.observation import BoardSeen, EyesHealth, Observation, SeenPiece
from controller.vision.calibration_file import Calibration, save
from controller.vision.eyes import RING, SOCKET, Eyes, EyesSettings
from controller.vision.finding.find import Finding
from controller.vision.following.eyes import Eyes as Built
from controller.vision.following.eyes import at_once
from controller.vision.following.follower import Follower
from controller.vision.looks import looks_of
from controller.vision.ring import RingReader
from controller.vision.sources.capture import Capture
from controller.vision.sources.choose import SourceSettings
from controller.vision.sources.frame import Frame
from controller.vision.striker_watch import StrikerWatch
from tests.patience import PATIENCE_S
from tests.vision.eyes.test_link import Daemon
from tests.vision.following.simulated import frames, model_of, strokes
from tests.vision.sources.streams import MjpegServer

pytestmark = pytest.mark.live

SIZE = (640, 480)
MODEL = CameraModel(
    np.array(((560.0, 0.0, 319.5), (0.0, 560.0, 239.5), (0.0, 0.0, 1.0))),
    np.zeros(5),
    np.diag((1.0, -1.0, -1.0)),
    np.array((0.0, 0.0, 1150.0)),
    SIZE,
)


def pictures(count: int, first: int = 0) -> list[bytes]:
    """A brown board with a piece; as a camera's no two are the very same."""
    flat = np.full((SIZE[1], SIZE[0], 3), (130, 150, 160), np.uint8)
    flat[:, :100] = 150
    cv2.circle(flat, (320, 240), 8, (30, 30, 30), -1)
    made = []
    for n in range(first, first + count):
        flat[-16:, -16:] = 100 + n % 100
        made.append(cv2.imencode(".jpg", flat)[1].tobytes())
    return made


def parts(count: int, first: int = 0) -> list[bytes]:
    return [
        b"--carrom\r\nContent-Length: %d\r\nX-Capture-Ns: %d\r\n\r\n%s\r\n"
        % (len(body), (first + n) * 33_000_000, body)
        for n, body in enumerate(pictures(count, first))
    ]


def follower() -> Follower:
    sight = Finding((SeenPiece("black", 0.0, 0.0, 0.3),))
    return Follower(Built(MODEL, at_once(lambda frame, model: sight), DEFAULT_BOARD))


def settings(folder: Path, source: SourceSettings) -> EyesSettings:
    return EyesSettings(source, folder, ring_bytes=8 * 1024 * 1024)


def mjpeg(url: str, *, keep_all: bool = True) -> SourceSettings:
    return SourceSettings("mjpeg", url=url, width=SIZE[0], height=SIZE[1], keep_all=keep_all)


class Running:
    def __init__(self, eyes: Eyes) -> None:
        self.eyes = eyes
        self.thread = threading.Thread(target=eyes.run, daemon=True)
        self.thread.start()

    def end(self) -> None:
        self.eyes.stop()
        self.thread.join(PATIENCE_S)
        assert not self.thread.is_alive()


def until(daemon: Daemon, wanted: Callable[[Observation], bool]) -> Observation:
    for _ in range(200):
        said = daemon.line()
        if wanted(said):
            return said
    raise AssertionError("it was not said in two hundred lines")


def test_a_board_at_rest_is_said_with_its_picture(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path / SOCKET)
    server = MjpegServer([parts(40)], hold=True)
    told: list[tuple[str, ...]] = []
    running = Running(
        Eyes(
            settings(tmp_path, mjpeg(server.url)),
            follower(),
            lambda: 0,
            lambda *words: told.append(words),
            watchdog_s=5.0,
        )
    )
    daemon.accept()
    board = until(daemon, lambda said: isinstance(said, BoardSeen))
    assert isinstance(board, BoardSeen)
    assert [piece.piece for piece in board.pieces] == ["black"]
    assert board.picture is not None
    kept = RingReader(tmp_path / RING).picture(board.picture)
    assert kept is not None
    assert kept.jpeg in pictures(40)
    running.end()
    server.close()
    daemon.close()
    assert any("READY=1" in words for words in told)
    assert any("WATCHDOG=1" in words for words in told)
    waits = [words for words in told if words[0].startswith("WATCHDOG_USEC=")]
    assert waits == [("WATCHDOG_USEC=60000000",), ("WATCHDOG_USEC=5000000",)], "until the board is seen"


def shown_until(
    daemon: Daemon, film: queue.SimpleQueue[bytes], first: int, wanted: Callable[[EyesHealth], bool]
) -> EyesHealth:
    """Shows a second of film at a time, until the health is what is wanted."""
    for second in range(200):
        for part in parts(30, first + 30 * second):
            film.put(part)
        health = next((said for said in iter(daemon.line, None) if isinstance(said, EyesHealth)), None)
        if health is not None and wanted(health):
            return health
    raise AssertionError("it was not reported in two hundred seconds of film")


def test_a_runtime_folder_that_goes_costs_the_ring_for_a_moment_and_no_picture(tmp_path: Path) -> None:
    # A link, since what it leads to can be exchanged at one stroke: what goes is made anew at once.
    run, folder, file = (tmp_path / name for name in ("run", "folder", "file"))
    folder.mkdir()
    run.symlink_to(folder)
    daemon = Daemon(run / SOCKET)
    film = queue.SimpleQueue[bytes]()
    for part in parts(40):
        film.put(part)
    server = MjpegServer([iter(film.get, b"")], hold=True)
    running = Running(Eyes(settings(run, mjpeg(server.url)), follower(), lambda: 0, lambda *_: None))
    daemon.accept()
    until(daemon, lambda said: isinstance(said, BoardSeen) and said.picture is not None)

    file.write_text("a file")
    (tmp_path / "next").symlink_to(file)
    (tmp_path / "next").replace(run)
    told = shown_until(daemon, film, 40, lambda health: any("run: " in one for one in health.warnings))
    assert told.camera == "ok", "it is followed on without a ring"
    assert any("Fix: set table.runtime" in one for one in told.warnings)
    run.unlink()
    shown_until(daemon, film, 10_000, lambda health: not health.warnings)
    assert RingReader(run / RING).newest() is not None
    film.put(b"")
    running.end()
    server.close()
    daemon.close()


def test_a_camera_that_goes_is_said_and_watched_on(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path / SOCKET)
    server = MjpegServer([parts(12)])
    told: list[str] = []
    running = Running(
        Eyes(settings(tmp_path, mjpeg(server.url)), follower(), lambda: 0, lambda *words: told.append(" ".join(words)))
    )
    daemon.accept()
    lost = until(daemon, lambda said: isinstance(said, EyesHealth) and said.camera != "ok")
    assert isinstance(lost, EyesHealth)
    assert "Fix" in lost.says
    server.close()
    server = MjpegServer([parts(12, 100)], hold=True, port=server.port)
    back = until(daemon, lambda said: isinstance(said, EyesHealth) and said.camera == "ok")
    assert isinstance(back, EyesHealth)
    running.end()
    server.close()
    daemon.close()


def test_a_camera_that_takes_long_to_open_starves_no_watchdog(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path / SOCKET)
    server = MjpegServer([[]], hold=True)
    told: queue.Queue[str] = queue.Queue()
    running = Running(
        Eyes(settings(tmp_path, mjpeg(server.url)), follower(), lambda: 0, lambda *words: told.put(" ".join(words)))
    )
    daemon.accept()
    said = [told.get(timeout=PATIENCE_S)]
    while not said[-1].startswith("WATCHDOG=1"):
        said.append(told.get(timeout=PATIENCE_S))
    # Not that it is lost or stalled: whether it opens is not known yet.
    assert said[-1] == "WATCHDOG=1 STATUS=the camera is being opened"
    running.end()
    server.close()
    daemon.close()


def test_a_thread_of_the_eyes_that_dies_is_said_and_starves_the_watchdog(tmp_path: Path, monkeypatch) -> None:
    def dies(*_: object) -> None:
        raise SystemExit("here")

    monkeypatch.setattr(Capture, "_await_trouble", dies)
    daemon = Daemon(tmp_path / SOCKET)
    told: list[tuple[str, ...]] = []
    running = Running(
        Eyes(settings(tmp_path, mjpeg("http://127.0.0.1:1/")), follower(), lambda: 0, lambda *words: told.append(words))
    )
    daemon.accept()
    said = [until(daemon, lambda said: isinstance(said, EyesHealth)) for _ in range(2)]
    assert [one.camera for one in said] == ["lost", "lost"]
    assert all("capture has died (SystemExit: here)" in one.says for one in said)
    running.end()
    daemon.close()
    assert not [words for words in told if "WATCHDOG=1" in words]


def test_a_finder_that_fails_costs_its_picture_and_is_said(tmp_path: Path) -> None:
    failures = iter(range(3))

    def sight(frame: Frame, model: CameraModel) -> Finding:
        for number in failures:
            raise ZeroDivisionError(f"picture {number} is odd")
        return Finding((SeenPiece("black", 0.0, 0.0, 0.3),))

    daemon = Daemon(tmp_path / SOCKET)
    server = MjpegServer([parts(60)], hold=True)
    running = Running(
        Eyes(
            settings(tmp_path, mjpeg(server.url)),
            Follower(Built(MODEL, at_once(sight), DEFAULT_BOARD)),
            lambda: 0,
            lambda *_: None,
        )
    )
    daemon.accept()
    health = until(daemon, lambda said: isinstance(said, EyesHealth))
    assert isinstance(health, EyesHealth)
    assert "ZeroDivisionError: picture 0 is odd" in health.says
    assert health.warnings == (health.says,)
    board = until(daemon, lambda said: isinstance(said, BoardSeen))
    assert isinstance(board, BoardSeen)
    assert [piece.piece for piece in board.pieces] == ["black"]
    well = until(daemon, lambda said: isinstance(said, EyesHealth))
    assert isinstance(well, EyesHealth)
    assert well.warnings == ()
    running.end()
    server.close()
    daemon.close()


def test_pictures_of_another_size_are_told_with_both_and_recover_by_themselves(tmp_path: Path) -> None:
    """At once, then once a second, however many pictures there are."""
    small = cv2.imencode(".jpg", np.full((240, 320, 3), 150, np.uint8))[1].tobytes()
    others = [
        b"--carrom\r\nContent-Length: %d\r\nX-Capture-Ns: %d\r\n\r\n%s\r\n" % (len(small), n * 33_000_000, small)
        for n in range(30, 60)
    ]
    daemon = Daemon(tmp_path / SOCKET)
    server = MjpegServer([[*parts(30), *others, *parts(40, first=60)]], hold=True)
    running = Running(Eyes(settings(tmp_path, mjpeg(server.url)), follower(), lambda: 0, lambda *_: None))
    daemon.accept()
    said: list[Observation] = []

    def camera(word: str) -> Callable[[Observation], bool]:
        return lambda one: said.append(one) or (isinstance(one, EyesHealth) and one.camera == word)

    until(daemon, camera("ok"))
    health = until(daemon, camera("blind"))
    assert isinstance(health, EyesHealth)
    assert "pictures of 320 × 240, calibrated with 640 × 480. Fix:" in health.says
    said.clear()
    back = until(daemon, camera("ok"))
    assert isinstance(back, EyesHealth)
    assert back.says == ""
    assert len(said) < 20, "not one for each picture"
    running.end()
    server.close()
    daemon.close()


def test_a_follower_that_fails_begins_anew(tmp_path: Path) -> None:
    class Failing(Follower):
        steps = 0

        def step(self, frame: Frame, picture: int | None = None) -> list[Observation]:
            self.steps += 1
            if 5 <= self.steps < 8:
                raise IndexError("no such track")
            return super().step(frame, picture)

    sight = Finding((SeenPiece("black", 0.0, 0.0, 0.3),))
    failing = Failing(Built(MODEL, at_once(lambda frame, model: sight), DEFAULT_BOARD))
    daemon = Daemon(tmp_path / SOCKET)
    server = MjpegServer([parts(60)], hold=True)
    clock = itertools.count(1)
    running = Running(Eyes(settings(tmp_path, mjpeg(server.url)), failing, lambda: next(clock), lambda *_: None))
    daemon.accept()
    first = until(daemon, lambda said: isinstance(said, EyesHealth))
    health = until(daemon, lambda said: isinstance(said, EyesHealth) and bool(said.warnings))
    assert isinstance(first, EyesHealth)
    assert isinstance(health, EyesHealth)
    assert "IndexError: no such track" in health.says
    assert 0 < first.since_ns < health.since_ns, "what was under way is forgotten"
    board = until(daemon, lambda said: isinstance(said, BoardSeen))
    assert isinstance(board, BoardSeen)
    assert [piece.piece for piece in board.pieces] == ["black"]
    running.end()
    server.close()
    daemon.close()


def test_a_recording_is_followed_to_its_end(tmp_path: Path) -> None:
    film = tmp_path / "film"
    film.mkdir()
    for number, body in enumerate(pictures(12)):
        (film / f"{number:03d}.jpg").write_bytes(body)
    daemon = Daemon(tmp_path / SOCKET)
    source = SourceSettings("folder", path=film, fps=30.0, width=SIZE[0], height=SIZE[1])
    running = Running(Eyes(settings(tmp_path, source), follower(), lambda: 0, lambda *words: None))
    daemon.accept()
    board = until(daemon, lambda said: isinstance(said, BoardSeen))
    assert board.t_ns == 266_666_667
    running.thread.join(PATIENCE_S)
    assert not running.thread.is_alive()
    daemon.close()


def configuration(folder: Path, camera: str, model: CameraModel = MODEL) -> Path:
    save(folder / "calibration.json", Calibration(model, board=DEFAULT_BOARD, looks=looks_of(DEFAULT_BOARD)))
    path = folder / "carrom.toml"
    path.write_text(
        f'[table]\nruntime = "{folder}"\n[camera]\ncalibration = "{folder}/calibration.json"\nring_mb = 8\n'
        f"width = {model.size[0]}\nheight = {model.size[1]}\n{camera}\n"
    )
    return path


@pytest.mark.parametrize(
    ("camera", "says"),
    [
        ('kind = "none"', "camera.kind"),
        ('kind = "mjpeg"', "camera.url"),
        ('kind = "video"', "camera.path"),
        ('kind = "carrier pigeon"', "camera.kind"),
    ],
)
def test_a_camera_that_cannot_be_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], camera: str, says: str
) -> None:
    assert main(["eyes", "--config", str(configuration(tmp_path, camera))]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert says in error
    assert "Fix:" in error


def test_the_command_follows_a_stream_and_ends_when_asked(tmp_path: Path) -> None:
    episode = strokes("pale", 6, 0)
    taken = [frame.jpeg or b"" for frame in frames(episode, 0.0, 0.5)]
    stream = [
        b"--carrom\r\nContent-Length: %d\r\nX-Capture-Ns: %d\r\n\r\n%s\r\n" % (len(body), n * 33_000_000, body)
        for n, body in enumerate(taken)
    ]
    server = MjpegServer([stream], hold=True)
    daemon = Daemon(tmp_path / SOCKET)
    camera = f'kind = "mjpeg"\nurl = "{server.url}"\nkeep_all = true'
    config = configuration(tmp_path, camera, model_of(episode.camera.view))
    process = subprocess.Popen([sys.executable, "-m", "controller.cli", "eyes", "--config", str(config)])
    try:
        daemon.accept()
        board = until(daemon, lambda said: isinstance(said, BoardSeen))
        assert isinstance(board, BoardSeen)
        assert board.pieces
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
    finally:
        process.kill()
        server.close()
        daemon.close()


def test_another_striker_is_told_with_the_health_and_a_failure_costs_nothing(tmp_path: Path) -> None:
    class Watch(StrikerWatch):
        looked = 0

        def look(self, picture: np.ndarray, striker: SeenPiece) -> None:
            self.looked += 1
            raise ZeroDivisionError("no striker is like this")

        changed = ("south",)
        warnings = ("south plays another striker than before",)

    daemon = Daemon(tmp_path / SOCKET)
    server = MjpegServer([parts(60)], hold=True)
    sight = Finding((SeenPiece("striker", 0.0, -252.0, 0.3),))
    watch = Watch(MODEL, looks_of(DEFAULT_BOARD), DEFAULT_BOARD)
    placed = Follower(Built(MODEL, at_once(lambda frame, model: sight), DEFAULT_BOARD))
    running = Running(Eyes(settings(tmp_path, mjpeg(server.url)), placed, lambda: 0, lambda *_: None, watch))
    daemon.accept()
    board = until(daemon, lambda said: isinstance(said, BoardSeen))
    assert isinstance(board, BoardSeen)
    assert [piece.piece for piece in board.pieces] == ["striker"]
    health = until(daemon, lambda said: isinstance(said, EyesHealth) and said.t_ns > board.t_ns)
    assert isinstance(health, EyesHealth)
    assert health.other_striker == ("south",)
    assert health.warnings == ("south plays another striker than before",)
    running.end()
    server.close()
    daemon.close()
    assert watch.looked > 0
