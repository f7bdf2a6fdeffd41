"""What libjpeg and FFmpeg write to standard error of damaged pictures reaches it seldom, and nothing else is lost."""

from __future__ import annotations

import contextlib
import logging
import subprocess
import sys
import threading
from pathlib import Path

import cv2
import numpy as np
import pytest

from controller.commands.check_camera import Gathered, not_whole
from controller.vision.decoder_warnings import MOST_EXTRANEOUS, SELDOM_S, Seldom, harms, warnings_caught
from controller.vision.pictures import decoded, picture_in
from controller.vision.sources.frame import EndOfRecordingError, Frame
from controller.vision.sources.recorded import VideoSource


def rough(size: tuple[int, int] = (240, 320)) -> bytes:
    done, data = cv2.imencode(".jpg", np.random.default_rng(3).integers(0, 256, (*size, 3), np.uint8))
    assert done
    return data.tobytes()


WHOLE = rough()
EXTRANEOUS = WHOLE[:-2] + b"\x12\x34\x56\x78" + WHOLE[-2:]
TORN = WHOLE[:20_000] + b"\xff\xd9" + WHOLE[20_000:]
IN_CHUNKS = WHOLE[:20_000] + b"\r\n2f3a\r\n" + WHOLE[20_000:]


def test_a_damaged_picture_is_logged_seldom_and_nothing_goes_past_the_log(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    for picture in (EXTRANEOUS, TORN):
        for flags in (cv2.IMREAD_COLOR, cv2.IMREAD_GRAYSCALE, cv2.IMREAD_REDUCED_GRAYSCALE_4):
            for _ in range(20):
                picture_in(picture, flags)
                _ = Frame(0, jpeg=picture).luma
    assert len(caplog.records) <= 1
    assert "JPEG" not in capfd.readouterr().err


def test_threads_that_decode_at_once_leave_standard_error_as_it_was(capfd: pytest.CaptureFixture[str]) -> None:
    def work() -> None:
        for _ in range(40):
            decoded(EXTRANEOUS)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("still here", file=sys.stderr)
    assert capfd.readouterr().err == "still here\n"


def test_it_is_said_at_once_and_then_twice_a_minute_with_how_often(caplog: pytest.LogCaptureFixture) -> None:
    now = 0.0
    seldom = Seldom(lambda: now)
    with caplog.at_level(logging.WARNING):
        for _ in range(1 + int(SELDOM_S) * 60):
            seldom.tell("Corrupt JPEG data: premature end of data segment")
        now = SELDOM_S
        seldom.tell("Corrupt JPEG data: premature end of data segment")
        seldom.tell("")
    first, second = (record.getMessage() for record in caplog.records)
    assert "Fix:" in first
    assert "1800 more" in second


@pytest.mark.parametrize(("picture", "harmed"), [(WHOLE, False), (EXTRANEOUS, False), (TORN, True), (IN_CHUNKS, True)])
def test_a_picture_that_is_not_whole_is_told_from_one_with_bytes_too_many(picture: bytes, harmed: bool) -> None:
    assert harms(decoded(picture)[1]) is harmed


def test_many_extraneous_bytes_are_torn_data() -> None:
    said = "Corrupt JPEG data: {} extraneous bytes before marker 0xd9"
    assert [harms(said.format(n)) for n in (1, MOST_EXTRANEOUS, MOST_EXTRANEOUS + 1)] == [False, False, True]


@pytest.mark.parametrize(("broken", "state"), [(1, "warn"), (8, "fail")])
def test_check_says_that_pictures_come_damaged(broken: int, state: str) -> None:
    gathered = Gathered(None, live=True)
    for n in range(8):
        gathered.add(Frame(n * 200_000_000, n, jpeg=TORN if n < broken else EXTRANEOUS))
    found = not_whole(gathered.looked("simulated"))
    assert found.state == state
    assert f"{broken} of 8" in found.says
    assert "Fix:" in found.says


def test_check_says_nothing_of_pictures_that_are_whole() -> None:
    gathered = Gathered(None, live=True)
    gathered.add(Frame(0, 0, jpeg=EXTRANEOUS))
    assert gathered.looked("simulated").damaged == ()


def test_a_damaged_video_is_read_without_a_line_a_frame(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path, rng = tmp_path / "board.avi", np.random.default_rng(0)
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 25.0, (320, 240))
    for _ in range(30):
        writer.write(cv2.GaussianBlur(rng.integers(0, 256, (240, 320, 3), np.uint8), (0, 0), 3))
    writer.release()
    data = bytearray(path.read_bytes())
    for at in range(9000, len(data) - 9000, 9000):
        data[at : at + 100] = rng.integers(0, 256, 100, np.uint8).tobytes()
    path.write_bytes(data)
    source = VideoSource(path)
    source.open()
    with contextlib.suppress(EndOfRecordingError):
        while source.read(1.0) is not None:
            pass
    source.close()
    assert "mjpeg" not in capfd.readouterr().err


IN_BETWEEN = """
import logging
from controller.commands.log import set_up_log
from controller.vision.decoder_warnings import warnings_caught
set_up_log(logging.WARNING)
with warnings_caught() as warned:
    logging.getLogger("controller.x").warning("of another thread")
assert not warned.says, warned.says
"""


@pytest.mark.live
def test_the_log_is_written_while_a_decoder_works() -> None:
    done = subprocess.run([sys.executable, "-c", IN_BETWEEN], capture_output=True, text=True, check=True)
    assert 'says="of another thread"' in done.stderr


@pytest.mark.live
def test_pictures_are_read_where_standard_error_is_closed(tmp_path: Path) -> None:
    (tmp_path / "1.jpg").write_bytes(EXTRANEOUS)
    says = f"from controller.vision.pictures import picture_of; print(picture_of({str(tmp_path / '1.jpg')!r}).shape)"
    done = subprocess.run(["sh", "-c", f'exec "{sys.executable}" -c "$0" 2>&-', says], capture_output=True, text=True)
    assert done.stdout.strip() == "(240, 320, 3)"


def test_an_error_within_gives_standard_error_back(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ZeroDivisionError), warnings_caught():
        raise ZeroDivisionError
    print("here", file=sys.stderr)
    assert capfd.readouterr().err == "here\n"
