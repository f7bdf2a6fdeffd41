"""A USB camera in user space: UVC 1.1, MJPEG, over the kernel's virtual host controller (vhci_hcd).

So uvcvideo itself is driven, the driver of nearly every webcam. Started with a folder of JPEGs, which it sends in
turn; reads commands from stdin and answers each with a line: `plug`, `pull`, `mute`, `speak`, `controls`.
Like a real camera it refuses an exposure, a focus or a white balance while its automatic has them.
"""

from __future__ import annotations

import json
import socket
import struct
import sys
import threading
import time
from collections import deque
from contextlib import suppress
from pathlib import Path

ATTACH = Path("/sys/devices/platform/vhci_hcd.0/attach")
HIGH_SPEED = 3
SIZES = ((1280, 720), (640, 360))
INTERVALS_100NS = (333_333, 400_000)
PAYLOAD = 16_384
STALLED = -32
UNLINKED = -104
CAMERA, PROCESSING, OUTPUT = 1, 2, 3


class Control:
    """One setting: where it is asked for, how it is packed, what it may be."""

    def __init__(self, unit: int, selector: int, form: str, now: int, span: tuple[int, int, int]) -> None:
        self.unit, self.selector, self.form, self.now = unit, selector, form, now
        self.least, self.most, self.step = span
        self.default = now


def controls() -> dict[str, Control]:
    """As a webcam is after it was plugged in: everything automatic (exposure mode 8 is aperture priority)."""
    return {
        "exposure_mode": Control(CAMERA, 2, "<B", 8, (1, 8, 9)),
        "exposure_100us": Control(CAMERA, 4, "<I", 156, (1, 10_000, 1)),
        "focus": Control(CAMERA, 6, "<H", 30, (0, 250, 5)),
        "focus_auto": Control(CAMERA, 8, "<B", 1, (0, 1, 1)),
        "gain": Control(PROCESSING, 4, "<H", 16, (0, 255, 1)),
        "white_k": Control(PROCESSING, 10, "<H", 4600, (2800, 6500, 10)),
        "white_auto": Control(PROCESSING, 11, "<B", 1, (0, 1, 1)),
    }


AUTOMATIC = {"exposure_100us": ("exposure_mode", 8), "focus": ("focus_auto", 1), "white_k": ("white_auto", 1)}
DEVICE = struct.pack("<BBHBBBBHHHBBBB", 18, 1, 0x200, 0xEF, 2, 1, 64, 0x1209, 1, 0x100, 1, 2, 0, 1)
TEXTS = {1: "Carrom", 2: "Test camera"}


def configuration() -> bytes:
    camera = struct.pack("<BBBBHBBHHHB", 18, 0x24, 2, CAMERA, 0x201, 0, 0, 0, 0, 0, 3) + (0x2002A).to_bytes(3, "little")
    processing = struct.pack("<BBBBBHBHBB", 12, 0x24, 5, PROCESSING, CAMERA, 0, 2, 0x1240, 0, 0)
    output = struct.pack("<BBBBHBBB", 9, 0x24, 3, OUTPUT, 0x101, 0, PROCESSING, 0)
    units = camera + processing + output
    control = struct.pack("<BBBHHIBB", 13, 0x24, 1, 0x110, 13 + len(units), 48_000_000, 1, 1) + units
    shapes = struct.pack("<BBBBBBBBBBB", 11, 0x24, 6, 1, len(SIZES), 1, 1, 0, 0, 0, 0)
    for index, (width, height) in enumerate(SIZES, 1):
        length = 26 + 4 * len(INTERVALS_100NS)
        head = (length, 0x24, 7, index, 0, width, height, 1, 1, width * height * 2, INTERVALS_100NS[0])
        shapes += struct.pack("<BBBBBHHIIIIB", *head, len(INTERVALS_100NS))
        shapes += struct.pack(f"<{len(INTERVALS_100NS)}I", *INTERVALS_100NS)
    streaming = struct.pack("<BBBBHBBBBBBBB", 14, 0x24, 1, 1, 14 + len(shapes), 0x81, 0, OUTPUT, 0, 0, 0, 1, 0) + shapes
    body = bytes((8, 11, 0, 2, 14, 3, 0, 0)) + bytes((9, 4, 0, 0, 0, 14, 1, 0, 0)) + control
    body += bytes((9, 4, 1, 0, 1, 14, 2, 0, 0)) + streaming + struct.pack("<BBBBHB", 7, 5, 0x81, 2, 512, 0)
    return struct.pack("<BBHBBBBB", 9, 2, 9 + len(body), 2, 1, 0, 0x80, 250) + body


class UsbCamera:
    """The camera from `plug` to `pull`."""

    def __init__(self, pictures: list[bytes]) -> None:
        self._pictures = pictures
        self.muted = False
        self.controls = controls()
        self.sent = 0
        self._due_s = time.monotonic()
        self._probe = bytearray(34)
        self._propose(b"")
        self._wanted: deque[tuple[int, int]] = deque()
        self._lock = threading.Condition()
        self._ours, theirs = socket.socketpair()
        ATTACH.write_text(f"0 {theirs.fileno()} {0x10002} {HIGH_SPEED}")
        theirs.close()
        self._pulled = False
        for work in (self._serve, self._send_pictures):
            threading.Thread(target=work, daemon=True).start()

    def pull(self) -> None:
        self._pulled = True
        with suppress(OSError):
            self._ours.shutdown(socket.SHUT_RDWR)
        self._ours.close()

    def _take(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            more = self._ours.recv(count - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def _serve(self) -> None:
        try:
            while True:
                command, number, _, inward, endpoint = struct.unpack(">5I", self._take(20))
                rest = self._take(28)
                if command == 2:
                    self._unlink(number, struct.unpack_from(">I", rest)[0])
                    continue
                length = struct.unpack_from(">i", rest, 4)[0]
                data = b"" if inward else self._take(length)
                if endpoint:
                    with self._lock:
                        self._wanted.append((number, length))
                        self._lock.notify_all()
                else:
                    answer = self._control(rest[20:], data)
                    if answer is None:
                        self._answer(number, b"", status=STALLED)
                    else:
                        self._answer(number, answer[:length], length=None if inward else length)
        except (EOFError, OSError):
            self._pulled = True

    def _answer(self, number: int, data: bytes, status: int = 0, length: int | None = None) -> None:
        actual = len(data) if length is None else length
        with self._lock:
            self._ours.sendall(struct.pack(">5I5i8x", 3, number, 0, 0, 0, status, actual, 0, 0, 0) + data)

    def _unlink(self, number: int, which: int) -> None:
        with self._lock:
            waiting = [asked for asked in self._wanted if asked[0] == which]
            for asked in waiting:
                self._wanted.remove(asked)
            self._ours.sendall(struct.pack(">5Ii24x", 4, number, 0, 0, 0, UNLINKED if waiting else 0))

    def _control(self, setup: bytes, data: bytes) -> bytes | None:
        kind, request, value, index, _ = struct.unpack("<BBHHH", setup)
        if kind in (0x21, 0xA1):
            if index == 1:
                return self._streaming(request, data)
            return self._setting(request, index >> 8, value >> 8, data)
        if request == 6:
            if value >> 8 == 3:
                text = TEXTS.get(value & 255, "").encode("utf-16-le")
                body = text if value & 255 else b"\x09\x04"
                return bytes((2 + len(body), 3)) + body
            return {1: DEVICE, 2: configuration()}.get(value >> 8)
        return b"\0\0"

    def _streaming(self, request: int, data: bytes) -> bytes | None:
        if request == 1:
            self._propose(data)
            return b""
        return {0x85: b"\x22\0", 0x86: b"\x03"}.get(request, bytes(self._probe))

    def _propose(self, data: bytes) -> None:
        _, _, frame, interval = struct.unpack_from("<HBBI", data.ljust(8, b"\0"))
        frame = min(max(frame, 1), len(SIZES))
        interval = interval if interval in INTERVALS_100NS else INTERVALS_100NS[0]
        width, height = SIZES[frame - 1]
        self._interval_s = interval * 1e-7
        self._probe[:] = struct.pack("<HBBI10xIII4x", 1, 1, frame, interval, width * height * 2, PAYLOAD, 48_000_000)

    def _setting(self, request: int, unit: int, selector: int, data: bytes) -> bytes | None:
        for name, control in self.controls.items():
            if (control.unit, control.selector) != (unit, selector):
                continue
            if request == 1:
                automatic, on = AUTOMATIC.get(name, ("", 0))
                if automatic and self.controls[automatic].now == on:
                    return None
                control.now = struct.unpack(control.form, data)[0]
                return b""
            size = struct.calcsize(control.form)
            if request in (0x85, 0x86):
                return struct.pack("<H", size) if request == 0x85 else b"\x03"
            values = {0x81: control.now, 0x82: control.least, 0x83: control.most, 0x84: control.step}
            return struct.pack(control.form, values.get(request, control.default))
        return None

    def next_picture(self) -> bytes:
        """Waits until the next picture is due and returns it."""
        self._due_s = max(self._due_s + self._interval_s, time.monotonic())
        time.sleep(max(0.0, self._due_s - time.monotonic()))
        return self._pictures[self.sent % len(self._pictures)]

    def _send_pictures(self) -> None:
        odd = 0
        while not self._pulled:
            picture = self.next_picture()
            with self._lock:
                if self.muted or not self._wanted:
                    continue
            odd ^= 1
            parts = [picture[at : at + PAYLOAD - 2] for at in range(0, len(picture), PAYLOAD - 2)]
            for part in parts:
                with self._lock:
                    if not self._lock.wait_for(lambda: self._wanted or self._pulled, 1.0) or self._pulled:
                        break
                    number, _ = self._wanted.popleft()
                last = 2 if part is parts[-1] else 0
                try:
                    self._answer(number, bytes((2, 0x80 | last | odd)) + part)
                except OSError:
                    return
            self.sent += 1


def main() -> None:
    pictures = [path.read_bytes() for path in sorted(Path(sys.argv[1]).glob("*.jpg"))]
    camera: UsbCamera | None = None
    for line in sys.stdin:
        said = line.strip()
        answer: object = "done"
        if said == "plug":
            camera = UsbCamera(pictures)
        elif camera is None:
            answer = "not plugged in"
        elif said == "pull":
            camera.pull()
        elif said in ("mute", "speak"):
            camera.muted = said == "mute"
        else:
            answer = {name: control.now for name, control in camera.controls.items()}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
