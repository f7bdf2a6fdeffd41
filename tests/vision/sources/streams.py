"""Stand-ins for cameras: an MJPEG server, a child process, recordings on disk; each shows numbered pictures."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from pathlib import Path

import cv2
import numpy as np

from tests.patience import PATIENCE_S

WIDTH, HEIGHT = 64, 48


def picture(number: int) -> np.ndarray:
    """A flat picture whose brightness tells its number."""
    return np.full((HEIGHT, WIDTH, 3), 10 + 5 * number, np.uint8)


def jpeg(number: int) -> bytes:
    done, data = cv2.imencode(".jpg", picture(number), [cv2.IMWRITE_JPEG_QUALITY, 95])
    assert done
    return data.tobytes()


def number_of(luma: np.ndarray) -> int:
    return round((float(luma.mean()) - 10) / 5)


def part(number: int, *, stamped: bool = True, length: bool = True) -> bytes:
    body = jpeg(number)
    head = b"--carrom\r\nContent-Type: image/jpeg\r\n"
    if length:
        head += b"Content-Length: %d\r\n" % len(body)
    if stamped:
        head += b"X-Capture-Ns: %d\r\nX-Exposure-Ns: 5000000\r\n" % (number * 33_000_000)
    return head + b"\r\n" + body + b"\r\n"


MULTIPART = b"Content-Type: multipart/x-mixed-replace; boundary=carrom\r\n"
"""The header of an answer that is a stream."""


class MjpegServer:
    """Serves parts to whoever connects, one script a connection; then holds or closes.

    `before`: heads of the first answers, instead of the usual one. `asked`: what was asked.
    """

    def __init__(
        self,
        scripts: list[list[bytes]],
        *,
        hold: bool = False,
        status: bytes = b"200 OK",
        headers: bytes = MULTIPART,
        before: tuple[bytes, ...] = (),
        port: int = 0,
        secure: ssl.SSLContext | None = None,
    ) -> None:
        self._scripts = scripts
        self._hold = hold
        self._heads = (*before, b"HTTP/1.1 %s\r\n%s\r\n" % (status, headers))
        self.asked: list[bytes] = []
        self._socket = socket.create_server(("127.0.0.1", port))
        self.port = self._socket.getsockname()[1]
        self._secure = secure
        self.url = f"{'https' if secure else 'http'}://127.0.0.1:{self.port}/camera"
        self.sent = 0
        self.progress = threading.Condition()
        self.go_on = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        for script in self._scripts:
            try:
                channel, _ = self._socket.accept()
                if self._secure is not None:
                    channel = self._secure.wrap_socket(channel, server_side=True)
            except OSError:
                return
            with channel:
                channel.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16384)
                self.asked.append(channel.recv(4096))
                try:
                    channel.sendall(self._heads[min(len(self.asked), len(self._heads)) - 1])
                    for data in script:
                        channel.sendall(data)
                        with self.progress:
                            self.sent += 1
                            self.progress.notify_all()
                    if self._hold:
                        self.go_on.wait(PATIENCE_S)
                except OSError:
                    pass

    def close(self) -> None:
        self.go_on.set()
        with contextlib.suppress(OSError):
            # Nobody may have come for the last script; a closed socket alone is waited at for ever.
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


CHILD = """
import sys, time
for path in sys.argv[1:]:
    sys.stdout.buffer.write(open(path, "rb").read())
    sys.stdout.buffer.flush()
"""


def child_files(folder: Path, count: int) -> list[Path]:
    paths = []
    for number in range(count):
        path = folder / f"{number:03d}.jpg"
        path.write_bytes(jpeg(number))
        paths.append(path)
    return paths
