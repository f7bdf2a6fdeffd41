"""One contract for every source of frames: the same pictures, in order, with rising times, and an honest end."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import cv2
import numpy as np
import pytest

from controller.events.errors import DeviceError
from controller.simulator.mjpeg import MjpegServer as Simulated
from controller.vision.sources import v4l2 as usb
from controller.vision.sources.child import ChildSource, rpicam_command
from controller.vision.sources.frame import EndOfRecordingError, Frame, FrameSource
from controller.vision.sources.mjpeg import MjpegSource
from controller.vision.sources.recorded import FolderSource, VideoSource
from controller.vision.sources.v4l2 import V4l2Settings, V4l2Source
from tests.vision.sources.streams import CHILD, HEIGHT, WIDTH, MjpegServer, child_files, jpeg, number_of, part, picture

COUNT = 6


class Ticking:
    """A clock that rises with every look at it."""

    def __init__(self) -> None:
        self.t = 1_000

    def __call__(self) -> int:
        self.t += 1_000_000
        return self.t


def mjpeg(folder: Path) -> FrameSource:
    return MjpegSource(MjpegServer([[part(n) for n in range(COUNT)]]).url, Ticking(), newest_only=False)


def unstamped(folder: Path) -> FrameSource:
    parts = [part(n, stamped=False, length=False) for n in range(COUNT)] + [b"--carrom\r\n"]
    return MjpegSource(MjpegServer([parts]).url, Ticking(), newest_only=False)


def child(folder: Path) -> FrameSource:
    files = child_files(folder, COUNT)
    return ChildSource([sys.executable, "-c", CHILD, *map(str, files)], Ticking(), newest_only=False)


def pictures(folder: Path) -> FrameSource:
    child_files(folder, COUNT)
    return FolderSource(folder, fps=30.0)


def video(folder: Path) -> FrameSource:
    path = folder / "board.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 25.0, (WIDTH, HEIGHT))
    for number in range(COUNT):
        writer.write(picture(number))
    writer.release()
    return VideoSource(path)


def simulator(folder: Path) -> FrameSource:
    server = Simulated(in_step=True)
    server.start()

    def offer() -> None:
        server.wait_for_client(20)
        for n in range(COUNT):
            server.offer(jpeg(n), n * 33_000_000, 5_000_000)
        while server.watched and not server.idle:
            threading.Event().wait(0.01)
        server.stop()

    threading.Thread(target=offer, daemon=True).start()
    return MjpegSource(server.url, Ticking(), newest_only=False)


class FakeCamera:
    """Stands in for a V4L2 device: remembers what was set, gives numbered JPEGs, then fails as if unplugged.

    As OpenCV does it gives the driver's whole buffer as one row: behind the JPEG lies what a longer one left there.
    """

    opened: ClassVar[list[FakeCamera]] = []

    def __init__(self, device: object, api: int) -> None:
        self.values: dict[int, float] = {}
        self._number = -1
        _, longer = cv2.imencode(".jpg", np.random.default_rng(1).integers(0, 256, (64, 96, 3), np.uint8))
        self._buffer = bytearray(longer.tobytes() + bytes(4096))
        FakeCamera.opened.append(self)

    def isOpened(self) -> bool:  # noqa: N802 - OpenCV's name
        return True

    def set(self, key: int, value: float) -> bool:
        self.values[key] = value
        return True

    def get(self, key: int) -> float:
        return self.values.get(key, 0.0)

    def grab(self) -> bool:
        self._number += 1
        return self._number < COUNT

    def retrieve(self) -> tuple[bool, np.ndarray]:
        data = jpeg(self._number)
        self._buffer[: len(data)] = data
        return True, np.frombuffer(bytes(self._buffer), np.uint8)[None, :]

    def release(self) -> None:
        pass


def v4l2(folder: Path) -> FrameSource:
    device = folder / "camera"
    device.touch()
    source = V4l2Source(V4l2Settings(str(device), WIDTH, HEIGHT, 30.0, 5000, 3.0), Ticking())
    opened = source.open

    def open_fake() -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cv2, "VideoCapture", FakeCamera)
            opened()

    source.open = open_fake  # type: ignore[method-assign]
    return source


MAKERS = [mjpeg, unstamped, simulator, child, v4l2, pictures, video]


def all_of(source: FrameSource) -> list[Frame]:
    got: list[Frame] = []
    while True:
        try:
            frame = source.read(5.0)
        except (EndOfRecordingError, DeviceError):
            return got
        assert frame is not None, "no frame came within five seconds"
        got.append(frame)


@pytest.mark.live
@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_gives_every_picture_in_order_with_rising_times(make: Callable[[Path], FrameSource], tmp_path: Path) -> None:
    source = make(tmp_path)
    source.open()
    got = all_of(source)
    source.close()
    assert [number_of(frame.luma) for frame in got] == list(range(COUNT))
    assert [frame.number for frame in got] == list(range(COUNT))
    times = [frame.t_ns for frame in got]
    assert times == sorted(set(times))
    assert got[0].luma.shape == (HEIGHT, WIDTH)
    assert got[0].bgr.shape == (HEIGHT, WIDTH, 3)


@pytest.mark.live
@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_opens_again_after_its_end(make: Callable[[Path], FrameSource], tmp_path: Path) -> None:
    source = make(tmp_path)
    source.open()
    all_of(source)
    source.close()
    source.close()
    if source.live and make not in (child, v4l2):
        with pytest.raises(DeviceError, match="Fix"):
            MjpegSource("http://127.0.0.1:9/none", Ticking(), answer_s=0.5).open()
        return
    source.open()
    assert len(all_of(source)) == COUNT
    source.close()


@pytest.mark.live
@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_a_live_source_ends_in_an_error_and_a_recording_does_not(
    make: Callable[[Path], FrameSource], tmp_path: Path
) -> None:
    source = make(tmp_path)
    source.open()
    for _ in range(COUNT):
        assert source.read(5.0) is not None
    with pytest.raises(DeviceError if source.live else EndOfRecordingError):
        source.read(5.0)
    source.close()


def test_what_a_camera_would_change_by_itself_is_locked(tmp_path: Path) -> None:
    source = v4l2(tmp_path)
    source.open()
    frame = source.read(1.0)
    source.close()
    set_to = FakeCamera.opened[-1].values
    assert set_to[cv2.CAP_PROP_AUTOFOCUS] == 0
    assert set_to[cv2.CAP_PROP_AUTO_WB] == 0
    assert set_to[cv2.CAP_PROP_AUTO_EXPOSURE] == 1
    assert set_to[cv2.CAP_PROP_EXPOSURE] == 50
    assert set_to[cv2.CAP_PROP_GAIN] == 3.0
    assert set_to[cv2.CAP_PROP_BUFFERSIZE] <= 2
    assert frame is not None
    assert frame.exposure_ns == 5_000_000
    assert frame.jpeg is not None
    call = rpicam_command("0", 1456, 1088, 60.0, 3000, 2.0)
    for option, value in (
        ("--shutter", "3000"), ("--gain", "2"), ("--autofocus-mode", "manual"), ("--awbgains", "1.8,1.7"),
    ):  # fmt: skip
        assert call[call.index(option) + 1] == value


def test_the_cameras_own_jpeg_is_kept(tmp_path: Path) -> None:
    paths = child_files(tmp_path, 1)
    source = FolderSource(tmp_path)
    source.open()
    frame = source.read(1.0)
    assert frame is not None
    assert frame.encoded() == paths[0].read_bytes()


def test_a_usb_cameras_own_jpeg_is_kept_without_what_lay_behind_it(tmp_path: Path) -> None:
    source = v4l2(tmp_path)
    source.open()
    got = all_of(source)
    source.close()
    assert [frame.jpeg for frame in got] == [jpeg(number) for number in range(COUNT)]


def test_a_usb_camera_that_is_only_silent_is_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What OpenCV's select gave up on after its second is no broken cable: a camera may be slow to begin."""
    source = v4l2(tmp_path)
    source.open()
    all_of(source)
    with pytest.raises(DeviceError):
        source.read(1.0)
    monkeypatch.setattr(usb, "SILENT_S", 0.0)
    assert source.read(1.0) is None
    source.close()


@pytest.mark.parametrize(("waited_s", "believed"), [(0.02, True), (1.5, True), (60.0, False), (-0.02, False)])
def test_a_picture_that_waited_in_the_driver_is_as_old_as_its_stamp(
    tmp_path: Path, waited_s: float, believed: bool
) -> None:
    source = v4l2(tmp_path)
    source.open()
    first = source.read(1.0)
    FakeCamera.opened[-1].values[cv2.CAP_PROP_POS_MSEC] = (time.monotonic() - waited_s) * 1e3
    second = source.read(1.0)
    source.close()
    assert first is not None
    assert second is not None
    older_s = (first.t_ns + 1_000_000 - second.t_ns) / 1e9
    assert older_s == pytest.approx(waited_s if believed else 0.0, abs=0.01)


@pytest.mark.live
def test_times_of_the_stream_are_believed() -> None:
    server = MjpegServer([[part(0), part(1)]])
    source = MjpegSource(server.url, Ticking(), newest_only=False)
    source.open()
    first, second = source.read(5.0), source.read(5.0)
    assert first is not None
    assert second is not None
    assert (first.t_ns, second.t_ns, second.exposure_ns) == (0, 33_000_000, 5_000_000)
    source.close()
    server.close()


@pytest.mark.live
def test_newest_only_skips_what_has_waited_and_counts_it() -> None:
    server = MjpegServer([[b"".join(part(n) for n in range(5))]], hold=True)
    source = MjpegSource(server.url, Ticking())
    source.open()
    frame = source.read(5.0)
    assert frame is not None
    assert (number_of(frame.luma), frame.number) == (4, 4)
    source.close()
    server.close()


@pytest.mark.live
def test_a_sender_is_held_back_when_nothing_may_be_dropped() -> None:
    big = part(0)[:-2] + b"\0" * 3_000_000
    padded = big.replace(b"Content-Length: ", b"Content-Length: 3000000\r\nX-Was: ", 1)
    body = padded.split(b"\r\n\r\n", 1)
    padded = body[0] + b"\r\n\r\n" + body[1][:3_000_000] + b"\r\n"
    server = MjpegServer([[padded] * 40], hold=True)
    source = MjpegSource(server.url, Ticking(), newest_only=False)
    source.open()
    for n in range(3):
        assert source.read(10.0) is not None
        with server.progress:
            # A few megabytes fit into the kernel's buffers, a hundred do not.
            assert server.sent < n + 8
    source.close()
    server.close()


def test_times_file_of_a_recording_is_used(tmp_path: Path) -> None:
    child_files(tmp_path, 2)
    lines = ['{"image": "000.jpg", "t_ns": 70, "exposure_ns": 9}', '{"image": "001.jpg", "t_ns": 90}']
    (tmp_path / "times.jsonl").write_text("\n".join(lines))
    source = FolderSource(tmp_path)
    source.open()
    assert [(frame.t_ns, frame.exposure_ns) for frame in all_of(source)] == [(70, 9), (90, 0)]


@pytest.mark.parametrize(
    ("content", "says"),
    [("{", "times.jsonl:1"), ('{"image": "009.jpg", "t_ns": 1}', "009.jpg")],
)
def test_a_broken_times_file_is_one_line(tmp_path: Path, content: str, says: str) -> None:
    child_files(tmp_path, 1)
    (tmp_path / "times.jsonl").write_text(content)
    with pytest.raises(DeviceError, match=says):
        FolderSource(tmp_path).open()


@pytest.mark.live
@pytest.mark.parametrize(
    "source",
    [
        V4l2Source(V4l2Settings("/dev/no-such-camera"), Ticking()),
        FolderSource(Path("/nowhere/at/all")),
        VideoSource(Path("/nowhere.mp4")),
        MjpegSource("ftp://x", Ticking()),
        ChildSource(["/no/such/program"], Ticking()),
    ],
    ids=["v4l2", "folder", "video", "mjpeg", "child"],
)
def test_what_cannot_be_opened_says_how_to_fix_it(source: FrameSource) -> None:
    with pytest.raises(DeviceError, match="Fix:") as caught:
        source.open()
    assert "\n" not in str(caught.value)


@pytest.mark.live
def test_a_refusing_camera_is_named(tmp_path: Path) -> None:
    server = MjpegServer([[]], status=b"401 Unauthorized")
    with pytest.raises(DeviceError, match="401"):
        MjpegSource(server.url, Ticking()).open()
    server.close()


def test_a_file_that_is_no_video_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "film.mp4"
    path.write_bytes(b"not a film")
    with pytest.raises(DeviceError, match="Fix"):
        VideoSource(path).open()


def test_a_broken_picture_raises_when_it_is_looked_at() -> None:
    with pytest.raises(DeviceError, match="no JPEG"):
        _ = Frame(0, jpeg=b"\xff\xd8\xffgarbage").luma
