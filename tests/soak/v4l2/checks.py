"""What is checked inside the virtual machine: V4l2Source and Capture, as the eyes use them, on real devices.

Each check returns what it saw, which goes to the console as one line of JSON; the test on the host reads it there.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import cv2
import numpy as np

from controller.events.errors import DeviceError
from controller.vision.sources.capture import Capture
from controller.vision.sources.choose import SourceSettings, source_maker
from controller.vision.sources.frame import Frame, FrameSource

MARK = "CHECKED "
WIDTH, HEIGHT = 1280, 720
EXPOSURE_US, GAIN = 5000, 77.0
NOTICED_S = 1.0
BACK_S = 10.0
PICTURES = Path("/tmp/pictures")
VIVID = Path("/sys/bus/platform/drivers/vivid")
BARS_BGR = [(1, 1, 1), (0, 1, 1), (1, 1, 0), (0, 1, 0), (1, 0, 1), (0, 0, 1), (1, 0, 0), (0, 0, 0)]


class Cable:
    """The USB camera at its cable."""

    def __init__(self) -> None:
        PICTURES.mkdir(exist_ok=True)
        noise = np.random.default_rng(1)
        for number in range(8):
            picture = np.full((HEIGHT, WIDTH, 3), 30 * number, np.uint8)
            # Every other one is far longer: in the driver's buffers remains lie behind the shorter.
            picture[: 80 * (number % 2)] = noise.integers(0, 256, (80 * (number % 2), WIDTH, 3), np.uint8)
            cv2.imwrite(str(PICTURES / f"{number}.jpg"), picture)
        command = [sys.executable, "-u", "-m", "tests.soak.v4l2.usb_camera", str(PICTURES)]
        self._camera = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def tell(self, command: str) -> dict[str, int]:
        assert self._camera.stdin is not None
        assert self._camera.stdout is not None
        print(command, file=self._camera.stdin, flush=True)
        answer: dict[str, int] = json.loads(self._camera.stdout.readline())
        return answer

    def plug(self) -> None:
        self.tell("plug")
        until(lambda: node("Test camera") is not None)

    def pull(self) -> None:
        self.tell("pull")
        until(lambda: node("Test camera") is None)


def node(name: str) -> str | None:
    """The device a picture comes from: a USB camera has a second one, for data about the pictures."""
    for folder in sorted(Path("/sys/class/video4linux").glob("video*")):
        with suppress(OSError):
            if name in (folder / "name").read_text() and (folder / "index").read_text().strip() == "0":
                return f"/dev/{folder.name}"
    return None


def until(true: Callable[[], bool], limit_s: float = BACK_S) -> float:
    began_s = time.monotonic()
    while not true():
        assert time.monotonic() - began_s < limit_s, f"not within {limit_s} s"
        time.sleep(0.002)
    return time.monotonic() - began_s


def maker(
    device: str, width: int = WIDTH, height: int = HEIGHT, fps: float = 30.0, gain: float = GAIN
) -> Callable[[], FrameSource]:
    settings = SourceSettings("v4l2", device, width=width, height=height, fps=fps, exposure_us=EXPOSURE_US, gain=gain)
    return source_maker(settings, time.monotonic_ns)


def refusal(source: FrameSource) -> str:
    try:
        source.open()
    except DeviceError as error:
        says = str(error)
    else:
        says = "was opened"
    finally:
        source.close()
    assert "Fix:" in says
    assert "\n" not in says
    return says


def some(source: FrameSource, count: int) -> list[Frame]:
    frames = [source.read(1.0) for _ in range(count)]
    got = [frame for frame in frames if frame is not None]
    assert len(got) == count, f"{len(got)} of {count} pictures came"
    return got


def age_s(frame: Frame) -> float:
    return (time.monotonic_ns() - frame.t_ns) / 1e9


class Watched:
    """A Capture that is asked for frames all the time, and what it said."""

    def __init__(self, make: Callable[[], FrameSource]) -> None:
        self.opened = 0
        self.said: list[str] = []
        self.longest_s = 0.0
        self._make = make
        self._stop = threading.Event()
        self.capture = Capture(self._counted)
        self.capture.start()
        self._asker = threading.Thread(target=self._ask, daemon=True)
        self._asker.start()

    def _counted(self) -> FrameSource:
        self.opened += 1
        return self._make()

    def _ask(self) -> None:
        while not self._stop.is_set():
            began_s = time.monotonic()
            self.capture.newest(0.05)
            self.longest_s = max(self.longest_s, time.monotonic() - began_s)
            if self.capture.says and self.capture.says not in self.said:
                self.said.append(self.capture.says)

    def until_well(self) -> float:
        return until(lambda: self.capture.state == "ok")

    def until_it_runs(self) -> None:
        """So many pictures came that it is on its way, not just begun."""
        seen = self.capture.seen
        until(lambda: self.capture.seen >= seen + 12)

    def until_trouble(self) -> float:
        return until(lambda: self.capture.state in ("lost", "stalled"))

    def stop(self) -> None:
        self._stop.set()
        self._asker.join()
        self.capture.stop()
        assert self.longest_s < 0.5, f"asking for a frame took {self.longest_s:.2f} s"


def usb_pictures_and_their_times(cable: Cable) -> str:
    """The camera's own JPEGs, byte for byte, with the driver's times: a picture that has waited is that old."""
    sent = [path.read_bytes() for path in sorted(PICTURES.iterdir())]
    source = maker("/dev/video0")()
    source.open()
    got = some(source, 60)
    youngest_s = age_s(got[-1])
    assert all(frame.jpeg in sent for frame in got)
    order = [sent.index(frame.jpeg) for frame in got if frame.jpeg is not None]
    assert all(after == (before + 1) % len(sent) for before, after in itertools.pairwise(order))
    assert [frame.number for frame in got] == list(range(60))
    times = np.diff([frame.t_ns for frame in got]) / 1e6
    assert times.min() > 0
    assert 25 < np.median(times) < 60, np.median(times)
    assert 0 < youngest_s < 0.2, youngest_s
    for pause_s in (0.3, 1.0):
        time.sleep(pause_s)
        waited_s = age_s(some(source, 1)[0])
        assert pause_s / 2 < waited_s < pause_s + 1.0, f"left for {pause_s} s it is {waited_s:.3f} s old"
    source.close()
    assert got[-1].luma.shape == (HEIGHT, WIDTH)
    assert got[-1].bgr.shape == (HEIGHT, WIDTH, 3)
    return f"{np.median(times):.1f} ms apart, {youngest_s * 1e3:.0f} ms old, left for 1 s: {waited_s * 1e3:.0f} ms"


def usb_automatics_are_locked(cable: Cable) -> str:
    before = cable.tell("controls")
    assert (before["exposure_mode"], before["focus_auto"], before["white_auto"]) == (8, 1, 1)
    source = maker("/dev/video0")()
    source.open()
    frame = some(source, 1)[0]
    source.close()
    after = cable.tell("controls")
    assert (after["exposure_mode"], after["focus_auto"], after["white_auto"]) == (1, 0, 0)
    assert (after["exposure_100us"], after["gain"]) == (EXPOSURE_US // 100, GAIN)
    assert frame.exposure_ns == EXPOSURE_US * 1000
    return f"{before} -> {after}"


def usb_refusals_are_one_line(cable: Cable) -> str:
    wrong_size = refusal(maker("/dev/video0", 1000, 700)())
    assert "1280 x 720" in wrong_size
    no_pictures = refusal(maker("/dev/video1")())
    source = maker("/dev/video0")()
    source.open()
    some(source, 1)
    taken = refusal(maker("/dev/video0")())
    source.close()
    return " | ".join((wrong_size, no_pictures, taken))


def usb_cable_pulled_and_plugged(cable: Cable) -> str:
    watched = Watched(maker("/dev/video0"))
    watched.until_well()
    noticed, back = [], []
    for _ in range(3):
        watched.until_it_runs()
        cable.tell("pull")
        noticed.append(watched.until_trouble())
        cable.pull()
        time.sleep(0.5)
        cable.plug()
        back.append(watched.until_well())
    locked = cable.tell("controls")
    watched.stop()
    assert max(noticed) < NOTICED_S, noticed
    assert (locked["exposure_mode"], locked["exposure_100us"]) == (1, EXPOSURE_US // 100)
    return f"noticed after {max(noticed):.3f} s, back {max(back):.1f} s after the device; says {watched.said}"


def usb_camera_falls_silent(cable: Cable) -> str:
    """Noticed in a second; nobody else has the camera, so nobody is blamed; and it is well again when it speaks."""
    watched = Watched(maker("/dev/video0"))
    watched.until_well()
    watched.until_it_runs()
    cable.tell("mute")
    noticed_s = watched.until_trouble()
    time.sleep(4)
    cable.tell("speak")
    back_s = watched.until_well()
    watched.stop()
    assert noticed_s < NOTICED_S + 0.2, noticed_s
    assert all("no picture" in says for says in watched.said), watched.said
    return f"noticed after {noticed_s:.2f} s, back after {back_s:.2f} s, opened {watched.opened} times"


def usb_first_picture_after_three_seconds(cable: Cable) -> str:
    cable.tell("mute")
    watched = Watched(maker("/dev/video0"))
    time.sleep(3)
    cable.tell("speak")
    watched.until_well()
    watched.stop()
    assert watched.opened == 1, f"opened {watched.opened} times"
    assert watched.said == []
    return "opened once"


def usb_newest_wins(cable: Cable) -> str:
    capture = Capture(maker("/dev/video0"))
    capture.start()
    assert capture.newest(5.0) is not None
    ages = []
    for _ in range(8):
        time.sleep(0.4)
        frame = capture.newest(1.0)
        assert frame is not None
        ages.append(age_s(frame))
    seen, dropped = capture.seen, capture.dropped
    capture.stop()
    assert max(ages) < 0.2, ages
    assert seen > 50
    # One may lie in the slot, one may have come between the two looks.
    assert abs(seen - dropped - 9) <= 2, (seen, dropped)
    return f"at most {max(ages) * 1e3:.0f} ms old; {seen} came, {dropped} dropped, 9 taken"


def usb_let_go_when_stopped(cable: Cable) -> str:
    capture = Capture(maker("/dev/video0"))
    capture.start()
    assert capture.newest(5.0) is not None
    capture.stop()
    source = maker("/dev/video0")()
    source.open()
    source.close()
    return "opened by another at once"


def raw_pictures_without_mjpeg(cable: Cable) -> str:
    device = vivid()
    ctl(device, "osd_text_mode=2,timestamp_source=1")
    source = maker(device, 640, 360, 25.0)()
    source.open()
    got = some(source, 40)
    source.close()
    frame = got[-1]
    assert frame.jpeg is None
    assert age_s(frame) < 0.2
    assert np.diff([frame.t_ns for frame in got]).min() > 0
    bars = [frame.bgr[300, 40 + 80 * bar] for bar in range(8)]
    assert np.allclose(bars, np.array(BARS_BGR) * 191, atol=3), bars
    assert list(frame.luma[300, 40::80]) == sorted(frame.luma[300, 40::80], reverse=True)
    assert frame.encoded()[:2] == b"\xff\xd8"
    return f"colours {[tuple(map(int, bar)) for bar in bars]}"


def raw_automatic_gain_is_switched_off(cable: Cable) -> str:
    device = vivid()
    ctl(device, "gain_automatic=1")
    source = maker(device, 640, 360, 25.0)()
    source.open()
    source.close()
    command = ["v4l2-ctl", "-d", device, "-C", "gain,gain_automatic"]
    says = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert says == ["gain:", "77", "gain_automatic:", "0"], says
    return " ".join(says)


def raw_driver_taken_away_and_back(cable: Cable) -> str:
    device = vivid()
    watched = Watched(maker(device, 640, 360, 25.0))
    watched.until_well()
    watched.until_it_runs()
    (VIVID / "unbind").write_text("vivid.0")
    noticed_s = watched.until_trouble()
    until(lambda: not Path(device).exists())
    time.sleep(0.5)
    (VIVID / "bind").write_text("vivid.0")
    back_s = watched.until_well()
    watched.stop()
    assert noticed_s < NOTICED_S, noticed_s
    return f"noticed after {noticed_s:.3f} s, back after {back_s:.1f} s; says {watched.said}"


def vivid() -> str:
    modprobe("vivid")
    device = node("vid-cap")
    assert device is not None
    return device


def modprobe(*modules: str) -> None:
    subprocess.run(["modprobe", "-a", *modules], check=True)


def ctl(device: str, settings: str) -> None:
    subprocess.run(["v4l2-ctl", "-d", device, "-c", settings], check=True)


CHECKS: tuple[Callable[[Cable], str], ...] = (
    usb_pictures_and_their_times,
    usb_automatics_are_locked,
    usb_refusals_are_one_line,
    usb_cable_pulled_and_plugged,
    usb_camera_falls_silent,
    usb_first_picture_after_three_seconds,
    usb_newest_wins,
    usb_let_go_when_stopped,
    raw_pictures_without_mjpeg,
    raw_automatic_gain_is_switched_off,
    raw_driver_taken_away_and_back,
)


def main() -> None:
    cv2.setNumThreads(1)
    modprobe("vhci-hcd", "uvcvideo")
    cable = Cable()
    for check in CHECKS:
        try:
            # As the camera is when it was just plugged in; the others stand alone.
            cable.pull()
            if check.__name__.startswith("usb"):
                cable.plug()
            result = (check.__name__, True, check(cable))
        except Exception as error:
            traceback.print_exc()
            place = traceback.extract_tb(error.__traceback__)[-1]
            result = (check.__name__, False, f"{type(error).__name__} in line {place.lineno}, {place.line}: {error}")
        print("\n" + MARK + json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
