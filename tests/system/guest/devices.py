"""The table's devices as the machine's kernel sees them: a USB camera, and a USB serial port with a node behind it.

The camera is driven by uvcvideo (`tests/soak/v4l2/usb_camera.py`), the port by cdc_acm (the kernel's own g_serial on
dummy_hcd). What they show and feel comes over a connection from the machine outside, in order, as lines of JSON:
`plug` and `pull` of `camera` or `node`; `frame` with its time, the beams' changes before it, and the bytes of its JPEG.
A frame is shown when it is due by this machine's clock, and then answered; the newest one is shown until the next.
Must not know what is played.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import socket
import subprocess
import sys
import threading
import time
import tty
from pathlib import Path
from typing import IO, Any

from controller.pockets.node_protocol import NodeCore
from tests.soak.v4l2.usb_camera import UsbCamera

GADGET = Path("/dev/ttyGS0")
ARDUINO = "idVendor=0x2341 idProduct=0x0043"
"""As an Arduino's own USB chip says who it is; the udev rule knows it by that."""
LATE_S = 0.2
"""Where so much was lost the machine outside was too slow: the table's time goes on from here."""


class Shown:
    """What lies before the camera: a picture, and the moment at which another one is there."""

    def __init__(self) -> None:
        self._picture = b""
        self._number = 0
        self._changed = threading.Condition()

    def show(self, picture: bytes) -> None:
        with self._changed:
            self._picture = picture
            self._number += 1
            self._changed.notify_all()

    def after(self, number: int, patience_s: float) -> tuple[bytes, int]:
        """Returns the picture that came after that number, or the same one where none comes in time."""
        with self._changed:
            self._changed.wait_for(lambda: self._number > number, patience_s)
            return self._picture, self._number


class Camera(UsbCamera):
    """Sends each picture as it is shown, and the last one again and again when none follows."""

    def __init__(self, shown: Shown) -> None:
        self._shown, self._number = shown, 0
        super().__init__([])

    def next_picture(self) -> bytes:
        picture, self._number = self._shown.after(self._number, 1.5 * self._interval_s)
        return picture


class GadgetNode:
    """A node's core at the device's end of the USB serial port."""

    def __init__(self, boot: int) -> None:
        subprocess.run(["modprobe", "g_serial", *ARDUINO.split()], check=True)
        self._end = os.open(await_path(GADGET), os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY)
        tty.setraw(self._end)
        self._core = NodeCore(boot=boot, us=now_us())
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def beam(self, sensor: int, blocked: bool, us: int) -> None:
        with self._lock:
            self._core.beam(sensor, blocked, us)

    def pull(self) -> None:
        self._stop.set()
        self._thread.join()
        os.close(self._end)
        subprocess.run(["modprobe", "-r", "g_serial"], check=True)

    def _run(self) -> None:
        unsent = b""
        while not self._stop.wait(0.005):
            with self._lock:
                with contextlib.suppress(BlockingIOError):
                    self._core.received(os.read(self._end, 4096), now_us())
                unsent += self._core.pump(now_us())
            with contextlib.suppress(BlockingIOError):
                unsent = unsent[os.write(self._end, unsent) :] if unsent else b""
            # With nobody reading, the oldest bytes are lost as on a wire.
            unsent = unsent[-65536:]


class Devices:
    """Both of them, and the table's time as this machine's clock has it."""

    def __init__(self, answer: IO[bytes]) -> None:
        self._answer = answer
        self._shown = Shown()
        self._camera: Camera | None = None
        self._node: GadgetNode | None = None
        self._boots = 0
        self._ahead_s: float | None = None
        self._due: queue.Queue[tuple[float, list[tuple[float, int, bool]], bytes] | None] = queue.Queue()
        self._showing = threading.Thread(target=self._show, daemon=True)
        self._showing.start()

    def take(self, said: dict[str, Any], more: bytes) -> None:
        """Does what a line says; frames wait until they are due."""
        what = said["do"]
        if what == "frame":
            self._due.put((said["t"], [tuple(beam) for beam in said["beams"]], more))
            return
        match what, said["what"]:
            case "plug", "camera":
                self._camera = Camera(self._shown)
            case "pull", "camera":
                assert self._camera is not None
                self._camera.pull()
            case "plug", "node":
                self._boots += 1
                self._node = GadgetNode(0x5100 + self._boots)
            case "pull", "node":
                assert self._node is not None
                self._node.pull()
                self._node = None
        self._tell({"did": what, "what": said["what"], "at": time.clock_gettime(time.CLOCK_MONOTONIC)})

    def end(self) -> None:
        """Nothing more is shown; frames that wait are shown before."""
        self._due.put(None)
        self._showing.join()

    def _show(self) -> None:
        while (due := self._due.get()) is not None:
            t_s, beams, picture = due
            now_s = time.monotonic()
            if self._ahead_s is None or now_s > t_s + self._ahead_s + LATE_S:
                self._ahead_s = now_s - t_s
            if (early_s := t_s + self._ahead_s - now_s) > 0:
                time.sleep(early_s)
            for at_s, sensor, blocked in beams:
                if self._node is not None:
                    self._node.beam(sensor, blocked, round((at_s + self._ahead_s) * 1e6))
            self._shown.show(picture)
            self._tell({"shown": t_s})

    def _tell(self, said: dict[str, Any]) -> None:
        # The machine outside may have let go with frames still on their way.
        with contextlib.suppress(OSError):
            self._answer.write(json.dumps(said).encode() + b"\n")
            self._answer.flush()


def now_us() -> int:
    return time.monotonic_ns() // 1000


def await_path(path: Path) -> Path:
    until = time.monotonic() + 10
    while not path.exists():
        if time.monotonic() > until:
            raise FileNotFoundError(path)
        time.sleep(0.01)
    return path


def serve(host: str, port: int) -> None:
    """Does what the machine outside says, until it lets go."""
    with socket.create_connection((host, port)) as line:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        reader = line.makefile("rb")
        devices = Devices(line.makefile("wb"))
        try:
            for text in reader:
                said = json.loads(text)
                devices.take(said, reader.read(said.get("bytes", 0)))
        finally:
            devices.end()


def main() -> None:
    for module in ("vhci-hcd", "uvcvideo", "dummy_hcd"):
        subprocess.run(["modprobe", module], check=True)
    serve(sys.argv[1], int(sys.argv[2]))


if __name__ == "__main__":
    main()
